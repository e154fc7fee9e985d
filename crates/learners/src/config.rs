//! Configurations: their common part, reading, overriding and checking.

use std::path::Path;
use std::sync::{PoisonError, RwLock};

use serde::Serialize;
use serde::de::DeserializeOwned;
use toml::{Table, Value};

use super::sections::{Checked, at_least_one, between};
use super::{Learner, LearnerConfig};
use crate::error::{Error, OutOfRange, Result, escaped, in_words, require};
use crate::files;
use crate::games::{Game, MaskKind, Match3};
use crate::players::Measured;

/// Configuration of a training: the common part and the sections of a learner.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TrainConfig<C> {
    /// Common part.
    #[serde(flatten)]
    pub run: RunConfig,
    /// Sections of the learner.
    #[serde(flatten)]
    pub learner: C,
}

sections! {
    /// Common part of all learners' configurations: two keys and four sections.
    ///
    /// | key | default | range | meaning |
    /// |---|---|---|---|
    /// | `seed` | 0 | 0 to 2^63 - 1 | Seed of all random streams. |
    /// | `learner` | `"dqn"` | [names](super::names) | Name of the learner. |
    pub struct RunConfig {
        /// Seed of all random streams.
        pub seed: u64 = 0,
        /// Learner's name.
        pub learner: String = "dqn".into(),
        /// Game, mask and rules.
        pub game: GameConfig = GameConfig::default(),
        /// Greedy evaluation.
        pub evaluation: Evaluation = Evaluation::default(),
        /// Steps between checkpoints.
        pub checkpoint: Checkpointing = Checkpointing::default(),
        /// Steps between rows of the log.
        pub logging: Logging = Logging::default(),
    }

    /// Game, mask and rules: section `[game]`.
    ///
    /// | key | default | range | meaning |
    /// |---|---|---|---|
    /// | `name` | `"match3"` | names of the games | Name of the game. |
    /// | `mask` | the game's | names of the game's masks | Actions that are offered. |
    /// | `rules` | the game's |  | Section with the parameters of the rules. |
    pub struct GameConfig {
        /// Name of the game.
        pub name: String = Match3::NAME.into(),
        /// Mask of the offered moves.
        pub mask: String = String::new(),
        /// Parameters of the rules.
        pub rules: Table = Table::new(),
    }

    /// Evaluation by games without exploration: section `[evaluation]`.
    ///
    /// | key | default | range | meaning |
    /// |---|---|---|---|
    /// | `every` | 64,000 | at least 1 | Steps between evaluations. |
    /// | `games` | 200 | 1 to 1,000,000 | Games per evaluation. |
    /// | `moves` | 0 |  | Moves after which a game is cut; 0 for unlimited. |
    /// | `seed` | 1,000,000 | 1,000,000 to 2^62 - 1 | Seed of the first game; reports use lower ones. |
    /// | `luck` | 20 | 0 to 10,000 | Simulations of each move to estimate luck; 0 for none. |
    pub struct Evaluation {
        /// Steps between evaluations.
        pub every: u64 = 64_000,
        /// Games per evaluation.
        pub games: u64 = 200,
        /// Moves after which a game is cut; 0 for unlimited.
        pub moves: u64 = 0,
        /// Seed of the first game, at least 1,000,000; reports use lower ones.
        pub seed: u64 = 1_000_000,
        /// Simulations of each move to estimate luck, which games without chance do not have; 0 for none.
        pub luck: u32 = 20,
    }

    /// Times of checkpoints: section `[checkpoint]`.
    ///
    /// | key | default | range | meaning |
    /// |---|---|---|---|
    /// | `every` | 16,000 | at least 1 | Steps between checkpoints. |
    pub struct Checkpointing {
        /// Steps between checkpoints.
        pub every: u64 = 16_000,
    }

    /// Times of the log's rows: section `[logging]`.
    ///
    /// | key | default | range | meaning |
    /// |---|---|---|---|
    /// | `every` | 6,400 | at least 1 | Steps between rows of the log. |
    pub struct Logging {
        /// Steps between rows of the log.
        pub every: u64 = 6_400,
    }
}

impl RunConfig {
    fn check(&self) -> Checked {
        // Maximum of TOML's integers: the configuration is saved as TOML.
        require(i64::try_from(self.seed).is_ok(), "seed", self.seed, "between 0 and 2^63 - 1")?;
        self.evaluation.check()?;
        at_least_one("checkpoint.every", self.checkpoint.every)?;
        at_least_one("logging.every", self.logging.every)
    }
}

