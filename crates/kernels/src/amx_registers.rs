//! Products by AMX's tile registers, and the same in plain words for tests.
//!
//! A matrix has sixteen rows of sixteen words. An instruction multiplies two matrices of pairs of
//! bfloat16 and adds the products to a matrix of sums (Intel 64 and IA-32 Architectures Software
//! Developer's Manual, volume 1, chapter 18). Stable Rust has no functions for these instructions.

#![cfg_attr(not(any(test, target_arch = "x86_64")), allow(dead_code))]

#[cfg(test)]
pub mod tests;

#[cfg(target_arch = "x86_64")]
use std::arch::asm;
use std::marker::PhantomData;

use super::line::{Line, WIDTH};

pub const HEIGHT: usize = WIDTH;
/// Bytes of a line.
pub const LINE: usize = size_of::<Line>();

/// Up to four matrices of sums: products of one or two matrices on the left by one or two on the right, over
/// the steps of a [`Work`]. What is absent is null.
#[derive(Debug)]
#[repr(C)]
pub struct Job {
    left: [*const u8; 2],
    /// Sixteen lines for each step, one step after the other.
    right: [*const Line; 2],
    /// Left by right: 0 by 0, 1 by 0, 0 by 1, 1 by 1.
    sums: [*mut Line; 4],
}

impl Job {
    /// A job with the second matrix on the left if `tall`, and on the right if `wide`.
    pub fn new(left: [*const u8; 2], right: [*const Line; 2], sums: [*mut Line; 4], tall: bool, wide: bool) -> Self {
        let [left, below] = left;
        let [right, beside] = right;
        let kept = |sum: usize, is_there: bool| if is_there { sums[sum] } else { std::ptr::null_mut() };
        Self {
            left: [left, if tall { below } else { std::ptr::null() }],
            right: [right, if wide { beside } else { std::ptr::null() }],
            sums: [sums[0], kept(1, tall), kept(2, wide), kept(3, tall && wide)],
        }
    }
}

/// Sizes of all matrices: palette 1, then the bytes of a row and the rows of each.
#[derive(Debug)]
#[repr(C)]
struct Configuration {
    palette: [u8; 16],
    bytes: [u16; 16],
    rows: [u8; 16],
}

impl Configuration {
    const fn new() -> Self {
        let mut configuration = Self { palette: [0; 16], bytes: [0; 16], rows: [0; 16] };
        configuration.palette[0] = 1;
        let mut matrix = 0;
        while matrix < 8 {
            (configuration.bytes[matrix], configuration.rows[matrix]) = (LINE as u16, HEIGHT as u8);
            matrix += 1;
        }
        configuration
    }
}

/// Jobs with the same steps, as the assembly reads them.
#[derive(Debug)]
#[repr(C)]
pub struct Work<'a> {
    first_job: *const Job,
    end_of_jobs: *const Job,
    /// Offset, in bytes, of each step in the matrices on the left.
    first_step: *const usize,
    end_of_steps: *const usize,
    /// Bytes from one row of a matrix on the left to the next.
    apart: usize,
    /// Whether products are added to the sums in memory, else to zeros.
    add: usize,
    configuration: Configuration,
    lives: PhantomData<(&'a [Job], &'a [usize])>,
}

impl<'a> Work<'a> {
    pub fn new(jobs: &'a [Job], steps: &'a [usize], apart: usize, add: bool) -> Self {
        let (jobs, steps) = (jobs.as_ptr_range(), steps.as_ptr_range());
        Self {
            first_job: jobs.start,
            end_of_jobs: jobs.end,
            first_step: steps.start,
            end_of_steps: steps.end,
            apart,
            add: add.into(),
            configuration: Configuration::new(),
            lives: PhantomData,
        }
    }

