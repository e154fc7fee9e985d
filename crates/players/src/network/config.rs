use serde::{Deserialize, Serialize};
use toml::Table;

use super::{Precision, Shown, View};
use crate::agent_file::AgentFile;
use matchq_core::error::{Error, OutOfRange, Result, in_words, require};
use matchq_games::{Image, MaskKind};

/// Configuration of a network, the table `network` of a training's configuration.
///
/// | key | default | range | meaning |
/// | --- | --- | --- | --- |
/// | `channels` | 16 | 1 to 1024 | channels of every convolution between input and head, per colour with `share_colours` |
/// | `layers` | 6 | 2 to 64 | number of 3x3 convolutions |
/// | `share_colours` | true | | whether the colours share weights |
/// | `dueling` | false | only `input = "position"` | whether state value and advantages have streams of their own |
/// | `input` | "afterstate" | "position", "afterstate", "plans" | what the network sees of a position |
/// | `dynamics_waves` | 5 | 0 to 64; above 0 only `input = "afterstate"` | most waves that a learned dynamics model predicts; 0 for no model |
/// | `dynamics_layers` | 5 | 2 to 64 | 3x3 convolutions of the dynamics model |
/// | `next_moves` | 0 | 0 to 256; above 0 only `input = "plans"` | moves valued after each move of a plan; 0 for none |
/// | `precision` | "f32" | "f32", "bf16" | precision of all 3x3 convolutions but the first, on the CPU |
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NetworkConfig {
    /// Channels of every convolution between input and head, per colour with `share_colours`.
    pub channels: usize,
    /// Number of 3x3 convolutions.
    pub layers: usize,
    /// Whether the colours share weights: the network is equivariant under permutations of the
    /// colours.
    pub share_colours: bool,
    /// Whether state value and advantages have streams of their own: a dueling network (Wang et al.
    /// 2016, <https://arxiv.org/abs/1511.06581>).
    pub dueling: bool,
    /// What the network sees of a position.
    pub input: Input,
    /// Most waves that a learned dynamics model of afterstates predicts; 0 for no model.
    pub dynamics_waves: usize,
    /// 3x3 convolutions of the dynamics model.
    pub dynamics_layers: usize,
    /// Moves valued after each move of a plan, by the highest prior, whose best replaces the plan's
    /// second move; 0 for none.
    pub next_moves: usize,
    /// Precision of all 3x3 convolutions but the first, on the CPU.
    pub precision: Precision,
}

/// What a network sees of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Input {
    /// The position, for all actions in one pass.
    Position,
    /// The position with one action done, and nothing that follows.
    Afterstate,
    /// The certain result of one action and the certain plans that follow, whose best the network
    /// corrects.
    Plans,
}

/// Factor of an afterstate's sum over all places; small, as Adam's first steps move all outputs
/// together.
pub const SHARE: f32 = 1.0 / 16.0;

impl Default for NetworkConfig {
    fn default() -> Self {
        Self {
            channels: 16,
            layers: 6,
            share_colours: true,
            dueling: false,
            input: Input::Afterstate,
            dynamics_waves: 5,
            dynamics_layers: 5,
            next_moves: 0,
            precision: Precision::F32,
        }
    }
}

impl NetworkConfig {
    /// Refuses settings out of range.
    pub fn check(&self) -> std::result::Result<(), OutOfRange> {
        let Self { channels, layers, dueling, input, dynamics_waves, dynamics_layers, next_moves, .. } = *self;
        for (key, value, range) in [
            ("channels", channels, 1..=1024),
            ("layers", layers, 2..=64),
            ("dynamics_waves", dynamics_waves, 0..=64),
            ("dynamics_layers", dynamics_layers, 2..=64),
            ("next_moves", next_moves, 0..=256),
        ] {
            let allowed = format!("between {} and {}", range.start(), range.end());
            require(range.contains(&value), &format!("network.{key}"), value, allowed)?;
        }
        require(
            !dueling || input == Input::Position,
            "network.dueling",
            dueling,
            "false where network.input is not \"position\": an afterstate has one value",
        )?;
        require(
            dynamics_waves == 0 || input == Input::Afterstate,
            "network.dynamics_waves",
            dynamics_waves,
            "0 where network.input is not \"afterstate\": only there is something to predict",
        )?;
        require(
            next_moves == 0 || input == Input::Plans,
            "network.next_moves",
            next_moves,
            "0 where network.input is not \"plans\": what follows a move must be known",
        )
    }
}