impl Evaluation {
    fn check(&self) -> Checked {
        let Self { every, games, moves: _, seed, luck } = *self;
        between("evaluation.luck", luck, 0..=10_000)?;
        at_least_one("evaluation.every", every)?;
        between("evaluation.games", games, 1..=1_000_000)?;
        require(
            (1_000_000..=i64::MAX as u64 / 2).contains(&seed),
            "evaluation.seed",
            seed,
            "1000000 or above: seeds below are kept for reporting",
        )
    }
}

impl GameConfig {
    fn rules<G: Measured>(&self) -> std::result::Result<G::Rules, (String, String)> {
        // Rules without parameters may be of the type (), which TOML cannot express.
        if self.rules.is_empty() {
            return Ok(G::Rules::default());
        }
        from_toml(self.rules.clone()).map_err(|(key, message)| {
            (if key == "." { "game.rules".to_owned() } else { format!("game.rules.{key}") }, message)
        })
    }
}

impl<C: Serialize> TrainConfig<C> {
    /// TOML with every key.
    pub fn to_toml(&self) -> Result<String> {
        toml::to_string(self)
            .map_err(|error| Error::runtime(format!("the configuration cannot be written as TOML: {error}")))
    }
}

/// An unchecked configuration: TOML and overrides by `--set`.
#[derive(Clone, Debug)]
pub struct Source {
    table: Table,
    /// Name of the TOML in errors.
    name: String,
    /// Keys set by overrides.
    overridden: Vec<String>,
}

/// Keys whose values may be paths.
const PATHS: [&str; 2] = ["learning.start", "learning.expert"];

/// The first text with a control character below a key, which no key takes, and its whole key.
fn control(value: &Value, key: String) -> Option<(String, String)> {
    let below = |name: &str| if key.is_empty() { name.to_owned() } else { format!("{key}.{name}") };
    match value {
        Value::String(text) => text.contains(char::is_control).then(|| (key, text.clone())),
        Value::Table(table) => table.iter().find_map(|(name, value)| control(value, below(name))),
        Value::Array(values) => values.iter().find_map(|value| control(value, key.clone())),
        _ => None,
    }
}

macro_rules! inside {
    ($($name:literal,)*) => {
        /// Configurations inside the program, `configs/NAME.toml`: their names and texts.
        const INSIDE: &[Configuration] = &[$(($name, include_str!(concat!("../../../configs/", $name, ".toml"))),)*];
    };
}

/// Name and text of a configuration that a program knows.
pub type Configuration = (&'static str, &'static str);

/// Configurations that a program added.
static ADDED: RwLock<Vec<Configuration>> = RwLock::new(Vec::new());

/// All configurations known by name: those inside, then those that were [added](add_configuration).
pub fn configurations() -> Vec<Configuration> {
    let added = ADDED.read().unwrap_or_else(PoisonError::into_inner);
    INSIDE.iter().chain(added.iter()).copied().collect()
}

/// Adds a configuration; a name that another one has is an error.
pub fn add_configuration(name: &'static str, text: &'static str) -> Result<()> {
    if configurations().iter().any(|(known, _)| *known == name) {
        return Err(Error::user(format!("there are two configurations of the name {name}")));
    }
    ADDED.write().unwrap_or_else(PoisonError::into_inner).push((name, text));
    Ok(())
}

inside! {
    "bejeweled-dqn",
    "bilging-dqn",
    "bilging-fitted",
    "dqn",
    "dqn-plain",
    "dqn-plain-gpu",
    "dqn-setups",
    "dqn-transitions",
    "match3-fitted",
    "quick",
    "samegame-cma",
    "tetris-cma",
    "tetris-cross-entropy",
    "tetris-fitted",
    "tetris-genetic",
    "tetris-imitation",
    "tetris-lspi",
    "tetris-shapes",
    "tetris-shapes-20",
    "tile-match-dqn",
    "tile-match-fitted",
}

