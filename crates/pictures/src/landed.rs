//! Landed pieces by name: a board's text says only which cells are filled.

use crate::games::Text;

/// Filled cell of a board's text, of an unknown piece.
const FILLED: char = '#';

/// Letter of the piece to place, in games with pieces.
pub fn piece<G: Text>(state: &G::State) -> Option<char> {
    let letters = G::PIECES?.letters();
    G::board(state).chars().find(|letter| letters.contains(letter))
}

/// Letters of the pieces that lie on a board, as far as they were seen to land.
#[derive(Clone, Debug, Default)]
pub struct Landed(Vec<Vec<char>>);

impl Landed {
    /// A board's text with the letters of the landed pieces.
    pub fn name(&self, board: &str) -> String {
        let name = |(y, row): (usize, &str)| -> String {
            let name = |(x, letter)| if letter == FILLED { self.at(x, y) } else { letter };
            row.chars().enumerate().map(name).collect()
        };
        board.lines().enumerate().map(name).collect::<Vec<_>>().join("\n")
    }

    fn at(&self, x: usize, y: usize) -> char {
        self.0.get(y).and_then(|row| row.get(x)).copied().unwrap_or(FILLED)
    }

    /// Follows a move from the position `before`: names the boards on the way and the one at rest.
    pub fn follow<G: Text>(&mut self, before: &G::State, action: usize, way: &mut [String], rest: &mut String) {
        let Some(pieces) = G::PIECES else { return };
        let is_falling = |board: &String| board.contains(pieces.letters());
        way.iter_mut().filter(|board| is_falling(board)).for_each(|board| *board = self.name(board));
        self.land::<G>(before, action);
        way.iter_mut().filter(|board| !is_falling(board)).for_each(|board| *board = self.name(board));
        let full = |row: &str| row.contains(' ');
        let full: Vec<bool> = way.last().map_or(vec![], |board| board.lines().map(full).collect());
        for row in (0..full.len()).filter(|row| full[*row]) {
            self.0.remove(row);
            self.0.insert(0, Vec::new());
        }
        // A cell that is not filled has no piece.
        let named = self.name(rest);
        let known = |(cell, now): (char, char)| if cell == FILLED { now } else { FILLED };
        let row = |(row, now): (&str, &str)| row.chars().zip(now.chars()).map(known).collect();
        self.0 = rest.lines().zip(named.lines()).map(row).collect();
        *rest = named;
    }

    fn land<G: Text>(&mut self, before: &G::State, action: usize) {
        let board = G::board(before);
        let (rows, columns) = (board.lines().count(), board.lines().map(str::len).max().unwrap_or(0));
        self.0.resize(rows, Vec::new());
        self.0.iter_mut().for_each(|row| row.resize(columns, FILLED));
        let Some(piece) = piece::<G>(before) else { return };
        for (row, column) in G::cells(before, action) {
            if let Some(cell) = self.0.get_mut(row).and_then(|row| row.get_mut(column)) {
                *cell = piece;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::{Game, MaskKind, Match3, Tetris, tetris};
    use matchq_games::random::{Role, Stream};

    /// Follows a move in words; the boards on the way and at rest.
    fn follow(landed: &mut Landed, board: &str, words: &str) -> (Vec<String>, String) {
        let rules = tetris::Rules::new(4).unwrap();
        let state = Tetris::parse(&rules, board, None).unwrap();
        let mut game = Tetris::at(&rules, &state);
        let action =
            Tetris::mask(&state, MaskKind::LEGAL).iter().find(|action| Tetris::words(&state, *action) == words);
        let action = action.unwrap_or_else(|| panic!("no move is {words}"));
        let (_, mut way) = game.frames(action, &mut Stream::new(0, Role::Game, 0));
        let mut rest = Tetris::board(&game.state());
        landed.follow::<Tetris>(&state, action, &mut way, &mut rest);
        (way, rest)
    }

    fn wall(board: &str) -> Vec<&str> {
        board.lines().skip(2).collect()
    }

    #[test]
    fn cells_keep_the_letter_of_the_piece_that_landed_there_also_where_a_row_below_vanishes() {
        let mut landed = Landed::default();
        let empty = "..........";
        let board = format!("...OO.....\n...OO.....\n{empty}\n{empty}\n#.........\n########..");
        let (way, rest) = follow(&mut landed, &board, "O, columns 8 to 9, clears 1 line");
        let (full, falling) = way.split_last().unwrap();
        assert!(falling.iter().all(|board| board.matches('O').count() == 4), "{falling:?}");
        assert_eq!(wall(full), [empty, empty, "#.......OO", "          "]);
        assert_eq!(wall(&rest), [empty, empty, empty, "#.......OO"]);
        let board = format!("{empty}\n...IIII...\n{empty}\n{empty}\n{empty}\n#.......##");
        let (way, rest) = follow(&mut landed, &board, "I flat, columns 1 to 4");
        assert!(way.iter().all(|board| board.ends_with("OO")), "{way:?}");
        assert_eq!(wall(&rest), [empty, empty, empty, "#IIII...OO"]);
        // Another board: its cells are of unknown pieces.
        assert_eq!(wall(&Landed::default().name(&board))[3], "#.......##");
    }

    #[test]
    fn games_without_pieces_and_boards_that_were_not_followed_stay() {
        let mut landed = Landed::default();
        assert_eq!(landed.name("..#\n##."), "..#\n##.");
        let state = Match3::new(&Default::default(), &mut Stream::new(0, Role::Game, 0)).state();
        let (mut way, mut rest) = (vec!["a# ".to_owned()], "#ab".to_owned());
        landed.follow::<Match3>(&state, 0, &mut way, &mut rest);
        assert_eq!((way, rest), (vec!["a# ".to_owned()], "#ab".to_owned()));
    }
}
