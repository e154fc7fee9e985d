//! Tests of the players in one program, as each program links the whole library.

mod agent;
mod certain;
mod evaluate;
mod every;
mod kit;
mod network;
mod row;
mod search;
mod shipped;
mod text;
mod toy;
mod view;
mod weights;

use matchq_players::games::match3::{MATCHING, Match3, Move, Rules, State};
use matchq_players::random::{Role, Stream};
use matchq_players::{Budget, Cascade, Policy, Rollout, Search, Valued};

type Gem = (usize, usize, char);

/// A position with these gems, (x, y, letter), among obstacles.
fn position(gems: &[Gem], moves_left: i64) -> State {
    let letter = |x, y| gems.iter().find(|gem| (gem.0, gem.1) == (x, y)).map_or('#', |gem| gem.2);
    let line = |y| (0..8).map(|x| letter(x, y)).collect::<String>();
    State::new(&(0..10).map(line).collect::<Vec<_>>().join("\n"), moves_left).unwrap()
}

fn action(x: usize, y: usize, vertical: bool) -> usize {
    Move { x, y, vertical }.action().unwrap()
}

fn ties(index: u64) -> Stream {
    Stream::new(3, Role::Tie, index)
}

/// Distinct choices of a player with one stream after another.
fn choices(policy: &impl Policy<Match3>, state: &State) -> Vec<usize> {
    let mut chosen: Vec<usize> = (0..20).map(|index| policy.choose(state, &mut ties(index))).collect();
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}

fn value_of(values: &[Valued], action: usize) -> f64 {
    values.iter().find(|valued| valued.action == action).unwrap().value
}

/// The swap of (6, 9) right: three b, then three c, then three d fall into rows, 8 + 8 + 8 points.
const CHAIN: [Gem; 9] = [
    (4, 9, 'b'),
    (5, 9, 'b'),
    (7, 9, 'b'),
    (4, 8, 'c'),
    (5, 8, 'c'),
    (6, 7, 'c'),
    (4, 7, 'd'),
    (5, 7, 'd'),
    (6, 6, 'd'),
];

/// The swap of (2, 8) down: four a, 15 points.
const FOUR: [Gem; 4] = [(0, 9, 'a'), (1, 9, 'a'), (2, 8, 'a'), (3, 9, 'a')];

/// The swap of (2, 6) right: three b, 8 points, let an a stand over the gap in a row of four a, 24
/// points. The swap of (6, 4) right: four d, 15 points at once.
const PREPARATION: [Gem; 13] = [
    (0, 9, 'a'),
    (1, 9, 'a'),
    (2, 9, 'c'),
    (3, 9, 'a'),
    (4, 9, 'a'),
    (2, 8, 'b'),
    (2, 7, 'b'),
    (3, 6, 'b'),
    (2, 5, 'a'),
    (7, 2, 'd'),
    (7, 3, 'd'),
    (6, 4, 'd'),
    (7, 5, 'd'),
];

fn prepares() -> usize {
    action(2, 6, false)
}

fn takes_four() -> usize {
    action(6, 4, false)
}

fn rollout(sims: usize, depth: u32) -> Rollout<Match3, Cascade> {
    let search = Search {
        rules: Rules::default(),
        budget: Budget::Simulations(sims),
        depth,
        prior_visits: 0.0,
        forecasts: false,
    };
    Rollout { search, guide: Cascade, mask: MATCHING }
}

const ALL: [&str; 13] = [
    "network",
    "network:output=0.5",
    "network+search:sims=60",
    "network+search:sims=40:candidates=4",
    "best:sims=40",
    "random",
    "matching",
    "greedy",
    "cascade",
    "plan",
    "rollout:sims=100:mask=setups",
    "rollout:sims=40:depth=1:guide=plan:breadth=3",
    "rollout:sims=40:depth=3:guide=plan:breadth=4:plans=1",
];
