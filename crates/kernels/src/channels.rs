//! Copies between numbers, channels last, and lines of channels.

use super::line::{Line, WIDTH};
use super::outputs::{Cell, Finish};
use super::register::{Register, with_the_best_instructions};
use crate::activation::Activation;

/// A group of up to [`WIDTH`] of a cell's channels.
#[derive(Clone, Copy, Debug)]
pub struct Channels {
    all: usize,
    group: usize,
}

impl Channels {
    pub fn of_group(all: usize, group: usize) -> Self {
        Self { all, group }
    }

    #[inline(always)]
    pub fn groups(all: usize) -> impl Iterator<Item = Self> {
        (0..all.div_ceil(WIDTH)).map(move |group| Self { all, group })
    }

    #[inline(always)]
    pub fn width(self) -> usize {
        WIDTH.min(self.all - self.group * WIDTH)
    }

    pub fn first(self) -> usize {
        self.group * WIDTH
    }

    /// Bits of the channels that let a cell's gradient pass.
    #[inline(always)]
    fn mask(self, mask: &[u16], cell: usize) -> u16 {
        mask.get(cell * self.all.div_ceil(WIDTH) + self.group).copied().unwrap_or(u16::MAX)
    }

    /// A register of a cell's numbers from `lane` on, zeros behind the last.
    ///
    /// # Safety
    /// The processor has the instructions of `R`.
    #[inline(always)]
    unsafe fn load<R: Register>(self, numbers: &[f32], cell: usize, lane: usize) -> R {
        let numbers = &numbers[cell * self.all + self.group * WIDTH..][..self.width()];
        // SAFETY: a line holds whole registers.
        unsafe {
            if numbers.len() == WIDTH {
                return R::load(numbers.as_ptr().add(lane));
            }
            let mut line = [0.0; WIDTH];
            line[..numbers.len()].copy_from_slice(numbers);
            R::load(line.as_ptr().add(lane))
        }
    }

    /// Writes a register to a cell's numbers from `lane` on, within the group.
    ///
    /// # Safety
    /// The processor has the instructions of `R`.
    #[inline(always)]
    unsafe fn store<R: Register>(self, register: R, numbers: &mut [f32], cell: usize, lane: usize) {
        let numbers = &mut numbers[cell * self.all + self.group * WIDTH..][..self.width()];
        // SAFETY: a line holds whole registers.
        unsafe {
            if numbers.len() == WIDTH {
                return register.store(numbers.as_mut_ptr().add(lane));
            }
            let mut line = [0.0; WIDTH];
            register.store(line.as_mut_ptr());
            for (number, from) in numbers.iter_mut().skip(lane).zip(&line[..R::LANES]) {
                *number = *from;
            }
        }
    }
}

/// Numbers `[cells, channels]`, of which a mask lets some pass.
#[derive(Clone, Copy)]
pub struct Batch<'a> {
    pub numbers: &'a [f32],
    pub channels: usize,
    /// `[cells, groups]`, a bit for each channel; an empty mask lets all numbers pass.
    pub mask: &'a [u16],
}

/// Numbers `[cells, channels]` that a convolution writes.
pub struct Outputs<'a> {
    /// Convolution's input, which a residual adds, or empty.
    pub input: &'a [f32],
    pub numbers: &'a mut [f32],
    /// `[cells, groups]`, a bit for each sum that passes the ReLU, or empty.
    pub mask: &'a mut [u16],
}

/// Fetches the numbers ahead of `at` into the cache.
#[inline(always)]
fn fetch(numbers: &[f32], at: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};

        // Two pages, since the processor's own fetching ends with each page.
        const AHEAD: usize = 2048;
        // SAFETY: a prefetch reads nothing, and ignores addresses without memory.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(numbers.as_ptr().wrapping_add(at + AHEAD).cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (numbers, at);
}

