//! The configuration of a training: strict TOML, with every key's meaning, default and range.

use std::path::Path;

use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use super::exploration::Exploration;
use super::learning::{Learning, Target};
use super::replay::ReplayConfig;
use crate::error::{Error, Result};
use crate::games::match3::Rules;
use crate::games::{MaskKind, Prior};
use crate::network::{ModelConfig, NetworkConfig, OutOfRange};
use crate::store::files;

/// A whole training.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TrainConfig {
    /// The seed of every random stream.
    pub seed: u64,
    /// What is played.
    pub game: GameConfig,
    /// The Q-network.
    pub network: NetworkConfig,
    /// How long, and how acting and learning alternate.
    pub training: Training,
    /// Epsilon and its schedule.
    pub exploration: Exploration,
    /// The replay memory.
    pub replay: ReplayConfig,
    /// The update of the network.
    pub learning: Learning,
    /// The target network.
    pub target: Target,
    /// The periodic greedy evaluation.
    pub evaluation: Evaluation,
    /// When the run is saved.
    pub checkpoint: Checkpointing,
    /// When the training is logged.
    pub logging: Logging,
}

/// What is played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GameConfig {
    /// The game: "match3".
    pub name: String,
    /// Kinds of obstacle in match-3: 2 in the original, 1 in a variant.
    pub obstacle_kinds: u32,
    /// The moves offered to the agent, in acting, exploring and in the maximum of the target.
    pub mask: MaskKind,
}

/// How long, and how acting and learning alternate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Training {
    /// Moves in all games together.
    pub steps: u64,
    /// Games that step together.
    pub games: usize,
    /// Moves played before learning starts.
    pub warmup: u64,
    /// Updates each time that all games have made one move.
    pub updates: usize,
}

/// The periodic greedy evaluation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Evaluation {
    /// Steps from one evaluation to the next.
    pub every: u64,
    /// Games of one evaluation.
    pub games: u64,
    /// Seed of the first game; seeds below 10,000 are for reporting only.
    pub seed: u64,
}

/// When the run is saved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Checkpointing {
    /// Steps from one checkpoint to the next.
    pub every: u64,
}

/// When the training is logged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Logging {
    /// Steps from one row of the log to the next.
    pub every: u64,
}

impl Default for GameConfig {
    fn default() -> Self {
        Self { name: "match3".into(), obstacle_kinds: 2, mask: MaskKind::Matching }
    }
}

impl Default for Training {
    fn default() -> Self {
        Self { steps: 1_000_000, games: 64, warmup: 10_000, updates: 1 }
    }
}

impl Default for Evaluation {
    fn default() -> Self {
        Self { every: 50_000, games: 500, seed: 1_000_000 }
    }
}

impl Default for Checkpointing {
    fn default() -> Self {
        Self { every: 50_000 }
    }
}

impl Default for Logging {
    fn default() -> Self {
        Self { every: 5_000 }
    }
}

impl TrainConfig {
    /// Reads a file and applies `key=value` overrides.
    ///
    /// # Errors
    /// A file that cannot be read, is no TOML, or has an unknown key, a wrong type or a value out of range: the sentence names
    /// the file, the key and what is allowed.
    pub fn load(path: &Path, overrides: &[String]) -> Result<Self> {
        let name = path.display().to_string();
        let text =
            String::from_utf8(files::read(path)?).map_err(|_| Error::user(format!("{name} is not text in UTF-8")))?;
        Self::parse(&text, &name, overrides)
    }

