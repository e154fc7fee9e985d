//! Rules that choose a move in one position, and values that several of them share.

use super::valued::{Listed, Meaning, Valued, best, sorted};
use matchq_core::random::Stream;
use matchq_core::stop;
use matchq_games::{ActionMask, Game, Lookahead, MaskKind, Plan, Step, offered};

/// Callback after each move of a game with its action and step; returns whether to play on. The
/// callback may exchange the game for another that has not ended.
pub type Moved<'a, G> = dyn FnMut(&mut G, &mut <G as Game>::Rng, usize, Step) -> bool + 'a;

/// A rule that chooses a move in one position, with all random numbers from `ties`.
///
/// A policy is asked for one move ([`choose`](Self::choose)), for all moves
/// ([`rank`](Self::rank)), or for a game ([`play`](Self::play)). It says values and how one of them
/// is picked; the rest follows.
pub trait Policy<G: Game>: Send + Sync {
    /// Moves with their values in any order, at least one.
    fn values(&self, state: &G::State, ties: &mut Stream) -> Vec<Valued>;

    /// Move that is chosen by its [value](Self::values): by default one of the highest, at random
    /// among equal ones.
    fn pick(&self, values: &[Valued], ties: &mut Stream) -> usize {
        best(values, ties)
    }

    /// Move that the policy plays.
    fn choose(&self, state: &G::State, ties: &mut Stream) -> usize {
        self.pick(&self.values(state, ties), ties)
    }

    /// Moves with their values, best first; the first is [chosen](Self::choose) with the same
    /// stream.
    fn rank(&self, state: &G::State, ties: &mut Stream) -> Vec<Valued> {
        let values = self.values(state, ties);
        let chosen = self.pick(&values, ties);
        sorted(values, chosen)
    }

    /// Move in a [simulation](crate::Search) that the policy guides, after `moves` guided moves.
    fn follow(&self, _moves: u32, state: &G::State, ties: &mut Stream) -> usize {
        self.choose(state, ties)
    }

    /// Plays [chosen](Self::choose) moves, at least one, while `moved` returns true; the game must
    /// not have ended.
    fn play(&self, game: &mut G, random: &mut G::Rng, ties: &mut Stream, moved: &mut Moved<'_, G>) {
        play_by_choice(self, game, random, ties, moved);
    }

    /// What the values are.
    fn meaning(&self) -> Meaning {
        Meaning::OWN
    }

    /// Whether a move's budget is time.
    fn is_timed(&self) -> bool {
        false
    }

    /// The policy's own list of moves for people, best first; `None` without one.
    fn list(&self, _state: &G::State) -> Option<Vec<Listed>> {
        None
    }
}

/// Plays move by move, as [`Policy::play`] does by default.
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
    fn values(&self, state: &G::State, ties: &mut Stream) -> Vec<Valued> {
        self.as_ref().values(state, ties)
    }

    fn pick(&self, values: &[Valued], ties: &mut Stream) -> usize {
        self.as_ref().pick(values, ties)
    }

    fn follow(&self, moves: u32, state: &G::State, ties: &mut Stream) -> usize {
        self.as_ref().follow(moves, state, ties)
    }

    fn meaning(&self) -> Meaning {
        self.as_ref().meaning()
    }

    fn is_timed(&self) -> bool {
        self.as_ref().is_timed()
    }
}

/// Actions of the mask before the default one, quiet ones included, or of the nearest earlier one
/// that has any.
pub(crate) fn quiet_too<G: Game>(state: &G::State) -> ActionMask {
    offered::<G>(state, MaskKind(MaskKind::default_of::<G>().0.saturating_sub(1))).0
}

/// Values of the offered moves of a position; all 0 where the default mask is empty.
pub(crate) fn weigh<G: Lookahead>(state: &G::State, value: impl Fn(usize) -> f64) -> Vec<Valued> {
    let (mask, other) = offered::<G>(state, MaskKind::default_of::<G>());
    mask.iter().map(|action| Valued::new(action, if other { 0.0 } else { value(action) })).collect()
}

/// Points of an action's first wave; 0 without one.
pub(crate) fn of_first_wave<G: Lookahead>(state: &G::State, action: usize) -> f64 {
    G::wave(&G::done(state, action)).map_or(0.0, |(_, points)| points.into())
}

/// Whether the game is over after an action, whose afterstate is given, whatever chance brings.
pub(crate) fn ends<G: Lookahead>(state: &G::State, after: &G::State) -> bool {
    G::actions_left(state) == 1 || G::PUZZLE.is_some() && G::mask(after, MaskKind::LEGAL).is_empty()
}

/// Certain points of the best plan from each offered move; a plan has one move where the default
/// mask is empty.
pub(crate) fn weigh_certain<G: Lookahead>(state: &G::State, plan: Plan) -> Vec<Valued> {
    let (mask, other) = offered::<G>(state, MaskKind::default_of::<G>());
    certain_values::<G>(state, &mask, if other { Plan { depth: 1, ..plan } } else { plan })
}

/// Certain points of the best plan from each move of a mask.
pub(crate) fn certain_values<G: Lookahead>(state: &G::State, mask: &ActionMask, plan: Plan) -> Vec<Valued> {
    let mut values = Vec::with_capacity(mask.count());
    G::certain(state, mask, plan, |action, points| {
        stop::look();
        values.push(Valued::new(action, points.into()));
    });
    values
}
