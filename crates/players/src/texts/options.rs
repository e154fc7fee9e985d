use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use crate::agents::{Agent, Agents, Shipped};
use crate::by_rules::Budget;
use crate::contract::{BoxedPlayer, Measured, Policy, PolicyPlayer};
use crate::network::{Backend, NetworkPlayer, Precision, Processor};
use matchq_core::clock;
use matchq_core::error::{Error, Result};
use matchq_games::{Game, Image};

/// A player as people name it, with what makes it.
pub struct Entry<G: Game> {
    /// Name in a player's text.
    pub name: &'static str,
    /// The player in one line.
    pub about: &'static str,
    /// Parameters beside the label.
    pub parameters: &'static [Parameter],
    /// Makes the player.
    pub build: Build<G>,
}

/// Makes a player of its options.
pub type Build<G> = fn(&Options<G>, &<G as Game>::Rules) -> Result<BoxedPlayer<G>>;

/// A parameter of a player's text.
pub struct Parameter {
    /// Key before the `=`.
    pub key: &'static str,
    /// Value where none is given; `None` if the parameter then has no effect.
    pub default: Option<&'static str>,
    /// What the parameter says, in one line.
    pub about: &'static str,
}

/// Parameters in a player's text, and the defaults of the others.
pub struct Options<'a, G: Game> {
    /// Name of the player in results: its label, or its text.
    pub text: &'a str,
    /// The text as given.
    pub(super) asked: &'a str,
    entry: &'a Entry<G>,
    given: Vec<(&'a str, &'a str)>,
    /// Agent that the text begins with.
    agent: Option<Agent>,
    setting: &'a Setting<'a>,
}

/// What a player needs beside its text.
pub struct Setting<'a> {
    /// Where networks compute.
    pub backend: &'a dyn Backend,
    /// Agent for texts that name no checkpoint.
    pub agent: Option<&'a Agent>,
    /// Agents read so far.
    pub agents: Agents,
    /// Simulations a move, the parameter `sims` of texts that name no budget.
    pub simulations: Option<usize>,
}

pub(super) const WEIGHT: &str = "discount: the value of a point a move later, from 0 to 1";
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

pub(super) const DEFAULT_MS: &str = "10";

pub(super) const CHECKPOINT: Parameter =
    Parameter { key: "checkpoint", default: None, about: "an agent: its name, its run's name, its file or its folder" };

pub(super) const PRECISION: Parameter = Parameter {
    key: "precision",
    default: None,
    about: "f32 or bf16: what the network multiplies on the CPU; without it as in training",
};

pub(super) const LABEL: Parameter = Parameter { key: "label", default: None, about: "a short name for tables" };

/// Most moves of a simulation.
pub(super) const DEEPEST: u32 = 1_000;

/// Most moves of a plan; each further move of match-3 multiplies the time by about twelve.
pub(super) const LONGEST_PLAN: u32 = 6;

/// Boards in one forward pass, at most.
pub(super) const NETWORK_BATCH: usize = 256;

/// A player's text: a name or path, then parameters, `key=value`, each after a colon.
///
/// In a path, which begins the text or is the value of `checkpoint`, a colon separates only where a
/// key and `=` follow it; a path in double quotes may have any colons.
pub(crate) struct Parts<'a> {
    pub text: &'a str,
    pub name: &'a str,
    /// Keys and values; a parameter without `=` has no value.
    parameters: Vec<(&'a str, Option<&'a str>)>,
}

impl<'a> Parts<'a> {
    pub fn of(text: &'a str) -> Self {
        let (name, mut rest) = cut_path(text);
        let mut parameters = Vec::new();
        while let Some(more) = rest {
            let is_path = more.starts_with("checkpoint=");
            let (parameter, after) = match more.split_once(':').filter(|_| !is_path) {
                Some((parameter, after)) => (parameter, Some(after)),
                None => (more, None),
            };
            rest = after;
            parameters.push(match parameter.split_once('=') {
                Some((key, path)) if is_path => {
                    let value;
                    (value, rest) = cut_path(path);
                    (key, Some(value))
                }
                Some((key, value)) => (key, Some(value)),
                None => (parameter, None),
            });
        }
        Self { text, name, parameters }
    }

