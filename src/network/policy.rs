//! What is needed to play: the network, the game it was trained for and the moves it is offered.

use std::path::{Path, PathBuf};

use burn::tensor::Device;
use serde::{Deserialize, Serialize};

use super::{NetworkConfig, OutOfRange, QNetwork, View};
use crate::container::Container;
use crate::error::{Error, Result};
use crate::games::{Game, MaskKind};
use crate::random::{Role, Stream};

/// The checkpoint that a folder is taken to mean.
pub const BEST: &str = "best.ckpt";

const DESCRIPTION: &str = "policy";
const WEIGHTS: &str = "weights";

/// The trained agent that travels inside the program.
static SHIPPED: &[u8] = include_bytes!("../../checkpoints/dqn/best.ckpt");

/// A policy without its weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PolicyConfig {
    /// The game's name.
    pub game: String,
    /// The moves that are offered to the network.
    pub mask: MaskKind,
    /// Points that the network's values count in: one over the factor by which rewards were scaled in training.
    pub points: f64,
    /// The network's shape.
    pub network: NetworkConfig,
}

/// A network that plays a game.
#[derive(Clone, Debug)]
pub struct Policy {
    /// What the network is and plays.
    pub config: PolicyConfig,
    /// The network, on a device without gradients.
    pub network: QNetwork,
}

impl PolicyConfig {
    /// What the network sees of a position.
    pub fn view(&self) -> View {
        let NetworkConfig { prior, afterstates, .. } = self.network;
        View { prior, afterstates, mask: self.mask, scale: (1.0 / self.points) as f32 }
    }
}

impl Policy {
    /// Writes the policy's sections into a container.
    ///
    /// # Errors
    /// When the weights cannot be read from the device.
    pub fn write(config: &PolicyConfig, network: &QNetwork, container: &mut Container) -> Result<()> {
        let text = toml::to_string(config)
            .map_err(|error| Error::runtime(format!("the policy cannot be written: {error}")))?;
        container.insert(DESCRIPTION, text.into_bytes());
        container.insert(WEIGHTS, network.to_bytes()?);
        Ok(())
    }

    /// Reads the policy from a container; `name` is what errors call it.
    ///
    /// # Errors
    /// When sections are missing, or the policy plays another game or has weights of another shape.
    pub fn read<G: Game>(container: &Container, name: &str, device: &Device) -> Result<Self> {
        let section = |section: &str| {
            container.get(section).ok_or_else(|| {
                Error::user(format!("{name} holds no section '{section}': it is no checkpoint of an agent"))
            })
        };
        let config: PolicyConfig = std::str::from_utf8(section(DESCRIPTION)?)
            .map_err(|error| error.to_string())
            .and_then(|text| toml::from_str(text).map_err(|error| error.message().to_owned()))
            .map_err(|error| {
                Error::user(format!("{name} describes its agent in a way that this program does not know: {error}"))
            })?;
        if config.game != G::NAME {
            return Err(Error::user(format!("{name} plays {}, not {}", config.game, G::NAME)));
        }
        if let Err(OutOfRange { key, value, allowed }) = config.network.check() {
            return Err(Error::user(format!("{name}: network.{key} = {value}: it must be {allowed}")));
        }
        if !(config.points > 0.0 && config.points.is_finite()) {
            return Err(Error::user(format!("{name}: points = {}: it must be above 0", config.points)));
        }
        // The weights drawn here are replaced at once.
        let network = QNetwork::new::<G>(&config, &mut Stream::new(0, Role::Initialise, 0), device);
        let network = network.with_bytes(section(WEIGHTS)?).map_err(|error| Error::user(format!("{name}: {error}")))?;
        Ok(Self { config, network })
    }

    /// Loads a policy from a checkpoint file, or from a folder's `best.ckpt`; without a path the shipped one.
    ///
    /// # Errors
    /// A file that is missing, damaged, foreign, newer than this program or of another game.
    pub fn load<G: Game>(path: Option<&Path>, device: &Device) -> Result<Self> {
        let Some(path) = path else {
            let container = Container::from_bytes(SHIPPED)
                .map_err(|what| Error::runtime(format!("the shipped checkpoint {what}")))?;
            return Self::read::<G>(&container, "the shipped checkpoint", device);
        };
        let file = checkpoint_file(path)?;
        Self::read::<G>(&Container::load(&file)?, &file.display().to_string(), device)
    }
}

fn checkpoint_file(path: &Path) -> Result<PathBuf> {
    if !path.is_dir() {
        return Ok(path.to_owned());
    }
    let file = path.join(BEST);
    if file.is_file() {
        return Ok(file);
    }
    Err(Error::user(format!("{} holds no {BEST}: name a checkpoint file or a folder that holds one", path.display())))
}
