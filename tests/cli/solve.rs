//! The best games of deals without chance, and the files that keep them.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Command;

use serde_json::Value;

use super::{Place, assert_well};

const SOLVE: [&str; 5] = ["solve", "--game", "samegame", "--best", "best.jsonl"];

impl Place {
    fn solve(&self, arguments: &[&str]) -> String {
        self.run_well(&[&SOLVE[..], arguments].concat())
    }

    /// Seed, score and starts of each game in a file.
    fn kept(&self, name: &str) -> Vec<(u64, i64, u64)> {
        let text = fs::read_to_string(self.path(name)).unwrap();
        let games = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let number = |game: &Value, key: &str| game[key].as_i64().unwrap();
        games
            .map(|game| (number(&game, "seed") as u64, number(&game, "score"), number(&game, "starts") as u64))
            .collect()
    }

    fn solve_refused(&self, arguments: &[&str]) -> String {
        let output = self.run(&[&["solve"], arguments].concat());
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{told}");
        told
    }
}

#[test]
fn each_deal_has_its_starts_the_best_game_is_kept_and_the_same_command_goes_on() {
    let place = Place::new();
    let twice = ["--games", "2", "--player", "anneal:changes=300", "--starts", "2"];
    let told = place.solve(&twice);
    assert!(told.contains("samegame, seed 1, boards=random: ") && told.contains("\nall 2 games: "), "{told}");
    let first = place.kept("best.jsonl");
    assert_eq!(first.iter().map(|(seed, _, starts)| (*seed, *starts)).collect::<Vec<_>>(), [(1, 2), (2, 2)]);
    // Nothing is left to do.
    assert_eq!(place.solve(&twice), told);
    assert_eq!(place.kept("best.jsonl"), first);
    place.solve(&["--games", "2", "--player", "anneal:changes=300", "--starts", "12"]);
    let more = place.kept("best.jsonl");
    assert!(more.iter().zip(&first).all(|(more, first)| more.2 == 12 && more.1 >= first.1), "{more:?}");
    assert!(more.iter().map(|one| one.1).sum::<i64>() > first.iter().map(|one| one.1).sum(), "{more:?}");
    // At once it is the same, and so are the first start and eval's game.
    let other = Place::new();
    other.solve(&["--games", "2", "--player", "anneal:changes=300", "--starts", "12", "--threads", "1"]);
    assert_eq!(other.kept("best.jsonl"), more);
    let eval = ["eval", "--game", "samegame", "--seed", "2", "--games", "1", "--player", "anneal:changes=300"];
    let report: Value = serde_json::from_str(&other.run_well(&[&eval[..], &["--json", "-"]].concat())).unwrap();
    other.run_well(
        &[&SOLVE[..4], &["one.jsonl", "--seed", "2", "--player", "anneal:changes=300", "--starts", "1"]].concat(),
    );
    assert_eq!(other.kept("one.jsonl")[0].1, report["scores"][0].as_i64().unwrap());
    // Only one deal is asked for: the other one stays.
    place.solve(&["--seed", "2", "--player", "greedy", "--starts", "13"]);
    assert_eq!(place.kept("best.jsonl").iter().map(|one| one.2).collect::<Vec<_>>(), [12, 13]);
    assert!(place.run_well(&["verify", "best.jsonl"]).contains("all 2 games: "));
}

#[test]
fn machines_that_share_the_starts_find_together_what_one_finds() {
    let place = Place::new();
    let part = |file: &str, of: &[&str], starts: &str| {
        let solve = ["solve", "--game", "samegame", "--best", file, "--player", "anneal:changes=200"];
        place.run_well(&[&solve[..], &["--starts", starts], of].concat());
    };
    part("0.jsonl", &["--of", "2"], "3");
    part("1.jsonl", &["--index", "1", "--of", "2"], "3");
    part("all.jsonl", &[], "6");
    place.run_well(&["verify", "0.jsonl", "1.jsonl", "--best", "together.jsonl"]);
    let moves = |name| place.moves(name);
    assert_eq!(moves("together.jsonl"), moves("all.jsonl"));
}

#[test]
fn an_interrupted_search_keeps_what_it_has_found() {
    if cfg!(windows) {
        return;
    }
    let place = Place::new();
    // One start would take hours.
    let mut solve = place.start(&[&SOLVE[..], &["--threads", "1", "--player", "anneal:changes=9000000000"]].concat());
    let mut told = String::new();
    let mut errors = BufReader::new(solve.stderr.take().unwrap());
    errors.read_line(&mut told).unwrap();
    assert!(told.starts_with("searching the best games of 1 deal; "), "{told}");
    let other = place.solve_refused(&["--game", "samegame", "--best", "best.jsonl", "--player", "greedy"]);
    assert!(other.contains("--best best.jsonl: another process searches for this file"), "{other}");
    let id = solve.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    // The signal again, as if also sent to the process group.
    Command::new("kill").args(["-INT", &id]).output().unwrap();
    let output = solve.wait_with_output().unwrap();
    assert_well(&output);
    let kept = place.kept("best.jsonl");
    assert!(kept[0].1 > 0 && kept[0].2 == 1, "{kept:?}");
}

