#[cfg(test)]
pub(super) mod tests;

use matchq_core::pool;
use std::ops::RangeInclusive;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::contract::{Player, Policy};
use matchq_core::clock::Instant;
use matchq_core::error::Result;
use matchq_core::random::{Role, Stream};
use matchq_games::{Episode, Game, Step};

/// A game that was played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlayedGame {
    /// Seed of the game.
    pub seed: u128,
    /// Score at the last move.
    pub score: i32,
    /// Whether the game was played to its end.
    pub is_over: bool,
    /// Number of moves.
    pub moves: u64,
    /// The moves, unless they were not [kept](play_scores).
    pub actions: Vec<u16>,
    /// Moves that cleared something, or gained in a game without chains.
    pub matches: u32,
    /// Number of waves of all moves.
    pub waves: u32,
}

impl PlayedGame {
    /// Whether the counts of a game with its actions can be those of one that was played.
    pub fn is_sound<G: Game>(&self) -> bool {
        self.moves == self.actions.len() as u64
            && u64::from(self.matches) <= self.moves
            && (self.matches..=self.matches.saturating_mul(1_000_000)).contains(&self.waves)
            && self.actions.iter().all(|action| usize::from(*action) < G::ACTIONS)
    }
}

/// Numbers of moves so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moves {
    /// Moves of all games.
    pub all: u64,
    /// Moves of the longest present game.
    pub longest: u64,
}

/// Games side by side, at first and at most.
const TOGETHER: RangeInclusive<u64> = 32..=1024;

/// Time of a batch after which the next one is not larger, so that slow players show progress.
const SHORT: Duration = Duration::from_secs(2);

/// Time of play between two reports of progress.
const GLANCE: Duration = Duration::from_millis(100);

/// Time between two looks at the clock.
const LOOK: Duration = Duration::from_micros(100);

/// The game of a seed, its random numbers, and the player's stream.
pub fn deal<G: Game>(rules: &G::Rules, seed: u128) -> (G, G::Rng, Stream) {
    let Episode { game, stream } = Episode::deal(rules, seed);
    (game, stream, tie_stream(seed))
}

/// The player's random stream in the game of a seed.
pub fn tie_stream(seed: u128) -> Stream {
    Stream::new(seed as u64, Role::Tie, (seed >> 64) as u64)
}

/// Plays `count` games with seeds from `first` on; `progress` receives the moves so far.
///
/// A game depends only on its seed and the player, unless the player is timed.
pub fn play_series<G: Game>(
    player: &mut dyn Player<G>,
    rules: &G::Rules,
    first: u128,
    count: u64,
    progress: impl FnMut(Moves),
) -> Result<Vec<PlayedGame>> {
    Ok(play_bounded(player, rules, first, count, u64::MAX, always(progress))?.unwrap_or_default())
}

/// [`play_series`] without the games' moves, each of which would take two bytes.
pub fn play_scores<G: Game>(
    player: &mut dyn Player<G>,
    rules: &G::Rules,
    first: u128,
    count: u64,
    progress: impl FnMut(Moves),
) -> Result<Vec<PlayedGame>> {
    let record = Record { forgets: true, longest: u64::MAX, ..Record::default() };
    Ok(play_recorded(player, rules, first, count, record, always(progress))?.unwrap_or_default())
}

fn always(mut progress: impl FnMut(Moves)) -> impl FnMut(Moves) -> bool {
    move |moves| {
        progress(moves);
        true
    }
}

/// [`play_series`] with games cut after `longest` moves; `None` once `goes_on`, which receives the
/// moves so far several times a second or after each move, returns false.
pub fn play_bounded<G: Game>(
    player: &mut dyn Player<G>,
    rules: &G::Rules,
    first: u128,
    count: u64,
    longest: u64,
    goes_on: impl FnMut(Moves) -> bool,
) -> Result<Option<Vec<PlayedGame>>> {
    play_recorded(player, rules, first, count, Record { longest, ..Record::default() }, goes_on)
}

fn play_recorded<G: Game>(
    player: &mut dyn Player<G>,
    rules: &G::Rules,
    first: u128,
    count: u64,
    record: Record,
    mut goes_on: impl FnMut(Moves) -> bool,
) -> Result<Option<Vec<PlayedGame>>> {
    let mut most = match (player.is_timed(), player.policy()) {
        (true, _) => 1,
        (false, Some(_)) => *TOGETHER.end(),
        (false, None) => *TOGETHER.start(),
    };
    let (mut played, mut moves) = (Vec::new(), 0);
    while (played.len() as u64) < count {
        let (begin, done) = (Instant::now(), played.len() as u64);
        let one = |index| Playing::deal(rules, first + u128::from(done) + index as u128, record.clone());
        let mut playing: Vec<Playing<G, Record>> = pool::map(most.min(count - done) as usize, 1, one);
        let whole = play_on(player, &mut playing, |playing| {
            let lengths = || playing.iter().map(|one| one.watch.moves);
            goes_on(Moves { all: moves + lengths().sum::<u64>(), longest: lengths().max().unwrap_or(0) })
        })?;
        if !whole {
            return Ok(None);
        }
        moves += playing.iter().map(|one| one.watch.moves).sum::<u64>();
        played.extend(playing.into_iter().map(Playing::played));
        if !player.is_timed() && begin.elapsed() < SHORT {
            most = (2 * most).min(*TOGETHER.end());
        }
    }
    Ok(Some(played))
}

