//! A game from outside of the program: once added, the toy is played, trained, resumed and evaluated.

use std::fs;
use std::path::Path;

use clap::Parser;

use super::Toy;
use matchq::Program;
use matchq::cli::Cli;
use matchq::error::Error;
use matchq::eval::{Summary, deal, play_series};
use matchq::games::{Game, Text};
use matchq::players;

/// Runs a command line.
fn matchq(line: &[&str]) -> Result<(), Error> {
    Program::new().game::<Toy>().execute(Cli::try_parse_from([&["matchq"], line].concat()).unwrap().command)
}

fn json(path: &Path) -> serde_json::Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// A player's mean score.
fn mean(player: &str, games: u64) -> f64 {
    let mut player = players::parse::<Toy>(player, &Default::default()).unwrap();
    let games = play_series(&mut *player, &Default::default(), 0, games, |_| ()).unwrap();
    let scores: Vec<i32> = games.iter().map(|game| game.score).collect();
    Summary::of(&scores).unwrap().mean
}

#[test]
fn it_is_trained_resumed_evaluated_and_compared_by_its_name() {
    let folder = temp_dir::TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let config = path("toy-dqn.toml");
    fs::write(
        &config,
        "[game]\nname = \"toy\"\n[network]\nchannels = 8\nlayers = 2\ninput = \"position\"\ndynamics_waves = 0\n\
         [training]\nsteps = 4000\ngames = 8\nwarmup = 400\n[exploration]\nstart = 1.0\nend = 0.1\nsteps = 2000\n\
         [replay]\ncapacity = 4000\n[learning]\nbatch = 32\nfinal_learning_rate = 1e-2\n[target]\nevery = 50\n\
         [evaluation]\nevery = 2000\ngames = 20\n[checkpoint]\nevery = 1000\n[logging]\nevery = 1000\n",
    )
    .unwrap();
    let runs = path("runs");
    let train = |name: &str, steps: &str| {
        let steps = format!("training.steps={steps}");
        matchq(&["train", "--config", &config, "--runs", &runs, "--name", name, "--set", &steps, "--quiet"]).unwrap();
    };
    train("straight", "4000");
    train("run", "2000");
    let run = path("runs/run");
    matchq(&["train", "--resume", &run, "--set", "training.steps=4000", "--quiet"]).unwrap();
    let [resumed, straight] =
        ["run", "straight"].map(|name| fs::read(path(&format!("runs/{name}/last.ckpt"))).unwrap());
    assert!(resumed == straight, "a run that is lengthened differs from one that was so long from the first");

    let report = path("eval.json");
    matchq(&["eval", "--checkpoint", &run, "--games", "300", "--json", &report]).unwrap();
    let trained = json(Path::new(&report));
    assert_eq!((trained["game"].as_str(), trained["rules"]["moves"].as_u64()), (Some("toy"), Some(4)));
    assert!(trained["mean"].as_f64().unwrap() > mean("random", 300) + 10.0, "{}", trained["mean"]);

    let table = path("compare.json");
    let player = format!("network:checkpoint={run}");
    let players = ["compare", "--game", "toy", "--players", "matching,plan", "--player", &player];
    matchq(&[&players[..], &["--games", "20", "--luck", "5", "--json", &table]].concat()).unwrap();
    matchq(&["compare", "--from", &table]).unwrap();
    matchq(&["players", "--game", "toy"]).unwrap();
    matchq(&["replay", "--game", "toy", "--seed", "1", "--player", "plan", "--svg", &path("game.svg")]).unwrap();
    assert!(fs::read_to_string(path("game.svg")).unwrap().starts_with("<svg"));
}

#[test]
fn what_belongs_to_another_game_is_refused_in_a_sentence() {
    let folder = temp_dir::TempDir::new().unwrap();
    let board = folder.path().join("board.txt");
    let (game, ..) = deal::<Toy>(&Default::default(), 3);
    fs::write(&board, Toy::board(&game.state())).unwrap();
    let board = board.display().to_string();
    let advise = ["advise", &board, "--player", "plan"];
    matchq(&[&advise[..], &["--game", "toy"]].concat()).unwrap();
    for (line, part) in [
        (&advise[..], "the board must have 10 rows, not 4"),
        (&["players", "--game", "chess"], "there is no game 'chess': the games are match3, "),
        (&["eval", "--game", "toy", "--checkpoint", "checkpoints/dqn"], "plays match3, not toy"),
        (&["compare", "--game", "toy", "--players", "network"], "no agent of toy is inside the program"),
        (
            &["compare", "--game", "toy", "--players", "random", "--rule", "obstacle_kinds=1"],
            "unknown field `obstacle_kinds`",
        ),
        (&["compare", "--game", "toy", "--players", "random", "--rule", "moves"], "it must be key=value"),
    ] {
        let error = matchq(line).unwrap_err();
        assert!(error.exit_code() == 2 && error.to_string().contains(part), "{line:?}: {error}");
    }
}
