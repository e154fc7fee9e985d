use super::Game;

/// Function that gets a position's index and the weighted sums of its actions.
pub type GiveWeighed<'a> = dyn FnMut(usize, &[(usize, f64)]) + 'a;

/// What a game says whose player places pieces of which the next one is unknown, as in Tetris;
/// [`Lookahead::PIECES`](super::Lookahead::PIECES) leads here.
pub trait Pieces<G: Game>: Sync {
    /// Letters of the pieces, by number.
    fn letters(&self) -> &'static [char];

    /// Rows of a board's text that show the piece, above the board itself.
    fn rows(&self) -> usize;

    /// Position with another piece, given by its number. All pieces are equally probable after an
    /// afterstate.
    fn with_piece(&self, state: &G::State, piece: usize) -> G::State;

    /// Action after a person moved the piece by `columns` to the right and turned it `turns` times,
    /// begun at `action` or, without one, where the board's text shows the piece; `None` where the
    /// piece is unknown.
    fn steer(&self, state: &G::State, action: Option<usize>, columns: isize, turns: usize) -> Option<usize>;

    /// Board's text with the piece above the cells where an action lets it fall.
    fn steered(&self, state: &G::State, action: usize) -> String;

    /// Whether a feature of [`action_names`](super::ActionFeatures::action_names), given by its
    /// index, describes the placement itself, not its afterstate. Plans sum such features.
    fn is_of_placement(&self, feature: usize) -> bool;

    /// Named sets of an action's features, for configurations.
    fn feature_sets(&self) -> Vec<(&'static str, Vec<&'static str>)>;

    /// Gives the index of each position in `states` with its actions and their weighted sums, as
    /// [`weighed::each`](super::weighed::each) does, several placements at once.
    fn weigh(&self, states: &[G::State], terms: &[(usize, f64)], give: &mut GiveWeighed);

    /// Gives the first action of the highest weighted sum to `play` until `play` returns false, as
    /// [`weighed::drive`](super::weighed::drive) does.
    fn drive(&self, game: &mut G, terms: &[(usize, f64)], play: &mut dyn FnMut(&mut G, usize) -> bool);
}
