//! The program as its user meets it: runs, results, interruptions, and errors that say what to do.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use matchq::instructions::InstructionSet;
use serde_json::Value;
use tempfile::TempDir;

const CONFIG: &str = "
seed = 4

[network]
channels = 4
layers = 2

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

/// A folder with a configuration in it, in which the program runs.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
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

    /// Runs, and gives what it wrote to standard output.
    fn run_well(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_well(&output);
        String::from_utf8(output.stdout).unwrap()
    }

    /// A run that is over at once, with a checkpoint to play with.
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

/// All files of a folder and their content; none if there is no folder.
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

/// Waits until a run has logged so many rows: it is then between its start and its end.
fn wait_for_rows(run: &mut Child, log: &Path, rows: usize) {
    while fs::read_to_string(log).unwrap_or_default().lines().count() < 1 + rows {
        assert_eq!(run.try_wait().unwrap(), None, "the run ended before it could be interrupted");
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
}

#[cfg(unix)]
#[test]
fn a_run_interrupted_or_killed_and_resumed_ends_as_the_one_that_never_was() {
    const TRAIN: [&str; 7] = ["train", "--config", "tiny.toml", "--quiet", "--threads", "2", "--name"];
    let place = Place::new();
    let train = |name| [&TRAIN[..], &[name]].concat();
    let resume = |name| place.run_well(&["train", "--resume", &format!("runs/{name}"), "--quiet", "--threads", "2"]);

    let mut interrupted = place.start(&train("interrupted"));
    wait_for_rows(&mut interrupted, &place.path("runs/interrupted/train.csv"), 5);
    let id = interrupted.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let output = interrupted.wait_with_output().unwrap();
    assert_well(&output);
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(told.starts_with("stopped at step "), "{told}");
    assert!(told.contains("matchq train --resume runs/interrupted"), "{told}");

    let mut killed = place.start(&train("killed"));
    wait_for_rows(&mut killed, &place.path("runs/killed/train.csv"), 12);
    killed.kill().unwrap();
    killed.wait().unwrap();

    let whole = place.run_well(&train("whole"));
    assert!(whole.starts_with("finished after 8000 steps"), "{whole}");
    let checkpoint = |name: &str, file| fs::read(place.path("runs").join(name).join(file)).unwrap();
    for name in ["interrupted", "killed"] {
        assert!(checkpoint(name, "last.ckpt") != checkpoint("whole", "last.ckpt"), "{name}: it was cut short");
        resume(name);
        for file in ["last.ckpt", "last.safetensors", "best.safetensors", "config.toml"] {
            assert!(checkpoint(name, file) == checkpoint("whole", file), "{name}: {file}");
        }
    }

    // A run that is done stays as it is.
    let before = checkpoint("whole", "last.ckpt");
    resume("whole");
    assert!(checkpoint("whole", "last.ckpt") == before);
}

#[test]
fn a_run_with_other_threads_or_instructions_than_before_says_so_in_a_line_each() {
    let place = Place::new();
    let short = ["--threads", "1", "--set", "training.steps=80"];
    place.run_well(&[&["train", "--config", "tiny.toml", "--name", "run", "--quiet"], &short[..]].concat());
    let resume = |threads, instructions: Option<&str>| {
        let mut command = place.command(&["train", "--resume", "runs/run", "--quiet", "--threads", threads]);
        command.envs(instructions.map(|set| ("MATCHQ_INSTRUCTIONS", set)));
        let output = command.output().unwrap();
        assert_well(&output);
        String::from_utf8(output.stderr).unwrap()
    };
    assert_eq!(resume("1", None), "");
    let said = resume("2", None);
    assert!(said.contains("--threads 1") && said.contains("with 2") && said.lines().count() == 1, "{said}");
    let used = InstructionSet::used();
    let said = resume("2", Some("portable"));
    let others = used != InstructionSet::Portable;
    let expected = format!("the instructions {used} and goes on with portable: the last bits");
    assert!(said.contains("--threads 1") && said.contains(&expected) == others, "{said}");
    assert_eq!(said.lines().count(), if others { 2 } else { 1 }, "{said}");
}

#[cfg(unix)]
#[test]
fn a_folder_in_which_a_process_trains_is_refused_to_another_until_it_is_killed() {
    let place = Place::new();
    let long = "training.steps=1000000000";
    let mut run = place.start(&["train", "--config", "tiny.toml", "--name", "run", "--quiet", "--set", long]);
    wait_for_rows(&mut run, &place.path("runs/run/train.csv"), 2);
    let resume = ["train", "--resume", "runs/run", "--quiet"];
    let refused = place.run(&resume);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains("runs/run: another process trains in this folder"), "{said}");
    run.kill().unwrap();
    run.wait().unwrap();

    let mut again = place.start(&resume);
    wait_for_rows(&mut again, &place.path("runs/run/train.csv"), 8);
    again.kill().unwrap();
    again.wait().unwrap();
}

