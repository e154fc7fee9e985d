//! The products of pairs at the points, by registers of tiles: AMX.
//!
//! A tile has up to sixteen rows of sixteen words. One instruction multiplies a tile of pairs of bfloat16 by another and
//! adds the products to a tile of sums (Intel 64 and IA-32 Architectures Software Developer's Manual, volume 1, chapter
//! 18). Rust has no stable functions for them; the leaf here is assembly. The tests hold the products against plain sums
//! through an emulation of the tiles.

#[cfg(target_arch = "x86_64")]
use std::arch::asm;

use super::line::{Line, WIDTH};
use super::points::Sizes;

/// Registers of tiles; rows in memory are a [`Line`] apart.
///
/// # Safety
/// Of all functions: the processor has the instructions; where memory is read or written, so many lines as the tile
/// has rows may be.
trait TileRegisters {
    /// Begins, with tiles of so many steps, and rows of the last one.
    ///
    /// Steps are the pairs of a row on the left.
    unsafe fn configure(&mut self, steps: usize, tail: usize);
    /// A tile of zeros.
    unsafe fn zero<const TILE: usize>(&mut self);
    /// Reads a tile.
    unsafe fn load<const TILE: usize>(&mut self, from: *const Line);
    /// Writes a tile of sums.
    unsafe fn store<const TILE: usize>(&mut self, to: *mut Line);
    /// Adds products of pairs to a tile of sums.
    unsafe fn add_product<const TO: usize, const BY: usize, const WITH: usize>(&mut self);
    /// Writes word `i` of line `k` as word `k` of line `i`, and zeros behind.
    unsafe fn transpose(&mut self, from: &[Line], to: &mut [Line; WIDTH]);
    /// Ends.
    unsafe fn release(&mut self);
}

/// Which tile is what: sums of two panels, and the left side, of full height.
const SUMS: [usize; 2] = [0, 1];
const LEFT: usize = 2;
/// The same of the height of the last rows.
const TAIL_SUMS: [usize; 2] = [3, 4];
const TAIL_LEFT: usize = 5;
/// The right side of two panels.
const RIGHT: [usize; 2] = [6, 7];

/// Rows of a tile, and words of a row.
const HEIGHT: usize = WIDTH;

/// What the processor is told of the sizes of its tiles.
#[repr(C, align(64))]
struct Configuration([u8; 64]);

impl Configuration {
    fn new(steps: usize, tail: usize) -> Self {
        let mut bytes = [0; 64];
        // The only palette.
        bytes[0] = 1;
        let mut tile = |tile: usize, rows: usize, words: usize| {
            bytes[48 + tile] = rows as u8;
            bytes[16 + 2 * tile] = 4 * words as u8;
        };
        for sums in SUMS {
            tile(sums, HEIGHT, WIDTH);
        }
        for sums in TAIL_SUMS {
            tile(sums, tail, WIDTH);
        }
        tile(LEFT, HEIGHT, steps);
        tile(TAIL_LEFT, tail, steps);
        for right in RIGHT {
            tile(right, steps, WIDTH);
        }
        Self(bytes)
    }
}

/// The processor's.
#[cfg(target_arch = "x86_64")]
struct Processor;

#[cfg(target_arch = "x86_64")]
impl TileRegisters for Processor {
    #[inline(always)]
    unsafe fn configure(&mut self, steps: usize, tail: usize) {
        let configuration = Configuration::new(steps, tail);
        // SAFETY: as the caller promises; 64 bytes are read.
        unsafe { asm!("ldtilecfg [{}]", in(reg) &configuration, options(nostack, readonly)) }
    }

    #[inline(always)]
    unsafe fn zero<const TILE: usize>(&mut self) {
        // SAFETY: as the caller promises. That tiles keep their content from one block of assembly to the next is more
        // than the language grants; it holds since the compiler uses none, and keeps the order of the blocks.
        unsafe { asm!("tilezero tmm{tile}", tile = const TILE, options(nostack, nomem)) }
    }

