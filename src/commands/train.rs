//! `matchq train`: a new training, or one that goes on.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{compute, print};
use crate::cli::Train;
use crate::error::{Error, Result};
use crate::games::match3::{Match3, Rules};
use crate::learners::checkpoint::{self, RunCheckpoint};
use crate::learners::dqn::config::TrainConfig;
use crate::learners::dqn::round::{Ending, Training};
use crate::learners::folder::RunFolder;
use crate::learners::logs::Logs;

/// Trains until the end or until Ctrl-C, which finishes the step and saves; a second one ends the program at once.
///
/// # Errors
/// Anything wrong with the configuration or the run's folder, and any failure of the device or the disk.
pub fn run(arguments: &Train) -> Result<()> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = stop.clone();
    ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })
    .map_err(|error| Error::runtime(format!("Ctrl-C cannot be caught: {error}")))?;

    match (&arguments.resume, &arguments.config) {
        (Some(path), _) => resume(arguments, path, &stop),
        (None, Some(path)) => start(arguments, path, &stop),
        (None, None) => Err(Error::user("--config FILE or --resume FOLDER is needed")),
    }
}

fn start(arguments: &Train, path: &Path, stop: &AtomicBool) -> Result<()> {
    let config = TrainConfig::load(path, &arguments.set)?;
    let device = compute(&arguments.compute)?;
    let rules = Rules::new(config.game.obstacle_kinds)?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let folder = RunFolder::create(&arguments.runs, arguments.name.as_deref(), &stem, &config)?;
    let mut training = Training::<Match3>::new(&config, &rules, &device);
    // From here on the run can be resumed.
    checkpoint::save(&folder, &config, &training)?;
    let mut logs = Logs::create(&folder, config.training.steps, arguments.quiet)?;
    logs.message(&format!("training {} for {} steps", folder.path().display(), config.training.steps));
    let ending = training.run(&config, &rules, &device, &folder, &mut logs, stop);
    report(&training, ending, &folder, &logs)
}

fn resume(arguments: &Train, path: &Path, stop: &AtomicBool) -> Result<()> {
    let folder = RunFolder::open(path)?;
    let checkpoint = RunCheckpoint::load(&folder.last())?;
    let device = compute(&arguments.compute)?;
    let config = &checkpoint.config;
    let rules = Rules::new(config.game.obstacle_kinds)?;
    let mut training: Training<Match3> = checkpoint.restore(&rules, &device)?;
    let steps = config.training.steps;
    let mut logs = Logs::resume(&folder, training.step, steps, arguments.quiet)?;
    logs.message(&format!("going on with {} at step {} of {steps}", folder.path().display(), training.step));
    let ending = training.run(config, &rules, &device, &folder, &mut logs, stop);
    report(&training, ending, &folder, &logs)
}

fn report(training: &Training<Match3>, ending: Result<Ending>, folder: &RunFolder, logs: &Logs) -> Result<()> {
    logs.finish();
    let path = folder.path().display();
    let ending = ending?;
    logs.draw_curve(folder)?;
    match ending {
        Ending::Stopped => {
            print(&format!("stopped at step {}; go on with: matchq train --resume {path}\n", training.step))
        }
        Ending::Finished => {
            let best = training.meters.best.map_or(String::new(), |best| format!(", best evaluation {best:.1}"));
            print(&format!(
                "finished after {} steps{best}; play with: matchq eval --checkpoint {path}\n",
                training.step
            ))
        }
    }
}
