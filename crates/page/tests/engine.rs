//! The engine's answers, by requests as pages send them.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use matchq_page::games::{self, Match3};
use matchq_page::players::{self, Agents};
use matchq_page::vision::Picture;
use matchq_page::{Engine, MOST_MOVES};
use serde_json::{Value, json};

fn ask(engine: &mut Engine, request: Value) -> Value {
    serde_json::from_str(&engine.answer(&request.to_string())).unwrap()
}

fn error(engine: &mut Engine, request: Value) -> String {
    let answer = ask(engine, request);
    answer["error"].as_str().unwrap_or_else(|| panic!("no error: {answer}")).to_owned()
}

const GAMES: [&str; 6] = ["match3", "bilging", "tetris", "bejeweled", "tile-match", "samegame"];

#[test]
fn every_game_is_there_with_its_tokens_and_players() {
    let about = ask(&mut Engine::default(), json!({"ask": "about"}));
    let games = about["games"].as_array().unwrap();
    let names: Vec<&str> = games.iter().map(|game| game["name"].as_str().unwrap()).collect();
    assert_eq!(names.len(), GAMES.len());
    assert!(GAMES.iter().all(|game| names.contains(game)), "{names:?}");
    for game in games {
        let players: Vec<&str> =
            game["players"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
        assert!(players[0] == "best" && players.contains(&"greedy"), "{players:?}");
        assert!(game["tokens"].as_array().unwrap().iter().all(|token| token["outline"].is_string()));
    }
}

#[test]
fn every_player_that_is_offered_plays() {
    let mut engine = Engine::default();
    let about = ask(&mut engine, json!({"ask": "about"}));
    for game in about["games"].as_array().unwrap() {
        for player in game["players"].as_array().unwrap() {
            let simulates = player["simulations"].is_number();
            let mut thinker = json!({"name": player["name"]});
            if simulates {
                thinker["simulations"] = json!(40);
            }
            let at = json!({"game": game["name"], "seed": 3});
            let values = ask(&mut engine, json!({"ask": "values", "at": at, "player": thinker}));
            assert!(values["moves"].as_array().is_some_and(|moves| !moves.is_empty()), "{thinker} {values}");
            assert!(!values["plan"].as_array().unwrap().is_empty());
            if simulates {
                let none = error(
                    &mut engine,
                    json!({"ask": "values", "at": at, "player": {"name": player["name"], "simulations": 0}}),
                );
                assert!(none.contains("simulations must be from 1 to"), "{none}");
            }
        }
    }
}

#[test]
fn games_played_move_by_move_are_those_of_the_program_in_all_games() {
    for game in GAMES {
        let mut engine = Engine::default();
        let mut moves: Vec<usize> = Vec::new();
        let past = {
            let at = json!({"game": game, "seed": 5});
            ask(&mut engine, json!({"ask": "past", "at": at, "player": {"name": "greedy"}, "moves": 12}))
        };
        for number in 0..12 {
            let at = json!({"game": game, "seed": 5, "moves": moves});
            let values = ask(&mut engine, json!({"ask": "values", "at": at, "player": {"name": "greedy"}}));
            let action = values["moves"][0]["action"].as_u64().unwrap() as usize;
            let played = ask(&mut engine, json!({"ask": "play", "at": at, "action": action}));
            moves.push(action);
            assert_eq!(played["position"]["score"], past["scores"][number + 1], "{game}, move {number}: {played}");
            // An engine that has kept nothing comes to the same position.
            let at = json!({"game": game, "seed": 5, "moves": moves});
            let anew = ask(&mut Engine::default(), json!({"ask": "position", "at": at}));
            assert_eq!(anew, played["position"], "{game}");
            if played["position"]["over"] == true {
                break;
            }
        }
    }
}

#[test]
fn a_board_has_the_values_of_the_seeds_position() {
    let mut engine = Engine::default();
    let at = json!({"game": "match3", "seed": 0});
    let position = ask(&mut engine, json!({"ask": "position", "at": at}));
    let board = position["board"].as_str().unwrap();
    assert_eq!(board, games::Episode::<Match3>::deal(&Default::default(), 0).game.board());
    let values = |at: Value| {
        let mut engine = Engine::default();
        ask(&mut engine, json!({"ask": "values", "at": at, "player": {"name": "best", "simulations": 200}}))
    };
    let of_seed = values(at);
    assert_eq!(of_seed, values(json!({"game": "match3", "board": board})));
    assert_ne!(of_seed, values(json!({"game": "match3", "board": board, "moves_left": 3})));
    assert!(of_seed["meaning"].as_str().unwrap().contains("in points"), "{of_seed}");
    let plan = of_seed["plan"].as_array().unwrap();
    assert_eq!(plan[0]["action"], of_seed["moves"][0]["action"]);
    assert_eq!(plan[0]["gains"], of_seed["moves"][0]["gains"]);
    // What falls in is not known; nothing of it is a token.
    assert!(plan.iter().all(|step| step["board"].as_str().unwrap().contains('?')), "{plan:?}");
    if plan.len() > 1 {
        assert_eq!(plan[1]["action"], of_seed["moves"][0]["next"]["action"]);
    }
}

#[test]
fn a_move_that_the_player_does_not_consider_is_worth_what_its_last_one_is_less_what_it_gains_less() {
    let mut engine = Engine::default();
    let at = json!({"game": "match3", "seed": 0});
    let position = ask(&mut engine, json!({"ask": "position", "at": at}));
    let wasted = position["moves"].as_array().unwrap().iter().find(|one| one["matches"] == false).unwrap();
    let request = |action: &Value| json!({"ask": "values", "at": at, "player": {"name": "plan"}, "action": action});
    let values = ask(&mut engine, request(&wasted["action"]));
    let (best, last) = (&values["moves"][0], values["moves"].as_array().unwrap().last().unwrap());
    let number = |value: &Value| value.as_f64().unwrap();
    // A swap without a match costs five points.
    assert_eq!((number(&values["own"]["gains"]), &values["own"]["estimate"]), (-5.0, &json!(true)));
    assert_eq!(number(&values["own"]["value"]), number(&last["value"]) - (number(&last["gains"]) + 5.0));
    assert_eq!(number(&values["own"]["cost"]), number(&best["value"]) - number(&values["own"]["value"]));
    assert_eq!(&ask(&mut engine, request(&best["action"]))["own"], best);
    assert!(error(&mut engine, request(&json!(500))).contains("500 is no legal action"));
}

#[test]
fn a_move_that_loses_has_neither_value_nor_cost() {
    // A standing I loses but in the first column; a lying one does not.
    let wall = format!("..........\n{}", vec![".#########"; 19].join("\n"));
    let request = |action: Option<&Value>| {
        let at = json!({"game": "tetris", "board": wall, "piece": "I"});
        json!({"ask": "values", "at": at, "player": {"name": "tetris-imitation"}, "action": action})
    };
    let mut engine = Engine::default();
    let values = ask(&mut engine, request(None));
    let moves = values["moves"].as_array().unwrap();
    let (lost, others): (Vec<&Value>, Vec<&Value>) = moves.iter().partition(|one| one.get("value").is_none());
    assert!(!lost.is_empty() && !others.is_empty(), "{values}");
    assert!(lost.iter().all(|one| one.get("cost").is_none()));
    assert!(others.iter().all(|one| one["cost"].as_f64().is_some_and(|cost| cost < 1e3)), "{values}");
    let own = &ask(&mut engine, request(Some(&lost[0]["action"])))["own"];
    assert!(own.is_object() && own.get("value").is_none() && own.get("cost").is_none(), "{own}");
}

#[test]
fn what_is_wrong_gets_a_sentence() {
    let mut engine = Engine::new(Agents::closed(), 1_000);
    let at = json!({"game": "match3", "seed": 0});
    let rows = "abcdabcd\ncdabcdab\nabcdabcd\ncdabcdab\nabcdabcd\ncdabcdab\nabcdabcd\ncdabcdab\nabcdabcd\naaabcdab";
    for (request, sentence) in [
        (json!({"ask": "position"}), "the request is not understood"),
        (json!({"ask": "sing"}), "the request is not understood"),
        (json!({"ask": "position", "at": {"game": "chess", "seed": 0}}), "there is no game 'chess'"),
        (json!({"ask": "position", "at": {"game": "match3"}}), "either a seed, or a board"),
        (json!({"ask": "position", "at": {"game": "match3", "seed": 0, "moves_left": 3}}), "either a seed, or a board"),
        (
            json!({"ask": "position", "at": {"game": "match3", "seed": 0, "rules": {"gravity": 2}}}),
            "match3 has no such rules",
        ),
        (
            json!({"ask": "position", "at": {"game": "match3", "seed": 0, "moves": [142]}}),
            "move 1: 142 is no legal action",
        ),
        (json!({"ask": "position", "at": {"game": "match3", "board": "abc"}}), "row"),
        (json!({"ask": "position", "at": {"game": "match3", "board": rows}}), "row 9"),
        (
            json!({"ask": "position", "at": {"game": "match3", "board": rows, "moves_left": 26}}),
            "moves left 26: it must be from 1 to 25",
        ),
        (
            json!({"ask": "position", "at": {"game": "tetris", "board": "..........", "piece": "X"}}),
            "piece X: it must be one of",
        ),
        (json!({"ask": "position", "at": {"game": "tetris", "board": ".........."}}), "the board shows no piece"),
        (
            json!({"ask": "values", "at": at, "player": {"name": "network:checkpoint=/etc/passwd"}}),
            "there is no player",
        ),
        (json!({"ask": "values", "at": at, "player": {"name": "/etc/passwd"}}), "there is no player"),
        (
            json!({"ask": "values", "at": at, "player": {"name": "best", "simulations": 1_001}}),
            "from 1 to 1000, not 1001",
        ),
        (
            json!({"ask": "values", "at": at, "player": {"name": "greedy", "simulations": 5}}),
            "greedy does not simulate",
        ),
        (json!({"ask": "moves", "game": "match3", "moves": [[1, 2]]}), "move 1: "),
        (json!({"ask": "moves", "game": "match3", "moves": vec![0; MOST_MOVES + 1]}), "at most 100000 moves"),
        (json!({"ask": "past", "at": at, "player": {"name": "greedy"}, "moves": 1_001}), "at most 1000 moves"),
        (
            json!({"ask": "past", "at": at, "player": {"name": "best", "simulations": 900}, "moves": 900}),
            "200000 simulations in all",
        ),
        (json!({"ask": "agent", "name": "dt-10", "file": ""}), "dt-10 is the name of a player here"),
        (json!({"ask": "agent", "name": "run x", "file": ""}), "an agent's name has"),
        (json!({"ask": "read", "picture": "?"}), "'picture' is not base64"),
        (json!({"ask": "read", "picture": "aGVsbG8="}), "the file is no picture"),
        (json!({"ask": "teach", "picture": "aGVsbG8=", "game": "match3", "board": ""}), "the file is no picture"),
        (json!({"ask": "theme", "theme": "columns = 8"}), "the theme: "),
        (
            json!({"ask": "theme", "theme": theme("ab", 9)}),
            "9 rows, 9 columns and the letters a b: no game has such a board",
        ),
        (json!({"ask": "theme", "theme": theme("ab", 9) + &"#".repeat(1 << 16)}), "more than 65536 bytes"),
        (json!({"ask": "agent", "name": "mine", "file": "aGVsbG8="}), "mine "),
        (json!({"ask": "agent", "name": "best", "file": ""}), "best is the name of a player here"),
        (json!({"ask": "agent", "name": "../mine", "file": ""}), "an agent's name has"),
        (json!({"ask": "agent", "name": "dqn", "file": ""}), "dqn is the name of a player here"),
        (json!({"ask": "chart", "chart": {"kind": "histogram", "title": "", "scores": []}}), "nothing to draw"),
    ] {
        let found = error(&mut engine, request.clone());
        assert!(found.contains(sentence), "{request}: {found}");
    }
    let endless = json!({"ask": "moves", "game": "match3", "moves": vec![0; 500_002]});
    assert!(error(&mut engine, endless).contains("more than 500000 values"));
}

#[test]
fn a_game_that_is_over_takes_no_more_moves() {
    let mut engine = Engine::default();
    let at = json!({"game": "match3", "seed": 0, "moves": vec![0; 25]});
    let position = ask(&mut engine, json!({"ask": "position", "at": at}));
    assert_eq!((&position["over"], &position["moves_left"]), (&json!(true), &json!(0)));
    assert!(position["moves"].as_array().unwrap().is_empty());
    assert!(
        error(&mut engine, json!({"ask": "play", "at": at, "action": 0})).contains("the game is over after 25 moves")
    );
    assert!(
        error(&mut engine, json!({"ask": "values", "at": at, "player": {"name": "greedy"}}))
            .contains("the game is over")
    );
}

#[test]
fn another_agent_of_a_name_takes_its_place_in_every_engine_and_a_damaged_one_does_not() {
    let agents = Agents::closed();
    let mut engines = [Engine::new(agents.clone(), 1_000), Engine::new(agents, 1_000)];
    let give = |engine: &mut Engine, file: &[u8]| {
        ask(engine, json!({"ask": "agent", "name": "mine", "file": BASE64_STANDARD.encode(file)}))
    };
    let values = |engine: &mut Engine, name: &str| {
        let at = json!({"game": "match3", "seed": 1});
        ask(engine, json!({"ask": "values", "at": at, "player": {"name": name}}))["moves"].clone()
    };
    for shipped in ["dqn-plain", "match3-fitted"] {
        give(&mut engines[0], players::registry::shipped(shipped).unwrap().file);
        for engine in &mut engines {
            assert_eq!(values(engine, "mine"), values(engine, shipped), "{shipped}");
        }
        assert!(give(&mut engines[1], b"damaged")["error"].is_string());
    }
}

#[test]
fn a_given_agent_plays_under_its_name_beside_those_that_ship() {
    let mut engine = Engine::default();
    let shipped = players::registry::shipped("dqn-plain").unwrap();
    let given = json!({"ask": "agent", "name": "mine", "file": BASE64_STANDARD.encode(shipped.file)});
    assert_eq!(ask(&mut engine, given), json!({"name": "mine", "game": "match3", "kind": "network"}));
    let values = |engine: &mut Engine, name: &str| {
        let at = json!({"game": "match3", "seed": 1});
        let mut values = ask(engine, json!({"ask": "values", "at": at, "player": {"name": name}}));
        values.as_object_mut().unwrap().remove("player");
        values
    };
    assert_eq!(values(&mut engine, "mine"), values(&mut engine, "dqn-plain"));
    let about = ask(&mut engine, json!({"ask": "about"}));
    let names = |game: usize| about["games"][game]["players"].to_string();
    assert!(names(0).contains("\"mine\"") && names(0).contains("mine+search") && !names(1).contains("mine"));
}

#[test]
fn a_piece_is_steered_to_the_place_where_it_is_then_played() {
    let mut engine = Engine::default();
    let at = json!({"game": "tetris", "seed": 0});
    let first = ask(&mut engine, json!({"ask": "steer", "at": at, "action": null, "columns": 0, "turns": 0}));
    let right =
        ask(&mut engine, json!({"ask": "steer", "at": at, "action": first["action"], "columns": 1, "turns": 0}));
    let columns = |steered: &Value| -> Vec<u64> {
        steered["cells"].as_array().unwrap().iter().map(|cell| cell[1].as_u64().unwrap()).collect()
    };
    assert!(columns(&first).iter().zip(columns(&right)).all(|(one, other)| one + 1 == other), "{first} {right}");
    let played = ask(&mut engine, json!({"ask": "play", "at": at, "action": right["action"]}));
    assert_eq!(played["cells"], right["cells"]);
}

/// A theme of a square board with these letters, in shades of red.
fn theme(letters: &str, size: usize) -> String {
    let gem = |(at, letter)| format!("[[gem]]\nletter = \"{letter}\"\ncolour = \"#{:02x}0000\"\n", 40 * at);
    format!("columns = {size}\nrows = {size}\n") + &letters.chars().enumerate().map(gem).collect::<String>()
}

fn picture(file: &str) -> Picture {
    let path = format!("{}/../../tests/pictures/{file}.png", env!("CARGO_MANIFEST_DIR"));
    Picture::decode(file, &std::fs::read(path).unwrap()).unwrap()
}

fn encoded(picture: &Picture) -> String {
    BASE64_STANDARD.encode(picture.to_png().unwrap())
}

/// A picture in other colours, which no theme of the program knows.
fn in_other_colours(file: &str) -> String {
    let picture = picture(file);
    let values = picture.values().chunks(3).flat_map(|rgb| [255 - rgb[2], rgb[0], 255 - rgb[1]]).collect();
    encoded(&Picture::new(picture.width(), values))
}

#[test]
fn a_picture_that_no_theme_knows_is_taught_by_its_board_and_read_with_the_theme_from_then_on() {
    let engine = &mut Engine::default();
    for (file, game) in [("game", "match3"), ("bilging", "bilging"), ("tile-match", "tile-match")] {
        let board = ask(engine, json!({"ask": "read", "picture": encoded(&picture(file))}))["board"].clone();
        let other = in_other_colours(file);
        let read = ask(engine, json!({"ask": "read", "picture": other, "game": game}));
        assert!(read["why"].is_string() && read["error"].is_null(), "{read}");
        let taught = ask(engine, json!({"ask": "teach", "picture": other, "game": game, "board": board}));
        assert_eq!(taught["right"], taught["cells"], "{taught}");
        let games = ask(engine, json!({"ask": "theme", "theme": taught["theme"]}));
        assert!(games["games"].as_array().unwrap().contains(&json!(game)), "{games}");
        let themes = json!({game: [taught["theme"]]});
        for asked in [json!(game), Value::Null] {
            let read = ask(engine, json!({"ask": "read", "picture": other, "game": asked, "themes": themes}));
            assert_eq!((&read["game"], &read["board"], &read["why"]), (&json!(game), &board, &Value::Null), "{read}");
        }
    }
}

#[test]
fn what_is_wrong_with_a_lesson_or_a_given_theme_is_said_without_a_command() {
    let engine = &mut Engine::default();
    let game = encoded(&picture("game"));
    let board = ask(engine, json!({"ask": "read", "picture": game}))["board"].as_str().unwrap().to_owned();
    let grey = encoded(&Picture::new(300, vec![128; 300 * 300 * 3]));
    let turned: String = board.lines().rev().map(|row| format!("{row}\n")).collect();
    for (picture, board, sentence) in [
        (&game, "abc".to_owned(), "must have 10 rows of 8 gems"),
        (&game, format!("?{}", &board[1..]), "row 0, column 0 (both from 0) is '?': it must be one of"),
        (&game, board.replace(|letter| letter != '\n', "a"), "gems of one kind only"),
        (&game, turned, "do not fit each other"),
        (&grey, board.clone(), "no field of 10 rows and 8 columns is found in the picture"),
    ] {
        let found = error(engine, json!({"ask": "teach", "picture": picture, "game": "match3", "board": board}));
        assert!(found.contains(sentence) && !found.contains("--"), "{found}");
    }
    for (themes, sentence) in [
        (json!({"match3": vec![theme("ab", 9); 17]}), "at most 16 are tried"),
        (json!({"match3": ["columns"]}), "the theme: "),
    ] {
        let found = error(engine, json!({"ask": "read", "picture": game, "themes": themes}));
        assert!(found.contains(sentence), "{found}");
    }
    for asked in [json!("match3"), json!("tetris"), Value::Null] {
        let read = ask(engine, json!({"ask": "read", "picture": grey, "game": asked}));
        let why = read["why"].as_str().unwrap_or_else(|| panic!("{read}"));
        assert!(!why.contains("--") && read["board"].is_null(), "{read}");
    }
}

#[test]
fn a_games_picture_is_read_without_its_name() {
    for (file, game) in [("game", "match3"), ("bilging", "bilging"), ("tile-match", "tile-match")] {
        let read = ask(&mut Engine::default(), json!({"ask": "read", "picture": encoded(&picture(file))}));
        assert_eq!((&read["game"], &read["doubt"]), (&json!(game), &Value::Null), "{read}");
        assert_eq!(read["unsure"], json!([]), "{read}");
        let position =
            ask(&mut Engine::default(), json!({"ask": "position", "at": {"game": game, "board": read["board"]}}));
        assert_eq!(position["board"], read["board"]);
    }
}