with_the_best_instructions! {
    /// Copies the cells' numbers that pass the mask to a padded block, zeros for missing cells; the
    /// block has each cell at one of the `lines`.
    pub fn pad(batch: Batch, lines: &[usize], padded: &mut [Line]) = pad_all
}

#[inline(always)]
unsafe fn pad_all<R: Register>(batch: Batch, lines: &[usize], padded: &mut [Line]) {
    let Batch { numbers, channels, mask } = batch;
    let cells = numbers.len() / channels;
    let size = padded.len() / channels.div_ceil(WIDTH);
    for (cell, line) in lines[..cells].iter().enumerate() {
        for channels in Channels::groups(channels) {
            fetch(numbers, cell * channels.all + channels.first());
            let to = &mut padded[channels.group * size + line].0;
            let passes = channels.mask(mask, cell);
            for lane in (0..WIDTH).step_by(R::LANES) {
                // SAFETY: a line holds whole registers.
                unsafe {
                    let number: R = channels.load(numbers, cell, lane);
                    number.where_set(passes >> lane).store(to.as_mut_ptr().add(lane));
                }
            }
        }
    }
    for line in &lines[cells..] {
        padded.chunks_exact_mut(size).for_each(|padded| padded[*line] = Line::default());
    }
}

with_the_best_instructions! {
    pub fn to_sums(numbers: &[f32], channels: Channels, cells: &[Cell], sums: &mut [Line]) = all_to_sums
}

#[inline(always)]
unsafe fn all_to_sums<R: Register>(numbers: &[f32], channels: Channels, cells: &[Cell], sums: &mut [Line]) {
    for cell in cells {
        let to = &mut sums[cell.sum].0;
        for lane in (0..WIDTH).step_by(R::LANES) {
            // SAFETY: a line holds whole registers.
            unsafe {
                let number: R = channels.load(numbers, cell.number, lane);
                number.store(to.as_mut_ptr().add(lane));
            }
        }
    }
}

with_the_best_instructions! {
    /// Writes activated sums to a group of the cells' channels.
    pub fn activate(
        activation: Activation,
        cells: &[Cell],
        sums: &[Line],
        channels: Channels,
        outputs: &mut Outputs,
    ) = activate_all
}

#[inline(always)]
unsafe fn activate_all<R: Register>(
    activation: Activation,
    cells: &[Cell],
    sums: &[Line],
    channels: Channels,
    outputs: &mut Outputs,
) {
    let Outputs { input, numbers: output, mask } = outputs;
    for cell in cells {
        fetch(output, cell.number * channels.all + channels.first());
        let from = &sums[cell.sum].0;
        let mut passes = 0;
        for lane in (0..WIDTH).step_by(R::LANES) {
            // SAFETY: a line holds whole registers.
            unsafe {
                let sum = R::load(from.as_ptr().add(lane));
                passes |= sum.passes() << lane;
                let activated = match activation {
                    Activation::None => sum,
                    Activation::Relu => sum.rectified(),
                    Activation::Residual => channels.load::<R>(input, cell.number, lane).plus(sum.rectified()),
                };
                channels.store(activated, output, cell.number, lane);
            }
        }
        if let Some(mask) = mask.get_mut(cell.number * channels.all.div_ceil(WIDTH) + channels.group) {
            *mask = passes;
        }
    }
}

with_the_best_instructions! {
    /// Sums a group of a padded block over each board's cells: `[boards, channels]`.
    pub fn sum_cells(
        padded: &[Line],
        lines: &[usize],
        cells: usize,
        channels: Channels,
        sums: &mut [f32],
    ) = sum_all_cells
}

