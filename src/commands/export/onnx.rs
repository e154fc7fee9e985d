//! An agent's network as a graph of ONNX, for any program that reads the format.
//!
//! docs/dqn.md tells what a network computes.

mod builder;
mod format;

use prost::Message;

use self::builder::{Builder, Size, number, numbers};
use self::format::{BOOL, Entry, FLOAT, INT64, Model as File, OperatorSet};
use crate::error::{Error, Result};
use crate::players::network::{BELOW, Model, NetworkShape, Processor, SHARE, Shown, Swaps};
use crate::players::{Agent, Arrays, Kind, Playable};
use crate::random::{Role, Stream};

/// Version of the operators, the first in which the axes of means and maxima are an input.
const OPERATORS: i64 = 18;
const IR_VERSION: i64 = 8;

/// The file of an agent that is a network, and what goes in and comes out.
pub fn of_agent<G: Playable>(agent: &Agent) -> Result<(Vec<u8>, String)> {
    if agent.file.kind != Kind::Network {
        return Err(Error::user(format!(
            "{} has no network, and what it weighs is computed by the rules: ONNX has no words for it",
            agent.label()
        )));
    }
    let rules = agent.rules::<G>()?;
    // A network's weights are checked when its player is made.
    agent.player::<G>(&rules, 1, None, &Processor)?;
    let model = agent.network::<G>()?;
    let shape = model.shape::<G>();
    let mut network = Network { builder: Builder::default(), weights: &model.weights, shape: &shape };
    let swaps = Swaps::of::<G>(&rules, &shape);
    match (shape.view.shown, &swaps) {
        (Shown::Position, _) => network.positions(G::ACTIONS, model.config.points),
        (_, Some(swaps)) => network.swaps(swaps, model.config.points),
        _ => network.afterstates(model.config.points),
    }
    let said = network.builder.interface();
    let whole = shape.view.shown == Shown::Position || swaps.is_some();
    let entry = |key: &str, value: String| Entry { key: key.into(), value };
    let mut metadata_props = vec![
        entry("game", G::NAME.into()),
        entry("rules", agent.file.rules.trim().into()),
        entry("config", agent.file.config.trim().into()),
    ];
    if whole {
        let moves: Vec<_> = (0..G::ACTIONS).map(G::to_json).collect();
        metadata_props.push(entry("moves", serde_json::Value::from(moves).to_string()));
    }
    let graph = network.builder.graph(agent.label());
    let file = File {
        ir_version: IR_VERSION,
        producer_name: "matchq".into(),
        producer_version: env!("CARGO_PKG_VERSION").into(),
        doc_string: about::<G>(agent.label(), &model, whole),
        graph: Some(graph),
        opset_import: vec![OperatorSet { domain: String::new(), version: OPERATORS }],
        metadata_props,
    };
    Ok((file.encode_to_vec(), said))
}

/// What the file says of itself.
fn about<G: Playable>(name: &str, model: &Model, whole: bool) -> String {
    let shape = model.shape::<G>();
    let tokens: String = G::TOKENS.iter().map(|token| format!(" {}", token.letter)).collect();
    let planes = match G::TOKENS.len() == G::PLANES {
        true => format!("planes of 0 and 1, one for each kind of token, in the order{tokens}"),
        false => "planes of 0 and 1, as matchq.Agent.network_input gives them in Python".to_owned(),
    };
    let left = G::actions_left(&G::new(&G::Rules::default(), &mut Stream::new(0, Role::Game, 0)).state());
    let scalars = match left {
        0 => "as network_input gives them".to_owned(),
        left => format!("the moves left, divided by {left}"),
    };
    let seen = match shape.view.shown {
        _ if whole => format!(
            "It values all moves of a position. images: {planes}. scalars: {scalars}. mask: true for the moves \
             to choose from, at least one; this agent's are named in config. Moves by their numbers are in moves."
        ),
        Shown::Done => "It values the position right after a move, before anything follows.".to_owned(),
        Shown::Plans => format!(
            "It values the position after a move and all that is certain to follow. images: {planes}; then, of plans of one move \
             and of two from there, the certain points of the best at each place, {} planes each; then the highest of each, \
             everywhere, divided by 16. certain: the points of the move, and of the best certain plan after it at half weight. \
             Points in images are divided by {}. The rules make this input: in Python matchq.Agent.network_input gives it.",
            G::ACTION_PLANES,
            model.config.points
        ),
        _ => "It values the position after a move and all that is certain to follow; certain: the points of the move. The rules \
              make this input: in Python matchq.Agent.network_input gives it."
            .to_owned(),
    };
    let relative = if model.config.relative && !G::MAY_END_EARLY { " relative to an average future" } else { "" };
    let plans = match (shape.waves, shape.next_moves) {
        (0, 0) => String::new(),
        (0, _) => " Plans of two moves, which matchq's player makes, are not in the file.".to_owned(),
        _ => format!(" Plans of two moves are not in the file: it plays as matchq's player {name}:plan=0."),
    };
    format!("The network of the agent {name} of {}. {seen} values: in points{relative}.{plans}", G::NAME)
}

