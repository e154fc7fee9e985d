//! What convolutions and the dynamics model do to single numbers.

/// An activation: what becomes of the sums `s` of a convolution of `x`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// `s`
    None,
    /// `max(s, 0)`
    Relu,
    /// `x + max(s, 0)`; needs as many outputs as inputs.
    Residual,
}

/// Sets what has log-odds above 0, and nothing else.
///
/// Says whether that changed the board.
pub fn set_by_odds(board: &mut [f32], odds: &[f32]) -> bool {
    let mut changed = false;
    for (cell, odds) in board.iter_mut().zip(odds) {
        let set = if *odds > 0.0 { 1.0 } else { 0.0 };
        changed |= *cell != set;
        *cell = set;
    }
    changed
}
