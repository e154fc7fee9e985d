//! Parts of commands, and what puts them together.

use std::fs;

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{Place, snapshot};

/// A report without the times by the clock.
fn timeless(text: &str) -> Value {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(parts) => {
                for clock in ["seconds", "games_per_second", "milliseconds_per_move"] {
                    parts.remove(clock);
                }
                parts.values_mut().for_each(strip);
            }
            Value::Array(parts) => parts.iter_mut().for_each(strip),
            _ => {}
        }
    }
    let mut report = serde_json::from_str(text).unwrap();
    strip(&mut report);
    report
}

impl Place {
    /// Does all parts of a command, the last one first.
    fn shards(&self, of: usize, command: &[&str]) {
        for index in (0..of).rev() {
            let (index, of) = (index.to_string(), of.to_string());
            self.run_well(&[&["shard", "--index", &index, "--of", &of, "--out", "parts"], command].concat());
        }
    }

    /// What is refused, in a sentence with exit code 2.
    fn refused(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{told}");
        told
    }
}

#[test]
fn parts_together_are_the_report_of_one_process() {
    for (of, command) in [
        (4, "eval --player greedy --games 21 --seed 340282366920938463463374607431768211435"),
        (3, "eval --game bilging --player greedy --games 4"),
        (3, "compare --players greedy,cascade --games 20 --seed 5 --luck 20"),
        (2, "compare --game tile-match --players random,greedy --games 3"),
    ] {
        let place = Place::new();
        let command: Vec<&str> = command.split(' ').collect();
        let whole = place.run_well(&[&command[..], &["--json", "-", "--moves", "whole.jsonl"]].concat());
        place.shards(of, &command);
        let merged = place.run_well(&["merge", "parts", "--json", "-", "--moves", "merged.jsonl"]);
        assert_eq!(timeless(&merged), timeless(&whole), "{command:?}");
        assert_eq!(place.moves("merged.jsonl"), place.moves("whole.jsonl"), "{command:?}");
    }
    for command in [
        "endure --game tetris --rule rows=6 --players linear:weights=dt-10,greedy --sequences 5 --moves 3000 --split",
        // No game ends.
        "endure --game tetris --players linear:weights=dt-10 --sequences 3 --moves 40",
    ] {
        let place = Place::new();
        let command: Vec<&str> = command.split(' ').collect();
        let whole = place.run_well(&[&command[..], &["--json"]].concat());
        place.shards(3, &command);
        assert_eq!(timeless(&place.run_well(&["merge", "parts", "--json", "-"])), timeless(&whole), "{command:?}");
        assert!(whole.contains("\"ended\":0,\"moves\":120") || command.contains(&"--split"), "{whole}");
        let told = place.refused(&["merge", "parts", "--json", "nowhere/merged.json"]);
        assert!(told.contains("--json nowhere/merged.json: the folder nowhere does not exist"), "{told}");
        let told = place.refused(&["merge", "parts", "--moves", "merged.jsonl"]);
        assert!(told.contains("--moves: these are shards of endure, which keeps no moves"), "{told}");
    }
}

