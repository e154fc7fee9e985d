use super::picture::Picture;

/// Boards of a move: after the swap, each clearing and each pass of falling, and at rest.
pub struct Clip {
    boards: Vec<Picture>,
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
    pub fn new(way: &[String], rest: &str) -> Self {
        let boards = way.iter().map(String::as_str).chain([rest]).map(Picture::of).collect();
        Self { boards, at: 0 }
    }

    pub fn now(&self) -> &Picture {
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

    /// Whether the next board clears a cell.
    pub fn is_fading(&self, x: usize, y: usize) -> bool {
        self.clears_after(self.at) && self.boards[self.at + 1].at(x, y) == ' '
    }

    /// Clearings so far, including the next.
    pub fn wave(&self) -> usize {
        (0..=self.at).filter(|at| self.clears_after(*at)).count()
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
        let holes = |at: usize| self.boards.get(at).is_some_and(Picture::has_holes);
        !holes(at) && holes(at + 1)
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
        let mut clip = Clip::new(&boards, &game.board());
        assert!(clip.is_first() && !clip.is_last() && clip.wave() == 1);
        // The column of three c, and the obstacles beside.
        assert!(clip.is_fading(2, 7) && clip.is_fading(1, 6) && !clip.is_fading(0, 0));
        assert_eq!(clip.duration(), PAUSE);
        clip.advance();
        assert_eq!((clip.now().at(2, 7), clip.duration()), (' ', CLEARED));
        clip.advance();
        assert_eq!(clip.duration(), PASS);
        while clip.advance() {}
        assert!(clip.is_last() && play.waves > 1);
        assert_eq!((clip.wave(), clip.duration()), (play.waves as usize, PAUSE));
        assert_eq!(*clip.now(), Picture::of(&game.board()));
    }
}
