//! The gradients of a trained tower against differences of plain sums in 64-bit floats.

use super::Kernel;
use super::amx::tests::emulated;
use super::tower::{Parts, Tower};
use super::trained::TrainedTower;
use crate::precision::Precision;
use crate::random::{Role, Stream};

const ROWS: usize = 5;
const COLUMNS: usize = 4;
const CELLS: usize = ROWS * COLUMNS;
const PLANES: usize = 4;
const SCALARS: usize = 2;

fn numbers(count: usize, size: f32, stream: &mut Stream) -> Vec<f32> {
    (0..count).map(|_| size * (2.0 * stream.unit() - 1.0)).collect()
}

fn parts(colours: usize, width: usize, layers: usize, [sums, dueling]: [bool; 2], stream: &mut Stream) -> Parts {
    let mut kernel = |outputs: usize, inputs: usize, size: usize| {
        let (weights, bound) = (outputs * inputs * size * size, (3.0 / (inputs * size * size) as f32).sqrt());
        let (weight, bias) = (numbers(weights, bound, stream), numbers(outputs, 0.3, stream));
        Kernel { sizes: [outputs, inputs, size], weight, bias, precision: Precision::F32 }
    };
    let stacked = if colours == 0 { PLANES } else { PLANES - colours + 2 };
    Parts {
        colours,
        stem: kernel(width, stacked + SCALARS, 3),
        body: (1..layers).map(|_| kernel(width, width, 3)).collect(),
        exchange: (1..layers).filter(|_| colours > 0).map(|_| kernel(width, width, 1)).collect(),
        summary: kernel(width, width, 1),
        hidden: kernel(width, width, 1),
        advantage: kernel(2, width, 1),
        value: dueling.then(|| [kernel(width, width, 1), kernel(1, width, 1)]),
        places: [7, 0, 33, 18, 2 * CELLS as i32 - 1, 12].to_vec(),
        sums: sums.then_some((2, 0.5)),
    }
}

/// A weight or bias by its place among the gradients.
fn number(parts: &mut Parts, tensor: usize, at: usize) -> &mut f32 {
    let Parts { stem, body, exchange, summary, hidden, advantage, value, .. } = parts;
    let mut kernels = [stem]
        .into_iter()
        .chain(body)
        .chain(exchange)
        .chain([summary, hidden, advantage])
        .chain(value.iter_mut().flatten());
    let kernel = kernels.nth(tensor / 2).unwrap();
    if tensor.is_multiple_of(2) { &mut kernel.weight[at] } else { &mut kernel.bias[at] }
}

/// Channels of cells.
type Cells = Vec<Vec<f64>>;

fn convolve(kernel: &Kernel, input: &Cells) -> Cells {
    let [outputs, inputs, size] = kernel.sizes;
    let sum = |cell: usize, output: usize| {
        let mut sum = f64::from(kernel.bias[output]);
        for tap in 0..size * size {
            let row = (cell / COLUMNS + tap / size).checked_sub(size / 2).filter(|row| *row < ROWS);
            let column = (cell % COLUMNS + tap % size).checked_sub(size / 2).filter(|column| *column < COLUMNS);
            let (Some(row), Some(column)) = (row, column) else { continue };
            for (channel, number) in input[row * COLUMNS + column].iter().enumerate() {
                sum += number * f64::from(kernel.weight[(output * inputs + channel) * size * size + tap]);
            }
        }
        sum
    };
    (0..CELLS).map(|cell| (0..outputs).map(|output| sum(cell, output)).collect()).collect()
}

fn relu(cells: Cells) -> Cells {
    cells.into_iter().map(|cell| cell.into_iter().map(|number| number.max(0.0)).collect()).collect()
}

fn plus(one: &Cells, other: &Cells) -> Cells {
    one.iter().zip(other).map(|(one, other)| one.iter().zip(other).map(|(one, other)| one + other).collect()).collect()
}

fn mean(all: &[Cells]) -> Cells {
    let sum = all[1..].iter().fold(all[0].clone(), |sum, one| plus(&sum, one));
    sum.into_iter().map(|cell| cell.into_iter().map(|number| number / all.len() as f64).collect()).collect()
}

fn over_board(cells: &Cells) -> Cells {
    let one: Vec<Cells> = cells.iter().map(|cell| vec![cell.clone()]).collect();
    vec![mean(&one)[0].clone(); CELLS]
}

