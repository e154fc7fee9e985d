use std::collections::BTreeMap;

use crate::agents::Shipped;
use crate::contract::{Forecast, Measured, Valued};
use crate::texts::{Build, Entry, Figure, OwnFigures, OwnPolicy, Played, Roster, ranked, recommended};
use matchq_games::bejeweled::{Bejeweled, State};
use matchq_games::{Game, Lookahead, MaskKind, Text};

impl Measured for Bejeweled {
    const FORECAST: Option<Forecast<State>> = Some(Forecast { points: forecast, in_search: true });
}

impl Roster for Bejeweled {
    const ABOUT: &'static str = "8 x 8 gems of seven kinds; only swaps that match, until there is none";

    const AGENTS: &'static [Shipped] =
        &[shipped!(Network, "bejeweled-dqn", "learned by DQN in games of 500 moves without levels")];

    const POLICIES: &'static [OwnPolicy<State>] = POLICIES;
    const THEMES: &'static [&'static str] = &["bejeweled", "bejeweled-deluxe", "bejeweled-flash", "bejeweled-drawn"];

    /// Rollouts, which play longer games than the agent that ships.
    const BEST: Option<Build<Self>> = Some(|options, rules| recommended(options, rules, 2));

    fn players() -> Vec<Entry<Self>> {
        vec![ranked()]
    }

    fn figures(games: &mut dyn Iterator<Item = Played<Self>>) -> OwnFigures {
        figures(games)
    }
}

/// Points to come: mean gain times moves left times the chance of no early end by the number of
/// matching swaps.
///
/// The constants are rough, chosen on games that no report uses.
fn forecast(state: &State) -> f64 {
    /// Mean gain of a move, in runs of three.
    const RUNS: f64 = 4.0;
    /// Most moves that count.
    const MOVES: u16 = 250;
    /// Decrease of an end's log chance by each swap that matches.
    const SAFER: f64 = 0.7;
    let moves = f64::from(state.moves_left().unwrap_or(MOVES).min(MOVES));
    let swaps = Bejeweled::mask(state, MaskKind::LEGAL).count() as f64;
    f64::from(state.base()) * RUNS * moves * (1.0 - (-SAFER * swaps).exp())
}

const POLICIES: &[OwnPolicy<State>] = &[
    OwnPolicy {
        name: "careful",
        about: "the most certain points, and the value of the swaps that are left for certain",
        values: careful,
    },
    OwnPolicy { name: "mobile", about: "the swap after which most swaps match for certain", values: mobile },
    OwnPolicy { name: "first", about: "the first swap of the board, row by row from the top", values: first },
    OwnPolicy { name: "lowest", about: "the lowest swap of the board", values: lowest },
];

fn each(state: &State, value: impl Fn(usize) -> f64) -> Vec<Valued> {
    Bejeweled::mask(state, MaskKind::LEGAL).iter().map(|action| Valued::new(action, value(action))).collect()
}

fn careful(state: &State) -> Vec<Valued> {
    each(state, |action| {
        let after = Bejeweled::after(state, action);
        f64::from(after.points) + forecast(&after.state) / Bejeweled::unit(state)
    })
}

fn mobile(state: &State) -> Vec<Valued> {
    each(state, |action| {
        let after = Bejeweled::after(state, action);
        after.actions.count() as f64 + 1e-6 * f64::from(after.points)
    })
}

/// Number that orders swaps by their first cell, row by row.
fn place(state: &State, action: usize) -> f64 {
    let cells = Bejeweled::cells(state, action);
    (16 * cells[0].0 + 2 * cells[0].1 + usize::from(cells[0].0 == cells[1].0)) as f64
}

fn first(state: &State) -> Vec<Valued> {
    each(state, |action| -place(state, action))
}

fn lowest(state: &State) -> Vec<Valued> {
    each(state, |action| Bejeweled::cells(state, action).iter().map(|(row, _)| *row).max().unwrap_or(0) as f64)
}

/// Moves of a game, points of a move, and games that ended without a matching swap.
///
/// `swaps` counts moves by the matching swaps before them, `last_swaps` moves after which no swap
/// matched.
fn figures(games: &mut dyn Iterator<Item = Played<Bejeweled>>) -> OwnFigures {
    let (mut moves, mut points, mut ended) = (vec![], vec![], vec![]);
    let mut swaps: BTreeMap<usize, [u64; 2]> = BTreeMap::new();
    for Played { mut game, mut random, actions } in games {
        let count = actions.len() as f64;
        for action in actions {
            let count = Bejeweled::mask(&game.state(), MaskKind::LEGAL).count();
            let step = game.step(action, &mut random);
            let [seen, last] = swaps.entry(count).or_default();
            *seen += 1;
            *last += u64::from(step.terminal && game.moves_left() != Some(0));
        }
        moves.push((count, 1.0));
        points.push((game.score().into(), count));
        let stuck = game.moves_left() != Some(0) && game.is_over();
        ended.push((f64::from(u8::from(stuck)), 1.0));
    }
    let counted = |which: usize| swaps.iter().map(|(swaps, counts)| (swaps.to_string(), counts[which])).collect();
    let figure = |name, about, games| Figure { name, about, games };
    OwnFigures {
        ratios: vec![
            figure("moves_per_game", "moves a game", moves),
            figure("points_per_move", "points a move", points),
            figure("stuck", "games without a swap left", ended),
        ],
        counts: vec![("swaps", counted(0)), ("last_swaps", counted(1))],
    }
}
