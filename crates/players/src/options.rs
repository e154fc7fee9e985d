//! What a player is asked with: its entry, and the parameters of its text.
//!
//! The players stand on it, and the registry on the players.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use crate::agent::{Agent, Shipped};
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::network::{Backend, Model, Precision, Processor};
use crate::player::Player;
use crate::policy::{Policy, PolicyPlayer};
use crate::roster::Roster;

/// Any player of a game, which may be handed from thread to thread.
pub type BoxedPlayer<G> = Box<dyn Player<G> + Send>;

/// A player that can be asked for.
pub struct Entry<G: Roster> {
    /// The name.
    pub name: &'static str,
    /// What it plays, in one line.
    pub about: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// Makes the player.
    pub build: fn(&Options<G>, &G::Rules) -> Result<BoxedPlayer<G>>,
}

/// A parameter of a player.
pub struct Parameter {
    /// The key.
    pub key: &'static str,
    /// The value where none is given; `None` if it has no effect then.
    pub default: Option<&'static str>,
    /// What it means, in a few words.
    pub about: &'static str,
}

/// The parameters given with a player, and the defaults of the others.
pub struct Options<'a, G: Roster> {
    /// How the player is called in results: its label, else its text.
    pub text: &'a str,
    asked: &'a str,
    entry: &'a Entry<G>,
    given: Vec<(&'a str, &'a str)>,
    setting: &'a Setting<'a>,
}

/// What a player is made with beside its text.
pub struct Setting<'a> {
    /// Where its network is evaluated.
    pub backend: &'a dyn Backend,
    /// The agent to play by where its text names none.
    pub agent: Option<&'a Agent>,
}

pub(super) const WEIGHT: &str = "what a point is worth a move later, from 0 to 1";
pub(super) const SIMS: &str = "simulations a move, in place of ms: the same moves on any machine";
pub(super) const MS: &str = "milliseconds a move, in place of sims";
pub(super) const DEPTH: &str = "moves of the guide in a simulation";
pub(super) const BREADTH: &str =
    "first moves after which a plan looks further: those with the most certain points and their equals; 0: all";
pub(super) const GUIDE: Parameter = Parameter {
    key: "guide",
    default: Some("cascade"),
    about: "who plays a simulation on (plan: of two moves, the second at half weight)",
};
pub(super) const PLANS: Parameter = Parameter {
    key: "plans",
    default: None,
    about: "moves of a simulation that the guide plans, those after them it plays as cascade does; without it all",
};

/// The milliseconds a move of searches where nothing is said.
pub(super) const DEFAULT_MS: &str = "10";

/// The last parameter where it is given.
///
/// What follows is its path, which may hold any character.
pub(super) const CHECKPOINT: Parameter =
    Parameter { key: "checkpoint", default: None, about: "file or folder, the last parameter: the rest is its path" };

/// In which precision a network plays.
pub(super) const PRECISION: Parameter = Parameter {
    key: "precision",
    default: None,
    about: "f32 or bf16: what the network multiplies on the CPU; without it as in training",
};

/// A parameter that every player has.
pub(super) const LABEL: Parameter = Parameter { key: "label", default: None, about: "a short name for tables" };

/// No simulation is longer.
pub(super) const DEEPEST: u32 = 1_000;

/// The most moves of a plan.
///
/// Each more multiplies its time by the number of moves, a dozen in match-3: this one takes a second there.
pub(super) const LONGEST_PLAN: u32 = 6;

/// Boards in one forward pass.
pub(super) const NETWORK_BATCH: usize = 256;

impl<G: Roster> Entry<G> {
    /// A sentence on the parameters there are.
    fn has(&self) -> String {
        match self.parameters {
            [] => format!("'{}' has no parameter but {}", self.name, LABEL.key),
            parameters => {
                let keys = parameters.iter().chain([&LABEL]).map(|parameter| parameter.key);
                format!("its parameters are {}", list(keys))
            }
        }
    }
}

impl<'a, G: Roster> Options<'a, G> {
    /// Reads the parameters of an entry's player.
    ///
    /// They are what its text has behind the name.
    ///
    /// # Errors
    /// An unknown parameter, one that is given twice, and a label that is none.
    pub(super) fn read(
        text: &'a str,
        parameters: Option<&'a str>,
        entry: &'a Entry<G>,
        setting: &'a Setting<'a>,
    ) -> Result<Self> {
        let mut rest = parameters;
        let mut options = Options { text, asked: text, entry, given: vec![], setting };
        while let Some(parts) = rest {
            let part;
            (part, rest) = match parts.split_once(':') {
                Some((part, rest)) if !part.starts_with("checkpoint=") => (part, Some(rest)),
                _ => (parts, None),
            };
            let Some((key, value)) = part.split_once('=') else {
                return Err(Error::user(format!("'{part}' in '{text}' must be key=value: {}", entry.has())));
            };
            let known = key == LABEL.key || entry.parameters.iter().any(|parameter| parameter.key == key);
            if !known {
                return Err(Error::user(format!("'{}' has no parameter '{key}': {}", entry.name, entry.has())));
            }
            if options.given(key).is_some() {
                return Err(Error::user(format!("'{key}' is given twice in '{text}': once is enough")));
            }
            if key == LABEL.key {
                if value.is_empty() || value.chars().any(char::is_control) {
                    return Err(Error::user(format!("'{text}': label must be a short name, such as label=mine")));
                }
                options.text = value;
            }
            options.given.push((key, value));
        }
        Ok(options)
    }