    /// The same for a text; `name` is what errors call it.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn parse(text: &str, name: &str, overrides: &[String]) -> Result<Self> {
        let mut table: Table = text.parse().map_err(|error: toml::de::Error| {
            Error::user(format!("{name} is not valid TOML: {}", error.to_string().trim_end()))
        })?;
        for text in overrides {
            set(&mut table, text)?;
        }
        let origin = |key: &str| {
            let within = |key: &str, section: &str| {
                key.strip_prefix(section).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            };
            let overridden = overrides.iter().any(|text| {
                let set = text.split('=').next().unwrap_or_default().trim();
                within(key, set) || within(set, key)
            });
            if overridden { "--set".to_owned() } else { name.to_owned() }
        };
        let config: Self = serde_path_to_error::deserialize(table).map_err(|error| {
            let key = error.path().to_string();
            let message = in_words(error.inner().message().trim_end());
            Error::user(format!("{}: {key}: {message}", origin(&key)))
        })?;
        config.validate(&origin)?;
        Ok(config)
    }

    /// The configuration as TOML, every key written out.
    ///
    /// # Errors
    /// Never for a valid configuration.
    pub fn to_toml(&self) -> Result<String> {
        toml::to_string(self)
            .map_err(|error| Error::runtime(format!("the configuration cannot be written as TOML: {error}")))
    }

    /// What is needed to play with the trained network.
    pub fn model(&self) -> ModelConfig {
        ModelConfig {
            game: self.game.name.clone(),
            rules: Table::from_iter([("obstacle_kinds".to_owned(), self.game.obstacle_kinds.into())]),
            mask: self.game.mask,
            points: 1.0 / self.learning.reward_scale,
            network: self.network.clone(),
        }
    }

    fn validate(&self, origin: &dyn Fn(&str) -> String) -> Result<()> {
        let Self {
            seed,
            game,
            network,
            training,
            exploration,
            replay,
            learning,
            target,
            evaluation,
            checkpoint,
            logging,
        } = self;
        let is = |right: bool, key: &str, value: &dyn std::fmt::Display, allowed: &str| match right {
            true => Ok(()),
            false => Err(Error::user(format!("{}: {key} = {value}: it must be {allowed}", origin(key)))),
        };
        let unit = |value: f64| (0.0..=1.0).contains(&value);
        // They are used in single precision.
        let positive = |value: f64| value as f32 > 0.0 && (value as f32).is_finite();

        // TOML's integers end there, and the resolved configuration is saved as TOML.
        is(i64::try_from(*seed).is_ok(), "seed", seed, "between 0 and 2^63 - 1")?;
        is(game.name == "match3", "game.name", &game.name, "\"match3\"")?;
        let most = Rules::MOST_OBSTACLE_KINDS;
        let allowed = format!("between 0 and {most}");
        is(game.obstacle_kinds <= most, "game.obstacle_kinds", &game.obstacle_kinds, &allowed)?;
        if let Err(OutOfRange { key, value, allowed }) = network.check() {
            is(false, &format!("network.{key}"), &value, allowed)?;
        }

        is(training.steps >= 1, "training.steps", &training.steps, "at least 1")?;
        is((1..=100_000).contains(&training.games), "training.games", &training.games, "between 1 and 100000")?;
        is(training.updates <= 1_000, "training.updates", &training.updates, "between 0 and 1000")?;

        is(unit(exploration.start), "exploration.start", &exploration.start, "between 0 and 1")?;
        is(unit(exploration.end), "exploration.end", &exploration.end, "between 0 and 1")?;

        is((1..=1 << 28).contains(&replay.capacity), "replay.capacity", &replay.capacity, "between 1 and 268435456")?;
        is(
            replay.capacity >= learning.batch,
            "replay.capacity",
            &replay.capacity,
            &format!("at least learning.batch, which is {}", learning.batch),
        )?;
        is(unit(replay.priority_exponent), "replay.priority_exponent", &replay.priority_exponent, "between 0 and 1")?;
        is(
            unit(replay.importance_exponent),
            "replay.importance_exponent",
            &replay.importance_exponent,
            "between 0 and 1",
        )?;

        is((1..=65_536).contains(&learning.batch), "learning.batch", &learning.batch, "between 1 and 65536")?;
        is(unit(learning.discount), "learning.discount", &learning.discount, "between 0 and 1")?;
        is((1..=1_000).contains(&learning.n_step), "learning.n_step", &learning.n_step, "between 1 and 1000")?;
        is(learning.simulations <= 10_000, "learning.simulations", &learning.simulations, "between 0 and 10000")?;
        is(
            learning.simulations == 0 || learning.n_step == 1,
            "learning.n_step",
            &learning.n_step,
            "1 where learning.simulations is above 0",
        )?;
        is(learning.actions <= 256, "learning.actions", &learning.actions, "between 0 and 256")?;
        is(
            learning.best_actions <= learning.actions,
            "learning.best_actions",
            &learning.best_actions,
            &format!("between 0 and learning.actions, which is {}", learning.actions),
        )?;
        is(unit(learning.common_error), "learning.common_error", &learning.common_error, "between 0 and 1")?;
        is(
            learning.simulations > 0 || learning.common_error == 1.0,
            "learning.common_error",
            &learning.common_error,
            "1 where learning.simulations is 0",
        )?;
        is(learning.lookahead <= 3, "learning.lookahead", &learning.lookahead, "between 0 and 3")?;
        for (key, value) in
            [("learning.actions", learning.actions), ("learning.lookahead", learning.lookahead as usize)]
        {
            is(learning.simulations > 0 || value == 0, key, &value, "0 where learning.simulations is 0")?;
        }
        is(
            (1..=learning.simulations.max(1)).contains(&learning.next_states),
            "learning.next_states",
            &learning.next_states,
            "between 1 and learning.simulations, or 1 where that is 0",
        )?;
        is(learning.candidates <= 256, "learning.candidates", &learning.candidates, "between 0 and 256")?;
        is(
            learning.candidates == 0 || network.afterstates && (network.prior != Prior::None || network.waves > 0),
            "learning.candidates",
            &learning.candidates,
            "0 where network.afterstates is false, or network.prior is \"none\" and network.waves is 0",
        )?;
        is(
            learning.bootstrap_from == 0.0 || learning.n_step == 1,
            "learning.n_step",
            &learning.n_step,
            "1 where learning.bootstrap_from is above 0",
        )?;
        is(unit(learning.bootstrap_from), "learning.bootstrap_from", &learning.bootstrap_from, "between 0 and 1")?;
        is(positive(learning.reward_scale), "learning.reward_scale", &learning.reward_scale, "above 0")?;
        is(positive(learning.huber_delta), "learning.huber_delta", &learning.huber_delta, "above 0")?;
        is(positive(learning.learning_rate), "learning.learning_rate", &learning.learning_rate, "above 0")?;
        is(
            learning.final_learning_rate == 0.0 || positive(learning.final_learning_rate),
            "learning.final_learning_rate",
            &learning.final_learning_rate,
            "0 or above",
        )?;
        is(positive(learning.adam_epsilon), "learning.adam_epsilon", &learning.adam_epsilon, "above 0")?;
        is(
            learning.max_gradient_norm == 0.0 || positive(learning.max_gradient_norm),
            "learning.max_gradient_norm",
            &learning.max_gradient_norm,
            "above 0, or 0 for no clipping",
        )?;

        is(target.every >= 1, "target.every", &target.every, "at least 1")?;
        is(target.rate > 0.0 && target.rate <= 1.0, "target.rate", &target.rate, "above 0 and at most 1")?;

        is(evaluation.every >= 1, "evaluation.every", &evaluation.every, "at least 1")?;
        is(
            (1..=1_000_000).contains(&evaluation.games),
            "evaluation.games",
            &evaluation.games,
            "between 1 and 1000000",
        )?;
        is(
            evaluation.seed >= 1_000_000 && evaluation.seed <= i64::MAX as u64 / 2,
            "evaluation.seed",
            &evaluation.seed,
            "1000000 or above: seeds below are kept for reporting",
        )?;
        is(checkpoint.every >= 1, "checkpoint.every", &checkpoint.every, "at least 1")?;
        is(logging.every >= 1, "logging.every", &logging.every, "at least 1")
    }
}

