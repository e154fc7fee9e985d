//! The Python source of an agent.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use toml::Table;

use super::template::Template;
use crate::error::{Error, Result};
use crate::games::{Game, MaskKind};
use crate::players::network::{Input, Model, PLAN_DISCOUNT, PLAN_MARGIN, PLAN_SHARE, PLANS, Precision, Processor};
use crate::players::{Agent, Arrays, Kind, Linear, Playable, ValueModel};

/// Characters of a line of encoded weights.
const LINE: usize = 120;

const SWAP: &str = include_str!("swap.py");
const RANDOM: &str = include_str!("random.py");
const NETWORK: &str = include_str!("network.py");
const VALUE: &str = include_str!("value.py");
const LINEAR: &str = include_str!("linear.py");
const MAIN: &str = include_str!("main.py");

/// What the source of a game's agents needs.
struct Traits {
    file: &'static str,
    flags: &'static [&'static str],
    /// Functions of the game's masks, in the masks' order.
    masks: &'static [&'static str],
    /// How a board is written and a move is given.
    about: &'static str,
}

fn traits(game: &str) -> Result<Traits> {
    Ok(match game {
        "match3" => Traits {
            file: include_str!("match3.py"),
            flags: &["vertical", "known"],
            masks: &["legal", "effective", "matching", "setups"],
            about: "A board is ten lines of eight of a b c d #, a move (x, y, vertical): column and row of the upper or left token,\n\
                    from 0, from the top left.",
        },
        "bilging" => Traits {
            file: include_str!("bilging.py"),
            flags: &["known", "rises"],
            masks: &["legal", "matching", "effective"],
            about: "A board is twelve lines of six of a b c d e f g, a move [row, column] of the left piece, from 0, from the top left.",
        },
        "tile-match" => Traits {
            file: include_str!("tile_match.py"),
            flags: &["vertical", "unknowns", "other"],
            masks: &["legal", "effective", "matching"],
            about: "A board is eight lines of eight of G C P R, and . for an unknown tile; a move is [row, column, row, column] of\n\
                    both tiles, from 0, from the top left.",
        },
        "bejeweled" => Traits {
            file: include_str!("bejeweled.py"),
            flags: &["vertical", "unknowns", "endless"],
            masks: &["matching"],
            about: "A board is eight lines of eight of R W Y B P O G, and . for an unknown gem; a move is a text such as (2,6)D:\n\
                    column and row of a gem, from 0, from the top left, and where it goes, down or right.",
        },
        "tetris" => Traits {
            file: include_str!("tetris.py"),
            flags: &[],
            masks: &["legal", "safe"],
            about: "A board is two lines of the piece and up to twenty lines of ten of . and #, a move [orientation, column]: how\n\
                    often the piece is turned, and the column of its left side.",
        },
        other => return Err(Error::user(format!("agents of {other} are not exported"))),
    })
}

/// A source in the making.
struct Source<G: Playable> {
    traits: Traits,
    /// Rules by their names, with default values.
    rules: Table,
    blocks: Vec<&'static str>,
    flags: BTreeSet<&'static str>,
    modules: BTreeSet<&'static str>,
    /// Constants before the code, and what follows the code.
    constants: String,
    after: String,
    game: std::marker::PhantomData<G>,
}

pub fn of_agent<G: Playable>(agent: &Agent) -> Result<String> {
    let rules = agent.rules::<G>()?;
    // A network's weights are checked when its player is made.
    agent.player::<G>(&rules, 1, None, &Processor)?;
    let name = agent.label();
    match agent.file.kind {
        Kind::Network => Source::<G>::new(&rules)?.network(&agent.network::<G>()?)?.whole(name, NETWORK),
        Kind::Value => Source::<G>::new(&rules)?.value(&agent.value::<G>()?).whole(name, VALUE),
        Kind::Linear => of_weights::<G>(name, &agent.linear::<G>()?, &rules),
    }
}

/// The source of weighted features.
pub fn of_weights<G: Playable>(name: &str, linear: &Linear, rules: &G::Rules) -> Result<String> {
    Source::<G>::new(rules)?.linear(linear).whole(name, LINEAR)
}

