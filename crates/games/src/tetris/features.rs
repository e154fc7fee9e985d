use super::piece::{COLUMNS, FULL, ROWS};
use super::wall::Wall;

macro_rules! features {
    ($($(#[doc = $about:literal])+ $feature:ident $name:literal,)+) => {
        /// A feature of a placement and of the wall after it.
        ///
        /// Features of the literature are as in MDPTetris (Thiery and Scherrer), those of the
        /// report as in "Growing with Big Data, A Tetris Player" (2018).
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Feature {
            $($(#[doc = $about])+ $feature,)+
        }

        impl Feature {
            /// All features, in the order of their numbers.
            pub const ALL: &'static [Self] = &[$(Self::$feature,)+];

            /// Name in configurations and files.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$feature => $name,)+
                }
            }
        }
    };
}

features! {
    /// Middle of the piece: its lowest row plus half of (its rows less 1).
    LandingHeight "landing_height",
    /// Rows removed times the piece's cells in them.
    ErodedPieceCells "eroded_piece_cells",
    /// Changes between filled and empty along rows, with filled sides.
    RowTransitions "row_transitions",
    /// Changes between filled and empty along columns, from the filled floor to an empty top.
    ColumnTransitions "column_transitions",
    /// Empty cells below a filled one.
    Holes "holes",
    /// Empty cells from each well cell straight down, summed; a well cell lies empty between filled
    /// ones.
    WellSums "well_sums",
    /// Filled cells straight above holes.
    HoleDepth "hole_depth",
    /// Rows with a hole.
    RowsWithHoles "rows_with_holes",
    /// For each well of k cells, down to the first filled one: k (k + 1) / 2.
    WellSumsTriangular "well_sums_triangular",
    /// Different numbers from -2 to 2 among the differences of neighbouring heights.
    Diversity "diversity",
    /// Rows removed.
    RowsRemoved "rows_removed",
    /// Height of the highest column.
    MaxHeight "max_height",
    /// Sum of the heights.
    SumOfHeights "sum_of_heights",
    /// Sum of the absolute differences of neighbouring heights.
    Bumpiness "bumpiness",
    /// Maximum over the piece's columns of the height before it plus half its upper profile.
    ReportLandingHeight "report_landing_height",
    /// Empty cells with a filled cell right above.
    ToppedHoles "topped_holes",
    /// Column transitions without the floor.
    InnerColumnTransitions "inner_column_transitions",
    /// For each column that is d lower than both neighbours: d (d + 1) / 2. A side is 21 high.
    HeightWells "height_wells",
    /// -10000 if the game is lost, else 100.
    HasLost "has_lost",
    /// Sum of the squared heights.
    SquaredHeights "squared_heights",
}

pub const COUNT: usize = Feature::ALL.len();

/// Features of the report in order.
pub const REPORT: [Feature; 11] = [
    Feature::RowsRemoved,
    Feature::MaxHeight,
    Feature::SumOfHeights,
    Feature::Bumpiness,
    Feature::ReportLandingHeight,
    Feature::ToppedHoles,
    Feature::InnerColumnTransitions,
    Feature::RowTransitions,
    Feature::Holes,
    Feature::HeightWells,
    Feature::HasLost,
];

/// Features of Dellacherie's player.
pub const DELLACHERIE: [Feature; 6] = [
    Feature::LandingHeight,
    Feature::ErodedPieceCells,
    Feature::RowTransitions,
    Feature::ColumnTransitions,
    Feature::Holes,
    Feature::WellSums,
];

/// Features of Thiery and Scherrer's DT, with their program's wells.
pub const DT: [Feature; 9] = [
    Feature::LandingHeight,
    Feature::ErodedPieceCells,
    Feature::RowTransitions,
    Feature::ColumnTransitions,
    Feature::Holes,
    Feature::WellSumsTriangular,
    Feature::HoleDepth,
    Feature::RowsWithHoles,
    Feature::Diversity,
];

/// Features of Bertsekas and Tsitsiklis, "Neuro-Dynamic Programming" (1996), besides heights and
/// their differences.
pub const BERTSEKAS: [Feature; 2] = [Feature::MaxHeight, Feature::Holes];

pub const SETS: &[(&str, &[Feature])] =
    &[("report", &REPORT), ("dellacherie", &DELLACHERIE), ("bertsekas", &BERTSEKAS), ("dt", &DT)];

impl Feature {
    /// Whether the feature describes the placement, not the wall after it.
    pub const fn is_of_placement(self) -> bool {
        matches!(
            self,
            Self::LandingHeight
                | Self::ErodedPieceCells
                | Self::RowsRemoved
                | Self::ReportLandingHeight
                | Self::HasLost
        )
    }

    /// Feature of a name.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|feature| feature.name() == name)
    }
}

/// Height of a side for [`Feature::HeightWells`].
pub const SIDE: u8 = ROWS as u8 + 1;

/// Features of a wall in the order of [`Feature::ALL`], cell by cell; those of a placement are 0.
pub fn of_wall(wall: &Wall, height: usize) -> [f64; COUNT] {
    let filled = |row: usize, column: usize| wall.rows[row] >> column & 1 == 1;
    // The sides are filled.
    let aside = |row: usize, column: usize, right: bool| match (right, column) {
        (false, 0) => true,
        (false, _) => filled(row, column - 1),
        (true, _) => column + 1 == COLUMNS || filled(row, column + 1),
    };
    let covered = |row: usize, column: usize| (row + 1..wall.rows.len()).any(|above| filled(above, column));
    let is_hole = |row: usize, column: usize| !filled(row, column) && covered(row, column);
    let is_well =
        |row: usize, column: usize| !filled(row, column) && aside(row, column, false) && aside(row, column, true);
    let cells_where = |is: &dyn Fn(usize, usize) -> bool| {
        (0..height).map(|row| (0..COLUMNS).filter(|column| is(row, *column)).count()).sum::<usize>() as f64
    };
    let empty_below = |row: usize, column: usize| (0..=row).rev().take_while(|row| !filled(*row, column)).count();

    let tops = wall.tops.map(f64::from);
    let differences: Vec<f64> = tops.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let row_changes = |row: usize| {
        let cell = |place: usize| place == 0 || place == COLUMNS + 1 || filled(row, place - 1);
        (0..=COLUMNS).filter(|place| cell(*place) != cell(place + 1)).count()
    };
    let inner =
        cells_where(&|row, column| filled(row, column) != (row + 1 < wall.rows.len() && filled(row + 1, column)));
    let floor = f64::from((wall.rows[0] ^ FULL).count_ones());
    let mut well_sums = 0;
    let mut triangular = 0;
    for column in 0..COLUMNS {
        let mut row = height;
        while row > 0 {
            row -= 1;
            if is_well(row, column) {
                well_sums += empty_below(row, column);
            }
        }
        let mut row = height;
        while row > 0 {
            row -= 1;
            if is_well(row, column) {
                let depth = empty_below(row, column);
                triangular += depth * (depth + 1) / 2;
                row = row + 1 - depth;
            }
        }
    }
    let stacked = |row: usize, column: usize| filled(row, column) && (0..row).any(|below| !filled(below, column));
    let height_of = |column: usize| wall.tops[column];
    let well = |column: usize| {
        let left = if column == 0 { SIDE } else { height_of(column - 1) };
        let right = if column + 1 == COLUMNS { SIDE } else { height_of(column + 1) };
        let deep = f64::from(left.min(right).saturating_sub(height_of(column)));
        deep * (deep + 1.0) / 2.0
    };
    let value = |feature: Feature| match feature {
        Feature::RowTransitions => (0..height).map(row_changes).sum::<usize>() as f64,
        Feature::ColumnTransitions => inner + floor,
        Feature::Holes => cells_where(&is_hole),
        Feature::WellSums => well_sums as f64,
        Feature::HoleDepth => cells_where(&stacked),
        Feature::RowsWithHoles => {
            (0..height).filter(|row| (0..COLUMNS).any(|column| is_hole(*row, column))).count() as f64
        }
        Feature::WellSumsTriangular => triangular as f64,
        Feature::Diversity => (-2..=2).filter(|number| differences.contains(&f64::from(*number))).count() as f64,
        Feature::MaxHeight => tops.into_iter().fold(0.0, f64::max),
        Feature::SumOfHeights => tops.iter().sum(),
        Feature::Bumpiness => differences.iter().map(|apart| apart.abs()).sum(),
        Feature::ToppedHoles => {
            cells_where(&|row, column| !filled(row, column) && row + 1 < wall.rows.len() && filled(row + 1, column))
        }
        Feature::InnerColumnTransitions => inner,
        Feature::HeightWells => (0..COLUMNS).map(well).sum(),
        Feature::SquaredHeights => tops.iter().map(|top| top * top).sum(),
        _ => 0.0,
    };
    std::array::from_fn(|index| value(Feature::ALL[index]))
}