#[test]
fn a_run_is_called_after_its_configuration_and_numbered_where_that_exists() {
    let place = Place::new();
    for name in ["tiny", "tiny-2", "tiny-3"] {
        let train = ["train", "--config", "tiny.toml", "--set", "training.steps=8", "--quiet"];
        let told = place.run_well(&train);
        assert!(told.contains(&format!("--checkpoint runs/{name}\n")), "{told}");
        assert!(place.path("runs").join(name).join("last.ckpt").is_file());
    }
}

#[test]
fn how_a_training_ended_is_written_once() {
    let output = Place::new().run(&["train", "--config", "tiny.toml", "--set", "training.steps=160"]);
    assert_well(&output);
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(told.matches("step 160 of 160 (100 %)").count(), 1, "{told}");
    assert!(told.contains("best evaluation"), "{told}");
}

#[test]
fn an_agent_is_evaluated_by_the_rules_it_was_trained_with_unless_others_are_given() {
    let agent = concat!(env!("CARGO_MANIFEST_DIR"), "/checkpoints/tetris-shapes");
    for (flags, rules) in [(&[][..], "--rule rows=10"), (&["--rule", "rows=6"], "--rule rows=6")] {
        let told = Place::new().run_well(&[&["eval", "--games", "1", "--checkpoint", agent], flags].concat());
        assert!(told.trim_end().ends_with(&format!("--game tetris {rules}")), "{told}");
    }
}

#[cfg(unix)]
#[test]
fn a_folder_of_runs_that_cannot_be_made_is_the_users_to_choose_otherwise() {
    let output = Place::new().run(&["train", "--config", "tiny.toml", "--runs", "/dev/null/runs"]);
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.starts_with("error: /dev/null/runs cannot be made: ") && error.contains("--runs"), "{error}");
}

