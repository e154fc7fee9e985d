//! 3x3 convolutions by AMX, in bfloat16.
//!
//! An instruction multiplies sixteen rows of pairs by sixteen others, so each cell sums over its
//! neighbourhood. A matrix is sixteen lines of a rounded padded block, and each tap a fixed offset.
//! Products between the boards are not used. Tests emulate matrices.

#![cfg_attr(not(any(test, target_arch = "x86_64")), allow(dead_code))]

#[cfg(test)]
pub mod tests;

use super::amx_registers::{HEIGHT, Job, LINE, Work};
use super::geometry::Shape;
use super::line::{Line, WIDTH};
use super::register::{Register, with_the_best_instructions};
use super::unit::Rounding;
#[cfg(target_arch = "x86_64")]
use crate::instructions::InstructionSet;

const HALVES: usize = 2 * WIDTH;
/// Taps of a kernel and of a row.
const TAPS: usize = 9;
const ROW: usize = 3;

/// Whether the processor has AMX, or a test emulates it.
pub fn present() -> bool {
    #[cfg(test)]
    if tests::EMULATED.get() {
        return true;
    }
    #[cfg(target_arch = "x86_64")]
    return InstructionSet::used() >= InstructionSet::Amx;
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Positions of a block's numbers in its products. A corner is the first line of a cell's
/// neighbourhood.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    padded: usize,
    /// Lines from one row of a board to the next.
    row: usize,
    /// Number after the last cell's corner.
    corners: usize,
    inputs: usize,
}

impl Block {
    pub fn new(shape: &Shape, boards: usize) -> Self {
        let last = (boards * shape.cells()).checked_sub(1);
        let corners = last.map_or(0, |cell| shape.neighbourhood(cell) / WIDTH + 1);
        Self { padded: shape.padded(), row: shape.padded_columns(), corners, inputs: shape.inputs }
    }

    pub fn padded(&self) -> usize {
        self.padded
    }

    pub fn panels(&self, panels: &[Line]) -> usize {
        panels.len() / self.panel()
    }

    pub fn rows(&self) -> usize {
        self.corners.next_multiple_of(HEIGHT)
    }

    fn groups(&self) -> usize {
        self.inputs.div_ceil(HALVES)
    }

    pub fn panel(&self) -> usize {
        Self::panel_of(self.inputs)
    }

    /// Lines of a panel of weights: `[groups, taps, pairs]`.
    pub fn panel_of(inputs: usize) -> usize {
        inputs.div_ceil(HALVES) * TAPS * WIDTH
    }

    /// Lines of a panel's gradient: `[groups, taps, inputs]`, in groups of [`WIDTH`] inputs.
    pub fn gradient_panel(inputs: usize) -> usize {
        inputs.div_ceil(WIDTH) * TAPS * WIDTH
    }

    pub fn gradient_line(input: usize, tap: usize) -> usize {
        (input / WIDTH * TAPS + tap) * WIDTH + input % WIDTH
    }

    /// Lines of a group of rounded inputs, with those read behind the block.
    fn reach(&self) -> usize {
        self.rows() + 2 * self.row + ROW
    }

    /// Lines that [`round`](Self::round) writes.
    pub fn rounded(&self) -> usize {
        self.groups() * self.reach()
    }

    /// Rounds a padded block to `[groups, lines]` of [`HALVES`] inputs.
    pub fn round(&self, padded: &[Line], rounded: &mut [Line]) {
        round_lines(padded, self.padded, self.reach(), rounded);
    }

    /// Adds the convolution at matrices of corners from `first` on to sums `[panels, corners]`;
    /// [`round`](Self::round) wrote `rounded`.
    pub fn add_products(&self, rounded: &[Line], panels: &[Line], first: usize, sums: &mut [Line]) {
        self.products(rounded, panels, first, sums, true);
    }

    /// Writes the convolution as [`add_products`](Self::add_products) adds it.
    pub fn write_products(&self, rounded: &[Line], panels: &[Line], first: usize, sums: &mut [Line]) {
        self.products(rounded, panels, first, sums, false);
    }

