//! `matchq replay`: plays moves in the game of a seed, and prints every board or draws the game.

use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, IsTerminal, Write};
use std::path::Path;

use matchq_page::web;
use serde::Serialize;
use serde_json::{Value, json};

use super::{END, check_file, rules, series, written};
use crate::cli;
use crate::error::{Error, Result};
use crate::eval::tie_stream;
use crate::files;
use crate::games::{Episode, MaskKind, counted};
use crate::players::{Agents, Playable, Player};
use matchq_pictures::animation::{Frame, Tiles, animation};
use matchq_pictures::film::{Film, Played};
use matchq_pictures::gif::gif;

/// Default maximum of moves in a picture of a player's game.
const DRAWN: u64 = 200;

/// The position after a move, and the move's points.
#[derive(Serialize)]
struct Line {
    board: String,
    score_delta: i32,
    score: i32,
    /// Present only if the rules count moves.
    #[serde(skip_serializing_if = "Option::is_none")]
    moves_left: Option<usize>,
    /// Whether the game is over; present only if it is and the rules do not count moves.
    #[serde(skip_serializing_if = "Option::is_none")]
    over: Option<bool>,
}

struct Replay<'a, G: Playable, W> {
    episode: Episode<G>,
    out: &'a mut W,
    film: Film,
    /// Whether the game goes into a picture or a page.
    is_drawn: bool,
    /// Whether the rules count moves.
    is_counted: bool,
    /// The page, if written.
    record: Option<Record>,
    /// Moves so far.
    played: u64,
}

/// A game for the page: each move's values and what it brought.
#[derive(Default)]
struct Record {
    position: Value,
    steps: Vec<Value>,
    /// Values of the position reached.
    values: Value,
}

/// Replays moves from a file, from standard input or of a player.
pub fn run<G: Playable>(arguments: &cli::Replay, agents: &Agents) -> Result<()> {
    let drawn = [("--html", &arguments.html), ("--svg", &arguments.svg), ("--gif", &arguments.gif)];
    let drawn: Vec<(&str, &Path)> = drawn.iter().filter_map(|(flag, path)| Some((*flag, path.as_deref()?))).collect();
    for (index, (flag, path)) in drawn.iter().enumerate() {
        check_file(flag, path, flag.trim_start_matches('-'))?;
        drawn[..index].iter().try_for_each(|other| files::check_apart((flag, path), *other))?;
    }
    let rules = rules::<G>(&arguments.game)?;
    let mut out = io::stdout().lock();
    let episode = Episode::<G>::deal(&rules, arguments.seed);
    let film = Film::new(&episode, G::UNIT, arguments.svg.is_some() || arguments.gif.is_some());
    let record = arguments.html.is_some().then(Record::default);
    let mut replay = Replay::new(episode, &mut out, film, record);
    match (&arguments.player, arguments.file.as_deref().filter(|path| *path != Path::new("-"))) {
        (Some(player), _) => {
            let mut player = super::player::<G>(player, &rules, agents)?;
            let most = arguments.moves.unwrap_or(if replay.is_drawn { DRAWN } else { u64::MAX });
            replay.follow(player.as_mut(), arguments.seed, most)?;
        }
        (None, None) => {
            if io::stdin().is_terminal() {
                let legal = G::mask(&replay.episode.state(), MaskKind::LEGAL);
                let example =
                    legal.iter().next().map_or(String::new(), |action| format!(", such as {}", G::to_json(action)));
                writeln!(io::stderr(), "Type one move a line{example}, and {END} at the end.").ok();
            }
            replay.read(io::stdin().lock(), "standard input")?;
        }
        (None, Some(path)) => {
            let name = files::name(path);
            let unread = |error| Error::user(format!("{name} cannot be read: {error}"));
            if path.is_dir() {
                return Err(unread(ErrorKind::IsADirectory.into()));
            }
            let file = File::open(path).map_err(unread)?;
            replay.read(BufReader::new(file), &name)?;
        }
    }
    let title = format!("{}, seed {}", G::NAME, arguments.seed);
    if let (Some(path), Some(record)) = (&arguments.html, &replay.record) {
        let player = arguments.player.as_deref().unwrap_or("given moves");
        let page = json!({
            "about": matchq_page::about_game::<G>(player),
            // A larger number is another one to JavaScript.
            "at": match u64::try_from(arguments.seed).ok().filter(|seed| *seed < 1 << 53) {
                Some(seed) => json!({"game": G::NAME, "rules": rules, "seed": seed}),
                None => json!({"game": G::NAME, "rules": rules}),
            },
            "player": player,
            "position": record.position,
            "steps": record.steps,
        });
        files::write_atomically(path, web::single(web::Inside::Record(&page)).as_bytes())?;
    }
    let frames = replay.film.frames();
    if let Some(path) = &arguments.svg {
        files::write_atomically(path, animation(&title, Tiles::of::<G>(), frames).as_bytes())?;
    }
    if let Some(path) = &arguments.gif {
        let drawn = gif(&title, Tiles::of::<G>(), frames);
        files::write_atomically(
            path,
            &drawn.map_err(|what| Error::user(format!("--gif {}: {what}", path.display())))?,
        )?;
    }
    let (moves, score) = (counted(replay.played, "moves"), counted(replay.episode.score(), G::UNIT));
    let drawn = arguments.svg.iter().chain(&arguments.gif).chain(&arguments.html);
    let drawn: String = drawn.map(|path| format!("{}: {title}, {moves}, {score}\n", files::name(path))).collect();
    written(replay.out, &drawn).map(|_| ())
}

