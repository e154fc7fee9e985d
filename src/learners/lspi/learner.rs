//! Some moves of a policy, and the next policy at their end.

use std::time::{Duration, Instant};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::super::{Learner, Metrics, OutOfRange, TrainConfig};
use super::config::Config;
use super::lstd::{Lstd, Sparse, Transition};
use crate::error::{Error, Result};
use crate::network::device::Device;
use crate::players::AgentFile;
use crate::players::Roster;
use crate::players::{Linear, Player, PolicyPlayer, Selection, places};
use crate::random::{Draw, Role, Stream};

/// Least-squares policy iteration.
///
/// Lagoudakis and Parr 2003, "Least-squares policy iteration". The value of an action is linear in its features. A
/// policy plays, with some random moves; the weights under which its action values agree with themselves are solved
/// for ([`Lstd`]), and the next policy plays the action of the highest value.
pub struct Lspi<G: Roster> {
    config: TrainConfig<Config>,
    rules: G::Rules,
    /// The features, in the order of the weights.
    selection: Selection,
    moving: Moving<G>,
}

/// Everything that moves.
#[derive(Clone, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Moving<G: Roster> {
    policies: u64,
    /// Moves of this policy so far, in each game.
    moves: u64,
    /// Its games that ended, and their points.
    ended: u64,
    points: f64,
    games: Vec<Table<G>>,
    lstd: Lstd,
    /// Of the policy that plays: the constant, then one for each feature.
    ///
    /// None for the first, which is random.
    weights: Option<Vec<f64>>,
}

/// A game, and its random numbers.
#[derive(Clone, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Table<G: Roster> {
    game: G,
    luck: Stream,
    explore: Stream,
}

/// How long a round goes on before it can be stopped.
///
/// What it finds does not depend on this.
const ROUND: Duration = Duration::from_secs(5);
/// Moves of a game between two looks at the clock.
const MOVES: u64 = 50;

impl<G: Roster> Learner<G> for Lspi<G> {
    const NAME: &'static str = "lspi";
    const STEPS: &'static str = "training.policies";
    const COUNTERS: &'static [&'static str] = &[];
    const SHOWN: &'static [&'static str] = &["points", "change"];
    const HAS_MASK: bool = false;

    type Config = Config;
    type Saved = Moving<G>;

    fn columns() -> Vec<&'static str> {
        vec!["points", "change"]
    }

    fn check(config: &Config) -> std::result::Result<(), OutOfRange> {
        config.check()
    }

    fn steps(config: &Config) -> u64 {
        config.training.policies
    }

    fn new(config: &TrainConfig<Config>, rules: &G::Rules, _device: &Device) -> Result<Self> {
        let Config { learning, sampling, .. } = &config.learner;
        let selection = Selection::new::<G>(places::<G>(&learning.features, "learning.features")?);
        let table = |game| {
            let stream = |role| Stream::new(config.run.seed, role, game);
            let (mut luck, explore) = (stream(Role::Game), stream(Role::Explore));
            Table { game: G::new(rules, &mut luck), luck, explore }
        };
        let moving = Moving {
            policies: 0,
            moves: 0,
            ended: 0,
            points: 0.0,
            games: (0..sampling.games).map(table).collect(),
            lstd: Lstd::new(selection.features().len(), learning.discount),
            weights: None,
        };
        Ok(Self { config: config.clone(), rules: rules.clone(), selection, moving })
    }

    fn step(&self) -> u64 {
        self.moving.policies
    }

    /// Plays some moves; after a policy's last, the next one is found.
    fn round(&mut self, metrics: &mut Metrics) -> Result<()> {
        let begin = Instant::now();
        let Config { learning, sampling, .. } = self.config.learner.clone();
        let wanted = sampling.moves.div_ceil(sampling.games);
        while self.moving.moves < wanted && begin.elapsed() < ROUND {
            self.play((wanted - self.moving.moves).min(MOVES));
        }
        if self.moving.moves < wanted {
            return Ok(());
        }
        let weights = self.moving.lstd.solve(learning.ridge).ok_or_else(|| {
            Error::runtime(
                "the moves do not determine the weights: a larger learning.ridge helps, or more sampling.moves",
            )
        })?;
        // The constant chooses nothing, and neither does the weights' common size.
        let (new, old) = (unit(&weights[1..]), self.moving.weights.as_deref().map(|old| unit(&old[1..])));
        let old = old.unwrap_or_else(|| vec![0.0; new.len()]);
        let change = new.iter().zip(&old).map(|(new, old)| (new - old).abs()).fold(0.0, f64::max);
        metrics.set("change", change);
        if self.moving.ended > 0 {
            metrics.average("points", self.moving.points / self.moving.ended as f64);
        }
        (self.moving.moves, self.moving.ended, self.moving.points) = (0, 0, 0.0);
        self.moving.lstd = Lstd::new(self.selection.features().len(), learning.discount);
        self.moving.weights = Some(weights);
        self.moving.policies += 1;
        Ok(())
    }

    fn player(&self) -> impl Player<G> {
        PolicyPlayer::new("linear", self.controlled().player::<G>(1))
    }

    fn agent(&self) -> Result<AgentFile> {
        self.controlled().to_file::<G>(&self.rules)
    }

    fn save(&self) -> Result<impl Serialize> {
        Ok(self.moving.clone())
    }

    fn restore(&mut self, saved: Moving<G>) -> Result<()> {
        let weights = saved.weights.as_ref().is_none_or(|weights| weights.len() == self.selection.features().len() + 1);
        if !weights
            || !saved.lstd.fits(self.selection.features().len())
            || saved.games.len() as u64 != self.config.learner.sampling.games
        {
            return Err(Error::user("its weights or its games do not fit the configuration"));
        }
        self.moving = saved;
        Ok(())
    }
}

