//! Test of every learner in every game.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use super::checkpoint::Checkpoint;
use super::{
    Ending, Learner, LearnerConfig, Metrics, Run, RunFolder, Source, Task, TrainConfig, names, silent, with_learner,
};
use crate::error::Result;
use crate::eval::{PlayedGame, play_bounded};
use crate::network::{OnDevice, device};
use crate::players::{Agent, AgentFile, ForGame, Measured, Playable, Player, registry, with_game};

/// Small trainings of a learner.
struct Small {
    learner: &'static str,
    /// Whether the configuration needs features of actions, of which the game\'s first are taken.
    is_linear: bool,
    /// Configuration without the game.
    config: &'static str,
    /// Game of the settings below.
    home: &'static str,
    /// Settings with other saved parts.
    variants: &'static [&'static [&'static str]],
    /// Settings that refuse a state saved without them.
    others: &'static [&'static str],
    /// Beginning of the error for other games.
    refusal: Option<&'static str>,
}

const SMALL: &[Small] = &[
    Small {
        learner: "dqn",
        is_linear: false,
        config: "
            network = { channels = 4, layers = 2, share_colours = false, input = 'position', dynamics_waves = 0 }
            training = { steps = 160, games = 8, warmup = 32 }
            exploration = { start = 1.0, end = 0.1, steps = 100 }
            replay = { capacity = 100 }
            learning = { batch = 8, relative = false, loss = 'huber', optimizer = 'adam' }
            target = { every = 5 }
            evaluation = { every = 80, games = 2, moves = 20, luck = 2 }
            checkpoint = { every = 72 }
            logging = { every = 40 }
        ",
        home: "match3",
        variants: &[
            &[
                "learning.relative=true",
                "learning.n_step=2",
                "learning.double=true",
                "learning.loss=squared",
                "network.dueling=true",
                "network.precision=bf16",
                "replay.prioritised=true",
                "target.update=soft",
                "target.rate=0.1",
            ],
            // Maxima of the target network are not saved, but computed again.
            &[
                "learning.double=false",
                "learning.n_step=2",
                "network.input=afterstate",
                "network.dynamics_waves=2",
                "network.dynamics_layers=2",
                "replay.capacity=16",
                "target.every=12",
            ],
            &[
                "network.input=plans",
                "network.next_moves=2",
                "learning.expected.outcomes=2",
                "learning.expected.actions=3",
                "learning.relative=true",
            ],
            &[
                "network.input=afterstate",
                "network.dynamics_waves=3",
                "network.dynamics_layers=2",
                "network.share_colours=true",
                "learning.expected.outcomes=2",
                "learning.expected.actions=3",
            ],
            // Two heads.
            &[
                "learning.relative=true",
                "learning.expected.outcomes=1",
                "learning.expected.future=played",
                "replay.prioritised=true",
                "target.every=12",
            ],
            // Nothing depends on the share of the training that is done.
            &[
                "learning.learning_rate=1e-3",
                "learning.final_learning_rate=1e-3",
                "replay.prioritised=true",
                "replay.importance_exponent=1",
            ],
        ],
        others: &[
            "network.channels=8",
            "training.games=4",
            "replay.capacity=50",
            "replay.prioritised=true",
            "learning.n_step=3",
            "learning.discount=0.25",
            "learning.expected.future=played",
        ],
        refusal: None,
    },
    Small {
        learner: "fitted",
        is_linear: false,
        config: "
            training = { sweeps = 6 }
            sampling = { positions = 300, outcomes = 2 }
            learning = { discount = 0.8, tolerance = 0.0 }
            playing = { outcomes = 2 }
            evaluation = { every = 3, games = 2, moves = 20, luck = 0 }
            checkpoint = { every = 2 }
            logging = { every = 1 }
        ",
        home: "match3",
        // The training comes to rest.
        variants: &[&["training.sweeps=40", "learning.discount=0.3", "learning.tolerance=0.001"]],
        others: &[],
        refusal: None,
    },
    Small {
        learner: "evolution",
        is_linear: true,
        config: "
            training = { generations = 4 }
            learning = { method = 'cma' }
            fitness = { games = 2, moves = 40 }
            cma = { population = 12 }
            genetic = { population = 20 }
            cross_entropy = { population = 20, noise = 5, noise_decay = 0.1 }
            evaluation = { every = 2, games = 2, moves = 20, luck = 0 }
            checkpoint = { every = 3 }
            logging = { every = 1 }
        ",
        home: "tetris",
        variants: &[
            &["learning.method=genetic"],
            &["learning.method=genetic", "genetic.reevaluate=true"],
            // The training comes to rest.
            &["learning.method=genetic", "genetic.patience=2", "training.generations=20"],
            &["learning.method=cross-entropy"],
            &["learning.start=dt-10"],
            &["fitness.split=true", "fitness.moves=4000"],
        ],
        others: &["learning.features=['holes']", "learning.method=genetic", "cma.population=13"],
        refusal: None,
    },
    Small {
        learner: "imitation",
        is_linear: true,
        config: "
            training = { sweeps = 2 }
            learning = { expert = 'dt-10' }
            sampling = { positions = 100, games = 20 }
            evaluation = { every = 1, games = 2, moves = 20, luck = 0 }
            checkpoint = { every = 1 }
            logging = { every = 1 }
        ",
        home: "tetris",
        variants: &[],
        others: &["learning.features=['holes']", "sampling.games=10"],
        refusal: Some("imitation needs a game in which a piece comes next, and "),
    },
    Small {
        learner: "lspi",
        is_linear: true,
        config: "
            training = { policies = 2 }
            sampling = { moves = 1600, games = 8 }
            evaluation = { every = 1, games = 2, moves = 20, luck = 0 }
            checkpoint = { every = 2 }
            logging = { every = 1 }
        ",
        home: "tetris",
        variants: &[],
        others: &["learning.features=['holes']", "sampling.games=10", "learning.discount=0.5"],
        refusal: None,
    },
];

