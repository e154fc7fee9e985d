//! Games as text, boards read back, and seeds.

use crate::matchq;

fn text(output: &[u8]) -> String {
    String::from_utf8_lossy(output).into_owned()
}

/// A game's first two moves as text.
fn two_moves(game: &str) -> String {
    let done = matchq(&["play", "--game", game, "--player", "greedy", "--seed", "5", "--moves", "2"], "");
    assert!(done.status.success(), "{}", text(&done.stderr));
    text(&done.stdout)
}

#[test]
fn a_game_without_an_end_is_written_for_so_many_moves() {
    for game in ["match3", "bilging", "tetris", "bejeweled"] {
        let written = two_moves(game);
        assert!(written.contains("\nmove 2: ") && !written.contains("\nmove 3: "), "{written}");
        assert!(written.lines().last().unwrap().starts_with("score so far "), "{written}");
    }
}

#[test]
fn a_board_as_a_game_writes_it_is_advised_on_as_without_its_numbers() {
    for game in ["match3", "bilging", "tetris", "bejeweled"] {
        let written = two_moves(game);
        let board = written.split("\n\n").nth(1).unwrap();
        let numbered = board.lines().nth(1).unwrap();
        let edge = numbered.find(' ').unwrap() + numbered[numbered.find(' ').unwrap()..].find(|of| of != ' ').unwrap();
        let plain: Vec<&str> = board.lines().skip(1).map(|line| &line[edge..]).collect();
        let advise = |board: &str| {
            let done = matchq(&["advise", "--game", game, "--player", "greedy", "--json"], board);
            assert!(done.status.success(), "{game}: {}", text(&done.stderr));
            text(&done.stdout)
        };
        assert_eq!(advise(board), advise(&plain.join("\n")), "{board}");
    }
}

#[test]
fn moves_that_are_left_are_written_only_where_the_rules_count_them() {
    for (game, counts) in [("match3", true), ("bilging", true), ("tetris", false), ("bejeweled", false)] {
        let replayed = matchq(&["replay", "--game", game, "--seed", "5"], "");
        assert_eq!(text(&replayed.stdout).contains("moves_left"), counts, "{game}");
        let board = two_moves(game).split("\n\n").nth(1).unwrap().to_owned();
        let advised = matchq(&["advise", "--game", game, "--player", "greedy", "--json"], &board);
        assert_eq!(text(&advised.stdout).contains("moves_left"), counts, "{game}");
    }
}

#[test]
fn what_is_no_number_or_out_of_range_is_refused_by_a_sentence() {
    let huge = "9".repeat(40);
    let seed = "must be a whole number from 0 to 34028";
    for (command, flag, given, sentence) in [
        (&["play"][..], "--seed", "-1", seed),
        (&["play"], "--seed", &huge, seed),
        (&["replay"], "--seed", "1.5", seed),
        (&["eval", "--games", "1"], "--seed", "-1", seed),
        (&["compare", "--players", "random", "--games", "1"], "--seed", "1e5", seed),
        (&["endure", "--players", "random"], "--seed", "-7", "a whole number from 0 to 18446744073709551615"),
        (&["eval"], "--games", "-5", "must be a whole number from 1 to 100000000"),
        (&["eval"], "--games", "abc", "must be a whole number from 1 to 100000000"),
        (&["eval"], "--batch", "1025", "must be a whole number from 1 to 1024"),
        (&["advise"], "--moves-left", "x", "must be a whole number"),
        (&["play"], "--speed", "fast", "must be a number"),
        (&["read"], "--field", "-1,2,3,wide", "must be a number"),
    ] {
        let done = matchq(&[command, &[flag, given]].concat(), "");
        let told = text(&done.stderr);
        assert_eq!(done.status.code(), Some(2), "{told}");
        let value = given.rsplit(',').next().unwrap();
        assert!(told.contains(&format!("'{value}' for '{flag} ")) && told.contains(sentence), "{told}");
    }
    let endure = ["endure", "--game", "tetris", "--players", "random", "--seed", "18446744073709551600"];
    let done = matchq(&[&endure[..], &["--sequences", "17"]].concat(), "");
    assert_eq!(done.status.code(), Some(2));
    assert!(text(&done.stderr).contains("the seeds of all sequences must lie below 2^64"), "{}", text(&done.stderr));
}

