//! A game of one's own with the players and learners of matchq, step by step in docs/own-game.md.
//!
//!     cargo run --release --example own_game

mod roster;
mod rules;
mod views;

use std::path::Path;

use matchq::error::Result;
use matchq::eval::{Summary, play_series};
use matchq::learners::{Fitted, Learner, Metrics, Source};
use matchq::network::device;
use matchq::players::build;

use rules::Groups;

/// Weights of the features by fitted value iteration, as an agent's file.
fn train(file: &Path) -> Result<()> {
    let source = Source::parse("learner = 'fitted'\ngame.name = 'groups'\nseed = 1", "the training", &[])?;
    let (config, rules) = source.resolve::<Groups, Fitted<Groups>>()?;
    let mut learner = Fitted::<Groups>::new(&config, &rules, &device::select(None)?.1)?;
    while learner.step() < config.learner.training.sweeps && !learner.is_at_rest() {
        learner.round(&mut Metrics::default())?;
    }
    learner.agent()?.save(file)
}

/// Mean score of a player in games from seed 0 on.
fn mean(player: &str, games: u64) -> Result<f64> {
    let mut player = build::<Groups>(player, &(), &Default::default())?;
    let scores: Vec<i32> = play_series(&mut *player, &(), 0, games, |_| ())?.iter().map(|game| game.score).collect();
    Ok(Summary::of(&scores).map_or(0.0, |summary| summary.mean))
}

fn main() -> Result<()> {
    let file = std::env::temp_dir().join("groups.safetensors");
    train(&file)?;
    let trained = file.display().to_string();
    for player in ["random", "greedy", "plan", "rollout:sims=50", &trained] {
        println!("{:7.1} {player}", mean(player, 100)?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use matchq::games::{Lookahead, Text, conformance};

    use super::rules::Groups;

    #[test]
    fn the_game_keeps_what_a_game_promises() {
        for seed in 0..5 {
            conformance::check::<Groups>(&(), seed);
            conformance::check_text::<Groups>(&(), seed);
        }
    }

    #[test]
    fn a_group_goes_and_the_tiles_above_it_fall() {
        let state = Groups::parse(&(), "abcda\nbcdab\ncdabc\ndaacd\naacda\nbbcdb", None).unwrap();
        // The five a around row 4, column 0.
        let after = Groups::after(&state, 20);
        assert_eq!((after.points, after.state.moves_left), (20.0, 19));
        assert_eq!(Groups::board(&after.state), "   da\na  ab\nbbcbc\nccdcd\nddcda\nbbcdb");
    }

    #[test]
    fn the_page_shows_the_code_as_it_is() {
        let page = include_str!("../../docs/own-game.md");
        let code = [include_str!("rules.rs"), include_str!("views.rs"), include_str!("main.rs")];
        let blocks: Vec<&str> = page.split("```rust\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
        assert!(blocks.len() > 5);
        for block in blocks {
            assert!(code.iter().any(|code| code.contains(block)), "no file has\n{block}");
        }
    }
}
