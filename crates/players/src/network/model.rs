//! What is needed to play: the network, its game, rules and moves.

use std::path::{Path, PathBuf};

use burn::tensor::Device;
use serde::{Deserialize, Serialize};
use toml::Table;

use super::{Input, NetworkConfig, Precision, QNetwork, Shown, View};
use crate::error::{Error, OutOfRange, Result, in_words};
use crate::games::{Game, Image, MaskKind, Playable};
use crate::random::{Role, Stream};
use crate::store::AgentFile;

/// The agent that a folder is taken to mean.
pub const BEST: &str = "best.safetensors";

/// The agent of a run as it is at its last checkpoint.
pub const LAST: &str = "last.safetensors";

/// What a file calls the model of an agent that is one of these.
const KIND: &str = "q-network";

/// Whether the agent in a file or folder is a network.
///
/// # Errors
/// A file that cannot be read or holds no agent.
pub fn is_network(path: &Path) -> Result<bool> {
    Ok(AgentFile::load(&agent_file(path)?)?.model == KIND)
}

/// A model without its weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelConfig {
    /// The game's name; the file has it beside the rest.
    #[serde(skip)]
    pub game: String,
    /// The parameters of the rules that it was trained with.
    ///
    /// The file has them beside the rest.
    #[serde(skip)]
    pub rules: Table,
    /// The name of the mask of the moves that it is offered.
    ///
    /// Empty for the game's default.
    pub mask: String,
    /// Points that the network's values count in.
    ///
    /// One over the factor by which rewards were scaled in training.
    pub points: f64,
    /// The network's shape.
    pub network: NetworkConfig,
}

/// A network that plays a game.
#[derive(Clone, Debug)]
pub struct Model {
    /// What the network is and plays.
    pub config: ModelConfig,
    /// The network, on a device without gradients.
    pub network: QNetwork,
}

impl ModelConfig {
    /// What the network sees of a position.
    ///
    /// A mask that the game has not, which is refused where a configuration is read, is taken for its default.
    pub fn view<G: Image>(&self) -> View {
        let shown = match self.network.input {
            Input::Position => Shown::Position,
            Input::Afterstate => Shown::Done,
            Input::Plans => Shown::Plans,
        };
        let mask = MaskKind::of::<G>(&self.mask).unwrap_or(G::DEFAULT_MASK);
        View { shown, mask, scale: (1.0 / self.points) as f32 }
    }

    /// The configuration in a file; `name` is what errors call it.
    fn read(file: &AgentFile, name: &str) -> Result<Self> {
        let unknown = |entry: &str, error: toml::de::Error| {
            Error::user(format!(
                "{name}: this program does not know the agent's {entry}: {}",
                in_words(error.message())
            ))
        };
        let rules = file.rules.parse().map_err(|error| unknown("rules", error))?;
        let config: Self = toml::from_str(&file.config).map_err(|error| unknown("config", error))?;
        if let Err(OutOfRange { key, value, allowed }) = config.network.check() {
            return Err(Error::user(format!("{name}: {key} = {value}: it must be {allowed}")));
        }
        if !(config.points > 0.0 && config.points.is_finite()) {
            return Err(Error::user(format!("{name}: points = {}: it must be above 0", config.points)));
        }
        Ok(Self { game: file.game.clone(), rules, ..config })
    }
}

impl Model {
    /// The same with a network that multiplies in that precision.
    pub fn with_precision(mut self, precision: Precision) -> Self {
        self.config.network.precision = precision;
        self.network = self.network.with_precision(precision);
        self
    }

    /// The file of a network.
    pub fn to_file(config: &ModelConfig, network: &QNetwork) -> Result<AgentFile> {
        let unwritable =
            |error: toml::ser::Error| Error::runtime(format!("the agent cannot be written as TOML: {error}"));
        Ok(AgentFile {
            game: config.game.clone(),
            model: KIND.to_owned(),
            rules: toml::to_string(&config.rules).map_err(unwritable)?,
            config: toml::to_string(config).map_err(unwritable)?,
            tensors: network.arrays()?,
        })
    }