#[test]
fn a_training_that_its_learner_refuses_leaves_no_folder() {
    let place = Place::new();
    fs::write(place.path("fitted.toml"), "learner = 'fitted'\ngame = { name = 'bilging' }\n").unwrap();
    let output = place.run(&["train", "--config", "fitted.toml", "--set", "sampling.positions=3"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "error: sampling.positions = 3: it must be at least 7, one more than bilging has features\n"
    );
    assert!(!place.path("runs").exists());
}

#[test]
fn advice_on_bilging_is_a_drawing_or_json_and_a_board_that_is_none_is_refused_by_its_place() {
    let place = Place::new();
    let board = "cdefcd\nefcdef\ncdefcd\nefadef\ncdabcd\naabaef\ncdebcd\nefcdef\ncdefcd\nefcdef\ncdefcd\nefcdef\n";
    fs::write(place.path("board.txt"), board).unwrap();
    let told = place.run_well(&["advise", "--game", "bilging", "--player", "planner", "board.txt"]);
    assert!(told.contains("one swap makes it: (5, 2)-(5, 3)\nthe best move makes it"), "{told}");
    let told = place.run_well(&["advise", "--game", "bilging", "--player", "planner", "board.txt", "--json"]);
    let told: serde_json::Value = serde_json::from_str(&told).unwrap();
    let best = &told["moves"][0];
    assert_eq!((&best["move"], &best["points"]), (&serde_json::json!([5, 2]), &serde_json::json!(27)));
    assert_eq!((best["lines"].as_array().unwrap().len(), best["leaves"].as_array().unwrap().len()), (3, 12));
    assert_eq!(told["bingos"][0]["features"].as_array().unwrap().len(), 5);

    let output = place.run(&["advise", "--game", "bilging", "--rule", "colours=5", "board.txt"]);
    let refused = String::from_utf8(output.stderr).unwrap();
    assert!(refused.contains("row 0, column 3") && refused.contains("the last is 'e'"), "{refused}");

    fs::write(place.path("board.txt"), board.replacen('c', "x", 1)).unwrap();
    let output = place.run(&["advise", "--game", "bilging", "board.txt"]);
    let refused = String::from_utf8(output.stderr).unwrap();
    assert!(
        output.status.code() == Some(2) && refused.contains("board.txt") && refused.contains("row 0, column 0"),
        "{refused}"
    );
}

#[test]
fn advice_on_bejeweled_is_the_list_of_the_articles_program_and_gems_may_be_unknown() {
    let place = Place::new();
    let golden = include_str!("golden/bejeweled.jsonl").lines().take(3);
    for case in golden.map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        let rows: Vec<&str> = case["board"].as_array().unwrap().iter().map(|row| row.as_str().unwrap()).collect();
        let board = rows.join("\n");
        fs::write(place.path("board.txt"), &board).unwrap();
        let ask = ["advise", "--game", "bejeweled", "-", "--player", "ranked", "--json"];
        let mut asked = place.command(&ask).stdin(Stdio::piped()).spawn().unwrap();
        asked.stdin.take().unwrap().write_all(board.as_bytes()).unwrap();
        let output = asked.wait_with_output().unwrap();
        assert_well(&output);
        let told: Value = serde_json::from_slice(&output.stdout).unwrap();
        let ranked =
            case["ranked"].as_array().unwrap().iter().map(|index| &case["moves"][index.as_u64().unwrap() as usize]);
        let expected: Vec<Vec<&Value>> = ranked
            .map(|listed| ["move", "type", "double", "reaction", "after"].map(|key| &listed[key]).to_vec())
            .collect();
        let found: Vec<Vec<&Value>> = told["moves"]
            .as_array()
            .unwrap()
            .iter()
            .map(|listed| ["move", "type", "double", "reaction", "leaves"].map(|key| &listed[key]).to_vec())
            .collect();
        assert_eq!(found, expected);

        fs::write(place.path("board.txt"), board.replacen(['R', 'W'], "?", 5)).unwrap();
        let told =
            place.run_well(&["advise", "--game", "bejeweled", "board.txt", "--player", "plan", "--json", "--top", "2"]);
        let told: Value = serde_json::from_str(&told).unwrap();
        assert_eq!(told["moves"].as_array().unwrap().len(), 2);
        assert!(told["moves"][0]["value"].as_f64().unwrap() >= 10.0);
    }
    fs::write(place.path("board.txt"), "????????\n".repeat(8)).unwrap();
    let output = place.run(&["advise", "--game", "bejeweled", "board.txt"]);
    let refused = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(2) && refused.contains("no swap of the board matches"), "{refused}");
}

