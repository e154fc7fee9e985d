use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::agent_file::{AgentFile, Kind};
use crate::entries::SEARCHES;
use crate::error::{Error, Result, in_words};
use crate::games::Game;
use crate::network::{Backend, Model, NetworkPlayer, Precision};
use crate::options::{BoxedPlayer, Parts};
use crate::registry;
use crate::roster::Roster;
use crate::{Linear, PolicyPlayer, ValueModel};

/// File of the agent that a folder stands for.
pub const BEST: &str = "best.safetensors";

/// File of a run's agent at its last checkpoint.
pub const LAST: &str = "last.safetensors";

/// Folder in which runs are known by their names.
const RUNS: &str = "runs";

/// An agent inside the program.
pub struct Shipped {
    pub name: &'static str,
    pub about: &'static str,
    pub kind: Kind,
    pub file: &'static [u8],
}

#[derive(Clone, Debug)]
pub struct Agent {
    pub file: Arc<AgentFile>,
    name: String,
    label: String,
}

/// Where an agent is.
enum Place {
    File(PathBuf),
    Inside(&'static Shipped),
}

/// Agents that were read, by path: each file is read once.
#[derive(Clone, Debug, Default)]
pub struct Agents {
    known: Arc<Mutex<BTreeMap<PathBuf, Agent>>>,
    /// Whether names stand for agents that ship and for those [given](Self::give) alone.
    closed: bool,
    /// How often a name has got another agent, or lost its own.
    changes: Arc<AtomicU64>,
}

impl Agents {
    /// Agents that ship and those [given](Self::give); no name or path leads to a file.
    pub fn closed() -> Self {
        Self { closed: true, ..Self::default() }
    }

    /// Takes an agent's file under a name; returns the agent.
    pub fn give(&self, name: &str, file: &[u8]) -> Result<Agent> {
        let file = AgentFile::from_bytes(file).map_err(|what| Error::user(format!("{name} {what}")))?;
        let agent = Agent { file: Arc::new(file), name: name.to_owned(), label: name.to_owned() };
        self.known().insert(name.into(), agent.clone());
        self.changes.fetch_add(1, Ordering::Relaxed);
        Ok(agent)
    }

    /// Forgets the agent of a name.
    pub fn forget(&self, name: &str) {
        self.known().remove(Path::new(name));
        self.changes.fetch_add(1, Ordering::Relaxed);
    }

    /// How often agents were [given](Self::give) or [forgotten](Self::forget): players that were made
    /// before may be of other agents.
    pub fn changes(&self) -> u64 {
        self.changes.load(Ordering::Relaxed)
    }

    /// Agents that were [given](Self::give) or read, by name or path.
    pub fn given(&self) -> Vec<(String, Agent)> {
        let inside = |path: &PathBuf| inside(path).is_some();
        let known = self.known();
        let given = known.iter().filter(|(path, _)| !inside(path));
        given.map(|(path, agent)| (path.display().to_string(), agent.clone())).collect()
    }

    fn known(&self) -> MutexGuard<'_, BTreeMap<PathBuf, Agent>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The agent that [`Agent::load`] gives.
    pub fn load(&self, path: &Path) -> Result<Agent> {
        self.find(path)?.ok_or_else(|| missing(path))
    }

    /// The agent that [`Agent::load`] gives; `None` where there is nothing of this name.
    pub fn find(&self, path: &Path) -> Result<Option<Agent>> {
        let mut known = self.known();
        if let Some(agent) = known.get(path) {
            return Ok(Some(agent.clone()));
        }
        let agent = match self.closed {
            true => inside(path).map(Agent::shipped).transpose()?,
            false => Agent::find(path)?,
        };
        if let Some(agent) = &agent {
            known.insert(path.to_owned(), agent.clone());
        }
        Ok(agent)
    }
}

impl Agent {
    /// The agent of a file, a folder's best agent, the agent of this name that ships, or the best
    /// agent of the run of this name in `runs/`.
    pub fn load(path: &Path) -> Result<Self> {
        Self::find(path)?.ok_or_else(|| missing(path))
    }

    fn find(path: &Path) -> Result<Option<Self>> {
        match place(path)? {
            Some(Place::Inside(shipped)) => Self::shipped(shipped).map(Some),
            Some(Place::File(path_of_file)) => {
                let name = path_of_file.display().to_string();
                let file = AgentFile::load(&path_of_file)?;
                let label = text_of(&path.display().to_string(), file.kind);
                Ok(Some(Self { file: Arc::new(file), name, label }))
            }
            None => Ok(None),
        }
    }

