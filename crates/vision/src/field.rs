//! Finding the field of gems: the lattice that explains a picture best.

use super::colour::{Oklab, distance};
use super::fold::{STEEP, Window, windows};
use super::picture::Picture;
use super::sums::Sums;
use matchq_core::stop;

/// A field's cells in a picture, in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Field {
    /// Left end of the first column, upper end of the first row.
    pub corner: [f64; 2],
    /// Width and height.
    pub cell: [f64; 2],
    /// Columns and rows.
    pub size: [usize; 2],
}

/// Minimum pixels on a side of a cell.
const SMALLEST: f64 = 6.0;
/// How far a field may reach beyond the picture, in cells, as gems do not fill theirs.
const SLACK: f64 = 0.15;

impl Field {
    /// The field of `size` columns and rows in a rectangle (left, top, width, height); an error
    /// follows the rectangle's numbers in a sentence.
    pub fn within(picture: &Picture, rectangle: [f64; 4], size: [usize; 2]) -> Result<Self, String> {
        let [x, y, width, height] = rectangle;
        let (most_x, most_y) = (picture.width() as f64, picture.height() as f64);
        let [slack_x, slack_y] = [0, 1].map(|axis| SLACK * [width, height][axis].abs() / size[axis] as f64);
        // NaN is within nothing; an infinite size has infinite slack.
        let finite = rectangle.iter().all(|number| number.is_finite());
        let inside =
            finite && x >= -slack_x && y >= -slack_y && x + width <= most_x + slack_x && y + height <= most_y + slack_y;
        if !inside {
            return Err(format!("it must lie within the picture's {most_x} by {most_y} pixels"));
        }
        let cell = [width / size[0] as f64, height / size[1] as f64];
        match cell.iter().all(|side| *side >= SMALLEST) {
            true => Ok(Self { corner: [x, y], cell, size }),
            false => Err(format!(
                "a cell would have {:.1} by {:.1} pixels, and must have {SMALLEST} or more",
                cell[0], cell[1]
            )),
        }
    }

    /// Middle of a cell in pixels, x and y.
    pub fn middle(&self, column: usize, row: usize) -> [f64; 2] {
        let [x, y] = [column, row].map(|at| at as f64 + 0.5);
        [self.corner[0] + x * self.cell[0], self.corner[1] + y * self.cell[1]]
    }

    /// Left, top, width and height in pixels.
    pub fn rectangle(&self) -> [f64; 4] {
        let [width, height] = [0, 1].map(|at| self.cell[at] * self.size[at] as f64);
        [self.corner[0], self.corner[1], width, height]
    }
}

/// Longer side of the picture in which the field is searched.
const SIDE: usize = 512;
const WINDOWS: usize = 64;
/// Longer side, below twice this, of the picture in which lattices are read.
const VOTING: usize = 1024;
/// Lattices compared by what their cells read.
const FINALISTS: usize = 4;
/// Minimum quality of a field.
const WORST: f32 = 0.13;
/// Windows put to the vote if no lattice is good enough.
const VOTED: usize = 16;
/// Maximum voted windows of about the same pitch.
const ALIKE: usize = 4;
/// Minimum votes, from 0 to 1, of a field that stands out.
const ELECTED: f32 = 0.8;
/// Approximate pixels of a cell while a lattice is refined.
const FINE: f64 = 40.0;

/// Parts of a cell in which gradients are summed.
const BINS: usize = 96;
/// Bins compared on each side of a line; bins that a line may move, near and far.
const REACH: isize = 26;
const FARTHEST: isize = 4;
const ANYWHERE: isize = BINS as isize / 4;

/// The field of `size` columns and rows of square cells, if there is one.
///
/// `vote` says, from 0 to 1, how well cells read as gems, in the picture or a smaller copy. Cells
/// need seven pixels in a picture scaled down to at most 512.
pub fn find(picture: &Picture, size: [usize; 2], vote: impl Fn(&Picture, &Field) -> f32) -> Option<Field> {
    let finder = Finder::new(picture);
    let places = finder.places(size);
    let by_borders = finder.by_borders(&places, &vote);
    let by_votes = || finder.by_votes(&[(&places, &vote)]).map(|(_, found)| found);
    by_borders.filter(stands_out).or_else(by_votes).or(by_borders).map(|(_, field)| field)
}

