//! Sums in one fixed order on any instruction set.

const LANES: usize = 16;
const GROUPS: usize = 8;

/// Sum in the order of the tensor library with AVX-512, for equal bits.
///
/// Number `i` is added to partial sum `i` modulo 16 of one of eight groups; groups and partial sums
/// are added in pairs.
pub fn sum(numbers: &[f32]) -> f32 {
    let mut groups = [[0.0_f32; LANES]; GROUPS];
    let whole = numbers.chunks_exact(GROUPS * LANES);
    let rest = whole.remainder();
    for chunk in whole {
        for (group, numbers) in groups.iter_mut().zip(chunk.chunks_exact(LANES)) {
            add(group, numbers);
        }
    }
    for width in [1, 2, 4] {
        for first in (0..GROUPS).step_by(2 * width) {
            let other = groups[first + width];
            add(&mut groups[first], &other);
        }
    }
    let mut lanes = groups[0];
    let lines = rest.chunks_exact(LANES);
    let last = lines.remainder();
    lines.for_each(|line| add(&mut lanes, line));
    for width in [8, 4, 2, 1] {
        for lane in 0..width {
            lanes[lane] += lanes[lane + width];
        }
    }
    lanes[0] + last.iter().sum::<f32>()
}

fn add(sums: &mut [f32; LANES], numbers: &[f32]) {
    sums.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_counted_once() {
        for count in [0, 1, 15, 16, 17, 80, 127, 128, 129, 142, 1_000] {
            let numbers: Vec<f32> = (1..=count).map(|number| number as f32).collect();
            assert_eq!(sum(&numbers), (count * (count + 1) / 2) as f32, "{count} numbers");
        }
    }
}
