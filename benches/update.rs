//! Times an update of the Q-network and forward passes by part, as JSON for benches/pytorch.py.
//!
//! The configuration is network.toml. `cargo bench --bench update -- --threads 2 --channels 32
//! --layers 5`

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use burn::module::{Module, ModuleVisitor, Param};
use burn::optim::GradientsParams;
use burn::tensor::{Device, Int, Tensor, TensorData};
use clap::Parser;
use matchq::games::match3::MATCHING;
use matchq::games::match3::{Match3, Rules, State};
use matchq::games::{Game, Games, Image, offered};
use matchq::learners::dqn::Config;
use matchq::learners::dqn::Expected;
use matchq::learners::dqn::optimizer::Optimizer;
use matchq::learners::dqn::replay::{Replay, Transition};
use matchq::learners::dqn::simulated::Outcomes;
use matchq::learners::dqn::{Figures, QLearner};
use matchq::learners::{Dqn, Source, TrainConfig};
use matchq::network::{Encoder, QNetwork, View, device, evaluate, tensors, to_vec};
use matchq::random::{Draw, Role, Stream};
use serde_json::{Map, Value, json};

const BATCH: usize = 256;
const FORWARD_BATCHES: [usize; 3] = [64, 256, 1024];
/// Updates whose losses are printed.
const CHECKED: usize = 5;

