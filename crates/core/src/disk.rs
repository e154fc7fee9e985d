//! Files of the system; WebAssembly has none, and keeps them in memory.

#[cfg(not(target_family = "wasm"))]
pub use std::fs::*;

#[cfg(target_family = "wasm")]
pub use memory::*;

/// Whether a path is that of a file.
#[cfg(not(target_family = "wasm"))]
pub fn is_file(path: &std::path::Path) -> bool {
    path.is_file()
}

/// Paths of the files in a folder, in the order of their names; none if it cannot be read.
#[cfg(not(target_family = "wasm"))]
pub fn files_in(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut paths: Vec<_> = read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.is_file());
    paths.sort();
    paths
}

/// Files and folders in memory, by functions of the names and promises of [`std::fs`].
#[cfg(any(target_family = "wasm", test))]
pub mod memory {
    use std::collections::BTreeMap;
    use std::fs::TryLockError;
    use std::io::{self, ErrorKind, Read, Write};
    use std::path::{Path, PathBuf};
    use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

    type Content = Arc<Mutex<Vec<u8>>>;

    /// A file has content, a folder none.
    static ENTRIES: Mutex<BTreeMap<PathBuf, Option<Content>>> = Mutex::new(BTreeMap::new());

    fn guarded<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
        mutex.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn found(path: &Path) -> io::Result<Content> {
        guarded(&ENTRIES).get(path).cloned().flatten().ok_or_else(|| ErrorKind::NotFound.into())
    }

    /// An open file.
    #[derive(Debug)]
    pub struct File {
        content: Content,
        at: usize,
    }

    impl File {
        /// Opens a file to be read.
        pub fn open(path: &Path) -> io::Result<Self> {
            Ok(Self { content: found(path)?, at: 0 })
        }

        /// Makes an empty file.
        pub fn create(path: &Path) -> io::Result<Self> {
            let content = Content::default();
            guarded(&ENTRIES).insert(path.to_owned(), Some(content.clone()));
            Ok(Self { content, at: 0 })
        }

        /// Makes a file that is not there yet.
        pub fn create_new(path: impl AsRef<Path>) -> io::Result<Self> {
            let path = path.as_ref();
            let is_there = guarded(&ENTRIES).contains_key(path);
            if is_there { Err(ErrorKind::AlreadyExists.into()) } else { Self::create(path) }
        }

        /// How a file is opened.
        pub fn options() -> OpenOptions {
            OpenOptions::default()
        }

        /// Nothing, as memory needs no flushing.
        pub fn sync_all(&self) -> io::Result<()> {
            Ok(())
        }

        /// Nothing, as memory needs no flushing.
        pub fn sync_data(&self) -> io::Result<()> {
            Ok(())
        }

        /// Nothing, as no other process has this memory.
        pub fn try_lock(&self) -> Result<(), TryLockError> {
            Ok(())
        }
    }

    impl Write for File {
        /// Writes at the end, as all files here are written from their start on or appended to.
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            guarded(&self.content).extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Read for File {
        fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
            let content = guarded(&self.content);
            let count = (&content[self.at.min(content.len())..]).read(bytes)?;
            self.at += count;
            Ok(count)
        }
    }

    /// How a file is opened.
    #[derive(Default)]
    pub struct OpenOptions {
        create: bool,
        create_new: bool,
    }

    impl OpenOptions {
        /// Whether a missing file is made.
        pub fn create(&mut self, create: bool) -> &mut Self {
            self.create = create;
            self
        }

        /// Whether the file is made, and must be missing.
        pub fn create_new(&mut self, create_new: bool) -> &mut Self {
            self.create_new = create_new;
            self
        }

        /// Nothing, as all files can be written.
        pub fn write(&mut self, _: bool) -> &mut Self {
            self
        }

        /// Nothing, as all files are appended to.
        pub fn append(&mut self, _: bool) -> &mut Self {
            self
        }

        /// Opens the file.
        pub fn open(&self, path: &Path) -> io::Result<File> {
            match found(path) {
                _ if self.create_new => File::create_new(path),
                Err(_) if self.create => File::create(path),
                content => Ok(File { content: content?, at: 0 }),
            }
        }
    }

