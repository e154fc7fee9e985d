//! Players that decide every position by itself, by values of its moves.

use rayon::prelude::*;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::error::Result;
use crate::games::{ActionMask, Game, Lookahead, MaskKind, Plan, Step, offered};
use crate::player::Player;
use crate::random::{Draw, Stream};

/// A move and what a player thinks it is worth.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ActionValue {
    /// The move's number.
    pub action: usize,
    /// In points where the player has no scale of its own.
    pub value: f64,
}

/// A move as JSON.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Listed {
    /// As the game writes it: in match-3 `[x, y, vertical]`.
    #[serde(rename = "move")]
    pub action: Value,
    /// In points where the player has no scale of its own.
    pub value: f64,
    /// What else there is to say of it.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// What follows a game in which a policy plays: given the game, its random numbers, the action and what it brought.
///
/// The policy plays on as long as the answer is true. The game may be exchanged for another that has not ended.
pub type Moved<'a, G> = dyn FnMut(&mut G, &mut <G as Game>::Rng, usize, Step) -> bool + 'a;

/// A way to choose a move in one position.
///
/// Its random numbers come from `ties` alone.
pub trait Policy<G: Game>: Send + Sync {
    /// The moves that are considered, at least one, with their values.
    fn values(&self, state: &G::State, ties: &mut Stream) -> Vec<ActionValue>;

    /// The move with the highest value, at random among equal ones.
    fn choose(&self, state: &G::State, ties: &mut Stream) -> usize {
        best(&self.values(state, ties), ties)
    }

    /// The moves with their values from the best to the worst.
    ///
    /// With the same stream the first is the one chosen.
    fn rank(&self, state: &G::State, ties: &mut Stream) -> Vec<ActionValue> {
        let values = self.values(state, ties);
        let first = best(&values, ties);
        sorted(values, first)
    }

    /// The move it plays as the guide of a [simulation](super::Search).
    ///
    /// It is so many moves after the one that is simulated, from 0.
    fn follow(&self, _moves: u32, state: &G::State, ties: &mut Stream) -> usize {
        self.choose(state, ties)
    }

    /// Plays on in a game that has not ended, as long as `moved` says so: at least one move.
    ///
    /// Each action is the one that is [chosen](Self::choose).
    fn play(&self, game: &mut G, random: &mut G::Rng, ties: &mut Stream, moved: &mut Moved<'_, G>) {
        play_by_choice(self, game, random, ties, moved);
    }

    /// Whether it thinks for a given time.
    fn is_timed(&self) -> bool {
        false
    }

    /// Its own list of the moves, the best first; by default it has none.
    fn list(&self, _state: &G::State) -> Option<Vec<Listed>> {
        None
    }
}

/// Plays on by what a policy chooses in each position.
pub(super) fn play_by_choice<G: Game>(
    policy: &(impl Policy<G> + ?Sized),
    game: &mut G,
    random: &mut G::Rng,
    ties: &mut Stream,
    moved: &mut Moved<'_, G>,
) {
    loop {
        let action = policy.choose(&game.state(), ties);
        let step = game.step(action, random);
        if !moved(game, random, action, step) {
            return;
        }
    }
}

/// The player that follows a policy.
pub struct PolicyPlayer<P> {
    name: String,
    policy: P,
}

impl<P> PolicyPlayer<P> {
    /// The player with a name for results.
    pub fn new(name: impl Into<String>, policy: P) -> Self {
        Self { name: name.into(), policy }
    }
}

impl<G: Game, P: Policy<G>> Player<G> for PolicyPlayer<P> {
    fn name(&self) -> &str {
        &self.name
    }

    fn act(&mut self, states: &[G::State], ties: &mut [Stream]) -> Result<Vec<usize>> {
        let choose = |(state, ties): (&G::State, &mut Stream)| self.policy.choose(state, ties);
        // A single move is not worth waking the thread pool.
        Ok(match self.policy.is_timed() || states.len() == 1 {
            true => states.iter().zip(ties).map(choose).collect(),
            false => states.par_iter().zip(ties).map(choose).collect(),
        })
    }