#[derive(Parser)]
struct Arguments {
    #[arg(long, default_value_t = 2)]
    threads: usize,
    #[arg(long, default_value_t = 32)]
    channels: usize,
    #[arg(long, default_value_t = 5)]
    layers: usize,
    /// Precision of the inner convolutions: f32 or bf16.
    #[arg(long, default_value = "f32")]
    precision: String,
    /// How long each part is repeated; 0: once.
    #[arg(long, default_value_t = 1.0)]
    seconds: f64,
    /// The only part to repeat: update, whole or forward.
    #[arg(long)]
    only: Option<String>,
    /// Where weights and batch are written, for the same computation elsewhere.
    #[arg(long)]
    folder: Option<PathBuf>,
    /// Each part once, to see that it runs.
    #[arg(long)]
    test: bool,
    /// Given by `cargo bench`.
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() {
    let arguments = Arguments::parse();
    let threads = arguments.threads;
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().expect("the first pool of threads");
    // Inside the pool, like a training.
    rayon::scope(|_| measure(arguments));
}

fn measure(arguments: Arguments) {
    let Arguments { threads, channels, layers, precision, seconds, only, folder, test, .. } = arguments;
    let seconds = if test { 0.0 } else { seconds };
    let (name, device) = device::select(None).expect("a device");
    let sets = [
        format!("network.channels={channels}"),
        format!("network.layers={layers}"),
        format!("network.precision={precision}"),
        format!("learning.batch={BATCH}"),
        "learning.expected={ outcomes = 16, actions = 0 }".to_owned(),
    ];
    let config = Source::parse(include_str!("network.toml"), "benches/network.toml", &sets)
        .and_then(|source| source.resolve::<Match3, Dqn<Match3>>())
        .expect("a valid configuration")
        .0;
    let states = positions(FORWARD_BATCHES[2]);
    let tracked = device.clone().autodiff();
    let network = QNetwork::new::<Match3>(&config.model(), &mut Stream::new(1, Role::Initialise, 0), &tracked);
    let view = network.view();
    let batch = Batch::new(&states[..BATCH], view, &tracked);

    let mut found = Map::new();
    found.insert("device".to_owned(), json!(name));
    found.insert("threads".to_owned(), json!(threads));
    found.insert("channels".to_owned(), json!(channels));
    found.insert("layers".to_owned(), json!(layers));
    found.insert("parameters".to_owned(), json!(network.num_params()));
    found.insert("targets".to_owned(), json!(batch.count));
    if let Some(folder) = &folder {
        batch.write(folder, &network);
        let [images, scalars] =
            [to_vec(batch.images.clone()), to_vec(batch.scalars.clone())].map(|n| n.expect("numbers"));
        write(folder, "values", &evaluate(&network, &device).outputs(&images, &scalars).expect("values"));
    }
    let mut learner = Plain::new(&config, network.clone());
    let checked: Vec<(f32, f32)> = (0..CHECKED).map(|_| learner.update(&batch)).collect();
    found.insert("losses".to_owned(), json!(checked.iter().map(|(loss, _)| loss).collect::<Vec<_>>()));
    found.insert("gradient_norms".to_owned(), json!(checked.iter().map(|(_, norm)| norm).collect::<Vec<_>>()));

    let limit = Duration::from_secs_f64(seconds);
    let wanted = |part: &str| only.as_deref().is_none_or(|only| only == part);
    let mut times = Map::new();
    if wanted("update") {
        let mut learner = Plain::new(&config, network.clone());
        times.insert("update".to_owned(), milliseconds(limit, || learner.update(&batch)));
    }
    if wanted("whole") {
        let mut replay = Replay::new(&config.learner.replay);
        for state in positions(20_000) {
            replay.push(Transition { state, next: state, action: 0, reward: 0.0, discount: 0.0 });
        }
        let mut learner = QLearner::<Match3>::new(&config, &Rules::default(), &device);
        let update = || learner.update(&mut replay, &[], 1.0, 0.0).and_then(Figures::read).expect("an update");
        times.insert("whole".to_owned(), milliseconds(limit, update));
    }
    if wanted("forward") {
        let mut plain = evaluate(&network, &device);
        for size in FORWARD_BATCHES {
            let seen: Vec<(State, usize)> = states[..size].iter().map(|state| (*state, 0)).collect();
            let mut encoder = Encoder::<Match3>::new(view);
            let seen = encoder.positions(&seen);
            let forward = || plain.outputs(seen.images, seen.scalars).expect("values");
            times.insert(format!("forward {size}"), milliseconds(limit, forward));
        }
    }
    found.insert("milliseconds".to_owned(), Value::Object(times));
    println!("{}", Value::Object(found));
}

/// Times of all repetitions, and mean time of all cores together; two earlier runs are not counted.
fn milliseconds<T>(limit: Duration, mut run: impl FnMut() -> T) -> Value {
    for _ in 0..2 {
        black_box(run());
    }
    let computed = processor_time();
    let (begin, mut times) = (Instant::now(), Vec::new());
    while times.is_empty() || begin.elapsed() < limit {
        let start = Instant::now();
        black_box(run());
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    let computed = processor_time().zip(computed).map(|(after, before)| (after - before) / times.len() as f64);
    json!({ "wall": times, "processor": computed })
}

/// Computing time of this process in milliseconds, on Linux.
fn processor_time() -> Option<f64> {
    let line = fs::read_to_string("/proc/self/stat").ok()?;
    // Fields 14 and 15, in ticks of 10 ms; field 2 is a name in parentheses.
    let fields: Vec<&str> = line.rsplit_once(')')?.1.split_whitespace().collect();
    Some(10.0 * (fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?))
}

/// Positions of random matching games.
fn positions(count: usize) -> Vec<State> {
    let mut games = Games::<Match3>::new(Rules::default(), 64, 1);
    let mut stream = Stream::new(1, Role::Explore, 0);
    let (mut positions, mut outcomes) = (Vec::new(), Vec::new());
    while positions.len() < count {
        let states: Vec<State> = games.states().collect();
        let mut action = |state: &State| {
            let mask = offered::<Match3>(state, MATCHING).0;
            mask.nth(stream.below(mask.count() as u32) as usize).expect("a mask is never empty")
        };
        let actions: Vec<usize> = states.iter().map(&mut action).collect();
        games.step(&actions, &mut outcomes);
        positions.extend(states);
    }
    positions.truncate(count);
    positions
}

/// Boards and values of their matching moves, each from 16 simulated outcomes.
struct Batch {
    images: Tensor<4>,
    scalars: Tensor<2>,
    places: Tensor<1, Int>,
    targets: Tensor<1>,
    count: usize,
}

impl Batch {
    fn new(states: &[State], view: View, device: &Device) -> Self {
        let batch: Vec<Transition<State>> = states
            .iter()
            .map(|state| Transition { state: *state, next: *state, action: 0, reward: 0.0, discount: 0.0 })
            .collect();
        let rules = Rules::default();
        let expected = Expected { outcomes: 16, ..Expected::default() };
        let outcomes = Outcomes::<Match3> { rules, view, expected, scale: 0.1, discount: 0.0 };
        let backups = outcomes.simulate(&batch, &mut Stream::new(1, Role::Simulate, 0));
        let count = backups.len();
        let places: Vec<i32> =
            backups.iter().map(|backup| (backup.row * Match3::ACTIONS) as i32 + i32::from(backup.action)).collect();
        let targets: Vec<f32> = backups.iter().map(|backup| backup.reward).collect();
        let seen: Vec<(State, usize)> = states.iter().map(|state| (*state, 0)).collect();
        let (images, scalars) = tensors::<Match3>(&Encoder::<Match3>::new(view).positions(&seen), device);
        Self {
            images,
            scalars,
            places: Tensor::from_data(TensorData::new(places, [count]), device),
            targets: Tensor::from_data(TensorData::new(targets, [count]), device),
            count,
        }
    }

    fn write(&self, folder: &Path, network: &QNetwork) {
        let mut weights = Weights(Vec::new());
        network.visit(&mut weights);
        write(folder, "weights", &weights.0);
        write(folder, "images", &to_vec(self.images.clone()).expect("images"));
        write(folder, "scalars", &to_vec(self.scalars.clone()).expect("scalars"));
        write(folder, "targets", &to_vec(self.targets.clone()).expect("targets"));
        let places: Vec<i32> = self.places.clone().try_into_vec_as::<i32>().expect("places");
        // Exact below 2^24.
        write(folder, "places", &places.iter().map(|place| *place as f32).collect::<Vec<_>>());
        let board: Vec<f32> = (0..Match3::ACTIONS)
            .map(|action| {
                let (plane, row, column) = Match3::place(action);
                ((row * Match3::COLUMNS + column) * Match3::ACTION_PLANES + plane) as f32
            })
            .collect();
        write(folder, "actions", &board);
    }
}

/// Parameters of a network, in order.
struct Weights(Vec<f32>);

impl ModuleVisitor for Weights {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        self.0.extend(to_vec(param.val()).expect("weights"));
    }
}

fn write(folder: &Path, name: &str, numbers: &[f32]) {
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    fs::write(folder.join(name), bytes).expect("a folder that can be written to");
}

/// An update like `Learner`'s on a given batch: forward, Huber loss, backward, clipping, Adam.
struct Plain {
    network: QNetwork,
    optimizer: Optimizer,
}

impl Plain {
    fn new(config: &TrainConfig<Config>, network: QNetwork) -> Self {
        let learning = &config.learner.learning;
        Self { network, optimizer: Optimizer::new(learning) }
    }

    /// Returns the loss and the gradient's norm.
    fn update(&mut self, batch: &Batch) -> (f32, f32) {
        let values = self.network.forward(batch.images.clone(), batch.scalars.clone());
        let values = values.reshape([BATCH * Match3::ACTIONS]).select(0, batch.places.clone());
        let size = (values - batch.targets.clone()).abs();
        let squared = size.clone().clamp_max(1.0);
        let loss = (squared.clone() * (size - squared.mul_scalar(0.5))).mean();
        let gradients = GradientsParams::from_grads(loss.backward(), &self.network);
        let (network, norm) = self.optimizer.step(1e-3, self.network.clone(), gradients);
        self.network = network;
        (to_vec(loss.inner()).expect("a loss")[0], to_vec(norm).expect("a norm")[0])
    }
}
