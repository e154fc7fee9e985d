use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::agent_file::{AgentFile, Kind};
use crate::contract::{BoxedPlayer, Measured, PolicyPlayer};
use crate::learned::{Linear, ValueModel};
use crate::network::{Backend, Model, NetworkPlayer, Precision};
use matchq_core::error::{Error, Result, in_words};
use matchq_core::named;
use matchq_games::{ActionFeatures, Game, Image, StateFeatures};

/// File of the agent that a folder stands for.
pub const BEST: &str = "best.safetensors";

/// File of a run's agent at its last checkpoint.
pub const LAST: &str = "last.safetensors";

/// An agent inside the program.
pub struct Shipped {
    /// Name by which the agent is found.
    pub name: &'static str,
    /// The agent in one line.
    pub about: &'static str,
    /// Kind of the agent.
    pub kind: Kind,
    /// Bytes of the agent's [file](AgentFile).
    pub file: &'static [u8],
}

/// A trained player as a file.
#[derive(Clone, Debug)]
pub struct Agent {
    /// The file's content.
    pub file: Arc<AgentFile>,
    name: String,
    label: String,
    /// Whether the agent is inside the program.
    ships: bool,
}

/// Agents that were read, by path: each file is read once.
#[derive(Clone, Debug)]
pub struct Agents {
    known: Arc<Mutex<BTreeMap<PathBuf, Agent>>>,
    /// Reads the agent of a name or path; `None` where there is nothing of this name.
    read: fn(&Path) -> Result<Option<Agent>>,
    /// The error of a name or path where there is nothing.
    missing: fn(&Path) -> Error,
    /// How often a name has got another agent, or lost its own.
    changes: Arc<AtomicU64>,
}

impl Agents {
    /// Agents that `read` finds by a name or path; `missing` is the error where it finds none.
    pub(crate) fn by(read: fn(&Path) -> Result<Option<Agent>>, missing: fn(&Path) -> Error) -> Self {
        Self { known: Arc::default(), read, missing, changes: Arc::default() }
    }

    /// Takes an agent's file under a name; returns the agent.
    pub fn give(&self, name: &str, file: &[u8]) -> Result<Agent> {
        let file = AgentFile::from_bytes(file).map_err(|what| Error::user(format!("{name} {what}")))?;
        let agent = Agent::of(file, name.to_owned(), name.to_owned());
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
        let known = self.known();
        let given = known.iter().filter(|(_, agent)| !agent.ships);
        given.map(|(path, agent)| (path.display().to_string(), agent.clone())).collect()
    }

    fn known(&self) -> MutexGuard<'_, BTreeMap<PathBuf, Agent>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The agent that [`Agent::load`] gives.
    pub fn load(&self, path: &Path) -> Result<Agent> {
        self.find(path)?.ok_or_else(|| (self.missing)(path))
    }

    /// The agent that [`Agent::load`] gives; `None` where there is nothing of this name.
    pub fn find(&self, path: &Path) -> Result<Option<Agent>> {
        let mut known = self.known();
        if let Some(agent) = known.get(path) {
            return Ok(Some(agent.clone()));
        }
        let agent = (self.read)(path)?;
        if let Some(agent) = &agent {
            known.insert(path.to_owned(), agent.clone());
        }
        Ok(agent)
    }
}

impl Agent {
    /// The agent of a file, with its name in errors and in results.
    pub(crate) fn of(file: AgentFile, name: String, label: String) -> Self {
        Self { file: Arc::new(file), name, label, ships: false }
    }

    /// The agent that ships.
    pub fn shipped(shipped: &Shipped) -> Result<Self> {
        let name = format!("the agent {}", shipped.name);
        let file = AgentFile::from_bytes(shipped.file).map_err(|what| Error::runtime(format!("{name} {what}")))?;
        Ok(Self { ships: true, ..Self::of(file, name, shipped.name.to_owned()) })
    }

    /// Whether the agent is inside the program.
    pub fn ships(&self) -> bool {
        self.ships
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

    /// Name of the agent's game.
    pub fn game(&self) -> &str {
        &self.file.game
    }

    /// Refuses an agent of another game.
    pub(crate) fn check_game<G: Game>(&self) -> Result<()> {
        self.file.check_game(G::NAME, &self.name)
    }

    /// The rules of the training.
    pub fn rules<G: Game>(&self) -> Result<G::Rules> {
        self.check_game::<G>()?;
        // A game without parameters has rules of the type (), which no table is.
        if self.file.rules.trim().is_empty() {
            return Ok(G::Rules::default());
        }
        toml::from_str(&self.file.rules).map_err(|error: toml::de::Error| {
            let message = in_words(error.message());
            Error::user(format!("{}: this program does not know the agent's rules: {message}", self.name))
        })
    }

    /// The agent's network; refuses an agent of another game or kind.
    pub fn network<G: Image>(&self) -> Result<Model> {
        Model::from_file::<G>(&self.file, &self.name)
    }

    /// The agent's linear value of positions; refuses an agent of another game or kind.
    pub fn value<G: StateFeatures>(&self) -> Result<ValueModel> {
        ValueModel::from_file::<G>(&self.file, &self.name)
    }

    /// The agent's weighted features of actions; refuses an agent of another game or kind.
    pub fn linear<G: ActionFeatures>(&self) -> Result<Linear> {
        Linear::from_file::<G>(&self.file, &self.name)
    }

    pub(crate) fn build<G: Image + ActionFeatures + Measured>(
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

    pub(crate) fn network_player<G: Image + Measured>(
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
         none ({1} players --game {0})",
        G::NAME,
        named::name()
    ))
}