#[inline(always)]
unsafe fn sum_all_cells<R: Register>(
    padded: &[Line],
    lines: &[usize],
    cells: usize,
    channels: Channels,
    sums: &mut [f32],
) {
    let boards = sums.len() / channels.all;
    for (board, lines) in lines.chunks_exact(cells).take(boards).enumerate() {
        for lane in (0..WIDTH).step_by(R::LANES) {
            // SAFETY: a line holds whole registers.
            unsafe {
                let mut sum = R::zero();
                for line in lines {
                    sum = sum.plus(R::load(padded[*line].0.as_ptr().add(lane)));
                }
                channels.store(sum, sums, board, lane);
            }
        }
    }
}

with_the_best_instructions! {
    pub fn add_lines(lines: &[Line], sums: &mut [Line]) = add_all_lines
}

#[inline(always)]
unsafe fn add_all_lines<R: Register>(lines: &[Line], sums: &mut [Line]) {
    for (Line(line), Line(sum)) in lines.iter().zip(sums) {
        for lane in (0..WIDTH).step_by(R::LANES) {
            // SAFETY: a line holds whole registers.
            unsafe {
                let to = sum.as_mut_ptr().add(lane);
                R::load(to).plus(R::load(line.as_ptr().add(lane))).store(to);
            }
        }
    }
}

with_the_best_instructions! {
    /// Writes the sum of blocks of equal size, times a factor.
    pub fn sum_of_blocks(blocks: &[&[Line]], factor: f32, sum: &mut [Line]) = sum_of_all_blocks
}

#[inline(always)]
unsafe fn sum_of_all_blocks<R: Register>(blocks: &[&[Line]], factor: f32, sum: &mut [Line]) {
    let (first, others) = blocks.split_first().expect("a block");
    assert!(blocks.iter().all(|block| block.len() == sum.len()), "blocks of equal size");
    for (index, (Line(first), Line(to))) in first.iter().zip(sum).enumerate() {
        for lane in (0..WIDTH).step_by(R::LANES) {
            // SAFETY: a line holds whole registers, and each block has the line, as asserted.
            unsafe {
                let mut sum = R::load(first.as_ptr().add(lane));
                for block in others {
                    sum = sum.plus(R::load(block.get_unchecked(index).0.as_ptr().add(lane)));
                }
                sum.times(R::splat(&factor)).store(to.as_mut_ptr().add(lane));
            }
        }
    }
}

with_the_best_instructions! {
    /// Adds all lines to one.
    pub fn add_up(lines: &[Line], sum: &mut Line) = add_all_up
}

#[inline(always)]
unsafe fn add_all_up<R: Register>(lines: &[Line], Line(sum): &mut Line) {
    for lane in (0..WIDTH).step_by(R::LANES) {
        // SAFETY: a line holds whole registers.
        unsafe {
            let to = sum.as_mut_ptr().add(lane);
            let mut sum = R::load(to);
            for Line(line) in lines {
                sum = sum.plus(R::load(line.as_ptr().add(lane)));
            }
            sum.store(to);
        }
    }
}

with_the_best_instructions! {
    /// Writes the gradients of sums whose ReLU raised `before`, or zeros, to `after`, zeros for the
    /// others, and adds them to a block.
    pub fn pass(
        after: &[Line],
        before: Option<&[Line]>,
        gradients: &[Line],
        passed: &mut [Line],
        total: &mut [Line],
    ) = pass_all
}

#[inline(always)]
unsafe fn pass_all<R: Register>(
    after: &[Line],
    before: Option<&[Line]>,
    gradients: &[Line],
    passed: &mut [Line],
    total: &mut [Line],
) {
    let all = after.iter().zip(gradients).zip(passed.iter_mut().zip(total));
    for (index, ((Line(after), Line(gradient)), (Line(passed), Line(total)))) in all.enumerate() {
        for lane in (0..WIDTH).step_by(R::LANES) {
            // SAFETY: a line holds whole registers.
            unsafe {
                let mut raised = R::load(after.as_ptr().add(lane));
                if let Some(before) = before {
                    raised = raised.minus(R::load(before[index].0.as_ptr().add(lane)));
                }
                let gradient = R::load(gradient.as_ptr().add(lane));
                let gradient = gradient.where_set(raised.passes());
                gradient.store(passed.as_mut_ptr().add(lane));
                let total = total.as_mut_ptr().add(lane);
                R::load(total).plus(gradient).store(total);
            }
        }
    }
}

