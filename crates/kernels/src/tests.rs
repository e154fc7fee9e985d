//! The convolution and its gradients against plain sums, and algorithms against each other.

use super::Kernel;
use super::amx::tests::emulated;
use super::backward::backward;
use super::channels::{Batch, pad};
use super::forward::forward;
use super::geometry::Shape;
use super::layer::Layer;
use super::line::{Line, WIDTH};
use super::packing::Algorithm;
use super::plan::{Plans, Workspace};
use crate::activation::Activation;
use crate::instructions::InstructionSet;
use crate::precision::Precision;
use crate::random::{Role, Stream};

/// Calls with a cell, an output, a seen cell, an input and their tap.
fn each(shape: &Shape, mut see: impl FnMut(usize, usize, usize, usize, usize)) {
    let border = shape.kernel / 2;
    for cell in 0..shape.boards * shape.cells() {
        let (board, at) = (cell / shape.cells(), cell % shape.cells());
        for tap in 0..shape.taps() {
            let row = (at / shape.columns + tap / shape.kernel).checked_sub(border);
            let column = (at % shape.columns + tap % shape.kernel).checked_sub(border);
            let (Some(row), Some(column)) = (row, column) else { continue };
            if row < shape.rows && column < shape.columns {
                let seen = board * shape.cells() + row * shape.columns + column;
                for output in 0..shape.outputs {
                    (0..shape.inputs).for_each(|input| see(cell, output, seen, input, tap));
                }
            }
        }
    }
}

/// Error of such sums of products, as a part of the largest.
fn error(precision: Precision) -> f64 {
    match precision {
        Precision::F32 => 3e-6,
        // Rounding changes factors by up to a part in 512; intermediate sums may exceed results.
        Precision::Bf16 => 2e-2,
    }
}

fn assert_near(numbers: &[f32], plain: &[f64], error: f64, what: &str) {
    assert_eq!(numbers.len(), plain.len(), "{what}");
    let scale = plain.iter().map(|number| number.abs()).fold(1.0, f64::max);
    for (number, plain) in numbers.iter().zip(plain) {
        assert!((f64::from(*number) - plain).abs() < error * scale, "{what}: {number}, not {plain}");
    }
}

fn check(shape: Shape, stream: &mut Stream) -> [Vec<f32>; 3] {
    let Shape { boards, inputs, outputs, .. } = shape;
    let cells = boards * shape.cells();
    let mut numbers = |count: usize| -> Vec<f32> { (0..count).map(|_| 2.0 * stream.unit() - 1.0).collect() };
    let (input, weight) = (numbers(cells * inputs), numbers(outputs * inputs * shape.taps()));
    let (bias, slope) = (numbers(outputs), numbers(cells * outputs));
    let (found, _) = forward(&shape, Activation::None, &input, &weight, &bias, false);
    let gradients = backward(&shape, Activation::None, &input, &weight, &[], &slope, true);

    let mut output: Vec<f64> = (0..cells * outputs).map(|at| f64::from(bias[at % outputs])).collect();
    let (mut of_input, mut of_weight) = (vec![0.0; input.len()], vec![0.0; weight.len()]);
    each(&shape, |cell, to, seen, from, tap| {
        let (cell, seen) = (cell * outputs + to, seen * inputs + from);
        let tap = (to * inputs + from) * shape.taps() + tap;
        let [input, weight, slope] = [input[seen], weight[tap], slope[cell]].map(f64::from);
        output[cell] += input * weight;
        of_input[seen] += slope * weight;
        of_weight[tap] += slope * input;
    });
    let error = error(shape.precision);
    assert_near(&found, &output, error, &format!("output of {shape:?}"));
    assert_near(&gradients.input, &of_input, error, &format!("gradient of the input of {shape:?}"));
    assert_near(&gradients.weight, &of_weight, error, &format!("gradient of the weights of {shape:?}"));
    [found, gradients.input, gradients.weight]
}

