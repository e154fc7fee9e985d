//! The precision in which a network's layers are multiplied.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// What the 3x3 convolutions but the first multiply, on the CPU.
///
/// Sums, weights, the other layers, a dynamics model, small boards, loss and optimizer take 32-bit floats whatever it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// 32-bit floats.
    #[default]
    F32,
    /// The same rounded to bfloat16.
    ///
    /// These are 32-bit floats of which the upper half is kept, as in mixed-precision training (Kalamkar et al. 2019,
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
