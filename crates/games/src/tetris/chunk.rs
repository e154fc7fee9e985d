use super::features::{COUNT, Feature, SIDE};
use super::lanes::{Counters, LANES, Lanes, Numbers};
use super::piece::{COLUMNS, FULL, TALLEST};
use super::placed::Placed;
use super::surface::{PADDED, Surface};
use super::wall::{KEPT, Wall};

/// Groups of features that take extra work, a bit each.
pub mod need {
    pub const WELLS: u32 = 1;
    pub const TRIANGULAR: u32 = 2;
    pub const DEPTH: u32 = 4;
    pub const HOLE_ROWS: u32 = 8;
    pub const DIVERSITY: u32 = 16;
    pub const HEIGHTS: u32 = 32;
    pub const TOPPED: u32 = 64;
    pub const SHAPES: u32 = 128;
    pub const DT: u32 = TRIANGULAR | DEPTH | HOLE_ROWS | DIVERSITY;
    pub const REPORT: u32 = HEIGHTS | TOPPED;
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

const WINDOWS: usize = COLUMNS - 3;

/// Filled sides of a row that has one more cell at either end.
const SIDES: u16 = 1 | 1 << (COLUMNS + 1);

/// Unit of a feature's [`Chunk::numbers`]: a half for landing heights, else 1.
pub fn unit(feature: Feature) -> f64 {
    match feature {
        Feature::LandingHeight | Feature::ReportLandingHeight => 0.5,
        _ => 1.0,
    }
}

/// Some placements of a piece on a wall, a lane each, and the features of their walls.
pub struct Chunk {
    rows: [Numbers; KEPT],
    tops: [Numbers; COLUMNS],
    holes: [Numbers; KEPT],
    /// Row above the highest filled one of all lanes.
    end: usize,
    /// All bits where the placement loses, else none.
    lost: Numbers,
    /// Shapes of the surface: seven between the sides, one at the left side, one, mirrored, at the
    /// right.
    shapes: [Numbers; WINDOWS + 2],
    /// Features needed, a row each, signed, in units.
    pub numbers: [Numbers; COUNT],
    pub values: [f64; LANES],
}

#[inline(always)]
fn loaded<L: Lanes>(zero: L, numbers: &[Numbers; COLUMNS]) -> [L; COLUMNS] {
    let mut lanes = [zero; COLUMNS];
    for (lanes, numbers) in lanes.iter_mut().zip(numbers) {
        *lanes = zero.load(numbers);
    }
    lanes
}

impl Chunk {
    pub const EMPTY: Self = {
        const NONE: Numbers = Numbers::all(0);
        Self {
            rows: [NONE; KEPT],
            tops: [NONE; COLUMNS],
            holes: [NONE; KEPT],
            end: 0,
            lost: NONE,
            shapes: [NONE; WINDOWS + 2],
            numbers: [NONE; COUNT],
            values: [0.0; LANES],
        }
    };

    #[inline(always)]
    pub fn is_lost(&self, lane: usize) -> bool {
        self.lost.0[lane] != 0
    }

