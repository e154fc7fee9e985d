//! The algorithm of deep Q-learning, to be read from top to bottom.

use std::borrow::Cow;

use burn::tensor::Tensor;
use serde::{Deserialize, Serialize};

use super::super::sections::Checked;
use super::super::{Learner, Metrics, TrainConfig, require};
use super::config::Config;
use super::exploration::epsilon_greedy;
use super::figures::{Figures, Update};
use super::gradient::Gradient;
use super::learner::{QLearner, SavedLearner};
use super::moment::Moment;
use super::n_step::NStep;
use super::replay::{Replay, Transition};
use super::seen_waves::SeenWaves;
use super::target_network::TargetUpdate;
use super::target_values::Arrival;
use super::targets::mean_errors;
use crate::error::{Error, Result};
use crate::games::{ActionMask, Games, Image, SeenWave};
use crate::network::device::{self, Device};
use crate::network::{Model, ModelConfig, masks, to_vec};
use crate::players::{AgentFile, Measured, NetworkPlayer, Player};
use crate::random::{Role, Stream};

/// Deep Q-learning in many games side by side (Mnih et al. 2015,
/// <https://doi.org/10.1038/nature14236>).
pub struct Dqn<G: Image + Measured> {
    config: Config,
    model: ModelConfig,
    step: u64,
    games: Games<G>,
    /// Last moves of each game, not yet in memory.
    n_steps: Vec<NStep<G>>,
    replay: Replay<G::State>,
    /// Last waves, for a dynamics model.
    seen_waves: SeenWaves<G::State>,
    /// Both networks and the optimizer.
    q_learner: QLearner<G>,
    explore: Stream,
    /// Updates that are not in the metrics yet, each with its step.
    figures: Vec<(u64, Figures)>,
}

/// Most updates whose figures stay on the device.
const PENDING: usize = 1_024;

/// Everything that changes.
#[derive(Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Saved<'a, G: Image + Measured> {
    step: u64,
    games: Cow<'a, Games<G>>,
    n_steps: Cow<'a, [NStep<G>]>,
    replay: Cow<'a, Replay<G::State>>,
    seen_waves: Cow<'a, SeenWaves<G::State>>,
    q_learner: SavedLearner,
    explore: Stream,
}