#[test]
fn an_agent_of_fitted_values_is_trained_resumed_for_longer_and_evaluated() {
    let place = Place::new();
    fs::write(place.path("fitted.toml"), "learner = 'fitted'\ngame = { name = 'bilging' }\n").unwrap();
    let short = ["--set", "sampling.positions=40", "--set", "sampling.outcomes=2", "--set", "playing.outcomes=1"];
    let train = [&["train", "--config", "fitted.toml", "--set", "training.sweeps=3", "--quiet"][..], &short].concat();
    place.run_well(&train);
    place.run_well(&["train", "--resume", "runs/fitted", "--set", "training.sweeps=5", "--quiet"]);
    let told = place.run_well(&["eval", "--checkpoint", "runs/fitted", "--games", "3"]);
    assert!(told.contains("fitted: 3 games") && told.contains("bingos a move"), "{told}");
    let wrong = place.run(&["eval", "--checkpoint", "runs/fitted", "--game", "match3", "--games", "3"]);
    assert_eq!(wrong.status.code(), Some(2));
}

#[test]
fn the_resolved_configuration_lies_with_the_run_and_gives_the_same_run_again() {
    let place = Place::new();
    place.train_short("first");
    let resolved = fs::read_to_string(place.path("runs/first/config.toml")).unwrap();
    assert!(resolved.contains("steps = 160") && resolved.contains("huber_delta = 1.0"), "{resolved}");
    place.run_well(&["train", "--config", "runs/first/config.toml", "--name", "again", "--quiet"]);
    for file in ["last.ckpt", "last.safetensors", "config.toml"] {
        let [first, again] = ["first", "again"].map(|name| fs::read(place.path("runs").join(name).join(file)).unwrap());
        assert!(first == again, "{file}");
    }
}

#[test]
fn without_a_terminal_progress_is_plain_lines() {
    let place = Place::new();
    let output = place.run(&["train", "--config", "tiny.toml", "--set", "training.steps=160"]);
    assert_well(&output);
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("160") && !told.contains('\r') && !told.contains('\x1b'), "{told:?}");
}

#[test]
fn an_evaluation_gives_every_score_and_the_moves_that_make_it() {
    let place = Place::new();
    place.train_short("run");
    let eval = ["eval", "--checkpoint", "runs/run", "--games", "6", "--seed", "3", "--json", "-"];
    let report: Value = serde_json::from_str(&place.run_well(&eval)).unwrap();
    assert_eq!((&report["player"], &report["seed"], &report["games"]), (&"network".into(), &3.into(), &6.into()));
    let scores: Vec<i64> = report["scores"].as_array().unwrap().iter().map(|score| score.as_i64().unwrap()).collect();
    let moves = report["moves"].as_array().unwrap();
    assert_eq!((scores.len(), moves.len()), (6, 6));
    let mean = scores.iter().sum::<i64>() as f64 / 6.0;
    assert!((report["mean"].as_f64().unwrap() - mean).abs() < 1e-9, "{mean}");
    assert_eq!(report["min"].as_f64().unwrap(), *scores.iter().min().unwrap() as f64);
    assert_eq!(report["max"].as_f64().unwrap(), *scores.iter().max().unwrap() as f64);

    for (seed, (moves, score)) in (3..).zip(moves.iter().zip(&scores)) {
        let moves = moves.as_array().unwrap();
        let lines = place.replay(seed, moves);
        assert_eq!((moves.len(), lines.len()), (25, 26));
        assert_eq!((&lines[25]["score"], &lines[25]["moves_left"]), (&(*score).into(), &0.into()), "seed {seed}");
    }
}

#[test]
fn scores_do_not_depend_on_the_batch_or_the_threads() {
    let place = Place::new();
    place.train_short("run");
    let scores = |flags: &[&str]| {
        let eval = ["eval", "--checkpoint", "runs/run/best.safetensors", "--games", "20", "--json", "-"];
        let report: Value = serde_json::from_str(&place.run_well(&[&eval[..], flags].concat())).unwrap();
        (report["scores"].clone(), report["moves"].clone())
    };
    let expected = scores(&[]);
    assert_eq!(scores(&["--batch", "1", "--threads", "1"]), expected);
    assert_eq!(scores(&["--batch", "7", "--threads", "2"]), expected);
}

