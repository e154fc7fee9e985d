//! Scalars as TensorBoard's event files, which can be rolled back to a step.
//!
//! An event file is a row of TFRecords, each with an `Event` message
//! (tensorflow/core/util/event.proto) as protocol buffer.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use super::records::{Records, framed};
use super::{exists_already, unwritable};
use crate::error::{Error, Result};
use crate::files;

/// A folder of event files; the last one grows.
#[derive(Debug)]
pub struct EventLog {
    path: PathBuf,
    file: File,
}

impl EventLog {
    /// Starts a log in a folder, made if missing; existing event files are an error, and so is a run's
    /// folder that has gone.
    pub fn create(folder: &Path) -> Result<Self> {
        files::create_folder_within(folder).map_err(|error| unwritable(folder, &error))?;
        if let Some(found) = event_files(folder)?.first() {
            return Err(exists_already(found));
        }
        Self::start(folder, 0)
    }

    /// Reopens a log without later and half-written events.
    ///
    /// New events go to a new file, so that a running TensorBoard forgets the removed steps.
    pub fn resume(folder: &Path, step: u64) -> Result<Self> {
        files::create_folder_within(folder).map_err(|error| unwritable(folder, &error))?;
        let existing = event_files(folder)?;
        for path in &existing {
            let content = files::read(path)?;
            let kept: Vec<u8> = Records(&content)
                .filter(|record| step_of(record.data).is_some_and(|at| at <= step))
                .flat_map(|record| record.framed)
                .copied()
                .collect();
            if kept.len() != content.len() {
                files::write_atomically(path, &kept)?;
            }
        }
        // TensorBoard reads files in the order of their names.
        let last = existing.iter().filter_map(|path| number_of(path)).max().unwrap_or(0);
        let mut log = Self::start(folder, last + 1)?;
        log.write(&session_start(step + 1))?;
        Ok(log)
    }

    /// Writes one event with all values, in single precision.
    pub fn scalars(&mut self, step: u64, values: &[(&str, f64)]) -> Result<()> {
        self.write(&summary(step, values))
    }

    /// Waits until all events are on disk, before a checkpoint relies on them.
    pub fn flush(&mut self) -> Result<()> {
        self.file.sync_data().map_err(|error| unwritable(&self.path, &error))
    }

    fn start(folder: &Path, number: u64) -> Result<Self> {
        let path = folder.join(format!("events.out.tfevents.{number:010}.matchq"));
        let file = File::options().append(true).create_new(true).open(&path);
        let file = file.map_err(|error| unwritable(&path, &error))?;
        files::flush_names(folder);
        let mut log = Self { path, file };
        log.write(&file_version())?;
        Ok(log)
    }

    /// Writes a record in one piece, so that TensorBoard sees each event.
    fn write(&mut self, event: &[u8]) -> Result<()> {
        self.file.write_all(&framed(event)).map_err(|error| unwritable(&self.path, &error))
    }
}

/// A folder's event files in TensorBoard's order.
fn event_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let unreadable = |error| Error::runtime(format!("{} cannot be read: {error}", folder.display()));
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if number_of(&path).is_some() {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// Number in an event file's name; `None` for other files.
fn number_of(path: &Path) -> Option<u64> {
    let name = path.file_name()?.to_str()?;
    name.strip_prefix("events.out.tfevents.")?.strip_suffix(".matchq")?.parse().ok()
}

// A field of an event is a key, (number << 3 | wire type), and a value: a varint (type 0), 8 bytes
// (1), a length and as many bytes (2) or 4 bytes (5).

fn file_version() -> Vec<u8> {
    let mut event = event(0);
    put_bytes(&mut event, 3, b"brain.Event:2"); // file_version
    event
}

/// An event that makes readers with open files forget all from `step` on.
fn session_start(step: u64) -> Vec<u8> {
    let mut event = event(step);
    put_bytes(&mut event, 7, &[1 << 3, 1]); // session_log { status: START }
    event
}

fn summary(step: u64, values: &[(&str, f64)]) -> Vec<u8> {
    let mut summary = Vec::new();
    for (tag, value) in values {
        let mut entry = Vec::new();
        put_bytes(&mut entry, 1, tag.as_bytes()); // tag
        entry.push(2 << 3 | 5); // simple_value
        entry.extend_from_slice(&(*value as f32).to_le_bytes());
        put_bytes(&mut summary, 1, &entry); // value
    }
    let mut event = event(step);
    put_bytes(&mut event, 5, &summary); // summary
    event
}

/// Fields of all events: wall_time (seconds since 1970) and step.
fn event(step: u64) -> Vec<u8> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
    let mut event = vec![1 << 3 | 1];
    event.extend_from_slice(&now.to_le_bytes());
    event.push(2 << 3);
    put_varint(&mut event, step);
    event
}

fn put_bytes(message: &mut Vec<u8>, field: u8, bytes: &[u8]) {
    message.push(field << 3 | 2);
    put_varint(message, bytes.len() as u64);
    message.extend_from_slice(bytes);
}

/// Seven bits a byte, least significant first; the top bit is set if more bytes follow.
fn put_varint(message: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        message.push(value as u8 | 0x80);
        value >>= 7;
    }
    message.push(value as u8);
}