    pub fn shipped(shipped: &Shipped) -> Result<Self> {
        let name = format!("the agent {}", shipped.name);
        let file = AgentFile::from_bytes(shipped.file).map_err(|what| Error::runtime(format!("{name} {what}")))?;
        Ok(Self { file: Arc::new(file), name, label: shipped.name.to_owned() })
    }

    /// A game's first agent that ships.
    pub fn default_of<G: Roster>() -> Result<Self> {
        match G::AGENTS.first() {
            Some(shipped) => Self::shipped(shipped),
            None => Err(none_inside::<G>()),
        }
    }

    /// Name in errors.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Name in results: the text of the agent's player, the name or path by which it was loaded
    /// where no player has this name.
    pub fn label(&self) -> &str {
        &self.label
    }

    pub fn game(&self) -> &str {
        &self.file.game
    }

    /// Refuses an agent of another game.
    pub(crate) fn check_game<G: Game>(&self) -> Result<()> {
        match self.game() == G::NAME {
            true => Ok(()),
            false => Err(Error::user(format!("{} plays {}, not {}", self.name, self.game(), G::NAME))),
        }
    }

    /// The rules of the training.
    pub fn rules<G: Game>(&self) -> Result<G::Rules> {
        self.check_game::<G>()?;
        toml::from_str(&self.file.rules).map_err(|error| {
            let message = in_words(error.message());
            Error::user(format!("{}: this program does not know the agent's rules: {message}", self.name))
        })
    }

    pub fn network<G: Roster>(&self) -> Result<Model> {
        Model::from_file::<G>(&self.file, &self.name)
    }

    pub fn value<G: Roster>(&self) -> Result<ValueModel> {
        ValueModel::from_file::<G>(&self.file, &self.name)
    }

    pub fn linear<G: Roster>(&self) -> Result<Linear> {
        Linear::from_file::<G>(&self.file, &self.name)
    }

    /// The agent's player, named as the agent in results.
    ///
    /// A network values at most `batch` boards at once, in the given precision or that of its
    /// training; agents without a network refuse a precision.
    pub fn player<G: Roster>(
        &self,
        rules: &G::Rules,
        batch: usize,
        precision: Option<Precision>,
        backend: &dyn Backend,
    ) -> Result<BoxedPlayer<G>> {
        G::player_of(self, rules, batch, precision, backend)
    }

    pub(crate) fn build<G: Roster>(
        &self,
        rules: &G::Rules,
        batch: usize,
        precision: Option<Precision>,
        backend: &dyn Backend,
    ) -> Result<BoxedPlayer<G>> {
        let kind = self.file.kind;
        if let (Some(precision), Kind::Value | Kind::Linear) = (precision, kind) {
            return Err(Error::user(format!("--precision {precision}: {} has no network: leave it out", self.name)));
        }
        Ok(match kind {
            Kind::Value => Box::new(PolicyPlayer::new(&self.label, self.value::<G>()?.player::<G>(rules, 1))),
            Kind::Linear => Box::new(PolicyPlayer::new(&self.label, self.linear::<G>()?.player::<G>(1))),
            Kind::Network => Box::new(self.network_player(batch, precision, backend)?.named(&self.label)),
        })
    }

    pub(crate) fn network_player<G: Roster>(
        &self,
        batch: usize,
        precision: Option<Precision>,
        backend: &dyn Backend,
    ) -> Result<NetworkPlayer<G>> {
        let mut model = self.network::<G>()?;
        if let Some(precision) = precision {
            model = model.with_precision(precision);
        }
        NetworkPlayer::of(&model, batch, backend).map_err(|error| error.of(&self.name))
    }
}

pub fn none_inside<G: Game>() -> Error {
    Error::user(format!(
        "no agent of {0} is inside the program: name one by its run's name or its path, or take a player that needs \
         none (matchq players --game {0})",
        G::NAME
    ))
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
    Error::user(format!(
        "{} is not there: name an agent's file, a folder that holds one, a run in {RUNS}/, or an agent that ships: {}",
        path.display(),
        registry::agents().map(|agent| agent.name).collect::<Vec<_>>().join(", ")
    ))
}