    /// Makes placements on a wall, a lane each, and measures what depends on them alone.
    #[inline(always)]
    pub fn fill<L: Lanes>(&mut self, zero: L, wall: &Wall, placed: &Placed, height: usize) {
        let mut tops_of = [0; 16];
        tops_of[..COLUMNS].copy_from_slice(&wall.tops);
        let (mut rest, mut report) = (zero, zero);
        for index in 0..placed.widest {
            let tops = zero.load(&placed.columns[index]).look_up(&tops_of);
            rest = rest.max(tops.saturating_sub(zero.load(&placed.lower[index])));
            report = report.max(tops + tops + zero.load(&placed.upper[index]));
        }
        let piece_height = zero.load(&placed.height);
        let end = rest + piece_height;
        let lost = end.is_above(zero.all(height as u16));
        // Loops, as a closure given to a function of the standard library lacks the instructions of its caller.
        let (mut cells, mut at) = ([zero; TALLEST], [zero; TALLEST]);
        for index in 0..TALLEST {
            cells[index] = zero.load(&placed.cells[index]).and_not(lost);
            at[index] = rest + zero.all(index as u16);
        }
        self.end = wall.height().max(end.and_not(lost).max_lane().into());
        lost.store(&mut self.lost);

        let here = |row: usize| {
            let number = zero.all(row as u16);
            let first = cells[0] & at[0].is_equal(number);
            (1..placed.tallest).fold(first, |here, index| here | (cells[index] & at[index].is_equal(number)))
        };
        let full_row = zero.all(FULL);
        let mut full = zero;
        for row in 0..self.end {
            let with = here(row) | zero.all(wall.rows[row]);
            full = full | with.is_equal(full_row);
            with.store(&mut self.rows[row]);
        }
        let has_lines = !full.is_zero();
        let (mut lines, mut in_lines) = (zero, zero);
        if has_lines {
            for row in 0..self.end {
                let full = zero.load(&self.rows[row]).is_equal(full_row);
                lines = lines - full;
                in_lines = in_lines.counting(here(row) & full);
            }
        }
        for column in 0..COLUMNS {
            let top = zero.all(wall.tops[column].into());
            let over = rest + zero.load(&placed.above[column]);
            let moves = zero.load(&placed.is_here[column]).and_not(lost);
            ((over & moves) | top.and_not(moves)).store(&mut self.tops[column]);
        }
        let mut set = |feature: Feature, number: L| number.store(&mut self.numbers[feature as usize]);
        set(Feature::RowsRemoved, lines);
        set(Feature::ErodedPieceCells, lines.mul(in_lines.summed()));
        set(Feature::LandingHeight, rest + rest + piece_height - zero.all(1));
        set(Feature::ReportLandingHeight, report);
        let (losing, playing) = (zero.all(-10_000i16 as u16), zero.all(100));
        set(Feature::HasLost, (losing & lost) | playing.and_not(lost));
        if has_lines {
            let mut lines_of = Numbers::all(0);
            lines.store(&mut lines_of);
            for lane in (0..placed.count).filter(|lane| lines_of.0[*lane] != 0) {
                self.clear(lane);
            }
        }
    }

    #[inline(never)]
    fn clear(&mut self, lane: usize) {
        let mut wall = Wall::EMPTY;
        for (to, row) in wall.rows.iter_mut().zip(&self.rows[..self.end]) {
            *to = row.0[lane];
        }
        wall.clear();
        for (row, from) in self.rows[..self.end].iter_mut().zip(wall.rows) {
            row.0[lane] = from;
        }
        for (to, top) in self.tops.iter_mut().zip(wall.tops) {
            to.0[lane] = top.into();
        }
    }

    #[inline(always)]
    fn see_shapes<L: Lanes>(&mut self, zero: L) {
        let tops = loaded(zero, &self.tops);
        // Differences from -3 to 3, as numbers from 0.
        let mut steps = [zero; COLUMNS - 1];
        for (step, pair) in steps.iter_mut().zip(tops.windows(2)) {
            *step = (pair[1] + zero.all(3)).saturating_sub(pair[0]).min(zero.all(6));
        }
        let shape = |one: L, two: L, three: L| (one.mul(zero.all(7)) + two).mul(zero.all(7)) + three;
        for (place, some) in steps.windows(3).enumerate() {
            shape(some[0], some[1], some[2]).store(&mut self.shapes[place]);
        }
        let from_right = |place: usize| zero.all(6) - steps[place];
        self.shapes[WINDOWS] = self.shapes[0];
        shape(from_right(8), from_right(7), from_right(6)).store(&mut self.shapes[WINDOWS + 1]);
    }

