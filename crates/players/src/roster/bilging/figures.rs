use std::collections::BTreeMap;

use crate::texts::{Figure, OwnFigures, Played};
use matchq_games::bilging::{Bilging, Bingo, Break, COLUMNS, Grid, ROWS, bingos, board};
use matchq_games::{Game, Lookahead};

/// Row, X and O of a bingo.
type Known = (usize, u8, u8);

#[derive(Default)]
struct Counts {
    moves: u32,
    points: f32,
    clearing: u32,
    bingos: u32,
    encountered: u32,
    completed: u32,
}

/// Points and bingos a move, completion, and types of break.
///
/// A bingo is encountered when its sum of features becomes the lowest, and completed if a break of
/// three lines or more then touches its row.
pub(super) fn figures(games: &mut dyn Iterator<Item = Played<Bilging>>) -> OwnFigures {
    let mut types = BTreeMap::<Break, u64>::new();
    let counts: Vec<Counts> = games.map(|game| count(game, &mut types)).collect();
    let figure = |name, about, ratio: fn(&Counts) -> (f64, f64)| Figure {
        name,
        about,
        games: counts.iter().map(ratio).collect(),
    };
    OwnFigures {
        ratios: vec![
            figure("points_per_move", "points a move", |of| (of.points.into(), of.moves.into())),
            figure("points_per_clearing_move", "a clearing move", |of| (of.points.into(), of.clearing.into())),
            figure("bingos_per_move", "bingos a move", |of| (of.bingos.into(), of.moves.into())),
            figure("completion", "completion", |of| (of.completed.into(), of.encountered.into())),
        ],
        counts: vec![("breaks", types.into_iter().map(|(kind, count)| (kind.to_string(), count)).collect())],
    }
}

fn count(Played { mut game, mut random, actions }: Played<Bilging>, types: &mut BTreeMap<Break, u64>) -> Counts {
    let (mut counts, mut tracked) = (Counts::default(), None::<Known>);
    for action in actions {
        let state = game.state();
        let possible = bingos(&state.pieces());
        let lowest = possible.iter().map(Bingo::sum).min();
        let known = |bingo: &Bingo| (bingo.row, bingo.x, bingo.o);
        let mut best = possible.iter().filter(|bingo| Some(bingo.sum()) == lowest).map(known);
        // The tracked bingo stays among equal ones.
        let first = best.clone().next();
        if !best.any(|bingo| Some(bingo) == tracked) {
            counts.encountered += u32::from(first.is_some());
            tracked = first;
        }
        let made = Bilging::first_break(&state, action);
        let step = game.step(action, &mut random);
        counts.moves += 1;
        counts.points += step.reward;
        if made.lines() > 0 {
            counts.clearing += 1;
            *types.entry(made).or_default() += 1;
        }
        if made.lines() >= 3 {
            counts.bingos += 1;
            let broken = Bilging::done(&state, action).grid();
            let broken = rows_of(&broken);
            if tracked.take_if(|bingo| broken[bingo.0]).is_some() {
                counts.completed += 1;
            }
        }
    }
    counts
}

fn rows_of(grid: &Grid) -> [bool; ROWS] {
    let cells = board::runs(grid).cells();
    std::array::from_fn(|row| (0..COLUMNS).any(|column| !(cells & board::cell(column, row)).is_empty()))
}
