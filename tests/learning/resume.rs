//! A training that is stopped, or killed, and resumed equals the one that never was, bit for bit.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use burn::tensor::Device;
use matchq::agents::NetworkPlayer;
use matchq::error::Error;
use matchq::eval::play_series;
use matchq::games::Match3;
use matchq::games::match3::Rules;
use matchq::learners::checkpoint::{self, RunCheckpoint};
use matchq::learners::dqn::config::TrainConfig;
use matchq::learners::dqn::round::{Ending, Training};
use matchq::learners::folder::RunFolder;
use matchq::learners::logs::Logs;
use matchq::network::{Model, device};
use matchq::store::Container;
use tempfile::TempDir;

const CONFIG: &str = "
    seed = 11
    network = { channels = 4, layers = 2 }
    training = { steps = 480, games = 8, warmup = 80 }
    exploration = { start = 1.0, end = 0.1, steps = 300 }
    replay = { capacity = 200 }
    learning = { batch = 16 }
    target = { every = 7 }
    evaluation = { every = 120, games = 4 }
    checkpoint = { every = 144 }
    logging = { every = 40 }
";

/// Every switch that has something to save.
const SWITCHES: [&str; 8] = [
    "learning.relative=true",
    "replay.prioritised=true",
    "learning.n_step=2",
    "learning.double=true",
    "learning.loss=squared",
    "network.dueling=true",
    "target.update=soft",
    "target.rate=0.1",
];

const SIMULATIONS: [&str; 3] = ["learning.simulations=2", "learning.bootstrap_from=0.4", "network.share_colours=true"];

const AFTERSTATES: [&str; 11] = [
    "network.prior=plan",
    "network.next_moves=2",
    "network.afterstates=true",
    "learning.simulations=2",
    "learning.next_states=2",
    "learning.relative=true",
    "learning.actions=3",
    "learning.best_actions=1",
    "learning.common_error=0.5",
    "learning.lookahead=1",
    "learning.candidates=2",
];

const FORESIGHT: [&str; 7] = [
    "network.afterstates=true",
    "network.waves=3",
    "network.wave_layers=2",
    "learning.simulations=2",
    "learning.common_error=0.5",
    "learning.actions=3",
    "learning.candidates=2",
];

fn config(overrides: &[&str]) -> TrainConfig {
    let overrides: Vec<String> = overrides.iter().map(|text| text.to_string()).collect();
    TrainConfig::parse(CONFIG, "the configuration", &overrides).unwrap()
}

fn cpu() -> Device {
    device::select(None).unwrap().1
}

/// What the process of a training holds.
struct Process {
    folder: RunFolder,
    config: TrainConfig,
    training: Training<Match3>,
    logs: Logs,
}

impl Process {
    fn start(runs: &Path, config: &TrainConfig) -> Self {
        let folder = RunFolder::create(runs, Some("run"), "", config).unwrap();
        let training = Training::new(config, &Rules::default(), &cpu());
        let logs = Logs::create(&folder, config.training.steps, true).unwrap();
        Self { folder, config: config.clone(), training, logs }
    }

    fn resume(folder: &RunFolder) -> Self {
        let checkpoint = RunCheckpoint::load(&folder.last()).unwrap();
        let training: Training<Match3> = checkpoint.restore(&Rules::default(), &cpu()).unwrap();
        let logs = Logs::resume(folder, training.step, checkpoint.config.training.steps, true).unwrap();
        Self { folder: folder.clone(), config: checkpoint.config, training, logs }
    }

    fn run(&mut self, stop: bool) -> Ending {
        let Self { folder, config, training, logs } = self;
        training.run(config, &Rules::default(), &cpu(), folder, logs, &AtomicBool::new(stop)).unwrap()
    }

    /// Trains to the end and lets go of everything but the folder.
    fn finish(mut self) -> RunFolder {
        assert_eq!(self.run(false), Ending::Finished);
        self.folder
    }

    /// Trains up to a step, where it is asked to stop, and lets go of everything but the folder.
    fn stop_at(mut self, step: u64) -> RunFolder {
        while self.training.step < step {
            // Asked at once, it takes one step and saves.
            assert_eq!(self.run(true), Ending::Stopped);
        }
        assert_eq!(self.training.step, step);
        self.folder
    }
}

/// A training that nothing interrupts.
fn uninterrupted(overrides: &[&str]) -> (TempDir, RunFolder) {
    let runs = tempfile::tempdir().unwrap();
    let folder = Process::start(runs.path(), &config(overrides)).finish();
    (runs, folder)
}

/// A training that was stopped after some steps.
fn stopped(overrides: &[&str], step: u64) -> (TempDir, RunFolder) {
    let runs = tempfile::tempdir().unwrap();
    let folder = Process::start(runs.path(), &config(overrides)).stop_at(step);
    (runs, folder)
}