    /// Values by weighted features and the surface: minus infinity in an empty lane and, with
    /// `never_loses`, for a placement that loses.
    #[inline(always)]
    pub fn weigh<L: Lanes>(
        &mut self,
        zero: L,
        placed: &Placed,
        terms: &[(usize, f64)],
        surface: &Surface,
        never_loses: bool,
    ) {
        self.values = zero.weighed(&self.numbers, terms);
        self.weigh_surface(placed.count, surface);
        if never_loses && !zero.load(&self.lost).is_zero() {
            for (value, lost) in self.values.iter_mut().zip(self.lost.0) {
                *value = if lost != 0 { f64::NEG_INFINITY } else { *value };
            }
        }
        self.values[placed.count..].fill(f64::NEG_INFINITY);
    }

    #[inline(always)]
    fn weigh_surface(&mut self, count: usize, surface: &Surface) {
        if let Some([middle, side]) = surface.shapes.as_deref() {
            let weights: [_; WINDOWS + 2] = std::array::from_fn(|place| if place < WINDOWS { middle } else { side });
            for (lane, value) in self.values[..count].iter_mut().enumerate() {
                for (shapes, weights) in self.shapes.iter().zip(weights) {
                    *value += weights[usize::from(shapes.0[lane]) % PADDED];
                }
            }
        }
        if let Some((heights, differences)) = &surface.heights {
            for (lane, value) in self.values[..count].iter_mut().enumerate() {
                let top = |column: usize| self.tops[column].0[lane];
                *value +=
                    heights.iter().enumerate().map(|(column, weight)| weight * f64::from(top(column))).sum::<f64>();
                let apart = |place: usize| f64::from(top(place).abs_diff(top(place + 1)));
                *value += differences.iter().enumerate().map(|(place, weight)| weight * apart(place)).sum::<f64>();
            }
        }
    }

    /// Sums of wells. A well cell lies empty between filled ones.
    ///
    /// Each column's number grows from the first well cell down to a filled cell, by one at each
    /// well cell or with `TRIANGULAR` at each cell. The sum is over all cells.
    #[inline(always)]
    fn wells<L: Lanes, const TRIANGULAR: bool>(&self, zero: L) -> L {
        // Wells deeper than seven are rare.
        match self.wells_below::<L, TRIANGULAR, 3>(zero) {
            Some(sums) => sums,
            // 31 is above any wall's height.
            None => self.wells_below::<L, TRIANGULAR, 5>(zero).unwrap_or(zero),
        }
    }

    /// [`wells`](Self::wells) with column counters of `DIGITS` bits; `None` if one overflows.
    #[inline(always)]
    fn wells_below<L: Lanes, const TRIANGULAR: bool, const DIGITS: usize>(&self, zero: L) -> Option<L> {
        let (full, sides) = (zero.all(FULL), zero.all(SIDES));
        let mut numbers = Counters::<L, DIGITS>::none(zero);
        let mut started = zero;
        for row in (0..self.end).rev() {
            let cells = zero.load(&self.rows[row]);
            let empty = full.and_not(cells);
            let wide = cells.up::<1>() | sides;
            let well = wide & wide.down::<2>() & empty;
            started = (started | well) & empty;
            numbers.step(if TRIANGULAR { started } else { well }, empty);
        }
        numbers.sum()
    }

