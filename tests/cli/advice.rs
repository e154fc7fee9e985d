//! A player's advice on a position in a file.

use super::*;

#[test]
fn advice_on_bilging_is_a_drawing_or_json_and_a_board_that_is_none_is_refused_by_its_place() {
    let place = Place::new();
    let board = "cdefcd\nefcdef\ncdefcd\nefadef\ncdabcd\naabaef\ncdebcd\nefcdef\ncdefcd\nefcdef\ncdefcd\nefcdef\n";
    fs::write(place.path("board.txt"), board).unwrap();
    let told = place.run_well(&["advise", "--game", "bilging", "--player", "planner", "board.txt"]);
    assert!(told.contains("one swap makes it: row 5, columns 2 and 3\nthe best move makes it"), "{told}");
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
    let golden = include_str!("../golden/bejeweled.jsonl").lines().take(3);
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
    assert!(output.status.code() == Some(2) && refused.contains("the game is over on this board"), "{refused}");
}

#[test]
fn a_piece_is_the_boards_or_the_one_that_is_given_and_never_both() {
    let place = Place::new();
    let wall = ["..........\n"; 9].concat() + "##.#######\n";
    let advise = ["advise", "--game", "tetris", "--rule", "rows=10", "board.txt", "--top", "1"];
    fs::write(place.path("board.txt"), &wall).unwrap();
    let output = place.run(&advise);
    let refused = String::from_utf8(output.stderr).unwrap();
    assert!(
        output.status.code() == Some(2) && refused.contains("board.txt shows no piece: --piece must be"),
        "{refused}"
    );
    let told = place.run_well(&[&advise[..], &["--piece", "T"]].concat());
    assert!(told.contains("   1  T upright, columns 1 to 3, clears 1 line "), "{told}");

    fs::write(place.path("board.txt"), "...OO.....\n".repeat(2) + &wall).unwrap();
    let shown = place.run_well(&advise);
    assert_eq!(place.run_well(&[&advise[..], &["--piece", "O"]].concat()), shown);
    let output = place.run(&[&advise[..], &["--piece", "T"]].concat());
    let refused = String::from_utf8(output.stderr).unwrap();
    assert!(
        output.status.code() == Some(2) && refused.contains("--piece T: board.txt shows another piece"),
        "{refused}"
    );
}
