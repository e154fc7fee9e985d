//! `play` as plain text and `advise`, as users meet them.

use std::fs;

use serde_json::Value;

use crate::matchq;

const BOARD: &str =
    "dda#cbdc\ndc#c#dcb\na#cc#bbc\na#ab###a\ncdc##d#d\nd#c##ba#\nd####adc\nb#cacb#b\nbb#d#ac#\ndac#c#a#\n";

fn well(arguments: &[&str], input: &str) -> String {
    let output = matchq(arguments, input);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The error of a command that must fail with exit code 2 before any output.
fn refused(arguments: &[&str], input: &str) -> String {
    let output = matchq(arguments, input);
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {told}");
    assert!(told.starts_with("error: ") && output.stdout.is_empty(), "{arguments:?}: {told}");
    told
}

#[test]
fn a_game_as_plain_text_has_the_boards_and_scores_of_its_replay() {
    let text = well(&["play", "--seed", "7", "--player", "cascade"], "");
    assert!(
        text.starts_with("seed 7, cascade\nA value is what the move gains for certain, in points.\n\n  01234567\n0 ")
            && !text.contains('\x1b'),
        "{text}"
    );
    assert_eq!(text, well(&["play", "--seed", "7", "--player", "cascade"], ""));

    let folder = temp_dir::TempDir::new().unwrap();
    let path = folder.path().join("moves.jsonl");
    well(&["compare", "--players", "cascade", "--games", "1", "--seed", "7", "--moves", path.to_str().unwrap()], "");
    let game: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let moves = game["moves"][0].as_array().unwrap();
    let input: String = moves.iter().map(|line| format!("{line}\n")).collect();
    let replay = well(&["replay", "--seed", "7"], &input);
    let lines: Vec<Value> = replay.lines().map(|line| serde_json::from_str(line).unwrap()).collect();

    let rows = |line: &&str| line.as_bytes()[0].is_ascii_digit() && line.as_bytes()[1] == b' ';
    let shown: Vec<&str> = text.lines().filter(|line| line.len() == 10).filter(rows).map(|line| &line[2..]).collect();
    assert_eq!((shown.len(), lines.len()), (260, 26));
    for (board, line) in shown.chunks(10).zip(&lines) {
        assert_eq!(board.join("\n"), line["board"].as_str().unwrap());
    }
    let told: Vec<&str> = text.lines().filter(|line| line.starts_with("move ")).collect();
    for (told, line) in told.iter().zip(&lines[1..]) {
        let end = format!("points {}, score {}, moves left {}", line["score_delta"], line["score"], line["moves_left"]);
        assert!(told.ends_with(&end), "{told}");
    }
    assert_eq!(told.len(), 25);
    assert!(text.ends_with(&format!("\nfinal score {}\n", lines[25]["score"])));
    assert!(text.contains("\nbest: swap ") && text.contains("\nmove 25: swap "));
}

#[test]
fn a_game_without_a_seed_has_one_that_can_be_named_again() {
    let text = well(&["play", "--player", "greedy"], "");
    let seed = text.strip_prefix("seed ").and_then(|rest| rest.split(',').next()).unwrap();
    assert_eq!(well(&["play", "--player", "greedy", "--seed", seed], ""), text);
}

#[test]
fn what_cannot_be_played_is_said_before_anything_is_shown() {
    for (arguments, parts) in [
        (vec!["--speed", "0"], vec!["--speed 0", "above 0"]),
        (vec!["--speed", "-1"], vec!["--speed -1", "above 0"]),
        (vec!["--speed", "inf"], vec!["--speed inf", "above 0"]),
        (vec!["--speed", "nan"], vec!["--speed NaN", "above 0"]),
        (vec!["--speed", "fast"], vec!["--speed", "fast"]),
        (vec!["--seed", "-1"], vec!["--seed", "-1"]),
        (vec!["--player", "nobody"], vec!["nobody", "the players are best, network"]),
        (vec!["--player", "rollout:simulations=3"], vec!["simulations", "sims, ms, depth, guide"]),
        (vec!["--player", "rollout:sims=0"], vec!["sims=0", "from 1"]),
        (
            vec!["--player", "network:checkpoint=nowhere.safetensors"],
            vec!["nowhere.safetensors is not there", "or an agent that ships: dqn, "],
        ),
        (vec!["--rule", "obstacle_kinds=300"], vec!["--rule obstacle_kinds=300"]),
    ] {
        let told = refused(&[&["play"], &arguments[..]].concat(), "");
        assert!(parts.iter().all(|part| told.contains(part)), "{arguments:?} must name {parts:?}: {told}");
    }
}

#[test]
fn a_boards_moves_are_ranked_as_text_and_as_json_from_a_file_or_from_standard_input() {
    let folder = temp_dir::TempDir::new().unwrap();
    let path = folder.path().join("board.txt");
    // As Windows writes it, with a byte order mark and a blank line.
    fs::write(&path, format!("\u{feff}{BOARD}\n").replace('\n', "\r\n")).unwrap();
    let file = path.to_str().unwrap();
    let advise = ["advise", "--moves-left", "25", "--player", "plan"];
    let text = well(&[&advise[..], &[file]].concat(), "");
    assert_eq!(well(&advise, BOARD), text);
    assert_eq!(well(&[&advise[..], &["-"]].concat(), BOARD.trim_end()), text);

    // The default is all moves of a game.
    assert_eq!(well(&["advise", "--player", "plan"], BOARD), text);

    let json: Value = serde_json::from_str(&well(&[&advise[..], &["--json"]].concat(), BOARD)).unwrap();
    assert_eq!((&json["player"], &json["moves_left"]), (&"plan".into(), &25.into()));
    let moves = json["moves"].as_array().unwrap();
    let values: Vec<f64> = moves.iter().map(|valued| valued["value"].as_f64().unwrap()).collect();
    assert!(values.len() > 3 && values.is_sorted_by(|a, b| a >= b), "{values:?}");
    for (valued, value) in moves.iter().zip(&values) {
        assert_eq!(valued["cost"].as_f64().unwrap(), values[0] - value);
        let next = valued["next"].get("gains").map_or(0.0, |gains| gains.as_f64().unwrap());
        // The player's plans of two moves, the second at half weight.
        assert_eq!(valued["gains"].as_f64().unwrap() + 0.5 * next, *value, "{valued}");
    }
    assert_eq!((&json["unit"], moves[0].get("half_width")), (&"points".into(), None));
    let searched = well(&["advise", "--player", "rollout:sims=400", "--json"], BOARD);
    let searched: Value = serde_json::from_str(&searched).unwrap();
    assert!(searched["moves"][1]["half_width"].as_f64().unwrap() > 0.0, "{searched}");
    assert!(searched["moves"].as_array().unwrap().last().unwrap()["dropped"].as_bool().unwrap(), "{searched}");
    assert!(
        text.contains(&format!("\n{:4}  swap ", values.len()))
            && !text.contains(&format!("\n{:4}  swap ", values.len() + 1))
    );

    let best: Value = serde_json::from_str(&well(&[&advise[..], &["--json", "--top", "1"]].concat(), BOARD)).unwrap();
    assert_eq!(best["moves"].as_array().unwrap()[..], moves[..1]);
    let [x, y, vertical] = [0, 1, 2].map(|index| best["moves"][0]["move"][index].clone());
    let (x, y, vertical) = (x.as_u64().unwrap(), y.as_u64().unwrap(), vertical.as_bool().unwrap());
    let other = if vertical { (x, y + 1) } else { (x + 1, y) };
    let words = match vertical {
        true => format!("swap column {x}, rows {y} and {}", y + 1),
        false => format!("swap row {y}, columns {x} and {}", x + 1),
    };
    assert!(text.contains(&format!("   1  {words}")), "{text}");
    assert_eq!(best["moves"][0]["words"], words.as_str());
    assert_eq!(best["moves"][0]["cells"], serde_json::json!([[y, x], [other.1, other.0]]));
    assert_eq!(text.matches('[').count(), 2, "{text}");
}

#[test]
fn a_board_is_read_as_advise_prints_it_and_with_characters_that_nobody_sees() {
    let advise = ["advise", "--player", "cascade", "--json"];
    let expected = well(&advise, BOARD);
    let printed = well(&["advise", "--player", "cascade"], BOARD);
    let board = printed.split("\n\n").nth(1).unwrap().split("\nA value").next().unwrap();
    assert!(board.contains("[") && board.starts_with("   0  1 "), "{board}");
    assert_eq!(well(&advise, board), expected);
    assert_eq!(well(&advise, &format!("\u{200b}{}", BOARD.replace('\n', "\u{200b}\r\n\u{2060}"))), expected);
}

#[test]
fn values_say_what_they_count_and_every_move_has_its_cells() {
    let advise = |arguments: &[&str], board: &str| -> Value {
        serde_json::from_str(&well(&[&["advise", "--json", "--top", "3", "--player"], arguments].concat(), board))
            .unwrap()
    };
    for (player, scale) in
        [("network", "relative"), ("cascade", "points"), ("random", "own"), ("best:sims=200", "points")]
    {
        let told = advise(&[player], BOARD);
        assert_eq!(told["scale"], scale, "{told}");
        assert_eq!(
            told["meaning"].as_str().unwrap().starts_with("relative to an average future: "),
            scale == "relative"
        );
        for valued in told["moves"].as_array().unwrap() {
            assert_eq!(valued["cells"].as_array().map(Vec::len), Some(2), "{valued}");
            assert!(valued.get("next").is_none_or(|next| next["cells"][1].is_array()), "{valued}");
        }
    }
    // Games that may end early are learned without a mean.
    let gems = "WPYWBRWR\nPOPWBWWG\nBWWORPGP\nYWOYRWYP\nRBYRYYRR\nRGYGGYWO\nPRBOOGYR\nOBYBBPRP\n";
    assert_eq!(advise(&["network", "--game", "bejeweled"], gems)["scale"], "points");
}

#[test]
fn without_a_player_the_game_of_a_seed_is_the_same_each_time() {
    let game = |name: &str| well(&["play", "--game", name, "--seed", "5", "--moves", "4"], "");
    for name in ["match3", "bilging", "tetris", "bejeweled", "tile-match", "samegame"] {
        assert_eq!(game(name), game(name), "{name}");
    }
}

#[test]
fn the_advice_is_what_the_player_plays() {
    let text = well(&["play", "--seed", "0", "--player", "network"], "");
    let advise = ["advise", "--moves-left", "25", "--top", "1", "--player", "network", "--json"];
    let advice: Value = serde_json::from_str(&well(&advise, BOARD)).unwrap();
    let first = &advice["moves"][0];
    let best = format!("\nbest: {}: {:.1}; ", first["words"].as_str().unwrap(), first["value"].as_f64().unwrap());
    assert!(text.contains(&best), "{best}: {text}");
}

#[test]
fn a_board_that_is_none_or_not_at_rest_is_refused_with_row_and_column() {
    let folder = temp_dir::TempDir::new().unwrap();
    let name = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    fs::write(name("bytes.txt"), b"dda#cb\xff\n").unwrap();
    let with = |row: usize, text: &str| {
        let mut rows: Vec<&str> = BOARD.lines().collect();
        rows[row] = text;
        rows.join("\n")
    };
    for (input, parts) in [
        (with(3, "a#ab#x#a"), vec!["standard input: row 3, column 5", "'x'", "a b c d #"]),
        (with(3, "a#ab #xa"), vec!["row 3, column 4"]),
        (with(9, "dac#c#a"), vec!["row 9, column 7", "missing", "7 cells", "8"]),
        (with(4, ""), vec!["row 4, column 0", "missing", "0 cells"]),
        (with(9, "dac#c#a#b"), vec!["row 9, column 8", "'b'", "too many", "9 cells"]),
        (with(0, "dda#cbdc\ndda#cbdc"), vec!["not 11", "10"]),
        (with(2, "a#ccc#bc"), vec!["row 2, column 2", "run"]),
        (with(1, "ac#c#dcb"), vec!["row 1, column 0", "run"]),
        (String::new(), vec!["standard input: the board is empty: it must be ten lines"]),
        ("\n\n".to_owned(), vec!["the board is empty"]),
        ("\u{feff}\r\n".to_owned(), vec!["the board is empty"]),
        (BOARD.repeat(100), vec!["too long"]),
    ] {
        let told = refused(&["advise", "--moves-left", "9"], &input);
        assert!(parts.iter().all(|part| told.contains(part)), "must name {parts:?}: {told}");
    }
    for (arguments, parts) in [
        (vec![name("nowhere.txt")], vec!["nowhere.txt cannot be read"]),
        (vec![name("")], vec!["cannot be read"]),
        (vec![name("bytes.txt")], vec!["bytes.txt is neither a board's text, "]),
    ] {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let told = refused(&[&["advise", "--moves-left", "9"], &arguments[..]].concat(), "");
        assert!(parts.iter().all(|part| told.contains(part)), "{arguments:?} must name {parts:?}: {told}");
    }
    for (flags, part) in [
        (["--moves-left", "0", "--top", "1"], "--moves-left"),
        (["--moves-left", "26", "--top", "1"], "from 1 to 25"),
        (["--moves-left", "-3", "--top", "1"], "-3"),
        (["--moves-left", "3", "--top", "0"], "--top"),
        (["--moves-left", "3", "--player", "nobody"], "the players are best, network"),
        (["--moves-left", "3", "--rule", "obstacle_kinds=300"], "--rule obstacle_kinds"),
    ] {
        let told = refused(&[&["advise"], &flags[..]].concat(), BOARD);
        assert!(told.contains(part), "{flags:?}: {told}");
    }
}

#[test]
fn a_game_that_hardly_ends_is_replayed_and_drawn_as_far_as_asked_for() {
    let folder = temp_dir::TempDir::new().unwrap();
    let svg = folder.path().join("game.svg").display().to_string();
    let replay = ["replay", "--seed", "1", "--game", "tetris", "--player", "linear"];
    let told = well(&[&replay[..], &["--moves", "30"]].concat(), "");
    assert_eq!(told.lines().count(), 31);
    // A picture has its own default limit, and no board is printed beside it.
    let told = well(&[&replay[..], &["--svg", &svg]].concat(), "");
    assert!(told.starts_with(&format!("{svg}: tetris, seed 1, 200 moves, ")) && told.lines().count() == 1, "{told}");
    assert!(fs::read_to_string(&svg).unwrap().starts_with("<svg"));
}
