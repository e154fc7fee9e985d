//! Files written whole or not at all: aside, flushed, then renamed.

use std::ffi::OsString;
use std::io::{self, Read as _, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::disk::{self as fs, File};
use crate::error::{Error, Result, escaped};

fn side_of(path: &Path) -> PathBuf {
    let mut side: OsString = path.file_name().unwrap_or_default().to_owned();
    side.push(".partial");
    path.with_file_name(side)
}

/// Whether a path is of a device or a pipe, which is written as it is.
fn is_special(path: &Path) -> bool {
    path.metadata().is_ok_and(|of| !of.is_file() && !of.is_dir())
}

/// Flushes the names in a folder to the disk, where the system can open folders: a new name is lost
/// with the power otherwise.
pub fn flush_names(folder: &Path) {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    if let Ok(folder) = File::open(folder) {
        folder.sync_all().ok();
    }
}

/// Makes a folder and those above it that are missing, whose names survive a power cut.
pub fn create_folder(folder: &Path) -> io::Result<()> {
    let missing: Vec<&Path> =
        folder.ancestors().take_while(|above| !above.as_os_str().is_empty() && !above.exists()).collect();
    fs::create_dir_all(folder)?;
    missing.iter().filter_map(|made| made.parent()).for_each(flush_names);
    Ok(())
}

/// Makes a folder, if missing, in one that is there; the name survives a power cut.
pub fn create_folder_within(folder: &Path) -> io::Result<()> {
    match fs::create_dir(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists || !folder.is_dir() => return Err(error),
        _ => folder.parent().into_iter().for_each(flush_names),
    }
    Ok(())
}

/// Writes a file, whose old content stays until the new one is whole. A link stays a link.
pub fn write_atomically(path: &Path, content: &[u8]) -> Result<()> {
    if is_special(path) {
        let written = File::options().write(true).open(path).and_then(|mut file| file.write_all(content));
        return match written {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(Error::runtime(format!("{} cannot be written: {error}", path.display())))
            }
            _ => Ok(()),
        };
    }
    let path = &path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let side = side_of(path);
    let written = (|| {
        let mut file = File::create(&side)?;
        file.write_all(content)?;
        file.sync_all()?;
        replace(&side, path)?;
        if let Some(folder) = path.parent() {
            flush_names(folder);
        }
        Ok(())
    })();
    written.map_err(|error: std::io::Error| {
        fs::remove_file(&side).ok();
        Error::runtime(format!("{} cannot be written: {error}", path.display()))
    })
}

/// Renames a file to one that may be there; on Windows for two seconds again while another program has one of them open.
pub fn replace(side: &Path, path: &Path) -> io::Result<()> {
    // Windows' numbers of errors.
    const ACCESS_DENIED: Option<i32> = Some(5);
    const SHARING_VIOLATION: Option<i32> = Some(32);
    let mut tries = if cfg!(windows) { 20 } else { 0 };
    loop {
        match fs::rename(side, path) {
            Err(error) if tries > 0 && [ACCESS_DENIED, SHARING_VIOLATION].contains(&error.raw_os_error()) => tries -= 1,
            done => return done,
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Checks early that a flag's file can be written.
pub fn check_destination(flag: &str, path: &Path) -> Result<()> {
    if path.to_string_lossy().ends_with(std::path::is_separator) {
        return Err(Error::user(format!("{flag} {}: this names a folder, not a file", path.display())));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        let sentence = format!("{flag} {}: the folder {} does not exist", path.display(), folder.display());
        return Err(Error::user(sentence));
    }
    if path.is_dir() {
        return Err(Error::user(format!("{flag} {}: this is a folder, not a file", path.display())));
    }
    if is_special(path) {
        return Ok(());
    }
    // Writing begins aside; the process id makes the name unique.
    let side = side_of(&path.canonicalize().unwrap_or_else(|_| path.to_owned()));
    let mut own = side.clone().into_os_string();
    own.push(format!(".{}", std::process::id()));
    let tried = match side.is_dir() {
        true => Err(io::ErrorKind::IsADirectory.into()),
        false => File::create_new(&own).and_then(|_| fs::remove_file(&own)),
    };
    tried.map_err(|error| Error::user(format!("{flag} {}: it cannot be written: {error}", path.display())))
}

/// Checks that two flags do not name the same file.
pub fn check_apart((flag, path): (&str, &Path), (other, of_other): (&str, &Path)) -> Result<()> {
    let whole = |path: &Path| -> io::Result<PathBuf> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        path.canonicalize().or_else(|_| Ok(folder.canonicalize()?.join(path.file_name().unwrap_or_default())))
    };
    match (whole(path), whole(of_other)) {
        (Ok(one), Ok(two)) if one == two => Err(Error::user(format!(
            "{flag} {}: this is what {other} names too: give them files of their own",
            path.display()
        ))),
        _ => Ok(()),
    }
}

/// Whether a path stands for standard input: `-`.
pub fn is_input(path: &Path) -> bool {
    path == Path::new("-")
}

/// Name of a user's file in messages.
pub fn name(path: &Path) -> String {
    if is_input(path) { "standard input".to_owned() } else { escaped(&path.display().to_string()) }
}

/// Opens a user's file, or standard input, which can be read once.
fn open(path: &Path) -> io::Result<Box<dyn io::Read>> {
    static READ: AtomicBool = AtomicBool::new(false);
    match is_input(path) {
        true if READ.swap(true, Ordering::Relaxed) => Err(io::Error::other("it has been read already")),
        true => Ok(Box::new(io::stdin().lock())),
        false => Ok(Box::new(File::open(path)?)),
    }
}

/// Most bytes of what is no file: a device may have no end.
const STREAM: u64 = 1 << 28;

/// Reads a file that the user named; of a pipe or a device at most 256 MiB.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    if is_input(path) || is_special(path) {
        return read_limited(path, STREAM);
    }
    fs::read(path).map_err(|error| Error::user(format!("{} cannot be read: {error}", name(path))))
}

