//! `matchq train`: starts or resumes a training.

use std::io;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use matchq_core::pool;
use matchq_trainer::{Door, Training, door};

use super::{compute, interrupt, print, quoted, tell};
use crate::cli::Train;
use crate::error::{Error, Result};
use crate::files;
use crate::instructions::InstructionSet;
use crate::learners::checkpoint::Checkpoint;
use crate::learners::{Ending, RunFolder, Source};
use crate::named;
use crate::network::device::is_processor;
use crate::report::progress::of_run;

/// Trains until the end, or until Ctrl-C, which finishes the round and saves; a second Ctrl-C ends
/// at once.
pub fn run(arguments: &Train) -> Result<()> {
    /// Set by Ctrl-C.
    static STOP: AtomicBool = AtomicBool::new(false);
    static FIRST: OnceLock<Instant> = OnceLock::new();
    let stop = || interrupt::ask(&STOP, &FIRST, "\nfinishing the round and saving; once more to exit at once");
    interrupt::catch(stop)?;

    if arguments.events {
        // A line asks on every system, a signal on some.
        std::thread::spawn(move || io::stdin().read_line(&mut String::new()).is_ok_and(|read| read > 0).then(stop));
    }
    match (&arguments.resume, &arguments.config) {
        (Some(path), _) => resume(arguments, path, &STOP),
        (None, Some(path)) => start(arguments, path, &STOP),
        (None, None) => Err(Error::user("--config NAME or --resume NAME is needed")),
    }
}

/// Starts a training.
fn start(arguments: &Train, path: &Path, stop: &AtomicBool) -> Result<()> {
    let source = Source::load(path, &arguments.set)?;
    let game = game(&source)?;
    game.keys(&source)?;
    let device = compute(&arguments.compute)?;
    let stem = match files::is_input(path) {
        true => "run".into(),
        false => path.file_stem().unwrap_or_default().to_string_lossy(),
    };
    let folder = |config: &str| RunFolder::create(&arguments.runs, arguments.name.as_deref(), &stem, config);
    let training = game.start(&source, &device, &folder, &of_run(arguments.quiet))?;
    let by = match is_processor(&device) {
        true => format!(" by the instructions {}", InstructionSet::used()),
        false => String::new(),
    };
    let path = files::name(training.folder());
    training.progress().message(&format!("training {path} for {} {}{by}", training.steps(), training.unit()));
    finish(training, arguments.events, stop)
}

/// Goes on with a training.
fn resume(arguments: &Train, path: &Path, stop: &AtomicBool) -> Result<()> {
    let folder = RunFolder::open(path, &arguments.runs)?;
    let checkpoint = Checkpoint::load(&folder.last())?;
    let game = game(&checkpoint.source(&[])?)?;
    let device = compute(&arguments.compute)?;
    let training = game.resume(folder, &checkpoint, &arguments.set, &device, &of_run(arguments.quiet))?;
    let now = pool::threads();
    let other = training.threads().filter(|began_with| *began_with != now);
    let threads = other.map(|began_with| format!("this run began with --threads {began_with} and goes on with {now}"));
    let other = checkpoint.other_instructions().filter(|_| is_processor(&device));
    let instructions = other.map(|before| {
        format!("this run was computed with the instructions {before} and goes on with {}", InstructionSet::used())
    });
    for with in threads.into_iter().chain(instructions) {
        tell(&format!("{with}: the last bits of what it learns may differ"));
    }
    training.progress().message(&format!(
        "going on with {} after {} of {} {}",
        files::name(training.folder()),
        training.step(),
        training.steps(),
        training.unit()
    ));
    finish(training, arguments.events, stop)
}

/// Lets the quick players play the evaluation's games, and says what they score.
fn compare(training: &mut dyn Training, stop: &AtomicBool) -> Result<()> {
    training.compare(stop)?;
    let scores: Vec<String> =
        training.references().iter().map(|player| format!("{} {:.1}", player.name, player.mean)).collect();
    if !scores.is_empty() {
        training.progress().message(&format!("for comparison: {}", scores.join(", ")));
    }
    Ok(())
}

/// Trains, then prints how the training ended and what can be done next.
fn finish(mut training: Box<dyn Training>, events: bool, stop: &AtomicBool) -> Result<()> {
    if events {
        print(&format!("{}\n", serde_json::json!({"begun": training.folder().display().to_string()})))?;
    }
    let ending = pool::inside(|| {
        compare(training.as_mut(), stop)?;
        training.train(stop)
    });
    training.progress().finish();
    let ending = ending?;
    training.draw_curve()?;
    let program = named::name();
    let (done, path) = (training.done(), quoted(&training.folder().display().to_string()));
    match ending {
        Ending::Stopped => print(&format!("stopped after {done}; go on with: {program} train --resume {path}\n")),
        Ending::Finished => {
            let best = training.best().map_or(String::new(), |best| format!(", best evaluation {best:.1}"));
            let rules = training.other_rules();
            let rules: String = rules.iter().map(|rule| format!(" --rule {}", quoted(rule))).collect();
            let next = match training.best() {
                Some(_) => format!(
                    "measure it: {program} eval --checkpoint {path}\nwatch it play: {program} play --player {path}{rules}\n"
                ),
                None => String::new(),
            };
            print(&format!("finished after {done}{best}\n{next}"))
        }
    }
}

/// The game of a training.
fn game(source: &Source) -> Result<&'static dyn Door> {
    door(source.game()?).map_err(|error| source.wrong("game.name", &error.to_string()))
}