    /// The model in a file; `name` is what errors call it.
    ///
    /// # Errors
    /// When the file is of another kind of model, plays another game or has weights of another shape.
    pub fn from_file<G: Image>(file: &AgentFile, name: &str, device: &Device) -> Result<Self> {
        file.check(G::NAME, KIND, name)?;
        let config = ModelConfig::read(file, name)?;
        MaskKind::of::<G>(&config.mask).map_err(|error| Error::user(format!("{name}: {error}")))?;
        // The weights drawn here are replaced at once.
        let network = QNetwork::new::<G>(&config, &mut Stream::new(0, Role::Initialise, 0), device);
        let network = network.with_arrays(&file.tensors).map_err(|error| Error::user(format!("{name}: {error}")))?;
        Ok(Self { config, network })
    }

    /// The agent of a name that travels inside the program.
    ///
    /// Without a name the first of its game.
    ///
    /// # Errors
    /// A game without such an agent.
    pub fn shipped<G: Playable>(name: Option<&str>, device: &Device) -> Result<Self> {
        let agent = G::AGENTS.iter().find(|(known, _)| name.is_none_or(|name| name == *known));
        let Some((name, bytes)) = agent else {
            return Err(Error::user(format!(
                "no agent of {0} is inside the program: name one of its folder checkpoints/, as checkpoint=PATH or by \
                 --checkpoint PATH, or take a player that needs none (matchq players --game {0})",
                G::NAME
            )));
        };
        let file = AgentFile::from_bytes(bytes).map_err(|what| Error::runtime(format!("the agent {name} {what}")))?;
        Self::from_file::<G>(&file, &format!("the agent {name}"), device)
    }

    /// Loads the agent of a file or folder; without a path the shipped one.
    ///
    /// A folder stands for its `best.safetensors`.
    ///
    /// # Errors
    /// A file that is missing, damaged, foreign, newer than this program or of another game.
    pub fn load<G: Playable>(path: Option<&Path>, device: &Device) -> Result<Self> {
        let Some(path) = path else { return Self::shipped::<G>(None, device) };
        let path = agent_file(path)?;
        Self::from_file::<G>(&AgentFile::load(&path)?, &path.display().to_string(), device)
    }
}

/// The name of the game that the agent of a file or folder plays.
///
/// # Errors
/// As of [`Model::load`].
pub fn game_of(path: &Path) -> Result<String> {
    Ok(AgentFile::load(&agent_file(path)?)?.game)
}

/// The rules by which the agent of a file or folder was trained.
///
/// # Errors
/// As of [`Model::load`].
pub fn rules_of<G: Game>(path: &Path) -> Result<Table> {
    let path = agent_file(path)?;
    let file = AgentFile::load(&path)?;
    if file.game != G::NAME {
        return Err(Error::user(format!("{} plays {}, not {}", path.display(), file.game, G::NAME)));
    }
    let rules: std::result::Result<Table, toml::de::Error> = file.rules.parse();
    let known = rules.and_then(|rules| G::Rules::deserialize(rules.clone()).map(|_| rules));
    known.map_err(|error| {
        let (path, message) = (path.display(), in_words(error.message()));
        Error::user(format!("{path}: this program does not know the agent's rules: {message}"))
    })
}

