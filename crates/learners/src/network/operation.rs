//! Convolution as an operation of burn's flex backend, with its backward step.

use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Backend, Flex, TensorMetadata, backend_extension};
use burn::tensor::TensorData;

use matchq_kernels::{Activation, Precision, Shape, backward, forward, use_again, use_mask_again};

type FlexTensor = FloatTensor<Flex>;

/// Backends that convolve boards.
#[backend_extension(Flex, Autodiff)]
pub trait BoardConvolution: Backend {
    /// [`convolve`](crate::network::convolve) without its checks of sizes and 32-bit floats.
    fn board_convolution(
        input: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        activation: Activation,
        precision: Precision,
    ) -> FloatTensor<Self>;
}

impl BoardConvolution for Flex {
    fn board_convolution(
        input: FlexTensor,
        weight: FlexTensor,
        bias: FlexTensor,
        activation: Activation,
        precision: Precision,
    ) -> FlexTensor {
        let operands = Operands::new(input, weight, activation, precision);
        let bias = bias.to_contiguous();
        let (output, _) = operands.forward(numbers(&bias), false);
        recycle(operands.input);
        output
    }
}

impl<C: CheckpointStrategy> BoardConvolution for Autodiff<Flex, C> {
    fn board_convolution(
        input: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        activation: Activation,
        precision: Precision,
    ) -> FloatTensor<Self> {
        let nodes = [input.node(), weight.node(), bias.node()];
        let bias = bias.into_primitive().to_contiguous();
        let operands = Operands::new(input.into_primitive(), weight.into_primitive(), activation, precision);
        match Step.prepare::<C>(nodes).compute_bound().stateful() {
            OpsKind::Tracked(preparation) => {
                let kept = activation != Activation::None;
                let (output, mask) = operands.forward(numbers(&bias), kept);
                let per_sample_bias = bias.shape()[0] == operands.shape.boards;
                preparation.finish(State { operands, per_sample_bias, mask }, output)
            }
            OpsKind::UnTracked(preparation) => preparation.finish(operands.forward(numbers(&bias), false).0),
        }
    }
}

/// Operands of the forward and backward step.
#[derive(Clone, Debug)]
struct Operands {
    shape: Shape,
    activation: Activation,
    input: FlexTensor,
    weight: FlexTensor,
}

impl Operands {
    fn new(input: FlexTensor, weight: FlexTensor, activation: Activation, precision: Precision) -> Self {
        let (sizes, kernel) = (input.shape(), weight.shape());
        let shape = Shape {
            boards: sizes[0],
            rows: sizes[1],
            columns: sizes[2],
            inputs: sizes[3],
            outputs: kernel[0],
            kernel: kernel[2],
            precision,
        };
        Self { shape, activation, input: input.to_contiguous(), weight: weight.to_contiguous() }
    }

    fn forward(&self, bias: &[f32], keep: bool) -> (FlexTensor, Vec<u16>) {
        let Shape { boards, rows, columns, outputs, .. } = self.shape;
        let (input, weight) = (numbers(&self.input), numbers(&self.weight));
        let (output, mask) = forward(&self.shape, self.activation, input, weight, bias, keep);
        (tensor(output, [boards, rows, columns, outputs]), mask)
    }
}

#[derive(Debug)]
struct Step;

#[derive(Clone, Debug)]
struct State {
    operands: Operands,
    /// Whether every board has its own bias.
    per_sample_bias: bool,
    /// Bits of the sums that passed the ReLU.
    mask: Vec<u16>,
}

impl Backward<Flex, 3> for Step {
    type State = State;

    fn backward(self, ops: Ops<State, 3>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let State { operands: Operands { shape, activation, input, weight }, per_sample_bias, mask } = ops.state;
        let [input_node, weight_node, bias_node] = ops.parents;
        let gradient = gradients.consume::<Flex>(&ops.node).to_contiguous();
        let found = backward(
            &shape,
            activation,
            numbers(&input),
            numbers(&weight),
            &mask,
            numbers(&gradient),
            input_node.is_some(),
        );
        recycle(input);
        recycle(gradient);
        use_mask_again(mask);
        let Shape { boards, rows, columns, inputs, outputs, kernel, .. } = shape;
        if let Some(node) = input_node {
            gradients.register::<Flex>(node.id, tensor(found.input, [boards, rows, columns, inputs]));
        }
        if let Some(node) = weight_node {
            gradients.register::<Flex>(node.id, tensor(found.weight, [outputs, inputs, kernel, kernel]));
        }
        if let Some(node) = bias_node {
            let bias = if per_sample_bias {
                tensor(found.bias, [boards, outputs])
            } else {
                let mut sum = vec![0.0; outputs];
                for board in found.bias.chunks_exact(outputs) {
                    for (sum, number) in sum.iter_mut().zip(board) {
                        *sum += number;
                    }
                }
                tensor(sum, [1, outputs])
            };
            gradients.register::<Flex>(node.id, bias);
        }
    }
}

fn numbers(tensor: &FlexTensor) -> &[f32] {
    tensor.as_slice().expect("a contiguous tensor of 32-bit floats")
}

/// Recycles a tensor's memory unless shared.
fn recycle(tensor: FlexTensor) {
    if tensor.is_unique()
        && let Ok(numbers) = tensor.into_data().try_into_vec()
    {
        use_again(numbers);
    }
}

fn tensor<const D: usize>(numbers: Vec<f32>, shape: [usize; D]) -> FlexTensor {
    FlexTensor::from_data(TensorData::new(numbers, shape))
}