impl<G: Playable> Source<G> {
    fn new(rules: &G::Rules) -> Result<Self> {
        let traits = traits(G::NAME)?;
        let mut made = Self {
            rules: Table::try_from(rules).unwrap_or_default(),
            blocks: vec!["constants"],
            flags: traits.flags.iter().copied().collect(),
            modules: BTreeSet::from(["argparse", "json"]),
            constants: String::new(),
            after: String::new(),
            game: std::marker::PhantomData,
            traits,
        };
        match G::NAME {
            "match3" => made.blocks.push("kit"),
            "bilging" => {
                made.constant("MOVES", made.number("moves"), "of a game");
                match made.rules.get("chains").and_then(|chains| chains.as_str()) {
                    Some("piece") => made.set("chains_piece", true),
                    Some("full") => made.set("chains_full", true),
                    _ => {}
                }
                made.set("again", made.rules.get("refill").and_then(|refill| refill.as_str()) == Some("match-free"));
            }
            "bejeweled" => {
                made.constant("MOVES", "None", "a game without an end");
                made.constant("BASE", made.number("base"), "points of a run of three");
            }
            _ => {}
        }
        Ok(made)
    }

    fn number(&self, rule: &str) -> i64 {
        self.rules.get(rule).and_then(|value| value.as_integer()).unwrap_or_default()
    }

    fn constant(&mut self, name: &str, value: impl std::fmt::Display, about: &str) {
        self.constants += &format!("{name} = {value}  # {about}\n");
    }

    fn set(&mut self, flag: &'static str, is_set: bool) {
        if is_set {
            self.flags.insert(flag);
        }
    }

    fn is_tetris(&self) -> bool {
        G::PIECES.is_some()
    }

    /// Offers the mask's moves, or those of the nearest mask before it that has any.
    fn offer(&mut self, mask: MaskKind) {
        if self.is_tetris() {
            return self.set("safe", mask.0 > 0);
        }
        let masks: Vec<&str> = self.traits.masks[..=mask.0].iter().rev().copied().collect();
        let end = if masks.len() == 1 { "," } else { "" };
        self.after += &format!("# The first of these that offers a swap.\nMASKS = ({}{end})\n", masks.join(", "));
        self.set("setups", masks.contains(&"setups"));
        self.blocks.extend(self.traits.masks[..=mask.0].iter());
    }

    fn network(mut self, model: &Model) -> Result<Self> {
        let (shape, config) = (model.shape::<G>(), &model.config.network);
        self.offer(shape.view.mask);
        self.constant("POINT", format_args!("np.float32({:?})", shape.view.scale), "in the network's unit");
        self.constant("LAYERS", config.layers, "3x3 convolutions of the network");
        if shape.waves > 0 {
            self.constant("WAVES", shape.waves, "the most waves that the model of dynamics predicts");
            self.constant("DYNAMICS_LAYERS", config.dynamics_layers, "3x3 convolutions of this model");
            self.blocks.push("dynamics");
        }
        let shares = shape.waves > 0 && G::DECODE.is_some();
        if shares {
            self.constant("PLANS", PLANS, "swaps at the most whose plans are valued");
            self.constant("PLAN_MARGIN", format_args!("{PLAN_MARGIN:?}"), "points within which their values lie");
            self.constant("PLAN_SHARE", PLAN_SHARE, "share of a plan of two swaps in the value of the first");
            self.constant("PLAN_DISCOUNT", PLAN_DISCOUNT, "of the value of the second");
        }
        if shape.next_moves > 0 && !self.is_tetris() {
            self.constant("NEXT_MOVES", shape.next_moves, "swaps that are valued after each of the best");
        }
        for (flag, is_set) in [
            ("shared", shape.colours > 0),
            ("dueling", config.dueling),
            ("waves", shape.waves > 0),
            ("own", shape.colours > 0),
            ("rest", shape.board_planes > shape.colours),
            ("full", config.input == Input::Afterstate),
            ("plans", config.input == Input::Plans),
            ("predicts", shape.waves > 0 || config.input == Input::Plans && shape.next_moves == 0),
            ("next", shape.next_moves > 0),
        ] {
            self.set(flag, is_set);
        }
        self.blocks.extend(["unpack", if self.is_tetris() { "network-choose" } else { "choose" }]);
        self.blocks.push(match config.input {
            Input::Position => "values-position",
            _ if self.is_tetris() => "values-after",
            Input::Afterstate if shares => "values-shared",
            Input::Afterstate => "values-afterstate",
            Input::Plans if shape.next_moves > 0 => "values-next",
            Input::Plans => "values-plans",
        });
        self.modules.extend(["base64", "math"]);
        if config.precision == Precision::Bf16 {
            self.constants += "# matchq multiplies in bfloat16, this file in 32 bits: values differ by rounding.\n";
        }
        self.after += &weights(&model.weights);
        Ok(self)
    }

