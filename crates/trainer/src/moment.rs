//! A training between two rounds, as JSON.

use matchq_learners::dqn::{Moment, Remembered};
use matchq_players::Playable;
use serde_json::{Value, json};

/// The source of the algorithm, to be read beside what it does.
pub(crate) const SOURCE: &str = include_str!("../../learners/src/dqn/round.rs");

/// A moment, whose boards are texts and whose moves have cells and words.
pub(crate) fn as_json<G: Playable>(moment: &Moment<G::State>) -> Value {
    let Moment { state, values, transitions, target_age, .. } = moment;
    let value = |(action, value): &(usize, f32)| json!({"move": shown::<G>(state, *action), "value": value});
    json!({
        "updates": moment.updates,
        "epsilon": moment.epsilon,
        "learning_rate": moment.learning_rate,
        "target_age": target_age.map(|(age, _)| age),
        "target_every": target_age.map(|(_, every)| every),
        "held": moment.held,
        "capacity": moment.capacity,
        "discount": moment.discount,
        "board": G::board(state),
        "values": values.iter().map(value).collect::<Vec<_>>(),
        "sampled": moment.sampled,
        "transitions": transitions.iter().map(transition::<G>).collect::<Vec<_>>(),
    })
}

fn shown<G: Playable>(state: &G::State, action: usize) -> Value {
    json!({"action": action, "cells": G::cells(state, action), "words": G::words(state, action)})
}

fn transition<G: Playable>(remembered: &Remembered<G::State>) -> Value {
    let Remembered { slot, state, action, reward, next, value, future, average } = remembered;
    json!({
        "slot": slot,
        "board": G::board(state),
        "move": shown::<G>(state, *action),
        "reward": reward,
        "next": next.as_ref().map(|next| G::board(next)),
        "value": value,
        "future": future,
        "average": average,
        "target": remembered.target(),
    })
}