    pub fn checkpoint(&self) -> Option<&'a str> {
        self.parameters.iter().find(|(key, _)| *key == CHECKPOINT.key).and_then(|(_, value)| *value)
    }
}

/// A path at the beginning of a text, without quotes, and the text after its colon.
fn cut_path(text: &str) -> (&str, Option<&str>) {
    if let Some((quoted, rest)) = text.strip_prefix('"').and_then(|text| text.split_once('"')) {
        match rest.strip_prefix(':') {
            Some(rest) => return (quoted, Some(rest)),
            None if rest.is_empty() => return (quoted, None),
            None => {}
        }
    }
    let begins_parameter = |rest: &str| {
        let word = rest.trim_start_matches(|letter: char| letter.is_ascii_lowercase() || letter == '_');
        word.len() < rest.len() && word.starts_with('=')
    };
    let colon = text.match_indices(':').find(|(place, _)| begins_parameter(&text[place + 1..]));
    colon.map_or((text, None), |(place, _)| (&text[..place], Some(&text[place + 1..])))
}

impl<G: Game> Entry<G> {
    pub(super) fn has(&self) -> String {
        match self.parameters {
            [] => format!("'{}' has no parameter but {}", self.name, LABEL.key),
            parameters => {
                let keys = parameters.iter().chain([&LABEL]).map(|parameter| parameter.key);
                format!("its parameters are {}", list(keys))
            }
        }
    }
}

impl<'a, G: Game> Options<'a, G> {
    /// Reads the parameters of a player's [parts](Parts); refuses unknown and repeated ones, and bad
    /// labels. `agent` is the one that the text begins with.
    pub(super) fn read(
        parts: &Parts<'a>,
        entry: &'a Entry<G>,
        agent: Option<Agent>,
        setting: &'a Setting<'a>,
    ) -> Result<Self> {
        let text = parts.text;
        let mut options = Options { text, asked: text, entry, given: vec![], agent, setting };
        for (key, value) in &parts.parameters {
            let Some(value) = value else {
                return Err(Error::user(format!("'{key}' in '{text}' must be key=value: {}", entry.has())));
            };
            let known = *key == LABEL.key || entry.parameters.iter().any(|parameter| parameter.key == *key);
            if !known {
                let quote = if options.has_agent() { "; a path with colons stands in double quotes" } else { "" };
                return Err(Error::user(format!("'{}' has no parameter '{key}': {}{quote}", entry.name, entry.has())));
            }
            if options.given(key).is_some() {
                return Err(Error::user(format!("'{key}' is given twice in '{text}': once is enough")));
            }
            if *key == LABEL.key {
                if value.is_empty() || value.chars().any(char::is_control) {
                    return Err(Error::user(format!("'{text}': label must be a short name, such as label=mine")));
                }
                options.text = value;
            }
            options.given.push((key, value));
        }
        Ok(options)
    }