#[test]
fn what_cannot_be_solved_is_refused_and_a_file_is_not_overwritten() {
    let place = Place::new();
    let told = place.solve_refused(&["--best", "best.jsonl", "--game", "tetris", "--player", "greedy"]);
    assert!(told.contains("chance has a part in tetris"), "{told}");
    let told = place.solve_refused(&["--best", "nowhere/best.jsonl", "--game", "samegame"]);
    assert!(told.contains("--best nowhere/best.jsonl"), "{told}");
    let told = place.solve_refused(&["--best", "best.jsonl", "--game", "samegame", "--index", "2", "--of", "2"]);
    assert!(told.contains("--index 2: the machines are 0 to 1"), "{told}");
    assert!(
        place.solve_refused(&["--best", "-", "--game", "samegame"]).contains("--best -: the best games need a file")
    );
    let network = ["--best", "best.jsonl", "--game", "samegame", "--player", "dqn"];
    assert!(!place.solve_refused(&network).contains("panicked"));
    place.solve(&["--player", "greedy", "--starts", "1"]);
    let before = fs::read(place.path("best.jsonl")).unwrap();
    let other = ["--best", "best.jsonl", "--game", "samegame", "--rule", "boards=standard", "--player", "greedy"];
    assert!(place.solve_refused(&other).contains("line 1: this is a game by other rules"));
    // Of two games of a deal the better one counts, and the higher number of starts.
    let (good, bad) = (["--player", "anneal:changes=3000"], ["--player", "random"]);
    place.run_well(&[&["solve", "--game", "samegame", "--best", "good.jsonl", "--starts", "1"], &good[..]].concat());
    place.run_well(&[&["solve", "--game", "samegame", "--best", "bad.jsonl", "--starts", "2"], &bad[..]].concat());
    let both = [fs::read(place.path("good.jsonl")).unwrap(), fs::read(place.path("bad.jsonl")).unwrap()].concat();
    fs::write(place.path("both.jsonl"), both).unwrap();
    let go_on = ["solve", "--game", "samegame", "--best", "both.jsonl", "--starts", "3", "--player", "random"];
    place.run_well(&go_on);
    assert_eq!(place.kept("both.jsonl"), [(1, place.kept("good.jsonl")[0].1, 3)]);
    let many = fs::read_to_string(place.path("good.jsonl")).unwrap().replace("\"starts\":1", "\"starts\":9000000000");
    fs::write(place.path("many.jsonl"), many).unwrap();
    let told = place.solve_refused(&["--game", "samegame", "--best", "many.jsonl"]);
    assert!(told.contains("many.jsonl, line 1: starts must be at most 4294967295"), "{told}");
    fs::write(place.path("text.jsonl"), "no game\n").unwrap();
    let told = place.solve_refused(&["--best", "text.jsonl", "--game", "samegame"]);
    assert!(told.contains("text.jsonl, line 1: this is no game"), "{told}");
    assert_eq!(fs::read(place.path("best.jsonl")).unwrap(), before);
}

#[test]
fn chosen_boards_have_a_sum_and_no_interval_and_without_chance_there_is_no_luck() {
    let place = Place::new();
    let series = ["--game", "samegame", "--seed", "1", "--games", "20"];
    let standard = [&series[..], &["--rule", "boards=standard"]].concat();
    let told = place.run_well(&[&["eval", "--player", "greedy"], &standard[..]].concat());
    let json = place.run_well(&[&["eval", "--player", "greedy", "--json", "-"], &standard[..]].concat());
    let report: Value = serde_json::from_str(&json).unwrap();
    let sum: i64 = report["scores"].as_array().unwrap().iter().map(|score| score.as_i64().unwrap()).sum();
    assert!(told.contains(&format!("\ntogether {sum}\n")) && !told.contains('±'), "{told}");
    assert_eq!((&report["half_width"], report["moves_without_match"].as_f64()), (&Value::Null, Some(0.0)));
    let players = ["compare", "--players", "greedy,random"];
    let output = place.run(&[&players, &standard[..], &["--luck", "10"]].concat());
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && told.contains("--luck: nothing is left to chance"), "{told}");
    let compared = place.run_well(&[&players, &standard[..], &["--json", "again.json"]].concat());
    assert!(!compared.contains('±') && !compared.contains('*'), "{compared}");
    assert_eq!(place.run_well(&["compare", "--from", "again.json"]).contains('±'), compared.contains('±'));
    // Other boards are drawn.
    let told = place.run_well(&[&["eval", "--player", "greedy"], &series[..]].concat());
    assert!(told.contains('±') && !told.contains("together"), "{told}");
    let compared = place.run_well(&[&players, &series[..]].concat());
    assert!(compared.contains('±') && compared.contains("difference (95 %)"), "{compared}");
}

#[test]
fn the_records_of_the_docs_are_proved_with_their_sums() {
    let place = Place::new();
    let docs = |path: &str| std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(path);
    let page = fs::read_to_string(docs("samegame.md")).unwrap();
    let mut proved = 0;
    for line in page.lines().filter(|line| line.starts_with("| [")) {
        let (_, link) = line.split_once("](").unwrap();
        let told = place.run_well(&["verify", docs(link.split(')').next().unwrap()).to_str().unwrap()]);
        let sum = line.trim_end_matches([' ', '|']).rsplit(' ').next().unwrap().replace(',', "");
        assert!(told.ends_with(&format!("\nall 20 games: {sum} points\n")), "{line}: {told}");
        assert_eq!(told.matches(", over, ").count(), 20, "{told}");
        proved += 1;
    }
    assert!(proved > 0);
}