const ROUNDS: usize = 1_000;

/// A test for each learner: they take long, and run side by side.
macro_rules! tests {
    ($($learner:literal $name:ident)*) => {
        const TESTED: &[&str] = &[$($learner),*];

        $(
            #[test]
            fn $name() {
                let mut columns = Columns { learner: $learner, named: BTreeSet::new(), set: BTreeSet::new() };
                for game in registry::names() {
                    with_game(game, &mut columns).unwrap();
                }
                assert!(!columns.set.is_empty(), "it learns some game");
                assert_eq!(columns.named, columns.set, "each column of a log is given a number in some training");
            }
        )*
    };
}

tests! {
    "dqn" dqn_keeps_its_promises_in_every_game
    "fitted" fitted_value_iteration_keeps_its_promises_in_every_game
    "evolution" evolution_keeps_its_promises_in_every_game
    "imitation" imitation_keeps_its_promises_in_every_game_that_it_can_learn
    "lspi" lspi_keeps_its_promises_in_every_game
}

/// Metrics of a learner with a column, and metrics that were set.
struct Columns {
    learner: &'static str,
    named: BTreeSet<String>,
    set: BTreeSet<String>,
}

impl ForGame for &mut Columns {
    type Output = ();

    fn run<G: Playable>(self) {
        for learner in names::<G>() {
            let small = SMALL.iter().find(|small| small.learner == learner);
            let small = small.unwrap_or_else(|| panic!("the learner {learner} has a small training here"));
            assert!(TESTED.contains(&learner), "the learner {learner} has a test here");
            if learner != self.learner {
                continue;
            }
            let home = small.home == G::NAME;
            let variants = small.variants.iter().filter(|_| home);
            for sets in std::iter::once(&[][..]).chain(variants.copied()) {
                let others = if home && sets.is_empty() { small.others } else { &[] };
                let check = Check { small, sets, others, columns: &mut *self };
                let done = with_learner::<G>(&source::<G>(small, sets), check).map_err(|error| error.to_string());
                match (done, small.refusal.filter(|_| !home)) {
                    (Ok(()), None) => {}
                    (Err(error), Some(refusal)) if error.starts_with(refusal) => {}
                    (other, _) => panic!("{learner} {} {sets:?}: {other:?}", G::NAME),
                }
            }
        }
    }
}

fn source<G: Playable>(small: &Small, sets: &[&str]) -> Source {
    let mut all = vec![format!("learner={}", small.learner), format!("game.name={}", G::NAME), "seed=11".to_owned()];
    if G::NAME == "tetris" {
        all.push("game.rules.rows=6".to_owned());
    }
    if small.is_linear {
        all.push(format!("learning.features={:?}", &G::action_names()[..G::action_names().len().min(6)]));
    }
    all.extend(sets.iter().map(|set| (*set).to_owned()));
    Source::parse(small.config, "it", &all).unwrap()
}