/// A search for fields in one picture, of boards of any size, by [`find`]'s votes.
///
/// Lattices are tried where gradients repeat: cells must differ from their surroundings, colours
/// recur, surroundings be alike.
pub(super) struct Finder<'a> {
    picture: &'a Picture,
    /// A smaller copy of a large picture, in which votes are taken.
    reduced: Option<Picture>,
    /// Pixels of the picture on a side of one in the copy.
    factor: usize,
    sums: Sums,
}

/// A field and its votes.
pub(super) type Candidate = (f32, Field);

/// Where fields of a size may lie, whatever their gems.
pub(super) struct Places {
    size: [usize; 2],
    /// Where gradients repeat, by [`windows`].
    windows: Vec<Window>,
    /// Lattices whose cells have the most visible borders.
    bordered: Vec<Lattice>,
}

impl<'a> Finder<'a> {
    pub(super) fn new(picture: &'a Picture) -> Self {
        let longer = picture.width().max(picture.height());
        let factor = (longer / VOTING).max(1);
        let reduced = (factor > 1).then(|| picture.reduced(factor));
        let sums = Sums::new(picture, [0, 0, picture.width(), picture.height()], longer.div_ceil(SIDE));
        Self { picture, reduced, factor, sums }
    }

    fn vote(&self, field: &Field, vote: impl Fn(&Picture, &Field) -> f32) -> f32 {
        stop::look();
        let scaled = |lengths: [f64; 2]| lengths.map(|length| length / self.factor as f64);
        let field = Field { corner: scaled(field.corner), cell: scaled(field.cell), size: field.size };
        vote(self.reduced.as_ref().unwrap_or(self.picture), &field)
    }

    fn rate(&self, size: [usize; 2], lattice: Lattice, vote: impl Fn(&Picture, &Field) -> f32) -> Rated {
        match lattice.is_within(&self.sums, size) {
            true => (self.vote(&lattice.field(size, self.sums.factor as f64), vote), lattice),
            false => (0.0, lattice),
        }
    }

    pub(super) fn places(&self, size: [usize; 2]) -> Places {
        let sums = &self.sums;
        let windows = windows(sums, size, WINDOWS);
        let mut lattices: Vec<Lattice> = Vec::new();
        for window in &windows {
            let phases = (0..25).map(|phase| {
                let [x, y] = [phase % 5, phase / 5].map(|phase| (f64::from(phase) / 5.0 - 0.4) * window.pitch);
                Lattice::new(sums, size, [window.x + x, window.y + y], window.pitch)
            });
            lattices.extend(phases.max_by(|one, other| one.quality.total_cmp(&other.quality)));
        }
        best_first(&mut lattices);
        lattices.truncate(4 * FINALISTS);
        for lattice in &mut lattices {
            lattice.climb(sums, size, &[1.0, 1.0 / 8.0, 1.0 / 16.0, 1.0 / 32.0, 1.0]);
        }
        best_first(&mut lattices);
        let mut bordered: Vec<Lattice> = Vec::new();
        for lattice in lattices {
            if bordered.len() < FINALISTS && !bordered.iter().any(|other| other.is_near(&lattice)) {
                bordered.push(lattice);
            }
        }
        Places { size, windows, bordered }
    }

    /// The field whose cells have visible borders.
    pub(super) fn by_borders(&self, places: &Places, vote: impl Fn(&Picture, &Field) -> f32) -> Option<Candidate> {
        let (sums, size) = (&self.sums, places.size);
        // Flat surfaces have borders, too, and a lattice one row off the board still reads well in all
        // other rows: quality and votes count.
        let rate = |lattice: Lattice| {
            let (votes, lattice) = self.rate(size, Lattice::new(sums, size, lattice.corner, lattice.pitch), &vote);
            (lattice.quality * (0.25 + votes), lattice)
        };
        let rated = places.bordered.iter().filter(|lattice| lattice.quality >= WORST).map(|lattice| rate(*lattice));
        let best = rated.max_by(|one, other| one.0.total_cmp(&other.0))?;
        let (_, lattice) = climb(best, size, &rate, &[1.0]);
        let field = refined(self.picture, lattice.field(size, sums.factor as f64), true);
        Some((self.vote(&field, &vote), field))
    }

