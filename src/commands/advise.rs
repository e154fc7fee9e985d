//! `matchq advise`: the moves of a board, from the best to the worst.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::Path;

use serde::Serialize;

use super::{print, rules};
use crate::agents::{self, Valued};
use crate::cli::Advise;
use crate::error::{Error, Result};
use crate::games::match3::{COLUMNS, Move, State};
use crate::random::{Role, Stream};

/// No board is longer, in bytes.
const LONGEST: u64 = 4_096;

/// The ranking as JSON.
#[derive(Serialize)]
struct Report<'a> {
    player: &'a str,
    moves_left: i32,
    moves: Vec<Ranked>,
}

#[derive(Serialize)]
struct Ranked {
    /// `[x, y, vertical]`.
    #[serde(rename = "move")]
    triple: (usize, usize, bool),
    /// In points where the player has no scale of its own.
    value: f64,
}

/// Reads the board and prints the player's ranking of its moves.
///
/// # Errors
/// A board that cannot be read, is none or is not at rest, a player that there is not, and a player that fails.
pub fn run(arguments: &Advise) -> Result<()> {
    let rules = rules(arguments.obstacle_kinds)?;
    let (name, text) = read(arguments.file.as_deref().filter(|path| *path != Path::new("-")))?;
    let state = position(&name, &text, arguments.moves_left)?;
    let mut player = agents::parse(&arguments.player, &rules)?;
    let mut ranked = player.rank(&state, &mut Stream::new(0, Role::Tie, 0))?;
    ranked.truncate(arguments.top.map_or(usize::MAX, |top| top as usize));
    match arguments.json {
        false => print(&table(player.name(), &state, &ranked)),
        true => {
            let moves = ranked.iter().map(|valued| {
                let Move { x, y, vertical } = Move::of_action(valued.action);
                Ranked { triple: (x, y, vertical), value: valued.value }
            });
            let report = Report { player: player.name(), moves_left: state.moves_left(), moves: moves.collect() };
            let report = serde_json::to_string(&report)
                .map_err(|error| Error::runtime(format!("the moves cannot be written as JSON: {error}")))?;
            print(&format!("{report}\n"))
        }
    }
}

/// The name and the text of a file, or of standard input.
fn read(file: Option<&Path>) -> Result<(String, String)> {
    let name = file.map_or("standard input".to_owned(), |path| path.display().to_string());
    let unread = |error| Error::user(format!("{name} cannot be read: {error}"));
    let mut bytes = Vec::new();
    match file {
        Some(path) => File::open(path).and_then(|file| file.take(LONGEST + 1).read_to_end(&mut bytes)),
        None => {
            if io::stdin().is_terminal() {
                eprintln!("the board, ten lines of eight of a b c d #, then Ctrl-D:");
            }
            io::stdin().lock().take(LONGEST + 1).read_to_end(&mut bytes)
        }
    }
    .map_err(unread)?;
    if bytes.len() as u64 > LONGEST {
        return Err(Error::user(format!("{name} is too long for a board, which is ten lines of eight of a b c d #")));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok((name, text)),
        Err(_) => Err(Error::user(format!("{name} is not UTF-8 text; a board is ten lines of eight of a b c d #"))),
    }
}

/// A file's lines without what editors and other systems add: a byte order mark, ends with `\r`, blank lines below.
fn tidy(text: &str) -> String {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines: Vec<&str> = text.lines().map(|line| line.trim_end_matches('\r')).collect();
    while lines.pop_if(|line| line.trim().is_empty()).is_some() {}
    lines.join("\n")
}

/// The position of a board at rest.
fn position(name: &str, text: &str, moves_left: i64) -> Result<State> {
    let text = &tidy(text);
    if text.is_empty() {
        return Err(Error::user(format!("{name} is empty; a board is ten lines of eight of a b c d #")));
    }
    State::at_rest(text, moves_left).map_err(|error| Error::user(format!("{name}: {error}")))
}

/// The ranking as text, below the board with the best move in brackets.
fn table(player: &str, state: &State, ranked: &[Valued]) -> String {
    let mut text = format!("{player}, moves left: {}\n\n  ", state.moves_left());
    let mut line = |part: std::fmt::Arguments| text.write_fmt(part).unwrap_or_default();
    let best = ranked.first().map(|valued| Move::of_action(valued.action));
    let is_best = |cell| best.is_some_and(|best| cell == (best.x, best.y) || cell == best.other());
    (0..COLUMNS).for_each(|x| line(format_args!(" {x} ")));
    for (y, row) in state.board().lines().enumerate() {
        line(format_args!("\n{y} "));
        for (x, letter) in row.chars().enumerate() {
            match is_best((x, y)) {
                true => line(format_args!("[{letter}]")),
                false => line(format_args!(" {letter} ")),
            }
        }
    }
    line(format_args!("\n\nrank  move           {:>8}\n", "value"));
    for (rank, Valued { action, value }) in (1..).zip(ranked) {
        line(format_args!("{rank:4}  {}  {value:8.1}\n", Move::of_action(*action)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOARD: &str =
        "dda#cbdc\ndc#c#dcb\na#cc#bbc\na#ab###a\ncdc##d#d\nd#c##ba#\nd####adc\nb#cacb#b\nbb#d#ac#\ndac#c#a#";

    #[test]
    fn a_board_may_end_with_a_newline_and_come_from_any_system() {
        let expected = position("x", BOARD, 3).unwrap();
        assert_eq!(position("x", &format!("{BOARD}\n"), 3), Ok(expected));
        let windows = BOARD.replace('\n', "\r\n");
        for end in ["\r\n", "\r", "", "\n\n", "\r\n\r\n", "\n  \n\t"] {
            assert_eq!(position("x", &format!("{windows}{end}"), 3), Ok(expected), "{end:?}");
            assert_eq!(position("x", &format!("\u{feff}{BOARD}{end}"), 3), Ok(expected), "{end:?}");
        }
    }

    #[test]
    fn the_first_cell_of_a_run_is_named() {
        // (0, 2) and (0, 3) are a: one more above makes a column of three, which begins above a later row.
        let column = BOARD.replacen("dc#c#dcb", "ac#c#dcb", 1);
        let row = BOARD.replacen("a#cc#bbc", "a#ccc#bc", 1);
        for (board, place) in [(column, "row 1, column 0"), (row, "row 2, column 2")] {
            let error = position("b.txt", &board, 3).unwrap_err();
            assert!(
                matches!(&error, Error::User(text) if text.starts_with("b.txt: ") && text.contains(place)),
                "{error}"
            );
        }
    }

    #[test]
    fn the_table_marks_the_best_move_on_the_board() {
        let state = position("x", BOARD, 1).unwrap();
        let best = Move { x: 2, y: 6, vertical: true }.action().unwrap();
        let text = table("greedy", &state, &[Valued { action: best, value: 16.25 }, Valued { action: 0, value: -5.0 }]);
        assert!(text.starts_with("greedy, moves left: 1\n\n   0  1  2 "), "{text}");
        assert!(text.contains("\n6  d  # [#] #  #  a  d  c \n7  b  # [c] a "), "{text}");
        assert!(text.contains("\n   1  (2, 6)-(2, 7)      16.2\n   2  (0, 0)-(0, 1)      -5.0\n"), "{text}");
    }
}
