//! What a training holds between two rounds, to be looked at.

/// A training between two rounds; values are in the points of the game.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment<S> {
    /// Updates of the online network.
    pub updates: u64,
    /// Share of random moves.
    pub epsilon: f64,
    /// Step size of the next update.
    pub learning_rate: f64,
    /// Updates since the target network was copied, and between copies; none where it follows each update.
    pub target_age: Option<(u64, u64)>,
    /// Transitions in the memory.
    pub held: usize,
    /// Most transitions in the memory.
    pub capacity: usize,
    /// Discount of the value one move later.
    pub discount: f64,
    /// Where the first game stands.
    pub state: S,
    /// Actions that the first game offers, with the values by which it acts.
    pub values: Vec<(usize, f32)>,
    /// Slots of the transitions from which the last update learned.
    pub sampled: Vec<usize>,
    /// The transitions that were asked for.
    pub transitions: Vec<Remembered<S>>,
}

/// A transition of the memory, with its value and target as the networks are now.
#[derive(Clone, Debug, PartialEq)]
pub struct Remembered<S> {
    /// Place in the memory.
    pub slot: usize,
    /// State before the action.
    pub state: S,
    /// Action taken.
    pub action: usize,
    /// Discounted sum of the points.
    pub reward: f32,
    /// State after the last move, unless the game was over.
    pub next: Option<S>,
    /// Value of the action by the online network.
    pub value: f32,
    /// The target network's value of the next state's best action, discounted; 0 after a game's end.
    pub future: f32,
    /// What comes on average, which relative values leave out.
    pub average: f32,
}

impl<S> Remembered<S> {
    /// What the value is moved to: reward and future, less what comes on average.
    pub fn target(&self) -> f32 {
        self.reward + self.future - self.average
    }
}
