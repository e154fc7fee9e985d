//! What is needed to play: the network, its game, rules and moves.

use super::{ModelConfig, NetworkShape, Precision};
use crate::agent_file::{AgentFile, Arrays, Kind};
use crate::error::{Error, Result};
use crate::games::{Image, MaskKind};

/// A network that plays a game.
#[derive(Clone, Debug)]
pub struct Model {
    /// What the network is and plays.
    pub config: ModelConfig,
    /// Its weights, by their paths in the network: `stem.weight`, `body.0.bias`, ...
    pub weights: Arrays,
}

impl Model {
    /// The same with a network that multiplies in that precision.
    #[must_use]
    pub fn with_precision(mut self, precision: Precision) -> Self {
        self.config.network.precision = precision;
        self
    }

    /// The shape of its network.
    pub fn shape<G: Image>(&self) -> NetworkShape {
        NetworkShape::of::<G>(&self.config)
    }

    /// The file of the agent.
    pub fn to_file(&self) -> Result<AgentFile> {
        let unwritable =
            |error: toml::ser::Error| Error::runtime(format!("the agent cannot be written as TOML: {error}"));
        Ok(AgentFile {
            game: self.config.game.clone(),
            kind: Kind::Network,
            rules: toml::to_string(&self.config.rules).map_err(unwritable)?,
            config: toml::to_string(&self.config).map_err(unwritable)?,
            tensors: self.weights.clone(),
        })
    }

    /// The model in a file; `name` is what errors call it.
    ///
    /// Whether the weights fit is told by the [backend](super::Backend) that makes a network of them.
    ///
    /// # Errors
    /// When the file is of another kind of agent or plays another game.
    pub fn from_file<G: Image>(file: &AgentFile, name: &str) -> Result<Self> {
        file.check(G::NAME, Kind::Network, name)?;
        let config = ModelConfig::read(file, name)?;
        MaskKind::of::<G>(&config.mask).map_err(|error| Error::user(format!("{name}: {error}")))?;
        Ok(Self { config, weights: file.tensors.clone() })
    }
}
