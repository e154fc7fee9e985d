//! The simulating player: search guided by one of the certain players.

use std::time::Instant;

use super::policy::shuffle;
use super::search::{Budget, NoLeaf, Search};
use super::{Policy, Valued};
use crate::games::match3::{Certain, Match3, State};
use crate::games::{ActionMask, Game, MaskKind, falls_back};
use crate::random::Stream;

/// Plays the matching move that simulations, each followed by some moves of the guide, rank first.
pub struct Rollout<P> {
    /// How the moves are simulated.
    pub search: Search<Match3>,
    /// Who plays after the move, and in whose order the matching moves are tried.
    pub guide: P,
    /// Whether the moves of [`MaskKind::Setups`] are tried too, after the others.
    pub setups: bool,
}

impl<P: Policy<Match3>> Policy<Match3> for Rollout<P> {
    /// As [`rank`](Self::rank).
    fn values(&self, state: &State, ties: &mut Stream) -> Vec<Valued> {
        self.rank(state, ties)
    }

    /// The move ranked first: one that went early may have a higher mean, of fewer simulations.
    fn choose(&self, state: &State, ties: &mut Stream) -> usize {
        self.rank(state, ties).first().map_or(0, |valued| valued.action)
    }

    /// The moves in the order of the search.
    fn rank(&self, state: &State, ties: &mut Stream) -> Vec<Valued> {
        let begin = Instant::now();
        let matching = Certain::of(state).matching();
        let setups = self.setups_beside(state, &matching);
        let mut candidates = self.guide.values(state, ties);
        // Shuffled before they are sorted, so that equal ones come in random order.
        shuffle(&mut candidates, ties);
        if matching.is_empty() {
            if setups.is_empty() {
                return candidates;
            }
            candidates.clear();
        }
        candidates.sort_by(|a, b| b.value.total_cmp(&a.value));
        let mut points = [0.0; ActionMask::CAPACITY];
        Match3::certain(state, &setups, 2, 1.0, &mut points);
        let valued = |action: usize| Valued { action, value: points[action].into() };
        let mut setups: Vec<Valued> = setups.iter().map(valued).collect();
        shuffle(&mut setups, ties);
        setups.sort_by(|a, b| b.value.total_cmp(&a.value));
        candidates.extend(setups);
        let Ok(ranked) = self.search.rank(state, &candidates, &self.guide, &mut NoLeaf, ties, begin);
        ranked
    }

    fn is_timed(&self) -> bool {
        matches!(self.search.budget, Budget::Time(_))
    }
}

impl<P> Rollout<P> {
    /// The set-ups that are tried beside the matching moves: none where the mask has to fall back.
    fn setups_beside(&self, state: &State, matching: &ActionMask) -> ActionMask {
        if !self.setups {
            return ActionMask::empty();
        }
        let offered = Match3::mask(state, MaskKind::Setups);
        match falls_back::<Match3>(state, MaskKind::Setups, &offered) {
            true => ActionMask::empty(),
            false => offered.without(matching),
        }
    }
}
