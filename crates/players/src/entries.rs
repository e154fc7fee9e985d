use std::path::Path;

use crate::agent_file::Kind;
use crate::error::{Error, Result};
use crate::network::NETWORK_SEARCH;
use crate::options::{
    BoxedPlayer, CHECKPOINT, DEFAULT_MS, Entry, GUIDE, LABEL, MS, Options, Parameter, Parts, SIMS, Setting, list,
};
use crate::roster::{self, Playable, Roster, first_agent, own_entries};
use crate::{cascade, exhaustive, greedy, linear, network, plan, random_player, rollout, setup, value};

/// All players of a game, the recommended ones first.
pub fn players<G: Roster>() -> Vec<Entry<G>> {
    let mut players = vec![
        best(),
        network::entry(),
        network::search_entry(),
        random_player::entry(),
        random_player::matching(),
        greedy::entry(),
        cascade::entry(),
        plan::entry(),
        setup::entry(),
        exhaustive::entry(),
        rollout::entry(),
        value::entry(),
        linear::entry(),
    ];
    players.extend(G::players());
    players.extend(own_entries());
    players
}

fn best<G: Roster>() -> Entry<G> {
    Entry {
        name: "best",
        about: "what is recommended for a time a move: the game's own search, network+search where an agent ships, weighted \
                features that look a piece further, else rollout",
        parameters: &[
            Parameter { key: "ms", default: Some(DEFAULT_MS), about: MS },
            Parameter { key: "sims", default: None, about: SIMS },
        ],
        build: |options, rules| G::best(options, rules),
    }
}

/// The player of a text, with networks on the processor.
///
/// A text is a name, then parameters: `name:key=value:key=value`. The name is a player's, or that
/// of an agent, as [`Agent::load`](crate::Agent::load) finds it: then the agent's kind says which
/// player it is; `AGENT+search` searches with an agent's network. A path with colons may stand in
/// double quotes.
pub fn parse<G: Playable>(text: &str, rules: &G::Rules) -> Result<BoxedPlayer<G>> {
    parse_with(text, rules, &Setting::default())
}

/// The player of a text, with a backend for networks and an agent for texts that name none; a
/// second agent is refused.
pub fn parse_with<G: Playable>(text: &str, rules: &G::Rules, setting: &Setting) -> Result<BoxedPlayer<G>> {
    G::player(text, rules, setting)
}

/// The player of a text for a game outside of the list; see [`parse_with`].
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
pub(crate) const SEARCHES: &str = "+search";

/// Name or path of the agent in a text, if there is one: its checkpoint, or what it begins with.
pub fn agent_in(text: &str) -> Option<&Path> {
    let parts = Parts::of(text);
    let is_agent = !roster::is_player(parts.name);
    let name = parts.name.strip_suffix(SEARCHES).filter(|_| !Path::new(parts.name).exists()).unwrap_or(parts.name);
    parts.checkpoint().or(Some(name).filter(|_| is_agent)).map(Path::new)
}

/// The error of a text that begins with neither a player nor an agent.
fn unknown<G: Roster>(parts: &Parts, players: &[Entry<G>]) -> Error {
    let (name, rest) = parts.name.split_once(':').unwrap_or((parts.name, ""));
    let kind = roster::shipped(name).map_or(name, |shipped| shipped.kind.name());
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

/// A game's players and their parameters with defaults and meanings, as lines of text.
pub fn listing<G: Playable>() -> String {
    G::listing()
}

pub(crate) fn lines<G: Roster>() -> String {
    let mut lines = format!("{}: {}\n", G::NAME, G::ABOUT);
    for entry in players::<G>() {
        lines += &format!("{:<18}{}\n", entry.name, entry.about);
        let has_use = |parameter: &&Parameter| parameter.key != linear::WEIGHTS || !G::PRESETS.is_empty();
        for Parameter { key, default, about } in entry.parameters.iter().filter(has_use) {
            let more = match *key {
                key if key == GUIDE.key => format!(": {}", list(rollout::guides::<G>().into_iter())),
                key if key != CHECKPOINT.key => String::new(),
                _ if is_inside::<G>(entry.name) => "; without it an agent inside the program".to_owned(),
                _ => "; needed, as none is inside the program".to_owned(),
            };
            let default = default.map_or(String::new(), |default| format!("={default}"));
            lines += &format!("  :{:<15}{about}{more}\n", format!("{key}{default}"));
            for known in G::PRESETS.iter().filter(|_| *key == linear::WEIGHTS) {
                lines += &format!("    {:<14}{}\n", known.name, known.about);
            }
        }
    }
    lines += &format!("every player\n  :{:<15}{}\n", LABEL.key, LABEL.about);
    lines += "agents that ship, each by its name, as NAME+search in a search; yours by its run's name or its path, which stands \
              in double quotes if it has colons\n";
    for agent in G::AGENTS {
        lines += &format!("{:<18}{}\n", agent.name, agent.about);
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
