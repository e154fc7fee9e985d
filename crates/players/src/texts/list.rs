use std::path::Path;

use super::entries::{self, NETWORK_SEARCH, WEIGHTS};
use super::game::{Preset, Roster, Weights, first_agent};
use super::options::{CHECKPOINT, DEFAULT_MS, Entry, GUIDE, LABEL, Options, Parameter, Parts, Setting, list};
use crate::agent_file::Kind;
use crate::contract::BoxedPlayer;
use crate::error::{Error, Result};

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

pub(crate) fn lines<G: Roster>(player: Option<&str>) -> Result<String> {
    let all = players::<G>();
    match player {
        None => Ok(short::<G>(&all)),
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

fn short<G: Roster>(all: &[Entry<G>]) -> String {
    let mut named: Vec<(String, &str)> = Vec::new();
    named.extend(all.first().map(|best| (format!("{}:ms={DEFAULT_MS}", best.name), best.about)));
    named.extend(G::AGENTS.iter().map(|agent| (agent.name.to_owned(), agent.about)));
    let weights = |preset: &'static Preset| (format!("linear:weights={}", preset.name), preset.about);
    let of_agent = |preset: &&'static Preset| matches!(preset.weights, Weights::Agent(_));
    named.extend(G::PRESETS.iter().filter(|preset| !of_agent(preset)).map(weights));
    let searches = first_agent::<G>(Kind::Network).is_some();
    named.extend(searches.then_some((format!("NAME{SEARCHES}"), "search with the network NAME")));
    // Agents stand for the players of their kinds, and plans need moves that are seen to gain.
    let of_agents = |name| Kind::ALL.iter().any(|kind| kind.name() == name) || name == NETWORK_SEARCH;
    let plans = |name| ["plan", "setup", "exhaustive", "matching"].contains(&name);
    let own = all[1..].iter().filter(|entry| !of_agents(entry.name) && (G::PIECES.is_none() || !plans(entry.name)));
    let own: Vec<(String, &str)> = own.map(|entry| (entry.name.to_owned(), entry.about)).collect();
    let width = named.iter().chain(&own).map(|(name, _)| name.len()).max().unwrap_or(0);
    let lines = |players: &[(String, &str)]| -> String {
        players.iter().map(|(name, about)| format!("  {name:width$}  {about}\n")).collect()
    };
    format!(
        "{}: {}\n\nready to play\n{}\nby rules and simulations\n{}\nYour own agents play by their runs' names or paths. A player's \
         parameters: matchq players --game {} --player NAME\n",
        G::NAME,
        G::ABOUT,
        lines(&named),
        lines(&own),
        G::NAME
    )
}

fn details<G: Roster>(entry: &Entry<G>) -> String {
    let mut lines = format!("{}: {}\n", entry.name, entry.about);
    let has_use = |parameter: &&Parameter| parameter.key != WEIGHTS || !G::PRESETS.is_empty();
    for Parameter { key, default, about } in entry.parameters.iter().filter(has_use).chain([&LABEL]) {
        let more = match *key {
            key if key == GUIDE.key => format!(": {}", list(entries::guides::<G>().into_iter())),
            key if key != CHECKPOINT.key => String::new(),
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

fn is_inside<G: Roster>(player: &str) -> bool {
    let kind = match player {
        "value" => Kind::Value,
        "linear" => Kind::Linear,
        _ => Kind::Network,
    };
    first_agent::<G>(kind).is_some()
}
