//! Figures of updates, which stay on the device until the log needs them: a GPU that is not asked
//! is not waited for.

use burn::tensor::Tensor;

use crate::error::Result;
use crate::network::to_vec;

/// Figures of one update.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Update {
    /// Mean loss with importance weights.
    pub loss: f32,
    /// Mean value of the learned actions, in scaled rewards.
    pub value: f32,
    /// Mean absolute error, in scaled rewards.
    pub error: f32,
    /// Norm of the gradient before clipping.
    pub gradient_norm: f32,
    /// Mean loss of the plans' values; none without valued next moves.
    pub plan_loss: Option<f32>,
    /// Mean loss of the dynamics model; none without one.
    pub wave_loss: Option<f32>,
}

/// Figures of one update on the device.
#[derive(Clone, Debug)]
pub struct Figures {
    /// Loss, sum of the values, sum of the errors' sizes, loss of the plans and of the dynamics
    /// model if there are any, norm of the gradient.
    pub numbers: Tensor<1>,
    /// Number of values.
    pub values: usize,
    /// Whether the plans' values have a loss.
    pub plans: bool,
    /// Whether a dynamics model has a loss.
    pub dynamics: bool,
}

impl Figures {
    /// Waits for the device.
    pub fn read(self) -> Result<Update> {
        let numbers = to_vec(self.numbers.clone())?;
        Ok(self.update(&numbers))
    }

    /// Reads the figures of several updates of one learner, and waits once.
    pub fn read_all(all: &[Self]) -> Result<Vec<Update>> {
        let Some(first) = all.first() else { return Ok(Vec::new()) };
        let numbers = to_vec(Tensor::cat(all.iter().map(|figures| figures.numbers.clone()).collect(), 0))?;
        let each = first.numbers.dims()[0];
        Ok(all.iter().zip(numbers.chunks_exact(each)).map(|(figures, numbers)| figures.update(numbers)).collect())
    }

    fn update(&self, numbers: &[f32]) -> Update {
        let mut numbers = numbers.iter().copied();
        let mut next = || numbers.next().unwrap_or(f32::NAN);
        let mean = |sum: f32| sum / self.values as f32;
        Update {
            loss: next(),
            value: mean(next()),
            error: mean(next()),
            plan_loss: self.plans.then(&mut next),
            wave_loss: self.dynamics.then(&mut next),
            gradient_norm: next(),
        }
    }
}
