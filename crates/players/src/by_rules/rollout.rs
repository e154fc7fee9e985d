use super::budget::Budget;
use super::search::Search;
use crate::contract::{Meaning, Measured, Policy, Valued, certain_values, shuffle, sort};
use matchq_core::clock::Instant;
use matchq_core::pool;
use matchq_core::random::Stream;
use matchq_games::{Lookahead, MaskKind, Plan, offered};

/// Plays the move that simulations rank first, each with some moves of the guide.
pub struct Rollout<G: Lookahead + Measured, P> {
    /// Search that simulates the moves.
    pub search: Search<G>,
    /// Player of the simulations after the first move, whose values order the moves of the default
    /// mask.
    pub guide: P,
    /// Mask of the tried moves; those outside the default mask that the guide does not value come
    /// last.
    pub mask: MaskKind,
}

impl<G: Lookahead + Measured, P: Policy<G>> Policy<G> for Rollout<G, P> {
    /// Moves with their values, best first; those that dropped out early come last.
    fn values(&self, state: &G::State, ties: &mut Stream) -> Vec<Valued> {
        let begin = Instant::now();
        pool::inside(|| self.values_since(begin, state, ties))
    }

    /// The first move, as one that dropped out early may have a higher mean of fewer simulations.
    fn pick(&self, values: &[Valued], _: &mut Stream) -> usize {
        values.first().map_or(0, |valued| valued.action)
    }

    fn meaning(&self) -> Meaning {
        self.search.meaning()
    }

    fn is_timed(&self) -> bool {
        matches!(self.search.budget, Budget::Time(_))
    }
}

impl<G: Lookahead + Measured, P: Policy<G>> Rollout<G, P> {
    fn values_since(&self, begin: Instant, state: &G::State, ties: &mut Stream) -> Vec<Valued> {
        let first = G::mask(state, MaskKind::default_of::<G>());
        let (tried, _) = offered::<G>(state, self.mask);
        let mut candidates = self.guide.values(state, ties);
        // Shuffling before sorting puts equal ones in random order.
        shuffle(&mut candidates, ties);
        candidates.retain(|Valued { action, .. }| first.contains(*action) || tried.contains(*action));
        sort(&mut candidates);
        // Most guides see no difference where the default mask is empty: plans order the moves,
        // then the guide.
        let others = if first.is_empty() { std::mem::take(&mut candidates) } else { vec![] };
        let mut more = tried.without(&first);
        candidates.iter().for_each(|valued| more.remove(valued.action));
        let mut more = certain_values::<G>(state, &more, Plan { depth: 2, weight: 1.0, breadth: 0 });
        shuffle(&mut more, ties);
        sort_with(&mut more, &others);
        candidates.extend(more);
        self.search.rank(state, &candidates, &self.guide, ties, begin)
    }
}

/// Sorts moves by descending value, then by that of the same move among others.
fn sort_with(values: &mut [Valued], others: &[Valued]) {
    let of_other = |action| others.iter().find(|valued| valued.action == action).map(|valued| valued.value);
    values.sort_by(|a, b| {
        let [one, other] = [a, b].map(|valued| of_other(valued.action).unwrap_or(f64::NEG_INFINITY));
        b.value.total_cmp(&a.value).then(other.total_cmp(&one))
    });
}