/// Reads a user's file of at most `longest` bytes.
pub fn read_limited(path: &Path, longest: u64) -> Result<Vec<u8>> {
    limited(open(path), &name(path), longest)
}

/// Reads at most `longest` bytes of standard input.
pub fn read_input_limited(longest: u64) -> Result<Vec<u8>> {
    read_limited(Path::new("-"), longest)
}

fn limited(source: io::Result<impl io::Read>, name: &str, longest: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = source.and_then(|source| source.take(longest + 1).read_to_end(&mut bytes));
    read.map_err(|error| Error::user(format!("{name} cannot be read: {error}")))?;
    match bytes.len() as u64 > longest {
        true => Err(Error::user(format!("{name} is too long: it may have {longest} bytes"))),
        false => Ok(bytes),
    }
}

/// Text of a user's file, without byte order mark; an error with `name` unless in UTF-8.
pub fn text(name: &str, bytes: Vec<u8>) -> Result<String> {
    let text = String::from_utf8(bytes).map_err(|_| Error::user(format!("{name} is not UTF-8 text")))?;
    match text.strip_prefix('\u{feff}') {
        Some(rest) => Ok(rest.to_owned()),
        None => Ok(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_cannot_be_written_leaves_the_old_one_and_nothing_else() {
        let folder = temp_dir::TempDir::new().unwrap();
        let path = folder.path().join("file");
        write_atomically(&path, b"old").unwrap();
        fs::create_dir(folder.path().join("file.partial")).unwrap();
        let error = write_atomically(&path, b"new").unwrap_err();
        assert!(error.to_string().contains("cannot be written"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"old");

        // Only the rename fails: a folder that is not empty is in the way.
        fs::create_dir_all(folder.path().join("other/full")).unwrap();
        write_atomically(&folder.path().join("other"), b"new").unwrap_err();
        let mut left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["file", "file.partial", "other"]);
    }

    #[test]
    fn a_place_is_tried_before_and_two_flags_have_a_file_each() {
        let folder = temp_dir::TempDir::new().unwrap();
        let place = |name: &str| folder.path().join(name);
        fs::write(place("kept"), b"old").unwrap();
        for name in ["kept", "new"] {
            check_destination("--json", &place(name)).unwrap();
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert_eq!(fs::read(place("kept")).unwrap(), b"old");
        fs::write(place("kept.partial"), b"of another process").unwrap();
        check_destination("--json", &place("kept")).unwrap();
        assert_eq!(fs::read(place("kept.partial")).unwrap(), b"of another process");
        let refused = check_destination("--json", &place("new/")).unwrap_err();
        assert!(refused.to_string().ends_with("new/: this names a folder, not a file"), "{refused}");
        fs::create_dir(place("full.partial")).unwrap();
        let refused = check_destination("--json", &place("full")).unwrap_err();
        assert!(refused.exit_code() == 2 && refused.to_string().contains("full: it cannot be written"), "{refused}");

        let apart = |one: &str, two: &str| check_apart(("--json", &place(one)), ("--plot", &place(two)));
        assert!(apart("kept", "new").is_ok() && apart("new", "newer").is_ok());
        for same in [apart("new", "new"), apart("kept", "kept"), apart("new", "full.partial/../new")] {
            assert!(same.unwrap_err().to_string().ends_with("what --plot names too: give them files of their own"));
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_device_without_an_end_is_read_to_a_limit() {
        let refused = read(Path::new("/dev/zero")).unwrap_err();
        assert_eq!(refused.to_string(), "/dev/zero is too long: it may have 268435456 bytes");
    }

    #[test]
    fn text_comes_without_its_byte_order_mark_and_what_is_none_is_refused_by_name() {
        assert_eq!(text("x", "\u{feff}ä".into()).unwrap(), "ä");
        assert_eq!(text("x", "ä\u{feff}".into()).unwrap(), "ä\u{feff}");
        assert_eq!(text("x", vec![b'a', 0xff]).unwrap_err().to_string(), "x is not UTF-8 text");
    }

    #[test]
    fn writing_replaces_the_content_and_leaves_no_file_on_the_side() {
        let folder = temp_dir::TempDir::new().unwrap();
        let path = folder.path().join("file");
        write_atomically(&path, b"a longer old content").unwrap();
        write_atomically(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
