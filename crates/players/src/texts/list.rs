//! All players of a game, a player's text read, and the list of players for people.

use std::path::Path;

use super::entries::{self, NETWORK_SEARCH, WEIGHTS};
use super::game::{Roster, Weights, first_agent};
use super::lines;
use super::options::{CHECKPOINT, DEFAULT_MS, Entry, GUIDE, LABEL, Options, Parameter, Parts, Setting, list};
use crate::agent_file::Kind;
use crate::contract::BoxedPlayer;
use matchq_core::error::{Error, Result};
use matchq_core::named;

/// All players of a game, the recommended ones first.
pub fn players<G: Roster>() -> Vec<Entry<G>> {
    let mut players = vec![
        entries::best(),
        entries::network(),
        entries::network_search(),
        entries::random(),
        entries::matching(),
        entries::greedy(),
        entries::cascade(),
        entries::plan(),
        entries::setup(),
        entries::exhaustive(),
        entries::rollout(),
        entries::value(),
        entries::linear(),
    ];
    if G::PUZZLE.is_some() {
        players.extend(G::BY_TILES.map(|_| lines::anneal()));
        players.extend([lines::beam(), lines::nrpa(), lines::nested()]);
    }
    players.extend(G::players());
    players.extend(entries::own_entries());
    players
}

/// The player of a text; see [`parse_with`](crate::parse_with).
pub fn build<G: Roster>(text: &str, rules: &G::Rules, setting: &Setting) -> Result<BoxedPlayer<G>> {
    let (players, parts) = (players::<G>(), Parts::of(text));
    let named = |name: &str| players.iter().find(|entry| entry.name == name);
    if let Some(entry) = named(parts.name) {
        return (entry.build)(&Options::read(&parts, entry, None, setting)?, rules);
    }
    let is_path = |name: &str| name.contains(['/', '\\']) || name.ends_with(".safetensors");
    let find = |name: &str| setting.agents.find(Path::new(name));
    let (agent, searches) = match (find(parts.name)?, parts.name.strip_suffix(SEARCHES)) {
        (Some(agent), _) => (agent, false),
        (None, Some(name)) if is_path(name) => (setting.agents.load(Path::new(name))?, true),
        (None, Some(name)) => (find(name)?.ok_or_else(|| unknown::<G>(&parts, &players))?, true),
        (None, None) if is_path(parts.name) => (setting.agents.load(Path::new(parts.name))?, false),
        (None, None) => return Err(unknown::<G>(&parts, &players)),
    };
    agent.check_game::<G>()?;
    let player = match (agent.file.kind, searches) {
        (kind, false) => kind.name(),
        (Kind::Network, true) => NETWORK_SEARCH,
        (kind, true) => {
            let kind = kind.name();
            return Err(Error::user(format!("'{text}': the agent's kind is {kind}, but only a network searches")));
        }
    };
    let entry = named(player).ok_or_else(|| unknown::<G>(&parts, &players))?;
    (entry.build)(&Options::read(&parts, entry, Some(agent), setting)?, rules)
}

/// End of a text's name that lets the agent's network search.
pub const SEARCHES: &str = "+search";

/// The error of a text that begins with neither a player nor an agent.
fn unknown<G: Roster>(parts: &Parts, players: &[Entry<G>]) -> Error {
    let (name, rest) = parts.name.split_once(':').unwrap_or((parts.name, ""));
    let shipped = G::AGENTS.iter().find(|shipped| shipped.name == name);
    let kind = shipped.map_or(name, |shipped| shipped.kind.name());
    if let Some(entry) = players.iter().find(|entry| entry.name == kind) {
        return Error::user(format!("'{rest}' in '{}' must be key=value: {}", parts.text, entry.has()));
    }
    let names = list(players.iter().map(|entry| entry.name));
    let agents = match list(G::AGENTS.iter().map(|agent| agent.name)) {
        agents if agents.is_empty() => String::new(),
        agents => format!("; agents that ship are {agents}"),
    };
    Error::user(format!(
        "there is no player or agent '{}' of {}: the players are {names}{agents}; an agent may also be a run in runs/, \
         or a path",
        parts.name,
        G::NAME
    ))
}

/// A game's players, one line each: the best one, agents that ship and weights with a name first.
/// With a player's name: its parameters, with their defaults.
///
/// A name that no player of the game has is an error.
pub fn listing<G: Roster>(player: Option<&str>) -> Result<String> {
    let all = players::<G>();
    match player {
        None => Ok(short::<G>()),
        Some(text) => {
            let parts = Parts::of(text);
            // An agent has the parameters of its kind's player.
            let agent = G::AGENTS.iter().find(|agent| agent.name == parts.name);
            let name = agent.map_or(parts.name, |agent| agent.kind.name());
            let entry = all.iter().find(|entry| entry.name == name);
            entry.map(details).ok_or_else(|| unknown::<G>(&parts, &all))
        }
    }
}

/// A player that people choose from, in the command's list and on a page.
pub struct Choice {
    /// Name of the player, of the agent, or of the weights.
    pub name: &'static str,
    /// The player in one line.
    pub about: &'static str,
    /// What the name stands for.
    pub sort: Sort,
    /// Whether the player simulates, so that a budget makes a difference.
    pub simulates: bool,
    /// Whether a page offers the player, too: one that is too slow for a browser is left out.
    pub on_page: bool,
}

