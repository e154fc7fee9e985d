//! Boards that users give: a text, or a picture of the board.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal};
use std::path::Path;

use super::{END, tell};
use crate::cli::{Advise, Look};
use crate::error::{Error, Result};
use crate::files::{self, check_apart, write_atomically};
use crate::games::{Given, Names, cells_in_words, tidy};
use crate::named;
use crate::players::{Advised, Playable, registry};
use crate::vision::{self, Field, LONGEST, Picture, Reading, Theme};

/// Maximum bytes of a board's text.
const LONGEST_TEXT: usize = 4_096;
/// Moves drawn into a picture.
const DRAWN: usize = 3;
/// Letter of an unknown cell in the boards of games that may have such.
const UNKNOWN_CELL: &str = ".";

/// A board's text with its name for messages, and the picture it was read from.
pub(super) struct Board {
    pub(super) name: String,
    pub(super) text: String,
    seen: Option<(Picture, Field)>,
}

/// Reads the board that `advise` is given, once; what it is follows from its first bytes.
///
/// A picture of which a cell is not sure is an error at run time, unless the game's boards may have
/// unknown cells.
pub(super) fn read<G: Playable>(arguments: &Advise, rules: &G::Rules) -> Result<Board> {
    if let Some(path) = &arguments.overlay {
        check_overlay(path, arguments.file.as_deref())?;
    }
    let file = arguments.file.as_deref().unwrap_or(Path::new("-"));
    if files::is_input(file) && io::stdin().is_terminal() {
        eprintln!("the board, {}, then {END}:", G::BOARD);
    }
    let name = files::name(file);
    let bytes = files::read_limited(file, LONGEST)?;
    if !Picture::is_encoded(&bytes) {
        return text::<G>(arguments, name, bytes);
    }
    let picture = Picture::decode(&name, &bytes)?;
    let themes = themes(Some(G::NAME), arguments.look.theme.as_deref())?;
    let field = field(&arguments.look, themes[0].size(), &picture)?;
    let (_, mut reading) = vision::read_best(&name, &picture, &themes, field)?;
    let doubt = matchq_page::doubt(&name, G::NAME, &mut reading)?;
    let text = reading.board().replace(vision::UNKNOWN, UNKNOWN_CELL);
    let is_taken = doubt.is_none() && fits(&reading) && {
        let names = Names { board: &name, moves_left: "", piece: "" };
        Given { board: &text, moves_left: None, piece: None }.game::<G>(rules, &names).is_ok()
    };
    let doubt = doubt.or_else(|| unsure(&name, &reading));
    if let (Some(unsure), true) = (&doubt, is_taken) {
        let places: Vec<String> = reading.unsure().map(|(column, row, _)| cells_in_words(&[(row, column)])).collect();
        tell(&format!("{unsure}; taken as unknown: {}", places.join("; ")));
    } else if let Some(doubt) = doubt {
        let given = arguments.game.name.is_some() || arguments.look.theme.is_some();
        let program = named::name();
        let taken = format!("it was taken for {}, and --game names another game; ", G::NAME);
        return Err(Error::runtime(format!(
            "{doubt}; {}there is no advice on such a board: {program} read {name} --game {} --overlay OUT.png shows what \
             was seen, {program} read --teach makes a theme that knows such pictures",
            if given { "" } else { &taken },
            G::NAME
        )));
    }
    Ok(Board { name, text, seen: Some((picture, reading.field)) })
}

fn text<G: Playable>(arguments: &Advise, name: String, bytes: Vec<u8>) -> Result<Board> {
    let flags = [
        ("--theme", arguments.look.theme.is_some()),
        ("--field", !arguments.look.field.is_empty()),
        ("--overlay", arguments.overlay.is_some()),
    ];
    let text = String::from_utf8(bytes).ok().filter(|text| is_board::<G>(text));
    let Some(text) = text else {
        let sentence = format!("{name} is neither a board's text, {}, nor a picture of one, a PNG or a JPEG", G::BOARD);
        return Err(Error::user(sentence));
    };
    if text.len() > LONGEST_TEXT {
        return Err(Error::user(format!("{name} is too long: a board has at most {LONGEST_TEXT} bytes")));
    }
    match flags.into_iter().find(|(_, given)| *given) {
        Some((flag, _)) => Err(Error::user(format!("{flag}: {name} is a text; only a picture of a board takes it"))),
        None => Ok(Board { name, text, seen: None }),
    }
}

