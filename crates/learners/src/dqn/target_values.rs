//! The target network, with its values so far.

use matchq_core::pool;
use std::collections::HashMap;

use burn::tensor::Device;

use super::config::{Config, Future};
use super::target_network::TargetUpdate;
use super::targets::highest;
use crate::error::Result;
use crate::games::{ActionMask, Image};
use crate::network::{Evaluator, QNetwork, device, evaluator};

/// Minimum images in a pass without gradients, on the processor and on a GPU.
const BATCH: usize = 256;
const LARGE_BATCH: usize = 6_144;

/// A state that follows a transition of the replay memory.
#[derive(Clone, Copy, Debug)]
pub struct NextState<S> {
    /// The transition's slot.
    pub slot: usize,
    /// The state after the transition.
    pub state: S,
}

/// A transition into the state where a game stands.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// Index of the game.
    pub game: usize,
    /// The transition's slot in the replay memory.
    pub slot: usize,
}

/// The target network, with its values so far, each kept until the network changes.
///
/// Where acting and targets take the maximum over the same actions, one of them serves the other.
/// Checkpoints omit values, because recomputed ones have the same bits.
pub struct TargetValues<G: Image> {
    network: QNetwork,
    device: Device,
    double: bool,
    /// Actions of a next state to value; 0 for all.
    candidates: usize,
    /// Images in a pass.
    batch: usize,
    /// Whether values are kept.
    keeps: bool,
    /// Maxima of next states, by their transitions' slots.
    maxima: HashMap<usize, f32>,
    /// States where the games stand, until they are valued.
    standing: Vec<G::State>,
    /// Values of the games' states; none before they are computed.
    values: Option<Vec<f32>>,
    arrivals: Vec<Arrival>,
}

impl<G: Image> TargetValues<G> {
    /// Values of a network, which begins as a copy of the online network.
    pub fn new(online: &QNetwork, config: &Config, device: &Device) -> Self {
        let Config { learning, target, .. } = config;
        let mask = online.view().mask;
        let same_actions = mask.successor::<G>() == mask && learning.candidates == 0;
        let sampled = learning.expected.is_none_or(|expected| expected.future == Future::Played);
        let same_values = !learning.double && sampled && online.next_moves() == 0;
        let least = if device::is_processor(device) { BATCH } else { LARGE_BATCH };
        Self {
            network: online.playing(),
            device: device.clone(),
            double: learning.double,
            candidates: learning.candidates,
            batch: learning.batch.max(least),
            // A moving average changes in every update.
            keeps: same_actions && same_values && target.update == TargetUpdate::Hard,
            maxima: HashMap::new(),
            standing: Vec::new(),
            values: None,
            arrivals: Vec::new(),
        }
    }

    /// The target network, without gradients.
    pub fn network(&self) -> &QNetwork {
        &self.network
    }

    /// Replaces the network, and forgets all values.
    pub fn set(&mut self, network: QNetwork) {
        self.network = network;
        self.maxima.clear();
        self.standing.clear();
        self.values = None;
        self.arrivals.clear();
    }

    /// Computes action values with a network.
    pub fn evaluator(&self, network: &QNetwork) -> Evaluator<G> {
        evaluator(network, self.batch, &self.device)
    }

    /// Notes where the games stand, with the transitions that led there.
    ///
    /// The next pass of [`maxima`](Self::maxima) also values these states for [`act`](Self::act): a
    /// GPU is waited for once.
    pub fn arrive(&mut self, states: impl Iterator<Item = G::State>, arrivals: Vec<Arrival>) {
        if self.keeps {
            for Arrival { slot, .. } in &arrivals {
                self.maxima.remove(slot);
            }
            (self.standing, self.values, self.arrivals) = (states.collect(), None, arrivals);
        }
    }

    /// Action values of the states where the games stand: `[states, actions]`.
    pub fn act(&mut self, states: &[G::State], masks: &[ActionMask]) -> Result<Vec<f32>> {
        let values = match self.values.take() {
            Some(values) => values,
            None => self.evaluator(&self.network).values_of(states, masks)?.to_vec(),
        };
        if self.keeps {
            let highest = highest(&values, masks, &values);
            // After a game's end, the state is a new game's; the transition's discount is 0.
            self.maxima.extend(self.arrivals.drain(..).map(|Arrival { game, slot }| (slot, highest[game])));
        }
        Ok(values)
    }

    /// Value of each next state's best action; in double Q-learning, of the online network's best.
    pub fn maxima(&mut self, next: &[NextState<G::State>], online: &QNetwork) -> Result<Vec<f32>> {
        let known: Vec<Option<f32>> = next.iter().map(|next| self.maxima.get(&next.slot).copied()).collect();
        let unknown = || next.iter().zip(&known).filter(|(_, known)| known.is_none()).map(|(next, _)| next);
        let found = self.computed(unknown().map(|next| next.state).collect(), online)?;
        if self.keeps {
            self.maxima.extend(unknown().map(|next| next.slot).zip(found.iter().copied()));
        }
        let mut found = found.into_iter();
        Ok(known.into_iter().filter_map(|known| known.or_else(|| found.next())).collect())
    }

    /// [`maxima`](Self::maxima) that are neither taken from those that are kept nor kept.
    pub fn looked_up(&self, states: &[G::State], online: &QNetwork) -> Result<Vec<f32>> {
        let view = self.network.shape().exact_view();
        let masks: Vec<ActionMask> = states.iter().map(|state| view.successors::<G>(state, self.candidates)).collect();
        let mut target = self.evaluator(&self.network);
        let values = target.values_within(states, &masks)?;
        match self.double {
            false => Ok(highest(values, &masks, values)),
            true => Ok(highest(values, &masks, self.evaluator(online).values_within(states, &masks)?)),
        }
    }

