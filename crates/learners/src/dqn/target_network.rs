//! Target network: a slower copy of the online network.

use burn::module::{Module, ModuleMapper, Param};
use burn::tensor::Tensor;
use serde::{Deserialize, Serialize};

use super::super::require;
use super::super::sections::{Checked, at_least_one};
use super::parameters::parameters;
use crate::network::QNetwork;

sections! {
    /// Configuration of the target network: section `[target]`.
    ///
    /// | key | default | range | meaning |
    /// |---|---|---|---|
    /// | `update` | `"hard"` | `"hard"`, `"soft"` | [Kind](TargetUpdate) of update. |
    /// | `every` | 500 | at least 1 | Hard: updates between copies. |
    /// | `rate` | 0.005 | above 0, at most 1 | Soft: weight of the online network per update. |
    pub struct Target {
        /// Kind of update.
        pub update: TargetUpdate = TargetUpdate::Hard,
        /// Hard: updates between copies.
        pub every: u64 = 500,
        /// Soft: weight of the online network per update.
        pub rate: f64 = 0.005,
    }
}

/// Kinds of update.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TargetUpdate {
    /// Copies (Mnih et al. 2015, <https://doi.org/10.1038/nature14236>).
    Hard,
    /// Moving average (Lillicrap et al. 2016, <https://arxiv.org/abs/1509.02971>).
    Soft,
}

impl Target {
    pub(super) fn check(&self) -> Checked {
        at_least_one("target.every", self.every)?;
        require(self.rate > 0.0 && self.rate <= 1.0, "target.rate", self.rate, "above 0 and at most 1")
    }

    /// The target network after update number `updates`; none if unchanged.
    pub fn follow(&self, target: &QNetwork, online: &QNetwork, updates: u64) -> Option<QNetwork> {
        match self.update {
            TargetUpdate::Hard => updates.is_multiple_of(self.every).then(|| online.playing()),
            TargetUpdate::Soft => {
                let online = parameters(&online.playing()).into_iter();
                Some(target.clone().map(&mut Towards { online, rate: self.rate }))
            }
        }
    }
}

/// Moves each parameter by a share `rate` towards another network's.
struct Towards {
    /// Flattened parameters of the other network.
    online: std::vec::IntoIter<Tensor<1>>,
    rate: f64,
}

impl ModuleMapper for Towards {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let Some(online) = self.online.next() else {
            return param;
        };
        param.map(|tensor| {
            let shape = tensor.shape();
            tensor.mul_scalar(1.0 - self.rate) + online.mul_scalar(self.rate).reshape(shape)
        })
    }
}
