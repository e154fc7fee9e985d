use serde_json::{Map, Value, json};

use crate::agents::Shipped;
use crate::contract::{Importance, Measured};
use crate::learned::Linear;
use crate::texts::{Build, Preset, Roster, Weights, budget};
use matchq_games::tetris::{Feature, REPORT, State, Tetris};
use matchq_games::{ActionFeatures, Lookahead};

impl Measured for Tetris {
    const UNIT: &'static str = "lines";
    /// Mean height of the columns, in half rows.
    const IMPORTANCE: Option<Importance<Self>> = Some(|game| game.mean_height_in_half_rows());
}

impl Roster for Tetris {
    const ABOUT: &'static str = "10 columns, up to 20 rows, seven pieces that drop straight; a point a row";

    const AGENTS: &'static [Shipped] = &[
        shipped!(
            Linear,
            "tetris-shapes-20",
            "the strongest on twenty rows: DT's features and shapes of the surface, by evolution"
        ),
        shipped!(Linear, "tetris-shapes", "the strongest on ten rows, by imitation, then by evolution"),
        shipped!(Linear, "tetris-imitation", "what imitation alone learns of DT-10 that looks a piece further"),
    ];

    const PRESETS: &'static [Preset] = PRESETS;

    /// The first agent that ships, looking a piece further; the budget has no effect.
    const BEST: Option<Build<Self>> = Some(|options, _| {
        budget(options)?;
        options.player(Linear::of::<Self>(&PRESETS[0])?.player::<Self>(2))
    });

    fn about_move(state: &State, action: usize) -> Map<String, Value> {
        let mut found = Map::new();
        Self::action_features(state, |placed, numbers| {
            if placed != action {
                return;
            }
            let number = |feature: Feature| {
                let known = numbers.iter().find(|(place, _)| *place == feature as usize);
                known.map_or(0.0, |(_, number)| *number)
            };
            let after = Self::after(state, action).state;
            let filled = after.rows().iter().rposition(|row| *row != 0).map_or(0, |row| row + 1);
            let named = Feature::ALL.iter().map(|feature| (feature.name().to_owned(), json!(number(*feature))));
            let report = ("report".to_owned(), json!(REPORT.map(number)));
            found = Map::from_iter([
                ("lines".to_owned(), json!(number(Feature::RowsRemoved) as u32)),
                ("lost".to_owned(), json!(after.is_lost())),
                ("leaves".to_owned(), json!(&after.rows()[..filled])),
                ("features".to_owned(), named.chain([report]).collect::<Map<_, _>>().into()),
            ]);
        });
        found
    }
}

