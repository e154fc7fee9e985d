//! Players by their text, `name:key=value:key=value`, and the list of all there are.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use super::{
    Agent, Budget, Cascade, Expected, Greedy, Matching, NetworkPlayer, NetworkSearch, Plan, PlanThenCascade, Player,
    Policy, Random, Ranked, Rollout, Search,
};
use crate::error::{Error, Result};
use crate::games::match3::{MOVES, Rules};
use crate::games::{ActionMask, Game, MaskKind, Match3};
use crate::network::{self, device, device::Device};

/// Any player of match-3, which may be handed from thread to thread.
pub type BoxedPlayer = Box<dyn Agent<Match3> + Send>;

/// A player that can be asked for.
pub struct Entry {
    /// The name.
    pub name: &'static str,
    /// What it plays, in one line.
    pub about: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    build: fn(&Options, &Rules) -> Result<BoxedPlayer>,
}

/// A parameter of a player.
pub struct Parameter {
    /// The key.
    pub key: &'static str,
    /// The value where none is given; `None` where the parameter has no effect then.
    pub default: Option<&'static str>,
    /// What it means, in a few words.
    pub about: &'static str,
}

/// The parameters given with a player, and the defaults of the others.
pub struct Options<'a> {
    text: &'a str,
    entry: &'static Entry,
    given: Vec<(&'a str, &'a str)>,
    /// The policy to play by, and its device, where none is to be loaded.
    policy: Option<(&'a network::Model, &'a Device)>,
}

const WEIGHT: &str = "what a point is worth a move later, from 0 to 1";
const SIMS: &str = "simulations a move";
const MS: &str = "milliseconds a move, in place of sims";
const DEPTH: &str = "moves of the guide in a simulation";
const BREADTH: &str =
    "first moves after which a plan looks further: those with the most certain points and their equals; 0: all";
const PLANS: Parameter = Parameter {
    key: "plans",
    default: None,
    about: "moves of a simulation that the guide plans, those after them it plays as cascade does; without it all",
};

const GUIDE: &str = "cascade or plan (of two moves, the second at half weight)";
const SETUPS: Parameter = Parameter {
    key: "setups",
    default: Some("0"),
    about: "1: set-up moves are tried too, those that match nothing and prepare more than any move gains",
};

/// The last parameter where it is given: what follows is its path, which may hold any character.
const CHECKPOINT: Parameter = Parameter {
    key: "checkpoint",
    default: None,
    about: "file or folder, the last parameter: the rest is its path; without it the agent that ships",
};

const OUTPUT: Parameter = Parameter {
    key: "output",
    default: Some("1"),
    about: "factor of the network's output, from 0 to 1; with 0 its prior (with next moves a longer one), or what it foresees, is left",
};

const NETWORK_SETUPS: Parameter = Parameter {
    key: SETUPS.key,
    default: None,
    about: "1: it is offered matching moves and set-ups, 0: matching moves; without it those of its training",
};

const NEXT_MOVES: Parameter = Parameter {
    key: "next_moves",
    default: None,
    about: "moves after each move on the board that it values too, 0 for none; without it as many as in its training",
};

const VALUED: Parameter = Parameter {
    key: "moves",
    default: Some("0"),
    about: "moves that it values, those with the highest prior and their equals; 0: all, as where nothing is told beforehand",
};

const TOLD: Parameter = Parameter {
    key: "told",
    default: Some("0"),
    about: "1: a network that foresees chains is told by the rules what they leave instead",
};

