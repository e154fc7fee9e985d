//! Precision of a network's products.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Precision of factors in all 3x3 convolutions but the first, on the CPU.
///
/// Sums, weights, other layers, dynamics models, small boards, loss and optimizer are always 32-bit
/// floats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// 32-bit floats.
    #[default]
    F32,
    /// Floats rounded to bfloat16, their upper 16 bits (Kalamkar et al. 2019,
    /// <https://arxiv.org/abs/1905.12322>).
    Bf16,
}

impl Display for Precision {
    fn fmt(&self, formatter: &mut Formatter) -> fmt::Result {
        formatter.write_str(match self {
            Self::F32 => "f32",
            Self::Bf16 => "bf16",
        })
    }
}

impl FromStr for Precision {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "f32" => Ok(Self::F32),
            "bf16" => Ok(Self::Bf16),
            _ => Err("it must be f32 or bf16".to_owned()),
        }
    }
}
