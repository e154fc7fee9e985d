//! The folder of a run: after kills, damaged, not fitting, with new settings.
//!
//! The tests of matchq-learners check that every learner resumes to the same bits.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use burn::tensor::Device;
use matchq::error::Error;
use matchq::eval::{luck, play_series};
use matchq::games::Match3;
use matchq::games::match3::Rules;
use matchq::learners::Container;
use matchq::learners::checkpoint::Checkpoint;
use matchq::learners::dqn::Config;
use matchq::learners::{Dqn, Ending, Run, RunFolder, TrainConfig, silent};
use matchq::network::device;
use matchq::players::network::Processor;
use matchq::players::{Agent, NetworkPlayer};
use temp_dir::TempDir;

use crate::configuration;

const CONFIG: &str = "
    seed = 11
    network = { channels = 4, layers = 2, share_colours = false, input = 'position', dynamics_waves = 0 }
    training = { steps = 480, games = 8, warmup = 80 }
    exploration = { start = 1.0, end = 0.1, steps = 300 }
    replay = { capacity = 200 }
    learning = { batch = 16, discount = 0.5, relative = false, double = true, loss = 'huber', learning_rate = 1e-3 }
    target = { every = 7 }
    evaluation = { every = 120, games = 4 }
    checkpoint = { every = 144 }
    logging = { every = 40 }
";

const PLANS: [&str; 6] = [
    "network.input=plans",
    "network.next_moves=2",
    "learning.expected.outcomes=2",
    "learning.relative=true",
    "learning.expected.actions=3",
    "learning.candidates=2",
];

const DYNAMICS: [&str; 6] = [
    "network.input=afterstate",
    "network.dynamics_waves=3",
    "network.dynamics_layers=2",
    "learning.expected.outcomes=2",
    "learning.expected.actions=3",
    "learning.candidates=2",
];

fn config(overrides: &[&str]) -> TrainConfig<Config> {
    configuration(CONFIG, overrides)
}

fn cpu() -> Device {
    device::select(None).unwrap().1
}

type Training = Run<Match3, Dqn<Match3>>;

fn start(runs: &Path, config: TrainConfig<Config>) -> Training {
    let folder = |config: &str| RunFolder::create(runs, Some("run"), "", config);
    Run::start(config, Rules::default(), &cpu(), folder, silent).unwrap()
}

fn resume_with(path: &Path, sets: &[&str]) -> Result<Training, Error> {
    let folder = RunFolder::open(path, Path::new("runs"))?;
    let checkpoint = Checkpoint::load(&folder.last())?;
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
    Run::resume(folder, &checkpoint, &sets, &cpu(), silent)
}

fn resume(path: &Path) -> Training {
    resume_with(path, &[]).unwrap()
}

/// Trains to the end; keeps only the folder.
fn finish(mut training: Training) -> PathBuf {
    assert_eq!(training.train(&AtomicBool::new(false)).unwrap(), Ending::Finished);
    training.folder.path().to_owned()
}

/// Trains up to a step and stops; keeps only the folder.
fn stop_at(mut training: Training, step: u64) -> PathBuf {
    while training.step() < step {
        // An early stop comes after one step, with a checkpoint, and before an evaluation.
        assert_eq!(training.train(&AtomicBool::new(true)).unwrap(), Ending::Stopped);
        assert!(training.evaluate_if_due(&AtomicBool::new(false)).unwrap());
    }
    assert_eq!(training.step(), step);
    training.folder.path().to_owned()
}

/// An uninterrupted training.
fn uninterrupted(overrides: &[&str]) -> (TempDir, PathBuf) {
    let runs = temp_dir::TempDir::new().unwrap();
    let folder = finish(start(runs.path(), config(overrides)));
    (runs, folder)
}

/// A training stopped after some steps.
fn stopped(overrides: &[&str], step: u64) -> (TempDir, PathBuf) {
    let runs = temp_dir::TempDir::new().unwrap();
    let folder = stop_at(start(runs.path(), config(overrides)), step);
    (runs, folder)
}

/// A CSV file without the columns of time.
fn timeless(folder: &Path, name: &str) -> Vec<Vec<String>> {
    let text = fs::read_to_string(folder.join(name)).unwrap();
    let columns: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    let kept = |row: &str| {
        let values = row.split(',').zip(&columns);
        let timeless = values.filter(|(_, column)| !["seconds", "steps_per_second"].contains(column));
        timeless.map(|(value, _)| value.to_owned()).collect()
    };
    text.lines().map(kept).collect()
}

fn assert_same(found: &Path, expected: &Path) {
    for file in ["last.ckpt", "last.safetensors", "best.safetensors", "config.toml"] {
        let same = fs::read(found.join(file)).unwrap() == fs::read(expected.join(file)).unwrap();
        assert!(same, "{file} differs from the one of the training that was never interrupted");
    }
    for (name, rows) in [("train.csv", 12), ("evaluations.csv", 4)] {
        assert_eq!(timeless(expected, name).len(), 1 + rows, "{name}");
        assert_eq!(timeless(found, name), timeless(expected, name), "{name}");
    }
}

