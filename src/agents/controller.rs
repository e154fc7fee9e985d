//! The player by a linear controller: weighed features of actions.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::options::{CHECKPOINT, Options};
use super::{ActionValue, Entry, Parameter, Policy};
use crate::error::{Error, Result};
use crate::games::{Controller, Features, MaskKind, Playable};
use crate::network::agent_file;
use crate::random::Stream;
use crate::store::AgentFile;
use crate::store::agent_file::Array;

/// What a file calls the model of an agent that is one of these.
pub const KIND: &str = "controller";

/// The tensor of the weights in a file, in the order of the features in its config.
const WEIGHTS: &str = "weights";

/// The value of an action after which the game is lost.
const LOST: f64 = -1e9;

/// A linear controller: features of actions by their places, and weights.
#[derive(Clone, PartialEq, Debug)]
pub struct Controlled {
    terms: Vec<(usize, f64)>,
}

/// A model without its weights, as a file has it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ModelConfig {
    features: Vec<String>,
}

impl Controlled {
    /// The controller of these features and weights.
    pub fn new(terms: Vec<(usize, f64)>) -> Self {
        Self { terms }
    }

    /// The controller that has a name.
    ///
    /// # Errors
    /// A feature that the game does not have.
    pub fn of<G: Features>(known: &Controller) -> Result<Self> {
        let names: Vec<String> = known.terms.iter().map(|(name, _)| (*name).to_owned()).collect();
        let weights = known.terms.iter().map(|(_, weight)| *weight);
        Ok(Self { terms: numbers::<G>(&names, known.name)?.into_iter().zip(weights).collect() })
    }

    /// The features by their places, and their weights.
    pub fn terms(&self) -> &[(usize, f64)] {
        &self.terms
    }

    /// The file of the agent; its weights have single precision there.
    pub fn to_file<G: Features>(&self, rules: &G::Rules) -> Result<AgentFile> {
        let unwritable =
            |error: toml::ser::Error| Error::runtime(format!("the agent cannot be written as TOML: {error}"));
        let names = G::action_names();
        let features = self.terms.iter().map(|(feature, _)| names[*feature].to_owned()).collect();
        let values: Vec<f32> = self.terms.iter().map(|(_, weight)| *weight as f32).collect();
        Ok(AgentFile {
            game: G::NAME.to_owned(),
            model: KIND.to_owned(),
            rules: toml::to_string(&toml::Table::try_from(rules).unwrap_or_default()).map_err(unwritable)?,
            config: toml::to_string(&ModelConfig { features }).map_err(unwritable)?,
            tensors: [(WEIGHTS.to_owned(), Array { shape: vec![values.len()], values })].into(),
        })
    }

    /// The controller in a file; `name` is what errors call it.
    ///
    /// # Errors
    /// When the file is of another kind of model, plays another game or has features that there are not.
    pub fn from_file<G: Features>(file: &AgentFile, name: &str) -> Result<Self> {
        let wrong = |what: String| Error::user(format!("{name} {what}"));
        if file.game != G::NAME {
            return Err(wrong(format!("plays {}, not {}", file.game, G::NAME)));
        }
        if file.model != KIND {
            return Err(wrong(format!("holds a model '{}', not a {KIND}", file.model)));
        }
        let config: ModelConfig = toml::from_str(&file.config)
            .map_err(|error| wrong(format!("has a config that this program does not know: {}", error.message())))?;
        let features = numbers::<G>(&config.features, name)?;
        let weights = file.tensors.get(WEIGHTS).filter(|array| array.shape == [features.len()]);
        let weights = weights.filter(|array| array.values.iter().all(|weight| weight.is_finite()));
        let weights = weights.ok_or_else(|| wrong(format!("has no {} weights", features.len())))?;
        Ok(Self { terms: features.into_iter().zip(weights.values.iter().map(|weight| f64::from(*weight))).collect() })
    }

    /// The player of the controller that looks so many pieces ahead, the one to be placed included.
    pub fn player<G: Features>(&self, depth: u32) -> impl Policy<G> + use<G> {
        ControlledPlayer { terms: self.terms.clone(), depth }
    }
}

