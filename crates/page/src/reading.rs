//! Boards from pictures, by all themes of a game.

use matchq_core::error::{Error, Result};
use matchq_players::{names, registry};
use matchq_vision::{Picture, Reading, SURE, Theme, read_games};
use serde_json::{Value, json};

/// Name of a page's picture in errors.
const NAME: &str = "the picture";

/// The board of a picture of a game, or of the game that it most looks like; an error if most of its
/// cells are not sure.
pub fn read(bytes: &[u8], game: Option<&str>) -> Result<Value> {
    if !Picture::is_encoded(bytes) {
        return Err(Error::user("the file is no picture: a PNG or a JPEG is read".to_owned()));
    }
    let picture = Picture::decode(NAME, bytes)?;
    let names: Vec<&str> = match game {
        Some(game) => vec![game],
        None => names(),
    };
    let (mut games, mut themes) = (Vec::new(), Vec::new());
    for name in names {
        let of_game = registry::game(name)?.themes();
        let read: Vec<Theme> = of_game.iter().filter_map(|name| Theme::named(name)).collect::<Result<_>>()?;
        if !read.is_empty() {
            games.push((name, of_game));
            themes.push(read);
        } else if game.is_some() {
            return Err(Error::user(format!("there is no theme for pictures of {name} yet")));
        }
    }
    let (index, theme, mut reading) = read_games(NAME, &picture, &themes)?;
    let (game, of_game) = games[index];
    let theme = of_game[theme];
    if 2 * reading.unsure().count() > reading.cells.len() {
        let (unsure, cells) = (reading.unsure().count(), reading.cells.len());
        return Err(Error::user(format!(
            "no theme fits this picture: {unsure} of {cells} cells are not sure; `matchq read --teach` makes a theme that \
             knows such pictures"
        )));
    }
    let doubt = doubt(NAME, game, &mut reading)?;
    let unsure: Vec<Value> = reading
        .unsure()
        .map(|(column, row, cell)| {
            json!({"row": row, "column": column, "letter": cell.letter, "confidence": cell.confidence})
        })
        .collect();
    let [x, y, width, height] = reading.field.rectangle();
    Ok(json!({
        "game": game,
        "theme": theme,
        "board": reading.likeliest(),
        "unsure": unsure,
        "sure": SURE,
        "doubt": doubt,
        "picture": [picture.width(), picture.height()],
        "field": [x, y, width, height],
    }))
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
