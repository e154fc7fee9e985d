//! The convolution and its gradients against plain sums.

use super::backward::backward;
use super::forward::forward;
use super::geometry::Shape;
use super::packing::Algorithm;
use crate::network::activation::Activation;
use crate::random::{Role, Stream};

/// Calls with a place, an output, a place that it sees, an input and the tap between them.
fn each(shape: &Shape, mut see: impl FnMut(usize, usize, usize, usize, usize)) {
    let border = shape.kernel / 2;
    for place in 0..shape.boards * shape.places() {
        let (board, at) = (place / shape.places(), place % shape.places());
        for tap in 0..shape.taps() {
            let row = (at / shape.columns + tap / shape.kernel).checked_sub(border);
            let column = (at % shape.columns + tap % shape.kernel).checked_sub(border);
            let (Some(row), Some(column)) = (row, column) else { continue };
            if row < shape.rows && column < shape.columns {
                let seen = board * shape.places() + row * shape.columns + column;
                for output in 0..shape.outputs {
                    (0..shape.inputs).for_each(|input| see(place, output, seen, input, tap));
                }
            }
        }
    }
}

fn assert_near(numbers: &[f32], plain: &[f64], what: &str) {
    assert_eq!(numbers.len(), plain.len(), "{what}");
    let scale = plain.iter().map(|number| number.abs()).fold(1.0, f64::max);
    for (number, plain) in numbers.iter().zip(plain) {
        assert!((f64::from(*number) - plain).abs() < 3e-6 * scale, "{what}: {number}, not {plain}");
    }
}

fn check(shape: Shape, stream: &mut Stream) {
    let Shape { boards, inputs, outputs, .. } = shape;
    let places = boards * shape.places();
    let mut numbers = |count: usize| -> Vec<f32> { (0..count).map(|_| 2.0 * stream.unit() - 1.0).collect() };
    let (input, weight) = (numbers(places * inputs), numbers(outputs * inputs * shape.taps()));
    let (bias, slope) = (numbers(outputs), numbers(places * outputs));
    let (found, _) = forward(&shape, Activation::None, &input, &weight, &bias, false);
    let gradients = backward(&shape, Activation::None, &input, &weight, &[], &slope, true);

    let mut output: Vec<f64> = (0..places * outputs).map(|at| f64::from(bias[at % outputs])).collect();
    let (mut of_input, mut of_weight) = (vec![0.0; input.len()], vec![0.0; weight.len()]);
    each(&shape, |place, to, seen, from, tap| {
        let (place, seen) = (place * outputs + to, seen * inputs + from);
        let tap = (to * inputs + from) * shape.taps() + tap;
        let [input, weight, slope] = [input[seen], weight[tap], slope[place]].map(f64::from);
        output[place] += input * weight;
        of_input[seen] += slope * weight;
        of_weight[tap] += slope * input;
    });
    assert_near(&found, &output, &format!("output of {shape:?}"));
    assert_near(&gradients.input, &of_input, &format!("gradient of the input of {shape:?}"));
    assert_near(&gradients.weight, &of_weight, &format!("gradient of the weights of {shape:?}"));
}

#[test]
fn output_and_gradients_are_plain_sums_whatever_the_sizes() {
    let mut stream = Stream::new(4, Role::Sample, 0);
    let mut ways = [0; 2];
    for (rows, columns) in [(10, 8), (12, 6), (8, 8), (1, 1), (2, 2), (3, 3), (4, 5), (5, 4), (7, 7), (1, 9)] {
        for kernel in [1, 3, 5] {
            for (inputs, outputs) in [(6, 8), (16, 16), (17, 33), (1, 20)] {
                // More than a block, and not a whole number of blocks.
                let block = Shape { boards: 0, rows, columns, inputs, outputs, kernel }.block();
                let shape =
                    Shape { boards: if block < 8 { block + 1 } else { 3 }, rows, columns, inputs, outputs, kernel };
                ways[usize::from(shape.algorithm() == Algorithm::Winograd)] += 1;
                check(shape, &mut stream);
            }
        }
    }
    assert!(ways.iter().all(|count| *count > 20), "both algorithms are tried: {ways:?}");
}
