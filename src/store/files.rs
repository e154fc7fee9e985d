//! Files that are complete or not there.
//!
//! They are written to the side, flushed to the disk and renamed.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{Read as _, Write};
use std::path::Path;

use crate::error::{Error, Result};

/// Writes a file so that at every instant the old or the new content is there.
///
/// A link stays, and the file that it names is written.
///
/// # Errors
/// When the file cannot be written; the old content is then untouched.
pub fn write_atomically(path: &Path, content: &[u8]) -> Result<()> {
    let path = &path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let mut side: OsString = path.file_name().unwrap_or_default().to_owned();
    side.push(".partial");
    let side = path.with_file_name(side);
    let written = (|| {
        let mut file = File::create(&side)?;
        file.write_all(content)?;
        file.sync_all()?;
        fs::rename(&side, path)?;
        // The rename itself reaches the disk with the folder; where folders cannot be opened it is left to the system.
        if let Some(Ok(folder)) = path.parent().map(File::open) {
            folder.sync_all().ok();
        }
        Ok(())
    })();
    written.map_err(|error: std::io::Error| {
        fs::remove_file(&side).ok();
        Error::runtime(format!("{} cannot be written: {error}", path.display()))
    })
}

/// Checks before long work that a file named by a flag has a place to lie in.
///
/// # Errors
/// When its folder does not exist, or what has that name is no file that could be replaced.
pub fn check_destination(flag: &str, path: &Path) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        let sentence = format!("{flag} {}: the folder {} does not exist", path.display(), folder.display());
        return Err(Error::user(sentence));
    }
    match path.exists() && !path.is_file() {
        true => Err(Error::user(format!("{flag} {}: this is no file, but a folder or a device", path.display()))),
        false => Ok(()),
    }
}

/// Reads a file that the user named.
///
/// # Errors
/// When it is not there or cannot be read.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(|error| Error::user(format!("{} cannot be read: {error}", path.display())))
}

/// The same of a file that may have so many bytes.
///
/// # Errors
/// When it is not there, cannot be read or is longer.
pub fn read_limited(path: &Path, longest: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(longest + 1).read_to_end(&mut bytes));
    read.map_err(|error| Error::user(format!("{} cannot be read: {error}", path.display())))?;
    match bytes.len() as u64 > longest {
        true => Err(Error::user(format!("{} is too long: it may have {longest} bytes", path.display()))),
        false => Ok(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_cannot_be_written_leaves_the_old_one_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        write_atomically(&path, b"old").unwrap();
        fs::create_dir(folder.path().join("file.partial")).unwrap();
        let error = write_atomically(&path, b"new").unwrap_err();
        assert!(error.to_string().contains("cannot be written"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"old");
    }

    #[test]
    fn writing_replaces_the_content_and_leaves_no_file_on_the_side() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        write_atomically(&path, b"a longer old content").unwrap();
        write_atomically(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