/// A network that becomes a graph. Names of nodes stand for their results.
struct Network<'a> {
    builder: Builder,
    weights: &'a Arrays,
    shape: &'a NetworkShape,
}

const BATCH: Size = Size::Any("batch");

impl Network<'_> {
    /// The whole graph of a network that sees positions.
    fn positions(&mut self, actions: usize, points: f64) {
        self.image_inputs(BATCH, "of each position");
        self.mask_input(actions);
        let values = self.values("images", "scalars");
        let values = self.in_points(&values, points);
        let [none, masked] = [self.builder.float(f32::NEG_INFINITY), "values".to_owned()];
        self.builder.named("Where", &["mask", &values, &none], Vec::new(), &masked);
        self.best(actions);
    }

    /// The whole graph of a network that sees what swaps leave.
    fn swaps(&mut self, swaps: &Swaps, points: f64) {
        self.image_inputs(BATCH, "of each position");
        self.mask_input(swaps.actions);
        let (cells, planes) = (self.shape.rows * self.shape.columns, self.shape.planes);
        // Row and action of each offered move.
        let pairs = self.builder.of("NonZero", &["mask"]);
        let [rows, actions] = [0, 1].map(|index| {
            let index = self.builder.table(&[], &[index]);
            self.builder.of("Gather", &[&pairs, &index])
        });
        let boards = self.builder.of("Gather", &["images", &rows]);
        let boards = self.builder.by("Reshape", &boards, &[-1, planes as i64, cells as i64]);
        let table = self.builder.table(&[swaps.actions, cells], &swaps.table);
        let from = self.builder.of("Gather", &[&table, &actions]);
        let from = self.builder.by("Unsqueeze", &from, &[1]);
        let from = self.builder.by("Expand", &from, &[1, planes as i64, 1]);
        let swapped = self.builder.with("GatherElements", &[&boards, &from], vec![number("axis", 2)]);
        let [rows_of, columns] = [self.shape.rows as i64, self.shape.columns as i64];
        let swapped = self.builder.by("Reshape", &swapped, &[-1, planes as i64, rows_of, columns]);
        let scalars = self.builder.of("Gather", &["scalars", &rows]);
        let change = self.builder.floats(&swaps.scalars);
        let scalars = self.builder.of("Add", &[&scalars, &change]);
        let values = self.afterstate_values(&swapped, &scalars, None);
        let values = self.in_points(&values, points);
        let none = self.builder.float(f32::NEG_INFINITY);
        let size = self.builder.of("Shape", &["mask"]);
        let none = self.builder.of("Expand", &[&none, &size]);
        let places = self.builder.with("Transpose", &[&pairs], vec![numbers("perm", &[1, 0])]);
        self.builder.named("ScatterND", &[&none, &places, &values], Vec::new(), "values");
        self.best(swaps.actions);
    }

    /// The whole graph of a network that sees one move at a time.
    fn afterstates(&mut self, points: f64) {
        let moves = Size::Any("moves");
        self.image_inputs(moves, "after each move");
        let certain = self.shape.view.prior().is_some().then(|| {
            self.builder.input("certain", FLOAT, &[moves], "points that are certain");
            let scale = self.builder.float(self.shape.view.scale);
            self.builder.of("Mul", &["certain", &scale])
        });
        let values = self.afterstate_values("images", "scalars", certain.as_deref());
        let factor = self.builder.float(points as f32);
        self.builder.named("Mul", &[&values, &factor], Vec::new(), "values");
        self.builder.output("values", FLOAT, &[moves], "of each move, in points");
    }

    fn image_inputs(&mut self, batch: Size, which: &str) {
        let NetworkShape { planes, rows, columns, scalars, .. } = self.shape;
        let image = [*planes, *rows, *columns].map(Size::Fixed);
        let shape = [batch, image[0], image[1], image[2]];
        self.builder.input("images", FLOAT, &shape, format_args!("planes, rows from the top, columns, {which}"));
        let shape = [batch, Size::Fixed(*scalars)];
        self.builder.input("scalars", FLOAT, &shape, format_args!("numbers beside the image {which}"));
    }

    fn mask_input(&mut self, actions: usize) {
        self.builder.input("mask", BOOL, &[BATCH, Size::Fixed(actions)], "moves to choose from, by number");
    }

    /// The outputs `values`, which is there, and `action`.
    fn best(&mut self, actions: usize) {
        let attributes = vec![number("axis", 1), number("keepdims", 0)];
        self.builder.named("ArgMax", &["values"], attributes, "action");
        let about = "of each move, in points; -infinity outside of the mask";
        self.builder.output("values", FLOAT, &[BATCH, Size::Fixed(actions)], about);
        self.builder.output(
            "action",
            INT64,
            &[BATCH],
            "number of the move of the highest value, the first of equal ones",
        );
    }

    fn in_points(&mut self, values: &str, points: f64) -> String {
        let factor = self.builder.float(points as f32);
        self.builder.of("Mul", &[values, &factor])
    }

    /// Value of each image, in the network's units: what the chain brings by the model of dynamics or for
    /// certain, and what the network adds.
    fn afterstate_values(&mut self, images: &str, scalars: &str, certain: Option<&str>) -> String {
        let (images, gained) = match self.shape.waves {
            0 => (images.to_owned(), certain.map(str::to_owned)),
            waves => {
                let (images, points) = self.chain(images, waves);
                (images, Some(points))
            }
        };
        let places = self.values(&images, scalars);
        // A second output, for plans, follows the first.
        let cells = self.shape.places.len() / self.shape.outputs;
        let first = self.builder.slice(&places, 1, 0, cells);
        let sum = self.builder.fold("ReduceSum", &first, &[1], false);
        let share = self.builder.float(SHARE);
        let added = self.builder.of("Mul", &[&sum, &share]);
        match gained {
            Some(gained) => self.builder.of("Add", &[&added, &gained]),
            None => added,
        }
    }

    /// Values at the network's places.
    fn values(&mut self, images: &str, scalars: &str) -> String {
        let NetworkShape { config, rows, columns, output_planes, places, .. } = self.shape;
        let mut x = self.stem(images, Some(scalars));
        let body = config.layers - 1;
        for layer in 0..body {
            let y = self.convolution(&format!("body.{layer}"), &x);
            let mean = self.mean_of_colours(&x);
            let mut added = None;
            if self.shape.colours > 0 {
                added = Some(self.convolution(&format!("exchange.{layer}"), &mean));
            }
            if layer == body / 2 {
                let pooled = self.builder.fold("ReduceMean", &mean, &[2, 3], true);
                let summary = self.convolution("summary", &pooled);
                added = Some(match added {
                    Some(added) => self.builder.of("Add", &[&added, &summary]),
                    None => summary,
                });
            }
            x = self.residual(&x, &y, added.as_deref());
        }
        let mean = self.mean_of_colours(&x);
        let hidden = self.convolution("hidden", &mean);
        let hidden = self.builder.of("Relu", &[&hidden]);
        let advantage = self.convolution("advantage", &hidden);
        let last = self.builder.with("Transpose", &[&advantage], vec![numbers("perm", &[0, 2, 3, 1])]);
        let flat = self.builder.by("Reshape", &last, &[-1, (rows * columns * output_planes) as i64]);
        let places: Vec<i64> = places.iter().map(|place| i64::from(*place)).collect();
        let places = self.builder.integers(&places);
        let values = self.builder.with("Gather", &[&flat, &places], vec![number("axis", 1)]);
        if !config.dueling {
            return values;
        }
        let pooled = self.builder.fold("ReduceMean", &mean, &[2, 3], true);
        let hidden = self.convolution("value.hidden", &pooled);
        let hidden = self.builder.of("Relu", &[&hidden]);
        let state = self.convolution("value.output", &hidden);
        let state = self.builder.by("Reshape", &state, &[-1, 1]);
        let mean = self.builder.fold("ReduceMean", &values, &[1], true);
        let ahead = self.builder.of("Sub", &[&values, &mean]);
        self.builder.of("Add", &[&ahead, &state])
    }

    /// Follows boards' chains by the model of dynamics: the last boards, and the chains' points.
    fn chain(&mut self, images: &str, waves: usize) -> (String, String) {
        let mut boards = images.to_owned();
        // Whether each board still changes, as 0 or 1, and its points so far.
        let mut state: Option<(String, String)> = None;
        for _ in 0..waves {
            let (next, gained) = self.wave(&boards);
            let differences = self.builder.of("Sub", &[&next, &boards]);
            let differences = self.builder.of("Abs", &[&differences]);
            let changes = self.builder.fold("ReduceMax", &differences, &[1, 2, 3], false);
            state = Some(match state {
                None => (changes, gained),
                Some((changing, points)) => {
                    let gained = self.builder.of("Mul", &[&gained, &changing]);
                    let points = self.builder.of("Add", &[&points, &gained]);
                    (self.builder.of("Mul", &[&changing, &changes]), points)
                }
            });
            boards = next;
        }
        let (_, points) = state.expect("a model of dynamics has waves");
        (boards, points)
    }

    /// Boards after the next wave, and its points.
    fn wave(&mut self, boards: &str) -> (String, String) {
        let NetworkShape { config, board_planes: planes, colours, rows, columns, .. } = self.shape;
        let mut x = self.stem_of("dynamics.stem", boards, None);
        for layer in 0..config.dynamics_layers - 1 {
            let mean = self.mean_of_colours(&x);
            let axis = self.builder.table(&[], &[2]);
            let upwards = vec![number("exclusive", 1), number("reverse", 1)];
            let below = self.builder.with("CumSum", &[&mean, &axis], upwards);
            let factor = self.builder.float(BELOW);
            let below = self.builder.of("Mul", &[&below, &factor]);
            let both = self.builder.with("Concat", &[&mean, &below], vec![number("axis", 1)]);
            let added = self.convolution(&format!("dynamics.exchange.{layer}"), &both);
            let y = self.convolution(&format!("dynamics.body.{layer}"), &x);
            x = self.residual(&x, &y, Some(&added));
        }
        let hidden = self.convolution("dynamics.hidden", &x);
        let hidden = self.builder.of("Relu", &[&hidden]);
        let points = self.convolution("dynamics.points", &hidden);
        let points = self.builder.by("Reshape", &points, &[-1, (colours.max(&1) * rows * columns) as i64]);
        let points = self.builder.fold("ReduceSum", &points, &[1], false);
        let share = self.builder.float(SHARE);
        let points = self.builder.of("Mul", &[&points, &share]);

        let mut odds = Vec::new();
        if *colours > 0 {
            let own = self.convolution("dynamics.own", &x);
            odds.push(self.builder.by("Reshape", &own, &[-1, *colours as i64, *rows as i64, *columns as i64]));
        }
        if planes > colours {
            let mean = self.mean_of_colours(&x);
            odds.push(self.convolution("dynamics.rest", &mean));
        }
        let odds: Vec<&str> = odds.iter().map(String::as_str).collect();
        let odds = self.builder.with("Concat", &odds, vec![number("axis", 1)]);
        let zero = self.builder.float(0.0);
        let set = self.builder.of("Greater", &[&odds, &zero]);
        let next = self.builder.with("Cast", &[&set], vec![number("to", FLOAT.into())]);
        (next, points)
    }

    fn stem(&mut self, images: &str, scalars: Option<&str>) -> String {
        self.stem_of("stem", images, scalars)
    }

    /// The first convolution, with ReLU, of images with scalars at every cell: `[batch * colours, ..]`.
    fn stem_of(&mut self, name: &str, images: &str, scalars: Option<&str>) -> String {
        let NetworkShape { colours, rows, columns, .. } = self.shape;
        let (rows, columns, each) = (*rows as i64, *columns as i64, *colours as i64);
        let everywhere = scalars.map(|scalars| {
            let cells = self.builder.by("Unsqueeze", scalars, &[2, 3]);
            self.builder.by("Expand", &cells, &[1, 1, rows, columns])
        });
        let with_scalars = |network: &mut Self, planes: &str| match &everywhere {
            Some(everywhere) => network.builder.with("Concat", &[planes, everywhere], vec![number("axis", 1)]),
            None => planes.to_owned(),
        };
        let input = match colours {
            0 => with_scalars(self, images),
            _ => {
                // Each colour sees its own plane, the sum of the others, and what all see.
                let of_colours = self.builder.slice(images, 1, 0, *colours);
                let own = self.builder.by("Unsqueeze", &of_colours, &[2]);
                let all = self.builder.fold("ReduceSum", &own, &[1], true);
                let others = self.builder.of("Sub", &[&all, &own]);
                let rest = self.builder.slice(images, 1, *colours, i32::MAX as usize);
                let rest = with_scalars(self, &rest);
                let rest = self.builder.by("Unsqueeze", &rest, &[1]);
                let rest = self.builder.by("Expand", &rest, &[1, each, 1, 1, 1]);
                let stacks = self.builder.with("Concat", &[&own, &others, &rest], vec![number("axis", 2)]);
                let inputs = self.weights[&format!("{name}.weight")].shape[1] as i64;
                self.builder.by("Reshape", &stacks, &[-1, inputs, rows, columns])
            }
        };
        let stem = self.convolution(name, &input);
        self.builder.of("Relu", &[&stem])
    }

    /// Convolution by the agent's weights of a name.
    fn convolution(&mut self, name: &str, input: &str) -> String {
        let [weight, bias] = ["weight", "bias"].map(|part| format!("{name}.{part}"));
        let side = self.weights[&weight].shape[3] as i64;
        for part in [&weight, &bias] {
            self.builder.weights(part, &self.weights[part]);
        }
        let pad = side / 2;
        let attributes = vec![numbers("kernel_shape", &[side, side]), numbers("pads", &[pad; 4])];
        self.builder.with("Conv", &[input, &weight, &bias], attributes)
    }

    /// Mean over the colours: `[batch * colours, ..]` to `[batch, ..]`.
    fn mean_of_colours(&mut self, features: &str) -> String {
        if self.shape.colours == 0 {
            return features.to_owned();
        }
        let apart = self.apart(features);
        self.builder.fold("ReduceMean", &apart, &[1], false)
    }

    /// `[batch * colours, ..]` as `[batch, colours, ..]`.
    fn apart(&mut self, features: &str) -> String {
        let NetworkShape { config, colours, rows, columns, .. } = self.shape;
        let shape = [-1, *colours as i64, config.channels as i64, *rows as i64, *columns as i64];
        self.builder.by("Reshape", features, &shape)
    }

    /// `x + ReLU(y + added)`, where `added` is for all colours.
    fn residual(&mut self, x: &str, y: &str, added: Option<&str>) -> String {
        let NetworkShape { config, colours, rows, columns, .. } = self.shape;
        let mut y = y.to_owned();
        if let Some(added) = added {
            if *colours == 0 {
                y = self.builder.of("Add", &[&y, added]);
            } else {
                let apart = self.apart(&y);
                let added = self.builder.by("Unsqueeze", added, &[1]);
                let sum = self.builder.of("Add", &[&apart, &added]);
                let shape = [-1, config.channels as i64, *rows as i64, *columns as i64];
                y = self.builder.by("Reshape", &sum, &shape);
            }
        }
        let raised = self.builder.of("Relu", &[&y]);
        self.builder.of("Add", &[x, &raised])
    }
}
