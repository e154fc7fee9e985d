//! Gradient of a minibatch as a function of plain numbers.

use burn::module::Module;
use burn::optim::GradientsParams;
use burn::tensor::{Device, Int, Tensor, TensorData};
use serde::{Deserialize, Serialize};

use super::loss::Loss;
use super::parameters::{Add, Untangle};
use crate::network::{QNetwork, WaveBatch, send};

/// Values and waves to learn.
///
/// A batch can be part of a larger one; any process can compute its [`gradient`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Batch {
    /// Network input: `[images, planes, rows, columns]`.
    pub images: Vec<f32>,
    /// Planes, rows and columns.
    pub shape: [usize; 3],
    /// Input besides the images: `[images, scalars]`.
    pub scalars: Vec<f32>,
    /// Index of each value in the flattened output: `[values]`.
    pub places: Vec<usize>,
    /// Number added to each output: `[values]`.
    pub priors: Vec<f32>,
    /// Target of each value: `[values]`.
    pub targets: Vec<f32>,
    /// Number added to the second output for `plan(s, a)` of docs/dqn.md, with the same target:
    /// `[values]`; empty without plans.
    pub plan_priors: Vec<f32>,
    /// Weight of each value's loss: `[values]`; equal ones of a whole batch add up to 1.
    pub weights: Vec<f32>,
    /// Waves for a dynamics model.
    pub waves: WaveBatch,
    /// Weight of the waves' mean loss: their share of the whole batch's waves.
    pub wave_weight: f32,
}

/// Gradient and figures of a batch, or of a part of one, on the device.
pub struct Gradient {
    /// Gradient of each parameter.
    pub gradients: GradientsParams,
    /// The batch's part of the [figures](super::figures::Figures), without the gradient's norm.
    pub sums: Tensor<1>,
    /// Errors, value - target, of each part: `[values]`.
    pub errors: Vec<Tensor<1>>,
}

impl Gradient {
    /// Sum of two parts.
    pub fn with(mut self, other: Self, network: &QNetwork) -> Self {
        let mut sum = Add { gradients: &mut self.gradients, others: other.gradients };
        network.visit(&mut sum);
        self.errors.extend(other.errors);
        Self { sums: self.sums + other.sums, ..self }
    }
}

/// Gradient of a batch's loss with respect to the parameters; `device` is the network's, with
/// autodiff.
pub fn gradient(network: &QNetwork, batch: &Batch, kind: Loss, device: &Device) -> Gradient {
    let column = |numbers: &[f32]| Tensor::<1>::from_data(TensorData::new(numbers.to_vec(), [numbers.len()]), device);
    // Own parameters for each part, because their autodiff graphs must not meet.
    let network = network.clone().map(&mut Untangle);
    let (targets, weights) = (column(&batch.targets), column(&batch.weights));
    let loss_of = |errors: Tensor<1>| (kind.of(errors) * weights.clone()).sum();

    let output = batch.output(&network, device);
    let values = batch.added_to(batch.read_off(&output, 0, device), &batch.priors, device);
    let errors = values.clone() - targets.clone();
    let loss = loss_of(errors.clone());
    let mut total = loss.clone();
    let mut sums = vec![loss, values.sum(), errors.clone().abs().sum()];
    if !batch.plan_priors.is_empty() {
        let planned = batch.added_to(batch.read_off(&output, 1, device), &batch.plan_priors, device);
        let loss = loss_of(planned - targets);
        sums.push(loss.clone());
        total = total + loss;
    }
    if let Some((model, _)) = network.dynamics() {
        let loss = match batch.waves.points.is_empty() {
            true => total.zeros_like(),
            false => model.loss(&batch.waves, batch.shape, device).mul_scalar(batch.wave_weight),
        };
        sums.push(loss.clone());
        total = total + loss;
    }
    let sums = Tensor::cat(sums.into_iter().map(Tensor::inner).collect(), 0);
    let gradients = GradientsParams::from_grads(total.backward(), &network);
    Gradient { gradients, sums, errors: vec![errors.inner()] }
}

impl Batch {
    /// Network output for all images, flattened.
    fn output(&self, network: &QNetwork, device: &Device) -> Tensor<1> {
        let [planes, rows, columns] = self.shape;
        let images = self.images.len() / (planes * rows * columns);
        let scalars = TensorData::new(self.scalars.clone(), [images, self.scalars.len() / images]);
        let shown = send(&self.images, [images, planes, rows, columns], device);
        network.forward(shown, Tensor::from_data(scalars, device)).flatten(0, 1)
    }

