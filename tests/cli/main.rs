//! The program as users meet it: runs, results, interruptions and helpful errors.

mod advice;
mod card;
mod checkpoint;
mod errors;
mod evaluation;
mod export;
mod pages;
#[allow(dead_code)]
#[path = "../pictures/mod.rs"]
mod pictures;
mod play;
mod read;
mod shard;
mod shells;
mod solve;
mod text;
mod training;
mod untrusted;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use matchq::instructions::InstructionSet;
use serde_json::Value;
use temp_dir::TempDir;

const CONFIG: &str = "
seed = 4

[network]
channels = 4
layers = 2
input = 'position'
dynamics_waves = 0

[training]
steps = 8000
games = 8
warmup = 80

[exploration]
steps = 2000

[replay]
capacity = 500
prioritised = true

[learning]
batch = 8
n_step = 2

[evaluation]
every = 2000
games = 4

[checkpoint]
every = 400

[logging]
every = 80
";

/// The program's folder, with a configuration.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let folder = temp_dir::TempDir::new().unwrap();
        fs::write(folder.path().join("tiny.toml"), CONFIG).unwrap();
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_matchq"));
        command.args(arguments).current_dir(self.0.path()).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn start(&self, arguments: &[&str]) -> Child {
        self.command(arguments).spawn().unwrap()
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Runs the program; returns its standard output.
    fn run_well(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_well(&output);
        String::from_utf8(output.stdout).unwrap()
    }

    /// Each game's moves in a file of `--moves`.
    fn moves(&self, name: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.path(name)).unwrap();
        text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["moves"][0].clone()).collect()
    }

    /// A short run with a checkpoint.
    fn train_short(&self, name: &str) {
        self.run_well(&["train", "--config", "tiny.toml", "--name", name, "--quiet", "--set", "training.steps=160"]);
    }

    fn replay(&self, seed: u64, moves: &[Value]) -> Vec<Value> {
        let seed = seed.to_string();
        let mut child = self.command(&["replay", "--seed", &seed]).stdin(Stdio::piped()).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        moves.iter().for_each(|line| writeln!(input, "{line}").unwrap());
        drop(input);
        let output = child.wait_with_output().unwrap();
        assert_well(&output);
        String::from_utf8(output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

fn assert_well(output: &Output) {
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

/// All files of a folder and their content; empty if missing.
fn snapshot(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => files.append(&mut snapshot(&path)),
            false => drop(files.insert(path.clone(), fs::read(&path).unwrap())),
        }
    }
    files
}

/// A path as this system writes it.
fn own(path: &str) -> String {
    path.replace('/', std::path::MAIN_SEPARATOR_STR)
}

/// Waits until a run has logged `rows` rows.
fn wait_for_rows(run: &mut Child, log: &Path, rows: usize) {
    while fs::read_to_string(log).unwrap_or_default().lines().count() < 1 + rows {
        assert_eq!(run.try_wait().unwrap(), None, "the run ended before it could be interrupted");
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
}

/// Output for an input, in the repository's folder.
fn matchq(arguments: &[&str], input: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_matchq"));
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // The program may end before it reads the input.
    child.stdin.take().unwrap().write_all(input.as_bytes()).ok();
    child.wait_with_output().unwrap()
}