/// Outputs of a board.
fn plain(parts: &Parts, image: &[f32], scalars: &[f32]) -> Vec<f64> {
    let input = |colour: usize, cell: usize| {
        let plane = |plane: usize| f64::from(image[plane * CELLS + cell]);
        let others = (0..parts.colours).filter(|other| *other != colour).map(plane).sum();
        let own = if parts.colours > 0 { vec![plane(colour), others] } else { Vec::new() };
        let rest = (parts.colours..PLANES).map(plane).chain(scalars.iter().map(|scalar| f64::from(*scalar)));
        own.into_iter().chain(rest).collect()
    };
    let stack = |colour: usize| -> Cells { (0..CELLS).map(|cell| input(colour, cell)).collect() };
    let mut features: Vec<Cells> =
        (0..parts.colours.max(1)).map(|colour| relu(convolve(&parts.stem, &stack(colour)))).collect();
    for (index, layer) in parts.body.iter().enumerate() {
        let mean = mean(&features);
        let mut added: Vec<Cells> =
            parts.exchange.get(index).iter().map(|exchange| convolve(exchange, &mean)).collect();
        if index == parts.body.len() / 2 {
            added.push(convolve(&parts.summary, &over_board(&mean)));
        }
        let sums = |x: &Cells| added.iter().fold(convolve(layer, x), |sum, one| plus(&sum, one));
        features = features.iter().map(|x| plus(x, &relu(sums(x)))).collect();
    }
    let values = convolve(&parts.advantage, &relu(convolve(&parts.hidden, &mean(&features))));
    let mut values: Vec<f64> =
        parts.places.iter().map(|place| values[*place as usize / 2][*place as usize % 2]).collect();
    if let Some([hidden, output]) = &parts.value {
        let state = convolve(output, &relu(convolve(hidden, &over_board(&mean(&features)))))[0][0];
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        values.iter_mut().for_each(|value| *value += state - mean);
    }
    match parts.sums {
        None => values,
        Some((outputs, factor)) => {
            let sums = values.chunks(values.len() / outputs).map(|values| values.iter().sum::<f64>());
            sums.map(|sum| sum * f64::from(factor)).collect()
        }
    }
}

/// Loss of output number `at`: smooth, and different for each.
fn loss(at: usize, output: f64) -> f64 {
    (at % 3) as f64 * output + 0.5 * output * output
}

fn slope(at: usize, output: f32) -> f32 {
    (at % 3) as f32 + output
}

#[test]
fn the_gradients_are_the_slopes_of_plain_sums() {
    let mut stream = Stream::new(11, Role::Sample, 0);
    let [plain_values, sums, dueling, both] = [[false, false], [true, false], [false, true], [true, true]];
    for (colours, width, layers, kind, boards) in [
        (3, 18, 3, plain_values, 2),
        (0, 5, 4, sums, 1),
        (1, 16, 2, sums, 13),
        (2, 33, 2, plain_values, 1),
        (4, 7, 5, plain_values, 14),
        (3, 18, 3, dueling, 14),
        (0, 33, 2, dueling, 2),
        (2, 16, 2, both, 3),
    ] {
        let mut parts = parts(colours, width, layers, kind, &mut stream);
        let images = numbers(boards * PLANES * CELLS, 1.0, &mut stream);
        let scalars = numbers(boards * SCALARS, 1.0, &mut stream);
        let tower = TrainedTower::new(&parts, [PLANES, ROWS, COLUMNS], SCALARS);
        let each = tower.outputs();
        let (outputs, gradients) = tower.gradient(&images, &scalars, &|first, outputs, gradient| {
            for (index, (output, gradient)) in outputs.iter().zip(gradient).enumerate() {
                *gradient = slope(first * each + index, *output);
            }
        });
        assert_eq!(outputs, Tower::new(&parts, [PLANES, ROWS, COLUMNS], SCALARS).forward(&images, &scalars));
        let total = |parts: &Parts| -> f64 {
            let boards = images.chunks(PLANES * CELLS).zip(scalars.chunks(SCALARS));
            let outputs = boards.flat_map(|(image, scalars)| plain(parts, image, scalars));
            outputs.enumerate().map(|(at, output)| loss(at, output)).sum()
        };
        for (tensor, gradient) in gradients.iter().enumerate() {
            let size = gradient.iter().fold(0.0, |size: f32, number| size.max(number.abs()));
            assert!(size > 0.0);
            for _ in 0..6 {
                let at = (stream.unit() * gradient.len() as f32) as usize;
                let here = *number(&mut parts, tensor, at);
                let mut total_with = |moved: f32| {
                    *number(&mut parts, tensor, at) = moved;
                    total(&parts)
                };
                // So near that hardly a ReLU begins to pass.
                let (above, below) = (here + 5e-7, here - 5e-7);
                let expected = (total_with(above) - total_with(below)) / f64::from(above - below);
                total_with(here);
                let found = f64::from(gradient[at]);
                let what = format!("number {at} of tensor {tensor} with {colours} colours, {width} channels");
                assert!((found - expected).abs() < 1e-3 * f64::from(size), "{what}: {found}, not {expected}");
            }
        }
    }
}

#[test]
fn gradients_by_products_of_bfloat16_are_near_those_of_32_bit_floats() {
    let mut stream = Stream::new(12, Role::Sample, 0);
    let mut parts = parts(3, 18, 3, [false, false], &mut stream);
    // More than a block, in one part, since the emulation is this thread's.
    let (images, scalars) = (numbers(13 * PLANES * CELLS, 1.0, &mut stream), numbers(13 * SCALARS, 1.0, &mut stream));
    let gradients = |parts: &Parts| {
        let tower = TrainedTower::new(parts, [PLANES, ROWS, COLUMNS], SCALARS);
        tower.gradient(&images, &scalars, &|_, _, gradient| gradient.fill(1.0)).1
    };
    let exact = gradients(&parts);
    parts.body.iter_mut().for_each(|kernel| kernel.precision = Precision::Bf16);
    for rounded in [gradients(&parts), emulated(|| gradients(&parts))] {
        assert_ne!(rounded, exact);
        for (exact, rounded) in exact.iter().zip(&rounded) {
            let size = exact.iter().fold(0.0, |size: f32, number| size.max(number.abs()));
            let apart = exact.iter().zip(rounded).map(|(one, other)| (one - other).abs()).fold(0.0, f32::max);
            assert!(apart < 0.05 * size, "{apart} of {size}");
        }
    }
}