impl<G: Image + Measured> Learner<G> for Dqn<G> {
    const NAME: &'static str = "dqn";
    const DEPENDS_ON_THREADS: bool = true;
    const COUNTERS: &'static [&'static str] = &["updates"];
    const SHOWN: &'static [&'static str] = &["updates", "epsilon", "loss"];

    type Config = Config;
    type Saved = Saved<'static, G>;

    fn columns() -> Vec<&'static str> {
        vec![
            "epsilon",
            "learning_rate",
            "replay",
            "loss",
            "value",
            "error",
            "gradient_norm",
            "plan_loss",
            "wave_loss",
            "games",
            "score",
        ]
    }

    fn check_game(config: &Config) -> Checked {
        let name = G::NAME;
        require(
            !(config.learning.relative && G::MAY_END_EARLY),
            "learning.relative",
            true,
            format!("false in {name}, whose games may end early: their end would count as an average future"),
        )
    }

    fn new(config: &TrainConfig<Config>, rules: &G::Rules, device: &Device) -> Result<Self> {
        let TrainConfig { run, learner: Config { training, learning, replay, .. } } = config;
        let n_step = NStep::new(learning.n_step, learning.discount as f32);
        Ok(Self {
            config: config.learner.clone(),
            model: config.model(),
            step: 0,
            games: Games::new(rules.clone(), training.games, run.seed),
            n_steps: vec![n_step; training.games],
            replay: Replay::new(replay),
            seen_waves: SeenWaves::new(config.learner.seen_waves(), Stream::new(run.seed, Role::Wave, 0)),
            q_learner: QLearner::new(config, rules, device),
            explore: Stream::new(run.seed, Role::Explore, 0),
            figures: Vec::new(),
        })
    }

    fn step(&self) -> u64 {
        self.step
    }

    fn round(&mut self, metrics: &mut Metrics) -> Result<()> {
        let Config { training, exploration, learning, replay, .. } = &self.config;

        // Act: in every game play a random action with probability epsilon, else argmax_a Q(s, a).
        // Q is the target network, unlike in the paper, because the targets need its maximum.
        let states: Vec<G::State> = self.games.states().collect();
        let epsilon = if self.step < training.warmup { 1.0 } else { exploration.epsilon(self.step) };
        let mask = self.q_learner.network().view().mask;
        let masks = masks::<G>(&states, mask);
        let values = if epsilon < 1.0 { self.q_learner.target.act(&states, &masks)? } else { Vec::new() };
        let choose = |(game, mask): (usize, &ActionMask)| {
            // No values where all moves are random.
            let values = values.get(game * G::ACTIONS..(game + 1) * G::ACTIONS).unwrap_or_default();
            epsilon_greedy(values, mask, epsilon, &mut self.explore)
        };
        let actions: Vec<usize> = masks.iter().enumerate().map(choose).collect();
        let mut outcomes = Vec::new();
        match self.config.seen_waves() {
            0 => self.games.step(&actions, &mut outcomes),
            _ => outcomes = self.games.step_seen(&actions, |wave| self.seen_waves.push(wave)),
        }
        self.step += states.len() as u64;

        // Remember: store each game's transition (s, a, r, s'), over n moves, in the replay memory.
        let mut arrivals = Vec::new();
        for (game, outcome) in outcomes.iter().enumerate() {
            let reward = outcome.reward * learning.reward_scale as f32;
            let remember = |transition| arrivals.push(Arrival { game, slot: self.replay.push(transition) });
            self.n_steps[game].push(states[game], actions[game], reward, outcome, remember);
            if let Some(score) = outcome.score {
                metrics.average("score", score.into());
            }
        }
        self.q_learner.target.arrive(self.games.states(), arrivals);
        metrics.add("games", outcomes.iter().filter(|outcome| outcome.terminal).count() as f64);

        // Learn: sample minibatches from the replay memory and take gradient steps.
        let progress = (self.step as f64 / training.steps as f64).min(1.0);
        if self.step >= training.warmup && !self.replay.is_empty() {
            for _ in 0..training.updates {
                let waves = self.seen_waves.sample(learning.values());
                let importance = replay.importance(progress);
                let figures = self.q_learner.update(&mut self.replay, &waves, importance, progress)?;
                self.figures.push((self.step, figures));
            }
        }
        metrics.set("updates", self.q_learner.updates() as f64);
        metrics.set("epsilon", epsilon);
        metrics.set("learning_rate", learning.learning_rate_at(progress));
        metrics.set("replay", self.replay.len() as f64);
        // Only a device of its own is dear to wait for.
        match device::is_processor(self.q_learner.device()) || self.figures.len() >= PENDING {
            true => self.report(metrics),
            false => Ok(()),
        }
    }

    fn report(&mut self, metrics: &mut Metrics) -> Result<()> {
        let (steps, figures): (Vec<u64>, Vec<Figures>) = std::mem::take(&mut self.figures).into_iter().unzip();
        for (step, update) in steps.into_iter().zip(Figures::read_all(&figures)?) {
            record(metrics, &update);
            if !update.loss.is_finite() || !update.gradient_norm.is_finite() {
                return Err(diverged(step));
            }
        }
        Ok(())
    }

    fn look(&self, slots: &[usize]) -> Result<Option<Moment<G::State>>> {
        let Config { training, exploration, learning, target, .. } = &self.config;
        let q_learner = &self.q_learner;
        let state = self.games.states().next().expect("a training has games");
        let masks = masks::<G>(&[state], q_learner.network().view().mask);
        let mut acting = q_learner.evaluator(q_learner.target());
        let values = acting.values_of(&[state], &masks)?;
        let points = 1.0 / learning.reward_scale as f32;
        let updates = q_learner.updates();
        Ok(Some(Moment {
            updates,
            epsilon: if self.step < training.warmup { 1.0 } else { exploration.epsilon(self.step) },
            learning_rate: learning.learning_rate_at((self.step as f64 / training.steps as f64).min(1.0)),
            target_age: (target.update == TargetUpdate::Hard).then(|| (updates % target.every, target.every)),
            held: self.replay.len(),
            capacity: self.config.replay.capacity,
            discount: learning.discount,
            state,
            values: masks[0].iter().map(|action| (action, points * values[action])).collect(),
            sampled: q_learner.sampled.clone(),
            transitions: q_learner.remembered(&self.replay, slots)?,
        }))
    }

    fn player(&self) -> impl Player<G> {
        NetworkPlayer::new(self.q_learner.evaluator(self.q_learner.trained()))
    }

    fn agent(&self) -> Result<AgentFile> {
        Model { config: self.model.clone(), weights: self.q_learner.trained().playing().arrays()? }.to_file()
    }

    fn save(&self) -> Result<impl Serialize> {
        Ok(Saved {
            step: self.step,
            games: Cow::Borrowed(&self.games),
            n_steps: Cow::Borrowed(&self.n_steps[..]),
            replay: Cow::Borrowed(&self.replay),
            seen_waves: Cow::Borrowed(&self.seen_waves),
            q_learner: self.q_learner.save()?,
            explore: self.explore.clone(),
        })
    }

    fn resume(
        config: &TrainConfig<Config>,
        rules: &G::Rules,
        device: &Device,
        saved: Saved<'static, G>,
    ) -> Result<Self> {
        let mut new = Self::new(config, rules, device)?;
        new.check_saved(&saved).map_err(|what| Error::user(format!("{what} do not fit the run's configuration")))?;
        new.q_learner.restore(saved.q_learner)?;
        Ok(Self {
            step: saved.step,
            games: saved.games.into_owned(),
            n_steps: saved.n_steps.into_owned(),
            replay: saved.replay.into_owned(),
            seen_waves: saved.seen_waves.into_owned(),
            explore: saved.explore,
            ..new
        })
    }
}

