//! Calls of the kit's interface, and the games of a seed.

use std::convert::Infallible;
use std::process::Command;

use matchq_players::games::match3::{Match3, Move as Placed, Rules};
use matchq_players::kit::{AgentPlayer, Game, GameLogic, Move, Played, Player};
use matchq_players::players;
use serde_json::{Value, json};

fn traces(name: &str) -> Vec<Value> {
    let path = format!("{}/../../tests/golden/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let traces: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(!traces.is_empty());
    traces
}

fn seed(value: &Value) -> u128 {
    value.as_str().map_or_else(|| value.as_u64().unwrap().into(), |text| text.parse().unwrap())
}

#[derive(Clone, PartialEq, Debug)]
enum Call {
    Ai(String, i32, i32),
    Transition(String, Move, i32, String, i32),
    End(Vec<String>, Vec<i32>, Vec<Move>, i32),
}

/// Plays moves by the board, some off it; notes every call, and fails at one of them.
#[derive(Default)]
struct Recorder {
    calls: Vec<Call>,
    games: usize,
    fails_at: Option<usize>,
}

fn some_move(board: &str, moves_left: i32) -> Move {
    let letters: i64 = board.bytes().map(i64::from).sum();
    ((letters + i64::from(moves_left)) % 10 - 1, letters % 11 - 1, letters % 2 == 0)
}

impl Recorder {
    fn note(&mut self, call: Call) -> Result<(), usize> {
        self.calls.push(call);
        match self.fails_at == Some(self.calls.len()) {
            true => Err(self.calls.len()),
            false => Ok(()),
        }
    }
}

impl Player for Recorder {
    type Error = usize;

    fn ai_callback(&mut self, board: &str, score: i32, moves_left: i32) -> Result<Move, usize> {
        self.note(Call::Ai(board.into(), score, moves_left))?;
        Ok(some_move(board, moves_left))
    }

    fn transition_callback(
        &mut self,
        board: &str,
        played: Move,
        score_delta: i32,
        next_board: &str,
        moves_left: i32,
    ) -> Result<(), usize> {
        self.note(Call::Transition(board.into(), played, score_delta, next_board.into(), moves_left))
    }

    fn end_of_game_callback(
        &mut self,
        boards: &[String],
        scores: &[i32],
        moves: &[Move],
        final_score: i32,
    ) -> Result<bool, usize> {
        self.note(Call::End(boards.to_vec(), scores.to_vec(), moves.to_vec(), final_score))?;
        self.games = self.games.saturating_sub(1);
        Ok(self.games > 0)
    }
}

/// Calls of the game of a seed in the kit's order.
fn expected_calls(seed: u128) -> Vec<Call> {
    let mut game = GameLogic::new(seed, &Rules::default());
    let (mut calls, mut boards, mut scores, mut moves) = (vec![], vec![game.board()], vec![0], vec![]);
    for turn in 0..25 {
        let (board, score) = (game.board(), game.score());
        let chosen = some_move(&board, 25 - turn);
        let Played { board: next, score_delta, .. } = game.play(chosen);
        calls.push(Call::Ai(board.clone(), score, 25 - turn));
        calls.push(Call::Transition(board, chosen, score_delta, next.clone(), 24 - turn));
        boards.push(next);
        scores.push(score + score_delta);
        moves.push(chosen);
    }
    let final_score = scores[25];
    calls.push(Call::End(boards, scores, moves, final_score));
    calls
}

#[test]
fn the_calls_come_in_the_kits_order_with_the_kits_arguments_in_every_game_of_a_session() {
    for session in traces("kit_sessions.jsonl") {
        let games = session["games"].as_array().unwrap();
        let mut game = Game::new(Recorder { games: games.len(), ..Recorder::default() });
        game = game.seed(seed(&session["session_seed"])).speed(4.0);
        assert_eq!(game.run(), Ok(()));
        let expected: Vec<Call> = games.iter().flat_map(|game| expected_calls(seed(&game["seed"]))).collect();
        assert_eq!(game.player().calls.len(), 51 * games.len());
        assert_eq!(game.player().calls, expected);
        for (calls, trace) in game.player().calls.chunks(51).zip(games) {
            assert!(matches!(&calls[0], Call::Ai(board, 0, 25) if trace["start"] == *board));
            assert!(matches!(&calls[50], Call::End(boards, scores, moves, _)
                if (boards.len(), scores.len(), moves.len()) == (26, 26, 25)));
        }
    }
}

#[test]
fn running_again_goes_on_in_the_sequence_of_games() {
    let session = &traces("kit_sessions.jsonl")[0];
    let mut game = Game::new(Recorder::default()).seed(seed(&session["session_seed"]));
    assert_eq!((game.run(), game.run()), (Ok(()), Ok(())));
    for (calls, trace) in game.player().calls.chunks(51).zip(session["games"].as_array().unwrap()) {
        assert!(matches!(&calls[0], Call::Ai(board, 0, 25) if trace["start"] == *board));
    }
    assert_eq!(game.player().calls.len(), 102);
}

#[test]
fn the_seed_is_printed_once_a_session() {
    let test = "kit::running_again_goes_on_in_the_sequence_of_games";
    let mut tests = Command::new(std::env::current_exe().unwrap());
    let done = tests.args(["--exact", test, "--nocapture"]).output().unwrap();
    let told = String::from_utf8(done.stdout).unwrap();
    assert!(done.status.success());
    let seed = seed(&traces("kit_sessions.jsonl")[0]["session_seed"]);
    // The harness may have begun the line.
    assert_eq!(told.matches("Seed: ").count(), 1, "{told}");
    assert_eq!(told.matches(&format!("Seed: {seed}\n")).count(), 1, "{told}");
}

#[test]
fn an_error_of_any_call_comes_out_at_once_and_nothing_is_called_after_it() {
    for fails_at in 1..=51 {
        let mut game = Game::new(Recorder { fails_at: Some(fails_at), ..Recorder::default() }).seed(3);
        assert_eq!(game.run(), Err(fails_at));
        assert_eq!(game.player().calls.len(), fails_at);
    }
}

#[test]
fn sessions_without_a_seed_differ() {
    let start = || {
        let mut game = Game::new(Recorder::default());
        game.run().unwrap();
        game.player().calls[0].clone()
    };
    assert_ne!(start(), start());
}

#[test]
fn a_player_may_leave_the_observers_out_and_plays_one_game() {
    struct Same(u32);
    impl Player for Same {
        type Error = Infallible;

        fn ai_callback(&mut self, _board: &str, _score: i32, _moves_left: i32) -> Result<Move, Infallible> {
            self.0 += 1;
            Ok((i64::MIN, i64::MAX, true))
        }
    }
    let mut game = Game::new(Same(0)).seed(0);
    let Ok(()) = game.run();
    assert_eq!(game.player().0, 25);
}

#[test]
fn game_logic_follows_the_traces_on_the_board_and_off_it_and_after_the_end() {
    for (name, obstacle_kinds) in [("match3.jsonl", 2), ("match3_one_obstacle_kind.jsonl", 1)] {
        for trace in traces(name) {
            let mut game = GameLogic::new(seed(&trace["seed"]), &Rules::new(obstacle_kinds).unwrap());
            assert_eq!(trace["start"], game.board());
            for expected in trace["moves"].as_array().unwrap() {
                let chosen: Move = serde_json::from_value(json!([expected[0], expected[1], expected[2]])).unwrap();
                let played = game.play(chosen);
                assert_eq!((&expected[3], &expected[4]), (&json!(played.score_delta), &json!(played.board)));
            }
            assert!(game.is_gameover());
        }
    }
    for trace in traces("match3_edge_cases.jsonl") {
        let kinds = trace["obstacle_kinds"].as_u64().unwrap() as u32;
        let mut game = GameLogic::new(seed(&trace["seed"]), &Rules::new(kinds).unwrap());
        let matching: Vec<_> = game.matching_moves().iter().map(|at| json!([at.x, at.y, at.vertical])).collect();
        assert_eq!(trace["matching_moves"], json!(matching));
        for expected in trace["plays"].as_array().unwrap() {
            let played = game.play(serde_json::from_value(expected["move"].clone()).unwrap());
            let found = json!({
                "move": expected["move"],
                "board": played.board,
                "score_delta": played.score_delta,
                "game_over": played.game_over,
                "intermediate": played.intermediate,
                "score": game.score(),
                "moves_left": game.moves_left(),
            });
            assert_eq!(*expected, found);
        }
    }
}

#[test]
fn an_agent_plays_whole_games_with_moves_that_match() {
    let mut game = Game::new(AgentPlayer::parse("network").unwrap().games(2)).seed(7);
    game.run().unwrap();
    assert_eq!(game.player().scores().len(), 2);
    assert!(game.player().scores().iter().all(|score| *score > 300), "{:?}", game.player().scores());
    let board = GameLogic::new(0, &Rules::default()).board();
    let mut player = AgentPlayer::parse("network").unwrap();
    let at: Placed = player.act(&board, 25).unwrap();
    assert!(Match3::with_board(Rules::default(), &board).unwrap().matching_moves().contains(&at));
}

#[test]
fn the_same_position_always_gets_the_same_move() {
    let boards: Vec<String> = (0..12).map(|seed| GameLogic::new(seed, &Rules::default()).board()).collect();
    // Match-3 has no named linear weights.
    for entry in players::<Match3>().iter().filter(|entry| entry.name != "linear") {
        let simulates = entry.parameters.iter().any(|parameter| parameter.key == "sims");
        let text = if simulates { format!("{}:sims=40", entry.name) } else { entry.name.to_owned() };
        let moves = |player: &mut AgentPlayer, boards: &[String]| -> Vec<Placed> {
            boards.iter().map(|board| player.act(board, 9).unwrap()).collect()
        };
        let mut player = AgentPlayer::parse(&text).unwrap();
        let first = moves(&mut player, &boards);
        assert_eq!(moves(&mut player, &boards), first, "{text}");
        assert_eq!(moves(&mut AgentPlayer::parse(&text).unwrap(), &boards[5..]), first[5..], "{text}");
    }
    // Other boards and other moves left get other moves.
    let mut random = AgentPlayer::parse("random").unwrap();
    for positions in [(0..12).map(|index| (index, 9)).collect::<Vec<_>>(), (1..=12).map(|left| (0, left)).collect()] {
        let mut moves: Vec<_> =
            positions.iter().map(|(index, left)| random.act(&boards[*index], *left).unwrap().action()).collect();
        moves.sort_unstable();
        moves.dedup();
        assert!(moves.len() > 6, "{moves:?}");
    }
}

#[test]
fn an_agent_is_loaded_from_a_path_that_may_hold_anything() {
    let folder = temp_dir::TempDir::new().unwrap();
    // A file of Windows has no colon in its name.
    let path = folder.path().join(if cfg!(windows) { "a sims=3, é.safetensors" } else { "a:sims=3, é.safetensors" });
    std::fs::copy(format!("{}/../../checkpoints/dqn/best.safetensors", env!("CARGO_MANIFEST_DIR")), &path).unwrap();
    let board = GameLogic::new(0, &Rules::default()).board();
    let shipped = AgentPlayer::load(None).unwrap().act(&board, 25);
    assert_eq!(AgentPlayer::load(Some(&path)).unwrap().act(&board, 25), shipped);
    let error = AgentPlayer::load(Some(&folder.path().join("none"))).err().unwrap().to_string();
    assert!(error.contains("none is not there: name an agent's file"), "{error}");
}

#[test]
fn an_agent_refuses_what_is_no_board_at_rest() {
    let mut player = AgentPlayer::parse("greedy").unwrap();
    let board = GameLogic::new(0, &Rules::default()).board();
    let error = player.act(&board.replacen('d', "x", 1), 25).unwrap_err().to_string();
    assert!(error.contains("row 0, column 0"), "{error}");
    assert!(player.act(&board, 26).unwrap_err().to_string().contains("26 moves are left"));
    let run = format!("#####bbb{}", &board[8..]);
    let error = player.act(&run, 25).unwrap_err().to_string();
    assert!(error.contains("at row 0, column 5 of the board (both from 0) begins a run"), "{error}");
}
