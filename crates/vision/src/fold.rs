//! Where a picture repeats itself: gradients folded at each pitch, by epoch folding (Leahy et al.
//! 1983, "On searches for pulsed emission").

use super::colour::distance;
use super::sums::Sums;

/// Minimum pitch, in pixels of the scaled picture.
const SMALLEST: f64 = 7.0;
/// Ratio of successive pitches.
const STEP: f64 = 1.018;
/// Maximum gradient, so that writing does not outshine the gems.
pub(super) const STEEP: f32 = 0.2;
/// Minimum strength of a window across.
const WEAKEST: f64 = 0.08;
/// Maximum windows of about the same pitch, and the logarithm of a ratio of such pitches: halves and
/// thirds of the gems' pitch repeat too, in many more places.
const ALIKE: (f64, usize) = (0.1, 8);
/// Minimum mean gradient of a profile to be folded.
const FLAT: f64 = 0.002;

/// A window in which gradients repeat.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) pitch: f64,
    /// From 0, as by chance, to 1, equal in each period.
    pub(super) strength: f64,
}

/// At most `most` windows in which gradients repeat most, best first, few of each pitch, and not near
/// a better one of about their pitch.
pub(super) fn windows(picture: &Sums, [columns, rows]: [usize; 2], most: usize) -> Vec<Window> {
    let (width, height) = (picture.width as f64, picture.height as f64);
    let (across, down) = gradients(picture);
    let largest = (width / columns as f64).min(height / rows as f64);
    let mut found = Vec::new();
    let mut pitch = largest;
    while pitch >= SMALLEST {
        let size = [pitch * columns as f64, pitch * rows as f64];
        let places = |room: f64| -> Vec<f64> {
            let steps = (1.4 * room / pitch).ceil().max(0.0);
            (0..=steps as usize).map(|step| if steps == 0.0 { 0.0 } else { room * step as f64 / steps }).collect()
        };
        let (left, top) = (places(width - size[0]), places(height - size[1]));
        let band = |sums: &Gradients, from: f64, size: f64, most: usize| -> Vec<f64> {
            let [from, to] = [from, (from + size).min(most as f64)].map(|at| at as usize);
            let scale = 1.0 / (to - from) as f64;
            sums[to].iter().zip(&sums[from]).map(|(to, from)| (to - from) * scale).collect()
        };
        // Mean gradients down each band of columns.
        let bands: Vec<Vec<f64>> = left.iter().map(|x| band(&down, *x, size[0], picture.width)).collect();
        let part = |from: f64, size: f64, most: usize| from as usize..((from + size) as usize).min(most);
        for y in &top {
            let columns = band(&across, *y, size[1], picture.height);
            for (x, rows) in left.iter().zip(&bands) {
                let across = fold(&columns[part(*x, size[0], picture.width)], pitch);
                if across > WEAKEST {
                    let down = fold(&rows[part(*y, size[1], picture.height)], pitch);
                    found.push(Window { x: *x, y: *y, pitch, strength: (across * down).sqrt() });
                }
            }
        }
        pitch /= STEP;
    }
    found.sort_by(|one, other| other.strength.total_cmp(&one.strength));
    let mut best: Vec<Window> = Vec::new();
    for window in found {
        let near = |other: &Window| {
            (window.pitch / other.pitch).ln().abs() < 0.04
                && (window.x - other.x).abs() < 1.1 * other.pitch
                && (window.y - other.y).abs() < 1.1 * other.pitch
        };
        let alike = best.iter().filter(|other| (window.pitch / other.pitch).ln().abs() < ALIKE.0).count();
        if alike < ALIKE.1 && !best.iter().any(near) {
            best.push(window);
            if best.len() == most {
                break;
            }
        }
    }
    best
}

/// Sums of gradients over all rows above, or all columns to the left.
type Gradients = Vec<Vec<f64>>;

fn gradients(picture: &Sums) -> (Gradients, Gradients) {
    let (width, height) = (picture.width, picture.height);
    let colour = |x: usize, y: usize| picture.colours[y * width + x];
    let step = |x: usize, y: usize, to: [usize; 2]| f64::from(distance(colour(x, y), colour(to[0], to[1])).min(STEEP));
    let (mut across, mut down) = (vec![vec![0.0; width]], vec![vec![0.0; height]]);
    for y in 0..height {
        let row = (0..width).map(|x| across[y][x] + step(x, y, [(x + 1).min(width - 1), y]));
        across.push(row.collect());
    }
    for x in 0..width {
        let column = (0..height).map(|y| down[x][y] + step(x, y, [x, (y + 1).min(height - 1)]));
        down.push(column.collect());
    }
    (across, down)
}

/// Share of a profile's variance that one period explains, less chance, as epsilon squared (Kelley
/// 1935, "An unbiased correlation ratio measure"); 0 for a flat profile.
fn fold(profile: &[f64], pitch: f64) -> f64 {
    let bins = pitch as usize;
    let count = profile.len() as f64;
    let mean = profile.iter().sum::<f64>() / count;
    if profile.len() <= bins || mean < FLAT {
        return 0.0;
    }
    let mut sums = vec![(0.0, 0.0); bins];
    let mut total = 0.0;
    let (step, mut phase) = (bins as f64 / pitch, 0.0);
    for value in profile {
        let value = value - mean;
        let bin = &mut sums[(phase as usize).min(bins - 1)];
        *bin = (bin.0 + value, bin.1 + 1.0);
        total += value * value;
        phase += step;
        if phase >= bins as f64 {
            phase -= bins as f64;
        }
    }
    if total <= 0.0 {
        return 0.0;
    }
    let between: f64 = sums.iter().filter(|(_, count)| *count > 0.0).map(|(sum, count)| sum * sum / count).sum();
    let chance = (bins as f64 - 1.0) / (count - 1.0);
    ((between / total - chance) / (1.0 - chance)).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_repeats_folds_to_one_and_noise_to_about_nothing() {
        let wave: Vec<f64> = (0..120).map(|at| f64::from(u8::from(at % 12 == 3))).collect();
        assert!(fold(&wave, 12.0) > 0.99);
        assert!(fold(&wave, 13.0) < 0.2);
        // Knuth's multiplier is as good as random here.
        let noise: Vec<f64> = (0..120_u32).map(|at| f64::from(at.wrapping_mul(2_654_435_761) >> 20)).collect();
        assert!(fold(&noise, 12.0) < 0.15);
        assert_eq!(fold(&[0.0; 120], 12.0), 0.0);
    }
}