    fn products(&self, rounded: &[Line], panels: &[Line], first: usize, sums: &mut [Line], add: bool) {
        let (panel, reach) = (self.panel(), self.reach());
        let rows = sums.len() / (panels.len() / panel);
        assert_eq!(rounded.len(), self.rounded(), "a rounded block");
        assert_eq!(sums.len(), panels.len() / panel * rows, "sums of each panel");
        assert!(panels.len().is_multiple_of(panel), "whole panels");
        assert!(rows.is_multiple_of(HEIGHT) && first + rows <= self.rows(), "whole matrices");
        let offset = |group: usize, tap: usize| (group * reach + tap / ROW * self.row + tap % ROW) * LINE;
        let steps: Vec<usize> =
            (0..self.groups()).flat_map(|group| (0..TAPS).map(move |tap| offset(group, tap))).collect();
        let (left, right, to) = (rounded.as_ptr(), panels.as_ptr(), sums.as_mut_ptr());
        let mut jobs = Vec::with_capacity(panels.len() / panel * rows / HEIGHT);
        for (pair, row) in (0..panels.len() / panel)
            .step_by(2)
            .flat_map(|pair| (0..rows).step_by(2 * HEIGHT).map(move |row| (pair, row)))
        {
            let (tall, wide) = (row + HEIGHT < rows, (pair + 1) * panel < panels.len());
            let sum = |below: usize, beside: usize| to.wrapping_add((pair + beside) * rows + row + below * HEIGHT);
            jobs.push(Job::new(
                [0, HEIGHT].map(|below| left.wrapping_add(first + row + below).cast()),
                [0, 1].map(|beside| right.wrapping_add((pair + beside) * panel)),
                [sum(0, 0), sum(1, 0), sum(0, 1), sum(1, 1)],
                tall,
                wide,
            ));
        }
        // SAFETY: sixteen lines of sums are written at each row, and sixteen of the block read at each
        // corner and tap, which its reach allows; panels have sixteen lines for each step. Plans use
        // matrices only if the processor has them.
        unsafe { multiply(&Work::new(&jobs, &steps, LINE, add)) }
    }

    /// Lines of a row of [`turn`](Self::turn); an odd number avoids collisions in the cache.
    fn turned_row(&self) -> usize {
        (self.steps() + (2 * self.row + ROW).div_ceil(HALVES)) | 1
    }

    /// Steps of [`HALVES`] lines over all cells.
    fn steps(&self) -> usize {
        self.corners.div_ceil(HALVES)
    }

    /// Lines that [`turn`](Self::turn) writes.
    pub fn turned(&self) -> usize {
        self.inputs.div_ceil(WIDTH) * WIDTH * self.turned_row()
    }

    /// Rounds a padded block to `[channels, lines]`.
    pub fn turn(&self, padded: &[Line], turned: &mut [Line]) {
        turn_lines(padded, self.padded, self.turned_row(), turned);
    }

    /// Lines that [`pair`](Self::pair) writes for a group of gradients.
    pub fn paired(&self) -> usize {
        self.steps() * WIDTH
    }

    /// Rounds a group of padded gradients in pairs of lines, from the first cell on.
    pub fn pair(&self, gradients: &[Line], paired: &mut [Line]) {
        pair_lines(&gradients[self.row + 1..], paired);
    }

