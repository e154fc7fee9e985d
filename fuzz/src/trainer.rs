//! What reads files of trainings and of results.

use matchq::eval::{Comparison, Saved};
use matchq::games::{Match3, Tetris};
use matchq::learners::checkpoint::State;
use matchq::learners::config::TrainConfig;
use matchq::learners::container::Container;
use matchq::learners::{Dqn, Evolution, Fitted, Learner, LearnerConfig, Lspi, Metrics, Source, Task, with_learner};
use matchq::network::device;
use matchq_players::{ForGame, Playable};

use super::targets::{game, in_game, text};

/// A configuration and an override: what is accepted means the same when it is written and read again.
pub fn config(data: &[u8]) {
    struct Resolve<'a>(&'a Source);
    impl<G: Playable> Task<G> for Resolve<'_> {
        fn run<L: Learner<G>>(self) -> matchq::error::Result<()> {
            let (config, rules) = self.0.resolve::<G, L>()?;
            let written = config.to_toml().expect("a configuration can be written");
            let again = Source::parse(&written, "config.toml", &[]).and_then(|source| source.resolve::<G, L>());
            assert!(again.expect("what is written can be read") == (config, rules), "{written}");
            Ok(())
        }
    }
    impl ForGame for Resolve<'_> {
        type Output = matchq::error::Result<()>;

        fn run<G: Playable>(self) -> Self::Output {
            with_learner::<G>(self.0, self)
        }
    }
    let Some((config, rest)) = text(data) else { return };
    let Some((set, _)) = text(rest) else { return };
    let sets: Vec<String> = Some(set.to_owned()).filter(|set| !set.is_empty()).into_iter().collect();
    let refused = Source::parse(config, "config.toml", &sets).and_then(|source| {
        let game = source.game()?.to_owned();
        matchq_players::with_game(&game, Resolve(&source))?
    });
    if let Err(error) = refused {
        assert_eq!(error.exit_code(), 2, "{error}");
    }
}

/// Takes up a learner's state, which is refused or learns on.
type Resume = fn(&Source, &[u8]) -> matchq::error::Result<()>;

/// Small trainings, from whose states the fuzzer begins.
const TRAININGS: [(&str, Resume); 5] = [
    (
        "learner = 'dqn'
        network = { channels = 2, layers = 2, dynamics_waves = 1, dynamics_layers = 2 }
        training = { steps = 64, games = 2, warmup = 8 }
        exploration = { steps = 8 }
        replay = { capacity = 16, prioritised = true }
        learning = { batch = 4, n_step = 2 }
        target = { every = 5 }",
        resume::<Match3, Dqn<Match3>>,
    ),
    (
        "learner = 'fitted'
        training = { sweeps = 4 }
        sampling = { positions = 20, outcomes = 2 }",
        resume::<Match3, Fitted<Match3>>,
    ),
    (
        "learner = 'evolution'
        game = { name = 'tetris' }
        training = { generations = 4 }
        learning = { method = 'cma', features = ['report'] }
        fitness = { games = 1, moves = 20 }",
        resume::<Tetris, Evolution<Tetris>>,
    ),
    (
        "learner = 'evolution'
        game = { name = 'tetris' }
        training = { generations = 4 }
        learning = { method = 'genetic', features = ['report'] }
        genetic = { population = 20 }
        fitness = { games = 1, moves = 20 }",
        resume::<Tetris, Evolution<Tetris>>,
    ),
    (
        "learner = 'lspi'
        game = { name = 'tetris' }
        training = { policies = 2 }
        sampling = { moves = 100, games = 4 }
        learning = { features = ['report'] }",
        resume::<Tetris, Lspi<Tetris>>,
    ),
];

fn resume<G: Playable, L: Learner<G>>(source: &Source, state: &[u8]) -> matchq::error::Result<()> {
    let (config, rules): (TrainConfig<L::Config>, _) = source.resolve::<G, L>().expect("a configuration of this file");
    let Ok(state) = postcard::from_bytes::<State<L::Saved>>(state) else { return Ok(()) };
    let mut learner = L::resume(&config, &rules, &device::select(None)?.1, state.learner)?;
    if learner.step() < config.learner.steps() {
        let mut metrics = Metrics::default();
        learner.round(&mut metrics)?;
        learner.report(&mut metrics)?;
    }
    learner.save().map(|_| ())
}

/// A checkpoint's file; then a learner's state.
pub fn checkpoint(data: &[u8]) {
    if let Ok(container) = Container::from_bytes(data) {
        assert_eq!(Container::from_bytes(&container.to_bytes()), Ok(container));
    }
    let Some((first, state)) = data.split_first() else { return };
    let (config, resume) = TRAININGS[usize::from(*first) % TRAININGS.len()];
    resume(&Source::parse(config, "config.toml", &[]).expect("TOML"), state).ok();
}

/// Results in JSON, of the program or of another.
pub fn report(data: &[u8]) {
    struct Reports(Saved);
    impl ForGame for Reports {
        type Output = ();

        fn run<G: Playable>(self) {
            let reports = self.0.0.into_iter().map(|series| series.report::<G>());
            if let Ok(reports) = reports.collect::<Result<Vec<_>, String>>() {
                serde_json::to_string(&Comparison::of(&reports)).expect("a comparison can be written");
            }
        }
    }
    let Some((name, rest)) = game(data) else { return };
    let Some((text, _)) = text(rest) else { return };
    if let Ok(saved) = Saved::parse(text) {
        in_game(name, Reports(saved));
    }
}
