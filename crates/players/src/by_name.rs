//! Players and agents by name or path, among those of all games.

use std::path::{Component, Path, PathBuf};

use crate::agent_file::{AgentFile, Kind};
use crate::agents::{Agent, Agents, BEST, LAST, Shipped};
use crate::contract::BoxedPlayer;
use crate::learned::Linear;
use crate::network::{Backend, Precision};
use crate::registry::{self, Playable};
use crate::texts::{Parts, Roster, SEARCHES, Setting, preset_names};
use matchq_core::error::{Error, Result};
use matchq_core::files;

/// Folder in which runs are known by their names.
const RUNS: &str = "runs";

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

/// Name or path of the agent in a text, if there is one: its checkpoint, or what it begins with.
pub fn agent_in(text: &str) -> Option<&Path> {
    let parts = Parts::of(text);
    let is_agent = !registry::is_player(parts.name);
    let name = parts.name.strip_suffix(SEARCHES).filter(|_| !Path::new(parts.name).exists()).unwrap_or(parts.name);
    parts.checkpoint().or(Some(name).filter(|_| is_agent)).map(Path::new)
}

impl Default for Agents {
    /// Agents that ship, and those of files, folders and runs.
    fn default() -> Self {
        Self::by(find, missing)
    }
}

impl Agents {
    /// Agents that ship and those [given](Self::give); no name or path leads to a file.
    pub fn closed() -> Self {
        Self::by(find_inside, missing)
    }
}

impl Agent {
    /// The agent of a file, a folder's best agent, the agent of this name that ships, or the best
    /// agent of the run of this name in `runs/`.
    pub fn load(path: &Path) -> Result<Self> {
        find(path)?.ok_or_else(|| missing(path))
    }

    /// The agent's player, named as the agent in results.
    ///
    /// A network values at most `batch` boards at once, in the given precision or that of its
    /// training; agents without a network refuse a precision.
    pub fn player<G: Playable>(
        &self,
        rules: &G::Rules,
        batch: usize,
        precision: Option<Precision>,
        backend: &dyn Backend,
    ) -> Result<BoxedPlayer<G>> {
        G::player_of(self, rules, batch, precision, backend)
    }
}

impl Linear {
    /// The preset of this name, or an agent's file or folder.
    pub fn named<G: Roster>(name: &str) -> Result<Self> {
        if let Some(preset) = G::PRESETS.iter().find(|preset| preset.name == name) {
            return Self::of::<G>(preset);
        }
        if !Path::new(name).exists() && registry::shipped(name).is_none() {
            return Err(Error::user(format!(
                "there are no weights \"{name}\": give a file or folder that there is{}",
                preset_names::<G>(", or one of the names ")
            )));
        }
        Agent::load(Path::new(name))?.linear::<G>()
    }
}

/// Reads the agent of a name or path; `None` where there is nothing of this name.
fn find(path: &Path) -> Result<Option<Agent>> {
    match place(path)? {
        Some(Place::Inside(shipped)) => Agent::shipped(shipped).map(Some),
        Some(Place::File(path_of_file)) => {
            let name = files::name(&path_of_file);
            let file = AgentFile::load(&path_of_file)?;
            let label = text_of(&files::name(path), file.kind);
            Ok(Some(Agent::of(file, name, label)))
        }
        None => Ok(None),
    }
}

/// Reads the agent of a name that ships.
fn find_inside(name: &Path) -> Result<Option<Agent>> {
    inside(name).map(Agent::shipped).transpose()
}

/// Where an agent is.
enum Place {
    File(PathBuf),
    Inside(&'static Shipped),
}

/// Text of the player of the agent of a name or path.
fn text_of(path: &str, kind: Kind) -> String {
    let is_plain = Parts::of(path).name == path && !path.ends_with(SEARCHES) && !registry::is_player(path);
    if is_plain { path.to_owned() } else { format!("{}:checkpoint=\"{path}\"", kind.name()) }
}

/// Where the agent of a path or name is; `None` where there is nothing.
///
/// Files and folders that hold an agent come first, then agents that ship, then runs.
fn place(path: &Path) -> Result<Option<Place>> {
    if cfg!(target_family = "wasm") {
        return Ok(inside(path).map(Place::Inside));
    }
    let best = path.join(BEST);
    // What cannot be seen is not missing: reading says why.
    let is_there = path != Path::new("") && !matches!(path.try_exists(), Ok(false));
    if best.is_file() {
        return Ok(Some(Place::File(best)));
    }
    if is_there && !path.is_dir() {
        return Ok(Some(Place::File(path.to_owned())));
    }
    if let Some(shipped) = inside(path) {
        return Ok(Some(Place::Inside(shipped)));
    }
    match run_of(path) {
        Some(run) if run.join(BEST).is_file() => Ok(Some(Place::File(run.join(BEST)))),
        Some(run) => Err(without_agent(&run)),
        None if is_there => Err(without_agent(path)),
        None => Ok(None),
    }
}

/// The agent of this name that ships.
fn inside(name: &Path) -> Option<&'static Shipped> {
    name.to_str().and_then(registry::shipped)
}

/// Folder in `runs/` of a plain name, if there is one.
pub fn run_of(name: &Path) -> Option<PathBuf> {
    let mut parts = name.components();
    match (parts.next(), parts.next()) {
        (Some(Component::Normal(_)), None) => Some(Path::new(RUNS).join(name)).filter(|run| run.is_dir()),
        _ => None,
    }
}

/// The error of a folder without a best agent.
fn without_agent(folder: &Path) -> Error {
    let (folder, last) = (folder.display(), folder.join(LAST));
    Error::user(match last.is_file() {
        true => format!(
            "{folder} holds no {BEST} yet, as its training has not been evaluated: {} is its agent as it is",
            last.display()
        ),
        false => format!("{folder} holds no {BEST}: name an agent's file or a folder that holds one"),
    })
}

fn missing(path: &Path) -> Error {
    let agent = path.to_str().and_then(|text| text.split_once(':')).map(|(name, _)| name);
    if let Some(agent) = agent.filter(|name| registry::shipped(name).is_some()) {
        return Error::user(format!(
            "{} is a player with parameters, where an agent is asked for: name {agent} alone",
            path.display()
        ));
    }
    Error::user(format!(
        "{} is not there: name an agent's file, a folder that holds one, a run in {RUNS}/, or an agent that ships: {}",
        path.display(),
        registry::agents().map(|agent| agent.name).collect::<Vec<_>>().join(", ")
    ))
}