    /// The player of a policy, called as it was asked for.
    pub fn player<P: Policy<G> + 'static>(&self, policy: P) -> Result<BoxedPlayer<G>> {
        Ok(Box::new(PolicyPlayer::new(self.text, policy)))
    }

    /// The player's name.
    pub(super) fn name(&self) -> &str {
        self.entry.name
    }

    /// The value that is given for a parameter.
    pub fn given(&self, key: &str) -> Option<&str> {
        self.given.iter().find(|(given, _)| *given == key).map(|(_, value)| *value)
    }

    /// The value of a parameter, its default where none is given, or nothing.
    pub fn value(&self, key: &str) -> &str {
        let default = || self.entry.parameters.iter().find(|parameter| parameter.key == key)?.default;
        self.given(key).or_else(default).unwrap_or_default()
    }

    /// The value of a parameter that is a number in a range.
    ///
    /// `kind` says in words what kind of number.
    ///
    /// # Errors
    /// A value that is no such number.
    pub fn number<T: FromStr + PartialOrd + Display>(
        &self,
        key: &str,
        kind: &str,
        range: RangeInclusive<T>,
    ) -> Result<T> {
        let number = self.value(key).parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| self.wrong(key, &format!("{kind} from {} to {}", range.start(), range.end())))
    }

    /// The error of a parameter whose value is not what it must be.
    pub fn wrong(&self, key: &str, must_be: &str) -> Error {
        Error::user(format!("{key}={} in '{}': {key} must be {must_be}", self.value(key), self.asked))
    }

    /// Where a network is evaluated.
    pub(super) fn backend(&self) -> &dyn Backend {
        self.setting.backend
    }

    /// The agent to play by: that of the checkpoint, the one given, or else one that ships.
    ///
    /// # Errors
    /// A checkpoint beside an agent that is given, and one that cannot be loaded.
    pub(super) fn agent(&self, shipped: impl FnOnce() -> Result<&'static Shipped>) -> Result<Agent> {
        let path = self.given(CHECKPOINT.key);
        match (path, self.setting.agent) {
            (None, Some(agent)) => Ok(agent.clone()),
            (Some(_), Some(_)) => {
                Err(Error::user(format!("'{}' names a checkpoint, but there is one already", self.asked)))
            }
            (None, None) => Agent::shipped(shipped()?),
            (Some(path), None) => Agent::load(Path::new(path)).map_err(|error| self.swallowed(path, error)),
        }
    }

    /// The error of a checkpoint whose path may have swallowed a parameter.
    fn swallowed(&self, path: &str, error: Error) -> Error {
        let swallowed =
            |parameter: &&Parameter| parameter.key != CHECKPOINT.key && path.contains(&format!(":{}=", parameter.key));
        match self.entry.parameters.iter().chain([&LABEL]).find(swallowed) {
            Some(Parameter { key, .. }) => Error::user(format!("{error}; {key} must come before checkpoint, the last")),
            None => error,
        }
    }

    /// The model to play by, in the precision that is given or in that of its training.
    ///
    /// Without a checkpoint it is one that ships.
    pub(super) fn model(&self, shipped: impl FnOnce() -> Result<&'static Shipped>) -> Result<Model> {
        let model = self.agent(shipped)?.network::<G>()?;
        let Some(precision) = self.given(PRECISION.key) else { return Ok(model) };
        let precision = Precision::from_str(precision).map_err(|_| self.wrong(PRECISION.key, "f32 or bf16"))?;
        Ok(model.with_precision(precision))
    }
}

impl Default for Setting<'_> {
    /// The processor, and the agents that ship.
    fn default() -> Self {
        Self { backend: &Processor, agent: None }
    }
}

/// The budget of a search by its parameters `sims` and `ms`.
pub(super) fn budget<G: Roster>(options: &Options<G>) -> Result<Budget> {
    match (options.given("sims"), options.given("ms")) {
        (Some(_), Some(_)) => {
            Err(Error::user(format!("'{}' has both sims and ms: a search has one budget", options.asked)))
        }
        (None, None) if options.value("ms").is_empty() => simulations(options),
        (Some(_), None) => simulations(options),
        (None, _) => {
            let milliseconds = options.number("ms", "a whole number of milliseconds", 1..=3_600_000)?;
            Ok(Budget::Time(Duration::from_millis(milliseconds)))
        }
    }
}

fn simulations<G: Roster>(options: &Options<G>) -> Result<Budget> {
    Ok(Budget::Simulations(options.number("sims", "a whole number", 1..=10_000_000)?))
}

/// Names, separated by commas.
pub(super) fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}