/// What a wrong type should have been, in the user's words instead of the program's.
fn in_words(message: &str) -> String {
    [
        ("expected usize", "expected a whole number, 0 or above"),
        ("expected u64", "expected a whole number, 0 or above"),
        ("expected u32", "expected a whole number, 0 or above"),
        ("expected f64", "expected a number"),
        ("expected a boolean", "expected true or false"),
        ("expected a string", "expected text"),
    ]
    .iter()
    .fold(message.to_owned(), |message, (type_name, words)| message.replace(type_name, words))
    .replace("expected struct ", "expected the section ")
}

/// Applies one `key=value` of `--set` to a table; a bare word that is no TOML is taken as text.
fn set(table: &mut Table, text: &str) -> Result<()> {
    let (key, value) = text
        .split_once('=')
        .ok_or_else(|| Error::user(format!("--set {text}: it must be key=value, for example learning.batch=128")))?;
    let (key, value) = (key.trim(), value.trim());
    let value = format!("value = {value}")
        .parse::<Table>()
        .ok()
        .and_then(|mut parsed| parsed.remove("value"))
        .or_else(|| value.starts_with(char::is_alphabetic).then(|| Value::String(value.to_owned())))
        .ok_or_else(|| {
            Error::user(format!("--set {text}: '{value}' is no value of TOML (a number, true, false or a word)"))
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
    Ok(())
}

#[cfg(test)]
mod tests;