/// All players, the simplest first.
pub const PLAYERS: &[Entry] = &[
    Entry {
        name: "network",
        about: "the highest value that a trained network gives, without simulating anything",
        parameters: &[OUTPUT, VALUED, NEXT_MOVES, TOLD, NETWORK_SETUPS, CHECKPOINT],
        build: |options, _| {
            let player = network(options)?.named(options.text);
            Ok(Box::new(if options.flag(TOLD.key)? { player.told() } else { player }))
        },
    },
    Entry {
        name: "network+search",
        about: "the best by simulations that end in a network's values; the network chooses what is tried",
        parameters: &[
            Parameter { key: "sims", default: Some("1600"), about: SIMS },
            Parameter { key: "ms", default: None, about: MS },
            Parameter { key: "depth", default: Some("1"), about: DEPTH },
            Parameter { key: "guide", default: Some("cascade"), about: GUIDE },
            Parameter { key: "breadth", default: Some("0"), about: BREADTH },
            PLANS,
            Parameter { key: "candidates", default: Some("16"), about: "moves that are tried at the most" },
            Parameter { key: "weight", default: Some("1"), about: "factor of the network's values, from 0 to 10" },
            Parameter {
                key: "leaf_moves",
                default: Some("1"),
                about: "moves valued where a simulation ends, with a prior or foreseen chains; 0: all",
            },
            Parameter {
                key: "prior_visits",
                default: Some("0"),
                about: "simulations that the network's own value of a move counts for",
            },
            OUTPUT,
            VALUED,
            NEXT_MOVES,
            NETWORK_SETUPS,
            CHECKPOINT,
        ],
        build: network_search,
    },
    Entry {
        name: "random",
        about: "any of the 142 moves",
        parameters: &[],
        build: |options, _| options.player(Random),
    },
    Entry {
        name: "matching",
        about: "any move that matches",
        parameters: &[],
        build: |options, _| options.player(Matching),
    },
    Entry {
        name: "greedy",
        about: "the most points at once, whatever falls afterwards",
        parameters: &[],
        build: |options, _| options.player(Greedy),
    },
    Entry {
        name: "ranked",
        about: "the priorities of Bejeweled articles: match type, double match, certain points",
        parameters: &[],
        build: |options, _| options.player(Ranked),
    },
    Entry {
        name: "cascade",
        about: "the most points of the chain as far as the tokens on the board decide it",
        parameters: &[],
        build: |options, _| options.player(Cascade),
    },
    Entry {
        name: "plan",
        about: "the best certain chains over several moves",
        parameters: &[
            Parameter { key: "depth", default: Some("2"), about: "moves of a plan, at least 1" },
            Parameter { key: "weight", default: Some("0.5"), about: WEIGHT },
            Parameter { key: "breadth", default: Some("0"), about: BREADTH },
        ],
        build: |options, _| options.player(plan(options)?),
    },
    Entry {
        name: "expected",
        about: "the most points on average over simulated outcomes, with the best certain plan after them",
        parameters: &[
            Parameter { key: "samples", default: Some("10"), about: "outcomes of each move" },
            Parameter { key: "depth", default: Some("0"), about: "moves of the plan after it" },
            Parameter { key: "weight", default: Some("0.9"), about: WEIGHT },
        ],
        build: |options, rules| {
            options.player(Expected {
                rules: *rules,
                samples: options.number("samples", "a whole number", 1..=1_000_000)?,
                depth: options.number("depth", "a whole number", 0..=LONGEST_PLAN)?,
                weight: options.number("weight", "a number", 0.0..=1.0)?,
            })
        },
    },
    Entry {
        name: "rollout",
        about: "the best by simulations that a guide plays on, halving the moves that are tried",
        parameters: &[
            Parameter { key: "sims", default: Some("1600"), about: SIMS },
            Parameter { key: "ms", default: None, about: MS },
            Parameter { key: "depth", default: Some("2"), about: DEPTH },
            Parameter { key: "guide", default: Some("cascade"), about: GUIDE },
            Parameter { key: "breadth", default: Some("0"), about: BREADTH },
            PLANS,
            SETUPS,
        ],
        build: |options, rules| {
            options.player(Rollout {
                search: search(options, rules)?,
                guide: guide(options)?,
                setups: options.flag(SETUPS.key)?,
            })
        },
    },
];

/// No simulation is longer than a game.
const DEEPEST: u32 = MOVES.unsigned_abs();

/// A move more multiplies the time of a plan by the number of matching moves, a dozen: this one takes a second.
const LONGEST_PLAN: u32 = 6;

/// The player of a text, `name:key=value:key=value`, for games of these rules. All that follows `checkpoint=` is its path.
///
/// # Errors
/// An unknown player or parameter, a parameter given twice, a value that is out of range, and a checkpoint that cannot be
/// loaded.
pub fn parse(text: &str, rules: &Rules) -> Result<BoxedPlayer> {
    build(text, rules, None)
}

