//! What a player's values mean and how sure they are, for people.

use std::borrow::Cow;

use super::measured::Measured;

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ActionValue {
    pub action: usize,
    /// Points, or the player's own scale.
    pub value: f64,
}

/// A move as a player judges it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Judged {
    pub action: usize,
    /// Points, or the player's own scale.
    pub value: f64,
    /// Half of the 95 % interval of the value's distance from the best move's, where both are means
    /// of the same simulations.
    pub half_width: Option<f64>,
    /// Whether a search gave the move up early, after few simulations.
    pub dropped: bool,
}

impl From<ActionValue> for Judged {
    fn from(ActionValue { action, value }: ActionValue) -> Self {
        Self { action, value, half_width: None, dropped: false }
    }
}

impl From<Judged> for ActionValue {
    fn from(judged: Judged) -> Self {
        Self { action: judged.action, value: judged.value }
    }
}

pub(crate) fn values(judged: &[Judged]) -> Vec<ActionValue> {
    judged.iter().map(|judged| (*judged).into()).collect()
}

pub(crate) fn judged(values: Vec<ActionValue>) -> Vec<Judged> {
    values.into_iter().map(Judged::from).collect()
}

/// What a player's values are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Meaning {
    /// Whether a value's unit is the game's [point](crate::games::Lookahead::unit).
    pub in_points: bool,
    /// What a value is, as the rest of a sentence that begins with `A value is`.
    pub about: Cow<'static, str>,
}

impl Meaning {
    /// Values on a scale of the player's own.
    pub const OWN: Self =
        Self { in_points: false, about: Cow::Borrowed("a number on the player's own scale, not points") };

    /// The meaning as a sentence.
    pub fn sentence<G: Measured>(&self) -> String {
        let unit = if self.in_points { format!(", in {}", G::UNIT) } else { String::new() };
        format!("A value is {}{unit}.", self.about)
    }

    pub fn points(about: impl Into<Cow<'static, str>>) -> Self {
        Self { in_points: true, about: about.into() }
    }
}
