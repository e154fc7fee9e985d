//! `matchq solve`: searches the best games of deals without chance, for as long as one likes.

use std::collections::BTreeMap;
use std::fs::remove_file;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use serde_json::Value;

use super::verify::{self, Proof, Record};
use super::{interrupt, rules, threads};
use crate::cli::Solve;
use crate::error::{Error, Result};
use crate::eval::rules_json;
use crate::files;
use crate::games::{Episode, counted};
use crate::learners::folder::lock;
use crate::players::{Agents, BoxedPlayer, Playable, Policy};
use crate::random::{Role, Stream};
use crate::report::output::tell;
use crate::report::progress;
use matchq_core::disk::File;
use matchq_core::pool;
use matchq_core::stop::{self, Flag, Stopped};

/// Time between two writes of what has no better game.
const WRITE: Duration = Duration::from_secs(10);

/// A deal, and what is known of it.
#[derive(Default)]
struct Deal {
    /// Whether the command asks for it; others only stay in the file.
    is_asked: bool,
    /// Starts that have begun, and those that have ended.
    begun: u64,
    ended: u64,
    best: Option<Best>,
}

struct Best {
    record: Record,
    proof: Proof,
    /// Number of its start; 0 for a game of the file.
    start: u64,
}

/// All deals by their seeds, and the file that keeps their best games.
struct Deals<'a> {
    deals: BTreeMap<u128, Deal>,
    arguments: &'a Solve,
    progress: ProgressBar,
    /// Whether a start has begun.
    is_told: bool,
    written: Instant,
}

/// A start of a deal.
struct Start {
    seed: u128,
    /// Number among the starts of all machines, from 0.
    number: u64,
}