fn take_varint(message: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = message.split_first()?;
        *message = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

/// Step of an event, 0 without one; `None` if the bytes are no event.
fn step_of(mut event: &[u8]) -> Option<u64> {
    let mut step = 0;
    while !event.is_empty() {
        let key = take_varint(&mut event)?;
        let length = match key & 7 {
            0 => {
                let value = take_varint(&mut event)?;
                if key >> 3 == 2 {
                    step = value;
                }
                0
            }
            1 => 8,
            2 => usize::try_from(take_varint(&mut event)?).ok()?,
            5 => 4,
            _ => return None,
        };
        event = event.get(length..)?;
    }
    Some(step)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log_of(steps: impl IntoIterator<Item = u64>) -> temp_dir::TempDir {
        let folder = temp_dir::TempDir::new().unwrap();
        let mut log = EventLog::create(folder.path()).unwrap();
        for step in steps {
            log.scalars(step, &[("loss", step as f64), ("epsilon", 0.5)]).unwrap();
        }
        log.flush().unwrap();
        folder
    }

    /// Steps of the summaries in all files, in TensorBoard's order.
    fn steps(folder: &Path) -> Vec<u64> {
        let mut steps = Vec::new();
        for path in event_files(folder).unwrap() {
            let content = fs::read(path).unwrap();
            assert_eq!(Records(&content).map(|record| record.framed.len()).sum::<usize>(), content.len());
            // wall_time takes 9 bytes; a summary is the first length-delimited field 5 after the
            // step.
            for record in Records(&content).filter(|record| {
                let mut rest = &record.data[10..];
                take_varint(&mut rest);
                rest[0] == 5 << 3 | 2
            }) {
                steps.push(step_of(record.data).unwrap());
            }
        }
        steps
    }

    #[test]
    fn an_event_is_laid_out_as_its_message_says() {
        let event = summary(300, &[("ab", 1.5)]);
        assert_eq!(event[0], 0x09);
        let expected = [0x10, 0xac, 0x02, 0x2a, 11, 0x0a, 9, 0x0a, 2, b'a', b'b', 0x15, 0, 0, 0xc0, 0x3f];
        assert_eq!(event[9..], expected);
        let event = file_version();
        assert_eq!(&event[9..], b"\x10\x00\x1a\x0dbrain.Event:2");
    }

    #[test]
    fn steps_of_any_size_are_read_back() {
        for step in [0, 1, 127, 128, 16_383, 16_384, u64::from(u32::MAX), 1 << 53, u64::MAX] {
            assert_eq!(step_of(&summary(step, &[("loss", f64::NAN)])), Some(step));
        }
        assert_eq!(step_of(&[0xff]), None);
    }

    #[test]
    fn resuming_drops_later_steps_and_goes_on_in_a_file_that_sorts_behind() {
        let folder = log_of(1..=9);
        let mut log = EventLog::resume(folder.path(), 4).unwrap();
        log.scalars(5, &[("loss", 0.0)]).unwrap();
        assert_eq!(steps(folder.path()), [1, 2, 3, 4, 5]);
        // Windows replaces no file that is open.
        drop(log);
        let mut log = EventLog::resume(folder.path(), 3).unwrap();
        log.scalars(4, &[("loss", 0.0)]).unwrap();
        assert_eq!(steps(folder.path()), [1, 2, 3, 4]);
        assert_eq!(event_files(folder.path()).unwrap().len(), 3);
    }

    #[test]
    fn a_record_cut_off_at_any_byte_is_dropped_and_the_whole_ones_stay() {
        let folder = log_of([1, 2]);
        let path = event_files(folder.path()).unwrap().remove(0);
        let content = fs::read(&path).unwrap();
        let last = Records(&content).last().unwrap().framed.len();
        for cut in 1..=last {
            fs::write(&path, &content[..content.len() - cut]).unwrap();
            EventLog::resume(folder.path(), 2).unwrap();
            assert_eq!(steps(folder.path()), [1], "{cut} bytes cut off");
        }
    }

    #[test]
    fn a_runs_folder_that_has_gone_is_not_made_again() {
        let folder = temp_dir::TempDir::new().unwrap();
        let gone = folder.path().join("gone");
        for log in [EventLog::create(&gone.join("tensorboard")), EventLog::resume(&gone.join("tensorboard"), 3)] {
            let told = log.unwrap_err().to_string();
            assert!(told.contains("tensorboard") && told.contains("written"), "{told}");
        }
        assert!(!gone.exists());
    }

    #[test]
    fn a_folder_with_events_is_not_started_anew_and_other_files_are_left_alone() {
        let folder = log_of([1]);
        fs::write(folder.path().join("train.csv"), "step\n").unwrap();
        let error = EventLog::create(folder.path()).unwrap_err();
        assert!(matches!(&error, Error::User(text) if text.contains("tfevents")), "{error}");
        EventLog::resume(folder.path(), 0).unwrap();
        assert_eq!(fs::read_to_string(folder.path().join("train.csv")).unwrap(), "step\n");
        assert_eq!(steps(folder.path()), Vec::<u64>::new());
    }

    #[test]
    fn an_unwritable_folder_is_an_error_that_names_it() {
        let folder = temp_dir::TempDir::new().unwrap();
        let file = folder.path().join("taken");
        fs::write(&file, "").unwrap();
        let error = EventLog::create(&file.join("run")).unwrap_err().to_string();
        assert!(error.contains("taken") && error.contains("cannot be written"), "{error}");
    }
}
