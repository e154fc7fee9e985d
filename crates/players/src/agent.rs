use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde::Deserialize as _;
use toml::Table;

use crate::agent_file::{AgentFile, Kind};
use crate::error::{Error, Result, in_words};
use crate::games::Game;
use crate::network::{Backend, Model, NetworkPlayer, Precision};
use crate::options::BoxedPlayer;
use crate::roster::{self, Playable, Roster};
use crate::{Linear, PolicyPlayer, ValueModel};

/// File of the agent that a folder stands for.
pub const BEST: &str = "best.safetensors";

/// File of a run's agent at its last checkpoint.
pub const LAST: &str = "last.safetensors";

/// An agent inside the program.
pub struct Shipped {
    pub name: &'static str,
    pub about: &'static str,
    pub kind: Kind,
    pub file: &'static [u8],
}

#[derive(Clone, Debug)]
pub struct Agent {
    pub file: AgentFile,
    name: String,
}

/// Agents that were read, by path: each file is read once.
#[derive(Clone, Debug, Default)]
pub struct Agents(Arc<Mutex<BTreeMap<PathBuf, Agent>>>);

impl Agents {
    /// The agent that [`Agent::load`] gives.
    pub fn load(&self, path: &Path) -> Result<Agent> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(agent) = known.get(path) {
            return Ok(agent.clone());
        }
        let agent = Agent::load(path)?;
        known.insert(path.to_owned(), agent.clone());
        Ok(agent)
    }
}

impl Agent {
    /// The agent of a file, a folder's best agent, or the agent of this name that ships.
    pub fn load(path: &Path) -> Result<Self> {
        if let Some(shipped) = path.to_str().and_then(roster::shipped).filter(|_| !path.exists()) {
            return Self::shipped(shipped);
        }
        let path = file_of(path)?;
        Ok(Self { file: AgentFile::load(&path)?, name: path.display().to_string() })
    }

    pub fn shipped(shipped: &Shipped) -> Result<Self> {
        let name = format!("the agent {}", shipped.name);
        let file = AgentFile::from_bytes(shipped.file).map_err(|what| Error::runtime(format!("{name} {what}")))?;
        Ok(Self { file, name })
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

    pub fn game(&self) -> &str {
        &self.file.game
    }

    /// The rules of the training.
    pub fn rules<G: Game>(&self) -> Result<Table> {
        if self.game() != G::NAME {
            return Err(Error::user(format!("{} plays {}, not {}", self.name, self.game(), G::NAME)));
        }
        let rules: std::result::Result<Table, toml::de::Error> = self.file.rules.parse();
        let known = rules.and_then(|rules| G::Rules::deserialize(rules.clone()).map(|_| rules));
        known.map_err(|error| {
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

    /// The agent's player, named after the kind in results.
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
            Kind::Value => Box::new(PolicyPlayer::new(kind.name(), self.value::<G>()?.player::<G>(rules, 1))),
            Kind::Linear => Box::new(PolicyPlayer::new(kind.name(), self.linear::<G>()?.player::<G>(1))),
            Kind::Network => Box::new(self.network_player(batch, precision, backend)?),
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
        "no agent of {0} is inside the program: name an agent's file or folder, as checkpoint=PATH or by --checkpoint \
         PATH, or take a player that needs none (matchq players --game {0})",
        G::NAME
    ))
}

fn file_of(path: &Path) -> Result<PathBuf> {
    if !path.is_dir() {
        // What cannot be seen is not missing: reading says why.
        if let Ok(false) = path.try_exists() {
            return Err(Error::user(format!(
                "{} is not there: name an agent's file, a folder that holds one, or one that ships: {}",
                path.display(),
                roster::agents().map(|agent| agent.name).collect::<Vec<_>>().join(", ")
            )));
        }
        return Ok(path.to_owned());
    }
    let file = path.join(BEST);
    if file.is_file() {
        return Ok(file);
    }
    Err(Error::user(match path.join(LAST).is_file() {
        true => format!(
            "{} holds no {BEST} yet, as its training has not been evaluated: {} is its agent as it is",
            path.display(),
            path.join(LAST).display()
        ),
        false => format!("{} holds no {BEST}: name an agent's file or a folder that holds one", path.display()),
    }))
}
