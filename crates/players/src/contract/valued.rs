//! Moves with their values, and what a player's values mean.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::measured::Measured;
use matchq_core::random::{Draw, Stream};
use matchq_games::Text;

/// A move with its value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Valued {
    /// Number of the action.
    pub action: usize,
    /// Value in points, or on the player's own scale: the player's [`Meaning`] says which.
    pub value: f64,
    /// Half of the 95 % interval of the value's distance from the best move's, where both are means
    /// of the same simulations.
    pub half_width: Option<f64>,
    /// Whether a search gave the move up early, after few simulations.
    pub dropped: bool,
}

impl Valued {
    /// A move with its value alone.
    pub const fn new(action: usize, value: f64) -> Self {
        Self { action, value, half_width: None, dropped: false }
    }
}

/// What a player's values count.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// The game's [points](matchq_games::Lookahead::unit) to come.
    Points,
    /// Points to come, less those that come on average with as many moves left.
    Relative,
    /// Numbers on a scale of the player's own.
    Own,
}

/// What a player's values are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Meaning {
    /// What a value counts.
    pub scale: Scale,
    /// What a value is, as the rest of a sentence that begins with `A value is`.
    pub about: Cow<'static, str>,
}

impl Meaning {
    /// Values on a scale of the player's own.
    pub const OWN: Self =
        Self { scale: Scale::Own, about: Cow::Borrowed("a number on the player's own scale, not points") };

    /// Whether values are in the game's points.
    pub fn in_points(&self) -> bool {
        self.scale != Scale::Own
    }

    /// The meaning as a sentence.
    pub fn sentence<G: Measured>(&self) -> String {
        let unit = if self.in_points() { format!(", in {}", G::UNIT) } else { String::new() };
        format!("A value is {}{unit}.", self.about)
    }

    /// Values in points; `about` is the rest of a sentence that begins with `A value is`.
    pub fn points(about: impl Into<Cow<'static, str>>) -> Self {
        Self { scale: Scale::Points, about: about.into() }
    }
}

/// A move of a list in JSON.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Listed {
    /// The move as the game writes it: `[x, y, vertical]` in match-3.
    #[serde(rename = "move")]
    pub action: Value,
    /// Value in points, or on the player's own scale.
    pub value: f64,
    /// Further facts about the move.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// A move for people and programs, the same in all games: `cells`, (row, column) of what is moved or
/// where a piece lands, and `words`.
pub fn in_words<G: Text>(state: &G::State, action: usize) -> Map<String, Value> {
    Map::from_iter([
        ("cells".to_owned(), json!(G::cells(state, action))),
        ("words".to_owned(), G::words(state, action).into()),
    ])
}

/// Move with the highest value, at random among equal ones; 0 if there is none.
pub fn best(values: &[Valued], ties: &mut Stream) -> usize {
    let highest = highest(values.iter().map(|valued| valued.value));
    let mut equal = values.iter().filter(|valued| valued.value == highest);
    match equal.clone().count() {
        0 | 1 => equal.next().map_or(0, |valued| valued.action),
        count => equal.nth(ties.below(count as u32) as usize).map_or(0, |valued| valued.action),
    }
}

/// Highest value; negative infinity without any.
pub(crate) fn highest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(f64::NEG_INFINITY, f64::max)
}

/// Moves by descending value, dropped ones last, the chosen one first among equal ones.
pub(crate) fn sorted(mut values: Vec<Valued>, chosen: usize) -> Vec<Valued> {
    values.sort_by(|a, b| {
        let by_value = a.dropped.cmp(&b.dropped).then_with(|| b.value.total_cmp(&a.value));
        by_value.then_with(|| (b.action == chosen).cmp(&(a.action == chosen)))
    });
    values
}

/// Sorts moves by descending value, equal ones in their order.
pub(crate) fn sort(values: &mut [Valued]) {
    values.sort_by(|a, b| b.value.total_cmp(&a.value));
}

/// Puts values in random order.
pub(crate) fn shuffle(values: &mut [Valued], ties: &mut Stream) {
    for last in (1..values.len()).rev() {
        values.swap(last, ties.below(last as u32 + 1) as usize);
    }
}
