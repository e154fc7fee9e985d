//! `matchq read`: the board of a picture.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use super::print;
use crate::cli::Read;
use crate::error::{Error, Result};
use crate::files::{check_apart, check_destination, read_input_limited, read_limited, text, write_atomically};
use crate::games::Match3;
use crate::games::{Game as _, tidy};
use crate::players::{ForGame, Playable, with_game};
use crate::vision::{self, Field, LONGEST, Picture, Reading, SURE, Theme};

/// Maximum bytes of a board.
const LONGEST_TEXT: u64 = 1 << 20;
/// Maximum of uncertain cells to name: half of a smaller board.
const NAMED: usize = 32;

/// Reads a picture and prints its board, or learns a theme from it.
pub fn run(arguments: &Read) -> Result<()> {
    if let Some(path) = &arguments.overlay {
        if path.extension().is_none_or(|ending| !ending.eq_ignore_ascii_case("png")) {
            return Err(Error::user(format!("--overlay {}: it must end in .png", path.display())));
        }
        check_destination("--overlay", path)?;
        if let Some(image) = arguments.image.as_deref() {
            check_apart(("--overlay", path), ("the picture that is read", image))?;
        }
    }
    match &arguments.teach {
        Some(board) => teach(arguments, board),
        None => read(arguments),
    }
}

fn read(arguments: &Read) -> Result<()> {
    let themes = themes(arguments)?;
    let (name, picture) = picture(arguments)?;
    // All themes of a game have equal sizes.
    let field = field(arguments, themes[0].size(), &picture)?;
    let (_, reading) = vision::read_best(&name, &picture, &themes, field)?;
    print(&format!("{}\n", reading.board()))?;
    draw(arguments, &picture, &reading)?;
    let (unsure, cells) = (reading.unsure().count(), reading.cells.len());
    // Of a picture of other gems single cells say nothing.
    let fits = 2 * unsure <= cells;
    for (column, row, cell) in reading.unsure().take(NAMED).filter(|_| fits) {
        eprintln!(
            "column {column}, row {row} (both from 0) is not sure: {} by {:.0} %, less than {:.0} %",
            cell.letter,
            (100.0 * cell.confidence).floor(),
            100.0 * SURE
        );
    }
    if unsure > NAMED && fits {
        eprintln!("and so are {} others, which --overlay shows", unsure - NAMED);
    }
    let unnamed = arguments.game.is_none() && arguments.theme.is_none();
    let other = if unnamed { "it was taken for match-3, and --game names another game; " } else { "" };
    let none = if fits { "" } else { "no theme fits this picture: " };
    let sentence = format!(
        "{name}: {none}{unsure} of {cells} cells are not sure; {other}--partial takes the board as it is, --teach makes a \
         theme that knows such pictures"
    );
    match (unsure, arguments.partial) {
        (0, _) => Ok(()),
        (_, false) => Err(Error::runtime(sentence)),
        (_, true) => {
            if !fits {
                eprintln!("{sentence}");
            }
            Ok(())
        }
    }
}

/// Writes a learned theme; an error if under 90 % of cells are read surely and right.
fn teach(arguments: &Read, board: &Path) -> Result<()> {
    let path = PathBuf::from(arguments.theme.as_deref().unwrap_or_default());
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
    let field = field(arguments, size, &picture)?;
    let (theme, field) = vision::teach(&name, &picture, &rows, field)?;
    let comment = format!("Learned by matchq read --teach from {name} and {}.", board.display());
    // The theme as read again, with rounded numbers.
    let text = theme.to_toml(&comment)?;
    let theme = Theme::parse(&path.display().to_string(), &text)?;
    let reading = vision::read_field(&picture, &theme, field);
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
    print(&format!("{}: {right} of {} cells are read right with it\n", path.display(), reading.cells.len()))
}

/// The requested theme, or all of the game's.
fn themes(arguments: &Read) -> Result<Vec<Theme>> {
    let game = arguments.game.as_deref();
    let names = match &arguments.theme {
        Some(name) => vec![name.as_str()],
        None => with_game(game.unwrap_or(Match3::NAME), FindBoards)?.themes.to_vec(),
    };
    if let (true, Some(name)) = (names.is_empty(), game) {
        let sentence = format!("there is no theme for pictures of {name}: name one by --theme, or make one by --teach");
        return Err(Error::user(sentence));
    }
    let load = |name: &str| {
        let theme =
            Theme::load(name).map_err(|error| if arguments.theme.is_some() { error.of("--theme") } else { error })?;
        fitting(game, &format!("the theme {name}"), theme.size(), &theme.letters())?;
        Ok(theme)
    };
    names.into_iter().map(load).collect()
}

struct FindBoards;

/// A game's columns and rows, letters and themes.
struct Boards {
    size: [usize; 2],
    letters: BTreeSet<char>,
    themes: &'static [&'static str],
}

impl ForGame for FindBoards {
    type Output = Boards;

    fn run<G: Playable>(self) -> Self::Output {
        let letters = G::TOKENS.iter().map(|token| token.letter).collect();
        Boards { size: [G::COLUMNS, G::ROWS], letters, themes: G::THEMES }
    }
}

/// Checks that the game, if given, has this size and these letters; returns all its letters.
fn fitting(game: Option<&str>, what: &str, size: [usize; 2], letters: &BTreeSet<char>) -> Result<BTreeSet<char>> {
    let Some(game) = game else { return Ok(BTreeSet::new()) };
    let Boards { size: [columns, rows], letters: known, .. } = with_game(game, FindBoards)?;
    if size != [columns, rows] {
        let [width, height] = size;
        let sentence = format!("{what} has {width} columns and {height} rows; {game} has {columns} and {rows}");
        return Err(Error::user(sentence));
    }
    match letters.difference(&known).next() {
        Some(letter) => {
            let known = known.iter().map(char::to_string).collect::<Vec<_>>().join(" ");
            Err(Error::user(format!("{what} has the letter {letter:?}; {game} has {known}")))
        }
        None => Ok(known),
    }
}

fn picture(arguments: &Read) -> Result<(String, Picture)> {
    match arguments.image.as_deref().filter(|path| *path != Path::new("-")) {
        Some(path) => {
            let name = path.display().to_string();
            Ok((name.clone(), Picture::decode(&name, &read_limited(path, LONGEST)?)?))
        }
        None if io::stdin().is_terminal() => {
            Err(Error::user("name a picture, or give one on standard input: matchq read IMAGE"))
        }
        None => {
            let name = "standard input";
            Ok((name.to_owned(), Picture::decode(name, &read_input_limited(LONGEST)?)?))
        }
    }
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
            let cells = row.len();
            return Err(wrong(format!("row {y} (from 0) has {cells} cells, but the first has {columns}")));
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

fn field(arguments: &Read, size: [usize; 2], picture: &Picture) -> Result<Option<Field>> {
    let given = &arguments.field;
    if given.is_empty() {
        return Ok(None);
    }
    let text = given.iter().map(f64::to_string).collect::<Vec<_>>().join(",");
    let [x, y, width, height] = given[..] else {
        return Err(Error::user(format!(
            "--field {text}: it must be left, top, width and height, such as 20,40,416,416"
        )));
    };
    let field = Field::within(picture, [x, y, width, height], size);
    field.map(Some).map_err(|what| Error::user(format!("--field {text}: {what}")))
}

fn draw(arguments: &Read, picture: &Picture, reading: &Reading) -> Result<()> {
    match &arguments.overlay {
        Some(path) => write_atomically(path, &vision::overlay(picture, reading).to_png()?),
        None => Ok(()),
    }
}