impl<G: Roster> Lspi<G> {
    /// Plays so many moves in each game and takes their transitions in.
    fn play(&mut self, moves: u64) {
        let random = self.moving.weights.is_none();
        let exploration = if random { 1.0 } else { self.config.learner.sampling.exploration };
        let policy = Choosing { selection: &self.selection, terms: self.terms(), exploration };
        let rules = &self.rules;
        let played: Vec<Played> =
            self.moving.games.par_iter_mut().map(|table| table.play(rules, &policy, moves)).collect();
        for Played { transitions, ended, points } in &played {
            transitions.iter().for_each(|transition| self.moving.lstd.add(transition));
            self.moving.ended += ended;
            self.moving.points += points;
        }
        self.moving.moves += moves;
    }

    /// The features and weights of the policy that plays.
    ///
    /// None for the random one.
    fn terms(&self) -> Option<Vec<(usize, f64)>> {
        let weights = self.moving.weights.as_ref()?;
        Some(self.selection.weighed(&weights[1..]))
    }

    /// The controller that it has learned to be.
    ///
    /// Before the first policy is learned, all actions are worth the same.
    fn controlled(&self) -> Linear {
        Linear::new(self.terms().unwrap_or_else(|| vec![(self.selection.features()[0], 0.0)])).scaled()
    }
}

/// Weights in shares of the largest.
fn unit(weights: &[f64]) -> Vec<f64> {
    let largest = weights.iter().fold(0.0_f64, |largest, weight| largest.max(weight.abs()));
    weights.iter().map(|weight| if largest > 0.0 { weight / largest } else { 0.0 }).collect()
}

/// A policy that plays.
struct Choosing<'a> {
    selection: &'a Selection,
    /// Features and their weights; none for the random policy.
    terms: Option<Vec<(usize, f64)>>,
    /// Share of random moves.
    exploration: f64,
}

/// What was seen of some moves.
struct Played {
    transitions: Vec<Transition>,
    ended: u64,
    points: f64,
}

impl Choosing<'_> {
    /// The actions of a position, their features, and the policy's choice.
    fn describe<G: Roster>(&self, state: &G::State, explore: &mut Stream) -> (Vec<(usize, Sparse)>, usize) {
        let mut actions = Vec::new();
        G::action_features(state, |action, features| actions.push((action, self.selection.of(features))));
        let chosen = match &self.terms {
            None => explore.below(actions.len() as u32) as usize,
            Some(terms) => {
                let best = G::first_best(state, terms);
                actions.iter().position(|(action, _)| *action == best).unwrap_or_default()
            }
        };
        (actions, chosen)
    }
}