#[test]
fn output_and_gradients_are_plain_sums_whatever_the_sizes() {
    let mut stream = Stream::new(4, Role::Sample, 0);
    let (mut direct, mut forms) = (0, [0; 3]);
    for (rows, columns) in
        [(10, 8), (12, 6), (8, 8), (1, 1), (2, 2), (3, 3), (4, 5), (5, 4), (5, 5), (6, 6), (7, 6), (7, 7), (1, 9)]
    {
        for kernel in [1, 3, 5] {
            for (inputs, outputs) in [(6, 8), (16, 16), (17, 33), (1, 20)] {
                let shape = Shape { boards: 0, rows, columns, inputs, outputs, kernel, precision: Precision::F32 };
                // A whole block and a partial one.
                let shape = Shape { boards: shape.block() + 1, ..shape };
                match shape.algorithm() {
                    Algorithm::Direct => direct += usize::from(kernel == 3),
                    Algorithm::Winograd(form) => forms[form as usize] += 1,
                    Algorithm::Amx => unreachable!("AMX multiplies pairs"),
                }
                let mut again = stream.clone();
                let floats = check(shape, &mut stream);
                if shape.algorithm() != Algorithm::Direct {
                    let shape = Shape { precision: Precision::Bf16, ..shape };
                    let mut once_more = again.clone();
                    let rounded = check(shape, &mut again);
                    let by_amx = emulated(|| {
                        assert_eq!(shape.algorithm(), Algorithm::Amx);
                        check(shape, &mut once_more)
                    });
                    let difference = |(a, b): (&Vec<f32>, &Vec<f32>)| {
                        a.iter().zip(b).map(|(a, b)| (a - b).abs()).max_by(f32::total_cmp).unwrap_or(0.0)
                    };
                    // Other forms of windows differ by a thousandth of that.
                    for rounded in [rounded, by_amx] {
                        let mut differences = floats.iter().zip(&rounded).map(difference);
                        assert!(differences.all(|difference| difference > 1e-3), "each is rounded: {shape:?}");
                    }
                }
            }
        }
    }
    assert!(direct >= 4, "small boards are computed directly: {direct}");
    assert!(forms.iter().all(|count| *count >= 4), "windows of every form are tried: {forms:?}");
}

#[test]
fn the_output_of_a_board_does_not_depend_on_other_boards_whatever_they_hold() {
    boards_do_not_meet(Precision::F32);
    boards_do_not_meet(Precision::Bf16);
    emulated(|| boards_do_not_meet(Precision::Bf16));
}

fn boards_do_not_meet(precision: Precision) {
    let mut stream = Stream::new(7, Role::Sample, 0);
    for (rows, columns) in [(10, 8), (12, 6), (7, 7), (5, 4), (5, 5), (7, 6), (8, 3), (6, 6), (14, 6), (10, 2)] {
        let shape = Shape { boards: 0, rows, columns, inputs: 5, outputs: 4, kernel: 3, precision };
        assert_ne!(shape.algorithm(), Algorithm::Direct);
        let mut numbers = |count: usize| -> Vec<f32> { (0..count).map(|_| 2.0 * stream.unit() - 1.0).collect() };
        let (board, weight) = (numbers(shape.cells() * 5), numbers(4 * 5 * 9));
        let other = vec![f32::NAN; board.len()];
        let batch = |boards: &[&[f32]]| {
            let shape = Shape { boards: boards.len(), ..shape };
            let output = forward(&shape, Activation::None, &boards.concat(), &weight, &[0.0; 4], false).0;
            // Four of each cell's five channels.
            let slope: Vec<f32> = boards.concat().chunks_exact(5).flat_map(|cell| cell[..4].to_vec()).collect();
            let gradient = backward(&shape, Activation::None, &boards.concat(), &weight, &[], &slope, true).input;
            output
                .chunks_exact(4)
                .zip(gradient.chunks_exact(5))
                .flat_map(|(a, b)| [a, b].concat())
                .collect::<Vec<f32>>()
        };
        let alone = batch(&[&board]);
        assert!(alone.iter().all(|number| number.is_finite()));
        assert!(batch(&[&board, &other])[..alone.len()] == alone, "{shape:?}");
        assert!(batch(&[&other, &board])[alone.len()..] == alone, "{shape:?}");
    }
}

#[test]
fn a_layer_from_padded_to_padded_blocks_is_the_convolution_and_leaves_the_border_zero() {
    layers_convolve(Precision::F32);
    layers_convolve(Precision::Bf16);
    emulated(|| layers_convolve(Precision::Bf16));
}