    /// The field of gems without visible borders, and whose places it is of: a lattice that repeats and
    /// reads as gems. The best few of all sizes are improved, as that takes long.
    pub(super) fn by_votes<V: Fn(&Picture, &Field) -> f32>(&self, all: &[(&Places, V)]) -> Option<(usize, Candidate)> {
        let sums = &self.sums;
        let mut tried = Vec::new();
        for (at, (places, vote)) in all.iter().enumerate() {
            let size = places.size;
            let mut pitches: Vec<f64> = Vec::new();
            for window in &places.windows {
                // Half the pitch repeats too, in many more windows.
                if pitches.len() == VOTED
                    || pitches.iter().filter(|pitch| (window.pitch / *pitch).ln().abs() < 0.1).count() == ALIKE
                {
                    continue;
                }
                pitches.push(window.pitch);
                let lattice = Lattice { corner: [window.x, window.y], pitch: window.pitch, quality: 0.0 };
                // Gems are also symmetric about their middles: votes decide.
                let [x, y] = [0, 1].map(|axis| {
                    let shift = window.pitch * lattice.shift(sums, size, axis, [0.0, size[axis] as f64], ANYWHERE);
                    [shift, shift - window.pitch / 2.0]
                });
                let moved = x.iter().flat_map(|x| y.iter().map(|y| lattice.moved([*x, *y])));
                tried.extend(moved.map(|lattice| (at, self.rate(size, lattice, vote))));
            }
        }
        tried.sort_by(|(_, one), (_, other)| other.0.total_cmp(&one.0));
        let climbed = tried.into_iter().take(FINALISTS).map(|(at, best)| {
            let (places, vote) = &all[at];
            let rate = |lattice: Lattice| self.rate(places.size, lattice, vote);
            (at, climb(best, places.size, &rate, &[1.0, 0.125, 0.0625, 0.03125, 1.0]))
        });
        let (at, (_, lattice)) = climbed.max_by(|(_, one), (_, other)| one.0.total_cmp(&other.0))?;
        let rough = lattice.field(all[at].0.size, sums.factor as f64);
        // Gems of asymmetric form may draw the refined field away.
        let rated = [refined(self.picture, rough, false), rough].map(|field| (self.vote(&field, &all[at].1), field));
        let best = rated.into_iter().max_by(|one, other| one.0.total_cmp(&other.0)).filter(stands_out)?;
        Some((at, best))
    }
}

/// Whether a field has votes enough to be taken for a board.
pub(super) fn stands_out((votes, _): &Candidate) -> bool {
    *votes >= ELECTED
}

/// A lattice and how it is rated.
type Rated = (f32, Lattice);

/// A lattice moved and stretched to the highest rating, by each step in cells.
fn climb(mut best: Rated, size: [usize; 2], rate: &impl Fn(Lattice) -> Rated, steps: &[f64]) -> Rated {
    for step in steps {
        // The lattice may be off by a board's width.
        for _ in 0..size[0] + size[1] {
            let around = best.1.around(*step, size).into_iter().map(rate);
            match around.max_by(|one, other| one.0.total_cmp(&other.0)) {
                Some(better) if better.0 > best.0 => best = better,
                _ => break,
            }
        }
    }
    best
}