    /// Maxima of states in one pass, with the values of the games' states.
    fn computed(&mut self, mut states: Vec<G::State>, online: &QNetwork) -> Result<Vec<f32>> {
        let view = self.network.shape().exact_view();
        let successors = |state: &G::State| view.successors::<G>(state, self.candidates);
        let mut masks: Vec<ActionMask> = pool::map(states.len(), 1, |index| successors(&states[index]));
        let mut target = self.evaluator(&self.network);
        let count = states.len();
        masks.extend(target.masks(&self.standing));
        states.append(&mut self.standing);
        let (values, standing) = target.values_within(&states, &masks)?.split_at(count * G::ACTIONS);
        if states.len() > count {
            self.values = Some(standing.to_vec());
        }
        let (states, masks) = (&states[..count], &masks[..count]);
        match self.double {
            false => Ok(highest(values, masks, values)),
            true => Ok(highest(values, masks, self.evaluator(online).values_within(states, masks)?)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Source;
    use crate::dqn::Dqn;
    use crate::games::match3::{Rules, State};
    use crate::games::{Game, Match3};
    use crate::network::masks;
    use crate::random::{Role, Stream};

    /// Values that are no network's.
    const KEPT: [f32; 3] = [1e6, 2e6, 3e6];

    fn values(learning: &str) -> TargetValues<Match3> {
        let text =
            format!("network = {{ channels = 2, layers = 2, input = 'position', dynamics_waves = 0 }}\n{learning}");
        let source = Source::parse(&text, "file.toml", &[]).unwrap();
        let config = source.resolve::<Match3, Dqn<Match3>>().unwrap().0;
        let device = device::select(None).unwrap().1;
        let stream = &mut Stream::new(1, Role::Initialise, 0);
        let online = QNetwork::new::<Match3>(&config.model(), stream, &device.clone().autodiff());
        TargetValues::new(&online, &config.learner, &device)
    }

    fn states(count: u64) -> Vec<State> {
        (0..count).map(|game| Match3::new(&Rules::default(), &mut Stream::new(2, Role::Game, game)).state()).collect()
    }

    /// Maxima of three next states in slots 0 to 2; those of `KEPT` are marked.
    fn kept(values: &mut TargetValues<Match3>) -> [bool; 3] {
        let next: Vec<_> = states(3).into_iter().enumerate().map(|(slot, state)| NextState { slot, state }).collect();
        let online = values.network().clone();
        let found = values.maxima(&next, &online).unwrap();
        [0, 1, 2].map(|slot| found[slot] == KEPT[slot])
    }

    fn keep(values: &mut TargetValues<Match3>) {
        values.maxima.extend(KEPT.into_iter().enumerate());
    }

    #[test]
    fn a_maximum_is_kept_until_the_network_changes_or_another_transition_comes_into_its_slot() {
        let mut values = values("");
        assert_eq!(kept(&mut values), [false; 3]);
        keep(&mut values);
        assert_eq!(kept(&mut values), [true; 3]);
        values.arrive(states(1).into_iter(), vec![Arrival { game: 0, slot: 1 }]);
        assert_eq!(kept(&mut values), [true, false, true]);
        keep(&mut values);
        values.set(values.network().clone());
        assert_eq!(kept(&mut values), [false; 3]);
    }

    #[test]
    fn the_highest_value_where_a_game_stands_is_kept_with_the_transition_that_led_there() {
        let mut values = values("");
        let states = states(4);
        let masks = masks::<Match3>(&states, values.network().view().mask);
        // Game 1 made no transition; game 2's takes the slot of game 0's.
        let arrivals = [(0, 2), (2, 2), (3, 0)].map(|(game, slot)| Arrival { game, slot });
        values.arrive(states.iter().copied(), arrivals.to_vec());
        let acting = values.act(&states, &masks).unwrap();
        let highest = highest(&acting, &masks, &acting);
        let known = |values: &TargetValues<Match3>| [0, 1, 2].map(|slot| values.maxima.get(&slot).copied());
        assert_eq!(known(&values), [Some(highest[3]), None, Some(highest[2])]);
        // A transition counts once.
        keep(&mut values);
        values.act(&states, &masks).unwrap();
        assert_eq!(known(&values), KEPT.map(Some));
    }

    #[test]
    fn states_where_games_stand_are_valued_beside_next_states_as_they_are_alone() {
        let states = states(3);
        let mut alone = values("");
        let masks = masks::<Match3>(&states, alone.network().view().mask);
        let expected = alone.act(&states, &masks).unwrap();
        let mut values = values("");
        values.arrive(states.iter().copied(), Vec::new());
        kept(&mut values);
        assert!(values.values.is_some());
        assert_eq!(values.act(&states, &masks).unwrap(), expected);
    }

    #[test]
    fn nothing_is_kept_where_acting_has_another_maximum_or_each_update_changes_the_network() {
        for other in ["learning.double = true", "target.update = 'soft'", "learning.expected.outcomes = 2"] {
            let mut values = values(other);
            values.arrive(states(1).into_iter(), vec![Arrival { game: 0, slot: 1 }]);
            kept(&mut values);
            let states = states(1);
            let masks = masks::<Match3>(&states, values.network().view().mask);
            values.act(&states, &masks).unwrap();
            assert!(values.maxima.is_empty() && values.values.is_none(), "{other}");
        }
    }
}