/// The same with a policy that is loaded already, on its device, in place of a checkpoint's; a player without a network
/// has no use for it.
///
/// # Errors
/// As of [`parse`], and a checkpoint in the text.
pub fn with_policy(text: &str, rules: &Rules, policy: &network::Model, device: &Device) -> Result<BoxedPlayer> {
    build(text, rules, Some((policy, device)))
}

fn build<'a>(text: &'a str, rules: &Rules, policy: Option<(&'a network::Model, &'a Device)>) -> Result<BoxedPlayer> {
    let (name, mut rest) = text.split_once(':').map_or((text, None), |(name, rest)| (name, Some(rest)));
    let Some(entry) = PLAYERS.iter().find(|entry| entry.name == name) else {
        let names = list(PLAYERS.iter().map(|entry| entry.name));
        return Err(Error::user(format!("there is no player '{name}': the players are {names}")));
    };
    let mut options = Options { text, entry, given: vec![], policy };
    while let Some(parts) = rest {
        let part;
        (part, rest) = match parts.split_once(':') {
            Some((part, rest)) if !part.starts_with("checkpoint=") => (part, Some(rest)),
            _ => (parts, None),
        };
        let Some((key, value)) = part.split_once('=') else {
            return Err(Error::user(format!("'{part}' in '{text}' must be key=value: {}", entry.has())));
        };
        if !entry.parameters.iter().any(|parameter| parameter.key == key) {
            return Err(Error::user(format!("'{name}' has no parameter '{key}': {}", entry.has())));
        }
        if options.given(key).is_some() {
            return Err(Error::user(format!("'{key}' is given twice in '{text}': once is enough")));
        }
        options.given.push((key, value));
    }
    (entry.build)(&options, rules)
}

/// The list of all players with their parameters, defaults and meanings, as lines of text.
pub fn listing() -> String {
    let mut lines = String::new();
    for entry in PLAYERS {
        lines += &format!("{:<18}{}\n", entry.name, entry.about);
        for Parameter { key, default, about } in entry.parameters {
            let default = default.map_or(String::new(), |default| format!("={default}"));
            lines += &format!("  :{:<15}{about}\n", format!("{key}{default}"));
        }
    }
    lines
}

impl Entry {
    /// A sentence on the parameters there are.
    fn has(&self) -> String {
        match self.parameters {
            [] => format!("'{}' has no parameters", self.name),
            parameters => format!("its parameters are {}", list(parameters.iter().map(|parameter| parameter.key))),
        }
    }
}

impl Options<'_> {
    /// The player of a policy, called as it was asked for.
    pub fn player<P: Policy<Match3> + 'static>(&self, policy: P) -> Result<BoxedPlayer> {
        Ok(Box::new(Player::new(self.text, policy)))
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

    /// The value of a parameter that is a number, of a kind told in words, in a range.
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

    /// The value of a parameter that is 1 for yes or 0 for no.
    ///
    /// # Errors
    /// Another value.
    pub fn flag(&self, key: &str) -> Result<bool> {
        Ok(self.number(key, "a whole number", 0..=1)? == 1)
    }

    /// The error of a parameter whose value is not what it must be.
    pub fn wrong(&self, key: &str, must_be: &str) -> Error {
        Error::user(format!("{key}={} in '{}': {key} must be {must_be}", self.value(key), self.text))
    }
}