#[derive(PartialEq)]
struct Moment {
    step: u64,
    is_at_rest: bool,
    saved: Vec<u8>,
    metrics: Metrics,
    agent: Vec<u8>,
}

impl Moment {
    fn of<G: Measured, L: Learner<G>>(learner: &L, metrics: &Metrics) -> Self {
        Self {
            step: learner.step(),
            is_at_rest: learner.is_at_rest(),
            saved: postcard::to_stdvec(&learner.save().unwrap()).unwrap(),
            metrics: metrics.clone(),
            agent: learner.agent().unwrap().to_bytes().unwrap(),
        }
    }
}

/// Trains to the end; returns all moments.
fn trained<G: Measured, L: Learner<G>>(mut learner: L, steps: u64, mut metrics: Metrics) -> Vec<Moment> {
    let mut moments = vec![Moment::of(&learner, &metrics)];
    while learner.step() < steps && !learner.is_at_rest() {
        learner.round(&mut metrics).unwrap();
        learner.report(&mut metrics).unwrap();
        assert!(learner.step() >= moments[moments.len() - 1].step, "steps that are done stay done");
        moments.push(Moment::of(&learner, &metrics));
        assert!(moments.len() < ROUNDS, "a training comes to its end");
    }
    moments
}

fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

struct Check<'a> {
    small: &'a Small,
    sets: &'a [&'a str],
    others: &'a [&'a str],
    columns: &'a mut Columns,
}

