//! `matchq read`: the board of a picture.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use super::board_input::{check_overlay, field, fits, fitting, themes, unsure};
use super::print;
use crate::cli::Read;
use crate::error::{Error, Result};
use crate::files::{self, check_apart, check_destination, read_limited, text, write_atomically};
use crate::games::{Game as _, Match3, counted, tidy};
use crate::named;
use crate::vision::{self, LONGEST, Picture, Reading, SURE, Theme};

/// Maximum bytes of a board.
const LONGEST_TEXT: u64 = 1 << 20;

/// Reads a picture and prints its board, or learns a theme from it.
pub fn run(arguments: &Read) -> Result<()> {
    if let Some(path) = &arguments.overlay {
        check_overlay(path, arguments.image.as_deref())?;
    }
    match &arguments.teach {
        Some(board) => teach(arguments, board),
        None => read(arguments),
    }
}

fn read(arguments: &Read) -> Result<()> {
    let theme = arguments.look.theme.as_deref();
    let themes = themes(arguments.game.as_deref(), theme)?;
    let (name, picture) = picture(arguments)?;
    let field = field(&arguments.look, themes[0].size(), &picture)?;
    let (_, mut reading) = vision::read_best(&name, &picture, &themes, field)?;
    // Without names the themes are match-3's.
    let game = arguments.game.as_deref().or(theme.is_none().then_some(Match3::NAME));
    let doubt = game.map_or(Ok(None), |game| matchq_page::doubt(&name, game, &mut reading))?;
    print(&format!("{}\n", reading.board()))?;
    draw(arguments, &picture, &reading)?;
    if let Some(doubt) = doubt {
        return Err(Error::runtime(doubt));
    }
    let Some(unsure) = unsure(&name, &reading) else { return Ok(()) };
    let fits = fits(&reading);
    if fits {
        eprintln!("less sure than {:.0} % (rows and columns from 0): {}", 100.0 * SURE, named(&reading));
    }
    let unnamed = arguments.game.is_none() && theme.is_none();
    let other = if unnamed { "it was taken for match-3, and --game names another game; " } else { "" };
    let sentence =
        format!("{unsure}; {other}--partial takes the board as it is, --teach makes a theme that knows such pictures");
    if !arguments.partial {
        return Err(Error::runtime(sentence));
    }
    if !fits {
        eprintln!("{sentence}");
    }
    Ok(())
}

/// The cells that are not sure, each with its likeliest letter, row by row.
fn named(reading: &Reading) -> String {
    let mut rows: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for (column, row, cell) in reading.unsure() {
        let percent = (100.0 * cell.confidence).floor();
        rows.entry(row).or_default().push(format!("column {column} {} by {percent:.0} %", cell.letter));
    }
    rows.iter().map(|(row, cells)| format!("row {row}: {}", cells.join(", "))).collect::<Vec<_>>().join("; ")
}

