//! `matchq train`: starts or resumes a training.

use std::io;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::{compute, other_rules, print, quoted, tell};
use crate::cli::Train;
use crate::door::{Door, door};
use crate::error::{Error, Result};
use crate::files;
use crate::instructions::InstructionSet;
use crate::learners::checkpoint::Checkpoint;
use crate::learners::{Ending, Learner, Run, RunFolder, Source, Task};
use crate::named;
use crate::network::device::is_processor;
use crate::players::{Playable, Setting};
use crate::report::progress::of_run;

/// Time within which a repeated signal counts as one.
const AGAIN: Duration = Duration::from_secs(1);

/// Trains until the end, or until Ctrl-C, which finishes the round and saves; a second Ctrl-C ends
/// at once.
pub fn run(arguments: &Train) -> Result<()> {
    /// Set by Ctrl-C.
    static STOP: AtomicBool = AtomicBool::new(false);
    static FIRST: OnceLock<Instant> = OnceLock::new();
    let stop = || {
        let first = FIRST.get_or_init(Instant::now);
        if STOP.swap(true, Ordering::Relaxed) {
            // Some programs send a signal both to a process and to its group.
            if first.elapsed() > AGAIN {
                std::process::exit(130);
            }
            return;
        }
        tell("\nfinishing the round and saving; once more to exit at once");
    };
    match ctrlc::set_handler(stop) {
        // A handler is enough for several trainings in a process.
        Ok(()) | Err(ctrlc::Error::MultipleHandlers) => {}
        Err(error) => return Err(Error::runtime(format!("Ctrl-C cannot be caught: {error}"))),
    }

    if arguments.events {
        // A line asks on every system, a signal on some.
        std::thread::spawn(move || io::stdin().read_line(&mut String::new()).is_ok_and(|read| read > 0).then(stop));
    }
    let stop = &STOP;
    match (&arguments.resume, &arguments.config) {
        (Some(path), _) => {
            let folder = RunFolder::open(path, &arguments.runs)?;
            let checkpoint = Checkpoint::load(&folder.last())?;
            game(&checkpoint.source(&[])?)?.resume(arguments, folder, checkpoint, stop)
        }
        (None, Some(path)) => {
            let source = Source::load(path, &arguments.set)?;
            game(&source)?.start(arguments, path, &source, stop)
        }
        (None, None) => Err(Error::user("--config NAME or --resume NAME is needed")),
    }
}

/// A training that begins.
pub(crate) struct Start<'a> {
    pub(crate) arguments: &'a Train,
    pub(crate) path: &'a Path,
    pub(crate) source: &'a Source,
    pub(crate) stop: &'a AtomicBool,
}

impl<G: Playable> Task<G> for Start<'_> {
    fn run<L: Learner<G>>(self) -> Result<()> {
        let Self { arguments, path, source, stop } = self;
        let (config, rules) = source.resolve::<G, L>()?;
        let device = compute(&arguments.compute)?;
        let stem = match files::is_input(path) {
            true => "run".into(),
            false => path.file_stem().unwrap_or_default().to_string_lossy(),
        };
        let folder = |config: &str| RunFolder::create(&arguments.runs, arguments.name.as_deref(), &stem, config);
        let run = Run::<G, L>::start(config, rules, &device, folder, of_run(arguments.quiet))?;
        let by = match is_processor(&device) {
            true => format!(" by the instructions {}", InstructionSet::used()),
            false => String::new(),
        };
        let path = files::name(run.folder.path());
        run.logs.progress.message(&format!("training {path} for {} {}{by}", run.steps(), run.unit()));
        finish(run, arguments.events, stop)
    }
}

/// A training that goes on.
pub(crate) struct Resume<'a> {
    pub(crate) arguments: &'a Train,
    pub(crate) folder: RunFolder,
    pub(crate) checkpoint: Checkpoint,
    pub(crate) stop: &'a AtomicBool,
}

impl<G: Playable> Task<G> for Resume<'_> {
    fn run<L: Learner<G>>(self) -> Result<()> {
        let Self { arguments, folder, checkpoint, stop } = self;
        let device = compute(&arguments.compute)?;
        let run = Run::<G, L>::resume(folder, &checkpoint, &arguments.set, &device, of_run(arguments.quiet))?;
        let (threads, began_with) = (rayon::current_num_threads(), run.record.threads);
        let threads = (L::DEPENDS_ON_THREADS && threads != began_with)
            .then(|| format!("this run began with --threads {began_with} and goes on with {threads}"));
        let other = checkpoint.other_instructions().filter(|_| is_processor(&device));
        let instructions = other.map(|before| {
            format!("this run was computed with the instructions {before} and goes on with {}", InstructionSet::used())
        });
        for with in threads.into_iter().chain(instructions) {
            tell(&format!("{with}: the last bits of what it learns may differ"));
        }
        let path = files::name(run.folder.path());
        run.logs.progress.message(&format!(
            "going on with {path} after {} of {} {}",
            run.step(),
            run.steps(),
            run.unit()
        ));
        finish(run, arguments.events, stop)
    }
}

/// Quick players beside the evaluations, so that one sees the agent pass them.
const REFERENCES: [&str; 2] = ["random", "greedy"];

/// Lets the quick players play the evaluation's games, and says what they score.
fn compare<G: Playable, L: Learner<G>>(run: &mut Run<G, L>, stop: &AtomicBool) -> Result<()> {
    for name in REFERENCES {
        let mut player = G::player(name, &run.rules, &Setting::default())?;
        run.compare_with(name, player.as_mut(), stop)?;
    }
    let scores: Vec<String> =
        run.logs.references.iter().map(|player| format!("{} {:.1}", player.name, player.mean)).collect();
    if !scores.is_empty() {
        run.logs.progress.message(&format!("for comparison: {}", scores.join(", ")));
    }
    Ok(())
}

/// Trains, then prints how the training ended and what can be done next.
fn finish<G: Playable, L: Learner<G>>(mut run: Run<G, L>, events: bool, stop: &AtomicBool) -> Result<()> {
    if events {
        print(&format!("{}\n", serde_json::json!({"begun": run.folder.path().display().to_string()})))?;
    }
    // Inside the thread pool, because a thread waiting outside is woken for every piece of work.
    let ending = rayon::scope(|_| {
        compare(&mut run, stop)?;
        run.train(stop)
    });
    run.logs.progress.finish();
    let ending = ending?;
    run.logs.draw_curve(&run.folder)?;
    let program = named::name();
    let (done, path) = (run.done(), quoted(&run.folder.path().display().to_string()));
    match ending {
        Ending::Stopped => print(&format!("stopped after {done}; go on with: {program} train --resume {path}\n")),
        Ending::Finished => {
            let best = run.record.best.map_or(String::new(), |best| format!(", best evaluation {best:.1}"));
            let rules = other_rules::<G>(&run.rules);
            let rules: String = rules.iter().map(|rule| format!(" --rule {}", quoted(rule))).collect();
            let next = match run.record.best {
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