/// The places of features by their names.
fn numbers<G: Features>(names: &[String], of: &str) -> Result<Vec<usize>> {
    let known = G::action_names();
    let number = |name: &String| {
        known.iter().position(|known| known == name).ok_or_else(|| {
            Error::user(format!("{of} weighs a feature \"{name}\", but those of {} are {}", G::NAME, known.join(", ")))
        })
    };
    names.iter().map(number).collect()
}

/// Plays the first of the actions with the highest value.
struct ControlledPlayer {
    terms: Vec<(usize, f64)>,
    depth: u32,
}

impl ControlledPlayer {
    /// The mean over what may be drawn next of the best value that can follow an action.
    fn later<G: Features>(&self, state: &G::State, action: usize) -> f64 {
        let after = G::after(state, action);
        let best = |next: &G::State| {
            let mut best = LOST;
            if G::is_whole(next) {
                G::weigh(next, &self.terms, |_, value| best = best.max(value));
            }
            best
        };
        let (mut sum, mut count) = (0.0, 0.0);
        G::each_next(&after.state, |next| {
            sum += best(next);
            count += 1.0;
        });
        if count == 0.0 { LOST } else { sum / count }
    }
}

impl<G: Features> Policy<G> for ControlledPlayer {
    fn values(&self, state: &G::State, _: &mut Stream) -> Vec<ActionValue> {
        let mut values = Vec::new();
        G::weigh(state, &self.terms, |action, value| {
            let value = if self.depth == 1 { value } else { self.later::<G>(state, action) };
            values.push(ActionValue { action, value: value.max(LOST) });
        });
        if values.is_empty() {
            let legal = G::mask(state, MaskKind::LEGAL);
            values.extend(legal.iter().map(|action| ActionValue { action, value: LOST }));
        }
        // The first of equal ones is the best by as little as makes it so.
        for (index, valued) in values.iter_mut().enumerate() {
            valued.value -= index as f64 * TIE;
        }
        values
    }

    fn controller(&self) -> Option<&[(usize, f64)]> {
        (self.depth == 1).then_some(&self.terms)
    }
}

/// What decides between actions of equal value.
const TIE: f64 = 1e-9;

/// The player's entry in the list.
pub fn entry<G: Playable>() -> Entry<G> {
    Entry {
        name: "linear",
        about: "the highest sum of weighed features of a move: a controller that is known by a name, or was trained",
        parameters: &[
            Parameter {
                key: "weights",
                default: None,
                about: "a controller's name; without it the first of the game's",
            },
            Parameter {
                key: "depth",
                default: Some("1"),
                about: "pieces that are looked ahead, 2: each piece that may come next",
            },
            CHECKPOINT,
        ],
        build: |options, _| {
            let depth = options.number("depth", "a whole number", 1..=2)?;
            if depth == 2 && G::PIECES.is_empty() {
                return Err(options.wrong("depth", "1 where no piece comes next"));
            }
            options.player(load::<G>(options)?.player::<G>(depth))
        },
    }
}

fn load<G: Playable>(options: &Options<G>) -> Result<Controlled> {
    let names = || G::CONTROLLERS.iter().map(|known| known.name).collect::<Vec<_>>().join(", ");
    match (options.given(CHECKPOINT.key), options.given("weights")) {
        (Some(_), Some(_)) => {
            Err(Error::user(format!("'{}' has both weights and checkpoint: one is enough", options.text)))
        }
        (Some(path), None) => {
            let path = agent_file(Path::new(path))?;
            Controlled::from_file::<G>(&AgentFile::load(&path)?, &path.display().to_string())
        }
        (None, Some(name)) => match G::CONTROLLERS.iter().find(|known| known.name == name) {
            Some(known) => Controlled::of::<G>(known),
            None => Err(options.wrong("weights", &format!("one of {}", names()))),
        },
        (None, None) => match G::CONTROLLERS.first() {
            Some(known) => Controlled::of::<G>(known),
            None => Err(Error::user(format!(
                "'{}' needs checkpoint=PATH, the file or folder of a controller that was trained",
                options.text
            ))),
        },
    }
}
