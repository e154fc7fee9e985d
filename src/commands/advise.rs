//! `matchq advise`: the moves of a board, best first.

use std::fmt::Write as _;
use std::io::{self, IsTerminal};
use std::path::Path;

use serde::Serialize;
use serde_json::{Map, Value};

use super::{print, rules};
use crate::cli::Advise;
use crate::error::{Error, Result};
use crate::files;
use crate::players::{ActionValue, Listed, in_words};
use crate::players::{Agents, Playable};
use crate::random::{Role, Stream};

/// Maximum bytes of a board.
const LONGEST: u64 = 4_096;

#[derive(Serialize)]
struct Report<'a> {
    player: &'a str,
    /// Present only if the rules count moves.
    #[serde(skip_serializing_if = "Option::is_none")]
    moves_left: Option<usize>,
    moves: Vec<Listed>,
    /// The game's facts.
    #[serde(flatten)]
    more: Map<String, Value>,
}

/// Reads a board and prints the player's ranking of its moves.
pub fn run<G: Playable>(arguments: &Advise, agents: &Agents) -> Result<()> {
    let rules = rules::<G>(&arguments.game)?;
    let (name, text) = read(arguments.file.as_deref().filter(|path| *path != Path::new("-")), G::BOARD)?;
    let state = position::<G>(&rules, &name, &text, arguments.moves_left)?;
    let state = with_piece::<G>(&name, &state, arguments.piece.as_deref())?;
    // The rules may change the state.
    let game = G::at(&rules, &state);
    if game.is_over() {
        return Err(Error::user(format!("{name}: the game is over on this board, by these rules")));
    }
    let state = game.state();
    let mut player = super::player::<G>(&arguments.player, &rules, agents)?;
    let mut ranked = player.rank(&state, &mut Stream::new(0, Role::Tie, 0))?;
    let top = arguments.top.map_or(usize::MAX, |top| top as usize);
    ranked.truncate(top);
    match arguments.json {
        false => print(&table::<G>(player.name(), &state, &ranked)),
        true => {
            let told = |valued: &ActionValue| {
                let mut more = in_words::<G>(&state, valued.action);
                more.extend(G::about_move(&state, valued.action));
                Listed { action: G::to_json(valued.action), value: valued.value, more }
            };
            let mut moves = player.list(&state).unwrap_or_else(|| ranked.iter().map(told).collect());
            moves.truncate(top);
            let report = Report {
                player: player.name(),
                moves_left: Some(G::actions_left(&state)).filter(|left| *left > 0),
                moves,
                more: G::about_board(&state),
            };
            let report = serde_json::to_string(&report)
                .map_err(|error| Error::runtime(format!("the moves cannot be written as JSON: {error}")))?;
            print(&format!("{report}\n"))
        }
    }
}

/// The position with the given piece; an error if unknown, or missing though needed.
fn with_piece<G: Playable>(name: &str, state: &G::State, piece: Option<&str>) -> Result<G::State> {
    let letters = G::PIECES.iter().map(char::to_string).collect::<Vec<_>>();
    match piece {
        None if G::PIECES.is_empty() || G::is_whole(state) => Ok(*state),
        None => Err(Error::user(format!("{name} shows no piece: --piece must be one of {}", letters.join(" ")))),
        Some(piece) => match letters.iter().position(|letter| letter == piece) {
            Some(number) if G::is_whole(state) && G::with_piece(state, number) != *state => {
                Err(Error::user(format!("--piece {piece}: {name} shows another piece: leave one of them out")))
            }
            Some(number) => Ok(G::with_piece(state, number)),
            None if letters.is_empty() => Err(Error::user(format!("--piece {piece}: {} has no pieces", G::NAME))),
            None => Err(Error::user(format!("--piece {piece}: it must be one of {}", letters.join(" ")))),
        },
    }
}

fn read(file: Option<&Path>, board: &str) -> Result<(String, String)> {
    let name = file.map_or("standard input".to_owned(), |path| path.display().to_string());
    let bytes = match file {
        Some(path) => files::read_limited(path, LONGEST)?,
        None => {
            if io::stdin().is_terminal() {
                eprintln!("the board, {board}, then Ctrl-D:");
            }
            files::read_input_limited(LONGEST)?
        }
    };
    let text = files::text(&name, bytes)?;
    Ok((name, text))
}

