//! Boards from pictures, by a game's themes and those that a page gives, and themes that it teaches.

use std::collections::BTreeMap;

use matchq_core::error::{Error, Result};
use matchq_games::{Token, tidy};
use matchq_players::{names, registry};
use matchq_vision::{Picture, Reading, SURE, Theme, read_field, read_games};
use serde_json::{Value, json};

/// Name of a page's picture in errors.
const NAME: &str = "the picture";

/// Themes that a page gives, as TOML, by the names of their games.
pub type Themes = BTreeMap<String, Vec<String>>;

/// Most themes that a page gives for a game: each is tried.
const MOST: usize = 16;
/// Most bytes of a theme.
const LONGEST: usize = 1 << 16;

/// The board of a picture of a game, or of the game that it most looks like. `why` says in a sentence
/// why the picture was not read; then most cells are not sure, or there is no board at all.
pub fn read(bytes: &[u8], game: Option<&str>, given: &Themes) -> Result<Value> {
    let picture = decoded(bytes)?;
    let (mut games, mut themes) = (Vec::new(), Vec::new());
    let all: Vec<&str> = match game {
        Some(game) => vec![game],
        None => names(),
    };
    for name in all {
        let of_game = of_game(name, given.get(name).map_or(&[], Vec::as_slice))?;
        if !of_game.is_empty() {
            games.push(name);
            themes.push(of_game);
        }
    }
    let found = match games.is_empty() {
        true => None,
        false => read_games(NAME, &picture, &themes).ok(),
    };
    let Some((index, _, mut reading)) = found else {
        let what = game.map_or("board".to_owned(), |game| format!("board of {game}"));
        return Ok(json!({"game": game, "why": format!("no {what} is found in the picture")}));
    };
    let game = games[index];
    let (unsure, cells) = (reading.unsure().count(), reading.cells.len());
    let why = (2 * unsure > cells)
        .then(|| format!("the gems of the picture are not known: {unsure} of {cells} cells are not sure"));
    let doubt = if why.is_none() { doubt(NAME, game, &mut reading)? } else { None };
    let unsure: Vec<Value> = reading
        .unsure()
        .map(|(column, row, cell)| {
            json!({"row": row, "column": column, "letter": cell.letter, "confidence": cell.confidence})
        })
        .collect();
    Ok(json!({
        "game": game,
        "board": reading.likeliest(),
        "unsure": unsure,
        "sure": SURE,
        "doubt": doubt,
        "why": why,
        "picture": [picture.width(), picture.height()],
        "field": reading.field.rectangle(),
    }))
}

/// The theme of a picture whose board a person knows, as TOML.
pub fn teach(bytes: &[u8], game: &str, board: &str) -> Result<Value> {
    let picture = decoded(bytes)?;
    let door = registry::game(game)?;
    let ([columns, height], tokens) = (door.size(), door.tokens());
    let rows: Vec<Vec<char>> = tidy(board).lines().map(|row| row.chars().collect()).collect();
    if rows.len() != height || rows.iter().any(|row| row.len() != columns) {
        return Err(Error::user(format!("the board must have {height} rows of {columns} gems")));
    }
    for (at, letter) in rows.iter().flatten().enumerate() {
        if !is_letter(*letter, tokens) {
            let (row, column) = (at / columns, at % columns);
            let letters = tokens.iter().map(|token| token.letter.to_string()).collect::<Vec<_>>().join(" ");
            return Err(Error::user(format!(
                "row {row}, column {column} (both from 0) is {letter:?}: it must be one of {letters}"
            )));
        }
    }
    if rows.iter().flatten().all(|letter| *letter == rows[0][0]) {
        return Err(Error::user("the board has gems of one kind only".to_owned()));
    }
    let lesson = matchq_vision::teach(NAME, &picture, &rows, None).map_err(|_| {
        Error::user(format!(
            "no field of {height} rows and {columns} columns is found in the picture: crop it to the board"
        ))
    })?;
    let text = lesson.theme.to_toml(&format!("Gems of {game}, learned on matchq's page."))?;
    // As it will be read again, with rounded numbers.
    let reading = read_field(&picture, &Theme::parse("the theme", &text)?, lesson.field);
    let right = reading.cells.iter().zip(rows.iter().flatten());
    let right = right.filter(|(cell, letter)| cell.is_sure() && cell.letter == **letter).count();
    let cells = reading.cells.len();
    if 10 * right < 9 * cells {
        return Err(Error::user(format!(
            "the board and the picture do not fit each other: of {cells} cells only {right} can be told apart; look at \
             each cell again, or crop the picture to the board"
        )));
    }
    let is_missing = |token: &&Token| !rows.iter().flatten().any(|letter| *letter == token.letter);
    let missing: Vec<char> = tokens.iter().filter(is_missing).map(|token| token.letter).collect();
    Ok(json!({"game": game, "theme": text, "right": right, "cells": cells, "missing": missing}))
}

