//! `matchq replay`: plays given moves in the original's game of a seed and prints what happens.

use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Write};
use std::path::Path;

use serde::Serialize;

use crate::error::{Error, Result};
use crate::games::Game;
use crate::games::match3::{Match3, Rules};
use crate::random::CPythonRandom;

/// One line of output: the position after a move and what the move brought.
#[derive(Serialize)]
struct Line {
    board: String,
    score_delta: i32,
    score: i32,
    moves_left: i32,
}

/// Replays from the file that the user named, or from standard input, to standard output.
///
/// # Errors
/// As [`replay`], and a file that cannot be opened.
pub fn run(arguments: &crate::cli::Replay) -> Result<()> {
    let mut out = io::stdout().lock();
    let (seed, kinds) = (arguments.seed, arguments.obstacle_kinds);
    match arguments.file.as_deref().filter(|path| *path != Path::new("-")) {
        None => replay(seed, kinds, io::stdin().lock(), "standard input", &mut out),
        Some(path) => {
            let name = path.display().to_string();
            let file = File::open(path).map_err(|error| Error::user(format!("{name} cannot be read: {error}")))?;
            replay(seed, kinds, BufReader::new(file), &name, &mut out)
        }
    }
}

/// Replays the game of a seed: reads one move a line, `[x, y, vertical]`, and writes a line of JSON for
/// the start and one for each move. Blank lines are skipped; a reader that has gone away ends it.
/// `input_name` is the file's name, or "standard input", for error sentences.
///
/// # Errors
/// A number of obstacle kinds that no rules have, a line that is no move, and input that cannot be
/// read or output that cannot be written.
pub fn replay(
    seed: u128,
    obstacle_kinds: u32,
    input: impl BufRead,
    input_name: &str,
    out: &mut impl Write,
) -> Result<()> {
    let rules = Rules::new(obstacle_kinds).map_err(|error| Error::user(format!("--obstacle-kinds: {error}")))?;
    let mut random = CPythonRandom::new(seed);
    let mut game = Match3::new(&rules, &mut random);
    if !print(&game, 0, out)? {
        return Ok(());
    }
    for (number, line) in (1..).zip(input.lines()) {
        let line = line.map_err(|error| match error.kind() {
            ErrorKind::InvalidData => Error::user(format!("{input_name}, line {number}: the line is not UTF-8 text")),
            _ => Error::runtime(format!("{input_name} cannot be read: {error}")),
        })?;
        if line.trim().is_empty() {
            continue;
        }
        let (x, y, vertical): (i64, i64, bool) = serde_json::from_str(&line).map_err(|_| {
            Error::user(format!(
                "{input_name}, line {number}: '{}' is no move; a move is [x, y, vertical], \
                 such as [3, 0, true]",
                line.trim()
            ))
        })?;
        let play = game.play(x, y, vertical, &mut random);
        if !print(&game, play.score_delta, out)? {
            break;
        }
    }
    Ok(())
}

/// Writes the line of a position; whether anyone still reads.
fn print(game: &Match3, score_delta: i32, out: &mut impl Write) -> Result<bool> {
    let (board, score, moves_left) = (game.board(), game.score(), game.moves_left());
    let written = serde_json::to_string(&Line { board, score_delta, score, moves_left })
        .map_err(io::Error::from)
        // Each line at once: a program may wait for it before it sends the next move.
        .and_then(|line| writeln!(out, "{line}").and_then(|()| out.flush()));
    match written {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Error::runtime(format!("standard output cannot be written: {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replay(input: &[u8]) -> Result<String> {
        let mut out = Vec::new();
        super::replay(0, 2, input, "moves.jsonl", &mut out)?;
        Ok(String::from_utf8(out).unwrap())
    }

    #[test]
    fn the_start_and_every_move_give_a_line_and_blank_lines_none() {
        let text = replay(b"\n[2, 6, true]\n  \n[-1, 0, false]\n").unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        let start = r##"{"board":"dda#cbdc\ndc#c#dcb\na#cc#bbc\na#ab###a\ncdc##d#d\nd#c##ba#\nd####adc\nb#cacb#b\nbb#d#ac#\ndac#c#a#","score_delta":0,"score":0,"moves_left":25}"##;
        assert_eq!(lines[0], start);
        assert!(lines[1].ends_with(r#""score_delta":16,"score":16,"moves_left":24}"#), "{text}");
        assert!(lines[2].ends_with(r#""score_delta":-5,"score":11,"moves_left":23}"#), "{text}");
    }

    #[test]
    fn a_line_that_is_no_move_is_named_by_file_and_number() {
        for bad in ["[1, 2]", "[1, 2, 3]", "[1.5, 2, true]", "[1, 2, true, 4]", "x"] {
            let error = replay(format!("\n[0, 0, true]\n{bad}\n").as_bytes()).unwrap_err();
            let Error::User(sentence) = error else { panic!("{error:?}") };
            assert!(sentence.starts_with("moves.jsonl, line 3: "), "{sentence}");
            assert!(sentence.contains(bad), "{sentence}");
        }
        let error = replay(b"[0, 0, true]\n\xff\n").unwrap_err();
        assert!(matches!(&error, Error::User(text) if text.starts_with("moves.jsonl, line 2: ")));
    }

    #[test]
    fn a_number_of_obstacle_kinds_out_of_range_is_refused_by_the_flags_name() {
        for kinds in [253, 256, u32::MAX] {
            let error = super::replay(0, kinds, &b""[..], "moves.jsonl", &mut Vec::new()).unwrap_err();
            let named = |text: &str| text.contains("--obstacle-kinds") && text.contains("0 to 252");
            assert!(matches!(&error, Error::User(text) if named(text)), "{error}");
        }
    }

    /// A writer that fails after its first line.
    struct Closing(ErrorKind, usize);

    impl Write for Closing {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.1 += bytes.len();
            if self.1 > 200 { Err(self.0.into()) } else { Ok(bytes.len()) }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_reader_that_has_gone_away_is_no_error_but_a_full_disk_is() {
        let moves = &b"[0, 0, true]\n[1, 0, true]\n"[..];
        let gone = super::replay(0, 2, moves, "moves.jsonl", &mut Closing(ErrorKind::BrokenPipe, 0));
        assert_eq!(gone, Ok(()));
        let full = super::replay(0, 2, moves, "moves.jsonl", &mut Closing(ErrorKind::StorageFull, 0));
        assert!(matches!(full, Err(Error::Runtime(_))));
    }
}
