//! Networks without gradients: the program's kernels on the processor, burn elsewhere.

use burn::tensor::{Device, Int, Tensor, TensorData};
use matchq_players::network::{Backend, Evaluate, Evaluator, NetworkShape, Processor};

use super::device::is_processor;
use super::{Encoded, QNetwork};
use crate::error::{Error, Result};
use crate::games::Image;
use crate::players::Arrays;
use crate::random::{Role, Stream};

/// A device of burn; the program's kernels replace `flex`.
pub struct OnDevice(pub Device);

impl Backend for OnDevice {
    fn network(&self, shape: &NetworkShape, weights: &Arrays) -> Result<Box<dyn Evaluate>> {
        let Self(device) = self;
        if has_kernels(device) {
            return Processor.network(shape, weights);
        }
        shape.check(weights)?;
        // The fresh weights are replaced at once.
        let network = QNetwork::of(shape.clone(), &mut Stream::new(0, Role::Initialise, 0), device);
        Ok(Box::new(Network { network: network.with_arrays(weights)?, device: device.clone() }))
    }
}

/// The network that plays, with its present weights.
pub fn evaluate(network: &QNetwork, device: &Device) -> Box<dyn Evaluate> {
    if has_kernels(device) {
        let ready = network.playing().arrays().and_then(|weights| Processor.network(network.shape(), &weights));
        return ready.expect("the processor reads its own memory");
    }
    Box::new(Network { network: network.playing(), device: device.clone() })
}

/// An evaluator of a network's present weights, of at most `batch` images a pass; `batch` is at
/// least 1.
pub fn evaluator<G: Image>(network: &QNetwork, batch: usize, device: &Device) -> Evaluator<G> {
    Evaluator::new(evaluate(network, device), network.shape().clone(), batch)
}

/// A batch as tensors: images `[batch, planes, rows, columns]`, scalars `[batch, scalars]`.
pub fn tensors<G: Image>(encoded: &Encoded, device: &Device) -> (Tensor<4>, Tensor<2>) {
    let count = encoded.scalars.len() / G::SCALARS;
    let planes = encoded.images.len() / (count.max(1) * G::ROWS * G::COLUMNS);
    let images = TensorData::new(encoded.images.to_vec(), [count, planes, G::ROWS, G::COLUMNS]);
    let scalars = TensorData::new(encoded.scalars.to_vec(), [count, G::SCALARS]);
    (Tensor::from_data(images, device), Tensor::from_data(scalars, device))
}

/// Images as a tensor on a device: `[batch, planes, rows, columns]`.
///
/// A GPU is sent a byte for each number if all are whole and below 256, as those of boards are, and
/// their count is a multiple of four.
pub fn send(images: &[f32], shape: [usize; 4], device: &Device) -> Tensor<4> {
    let bytes = if is_processor(&device.clone().inner()) { None } else { sent_as_bytes(images, shape, device) };
    bytes.unwrap_or_else(|| Tensor::from_data(TensorData::new(images.to_vec(), shape), device))
}

/// Numbers that are sent as bytes; none if they are no bytes or do not fill words of four.
fn sent_as_bytes(numbers: &[f32], shape: [usize; 4], device: &Device) -> Option<Tensor<4>> {
    let is_byte = |number: &f32| f32::from(*number as u8) == *number;
    if !numbers.len().is_multiple_of(4) || !numbers.iter().all(is_byte) {
        return None;
    }
    // Shaders know no bytes, but words.
    let word = |bytes: &[f32]| i32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]].map(|byte| byte as u8));
    let words: Vec<i32> = numbers.chunks_exact(4).map(word).collect();
    let count = words.len();
    let words = Tensor::<2, Int>::from_data(TensorData::new(words, [count, 1]), device).expand([count, 4]);
    let shifts = Tensor::<2, Int>::from_data([[0, 8, 16, 24]], device).expand([count, 4]);
    Some(words.bitwise_right_shift(shifts).bitwise_and_scalar(255).float().reshape(shape))
}

/// A tensor's numbers, row-major.
pub fn to_vec<const D: usize>(tensor: Tensor<D>) -> Result<Vec<f32>> {
    tensor
        .try_into_vec_as::<f32>()
        .map_err(|error| Error::runtime(format!("the device failed while computing: {error:?}")))
}

