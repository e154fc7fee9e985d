use super::{ModelConfig, NetworkShape, Precision};
use crate::agent_file::{AgentFile, Arrays, Kind};
use matchq_core::error::{Error, Result};
use matchq_games::{Image, MaskKind};

/// A network with its game, rules and moves.
#[derive(Clone, Debug)]
pub struct Model {
    /// Configuration of the network.
    pub config: ModelConfig,
    /// Weights by their paths in the network: `stem.weight`, `body.0.bias`, ...
    pub weights: Arrays,
}

impl Model {
    /// Sets the precision in which the network multiplies on the CPU.
    #[must_use]
    pub fn with_precision(mut self, precision: Precision) -> Self {
        self.config.network.precision = precision;
        self
    }

    /// The network's sizes in a game.
    pub fn shape<G: Image>(&self) -> NetworkShape {
        NetworkShape::of::<G>(&self.config)
    }

    /// The agent's file.
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

    /// The model in a file; `name` is the file's name in errors. The [backend](super::Backend)
    /// checks the weights later.
    pub fn from_file<G: Image>(file: &AgentFile, name: &str) -> Result<Self> {
        file.check(G::NAME, Kind::Network, name)?;
        let config = ModelConfig::read(file, name)?;
        MaskKind::of::<G>(&config.mask).map_err(|error| Error::user(format!("{name}: {error}")))?;
        Ok(Self { config, weights: file.tensors.clone() })
    }
}
