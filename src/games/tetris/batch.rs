//! All placements of a piece at once: a wall a lane, row by row.

use std::cell::RefCell;
use std::sync::LazyLock;

use super::features::{COUNT, Feature, SIDE};
use super::lanes::{Counters, LANES, Lanes};
use super::piece::{COLUMNS, FULL, MOST_PLACEMENTS, Orientation, TALLEST, action, placements};
use super::surface::Surface;
use super::wall::{KEPT, Wall};
#[cfg(target_arch = "x86_64")]
use crate::instructions::InstructionSet;

/// Chunks of lanes for the most placements that a piece has.
const CHUNKS: usize = MOST_PLACEMENTS.div_ceil(LANES);

/// Groups of features that take work of their own.
mod need {
    pub const WELLS: u32 = 1;
    pub const TRIANGULAR: u32 = 2;
    pub const DEPTH: u32 = 4;
    pub const HOLE_ROWS: u32 = 8;
    pub const DIVERSITY: u32 = 16;
    pub const HEIGHTS: u32 = 32;
    pub const TOPPED: u32 = 64;
    pub const SHAPES: u32 = 128;
    /// What Thiery and Scherrer's DT needs.
    pub const DT: u32 = TRIANGULAR | DEPTH | HOLE_ROWS | DIVERSITY;
    /// What the report needs.
    pub const REPORT: u32 = HEIGHTS | TOPPED;
    /// What DT and shapes of the surface need.
    pub const DT_SHAPES: u32 = DT | SHAPES;
    pub const ALL: u32 = 255;

    use super::Feature;

    pub fn of(feature: Feature) -> u32 {
        match feature {
            Feature::WellSums => WELLS,
            Feature::WellSumsTriangular => TRIANGULAR,
            Feature::HoleDepth => DEPTH,
            Feature::RowsWithHoles => HOLE_ROWS,
            Feature::Diversity => DIVERSITY,
            Feature::ToppedHoles => TOPPED,
            Feature::MaxHeight
            | Feature::SumOfHeights
            | Feature::Bumpiness
            | Feature::HeightWells
            | Feature::SquaredHeights => HEIGHTS,
            _ => 0,
        }
    }
}

/// Some placements of a piece: what of them is the same on any wall.
struct Placed {
    count: usize,
    actions: [u8; LANES],
    /// Columns of the piece, the first of them again where it has fewer.
    columns: [[u8; LANES]; TALLEST],
    /// Its lowest and highest rows there; none so high or low where it has fewer.
    lower: [Lanes; TALLEST],
    upper: [Lanes; TALLEST],
    /// Its cells, a row each.
    cells: [Lanes; TALLEST],
    height: Lanes,
    /// For each column of the wall the row above the piece's cells, or [`NOT_HERE`].
    above: [Lanes; COLUMNS],
}

/// The mark of a column in which a piece has no cells.
const NOT_HERE: u16 = u16::MAX;

/// The placements of each piece.
static PLACED: LazyLock<[Vec<Placed>; 7]> = LazyLock::new(|| {
    std::array::from_fn(|piece| {
        let all: Vec<_> = placements(piece as u8).collect();
        all.chunks(LANES).map(Placed::of).collect()
    })
});

