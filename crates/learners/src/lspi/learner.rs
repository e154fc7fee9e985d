//! The learner: each policy plays, and its moves give the next one.

use matchq_core::pool;
use serde::{Deserialize, Serialize};

use super::super::Metrics;
use super::super::linear::{Algorithm, Fixed, LinearLearner, Terms};
use super::config::{Config, Sampling};
use super::lstd::{Lstd, Sparse, Transition};
use crate::error::{Error, Result};
use crate::games::weighed;
use crate::players::{Roster, Selection};
use crate::random::{Draw, Role, Stream};

/// Learner of action values.
pub type Lspi<G> = LinearLearner<G, PolicyIteration<G>>;

/// Least-squares policy iteration (Lagoudakis and Parr 2003, "Least-squares policy iteration").
///
/// A policy plays, with some random moves; [`Lstd`] solves for the weights of its action values;
/// the next policy plays the action of the highest value.
#[derive(Clone, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct PolicyIteration<G: Roster> {
    policies: u64,
    /// Moves of this policy in each game.
    moves: u64,
    /// Ended games of this policy, and their points.
    ended: u64,
    points: f64,
    games: Vec<Ongoing<G>>,
    lstd: Lstd,
    /// Weights of this policy: constant, then one per feature; none for the first, random policy.
    weights: Option<Vec<f64>>,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(bound = "")]
struct Ongoing<G: Roster> {
    game: G,
    luck: Stream,
    explore: Stream,
}

/// Moves of each game in a round.
const MOVES: u64 = 50;

impl<G: Roster> Algorithm<G> for PolicyIteration<G> {
    const NAME: &'static str = "lspi";
    const COLUMNS: &'static [&'static str] = &["points", "change"];
    type Config = Config;

    fn features(config: &Config) -> &[String] {
        &config.learning.features
    }

    fn new(fixed: &Fixed<G, Config>) -> Result<Self> {
        let ongoing = |game| {
            let stream = |role| Stream::new(fixed.seed, role, game);
            let (mut luck, explore) = (stream(Role::Game), stream(Role::Explore));
            Ongoing { game: G::new(&fixed.rules, &mut luck), luck, explore }
        };
        Ok(Self {
            policies: 0,
            moves: 0,
            ended: 0,
            points: 0.0,
            games: (0..fixed.config.sampling.games).map(ongoing).collect(),
            lstd: Lstd::new(fixed.selection.features().len(), fixed.config.learning.discount),
            weights: None,
        })
    }

    fn fits(&self, fixed: &Fixed<G, Config>) -> bool {
        let features = fixed.selection.features().len();
        self.weights.as_ref().is_none_or(|weights| weights.len() == features + 1)
            && self.lstd.fits(features, fixed.config.learning.discount)
            && self.games.len() as u64 == fixed.config.sampling.games
            && self.games.iter().all(|ongoing| !ongoing.game.is_over())
            && self.moves < fixed.config.sampling.moves.div_ceil(fixed.config.sampling.games)
    }

    fn step(&self) -> u64 {
        self.policies
    }

    /// Plays some moves of each game and learns from them; the last ones make the next policy.
    fn round(&mut self, fixed: &Fixed<G, Config>, metrics: &mut Metrics) -> Result<()> {
        let Config { learning, sampling: Sampling { moves, games, exploration }, .. } = &fixed.config;
        let wanted = moves.div_ceil(*games);
        let some = (wanted - self.moves).min(MOVES);
        let exploration = if self.weights.is_none() { 1.0 } else { *exploration };
        let policy = Choosing { selection: &fixed.selection, terms: self.policy(fixed), exploration };
        let play = |ongoing: &mut Ongoing<G>| ongoing.play(&fixed.rules, &policy, some);
        let played: Vec<Played> = pool::map_mut(&mut self.games, 1, play);
        for Played { transitions, ended, points } in &played {
            transitions.iter().for_each(|transition| self.lstd.add(transition));
            self.ended += ended;
            self.points += points;
        }
        self.moves += some;
        if self.moves < wanted {
            return Ok(());
        }

        let weights = self.lstd.solve(learning.ridge).ok_or_else(|| {
            Error::runtime(
                "the moves do not determine the weights: a larger learning.ridge helps, or more sampling.moves",
            )
        })?;
        // Neither the constant nor the size of the weights changes a choice.
        let (new, old) = (normalised(&weights[1..]), self.weights.as_deref().map(|old| normalised(&old[1..])));
        let old = old.unwrap_or_else(|| vec![0.0; new.len()]);
        let change = new.iter().zip(&old).map(|(new, old)| (new - old).abs()).fold(0.0, f64::max);
        metrics.set("change", change);
        if self.ended > 0 {
            metrics.average("points", self.points / self.ended as f64);
        }
        (self.moves, self.ended, self.points) = (0, 0, 0.0);
        self.lstd = Lstd::new(fixed.selection.features().len(), learning.discount);
        self.weights = Some(weights);
        self.policies += 1;
        Ok(())
    }

    /// Before the first policy, all actions have the same value.
    fn terms(&self, fixed: &Fixed<G, Config>) -> Terms {
        self.policy(fixed).unwrap_or_else(|| vec![(fixed.selection.features()[0], 0.0)])
    }
}