/// The position of a board at rest, by default with all moves left.
fn position<G: Playable>(rules: &G::Rules, name: &str, text: &str, moves_left: Option<i64>) -> Result<G::State> {
    let all = G::actions_left(&G::new(rules, &mut Stream::new(0, Role::Game, 0)).state()) as i64;
    if let (Some(moves_left), 0) = (moves_left, all) {
        return Err(Error::user(format!("--moves-left {moves_left}: {} does not count moves: leave it out", G::NAME)));
    }
    let moves_left = moves_left.unwrap_or(all);
    if all > 0 && !(1..=all).contains(&moves_left) {
        return Err(Error::user(format!("--moves-left {moves_left}: it must be from 1 to {all}")));
    }
    let state = G::parse(rules, text, Some(moves_left));
    state.map_err(|error| Error::user(format!("{name}: {error}")))
}

/// The board with the best move in brackets, then the ranking.
fn table<G: Playable>(player: &str, state: &G::State, ranked: &[ActionValue]) -> String {
    let mut text = player.to_owned();
    let mut line = |part: std::fmt::Arguments| text.write_fmt(part).unwrap_or_default();
    if G::actions_left(state) > 0 {
        line(format_args!(", moves left: {}", G::actions_left(state)));
    }
    let board = G::board(state);
    let best = ranked.first().map_or(vec![], |valued| G::places(state, valued.action));
    line(format_args!("\n\n  "));
    (0..board.lines().next().map_or(0, |row| row.chars().count())).for_each(|x| line(format_args!(" {x} ")));
    for (y, row) in board.lines().enumerate() {
        line(format_args!("\n{y:<2}"));
        for (x, letter) in row.chars().enumerate() {
            match best.contains(&(y, x)) {
                true => line(format_args!("[{letter}]")),
                false => line(format_args!(" {letter} ")),
            }
        }
    }
    let moves: Vec<String> = ranked.iter().map(|valued| G::words(state, valued.action)).collect();
    let width = moves.iter().map(|words| words.chars().count()).max().unwrap_or(0);
    line(format_args!("\n\nrank  {:width$}  {:>8}\n", "move", "value"));
    for (rank, (ActionValue { value, .. }, words)) in (1..).zip(ranked.iter().zip(&moves)) {
        line(format_args!("{rank:4}  {words:width$}  {value:8.1}\n"));
    }
    let advice = ranked.first().map_or(String::new(), |valued| G::advice(state, valued.action));
    if !advice.is_empty() {
        line(format_args!("\n{}\n", advice.trim_end()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::Match3;
    use crate::games::match3::Move;

    const BOARD: &str =
        "dda#cbdc\ndc#c#dcb\na#cc#bbc\na#ab###a\ncdc##d#d\nd#c##ba#\nd####adc\nb#cacb#b\nbb#d#ac#\ndac#c#a#";

    #[test]
    fn a_board_may_end_with_a_newline_and_come_from_any_system() {
        let expected = position::<Match3>(&Default::default(), "x", BOARD, Some(3)).unwrap();
        assert_eq!(position::<Match3>(&Default::default(), "x", &format!("{BOARD}\n"), Some(3)), Ok(expected));
        let windows = BOARD.replace('\n', "\r\n");
        for end in ["\r\n", "\r", "", "\n\n", "\r\n\r\n", "\n  \n\t"] {
            assert_eq!(
                position::<Match3>(&Default::default(), "x", &format!("{windows}{end}"), Some(3)),
                Ok(expected),
                "{end:?}"
            );
        }
    }

    #[test]
    fn the_first_cell_of_a_run_is_named() {
        // (0, 2) and (0, 3) are a; an a above makes a column of three.
        let column = BOARD.replacen("dc#c#dcb", "ac#c#dcb", 1);
        let row = BOARD.replacen("a#cc#bbc", "a#ccc#bc", 1);
        for (board, place) in [(column, "row 1, column 0"), (row, "row 2, column 2")] {
            let error = position::<Match3>(&Default::default(), "b.txt", &board, Some(3)).unwrap_err();
            assert!(
                matches!(&error, Error::User(text) if text.starts_with("b.txt: ") && text.contains(place)),
                "{error}"
            );
        }
    }

    #[test]
    fn the_table_marks_the_best_move_on_the_board() {
        let state = position::<Match3>(&Default::default(), "x", BOARD, Some(1)).unwrap();
        let best = Move { x: 2, y: 6, vertical: true }.action().unwrap();
        let text = table::<Match3>(
            "greedy",
            &state,
            &[ActionValue { action: best, value: 16.25 }, ActionValue { action: 0, value: -5.0 }],
        );
        assert!(text.starts_with("greedy, moves left: 1\n\n   0  1  2 "), "{text}");
        assert!(text.contains("\n6  d  # [#] #  #  a  d  c \n7  b  # [c] a "), "{text}");
        assert!(
            text.contains("\n   1  swap (6, 2) and (7, 2)      16.2\n   2  swap (0, 0) and (1, 0)      -5.0\n"),
            "{text}"
        );
    }
}
