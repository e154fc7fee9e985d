use super::{Game, Lookahead, MaskKind};

/// Function that chooses one of moves and their names by its place.
pub type Choose<'a> = &'a mut dyn FnMut(&[(usize, u64)]) -> usize;

/// What a game without chance after the deal says of its moves, for players that search whole lines
/// of moves.
pub trait Puzzle<G: Game>: Sync {
    /// Size of what is left, such as tiles; falls with each move that changes the position.
    fn left(&self, state: &G::State) -> usize;

    /// Gives each move of a mask, its points and the position after it.
    fn expand(&self, state: &G::State, mask: MaskKind, give: &mut dyn FnMut(usize, f32, &G::State));

    /// A number that equal positions share and others hardly ever do.
    fn hash(&self, state: &G::State) -> u64;

    /// Plays one of a mask's moves: `choose` gets the moves, at least one, and returns the place of one.
    /// `None` where there is no move.
    ///
    /// Beside each move stands its name, a number that the same move has in other positions, such as a
    /// hash of the cells that it takes.
    fn play(&self, state: &G::State, mask: MaskKind, choose: Choose) -> Option<(f32, G::State)>;
}

/// Function that tells a game by tiles, from a position on.
pub type TellByTiles<S> = fn(&S) -> Box<dyn ByTiles>;

/// A game whose moves are told by tiles that keep their numbers while they fall, so that the order of
/// moves can be changed. There is a position now, and there are saved ones.
pub trait ByTiles: Send {
    /// Number of tiles at the start; they are numbered from 0.
    fn count(&self) -> usize;

    /// Size of what is left; falls with each move.
    fn left(&self) -> usize;

    /// Action of the move that takes a tile now, the one of the game's default mask; `None` where no move does.
    fn action(&self, tile: usize) -> Option<usize>;

    /// Plays the move that takes a tile and returns its points; without one the position stays, and
    /// the answer is `None`.
    fn play(&mut self, tile: usize) -> Option<f32>;

    /// A tile that a move of a mask takes now, chosen by `below`, which draws a number below the one it
    /// is given; `None` at the end.
    fn choose(&self, mask: MaskKind, below: &mut dyn FnMut(usize) -> usize) -> Option<usize>;

    /// Saves the position in a slot; slots are numbered from 0.
    fn save(&mut self, slot: usize);

    /// Goes to the position of a slot.
    fn load(&mut self, slot: usize);

    /// Whether the position is that of a slot.
    fn is_at(&self, slot: usize) -> bool;
}

/// Points and position after a line of moves.
pub fn after_line<G: Lookahead>(state: &G::State, line: &[usize]) -> (f64, G::State) {
    line.iter().fold((0.0, *state), |(points, state), action| {
        let after = G::after(&state, *action);
        (points + f64::from(after.points), after.state)
    })
}