impl Placed {
    fn of(some: &[(usize, usize, &'static Orientation)]) -> Self {
        let mut placed = Self {
            count: some.len(),
            actions: [0; LANES],
            columns: [[0; LANES]; TALLEST],
            lower: [Lanes::all(NOT_HERE); TALLEST],
            upper: [Lanes::ZERO; TALLEST],
            cells: [Lanes::ZERO; TALLEST],
            height: Lanes::ZERO,
            above: [Lanes::all(NOT_HERE); COLUMNS],
        };
        for (lane, (orientation, column, turned)) in some.iter().enumerate() {
            placed.actions[lane] = action(*orientation, *column) as u8;
            placed.height.0[lane] = turned.height as u16;
            for index in 0..TALLEST {
                placed.columns[index][lane] = *column as u8;
                placed.cells[index].0[lane] = turned.rows[index] << column;
                if index < turned.width {
                    placed.columns[index][lane] = (column + index) as u8;
                    placed.lower[index].0[lane] = turned.lower[index].into();
                    placed.upper[index].0[lane] = turned.upper[index].into();
                    placed.above[column + index].0[lane] = turned.upper[index].into();
                }
            }
        }
        placed
    }
}

/// Some placements of a piece, and the walls that they leave.
struct Chunk {
    rows: [Lanes; KEPT],
    tops: [Lanes; COLUMNS],
    /// The row above the highest that is filled in any lane.
    end: usize,
    /// All bits where the placement loses, else none.
    lost: Lanes,
    lines: Lanes,
    /// Cells of the piece in full rows.
    cells: Lanes,
    /// Twice the landing height, and that of the report.
    landing: Lanes,
    report_landing: Lanes,
    /// Shapes of the surface: seven between the sides, and at the left and the right one, that mirrored.
    shapes: [Lanes; WINDOWS + 2],
}

/// Shapes of four columns between the sides.
const WINDOWS: usize = COLUMNS - 3;

/// The features of a chunk's placements: a row for each feature.
type Table = [[f32; LANES]; COUNT];

/// All placements of a piece on a wall, and their features.
pub struct Batch {
    chunks: Vec<Chunk>,
    table: Vec<Table>,
}

/// A linear controller: features and their weights.
#[derive(Clone, PartialEq, Debug)]
pub struct Weighing {
    terms: Vec<(Feature, f64)>,
    surface: Surface,
    needs: u32,
    /// Whether a placement that loses is worse than any other, whatever its features.
    never_loses: bool,
}

impl Weighing {
    /// The controller of features by their numbers, and weights.
    ///
    /// Where the features do not say what has lost, a placement that loses counts as minus infinity.
    pub fn new(terms: &[(usize, f64)]) -> Self {
        let surface = Surface::of(terms);
        let known = |(number, weight): &(usize, f64)| Feature::ALL.get(*number).map(|feature| (*feature, *weight));
        let terms: Vec<(Feature, f64)> = terms.iter().filter_map(known).collect();
        let needs = if surface.shapes.is_some() { need::SHAPES } else { 0 };
        let needs = terms.iter().fold(needs, |needs, (feature, _)| needs | need::of(*feature));
        let never_loses = terms.iter().all(|(feature, _)| *feature != Feature::HasLost);
        Self { terms, surface, needs, never_loses }
    }
}

thread_local! {
    /// Room that is used again and again.
    static BATCH: RefCell<Batch> = RefCell::new(Batch::new());
}

impl Batch {
    /// Does something with this thread's room.
    pub fn with<T>(work: impl FnOnce(&mut Self) -> T) -> T {
        BATCH.with_borrow_mut(work)
    }

    /// Room for placements.
    pub fn new() -> Self {
        let empty = || Chunk {
            rows: [Lanes::ZERO; KEPT],
            tops: [Lanes::ZERO; COLUMNS],
            end: 0,
            lost: Lanes::ZERO,
            lines: Lanes::ZERO,
            cells: Lanes::ZERO,
            landing: Lanes::ZERO,
            report_landing: Lanes::ZERO,
            shapes: [Lanes::ZERO; WINDOWS + 2],
        };
        Self { chunks: (0..CHUNKS).map(|_| empty()).collect(), table: vec![[[0.0; LANES]; COUNT]; CHUNKS] }
    }

    /// The best placement, the first of equal ones, and whether it loses.
    pub fn best(&mut self, wall: &Wall, piece: u8, height: usize, weighing: &Weighing) -> (usize, bool) {
        let (mut best, mut most) = ((0, true), f64::NEG_INFINITY);
        let mut first = true;
        self.each(wall, piece, height, weighing, |action, value, lost| {
            if first || value > most {
                (best, most, first) = ((action, lost), value, false);
            }
        });
        best
    }

    /// Gives each placement's action, value, and whether it loses.
    #[inline]
    pub fn each(
        &mut self,
        wall: &Wall,
        piece: u8,
        height: usize,
        weighing: &Weighing,
        mut give: impl FnMut(usize, f64, bool),
    ) {
        let all = self.measure(wall, piece, height, weighing.needs);
        for (placed, (chunk, table)) in all.iter().zip(self.chunks.iter().zip(&self.table)) {
            let mut values = [0.0; LANES];
            for (feature, weight) in &weighing.terms {
                let numbers = &table[*feature as usize];
                for lane in 0..LANES {
                    values[lane] += weight * f64::from(numbers[lane]);
                }
            }
            chunk.weigh_surface(&weighing.surface, &mut values);
            for (lane, value) in values[..placed.count].iter().enumerate() {
                let lost = chunk.lost.0[lane] != 0;
                let value = if lost && weighing.never_loses { f64::NEG_INFINITY } else { *value };
                give(placed.actions[lane].into(), value, lost);
            }
        }
    }

    /// Gives each placement's action, whether it loses, and its features in the order of [`Feature::ALL`].
    pub fn features(&mut self, wall: &Wall, piece: u8, height: usize, mut give: impl FnMut(usize, bool, [f64; COUNT])) {
        let all = self.measure(wall, piece, height, need::ALL);
        for (placed, (chunk, table)) in all.iter().zip(self.chunks.iter().zip(&self.table)) {
            for (lane, action) in placed.actions[..placed.count].iter().enumerate() {
                let features = std::array::from_fn(|feature| table[feature][lane].into());
                give((*action).into(), chunk.lost.0[lane] != 0, features);
            }
        }
    }

    /// Measures all placements, which it gives.
    fn measure(&mut self, wall: &Wall, piece: u8, height: usize, needs: u32) -> &'static [Placed] {
        #[cfg(target_arch = "x86_64")]
        {
            let set = InstructionSet::used();
            if set == InstructionSet::Avx512 && is_x86_feature_detected!("avx512bitalg") {
                // SAFETY: the processor has what the function is compiled for.
                return unsafe { self.measure_avx512(wall, piece, height, needs) };
            }
            if set >= InstructionSet::Avx2 {
                // SAFETY: the processor has what the function is compiled for.
                return unsafe { self.measure_avx2(wall, piece, height, needs) };
            }
        }
        self.measure_here(wall, piece, height, needs)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512bw,avx512vl,avx512bitalg,avx512f,popcnt,bmi1,bmi2,lzcnt")]
    unsafe fn measure_avx512(&mut self, wall: &Wall, piece: u8, height: usize, needs: u32) -> &'static [Placed] {
        self.measure_here(wall, piece, height, needs)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,popcnt,bmi1,bmi2,lzcnt")]
    unsafe fn measure_avx2(&mut self, wall: &Wall, piece: u8, height: usize, needs: u32) -> &'static [Placed] {
        self.measure_here(wall, piece, height, needs)
    }

    #[inline(always)]
    fn measure_here(&mut self, wall: &Wall, piece: u8, height: usize, needs: u32) -> &'static [Placed] {
        let all = PLACED.get(usize::from(piece)).map_or(&[][..], Vec::as_slice);
        for (placed, (chunk, table)) in all.iter().zip(self.chunks.iter_mut().zip(&mut self.table)) {
            chunk.fill(wall, placed, height);
            match needs {
                _ if needs & !need::WELLS == 0 => chunk.measure::<{ need::WELLS }>(height, table),
                _ if needs & !need::DT == 0 => chunk.measure::<{ need::DT }>(height, table),
                _ if needs & !need::DT_SHAPES == 0 => chunk.measure::<{ need::DT_SHAPES }>(height, table),
                _ if needs & !need::REPORT == 0 => chunk.measure::<{ need::REPORT }>(height, table),
                _ => chunk.measure::<{ need::ALL }>(height, table),
            }
        }
        all
    }
}