#[test]
fn an_evaluation_may_be_in_another_precision_if_there_is_a_network() {
    let place = Place::new();
    let told = place.run_well(&["eval", "--games", "2", "--precision", "bf16"]);
    assert!(told.ends_with("watch it: matchq play --player network:precision=bf16\n"), "{told}");
    let told = place.run_well(&["eval", "--games", "2"]);
    assert!(told.ends_with("watch it: matchq play --player network\n"), "{told}");
    let output = place.command(&["eval", "--game", "tetris", "--precision", "bf16"]).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("--precision bf16") && error.contains("leave it out"), "{error}");
}

#[test]
fn an_evaluation_is_told_in_words_and_drawn_where_a_file_is_named() {
    let place = Place::new();
    place.train_short("run");
    let eval = ["eval", "--checkpoint", "runs/run", "--games", "20"];
    let told = place.run_well(&[&eval[..], &["--plot", "scores.svg", "--json", "report.json"]].concat());
    assert!(told.contains("20 games from seed 0") && told.contains("mean") && told.contains("95 %"), "{told}");
    assert!(fs::read_to_string(place.path("scores.svg")).unwrap().contains("<svg"));
    let report: Value = serde_json::from_slice(&fs::read(place.path("report.json")).unwrap()).unwrap();
    assert_eq!(report["scores"].as_array().unwrap().len(), 20);
}

#[test]
fn a_comparison_is_drawn_where_a_file_is_named() {
    let place = Place::new();
    let compare = ["compare", "--players", "matching,greedy,plan:depth=1", "--games", "20", "--plot"];
    let told = place.run_well(&[&compare[..], &["players.svg"]].concat());
    assert!(told.starts_with("20 games from seed 0, the same for every player\n"), "{told}");
    let svg = fs::read_to_string(place.path("players.svg")).unwrap();
    for part in ["3 players: 20 games from seed 0", "matching", "greedy", "plan:depth=1", "milliseconds a move"] {
        assert!(svg.contains(part), "{part} is missing");
    }
}

#[test]
fn saved_comparisons_are_compared_and_drawn_together_without_playing_again() {
    let place = Place::new();
    let compare = |players, games, file| {
        place.run_well(&["compare", "--players", players, "--games", games, "--seed", "5", "--json", file]);
        let report: Value = serde_json::from_slice(&fs::read(place.path(file)).unwrap()).unwrap();
        report
    };
    let one = compare("matching,greedy", "30", "one.json");
    let two = compare("cascade", "10", "two.json");
    let from = ["compare", "--from", "one.json,two.json", "--plot", "all.svg"];
    let told = place.run_well(&from);
    assert!(told.starts_with("10 to 30 games from seed 5, pairs by the games that both played\n"), "{told}");
    assert!(fs::read_to_string(place.path("all.svg")).unwrap().contains("3 players: 10 to 30 games from seed 5"));

    let all: Value = serde_json::from_str(&place.run_well(&[&from[..], &["--json", "-"]].concat())).unwrap();
    assert_eq!(
        all["players"],
        Value::Array([one["players"].as_array().unwrap().clone(), two["players"].as_array().unwrap().clone()].concat())
    );
    assert_eq!(all["pairs"][0], one["pairs"][0]);
    let score =
        |report: &Value, player: usize, game: usize| report["players"][player]["scores"][game].as_f64().unwrap();
    let mean = (0..10).map(|game| score(&two, 0, game) - score(&one, 1, game)).sum::<f64>() / 10.0;
    let pair = &all["pairs"][2];
    assert_eq!((&pair["player"], &pair["than"], &pair["games"]), (&"cascade".into(), &"greedy".into(), &10.into()));
    assert!((pair["mean"].as_f64().unwrap() - mean).abs() < 1e-9, "{pair}");
}

