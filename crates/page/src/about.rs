//! What an engine knows: games, tokens, players.

use matchq_games::random::{Role, Stream};
use matchq_games::{MaskKind, Shape, Token};
use matchq_players::{Agents, Playable, registry};
use serde_json::{Value, json};

use crate::door::DOORS;
use crate::options;

/// The engine's games and players, as JSON.
pub fn about(agents: &Agents) -> Value {
    let games: Vec<Value> = DOORS.all().iter().map(|door| door.about(agents)).collect();
    json!({"version": env!("CARGO_PKG_VERSION"), "games": games})
}

/// What a page of one player's game needs to know.
pub fn about_game<G: Playable>(player: &str) -> Value {
    let mut about = of::<G>(&Agents::closed());
    let choices = registry::game(G::NAME).map(|game| game.choices()).unwrap_or_default();
    let known = choices.iter().find(|choice| choice.text() == player).map(|choice| choice.about);
    let own = known.unwrap_or("as recorded in this file");
    about["players"] = json!([{"name": player, "about": own, "agent": false}]);
    json!({"version": env!("CARGO_PKG_VERSION"), "games": [about]})
}

/// What a page needs to know of a game.
pub fn of<G: Playable>(agents: &Agents) -> Value {
    let rules = G::Rules::default();
    let state = G::new(&rules, &mut Stream::new(0, Role::Game, 0)).state();
    let moves = G::actions_left(&state);
    let cells = G::mask(&state, MaskKind::LEGAL).iter().next().map(|action| G::cells(&state, action).len());
    json!({
        "name": G::NAME,
        "about": G::ABOUT,
        "unit": G::UNIT,
        "board": G::BOARD,
        "columns": G::COLUMNS,
        "rows": G::ROWS,
        "tokens": G::TOKENS.iter().map(token).collect::<Vec<_>>(),
        "pieces": G::PIECES.map_or(&[][..], |pieces| pieces.letters()),
        "above": G::PIECES.map_or(0, |pieces| pieces.rows()),
        "moves": (moves > 0).then_some(moves),
        // Cells that a person clicks for a move.
        "cells": cells,
        "rules": serde_json::to_value(&rules).ok().filter(Value::is_object).unwrap_or_else(|| json!({})),
        // Pictures of pieces are not read.
        "reads": G::PIECES.is_none() && [G::COLUMNS, G::ROWS].iter().all(|count| matchq_vision::SIZES.contains(count)),
        "players": registry::game(G::NAME).map(|game| options::of(game, agents)).unwrap_or_default(),
    })
}

fn token(token: &Token) -> Value {
    let Token { letter, colour: [red, green, blue], shape } = token;
    json!({
        "letter": letter,
        "colour": format!("#{red:02x}{green:02x}{blue:02x}"),
        "shape": shape,
        // An unpainted element in a cell of 40 by 40.
        "outline": matchq_pictures::animation::outline(*shape as Shape),
    })
}
