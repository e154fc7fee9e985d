//! Playing a series of seeded games with any player.

use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::games::Game;
use crate::player::Player;
use crate::random::{Role, SeededDraw, Stream};

/// A game that was played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlayedGame {
    /// The seed that the game is dealt from.
    pub seed: u128,
    /// The final score.
    pub score: i32,
    /// Whether it was played to its end, and not cut.
    pub is_over: bool,
    /// The actions, in order.
    pub actions: Vec<u16>,
    /// Moves that cleared something.
    pub matches: u32,
    /// Waves of all moves.
    pub waves: u32,
}

/// How far a series has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moves {
    /// Moves of all games.
    pub all: u64,
    /// Moves of the longest of those that are played now.
    pub longest: u64,
}

/// Games that are played side by side, at first and at the most.
const TOGETHER: RangeInclusive<u64> = 32..=1024;

/// More games are played side by side while those before took less.
///
/// So progress shows with dear players too.
const SHORT: Duration = Duration::from_secs(2);

/// The game of a seed, its random numbers, and the player's own stream in it.
pub fn deal<G: Game>(rules: &G::Rules, seed: u128) -> (G, G::Rng, Stream) {
    let mut random = G::Rng::from_seed(seed);
    let game = G::new(rules, &mut random);
    (game, random, Stream::new(seed as u64, Role::Tie, (seed >> 64) as u64))
}

/// Plays game i of a series with seed `first + i`, for each i below `count`.
///
/// `progress` is told how many moves are played. What is played in a game depends on its seed and the player alone,
/// unless the player is timed.
///
/// # Errors
/// When the player fails.
pub fn play_series<G: Game>(
    agent: &mut dyn Player<G>,
    rules: &G::Rules,
    first: u128,
    count: u64,
    progress: impl FnMut(Moves),
) -> Result<Vec<PlayedGame>> {
    play_bounded(agent, rules, first, count, u64::MAX, progress)
}

/// The same of games that are cut after so many moves.
///
/// # Errors
/// When the player fails.
pub fn play_bounded<G: Game>(
    agent: &mut dyn Player<G>,
    rules: &G::Rules,
    first: u128,
    count: u64,
    longest: u64,
    mut progress: impl FnMut(Moves),
) -> Result<Vec<PlayedGame>> {
    let mut played = Vec::new();
    let (mut done, mut moves) = (0, 0);
    let mut most = if agent.is_timed() { 1 } else { *TOGETHER.start() };
    while done < count {
        let begin = Instant::now();
        let together = most.min(count - done);
        let seeds = (0..together).map(|index| first + u128::from(done + index));
        played.extend(play_together(agent, rules, seeds, longest, &mut moves, &mut progress)?);
        done += together;
        if !agent.is_timed() && begin.elapsed() < SHORT {
            most = (2 * most).min(*TOGETHER.end());
        }
    }
    Ok(played)
}

struct Seat<G: Game> {
    game: G,
    random: G::Rng,
    /// The player's own stream in this game.
    ties: Stream,
    seed: u128,
    actions: Vec<u16>,
    matches: u32,
    waves: u32,
}

fn play_together<G: Game>(
    agent: &mut dyn Player<G>,
    rules: &G::Rules,
    seeds: impl Iterator<Item = u128>,
    longest: u64,
    moves: &mut u64,
    progress: &mut impl FnMut(Moves),
) -> Result<Vec<PlayedGame>> {
    let deal = |seed| {
        let (game, random, ties) = deal(rules, seed);
        Seat { game, random, ties, seed, actions: Vec::new(), matches: 0, waves: 0 }
    };
    let mut seats: Vec<Seat<G>> = seeds.map(deal).collect();
    let mut played = 0;
    loop {
        let goes_on = |seat: &&mut Seat<G>| !seat.game.is_over() && (seat.actions.len() as u64) < longest;
        let mut running: Vec<&mut Seat<G>> = seats.iter_mut().filter(goes_on).collect();
        if running.is_empty() {
            break;
        }
        let states: Vec<G::State> = running.iter().map(|seat| seat.game.state()).collect();
        let mut ties: Vec<Stream> = running.iter().map(|seat| seat.ties.clone()).collect();
        let actions = agent.act(&states, &mut ties)?;
        for ((seat, action), ties) in running.iter_mut().zip(actions).zip(ties) {
            seat.ties = ties;
            let step = seat.game.step(action, &mut seat.random);
            seat.actions.push(action as u16);
            seat.matches += u32::from(step.waves > 0);
            seat.waves += step.waves;
        }
        *moves += states.len() as u64;
        played += 1;
        progress(Moves { all: *moves, longest: played });
    }
    Ok(seats
        .into_iter()
        .map(|Seat { game, seed, actions, matches, waves, .. }| PlayedGame {
            seed,
            score: game.score(),
            is_over: game.is_over(),
            actions,
            matches,
            waves,
        })
        .collect())
}