    fn value(mut self, model: &ValueModel) -> Self {
        self.offer(model.mask);
        let names = std::iter::once("constant").chain(G::NAMES.iter().copied());
        let named: Vec<(&str, f64)> = names.zip(model.value.weights().iter().copied()).collect();
        self.constants += &dictionary("WEIGHTS", &named);
        self.constant("DISCOUNT", format_args!("{:?}", model.discount), "of the value of the next position");
        if model.value.best_of() > 1 && G::NAME == "bilging" {
            self.constant("BEST_OF", model.value.best_of(), "possible bingos, whose mean counts");
            self.set("many", true);
        }
        self.set("rewards", model.rewards);
        if model.outcomes > 0 {
            self.constant("OUTCOMES", model.outcomes, "drawn of each action");
            match G::NAME {
                "match3" => self.constant("OBSTACLE_KINDS", self.number("obstacle_kinds"), "each as frequent as a gem"),
                "bilging" => self.constant("COLOURS_DRAWN", self.number("colours"), "of new pieces"),
                _ => {}
            }
        }
        if self.is_tetris() {
            self.set("drawn", model.outcomes > 0);
            self.after += &format!("FEATURES = ({})\n", G::NAMES.join(", "));
            self.blocks.extend(G::NAMES.iter());
            self.blocks.push("value-choose");
        } else {
            self.blocks.extend(["choose", if model.outcomes > 0 { "drawn" } else { "certain" }]);
        }
        self
    }

    fn linear(mut self, linear: &Linear) -> Self {
        let names = G::action_names();
        let known: Vec<(&str, f64)> =
            linear.terms().iter().map(|(feature, weight)| (names[*feature], *weight)).collect();
        if self.is_tetris() {
            return self.tetris(&known);
        }
        self.offer(MaskKind::default_of::<G>());
        self.constants += &dictionary("WEIGHTS", &known);
        self.constants += &format!("FEATURES = {}  # in the order in which they are computed\n", tuple(&names));
        self.blocks.push("choose");
        self
    }