with_the_best_instructions! {
    /// Writes `lines[indices[i]]` to `to[i]`.
    pub fn copy_by_index(lines: &[Line], indices: &[usize], to: &mut [Line]) = copy_all_by_index
}

#[inline(always)]
unsafe fn copy_all_by_index<R: Register>(lines: &[Line], indices: &[usize], to: &mut [Line]) {
    for (Line(to), index) in to.iter_mut().zip(indices) {
        let Line(from) = &lines[*index];
        for lane in (0..WIDTH).step_by(R::LANES) {
            // SAFETY: a line holds whole registers.
            unsafe { R::load(from.as_ptr().add(lane)).store(to.as_mut_ptr().add(lane)) }
        }
    }
}

with_the_best_instructions! {
    pub fn scale_lines(factor: f32, lines: &mut [Line]) = scale_all_lines
}

#[inline(always)]
unsafe fn scale_all_lines<R: Register>(factor: f32, lines: &mut [Line]) {
    for Line(line) in lines {
        for lane in (0..WIDTH).step_by(R::LANES) {
            // SAFETY: a line holds whole registers.
            unsafe {
                let to = line.as_mut_ptr().add(lane);
                R::load(to).times(R::splat(&factor)).store(to);
            }
        }
    }
}

with_the_best_instructions! {
    /// Writes activated sums to a group of a padded block.
    pub fn write_cells(cells: &[Cell], sums: &[Line], finish: &Finish, output: &mut [Line]) = write_all_cells
}

#[inline(always)]
unsafe fn write_all_cells<R: Register>(cells: &[Cell], sums: &[Line], finish: &Finish, output: &mut [Line]) {
    // SAFETY: a line holds whole registers.
    let sum = |cell: &Cell, lane: usize| unsafe { R::load(sums[cell.sum].0.as_ptr().add(lane)) };
    // SAFETY: the caller's promise.
    unsafe { write_each(cells, sum, finish, output) }
}

with_the_best_instructions! {
    /// [`write_cells`] of sums from number `first` on, without starts.
    pub fn start_and_write_cells(
        cells: &[Cell],
        first: usize,
        sums: &[Line],
        finish: &Finish,
        output: &mut [Line],
    ) = start_and_write_all_cells
}

#[inline(always)]
unsafe fn start_and_write_all_cells<R: Register>(
    cells: &[Cell],
    first: usize,
    sums: &[Line],
    finish: &Finish,
    output: &mut [Line],
) {
    let sum = |cell: &Cell, lane: usize| {
        let (Line(sum), Line(start)) = (&sums[cell.sum - first], &finish.starts[cell.board]);
        // SAFETY: a line holds whole registers.
        unsafe { R::load(sum.as_ptr().add(lane)).plus(R::load(start.as_ptr().add(lane))) }
    };
    // SAFETY: the caller's promise.
    unsafe { write_each(cells, sum, finish, output) }
}

/// # Safety
/// The processor has the instructions of `R`.
#[inline(always)]
unsafe fn write_each<R: Register>(
    cells: &[Cell],
    sum: impl Fn(&Cell, usize) -> R,
    finish: &Finish,
    output: &mut [Line],
) {
    assert!(finish.fits(output.len()), "a group of a block of that size");
    for cell in cells {
        let Line(to) = &mut output[cell.line];
        for lane in (0..WIDTH).step_by(R::LANES) {
            // SAFETY: a line holds whole registers, and the block holds the line.
            unsafe {
                finish.output(sum(cell, lane), cell.line * WIDTH + lane).store(to.as_mut_ptr().add(lane));
            }
        }
    }
}
