use rand::Rng;
use serde::{Deserialize, Serialize};

use super::weights_file;
use crate::agent_file::{AgentFile, Kind};
use crate::contract::{Meaning, Policy, Valued, ends};
use matchq_core::error::{Error, Result};
use matchq_core::random::{ColumnStreams, Role, Stream};
use matchq_core::stop;
use matchq_games::{MaskKind, StateFeatures, offered};

/// A linear value of positions, `weights . (1, features)`; the features are the mean of a
/// position's `best_of` best descriptions.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearValue {
    weights: Vec<f64>,
    best_of: usize,
}

impl LinearValue {
    /// A value by its weights, the constant's first.
    pub fn new(weights: Vec<f64>, best_of: usize) -> Self {
        Self { weights, best_of: best_of.max(1) }
    }

    /// Weights, the constant's first.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    fn slopes(&self) -> &[f64] {
        self.weights.get(1..).unwrap_or_default()
    }

    /// Weighted sum of a description, without the constant.
    fn weigh<T: Copy + Into<f64>>(&self, description: &[T]) -> f64 {
        self.slopes().iter().zip(description).map(|(weight, number)| weight * (*number).into()).sum()
    }

    /// The best of concatenated descriptions with their values; of equal ones the earlier.
    fn chosen<'a, T: Copy + Into<f64>>(&self, descriptions: &'a [T]) -> Vec<(f64, &'a [T])> {
        let valued = descriptions.chunks_exact(self.slopes().len().max(1)).map(|one| (self.weigh(one), one));
        let mut valued: Vec<(f64, &[T])> = valued.collect();
        valued.sort_by(|one, other| other.0.total_cmp(&one.0));
        valued.truncate(self.best_of);
        valued
    }

    /// Features of a position by its concatenated descriptions.
    pub fn features<T: Copy + Into<f64>>(&self, descriptions: &[T]) -> Vec<f64> {
        let chosen = self.chosen(descriptions);
        let number = |one: &[T], index: usize| -> f64 { one[index].into() };
        let mean = |index| chosen.iter().map(|(_, one)| number(one, index)).sum::<f64>() / chosen.len().max(1) as f64;
        (0..self.slopes().len()).map(mean).collect()
    }

    /// Value of a position by its concatenated descriptions.
    pub fn value<T: Copy + Into<f64>>(&self, descriptions: &[T]) -> f64 {
        let constant = self.weights.first().copied().unwrap_or(0.0);
        if self.best_of == 1 {
            let sums = descriptions.chunks_exact(self.slopes().len().max(1)).map(|one| self.weigh(one));
            return constant + sums.reduce(f64::max).unwrap_or(0.0);
        }
        let chosen = self.chosen(descriptions);
        constant + chosen.iter().map(|(sum, _)| sum).sum::<f64>() / chosen.len().max(1) as f64
    }

    /// Value of a position.
    pub fn of<G: StateFeatures>(&self, state: &G::State) -> f64 {
        let mut descriptions = Vec::<f64>::new();
        G::descriptions(state, |description| descriptions.extend_from_slice(description));
        self.value(&descriptions)
    }
}

/// A linear value, and how its agent plays.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueModel {
    /// Value of positions.
    pub value: LinearValue,
    /// Mask of the valued actions.
    pub mask: MaskKind,
    /// Factor of the next position's value.
    pub discount: f64,
    /// Drawn outcomes of each action; 0 for its certain result.
    pub outcomes: usize,
    /// Whether an action's own points count.
    pub rewards: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ModelConfig {
    features: Vec<String>,
    best_of: usize,
    mask: String,
    discount: f64,
    outcomes: usize,
    rewards: bool,
}

impl ValueModel {
    /// The agent's file, in single precision.
    pub fn to_file<G: StateFeatures>(&self, rules: &G::Rules) -> Result<AgentFile> {
        let Self { value, mask, discount, outcomes, rewards } = self;
        let config = ModelConfig {
            features: G::NAMES.iter().map(|name| (*name).to_owned()).collect(),
            best_of: value.best_of,
            mask: mask.name::<G>().to_owned(),
            discount: *discount,
            outcomes: *outcomes,
            rewards: *rewards,
        };
        weights_file::write::<G>(Kind::Value, rules, &config, &value.weights)
    }

    /// The model of a file; `name` stands for the file in errors.
    pub fn from_file<G: StateFeatures>(file: &AgentFile, name: &str) -> Result<Self> {
        let wrong = |what: String| Error::user(format!("{name} {what}"));
        let config: ModelConfig = weights_file::config::<G, _>(file, Kind::Value, name)?;
        if config.features != G::NAMES {
            return Err(wrong(format!(
                "has weights of the features {}, not {}",
                config.features.join(", "),
                G::NAMES.join(", ")
            )));
        }
        let ModelConfig { features: _, best_of, mask, discount, outcomes, rewards } = config;
        let mask = MaskKind::of::<G>(&mask).map_err(|error| wrong(format!("has a mask of its own: {error}")))?;
        if !(0.0..=1.0).contains(&discount) || outcomes > 1_000 {
            return Err(wrong("has a discount outside 0..1, or more than 1000 outcomes".to_owned()));
        }
        let value = LinearValue::new(weights_file::weights(file, G::NAMES.len() + 1, name)?, best_of);
        Ok(Self { value, mask, discount, outcomes, rewards })
    }

