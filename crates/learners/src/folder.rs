//! The folder of a run.

use std::fs::TryLockError;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use matchq_core::disk::{self, File};

use crate::error::{Error, Result};
use crate::files::{self, create_folder, flush_names};
use crate::players::BEST;
use crate::report::run_view::{AT_REST, keys};

/// Folder of a run, `runs/NAME/`: configuration, checkpoints and logs.
///
/// An open folder is locked against other processes.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    /// The operating system releases the lock when the process ends.
    _lock: File,
}

/// Opens and locks a file, which is made if it is missing, against other processes; where one has it,
/// `busy` says so.
pub fn lock(name: &Path, busy: impl FnOnce() -> String) -> Result<File> {
    let file = File::options().create(true).append(true).open(name);
    let file = file.map_err(|error| Error::runtime(format!("{} cannot be made: {error}", name.display())))?;
    // Those who ask whether a run is trained hold its lock for a moment.
    let mut locked = file.try_lock();
    for _ in 0..10 {
        if !matches!(locked, Err(TryLockError::WouldBlock)) {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
        locked = file.try_lock();
    }
    match locked {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(Error::user(format!("{}; wait until it has ended, or stop it", busy()))),
        // Some file systems have no locks.
        Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => Ok(file),
        Err(TryLockError::Error(error)) => Err(Error::runtime(format!("{} cannot be locked: {error}", name.display()))),
    }
}

impl RunFolder {
    /// Makes the folder of a new run.
    ///
    /// The default name is `stem`, numbered if taken; a given name that is taken is an error.
    pub fn create(runs: &Path, name: Option<&str>, stem: &str, config: &str) -> Result<Self> {
        if runs.exists() && !runs.is_dir() {
            return Err(Error::user(format!("--runs {}: this is no folder", runs.display())));
        }
        let names: Box<dyn Iterator<Item = String>> = match name {
            Some(name) if Path::new(name).file_name() != Some(name.as_ref()) || name.chars().any(char::is_control) => {
                return Err(Error::user(format!(
                    "--name {}: it must be a plain name, without folders",
                    name.escape_debug()
                )));
            }
            Some(name) => Box::new(std::iter::once(name.to_owned())),
            None => Box::new(std::iter::once(stem.to_owned()).chain((2..).map(|number| format!("{stem}-{number}")))),
        };
        create_folder(runs).map_err(|error| unwritable(runs, &error))?;
        for name in names {
            let path = runs.join(name);
            match disk::create_dir(&path) {
                Ok(()) => {
                    flush_names(runs);
                    let folder = Self::lock(path)?;
                    folder.write_config(config)?;
                    return Ok(folder);
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(unwritable(&path, &error)),
            }
        }
        Err(Error::user(format!(
            "--name {0}: {1} exists already; choose another name, or go on with that run by --resume {1}",
            name.unwrap_or_default(),
            runs.join(name.unwrap_or_default()).display()
        )))
    }

    /// Opens and locks a run's folder; an error without a checkpoint or if locked.
    ///
    /// A name may be that of a folder in `runs`.
    pub fn open(path: &Path, runs: &Path) -> Result<Self> {
        Self::open_as("--resume", path, runs)
    }

    /// [Opens](Self::open) a run's folder; `flag` is for the error.
    pub fn open_as(flag: &str, path: &Path, runs: &Path) -> Result<Self> {
        Self::lock(Self::find(flag, path, runs)?)
    }

    /// Checkpoint of the run that [`open`](Self::open) opens.
    pub fn checkpoint(flag: &str, path: &Path, runs: &Path) -> Result<PathBuf> {
        Ok(Self::find(flag, path, runs)?.join(LAST))
    }

    fn find(flag: &str, path: &Path, runs: &Path) -> Result<PathBuf> {
        let named = runs.join(path);
        match [path, &named].into_iter().find(|folder| disk::is_file(&folder.join(LAST))) {
            Some(folder) => Ok(folder.to_owned()),
            None => Err(Error::user(format!(
                "{flag} {}: neither this folder nor {} holds a {LAST}; name a run, such as dqn, or its folder",
                path.display(),
                named.display()
            ))),
        }
    }

    fn lock(path: PathBuf) -> Result<Self> {
        let busy = || format!("{}: another process trains in this folder", path.display());
        let file = lock(&path.join("lock"), busy)?;
        Ok(Self { path, _lock: file })
    }

    /// Writes the configuration, as TOML.
    pub fn write_config(&self, config: &str) -> Result<()> {
        files::write_atomically(&self.path.join("config.toml"), config.as_bytes())
    }

    /// Checks that the folder's configuration is the checkpoint's, because an edit would have no
    /// effect.
    ///
    /// A missing file is allowed, and so is a lower number of steps (key `length`): the run may
    /// have been killed while it was lengthened.
    pub fn check_config(&self, of_checkpoint: &str, length: &str) -> Result<()> {
        let path = self.path.join("config.toml");
        let wrong = |what: String| Err(Error::user(format!("{}: {what}", path.display())));
        let text = match disk::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => return wrong(format!("it cannot be read: {error}")),
        };
        let Ok(found) = text.parse() else { return wrong("this is no TOML any more".to_owned()) };
        let (found, trained) = (keys("", &found), keys("", &of_checkpoint.parse().unwrap_or_default()));
        let differs = |key: &&String| {
            let (found, trained) = (found.get(*key), trained.get(*key));
            let steps = |value: Option<&String>| value.and_then(|value| value.parse::<i64>().ok());
            let shorter = steps(found) < steps(trained);
            found != trained && !(**key == length && shorter)
        };
        // A key missing in the file may be newer than the run.
        match found.keys().find(differs) {
            Some(key) if key == length => {
                wrong(format!("a run is made longer by --set {length}=N, not in this file: change {length} back"))
            }
            Some(key) => wrong(format!(
                "{key} is not what this run was trained with: a run that is resumed keeps its configuration; change it \
                 back, or begin another run with it"
            )),
            None => Ok(()),
        }
    }

    /// Notes for others that the training has ended before its last step, or that it has not.
    pub fn note_rest(&self, done: Option<&str>) -> Result<()> {
        let path = self.path.join(AT_REST);
        match done {
            Some(done) => {
                let told = format!("The learner's own criterion has ended the training after {done}.\n");
                files::write_atomically(&path, told.as_bytes())
            }
            None if !disk::is_file(&path) => Ok(()),
            None => disk::remove_file(&path)
                .map_err(|error| Error::runtime(format!("{} cannot be removed: {error}", path.display()))),
        }
    }

    /// Path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Checkpoint to resume from.
    pub fn last(&self) -> PathBuf {
        self.path.join(LAST)
    }

    /// Agent at the last checkpoint.
    pub fn last_agent(&self) -> PathBuf {
        self.path.join("last.safetensors")
    }

    /// Agent with the best evaluation.
    pub fn best(&self) -> PathBuf {
        self.path.join(BEST)
    }
}

const LAST: &str = "last.ckpt";

fn unwritable(path: &Path, error: &std::io::Error) -> Error {
    Error::user(format!("{} cannot be made: {error}; --runs and --name choose another folder", path.display()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_configuration_that_was_changed_is_refused_by_its_key_unless_it_is_the_runs_length() {
        let runs = temp_dir::TempDir::new().unwrap();
        let trained = "seed = 1\n[training]\nsteps = 5\n[learning]\nbatch = 8\n";
        let folder = RunFolder::create(runs.path(), Some("run"), "", trained).unwrap();
        let refused = |config: &str| {
            fs::write(folder.path().join("config.toml"), config).unwrap();
            folder.check_config(trained, "training.steps").err().map(|error| error.to_string())
        };
        assert_eq!(refused("# a comment, and no seed\ntraining = { steps = 3 }\nlearning.batch = 8"), None);
        for (config, key) in [
            (trained.replace('8', "9"), "learning.batch"),
            (trained.replace("seed = 1", "seed = 2"), "seed"),
            (trained.to_owned() + "rate = 1\n", "learning.rate"),
        ] {
            let told = refused(&config).unwrap();
            assert!(told.contains(&format!("config.toml: {key} is not what this run was trained with")), "{told}");
        }
        assert!(refused(&trained.replace('5', "9")).unwrap().contains("made longer by --set training.steps=N"));
        assert!(refused("no toml").unwrap().ends_with("this is no TOML any more"));
        fs::remove_file(folder.path().join("config.toml")).unwrap();
        folder.check_config(trained, "training.steps").unwrap();
    }

    #[test]
    fn a_folder_is_opened_by_one_at_a_time_and_the_lock_ends_with_its_holder() {
        let runs = temp_dir::TempDir::new().unwrap();
        let folder = RunFolder::create(runs.path(), Some("run"), "", "seed = 1\n").unwrap();
        fs::write(folder.last(), b"a checkpoint").unwrap();
        let path = folder.path().to_owned();
        match RunFolder::open(&path, Path::new("runs")).unwrap_err() {
            Error::User(text) => assert!(text.contains("another process") && text.contains("run:"), "{text}"),
            error => panic!("{error}"),
        }
        drop(folder);
        // The file stays; only a held lock counts.
        assert!(path.join("lock").is_file());
        let again = RunFolder::open(&path, Path::new("runs")).unwrap();
        assert!(RunFolder::open(&path, Path::new("runs")).is_err());
        drop(again);
    }
}
