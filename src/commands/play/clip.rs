/// Boards of a move: after the swap, each clearing and each pass of falling, and at rest.
pub struct Clip {
    boards: Vec<String>,
    at: usize,
}

/// Seconds at speed 1 of a board before tokens vanish, after a swap or at rest.
const PAUSE: f64 = 0.5;
/// Seconds of a board with fresh holes.
const CLEARED: f64 = 0.25;
/// Seconds of a pass of falling.
const PASS: f64 = 0.09;

impl Clip {
    /// A clip of a move's intermediate boards and the board at rest.
    pub fn new(mut boards: Vec<String>, rest: String) -> Self {
        boards.push(rest);
        Self { boards, at: 0 }
    }

    pub fn now(&self) -> &str {
        &self.boards[self.at]
    }

    pub fn is_first(&self) -> bool {
        self.at == 0
    }

    pub fn is_last(&self) -> bool {
        self.at + 1 == self.boards.len()
    }

    /// Shows the next board, if any.
    pub fn advance(&mut self) -> bool {
        let more = !self.is_last();
        self.at += usize::from(more);
        more
    }

    pub fn duration(&self) -> f64 {
        let cleared = self.at > 0 && self.clears_after(self.at - 1);
        match self.is_first() || self.is_last() || self.clears_after(self.at) {
            true => PAUSE,
            false if cleared => CLEARED,
            false => PASS,
        }
    }

    /// Whether a full board is followed by one with holes.
    fn clears_after(&self, at: usize) -> bool {
        let has_holes = |at: usize| self.boards.get(at).is_some_and(|board| board.contains(' '));
        !has_holes(at) && has_holes(at + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::deal;
    use crate::games::match3::{Match3, Rules};

    #[test]
    fn the_boards_of_a_chain_differ() {
        let (mut game, mut random, _) = deal::<Match3>(&Rules::default(), 0);
        let (play, boards) = game.play_watched(2, 6, true, &mut random);
        let mut clip = Clip::new(boards, game.board());
        let holes = |clip: &Clip| clip.now().matches(' ').count();
        assert!(clip.is_first() && !clip.is_last());
        assert_eq!((clip.duration(), holes(&clip)), (PAUSE, 0));
        clip.advance();
        assert!(holes(&clip) > 2 && clip.duration() == CLEARED);
        clip.advance();
        assert_eq!(clip.duration(), PASS);
        let mut clearings = 1;
        while clip.advance() {
            clearings += u32::from(clip.duration() == CLEARED);
        }
        assert!(clip.is_last() && play.waves > 1);
        assert_eq!((clearings, clip.duration(), clip.now()), (play.waves, PAUSE, &*game.board()));
    }
}
