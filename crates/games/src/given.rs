use super::{Image, Text, actions_of_a_game};
use crate::error::{Error, Result};

/// A position as people give it: a board's text, and what the text may leave out.
pub struct Given<'a> {
    /// Text of the board.
    pub board: &'a str,
    /// Moves left; `None` stands for those of a new game.
    pub moves_left: Option<i64>,
    /// Letter of the piece, where the text shows none.
    pub piece: Option<&'a str>,
}

/// Names of the parts of a [`Given`] in messages, such as flags.
pub struct Names<'a> {
    /// Name of the board, such as its file.
    pub board: &'a str,
    /// Name of the moves left, such as `--moves-left`.
    pub moves_left: &'a str,
    /// Name of the piece, such as `--piece`.
    pub piece: &'a str,
}

impl Given<'_> {
    /// The game at this position, at rest and not over; an error names the part that is wrong.
    pub fn game<G: Text>(&self, rules: &G::Rules, names: &Names) -> Result<G> {
        let all = actions_of_a_game::<G>(rules) as i64;
        match self.moves_left {
            Some(left) if all == 0 => {
                let asked = names.moves_left;
                return Err(Error::user(format!("{asked} {left}: {} does not count moves: leave it out", G::NAME)));
            }
            Some(left) if !(1..=all).contains(&left) => {
                return Err(Error::user(format!("{} {left}: it must be from 1 to {all}", names.moves_left)));
            }
            _ => {}
        }
        let of_board = |error: Error| Error::user(format!("{}: {error}", names.board));
        let state = G::parse(rules, self.board, self.moves_left.or((all > 0).then_some(all))).map_err(of_board)?;
        // The rules may change the state.
        let game = G::at(rules, &self.with_piece::<G>(&state, names)?);
        match game.is_over() {
            false => Ok(game),
            true => Err(Error::user(format!("{}: the game is over on this board, by these rules", names.board))),
        }
    }

    fn with_piece<G: Text>(&self, state: &G::State, names: &Names) -> Result<G::State> {
        let (board, asked) = (names.board, names.piece);
        let Some(pieces) = G::PIECES else {
            return match self.piece {
                None => Ok(*state),
                Some(piece) => Err(Error::user(format!("{asked} {piece}: {} has no pieces", G::NAME))),
            };
        };
        let letters: Vec<String> = pieces.letters().iter().map(char::to_string).collect();
        let all = letters.join(" ");
        let Some(piece) = self.piece else {
            return match G::is_whole(state) {
                true => Ok(*state),
                false => Err(Error::user(format!("{board} shows no piece: {asked} must be one of {all}"))),
            };
        };
        let number = letters.iter().position(|letter| letter == piece);
        let number = number.ok_or_else(|| Error::user(format!("{asked} {piece}: it must be one of {all}")))?;
        let with_piece = pieces.with_piece(state, number);
        match G::is_whole(state) && with_piece != *state {
            true => Err(Error::user(format!("{asked} {piece}: {board} shows another piece: leave one of them out"))),
            false => Ok(with_piece),
        }
    }
}

