use crate::contract::{Meaning, Policy, Valued, ends, highest, quiet_too};
use matchq_core::random::Stream;
use matchq_core::stop;
use matchq_games::Lookahead;

/// Plays the first move of the best certain plan, by points less a cost of each move.
///
/// A plan may begin with quiet moves, and ends with the first move that gains something.
pub struct Exhaustive {
    /// Most moves of a plan.
    pub depth: u32,
    /// Cost of a move, in points.
    pub cost: f64,
}

impl Exhaustive {
    /// Value of a move and the best that may follow.
    fn value<G: Lookahead>(&self, state: &G::State, action: usize, depth: u32) -> f64 {
        stop::look();
        let after = G::after(state, action);
        let later = match depth {
            0 | 1 => 0.0,
            _ if after.points > 0.0 || ends::<G>(state, &after.state) => 0.0,
            // Quiet last moves are all equal: one is enough.
            2 => {
                let quiet = quiet_too::<G>(&after.state).without(&after.actions).nth(0);
                highest(after.actions.iter().chain(quiet).map(|next| self.value::<G>(&after.state, next, 1)))
            }
            _ => {
                let next = quiet_too::<G>(&after.state);
                highest(next.iter().map(|next| self.value::<G>(&after.state, next, depth - 1)))
            }
        };
        f64::from(after.points) - self.cost + later
    }
}

impl<G: Lookahead> Policy<G> for Exhaustive {
    fn values(&self, state: &G::State, _: &mut Stream) -> Vec<Valued> {
        let value = |action| Valued::new(action, self.value::<G>(state, action, self.depth));
        quiet_too::<G>(state).iter().map(value).collect()
    }

    fn meaning(&self) -> Meaning {
        Meaning::points(format!(
            "the points of the best plan of up to {} moves that ends with a gain, less {} a move",
            self.depth, self.cost
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use matchq_core::random::{Role, Stream};
    use matchq_games::match3::EFFECTIVE;
    use matchq_games::{Bilging, MaskKind, Match3, Text};

    /// Value of the best plan that begins with a move, by plain recursion.
    fn plain<G: Lookahead>(state: &G::State, action: usize, depth: u32, mask: MaskKind) -> f64 {
        let after = G::after(state, action);
        let value = f64::from(after.points) - 3.0;
        if after.points > 0.0 || depth == 1 || G::actions_left(state) == 1 {
            return value;
        }
        let next = G::mask(&after.state, mask);
        value
            + next.iter().map(|next| plain::<G>(&after.state, next, depth - 1, mask)).fold(f64::NEG_INFINITY, f64::max)
    }

    /// Compares the player with plain plans, also before a game's last move.
    fn check<G: Lookahead + Text>(mask: MaskKind, depth: u32, positions: u64) {
        for index in 0..positions {
            let state = G::new(&Default::default(), &mut Stream::new(3, Role::Game, index)).state();
            let last = G::parse(&Default::default(), &G::board(&state), Some(1)).unwrap();
            for state in [state, last] {
                let player = Exhaustive { depth, cost: 3.0 };
                let values = Policy::<G>::values(&player, &state, &mut Stream::new(0, Role::Tie, 0));
                assert_eq!(values.len(), G::mask(&state, mask).count());
                for Valued { action, value, .. } in values {
                    assert_eq!(value, plain::<G>(&state, action, depth, mask), "{} {action}", G::NAME);
                }
            }
        }
    }

    #[test]
    fn the_value_of_a_move_is_that_of_the_best_plan_that_begins_with_it() {
        for (depth, positions) in [(1, 8), (2, 8), (3, 1)] {
            check::<Bilging>(MaskKind::LEGAL, depth, positions);
        }
        // A quiet move of match-3 costs points.
        for (depth, positions) in [(1, 4), (2, 4)] {
            check::<Match3>(EFFECTIVE, depth, positions);
        }
    }
}
