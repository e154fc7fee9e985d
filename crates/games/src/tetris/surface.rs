//! Features of heights, numbered after [`Feature`]: heights, their differences, shapes of four
//! neighbouring columns between the sides, and shapes at a side.

use std::sync::LazyLock;

use super::features::{COUNT, Feature};
use super::piece::COLUMNS;

/// Largest difference of heights in a shape; larger ones count as this.
const STEEPEST: i32 = 3;
/// Values of a difference.
const STEPS: usize = 2 * STEEPEST as usize + 1;
/// Shapes of four columns: three differences.
pub const SHAPES: usize = STEPS * STEPS * STEPS;

/// Room for the weights of shapes: a power of two.
pub const PADDED: usize = SHAPES.next_power_of_two();

/// First numbers of the features.
const HEIGHTS: usize = COUNT;
const DIFFERENCES: usize = HEIGHTS + COLUMNS;
const MIDDLE: usize = DIFFERENCES + COLUMNS - 1;

struct Numbers {
    /// Number of each shape between the sides; mirror images have one number.
    middle: [usize; SHAPES],
    side: usize,
    names: Vec<String>,
}

static NUMBERS: LazyLock<Numbers> = LazyLock::new(|| {
    let mut names: Vec<String> = Feature::ALL.iter().map(|feature| feature.name().to_owned()).collect();
    names.extend((0..COLUMNS).map(|column| format!("height_{column}")));
    names.extend((1..COLUMNS).map(|column| format!("height_difference_{column}")));
    let mut middle = [0; SHAPES];
    for shape in 0..SHAPES {
        let same = shape.min(mirrored(shape));
        middle[shape] = if same == shape { names.len() } else { middle[same] };
        if same == shape {
            names.push(name("shape", shape));
        }
    }
    let side = names.len();
    names.extend((0..SHAPES).map(|shape| name("side", shape)));
    Numbers { middle, side, names }
});

fn name(of: &str, shape: usize) -> String {
    let [one, two, three] = steps(shape).map(|step| step as i32 - STEEPEST);
    format!("{of}_{one}_{two}_{three}")
}

fn steps(shape: usize) -> [usize; 3] {
    [shape / (STEPS * STEPS), shape / STEPS % STEPS, shape % STEPS]
}

fn shape([one, two, three]: [usize; 3]) -> usize {
    (one * STEPS + two) * STEPS + three
}

fn mirrored(of: usize) -> usize {
    let [one, two, three] = steps(of).map(|step| STEPS - 1 - step);
    shape([three, two, one])
}

/// All names: those of [`Feature`], then those of this file.
pub fn names() -> Vec<&'static str> {
    NUMBERS.names.iter().map(String::as_str).collect()
}

pub fn shape_names() -> Vec<&'static str> {
    names().split_off(MIDDLE)
}

pub fn height_names() -> Vec<&'static str> {
    names()[HEIGHTS..MIDDLE].to_vec()
}

/// Gives the features of a surface that are not 0, by number.
pub fn features(tops: &[u8; COLUMNS], mut give: impl FnMut(usize, f64)) {
    let numbers = &*NUMBERS;
    for (column, top) in tops.iter().enumerate().filter(|(_, top)| **top > 0) {
        give(HEIGHTS + column, f64::from(*top));
    }
    let differences: [i32; COLUMNS - 1] =
        std::array::from_fn(|place| i32::from(tops[place + 1]) - i32::from(tops[place]));
    for (place, difference) in differences.iter().enumerate().filter(|(_, difference)| **difference != 0) {
        give(DIFFERENCES + place, difference.abs().into());
    }
    let clipped = differences.map(|difference| (difference.clamp(-STEEPEST, STEEPEST) + STEEPEST) as usize);
    let mut seen: Vec<usize> =
        clipped.windows(3).map(|some| numbers.middle[shape([some[0], some[1], some[2]])]).collect();
    seen.push(numbers.side + shape([clipped[0], clipped[1], clipped[2]]));
    seen.push(numbers.side + mirrored(shape([clipped[6], clipped[7], clipped[8]])));
    seen.sort_unstable();
    for same in seen.chunk_by(|one, other| one == other) {
        give(same[0], same.len() as f64);
    }
}

#[derive(Clone, PartialEq, Debug)]
pub struct Surface {
    /// Weights of heights and differences, if any is not 0.
    pub heights: Option<([f64; COLUMNS], [f64; COLUMNS - 1])>,
    /// Weights of shapes between the sides and at a side, if any is not 0.
    pub shapes: Option<Box<[[f64; PADDED]; 2]>>,
}

impl Surface {
    /// Weights in terms by the features' numbers, without those of [`Feature`].
    pub fn of(terms: &[(usize, f64)]) -> Self {
        let numbers = &*NUMBERS;
        let mut weights = vec![0.0; numbers.names.len()];
        terms.iter().for_each(|(feature, weight)| weights[*feature] += weight);
        let any = |some: &[f64]| some.iter().any(|weight| *weight != 0.0);
        let heights = any(&weights[HEIGHTS..MIDDLE]).then(|| {
            (
                std::array::from_fn(|column| weights[HEIGHTS + column]),
                std::array::from_fn(|place| weights[DIFFERENCES + place]),
            )
        });
        let shapes = any(&weights[MIDDLE..]).then(|| {
            let padded = |of: &dyn Fn(usize) -> usize| {
                std::array::from_fn(|shape| if shape < SHAPES { weights[of(shape)] } else { 0.0 })
            };
            Box::new([padded(&|shape| numbers.middle[shape]), padded(&|shape| numbers.side + shape)])
        });
        Self { heights, shapes }
    }
}