/// Writes a learned theme; an error if under 90 % of cells are read surely and right.
fn teach(arguments: &Read, board: &Path) -> Result<()> {
    let path = PathBuf::from(arguments.look.theme.as_deref().unwrap_or_default());
    if path.extension().is_none_or(|extension| extension != "toml") {
        return Err(Error::user(format!("--theme {}: with --teach it must be a file ending in .toml", path.display())));
    }
    check_destination("--theme", &path)?;
    check_apart(("--theme", &path), ("--teach", board))?;
    let rows = labels(board)?;
    let size = [rows[0].len(), rows.len()];
    let letters: BTreeSet<char> = rows.iter().flatten().copied().collect();
    let all = fitting(arguments.game.as_deref(), &board.display().to_string(), size, &letters)?;
    let (name, picture) = picture(arguments)?;
    let field = field(&arguments.look, size, &picture)?;
    let lesson = vision::teach(&name, &picture, &rows, field)?;
    let comment = format!("Learned by {} read --teach from {name} and {}.", named::name(), board.display());
    // The theme as read again, with rounded numbers.
    let text = lesson.theme.to_toml(&comment)?;
    let theme = Theme::parse(&path.display().to_string(), &text)?;
    let reading = vision::read_field(&picture, &theme, lesson.field);
    let right = reading.cells.iter().zip(rows.iter().flatten());
    let right = right.filter(|(cell, letter)| cell.is_sure() && cell.letter == **letter).count();
    draw(arguments, &picture, &reading)?;
    if 10 * right < 9 * reading.cells.len() {
        return Err(Error::user(format!(
            "{name} and {} do not fit each other: of {} cells only {right} can be told apart; check the board, or say \
             where the field is by --field X,Y,WIDTH,HEIGHT",
            board.display(),
            reading.cells.len()
        )));
    }
    write_atomically(&path, text.as_bytes())?;
    let missing: Vec<String> = all.difference(&letters).map(char::to_string).collect();
    if !missing.is_empty() {
        eprintln!("not on the board, and so not in the theme: {}", missing.join(" "));
    }
    if let Some(row) = lesson.surface {
        eprintln!("gems look otherwise from row {row} (from 0) on, as under water: the theme knows both looks");
        let (above, below) = rows.split_at(row);
        for (place, one, other) in [("below", above, below), ("above", below, above)] {
            let one_side = |letter: &&char| {
                one.iter().flatten().any(|at| at == *letter) && !other.iter().flatten().any(|at| at == *letter)
            };
            let lacking: Vec<String> = letters.iter().filter(one_side).map(char::to_string).collect();
            if !lacking.is_empty() {
                eprintln!("not {place} that row, and so without that look: {}", lacking.join(" "));
            }
        }
    }
    print(&format!("{}: {right} of {} cells are read right with it\n", files::name(&path), reading.cells.len()))
}

fn picture(arguments: &Read) -> Result<(String, Picture)> {
    let path = arguments.image.as_deref().unwrap_or(Path::new("-"));
    if files::is_input(path) && io::stdin().is_terminal() {
        return Err(Error::user(format!(
            "name a picture, or give one on standard input: {} read IMAGE",
            named::name()
        )));
    }
    let name = files::name(path);
    let picture = Picture::decode(&name, &read_limited(path, LONGEST)?)?;
    Ok((name, picture))
}

/// The board given for a picture, row by row.
fn labels(path: &Path) -> Result<Vec<Vec<char>>> {
    let name = format!("--teach {}", path.display());
    let wrong = |what: String| Error::user(format!("{name}: {what}"));
    let text = text(&name, read_limited(path, LONGEST_TEXT)?)?;
    let rows: Vec<Vec<char>> = tidy(&text).lines().map(|row| row.chars().collect()).collect();
    let columns = rows.first().map_or(0, Vec::len);
    for (y, row) in rows.iter().enumerate() {
        if row.len() != columns {
            let cells = counted(row.len(), "cells");
            return Err(wrong(format!("row {y} (from 0) has {cells}, but the first has {columns}")));
        }
        if let Some(x) = row.iter().position(|letter| letter.is_whitespace() || letter.is_control() || *letter == '?') {
            return Err(wrong(format!("row {y}, column {x} (both from 0) is {:?}: it must be a letter", row[x])));
        }
    }
    match [columns, rows.len()].iter().all(|count| vision::SIZES.contains(count)) {
        true if rows.iter().flatten().any(|letter| *letter != rows[0][0]) => Ok(rows),
        true => Err(wrong("the board has gems of one kind only".to_owned())),
        false => Err(wrong(format!(
            "the board has {columns} columns and {} rows; both must be from {} to {}",
            rows.len(),
            vision::SIZES.start(),
            vision::SIZES.end()
        ))),
    }
}

fn draw(arguments: &Read, picture: &Picture, reading: &Reading) -> Result<()> {
    match &arguments.overlay {
        Some(path) => write_atomically(path, &vision::overlay(picture, reading).to_png()?),
        None => Ok(()),
    }
}