#[test]
fn a_generation_of_parts_is_that_of_training() {
    let place = Place::new();
    let config = "learner = 'evolution'\nseed = 3\ngame = { name = 'tetris', rules = { rows = 6 } }\n\
        training = { generations = 4 }\nlearning = { method = 'cma', features = ['dellacherie'] }\n\
        cma = { population = 7 }\nfitness = { games = 3, moves = 30000 }\nevaluation = { every = 4, games = 5, moves = 100 }";
    fs::write(place.path("evolution.toml"), config).unwrap();
    let train = |name| ["train", "--config", "evolution.toml", "--name", name, "--quiet"];
    place.run_well(&train("whole"));
    // A training that is killed at its beginning.
    let mut killed = place.start(&train("mine"));
    while !place.path("runs/mine/last.safetensors").exists() || !place.path("runs/mine/last.ckpt").exists() {
        assert_eq!(killed.try_wait().unwrap(), None);
    }
    killed.kill().unwrap();
    killed.wait().unwrap();
    let generation = ["generation", "--run", "mine"];
    for number in 1..=4 {
        fs::remove_dir_all(place.path("parts")).ok();
        place.shards(3, &generation);
        let told = place.run_well(&["merge", "parts", "--into", "mine"]);
        let expected = if number == 4 { "4 generations of 4; the run is finished" } else { "; the run goes on" };
        assert!(told.contains(expected), "{number}: {told}");
        let told = place.refused(&["merge", "parts", "--into", "mine"]);
        assert!(told.contains("the shards are of another state of the run"), "{told}");
    }
    for file in ["last.ckpt", "last.safetensors", "best.safetensors"] {
        let of = |run: &str| fs::read(place.path("runs").join(run).join(file)).unwrap();
        assert!(of("mine") == of("whole"), "{file}");
    }
    assert!(place.refused(&["merge", "parts"]).contains("--into: these are shards of a generation"));
    assert_eq!(place.refused(&["merge", "runs"]), "error: runs: there is no shard in this folder\n");
    let told =
        place.refused(&["shard", "--index", "0", "--of", "99", "--out", "parts", "generation", "--run", "whole"]);
    assert!(told.contains("--of 99: this work has at most 7 parts"), "{told}");
    let told = place.refused(&["shard", "--index", "0", "--of", "2", "--out", "parts", "generation", "--run", "none"]);
    assert!(told.contains("--run none: neither this folder"), "{told}");
}

#[test]
fn what_is_no_part_of_the_command_is_refused_by_its_name() {
    let place = Place::new();
    let command = ["eval", "--player", "greedy", "--games", "9"];
    place.shards(3, &command);
    let name = |file: &str| {
        let files = snapshot(&place.path("parts"));
        files.into_keys().find(|path| path.to_string_lossy().contains(file)).unwrap()
    };
    let (second, bytes) = (name("00001-of"), fs::read(name("00001-of")).unwrap());

    fs::remove_file(&second).unwrap();
    let told = place.refused(&["merge", "parts"]);
    assert!(told.contains("parts: of 3 shards 1 is missing: 1\n"), "{told}");

    for damaged in [&bytes[..bytes.len() - 7], &bytes[..40], b"", &[&bytes[..bytes.len() - 9], b"123456789"].concat()] {
        fs::write(&second, damaged).unwrap();
        let told = place.refused(&["merge", "parts"]);
        assert!(told.contains("00001-of-00003.shard is a damaged shard"), "{told}");
    }
    // A damaged part is made again; a whole one is not.
    place.shards(3, &command);
    assert_eq!(timeless(lines(&fs::read(&second).unwrap())[0]), timeless(lines(&bytes)[0]));
    let whole = snapshot(&place.path("parts"));
    place.shards(3, &command);
    assert!(snapshot(&place.path("parts")) == whole);

    for other in [
        &["eval", "--player", "cascade", "--games", "9"][..],
        &["eval", "--player", "greedy", "--games", "10"],
        &["eval", "--player", "greedy", "--games", "9", "--seed", "1"],
        &["eval", "--player", "greedy", "--games", "9", "--rule", "obstacle_kinds=1"],
        &["eval", "--player", "cascade:label=greedy", "--games", "9"],
        &["compare", "--players", "greedy", "--games", "9"],
    ] {
        fs::remove_dir_all(place.path("parts")).unwrap();
        place.shards(3, &command);
        fs::remove_file(name("00002-of")).unwrap();
        place.run_well(&[&["shard", "--index", "2", "--of", "3", "--out", "parts"], other].concat());
        let told = place.refused(&["merge", "parts"]);
        assert!(
            told.contains(" is no part of what ") && told.contains("; a folder holds the shards of one command"),
            "{told}"
        );
    }
}