#[test]
fn a_stop_during_an_evaluation_saves_before_it_and_the_resumed_training_does_it_again() {
    let (_expected, expected) = uninterrupted(&[]);
    let runs = temp_dir::TempDir::new().unwrap();
    let mut training = start(runs.path(), config(&[]));
    while training.step() < 120 {
        assert_eq!(training.train(&AtomicBool::new(true)).unwrap(), Ending::Stopped);
    }
    let path = training.folder.path().to_owned();
    assert_eq!(timeless(&path, "evaluations.csv").len(), 1);
    assert!(!path.join("best.safetensors").exists());
    // A second stop at once changes nothing.
    let before = fs::read(path.join("last.ckpt")).unwrap();
    drop(training);
    let mut training = resume(&path);
    assert_eq!((training.step(), training.train(&AtomicBool::new(true)).unwrap()), (120, Ending::Stopped));
    assert!(fs::read(path.join("last.ckpt")).unwrap() == before);
    drop(training);
    assert_same(&finish(resume(&path)), &expected);
}

/// All files of a folder with their content.
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
fn an_evaluation_plays_what_the_checkpoint_plays_by_itself() {
    type Player = NetworkPlayer<Match3>;
    let exact: fn(&mut Player) = |player| player.evaluator.see(player.evaluator.view().exact());
    let without_plans: fn(&mut Player) = |player| player.evaluator.next_moves = 0;
    let with_plans: fn(&mut Player) = |player| player.evaluator.plan_share = 0.5;
    for (switches, change) in [(&DYNAMICS[..], exact), (&DYNAMICS, with_plans), (&PLANS, without_plans)] {
        let (_runs, folder) = uninterrupted(switches);
        let policy = Agent::load(&folder.join("best.safetensors")).unwrap().network::<Match3>().unwrap();
        let mean = |mut player: Player| {
            let games = play_series(&mut player, &Rules::default(), 1_000_000, 4, |_| ()).unwrap();
            let luck_adjusted =
                games.iter().map(|game| luck::luck_adjusted::<Match3>(&Rules::default(), game, 20).unwrap());
            luck_adjusted.sum::<f64>() / 4.0
        };
        let log = fs::read_to_string(folder.join("evaluations.csv")).unwrap();
        let best = log.lines().last().unwrap().split(',').nth(11).unwrap().parse::<f64>().unwrap();
        let player = || {
            let mut player = Player::of(&policy, 64, &Processor).unwrap();
            // Evaluations in training do not plan by the model.
            player.evaluator.plan_share = 0.0;
            player
        };
        assert!((mean(player()) - best).abs() < 1e-6, "{} is not {best}", mean(player()));
        let mut other = player();
        change(&mut other);
        assert!((mean(other) - best).abs() > 1.0);
    }
}

#[test]
fn logs_ahead_of_the_checkpoint_are_rolled_back() {
    let (_runs, expected) = uninterrupted(&[]);
    let (_runs_killed, folder) = stopped(&[], 200);
    let checkpoint = fs::read(folder.join("last.ckpt")).unwrap();
    stop_at(resume(&folder), 464);
    // As after a kill, with a last checkpoint at step 200.
    fs::write(folder.join("last.ckpt"), &checkpoint).unwrap();
    let training = resume(&folder);
    assert_eq!(timeless(&folder, "train.csv").len(), 1 + 5);
    assert_eq!(timeless(&folder, "evaluations.csv").len(), 1 + 1);
    assert_same(&finish(training), &expected);
}

#[test]
fn a_checkpoint_that_was_being_written_when_the_program_was_killed_does_not_matter() {
    let (_runs, expected) = uninterrupted(&[]);
    let (_runs_killed, folder) = stopped(&[], 200);
    let half = fs::read(folder.join("last.ckpt")).unwrap();
    fs::write(folder.join("last.ckpt.partial"), &half[..half.len() / 2]).unwrap();
    fs::write(folder.join("best.safetensors.partial"), b"").unwrap();
    assert_same(&finish(resume(&folder)), &expected);
    let left_over = snapshot(&folder).into_keys().find(|path| path.to_string_lossy().contains(".partial"));
    assert_eq!(left_over, None);
}

