//! A player's values of moves, in their parts, and the plan behind the best one.

use matchq_core::error::{Error, Result};
use matchq_games::MaskKind;
use matchq_players::{Advice, Advised, LOST, Next, Playable, Player, advise, position_stream};
use serde_json::{Value, json};

use crate::object;
use crate::options::PlayerChoice;
use crate::session::{Context, Session};

/// Most moves of a plan.
const LONGEST: usize = 4;

/// The player's values of the moves, best first, and that of an action, as `own`.
pub fn of<G: Playable>(
    session: &Session<G>,
    choice: &PlayerChoice,
    action: Option<usize>,
    context: &mut Context,
) -> Result<Value> {
    let state = session.episode.state();
    if session.episode.is_over() {
        return Err(Error::user("the game is over: no move is left to value".to_owned()));
    }
    if let Some(action) = action.filter(|action| !G::mask(&state, MaskKind::LEGAL).contains(*action)) {
        return Err(Error::user(format!("{action} is no legal action in this position")));
    }
    let player = context.player::<G>(session, choice)?.as_mut();
    let advice = advise::<G>(player, &state, &mut position_stream::<G>(&state))?;
    let mut values = shown::<G>(player.name(), &state, &advice);
    if let Some(action) = action {
        values["own"] = own::<G>(&state, action, &advice);
    }
    Ok(values)
}

/// An action among the values. One that the player does not consider is as good as the last that it
/// does, but for what it gains less for certain.
fn own<G: Playable>(state: &G::State, action: usize, advice: &Advice) -> Value {
    if let Some(advised) = advice.moves.iter().find(|advised| advised.action == action) {
        return shown_move::<G>(state, advised);
    }
    let gains = f64::from(G::after(state, action).points) * G::unit(state);
    let (best, last) = (advice.moves.first(), advice.moves.last());
    let value = last.and_then(|last| finite(last.value - (last.gains - gains).max(0.0)));
    let cost = best.and_then(|best| finite(best.value)).zip(value).map(|(best, value)| best - value);
    object(json!({
        "action": action,
        "words": G::words(state, action),
        "cells": G::cells(state, action),
        "value": value,
        "cost": cost,
        "gains": gains,
        "estimate": true,
    }))
}

/// A player's values of a position's moves.
pub fn values<G: Playable>(player: &mut dyn Player<G>, state: &G::State) -> Result<Value> {
    let advice = advise::<G>(player, state, &mut position_stream::<G>(state))?;
    Ok(shown::<G>(player.name(), state, &advice))
}

/// A player's advice as JSON.
fn shown<G: Playable>(player: &str, state: &G::State, advice: &Advice) -> Value {
    let best = advice.moves.first().map(|best| best.action);
    let words = best.map(|best| G::advice(state, best)).filter(|words| !words.is_empty());
    object(json!({
        "player": player,
        "meaning": advice.meaning.sentence::<G>(),
        "scale": advice.meaning.scale,
        "unit": advice.meaning.in_points().then_some(G::UNIT),
        "moves": advice.moves.iter().map(|advised| shown_move::<G>(state, advised)).collect::<Vec<_>>(),
        "plan": best.map(|best| plan::<G>(state, best)),
        "advice": words,
    }))
}

/// A move of an advice as JSON.
fn shown_move<G: Playable>(state: &G::State, advised: &Advised) -> Value {
    object(json!({
        "action": advised.action,
        "words": G::words(state, advised.action),
        "cells": G::cells(state, advised.action),
        "value": finite(advised.value),
        "cost": finite(advised.cost),
        "half_width": advised.half_width.and_then(finite),
        "dropped": advised.dropped.then_some(true),
        "gains": advised.gains,
        "next": advised.next.as_ref().map(next),
    }))
}

/// A value or a cost, unless it is that of a losing move: no number of points.
fn finite(value: f64) -> Option<f64> {
    (value.abs() < LOST / 2.0).then_some(value)
}

/// A board's text, a ? where chance fills a cell.
fn known<G: Playable>(state: &G::State) -> String {
    let shown = |letter: char| letter == '\n' || G::TOKENS.iter().any(|token| token.letter == letter);
    let known = |letter: char| if shown(letter) || G::PIECES.is_some() { letter } else { '?' };
    G::board(state).chars().map(known).collect()
}

fn next(next: &Next) -> Value {
    json!({"action": next.action, "words": next.words, "cells": next.cells, "gains": next.gains})
}

/// The best move and those that then gain most for certain, each with the board that is certain
/// after it; a ? is a cell that chance fills.
fn plan<G: Playable>(state: &G::State, best: usize) -> Vec<Value> {
    let (mut state, mut action, mut plan) = (*state, best, Vec::new());
    while plan.len() < LONGEST {
        let after = G::after(&state, action);
        plan.push(json!({
            "action": action,
            "words": G::words(&state, action),
            "cells": G::cells(&state, action),
            "gains": f64::from(after.points) * G::unit(&state),
            "board": known::<G>(&after.state),
        }));
        let gains = |action: &usize| G::after(&after.state, *action).points;
        let better = |best: usize, other: usize| if gains(&other) > gains(&best) { other } else { best };
        let Some(next) = after.actions.iter().reduce(better).filter(|next| gains(next) > 0.0) else { break };
        (state, action) = (after.state, next);
    }
    plan
}