/// Pictures of a player's game, at most 200 moves.
pub fn frames<G: Playable>(rules: &G::Rules, seed: u128, player: &mut dyn Player<G>) -> Result<Vec<Frame>> {
    let episode = Episode::<G>::deal(rules, seed);
    let (film, mut out) = (Film::new(&episode, G::UNIT, true), io::sink());
    let mut replay = Replay::new(episode, &mut out, film, None);
    replay.follow(player, seed, DRAWN)?;
    Ok(replay.film.frames().to_vec())
}

/// A line for an error: limited, without control characters.
fn shown(line: &str) -> String {
    const MOST: usize = 60;
    let text: String = line.chars().take(MOST).map(|letter| if letter.is_control() { '?' } else { letter }).collect();
    if line.chars().nth(MOST).is_some() { text + "..." } else { text }
}

impl<'a, G: Playable, W: Write> Replay<'a, G, W> {
    fn new(episode: Episode<G>, out: &'a mut W, film: Film, record: Option<Record>) -> Self {
        let is_drawn = !film.frames().is_empty() || record.is_some();
        let is_counted = G::actions_left(&episode.state()) > 0;
        Self { episode, out, film, is_drawn, is_counted, record, played: 0 }
    }

    /// Reads one move a line; writes a line of JSON for the start and each move, unless the game is
    /// drawn.
    ///
    /// A closed pipe ends the replay. `name` names the input in errors.
    fn read(&mut self, input: impl BufRead, name: &str) -> Result<()> {
        if !self.start()? {
            return Ok(());
        }
        for (number, line) in (1..).zip(input.lines()) {
            let line = line.map_err(|error| match error.kind() {
                ErrorKind::InvalidData => Error::user(format!("{name}, line {number}: the line is not UTF-8 text")),
                _ => Error::runtime(format!("{name} cannot be read: {error}")),
            })?;
            // Some editors begin a file with a byte order mark.
            let line = if number == 1 { line.trim_start_matches('\u{feff}') } else { &line }.trim();
            if line.is_empty() {
                continue;
            }
            let value: Value = serde_json::from_str(line).unwrap_or_default();
            let action = G::from_json(&value)
                .map_err(|what| Error::user(format!("{name}, line {number}: '{}' is no move; {what}", shown(line))))?;
            if !self.play(action)? {
                break;
            }
        }
        Ok(())
    }