impl<G: Image + Measured> QLearner<G> {
    /// Updates the online network once, from a memory that is not empty.
    ///
    /// Only a dynamics model learns `waves`; `progress` is the share of the training done.
    pub fn update(
        &mut self,
        replay: &mut Replay<G::State>,
        waves: &[SeenWave<G::State>],
        importance_exponent: f64,
        progress: f64,
    ) -> Result<Figures> {
        // Sample a minibatch of transitions; expected updates simulate actions of its states.
        let sample = self.sample(replay, importance_exponent);
        let batch: Vec<Transition<G::State>> = sample.slots.iter().map(|slot| *replay.get(*slot)).collect();
        self.sampled.clone_from(&sample.slots);
        let backups = self.backups(&batch);

        // Targets: y = r + discount * max_a' Q_target(s', a'), and y = r at the end of a game. Relative
        // values, the default, leave out what comes on average: with b the running mean of the middle
        // term over all s' with as many moves left, y = r + discount * max_a' Q_target(s', a') - b.
        let targets = self.targets(&backups, &sample.slots)?;

        // Gradient step on the mean loss between Q(s, a) and y.
        let labelled = self.labelled(&batch, &sample.weights, backups, targets, waves)?;
        let Gradient { gradients, sums, errors } = self.gradient(&labelled)?;
        let norm = self.gradient_step(gradients, progress);

        // Target network: every few updates a copy of the online network, or a moving average.
        self.update_target_network();

        if replay.is_prioritised() {
            let errors = to_vec(Tensor::cat(errors, 0))?;
            let rows = labelled.values.iter().map(|value| value.backup.row);
            replay.set_errors(&sample.slots, &mean_errors(rows.zip(errors), batch.len()));
        }
        Ok(Figures {
            numbers: Tensor::cat(vec![sums, norm], 0),
            values: labelled.values.len(),
            plans: self.network().next_moves() > 0,
            dynamics: self.network().dynamics().is_some(),
        })
    }
}

impl<G: Image + Measured> Dqn<G> {
    /// Both networks and the optimizer.
    pub fn q_learner(&self) -> &QLearner<G> {
        &self.q_learner
    }

    /// Names the part of a saved state that does not fit.
    fn check_saved(&self, saved: &Saved<G>) -> std::result::Result<(), &'static str> {
        let Config { training, learning, replay, .. } = &self.config;
        let n_step = |n_step: &NStep<G>| n_step.fits(learning.n_step, learning.discount as f32);
        if saved.games.len() != training.games || saved.n_steps.len() != training.games {
            return Err("its games");
        }
        if !saved.n_steps.iter().all(n_step) {
            return Err("its games' last moves");
        }
        let whole = |slot| {
            let Transition { state, next, discount, .. } = saved.replay.get(slot);
            // The next state is never read after a game's end.
            G::is_whole(state) && (*discount == 0.0 || G::is_whole(next))
        };
        if !saved.replay.fits(replay, G::ACTIONS) || !(0..saved.replay.len()).all(whole) {
            return Err("its replayed transitions");
        }
        match saved.seen_waves.fits(self.config.seen_waves()) {
            true => Ok(()),
            false => Err("the waves that it has seen"),
        }
    }
}

fn record(metrics: &mut Metrics, update: &Update) {
    let Update { loss, value, error, gradient_norm, plan_loss, wave_loss } = *update;
    for (name, number) in [
        ("loss", Some(loss)),
        ("value", Some(value)),
        ("error", Some(error)),
        ("gradient_norm", Some(gradient_norm)),
        ("plan_loss", plan_loss),
        ("wave_loss", wave_loss),
    ] {
        if let Some(number) = number {
            metrics.average(name, number.into());
        }
    }
}

