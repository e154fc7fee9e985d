use serde::Serialize;
use serde_json::{Map, Value, json};

use super::valued::{ActionValue, Judged, Meaning, judged};
use crate::games::{ActionMask, Game, Lookahead, MaskKind, Plan, Step, Text, offered};
use crate::random::{Draw, Stream};

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Listed {
    /// The move as the game writes it: `[x, y, vertical]` in match-3.
    #[serde(rename = "move")]
    pub action: Value,
    /// Points, or the player's own scale.
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

/// Callback after each move; returns whether to play on. The callback may exchange the game for
/// another that has not ended.
pub type Moved<'a, G> = dyn FnMut(&mut G, &mut <G as Game>::Rng, usize, Step) -> bool + 'a;

/// A rule that chooses a move in one position, with all random numbers from `ties`.
pub trait Policy<G: Game>: Send + Sync {
    /// Moves with their values, at least one.
    fn values(&self, state: &G::State, ties: &mut Stream) -> Vec<ActionValue>;

    /// Move with the highest value, at random among equal ones.
    fn choose(&self, state: &G::State, ties: &mut Stream) -> usize {
        best(&self.values(state, ties), ties)
    }

    /// Moves with their values, best first; the first is [chosen](Self::choose) with the same
    /// stream.
    fn rank(&self, state: &G::State, ties: &mut Stream) -> Vec<ActionValue> {
        let values = self.values(state, ties);
        let first = best(&values, ties);
        sorted(values, first)
    }

    /// Moves as [ranked](Self::rank), with how sure their values are.
    fn judge(&self, state: &G::State, ties: &mut Stream) -> Vec<Judged> {
        judged(self.rank(state, ties))
    }

    /// What the values are.
    fn meaning(&self) -> Meaning {
        Meaning::OWN
    }

    /// Move of the guide of a [simulation](super::Search) after `moves` guided moves.
    fn follow(&self, _moves: u32, state: &G::State, ties: &mut Stream) -> usize {
        self.choose(state, ties)
    }

    /// Plays [chosen](Self::choose) moves, at least one, while `moved` returns true; the game must
    /// not have ended.
    fn play(&self, game: &mut G, random: &mut G::Rng, ties: &mut Stream, moved: &mut Moved<'_, G>) {
        play_by_choice(self, game, random, ties, moved);
    }

    /// Whether a move's budget is time.
    fn is_timed(&self) -> bool {
        false
    }

    /// The policy's own list of moves, best first.
    fn list(&self, _state: &G::State) -> Option<Vec<Listed>> {
        None
    }
}

pub(crate) fn play_by_choice<G: Game>(
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

    fn judge(&self, state: &G::State, ties: &mut Stream) -> Vec<Judged> {
        self.as_ref().judge(state, ties)
    }

    fn meaning(&self) -> Meaning {
        self.as_ref().meaning()
    }

    fn follow(&self, moves: u32, state: &G::State, ties: &mut Stream) -> usize {
        self.as_ref().follow(moves, state, ties)
    }

    fn is_timed(&self) -> bool {
        self.as_ref().is_timed()
    }
}

/// Move with the highest value, at random among equal ones; 0 if there is none.
pub fn best(values: &[ActionValue], ties: &mut Stream) -> usize {
    let highest = values.iter().map(|valued| valued.value).fold(f64::NEG_INFINITY, f64::max);
    let mut equal = values.iter().filter(|valued| valued.value == highest);
    match equal.clone().count() {
        0 | 1 => equal.next().map_or(0, |valued| valued.action),
        count => equal.nth(ties.below(count as u32) as usize).map_or(0, |valued| valued.action),
    }
}

/// Actions of the mask before the default one, quiet ones included, or of the nearest earlier one
/// that has any.
pub(crate) fn quiet_too<G: Game>(state: &G::State) -> ActionMask {
    offered::<G>(state, MaskKind(MaskKind::default_of::<G>().0.saturating_sub(1))).0
}

/// Highest value; negative infinity without any.
pub(crate) fn best_of(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(f64::NEG_INFINITY, f64::max)
}

/// Moves by descending value, the chosen one first among equal ones.
pub(crate) fn sorted(mut values: Vec<ActionValue>, chosen: usize) -> Vec<ActionValue> {
    values.sort_by(|a, b| b.value.total_cmp(&a.value).then_with(|| (b.action == chosen).cmp(&(a.action == chosen))));
    values
}

pub(crate) fn shuffle(values: &mut [ActionValue], ties: &mut Stream) {
    for last in (1..values.len()).rev() {
        values.swap(last, ties.below(last as u32 + 1) as usize);
    }
}

/// Values of the offered moves of a position; all 0 where the default mask is empty.
pub(crate) fn weigh<G: Lookahead>(state: &G::State, value: impl Fn(usize) -> f64) -> Vec<ActionValue> {
    let (mask, other) = offered::<G>(state, MaskKind::default_of::<G>());
    let value = |action| ActionValue { action, value: if other { 0.0 } else { value(action) } };
    mask.iter().map(value).collect()
}

/// Certain points of the best plan from each offered move; a plan has one move where the default
/// mask is empty.
pub(crate) fn weigh_certain<G: Lookahead>(state: &G::State, plan: Plan) -> Vec<ActionValue> {
    let (mask, other) = offered::<G>(state, MaskKind::default_of::<G>());
    certain_values::<G>(state, &mask, if other { Plan { depth: 1, ..plan } } else { plan })
}

pub(crate) fn certain_values<G: Lookahead>(state: &G::State, mask: &ActionMask, plan: Plan) -> Vec<ActionValue> {
    let mut values = Vec::with_capacity(mask.count());
    G::certain(state, mask, plan, |action, points| values.push(ActionValue { action, value: points.into() }));
    values
}