fn network(options: &Options) -> Result<NetworkPlayer<Match3>> {
    let path = options.given(CHECKPOINT.key);
    let output = options.number(OUTPUT.key, "a number", 0.0..=1.0)?;
    let moves = options.number(VALUED.key, "a whole number", 0..=Match3::ACTIONS)?;
    let next_moves = match options.given(NEXT_MOVES.key) {
        None => None,
        Some(_) => Some(options.number(NEXT_MOVES.key, "a whole number", 0..=ActionMask::CAPACITY)?),
    };
    let setups = options.given(SETUPS.key).map(|_| options.flag(SETUPS.key)).transpose()?;
    let player = |policy: &network::Model, device: &Device| {
        let player = NetworkPlayer::of(policy, NETWORK_BATCH, device).with_output(output).with_moves(moves);
        let player = match setups {
            None => player,
            Some(true) => player.with_mask(MaskKind::Setups),
            Some(false) => player.with_mask(MaskKind::Matching),
        };
        match next_moves {
            None => Ok(player),
            Some(count) if count == 0 || policy.network.next_moves() > 0 => Ok(player.with_next_moves(count)),
            Some(_) => Err(options.wrong(NEXT_MOVES.key, "0 with a network that has been trained without next moves")),
        }
    };
    if let Some((policy, device)) = options.policy {
        return match path {
            None => player(policy, device),
            Some(_) => Err(Error::user(format!("'{}' names a checkpoint, but there is one already", options.text))),
        };
    }
    let (_, device) = device::select(None)?;
    let policy = network::Model::load::<Match3>(path.map(Path::new), &device).map_err(|error| {
        let swallowed = |Parameter { key, .. }: &Parameter| {
            *key != CHECKPOINT.key && path.is_some_and(|path| path.contains(&format!(":{key}=")))
        };
        match options.entry.parameters.iter().find(|parameter| swallowed(parameter)) {
            Some(Parameter { key, .. }) => Error::user(format!("{error}; {key} must come before checkpoint, the last")),
            None => error,
        }
    })?;
    player(&policy, &device)
}

fn network_search(options: &Options, rules: &Rules) -> Result<BoxedPlayer> {
    let search = search(options, rules)?;
    let prior_visits = options.number("prior_visits", "a number", 0.0..=1e6)?;
    let leaf_moves = options.number("leaf_moves", "a whole number", 0..=Match3::ACTIONS)?;
    Ok(Box::new(NetworkSearch {
        name: options.text.to_owned(),
        search: Search { prior_visits, ..search },
        guide: guide(options)?,
        candidates: options.number("candidates", "a whole number", 1..=Match3::ACTIONS)?,
        weight: options.number("weight", "a number", 0.0..=10.0)?,
        network: network(options)?.told().with_leaf_moves(leaf_moves),
    }))
}

fn search(options: &Options, rules: &Rules) -> Result<Search<Match3>> {
    let depth = options.number("depth", "a whole number", 0..=DEEPEST)?;
    Ok(Search { rules: *rules, budget: budget(options)?, depth, prior_visits: 0.0 })
}

fn guide(options: &Options) -> Result<Box<dyn Policy<Match3>>> {
    let breadth = options.number("breadth", "a whole number", 0..=Match3::ACTIONS)?;
    let plans = match options.given(PLANS.key) {
        None => DEEPEST,
        Some(_) => options.number(PLANS.key, "a whole number", 0..=DEEPEST)?,
    };
    match options.value("guide") {
        "cascade" if breadth != 0 => Err(options.wrong("breadth", "0 where guide is not plan")),
        "cascade" if options.given(PLANS.key).is_some() => {
            Err(options.wrong(PLANS.key, "left out where guide is not plan"))
        }
        "cascade" => Ok(Box::new(Cascade)),
        "plan" => Ok(Box::new(PlanThenCascade { plan: Plan { depth: 2, weight: 0.5, breadth }, plans })),
        _ => Err(options.wrong("guide", "cascade or plan")),
    }
}

/// Boards in one forward pass.
const NETWORK_BATCH: usize = 256;

fn plan(options: &Options) -> Result<Plan> {
    Ok(Plan {
        depth: options.number("depth", "a whole number", 1..=LONGEST_PLAN)?,
        weight: options.number("weight", "a number", 0.0..=1.0)?,
        breadth: options.number("breadth", "a whole number", 0..=Match3::ACTIONS)?,
    })
}

fn budget(options: &Options) -> Result<Budget> {
    match (options.given("sims"), options.given("ms")) {
        (Some(_), Some(_)) => {
            Err(Error::user(format!("'{}' has both sims and ms: a search has one budget", options.text)))
        }
        (None, Some(_)) => {
            let milliseconds = options.number("ms", "a whole number of milliseconds", 1..=3_600_000)?;
            Ok(Budget::Time(Duration::from_millis(milliseconds)))
        }
        _ => Ok(Budget::Simulations(options.number("sims", "a whole number", 1..=10_000_000)?)),
    }
}

fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}