#[test]
fn luck_is_told_of_games_as_they_are_played_and_of_saved_ones_alike() {
    let place = Place::new();
    let play = |flags: &[&str]| {
        place.run_well(&[&["compare", "--players", "matching,greedy", "--games", "30", "--json"], flags].concat())
    };
    let told = play(&["lucky.json", "--luck", "20"]);
    assert!(told.contains("less luck"), "{told}");
    assert!(!play(&["plain.json"]).contains("less luck"));
    let read = |file| -> Value { serde_json::from_slice(&fs::read(place.path(file)).unwrap()).unwrap() };
    let (lucky, plain) = (read("lucky.json"), read("plain.json"));
    let from = |files, flags: &[&str]| -> Value {
        let flags = [&["compare", "--from", files, "--json", "-"], flags].concat();
        serde_json::from_str(&place.run_well(&flags)).unwrap()
    };
    // Milliseconds differ from one series to the next.
    let told_later = from("plain.json", &["--luck", "20"]);
    for player in 0..2 {
        for key in ["luck", "less_luck"] {
            assert_eq!(told_later["players"][player][key], lucky["players"][player][key]);
            assert_eq!(plain["players"][player][key], Value::Null);
        }
    }
    // What was told by as many simulations stays, in the digits that JSON keeps.
    let difference = |report: &Value| report["pairs"][0]["less_luck"]["mean"].as_f64().unwrap();
    let changed = |flags: &[&str]| (difference(&from("lucky.json", flags)) - difference(&lucky)).abs();
    assert!(changed(&[]) < 1e-6 && changed(&["--luck", "20", "--threads", "1"]) < 1e-6);
    assert!(changed(&["--luck", "1"]) > 1e-3);
    assert_eq!(from("plain.json", &[])["pairs"][0]["less_luck"], Value::Null);

    let number =
        |report: &Value, player: usize, key: &str, game: usize| report["players"][player][key][game].as_f64().unwrap();
    let less = |player, game| number(&lucky, player, "scores", game) - number(&lucky, player, "luck", game);
    let mean = |player| (0..30).map(|game| less(player, game)).sum::<f64>() / 30.0;
    assert!((lucky["players"][1]["less_luck"]["mean"].as_f64().unwrap() - mean(1)).abs() < 1e-9);
    assert!((lucky["pairs"][0]["less_luck"]["mean"].as_f64().unwrap() - (mean(1) - mean(0))).abs() < 1e-9);
}

