//! The Python source of an agent of match-3.

use std::fmt::Display;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use crate::error::Result;
use crate::games::match3::Rules;
use crate::games::{ActionFeatures as _, MaskKind, Match3, StateFeatures as _};
use crate::players::network::{Input, Model, PLAN_DISCOUNT, PLAN_MARGIN, PLAN_SHARE, PLANS, Precision, Processor};
use crate::players::{Agent, Arrays, Kind, Linear, ValueModel};

/// Characters of a line of encoded weights.
const LINE: usize = 120;

const GAME: &str = include_str!("game.py");
const RANDOM: &str = include_str!("random.py");
const FEATURES: &str = include_str!("features.py");
const LINEAR: &str = include_str!("linear.py");
const VALUE: &str = include_str!("value.py");
const NETWORK: &str = include_str!("network.py");
const POSITION: &str = include_str!("position.py");
const AFTERSTATE: &str = include_str!("afterstate.py");
const PLANNING: &str = include_str!("plans.py");
const MAIN: &str = include_str!("main.py");

/// Functions of the masks, in the masks' order.
const MASKS: [&str; 4] = ["legal", "effective", "matching", "setups"];

/// What differs from agent to agent.
#[derive(Default)]
struct Source {
    about: &'static str,
    constants: String,
    code: Vec<&'static str>,
    weights: String,
}

/// The file of an agent of match-3.
pub fn of_agent(agent: &Agent) -> Result<String> {
    let rules = agent.rules::<Match3>()?;
    // A network's weights are checked when its player is made.
    agent.player::<Match3>(&rules, 1, None, &Processor)?;
    let source = match agent.file.kind {
        Kind::Network => network(&agent.network::<Match3>()?),
        Kind::Value => value(&agent.value::<Match3>()?, &rules),
        Kind::Linear => linear(&agent.linear::<Match3>()?),
    };
    Ok(source.whole(agent.label()))
}

fn network(model: &Model) -> Source {
    let (shape, config) = (model.shape::<Match3>(), &model.config.network);
    let mut source = Source {
        about: "The agent is a neural network; `choose` plays the move of the highest value.",
        code: vec![GAME, RANDOM, NETWORK],
        ..Source::default()
    };
    source.constant("POINT", format_args!("np.float32({:?})", shape.view.scale), "in the network's unit");
    source.constant("LAYERS", config.layers, "3x3 convolutions of the network");
    source.constant("SHARED", python(shape.colours > 0), "whether all colours share the weights");
    match config.input {
        Input::Position => {
            source.constant("DUELING", python(config.dueling), "whether a position has a value beside its moves'");
            source.code.push(POSITION);
        }
        Input::Afterstate => {
            source.constant("WAVES", shape.waves, "the most waves that the model of dynamics predicts");
            source.constant("DYNAMICS_LAYERS", config.dynamics_layers, "3x3 convolutions of this model");
            source.constant("PLANS", PLANS, "swaps at the most whose plans are valued");
            source.constant("PLAN_MARGIN", format_args!("{PLAN_MARGIN:?}"), "points within which their values lie");
            source.constant("PLAN_SHARE", PLAN_SHARE, "share of a plan of two swaps in the value of the first");
            source.constant("PLAN_DISCOUNT", PLAN_DISCOUNT, "of the value of the second");
            source.code.push(AFTERSTATE);
        }
        Input::Plans => {
            source.constant("NEXT_MOVES", shape.next_moves, "swaps that are valued after each of the best");
            source.code.push(PLANNING);
        }
    }
    if config.precision == Precision::Bf16 {
        source.constants += "# matchq multiplies in bfloat16, this file in 32 bits: values differ by rounding.\n";
    }
    source.weights = encoded(&model.weights);
    source.offer(shape.view.mask);
    source
}