impl Source {
    /// Reads a file, or a configuration inside the program by its name, and applies `key=value`
    /// overrides.
    pub fn load(path: &Path, overrides: &[String]) -> Result<Self> {
        let name = files::name(path);
        let configurations = configurations();
        let known = configurations.iter().find(|(known, _)| *known == name);
        if !files::is_input(path) && (path.is_dir() || matches!(path.try_exists(), Ok(false))) {
            let Some((_, text)) = known else {
                let names: Vec<&str> = configurations.iter().map(|(name, _)| *name).collect();
                let names = names.join(", ");
                return Err(Error::user(format!(
                    "{name} is no file: name one, or a configuration of the program: {names}"
                )));
            };
            return Self::parse(text, &format!("the configuration {name}"), overrides);
        }
        let text = files::text(&name, files::read(path)?)?;
        if text.parse::<Table>().is_ok_and(|table| table.is_empty()) {
            let what = "sets no key: a configuration names its learner, such as learner = \"dqn\"";
            return Err(Error::user(format!("{name} {what}")));
        }
        let mut source = Self::parse(&text, &name, &[])?;
        if let Some(folder) = path.parent().filter(|_| !files::is_input(path)) {
            PATHS.iter().for_each(|key| source.find_beside(folder, key));
        }
        source.overridden_by(overrides)
    }

    /// Makes a relative path to a file, as a key may name one, a path from the configuration's
    /// folder.
    fn find_beside(&mut self, folder: &Path, key: &str) {
        let mut parts = key.split('.');
        let first = parts.next().and_then(|part| self.table.get_mut(part));
        let Some(Value::String(path)) = parts.fold(first, |value, part| value?.get_mut(part)) else { return };
        // A resumed training may start from another folder.
        let beside = std::path::absolute(folder.join(&*path)).unwrap_or_default();
        if path.contains(['/', '\\', '.']) && beside.exists() {
            *path = beside.display().to_string();
        }
    }

    /// Parses a text called `name` and applies `key=value` overrides.
    pub fn parse(text: &str, name: &str, overrides: &[String]) -> Result<Self> {
        let table: Table = text.parse().map_err(|error: toml::de::Error| {
            // The place is marked below its line.
            let lines: Vec<String> = error.to_string().trim_end().lines().map(escaped).collect();
            Error::User(format!("{name} is not valid TOML: {}", lines.join("\n")))
        })?;
        Self { table, name: name.to_owned(), overridden: vec![] }.overridden_by(overrides)
    }

    fn overridden_by(mut self, overrides: &[String]) -> Result<Self> {
        for text in overrides {
            self.overridden.push(set(&mut self.table, text)?.to_owned());
        }
        match control(&Value::Table(self.table.clone()), String::new()) {
            None => Ok(self),
            Some((key, text)) => Err(self.wrong(
                &key,
                &format!(
                    "{text:?} has a control character: in double quotes \\n is a new line and \\b a backspace; write a path in \
                     '...', or with /"
                ),
            )),
        }
    }

    /// Name of the learner.
    pub fn learner(&self) -> Result<&str> {
        self.name_at("learner", "dqn")
    }

    /// Name of the game.
    pub fn game(&self) -> Result<&str> {
        self.name_at("game.name", Match3::NAME)
    }

    /// A learner's configuration in a game, and the game's rules.
    ///
    /// An error names its origin, the key and the allowed values.
    pub fn resolve<G: Measured, L: Learner<G>>(&self) -> Result<(TrainConfig<L::Config>, G::Rules)> {
        let in_words = |(key, message): (String, String)| self.wrong(&key, &message);
        let out_of_range = |OutOfRange { key, value, allowed }: OutOfRange| {
            Error::user(format!("{}: {key} = {value}: it must be {allowed}", self.origin(&key)))
        };
        let (mut run, learner) = self.parts::<L::Config>()?;
        let rules = run.game.rules::<G>().map_err(in_words)?;
        run.game.rules = Table::try_from(&rules).unwrap_or_default();
        run.check().map_err(out_of_range)?;
        if let Err(error) = MaskKind::of::<G>(&run.game.mask) {
            return Err(self.wrong("game.mask", &error.to_string()));
        }
        let default = MaskKind::default_of::<G>().name::<G>();
        if run.game.mask.is_empty() {
            run.game.mask = default.to_owned();
        }
        if !L::HAS_MASK && run.game.mask != default {
            let what = format!("the learner {} chooses from the mask \"{default}\": leave it out", L::NAME);
            return Err(self.wrong("game.mask", &what));
        }
        require(run.game.name == G::NAME, "game.name", &run.game.name, format!("\"{}\"", G::NAME))
            .map_err(out_of_range)?;
        learner.check().and_then(|()| L::check_game(&learner)).map_err(out_of_range)?;
        Ok((TrainConfig { run, learner }, rules))
    }

