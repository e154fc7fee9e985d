//! The folder of a run and what lies in it.

use std::fs;
use std::path::{Path, PathBuf};

use super::dqn::config::TrainConfig;
use crate::error::{Error, Result};
use crate::network::BEST;
use crate::store::files;

/// `runs/NAME/`: the resolved configuration, checkpoints and logs.
#[derive(Clone, Debug)]
pub struct RunFolder(PathBuf);

impl RunFolder {
    /// Makes the folder of a new run, with its configuration. Without a name it is called after `stem`, and numbered where
    /// that exists.
    ///
    /// # Errors
    /// When there is a run of that name already, or the folder cannot be made.
    pub fn create(runs: &Path, name: Option<&str>, stem: &str, config: &TrainConfig) -> Result<Self> {
        let unwritable =
            |path: &Path, error: std::io::Error| Error::runtime(format!("{} cannot be made: {error}", path.display()));
        if runs.exists() && !runs.is_dir() {
            return Err(Error::user(format!("--runs {}: this is no folder", runs.display())));
        }
        let names: Box<dyn Iterator<Item = String>> = match name {
            Some(name) if Path::new(name).file_name() != Some(name.as_ref()) => {
                return Err(Error::user(format!("--name {name}: it must be a plain name, without folders")));
            }
            Some(name) => Box::new(std::iter::once(name.to_owned())),
            None => Box::new(std::iter::once(stem.to_owned()).chain((2..).map(|number| format!("{stem}-{number}")))),
        };
        fs::create_dir_all(runs).map_err(|error| unwritable(runs, error))?;
        for name in names {
            let path = runs.join(name);
            match fs::create_dir(&path) {
                Ok(()) => {
                    files::write_atomically(&path.join("config.toml"), config.to_toml()?.as_bytes())?;
                    return Ok(Self(path));
                }
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(unwritable(&path, error)),
            }
        }
        Err(Error::user(format!(
            "--name {0}: {1} exists already; choose another name, or go on with that run by --resume {1}",
            name.unwrap_or_default(),
            runs.join(name.unwrap_or_default()).display()
        )))
    }

    /// The folder of a run that exists.
    ///
    /// # Errors
    /// When it holds no checkpoint.
    pub fn open(path: &Path) -> Result<Self> {
        let folder = Self(path.to_owned());
        match folder.last().is_file() {
            true => Ok(folder),
            false => Err(Error::user(format!(
                "--resume {}: the folder holds no last.ckpt; name the folder of a run, such as runs/dqn",
                path.display()
            ))),
        }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The checkpoint from which the run is resumed.
    pub fn last(&self) -> PathBuf {
        self.0.join("last.ckpt")
    }

    /// The agent as it was at that checkpoint.
    pub fn last_agent(&self) -> PathBuf {
        self.0.join("last.safetensors")
    }

    /// The agent that did best in an evaluation.
    pub fn best(&self) -> PathBuf {
        self.0.join(BEST)
    }
}
