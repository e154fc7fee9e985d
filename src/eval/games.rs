//! Playing a series of seeded games with any player.

use serde::{Deserialize, Serialize};

use crate::agents::Agent;
use crate::error::Result;
use crate::games::Game;
use crate::random::CPythonRandom;

/// A game that was played to its end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlayedGame {
    /// The seed that the game is dealt from, as the original deals it.
    pub seed: u128,
    /// The final score.
    pub score: i32,
    /// The actions, in order.
    pub actions: Vec<usize>,
}

/// Games that are played side by side.
const TOGETHER: u64 = 1024;

/// Plays game i of a series with seed `first + i`, for each i below `count`. `progress` is told how many games are done.
///
/// # Errors
/// When the player fails.
pub fn play_series<G: Game>(
    agent: &mut dyn Agent<G>,
    rules: &G::Rules,
    first: u128,
    count: u64,
    mut progress: impl FnMut(u64),
) -> Result<Vec<PlayedGame>> {
    let mut played = Vec::new();
    let mut done = 0;
    while done < count {
        let together = TOGETHER.min(count - done);
        let seeds = (0..together).map(|index| first + u128::from(done + index));
        played.extend(play_together(agent, rules, seeds)?);
        done += together;
        progress(done);
    }
    Ok(played)
}

struct Table<G: Game> {
    game: G,
    random: CPythonRandom,
    seed: u128,
    actions: Vec<usize>,
}

fn play_together<G: Game>(
    agent: &mut dyn Agent<G>,
    rules: &G::Rules,
    seeds: impl Iterator<Item = u128>,
) -> Result<Vec<PlayedGame>> {
    let deal = |seed| {
        let mut random = CPythonRandom::new(seed);
        Table { game: G::new(rules, &mut random), random, seed, actions: Vec::new() }
    };
    let mut tables: Vec<Table<G>> = seeds.map(deal).collect();
    loop {
        let mut running: Vec<&mut Table<G>> = tables.iter_mut().filter(|table| !table.game.is_over()).collect();
        if running.is_empty() {
            break;
        }
        let states: Vec<G::State> = running.iter().map(|table| table.game.state()).collect();
        for (table, action) in running.iter_mut().zip(agent.act(&states)?) {
            table.game.step(action, &mut table.random);
            table.actions.push(action);
        }
    }
    Ok(tables
        .into_iter()
        .map(|table| PlayedGame { seed: table.seed, score: table.game.score(), actions: table.actions })
        .collect())
}