/// Whether the program's kernels replace the device.
#[allow(unused_variables)]
pub fn has_kernels(device: &Device) -> bool {
    #[cfg(feature = "flex")]
    return device.clone().inner() == Device::flex();
    #[cfg(not(feature = "flex"))]
    false
}

/// A network on a device of burn.
struct Network {
    network: QNetwork,
    device: Device,
}

/// Boards followed together on a processor.
const BOARDS: usize = 16;

impl Evaluate for Network {
    fn outputs(&mut self, images: &[f32], scalars: &[f32]) -> Result<Vec<f32>> {
        let NetworkShape { planes, rows, columns, scalars: each, .. } = *self.network.shape();
        let count = scalars.len() / each;
        let images = send(images, [count, planes, rows, columns], &self.device);
        let scalars = TensorData::new(scalars.to_vec(), [count, each]);
        to_vec(self.network.forward(images, Tensor::from_data(scalars, &self.device)))
    }

    fn outcome(&mut self, boards: &mut [f32], points: &mut [f32]) -> Result<()> {
        let Some((model, waves)) = self.network.dynamics() else { return Ok(()) };
        let NetworkShape { board_planes, rows, columns, .. } = *self.network.shape();
        let shape = [board_planes, rows, columns];
        let size: usize = shape.iter().product();
        let share = if is_processor(&self.device) { BOARDS } else { points.len().max(1) };
        let parts = boards.chunks_mut(share * size).zip(points.chunks_mut(share));
        for (boards, points) in parts {
            model.follow(boards, points, shape, waves, &self.device)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::{Game, Match3};
    use crate::network::device::select;
    use crate::network::{Input, ModelConfig, NetworkConfig};
    use crate::random::Draw;

    #[test]
    fn the_network_that_plays_has_one_head_whose_values_are_the_sums_of_both() {
        let device = select(None).unwrap().1;
        let (input, dynamics_waves) = (Input::Position, 0);
        let network = NetworkConfig { channels: 4, layers: 2, input, dynamics_waves, ..NetworkConfig::default() };
        let (game, rules) = (Match3::NAME.to_owned(), Default::default());
        let model = ModelConfig { game, rules, mask: String::new(), points: 10.0, relative: true, network };
        let mut stream = Stream::new(1, Role::Initialise, 0);
        let one = QNetwork::new::<Match3>(&model, &mut stream, &device);
        let two = one.clone().with_future(&mut stream, &device);
        let images: Vec<f32> = (0..800).map(|_| stream.below(2) as f32).collect();
        let scalars = Tensor::from_data(TensorData::new(vec![0.5f32, 0.25], [2, 1]), &device);
        let both = to_vec(two.forward(send(&images, [2, 5, 10, 8], &device), scalars)).unwrap();
        let values = evaluate(&two, &device).outputs(&images, &[0.5, 0.25]).unwrap();
        let points = evaluate(&one, &device).outputs(&images, &[0.5, 0.25]).unwrap();
        assert_eq!(both.len(), 2 * values.len());
        for (both, values) in both.chunks(2 * 142).zip(values.chunks(142)) {
            let (points, future) = both.split_at(142);
            let sums = points.iter().zip(future).map(|(points, future)| points + future);
            assert!(values.iter().zip(sums).all(|(value, sum)| (value - sum).abs() < 1e-6));
            assert!(future.iter().any(|number| *number != 0.0));
        }
        assert_ne!(values, points);
        let names = |network: &QNetwork| network.arrays().unwrap().into_keys().collect::<Vec<_>>();
        assert_eq!(names(&two.playing()), names(&one));
    }

    #[test]
    fn numbers_arrive_as_they_were_sent_as_bytes_and_others_are_not_sent_so() {
        let device = select(None).unwrap().1;
        let numbers: Vec<f32> = (0..=255).chain([0, 255, 1, 128]).map(|byte| byte as f32).collect();
        let shape = [65, 2, 1, 2];
        let sent = sent_as_bytes(&numbers, shape, &device).unwrap();
        assert_eq!((sent.dims(), to_vec(sent).unwrap()), (shape, numbers));
        for other in [0.5, -1.0, 256.0, f32::NAN] {
            assert!(sent_as_bytes(&[0.0, 1.0, other, 1.0], [1, 1, 1, 4], &device).is_none(), "{other}");
        }
        assert!(sent_as_bytes(&[1.0; 6], [1, 2, 1, 3], &device).is_none());
    }
}