/// The game of a seed by given actions; `None` if the game ends before them.
pub fn replay<G: Game>(rules: &G::Rules, seed: u128, actions: &[usize]) -> Option<PlayedGame> {
    let mut playing = Playing::<G, Record>::deal(rules, seed, Record::default());
    for action in actions {
        if playing.episode.is_over() {
            return None;
        }
        let Playing { episode: Episode { game, stream }, watch, .. } = &mut playing;
        let step = game.step(*action, stream);
        watch.moved(game, stream, *action, step);
    }
    Some(playing.played())
}

pub struct Playing<G: Game, W> {
    episode: Episode<G>,
    ties: Stream,
    seed: u128,
    pub watch: W,
}

/// An observer that decides how long a game goes on.
pub trait Watch<G: Game>: Send {
    fn goes_on(&self, game: &G) -> bool;

    /// Notes an action; may exchange the game for another that has not ended.
    fn moved(&mut self, game: &mut G, random: &mut G::Rng, action: usize, step: Step);
}

/// Plays all games on until none goes on, or until `goes_on` returns false: by a policy each game by
/// itself, with many moves between its calls, otherwise all games at once. Returns whether none goes
/// on.
pub fn play_on<G: Game, W: Watch<G>>(
    player: &mut dyn Player<G>,
    playing: &mut [Playing<G, W>],
    mut goes_on: impl FnMut(&[Playing<G, W>]) -> bool,
) -> Result<bool> {
    while playing.iter().any(Playing::goes_on) {
        match player.policy() {
            Some(policy) if !policy.is_timed() => {
                let end = Instant::now() + GLANCE;
                pool::each_mut(playing, 1, |_, one| one.play(policy, end));
            }
            _ => step_together(player, playing)?,
        }
        if !goes_on(playing) {
            return Ok(!playing.iter().any(Playing::goes_on));
        }
    }
    Ok(true)
}

fn step_together<G: Game, W: Watch<G>>(player: &mut dyn Player<G>, playing: &mut [Playing<G, W>]) -> Result<()> {
    let mut running: Vec<&mut Playing<G, W>> = playing.iter_mut().filter(|one| one.goes_on()).collect();
    let states: Vec<G::State> = running.iter().map(|one| one.episode.state()).collect();
    let mut ties: Vec<Stream> = running.iter().map(|one| one.ties.clone()).collect();
    let actions = player.act(&states, &mut ties)?;
    for ((one, action), ties) in running.iter_mut().zip(actions).zip(ties) {
        one.ties = ties;
        let step = one.episode.step(action);
        one.watch.moved(&mut one.episode.game, &mut one.episode.stream, action, step);
    }
    Ok(())
}

impl<G: Game, W: Watch<G>> Playing<G, W> {
    pub fn deal(rules: &G::Rules, seed: u128, watch: W) -> Self {
        Self { episode: Episode::deal(rules, seed), ties: tie_stream(seed), seed, watch }
    }

    fn goes_on(&self) -> bool {
        self.watch.goes_on(&self.episode.game)
    }

    fn play(&mut self, policy: &dyn Policy<G>, end: Instant) {
        let mut last = Instant::now();
        if last >= end || !self.goes_on() {
            return;
        }
        // Moves between two looks at the clock, each of which costs a tenth of the quickest moves'
        // time.
        let (mut moves, mut stride) = (0, 1);
        let Self { episode: Episode { game, stream }, ties, watch, .. } = self;
        policy.play(game, stream, ties, &mut |game, random, action, step| {
            watch.moved(game, random, action, step);
            moves += 1;
            if moves == stride {
                let now = Instant::now();
                stride *= if now - last < LOOK { 2 } else { 1 };
                (last, moves) = (now, 0);
            }
            watch.goes_on(game) && last < end
        });
    }
}

#[derive(Clone, Default)]
struct Record {
    /// Whether actions are not kept.
    forgets: bool,
    actions: Vec<u16>,
    moves: u64,
    matches: u32,
    waves: u32,
    longest: u64,
}

impl<G: Game> Watch<G> for Record {
    fn goes_on(&self, game: &G) -> bool {
        !game.is_over() && self.moves < self.longest
    }

    fn moved(&mut self, _: &mut G, _: &mut G::Rng, action: usize, step: Step) {
        if !self.forgets {
            self.actions.push(action as u16);
        }
        self.moves += 1;
        // A gain in a game without chains is one wave.
        let waves = step.waves.max(u32::from(step.reward > 0.0));
        self.matches += u32::from(waves > 0);
        self.waves += waves;
    }
}

impl<G: Game> Playing<G, Record> {
    fn played(self) -> PlayedGame {
        let Self { episode, seed, watch: Record { actions, moves, matches, waves, .. }, .. } = self;
        PlayedGame { seed, score: episode.score(), is_over: episode.is_over(), moves, actions, matches, waves }
    }
}
