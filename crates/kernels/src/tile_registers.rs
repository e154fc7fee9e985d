//! The registers of [`tiles`](super::tiles), and their emulation.
//!
//! A tile has sixteen rows of sixteen words. One instruction multiplies a tile of pairs of bfloat16 by another and adds
//! the products to a tile of sums (Intel 64 and IA-32 Architectures Software Developer's Manual, volume 1, chapter 18).
//! Rust has no stable functions for these instructions; the leaf here is assembly.

// Other processors have no such tiles.
#![cfg_attr(not(any(test, target_arch = "x86_64")), allow(dead_code))]

#[cfg(target_arch = "x86_64")]
use std::arch::asm;

use super::line::{Line, WIDTH};

/// Rows of a tile.
pub const HEIGHT: usize = WIDTH;
/// Bytes of a line.
pub const LINE: usize = size_of::<Line>();

/// Registers of tiles, all of sixteen rows of a line.
///
/// # Safety
/// Of all functions: the processor has the instructions; where memory is read or written, so many rows may be.
pub trait TileRegisters {
    /// A tile of zeros.
    unsafe fn zero<const TILE: usize>(&mut self);
    /// Reads a tile with rows so many bytes apart.
    unsafe fn load<const TILE: usize>(&mut self, from: *const u8, apart: usize);
    /// Writes a tile to lines.
    unsafe fn store<const TILE: usize>(&mut self, to: *mut Line);
    /// Adds products of pairs to a tile of sums.
    unsafe fn add_product<const TO: usize, const BY: usize, const WITH: usize>(&mut self);
}

/// The processor's, as long as this lives.
#[cfg(target_arch = "x86_64")]
pub struct Processor;

#[cfg(target_arch = "x86_64")]
impl Processor {
    /// Tells the processor the sizes of its tiles.
    ///
    /// # Safety
    /// It has the instructions.
    #[inline(always)]
    pub unsafe fn new() -> Self {
        #[repr(C, align(64))]
        struct Configuration([u8; 64]);

        let mut configuration = Configuration([0; 64]);
        // The only palette; then the bytes of a row and the number of rows of each tile.
        configuration.0[0] = 1;
        for tile in 0..8 {
            configuration.0[16 + 2 * tile] = LINE as u8;
            configuration.0[48 + tile] = HEIGHT as u8;
        }
        // SAFETY: as the caller promises; 64 bytes are read.
        unsafe { asm!("ldtilecfg [{}]", in(reg) &configuration, options(nostack, readonly)) }
        Self
    }
}

#[cfg(target_arch = "x86_64")]
impl Drop for Processor {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: who made this promised the instructions.
        unsafe { asm!("tilerelease", options(nostack, nomem)) }
    }
}

// That tiles keep their content from one block of assembly to the next is more than the language grants; it holds since
// the compiler uses none, and keeps the order of the blocks.
#[cfg(target_arch = "x86_64")]
impl TileRegisters for Processor {
    #[inline(always)]
    unsafe fn zero<const TILE: usize>(&mut self) {
        // SAFETY: as the caller promises.
        unsafe { asm!("tilezero tmm{tile}", tile = const TILE, options(nostack, nomem)) }
    }

    #[inline(always)]
    unsafe fn load<const TILE: usize>(&mut self, from: *const u8, apart: usize) {
        // SAFETY: as the caller promises.
        unsafe {
            asm!(
                "tileloadd tmm{tile}, [{from} + {apart}*1]",
                tile = const TILE, from = in(reg) from, apart = in(reg) apart,
                options(nostack, readonly)
            );
        }
    }

    #[inline(always)]
    unsafe fn store<const TILE: usize>(&mut self, to: *mut Line) {
        // SAFETY: as the caller promises.
        unsafe {
            asm!(
                "tilestored [{to} + {apart}*1], tmm{tile}",
                tile = const TILE, to = in(reg) to, apart = in(reg) LINE,
                options(nostack)
            );
        }
    }

    #[inline(always)]
    unsafe fn add_product<const TO: usize, const BY: usize, const WITH: usize>(&mut self) {
        // SAFETY: as the caller promises.
        unsafe {
            asm!(
                "tdpbf16ps tmm{sums}, tmm{left}, tmm{right}",
                sums = const TO, left = const BY, right = const WITH,
                options(nostack, nomem)
            );
        }
    }
}

/// Tiles in plain code.
#[cfg(test)]
#[derive(Default)]
pub struct Emulation([[Line; HEIGHT]; 8]);

#[cfg(test)]
impl TileRegisters for Emulation {
    unsafe fn zero<const TILE: usize>(&mut self) {
        self.0[TILE] = Default::default();
    }

    unsafe fn load<const TILE: usize>(&mut self, from: *const u8, apart: usize) {
        for (row, line) in self.0[TILE].iter_mut().enumerate() {
            // SAFETY: as the caller promises.
            *line = Line(unsafe { from.add(row * apart).cast::<[f32; WIDTH]>().read_unaligned() });
        }
    }

    unsafe fn store<const TILE: usize>(&mut self, to: *mut Line) {
        for (row, line) in self.0[TILE].iter().enumerate() {
            // SAFETY: as the caller promises.
            unsafe { *to.add(row) = *line }
        }
    }

    unsafe fn add_product<const TO: usize, const BY: usize, const WITH: usize>(&mut self) {
        for row in 0..HEIGHT {
            for step in 0..WIDTH {
                let [a, b] = halves(self.0[BY][row].0[step]);
                for column in 0..WIDTH {
                    let [c, d] = halves(self.0[WITH][step].0[column]);
                    self.0[TO][row].0[column] += a * c + b * d;
                }
            }
        }
    }
}

#[cfg(test)]
fn halves(pair: f32) -> [f32; 2] {
    [f32::from_bits(pair.to_bits() << 16), f32::from_bits(pair.to_bits() & !0xffff)]
}