    /// Does all jobs. Matrices live within one block of assembly, since the language knows none of them
    /// between two.
    ///
    /// # Safety
    /// The processor has the instructions and the system grants matrix data: `used()` is `Amx`. Sixteen
    /// rows may be read at each step of each matrix, and written at each matrix of sums.
    #[cfg(target_arch = "x86_64")]
    pub unsafe fn by_registers(&self) {
        // SAFETY: the caller's promise; all registers that are written are named.
        unsafe {
            asm!(
                "ldtilecfg [{work} + {configuration}]",
                "mov {line:e}, {LINE}",
                "mov {apart}, [{work} + {apart_of_work}]",
                "mov {job}, [{work}]",
                // Each job.
                "2:",
                "cmp {job}, [{work} + 8]",
                "je 9f",
                "cmp qword ptr [{work} + {add}], 0",
                "je 3f",
                "mov {at}, [{job} + 32]",
                "tileloadd tmm0, [{at} + {line}]",
                "mov {at}, [{job} + 40]",
                "test {at}, {at}",
                "jz 32f",
                "tileloadd tmm1, [{at} + {line}]",
                "32:",
                "mov {at}, [{job} + 48]",
                "test {at}, {at}",
                "jz 4f",
                "tileloadd tmm2, [{at} + {line}]",
                "mov {at}, [{job} + 56]",
                "test {at}, {at}",
                "jz 4f",
                "tileloadd tmm3, [{at} + {line}]",
                "jmp 4f",
                "3:",
                "tilezero tmm0",
                "tilezero tmm1",
                "tilezero tmm2",
                "tilezero tmm3",
                "4:",
                "mov {left}, [{job}]",
                "mov {below}, [{job} + 8]",
                "mov {right}, [{job} + 16]",
                "mov {beside}, [{job} + 24]",
                "mov {step}, [{work} + 16]",
                // Each step.
                "5:",
                "cmp {step}, [{work} + 24]",
                "je 6f",
                "mov {offset}, [{step}]",
                "lea {at}, [{left} + {offset}]",
                "tileloadd tmm4, [{at} + {apart}]",
                "tileloadd tmm6, [{right} + {line}]",
                "tdpbf16ps tmm0, tmm4, tmm6",
                "test {beside}, {beside}",
                "jz 7f",
                "tileloadd tmm7, [{beside} + {line}]",
                "tdpbf16ps tmm2, tmm4, tmm7",
                "add {beside}, {MATRIX}",
                "7:",
                "test {below}, {below}",
                "jz 8f",
                "lea {at}, [{below} + {offset}]",
                "tileloadd tmm5, [{at} + {apart}]",
                "tdpbf16ps tmm1, tmm5, tmm6",
                "test {beside}, {beside}",
                "jz 8f",
                "tdpbf16ps tmm3, tmm5, tmm7",
                "8:",
                "add {right}, {MATRIX}",
                "add {step}, 8",
                "jmp 5b",
                "6:",
                "mov {at}, [{job} + 32]",
                "tilestored [{at} + {line}], tmm0",
                "mov {at}, [{job} + 40]",
                "test {at}, {at}",
                "jz 62f",
                "tilestored [{at} + {line}], tmm1",
                "62:",
                "mov {at}, [{job} + 48]",
                "test {at}, {at}",
                "jz 63f",
                "tilestored [{at} + {line}], tmm2",
                "mov {at}, [{job} + 56]",
                "test {at}, {at}",
                "jz 63f",
                "tilestored [{at} + {line}], tmm3",
                "63:",
                "add {job}, {JOB}",
                "jmp 2b",
                "9:",
                "tilerelease",
                LINE = const LINE,
                MATRIX = const HEIGHT * LINE,
                JOB = const size_of::<Job>(),
                apart_of_work = const std::mem::offset_of!(Self, apart),
                add = const std::mem::offset_of!(Self, add),
                configuration = const std::mem::offset_of!(Self, configuration),
                work = in(reg) self,
                line = out(reg) _,
                apart = out(reg) _,
                job = out(reg) _,
                at = out(reg) _,
                left = out(reg) _,
                below = out(reg) _,
                right = out(reg) _,
                beside = out(reg) _,
                step = out(reg) _,
                offset = out(reg) _,
                out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
                out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
                options(nostack)
            );
        }
    }
}
