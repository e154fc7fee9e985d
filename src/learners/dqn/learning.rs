//! What the user chooses of the update and of the target network.

use serde::{Deserialize, Serialize};

/// What the user chooses of the update.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Learning {
    /// Transitions in one update.
    pub batch: usize,
    /// Discount of a reward one move later.
    pub discount: f64,
    /// Moves whose rewards are summed before the target network takes over.
    pub n_step: usize,
    /// Factor from points to the scale that the network learns.
    pub reward_scale: f64,
    /// Let the online network choose the action that the target network values.
    pub double: bool,
    /// Error of a transition.
    pub loss: Loss,
    /// Where the Huber loss turns from squared to linear, in scaled rewards.
    pub huber_delta: f64,
    /// What turns gradients into steps.
    pub optimizer: OptimizerKind,
    /// The step size at the start.
    pub learning_rate: f64,
    /// The step size at the end.
    pub final_learning_rate: f64,
    /// How the one becomes the other.
    pub schedule: Schedule,
    /// Adam's epsilon.
    pub adam_epsilon: f64,
    /// Norm of the whole gradient above which it is scaled down; 0 for none.
    pub max_gradient_norm: f64,
    /// 0: learn from the sampled transition what its action brought. K: simulate every action of the mask in its state
    /// instead, and learn the mean reward of K outcomes and the next state's value in some of them.
    pub simulations: usize,
    /// With simulated outcomes: actions tried in each state; 0 for all.
    pub actions: usize,
    /// How many of these are those with the highest prior, without one with the most certain points; the others are any. 0 for
    /// the larger half.
    pub best_actions: usize,
    /// With simulated outcomes: weight of the mean error of the actions tried in a state, which they have in common. A player
    /// chooses by the differences; with a weight below 1 these are learned before the level.
    pub common_error: f64,
    /// With simulated outcomes: moves of the best certain plan whose points, discounted, count with each of them until the next
    /// state's value takes their place; 0 for none.
    pub lookahead: u32,
    /// With simulated outcomes: how many of them give a next state whose value counts.
    pub next_states: usize,
    /// With afterstates: actions of a next state that are valued for its maximum, those with the highest prior; 0 for all.
    pub candidates: usize,
    /// Share of the training before which targets are rewards alone, with what is certain after them (1: for ever): next
    /// states' values cost most of an update's time and mean little while the network is young.
    pub bootstrap_from: f64,
    /// Count next states' values from their mean where as many actions are left, as relative value iteration does (for
    /// Q-learning: Abounadi, Bertsekas and Borkar 2001, <https://doi.org/10.1137/S0363012999361974>): the points of an
    /// average future, which all positions have in common, need not be learned.
    pub relative: bool,
    /// Learn each transition under a random symmetry of the game.
    pub symmetry: bool,
}

/// The error of one transition with difference d between value and target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Loss {
    /// d^2 / 2 up to `huber_delta`, linear beyond (Huber 1964, <https://doi.org/10.1214/aoms/1177703732>).
    Huber,
    /// d^2 / 2.
    Squared,
}

/// What turns gradients into steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OptimizerKind {
    /// Adam (Kingma and Ba 2015, <https://arxiv.org/abs/1412.6980>).
    Adam,
    /// The weights of convolutions take orthogonal steps, as large as Adam's would be (Jordan et al. 2024,
    /// <https://kellerjordan.github.io/posts/muon/>; Liu et al. 2025, <https://arxiv.org/abs/2502.16982>); biases and heads
    /// those of Adam.
    Muon,
}

/// How the learning rate goes from its first to its last value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Schedule {
    /// It stays at the first value.
    Constant,
    /// In a straight line.
    Linear,
    /// In half a wave of a cosine (Loshchilov and Hutter 2017, <https://arxiv.org/abs/1608.03983>).
    Cosine,
}

/// What the user chooses of the target network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Target {
    /// Copy the online network now and then, or follow it a little with each update.
    pub update: TargetUpdate,
    /// Hard: updates between copies.
    pub every: u64,
    /// Soft: share of the online network taken up with each update.
    pub rate: f64,
}

/// How the target network follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TargetUpdate {
    /// Copies (Mnih et al. 2015, <https://doi.org/10.1038/nature14236>).
    Hard,
    /// A moving average (Lillicrap et al. 2016, <https://arxiv.org/abs/1509.02971>).
    Soft,
}

impl Default for Learning {
    fn default() -> Self {
        Self {
            batch: 256,
            discount: 0.5,
            n_step: 1,
            reward_scale: 0.1,
            double: true,
            loss: Loss::Huber,
            huber_delta: 1.0,
            learning_rate: 1e-3,
            final_learning_rate: 1e-4,
            schedule: Schedule::Linear,
            optimizer: OptimizerKind::Adam,
            adam_epsilon: 1e-8,
            max_gradient_norm: 10.0,
            simulations: 0,
            actions: 0,
            best_actions: 0,
            common_error: 1.0,
            lookahead: 0,
            next_states: 1,
            candidates: 0,
            bootstrap_from: 0.0,
            relative: false,
            symmetry: true,
        }
    }
}

impl Default for Target {
    fn default() -> Self {
        Self { update: TargetUpdate::Hard, every: 500, rate: 0.005 }
    }
}

impl Learning {
    /// The step size when a share of the training between 0 and 1 is done.
    pub fn learning_rate_at(&self, progress: f64) -> f64 {
        let done = match self.schedule {
            Schedule::Constant => 0.0,
            Schedule::Linear => progress,
            Schedule::Cosine => (1.0 - (std::f64::consts::PI * progress).cos()) / 2.0,
        };
        self.learning_rate + (self.final_learning_rate - self.learning_rate) * done
    }
}