fn layers_convolve(precision: Precision) {
    let mut stream = Stream::new(5, Role::Sample, 0);
    for (rows, columns) in [(10, 8), (7, 6), (7, 7), (5, 4), (5, 5), (4, 5), (3, 3), (1, 9)] {
        for (inputs, outputs, activation) in [
            (33, 33, Activation::Residual),
            (16, 16, Activation::Residual),
            (6, 20, Activation::Relu),
            (20, 3, Activation::None),
        ] {
            let shape = Shape { boards: 0, rows, columns, inputs, outputs, kernel: 3, precision };
            let mut numbers = |count: usize| -> Vec<f32> { (0..count).map(|_| 2.0 * stream.unit() - 1.0).collect() };
            let (weight, bias) = (numbers(outputs * inputs * 9), numbers(outputs));
            let kernel = Kernel { sizes: [outputs, inputs, 3], weight: weight.clone(), bias: bias.clone(), precision };
            let layer = Layer::new(shape, &Plans::new(&shape), &kernel, activation);
            // Buffers are wider than the layer and reused, after a whole block.
            let padded = || vec![Line::default(); 4 * shape.padded()];
            let (mut input, mut added, mut output) = (padded(), padded(), padded());
            let mut workspace = Workspace::default();
            for boards in [shape.block(), 1] {
                let cells = boards * shape.cells();
                let (seen, shift) = (numbers(cells * inputs), numbers(cells * outputs));
                let lines: Vec<usize> = shape.lines().collect();
                pad(
                    Batch { numbers: &seen, channels: inputs, mask: &[] },
                    &lines,
                    &mut input[..shape.groups() * shape.padded()],
                );
                pad(
                    Batch { numbers: &shift, channels: outputs, mask: &[] },
                    &lines,
                    &mut added[..outputs.div_ceil(WIDTH) * shape.padded()],
                );
                for shifted in [false, true] {
                    let added = shifted.then_some(&added[..]);
                    layer.apply_with(boards, &layer.starts, added, &input, &mut workspace, &mut output);
                    let shape = Shape { boards, ..shape };
                    let (sums, _) = forward(&shape, Activation::None, &seen, &weight, &bias, false);
                    for (at, sum) in sums.iter().enumerate() {
                        let (cell, channel) = (at / outputs, at % outputs);
                        let sum = sum + if shifted { shift[at] } else { 0.0 };
                        let expected = match activation {
                            Activation::None => sum,
                            Activation::Relu => sum.max(0.0),
                            Activation::Residual => seen[at] + sum.max(0.0),
                        };
                        let line = channel / WIDTH * shape.padded() + shape.line(cell);
                        let found = output[line].0[channel % WIDTH];
                        assert!((found - expected).abs() < 1e-4, "{shape:?}, {activation:?}: {found}, not {expected}");
                    }
                }
                let is_cell = |at: usize| lines.contains(&(at % shape.padded()));
                let border = output.iter().enumerate().filter(|(at, _)| !is_cell(*at));
                border.for_each(|(at, line)| assert_eq!(*line, Line::default(), "line {at} of {shape:?}"));
            }
        }
    }
}

#[test]
fn the_cells_of_boards_that_a_block_has_no_more_become_zeros() {
    let shape = Shape { boards: 0, rows: 4, columns: 5, inputs: 18, outputs: 1, kernel: 3, precision: Precision::F32 };
    let lines: Vec<usize> = shape.lines().collect();
    let mut padded = vec![Line::default(); 2 * shape.padded()];
    for boards in [shape.block(), 2] {
        let numbers = vec![1.0; boards * shape.cells() * 18];
        pad(Batch { numbers: &numbers, channels: 18, mask: &[] }, &lines, &mut padded);
        let sum: f32 = padded.iter().flat_map(|line| line.0).sum();
        assert_eq!(sum, (boards * shape.cells() * 18) as f32);
    }
}

#[test]
fn the_instructions_that_the_environment_names_are_used() {
    // Tests with a named set must fail if the program uses another.
    if let Ok(name) = std::env::var("MATCHQ_INSTRUCTIONS") {
        assert_eq!(InstructionSet::used().to_string(), name);
    }
}

/// The tests of this crate by the sets of instructions that are not in use.
#[test]
fn all_holds_by_every_set_of_instructions_of_the_processor() {
    if std::env::var_os("MATCHQ_INSTRUCTIONS").is_some() {
        return;
    }
    for set in InstructionSet::present().into_iter().filter(|set| *set != InstructionSet::used()) {
        let mut tests = std::process::Command::new(std::env::current_exe().unwrap());
        let done = tests.env("MATCHQ_INSTRUCTIONS", set.to_string()).arg("--quiet").output().unwrap();
        assert!(done.status.success(), "{set}: {}", String::from_utf8_lossy(&done.stdout));
    }
}