/// The field to a fraction of a pixel, by gradients, and by borders if cells have any.
fn refined(picture: &Picture, field: Field, borders: bool) -> Field {
    let [left, top, width, height] = field.rectangle();
    let room = field.cell[0] / 2.0;
    let from = [left - room, top - room].map(|from| from.max(0.0) as usize);
    let to = [left + width + room, top + height + room].map(|to| to as usize);
    let to = [to[0].min(picture.width()), to[1].min(picture.height())];
    let factor = ((field.cell[0] / FINE) as usize).max(1);
    let sums = Sums::new(picture, [from[0], from[1], to[0] - from[0], to[1] - from[1]], factor);
    let scale = factor as f64;
    let corner = [0, 1].map(|at| (field.corner[at] - from[at] as f64) / scale);
    let mut lattice = Lattice::new(&sums, field.size, corner, field.cell[0] / scale);
    if borders {
        lattice.climb(&sums, field.size, &[1.0 / 16.0, 1.0 / 32.0, 1.0 / 64.0]);
    }
    // Moves come before stretches by the shifts of both halves.
    for halves in [false, false, true] {
        lattice.straighten(&sums, field.size, halves);
    }
    let mut field = lattice.field(field.size, scale);
    field.corner = [0, 1].map(|at| field.corner[at] + from[at] as f64);
    field
}

fn best_first(lattices: &mut [Lattice]) {
    lattices.sort_by(|one, other| other.quality.total_cmp(&one.quality));
}

/// A field of square cells in a scaled picture, in its pixels, and its quality.
#[derive(Clone, Copy, Debug)]
struct Lattice {
    /// Left and upper end.
    corner: [f64; 2],
    /// Side of a cell.
    pitch: f64,
    quality: f32,
}

impl Lattice {
    fn new(picture: &Sums, size: [usize; 2], corner: [f64; 2], pitch: f64) -> Self {
        Self { corner, pitch, quality: quality(picture, size, corner, pitch) }
    }

    /// The lattice moved by a step, in cells, to each side, and stretched if the step is below a
    /// cell.
    fn around(&self, step: f64, size: [usize; 2]) -> Vec<Self> {
        let by = step * self.pitch;
        let mut around = [[-by, 0.0], [by, 0.0], [0.0, -by], [0.0, by]].map(|by| self.moved(by)).to_vec();
        if step < 1.0 {
            for grown in [-0.25 * by, 0.25 * by] {
                // The middle stays.
                let moved = self.moved([0, 1].map(|at| -grown * size[at] as f64 / 2.0));
                around.push(Self { pitch: self.pitch + grown, ..moved });
            }
        }
        around
    }

    /// Moves and stretches the lattice by each step while its quality rises.
    fn climb(&mut self, picture: &Sums, size: [usize; 2], steps: &[f64]) {
        for step in steps {
            for _ in 0..32 {
                let tried = self.around(*step, size).into_iter();
                let tried = tried.map(|lattice| Self::new(picture, size, lattice.corner, lattice.pitch));
                let Some(best) = tried.max_by(|one, other| one.quality.total_cmp(&other.quality)) else { break };
                if best.quality <= self.quality {
                    break;
                }
                *self = best;
            }
        }
    }

    /// Moves the lattice until gradients are symmetric about its lines.
    ///
    /// The halves of the field have two shifts with `halves`: their mean moves the lattice, their
    /// difference stretches it, equally across and down.
    fn straighten(&mut self, picture: &Sums, size: [usize; 2], halves: bool) {
        let shifts = [0, 1].map(|axis| {
            let cells = size[axis] as f64;
            let parts = if halves { [[0.0, 0.5], [0.5, 1.0]] } else { [[0.0, 1.0]; 2] };
            parts.map(|part| self.pitch * self.shift(picture, size, axis, part.map(|end| end * cells), FARTHEST))
        });
        let stretches = [0, 1].map(|axis| (shifts[axis][1] - shifts[axis][0]) / (size[axis] as f64 / 2.0));
        let stretch = (stretches[0] + stretches[1]) / 2.0;
        self.pitch += stretch;
        for axis in 0..2 {
            self.corner[axis] += (shifts[axis][0] + shifts[axis][1]) / 2.0 - stretch * size[axis] as f64 / 2.0;
        }
    }