#[test]
fn luck_is_not_told_of_moves_that_do_not_lead_to_the_score() {
    let place = Place::new();
    place.run_well(&["compare", "--players", "greedy", "--games", "2", "--json", "two.json"]);
    let saved: Value = serde_json::from_slice(&fs::read(place.path("two.json")).unwrap()).unwrap();
    let spoil = |change: fn(&mut Value)| {
        let mut saved = saved.clone();
        change(&mut saved["players"][0]);
        fs::write(place.path("spoilt.json"), saved.to_string()).unwrap();
        let output = place.run(&["compare", "--from", "spoilt.json", "--luck", "2"]);
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    for change in [
        (|player| player["scores"][1] = 7.into()) as fn(&mut Value),
        |player| player["moves"][1][3] = serde_json::json!([8, 0, true]),
        |player| drop(player["moves"][1].as_array_mut().unwrap().pop()),
        |player| player["moves"][1].as_array_mut().unwrap().push(serde_json::json!([0, 0, true])),
    ] {
        let told = spoil(change);
        assert!(told.contains("--luck: greedy") && told.contains("the game of seed 1"), "{told}");
    }
    let told = spoil(|player| player["moves"] = serde_json::json!([[]]));
    assert!(told.contains("the game of seed 0"), "{told}");
    let told = spoil(|player| player["luck"] = serde_json::json!([1.0]));
    assert!(told.contains("must have a luck, in points, for each of its games"), "{told}");
    let told = spoil(|player| player["luck"] = serde_json::json!([1.0, 1e13]));
    assert!(told.contains("must have a luck, in points, for each of its games"), "{told}");
    let told = spoil(|player| player["rules"]["obstacle_kinds"] = 300.into());
    assert!(told.contains("--from spoilt.json: the rules of greedy") && told.contains("0 to 252"), "{told}");
    let told = spoil(|player| player["game"] = "chess".into());
    assert!(told.contains("there is no game 'chess'"), "{told}");
}

#[test]
fn saved_comparisons_that_do_not_belong_together_are_refused() {
    let place = Place::new();
    for (file, flags) in [("zero.json", ["--seed", "0"]), ("one.json", ["--seed", "1"])] {
        place.run_well(&[&["compare", "--players", "greedy", "--games", "2", "--json", file][..], &flags].concat());
    }
    for (from, parts) in [
        ("zero.json,one.json", vec!["--from one.json", "the same --seed"]),
        ("zero.json,zero.json", vec!["--from: greedy is named twice"]),
        ("tiny.toml", vec!["--from tiny.toml", "compare --json"]),
        ("nowhere.json", vec!["nowhere.json cannot be read"]),
    ] {
        let output = place.run(&["compare", "--from", from, "--plot", "all.svg"]);
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(parts.iter().all(|part| told.contains(part)), "{parts:?}: {told}");
        assert!(output.stdout.is_empty() && !place.path("all.svg").exists());
    }
}

#[test]
fn what_is_wrong_is_said_with_the_file_the_key_or_the_flag_and_leaves_nothing_behind() {
    let place = Place::new();
    for (name, text) in [
        ("unknown.toml", "[learning]\nbacth = 3\n"),
        ("type.toml", "[learning]\nbatch = \"many\"\n"),
        ("range.toml", "[learning]\ndiscount = 1.5\n"),
        ("broken.toml", "[learning\n"),
    ] {
        fs::write(place.path(name), text).unwrap();
    }
    let before = snapshot(place.0.path());
    let set = |text| vec!["train", "--config", "tiny.toml", "--set", text];
    let train = |file| vec!["train", "--config", file];
    let eval = |flags: &[&'static str]| [&["eval", "--checkpoint", "tiny.toml"], flags].concat();
    // So many games would take the whole day: what is wrong is said before any is played.
    let compare = |plot| vec!["compare", "--players", "rollout", "--games", "100000000", "--plot", plot];
    let mut cases = vec![
        (train("unknown.toml"), vec!["unknown.toml", "learning", "bacth"]),
        (train("type.toml"), vec!["type.toml: learning.batch:", "many"]),
        (train("range.toml"), vec!["range.toml: learning.discount = 1.5", "between 0 and 1"]),
        (train("broken.toml"), vec!["broken.toml is not valid TOML"]),
        (train("missing.toml"), vec!["missing.toml cannot be read"]),
        (set("learning.batch"), vec!["--set learning.batch", "key=value"]),
        (set("learning.bacth=3"), vec!["--set", "learning", "bacth"]),
        (set("learning.batch=many"), vec!["--set: learning.batch:", "many"]),
        (set("learning.batch=0"), vec!["--set: learning.batch = 0", "between 1 and 65536"]),
        (set("seed.of=1"), vec!["--set seed.of", "'seed' is a value, not a section"]),
        (set("training.updates.most=1"), vec!["--set: training.updates: "]),
        (set("learning={bacth=1}"), vec!["--set: learning", "bacth"]),
        (set("evaluation.seed=0"), vec!["evaluation.seed = 0", "1000000 or above"]),
        (vec!["train"], vec!["--config"]),
        (vec!["train", "--config", "tiny.toml", "--name", "a/b"], vec!["--name a/b"]),
        (vec!["train", "--config", "tiny.toml", "--device", "abacus"], vec!["--device abacus", "flex"]),
        (vec!["train", "--config", "tiny.toml", "--threads", "0"], vec!["--threads"]),
        (vec!["train", "--resume", "nowhere"], vec!["--resume nowhere", "last.ckpt"]),
        (vec!["train", "--resume", "x", "--config", "tiny.toml"], vec!["--resume", "--config"]),
        (set("game.obstacle_kinds=1"), vec!["--set: game.obstacle_kinds: ", "game.rules.obstacle_kinds"]),
        (set("learner=sarsa"), vec!["--set: learner: ", "\"sarsa\"", "dqn"]),
        (set("game.name=chess"), vec!["--set: game.name: ", "\"chess\"", "match3"]),
        (vec!["eval", "--checkpoint", "nowhere.safetensors"], vec!["nowhere.safetensors cannot be read"]),
        (vec!["eval", "--checkpoint", "."], vec!["holds no best.safetensors"]),
        (eval(&[]), vec!["tiny.toml is not an agent of matchq"]),
        (eval(&["--games", "0"]), vec!["--games", "0"]),
        (eval(&["--batch", "0"]), vec!["--batch", "0"]),
        (eval(&["--plot", "scores.png"]), vec!["--plot", "scores.png", "must end in .svg"]),
        (vec!["eval", "--obstacle-kinds", "300"], vec!["--obstacle-kinds", "300"]),
        (vec!["compare", "--games", "2"], vec!["--players"]),
        (compare("players.pdf"), vec!["--plot", "players.pdf", "must end in .svg"]),
        (compare("nowhere/players.svg"), vec!["--plot nowhere/players.svg", "the folder nowhere does not exist"]),
        (vec!["compare", "--from", "x.json", "--games", "5"], vec!["--from", "--games"]),
        (vec!["compare", "--players", "greedy", "--luck", "0"], vec!["--luck"]),
        (vec!["replay", "--seed", "1", "nowhere.jsonl"], vec!["nowhere.jsonl cannot be read"]),
    ];
    if !cfg!(feature = "wgpu") {
        cases.push((vec!["eval", "--device", "wgpu"], vec!["--device wgpu", "--features wgpu"]));
        cases.push((
            vec!["train", "--config", "tiny.toml", "--device", "wgpu"],
            vec!["--device wgpu: not compiled in", "--features wgpu"],
        ));
    }
    for (arguments, parts) in cases {
        let output = place.run(&arguments);
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {told}");
        assert!(told.starts_with("error: "), "{arguments:?}: {told}");
        assert!(parts.iter().all(|part| told.contains(part)), "{arguments:?} must name {parts:?}: {told}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
        assert_eq!(snapshot(place.0.path()), before, "{arguments:?}");
        assert!(fs::read_dir(place.path("runs")).into_iter().flatten().next().is_none(), "{arguments:?}");
    }
}

#[test]
fn a_run_is_never_overwritten_and_a_damaged_one_never_touched() {
    let place = Place::new();
    place.train_short("run");
    let mut before = snapshot(&place.path("runs"));
    let output = place.run(&["train", "--config", "tiny.toml", "--name", "run"]);
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("--name run: ") && told.contains("--resume"), "{told}");
    assert_eq!(snapshot(&place.path("runs")), before);

    for file in ["last.ckpt", "best.safetensors"] {
        let path = place.path("runs/run").join(file);
        let whole = fs::read(&path).unwrap();
        fs::write(&path, &whole[..whole.len() - 100]).unwrap();
        before.insert(path, whole[..whole.len() - 100].to_vec());
    }
    let resume = ["train", "--resume", "runs/run"];
    for (arguments, file) in [(resume, "last.ckpt"), (["eval", "--checkpoint", "runs/run"], "best.safetensors")] {
        let output = place.run(&arguments);
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains(&format!("{file} is truncated or damaged")), "{told}");
        assert_eq!(snapshot(&place.path("runs")), before);
    }
}

#[test]
fn a_device_that_the_environment_names_wrongly_is_refused_by_the_variables_name() {
    let output = Place::new().command(&["eval", "--games", "1"]).env("MATCHQ_DEVICE", "abacus").output().unwrap();
    let sentence = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{sentence}");
    assert!(sentence.contains("MATCHQ_DEVICE=abacus") && sentence.contains("flex"), "{sentence}");
}
