use super::{Lookahead, Text, actions_of_a_game};
use crate::error::{Error, Result};

/// A position as people give it: a board's text, and what the text may leave out.
pub struct Given<'a> {
    pub board: &'a str,
    /// `None` stands for those of a new game.
    pub moves_left: Option<i64>,
    /// Letter of the piece, where the text shows none.
    pub piece: Option<&'a str>,
}

/// What messages call the parts of a [`Given`].
pub struct Names<'a> {
    pub board: &'a str,
    pub moves_left: &'a str,
    pub piece: &'a str,
}

impl Given<'_> {
    /// The game at this position, at rest and not over; an error names the part that is wrong.
    pub fn game<G: Text + Lookahead>(&self, rules: &G::Rules, names: &Names) -> Result<G> {
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

    fn with_piece<G: Text + Lookahead>(&self, state: &G::State, names: &Names) -> Result<G::State> {
        let letters: Vec<String> = G::PIECES.iter().map(char::to_string).collect();
        let (board, asked, all) = (names.board, names.piece, letters.join(" "));
        let Some(piece) = self.piece else {
            return match letters.is_empty() || G::is_whole(state) {
                true => Ok(*state),
                false => Err(Error::user(format!("{board} shows no piece: {asked} must be one of {all}"))),
            };
        };
        match letters.iter().position(|letter| letter == piece) {
            Some(number) if G::is_whole(state) && G::with_piece(state, number) != *state => {
                Err(Error::user(format!("{asked} {piece}: {board} shows another piece: leave one of them out")))
            }
            Some(number) => Ok(G::with_piece(state, number)),
            None if letters.is_empty() => Err(Error::user(format!("{asked} {piece}: {} has no pieces", G::NAME))),
            None => Err(Error::user(format!("{asked} {piece}: it must be one of {all}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Game as _, Match3, Tetris};

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
}
