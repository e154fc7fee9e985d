//! Expected updates: outcomes that the rules simulate.

use matchq_core::pool;
use rand::Rng;
use serde::{Deserialize, Serialize};

use super::config::{Expected, Future};
use super::replay::Transition;
use super::targets::{Backup, Next, Part};
use crate::games::{ActionMask, Image, Plan, offered};
use crate::network::{View, by_certain_points};
use crate::players::Measured;
use crate::random::{ColumnStreams, Draw, Role, Stream};

/// Constants of simulated outcomes.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Outcomes<G: Image + Measured> {
    /// Rules of the game.
    pub rules: G::Rules,
    /// Offered actions and their prior.
    pub view: View,
    /// Numbers of actions and of outcomes.
    pub expected: Expected,
    /// Factor from points to values.
    pub scale: f64,
    /// Discount per move.
    pub discount: f64,
}

impl<G: Image + Measured> Outcomes<G> {
    /// Backups of simulated actions of each transition's state (Sutton and Barto 2018, section
    /// 8.5).
    ///
    /// `stream` gives one number, so that the result is the same on any number of threads.
    pub fn simulate(&self, batch: &[Transition<G::State>], stream: &mut Stream) -> Vec<Backup<G::State>> {
        let seed = stream.next_u64();
        let played = self.expected.future == Future::Played;
        let of_row = |row: usize| {
            let mut backups = self.of_row(seed, row, &batch[row].state);
            backups.extend(played.then(|| future(row, &batch[row])));
            backups
        };
        pool::map(batch.len(), 1, of_row).concat()
    }

    /// Backups of one row's state.
    ///
    /// The reward is the mean over an action's outcomes, the next state that of the first. Outcome
    /// i has the same random numbers for every action, column by column, which removes some chance
    /// from their differences.
    pub fn of_row(&self, seed: u64, row: usize, state: &G::State) -> Vec<Backup<G::State>> {
        let outcomes = self.expected.outcomes;
        let index = |outcome: usize| (row * outcomes + outcome) as u64;
        let luck: Vec<ColumnStreams> =
            (0..outcomes).map(|outcome| ColumnStreams::new(seed, Role::Simulate, index(outcome))).collect();
        let actions = self.choose(state, &mut Stream::new(seed, Role::Sample, row as u64));
        self.simulate_state(row, state, &actions, &luck)
    }

    /// Actions to simulate: half, rounded up, are the best by prior, or by certain points without
    /// one; the others are random.
    fn choose(&self, state: &G::State, stream: &mut Stream) -> ActionMask {
        let mask = offered::<G>(state, self.view.mask).0;
        let actions = self.expected.actions;
        if actions == 0 || mask.count() <= actions {
            return mask;
        }
        let mut ranked = by_certain_points::<G>(state, &mask, self.view.prior().unwrap_or(Plan::of(1)));
        // Random order among equals.
        for equal in ranked.chunk_by_mut(|(_, a), (_, b)| a == b) {
            shuffle(equal, equal.len(), stream);
        }
        let best = actions.div_ceil(2);
        shuffle(&mut ranked[best..], actions - best, stream);
        ranked[..actions].iter().map(|(action, _)| *action).collect()
    }

    fn simulate_state(
        &self,
        row: usize,
        state: &G::State,
        actions: &ActionMask,
        luck: &[ColumnStreams],
    ) -> Vec<Backup<G::State>> {
        let position = G::at(&self.rules, state);
        let valued = self.discount != 0.0 && self.expected.future == Future::All;
        let mut backups = Vec::new();
        for action in actions.iter() {
            let mut points = 0.0;
            let mut next = None;
            for (outcome, stream) in luck.iter().enumerate() {
                let mut game = position.clone();
                let step = game.step(action, &mut stream.clone());
                points += f64::from(step.reward);
                if outcome == 0 && !step.terminal && valued {
                    next = Some(Next { state: game.state(), discount: self.discount as f32 });
                }
            }
            let reward = (points * self.scale / self.expected.outcomes as f64) as f32;
            backups.push(Backup { row, action: action as u16, part: Part::Value, reward, next });
        }
        backups
    }
}