impl<G: Roster> Table<G> {
    /// Plays so many moves; where a game ends another begins.
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
    use crate::games::{ActionFeatures, Bejeweled, Tetris};
    use crate::learners::Source;
    use crate::network::device;

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
        let play = |seed| Tetris::play_weighed(&rules, terms, &mut Stream::new(seed, Role::Game, 1), 100_000).score;
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
        let learned = lines(learner.controlled().terms());
        assert!(learned > 10.0, "{learned}");
    }

    #[test]
    fn a_transition_has_the_features_of_its_move_and_of_the_policys_next() {
        let learner = fresh(&[]).unwrap();
        let weights: Vec<f64> = (0..10).map(|at| f64::from(at % 4) - 1.5).collect();
        let rules = Rules::new(8).unwrap();
        let mut table = learner.moving.games[0].clone();
        // The same games by hand.
        let mut game = table.game.clone();
        let (mut luck, mut explore) = (table.luck.clone(), table.explore.clone());
        let terms: Vec<(usize, f64)> = learner.selection.weighed(&weights[1..]);
        let policy = Choosing { selection: &learner.selection, terms: Some(terms.clone()), exploration: 0.3 };
        let of = |game: &Tetris, wanted: usize| {
            use crate::games::Game as _;
            let mut found = Vec::new();
            Tetris::action_features(&game.state(), |action, features| {
                if action == wanted {
                    let place = |feature| learner.selection.features().iter().position(|known| *known == feature);
                    found = features.iter().filter_map(|(at, number)| Some((place(*at)? as u32, *number))).collect();
                }
            });
            found
        };
        let played = table.play(&rules, &policy, 200);
        assert!(
            played.ended > 3
                && played.transitions.iter().filter(|one| one.next.is_none()).count() as u64 == played.ended
        );
        let (mut explored, mut points) = (0, 0.0);
        for Transition { features, reward, next } in &played.transitions {
            use crate::games::Game as _;
            let best = Tetris::first_best(&game.state(), &terms);
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
                Some(next) => assert_eq!(*next, of(&game, Tetris::first_best(&game.state(), &terms))),
                None => game = Tetris::new(&rules, &mut luck),
            }
        }
        assert!((40..80).contains(&explored), "{explored}");
        assert_eq!(points, played.points);
    }

    #[test]
    fn what_is_learned_is_the_same_at_any_number_of_threads_and_after_a_pause() {
        let learned = |threads, pause: bool| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut learner = fresh(&[]).unwrap();
                policy(&mut learner);
                // In the middle of the next policy.
                learner.play(70);
                if pause {
                    let saved = postcard::to_stdvec(&learner.moving).unwrap();
                    learner = fresh(&[]).unwrap();
                    learner.restore(postcard::from_bytes(&saved).unwrap()).unwrap();
                }
                policy(&mut learner);
                learner.moving.weights.unwrap()
            })
        };
        let once = learned(1, false);
        assert!(once == learned(3, false) && once == learned(1, true));
    }

    #[test]
    fn other_games_are_learned_by_their_features_too() {
        let sets = ["game.name='bejeweled'", "game.rules={}", "learning.features=['points']", "sampling.moves=400"];
        let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
        let source = Source::parse(CONFIG, "it", &sets).unwrap();
        let (config, rules) = source.resolve::<Bejeweled, Lspi<Bejeweled>>().unwrap();
        let mut learner = Lspi::<Bejeweled>::new(&config, &rules, &device::select(None).unwrap().1).unwrap();
        learner.round(&mut Metrics::default()).unwrap();
        assert_eq!(learner.step(), 1);
        assert!(learner.moving.weights.unwrap()[1] > 0.3);
    }

    #[test]
    fn a_policy_under_which_no_game_ends_has_no_mean() {
        let mut learner =
            fresh(&["game.rules={rows=20}", "sampling.moves=64", "sampling.games=16", "learning.ridge=1.0"]).unwrap();
        let mut metrics = policy(&mut learner);
        assert_eq!((metrics.get("points"), learner.moving.ended), (None, 0));
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
