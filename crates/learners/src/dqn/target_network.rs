//! Target network: a slower copy of the online network.

use burn::module::{Module, ModuleMapper, Param};
use burn::tensor::Tensor;
use serde::{Deserialize, Serialize};

use super::super::{OutOfRange, require};
use super::parameters::parameters;
use crate::network::QNetwork;

/// Configuration of the target network: section `[target]`.
///
/// | key | default | range | meaning |
/// |---|---|---|---|
/// | `update` | `"hard"` | `"hard"`, `"soft"` | [Kind](TargetUpdate) of update. |
/// | `every` | 500 | at least 1 | Hard: updates between copies. |
/// | `rate` | 0.005 | above 0, at most 1 | Soft: weight of the online network per update. |
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Target {
    /// Kind of update.
    pub update: TargetUpdate,
    /// Hard: updates between copies.
    pub every: u64,
    /// Soft: weight of the online network per update.
    pub rate: f64,
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

impl Default for Target {
    fn default() -> Self {
        Self { update: TargetUpdate::Hard, every: 500, rate: 0.005 }
    }
}

impl Target {
    pub(super) fn check(&self) -> Result<(), OutOfRange> {
        let Self { every, rate, .. } = *self;
        require(every >= 1, "target.every", every, "at least 1")?;
        require(rate > 0.0 && rate <= 1.0, "target.rate", rate, "above 0 and at most 1")
    }

    /// Whether update number `updates` changes the target network.
    pub fn changes_at(&self, updates: u64) -> bool {
        self.update == TargetUpdate::Soft || updates.is_multiple_of(self.every)
    }

    /// The target network after update number `updates`; none if unchanged.
    pub fn follow(&self, target: &QNetwork, online: &QNetwork, updates: u64) -> Option<QNetwork> {
        match self.update {
            TargetUpdate::Hard => self.changes_at(updates).then(|| online.valid()),
            TargetUpdate::Soft => {
                let online = parameters(&online.valid()).into_iter();
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