fn diverged(step: u64) -> Error {
    Error::runtime(format!(
        "at step {step} the loss or its gradient is no longer a number: the training has diverged, and its last checkpoint stands from before; in a new run, \
         a lower learning.learning_rate or learning.max_gradient_norm helps"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Source;
    use crate::games::tetris::Rules;
    use crate::games::{Bejeweled, Tetris};

    fn tetris(learning: &str) -> Result<(TrainConfig<Config>, Rules)> {
        let text = format!(
            "game = {{ name = 'tetris', mask = 'legal', rules = {{ rows = 4 }} }}\n\
             network = {{ channels = 2, layers = 2, dynamics_layers = 2 }}\n\
             training = {{ steps = 400, games = 8, warmup = 80 }}\nreplay = {{ capacity = 100 }}\n\
             learning = {{ batch = 8, {learning} }}"
        );
        Source::parse(&text, "file.toml", &[])?.resolve::<Tetris, Dqn<Tetris>>()
    }

    fn saved(learner: &Dqn<Tetris>) -> Vec<u8> {
        postcard::to_stdvec(&learner.save().unwrap()).unwrap()
    }

    #[test]
    fn a_training_goes_on_with_transitions_after_which_games_were_over() {
        let ((config, rules), device) = (tetris("relative = false").unwrap(), device::select(None).unwrap().1);
        let mut learner = Dqn::<Tetris>::new(&config, &rules, &device).unwrap();
        while !(0..learner.replay.len()).any(|slot| learner.replay.get(slot).next.is_lost()) || learner.step < 160 {
            learner.round(&mut Metrics::default()).unwrap();
        }
        let bytes = saved(&learner);
        let mut resumed =
            Dqn::<Tetris>::resume(&config, &rules, &device, postcard::from_bytes(&bytes).unwrap()).unwrap();
        assert_eq!(saved(&resumed), bytes);
        learner.round(&mut Metrics::default()).unwrap();
        resumed.round(&mut Metrics::default()).unwrap();
        assert_eq!(saved(&resumed), saved(&learner));
    }

    #[test]
    fn a_look_shows_values_and_targets_of_transitions_and_changes_nothing() {
        let (mut config, rules) = tetris("relative = false, reward_scale = 0.5, discount = 0.75").unwrap();
        config.learner.target.every = 7;
        let mut learner = Dqn::<Tetris>::new(&config, &rules, &device::select(None).unwrap().1).unwrap();
        while learner.step < 240 {
            learner.round(&mut Metrics::default()).unwrap();
        }
        let before = saved(&learner);
        let lost = (0..learner.replay.len()).find(|slot| learner.replay.get(*slot).discount == 0.0).unwrap();
        let moment = learner.look(&[3, lost, 10_000]).unwrap().unwrap();
        assert_eq!(saved(&learner), before);
        let updates = learner.q_learner.updates();
        assert_eq!((moment.updates, moment.target_age), (updates, Some((updates % 7, 7))));
        assert_eq!((moment.held, moment.capacity, moment.sampled.len()), (100, 100, 8));
        let [one, end] = &moment.transitions[..] else { panic!("{:?}", moment.transitions) };
        assert_eq!((end.next, end.future, end.target()), (None, 0.0, end.reward));
        // By the two networks themselves; a point counts half in training.
        let q_learner = &learner.q_learner;
        let value = |network, state| q_learner.evaluator(network).all_values(&[state]).unwrap().to_vec();
        let transition = learner.replay.get(3);
        assert_eq!((one.slot, one.action, one.reward), (3, transition.action.into(), 2.0 * transition.reward));
        assert_eq!(one.value, 2.0 * value(q_learner.network(), transition.state)[one.action]);
        let next = value(q_learner.target(), transition.next);
        let offered = masks::<Tetris>(&[transition.next], q_learner.network().view().mask);
        let best = offered[0].iter().map(|action| next[action]).fold(f32::MIN, f32::max);
        assert_eq!(one.future, 2.0 * 0.75 * best);
        assert_eq!(one.target(), one.reward + one.future);
    }

    #[test]
    fn relative_values_are_refused_where_games_may_end_early() {
        let refused = tetris("relative = true").unwrap_err();
        assert_eq!(refused.exit_code(), 2);
        let sentence = "file.toml: learning.relative = true: it must be false in tetris, whose games may end early: ";
        assert!(refused.to_string().starts_with(sentence), "{refused}");
        // Also where the rules limit the moves, and where the key is absent.
        let resolve = |text: &str| Source::parse(text, "file.toml", &[])?.resolve::<Bejeweled, Dqn<Bejeweled>>();
        let game = "game = { name = 'bejeweled', rules = { moves = 500 } }\n";
        assert!(resolve(game).is_err() && resolve(&format!("{game}learning = {{ relative = false }}")).is_ok());
    }
}