    /// Shift in cells, up to `farthest` bins, that makes gradients symmetric about the lines, as
    /// gems begin as far behind a line as they end before it.
    fn shift(&self, picture: &Sums, size: [usize; 2], axis: usize, part: [f64; 2], farthest: isize) -> f64 {
        let from = self.corner[axis];
        let ends = part.map(|cells| from + cells * self.pitch);
        let mut bins = [(0.0, 0.0); BINS];
        let range = |at: usize, ends: [f64; 2], most: usize| {
            (ends[0].max(at as f64) as usize).min(most)..(ends[1].max(0.0) as usize).min(most)
        };
        let other = self.corner[1 - axis];
        let others = [other, other + self.pitch * size[1 - axis] as f64];
        let [along, across] = [[picture.width, picture.height], [picture.height, picture.width]][axis];
        for at in range(1, ends, along) {
            let phase = ((at as f64 - from) / self.pitch).rem_euclid(1.0) * BINS as f64;
            let bin = &mut bins[(phase as usize).min(BINS - 1)];
            for line in range(0, others, across) {
                let index = |at: usize| [line * picture.width + at, at * picture.width + line][axis];
                let step = distance(picture.colours[index(at)], picture.colours[index(at - 1)]).min(STEEP);
                *bin = (bin.0 + f64::from(step), bin.1 + 1.0);
            }
        }
        let mean = |bin: isize| {
            let near = (-2..=2).map(|by| bins[(bin + by).rem_euclid(BINS as isize) as usize]);
            let (sum, count) = near.fold((0.0, 0.0), |one, other| (one.0 + other.0, one.1 + other.1));
            if count > 0.0 { sum / count } else { 0.0 }
        };
        let means: Vec<f64> = (0..BINS as isize).map(mean).collect();
        // Noise is about equal in all bins.
        let floor = means.iter().copied().fold(f64::MAX, f64::min);
        let edges = |bin: isize| means[bin.rem_euclid(BINS as isize) as usize] - floor;
        // Gradients on both sides of a line times their correlation: gems may differ in form, or
        // all may be noise.
        let symmetry = |shift: isize| {
            let pairs = || (0..REACH).map(|far| (edges(shift + far), edges(shift - 1 - far)));
            let count = REACH as f64;
            let [after, before] = [pairs().map(|pair| pair.0).sum::<f64>(), pairs().map(|pair| pair.1).sum::<f64>()];
            let (both, all) = pairs().fold((0.0, 1e-12), |sums, (after, before)| {
                (sums.0 + after * before, sums.1 + (after * after + before * before) / 2.0)
            });
            (both - after * before / count).max(0.0) * (both / all).powi(4)
        };
        let shifts = -farthest..=farthest;
        let best = shifts.max_by(|one, other| symmetry(*one).total_cmp(&symmetry(*other))).unwrap_or(0);
        // Top of the parabola through the best shift and its neighbours.
        let [before, here, after] = [-1, 0, 1].map(|by| symmetry(best + by));
        let bend = 2.0 * here - before - after;
        let rest = if bend > 1e-12 { ((after - before) / (2.0 * bend)).clamp(-0.5, 0.5) } else { 0.0 };
        (best as f64 + rest) / BINS as f64
    }

    fn is_within(&self, picture: &Sums, size: [usize; 2]) -> bool {
        let most = [picture.width as f64, picture.height as f64];
        let slack = SLACK * self.pitch;
        (0..2).all(|axis| {
            let from = self.corner[axis];
            from >= -slack && from + self.pitch * size[axis] as f64 <= most[axis] + slack
        })
    }

    fn moved(&self, by: [f64; 2]) -> Self {
        Self { corner: [self.corner[0] + by[0], self.corner[1] + by[1]], ..*self }
    }

    fn is_near(&self, other: &Self) -> bool {
        let near = |one: f64, other: f64| (one - other).abs() < 0.2 * self.pitch;
        near(self.corner[0], other.corner[0])
            && near(self.corner[1], other.corner[1])
            && (self.pitch - other.pitch).abs() < 0.03 * self.pitch
    }

    /// The field in a picture of which `scale` pixels are one here.
    fn field(&self, size: [usize; 2], scale: f64) -> Field {
        Field { corner: self.corner.map(|at| at * scale), cell: [self.pitch * scale; 2], size }
    }
}

