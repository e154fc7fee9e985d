//! The configuration of a training: strict TOML, with every key's meaning, default and range.

use std::path::Path;

use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use super::exploration::Exploration;
use super::learning::{Learning, Target};
use super::replay::ReplayConfig;
use crate::error::{Error, Result};
use crate::files;
use crate::games::match3::Rules;
use crate::games::{MaskKind, Prior};
use crate::network::{NetworkConfig, OutOfRange, PolicyConfig};

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
    pub fn policy(&self) -> PolicyConfig {
        PolicyConfig {
            game: self.game.name.clone(),
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
mod tests {
    use super::*;
    use crate::dqn::learning::Loss;

    fn parse(text: &str, overrides: &[&str]) -> Result<TrainConfig> {
        let overrides: Vec<String> = overrides.iter().map(|text| text.to_string()).collect();
        TrainConfig::parse(text, "file.toml", &overrides)
    }

    fn sentence(text: &str, overrides: &[&str]) -> String {
        match parse(text, overrides) {
            Err(Error::User(sentence)) => sentence,
            other => panic!("{text} {overrides:?}: {other:?}"),
        }
    }

    #[test]
    fn nothing_said_is_the_default_and_what_is_resolved_reads_back_the_same() {
        assert_eq!(parse("", &[]), Ok(TrainConfig::default()));
        let config = parse("seed = 7\n[learning]\nloss = \"squared\"\n", &["game.mask=legal"]).unwrap();
        assert_eq!((config.seed, config.learning.loss, config.game.mask), (7, Loss::Squared, MaskKind::Legal));
        assert_eq!(parse(&config.to_toml().unwrap(), &[]), Ok(config));
    }

    #[test]
    fn the_configurations_that_ship_are_valid() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs");
        let paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert!(!paths.is_empty());
        for path in paths {
            TrainConfig::load(&path, &[]).unwrap();
        }
    }

    #[test]
    fn an_unknown_key_and_a_wrong_type_are_named_with_their_file() {
        for (text, parts) in [
            ("sead = 1", ["file.toml: sead", "unknown field"]),
            ("[learner]\nbatch = 1", ["file.toml: learner", "unknown field"]),
            ("[replay]\nprioritized = true", ["file.toml: replay.prioritized", "unknown field"]),
            ("[replay]\nprioritised = 1", ["file.toml: replay.prioritised", "expected true or false"]),
            ("[training]\nsteps = 1.5", ["file.toml: training.steps", "expected a whole number"]),
            ("[training]\nsteps = -1", ["file.toml: training.steps", "-1"]),
            ("[learning]\nloss = \"cubic\"", ["file.toml: learning.loss", "expected `huber` or `squared`"]),
            ("learning = 3", ["file.toml: learning", "expected the section Learning"]),
        ] {
            let sentence = sentence(text, &[]);
            assert!(parts.iter().all(|part| sentence.contains(part)), "{sentence}");
        }
        assert!(sentence("seed = ", &[]).starts_with("file.toml is not valid TOML: "));
    }

    #[test]
    fn overrides_take_numbers_truths_and_bare_words_and_the_last_one_wins() {
        let overrides = [
            "learning.batch=32",
            " learning.double = false ",
            "learning.loss=squared",
            "learning.schedule=\"cosine\"",
            "learning.batch=64",
        ];
        let learning = parse("[learning]\nbatch = 8\nn_step = 3\n", &overrides).unwrap().learning;
        let expected = Learning {
            batch: 64,
            n_step: 3,
            double: false,
            loss: Loss::Squared,
            schedule: crate::dqn::learning::Schedule::Cosine,
            ..Learning::default()
        };
        assert_eq!(learning, expected);
    }

    #[test]
    fn an_override_that_is_wrong_is_blamed_on_the_flag_and_not_on_the_file() {
        for (set, parts) in [
            ("learning.batch", ["--set learning.batch: ", "key=value"]),
            ("learning.batch.most=1", ["--set: learning.batch: ", "expected a whole number"]),
            ("learning={bacth=1}", ["--set: learning.bacth: ", "unknown field"]),
            ("learning.bacth=1", ["--set: learning.bacth: ", "unknown field"]),
            ("learning.batch=0", ["--set: learning.batch = 0: ", "between 1 and 65536"]),
        ] {
            let sentence = sentence("", &[set]);
            assert!(parts.iter().all(|part| sentence.contains(part)), "{sentence}");
        }
        let file = sentence("[learning]\nbatch = 0\n", &["learning.n_step=2"]);
        assert!(file.starts_with("file.toml: learning.batch = 0: "), "{file}");
        let value = sentence("[learning]\nbatch = 8\n", &["learning.batch.most=1"]);
        assert_eq!(value, "--set learning.batch.most: 'batch' is a value, not a section");
    }

    #[test]
    fn switches_that_need_another_one_are_refused_without_it() {
        for (sets, wrong) in [
            (vec!["learning.simulations=4", "learning.lookahead=3", "learning.actions=256"], None),
            (vec!["network.prior=plan", "learning.candidates=256", "network.afterstates=true"], None),
            (vec!["learning.actions=4"], Some("learning.actions = 4: it must be 0 where learning.simulations is 0")),
            (vec!["network.waves=8", "learning.candidates=3", "network.afterstates=true"], None),
            (vec!["network.waves=8"], Some("network.waves = 8: it must be 0 but with network.afterstates")),
            (vec!["network.waves=8", "network.afterstates=true", "network.prior=chain"], Some("network.waves = 8")),
            (vec!["learning.candidates=3"], Some("learning.candidates = 3: it must be 0 where network.afterstates is")),
            (
                vec!["network.dueling=true", "network.afterstates=true"],
                Some("network.dueling = true: it must be false where network.afterstates is true"),
            ),
        ] {
            match wrong {
                None => assert!(parse("", &sets).is_ok(), "{sets:?}"),
                Some(part) => {
                    let sentence = sentence("", &sets);
                    assert!(sentence.starts_with("--set: ") && sentence.contains(part), "{sentence}");
                }
            }
        }
    }

    #[test]
    fn the_ends_of_every_range_are_allowed_and_what_lies_beyond_is_not() {
        for (key, allowed, refused) in [
            ("seed", vec!["0", "9223372036854775807"], vec!["-1"]),
            ("game.name", vec!["match3"], vec!["chess"]),
            ("network.channels", vec!["1", "1024"], vec!["0", "1025"]),
            ("network.layers", vec!["2", "64"], vec!["1", "65"]),
            ("network.waves", vec!["0"], vec!["1", "65"]),
            ("network.wave_layers", vec!["2", "64"], vec!["1", "65"]),
            ("training.steps", vec!["1"], vec!["0"]),
            ("training.games", vec!["1", "100000"], vec!["0", "100001"]),
            ("training.updates", vec!["0", "1000"], vec!["1001"]),
            ("exploration.start", vec!["0", "1"], vec!["-0.1", "1.1", "nan"]),
            ("exploration.end", vec!["0.0", "1.0"], vec!["-0.1", "1.1"]),
            ("replay.capacity", vec!["256", "268435456"], vec!["0", "255", "268435457"]),
            ("replay.priority_exponent", vec!["0", "1"], vec!["-0.1", "1.1"]),
            ("replay.importance_exponent", vec!["0", "1"], vec!["-0.1", "1.1"]),
            ("learning.batch", vec!["1", "65536"], vec!["0", "65537"]),
            ("learning.discount", vec!["0", "1"], vec!["-0.1", "1.1", "nan"]),
            ("learning.n_step", vec!["1", "1000"], vec!["0", "1001"]),
            ("learning.simulations", vec!["0", "10000"], vec!["10001"]),
            ("learning.actions", vec!["0"], vec!["1", "257"]),
            ("learning.lookahead", vec!["0"], vec!["1", "4"]),
            ("learning.next_states", vec!["1"], vec!["0", "2"]),
            ("learning.candidates", vec!["0"], vec!["1", "257"]),
            ("network.prior", vec!["none", "chain", "plan", "plan3"], vec!["cascade"]),
            ("learning.bootstrap_from", vec!["0", "1"], vec!["-0.1", "1.1"]),
            ("learning.reward_scale", vec!["1e-9"], vec!["0", "-1", "inf", "1e-300", "1e300"]),
            ("learning.huber_delta", vec!["1e-9"], vec!["0", "inf"]),
            ("learning.learning_rate", vec!["1e-9"], vec!["0", "inf"]),
            ("learning.final_learning_rate", vec!["0"], vec!["-1e-9", "inf"]),
            ("learning.adam_epsilon", vec!["1e-12"], vec!["0", "inf", "1e-300"]),
            ("learning.max_gradient_norm", vec!["0", "1e-3"], vec!["-1", "inf"]),
            ("target.every", vec!["1"], vec!["0"]),
            ("target.rate", vec!["1e-9", "1"], vec!["0", "1.1"]),
            ("evaluation.every", vec!["1"], vec!["0"]),
            ("evaluation.games", vec!["1", "1000000"], vec!["0", "1000001"]),
            ("evaluation.seed", vec!["1000000"], vec!["0", "9999", "999999"]),
            ("checkpoint.every", vec!["1"], vec!["0"]),
            ("logging.every", vec!["1"], vec!["0"]),
        ] {
            // The largest batch needs a memory that holds it; all others get by with the defaults.
            let text = if key == "learning.batch" { "[replay]\ncapacity = 70000\n" } else { "" };
            for value in allowed {
                assert!(parse(text, &[&format!("{key}={value}")]).is_ok(), "{key} = {value}");
            }
            for value in refused {
                let sentence = sentence(text, &[&format!("{key}={value}")]);
                assert!(sentence.starts_with(&format!("--set: {key}")), "{key} = {value}: {sentence}");
            }
        }
    }

    #[test]
    fn simulated_outcomes_and_several_steps_exclude_each_other() {
        assert!(parse("", &["learning.simulations=4", "learning.n_step=1"]).is_ok());
        let sentence = sentence("", &["learning.simulations=4", "learning.n_step=2"]);
        assert!(sentence.contains("learning.n_step = 2") && sentence.contains("learning.simulations"), "{sentence}");
    }
}
