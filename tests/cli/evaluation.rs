//! Games of players and their reports.

use super::*;

#[test]
fn an_agent_is_evaluated_by_the_rules_it_was_trained_with_unless_others_are_given() {
    let agent = concat!(env!("CARGO_MANIFEST_DIR"), "/checkpoints/tetris-shapes");
    for (flags, rules) in [(&[][..], "--rule rows=10"), (&["--rule", "rows=6"], "--rule rows=6")] {
        let told = Place::new().run_well(&[&["eval", "--games", "1", "--checkpoint", agent], flags].concat());
        assert!(told.trim_end().ends_with(&format!("--game tetris {rules}")), "{told}");
    }
}

#[test]
fn an_evaluation_gives_every_score_and_the_moves_that_make_it() {
    let place = Place::new();
    place.train_short("run");
    let eval =
        ["eval", "--checkpoint", "runs/run", "--games", "6", "--seed", "3", "--json", "-", "--moves", "moves.jsonl"];
    let report: Value = serde_json::from_str(&place.run_well(&eval)).unwrap();
    assert_eq!(report.get("moves"), None);
    assert_eq!((&report["player"], &report["seed"], &report["games"]), (&"runs/run".into(), &3.into(), &6.into()));
    let scores: Vec<i64> = report["scores"].as_array().unwrap().iter().map(|score| score.as_i64().unwrap()).collect();
    let moves = place.moves("moves.jsonl");
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
        let eval =
            ["eval", "--checkpoint", "runs/run/best.safetensors", "--games", "20", "--json", "-", "--moves", "moves"];
        let report: Value = serde_json::from_str(&place.run_well(&[&eval[..], flags].concat())).unwrap();
        (report["scores"].clone(), place.moves("moves"))
    };
    let expected = scores(&[]);
    assert_eq!(scores(&["--batch", "1", "--threads", "1"]), expected);
    assert_eq!(scores(&["--batch", "7", "--threads", "2"]), expected);
}

#[test]
fn an_evaluation_may_be_in_another_precision_if_there_is_a_network() {
    let place = Place::new();
    let told = place.run_well(&["eval", "--games", "2", "--precision", "bf16"]);
    assert!(told.ends_with("watch it: matchq play --player dqn:precision=bf16\n"), "{told}");
    let told = place.run_well(&["eval", "--games", "2"]);
    assert!(told.ends_with("watch it: matchq play --player dqn\n"), "{told}");
    let output = place.command(&["eval", "--game", "tetris", "--precision", "bf16"]).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("--precision bf16") && error.contains("leave it out"), "{error}");
}