/// Position of an [image](Image::encode) as bytes and its scalars, checked as a board's text is.
///
/// In games that count moves, the first scalar is the share of the moves that are left.
pub fn decode<G: Text + Image>(rules: &G::Rules, image: &[u8], scalars: &[f32]) -> Result<G::State> {
    let plane = G::ROWS * G::COLUMNS;
    if image.len() != G::PLANES * plane || scalars.len() != G::SCALARS {
        return Err(Error::user(format!(
            "an image of {} has {} planes of {} rows and {} columns and {} scalars, but this has {} cells and {} scalars",
            G::NAME,
            G::PLANES,
            G::ROWS,
            G::COLUMNS,
            G::SCALARS,
            image.len(),
            scalars.len()
        )));
    }
    // In games with pieces, plane 0 is the wall, and one of the others, full, is the piece.
    let tokens = if G::PIECES.is_some() { 1 } else { G::PLANES };
    let mut text = String::with_capacity(plane + G::ROWS);
    for cell in 0..plane {
        let mut planes = (0..tokens).filter(|of| image[of * plane + cell] != 0);
        let (kind, other) = (planes.next(), planes.next());
        if let (Some(one), Some(other)) = (kind, other) {
            let (row, column) = (cell / G::COLUMNS, cell % G::COLUMNS);
            return Err(Error::user(format!(
                "row {row}, column {column} of the image (both from 0) is 1 in two planes, {one} and {other}"
            )));
        }
        // The first two tokens of a game with pieces are an empty and a filled cell.
        let token = if G::PIECES.is_some() { Some(usize::from(kind.is_some())) } else { kind };
        text.push(token.map_or(NOTHING, |token| G::TOKENS[token].letter));
        if (cell + 1) % G::COLUMNS == 0 {
            text.push('\n');
        }
    }
    let all = actions_of_a_game::<G>(rules);
    let left = (all > 0).then(|| (scalars[0] * all as f32).round() as i64);
    let state = G::parse(rules, &text, left)?;
    let Some(known) = G::PIECES else { return Ok(state) };
    let mut pieces = (1..G::PLANES).filter(|of| image[of * plane..][..plane].iter().any(|cell| *cell != 0));
    match (pieces.next(), pieces.next()) {
        (None, _) => Err(Error::user("the image shows no piece")),
        (Some(one), Some(other)) => {
            Err(Error::user(format!("the image shows two pieces, by its planes {one} and {other} (from 0)")))
        }
        (Some(of), None) => match image[of * plane..][..plane].contains(&0) {
            true => {
                Err(Error::user(format!("plane {of} of the image (from 0) is a piece's, and must be full or empty")))
            }
            false => Ok(known.with_piece(&state, of - 1)),
        },
    }
}

