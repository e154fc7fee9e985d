//! The precision in which a network's layers are multiplied.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// How the numbers of the 3x3 convolutions between first and last are held.
///
/// Sums, weights at rest, the other layers, loss and optimizer are 32-bit floats whatever it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// As 32-bit floats.
    #[default]
    F32,
    /// Rounded to bfloat16 before they are multiplied.
    ///
    /// That is 32-bit floats of which the upper half is kept, as in mixed-precision training (Kalamkar et al. 2019,
    /// <https://arxiv.org/abs/1905.12322>).
    Bf16,
}
