use std::cell::RefCell;

use super::chunk::{Chunk, need, unit};
use super::features::{COUNT, Feature};
#[cfg(target_arch = "x86_64")]
use super::lanes::{Avx2, Avx512};
use super::lanes::{LANES, Lanes, Portable};
use super::piece::MOST_PLACEMENTS;
use super::placed::Placed;
use super::surface::Surface;
use super::wall::Wall;
use crate::instructions::InstructionSet;

const CHUNKS: usize = MOST_PLACEMENTS.div_ceil(LANES);

/// All placements of a piece on a wall, a lane each, and their features.
pub struct Batch {
    chunks: [Chunk; CHUNKS],
    /// Other processors have only one set.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
    instructions: InstructionSet,
}

/// Weights of features, whose weighted sum is a placement's value.
#[derive(Clone, PartialEq, Debug)]
pub struct Weighing {
    /// Features by number, and the weights of their units.
    terms: Vec<(usize, f64)>,
    surface: Surface,
    needs: u32,
    /// Whether a placement that loses is worse than any other.
    never_loses: bool,
}

impl Weighing {
    /// Weights of features by number. Without [`Feature::HasLost`] a placement that loses has value
    /// minus infinity.
    pub fn new(terms: &[(usize, f64)]) -> Self {
        let surface = Surface::of(terms);
        let known = |(number, weight): &(usize, f64)| Feature::ALL.get(*number).map(|feature| (*feature, *weight));
        // A feature of weight 0 must not decide the value of a lost placement.
        let known: Vec<(Feature, f64)> = terms.iter().filter(|(_, weight)| *weight != 0.0).filter_map(known).collect();
        let needs = if surface.shapes.is_some() { need::SHAPES } else { 0 };
        let needs = known.iter().fold(needs, |needs, (feature, _)| needs | need::of(*feature));
        let never_loses = known.iter().all(|(feature, _)| *feature != Feature::HasLost);
        let terms = known.iter().map(|(feature, weight)| (*feature as usize, weight * unit(*feature))).collect();
        Self { terms, surface, needs, never_loses }
    }
}

thread_local! {
    /// Batch of each thread, for reuse.
    static BATCH: RefCell<Batch> = RefCell::new(Batch::new());
}

#[derive(Clone, Copy)]
struct Task<'a> {
    wall: &'a Wall,
    piece: u8,
    height: usize,
    /// `None` measures all features.
    weighing: Option<&'a Weighing>,
}

impl Batch {
    pub fn with<T>(work: impl FnOnce(&mut Self) -> T) -> T {
        BATCH.with_borrow_mut(work)
    }

    pub fn new() -> Self {
        Self::by(InstructionSet::used())
    }

    pub(super) fn by(instructions: InstructionSet) -> Self {
        Self { chunks: [Chunk::EMPTY; CHUNKS], instructions }
    }

    /// Action of the best placement, the first of equal ones, and whether it loses.
    pub fn best(&mut self, wall: &Wall, piece: u8, height: usize, weighing: &Weighing) -> (usize, bool) {
        self.measure(Task { wall, piece, height, weighing: Some(weighing) });
        let all = Placed::all(piece);
        // Four at a time, without branches, since branches on values cannot be predicted.
        let mut most = [f64::NEG_INFINITY; 4];
        for values in self.chunks[..all.len()].iter().flat_map(|chunk| chunk.values.chunks_exact(4)) {
            for (most, value) in most.iter_mut().zip(values) {
                *most = if *value > *most { *value } else { *most };
            }
        }
        let most = most.into_iter().fold(f64::NEG_INFINITY, f64::max);
        let mut placements = all.iter().zip(&self.chunks).flat_map(|(placed, chunk)| {
            let number = |lane: usize| (placed.actions[lane].into(), chunk.is_lost(lane));
            (0..placed.count).filter(|lane| chunk.values[*lane] == most).map(number)
        });
        placements.next().unwrap_or((0, true))
    }

    #[inline]
    pub fn each(
        &mut self,
        wall: &Wall,
        piece: u8,
        height: usize,
        weighing: &Weighing,
        mut give: impl FnMut(usize, f64),
    ) {
        self.measure(Task { wall, piece, height, weighing: Some(weighing) });
        for (placed, chunk) in Placed::all(piece).iter().zip(&self.chunks) {
            for lane in 0..placed.count {
                give(placed.actions[lane].into(), chunk.values[lane]);
            }
        }
    }

    /// Gives each placement's action, whether it loses, and its features in the order of
    /// [`Feature::ALL`].
    pub fn features(&mut self, wall: &Wall, piece: u8, height: usize, mut give: impl FnMut(usize, bool, [f64; COUNT])) {
        self.measure(Task { wall, piece, height, weighing: None });
        for (placed, chunk) in Placed::all(piece).iter().zip(&self.chunks) {
            for lane in 0..placed.count {
                let number = |feature: usize| f64::from(chunk.numbers[feature].0[lane] as i16);
                let features = std::array::from_fn(|feature| number(feature) * unit(Feature::ALL[feature]));
                give(placed.actions[lane].into(), chunk.is_lost(lane), features);
            }
        }
    }

    fn measure(&mut self, task: Task) {
        #[cfg(target_arch = "x86_64")]
        {
            if self.instructions >= InstructionSet::Avx512 && is_x86_feature_detected!("avx512bitalg") {
                // SAFETY: the processor has what the function is compiled for.
                return unsafe { self.measure_avx512(task) };
            }
            if self.instructions >= InstructionSet::Avx2 {
                // SAFETY: the processor has what the function is compiled for.
                return unsafe { self.measure_avx2(task) };
            }
        }
        self.measure_by(Portable::ZERO, task);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512bw,avx512vl,avx512bitalg,avx512f,popcnt,bmi1,bmi2,lzcnt")]
    unsafe fn measure_avx512(&mut self, task: Task) {
        // SAFETY: this function has the instructions.
        self.measure_by(unsafe { Avx512::zero() }, task);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,popcnt,bmi1,bmi2,lzcnt")]
    unsafe fn measure_avx2(&mut self, task: Task) {
        // SAFETY: this function has the instructions.
        self.measure_by(unsafe { Avx2::zero() }, task);
    }

    #[inline(always)]
    fn measure_by<L: Lanes>(&mut self, zero: L, Task { wall, piece, height, weighing }: Task) {
        let needs = weighing.map_or(need::ALL, |weighing| weighing.needs);
        for (placed, chunk) in Placed::all(piece).iter().zip(&mut self.chunks) {
            chunk.fill(zero, wall, placed, height);
            match needs {
                _ if needs & !need::WELLS == 0 => chunk.measure::<L, { need::WELLS }>(zero, height),
                _ if needs & !need::DT == 0 => chunk.measure::<L, { need::DT }>(zero, height),
                _ if needs & !need::DT_SHAPES == 0 => chunk.measure::<L, { need::DT_SHAPES }>(zero, height),
                _ if needs & !need::REPORT == 0 => chunk.measure::<L, { need::REPORT }>(zero, height),
                _ => chunk.measure::<L, { need::ALL }>(zero, height),
            }
            if let Some(weighing) = weighing {
                chunk.weigh(zero, placed, &weighing.terms, &weighing.surface, weighing.never_loses);
            }
        }
    }
}
