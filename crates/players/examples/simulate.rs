//! Games simulated from Rust: one of a seed, then thousands that step together.
//!
//!     cargo run --release -p matchq-players --example simulate -- tetris

use std::time::Instant;

use matchq_players::error::Error;
use matchq_players::eval::deal;
use matchq_players::games::{Games, MaskKind, offered};
use matchq_players::random::{Draw, Role, Stream};
use matchq_players::{ForGame, Playable, with_game};

struct Simulate;

impl ForGame for Simulate {
    type Output = ();

    fn run<G: Playable>(self) {
        let rules = G::Rules::default();
        let mut chance = Stream::new(1, Role::Explore, 0);
        // A legal move at random.
        let any = |state: &G::State, chance: &mut Stream| {
            let mask = offered::<G>(state, MaskKind::LEGAL).0;
            mask.nth(chance.below(mask.count() as u32) as usize).unwrap_or(0)
        };

        // The game of seed 7, as `eval` deals it.
        let (mut game, mut luck, _) = deal::<G>(&rules, 7);
        println!("{}", G::board(&game.state()));
        let action = any(&game.state(), &mut chance);
        let words = G::words(&game.state(), action);
        let step = game.step(action, &mut luck);
        println!("{words}: {} points\n{}", step.reward, G::board(&game.state()));

        // Thousands of games; a new one follows each that ends.
        let (mut games, mut outcomes, steps) = (Games::<G>::new(rules, 4_096, 0), Vec::new(), 50);
        let (mut points, mut ended, begin) = (0.0, 0, Instant::now());
        for _ in 0..steps {
            let actions: Vec<usize> = games.states().map(|state| any(&state, &mut chance)).collect();
            games.step(&actions, &mut outcomes);
            points += outcomes.iter().map(|outcome| f64::from(outcome.reward)).sum::<f64>();
            ended += outcomes.iter().filter(|outcome| outcome.terminal).count();
        }
        let moves = games.len() * steps;
        let speed = moves as f64 / begin.elapsed().as_secs_f64() / 1e6;
        println!("{moves} random moves: {points} points, {ended} games ended, {speed:.1} million moves a second");
    }
}

fn main() -> Result<(), Error> {
    let name = std::env::args().nth(1).unwrap_or("match3".into());
    with_game(&name, Simulate)
}