    /// The common part and the learner's sections.
    fn parts<C: LearnerConfig>(&self) -> Result<(RunConfig, C)> {
        let keys = |table: std::result::Result<Table, toml::ser::Error>| -> Vec<String> {
            table.unwrap_or_default().into_iter().map(|(key, _)| key).collect()
        };
        let common = keys(Table::try_from(RunConfig::default()));
        let own = keys(Table::try_from(C::default()));
        if let Some(key) = self.table.keys().find(|key| !common.contains(key) && !own.contains(key)) {
            let known = [&common[..], &own].concat().join(", ");
            return Err(self.wrong(key, &format!("unknown field `{key}`, expected one of: {known}")));
        }
        let part = |keys: &[String]| -> Table {
            let entries = self.table.iter().filter(|(key, _)| keys.contains(key));
            entries.map(|(key, value)| (key.clone(), value.clone())).collect()
        };
        let in_words = |(key, message): (String, String)| self.wrong(&key, &message);
        Ok((from_toml(part(&common)).map_err(in_words)?, from_toml(part(&own)).map_err(in_words)?))
    }

    /// An error at a key.
    pub fn wrong(&self, key: &str, what: &str) -> Error {
        Error::user(format!("{}: {key}: {what}", self.origin(key)))
    }

    /// File, or `--set`, that gave a key.
    fn origin(&self, key: &str) -> &str {
        let within = |key: &str, section: &str| {
            key.strip_prefix(section).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let overridden = self.overridden.iter().any(|set| within(key, set) || within(set, key));
        if overridden { "--set" } else { &self.name }
    }

    fn get(&self, key: &str) -> Option<&Value> {
        let mut parts = key.split('.');
        let first = self.table.get(parts.next()?)?;
        parts.try_fold(first, |value, part| value.get(part))
    }

    fn name_at<'a>(&'a self, key: &str, default: &'a str) -> Result<&'a str> {
        match self.get(key) {
            None => Ok(default),
            Some(Value::String(name)) => Ok(name),
            Some(other) => Err(self.wrong(key, &format!("it must be a name such as \"{default}\", not {other}"))),
        }
    }
}

/// Reads a table; an error is a key and what is wrong.
fn from_toml<T: DeserializeOwned>(table: Table) -> std::result::Result<T, (String, String)> {
    serde_path_to_error::deserialize(table)
        .map_err(|error| (error.path().to_string(), in_words(error.inner().message())))
}

/// Splits a `key=value`.
pub fn key_and_value(text: &str) -> Result<(&str, &str)> {
    let (key, value) = text
        .split_once('=')
        .ok_or_else(|| Error::user(format!("--set {text}: it must be key=value, for example learning.batch=128")))?;
    Ok((key.trim(), value.trim()))
}

/// The value of a text in TOML; none if it is no value.
pub fn toml_value(text: &str) -> Option<Value> {
    let mut table = format!("value = {text}").parse::<Table>().ok().filter(|table| table.len() == 1)?;
    table.remove("value")
}

/// Applies a `key=value` of `--set` to a table; returns the key.
///
/// A bare word or path becomes text.
fn set<'a>(table: &mut Table, text: &'a str) -> Result<&'a str> {
    let (key, value) = key_and_value(text)?;
    let is_text = value.starts_with(char::is_alphabetic) || value.contains('/');
    let value = toml_value(value).or_else(|| is_text.then(|| value.into())).ok_or_else(|| {
        Error::user(format!("--set {text}: '{value}' is no value of TOML (a number, true, false, a word or a path)"))
    })?;
    let mut path: Vec<&str> = key.split('.').collect();
    let last = path.pop().unwrap_or_default();
    let mut table = table;
    for part in path {
        table = table
            .entry(part)
            .or_insert_with(|| Value::Table(Table::new()))
            .as_table_mut()
            .ok_or_else(|| Error::user(format!("--set {key}: '{part}' is a value, not a section")))?;
    }
    table.insert(last.to_owned(), value);
    Ok(key)
}

#[cfg(test)]
mod tests;