    #[inline(always)]
    pub fn measure<L: Lanes, const NEEDS: u32>(&mut self, zero: L, height: usize) {
        let needs = |group: u32| NEEDS & group != 0;
        if needs(need::SHAPES) {
            self.see_shapes(zero);
        }
        let full = zero.all(FULL);
        let sides = zero.all(SIDES);
        let changes = zero.all((1 << (COLUMNS + 1)) - 1);
        let [mut row_changes, mut inner, mut topped, mut above] = [zero; 4];
        for row in (0..self.end).rev() {
            let cells = zero.load(&self.rows[row]);
            // Filled sides make twelve cells and eleven changes.
            let wide = cells.up::<1>() | sides;
            row_changes = row_changes.counting((wide ^ wide.down::<1>()) & changes);
            inner = inner.counting(above ^ cells);
            if needs(need::TOPPED) {
                topped = topped.counting(above.and_not(cells));
            }
            above = cells;
        }
        // A separate loop saves registers.
        let [mut holes, mut rows_without, mut covered] = [zero; 3];
        for row in (0..self.end).rev() {
            let cells = zero.load(&self.rows[row]);
            let empty = full.and_not(cells);
            let hole = covered & empty;
            covered = covered | cells;
            holes = holes.counting(hole);
            if needs(need::HOLE_ROWS) {
                // A lane with all bits set is -1.
                rows_without = rows_without - hole.is_equal(zero);
            }
            if needs(need::DEPTH) {
                hole.store(&mut self.holes[row]);
            }
        }
        let floor = (zero.load(&self.rows[0]) ^ full).ones();
        // Rows above all cells have two changes each.
        let over = zero.all(2 * (height - self.end.min(height)) as u16);
        let inner = inner.summed();
        let straight = if needs(need::WELLS) { self.wells::<L, false>(zero) } else { zero };
        let steps = if needs(need::TRIANGULAR) { self.wells::<L, true>(zero) } else { zero };
        let mut set = |feature: Feature, number: L| number.store(&mut self.numbers[feature as usize]);
        set(Feature::RowTransitions, row_changes.summed() + over);
        set(Feature::ColumnTransitions, inner + floor);
        set(Feature::InnerColumnTransitions, inner);
        set(Feature::Holes, holes.summed());
        if needs(need::TOPPED) {
            set(Feature::ToppedHoles, topped.summed());
        }
        if needs(need::HOLE_ROWS) {
            set(Feature::RowsWithHoles, zero.all(self.end as u16) - rows_without);
        }
        if needs(need::WELLS) {
            set(Feature::WellSums, straight);
        }
        if needs(need::TRIANGULAR) {
            set(Feature::WellSumsTriangular, steps);
        }
        if needs(need::DEPTH) {
            let (mut stacked, mut depth) = (zero, zero);
            for row in 1..self.end {
                stacked = (stacked | zero.load(&self.holes[row - 1])) & zero.load(&self.rows[row]);
                depth = depth.counting(stacked);
            }
            set(Feature::HoleDepth, depth.summed());
        }
        if needs(need::DIVERSITY) {
            // Differences from -2 to 2, as numbers from 0; others have no bit.
            const BITS: [u8; 16] = [1, 2, 4, 8, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
            let mut seen = zero;
            for pair in self.tops.windows(2) {
                let apart = zero.load(&pair[1]) - zero.load(&pair[0]) + zero.all(2);
                seen = seen | apart.min(zero.all(8)).look_up(&BITS);
            }
            set(Feature::Diversity, seen.ones());
        }
        if needs(need::HEIGHTS) {
            let [mut highest, mut sum, mut bumpiness, mut pits, mut squares] = [zero; 5];
            let side = zero.all(SIDE.into());
            let tops = loaded(zero, &self.tops);
            for (column, top) in tops.into_iter().enumerate() {
                let left = if column == 0 { side } else { tops[column - 1] };
                let right = if column + 1 == COLUMNS { side } else { tops[column + 1] };
                highest = highest.max(top);
                sum = sum + top;
                squares = squares + top.mul(top);
                if column > 0 {
                    bumpiness = bumpiness + top.max(left) - top.min(left);
                }
                let deep = left.min(right).saturating_sub(top);
                pits = pits + deep.mul(deep + zero.all(1)).down::<1>();
            }
            set(Feature::MaxHeight, highest);
            set(Feature::SumOfHeights, sum);
            set(Feature::Bumpiness, bumpiness);
            set(Feature::HeightWells, pits);
            set(Feature::SquaredHeights, squares);
        }
    }
}
