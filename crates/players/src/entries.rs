use crate::agent_file::Kind;
use crate::error::{Error, Result};
use crate::options::{
    BoxedPlayer, CHECKPOINT, DEFAULT_MS, Entry, GUIDE, LABEL, MS, Options, Parameter, SIMS, Setting, list,
};
use crate::roster::{Playable, Roster, first_agent, own_entries};
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

/// The player of a text, `name:key=value:key=value`, with networks on the processor.
///
/// All text after `checkpoint=` is the path.
pub fn parse<G: Playable>(text: &str, rules: &G::Rules) -> Result<BoxedPlayer<G>> {
    parse_with(text, rules, &Setting::default())
}

/// The player of a text, with a backend for networks and an agent for texts without a checkpoint;
/// an agent beside a checkpoint is refused.
pub fn parse_with<G: Playable>(text: &str, rules: &G::Rules, setting: &Setting) -> Result<BoxedPlayer<G>> {
    G::player(text, rules, setting)
}

/// The player of a text for a game outside of the list; see [`parse_with`].
pub fn build<G: Roster>(text: &str, rules: &G::Rules, setting: &Setting) -> Result<BoxedPlayer<G>> {
    let (name, parameters) = text.split_once(':').map_or((text, None), |(name, rest)| (name, Some(rest)));
    let players = players::<G>();
    let Some(entry) = players.iter().find(|entry| entry.name == name) else {
        let names = list(players.iter().map(|entry| entry.name));
        return Err(Error::user(format!("there is no player '{name}' of {}: the players are {names}", G::NAME)));
    };
    let options = Options::read(text, parameters, entry, setting)?;
    (entry.build)(&options, rules)
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
