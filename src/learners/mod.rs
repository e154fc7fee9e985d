//! Learners, which train agents, and the runs that train with them.

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
    /// Key of the number of steps; its last part names them, as in `training.generations`.
    const STEPS: &'static str;

    /// Steps of the whole training.
    fn steps(&self) -> u64;

    /// Checks that the values are in their ranges and fit together; the error is the first that is
    /// not.
    fn check(&self) -> std::result::Result<(), OutOfRange>;

    /// Steps at the start that take far less time than later ones.
    fn quick_steps(&self) -> u64 {
        0
    }

    /// Checks that a started training can be lengthened; the error is what depends on the share
    /// done.
    fn check_lengthening(&self) -> std::result::Result<(), String> {
        Ok(())
    }
}

/// A way to train an agent for a game, round by round.
///
/// Each learner defines its step: a move, a sweep, a generation. The run counts steps, and logs,
/// evaluates and saves after given numbers of them. [`save`](Self::save) holds everything that
/// changes: a [resumed](Self::resume) learner continues bit for bit. The test
/// `learners::conformance` checks every learner.
pub trait Learner<G: Measured>: Send + Sized {
    /// Name in configurations.
    const NAME: &'static str;
    /// Metrics that count work besides steps: columns of `train.csv` and `evaluations.csv`.
    const COUNTERS: &'static [&'static str];
    /// Metrics shown during training.
    const SHOWN: &'static [&'static str];
    /// Whether the last bits of the result depend on the number of threads.
    const DEPENDS_ON_THREADS: bool = false;
    /// Whether the configuration's mask is used, instead of the game's default mask.
    const HAS_MASK: bool = true;

    /// The learner's sections of a configuration.
    type Config: LearnerConfig;
    /// Everything that changes, read from a checkpoint; [`save`](Self::save) writes it.
    type Saved: DeserializeOwned;

    /// The other metrics, in the order of the columns of `train.csv`.
    fn columns() -> Vec<&'static str>;

    /// Checks that a configuration suits the game; by default every one does.
    ///
    /// # Errors
    /// The first value that does not.
    fn check_game(_config: &Self::Config) -> std::result::Result<(), OutOfRange> {
        Ok(())
    }

    /// A learner before its first step.
    fn new(config: &TrainConfig<Self::Config>, rules: &G::Rules, device: &Device) -> Result<Self>;

    /// A learner with a saved state.
    ///
    /// # Errors
    /// A state that does not fit the configuration: a checksum does not prove that this program
    /// wrote the file.
    fn resume(
        config: &TrainConfig<Self::Config>,
        rules: &G::Rules,
        device: &Device,
        saved: Self::Saved,
    ) -> Result<Self>;

    /// Steps so far.
    fn step(&self) -> u64;

    /// Whether nothing changes any more, which ends a training before its last step.
    fn is_at_rest(&self) -> bool {
        false
    }

    /// Learns a little: a step, several steps, or a part of one.
    ///
    /// A run can stop after any round. Figures go into the metrics.
    ///
    /// # Errors
    /// When the device fails or the training has diverged.
    fn round(&mut self, metrics: &mut Metrics) -> Result<()>;

    /// The trained player, as evaluations use it.
    fn player(&self) -> impl Player<G>;

    /// The trained player as a file.
    fn agent(&self) -> Result<AgentFile>;

    /// Everything that changes, to be written; [`Saved`](Self::Saved) reads it.
    fn save(&self) -> Result<impl Serialize>;
}

/// Something to do with a learner whose type the configuration's name decides.
pub trait Task<G: Measured> {
    /// Does the task.
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
        /// When no learner has that name, and errors of the task.
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