/// Names of the games whose boards a theme can show.
pub fn games_of(text: &str) -> Result<Value> {
    let theme = parsed(text)?;
    let mut games = Vec::new();
    for name in names() {
        if fits(&theme, name)? {
            games.push(name);
        }
    }
    match games.is_empty() {
        true => Err(Error::user(format!("the theme has {}: no game has such a board", look(&theme)))),
        false => Ok(json!({"games": games})),
    }
}

/// The themes of a game: the program's own, then those given.
fn of_game(name: &str, given: &[String]) -> Result<Vec<Theme>> {
    if given.len() > MOST {
        return Err(Error::user(format!("{} themes of {name} are given, but at most {MOST} are tried", given.len())));
    }
    let inside = registry::game(name)?.themes().iter().filter_map(|theme| Theme::named(theme));
    let mut themes = inside.collect::<Result<Vec<Theme>>>()?;
    for text in given {
        let theme = parsed(text)?;
        // A theme that was kept for another version's board must not keep pictures from being read.
        if fits(&theme, name)? {
            themes.push(theme);
        }
    }
    Ok(themes)
}

fn decoded(bytes: &[u8]) -> Result<Picture> {
    match Picture::is_encoded(bytes) {
        true => Picture::decode(NAME, bytes),
        false => Err(Error::user("the file is no picture: a PNG or a JPEG is read".to_owned())),
    }
}

fn parsed(text: &str) -> Result<Theme> {
    match text.len() > LONGEST {
        true => Err(Error::user(format!("the theme has more than {LONGEST} bytes"))),
        false => Theme::parse("the theme", text),
    }
}

/// Whether a game's board has a theme's size and letters.
fn fits(theme: &Theme, game: &str) -> Result<bool> {
    let door = registry::game(game)?;
    Ok(theme.size() == door.size() && theme.letters().iter().all(|letter| is_letter(*letter, door.tokens())))
}

fn is_letter(letter: char, tokens: &[Token]) -> bool {
    tokens.iter().any(|token| token.letter == letter)
}

fn look(theme: &Theme) -> String {
    let [columns, rows] = theme.size();
    let letters: Vec<String> = theme.letters().iter().map(char::to_string).collect();
    format!("{rows} rows, {columns} columns and the letters {}", letters.join(" "))
}

/// The sentence about a board of a game that cannot stand; its runs then are not sure.
pub fn doubt(name: &str, game: &str, reading: &mut Reading) -> Result<Option<String>> {
    // Games without such a rule take runs.
    if registry::game(game)?.stands(&reading.likeliest()) {
        return Ok(None);
    }
    Ok(reading.doubt_runs().map(|[column, row]| {
        format!(
            "{name} shows no board of {game} at rest: row {row}, column {column} (both from 0) is in a run of three; \
             its gems move, or its colours are not the theme's"
        )
    }))
}