impl Default for Batch {
    fn default() -> Self {
        Self::new()
    }
}

impl Chunk {
    /// Makes some placements on a wall, a lane each.
    #[inline(always)]
    fn fill(&mut self, wall: &Wall, placed: &Placed, height: usize) {
        let mut tops_of = [0; 16];
        tops_of[..COLUMNS].copy_from_slice(&wall.tops);
        let (mut rest, mut report) = (Lanes::ZERO, Lanes::ZERO);
        for index in 0..TALLEST {
            let mut tops = Lanes::ZERO;
            for (top, column) in tops.0.iter_mut().zip(placed.columns[index]) {
                *top = tops_of[usize::from(column) % 16].into();
            }
            rest = rest.with(tops.with(placed.lower[index], u16::saturating_sub), u16::max);
            report = report.with(tops + tops + placed.upper[index], u16::max);
        }
        let end = rest + placed.height;
        let lost = end.map(|end| if usize::from(end) > height { u16::MAX } else { 0 });
        let mut cells = placed.cells;
        cells.iter_mut().for_each(|cells| *cells = *cells & !lost);
        let highest = (end & !lost).0.iter().fold(0, |most, end| most.max(*end));
        self.end = wall.height().max(highest.into());
        (self.lost, self.report_landing) = (lost, report);
        self.landing = rest + rest + placed.height.map(|height| height.wrapping_sub(1));

        let (mut lines, mut in_lines) = (Lanes::ZERO, Lanes::ZERO);
        for row in 0..self.end {
            let mut here = Lanes::ZERO;
            for (index, cells) in (0..).zip(&cells) {
                let is_here = rest.map(|rest| if rest + index == row as u16 { u16::MAX } else { 0 });
                here = here | (*cells & is_here);
            }
            let with = here.map(|here| here | wall.rows[row]);
            let full = with.map(|with| if with == FULL { u16::MAX } else { 0 });
            lines = lines + full.map(|full| full & 1);
            in_lines = in_lines + (here & full).ones();
            self.rows[row] = with;
        }
        (self.lines, self.cells) = (lines, in_lines);
        for (column, above) in placed.above.iter().enumerate() {
            let top = u16::from(wall.tops[column]);
            let over = rest + *above;
            let stays = above.with(lost, |above, lost| if above == NOT_HERE { u16::MAX } else { lost });
            self.tops[column] = (over & !stays) | stays.map(|stays| stays & top);
        }
        if !lines.is_zero() {
            for lane in 0..placed.count {
                if lines.0[lane] != 0 {
                    self.clear(lane);
                }
            }
        }
    }

