//! How agents are trained: the trait of a learner, a run, and the learners.

pub mod checkpoint;
pub mod config;
#[cfg(test)]
mod conformance;
pub mod container;
pub mod dqn;
pub mod evolution;
pub mod fitted;
pub mod folder;
pub mod imitation;
pub mod linear;
pub mod logs;
pub mod lspi;
pub mod metrics;
pub mod run;

use serde::Serialize;
use serde::de::DeserializeOwned;

pub use crate::error::{OutOfRange, require};
pub use config::{RunConfig, Source, TrainConfig, unit};
pub use container::Container;
pub use dqn::Dqn;
pub use evolution::Evolution;
pub use fitted::Fitted;
pub use folder::RunFolder;
pub use imitation::Imitation;
pub use lspi::Lspi;
pub use metrics::Metrics;
pub use run::{Ending, Run};

use crate::error::Result;
use crate::network::device::Device;
use crate::players::AgentFile;
use crate::players::Player;
use crate::players::{Measured, Roster};

/// A learner's sections of a configuration.
pub trait LearnerConfig: Clone + Default + PartialEq + Send + Sync + Serialize + DeserializeOwned {
    /// The key that says how many steps there are.
    ///
    /// Its last part is what steps are called: `training.generations`.
    const STEPS: &'static str;

    /// Steps of the whole training.
    fn steps(&self) -> u64;

    /// Whether the values are in their ranges and go together; gives the first that is not, if any.
    fn check(&self) -> std::result::Result<(), OutOfRange>;

    /// Steps at the start that take far less time than others.
    fn quick_steps(&self) -> u64 {
        0
    }

    /// Whether a training can be made longer once it has begun; if not, what goes by the share that is done.
    fn check_lengthening(&self) -> std::result::Result<(), String> {
        Ok(())
    }
}

/// A way to train an agent for a game, one round after the other.
///
/// What a step is, a learner says itself: a move, a sweep, a generation. Steps are all that the run counts, and logs,
/// evaluations and checkpoints are due after so many. Everything in a learner that moves is what [`save`](Self::save)
/// gives: [resumed](Self::resume) from it, a learner goes on as if it had never been interrupted, bit for bit.
/// The test `learners::conformance` holds every learner to these promises.
pub trait Learner<G: Measured>: Send + Sized {
    /// The name in configurations.
    const NAME: &'static str;
    /// Metrics that count its work beside the steps: columns of `train.csv` and of `evaluations.csv`.
    const COUNTERS: &'static [&'static str];
    /// Metrics that are shown while it trains.
    const SHOWN: &'static [&'static str];
    /// Whether the number of threads decides the last bits of what it learns.
    const DEPENDS_ON_THREADS: bool = false;
    /// Whether it chooses from the mask of the configuration, and not from the game's default one.
    const HAS_MASK: bool = true;

    /// Its sections of the configuration.
    type Config: LearnerConfig;
    /// All that moves, as it is read from a checkpoint; [`save`](Self::save) gives what is written.
    type Saved: DeserializeOwned;

    /// Its other metrics, in the order of the columns of `train.csv`.
    fn columns() -> Vec<&'static str>;

    /// Whether a configuration suits the game; by default any does.
    ///
    /// # Errors
    /// The first value that does not.
    fn check_game(_config: &Self::Config) -> std::result::Result<(), OutOfRange> {
        Ok(())
    }

    /// A learner before its first step.
    fn new(config: &TrainConfig<Self::Config>, rules: &G::Rules, device: &Device) -> Result<Self>;

    /// A learner as it was saved.
    ///
    /// # Errors
    /// As of [`new`](Self::new), and a state of another configuration: a checksum proves that nothing was damaged, not
    /// that this program wrote it.
    fn resume(
        config: &TrainConfig<Self::Config>,
        rules: &G::Rules,
        device: &Device,
        saved: Self::Saved,
    ) -> Result<Self>;

    /// Steps so far.
    fn step(&self) -> u64;

    /// Whether nothing moves any more, which ends a training before its last step.
    fn is_at_rest(&self) -> bool {
        false
    }

    /// Learns a little: a step, some of them, or a part of one.
    ///
    /// A run can be stopped after any round. What the round was like goes into the metrics.
    ///
    /// # Errors
    /// When the device fails or the training has diverged.
    fn round(&mut self, metrics: &mut Metrics) -> Result<()>;

    /// The player that it has learned to be, as it plays in an evaluation.
    fn player(&self) -> impl Player<G>;

    /// The player as a file.
    fn agent(&self) -> Result<AgentFile>;

    /// All that moves, to be written; it reads back as [`Saved`](Self::Saved).
    fn save(&self) -> Result<impl Serialize>;
}

/// Something to be done with a learner that is known by its name only.
pub trait Task<G: Measured> {
    /// Does it.
    fn run<L: Learner<G>>(self) -> Result<()>;
}

macro_rules! learners {
    ($($learner:ident),+ $(,)?) => {
        /// The names of all learners.
        pub fn names<G: Roster>() -> Vec<&'static str> {
            vec![$($learner::<G>::NAME),+]
        }

        /// Does a task with the learner that a configuration names.
        ///
        /// # Errors
        /// When there is none of that name, and what goes wrong in the task.
        pub fn with_learner<G: Roster>(source: &Source, task: impl Task<G>) -> Result<()> {
            let name = source.learner()?;
            $(
                if name == $learner::<G>::NAME {
                    return task.run::<$learner<G>>();
                }
            )+
            let names = names::<G>().join(", ");
            Err(source.wrong("learner", &format!("there is no learner \"{name}\"; use one of: {names}")))
        }
    };
}

// All learners, one line each.
learners! {
    Dqn,
    Fitted,
    Evolution,
    Imitation,
    Lspi,
}
