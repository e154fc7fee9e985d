//! Losses of an error.

use burn::tensor::Tensor;
use serde::{Deserialize, Serialize};

/// Loss of an error d = value - target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Loss {
    /// d^2 / 2 up to |d| = 1, linear beyond (Huber 1964,
    /// <https://doi.org/10.1214/aoms/1177703732>).
    Huber,
    /// d^2 / 2.
    Squared,
}

impl Loss {
    /// Loss of each error: `[errors]`.
    pub fn of(self, errors: Tensor<1>) -> Tensor<1> {
        match self {
            Self::Squared => errors.square().mul_scalar(0.5),
            Self::Huber => {
                let size = errors.abs();
                let squared = size.clone().clamp_max(1.0);
                // size^2 / 2 up to 1, size - 1/2 beyond.
                squared.clone() * (size - squared.mul_scalar(0.5))
            }
        }
    }

    /// Loss of a number.
    pub fn of_number(self, error: f32) -> f32 {
        let size = error.abs();
        match self {
            Self::Squared => 0.5 * error * error,
            Self::Huber if size > 1.0 => size - 0.5,
            Self::Huber => 0.5 * size * size,
        }
    }

    /// Slope of the loss.
    pub fn slope(self, error: f32) -> f32 {
        match self {
            Self::Squared => error,
            Self::Huber => error.clamp(-1.0, 1.0),
        }
    }
}