    /// Output at the index of each value plus `behind`.
    fn read_off(&self, output: &Tensor<1>, behind: usize, device: &Device) -> Tensor<1> {
        let places: Vec<i32> = self.places.iter().map(|place| (place + behind) as i32).collect();
        let places = Tensor::<1, Int>::from_data(TensorData::new(places, [self.places.len()]), device);
        output.clone().select(0, places)
    }

    /// Values with their priors, which are all 0 where a network sees positions.
    fn added_to(&self, values: Tensor<1>, priors: &[f32], device: &Device) -> Tensor<1> {
        match priors.iter().all(|prior| *prior == 0.0) {
            true => values,
            false => values + Tensor::from_data(TensorData::new(priors.to_vec(), [priors.len()]), device),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::{Game, Match3};
    use crate::network::{Input, ModelConfig, NetworkConfig, device, to_vec};
    use crate::random::{Draw, Role, Stream};

    const SHAPE: [usize; 3] = [5, 10, 8];

    fn network() -> QNetwork {
        let (input, dynamics_waves) = (Input::Position, 0);
        let network = NetworkConfig { channels: 4, layers: 2, input, dynamics_waves, ..NetworkConfig::default() };
        let (game, rules) = (Match3::NAME.to_owned(), Default::default());
        let model = ModelConfig { game, rules, mask: String::new(), points: 10.0, relative: true, network };
        QNetwork::new::<Match3>(&model, &mut Stream::new(1, Role::Initialise, 0), &tracked())
    }

    fn tracked() -> Device {
        device::select(None).unwrap().1.autodiff()
    }

    fn batch(images: std::ops::Range<usize>) -> Batch {
        let numbers = |image: usize| {
            let mut stream = Stream::new(9, Role::Game, image as u64);
            (0..400).map(move |_| stream.below(2) as f32)
        };
        let values = 2 * images.start..2 * images.end;
        Batch {
            images: images.clone().flat_map(numbers).collect(),
            shape: SHAPE,
            scalars: images.clone().map(|image| image as f32 / 8.0).collect(),
            places: (0..images.len()).flat_map(|image| [142 * image + 3, 142 * image + 90]).collect(),
            priors: values.clone().map(|value| value as f32 / 4.0).collect(),
            targets: values.clone().map(|value| (value % 3) as f32).collect(),
            weights: values.map(|value| 1.0 / (8 + value) as f32).collect(),
            ..Batch::default()
        }
    }

    fn numbers(gradient: &Gradient, network: &QNetwork) -> Vec<Vec<f32>> {
        struct Collector<'a>(&'a GradientsParams, Vec<Vec<f32>>);
        impl burn::module::ModuleVisitor for Collector<'_> {
            fn visit_float<const D: usize>(&mut self, param: &burn::module::Param<Tensor<D>>) {
                self.1.extend(self.0.get::<D>(param.id).map(|gradient| to_vec(gradient).unwrap()));
            }
        }
        let mut collector = Collector(&gradient.gradients, Vec::new());
        network.visit(&mut collector);
        collector.1
    }

    fn gradient_of(batch: &Batch) -> Gradient {
        gradient(&network(), batch, Loss::Huber, &tracked())
    }

    #[test]
    fn the_gradients_of_parts_add_up_to_that_of_the_whole() {
        let network = network();
        let whole = gradient_of(&batch(0..4));
        let parts = gradient_of(&batch(0..1)).with(gradient_of(&batch(1..4)), &network);
        let [one, other] = [&whole, &parts].map(|gradient| to_vec(gradient.sums.clone()).unwrap());
        assert!(
            one[0] > 0.0 && one.iter().zip(&other).all(|(one, other)| (one - other).abs() < 1e-5),
            "{one:?} {other:?}"
        );
        for (whole, parts) in numbers(&whole, &network).iter().flatten().zip(numbers(&parts, &network).iter().flatten())
        {
            assert!((whole - parts).abs() < 1e-5 * whole.abs().max(1.0), "{whole} {parts}");
        }
        let [one, other] = [whole, parts].map(|gradient| to_vec(Tensor::cat(gradient.errors, 0)).unwrap());
        assert!(one.len() == 8 && one.iter().zip(&other).all(|(one, other)| (one - other).abs() < 1e-5));
    }

    #[test]
    fn a_part_that_was_sent_to_another_process_has_the_same_gradient() {
        let batch = batch(1..4);
        let sent: Batch = postcard::from_bytes(&postcard::to_stdvec(&batch).unwrap()).unwrap();
        assert_eq!(sent, batch);
        let (here, there) = (gradient_of(&batch), gradient_of(&sent));
        assert_eq!(numbers(&here, &network()), numbers(&there, &network()));
        assert!(numbers(&here, &network()).iter().flatten().any(|number| *number != 0.0));
        assert_eq!(to_vec(here.sums).unwrap(), to_vec(there.sums).unwrap());
    }
}