    #[inline(always)]
    unsafe fn load<const TILE: usize>(&mut self, from: *const Line) {
        // SAFETY: as the caller promises.
        unsafe {
            asm!(
                "tileloadd tmm{tile}, [{from} + {apart}*1]",
                tile = const TILE, from = in(reg) from, apart = in(reg) size_of::<Line>(),
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
                tile = const TILE, to = in(reg) to, apart = in(reg) size_of::<Line>(),
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

    #[inline(always)]
    unsafe fn transpose(&mut self, from: &[Line], to: &mut [Line; WIDTH]) {
        // SAFETY: a processor with tiles has AVX-512.
        unsafe { transpose(from, to) }
    }

    #[inline(always)]
    unsafe fn release(&mut self) {
        // SAFETY: as the caller promises.
        unsafe { asm!("tilerelease", options(nostack, nomem)) }
    }
}

/// The same by AVX-512, in four steps of interleaving.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn transpose(from: &[Line], to: &mut [Line; WIDTH]) {
    use std::arch::x86_64::{
        __m512, _mm512_castpd_ps, _mm512_castps_pd, _mm512_loadu_ps, _mm512_setzero_ps, _mm512_shuffle_f32x4,
        _mm512_storeu_ps, _mm512_unpackhi_pd, _mm512_unpackhi_ps, _mm512_unpacklo_pd, _mm512_unpacklo_ps,
    };
    let mut rows = [_mm512_setzero_ps(); WIDTH];
    for (row, line) in rows.iter_mut().zip(from) {
        // SAFETY: a line is sixteen words.
        *row = unsafe { _mm512_loadu_ps(line.0.as_ptr()) };
    }
    // Words of two, then of four rows side by side, in each quarter of a register.
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

/// Whether tiles can multiply: so many pairs of inputs fill them.
pub fn multiplies(Sizes { inputs, .. }: Sizes) -> bool {
    inputs <= WIDTH || inputs.is_multiple_of(WIDTH)
}

/// As [`multiply_pairs`](super::points::multiply_pairs).
///
/// # Panics
/// Unless tiles can [multiply](multiplies) these sizes.
///
/// # Safety
/// The processor has AMX with bfloat16 and AVX-512.
#[cfg(target_arch = "x86_64")]
pub unsafe fn multiply(sizes: Sizes, transformed: &[Line], panels: &[Line], products: &mut [Line]) {
    // SAFETY: as the caller promises.
    unsafe { multiply_all(&mut Processor, sizes, transformed, panels, products) }
}

/// As [`add_gradients_of_pairs`](super::points::add_gradients_of_pairs).
///
/// # Safety
/// The processor has AMX with bfloat16 and AVX-512.
#[cfg(target_arch = "x86_64")]
pub unsafe fn add_gradients(sizes: Sizes, transformed: &[Line], gradients: &[Line], sums: &mut [Line]) {
    // SAFETY: as the caller promises.
    unsafe { add_all(&mut Processor, sizes, transformed, gradients, sums) }
}

/// Sums of products for two panels, or the only one that is left.
struct Block {
    /// The left side, and how many lines are from one step of it to the next.
    left: *const Line,
    left_step: usize,
    /// The right side of each panel, the same.
    right: [*const Line; 2],
    right_step: usize,
    steps: usize,
    sums: [*mut Line; 2],
    both: bool,
}

impl Block {
    /// Writes or adds the sums of so many rows: of a tile, or of the last.
    ///
    /// # Safety
    /// All of that lies in memory that may be read or written; the processor has the instructions.
    #[inline(always)]
    unsafe fn sum<T: TileRegisters, const ADD: bool>(self, registers: &mut T, rows: usize) {
        // SAFETY: as the caller promises.
        unsafe {
            if rows >= HEIGHT {
                self.sum_by::<T, { SUMS[0] }, { SUMS[1] }, LEFT, ADD>(registers);
            } else {
                self.sum_by::<T, { TAIL_SUMS[0] }, { TAIL_SUMS[1] }, TAIL_LEFT, ADD>(registers);
            }
        }
    }

    /// # Safety
    /// As of [`sum`](Self::sum).
    #[inline(always)]
    unsafe fn sum_by<
        T: TileRegisters,
        const FIRST: usize,
        const SECOND: usize,
        const FACTORS: usize,
        const ADD: bool,
    >(
        self,
        registers: &mut T,
    ) {
        let Self { left, left_step, right, right_step, steps, sums, both } = self;
        // SAFETY: as the caller promises.
        unsafe {
            if ADD {
                registers.load::<FIRST>(sums[0]);
                if both {
                    registers.load::<SECOND>(sums[1]);
                }
            } else {
                registers.zero::<FIRST>();
                registers.zero::<SECOND>();
            }
            for step in 0..steps {
                registers.load::<FACTORS>(left.add(step * left_step));
                registers.load::<{ RIGHT[0] }>(right[0].add(step * right_step));
                registers.add_product::<FIRST, FACTORS, { RIGHT[0] }>();
                if both {
                    registers.load::<{ RIGHT[1] }>(right[1].add(step * right_step));
                    registers.add_product::<SECOND, FACTORS, { RIGHT[1] }>();
                }
            }
            registers.store::<FIRST>(sums[0]);
            if both {
                registers.store::<SECOND>(sums[1]);
            }
        }
    }
}

/// # Safety
/// The processor has the instructions of the registers.
#[inline(always)]
unsafe fn multiply_all<T: TileRegisters>(
    registers: &mut T,
    sizes: Sizes,
    transformed: &[Line],
    panels: &[Line],
    products: &mut [Line],
) {
    let Sizes { points, tiles, inputs } = sizes;
    let (groups, count) = (inputs.div_ceil(WIDTH), panels.len() / (points * inputs));
    assert!(multiplies(sizes), "pairs of inputs that fill tiles");
    assert_eq!(transformed.len(), sizes.transformed(), "transformed patches");
    assert_eq!([panels.len(), products.len()], [inputs, tiles].map(|size| count * points * size), "panels");
    let (left, right, sums) = (transformed.as_ptr(), panels.as_ptr(), products.as_mut_ptr());
    // SAFETY: the sizes are asserted; for the last rows there are tiles of their number.
    unsafe {
        registers.configure(inputs.min(WIDTH), (tiles % HEIGHT).max(1));
        for point in 0..points {
            for panel in (0..count).step_by(2) {
                for tile in (0..tiles).step_by(HEIGHT) {
                    let both = panel + 1 < count;
                    let panels = [panel, panel + usize::from(both)];
                    let block = Block {
                        left: left.add(point * groups * tiles + tile),
                        left_step: tiles,
                        right: panels.map(|panel| right.add((panel * points + point) * inputs)),
                        right_step: WIDTH,
                        steps: groups,
                        sums: panels.map(|panel| sums.add((panel * points + point) * tiles + tile)),
                        both,
                    };
                    block.sum::<T, false>(registers, tiles - tile);
                }
            }
        }
        registers.release();
    }
}

/// Tiles of the left side that are transposed at once.
const TRANSPOSED: usize = 4;

/// # Safety
/// The processor has the instructions of the registers.
#[inline(always)]
unsafe fn add_all<T: TileRegisters>(
    registers: &mut T,
    sizes: Sizes,
    transformed: &[Line],
    gradients: &[Line],
    sums: &mut [Line],
) {
    let Sizes { points, tiles, inputs } = sizes;
    let (groups, count) = (inputs.div_ceil(WIDTH), sums.len() / (points * inputs));
    assert_eq!(transformed.len(), sizes.transformed(), "transformed patches");
    assert_eq!([sums.len(), gradients.len()], [inputs, tiles].map(|size| count * points * size), "gradients");
    // The same number of steps for each tile.
    let steps = (1..=WIDTH.min(tiles)).rev().find(|steps| tiles.is_multiple_of(*steps)).unwrap_or(1);
    let mut left = [[Line::default(); WIDTH]; TRANSPOSED];
    let (right, sums) = (gradients.as_ptr(), sums.as_mut_ptr());
    // SAFETY: the sizes are asserted; for the last rows there are tiles of their number.
    unsafe {
        registers.configure(steps, (inputs % HEIGHT).max(1));
        for point in 0..points {
            for group in 0..groups {
                let lines = &transformed[(point * groups + group) * tiles..][..tiles];
                for (which, some) in lines.chunks(TRANSPOSED * steps).enumerate() {
                    for (from, to) in some.chunks_exact(steps).zip(&mut left) {
                        registers.transpose(from, to);
                    }
                    for panel in (0..count).step_by(2) {
                        let both = panel + 1 < count;
                        let panels = [panel, panel + usize::from(both)];
                        let (first, input) = (which * TRANSPOSED * steps, group * WIDTH);
                        let block = Block {
                            left: left.as_ptr().cast(),
                            left_step: WIDTH,
                            right: panels.map(|panel| right.add((panel * points + point) * tiles + first)),
                            right_step: steps,
                            steps: some.len() / steps,
                            sums: panels.map(|panel| sums.add((panel * points + point) * inputs + input)),
                            both,
                        };
                        block.sum::<T, true>(registers, inputs - input);
                    }
                }
            }
        }
        registers.release();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "x86_64")]
    use crate::instructions::InstructionSet;
    use crate::network::board_convolution::points::{ROWS, add_gradients_of_pairs, multiply_pairs};
    use crate::network::board_convolution::unit::rounded;
    use crate::random::{Role, Stream};

    const POINTS: usize = 16;

    /// Tiles in plain code, that refuse what the processor would refuse.
    #[derive(Default)]
    struct Emulation {
        /// Rows, and words of a row, of each tile, while it is configured.
        sizes: Option<[(usize, usize); 8]>,
        tiles: [[Line; HEIGHT]; 8],
    }

    impl Emulation {
        fn size(&self, tile: usize) -> (usize, usize) {
            self.sizes.expect("configured tiles")[tile]
        }
    }

    impl TileRegisters for Emulation {
        unsafe fn configure(&mut self, steps: usize, tail: usize) {
            let Configuration(bytes) = Configuration::new(steps, tail);
            assert_eq!(bytes[0], 1, "the palette");
            let size = |tile: usize| (bytes[48 + tile] as usize, bytes[16 + 2 * tile] as usize / 4);
            self.sizes = Some(std::array::from_fn(size));
            let sizes = self.sizes.unwrap();
            assert!(sizes.iter().all(|(rows, words)| (1..=16).contains(rows) && (1..=16).contains(words)), "{sizes:?}");
        }

        unsafe fn zero<const TILE: usize>(&mut self) {
            self.size(TILE);
            self.tiles[TILE] = Default::default();
        }

        unsafe fn load<const TILE: usize>(&mut self, from: *const Line) {
            let (rows, words) = self.size(TILE);
            self.tiles[TILE] = Default::default();
            for (row, line) in self.tiles[TILE][..rows].iter_mut().enumerate() {
                // SAFETY: as the caller promises.
                let from = unsafe { &*from.add(row) };
                line.0[..words].copy_from_slice(&from.0[..words]);
            }
        }

        unsafe fn store<const TILE: usize>(&mut self, to: *mut Line) {
            let (rows, words) = self.size(TILE);
            for (row, line) in self.tiles[TILE][..rows].iter().enumerate() {
                // SAFETY: as the caller promises.
                let to = unsafe { &mut *to.add(row) };
                to.0[..words].copy_from_slice(&line.0[..words]);
            }
        }

        unsafe fn add_product<const TO: usize, const BY: usize, const WITH: usize>(&mut self) {
            let [sums, left, right] = [TO, BY, WITH].map(|tile| self.size(tile));
            assert!(sums.0 == left.0 && sums.1 == right.1 && left.1 == right.0, "{sums:?}, {left:?}, {right:?}");
            for row in 0..sums.0 {
                for column in 0..sums.1 {
                    for step in 0..left.1 {
                        let [a, b] = halves(self.tiles[BY][row].0[step]);
                        let [c, d] = halves(self.tiles[WITH][step].0[column]);
                        self.tiles[TO][row].0[column] += a * c + b * d;
                    }
                }
            }
        }

        unsafe fn transpose(&mut self, from: &[Line], to: &mut [Line; WIDTH]) {
            for (word, line) in to.iter_mut().enumerate() {
                *line = Line::default();
                line.0.iter_mut().zip(from).for_each(|(to, from)| *to = from.0[word]);
            }
        }

        unsafe fn release(&mut self) {
            assert!(self.sizes.take().is_some(), "configured tiles");
        }
    }

    fn halves(pair: f32) -> [f32; 2] {
        [f32::from_bits(pair.to_bits() << 16), f32::from_bits(pair.to_bits() & !0xffff)]
    }

    /// Lines of random pairs.
    fn pairs(count: usize, stream: &mut Stream) -> Vec<Line> {
        let mut number = || u32::from(rounded(2.0 * stream.unit() - 1.0));
        (0..count).map(|_| Line(std::array::from_fn(|_| f32::from_bits(number() | number() << 16)))).collect()
    }

    fn assert_near(lines: &[Line], plain: &[f64], what: &str) {
        for (number, plain) in lines.iter().flat_map(|line| line.0).zip(plain) {
            assert!((f64::from(number) - plain).abs() < 1e-4, "{what}: {number}, not {plain}");
        }
        assert_eq!(lines.len() * WIDTH, plain.len(), "{what}");
    }

    fn dot(left: f32, right: f32) -> f64 {
        let [[a, b], [c, d]] = [left, right].map(|pair| halves(pair).map(f64::from));
        a * c + b * d
    }

    #[test]
    fn tiles_and_registers_multiply_pairs_of_inputs_as_plain_sums() {
        let mut stream = Stream::new(8, Role::Sample, 0);
        for (tiles, inputs, count) in
            [(12, 16, 2), (60, 8, 1), (54, 16, 3), (7, 4, 2), (33, 32, 2), (1, 1, 1), (5, 20, 2)]
        {
            let sizes = Sizes { points: POINTS, tiles, inputs };
            let what = format!("{sizes:?}, {count} panels");
            let groups = inputs.div_ceil(WIDTH);
            let left = pairs(POINTS * groups * tiles + ROWS, &mut stream);
            let right = pairs(count * POINTS * inputs, &mut stream);
            let plain: Vec<f64> = (0..count * POINTS * tiles * WIDTH)
                .map(|at| {
                    let (tile, output) = (at / WIDTH % tiles, at % WIDTH);
                    let (point, panel) = (at / WIDTH / tiles % POINTS, at / WIDTH / tiles / POINTS);
                    let product = |input: usize| {
                        let left = left[(point * groups + input / WIDTH) * tiles + tile].0[input % WIDTH];
                        dot(left, right[(panel * POINTS + point) * inputs + input].0[output])
                    };
                    (0..inputs).map(product).sum()
                })
                .collect();
            let mut products = vec![Line([f32::NAN; WIDTH]); count * POINTS * tiles];
            multiply_pairs(sizes, &left, &right, &mut products);
            assert_near(&products, &plain, &what);
            assert_eq!(multiplies(sizes), inputs != 20);
            if multiplies(sizes) {
                products.fill(Line([f32::NAN; WIDTH]));
                // SAFETY: the emulation needs no instructions.
                unsafe { multiply_all(&mut Emulation::default(), sizes, &left, &right, &mut products) };
                assert_near(&products, &plain, &what);
            }
        }
    }

    #[test]
    fn tiles_and_registers_add_gradients_of_pairs_of_tiles_as_plain_sums() {
        let mut stream = Stream::new(9, Role::Sample, 0);
        for (tiles, inputs, count) in
            [(30, 32, 2), (27, 16, 1), (24, 17, 3), (2, 8, 2), (120, 40, 2), (1, 1, 1), (17, 5, 2)]
        {
            let sizes = Sizes { points: POINTS, tiles, inputs };
            let what = format!("{sizes:?}, {count} panels");
            let groups = inputs.div_ceil(WIDTH);
            let left = pairs(POINTS * groups * tiles + ROWS, &mut stream);
            let right = pairs(count * POINTS * tiles, &mut stream);
            let plain: Vec<f64> = (0..count * POINTS * inputs * WIDTH)
                .map(|at| {
                    let (input, output) = (at / WIDTH % inputs, at % WIDTH);
                    let (point, panel) = (at / WIDTH / inputs % POINTS, at / WIDTH / inputs / POINTS);
                    let product = |tile: usize| {
                        let left = left[(point * groups + input / WIDTH) * tiles + tile].0[input % WIDTH];
                        dot(left, right[(panel * POINTS + point) * tiles + tile].0[output])
                    };
                    0.5 + (0..tiles).map(product).sum::<f64>()
                })
                .collect();
            let begun = vec![Line([0.5; WIDTH]); count * POINTS * inputs];
            let mut sums = begun.clone();
            add_gradients_of_pairs(sizes, &left, &right, &mut sums);
            assert_near(&sums, &plain, &what);
            let mut sums = begun;
            // SAFETY: the emulation needs no instructions.
            unsafe { add_all(&mut Emulation::default(), sizes, &left, &right, &mut sums) };
            assert_near(&sums, &plain, &what);
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn words_are_transposed() {
        if !InstructionSet::present().contains(&InstructionSet::Avx512) {
            return;
        }
        let lines: Vec<Line> = (0..16).map(|k| Line(std::array::from_fn(|i| (100 * k + i) as f32))).collect();
        for count in [1, 9, 15, 16] {
            let (mut found, mut expected) = ([Line([7.0; WIDTH]); WIDTH], [Line::default(); WIDTH]);
            // SAFETY: the processor has just been asked for the instructions; the emulation needs none.
            unsafe {
                transpose(&lines[..count], &mut found);
                Emulation::default().transpose(&lines[..count], &mut expected);
            }
            assert_eq!(found, expected);
        }
    }
}
