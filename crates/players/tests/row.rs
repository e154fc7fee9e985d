//! The players of a puzzle whose tiles have no numbers, a game of another crate.

#[allow(dead_code)]
#[path = "../../games/tests/row.rs"]
mod game;

use game::{LENGTH, NO_FAULT, State};
use matchq_players::eval::{Figures, play_series};
use matchq_players::games::{Game, Lookahead, MaskKind};
use matchq_players::random::{Role, Stream};
use matchq_players::{Measured, Playable, Roster, parse};

type Row = game::Row<NO_FAULT>;

impl Measured for Row {}

impl Roster for Row {
    const ABOUT: &'static str = "a row of six tiles";
}

impl Playable for Row {}

fn start() -> State {
    State { tiles: [false, true, false, true, true, false], left: LENGTH }
}

/// Points of the best line from a position on.
fn most(state: &State) -> f32 {
    let value = |action| {
        let after = Row::after(state, action);
        after.points + most(&after.state)
    };
    Row::mask(state, MaskKind::LEGAL).iter().map(value).fold(0.0, f32::max)
}

#[test]
fn the_best_player_of_a_puzzle_without_tiles_searches_a_whole_line() {
    let mut player = parse::<Row>("best:sims=100", &()).unwrap();
    let values = player.rank(&start(), &mut Stream::new(0, Role::Tie, 0)).unwrap();
    // A line has one move and the points of all; a rollout would have a mean of each move.
    assert_eq!((values.len(), values[0].value), (1, f64::from(most(&start()))));
}

#[test]
fn a_gain_in_a_game_without_chains_is_a_match_of_one_wave() {
    let mut player = parse::<Row>("random", &()).unwrap();
    let games = play_series(&mut *player, &(), 0, 20, |_| ()).unwrap();
    let mut gains = 0;
    for game in &games {
        let mut state = Row::new(&(), &mut Row::random(&(), game.seed)).state();
        for action in &game.actions {
            let after = Row::after(&state, usize::from(*action));
            gains += u32::from(after.points > 0.0);
            state = after.state;
        }
    }
    let matches: u32 = games.iter().map(|game| game.matches).sum();
    let figures = Figures::of(&games, 1.0).unwrap();
    assert!(gains > 0 && (matches, figures.waves_per_match) == (gains, Some(1.0)));
    assert!((figures.moves_without_match - (1.0 - f64::from(gains) / 120.0)).abs() < 1e-12);
}

#[test]
fn greedy_takes_the_most_points_of_a_game_without_waves() {
    let mut player = parse::<Row>("greedy", &()).unwrap();
    let values = player.rank(&start(), &mut Stream::new(0, Role::Tie, 0)).unwrap();
    let all: Vec<(usize, f64)> = values.iter().map(|valued| (valued.action, valued.value)).collect();
    assert_eq!(all[0].1, 2.0);
    assert!(all.iter().all(|(action, value)| f64::from(Row::after(&start(), *action).points) == *value), "{all:?}");
}
