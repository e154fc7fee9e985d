//! How agents are trained: the trait of a learner, a run, and the learners.

pub mod checkpoint;
pub mod config;
pub mod container;
pub mod dqn;
pub mod evolution;
pub mod fitted;
pub mod folder;
pub mod imitation;
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

/// A way to train an agent for a game, one round after the other.
///
/// What a step is, it says itself: a move, a sweep, a generation. It is all that the run counts, and logs, evaluations
/// and checkpoints are due after so many. Everything in it that moves is what [`save`](Self::save) gives: taken up by
/// [`restore`](Self::restore), a learner goes on as if it had never been interrupted, bit for bit.
pub trait Learner<G: Measured>: Send + Sized {
    /// The name in configurations.
    const NAME: &'static str;
    /// The key of its configuration that says how many steps there are.
    ///
    /// Its last part is what steps are called: `training.generations`.
    const STEPS: &'static str;
    /// Metrics that count its work beside the steps.
    ///
    /// They are columns of `train.csv` and of `evaluations.csv`.
    const COUNTERS: &'static [&'static str];
    /// Those that are shown while it trains.
    const SHOWN: &'static [&'static str];

    /// Whether the number of threads decides the last bits of what it learns.
    const DEPENDS_ON_THREADS: bool = false;
    /// Whether it chooses from the mask of the configuration, and not from the game's default one.
    const HAS_MASK: bool = true;

    /// Its sections of the configuration.
    type Config: Clone + Default + PartialEq + Send + Serialize + DeserializeOwned;
    /// All that moves, as it is read from a checkpoint.
    ///
    /// [`save`](Self::save) gives what is written.
    type Saved: DeserializeOwned;

    /// Its other metrics, in the order of the columns of `train.csv`.
    fn columns() -> Vec<&'static str>;

    /// Whether a configuration's values are in their ranges and go together.
    ///
    /// Gives the first that is not, if any.
    fn check(config: &Self::Config) -> std::result::Result<(), OutOfRange>;

    /// Steps of the whole training.
    fn steps(config: &Self::Config) -> u64;

    /// Steps at the start that take far less time than others.
    fn quick_steps(_config: &Self::Config) -> u64 {
        0
    }

    /// Whether a training can be made longer once it has begun; if not, why.
    ///
    /// The reason is what goes by the share of the training that is done.
    fn check_lengthening(_config: &Self::Config) -> std::result::Result<(), String> {
        Ok(())
    }

    /// A learner before its first step.
    fn new(config: &TrainConfig<Self::Config>, rules: &G::Rules, device: &Device) -> Result<Self>;

    /// Steps so far.
    fn step(&self) -> u64;

    /// Whether nothing moves any more.
    ///
    /// The training then ends before its last step.
    fn is_at_rest(&self) -> bool {
        false
    }

    /// Learns a little, by one step or a few.
    ///
    /// What it was like goes into the metrics.
    ///
    /// # Errors
    /// When the device fails or the training has diverged.
    fn round(&mut self, metrics: &mut Metrics) -> Result<()>;

    /// The player that it has learned to be, as it plays in an evaluation.
    fn player(&self) -> impl Player<G>;

    /// The same as a file.
    fn agent(&self) -> Result<AgentFile>;

    /// All that moves, to be written; it reads back as [`Saved`](Self::Saved).
    fn save(&self) -> Result<impl Serialize>;

    /// The learner of a run that goes on.
    ///
    /// By default it begins anew and takes up what was saved. Another way is needed where what a new one reads may have
    /// changed since.
    ///
    /// # Errors
    /// As of [`new`](Self::new) and [`restore`](Self::restore).
    fn resume(
        config: &TrainConfig<Self::Config>,
        rules: &G::Rules,
        device: &Device,
        saved: Self::Saved,
    ) -> Result<Self> {
        let mut learner = Self::new(config, rules, device)?;
        learner.restore(saved)?;
        Ok(learner)
    }

    /// Takes up what was saved.
    ///
    /// # Errors
    /// When it is of another configuration: a checksum proves that nothing was damaged, not that this program made it.
    fn restore(&mut self, saved: Self::Saved) -> Result<()>;
}

/// Something to be done with a learner that is known by its name only.
pub trait Task<G: Measured> {
    /// Does it.
    fn run<L: Learner<G>>(self) -> Result<()>;
}

macro_rules! learners {
    ($($learner:ident),+ $(,)?) => {
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
            let names = [$($learner::<G>::NAME),+].join(", ");
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