    fn rank(&mut self, state: &G::State, ties: &mut Stream) -> Result<Vec<ActionValue>> {
        Ok(self.policy.rank(state, ties))
    }

    fn policy(&self) -> Option<&dyn Policy<G>> {
        Some(&self.policy)
    }

    fn list(&self, state: &G::State) -> Option<Vec<Listed>> {
        self.policy.list(state)
    }

    fn is_timed(&self) -> bool {
        self.policy.is_timed()
    }
}

impl<G: Game> Policy<G> for Box<dyn Policy<G>> {
    fn values(&self, state: &G::State, ties: &mut Stream) -> Vec<ActionValue> {
        self.as_ref().values(state, ties)
    }

    fn choose(&self, state: &G::State, ties: &mut Stream) -> usize {
        self.as_ref().choose(state, ties)
    }

    fn rank(&self, state: &G::State, ties: &mut Stream) -> Vec<ActionValue> {
        self.as_ref().rank(state, ties)
    }

    fn follow(&self, moves: u32, state: &G::State, ties: &mut Stream) -> usize {
        self.as_ref().follow(moves, state, ties)
    }

    fn is_timed(&self) -> bool {
        self.as_ref().is_timed()
    }
}

/// The move with the highest value, at random among equal ones.
///
/// It is move 0 if there is none.
pub fn best(values: &[ActionValue], ties: &mut Stream) -> usize {
    let highest = values.iter().map(|valued| valued.value).fold(f64::NEG_INFINITY, f64::max);
    let mut equal = values.iter().filter(|valued| valued.value == highest);
    match equal.clone().count() {
        0 | 1 => equal.next().map_or(0, |valued| valued.action),
        count => equal.nth(ties.below(count as u32) as usize).map_or(0, |valued| valued.action),
    }
}

/// The actions of a position that gain nothing for certain, too.
///
/// They are those of the mask before the default one, or of the nearest before it that holds any.
pub(super) fn quiet_too<G: Game>(state: &G::State) -> ActionMask {
    offered::<G>(state, MaskKind(MaskKind::default_of::<G>().0.saturating_sub(1))).0
}

/// The highest of some values; negative infinity if there is none.
pub(super) fn best_of(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(f64::NEG_INFINITY, f64::max)
}

/// Moves from the highest value to the lowest.
///
/// Of the highest the chosen one is the first.
pub(super) fn sorted(mut values: Vec<ActionValue>, chosen: usize) -> Vec<ActionValue> {
    values.sort_by(|a, b| b.value.total_cmp(&a.value).then_with(|| (b.action == chosen).cmp(&(a.action == chosen))));
    values
}

/// Brings moves into a random order.
pub(super) fn shuffle(values: &mut [ActionValue], ties: &mut Stream) {
    for last in (1..values.len()).rev() {
        values.swap(last, ties.below(last as u32 + 1) as usize);
    }
}

/// The values of the offered moves of a position.
///
/// Where the default mask holds none, all others are alike.
pub(super) fn weigh<G: Lookahead>(state: &G::State, value: impl Fn(usize) -> f64) -> Vec<ActionValue> {
    let (mask, other) = offered::<G>(state, MaskKind::default_of::<G>());
    let value = |action| ActionValue { action, value: if other { 0.0 } else { value(action) } };
    mask.iter().map(value).collect()
}

/// The same by the certain points of plans.
///
/// Moves that are all alike have those of one move.
pub(super) fn weigh_certain<G: Lookahead>(state: &G::State, plan: Plan) -> Vec<ActionValue> {
    let (mask, other) = offered::<G>(state, MaskKind::default_of::<G>());
    certain_values::<G>(state, &mask, if other { Plan { depth: 1, ..plan } } else { plan })
}

/// The moves of a mask with the certain points of the best plans from each.
pub(super) fn certain_values<G: Lookahead>(state: &G::State, mask: &ActionMask, plan: Plan) -> Vec<ActionValue> {
    let mut values = Vec::with_capacity(mask.count());
    G::certain(state, mask, plan, |action, points| values.push(ActionValue { action, value: points.into() }));
    values
}