    /// Adds the gradient of the weights to sums; [`turn`](Self::turn) wrote `turned`,
    /// [`pair`](Self::pair) `paired` for each panel.
    pub fn add_gradients(&self, turned: &[Line], paired: &[Line], sums: &mut [Line]) {
        let (size, row, panel) = (self.paired(), self.turned_row(), Self::gradient_panel(self.inputs));
        assert_eq!(turned.len(), self.turned(), "turned inputs");
        assert!(paired.len().is_multiple_of(size), "gradients of whole panels");
        assert_eq!(paired.len() * panel, sums.len() * size, "gradients of each panel");
        let steps: Vec<usize> = (0..self.steps()).map(|step| step * LINE).collect();
        let (right, to) = (paired.as_ptr(), sums.as_mut_ptr());
        let mut jobs = Vec::with_capacity(sums.len() / HEIGHT);
        for pair in (0..paired.len() / size).step_by(2) {
            let wide = (pair + 1) * size < paired.len();
            for group in 0..self.inputs.div_ceil(WIDTH) {
                // A tap moves the turned lines by a number of 16 bits.
                let left = |tap: usize| {
                    let numbers = turned.as_ptr().wrapping_add(group * WIDTH * row).cast::<u16>();
                    numbers.wrapping_add(tap / ROW * self.row + tap % ROW).cast()
                };
                for tap in (0..TAPS).step_by(2) {
                    let sum = |next: usize, beside: usize| {
                        to.wrapping_add((pair + beside) * panel + (group * TAPS + tap + next) * WIDTH)
                    };
                    jobs.push(Job::new(
                        [left(tap), left(tap + 1)],
                        [0, 1].map(|beside| right.wrapping_add((pair + beside) * size)),
                        [sum(0, 0), sum(1, 0), sum(0, 1), sum(1, 1)],
                        tap + 1 < TAPS,
                        wide,
                    ));
                }
            }
        }
        // SAFETY: sixteen lines of sums of each tap are written; a row of the turned block reaches two
        // rows of a board and two lines beyond the last step; panels have sixteen lines for each step.
        // Plans use matrices only if the processor has them.
        unsafe { multiply(&Work::new(&jobs, &steps, row * LINE, true)) }
    }
}

/// Does work by matrices, or as tests emulate them.
///
/// # Safety
/// The promise of `Work::by_registers`.
unsafe fn multiply(work: &Work) {
    #[cfg(test)]
    if tests::EMULATED.get() {
        // SAFETY: the caller's promise.
        return unsafe { work.plainly() };
    }
    // SAFETY: the caller's promise.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        work.by_registers();
    }
    #[cfg(not(target_arch = "x86_64"))]
    unreachable!("matrices are of other processors: {work:?}");
}

with_the_best_instructions! {
    fn round_lines(padded: &[Line], size: usize, reach: usize, rounded: &mut [Line]) = pairs round_all
}

#[inline(always)]
unsafe fn round_all<R: Register, U: Rounding<R>>(padded: &[Line], size: usize, reach: usize, rounded: &mut [Line]) {
    for (groups, rounded) in padded.chunks(2 * size).zip(rounded.chunks_exact_mut(reach)) {
        let lines = size.min(reach);
        for half in 0..2 {
            let group = groups.chunks_exact(size).nth(half);
            for (line, Line(to)) in rounded[..lines].iter_mut().enumerate() {
                for lane in (0..WIDTH).step_by(R::LANES) {
                    // SAFETY: a line holds whole registers, and has room for two groups of rounded
                    // numbers.
                    unsafe {
                        let number = group.map_or(R::zero(), |lines| R::load(lines[line].0.as_ptr().add(lane)));
                        U::store(number, to.as_mut_ptr().cast::<u16>().add(half * WIDTH + lane));
                    }
                }
            }
        }
        rounded[lines..].fill(Line::default());
    }
}

with_the_best_instructions! {
    /// Rounds lines in pairs, with zeros behind the last.
    fn pair_lines(lines: &[Line], paired: &mut [Line]) = pairs pair_all
}

#[inline(always)]
unsafe fn pair_all<R: Register, U: Rounding<R>>(lines: &[Line], paired: &mut [Line]) {
    let mut pairs = lines.chunks(2);
    for Line(to) in paired {
        let pair = pairs.next().unwrap_or_default();
        for lane in (0..WIDTH).step_by(R::LANES) {
            // SAFETY: a line holds whole registers.
            unsafe {
                let number = |which: usize| match pair.get(which) {
                    Some(Line(line)) => R::load(line.as_ptr().add(lane)),
                    None => R::zero(),
                };
                U::pairs(number(0), number(1)).store(to.as_mut_ptr().add(lane));
            }
        }
    }
}