#[test]
fn an_evaluation_is_written_in_words_and_drawn_where_a_file_is_named() {
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
    // With a byte order mark, as some editors save.
    let text = fs::read_to_string(place.path("two.json")).unwrap();
    fs::write(place.path("two.json"), format!("\u{feff}{text}")).unwrap();
    let from = ["compare", "--from", "one.json,two.json", "--plot", "all.svg"];
    let told = place.run_well(&from);
    assert!(told.starts_with("10 to 30 games from seed 5, pairs by the games that both played\n"), "{told}");
    assert!(fs::read_to_string(place.path("all.svg")).unwrap().contains("3 players: 10 to 30 games from seed 5"));

    // What a pipe holds can be read once.
    if cfg!(target_os = "linux") {
        let one = fs::read_to_string(place.path("one.json")).unwrap();
        assert_well(&matchq(&["compare", "--from", "/dev/stdin"], &one));
    }

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
fn the_games_of_another_program_are_compared_by_their_moves_alone() {
    let place = Place::new();
    let greedy =
        ["compare", "--players", "greedy", "--games", "3", "--seed", "7", "--luck", "3", "--json", "greedy.json"];
    place.run_well(&[&greedy[..], &["--moves", "greedy.jsonl"]].concat());
    let moves = place.moves("greedy.jsonl");
    let given = serde_json::json!({"player": "mine", "game": "match3", "seed": 7, "moves": moves});
    let compare = |given: &Value, flags: &[&str]| {
        fs::write(place.path("mine.json"), given.to_string()).unwrap();
        place.run(&[&["compare", "--from", "greedy.json,mine.json"][..], flags].concat())
    };
    let output = compare(&given, &["--json", "-", "--luck", "3"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let [greedy, mine] = [&report["players"][0], &report["players"][1]];
    for key in ["seed", "games", "rules", "scores", "mean", "moves_without_match", "waves_per_match", "luck"] {
        assert_eq!(mine[key], greedy[key], "{key}");
    }
    let text = String::from_utf8(compare(&given, &[]).stdout).unwrap();
    let row = text.lines().find(|line| line.starts_with("mine ")).unwrap();
    assert!(row.split_whitespace().any(|cell| cell == "-"), "the time is unknown: {text}");

    for (change, part) in [
        (
            (|given| given["moves"][1] = serde_json::json!([[2, 6, true]])) as fn(&mut Value),
            "the game of seed 8: its 1",
        ),
        (|given| given["moves"][2][4] = serde_json::json!("up"), "mine, the game of seed 9: move 5: "),
        (
            |given| given["moves"][0].as_array_mut().unwrap().push(serde_json::json!([0, 0, true])),
            "the game ends before",
        ),
        (|given| given["moves"] = serde_json::json!([]), "at least one game is needed"),
        (|given| given["game"] = "bilging".into(), "these are games of bilging, not of match3"),
        (|given| given["rules"] = serde_json::json!({"colour": 3}), "the rules of mine: "),
        (
            |given| drop(given.as_object_mut().unwrap().remove("seed")),
            "nor player, game, seed and moves: missing field",
        ),
    ] {
        let mut given = given.clone();
        change(&mut given);
        let output = compare(&given, &[]);
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains("--from mine.json") && told.contains(part), "{part}: {told}");
    }
}

#[test]
fn players_are_sorted_and_each_is_compared_with_every_better_one_or_with_the_best() {
    let place = Place::new();
    let compare = |players: &str| place.run_well(&["compare", "--players", players, "--games", "30"]);
    let rows = |text: &str, table: usize| -> Vec<Vec<String>> {
        let table = text.split("\n\n").nth(table).unwrap();
        let words =
            |line: &str| line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).map(str::to_owned).collect();
        table.lines().map(words).collect()
    };
    let text = compare("random,plan,greedy");
    let names: Vec<String> = rows(&text, 1).iter().map(|row| row[0].clone()).collect();
    assert_eq!(names, ["player", "plan", "greedy", "random"]);
    let matrix = rows(&text, 2);
    assert_eq!(matrix[0], ["difference (95 %)", "minus plan", "minus greedy"]);
    assert_eq!((matrix[1].len(), matrix[2].len()), (2, 3), "{text}");
    assert!(matrix[1][1].starts_with('-') && matrix[1][1].ends_with('*'), "{text}");

    let deep = |depth| format!("rollout:sims=4:depth={depth}:guide=plan:breadth=3");
    let text = compare(&format!("{},{},{}", deep(1), deep(2), deep(3)));
    let heads = rows(&text, 2)[0].clone();
    let named = (1..=3).all(|depth| text.contains(&format!("depth={depth}")));
    assert!(named && heads.len() == 3 && heads[1] != heads[2], "different players have different names: {text}");

    let text = compare("random,plan,greedy,cascade,matching");
    assert_eq!(rows(&text, 2)[0], ["difference (95 %)", "minus plan"]);
    assert_eq!(rows(&text, 2)[1..5].iter().map(|row| row.len()).max(), Some(2), "{text}");
}

#[test]
fn luck_is_estimated_of_games_as_they_are_played_and_of_saved_ones_alike() {
    let place = Place::new();
    let play = |flags: &[&str]| {
        place.run_well(&[&["compare", "--players", "matching,greedy", "--games", "30", "--json"], flags].concat())
    };
    let told = play(&["lucky.json", "--luck", "20"]);
    assert!(told.contains("luck-adjusted"), "{told}");
    assert!(!play(&["plain.json", "--moves", "plain.jsonl"]).contains("luck-adjusted"));
    let read = |file| -> Value { serde_json::from_slice(&fs::read(place.path(file)).unwrap()).unwrap() };
    let (lucky, plain) = (read("lucky.json"), read("plain.json"));
    let from = |files, flags: &[&str]| -> Value {
        let flags = [&["compare", "--from", files, "--json", "-"], flags].concat();
        serde_json::from_str(&place.run_well(&flags)).unwrap()
    };
    // Only luck is compared, because milliseconds differ between series.
    let told_later = from("plain.jsonl", &["--luck", "20"]);
    let output = place.run(&["compare", "--from", "plain.json", "--luck", "20"]);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && told.contains("--luck: matching has no moves"), "{told}");
    for player in 0..2 {
        for key in ["luck", "luck_adjusted"] {
            assert_eq!(told_later["players"][player][key], lucky["players"][player][key]);
            assert_eq!(plain["players"][player][key], Value::Null);
        }
    }
    // Luck by as many simulations is kept, in JSON's digits.
    let difference = |report: &Value| report["pairs"][0]["luck_adjusted"]["mean"].as_f64().unwrap();
    let changed = |flags: &[&str]| (difference(&from("lucky.json", flags)) - difference(&lucky)).abs();
    assert!(changed(&[]) < 1e-6 && changed(&["--luck", "20", "--threads", "1"]) < 1e-6);
    assert!((difference(&from("plain.jsonl", &["--luck", "1"])) - difference(&lucky)).abs() > 1e-3);
    assert_eq!(from("plain.json", &[])["pairs"][0]["luck_adjusted"], Value::Null);

    let number =
        |report: &Value, player: usize, key: &str, game: usize| report["players"][player][key][game].as_f64().unwrap();
    let less = |player, game| number(&lucky, player, "scores", game) - number(&lucky, player, "luck", game);
    let mean = |player| (0..30).map(|game| less(player, game)).sum::<f64>() / 30.0;
    assert!((lucky["players"][1]["luck_adjusted"]["mean"].as_f64().unwrap() - mean(1)).abs() < 1e-9);
    assert!((lucky["pairs"][0]["luck_adjusted"]["mean"].as_f64().unwrap() - (mean(1) - mean(0))).abs() < 1e-9);
}