/// What follows the action that was played.
fn future<S: Copy>(row: usize, transition: &Transition<S>) -> Backup<S> {
    let Transition { action, next, discount, .. } = *transition;
    let next = (discount != 0.0).then_some(Next { state: next, discount });
    Backup { row, action, part: Part::Future, reward: 0.0, next }
}

/// Moves `count` uniformly drawn items to the front.
fn shuffle<T>(items: &mut [T], count: usize, stream: &mut Stream) {
    for place in 0..count.min(items.len()) {
        let any = place + stream.below((items.len() - place) as u32) as usize;
        items.swap(place, any);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::match3::{MATCHING, Match3, Rules, State};
    use crate::games::{Game, Lookahead, MaskKind};
    use crate::network::Shown;

    fn plain(rules: &Rules) -> Outcomes<Match3> {
        Outcomes { rules: *rules, view: view(MaskKind::LEGAL), expected: outcomes(1), scale: 0.1, discount: 0.5 }
    }

    fn outcomes(outcomes: usize) -> Expected {
        Expected { outcomes, ..Expected::default() }
    }

    fn view(mask: MaskKind) -> View {
        View { shown: Shown::Position, mask, scale: 0.1 }
    }

    fn transition(state: State) -> Transition<State> {
        Transition { state, next: state, action: 3, reward: 0.5, discount: 0.25 }
    }

    /// One matching move: three a at the bottom of the left column.
    const BOARD: &str =
        "########\n########\n########\n########\n########\n########\n########\na#######\na#######\n#a######";

    #[test]
    fn every_action_of_the_mask_is_simulated_and_the_end_of_a_game_has_no_next_state() {
        let rules = Rules::default();
        let outcomes =
            |count, mask| Outcomes::<Match3> { expected: outcomes(count), view: view(mask), ..plain(&rules) };
        let batch = [5, 1].map(|left| transition(State::new(BOARD, left).unwrap()));
        let mut stream = Stream::new(0, Role::Simulate, 0);

        let backups = outcomes(400, MATCHING).simulate(&batch, &mut stream);
        let action = Match3::mask(&batch[0].state, MATCHING).nth(0).unwrap();
        assert_eq!(backups.len(), 2);
        for (row, backup) in backups.iter().enumerate() {
            assert_eq!((backup.row, usize::from(backup.action)), (row, action));
            // Three in a row give 8 certain points; chance can only add to them.
            assert!(backup.reward >= 0.8 && backup.reward < 1.6, "{backup:?}");
        }
        let next = |backup: &Backup<State>| backup.next.as_ref().map(|next| (next.discount, next.state.moves_left()));
        assert_eq!((next(&backups[0]), next(&backups[1])), (Some((0.5, 4)), None));

        let all = outcomes(1, MaskKind::LEGAL).simulate(&batch, &mut stream);
        assert_eq!(all.len(), 2 * Match3::ACTIONS);
    }

    #[test]
    fn where_the_next_state_of_the_action_played_is_valued_no_other_is() {
        let rules = Rules::default();
        let expected = Expected { future: Future::Played, ..outcomes(1) };
        let outcomes = Outcomes::<Match3> { view: view(MATCHING), expected, ..plain(&rules) };
        let state = open_position();
        let ended = Transition { discount: 0.0, ..transition(state) };
        let backups = outcomes.simulate(&[transition(state), ended], &mut Stream::new(0, Role::Simulate, 0));
        let count = Match3::mask(&state, MATCHING).count();
        assert_eq!(backups.len(), 2 * (count + 1));
        for (row, backups) in backups.chunks(count + 1).enumerate() {
            let (future, points) = backups.split_last().unwrap();
            assert!(points.iter().all(|one| one.row == row && one.part == Part::Value && one.next.is_none()));
            assert!(points.iter().all(|one| one.reward > 0.0));
            let next = (row == 0).then_some(Next { state, discount: 0.25 });
            assert_eq!(*future, Backup { row, action: 3, part: Part::Future, reward: 0.0, next });
        }
    }

    /// Position with many matching moves.
    fn open_position() -> State {
        let mut stream = Stream::new(3, Role::Game, 0);
        let games = std::iter::repeat_with(|| Match3::new(&Rules::default(), &mut stream).state());
        games.into_iter().find(|state| Match3::mask(state, MATCHING).count() > 9).unwrap()
    }

    #[test]
    fn of_many_actions_the_larger_half_are_those_with_the_most_certain_points_and_the_others_any() {
        let rules = Rules::default();
        let state = open_position();
        let mask = Match3::mask(&state, MATCHING);
        let mut points = [0.0; ActionMask::CAPACITY];
        Match3::certain(&state, &mask, Plan::of(1), |action, value| points[action] = value);
        let try_only = |actions| {
            let expected = Expected { actions, ..outcomes(1) };
            Outcomes::<Match3> { view: view(MATCHING), expected, ..plain(&rules) }
        };
        let outcomes = try_only(4);
        let mut stream = Stream::new(0, Role::Sample, 0);
        let mut seen = ActionMask::empty();
        let mut fewest = usize::MAX;
        for _ in 0..200 {
            let chosen = outcomes.choose(&state, &mut stream);
            assert_eq!(chosen.count(), 4);
            assert!(chosen.iter().all(|action| mask.contains(action)));
            let left = mask.iter().filter(|action| !chosen.contains(*action));
            let highest = left.map(|action| points[action]).reduce(f32::max).unwrap();
            fewest = fewest.min(chosen.iter().filter(|action| points[*action] >= highest).count());
            chosen.iter().for_each(|action| seen.insert(action));
        }
        assert_eq!(fewest, 2);
        assert_eq!(seen, mask, "every action is tried now and then");
        for actions in [0, mask.count(), 200] {
            assert_eq!(try_only(actions).choose(&state, &mut stream), mask);
        }
    }

    #[test]
    fn simulated_outcomes_are_the_same_on_any_number_of_threads_and_others_in_the_next_update() {
        let rules = Rules::default();
        let outcomes = Outcomes::<Match3> { expected: outcomes(3), ..plain(&rules) };
        let batch: Vec<_> = (0..40).map(|_| transition(State::new(BOARD, 5).unwrap())).collect();
        let simulate = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut stream = Stream::new(0, Role::Simulate, 0);
            pool.install(|| [outcomes.simulate(&batch, &mut stream), outcomes.simulate(&batch, &mut stream)])
        };
        let [first, second] = simulate(1);
        assert_ne!(first, second);
        assert_eq!([first.clone(), second], simulate(3));
        // Rows of one update have different luck.
        let row = |row: usize| first.iter().filter(move |backup| backup.row == row).map(|backup| &backup.next);
        assert!(row(0).ne(row(1)));
    }

    #[test]
    fn what_another_process_simulates_of_a_state_is_the_same() {
        let expected = Expected { outcomes: 3, actions: 4, ..Expected::default() };
        let outcomes = Outcomes::<Match3> { expected, ..plain(&Rules::default()) };
        let batch: Vec<_> = (0..6).map(|_| transition(open_position())).collect();
        let expected = outcomes.simulate(&batch, &mut Stream::new(5, Role::Simulate, 0));
        let seed = Stream::new(5, Role::Simulate, 0).next_u64();
        let sent = postcard::to_stdvec(&(&outcomes, seed, open_position())).unwrap();
        let (outcomes, seed, state): (Outcomes<Match3>, u64, State) = postcard::from_bytes(&sent).unwrap();
        let found: Vec<_> = (0..6).flat_map(|row| outcomes.of_row(seed, row, &state)).collect();
        assert_eq!(found, expected);
    }
}