/// Turns groups of `size` lines to `[channels, lines]` in rows of `row` lines.
fn turn_lines(padded: &[Line], size: usize, row: usize, turned: &mut [Line]) {
    let mut pairs = [Line::default(); WIDTH];
    let mut columns = [Line::default(); WIDTH];
    for (group, turned) in padded.chunks_exact(size).zip(turned.chunks_exact_mut(WIDTH * row)) {
        for step in 0..row {
            pair_lines(group.get(step * HALVES..).unwrap_or_default(), &mut pairs);
            transpose(&pairs, &mut columns);
            for (channel, column) in columns.iter().enumerate() {
                turned[channel * row + step] = *column;
            }
        }
    }
}

fn transpose(from: &[Line; WIDTH], to: &mut [Line; WIDTH]) {
    #[cfg(target_arch = "x86_64")]
    if InstructionSet::used() >= InstructionSet::Avx512 {
        // SAFETY: the processor has the instructions.
        return unsafe { transpose_in_registers(from, to) };
    }
    for (word, line) in to.iter_mut().enumerate() {
        line.0 = from.map(|from| from.0[word]);
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn transpose_in_registers(from: &[Line; WIDTH], to: &mut [Line; WIDTH]) {
    use std::arch::x86_64::{
        __m512, _mm512_castpd_ps, _mm512_castps_pd, _mm512_loadu_ps, _mm512_setzero_ps, _mm512_shuffle_f32x4,
        _mm512_storeu_ps, _mm512_unpackhi_pd, _mm512_unpackhi_ps, _mm512_unpacklo_pd, _mm512_unpacklo_ps,
    };
    let mut rows = [_mm512_setzero_ps(); WIDTH];
    for (row, line) in rows.iter_mut().zip(from) {
        // SAFETY: a line is sixteen words.
        *row = unsafe { _mm512_loadu_ps(line.0.as_ptr()) };
    }
    // Words of two, then of four rows side by side in each quarter.
    let mut fours = rows;
    for (four, rows) in fours.chunks_exact_mut(4).zip(rows.chunks_exact(4)) {
        let low = [_mm512_unpacklo_ps(rows[0], rows[1]), _mm512_unpacklo_ps(rows[2], rows[3])]
            .map(|row| _mm512_castps_pd(row));
        let high = [_mm512_unpackhi_ps(rows[0], rows[1]), _mm512_unpackhi_ps(rows[2], rows[3])]
            .map(|row| _mm512_castps_pd(row));
        four[0] = _mm512_castpd_ps(_mm512_unpacklo_pd(low[0], low[1]));
        four[1] = _mm512_castpd_ps(_mm512_unpackhi_pd(low[0], low[1]));
        four[2] = _mm512_castpd_ps(_mm512_unpacklo_pd(high[0], high[1]));
        four[3] = _mm512_castpd_ps(_mm512_unpackhi_pd(high[0], high[1]));
    }
    // Then the quarters: word `4 * quarter + within` of all rows.
    let store = |line: &mut Line, words: __m512| {
        // SAFETY: a line is sixteen words.
        unsafe { _mm512_storeu_ps(line.0.as_mut_ptr(), words) }
    };
    for within in 0..4 {
        let [a, b, c, d] = [0, 4, 8, 12].map(|rows| fours[rows + within]);
        let even = [_mm512_shuffle_f32x4::<0x88>(a, b), _mm512_shuffle_f32x4::<0x88>(c, d)];
        let odd = [_mm512_shuffle_f32x4::<0xdd>(a, b), _mm512_shuffle_f32x4::<0xdd>(c, d)];
        store(&mut to[within], _mm512_shuffle_f32x4::<0x88>(even[0], even[1]));
        store(&mut to[4 + within], _mm512_shuffle_f32x4::<0x88>(odd[0], odd[1]));
        store(&mut to[8 + within], _mm512_shuffle_f32x4::<0xdd>(even[0], even[1]));
        store(&mut to[12 + within], _mm512_shuffle_f32x4::<0xdd>(odd[0], odd[1]));
    }
}