    /// The player that looks `depth` actions ahead.
    pub fn player<G: StateFeatures>(&self, rules: &G::Rules, depth: u32) -> ValuePlayer<G> {
        ValuePlayer { model: self.clone(), rules: rules.clone(), depth }
    }
}

/// Plays the action with the most points plus discounted value.
pub struct ValuePlayer<G: StateFeatures> {
    model: ValueModel,
    rules: G::Rules,
    /// Actions whose points count before the value does, at least 1.
    depth: u32,
}

impl<G: StateFeatures> ValuePlayer<G> {
    /// Value of an action's certain result over `depth` actions, this one included.
    fn certain(&self, state: &G::State, action: usize, depth: u32) -> f64 {
        let after = G::after(state, action);
        let over = ends::<G>(state, &after.state);
        self.value(after.points, (!over).then_some(&after.state), depth)
    }

    /// Points plus the discounted value of the next position; `None` for the end.
    fn value(&self, points: f32, next: Option<&G::State>, depth: u32) -> f64 {
        let points = if self.model.rewards { f64::from(points) } else { 0.0 };
        let later = match next {
            None => 0.0,
            Some(next) if depth <= 1 => self.model.value.of::<G>(next),
            Some(next) => {
                let actions = offered::<G>(next, self.model.mask).0;
                actions.iter().map(|action| self.certain(next, action, depth - 1)).fold(f64::NEG_INFINITY, f64::max)
            }
        };
        points + self.model.discount * later
    }

    /// Mean value of drawn outcomes, with the same luck for every action.
    fn drawn(&self, position: &G, action: usize, seed: u64) -> f64 {
        let unit = G::unit(&position.state()) as f32;
        let outcome = |luck: u64| {
            let mut game = position.clone();
            let step = game.step(action, &mut ColumnStreams::new(seed, Role::Simulate, luck));
            (step.reward / unit, (!step.terminal).then(|| game.state()))
        };
        let outcomes = self.model.outcomes as u64;
        let (mut first, mut sum) = (None, 0.0);
        for luck in 0..outcomes {
            stop::look();
            let (points, next) = outcome(luck);
            // Outcomes without chance equal the first, whose value is used again.
            sum += match &first {
                Some((same, value)) if *same == (points, next) => *value,
                _ => self.value(points, next.as_ref(), self.depth),
            };
            first.get_or_insert(((points, next), sum));
        }
        sum / outcomes as f64
    }
}

impl<G: StateFeatures> Policy<G> for ValuePlayer<G> {
    fn values(&self, state: &G::State, ties: &mut Stream) -> Vec<Valued> {
        let (mask, _) = offered::<G>(state, self.model.mask);
        let (seed, position) = (ties.next_u64(), G::at(&self.rules, state));
        let value = |action| match self.model.outcomes {
            0 => self.certain(state, action, self.depth),
            _ => self.drawn(&position, action, seed),
        };
        mask.iter().map(|action| Valued::new(action, value(action))).collect()
    }

