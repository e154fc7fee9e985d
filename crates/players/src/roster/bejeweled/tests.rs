//! Bejeweled's own players, figures and forecast against the plain rules.

use serde_json::Value;

use super::*;
use crate::eval::{deal, play_series};
use crate::parse;
use matchq_core::random::{Role, Stream};
use plain::Plain;

#[allow(dead_code)]
#[path = "../../../../games/src/bejeweled/tests/plain.rs"]
mod plain;

fn golden() -> impl Iterator<Item = Value> {
    let lines = include_str!("../../../../../tests/golden/bejeweled.jsonl").lines();
    lines.map(|line| serde_json::from_str(line).unwrap())
}

fn text(lines: &Value) -> String {
    lines.as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect::<Vec<_>>().join("\n")
}

fn bounded(moves: u32) -> Rules {
    Rules::new(moves, [10, 5], [50, 15]).unwrap()
}

#[test]
fn who_minds_the_swaps_that_are_left_outlives_who_plays_for_points() {
    let play = |name: &str| {
        let mut player = parse::<Bejeweled>(name, &bounded(150)).unwrap();
        let games = play_series(&mut *player, &bounded(150), 0, 12, |_| ()).unwrap();
        games.iter().map(|game| game.actions.len()).sum::<usize>()
    };
    let [ranked, lowest, first, careful] = ["ranked", "lowest", "first", "careful"].map(play);
    assert!(lowest < first && ranked < careful && careful > 12 * 140, "{lowest} {first} {ranked} {careful}");
}

#[test]
fn mobile_leaves_as_many_swaps_as_can_be_left_for_certain() {
    let mut player = parse::<Bejeweled>("mobile", &Rules::default()).unwrap();
    for case in golden().take(40) {
        let state = Bejeweled::parse(&Rules::default(), &text(&case["board"]), None).unwrap();
        let chosen = player.act(&[state], &mut [Stream::new(0, Role::Tie, 0)]).unwrap()[0];
        let left = |action: usize| {
            let after = Bejeweled::after(&state, action).state;
            Plain::new(&Bejeweled::board(&after)).legal().len()
        };
        let most = Bejeweled::mask(&state, MaskKind::LEGAL).iter().map(left).max().unwrap();
        assert_eq!(left(chosen), most);
    }
}

#[test]
fn figures_count_the_swaps_before_each_move_and_how_games_end() {
    let rules = bounded(40);
    let mut player = parse::<Bejeweled>("cascade", &rules).unwrap();
    let games = play_series(&mut *player, &rules, 0, 30, |_| ()).unwrap();
    let (mut seen, mut last, mut stuck) = (BTreeMap::new(), BTreeMap::new(), vec![]);
    let mut again = vec![];
    for played in &games {
        let actions: Vec<usize> = played.actions.iter().map(|action| usize::from(*action)).collect();
        let (game, random, _) = deal::<Bejeweled>(&rules, played.seed);
        let (mut twin, mut luck) = (Plain::new(&Bejeweled::board(&game.state())), random.clone());
        for (number, action) in (1..).zip(&actions) {
            let count = twin.legal().len().to_string();
            let cells = Bejeweled::cells(&game.state(), *action);
            twin.play((cells[0].1, cells[0].0, cells[0].1 == cells[1].1), &mut luck);
            *seen.entry(count.clone()).or_insert(0_u64) += 1;
            *last.entry(count).or_insert(0_u64) += u64::from(twin.legal().is_empty() && number < 40);
        }
        stuck.push((f64::from(u8::from(actions.len() < 40)), 1.0));
        again.push(Played { game, random, actions });
    }
    let figures = Bejeweled::figures(&mut again.into_iter());
    let ratio = |at: usize| figures.ratios[at].games.clone();
    assert_eq!(ratio(0), games.iter().map(|game| (game.actions.len() as f64, 1.0)).collect::<Vec<_>>());
    let points = games.iter().map(|game| (f64::from(game.score), game.actions.len() as f64));
    assert_eq!(ratio(1), points.collect::<Vec<_>>());
    assert_eq!(ratio(2), stuck);
    assert!(stuck.iter().any(|(ended, _)| *ended == 1.0) && stuck.iter().any(|(ended, _)| *ended == 0.0));
    for (which, expected) in [("swaps", seen), ("last_swaps", last)] {
        let (_, found) = figures.counts.iter().find(|(name, _)| *name == which).unwrap();
        assert_eq!(found.iter().cloned().collect::<BTreeMap<_, _>>(), expected, "{which}");
    }
}

#[test]
fn the_forecast_goes_by_the_points_of_a_run_and_the_swaps_that_are_left() {
    let board = golden().next().map(|case| text(&case["board"])).unwrap();
    let forecast = |base: u32| {
        let rules = Rules::new(100, [base, 0], [50, 0]).unwrap();
        (Bejeweled::FORECAST.unwrap().points)(&Bejeweled::parse(&rules, &board, None).unwrap())
    };
    let swaps = Plain::new(&board).legal().len() as f64;
    assert!((forecast(10) - 40.0 * 100.0 * (1.0 - (-0.7 * swaps).exp())).abs() < 1e-9);
    assert!((forecast(1000) - 100.0 * forecast(10)).abs() < 1e-6);
}