/// What the name of a [`Choice`] stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sort {
    /// The player `best`.
    Best,
    /// An agent that ships.
    Agent,
    /// Weights of the player `linear` that are no agent.
    Weights,
    /// A player by rules or simulations.
    ByRules,
}

impl Choice {
    /// The player's text, as [`parse`](crate::parse) reads it.
    pub fn text(&self) -> String {
        match self.sort {
            Sort::Weights => format!("linear:weights={}", self.name),
            _ => self.name.to_owned(),
        }
    }
}

/// All players of a game that people choose from: the best one, agents that ship, named weights,
/// players by rules.
///
/// Agents stand for the players of their kinds. Players that plan need moves that are seen to gain.
pub fn choices<G: Roster>() -> Vec<Choice> {
    let ready = |name, about, sort| Choice { name, about, sort, simulates: false, on_page: true };
    let by_entry = |entry: &Entry<G>, sort| Choice {
        simulates: entry.parameters.iter().any(|parameter| parameter.key == "sims")
            && (sort != Sort::Best || G::PIECES.is_none()),
        on_page: entry.name != "exhaustive",
        ..ready(entry.name, entry.about, sort)
    };
    let all = players::<G>();
    let mut choices: Vec<Choice> = all.first().map(|best| by_entry(best, Sort::Best)).into_iter().collect();
    choices.extend(G::AGENTS.iter().map(|agent| ready(agent.name, agent.about, Sort::Agent)));
    let weights = G::PRESETS.iter().filter(|preset| !matches!(preset.weights, Weights::Agent(_)));
    choices.extend(weights.map(|preset| ready(preset.name, preset.about, Sort::Weights)));
    let of_agents = |name| Kind::ALL.iter().any(|kind| kind.name() == name) || name == NETWORK_SEARCH;
    let plans = |name| ["plan", "setup", "exhaustive", "matching"].contains(&name);
    let by_rules =
        all.iter().skip(1).filter(|entry| !of_agents(entry.name) && (G::PIECES.is_none() || !plans(entry.name)));
    choices.extend(by_rules.map(|entry| by_entry(entry, Sort::ByRules)));
    choices
}

/// The players in lines, those that are ready to play first.
fn short<G: Roster>() -> String {
    let (by_rules, ready): (Vec<Choice>, Vec<Choice>) =
        choices::<G>().into_iter().partition(|choice| choice.sort == Sort::ByRules);
    let line = |choice: &Choice| match choice.sort {
        Sort::Best => (format!("{}:ms={DEFAULT_MS}", choice.name), choice.about),
        _ => (choice.text(), choice.about),
    };
    let mut named: Vec<(String, &str)> = ready.iter().map(line).collect();
    let searches = first_agent::<G>(Kind::Network).is_some();
    named.extend(searches.then_some((format!("NAME{SEARCHES}"), "search with the network NAME")));
    let own: Vec<(String, &str)> = by_rules.iter().map(line).collect();
    let width = named.iter().chain(&own).map(|(name, _)| name.len()).max().unwrap_or(0);
    let lines = |players: &[(String, &str)]| -> String {
        players.iter().map(|(name, about)| format!("  {name:width$}  {about}\n")).collect()
    };
    format!(
        "{}: {}\n\nready to play\n{}\nby rules and simulations\n{}\nYour own agents play by their runs' names or paths. A player's \
         parameters: {} players --game {} --player NAME\n",
        G::NAME,
        G::ABOUT,
        lines(&named),
        lines(&own),
        named::name(),
        G::NAME
    )
}

/// A player and its parameters in lines.
fn details<G: Roster>(entry: &Entry<G>) -> String {
    let mut lines = format!("{}: {}\n", entry.name, entry.about);
    let has_use = |parameter: &&Parameter| parameter.key != WEIGHTS || !G::PRESETS.is_empty();
    for Parameter { key, default, about } in entry.parameters.iter().filter(has_use).chain([&LABEL]) {
        let more = match *key {
            key if key == GUIDE.key => format!(": {}", list(entries::guides::<G>().into_iter())),
            // An agent with a text of its own says all there.
            key if key != CHECKPOINT.key || *about != CHECKPOINT.about => String::new(),
            _ if is_inside::<G>(entry.name) => "; without it an agent inside the program".to_owned(),
            _ => "; needed, as none is inside the program".to_owned(),
        };
        let default = default.map_or(String::new(), |default| format!("={default}"));
        lines += &format!("  :{:<15} {about}{more}\n", format!("{key}{default}"));
        for known in G::PRESETS.iter().filter(|_| *key == WEIGHTS) {
            lines += &format!("    {:<15} {}\n", known.name, known.about);
        }
    }
    lines
}

/// Whether an agent of a player's kind ships.
fn is_inside<G: Roster>(player: &str) -> bool {
    let kind = Kind::ALL.into_iter().find(|kind| kind.name() == player).unwrap_or(Kind::Network);
    first_agent::<G>(kind).is_some()
}
