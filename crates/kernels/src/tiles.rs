//! 3x3 convolutions by AMX, in bfloat16.
//!
//! An instruction multiplies sixteen rows of pairs by sixteen others, so each place sums over its
//! neighbourhood. A tile is sixteen lines of a rounded padded block, and each tap a fixed offset.
//! Products between the boards are not used. Tests emulate tiles.

#![cfg_attr(not(any(test, target_arch = "x86_64")), allow(dead_code))]

use super::geometry::Shape;
use super::line::{Line, WIDTH};
use super::register::{Register, with_the_best_instructions};
#[cfg(test)]
use super::tile_registers::Emulation;
#[cfg(target_arch = "x86_64")]
use super::tile_registers::Processor;
use super::tile_registers::{HEIGHT, LINE, TileRegisters};
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

/// Positions of a block's numbers in its products. A corner is the first line of a place's
/// neighbourhood.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    padded: usize,
    /// Lines from one row of a board to the next.
    row: usize,
    /// Number after the last place's corner.
    corners: usize,
    inputs: usize,
}

impl Block {
    pub fn new(shape: &Shape, boards: usize) -> Self {
        let last = (boards * shape.places()).checked_sub(1);
        let corners = last.map_or(0, |place| shape.neighbourhood(place) / WIDTH + 1);
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

    /// Adds the convolution at tiles of corners from `first` on to sums `[panels, corners]`;
    /// [`round`](Self::round) wrote `rounded`.
    pub fn add_products(&self, rounded: &[Line], panels: &[Line], first: usize, sums: &mut [Line]) {
        self.products::<true>(rounded, panels, first, sums);
    }

    /// Writes the convolution as [`add_products`](Self::add_products) adds it.
    pub fn write_products(&self, rounded: &[Line], panels: &[Line], first: usize, sums: &mut [Line]) {
        self.products::<false>(rounded, panels, first, sums);
    }

    fn products<const ADD: bool>(&self, rounded: &[Line], panels: &[Line], first: usize, sums: &mut [Line]) {
        #[cfg(test)]
        if tests::EMULATED.get() {
            let registers = &mut Emulation::default();
            // SAFETY: the emulation needs no instructions.
            return unsafe { products::<_, ADD>(registers, self, rounded, panels, first, sums) };
        }
        // SAFETY: plans use tiles only if the processor has them.
        #[cfg(target_arch = "x86_64")]
        unsafe {
            products::<_, ADD>(&mut Processor::new(), self, rounded, panels, first, sums);
        }
        #[cfg(not(target_arch = "x86_64"))]
        unreachable!("tiles are of other processors: {rounded:?} {panels:?} {first} {sums:?}");
    }

    /// Lines of a row of [`turn`](Self::turn); an odd number avoids collisions in the cache.
    fn turned_row(&self) -> usize {
        (self.steps() + (2 * self.row + ROW).div_ceil(HALVES)) | 1
    }

    /// Steps of [`HALVES`] lines over all places.
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

    /// Rounds a group of padded gradients in pairs of lines, from the first place on.
    pub fn pair(&self, gradients: &[Line], paired: &mut [Line]) {
        pair_lines(&gradients[self.row + 1..], paired);
    }

    /// Adds the gradient of the weights to sums; [`turn`](Self::turn) wrote `turned`,
    /// [`pair`](Self::pair) `paired` for each panel.
    pub fn add_gradients(&self, turned: &[Line], paired: &[Line], sums: &mut [Line]) {
        #[cfg(test)]
        if tests::EMULATED.get() {
            // SAFETY: the emulation needs no instructions.
            return unsafe { add_gradients(&mut Emulation::default(), self, turned, paired, sums) };
        }
        // SAFETY: plans use tiles only if the processor has them.
        #[cfg(target_arch = "x86_64")]
        unsafe {
            add_gradients(&mut Processor::new(), self, turned, paired, sums);
        }
        #[cfg(not(target_arch = "x86_64"))]
        unreachable!("tiles are of other processors: {turned:?} {paired:?} {sums:?}");
    }
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

/// # Safety
/// The processor has the instructions of `T`.
#[inline(always)]
unsafe fn products<T: TileRegisters, const ADD: bool>(
    registers: &mut T,
    block: &Block,
    rounded: &[Line],
    panels: &[Line],
    first: usize,
    sums: &mut [Line],
) {
    let (panel, reach) = (block.panel(), block.reach());
    let rows = sums.len() / (panels.len() / panel);
    assert_eq!(rounded.len(), block.rounded(), "a rounded block");
    assert_eq!(sums.len(), panels.len() / panel * rows, "sums of each panel");
    assert!(panels.len().is_multiple_of(panel), "whole panels");
    assert!(rows.is_multiple_of(HEIGHT) && first + rows <= block.rows(), "whole tiles");
    let taps = |group: usize| {
        let offset = move |tap: usize| group * reach + tap / ROW * block.row + tap % ROW;
        (0..TAPS).map(move |tap| (offset(tap), (group * TAPS + tap) * WIDTH))
    };
    for (panels, sums) in panels.chunks(2 * panel).zip(sums.chunks_mut(2 * rows)) {
        for row in (0..rows).step_by(2 * HEIGHT) {
            let (tall, wide) = (row + HEIGHT < rows, panels.len() > panel);
            // SAFETY: sixteen lines of sums are written at each row, and sixteen of the block read
            // at each corner and tap, which its reach allows.
            unsafe {
                let left = |offset: usize| rounded.as_ptr().add(first + row + offset).cast::<u8>();
                let right = |line: usize| panels.as_ptr().add(line).cast::<u8>();
                let to = sums.as_mut_ptr().add(row);
                let below = to.wrapping_add(HEIGHT);
                let (beside, last) = (to.wrapping_add(rows), below.wrapping_add(rows));
                if ADD {
                    registers.load::<0>(to.cast(), LINE);
                    if tall {
                        registers.load::<1>(below.cast(), LINE);
                    }
                    if wide {
                        registers.load::<2>(beside.cast(), LINE);
                    }
                    if tall && wide {
                        registers.load::<3>(last.cast(), LINE);
                    }
                } else {
                    registers.zero::<0>();
                    registers.zero::<1>();
                    registers.zero::<2>();
                    registers.zero::<3>();
                }
                for (offset, line) in (0..block.groups()).flat_map(taps) {
                    registers.load::<4>(left(offset), LINE);
                    registers.load::<6>(right(line), LINE);
                    registers.add_product::<0, 4, 6>();
                    if wide {
                        registers.load::<7>(right(panel + line), LINE);
                        registers.add_product::<2, 4, 7>();
                    }
                    if tall {
                        registers.load::<5>(left(offset + HEIGHT), LINE);
                        registers.add_product::<1, 5, 6>();
                        if wide {
                            registers.add_product::<3, 5, 7>();
                        }
                    }
                }
                registers.store::<0>(to);
                if tall {
                    registers.store::<1>(below);
                }
                if wide {
                    registers.store::<2>(beside);
                }
                if tall && wide {
                    registers.store::<3>(last);
                }
            }
        }
    }
}

/// # Safety
/// The processor has the instructions of `T`.
#[inline(always)]
unsafe fn add_gradients<T: TileRegisters>(
    registers: &mut T,
    block: &Block,
    turned: &[Line],
    paired: &[Line],
    sums: &mut [Line],
) {
    let (size, row, panel) = (block.paired(), block.turned_row(), Block::gradient_panel(block.inputs));
    assert_eq!(turned.len(), block.turned(), "turned inputs");
    assert!(paired.len().is_multiple_of(size), "gradients of whole panels");
    assert_eq!(paired.len() * panel, sums.len() * size, "gradients of each panel");
    for (paired, sums) in paired.chunks(2 * size).zip(sums.chunks_mut(2 * panel)) {
        let wide = paired.len() > size;
        for group in 0..block.inputs.div_ceil(WIDTH) {
            for kernel_row in 0..ROW {
                // SAFETY: sixteen lines of sums of three taps are written; a row of the turned
                // block reaches two rows of a board and two lines beyond the last step.
                unsafe {
                    let left = |step: usize, tap: usize| {
                        let line = turned.as_ptr().add(group * WIDTH * row + step).cast::<u16>();
                        line.add(kernel_row * block.row + tap).cast::<u8>()
                    };
                    let right = |step: usize| paired.as_ptr().add(step * WIDTH);
                    let to = sums.as_mut_ptr().add((group * TAPS + kernel_row * ROW) * WIDTH);
                    let beside = to.wrapping_add(panel);
                    registers.load::<0>(to.cast(), LINE);
                    registers.load::<1>(to.add(WIDTH).cast(), LINE);
                    registers.load::<2>(to.add(2 * WIDTH).cast(), LINE);
                    if wide {
                        registers.load::<3>(beside.cast(), LINE);
                        registers.load::<4>(beside.add(WIDTH).cast(), LINE);
                        registers.load::<5>(beside.add(2 * WIDTH).cast(), LINE);
                    }
                    for step in 0..block.steps() {
                        registers.load::<6>(right(step).cast(), LINE);
                        registers.load::<7>(left(step, 0), row * LINE);
                        registers.add_product::<0, 7, 6>();
                        if !wide {
                            registers.load::<7>(left(step, 1), row * LINE);
                            registers.add_product::<1, 7, 6>();
                            registers.load::<7>(left(step, 2), row * LINE);
                            registers.add_product::<2, 7, 6>();
                            continue;
                        }
                        let other = right(step).add(size).cast();
                        registers.load::<6>(other, LINE);
                        registers.add_product::<3, 7, 6>();
                        registers.load::<7>(left(step, 1), row * LINE);
                        registers.add_product::<4, 7, 6>();
                        registers.load::<6>(right(step).cast(), LINE);
                        registers.add_product::<1, 7, 6>();
                        registers.load::<7>(left(step, 2), row * LINE);
                        registers.add_product::<2, 7, 6>();
                        registers.load::<6>(other, LINE);
                        registers.add_product::<5, 7, 6>();
                    }
                    registers.store::<0>(to);
                    registers.store::<1>(to.add(WIDTH));
                    registers.store::<2>(to.add(2 * WIDTH));
                    if wide {
                        registers.store::<3>(beside);
                        registers.store::<4>(beside.add(WIDTH));
                        registers.store::<5>(beside.add(2 * WIDTH));
                    }
                }
            }
        }
    }
}

#[cfg(test)]
pub mod tests {
    use std::cell::Cell;

    use super::*;

    thread_local! {
        pub static EMULATED: Cell<bool> = const { Cell::new(false) };
    }

    pub fn emulated<R>(compute: impl FnOnce() -> R + Send) -> R
    where
        R: Send,
    {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        pool.install(|| {
            EMULATED.set(true);
            compute()
        })
    }

    #[test]
    fn words_are_transposed() {
        let lines: [Line; WIDTH] = std::array::from_fn(|k| Line(std::array::from_fn(|i| (100 * k + i) as f32)));
        let mut found = [Line([7.0; WIDTH]); WIDTH];
        transpose(&lines, &mut found);
        for (word, line) in found.iter().enumerate() {
            assert_eq!(line.0, std::array::from_fn(|k| (100 * k + word) as f32));
        }
    }
}