    /// Whether a path is that of a file.
    pub fn is_file(path: &Path) -> bool {
        found(path).is_ok()
    }

    /// Makes a folder that is not there yet.
    pub fn create_dir(path: &Path) -> io::Result<()> {
        let mut entries = guarded(&ENTRIES);
        if entries.contains_key(path) {
            return Err(ErrorKind::AlreadyExists.into());
        }
        entries.insert(path.to_owned(), None);
        Ok(())
    }

    /// Makes a folder if it is missing.
    pub fn create_dir_all(path: &Path) -> io::Result<()> {
        create_dir(path).or_else(|error| if is_file(path) { Err(error) } else { Ok(()) })
    }

    /// Removes a folder with all that is in it, if it is there.
    pub fn remove_dir_all(path: &Path) -> io::Result<()> {
        guarded(&ENTRIES).retain(|known, _| !known.starts_with(path));
        Ok(())
    }

    /// Removes a file.
    pub fn remove_file(path: impl AsRef<Path>) -> io::Result<()> {
        let path = path.as_ref();
        found(path)?;
        guarded(&ENTRIES).remove(path);
        Ok(())
    }

    /// Renames a file, in the place of one that is there.
    pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
        let content = found(from)?;
        let mut entries = guarded(&ENTRIES);
        entries.remove(from);
        entries.insert(to.to_owned(), Some(content));
        Ok(())
    }

    /// Content of a file.
    pub fn read(path: &Path) -> io::Result<Vec<u8>> {
        Ok(guarded(&*found(path)?).clone())
    }

    /// Content of a file of text.
    pub fn read_to_string(path: &Path) -> io::Result<String> {
        String::from_utf8(read(path)?).map_err(|_| ErrorKind::InvalidData.into())
    }

    /// Writes a file.
    pub fn write(path: &Path, content: &[u8]) -> io::Result<()> {
        File::create(path)?.write_all(content)
    }

    /// Paths of the files in a folder, in the order of their names.
    pub fn files_in(folder: &Path) -> Vec<PathBuf> {
        let entries = guarded(&ENTRIES);
        let inside = entries.iter().filter(|(path, content)| content.is_some() && path.parent() == Some(folder));
        inside.map(|(path, _)| path.clone()).collect()
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn files_in_memory_are_written_appended_to_renamed_and_removed_as_on_a_disk() {
            let (folder, place) = (Path::new("runs/one"), |name: &str| Path::new("runs/one").join(name));
            create_dir(folder).unwrap();
            assert_eq!(create_dir(folder).unwrap_err().kind(), ErrorKind::AlreadyExists);
            create_dir_all(folder).unwrap();
            assert_eq!(File::options().append(true).open(&place("log")).unwrap_err().kind(), ErrorKind::NotFound);
            let mut log = File::options().append(true).create_new(true).open(&place("log")).unwrap();
            log.write_all(b"a row\n").unwrap();
            let again = File::options().append(true).create_new(true).open(&place("log")).unwrap_err();
            assert_eq!(again.kind(), ErrorKind::AlreadyExists);
            File::options().create(true).append(true).open(&place("log")).unwrap().write_all(b"more\n").unwrap();
            assert_eq!(read_to_string(&place("log")).unwrap(), "a row\nmore\n");
            let mut start = vec![];
            File::open(&place("log")).unwrap().take(5).read_to_end(&mut start).unwrap();
            assert_eq!(start, b"a row");

            write(&place("side"), b"new").unwrap();
            write(&place("kept"), b"old").unwrap();
            rename(&place("side"), &place("kept")).unwrap();
            assert_eq!((read(&place("kept")).unwrap(), is_file(&place("side"))), (b"new".to_vec(), false));
            assert_eq!(files_in(folder), [place("kept"), place("log")]);
            assert!(!is_file(folder) && create_dir(&place("kept")).is_err() && is_file(&place("kept")));
            remove_file(place("kept")).unwrap();
            assert_eq!(read(&place("kept")).unwrap_err().kind(), ErrorKind::NotFound);
            remove_dir_all(folder).unwrap();
            assert!(files_in(folder).is_empty());
        }
    }
}
