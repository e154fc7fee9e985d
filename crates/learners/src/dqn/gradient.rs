//! Gradient of a minibatch as a function of plain numbers.

use burn::module::Module;
use burn::optim::GradientsParams;
use burn::tensor::{Device, Int, Tensor, TensorData};
use serde::{Deserialize, Serialize};

use super::by_tower;
use super::loss::Loss;
use super::parameters::{Add, Untangle};
use crate::error::Result;
use crate::network::{QNetwork, WaveBatch, has_kernels, send};

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
///
/// With the program's kernels the batch may be without images.
pub fn gradient(network: &QNetwork, batch: &Batch, kind: Loss, device: &Device) -> Result<Gradient> {
    match has_kernels(device) {
        true => by_tower::gradient(network, batch, kind, device),
        false => Ok(by_autodiff(network, batch, kind, device)),
    }
}

/// [`gradient`] by a graph of operations.
fn by_autodiff(network: &QNetwork, batch: &Batch, kind: Loss, device: &Device) -> Gradient {
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
    if network.dynamics().is_some() {
        let loss = batch.wave_loss(&network, device).unwrap_or_else(|| total.zeros_like());
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

    /// Weighted loss of a dynamics model; none without waves.
    pub(super) fn wave_loss(&self, network: &QNetwork, device: &Device) -> Option<Tensor<1>> {
        let (model, _) = network.dynamics().filter(|_| !self.waves.points.is_empty())?;
        Some(model.loss(&self.waves, self.shape, device).mul_scalar(self.wave_weight))
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
    use crate::games::{Bejeweled, Bilging, Game, Image, Match3, Tetris};
    use crate::network::{Input, ModelConfig, NetworkConfig, NetworkShape, Precision, device, to_vec};
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
        gradient(&network(), batch, Loss::Huber, &tracked()).unwrap()
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

    /// A network, with a head of what follows if `future`.
    fn network_of<G: Image>(network: NetworkConfig, future: bool) -> QNetwork {
        let (game, rules) = (G::NAME.to_owned(), Default::default());
        let model = ModelConfig { game, rules, mask: String::new(), points: 10.0, relative: true, network };
        let mut stream = Stream::new(3, Role::Initialise, 0);
        let network = QNetwork::new::<G>(&model, &mut stream, &tracked());
        if future { network.with_future(&mut stream, &tracked()) } else { network }
    }

    /// A batch with two values for each image, or one for an afterstate.
    fn batch_for(network: &QNetwork, images: usize) -> Batch {
        let NetworkShape { planes, rows, columns, scalars, outputs, .. } = *network.shape();
        let each = outputs * network.heads();
        let mut stream = Stream::new(8, Role::Game, 0);
        let mut numbers = |count: usize| -> Vec<f32> { (0..count).map(|_| 2.0 * stream.unit() - 1.0).collect() };
        let afterstates = network.view().afterstates();
        let of_image =
            |image: usize| if afterstates { vec![0] } else { vec![(7 * image) % each, each - 1 - image % 3] };
        let places: Vec<usize> =
            (0..images).flat_map(|image| of_image(image).into_iter().map(move |place| image * each + place)).collect();
        let values = places.len();
        Batch {
            images: (0..images * planes * rows * columns).map(|at| (at * at % 7 / 5) as f32).collect(),
            shape: [planes, rows, columns],
            scalars: numbers(images * scalars),
            priors: if afterstates { numbers(values) } else { vec![0.0; values] },
            targets: numbers(values).iter().map(|target| 3.0 * target).collect(),
            plan_priors: if network.next_moves() > 0 { numbers(values) } else { Vec::new() },
            weights: numbers(values).iter().map(|weight| (1.0 + weight) / values as f32).collect(),
            places,
            ..Batch::default()
        }
    }

    fn assert_equal_by_autodiff(network: &QNetwork, images: usize, kind: Loss, tolerance: f32) {
        let batch = batch_for(network, images);
        let by_graph = by_autodiff(network, &batch, kind, &tracked());
        let by_tower = by_tower::gradient(network, &batch, kind, &tracked()).unwrap();
        let what = format!("{:?}, {} heads, {images} images", network.shape().config, network.heads());
        let [graph, found] = [&by_graph, &by_tower].map(|gradient| numbers(gradient, network));
        assert_eq!(graph.len(), found.len(), "{what}");
        for (tensor, (graph, found)) in graph.iter().zip(&found).enumerate() {
            assert_eq!(graph.len(), found.len(), "{what}");
            let size = graph.iter().fold(0.0, |size: f32, number| size.max(number.abs()));
            let apart = graph.iter().zip(found).map(|(one, other)| (one - other).abs()).fold(0.0, f32::max);
            assert!(size > 0.0 && apart <= tolerance * size, "tensor {tensor} of {what}: {apart} of {size}");
        }
        let read =
            |gradient: Gradient| [gradient.sums, Tensor::cat(gradient.errors, 0)].map(|tensor| to_vec(tensor).unwrap());
        for (one, other) in read(by_graph).iter().flatten().zip(read(by_tower).iter().flatten()) {
            assert!((one - other).abs() <= tolerance * one.abs().max(1.0), "{what}: {one} {other}");
        }
    }

    fn config(channels: usize, layers: usize, share_colours: bool, input: Input, next_moves: usize) -> NetworkConfig {
        NetworkConfig {
            channels,
            layers,
            share_colours,
            input,
            next_moves,
            dynamics_waves: 0,
            ..NetworkConfig::default()
        }
    }

    #[test]
    fn a_tower_has_the_gradients_of_autodiff() {
        let f32 = 1e-4;
        for (channels, layers, share, images) in [
            (8, 2, true, 5),
            (16, 4, true, 7),
            (16, 4, false, 3),
            (20, 4, true, 4),
            (32, 7, false, 8),
            (48, 3, true, 13),
        ] {
            for future in [false, true] {
                let network = network_of::<Match3>(config(channels, layers, share, Input::Position, 0), future);
                assert_equal_by_autodiff(&network, images, Loss::Huber, f32);
            }
            for (input, next_moves) in [(Input::Afterstate, 0), (Input::Plans, 3)] {
                let network = network_of::<Match3>(config(channels, layers, share, input, next_moves), false);
                assert_equal_by_autodiff(&network, images, Loss::Squared, f32);
            }
        }
        for share in [false, true] {
            let dueling = NetworkConfig { dueling: true, ..config(16, 3, share, Input::Position, 0) };
            assert_equal_by_autodiff(&network_of::<Match3>(dueling, false), 7, Loss::Squared, f32);
            let network = || config(16, 3, share, Input::Position, 0);
            assert_equal_by_autodiff(&network_of::<Bejeweled>(network(), false), 9, Loss::Huber, f32);
            assert_equal_by_autodiff(&network_of::<Bilging>(network(), false), 5, Loss::Huber, f32);
            assert_equal_by_autodiff(
                &network_of::<Tetris>(config(16, 3, false, Input::Position, 0), false),
                5,
                Loss::Huber,
                f32,
            );
        }
    }

    #[test]
    fn a_tower_rounds_products_to_bfloat16_as_autodiff_does() {
        let rounded =
            |channels| NetworkConfig { precision: Precision::Bf16, ..config(channels, 3, true, Input::Position, 0) };
        for channels in [16, 40] {
            assert_equal_by_autodiff(&network_of::<Match3>(rounded(channels), false), 7, Loss::Squared, 2e-2);
        }
    }

    #[test]
    fn a_towers_gradient_has_the_same_bits_on_any_number_of_threads() {
        let network = network_of::<Match3>(config(20, 3, true, Input::Position, 0), true);
        let batch = batch_for(&network, 50);
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let found = pool.install(|| gradient(&network, &batch, Loss::Huber, &tracked()).unwrap());
            (numbers(&found, &network), to_vec(found.sums).unwrap())
        };
        let alone = on(1);
        assert!(alone == on(2) && alone == on(3));
    }
}