/// A CSV file without the columns that tell the time.
fn timeless(folder: &RunFolder, name: &str) -> Vec<Vec<String>> {
    let text = fs::read_to_string(folder.path().join(name)).unwrap();
    let columns: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    let kept = |row: &str| {
        let values = row.split(',').zip(&columns);
        let timeless = values.filter(|(_, column)| !["seconds", "steps_per_second"].contains(column));
        timeless.map(|(value, _)| value.to_owned()).collect()
    };
    text.lines().map(kept).collect()
}

fn assert_same(found: &RunFolder, expected: &RunFolder) {
    for path in [RunFolder::last as fn(&RunFolder) -> PathBuf, RunFolder::last_agent, RunFolder::best] {
        let same = fs::read(path(found)).unwrap() == fs::read(path(expected)).unwrap();
        assert!(same, "{} differs from the one of the training that was never interrupted", path(found).display());
    }
    for (name, rows) in [("train.csv", 12), ("evaluations.csv", 4)] {
        assert_eq!(timeless(expected, name).len(), 1 + rows, "{name}");
        assert_eq!(timeless(found, name), timeless(expected, name), "{name}");
    }
}

/// All files of a folder and their content.
fn snapshot(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => files.append(&mut snapshot(&path)),
            false => drop(files.insert(path.clone(), fs::read(&path).unwrap())),
        }
    }
    files
}

#[test]
fn the_same_configuration_and_seed_give_the_same_bits_and_another_seed_others() {
    let (_runs, first) = uninterrupted(&SWITCHES);
    let (_runs_again, again) = uninterrupted(&SWITCHES);
    assert_same(&again, &first);
    let (_runs_other, other) = uninterrupted(&[&SWITCHES[..], &["seed=12"]].concat());
    assert_ne!(timeless(&other, "train.csv"), timeless(&first, "train.csv"));
}

#[test]
fn a_training_stopped_half_way_and_resumed_equals_the_one_never_stopped() {
    for switches in [&[][..], &SWITCHES, &SIMULATIONS, &AFTERSTATES, &FORESIGHT] {
        let (_runs, expected) = uninterrupted(switches);
        // In the warm-up, between two copies of the target network, and just before the end.
        for step in [40, 248, 472] {
            let (_runs, folder) = stopped(switches, step);
            assert_same(&Process::resume(&folder).finish(), &expected);
        }
    }
}

#[test]
fn an_evaluation_plays_what_the_checkpoint_plays_by_itself() {
    type Player = NetworkPlayer<Match3>;
    let told: fn(Player) -> Player = Player::told;
    let without_plans: fn(Player) -> Player = |player| player.with_next_moves(0);
    for (switches, otherwise) in [(&FORESIGHT[..], told), (&AFTERSTATES, without_plans)] {
        let (_runs, folder) = uninterrupted(switches);
        let policy = Model::load::<Match3>(Some(&folder.best()), &cpu()).unwrap();
        let mean = |mut player: Player| {
            let games = play_series(&mut player, &Rules::default(), 1_000_000, 4, |_| ()).unwrap();
            games.iter().map(|game| f64::from(game.score)).sum::<f64>() / 4.0
        };
        let log = fs::read_to_string(folder.path().join("evaluations.csv")).unwrap();
        let best = log.lines().last().unwrap().split(',').nth(9).unwrap().parse::<f64>().unwrap();
        let player = || Player::of(&policy, 64, &cpu());
        assert_eq!(mean(player()), best);
        assert_ne!(mean(otherwise(player())), best);
    }
}

#[test]
fn a_training_stopped_after_every_step_equals_the_one_never_stopped() {
    let (_runs, expected) = uninterrupted(&SWITCHES);
    let (_runs_stopped, folder) = stopped(&SWITCHES, 8);
    for step in (16..480).step_by(8) {
        Process::resume(&folder).stop_at(step);
    }
    assert_same(&Process::resume(&folder).finish(), &expected);
}

#[test]
fn logs_ahead_of_the_checkpoint_are_rolled_back() {
    let (_runs, expected) = uninterrupted(&SWITCHES);
    let (_runs_killed, folder) = stopped(&SWITCHES, 200);
    let checkpoint = fs::read(folder.last()).unwrap();
    Process::resume(&folder).stop_at(464);
    // As if it had been killed then, without a checkpoint since step 200.
    fs::write(folder.last(), &checkpoint).unwrap();
    let process = Process::resume(&folder);
    assert_eq!(timeless(&folder, "train.csv").len(), 1 + 5);
    assert_eq!(timeless(&folder, "evaluations.csv").len(), 1 + 1);
    assert_same(&process.finish(), &expected);
}