/// Factor of a dynamics model's sums over the cells below, up to nine.
pub const BELOW: f32 = 0.5;

/// A network's configuration with its game, rules and moves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelConfig {
    /// Name of the game, apart in the file.
    #[serde(skip)]
    pub game: String,
    /// Rules of the training, apart in the file.
    #[serde(skip)]
    pub rules: Table,
    /// Name of the mask of offered moves; empty for the game's default.
    pub mask: String,
    /// Points of one unit of the network, the inverse of training's reward factor.
    pub points: f64,
    /// Whether values are relative, the default, which files leave out.
    #[serde(default = "yes", skip_serializing_if = "Clone::clone")]
    pub relative: bool,
    /// Shape of the network.
    pub network: NetworkConfig,
}

const fn yes() -> bool {
    true
}

impl ModelConfig {
    /// View of the network, with the default mask in place of an unknown one.
    pub fn view<G: Image>(&self) -> View {
        let shown = match self.network.input {
            Input::Position => Shown::Position,
            Input::Afterstate => Shown::Done,
            Input::Plans => Shown::Plans,
        };
        let mask = MaskKind::of::<G>(&self.mask).unwrap_or(MaskKind::default_of::<G>());
        View { shown, mask, scale: (1.0 / self.points) as f32 }
    }

    pub(super) fn read(file: &AgentFile, name: &str) -> Result<Self> {
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
        // Networks compute in 32 bits.
        if !(config.points > 0.0
            && [config.points, 1.0 / config.points].iter().all(|number| (*number as f32).is_normal()))
        {
            return Err(Error::user(format!(
                "{name}: points = {}: it must be above 0, from 1e-37 to 1e37",
                config.points
            )));
        }
        Ok(Self { game: file.game.clone(), rules, ..config })
    }
}

/// Sizes of a network and of what goes in and out.
#[derive(Clone, Debug)]
pub struct NetworkShape {
    /// Configuration of the network.
    pub config: NetworkConfig,
    /// View of positions.
    pub view: View,
    /// Planes of an image, a board's first.
    pub planes: usize,
    /// Planes of a board.
    pub board_planes: usize,
    /// Rows of an image.
    pub rows: usize,
    /// Columns of an image.
    pub columns: usize,
    /// Numbers beside an image.
    pub scalars: usize,
    /// Leading planes that are interchangeable (colours); 0 unless they share weights.
    pub colours: usize,
    /// Planes of the last layer.
    pub output_planes: usize,
    /// Places of values in the flattened output, channels last: each action's place, or all places
    /// plane by plane.
    pub places: Vec<i32>,
    /// Outputs for an image: one for each action, or one for an afterstate, two with next moves.
    pub outputs: usize,
    /// Most waves of a dynamics model; 0 without one.
    pub waves: usize,
    /// Moves valued after each move.
    pub next_moves: usize,
}

impl NetworkShape {
    /// The shape of a model's network in a game.
    pub fn of<G: Image>(model: &ModelConfig) -> Self {
        let (config, view) = (model.network.clone(), model.view::<G>());
        let afterstates = 1 + usize::from(config.next_moves > 0);
        let (output_planes, outputs) = match view.afterstates() {
            false => (G::ACTION_PLANES, G::ACTIONS),
            true => (afterstates, afterstates),
        };
        let place = |action| {
            let (plane, row, column) = G::place(action);
            ((row * G::COLUMNS + column) * G::ACTION_PLANES + plane) as i32
        };
        let places = match view.afterstates() {
            false => (0..G::ACTIONS).map(place).collect(),
            true => {
                let planes = (0..outputs).flat_map(|plane| (plane..G::ROWS * G::COLUMNS * outputs).step_by(outputs));
                planes.map(|place| place as i32).collect()
            }
        };
        Self {
            view,
            planes: view.planes::<G>(),
            board_planes: G::PLANES,
            rows: G::ROWS,
            columns: G::COLUMNS,
            scalars: G::SCALARS,
            colours: if config.share_colours { G::COLOURS } else { 0 },
            output_planes,
            places,
            outputs,
            waves: config.dynamics_waves,
            next_moves: config.next_moves,
            config,
        }
    }

    /// View with the rules in place of a dynamics model.
    pub fn exact_view(&self) -> View {
        if self.waves > 0 { self.view.exact() } else { self.view }
    }

    /// Input channels of the first layer: those of one colour where colours share weights.
    pub fn stacked(&self, planes: usize) -> usize {
        if self.colours == 0 { planes } else { planes - self.colours + 2 }
    }
}