#[test]
fn games_that_have_a_measure_of_danger_can_be_split_and_no_others() {
    let asked = ["endure", "--players", "greedy", "--moves", "4000", "--sequences", "4", "--split", "--json"];
    let done = matchq(&[&asked[..], &["--game", "tetris", "--rule", "rows=6"]].concat(), "");
    let found: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    let [ends, ended] = ["ends", "ended"].map(|key| found[0][key].as_f64().unwrap());
    assert!(found[0]["split"] == true && ends > 0.0 && ends < ended, "{found}");
    let done = matchq(&[&asked[..], &["--game", "bejeweled"]].concat(), "");
    assert_eq!(done.status.code(), Some(2));
    assert!(text(&done.stderr).contains("--split: bejeweled has no measure of how near its end a game is"));
    let config = concat!(env!("CARGO_MANIFEST_DIR"), "/configs/tetris-cma.toml");
    let runs = temp_dir::TempDir::new().unwrap();
    let runs = runs.path().to_str().unwrap();
    let sets = [
        "--set",
        "game={ name = \"bilging\" }",
        "--set",
        "fitness.split=true",
        "--set",
        "learning.features=[\"points\"]",
    ];
    let done = matchq(&[&["train", "--config", config, "--runs", runs], &sets[..]].concat(), "");
    assert_eq!(done.status.code(), Some(2));
    assert!(text(&done.stderr).contains("fitness.split: bilging has no measure"), "{}", text(&done.stderr));
}

#[test]
fn few_moves_of_a_sequence_are_reported_and_give_no_bound() {
    let asked =
        ["endure", "--game", "tetris", "--rule", "rows=10", "--players", "linear:weights=dt-10", "--sequences", "40"];
    let none = matchq(&[&asked[..], &["--moves", "12"]].concat(), "");
    assert!(text(&none.stdout).contains("no game ended") && none.stderr.is_empty(), "{}", text(&none.stdout));
    let short = matchq(&[&asked[..], &["--moves", "2000"]].concat(), "");
    assert!(text(&short.stderr).contains("2000 moves a sequence are few against a game's"), "{}", text(&short.stderr));
    let long = matchq(&[&asked[..], &["--moves", "10000"]].concat(), "");
    assert!(text(&long.stderr).is_empty() && text(&long.stdout).contains(" ± "), "{}", text(&long.stdout));
}

#[test]
fn who_waits_for_very_long_games_hears_of_a_quicker_way() {
    let eval = ["eval", "--player", "linear:weights=dt-10", "--game", "tetris", "--games", "1", "--seed", "5"];
    let told = |rows: &str| text(&matchq(&[&eval[..], &["--rule", rows]].concat(), "").stderr);
    assert!(
        told("rows=13").contains("a game has 200,000 moves already; `matchq endure --split` finds the mean sooner")
    );
    assert_eq!(told("rows=8"), "");
}

#[test]
fn the_page_of_an_own_game_shows_the_code_as_it_is() {
    let page = include_str!("../../docs/own-game.md");
    let code = [
        include_str!("../../examples/own_game/src/rules.rs"),
        include_str!("../../examples/own_game/src/views.rs"),
        include_str!("../../examples/own_game/src/roster.rs"),
        include_str!("../../examples/own_game/src/main.rs"),
    ];
    let blocks = page.split("```").skip(1).step_by(2);
    let blocks: Vec<&str> = blocks.filter_map(|block| block.split_once('\n').map(|(_, code)| code)).collect();
    assert!(blocks.len() >= 5);
    for block in blocks {
        assert!(code.iter().any(|code| code.contains(block)), "no file has\n{block}");
    }
}

#[test]
fn an_own_game_that_is_copied_is_compiled_as_the_program_is() {
    let read = |text: &str| text.parse::<toml::Table>().unwrap();
    let (own, whole) =
        (read(include_str!("../../examples/own_game/.cargo/config.toml")), read(include_str!("../../Cargo.toml")));
    assert_eq!(own["profile"]["release"], whole["profile"]["release"]);
}
