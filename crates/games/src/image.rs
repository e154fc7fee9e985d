use super::Lookahead;

/// Function from a position and an image to the position with the image's board.
pub type Decode<S> = fn(&S, &[f32]) -> S;

/// A position as planes of numbers, for networks, their players and the learner `dqn`.
///
/// The image is `[PLANES, ROWS, COLUMNS]`, rows from the top, of 0 and 1, with `SCALARS` numbers in
/// `0.0..=1.0`. A Q-network answers with `[ACTION_PLANES, ROWS, COLUMNS]`.
pub trait Image: Lookahead {
    /// Planes of the image.
    const PLANES: usize;
    /// Number of first planes that stand for colours, whose permutations keep a position's value; 0
    /// for none.
    const COLOURS: usize;
    /// Rows of the image.
    const ROWS: usize;
    /// Columns of the image.
    const COLUMNS: usize;
    /// Numbers beside the image, at least 1.
    const SCALARS: usize;
    /// Planes of the Q-network's output.
    const ACTION_PLANES: usize;
    /// Number of symmetries; symmetry 0 is the identity.
    const SYMMETRIES: usize;

    /// Writes the whole image, as numbers or bytes, and the scalars under a symmetry. An unknown cell
    /// is 0, or false, in all planes.
    fn encode(state: &Self::State, symmetry: usize, image: &mut [impl Copy + From<bool>], scalars: &mut [f32]);

    /// Position with the board of an image without a symmetry, and all else as in a given position;
    /// `None` in games without this function.
    const DECODE: Option<Decode<Self::State>> = None;

    /// Place of an action's Q-value: (plane, row, column).
    fn place(action: usize) -> (usize, usize, usize);

    /// Number of an action on the board encoded under a symmetry.
    fn transform_action(action: usize, symmetry: usize) -> usize;
}

/// Kinds of an image's cells, row by row from the top: the first plane above 1/2, or `unknown`; later
/// planes are ignored.
pub(crate) fn kinds<const COLUMNS: usize, const ROWS: usize>(image: &[f32], unknown: u8) -> [[u8; COLUMNS]; ROWS] {
    let planes = image.chunks_exact(ROWS * COLUMNS);
    let kind = |cell: usize| planes.clone().position(|plane| plane[cell] > 0.5).map_or(unknown, |plane| plane as u8);
    std::array::from_fn(|row| std::array::from_fn(|column| kind(row * COLUMNS + column)))
}