/// The agent's file that a path means: itself, or a folder's best agent.
///
/// # Errors
/// A folder without one.
pub fn agent_file(path: &Path) -> Result<PathBuf> {
    if !path.is_dir() {
        return Ok(path.to_owned());
    }
    let file = path.join(BEST);
    if file.is_file() {
        return Ok(file);
    }
    let former = path.join("best.ckpt");
    Err(Error::user(match former.is_file() {
        true => format!(
            "{} holds a best.ckpt, which matchq 0.1 wrote; from 0.2 on an agent is a safetensors file: play this one with \
             matchq 0.1, or train one anew",
            path.display()
        ),
        false if path.join(LAST).is_file() => format!(
            "{0} holds no {BEST} yet, as its training has not been evaluated: {0}/{LAST} is its agent as it is",
            path.display()
        ),
        false => {
            format!("{} holds no {BEST}: name an agent's file or a folder that holds one", path.display())
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::Match3;
    use crate::network::device;
    use crate::store::Container;

    fn device() -> Device {
        device::select(None).unwrap().1
    }

    /// The file of a small network with fresh weights.
    fn example() -> AgentFile {
        let precision = Precision::Bf16;
        let network = NetworkConfig { channels: 4, layers: 2, precision, ..NetworkConfig::default() };
        let rules = Table::from_iter([("obstacle_kinds".to_owned(), 1.into())]);
        let config = ModelConfig { game: "match3".into(), rules, mask: "matching".into(), points: 4.0, network };
        let network = QNetwork::new::<Match3>(&config, &mut Stream::new(1, Role::Initialise, 0), &device());
        Model::to_file(&config, &network).unwrap()
    }

    #[test]
    fn a_model_that_was_written_is_read_again_with_its_rules_and_gives_the_same_file() {
        let file = example();
        let Model { config, network } = Model::from_file::<Match3>(&file, "it", &device()).unwrap();
        assert_eq!((config.game.as_str(), config.rules["obstacle_kinds"].as_integer()), ("match3", Some(1)));
        assert_eq!((config.points, config.network.channels, config.network.precision), (4.0, 4, Precision::Bf16));
        assert_eq!(Model::to_file(&config, &network).unwrap(), file);
    }

    #[test]
    fn a_file_that_does_not_fit_is_refused_by_name_with_what_does_not() {
        type Change = fn(&mut AgentFile);
        let cases: [(Change, &str); 9] = [
            (|file| file.game = "chess".into(), "it plays chess, not match3"),
            (|file| file.model = "linear".into(), "it is an agent of the player 'fitted', not of 'network'"),
            (|file| file.model = "tree".into(), "it holds a model 'tree', which this program does not know"),
            (|file| file.rules = "obstacle_kinds".into(), "it: this program does not know the agent's rules: "),
            (|file| file.config.insert_str(0, "waste = 1\n"), "it: this program does not know the agent's config: "),
            (|file| file.config = file.config.replace("points = 4.0", "points = 0.0"), "it: points = 0: it must be"),
            (|file| file.config = file.config.replace("layers = 2", "layers = 1"), "it: network.layers = 1: it must"),
            (|file| file.config = file.config.replace("layers = 2", "layers = 3"), "it: the weights do not fit"),
            (|file| drop(file.tensors.remove("stem.bias")), "it: the weights do not fit"),
        ];
        for (change, sentence) in cases {
            let mut file = example();
            change(&mut file);
            match Model::from_file::<Match3>(&file, "it", &device()).unwrap_err() {
                Error::User(text) => assert!(text.starts_with(sentence), "{text}"),
                error => panic!("{error}"),
            }
        }
    }

    #[test]
    fn a_folder_means_its_best_agent_and_what_is_none_is_refused_with_what_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let load = |name: &str| Model::load::<Match3>(Some(&folder.path().join(name)), &device());
        let refused = |name: &str, sentence: &str| {
            let text = load(name).unwrap_err().to_string();
            assert!(text.contains(sentence) && text.contains(&folder.path().display().to_string()), "{text}");
        };
        refused("", "holds no best.safetensors");
        Container::default().save(&folder.path().join("last.ckpt")).unwrap();
        refused("last.ckpt", "is the state of a run");
        std::fs::write(folder.path().join("best.ckpt"), b"matchq\x1a\n\x01\0\0\0 and so on").unwrap();
        refused("best.ckpt", "was written by matchq 0.1");
        refused("", "holds a best.ckpt, which matchq 0.1 wrote");
        std::fs::remove_file(folder.path().join("best.ckpt")).unwrap();
        example().save(&folder.path().join(LAST)).unwrap();
        refused("", "holds no best.safetensors yet");
        example().save(&folder.path().join(BEST)).unwrap();
        assert_eq!(load("").unwrap().network.arrays(), load(BEST).unwrap().network.arrays());
    }
}