    fn meaning(&self) -> Meaning {
        Meaning::points(
            "the points of the move and what the agent expects afterwards, later ones counting less; only differences \
             mean something",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use matchq_games::match3::{EFFECTIVE, MATCHING, Match3, Rules, State};
    use matchq_games::{Bejeweled, Bilging, Game, Lookahead, SameGame, Text, bejeweled};

    fn model(outcomes: usize, rewards: bool) -> ValueModel {
        let value = LinearValue::new(vec![5.0, 0.5, 2.0], 1);
        ValueModel { value, mask: MATCHING, discount: 0.5, outcomes, rewards }
    }

    fn start() -> Match3 {
        Match3::new(&Rules::default(), &mut Stream::new(3, Role::Game, 0))
    }

    fn values(player: &ValuePlayer<Match3>, game: &Match3) -> Vec<Valued> {
        player.values(&game.state(), &mut Stream::new(0, Role::Game, 1))
    }

    #[test]
    fn a_value_is_that_of_the_best_description_or_of_the_mean_of_the_best_ones() {
        // 1 + 2 x of the descriptions 3, 5 and 4.
        let one = LinearValue::new(vec![1.0, 2.0], 1);
        assert_eq!((one.value(&[3.0, 5.0, 4.0]), one.features(&[3.0, 5.0, 4.0])), (11.0, vec![5.0]));
        let two = LinearValue::new(vec![1.0, 2.0], 2);
        assert_eq!((two.value(&[3.0, 5.0, 4.0]), two.features(&[3.0, 5.0, 4.0])), (10.0, vec![4.5]));
        assert_eq!(two.value(&[3.0]), 7.0);
    }

    #[test]
    fn what_is_certain_of_an_action_is_its_points_and_the_discounted_value_after_it() {
        let game = start();
        for (rewards, depth) in [(true, 1), (false, 1), (true, 2)] {
            for Valued { action, value, .. } in values(&model(0, rewards).player(&Rules::default(), depth), &game) {
                let after = Match3::after(&game.state(), action);
                let of = |state: &State| {
                    let features = Match3::features(state);
                    5.0 + 0.5 * features[0] + 2.0 * features[1]
                };
                let later = match depth {
                    1 => of(&after.state),
                    _ => {
                        let second = offered::<Match3>(&after.state, MATCHING).0;
                        let second = second.iter().map(|action| {
                            let after = Match3::after(&after.state, action);
                            f64::from(after.points) + 0.5 * of(&after.state)
                        });
                        second.fold(f64::NEG_INFINITY, f64::max)
                    }
                };
                let points = if rewards { f64::from(after.points) } else { 0.0 };
                assert_eq!(value, points + 0.5 * later, "{action}");
            }
        }
    }

    #[test]
    fn after_the_end_of_a_game_that_counts_no_moves_nothing_is_expected() {
        let rows = [vec![".".repeat(15); 14], vec![format!("RRG{}", ".".repeat(12))]].concat().join("\n");
        let state = SameGame::parse(&Default::default(), &rows, None).unwrap();
        let value = LinearValue::new(vec![3.0; 1 + SameGame::NAMES.len()], 1);
        let model = ValueModel { value, mask: MaskKind::LEGAL, ..model(0, true) };
        let values = model.player::<SameGame>(&Default::default(), 1).values(&state, &mut Stream::new(0, Role::Tie, 0));
        assert!(values.iter().all(|valued| valued.value == 0.0), "{values:?}");
    }

    #[test]
    fn the_value_of_an_action_is_the_mean_over_outcomes_with_the_same_luck_for_every_action() {
        let (game, mut ties) = (start(), Stream::new(0, Role::Game, 1));
        let found = model(4, true).player::<Match3>(&Rules::default(), 1).values(&game.state(), &mut ties.clone());
        let seed = ties.next_u64();
        for Valued { action, value, .. } in found {
            let outcome = |luck| {
                let mut game = game.clone();
                let step = game.step(action, &mut ColumnStreams::new(seed, Role::Simulate, luck));
                f64::from(step.reward) + 0.5 * model(0, true).value.of::<Match3>(&game.state())
            };
            assert!((value - (0..4).map(outcome).sum::<f64>() / 4.0).abs() < 1e-9, "{action}");
        }
    }

    #[test]
    fn points_are_those_of_the_first_level_on_any_level() {
        let rules = bejeweled::Rules::default();
        let model = ValueModel { value: LinearValue::new(vec![3.0, 2.0], 1), mask: MaskKind::LEGAL, ..model(3, true) };
        let player = model.player::<Bejeweled>(&rules, 1);
        let (mut game, mut luck) =
            (Bejeweled::new(&rules, &mut Stream::new(2, Role::Game, 0)), Stream::new(2, Role::Game, 1));
        while Bejeweled::unit(&game.state()) < 2.0 {
            if game.is_over() {
                game = Bejeweled::new(&rules, &mut luck);
            }
            game.step(Bejeweled::mask(&game.state(), MaskKind::LEGAL).nth(0).unwrap(), &mut luck);
        }
        let values = |state: &bejeweled::State| player.values(state, &mut Stream::new(0, Role::Tie, 0));
        let (now, first) = (values(&game.state()), values(&Bejeweled::as_written(&game.state())));
        assert!(!now.is_empty() && now.len() == first.len());
        for (now, first) in now.iter().zip(&first) {
            assert!((now.value - first.value).abs() < 1e-3, "{now:?} {first:?}");
        }
    }

    #[test]
    fn only_actions_of_its_mask_are_valued() {
        let game = start();
        for mask in [MATCHING, EFFECTIVE] {
            let player = ValueModel { mask, ..model(1, true) }.player(&Rules::default(), 1);
            let valued: Vec<usize> = values(&player, &game).iter().map(|valued| valued.action).collect();
            assert_eq!(valued, offered::<Match3>(&game.state(), mask).0.iter().collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_file_gives_its_model_back_and_is_refused_by_another_game() {
        let file = model(7, false).to_file::<Match3>(&Rules::default()).unwrap();
        assert_eq!(ValueModel::from_file::<Match3>(&file, "it").unwrap(), model(7, false));
        let other = ValueModel::from_file::<Bilging>(&file, "it").unwrap_err().to_string();
        assert_eq!(other, "it plays match3, not bilging");

        let mut short = file.clone();
        short.tensors.get_mut(weights_file::WEIGHTS).unwrap().shape = vec![1, 3];
        let damaged = ValueModel::from_file::<Match3>(&short, "it").unwrap_err().to_string();
        assert_eq!(damaged, "it has no 3 weights");
    }
}