fn value(model: &ValueModel, rules: &Rules) -> Source {
    let mut source = Source {
        about: "The agent values positions by weighted features; `choose` plays the move of the most points and value.",
        code: vec![GAME, RANDOM, FEATURES, VALUE],
        ..Source::default()
    };
    let names = std::iter::once("constant").chain(Match3::NAMES.iter().copied());
    source.constants += &dictionary("WEIGHTS", names.zip(model.value.weights().iter().copied()));
    source.constant("DISCOUNT", format_args!("{:?}", model.discount), "of the value of the next position");
    source.constant("REWARDS", python(model.rewards), "whether a move's own points count");
    source.constant("OUTCOMES", model.outcomes, "drawn of each move");
    source.constant("OBSTACLE_KINDS", rules.obstacle_kinds(), "each as frequent as a gem");
    source.offer(model.mask);
    source
}

fn linear(linear: &Linear) -> Source {
    let mut source = Source {
        about: "The agent weighs features of each move; `choose` plays the move of the highest sum.",
        code: vec![GAME, FEATURES, LINEAR],
        ..Source::default()
    };
    let names = Match3::action_names();
    source.constants +=
        &dictionary("WEIGHTS", linear.terms().iter().map(|(feature, weight)| (names[*feature], *weight)));
    source.constants += &format!("FEATURES = {names:?}  # in the order in which they are computed\n");
    source.offer(MaskKind::default_of::<Match3>());
    source
}

impl Source {
    fn constant(&mut self, name: &str, value: impl Display, about: &str) {
        self.constants += &format!("{name} = {value}  # {about}\n");
    }

    /// Offers the mask's moves, or those of the nearest mask before it that has any.
    fn offer(&mut self, mask: MaskKind) {
        let masks: String = MASKS[..=mask.0].iter().rev().map(|mask| format!("{mask}, ")).collect();
        self.weights += &format!("# The first of these that offers a swap.\nMASKS = ({})\n", masks.trim_end());
    }

    /// The whole file: docstring, constants, code, weights, and what is called from a shell.
    fn whole(self, name: &str) -> String {
        let Self { about, constants, code, weights } = self;
        let imports = match code.contains(&NETWORK) {
            true => "import argparse\nimport base64\nimport json\nimport math\n",
            false => "import argparse\nimport json\n",
        };
        format!(
            r#""""The agent {} of match3, exported by matchq {}: one file that needs NumPy alone.

{about}

    python FILE.py BOARD.txt    prints its move on a board
    choose(board, moves_left)    gives it in Python
    graphical.Game(ai_callback, transition_callback, end_of_game_callback).run()    plays in the kit's window

A board is ten lines of eight of a b c d #, a move (x, y, vertical): column and row of the upper or left token,
from 0, from the top left.
"""

{imports}
import numpy as np

{constants}
{}

{weights}

{MAIN}"#,
            name.replace(['\\', '"'], "'"),
            env!("CARGO_PKG_VERSION"),
            code.join("\n\n"),
        )
    }
}

fn python(flag: bool) -> &'static str {
    if flag { "True" } else { "False" }
}

fn dictionary<'a>(name: &str, entries: impl Iterator<Item = (&'a str, f64)>) -> String {
    let lines: String = entries.map(|(name, weight)| format!("    \"{name}\": {weight:?},\n")).collect();
    format!("{name} = {{\n{lines}}}\n")
}

/// Weights by their names and shapes, their numbers as base64.
fn encoded(arrays: &Arrays) -> String {
    let shapes = arrays.iter().map(|(name, array)| format!("        \"{name}\": {:?},\n", array.shape));
    let bytes: Vec<u8> =
        arrays.values().flat_map(|array| array.values.iter().flat_map(|value| value.to_le_bytes())).collect();
    let text = BASE64_STANDARD.encode(&bytes);
    let lines = text.as_bytes().chunks(LINE).map(|line| String::from_utf8_lossy(line) + "\n");
    format!(
        "# The weights' names and shapes, [channels out, channels in, rows, columns], and their numbers.\n\
         WEIGHTS = unpack(\n    {{\n{}    }},\n    \"\"\"\n{}\"\"\",\n)\n\n",
        shapes.collect::<String>(),
        lines.collect::<String>()
    )
}