    /// Lets a player play the game of a seed, at most so many moves.
    fn follow(&mut self, player: &mut dyn Player<G>, seed: u128, most: u64) -> Result<()> {
        let mut ties = tie_stream(seed);
        let mut reading = self.start()?;
        while reading && self.played < most && !self.episode.is_over() {
            if let Some(record) = &mut self.record {
                record.values = matchq_page::values::<G>(player, &self.episode.state())?;
            }
            let mut own = [ties.clone()];
            let actions = player.act(&[self.episode.state()], &mut own)?;
            [ties] = own;
            let Some(action) = actions.first() else { break };
            reading = self.play(*action)?;
        }
        Ok(())
    }

    fn start(&mut self) -> Result<bool> {
        if let Some(record) = &mut self.record {
            let board = G::board(&self.episode.state());
            record.position = matchq_page::position::<G>(&self.episode.game, &board, self.is_counted, 0);
        }
        self.line(0)
    }

    fn play(&mut self, action: usize) -> Result<bool> {
        let state = self.episode.state();
        let Played { before, way, rest, points } = self.film.play(&mut self.episode, action);
        self.played += 1;
        if let Some(record) = &mut self.record {
            let number = record.steps.len() + 1;
            let wasted = action >= G::ACTIONS;
            record.steps.push(json!({
                "values": std::mem::take(&mut record.values),
                "played": {
                    "action": action,
                    "words": if wasted { "a wasted move".to_owned() } else { G::words(&state, action) },
                    "cells": if wasted { vec![] } else { G::cells(&state, action) },
                    "before": before,
                    "frames": way,
                    "points": points,
                    "position": matchq_page::position::<G>(&self.episode.game, &rest, self.is_counted, number),
                },
            }));
        }
        self.line(points as i32)
    }

    /// Writes a line, unless the game is drawn; false, as from `start` and `play`, if the pipe is closed.
    fn line(&mut self, score_delta: i32) -> Result<bool> {
        if self.is_drawn {
            return Ok(true);
        }
        let (board, score) = (G::board(&self.episode.state()), self.episode.score());
        let moves_left = self.is_counted.then(|| G::actions_left(&self.episode.state()));
        let over = Some(true).filter(|_| !self.is_counted && self.episode.is_over());
        let line = series::json(&Line { board, score_delta, score, moves_left, over })?;
        // No buffering: a program may wait for a line before it sends the next move.
        written(self.out, &format!("{line}\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::Match3;

    fn read(input: &[u8], out: &mut impl Write) -> Result<()> {
        let episode = Episode::<Match3>::deal(&Default::default(), 0);
        let film = Film::new(&episode, "points", false);
        Replay::new(episode, out, film, None).read(input, "moves.jsonl")
    }

    fn replay(input: &[u8]) -> Result<String> {
        let mut out = Vec::new();
        read(input, &mut out)?;
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
        for bad in ["[1,2]", "[1,2,3]", "[1.5,2,true]", "[1,2,true,4]", "x"] {
            let error = replay(format!("\n[0, 0, true]\n{bad}\n").as_bytes()).unwrap_err();
            let Error::User(sentence) = error else { panic!("{error:?}") };
            assert!(sentence.starts_with("moves.jsonl, line 3: "), "{sentence}");
            assert!(sentence.contains(bad), "{sentence}");
        }
        let error = replay(b"[0, 0, true]\n\xff\n").unwrap_err();
        assert!(matches!(&error, Error::User(text) if text.starts_with("moves.jsonl, line 2: ")));
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
        let gone = read(moves, &mut Closing(ErrorKind::BrokenPipe, 0));
        assert_eq!(gone, Ok(()));
        let full = read(moves, &mut Closing(ErrorKind::StorageFull, 0));
        assert!(matches!(full, Err(Error::Runtime(_))));
    }
}
