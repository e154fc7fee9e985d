//! How a convolutional network sees a game.

use super::{Lookahead, MaskKind};

/// How a convolutional network sees a game.
///
/// The image of a position is `[PLANES, ROWS, COLUMNS]`, rows from the top, each number 0 or 1; the scalars are
/// whole-board facts in `0.0..=1.0`. Q-values are read off `[ACTION_PLANES, ROWS, COLUMNS]`.
pub trait Image: Lookahead {
    /// Planes of the image.
    const PLANES: usize;
    /// Leading planes that are interchangeable (colours); 0 for none.
    ///
    /// Permuting them gives a position of equal value.
    const COLOURS: usize;
    /// Rows of the image.
    const ROWS: usize;
    /// Columns of the image.
    const COLUMNS: usize;
    /// Numbers beside the image, at least one.
    const SCALARS: usize;
    /// Planes of the Q-network's output.
    const ACTION_PLANES: usize;
    /// Symmetries of the game, numbered from 0, which is the identity.
    const SYMMETRIES: usize;

    /// Writes the image and the scalars of a position under a symmetry.
    ///
    /// Both slices are wholly overwritten. What is unknown in an afterstate is 0 in all planes.
    fn encode(state: &Self::State, symmetry: usize, image: &mut [f32], scalars: &mut [f32]);

    /// Writes the image as bytes, and the scalars.
    ///
    /// They are those of [`encode`](Self::encode) without a symmetry.
    fn encode_bytes(state: &Self::State, image: &mut [u8], scalars: &mut [f32]) {
        let mut numbers = vec![0.0; image.len()];
        Self::encode(state, 0, &mut numbers, scalars);
        for (byte, number) in image.iter_mut().zip(numbers) {
            *byte = number as u8;
        }
    }

    /// The mask by which positions that may follow are judged in training.
    ///
    /// It is another than the given one where that takes too long to find in so many positions.
    fn successor_mask(kind: MaskKind) -> MaskKind {
        kind
    }

    /// Where an action's Q-value is read off: (output plane, row, column).
    fn place(action: usize) -> (usize, usize, usize);

    /// The number of an action on the board shown under a symmetry.
    ///
    /// The board is the one that [`encode`](Self::encode) writes.
    fn transform_action(action: usize, symmetry: usize) -> usize;
}