/// Searches until all starts are done, or until Ctrl-C, which keeps what the searches have found so far.
pub fn run<G: Playable>(arguments: &Solve, agents: &Agents) -> Result<()> {
    /// When Ctrl-C came first.
    static FIRST: OnceLock<Instant> = OnceLock::new();
    if G::PUZZLE.is_none() {
        let told = format!("chance has a part in {}: solve takes games without chance, such as samegame", G::NAME);
        return Err(Error::user(told));
    }
    let Solve { seed, games, best, .. } = arguments;
    if arguments.index >= arguments.of {
        return Err(Error::user(format!("--index {}: the machines are 0 to {}", arguments.index, arguments.of - 1)));
    }
    if seed.checked_add(u128::from(*games) - 1).is_none() {
        return Err(Error::user(format!("--seed {seed}: the seeds of all games must lie below 2^128")));
    }
    if files::is_input(best) {
        return Err(Error::user("--best -: the best games need a file, which the command goes on from"));
    }
    files::check_destination("--best", best)?;
    let rules = rules::<G>(&arguments.game)?;
    threads(arguments.threads)?;
    // Each thread has a player of its own, whose lines are no other's.
    let threads = pool::threads();
    let players = (0..threads).map(|_| super::player::<G>(&arguments.player, &rules, agents));
    let players: Vec<BoxedPlayer<G>> = players.collect::<Result<_>>()?;
    if players[0].policy().is_none() {
        let told = format!("--player {}: solve takes players by rules and searches, no networks", arguments.player);
        return Err(Error::user(told));
    }
    let name = players[0].name().to_owned();
    let _lock = Lock::of(best)?;
    let mut deals = Deals::new(arguments);
    deals.load::<G>(&rules_json::<G>(&rules)?)?;
    let flag = Flag::default();
    let asked = flag.clone();
    interrupt::catch(move || {
        interrupt::ask(&asked, &FIRST, "\nkeeping what has been found; once more to exit at once");
    })?;
    let deals = Mutex::new(deals);
    let players: Vec<Mutex<BoxedPlayer<G>>> = players.into_iter().map(Mutex::new).collect();
    let failed = Mutex::new(Ok(()));
    pool::run(threads, 1, &|thread| {
        let player = locked(&players[thread]);
        let Some(policy) = player.policy() else { return };
        loop {
            let Some(start) = locked(&deals).next(&flag) else { break };
            let played = play::<G>(policy, &rules, &start, &flag);
            let told = played.and_then(|moves| locked(&deals).take::<G>(&name, &rules, &start, moves));
            if told.is_err() {
                flag.store(true, Ordering::Relaxed);
                *locked(&failed) = told;
            }
        }
    });
    let deals = deals.into_inner().unwrap_or_else(PoisonError::into_inner);
    failed.into_inner().unwrap_or_else(PoisonError::into_inner).and(deals.write())?;
    deals.tell()
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Moves of a start's game; `None` if the search was stopped before it had a line.
fn play<G: Playable>(
    policy: &dyn Policy<G>,
    rules: &G::Rules,
    start: &Start,
    flag: &Flag,
) -> Result<Option<Vec<Value>>> {
    let Episode { mut game, mut stream } = Episode::<G>::deal(rules, start.seed);
    // The first start is the game that eval plays.
    let index = ((start.seed >> 64) as u64).wrapping_add(start.number);
    let mut ties = Stream::new(start.seed as u64, Role::Tie, index);
    let mut moves = Vec::new();
    while !game.is_over() {
        let state = game.state();
        // A line that a stopped search has found is played to its end.
        let choose = || stop::under(Some(flag.clone()), || policy.choose(&state, &mut ties));
        let action = match catch_unwind(AssertUnwindSafe(choose)) {
            Ok(action) => action,
            Err(payload) if payload.is::<Stopped>() => return Ok(None),
            Err(payload) => {
                flag.store(true, Ordering::Relaxed);
                resume_unwind(payload)
            }
        };
        moves.push(G::to_json(action));
        game.step(action, &mut stream);
        if game.state() == state {
            let (seed, words) = (start.seed, G::words(&state, action));
            return Err(Error::user(format!("seed {seed}: the player's move changes nothing: {words}")));
        }
    }
    Ok(Some(moves))
}

impl<'a> Deals<'a> {
    fn new(arguments: &'a Solve) -> Self {
        let deal = |game: u64| (arguments.seed + u128::from(game), Deal { is_asked: true, ..Deal::default() });
        let deals = (0..arguments.games).map(deal).collect();
        let all = arguments.starts.map_or(0, |starts| starts * arguments.games);
        let progress = progress::starts(&arguments.player, all);
        Self { deals, arguments, progress, is_told: false, written: Instant::now() }
    }

    /// Reads what the file has, if it is there: its games are proved again.
    fn load<G: Playable>(&mut self, rules: &Value) -> Result<()> {
        let path = &self.arguments.best;
        if !path.exists() {
            return Ok(());
        }
        for record in verify::records(path)? {
            let (place, record) = record?;
            let wrong = |what: &str| Error::user(format!("{place}: {what}"));
            if record.game != G::NAME {
                return Err(wrong(&format!("this is a game of {}, not of {}", record.game, G::NAME)));
            }
            for (record, proof) in verify::prove::<G>(&record).map_err(|error| error.of(&place))? {
                let seed = record.seed.ok_or_else(|| wrong("this game has no seed"))?;
                if proof.rules != *rules {
                    return Err(wrong("this is a game by other rules"));
                }
                let starts = record.starts.unwrap_or(0);
                if starts > u32::MAX.into() {
                    return Err(wrong(&format!("starts must be at most {}", u32::MAX)));
                }
                // Deals that are not asked for stay as they are.
                let deal = self.deals.entry(seed).or_default();
                (deal.begun, deal.ended) = (deal.begun.max(starts), deal.ended.max(starts));
                deal.take(Best { record, proof, start: 0 });
            }
        }
        let ended = self.deals.values().filter(|deal| deal.is_asked).map(|deal| deal.ended);
        self.progress.set_position(ended.sum());
        self.progress.reset_eta();
        Ok(())
    }

    /// The next start: one of a deal that has had the fewest.
    fn next(&mut self, flag: &Flag) -> Option<Start> {
        if flag.load(Ordering::Relaxed) {
            return None;
        }
        let asked = self.deals.iter_mut().filter(|(_, deal)| deal.is_asked);
        let (seed, deal) = asked.min_by_key(|(_, deal)| deal.begun)?;
        if deal.begun >= self.arguments.starts.unwrap_or(u32::MAX.into()) {
            return None;
        }
        let number = self.arguments.index + deal.begun * self.arguments.of;
        deal.begun += 1;
        if !self.is_told {
            self.is_told = true;
            let (deals, best) = (counted(self.arguments.games, "deals"), self.arguments.best.display());
            tell(&format!("searching the best games of {deals}; Ctrl-C ends it, and {best} keeps what has been found"));
        }
        Some(Start { seed: *seed, number })
    }

    /// Takes the game of a start, if it has one; a start that was cut short counts.
    fn take<G: Playable>(
        &mut self,
        name: &str,
        rules: &G::Rules,
        start: &Start,
        moves: Option<Vec<Value>>,
    ) -> Result<()> {
        let Some(deal) = self.deals.get_mut(&start.seed) else { return Ok(()) };
        deal.ended += 1;
        self.progress.inc(1);
        let record = moves.map(|moves| {
            let rules = rules_json::<G>(rules)?;
            let (player, game, seed) = (Some(name.to_owned()), G::NAME.to_owned(), Some(start.seed));
            verify::prove::<G>(&Record { player, game, rules, seed, moves, ..Record::default() })
        });
        let mut is_better = false;
        for (record, proof) in record.transpose()?.into_iter().flatten() {
            let told = proof.sentence();
            is_better = deal.take(Best { record, proof, start: start.number });
            if is_better {
                let total: i64 = self.deals.values().filter_map(Deal::score).map(i64::from).sum();
                let (told, total) = (told.trim_end(), counted(total, G::UNIT));
                self.progress.suspend(|| tell(&format!("{told}, start {}; together {total}", start.number)));
                break;
            }
        }
        if is_better || self.written.elapsed() > WRITE {
            self.written = Instant::now();
            return self.write();
        }
        Ok(())
    }

    /// Writes the file, if there is a game.
    fn write(&self) -> Result<()> {
        let best = self.deals.values().filter_map(|deal| Some((deal.best.as_ref()?, deal.ended)));
        let records = best.map(|(best, starts)| Record { starts: Some(starts), ..best.record.clone() });
        let records: Vec<Record> = records.collect();
        match records.is_empty() {
            true => Ok(()),
            false => verify::write(&self.arguments.best, &records),
        }
    }

    /// Prints the best games.
    fn tell(self) -> Result<()> {
        self.progress.finish_and_clear();
        let found: Vec<Proof> = self.deals.into_values().filter_map(|deal| Some(deal.best?.proof)).collect();
        match found.is_empty() {
            true => Err(Error::runtime("no game was played before the end: nothing was written")),
            false => verify::tell(&found, &found),
        }
    }
}

impl Deal {
    fn score(&self) -> Option<i32> {
        self.best.as_ref().map(|best| best.proof.score)
    }

    /// Takes a game that is better than the best so far, or as good and of an earlier start; returns whether it has more points.
    fn take(&mut self, best: Best) -> bool {
        let (score, known) = (best.proof.score, self.score());
        let is_earlier = || self.best.as_ref().is_some_and(|known| best.start < known.start);
        if known.is_none_or(|known| score > known) || known == Some(score) && is_earlier() {
            self.best = Some(best);
        }
        known.is_none_or(|known| score > known)
    }
}

/// Lock of a file of best games, which only one process has; a file beside it.
struct Lock {
    path: PathBuf,
    _file: File,
}

impl Lock {
    fn of(best: &Path) -> Result<Self> {
        let mut name = best.as_os_str().to_owned();
        name.push(".lock");
        let path = PathBuf::from(name);
        let busy = || format!("--best {}: another process searches for this file", best.display());
        let file = lock(&path, busy)?;
        Ok(Self { path, _file: file })
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        remove_file(&self.path).ok();
    }
}