impl<G: Playable> Task<G> for Check<'_> {
    fn run<L: Learner<G>>(self) -> Result<()> {
        let Self { small, sets, others, columns } = self;
        let (name, device) = device::select(None)?;
        // On other devices, a board's values may depend on its batch.
        let exact = name == "flex";
        let what = format!("{} {} {sets:?}", L::NAME, G::NAME);
        let resolve = |more: &[&str]| source::<G>(small, &[sets, more].concat()).resolve::<G, L>().unwrap();
        let (config, rules) = resolve(&[]);
        let steps = config.learner.steps();
        let new = |config: &TrainConfig<L::Config>| L::new(config, &rules, &device);
        let resume = |config: &TrainConfig<L::Config>, moment: &Moment| {
            L::resume(config, &rules, &device, postcard::from_bytes(&moment.saved).unwrap())
        };
        let first = new(&config)?;
        assert_eq!(first.step(), 0, "{what}: it begins at step 0");
        let all = |threads| with_threads(threads, || trained(new(&config).unwrap(), steps, Metrics::default()));

        // A repeated training is the same, also on another number of threads if promised; another
        // seed changes it.
        let straight = all(2);
        let last = &straight[straight.len() - 1];
        let again = all(if L::DEPENDS_ON_THREADS { 2 } else { 1 });
        assert!(*last == again[again.len() - 1], "{what}: a training that is repeated is another");
        let other = with_threads(2, || trained(new(&resolve(&["seed=12"]).0).unwrap(), steps, Metrics::default()));
        assert!(last.saved != other[other.len() - 1].saved, "{what}: the seed changes nothing");
        assert!(last.step >= steps || last.is_at_rest, "{what}: it ends after its steps, or at rest");

        // A learner restored after any round continues as if uninterrupted.
        with_threads(2, || {
            for (round, moment) in straight.iter().enumerate() {
                let (mut learner, mut metrics) = (resume(&config, moment).unwrap(), moment.metrics.clone());
                assert!(
                    Moment::of(&learner, &metrics) == *moment,
                    "{what}: restored after round {round}, it is another"
                );
                if let Some(next) = straight.get(round + 1) {
                    learner.round(&mut metrics).unwrap();
                    learner.report(&mut metrics).unwrap();
                    let same = !exact || Moment::of(&learner, &metrics) == *next;
                    assert!(same, "{what}: restored after round {round}, it goes on otherwise");
                }
            }
            let half = straight.len() / 2;
            let rest = trained(resume(&config, &straight[half]).unwrap(), steps, straight[half].metrics.clone());
            assert!(!exact || rest == straight[half..], "{what}: restored half way, it goes on otherwise");
        });

        // A state of another configuration is refused.
        for set in others {
            match resume(&resolve(&[set]).0, last) {
                Ok(_) => panic!("{what}: a state from before {set} is taken up"),
                Err(error) => assert_eq!(error.exit_code(), 2, "{what} {set}: {error}"),
            }
        }

        let known = [L::COUNTERS, &L::columns()].concat();
        assert!(L::SHOWN.iter().all(|shown| known.contains(shown)), "{what}: what is shown has a column");
        assert_eq!(known.iter().collect::<BTreeSet<_>>().len(), known.len(), "{what}: {known:?}");
        columns.named.extend(known.iter().map(|column| (*column).to_owned()));
        columns.set.extend(last.metrics.values().map(|(column, _)| column.to_owned()));

        // Player and agent's file repeat the games; the file survives reading and writing.
        let folder = temp_dir::TempDir::new().unwrap();
        let learner = resume(&config, last)?;
        let play = |player: &mut dyn Player<G>| -> Vec<PlayedGame> {
            play_bounded(player, &rules, 1_000_000, 3, 30, |_| true).unwrap().unwrap()
        };
        let played = play(&mut learner.player());
        assert_eq!(played, play(&mut learner.player()), "{what}: the player plays otherwise");
        let (file, path) = (learner.agent()?, folder.path().join("agent.safetensors"));
        file.save(&path)?;
        assert!(AgentFile::load(&path)? == file, "{what}: the agent's file is read as another");
        let mut read = Agent::load(&path)?.player::<G>(&rules, 64, None, &OnDevice(device.clone()))?;
        assert!(!exact || played == play(&mut *read), "{what}: the agent's file plays otherwise");

        // A run that is stopped, resumed and, if possible, lengthened leaves the files of an
        // uninterrupted one.
        let half = format!("{}={}", L::Config::STEPS, steps / 2);
        let longer = format!("{}={steps}", L::Config::STEPS);
        let (short, sets) = match config.learner.check_lengthening() {
            Ok(()) => (resolve(&[&half]).0, vec![longer]),
            Err(_) => (config.clone(), Vec::new()),
        };
        assert!(short == config || short.learner.steps() == steps / 2, "{what}: {half}");
        let start = |name: &str, config: &TrainConfig<L::Config>| {
            let made = |text: &str| RunFolder::create(folder.path(), Some(name), "", text);
            Run::<G, L>::start(config.clone(), rules.clone(), &device, made, silent).unwrap()
        };
        let resumed = |name: &str, sets: &[String]| {
            let folder = RunFolder::open(name.as_ref(), folder.path()).unwrap();
            let checkpoint = Checkpoint::load(&folder.last()).unwrap();
            Run::<G, L>::resume(folder, &checkpoint, sets, &device, silent).unwrap()
        };
        let train = |mut run: Run<G, L>, stop: bool| run.train(&AtomicBool::new(stop)).unwrap();
        with_threads(2, || {
            assert_eq!(train(start("straight", &config), false), Ending::Finished, "{what}");
            assert_eq!(train(start("broken", &short), true), Ending::Stopped, "{what}");
            assert_eq!(train(resumed("broken", &[]), true), Ending::Stopped, "{what}");
            assert_eq!(train(resumed("broken", &[]), false), Ending::Finished, "{what}");
            assert_eq!(train(resumed("broken", &sets), false), Ending::Finished, "{what}");
        });
        let agent = std::fs::read(folder.path().join("straight/last.safetensors")).unwrap();
        assert!(agent == last.agent, "{what}: the agent of a run is another than its learner's");
        for file in ["last.ckpt", "last.safetensors", "best.safetensors", "config.toml", "train.csv", "evaluations.csv"]
        {
            let read = |name: &str| timeless(&folder.path().join(name).join(file));
            assert!(!exact || read("straight") == read("broken"), "{what}: {file} is another");
        }
        Ok(())
    }
}

fn timeless(path: &Path) -> Vec<u8> {
    let bytes = std::fs::read(path).unwrap();
    if path.extension().is_none_or(|extension| extension != "csv") {
        return bytes;
    }
    let text = String::from_utf8(bytes).unwrap();
    let columns: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    let row = |row: &str| {
        let values = row.split(',').zip(&columns);
        let kept: Vec<&str> = values
            .filter(|(_, column)| !["seconds", "steps_per_second"].contains(column))
            .map(|(value, _)| value)
            .collect();
        kept.join(",") + "\n"
    };
    text.lines().map(row).collect::<String>().into_bytes()
}