#[test]
fn a_crafted_part_whose_digest_is_right_is_refused_by_what_is_wrong() {
    for (command, from, to, sentence) in [
        (
            "eval --player greedy --games 2",
            "\"matches\":",
            "\"matches\":7",
            "the games of greedy are none that were played",
        ),
        (
            "eval --player greedy --games 2",
            "\"actions\":[",
            "\"actions\":[142|",
            "the games of greedy are none that were played",
        ),
        (
            "eval --player greedy --games 2",
            "\"waves\":",
            "\"waves\":0|",
            "the games of greedy are none that were played",
        ),
        ("eval --player greedy --games 2", "\"seconds\":", "\"seconds\":-", "seconds, which no games do"),
        ("eval --player greedy --games 2", "\"seed\":0,", "\"seed\":1,", "are not those of the seeds in order"),
        ("eval --player greedy --games 2", "\"count\":", "\"count\":3|", "are not those of the seeds in order"),
        (
            "endure --game tetris --players greedy --sequences 2 --moves 50",
            "\"count\":",
            "\"count\":3|",
            "the shards hold 2 sequences of greedy, not the 3 of the command",
        ),
        (
            "compare --players greedy,cascade --games 2",
            "{\"player\":\"cascade\",\"text\":\"cascade\"}",
            "{\"player\":\"cascade\",\"text\":\"cascade\"},{\"player\":\"plan\",\"text\":\"plan\"}",
            "a shard has the results of 2 players, not 3",
        ),
        (
            "endure --game tetris --players greedy --sequences 2 --moves 50",
            "\"ended\":",
            "\"ended\":0|",
            "the sequences of greedy are none",
        ),
        (
            "eval --player greedy --games 2",
            "\"player\":\"greedy",
            "\"player\":\"\\u001b[2J",
            "are none that a command writes",
        ),
        (
            "endure --game tetris --players greedy --sequences 2 --moves 50",
            "\"ends\":",
            "\"ends\":-1",
            "the sequences of greedy are none",
        ),
    ] {
        let place = Place::new();
        place.shards(1, &command.split(' ').collect::<Vec<_>>());
        let path = snapshot(&place.path("parts")).into_keys().next().unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{text}");
        // With | the number there gives way.
        let text = match to.strip_suffix('|') {
            None => text.replacen(from, to, 1),
            Some(to) => {
                let (before, rest) = text.split_once(from).unwrap();
                format!("{before}{to}{}", rest.trim_start_matches(|letter: char| letter.is_ascii_digit()))
            }
        };
        let (head, results) = text.trim_end().split_once('\n').unwrap();
        let mut head: Value = serde_json::from_str(head).unwrap();
        head["results"] = Sha256::digest(results).iter().map(|byte| format!("{byte:02x}")).collect::<String>().into();
        fs::write(&path, format!("{head}\n{results}\n")).unwrap();
        let told = place.refused(&["merge", "parts"]);
        assert!(told.contains(sentence), "{told}");
    }
}

fn lines(bytes: &[u8]) -> Vec<&str> {
    std::str::from_utf8(bytes).unwrap().lines().skip(1).collect()
}

#[test]
fn a_part_that_cannot_be_is_refused_and_its_number_may_come_from_the_system() {
    let place = Place::new();
    let shard = ["shard", "--of", "2", "--out", "parts"];
    let games = ["eval", "--player", "greedy", "--games", "4"];
    for (more, expected) in [
        (&["--index", "2", "eval", "--player", "greedy"][..], "--index 2: it must be from 0 to 1, below --of"),
        (&["eval", "--player", "greedy"], "--index: a shard needs it, or the variable SLURM_ARRAY_TASK_ID"),
        (&["--index", "0", "eval", "--games", "1"], "--of 2: this work has at most 1 part"),
        (
            &["--index", "0", "eval", "--json", "x.json"],
            "--json: a shard writes to --out; give --json to `matchq merge`",
        ),
        (
            &["--index", "0", "compare", "--players", "greedy", "--moves", "x.jsonl"],
            "--moves: a shard writes to --out; give --moves to `matchq merge`",
        ),
    ] {
        let told = place.refused(&[&shard[..], more].concat());
        assert!(told.contains(expected), "{told}");
    }
    for (variable, index) in [("SLURM_ARRAY_TASK_ID", "1"), ("JOB_COMPLETION_INDEX", "0")] {
        let output = place.command(&[&shard[..], &games].concat()).env(variable, index).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    }
    place.run_well(&["merge", "parts"]);
    // A failure while running may be tried again.
    fs::write(place.path("file"), "").unwrap();
    let told = place.refused(&[&["shard", "--index", "0", "--of", "2", "--out", "file"], &games[..]].concat());
    assert!(told.contains("--out file: this is no folder"), "{told}");
    let output = place.run(&[&["shard", "--index", "0", "--of", "2", "--out", "file/parts"], &games[..]].concat());
    assert_eq!(output.status.code(), Some(75), "{}", String::from_utf8_lossy(&output.stderr));
}
