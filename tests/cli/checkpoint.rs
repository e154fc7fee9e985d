//! Game and rules from a player's checkpoint; a picture of its game.

use std::fs;
use std::process::{Command, Output, Stdio};

fn matchq(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_matchq"));
    command.args(arguments);
    command
}

fn text(output: &[u8]) -> String {
    String::from_utf8_lossy(output).into_owned()
}

#[test]
fn the_game_is_that_of_the_players_checkpoint_where_none_is_named() {
    let bilging = concat!("network:checkpoint=", env!("CARGO_MANIFEST_DIR"), "/checkpoints/bilging-dqn");
    let tetris = concat!("linear:checkpoint=", env!("CARGO_MANIFEST_DIR"), "/checkpoints/tetris-shapes");
    let run = |arguments: &[&str]| -> Output { matchq(arguments).output().unwrap() };
    for arguments in [
        &["compare", "--games", "1", "--player", bilging][..],
        &["eval", "--games", "1", "--player", bilging],
        &["play", "--player", bilging, "--speed", "100"],
        &["replay", "--seed", "0", "--player", bilging],
        &["endure", "--moves", "1000", "--rule", "rows=6", "--players", tetris],
    ] {
        let done = run(arguments);
        assert!(done.status.success(), "{arguments:?}: {}", text(&done.stderr));
    }
    let done = run(&["compare", "--games", "1", "--game", "match3", "--player", bilging]);
    assert!(done.status.code() == Some(2) && text(&done.stderr).contains("plays bilging, not match3"));
    let done = run(&["play", "--player", "network:checkpoint=/no/such/agent"]);
    assert!(done.status.code() == Some(2) && text(&done.stderr).contains("/no/such/agent"));
}

#[test]
fn a_picture_is_of_the_whole_game_though_nobody_reads_the_moves() {
    let folder = temp_dir::TempDir::new().unwrap();
    let draw = |name: &str| {
        let path = folder.path().join(name);
        let mut command = matchq(&["replay", "--seed", "3", "--player", "greedy", "--svg"]);
        command.arg(&path).stdout(Stdio::piped());
        (command, path)
    };
    let (mut read, whole) = draw("whole.svg");
    assert!(read.output().unwrap().status.success());
    let (mut closed, unread) = draw("unread.svg");
    let mut child = closed.spawn().unwrap();
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
    assert_eq!(fs::read(whole).unwrap(), fs::read(unread).unwrap());
}

#[test]
fn a_training_says_how_to_play_and_that_is_by_the_rules_that_it_learned() {
    let runs = temp_dir::TempDir::new().unwrap();
    let config = concat!(env!("CARGO_MANIFEST_DIR"), "/configs/tetris-cma.toml");
    let mut command = matchq(&["train", "--quiet", "--config", config, "--runs", runs.path().to_str().unwrap()]);
    for set in ["game.rules.rows=6", "training.generations=1", "fitness.games=2", "evaluation.games=2"] {
        command.args(["--set", set]);
    }
    let said = text(&command.output().unwrap().stdout);
    let (_, told) = said.trim_end().split_once("measure it: matchq ").unwrap();
    let (told, watch) = told.split_once("\nwatch it play: matchq play --player ").unwrap();
    assert!(watch.ends_with(" --rule rows=6"), "{said}");
    let mut arguments: Vec<&str> = told.split(' ').collect();
    arguments.extend(["--games", "2", "--json", "-"]);
    let played: serde_json::Value = serde_json::from_slice(&matchq(&arguments).output().unwrap().stdout).unwrap();
    assert_eq!(played["rules"]["rows"], 6, "{said}");
}