    /// The player of a policy, named by [`text`](Self::text).
    pub fn player<P: Policy<G> + 'static>(&self, policy: P) -> Result<BoxedPlayer<G>> {
        Ok(Box::new(PolicyPlayer::new(self.text, policy)))
    }

    pub(super) fn name(&self) -> &str {
        self.entry.name
    }

    /// Value of a key as the text gives it; `None` where the text does not.
    pub fn given(&self, key: &str) -> Option<&str> {
        self.given.iter().find(|(given, _)| *given == key).map(|(_, value)| *value)
    }

    /// Value in the text, else the default, else empty.
    pub fn value(&self, key: &str) -> &str {
        let default = || self.entry.parameters.iter().find(|parameter| parameter.key == key)?.default;
        self.given(key).or_else(default).unwrap_or_default()
    }

    /// Number in a range; `kind` describes the number in errors.
    pub fn number<T: FromStr + PartialOrd + Display>(
        &self,
        key: &str,
        kind: &str,
        range: RangeInclusive<T>,
    ) -> Result<T> {
        let of_setting = self.setting.simulations.filter(|_| key == "sims" && self.given(key).is_none());
        let text = of_setting.map_or_else(|| self.value(key).to_owned(), |simulations| simulations.to_string());
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| self.wrong(key, &format!("{kind} from {} to {}", range.start(), range.end())))
    }

    /// [`number`](Self::number) if the text gives one.
    pub fn optional<T: FromStr + PartialOrd + Display>(
        &self,
        key: &str,
        kind: &str,
        range: RangeInclusive<T>,
    ) -> Result<Option<T>> {
        self.given(key).map(|_| self.number(key, kind, range)).transpose()
    }

    /// The error of a key whose value is wrong.
    pub fn wrong(&self, key: &str, must_be: &str) -> Error {
        Error::user(format!("{key}={} in '{}': {key} must be {must_be}", self.value(key), self.asked))
    }

    /// The agent that the text names, that of the setting, or one that ships; two are refused.
    pub(super) fn agent(&self, shipped: impl FnOnce() -> Result<&'static Shipped>) -> Result<Agent> {
        let path = self.given(CHECKPOINT.key);
        match (path, &self.agent, self.setting.agent) {
            (None, Some(agent), None) | (None, None, Some(agent)) => Ok(agent.clone()),
            (None, None, None) => Agent::shipped(shipped()?),
            (Some(path), None, None) => self.setting.agents.load(Path::new(path)),
            _ => Err(Error::user(format!("'{}' names an agent, but there is one already", self.asked))),
        }
    }

    /// Whether the text names an agent.
    pub(super) fn has_agent(&self) -> bool {
        self.agent.is_some() || self.given(CHECKPOINT.key).is_some()
    }

    /// Whether the text or the setting names an agent.
    pub(super) fn has_any_agent(&self) -> bool {
        self.has_agent() || self.setting.agent.is_some()
    }

    /// Name of a player in results: where the text names no agent, that of its agent stands for the
    /// word network, value or linear.
    pub(super) fn named_by(&self, agent: &Agent) -> String {
        let named = self.has_agent() || self.setting.agent.is_some() || self.text != self.asked;
        match self.text.strip_prefix(agent.file.kind.name()) {
            Some(rest) if !named => format!("{}{rest}", agent.label()),
            _ => self.text.to_owned(),
        }
    }
}

impl<G: Image + Measured> Options<'_, G> {
    /// Player of the [agent](Self::agent)'s network, [named](Self::named_by), in the precision of the
    /// text or of its training.
    pub(super) fn network_player(
        &self,
        batch: usize,
        shipped: impl FnOnce() -> Result<&'static Shipped>,
    ) -> Result<NetworkPlayer<G>> {
        let agent = self.agent(shipped)?;
        let precision = self
            .given(PRECISION.key)
            .map(|precision| Precision::from_str(precision).map_err(|_| self.wrong(PRECISION.key, "f32 or bf16")));
        Ok(agent.network_player(batch, precision.transpose()?, self.setting.backend)?.named(self.named_by(&agent)))
    }
}

impl Default for Setting<'_> {
    fn default() -> Self {
        Self { backend: &Processor, agent: None, agents: Agents::default(), simulations: None }
    }
}

pub(crate) fn budget<G: Game>(options: &Options<G>) -> Result<Budget> {
    match (options.given("sims"), options.given("ms")) {
        (Some(_), Some(_)) => {
            Err(Error::user(format!("'{}' has both sims and ms: a search has one budget", options.asked)))
        }
        (None, None) if options.setting.simulations.is_some() || options.value("ms").is_empty() => simulations(options),
        (Some(_), None) => simulations(options),
        (None, _) => {
            let milliseconds = options.number("ms", "a whole number of milliseconds", 1..=3_600_000)?;
            if !clock::IS_THERE {
                return Err(Error::user(format!("'{}': there is no clock here: sims=N is a budget", options.asked)));
            }
            Ok(Budget::Time(Duration::from_millis(milliseconds)))
        }
    }
}

fn simulations<G: Game>(options: &Options<G>) -> Result<Budget> {
    Ok(Budget::Simulations(options.number("sims", "a whole number", 1..=10_000_000)?))
}

pub(super) fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}
