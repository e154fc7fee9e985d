//! Learners, which train agents, and their runs.
//!
//! The crate has no command line, no server and no terminal, and compiles for WebAssembly.
//!
//! - [`Learner`]: a way to train an agent for a game, one round at a time.
//! - [`Run`]: a training in its folder, with logs, evaluations and checkpoints.
//! - [`network`]: the Q-network on burn.
//! - [`report`]: logs as files, and runs read from their folders.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod evaluation;
#[macro_use]
mod sections;
#[cfg(test)]
mod learner_tests;

pub mod checkpoint;
pub mod config;
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
pub mod network;
pub mod progress;
pub mod report;
pub mod run;

use serde::Serialize;
use serde::de::DeserializeOwned;

use matchq_core::{error, files, instructions, random};
use matchq_games as games;
use matchq_players::{self as players, eval};

pub use crate::error::{OutOfRange, require};
pub use config::{RunConfig, Source, TrainConfig, add_configuration, configurations};
pub use container::Container;
pub use dqn::Dqn;
pub use evolution::Evolution;
pub use fitted::Fitted;
pub use folder::RunFolder;
pub use imitation::Imitation;
pub use lspi::Lspi;
pub use metrics::Metrics;
pub use progress::{Progress, silent};
pub use run::{Ending, Run};
pub use sections::Checked;

use crate::dqn::Moment;
use crate::error::Result;
use crate::network::device::Device;
use crate::players::{AgentFile, Measured, Player, Roster};

/// A learner's sections of a configuration.
pub trait LearnerConfig: Clone + Default + PartialEq + Send + Sync + Serialize + DeserializeOwned {
    /// Key of the number of steps, whose last part is the unit: `training.generations`.
    const STEPS: &'static str;

    /// Steps of the whole training.
    fn steps(&self) -> u64;

    /// Name of the steps: `generations`.
    fn unit() -> &'static str {
        Self::STEPS.rsplit('.').next().unwrap_or(Self::STEPS)
    }

    /// Checks all values.
    fn check(&self) -> Checked;

    /// Number of quick steps at the start.
    fn quick_steps(&self) -> u64 {
        0
    }

    /// Checks that a training can be lengthened; the error is what depends on the share done.
    fn check_lengthening(&self) -> std::result::Result<(), String> {
        Ok(())
    }
}

/// A way to train an agent for a game.
///
/// Each learner defines its step: a move, a sweep, a generation. The run logs, evaluates and saves
/// after given numbers of steps. A [resumed](Self::resume) learner continues bit for bit; the crate's
/// tests check every learner.
pub trait Learner<G: Measured>: Send + Sized + 'static {
    /// Name in configurations.
    const NAME: &'static str;
    /// Metrics that count work besides steps, in `train.csv` and `evaluations.csv`.
    const COUNTERS: &'static [&'static str];
    /// Metrics shown during training.
    const SHOWN: &'static [&'static str];
    /// Whether the last bits depend on the number of threads.
    const DEPENDS_ON_THREADS: bool = false;
    /// Whether the configuration may set the mask.
    const HAS_MASK: bool = true;

    /// The learner's sections of a configuration.
    type Config: LearnerConfig;
    /// Everything that changes, read from a checkpoint.
    type Saved: DeserializeOwned;

    /// Other columns of `train.csv`.
    fn columns() -> Vec<&'static str>;

    /// Checks that the configuration suits the game.
    fn check_game(_config: &Self::Config) -> Checked {
        Ok(())
    }

    /// Learner before its first step.
    fn new(config: &TrainConfig<Self::Config>, rules: &G::Rules, device: &Device) -> Result<Self>;

    /// Learner with a saved state; an error if unfit, because a checksum does not prove that this
    /// program wrote the state.
    fn resume(
        config: &TrainConfig<Self::Config>,
        rules: &G::Rules,
        device: &Device,
        saved: Self::Saved,
    ) -> Result<Self>;

    /// Steps so far.
    fn step(&self) -> u64;

    /// Whether the learner's own stopping criterion is met, which ends the run.
    fn is_at_rest(&self) -> bool {
        false
    }

    /// Learns for a step, several, or a part of one; a run can stop after any round.
    fn round(&mut self, metrics: &mut Metrics) -> Result<()>;

    /// Adds the figures that rounds left on the device to the metrics; an error if the training has
    /// diverged.
    ///
    /// The run calls this before each row of the log and before each checkpoint.
    fn report(&mut self, _metrics: &mut Metrics) -> Result<()> {
        Ok(())
    }

    /// The training between two rounds, with transitions in slots of the memory; none of a learner
    /// without a memory.
    fn look(&self, _slots: &[usize]) -> Result<Option<Moment<G::State>>> {
        Ok(None)
    }

    /// Trained player.
    fn player(&self) -> impl Player<G>;

    /// Trained player as a file.
    fn agent(&self) -> Result<AgentFile>;

    /// Everything that changes, for a checkpoint.
    fn save(&self) -> Result<impl Serialize>;
}

/// A task for a learner of any type.
pub trait Task<G: Measured> {
    /// Does the task.
    fn run<L: Learner<G>>(self) -> Result<()>;
}

macro_rules! learners {
    ($($learner:ident),+ $(,)?) => {
        /// Names of all learners.
        pub fn names<G: Roster>() -> Vec<&'static str> {
            vec![$($learner::<G>::NAME),+]
        }

        /// Does a task with the configured learner.
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

learners! {
    Dqn,
    Fitted,
    Evolution,
    Imitation,
    Lspi,
}
