use super::greedy::Greedy;
use crate::contract::{Meaning, Policy, Valued, highest, of_first_wave, quiet_too};
use matchq_core::random::Stream;
use matchq_games::{Lookahead, MaskKind};

/// Plays as [`Greedy`] if the default mask has an action, else the action after which the best next one
/// gains the most at once.
pub struct Setup;

impl<G: Lookahead> Policy<G> for Setup {
    fn values(&self, state: &G::State, ties: &mut Stream) -> Vec<Valued> {
        if !G::mask(state, MaskKind::default_of::<G>()).is_empty() {
            return Policy::<G>::values(&Greedy, state, ties);
        }
        let value = |action| {
            let after = G::after(state, action);
            let best = highest(after.actions.iter().map(|next| of_first_wave::<G>(&after.state, next)));
            // Without a wave all points count, as for the greedy player.
            let all = || after.actions.iter().map(|next| G::after(&after.state, next).points.into());
            Valued::new(action, if best > 0.0 { best } else { highest(all()).max(0.0) })
        };
        quiet_too::<G>(state).iter().map(value).collect()
    }

    fn meaning(&self) -> Meaning {
        Meaning::points("what the move gains at once, or the next one where no move gains")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use matchq_core::random::{Role, Stream};
    use matchq_games::bilging::{Bilging, MATCHING};
    use matchq_games::{Game, MaskKind};

    #[test]
    fn where_nothing_matches_the_most_is_prepared() {
        let (mut quiet, mut index) = (0, 0);
        while quiet < 10 {
            index += 1;
            let state = Bilging::new(&Default::default(), &mut Stream::new(1, Role::Game, index)).state();
            let values = Policy::<Bilging>::values(&Setup, &state, &mut Stream::new(0, Role::Tie, 0));
            if !Bilging::mask(&state, MATCHING).is_empty() {
                assert_eq!(values, Policy::<Bilging>::values(&Greedy, &state, &mut Stream::new(0, Role::Tie, 0)));
                continue;
            }
            quiet += 1;
            assert_eq!(values.len(), Bilging::mask(&state, MaskKind::LEGAL).count());
            for Valued { action, value, .. } in values {
                let next = Bilging::done(&state, action);
                let best = (0..60).map(|next_action| Bilging::first_break(&next, next_action).points()).max();
                assert_eq!(value, f64::from(best.unwrap()));
            }
        }
    }
}