impl<G: Roster> PolicyIteration<G> {
    /// Features and weights of this policy; none if random.
    fn policy(&self, fixed: &Fixed<G, Config>) -> Option<Terms> {
        Some(fixed.selection.with_weights(&self.weights.as_ref()?[1..]))
    }
}

/// Weights divided by the largest absolute weight.
fn normalised(weights: &[f64]) -> Vec<f64> {
    let largest = weights.iter().fold(0.0_f64, |largest, weight| largest.max(weight.abs()));
    weights.iter().map(|weight| if largest > 0.0 { weight / largest } else { 0.0 }).collect()
}

struct Choosing<'a> {
    selection: &'a Selection,
    /// Features and weights; none if random.
    terms: Option<Vec<(usize, f64)>>,
    exploration: f64,
}

struct Played {
    transitions: Vec<Transition>,
    ended: u64,
    points: f64,
}

impl Choosing<'_> {
    /// Actions of a position with features, and index of the policy's choice.
    fn describe<G: Roster>(&self, state: &G::State, explore: &mut Stream) -> (Vec<(usize, Sparse)>, usize) {
        let mut actions = Vec::new();
        G::action_features(state, |action, features| actions.push((action, self.selection.of(features))));
        let chosen = match &self.terms {
            None => explore.below(actions.len() as u32) as usize,
            Some(terms) => {
                let best = weighed::first_best::<G>(state, terms);
                actions.iter().position(|(action, _)| *action == best).unwrap_or_default()
            }
        };
        (actions, chosen)
    }
}

