//! Functions of single numbers.

/// Output of a convolution of `x` whose sums are `s`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// `s`
    None,
    /// `max(s, 0)`
    Relu,
    /// `x + max(s, 0)`; needs as many outputs as inputs.
    Residual,
}

/// Sets cells with log-odds above 0 to 1, others to 0; returns whether any changed.
pub fn set_by_odds(board: &mut [f32], odds: &[f32]) -> bool {
    let mut changed = false;
    for (cell, odds) in board.iter_mut().zip(odds) {
        let set = if *odds > 0.0 { 1.0 } else { 0.0 };
        changed |= *cell != set;
        *cell = set;
    }
    changed
}