    /// Removes the full rows of a lane.
    #[inline(never)]
    fn clear(&mut self, lane: usize) {
        let end = self.end;
        let mut kept = 0;
        for row in 0..end {
            let cells = self.rows[row].0[lane];
            self.rows[kept].0[lane] = cells;
            kept += usize::from(cells != FULL);
        }
        self.rows[kept..end].iter_mut().for_each(|lanes| lanes.0[lane] = 0);
        let mut left = FULL;
        self.tops.iter_mut().for_each(|tops| tops.0[lane] = 0);
        for row in (0..kept).rev() {
            let mut new = self.rows[row].0[lane] & left;
            left &= !new;
            while new != 0 {
                self.tops[new.trailing_zeros() as usize].0[lane] = row as u16 + 1;
                new &= new - 1;
            }
            if left == 0 {
                break;
            }
        }
    }

    /// The shapes of the surfaces of all lanes.
    #[inline(always)]
    fn see_shapes(&mut self) {
        let mut steps = [Lanes::ZERO; COLUMNS - 1];
        for (place, step) in steps.iter_mut().enumerate() {
            // From -3 to 3, counted from 0.
            *step = self.tops[place + 1].with(self.tops[place], |right, left| (right + 3).saturating_sub(left).min(6));
        }
        let shape = |one: Lanes, two: Lanes, three: Lanes| (one.map(|one| one * 49)) + two.map(|two| two * 7) + three;
        for (place, some) in steps.windows(3).enumerate() {
            self.shapes[place] = shape(some[0], some[1], some[2]);
        }
        let from_right = |place: usize| steps[place].map(|step| 6 - step);
        self.shapes[WINDOWS] = self.shapes[0];
        self.shapes[WINDOWS + 1] = shape(from_right(8), from_right(7), from_right(6));
    }

    /// Adds the weighed features of the surfaces to the values of all lanes.
    #[inline]
    fn weigh_surface(&self, surface: &Surface, values: &mut [f64; LANES]) {
        if let Some(weights) = &surface.shapes {
            for (place, shapes) in self.shapes.iter().enumerate() {
                let weights = &weights[usize::from(place >= WINDOWS)];
                for (value, shape) in values.iter_mut().zip(shapes.0) {
                    *value += weights[usize::from(shape) % weights.len()];
                }
            }
        }
        if let Some((heights, differences)) = &surface.heights {
            for (lane, value) in values.iter_mut().enumerate() {
                let top = |column: usize| self.tops[column].0[lane];
                *value +=
                    heights.iter().enumerate().map(|(column, weight)| weight * f64::from(top(column))).sum::<f64>();
                let apart = |place: usize| f64::from(top(place).abs_diff(top(place + 1)));
                *value += differences.iter().enumerate().map(|(place, weight)| weight * apart(place)).sum::<f64>();
            }
        }
    }