/// Half the sides, in cells, of squares about a cell's middle: core, inner part, and two ends of
/// borders, the inner for cells with lines between them, the outer for gems that leave little room.
const HALVES: [f64; 4] = [0.2, 0.36, 0.44, 0.5];

/// Distance from which contrast is full.
const FULL_CONTRAST: f32 = 0.1;
/// Variances at which evenness is a half.
const CORE_VARIANCE: f32 = 0.03;
const BORDER_VARIANCE: f32 = 0.01;
/// Distances at which likeness to the second nearest inner part and to the mean border is 1/e.
const INNER_DISTANCE: f32 = 0.04;
const BORDER_DISTANCE: f32 = 0.12;

/// How well a lattice explains a picture, from 0 to 1.
///
/// Each cell has four factors: contrast of inner part and border, likeness of the inner part to
/// others, evenness of core and border, likeness of the border to others. Their mean product is
/// multiplied by the inner parts' share in the variance of inner parts and borders; the better
/// border counts.
fn quality(picture: &Sums, [columns, rows]: [usize; 2], [left, top]: [f64; 2], pitch: f64) -> f32 {
    let lattice = Lattice { corner: [left, top], pitch, quality: 0.0 };
    if !lattice.is_within(picture, [columns, rows]) {
        return 0.0;
    }
    let count = columns * rows;
    let (mut inners, mut inner_factors) = (Vec::with_capacity(count), Vec::with_capacity(count));
    let mut borders = [Vec::with_capacity(count), Vec::with_capacity(count)];
    for row in 0..rows {
        for column in 0..columns {
            let (x, y) = (left + (column as f64 + 0.5) * pitch, top + (row as f64 + 0.5) * pitch);
            let [core, inner, middle, outer] = HALVES.map(|half| {
                let half = half * pitch;
                picture.patch([x - half, x + half], [y - half, y + half])
            });
            inners.push(inner.mean());
            inner_factors.push(1.0 / (1.0 + core.variance() / CORE_VARIANCE));
            for (borders, border) in borders.iter_mut().zip([middle.without(inner), outer.without(middle)]) {
                borders.push((border.mean(), 1.0 / (1.0 + border.variance() / BORDER_VARIANCE)));
            }
        }
    }
    // A sample of cells suffices, as all pairs take long.
    let stride = count.div_ceil(80);
    for cell in 0..count {
        let mut nearest = [f32::MAX; 2];
        for other in (0..count).step_by(stride).filter(|other| *other != cell) {
            let far: f32 = (0..3).map(|at| (inners[cell][at] - inners[other][at]).powi(2)).sum();
            nearest = [nearest[0].min(far), nearest[1].min(far.max(nearest[0]))];
        }
        inner_factors[cell] *= (-nearest[1].sqrt() / INNER_DISTANCE).exp();
    }
    let inner_spread = spread(inners.iter().copied());
    let qualities = borders.map(|borders| {
        let colours = || borders.iter().map(|border| border.0);
        let (border, border_spread) = (mean(colours()), spread(colours()));
        let cells = (0..count).map(|cell| {
            let (own, evenness) = borders[cell];
            let contrast = (distance(inners[cell], own) / FULL_CONTRAST).min(1.0);
            contrast * inner_factors[cell] * evenness * (-distance(own, border) / BORDER_DISTANCE).exp()
        });
        cells.sum::<f32>() / count as f32 * inner_spread / (inner_spread + border_spread).max(1e-9)
    });
    qualities[0].max(qualities[1])
}

/// Mean square distance from the mean.
fn spread(colours: impl Iterator<Item = Oklab> + Clone) -> f32 {
    let mean = mean(colours.clone());
    let (count, sum) =
        colours.fold((0.0, 0.0), |(count, sum), colour| (count + 1.0, sum + distance(colour, mean).powi(2)));
    sum / f32::max(count, 1.0)
}

fn mean(colours: impl Iterator<Item = Oklab>) -> Oklab {
    let sums =
        colours.fold([0.0; 4], |[count, l, a, b], colour| [count + 1.0, l + colour[0], a + colour[1], b + colour[2]]);
    [1, 2, 3].map(|at| sums[at] / f32::max(sums[0], 1.0))
}
