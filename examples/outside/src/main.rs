//! Games from another program: one game of a seed, then many that step together.

use matchq_games::random::{Draw as _, Role, Stream};
use matchq_games::{Game as _, Games, MaskKind, Match3, match3, offered};

/// A random matching move.
fn any(state: &match3::State, chance: &mut Stream) -> usize {
    let (mask, _) = offered::<Match3>(state, MaskKind::default_of::<Match3>());
    mask.nth(chance.below(mask.count() as u32) as usize).unwrap_or(0)
}

fn main() {
    let rules = match3::Rules::default();
    let (mut luck, mut chance) = (Stream::new(7, Role::Game, 0), Stream::new(7, Role::Explore, 0));
    let mut game = Match3::new(&rules, &mut luck);
    while !game.is_over() {
        let action = any(&game.state(), &mut chance);
        game.step(action, &mut luck);
    }
    println!("{}\n{} points", game.board(), game.score());

    let (mut games, mut outcomes, mut scores) = (Games::<Match3>::new(rules, 1_000, 7), Vec::new(), Vec::new());
    while scores.len() < games.len() {
        let actions: Vec<usize> = games.states().map(|state| any(&state, &mut chance)).collect();
        games.step(&actions, &mut outcomes);
        scores.extend(outcomes.iter().filter_map(|outcome| outcome.score));
    }
    let mean = scores.iter().sum::<i32>() as f64 / scores.len() as f64;
    println!("{mean:.1} points on average in {} games", scores.len());
}