impl<G: Roster> Ongoing<G> {
    /// Plays `moves` moves; a new game follows an ended one.
    fn play(&mut self, rules: &G::Rules, policy: &Choosing, moves: u64) -> Played {
        let mut played = Played { transitions: Vec::new(), ended: 0, points: 0.0 };
        let mut position = policy.describe::<G>(&self.game.state(), &mut self.explore);
        for _ in 0..moves {
            let (mut actions, best) = position;
            let random = f64::from(self.explore.unit()) < policy.exploration;
            let chosen = if random { self.explore.below(actions.len() as u32) as usize } else { best };
            let (action, features) = actions.swap_remove(chosen);
            let unit = G::unit(&self.game.state());
            let step = self.game.step(action, &mut self.luck);
            if step.terminal {
                played.ended += 1;
                played.points += f64::from(self.game.score());
                self.game = G::new(rules, &mut self.luck);
            }
            position = policy.describe::<G>(&self.game.state(), &mut self.explore);
            let (actions, best) = &position;
            let next = (!step.terminal).then(|| actions[*best].1.clone());
            played.transitions.push(Transition { features, reward: f64::from(step.reward) / unit, next });
        }
        played
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::tetris::Rules;
    use crate::games::{ActionFeatures as _, Tetris};
    use crate::network::device;
    use crate::{Learner, Source};

    const CONFIG: &str = "
        learner = 'lspi'
        seed = 3
        game = { name = 'tetris', rules = { rows = 8 } }
        learning = { features = ['dt'] }
        sampling = { moves = 4000, games = 20 }
    ";

    fn fresh(sets: &[&str]) -> Result<Lspi<Tetris>> {
        let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
        let source = Source::parse(CONFIG, "it", &sets).unwrap();
        let (config, rules) = source.resolve::<Tetris, Lspi<Tetris>>().unwrap();
        Lspi::new(&config, &rules, &device::select(None).unwrap().1)
    }

    fn policy(learner: &mut Lspi<Tetris>) -> Metrics {
        let mut metrics = Metrics::default();
        let before = learner.step();
        while learner.step() == before {
            learner.round(&mut metrics).unwrap();
        }
        metrics
    }

    fn lines(terms: &[(usize, f64)]) -> f64 {
        let rules = Rules::new(8).unwrap();
        let play = |seed| weighed::play::<Tetris>(&rules, terms, &mut Stream::new(seed, Role::Game, 1), 100_000).score;
        (0..100).map(play).sum::<f64>() / 100.0
    }

    #[test]
    fn its_policies_play_better_than_the_random_one() {
        let mut learner = fresh(&[]).unwrap();
        let random = policy(&mut learner).get("points").unwrap();
        assert!(random < 1.0, "{random}");
        (0..3).for_each(|_| {
            policy(&mut learner);
        });
        let learned = lines(learner.linear_agent().terms());
        assert!(learned > 10.0, "{learned}");
    }

    #[test]
    fn a_transition_has_the_features_of_its_move_and_of_the_policys_next() {
        let learner = fresh(&[]).unwrap();
        let weights: Vec<f64> = (0..10).map(|at| f64::from(at % 4) - 1.5).collect();
        let rules = Rules::new(8).unwrap();
        let mut ongoing = learner.algorithm.games[0].clone();
        // Replay by hand.
        let mut game = ongoing.game.clone();
        let (mut luck, mut explore) = (ongoing.luck.clone(), ongoing.explore.clone());
        let terms: Vec<(usize, f64)> = learner.fixed.selection.with_weights(&weights[1..]);
        let policy = Choosing { selection: &learner.fixed.selection, terms: Some(terms.clone()), exploration: 0.3 };
        let of = |game: &Tetris, wanted: usize| {
            use crate::games::Game as _;
            let mut found = Vec::new();
            Tetris::action_features(&game.state(), |action, features| {
                if action == wanted {
                    let place = |feature| learner.fixed.selection.features().iter().position(|known| *known == feature);
                    found = features.iter().filter_map(|(at, number)| Some((place(*at)? as u32, *number))).collect();
                }
            });
            found
        };
        let played = ongoing.play(&rules, &policy, 200);
        assert!(
            played.ended > 3
                && played.transitions.iter().filter(|one| one.next.is_none()).count() as u64 == played.ended
        );
        let (mut explored, mut points) = (0, 0.0);
        for Transition { features, reward, next } in &played.transitions {
            use crate::games::Game as _;
            let best = weighed::first_best::<Tetris>(&game.state(), &terms);
            let mut all = Vec::new();
            Tetris::action_features(&game.state(), |action, _| all.push(action));
            let random = explore.unit() < 0.3;
            let action = if random { all[explore.below(all.len() as u32) as usize] } else { best };
            explored += u32::from(random);
            assert_eq!(*features, of(&game, action));
            let step = game.step(action, &mut luck);
            points += if step.terminal { f64::from(game.score()) } else { 0.0 };
            assert_eq!((f64::from(step.reward), step.terminal), (*reward, next.is_none()));
            match next {
                Some(next) => assert_eq!(*next, of(&game, weighed::first_best::<Tetris>(&game.state(), &terms))),
                None => game = Tetris::new(&rules, &mut luck),
            }
        }
        assert!((40..80).contains(&explored), "{explored}");
        assert_eq!(points, played.points);
    }

    #[test]
    fn a_policy_under_which_no_game_ends_has_no_mean() {
        let mut learner =
            fresh(&["game.rules={rows=20}", "sampling.moves=64", "sampling.games=16", "learning.ridge=1.0"]).unwrap();
        let mut metrics = policy(&mut learner);
        assert_eq!((metrics.get("points"), learner.algorithm.ended), (None, 0));
        metrics.average("points", 3.0);
        metrics.reset();
        assert_eq!(metrics.get("points"), None);
    }

    #[test]
    fn unknown_features_are_refused() {
        let told = fresh(&["learning.features=['hole']"]).err().unwrap().to_string();
        assert!(told.starts_with("learning.features: there is no feature \"hole\": the sets of tetris are"), "{told}");
    }
}