/// Whether most letters are a board's, so that its mistakes can be named by row and column.
fn is_board<G: Playable>(text: &str) -> bool {
    let text = tidy(text);
    let letters = || text.chars().filter(|letter| !letter.is_whitespace());
    let known = letters().filter(|letter| *letter == '?' || G::TOKENS.iter().any(|token| token.letter == *letter));
    2 * known.count() >= letters().count()
}

impl Board {
    /// Draws the best moves into the picture that the board was read from.
    pub(super) fn draw<G: Playable>(&self, path: Option<&Path>, state: &G::State, best: &[Advised]) -> Result<()> {
        let (Some(path), Some((picture, field))) = (path, &self.seen) else { return Ok(()) };
        let rows = G::board(state).lines().count();
        // A position's text may have lines above the picture's.
        let above = rows.saturating_sub(field.size[1]);
        let cells = |valued: &Advised| -> Vec<[usize; 2]> {
            let cells = G::cells(state, valued.action).into_iter();
            cells.filter_map(|(row, column)| Some([column, row.checked_sub(above)?])).collect()
        };
        let moves: Vec<Vec<[usize; 2]>> = best.iter().take(DRAWN).map(cells).collect();
        write_atomically(path, &vision::moves(picture, field, &moves).to_png()?)
    }
}

/// Checks the destination of a drawn picture.
pub(super) fn check_overlay(path: &Path, image: Option<&Path>) -> Result<()> {
    super::check_file("--overlay", path, "png")?;
    match image {
        Some(image) => check_apart(("--overlay", path), ("the picture that is read", image)),
        None => Ok(()),
    }
}

/// The sentence about cells that are not sure.
pub(super) fn unsure(name: &str, reading: &Reading) -> Option<String> {
    let (unsure, cells) = (reading.unsure().count(), reading.cells.len());
    let none = if fits(reading) { "" } else { "no theme fits this picture: " };
    let is = if unsure == 1 { "is" } else { "are" };
    (unsure > 0).then(|| format!("{name}: {none}{unsure} of {cells} cells {is} not sure"))
}

/// Whether at least half of the cells are sure; of a picture of other gems single cells say
/// nothing.
pub(super) fn fits(reading: &Reading) -> bool {
    2 * reading.unsure().count() <= reading.cells.len()
}

/// The requested theme, or all of the game's, by default match-3's; all have equal sizes.
pub(super) fn themes(game: Option<&str>, theme: Option<&str>) -> Result<Vec<Theme>> {
    let names = match theme {
        Some(name) => vec![name],
        None => registry::game(game.unwrap_or("match3"))?.themes().to_vec(),
    };
    if let (true, Some(name)) = (names.is_empty(), game) {
        let sentence = format!(
            "there is no theme for pictures of {name}: name one by --theme, or make one by {} read --teach",
            named::name()
        );
        return Err(Error::user(sentence));
    }
    let load = |name: &str| {
        let loaded = Theme::load(name).map_err(|error| if theme.is_some() { error.of("--theme") } else { error })?;
        fitting(game, &format!("the theme {name}"), loaded.size(), &loaded.letters())?;
        Ok(loaded)
    };
    names.into_iter().map(load).collect()
}

/// Checks that the game, if given, has this size and these letters; returns all its letters.
pub(super) fn fitting(
    game: Option<&str>,
    what: &str,
    size: [usize; 2],
    letters: &BTreeSet<char>,
) -> Result<BTreeSet<char>> {
    let Some(game) = game else { return Ok(BTreeSet::new()) };
    let door = registry::game(game)?;
    let [columns, rows] = door.size();
    let known: BTreeSet<char> = door.tokens().iter().map(|token| token.letter).collect();
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

/// The field that `--field` names, if any.
pub(super) fn field(look: &Look, size: [usize; 2], picture: &Picture) -> Result<Option<Field>> {
    let given = &look.field;
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