#[test]
fn luck_is_not_estimated_of_moves_that_do_not_lead_to_the_score() {
    let place = Place::new();
    place.run_well(&["compare", "--players", "greedy", "--games", "2", "--json", "two.json", "--moves", "two.jsonl"]);
    let mut saved: Value = serde_json::from_slice(&fs::read(place.path("two.json")).unwrap()).unwrap();
    // As earlier versions wrote a report, with the moves in it.
    saved["players"][0]["moves"] = place.moves("two.jsonl").into();
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
    assert!(told.contains("--from spoilt.json: there is no game 'chess'"), "{told}");
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
        ("tiny.toml", vec!["--from tiny.toml", "--json or --moves of compare"]),
        ("nowhere.json", vec!["nowhere.json cannot be read"]),
    ] {
        let output = place.run(&["compare", "--from", from, "--plot", "all.svg"]);
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(parts.iter().all(|part| told.contains(part)), "{parts:?}: {told}");
        assert!(output.stdout.is_empty() && !place.path("all.svg").exists());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_was_played_is_kept_where_one_output_cannot_be_written() {
    let folder = temp_dir::TempDir::new().unwrap();
    let place = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    for command in [&["eval", "--player", "greedy"][..], &["compare", "--players", "greedy"]] {
        let (json, plot) = (place("scores.json"), place("scores.svg"));
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut run = std::process::Command::new(env!("CARGO_BIN_EXE_matchq"));
        let done =
            run.args(command).args(["--games", "2", "--json", &json, "--plot", &plot]).stdout(full).output().unwrap();
        assert_eq!(done.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&done.stderr).contains("standard output cannot be written"));
        for file in [json, plot] {
            assert!(std::fs::metadata(&file).unwrap().len() > 100, "{command:?}: {file}");
            std::fs::remove_file(file).unwrap();
        }
    }
}