#[test]
fn a_checkpoint_that_was_being_written_when_the_program_was_killed_does_not_matter() {
    let (_runs, expected) = uninterrupted(&[]);
    let (_runs_killed, folder) = stopped(&[], 200);
    let half = fs::read(folder.last()).unwrap();
    fs::write(folder.path().join("last.ckpt.partial"), &half[..half.len() / 2]).unwrap();
    fs::write(folder.path().join("best.safetensors.partial"), b"").unwrap();
    assert_same(&Process::resume(&folder).finish(), &expected);
    let left_over = snapshot(folder.path()).into_keys().find(|path| path.to_string_lossy().contains(".partial"));
    assert_eq!(left_over, None);
}

#[test]
fn a_checkpoint_that_is_damaged_foreign_or_newer_is_refused_and_the_folder_stays_as_it_was() {
    let (_runs, folder) = stopped(&[], 200);
    let whole = fs::read(folder.last()).unwrap();
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;
    let mut newer = whole.clone();
    newer[8] += 1;
    let mut former = whole.clone();
    former[8] = 1;
    let agent = fs::read(folder.best()).unwrap();
    for (content, sentence) in [
        (&whole[..whole.len() / 2], "is truncated or damaged"),
        (&whole[..whole.len() - 1], "is truncated or damaged"),
        (&whole[..0], "is not a checkpoint of matchq"),
        (b"PK\x03\x04 some other file", "is not a checkpoint of matchq"),
        (&flipped, "is damaged: its checksum does not fit"),
        (&newer, "was written by a newer matchq"),
        (&former, "was written by matchq 0.1"),
        (&agent, "is not a checkpoint of matchq"),
    ] {
        fs::write(folder.last(), content).unwrap();
        let before = snapshot(folder.path());
        let error = RunCheckpoint::load(&folder.last()).err().unwrap();
        let name = folder.last().display().to_string();
        assert!(matches!(&error, Error::User(text) if text.starts_with(&name) && text.contains(sentence)), "{error}");
        assert_eq!(snapshot(folder.path()), before);
    }
}

#[test]
fn a_state_that_does_not_fit_its_configuration_or_the_program_is_refused_with_a_sentence() {
    let (_runs, folder) = stopped(&[], 200);
    let whole = Container::load(&folder.last()).unwrap();
    let changed = |config: TrainConfig, state: &[u8]| {
        let mut container = Container::default();
        container.insert("config", config.to_toml().unwrap().into_bytes());
        container.insert("training", state.to_vec());
        container.save(&folder.last()).unwrap();
        let checkpoint = RunCheckpoint::load(&folder.last()).unwrap();
        let restored: Result<Training<Match3>, Error> = checkpoint.restore(&Rules::default(), &cpu());
        restored.err().expect("the state is refused").to_string()
    };
    let state = whole.get("training").unwrap();
    let sentence = changed(config(&[]), &state[..state.len() / 2]);
    assert!(sentence.contains("holds a state that this program cannot read"), "{sentence}");
    let sentence = changed(config(&["network.channels=8"]), state);
    assert!(sentence.contains("the weights do not fit the network"), "{sentence}");
}

#[test]
fn a_checkpoint_saved_again_is_the_same_file() {
    for switches in [&SWITCHES[..], &SIMULATIONS] {
        let (_runs, folder) = stopped(switches, 200);
        let before = fs::read(folder.last()).unwrap();
        let Process { training, config, .. } = Process::resume(&folder);
        checkpoint::save(&folder, &config, &training).unwrap();
        assert!(fs::read(folder.last()).unwrap() == before);
    }
}

#[test]
fn the_last_agent_is_the_network_of_the_last_checkpoint() {
    for (switches, same_as_best) in [(&["evaluation.every=200"][..], true), (&[], false)] {
        let (_runs, folder) = stopped(switches, 200);
        let last = Model::load::<Match3>(Some(&folder.last_agent()), &cpu()).unwrap();
        let Process { training, config, .. } = Process::resume(&folder);
        assert_eq!((last.network.arrays(), last.config), (training.learner.network().arrays(), config.model()));
        // The best is that of step 120, unless the evaluation is at the end.
        assert_eq!(fs::read(folder.best()).unwrap() == fs::read(folder.last_agent()).unwrap(), same_as_best);
    }
}

#[test]
fn an_agent_is_a_small_part_of_the_checkpoint_to_resume() {
    let (_runs, folder) = stopped(&[], 200);
    let size = |path: PathBuf| fs::metadata(path).unwrap().len();
    assert!(2 * size(folder.best()) < size(folder.last()));
}
