//! What the shards of one command share, and their files.

use std::fs;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::error::{Error, Result, in_words};
use crate::files;
use crate::players::kit;

/// Ending of a shard's file.
const ENDING: &str = "shard";

/// Most bytes of a shard's file.
const LONGEST: u64 = 4 << 30;

/// A whole command, of which a shard is a part: everything that its results depend on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// Program and version.
    pub program: String,
    /// `eval`, `compare`, `endure` or `generation`.
    pub command: String,
    pub game: String,
    pub rules: Value,
    pub players: Vec<Contestant>,
    /// Instructions by which networks compute, whose last bits may differ by others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// Seed of the first game or sequence.
    pub seed: String,
    /// Games, sequences, or candidates.
    pub count: u64,
    /// Number of shards.
    pub of: u64,
    /// Simulations of each move to estimate luck.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub luck: Option<u32>,
    /// Moves of a sequence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves: Option<u64>,
    /// Whether games are split.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub split: Option<bool>,
    /// Digest of the run's checkpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<String>,
}

/// A player of a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Contestant {
    pub player: String,
    /// The player with its parameters, which a label hides.
    pub text: String,
    /// Digest of the agent's file, for a player with an agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
}

/// First line of a shard's file; the second line is the results.
#[derive(Serialize, Deserialize)]
struct Head {
    job: Job,
    index: u64,
    /// Digest of the second line.
    results: String,
}

/// SHA-256 as 64 hexadecimal digits.
pub fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Job {
    /// First 16 digits of the digest of the job.
    fn key(&self) -> Result<String> {
        Ok(digest(json(self)?.as_bytes())[..16].to_owned())
    }

    /// Places of a shard's games, sequences or candidates.
    pub fn part(&self, index: u64) -> std::ops::Range<u64> {
        let bound = |index: u64| (u128::from(self.count) * u128::from(index) / u128::from(self.of)) as u64;
        bound(index)..bound(index + 1)
    }

    /// File of a shard, whose name is of all that its content depends on.
    pub fn path(&self, folder: &Path, index: u64) -> Result<PathBuf> {
        Ok(folder.join(format!("{}-{}-{index:05}-of-{:05}.{ENDING}", self.command, self.key()?, self.of)))
    }

    /// Writes a shard's results aside, then under its name.
    pub fn save(&self, folder: &Path, index: u64, results: &impl Serialize) -> Result<()> {
        let results = json(results)?;
        let head = Head { job: self.clone(), index, results: digest(results.as_bytes()) };
        let text = format!("{}\n{results}\n", json(&head)?);
        // Two processes may do the same part: each writes to a name of its own.
        let unique = kit::random_seed() as u64;
        let path = self.path(folder, index)?;
        let aside = path.with_extension(format!("{unique:016x}"));
        files::write_atomically(&aside, text.as_bytes())?;
        files::replace(&aside, &path).map_err(|error| {
            fs::remove_file(&aside).ok();
            Error::runtime(format!("{} cannot be written: {error}", path.display()))
        })?;
        files::flush_names(folder);
        Ok(())
    }

    /// Whether a shard's file is there, whole.
    pub fn is_done(&self, folder: &Path, index: u64) -> Result<bool> {
        let path = self.path(folder, index)?;
        Ok(path.exists() && read(&path).is_ok_and(|(head, _)| head.job == *self && head.index == index))
    }
}

fn json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| Error::runtime(format!("a shard cannot be written: {error}")))
}

/// Head and results of a shard's file.
fn read(path: &Path) -> Result<(Head, String)> {
    let name = files::name(path);
    let text = files::text(&name, files::read_limited(path, LONGEST)?)?;
    let damaged =
        |what: &str| Error::user(format!("{name} is a damaged shard: {what}; remove it and make that shard again"));
    let (head, results) = text.split_once('\n').ok_or_else(|| damaged("its second line is missing"))?;
    let head: Head = serde_json::from_str(head).map_err(|error| damaged(&in_words(&error.to_string())))?;
    let results = results.strip_suffix('\n').ok_or_else(|| damaged("its end is missing"))?;
    match digest(results.as_bytes()) == head.results && head.index < head.job.of {
        true => Ok((head, results.to_owned())),
        false => Err(damaged("its results are not those that were written")),
    }
}

/// The job of a folder's shards and the results of each, in order.
///
/// An error names a damaged file, shards of another job, and those that are missing.
pub struct Shards {
    pub job: Job,
    results: Vec<(PathBuf, String)>,
}

impl Shards {
    pub fn open(folder: &Path) -> Result<Self> {
        let unreadable = |error| Error::user(format!("{} cannot be read: {error}", folder.display()));
        let mut paths = Vec::new();
        for entry in fs::read_dir(folder).map_err(unreadable)? {
            let path = entry.map_err(unreadable)?.path();
            paths.extend(Some(path).filter(|path| path.extension().is_some_and(|ending| ending == ENDING)));
        }
        paths.sort();
        let mut first: Option<(PathBuf, Job)> = None;
        let mut results = std::collections::BTreeMap::new();
        for path in paths {
            let (Head { job, index, .. }, text) = read(&path)?;
            let (of, known) = first.get_or_insert_with(|| (path.clone(), job.clone()));
            if let Some(difference) = difference(known, &job) {
                return Err(Error::user(format!(
                    "{} is no part of what {} is of: {difference}; a folder holds the shards of one command",
                    files::name(&path),
                    files::name(of)
                )));
            }
            if let Some((other, _)) = results.insert(index, (path.clone(), text)) {
                return Err(Error::user(format!(
                    "{} and {} are the same shard, {index} of {} (from 0): remove one",
                    files::name(&other),
                    files::name(&path),
                    job.of
                )));
            }
        }
        let Some((_, job)) = first else {
            return Err(Error::user(format!("{}: there is no shard in this folder", folder.display())));
        };
        let missing = job.of - results.len() as u64;
        if missing > 0 {
            let absent = (0..job.of).filter(|index| !results.contains_key(index));
            let named: Vec<String> = absent.take(SHOWN).map(|index| index.to_string()).collect();
            let more = missing - named.len() as u64;
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            return Err(Error::user(format!(
                "{}: of {} shards {missing} {} missing: {}{more}",
                folder.display(),
                job.of,
                if missing == 1 { "is" } else { "are" },
                named.join(", ")
            )));
        }
        Ok(Self { job, results: results.into_values().collect() })
    }

    /// The results of each shard.
    pub fn results<T: DeserializeOwned>(&self) -> Result<Vec<T>> {
        let parse = |(path, text): &(PathBuf, String)| {
            serde_json::from_str(text).map_err(|error| {
                let what = in_words(&error.to_string());
                Error::user(format!("{} holds no results that this program knows: {what}", files::name(path)))
            })
        };
        self.results.iter().map(parse).collect()
    }
}

/// Missing shards that are named.
const SHOWN: usize = 20;

/// First part in which two jobs differ, in words.
fn difference(one: &Job, other: &Job) -> Option<String> {
    let parts = |job: &Job| match serde_json::to_value(job) {
        Ok(Value::Object(parts)) => parts,
        _ => Map::new(),
    };
    let (one, other) = (parts(one), parts(other));
    let key = one.keys().chain(other.keys()).find(|key| one.get(*key) != other.get(*key))?;
    let shown = |parts: &Map<String, Value>| parts.get(key).map_or("none".to_owned(), Value::to_string);
    Some(format!("its {key} is {}, not {}", shown(&other), shown(&one)))
}