    /// Measures the walls of all lanes.
    #[inline(always)]
    fn measure<const NEEDS: u32>(&mut self, height: usize, table: &mut Table) {
        let needs = |group: u32| NEEDS & group != 0;
        if needs(need::SHAPES) {
            self.see_shapes();
        }
        let full = Lanes::all(FULL);
        let [mut row_changes, mut inner, mut holes, mut hole_rows, mut topped] = [Lanes::ZERO; 5];
        let [mut depth, mut wells, mut triangular] = [Lanes::ZERO; 3];
        let mut hole_bits = [Lanes::ZERO; KEPT];
        let (mut above, mut covered) = (Lanes::ZERO, Lanes::ZERO);
        let mut straight = Counters::NONE;
        let mut steps = Counters::NONE;
        let mut started = Lanes::ZERO;
        for row in (0..self.end).rev() {
            let cells = self.rows[row];
            // Cells with a filled side at either end: twelve of them, eleven changes.
            let wide = cells.map(|cells| cells << 1 | 1 | 1 << (COLUMNS + 1));
            row_changes = row_changes + wide.map(|wide| (wide ^ wide >> 1) & ((1 << (COLUMNS + 1)) - 1)).ones();
            inner = inner + (above ^ cells).ones();
            if needs(need::TOPPED) {
                topped = topped + (above & !cells).ones();
            }
            covered = covered | above;
            let empty = !cells & full;
            let hole = covered & empty;
            holes = holes + hole.ones();
            if needs(need::HOLE_ROWS) {
                hole_rows = hole_rows + hole.map(|hole| u16::from(hole != 0));
            }
            hole_bits[row] = hole;
            if needs(need::WELLS | need::TRIANGULAR) {
                let well = wide.map(|wide| wide & wide >> 2) & empty;
                if needs(need::WELLS) {
                    wells = wells + straight.step(well, empty);
                }
                if needs(need::TRIANGULAR) {
                    started = (started | well) & empty;
                    triangular = triangular + steps.step(started, empty);
                }
            }
            above = cells;
        }
        if needs(need::DEPTH) {
            let mut stacked = Lanes::ZERO;
            for row in 1..self.end {
                stacked = (stacked | hole_bits[row - 1]) & self.rows[row];
                depth = depth + stacked.ones();
            }
        }
        let floor = (self.rows[0] ^ full).ones();
        // Rows above all cells have two changes each.
        let over = 2 * (height - self.end.min(height)) as u16;

        let mut set = |feature: Feature, number: Lanes| {
            for (to, number) in table[feature as usize].iter_mut().zip(number.0) {
                *to = f32::from(number);
            }
        };
        set(Feature::RowTransitions, row_changes.map(|changes| changes + over));
        set(Feature::ColumnTransitions, inner + floor);
        set(Feature::InnerColumnTransitions, inner);
        set(Feature::Holes, holes);
        set(Feature::WellSums, wells);
        set(Feature::HoleDepth, depth);
        set(Feature::RowsWithHoles, hole_rows);
        set(Feature::WellSumsTriangular, triangular);
        set(Feature::ToppedHoles, topped);
        set(Feature::ErodedPieceCells, self.lines.with(self.cells, |lines, cells| lines * cells));
        set(Feature::RowsRemoved, self.lines);
        if needs(need::DIVERSITY) {
            let mut seen = Lanes::ZERO;
            for pair in self.tops.windows(2) {
                // From -2 to 2 counted from 0; what is beyond falls out of the bits that are counted.
                let apart = pair[1].with(pair[0], |right, left| right.wrapping_sub(left).wrapping_add(2).min(8));
                seen = seen | apart.map(|apart| 1 << apart);
            }
            set(Feature::Diversity, seen.map(|seen| seen & 31).ones());
        }
        if needs(need::HEIGHTS) {
            let [mut highest, mut sum, mut bumpiness, mut pits, mut squares] = [Lanes::ZERO; 5];
            let side = Lanes::all(u16::from(SIDE));
            for (column, top) in self.tops.iter().enumerate() {
                let left = if column == 0 { side } else { self.tops[column - 1] };
                let right = if column + 1 == COLUMNS { side } else { self.tops[column + 1] };
                highest = highest.with(*top, u16::max);
                sum = sum + *top;
                squares = squares + top.map(|top| top * top);
                if column > 0 {
                    bumpiness = bumpiness + top.with(left, u16::abs_diff);
                }
                let deep = left.with(right, u16::min).with(*top, u16::saturating_sub);
                pits = pits + deep.map(|deep| deep * (deep + 1) / 2);
            }
            set(Feature::MaxHeight, highest);
            set(Feature::SumOfHeights, sum);
            set(Feature::Bumpiness, bumpiness);
            set(Feature::HeightWells, pits);
            set(Feature::SquaredHeights, squares);
        }
        let mut halves = |feature: Feature, numbers: Lanes| {
            for (to, number) in table[feature as usize].iter_mut().zip(numbers.0) {
                *to = f32::from(number) / 2.0;
            }
        };
        halves(Feature::LandingHeight, self.landing);
        halves(Feature::ReportLandingHeight, self.report_landing);
        for (to, lost) in table[Feature::HasLost as usize].iter_mut().zip(self.lost.0) {
            *to = if lost != 0 { -10_000.0 } else { 100.0 };
        }
    }
}
