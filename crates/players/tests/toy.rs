//! The players of the toy, a game of another crate.

#[allow(dead_code)]
#[path = "../../games/tests/toy.rs"]
mod game;

pub use game::Toy;
use matchq_players::eval::{Summary, play_series};
use matchq_players::{Measured, Playable, Roster, parse};

impl Measured for Toy {}

impl Roster for Toy {
    const ABOUT: &'static str = "match-3 on 3 x 4 cells with 3 colours and 4 moves, which can be solved exactly";
}

impl Playable for Toy {}

fn mean(player: &str, games: u64) -> f64 {
    let mut player = parse::<Toy>(player, &Default::default()).unwrap();
    let games = play_series(&mut *player, &Default::default(), 0, games, |_| ()).unwrap();
    let scores: Vec<i32> = games.iter().map(|game| game.score).collect();
    Summary::of(&scores).unwrap().mean
}

#[test]
fn players_play_it_the_better_ones_better() {
    let [random, greedy, rollout, best] =
        ["random", "greedy", "rollout:sims=200", "best:sims=200"].map(|player| mean(player, 200));
    assert!(random + 10.0 < greedy && greedy < rollout, "{random} {greedy} {rollout}");
    assert!((best - rollout).abs() < 10.0, "without an agent that ships a rollout is recommended: {best} {rollout}");
}
