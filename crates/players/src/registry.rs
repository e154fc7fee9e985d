//! Players by their text, `name:key=value:key=value`.
//!
//! The list of all there are has one line a player.

use std::path::Path;

use super::options::{BoxedPlayer, CHECKPOINT, Entry, GUIDE, LABEL, Options, Parameter, list};
use super::{Controlled, FittedModel, NetworkPlayer, PolicyAgent};
use super::{
    cascade, controller, exhaustive, fitted, greedy, network, network_search, plan, random, ranked, rollout, setup,
    specialist,
};
use crate::error::{Error, Result};
use crate::games::Playable;
use crate::network::{Model, Precision, agent_file, device::Device};
use crate::store::AgentFile;

/// All players, what is recommended first.
pub fn players<G: Playable>() -> Vec<Entry<G>> {
    let mut players = vec![
        network_search::best(),
        network::entry(),
        network_search::entry(),
        random::entry(),
        random::matching(),
        greedy::entry(),
        cascade::entry(),
        plan::entry(),
        setup::entry(),
        exhaustive::entry(),
        rollout::entry(),
        fitted::entry(),
        controller::entry(),
    ];
    players.extend(ranked::entry());
    players.extend(specialist::entries());
    players
}

/// The player of a text, `name:key=value:key=value`, for games of these rules.
///
/// All that follows `checkpoint=` is its path.
///
/// # Errors
/// An unknown player or parameter, a parameter given twice, a value that is out of range, and a checkpoint that cannot be
/// loaded.
pub fn parse<G: Playable>(text: &str, rules: &G::Rules) -> Result<BoxedPlayer<G>> {
    build(text, rules, None)
}

/// The same with a model that is loaded already, in place of a checkpoint's.
///
/// The model is on that device. A player without a network has no use for it.
///
/// # Errors
/// As of [`parse`], and a checkpoint in the text.
pub fn with_model<G: Playable>(text: &str, rules: &G::Rules, model: &Model, device: &Device) -> Result<BoxedPlayer<G>> {
    build(text, rules, Some((model, device)))
}

fn build<'a, G: Playable>(
    text: &'a str,
    rules: &G::Rules,
    model: Option<(&'a Model, &'a Device)>,
) -> Result<BoxedPlayer<G>> {
    let (name, parameters) = text.split_once(':').map_or((text, None), |(name, rest)| (name, Some(rest)));
    let players = players::<G>();
    let Some(entry) = players.iter().find(|entry| entry.name == name) else {
        let names = list(players.iter().map(|entry| entry.name));
        return Err(Error::user(format!("there is no player '{name}' of {}: the players are {names}", G::NAME)));
    };
    let options = Options::read(text, parameters, entry, model)?;
    (entry.build)(&options, rules)
}

/// The player of the agent in a file or folder.
///
/// Without a path it is that of the agent that ships. A network is on that device and values so many boards at once, in
/// a precision or in that of its training.
///
/// # Errors
/// A file that is missing, damaged, foreign or newer than this program, and an agent of another game.
pub fn load<G: Playable>(
    path: Option<&Path>,
    rules: &G::Rules,
    batch: usize,
    precision: Option<Precision>,
    device: &Device,
) -> Result<BoxedPlayer<G>> {
    let needs_network = |agent: &str| match precision {
        Some(precision) => Err(Error::user(format!("--precision {precision}: {agent} has no network: leave it out"))),
        None => Ok(()),
    };
    if let Some(path) = path {
        let path = agent_file(path)?;
        let file = AgentFile::load(&path)?;
        if file.model == fitted::KIND || file.model == controller::KIND {
            needs_network(&path.display().to_string())?;
        }
        if file.model == fitted::KIND {
            let model = FittedModel::from_file::<G>(&file, &path.display().to_string())?;
            return Ok(Box::new(PolicyAgent::new("fitted", model.player::<G>(rules, 1))));
        }
        if file.model == controller::KIND {
            let controlled = Controlled::from_file::<G>(&file, &path.display().to_string())?;
            return Ok(Box::new(PolicyAgent::new("linear", controlled.player::<G>(1))));
        }
    }
    if let (None, true, Some(known)) = (path, G::AGENTS.is_empty(), G::CONTROLLERS.first()) {
        needs_network(&format!("the controller {}", known.name))?;
        return Ok(Box::new(PolicyAgent::new("linear", Controlled::of::<G>(known)?.player::<G>(1))));
    }
    let model = Model::load::<G>(path, device)?;
    let model = match precision {
        Some(precision) => model.with_precision(precision),
        None => model,
    };
    Ok(Box::new(NetworkPlayer::of(&model, batch, device)))
}

/// The list of a game's players and their parameters, as lines of text.
///
/// Each parameter has its default and its meaning.
pub fn listing<G: Playable>() -> String {
    let mut lines = String::new();
    for entry in players::<G>() {
        lines += &format!("{:<18}{}\n", entry.name, entry.about);
        let has_use = |parameter: &&Parameter| parameter.key != controller::WEIGHTS || !G::CONTROLLERS.is_empty();
        for Parameter { key, default, about } in entry.parameters.iter().filter(has_use) {
            let more = match *key {
                key if key == GUIDE.key => format!(": {}", list(rollout::guides::<G>().into_iter())),
                key if key != CHECKPOINT.key => String::new(),
                _ if is_inside::<G>(entry.name) => "; without it an agent inside the program".to_owned(),
                _ => "; needed, as none is inside the program".to_owned(),
            };
            let default = default.map_or(String::new(), |default| format!("={default}"));
            lines += &format!("  :{:<15}{about}{more}\n", format!("{key}{default}"));
            for known in G::CONTROLLERS.iter().filter(|_| *key == controller::WEIGHTS) {
                lines += &format!("    {:<14}{}\n", known.name, known.about);
            }
        }
    }
    lines += &format!("every player\n  :{:<15}{}\n", LABEL.key, LABEL.about);
    lines
}

/// Whether the program has an agent inside for a player that needs one.
fn is_inside<G: Playable>(player: &str) -> bool {
    match player {
        "fitted" => G::FITTED.is_some(),
        "linear" => !G::CONTROLLERS.is_empty(),
        _ => !G::AGENTS.is_empty(),
    }
}