#[test]
fn a_checkpoint_that_is_damaged_foreign_or_newer_is_refused_and_the_folder_stays_as_it_was() {
    let (_runs, folder) = stopped(&[], 200);
    let whole = fs::read(folder.join("last.ckpt")).unwrap();
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;
    let mut newer = whole.clone();
    newer[8] += 1;
    let mut former = whole.clone();
    former[8] = 1;
    let agent = fs::read(folder.join("best.safetensors")).unwrap();
    for (content, sentence) in [
        (&whole[..whole.len() / 2], "is truncated or damaged"),
        (&whole[..whole.len() - 1], "is truncated or damaged"),
        (&whole[..0], "is not a checkpoint of matchq"),
        (b"PK\x03\x04 some other file", "is not a checkpoint of matchq"),
        (&flipped, "is damaged: its checksum does not fit"),
        (&newer, "was written by a newer matchq"),
        (&former, "was written by an older matchq"),
        (&agent, "is not a checkpoint of matchq"),
    ] {
        fs::write(folder.join("last.ckpt"), content).unwrap();
        let before = snapshot(&folder);
        let error = Checkpoint::load(&folder.join("last.ckpt")).err().unwrap();
        let name = folder.join("last.ckpt").display().to_string();
        assert!(matches!(&error, Error::User(text) if text.starts_with(&name) && text.contains(sentence)), "{error}");
        assert_eq!(snapshot(&folder), before);
    }
}

#[test]
fn a_state_that_does_not_fit_its_configuration_or_the_program_is_refused_with_a_sentence() {
    let (_runs, folder) = stopped(&[], 200);
    let whole = Container::load(&folder.join("last.ckpt")).unwrap();
    let changed = |config: TrainConfig<Config>, state: &[u8]| {
        let mut container = Container::default();
        container.insert("config", config.to_toml().unwrap().into_bytes());
        container.insert("training", state.to_vec());
        container.save(&folder.join("last.ckpt")).unwrap();
        resume_with(&folder, &[]).err().expect("the state is refused").to_string()
    };
    let state = whole.get("training").unwrap();
    let sentence = changed(config(&[]), &state[..state.len() / 2]);
    assert!(sentence.contains("holds a state that this program cannot read"), "{sentence}");
    fs::remove_file(folder.join("config.toml")).unwrap();
    let sentence = changed(config(&["network.channels=8"]), state);
    assert!(sentence.contains("the weights do not fit the network"), "{sentence}");
}

#[test]
fn the_last_agent_is_the_network_of_the_last_checkpoint() {
    for (switches, same_as_best) in [(&["evaluation.every=200"][..], true), (&[], false)] {
        let (_runs, folder) = stopped(switches, 200);
        let last = Agent::load(&folder.join("last.safetensors")).unwrap().network::<Match3>().unwrap();
        let training = resume(&folder);
        let network = training.learner.q_learner().network();
        assert_eq!((last.weights, last.config), (network.arrays().unwrap(), training.config.model()));
        // The best is of step 120, unless the evaluation is at the end.
        assert_eq!(
            fs::read(folder.join("best.safetensors")).unwrap() == fs::read(folder.join("last.safetensors")).unwrap(),
            same_as_best
        );
    }
}

#[test]
fn an_agent_is_a_small_part_of_the_checkpoint_to_resume() {
    let (_runs, folder) = stopped(&[], 200);
    let size = |path: PathBuf| fs::metadata(path).unwrap().len();
    assert!(2 * size(folder.join("best.safetensors")) < size(folder.join("last.ckpt")));
}

/// A configuration independent of the share of the training done.
const CONSTANT: [&str; 3] =
    ["learning.final_learning_rate=1e-3", "replay.prioritised=true", "replay.importance_exponent=1"];

#[test]
fn what_cannot_be_set_of_a_training_that_has_begun_is_refused_and_the_folder_stays_as_it_was() {
    let (_runs, scheduled) = stopped(&[], 200);
    let (_runs_constant, constant) = stopped(&CONSTANT, 200);
    for (folder, set, parts) in [
        (
            &scheduled,
            "training.steps=960",
            ["--set training.steps: the length of this run cannot be changed", "learning.final_learning_rate"],
        ),
        (&constant, "learning.batch=8", ["--set learning.batch=8: ", "only training.steps=N"]),
        (&constant, "training.steps=200", ["--set training.steps=200: ", "above 480"]),
        (&constant, "training.steps=479", ["--set training.steps=479: ", "above 480"]),
        (&constant, "training.steps=many", ["--set: training.steps: ", "expected a whole number"]),
        (&constant, "training.steps", ["--set training.steps: ", "key=value"]),
    ] {
        let before = snapshot(folder);
        match resume_with(folder, &[set]) {
            Err(Error::User(text)) => assert!(parts.iter().all(|part| text.contains(part)), "{set}: {text}"),
            Err(error) => panic!("{set}: {error}"),
            Ok(_) => panic!("{set}: it is refused"),
        }
        assert!(snapshot(folder) == before, "{set}");
    }
    // The number of steps is unchanged.
    assert_eq!(resume_with(&scheduled, &["training.steps=480"]).unwrap().steps(), 480);
}