/// Letter of a cell that is 0 in all planes, which no game reads as a token.
const NOTHING: char = '_';

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bejeweled, Bilging, Episode, Game, Match3, Tetris, TileMatch};

    const BOARD: &str =
        "dda#cbdc\ndc#c#dcb\na#cc#bbc\na#ab###a\ncdc##d#d\nd#c##ba#\nd####adc\nb#cacb#b\nbb#d#ac#\ndac#c#a#";
    const NAMES: Names = Names { board: "b.txt", moves_left: "--moves-left", piece: "--piece" };

    fn match3(board: &str, moves_left: Option<i64>) -> Result<Match3> {
        Given { board, moves_left, piece: None }.game(&Default::default(), &NAMES)
    }

    fn told<G>(game: Result<G>) -> String {
        game.err().map_or_else(String::new, |error| error.to_string())
    }

    #[test]
    fn a_board_may_end_with_a_newline_and_come_from_any_system() {
        let expected = match3(BOARD, Some(3)).unwrap().state();
        assert_eq!(Match3::actions_left(&expected), 3);
        let windows = BOARD.replace('\n', "\r\n");
        for end in ["\n", "\r\n", "\r", "", "\n\n", "\r\n\r\n", "\n  \n\t"] {
            assert_eq!(match3(&format!("{windows}{end}"), Some(3)).unwrap().state(), expected, "{end:?}");
        }
    }

    #[test]
    fn the_first_cell_of_a_run_is_named() {
        // (0, 2) and (0, 3) are a; an a above makes a column of three.
        let column = BOARD.replacen("dc#c#dcb", "ac#c#dcb", 1);
        let row = BOARD.replacen("a#cc#bbc", "a#ccc#bc", 1);
        for (board, place) in [(column, "row 1, column 0"), (row, "row 2, column 2")] {
            let told = told(match3(&board, Some(3)));
            assert!(told.starts_with("b.txt: ") && told.contains(place), "{told}");
        }
    }

    #[test]
    fn moves_left_are_those_of_a_new_game_unless_given_within_its_bounds() {
        assert_eq!(Match3::actions_left(&match3(BOARD, None).unwrap().state()), 25);
        assert_eq!(told(match3(BOARD, Some(26))), "--moves-left 26: it must be from 1 to 25");
        assert_eq!(told(match3(BOARD, Some(0))), "--moves-left 0: it must be from 1 to 25");
    }

    #[test]
    fn a_piece_is_given_once() {
        let wall = "..........\n".repeat(20);
        let tetris = |board: &str, piece, moves_left| {
            Given { board, moves_left, piece }.game::<Tetris>(&Default::default(), &NAMES)
        };
        let shown = Tetris::board(&tetris(&wall, Some("T"), None).unwrap().state());
        let state = tetris(&shown, None, None).unwrap().state();
        assert_eq!(tetris(&shown, Some("T"), None).unwrap().state(), state);
        for (told_of, expected) in [
            (tetris(&shown, Some("L"), None), "--piece L: b.txt shows another piece: leave one of them out"),
            (tetris(&wall, None, None), "b.txt shows no piece: --piece must be one of O"),
            (tetris(&wall, Some("X"), None), "--piece X: it must be one of O"),
            (tetris(&wall, Some("T"), Some(3)), "--moves-left 3: tetris does not count moves"),
        ] {
            let told = told(told_of);
            assert!(told.starts_with(expected), "{told}");
        }
        let pieces = Given { board: BOARD, moves_left: None, piece: Some("T") };
        assert_eq!(told(pieces.game::<Match3>(&Default::default(), &NAMES)), "--piece T: match3 has no pieces");
    }

    fn check_images<G: Text + Image>(as_written: fn(&G::State) -> G::State) {
        let rules = G::Rules::default();
        for seed in 0..4 {
            let mut episode = Episode::<G>::deal(&rules, seed);
            for turn in 0..30 {
                if episode.is_over() {
                    break;
                }
                let state = episode.state();
                let (mut image, mut scalars) = (vec![0_u8; G::PLANES * G::ROWS * G::COLUMNS], vec![0.0; G::SCALARS]);
                G::encode(&state, 0, &mut image, &mut scalars);
                assert_eq!(decode::<G>(&rules, &image, &scalars), Ok(as_written(&state)), "{} {turn}", G::NAME);
                let (mask, _) = crate::offered::<G>(&state, crate::MaskKind::default_of::<G>());
                episode.step(mask.nth(turn % mask.count()).unwrap());
            }
        }
    }

    #[test]
    fn an_image_gives_its_position_in_every_game() {
        check_images::<Match3>(|state| *state);
        check_images::<Bilging>(|state| *state);
        check_images::<Tetris>(|state| *state);
        check_images::<Bejeweled>(Bejeweled::as_written);
        check_images::<TileMatch>(|state| *state);
    }

    #[test]
    fn an_image_of_two_pieces_or_a_part_of_one_is_refused_by_its_planes() {
        let state = Episode::<Tetris>::deal(&Default::default(), 0).state();
        let plane = Tetris::ROWS * Tetris::COLUMNS;
        let (mut image, mut scalars) = (vec![0_u8; Tetris::PLANES * plane], vec![0.0; Tetris::SCALARS]);
        Tetris::encode(&state, 0, &mut image, &mut scalars);
        let rules = Default::default();
        let told = |image: &[u8]| decode::<Tetris>(&rules, image, &scalars).unwrap_err().to_string();
        let piece = (1..Tetris::PLANES).find(|of| image[of * plane] == 1).unwrap();
        let other = 1 + piece % (Tetris::PLANES - 1);
        let (first, second) = (piece.min(other), piece.max(other));
        let mut two = image.clone();
        two[other * plane..][..plane].fill(1);
        assert_eq!(told(&two), format!("the image shows two pieces, by its planes {first} and {second} (from 0)"));
        image[piece * plane] = 0;
        let part = format!("plane {piece} of the image (from 0) is a piece's, and must be full or empty");
        assert_eq!(told(&image), part);
        image[piece * plane..][..plane].fill(0);
        assert_eq!(told(&image), "the image shows no piece");
    }

    #[test]
    fn an_image_that_shows_no_board_is_refused_by_its_place() {
        let state = match3(BOARD, Some(3)).unwrap().state();
        let (mut image, mut scalars) = (vec![0_u8; 400], [0.0]);
        Match3::encode(&state, 0, &mut image, &mut scalars);
        let rules = Default::default();
        let told = |image: &[u8]| decode::<Match3>(&rules, image, &scalars).unwrap_err().to_string();
        assert!(told(&image[1..]).contains("399 cells"));
        // d, in plane 3, stands at (0, 0).
        let twice: Vec<u8> = image.iter().enumerate().map(|(cell, byte)| if cell == 0 { 1 } else { *byte }).collect();
        assert_eq!(told(&twice), "row 0, column 0 of the image (both from 0) is 1 in two planes, 0 and 3");
        image[3 * 80] = 0;
        assert!(told(&image).contains("row 0, column 0"), "{}", told(&image));
    }
}