    /// Weights of Tetris's features: functions, heights and shapes of the surface.
    fn tetris(mut self, known: &[(&'static str, f64)]) -> Self {
        let is_shape = |name: &str| name.starts_with("shape_") || name.starts_with("side_");
        let is_height = |name: &str| name.starts_with("height_") && name != "height_wells";
        let plain: Vec<_> = known
            .iter()
            .filter(|(name, weight)| !is_shape(name) && !is_height(name) && *weight != 0.0)
            .copied()
            .collect();
        self.set("never_loses", plain.iter().all(|(name, _)| *name != "has_lost"));
        self.after += "# The weight of each feature.\nFEATURES = {\n";
        for (name, weight) in &plain {
            self.after += &format!("    {name}: {weight:?},\n");
            self.blocks.push(name);
        }
        self.after += "}\n";
        let weight =
            |name: &str| known.iter().filter(|(known, _)| *known == name).map(|(_, weight)| weight).sum::<f64>();
        if known.iter().any(|(name, weight)| is_shape(name) && *weight != 0.0) {
            self.set("shapes", true);
            self.after += "\n# The weights of four neighbouring columns by the differences of their heights, from -3 to 3 each,\n\
                           # between the sides and at a side.\n";
            for (table, of) in [("SHAPES", "shape"), ("SIDES", "side")] {
                self.after += &shapes(table, of, &weight);
            }
        }
        if known.iter().any(|(name, weight)| is_height(name) && *weight != 0.0) {
            self.set("heights", true);
            let list = |of: &str, from: usize| -> String {
                let numbers = (from..10).map(|column| format!("{:?}", weight(&format!("{of}{column}"))));
                numbers.collect::<Vec<_>>().join(", ")
            };
            self.after += &format!(
                "\nHEIGHTS = [{}]\nHEIGHT_DIFFERENCES = [{}]\n",
                list("height_", 0),
                list("height_difference_", 1)
            );
        }
        self.blocks.push("linear-choose");
        self
    }

    /// The whole file: docstring, constants, code, weights, and what is called from a shell.
    fn whole(self, name: &str, kind: &'static str) -> Result<String> {
        let Self { traits, blocks, flags, modules, constants, after, .. } = self;
        let template = if G::PIECES.is_none() {
            Template::of(&[SWAP, traits.file, RANDOM, kind, MAIN], traits.file)
        } else {
            Template::of(&[traits.file, RANDOM, kind], traits.file)
        };
        let part = |roots: &[&str]| {
            let unknown = |block| Error::runtime(format!("the agent cannot be exported: there is no code for {block}"));
            template.assemble(roots, &flags).map_err(unknown)
        };
        let first = part(&["constants"])?;
        let code = part(&blocks)?;
        let code = code.replacen(&first, "", 1);
        let modules = modules.iter().map(|module| format!("import {module}\n")).collect::<String>();
        Ok(format!(
            "{}\n\n{modules}\nimport numpy as np\n\n{first}\n\n{constants}\n\n{}\n\n\n{after}\n\n{}\n",
            docstring::<G>(name, &traits, kind),
            code.trim_matches('\n'),
            part(&["main"])?
        ))
    }
}

fn docstring<G: Game>(name: &str, traits: &Traits, kind: &str) -> String {
    let how = match kind {
        NETWORK => "The agent is a neural network; `choose` plays the move of the highest value.",
        VALUE => {
            "The agent values positions by weighted features; `choose` plays the move of the most points and value."
        }
        _ => "The agent weighs features of each move; `choose` plays the move of the highest sum.",
    };
    let call = if traits.masks.contains(&"safe") { "choose(board, piece)" } else { "choose(board, moves_left)" };
    let kit = match G::NAME {
        "match3" => {
            "\n    graphical.Game(ai_callback, transition_callback, end_of_game_callback).run()    plays in the kit's window\n"
        }
        _ => "\n",
    };
    let name = name.replace(['\\', '"'], "'");
    format!(
        "\"\"\"The agent {name} of {}, exported by matchq {}: one file that needs NumPy alone.\n\n{how}\n\n    \
         python FILE.py BOARD.txt    prints its move on a board\n    {call}    gives it in Python{kit}\n{}\n\"\"\"",
        G::NAME,
        env!("CARGO_PKG_VERSION"),
        traits.about
    )
}

fn tuple(names: &[&str]) -> String {
    format!("({})", names.iter().map(|name| format!("\"{name}\", ")).collect::<String>().trim_end())
}

fn dictionary(name: &str, entries: &[(&str, f64)]) -> String {
    let lines: String = entries.iter().map(|(name, weight)| format!("    \"{name}\": {weight:?},\n")).collect();
    format!("{name} = {{\n{lines}}}\n")
}

/// A table of the weights of shapes, 7 x 7 lines of 7 numbers.
fn shapes(table: &str, of: &str, weight: &dyn Fn(&str) -> f64) -> String {
    let mut text = format!("{table} = np.array([\n");
    for one in -3..=3 {
        text += "    [\n";
        for two in -3..=3 {
            let numbers = (-3..=3).map(|three| {
                // Mirror images have one weight, under one of their names.
                let mirrored = format!("{of}_{}_{}_{}", -three, -two, -one);
                let name = format!("{of}_{one}_{two}_{three}");
                let mirrored = if of == "shape" && mirrored != name { weight(&mirrored) } else { 0.0 };
                format!("{:?}", weight(&name) + mirrored)
            });
            writeln!(text, "        [{}],", numbers.collect::<Vec<_>>().join(", ")).ok();
        }
        text += "    ],\n";
    }
    text + "])\n"
}

/// Weights by their names and shapes, their numbers as base64.
fn weights(arrays: &Arrays) -> String {
    let mut text =
        "\n# The weights' names and shapes, [channels out, channels in, rows, columns], and their numbers.\n"
            .to_owned();
    text += "WEIGHTS = unpack(\n    {\n";
    for (name, array) in arrays {
        let sizes: Vec<String> = array.shape.iter().map(usize::to_string).collect();
        text += &format!("        \"{name}\": [{}],\n", sizes.join(", "));
    }
    text += "    },\n    \"\"\"\n";
    let bytes: Vec<u8> =
        arrays.values().flat_map(|array| array.values.iter().flat_map(|value| value.to_le_bytes())).collect();
    for line in base64(&bytes).as_bytes().chunks(LINE) {
        text += &String::from_utf8_lossy(line);
        text += "\n";
    }
    text + "\"\"\",\n)\n"
}

/// Bytes as text by RFC 4648.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let bits = (0..3).fold(0, |bits, place| bits << 8 | u32::from(three.get(place).copied().unwrap_or(0)));
        for place in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * place) & 63) as usize] as char;
            text.push(if place <= three.len() { letter } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn bytes_are_written_as_the_rfc_has_them() {
        for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }
}