const PRESETS: &[Preset] = &[
    Preset {
        name: "shapes-20",
        about: "shapes, trained further by evolution on twenty rows",
        weights: Weights::Agent("tetris-shapes-20"),
    },
    Preset {
        name: "shapes",
        about: "trained by imitation, then by evolution on ten rows: DT's features and shapes of the surface",
        weights: Weights::Agent("tetris-shapes"),
    },
    Preset {
        name: "imitation",
        about: "trained by imitation of DT-10 with a piece further",
        weights: Weights::Agent("tetris-imitation"),
    },
    Preset {
        name: "report",
        about: "the genetic algorithm's of \"Growing with Big Data, A Tetris Player\" (2018), learned on 13 rows",
        weights: Weights::Terms(&[
            ("rows_removed", -0.10994115458466136),
            ("max_height", -0.1154697834187254),
            ("sum_of_heights", -0.04390525258236673),
            ("bumpiness", 0.017912908135268947),
            ("report_landing_height", -0.17018693844059846),
            ("topped_holes", -0.3044476707923254),
            ("inner_column_transitions", -0.38617473506172584),
            ("row_transitions", -0.22806177833393343),
            ("holes", -0.7696058904564755),
            ("height_wells", -0.19377750577164388),
            ("has_lost", 0.13672271498097804),
        ]),
    },
    Preset {
        name: "report-9",
        about: "the same, learned on 9 rows",
        weights: Weights::Terms(&[
            ("rows_removed", 0.27108678297658184),
            ("max_height", 0.052210127461541356),
            ("sum_of_heights", -0.01175971353359219),
            ("bumpiness", -9.362791850485086e-4),
            ("report_landing_height", -0.22840826350913523),
            ("topped_holes", -0.3074418797607427),
            ("inner_column_transitions", -0.12518629866820255),
            ("row_transitions", -0.17175759824362818),
            ("holes", -0.7871385684504404),
            ("height_wells", -0.15907062512458905),
            ("has_lost", 0.29307537483267665),
        ]),
    },
    Preset {
        name: "genetic",
        about: "the report's genetic algorithm, run here for six hours on two cores (configs/tetris-genetic.toml)",
        weights: Weights::Terms(&[
            ("rows_removed", -0.12817665934562683),
            ("max_height", -0.3040171265602112),
            ("sum_of_heights", -0.10516545176506042),
            ("bumpiness", 0.16728472709655762),
            ("report_landing_height", -0.3397793173789978),
            ("topped_holes", -0.3109029531478882),
            ("inner_column_transitions", -0.6491958498954773),
            ("row_transitions", -0.5131435990333557),
            ("holes", -1.0),
            ("height_wells", -0.3130034804344177),
            ("has_lost", 0.40617337822914124),
        ]),
    },
    Preset {
        name: "dellacherie",
        about: "Pierre Dellacherie's, set by hand (2003)",
        weights: Weights::Terms(&[
            ("landing_height", -1.0),
            ("eroded_piece_cells", 1.0),
            ("row_transitions", -1.0),
            ("column_transitions", -1.0),
            ("holes", -4.0),
            ("well_sums", -1.0),
        ]),
    },
    Preset {
        name: "el-tetris",
        about: "Islam El-Ashi's, by particle swarms (2011)",
        weights: Weights::Terms(&[
            ("landing_height", -4.500158825),
            ("eroded_piece_cells", 3.418126810),
            ("row_transitions", -3.217888287),
            ("column_transitions", -9.348695305),
            ("holes", -7.899265427),
            ("well_sums", -3.385597225),
        ]),
    },
    Preset {
        name: "du",
        about: "Thiery and Scherrer's DU, by noisy cross-entropy (2009); BCTS in their paper",
        weights: Weights::Terms(&[
            ("landing_height", -12.629),
            ("eroded_piece_cells", 6.601974),
            ("row_transitions", -9.215815),
            ("column_transitions", -19.77356),
            ("holes", -13.08335),
            ("well_sums", -10.48747),
            ("hole_depth", -1.611863),
            ("rows_with_holes", -24.04087),
        ]),
    },
    Preset {
        name: "dt-10",
        about: "Gabillon, Ghavamzadeh and Scherrer's (2013), by classification-based policy iteration on 10 rows",
        weights: Weights::Terms(&[
            ("landing_height", -2.18),
            ("eroded_piece_cells", 2.42),
            ("row_transitions", -2.17),
            ("column_transitions", -3.31),
            ("holes", 0.95),
            ("well_sums_triangular", -2.22),
            ("hole_depth", -0.81),
            ("rows_with_holes", -9.65),
            ("diversity", 1.27),
        ]),
    },
    Preset {
        name: "dt-20",
        about: "the same, on 20 rows",
        weights: Weights::Terms(&[
            ("landing_height", -2.68),
            ("eroded_piece_cells", 1.38),
            ("row_transitions", -2.41),
            ("column_transitions", -6.32),
            ("holes", 2.03),
            ("well_sums_triangular", -2.71),
            ("hole_depth", -0.43),
            ("rows_with_holes", -9.48),
            ("diversity", 0.89),
        ]),
    },
];
