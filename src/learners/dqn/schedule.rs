//! How a number of the training goes from its first to its last value.

use serde::{Deserialize, Serialize};

/// How the learning rate goes from its first to its last value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Schedule {
    /// It stays at the first value.
    Constant,
    /// In a straight line.
    Linear,
    /// In half a wave of a cosine.
    ///
    /// Loshchilov and Hutter 2017, <https://arxiv.org/abs/1608.03983>.
    Cosine,
}

impl Schedule {
    /// The value when a share of the training between 0 and 1 is done.
    pub fn between(self, first: f64, last: f64, progress: f64) -> f64 {
        let done = match self {
            Schedule::Constant => 0.0,
            Schedule::Linear => progress,
            Schedule::Cosine => (1.0 - (std::f64::consts::PI * progress).cos()) / 2.0,
        };
        first + (last - first) * done
    }
}
