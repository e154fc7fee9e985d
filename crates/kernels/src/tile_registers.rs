//! AMX's tile registers, and their emulation for tests.
//!
//! A tile has sixteen rows of sixteen words. An instruction multiplies two tiles of pairs of
//! bfloat16 and adds the products to a tile of sums (Intel 64 and IA-32 Architectures Software
//! Developer's Manual, volume 1, chapter 18). Stable Rust has no functions for these instructions.

#![cfg_attr(not(any(test, target_arch = "x86_64")), allow(dead_code))]

#[cfg(target_arch = "x86_64")]
use std::arch::asm;

use super::line::{Line, WIDTH};

pub const HEIGHT: usize = WIDTH;
/// Bytes of a line.
pub const LINE: usize = size_of::<Line>();

/// Tile registers, each of sixteen rows of a line.
///
/// # Safety
/// Of all functions: the promise of `Processor::new`, and sixteen rows may be read or written.
pub trait TileRegisters {
    unsafe fn zero<const TILE: usize>(&mut self);
    /// Loads rows `apart` bytes apart.
    unsafe fn load<const TILE: usize>(&mut self, from: *const u8, apart: usize);
    unsafe fn store<const TILE: usize>(&mut self, to: *mut Line);
    /// Adds products of pairs: row r of `BY` by column c of `WITH` to row r, column c of `TO`.
    unsafe fn add_product<const TO: usize, const BY: usize, const WITH: usize>(&mut self);
}

/// The processor's tiles, configured as long as the value lives.
#[cfg(target_arch = "x86_64")]
pub struct Processor;

#[cfg(target_arch = "x86_64")]
impl Processor {
    /// Sets the sizes of the processor's tiles.
    ///
    /// # Safety
    /// The processor has the instructions and the system grants tile data: `used()` is `Amx`.
    #[inline(always)]
    pub unsafe fn new() -> Self {
        #[repr(C, align(64))]
        struct Configuration([u8; 64]);

        let mut configuration = Configuration([0; 64]);
        // Palette 1, then the bytes of a row and the rows of each tile.
        configuration.0[0] = 1;
        for tile in 0..8 {
            configuration.0[16 + 2 * tile] = LINE as u8;
            configuration.0[48 + tile] = HEIGHT as u8;
        }
        // SAFETY: the caller's promise; 64 bytes are read.
        unsafe { asm!("ldtilecfg [{}]", in(reg) &configuration, options(nostack, readonly)) }
        Self
    }
}

#[cfg(target_arch = "x86_64")]
impl Drop for Processor {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: the promise of the constructor's caller.
        unsafe { asm!("tilerelease", options(nostack, nomem)) }
    }
}

// Tiles must keep their content between blocks of assembly. The language does not promise that, but
// the compiler uses no tiles and keeps the blocks' order.
#[cfg(target_arch = "x86_64")]
impl TileRegisters for Processor {
    #[inline(always)]
    unsafe fn zero<const TILE: usize>(&mut self) {
        // SAFETY: the caller's promise.
        unsafe { asm!("tilezero tmm{tile}", tile = const TILE, options(nostack, nomem)) }
    }

    #[inline(always)]
    unsafe fn load<const TILE: usize>(&mut self, from: *const u8, apart: usize) {
        // SAFETY: the caller's promise.
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
        // SAFETY: the caller's promise.
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
        // SAFETY: the caller's promise.
        unsafe {
            asm!(
                "tdpbf16ps tmm{sums}, tmm{left}, tmm{right}",
                sums = const TO, left = const BY, right = const WITH,
                options(nostack, nomem)
            );
        }
    }
}

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
            // SAFETY: the caller's promise.
            *line = Line(unsafe { from.add(row * apart).cast::<[f32; WIDTH]>().read_unaligned() });
        }
    }

    unsafe fn store<const TILE: usize>(&mut self, to: *mut Line) {
        for (row, line) in self.0[TILE].iter().enumerate() {
            // SAFETY: the caller's promise.
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
