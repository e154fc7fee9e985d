//! Scalars as rows of a CSV file that can be rolled back to a step.

use std::fmt::Write as _;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use matchq_core::disk::{self, File};

use super::{exists_already, unwritable};
use crate::error::{Error, Result};
use crate::files;

/// A CSV file with a column `step` and others.
#[derive(Debug)]
pub struct CsvLog {
    path: PathBuf,
    columns: Vec<&'static str>,
    file: File,
}

impl CsvLog {
    /// Starts a new file with its header; an error if the file exists.
    pub fn create(path: &Path, columns: &[&'static str]) -> Result<Self> {
        let file = File::options().append(true).create_new(true).open(path).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => exists_already(path),
            _ => unwritable(path, &error),
        })?;
        let mut log = Self { path: path.to_owned(), columns: columns.to_vec(), file };
        let header = header(columns);
        log.write(&header)?;
        Ok(log)
    }

    /// Reopens a file without later and half-written rows, or starts one if missing.
    ///
    /// Other columns, or a row without a step, are an error.
    pub fn resume(path: &Path, columns: &[&'static str], step: u64) -> Result<Self> {
        if !disk::is_file(path) {
            return Self::create(path, columns);
        }
        let content = files::read(path)?;
        let whole = content.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
        let text = std::str::from_utf8(&content[..whole])
            .map_err(|_| Error::user(format!("{} is not a CSV file: it is not UTF-8 text", path.display())))?;

        let mut kept = header(columns);
        let mut lines = text.split_inclusive('\n');
        let found = lines.next().unwrap_or(&kept);
        // Older logs may lack the last columns.
        let missing = kept.strip_prefix(found.trim_end()).filter(|rest| rest.starts_with([',', '\n']));
        let filled = missing.map(|rest| ",".repeat(rest.matches(',').count()) + "\n");
        let Some(filled) = filled else {
            return Err(Error::user(format!(
                "{} has the columns \"{}\" where \"{}\" are expected; move the file away to start it anew",
                path.display(),
                found.trim_end(),
                kept.trim_end()
            )));
        };
        for (row, line) in lines.enumerate() {
            let first = line.split([',', '\n']).next().unwrap_or_default();
            let at: u64 = first.parse().map_err(|_| {
                let row = row + 2;
                Error::user(format!("{}, row {row}: \"{first}\" is not a step (a whole number)", path.display()))
            })?;
            if at <= step {
                kept.push_str(line.trim_end());
                kept.push_str(&filled);
            }
        }
        files::write_atomically(path, kept.as_bytes())?;
        let file = File::options().append(true).open(path).map_err(|error| unwritable(path, &error))?;
        Ok(Self { path: path.to_owned(), columns: columns.to_vec(), file })
    }

    /// Writes the row of a step; columns without a value stay empty.
    ///
    /// Numbers are the shortest text that reads back equal. A value without a column is an error,
    /// and nothing is written.
    pub fn scalars(&mut self, step: u64, values: &[(&str, f64)]) -> Result<()> {
        if let Some((name, _)) = values.iter().find(|(name, _)| !self.columns.contains(name)) {
            let columns = self.columns.join(", ");
            return Err(Error::runtime(format!("{} has no column \"{name}\", only {columns}", self.path.display())));
        }
        let mut row = step.to_string();
        for column in &self.columns {
            row.push(',');
            if let Some((_, value)) = values.iter().find(|(name, _)| name == column) {
                write!(row, "{value}").ok(); // Writing to a String cannot fail.
            }
        }
        row.push('\n');
        self.write(&row)
    }

    /// Waits until all rows are on disk, before a checkpoint relies on them.
    pub fn flush(&mut self) -> Result<()> {
        self.file.sync_data().map_err(|error| unwritable(&self.path, &error))
    }

    /// Writes at once, so that readers of the file see each row.
    fn write(&mut self, text: &str) -> Result<()> {
        self.file.write_all(text.as_bytes()).map_err(|error| unwritable(&self.path, &error))
    }
}

fn header(columns: &[&str]) -> String {
    format!("step,{}\n", columns.join(","))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const COLUMNS: [&str; 2] = ["loss", "epsilon"];

    fn written(rows: &[u64]) -> (temp_dir::TempDir, PathBuf) {
        let folder = temp_dir::TempDir::new().unwrap();
        let path = folder.path().join("train.csv");
        let mut log = CsvLog::create(&path, &COLUMNS).unwrap();
        for &step in rows {
            log.scalars(step, &[("loss", step as f64 / 8.0), ("epsilon", 0.1)]).unwrap();
        }
        log.flush().unwrap();
        (folder, path)
    }

    #[test]
    fn rows_follow_the_order_of_the_columns_and_leave_missing_values_empty() {
        let (_folder, path) = written(&[1]);
        let mut log = CsvLog::resume(&path, &COLUMNS, 1).unwrap();
        log.scalars(2, &[("epsilon", f64::NAN)]).unwrap();
        log.scalars(3, &[("epsilon", f64::INFINITY), ("loss", 1e-7)]).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text, "step,loss,epsilon\n1,0.125,0.1\n2,,NaN\n3,0.0000001,inf\n");
    }

    #[test]
    fn a_value_of_no_column_is_refused_and_nothing_is_written() {
        let (_folder, path) = written(&[]);
        let mut log = CsvLog::resume(&path, &COLUMNS, 0).unwrap();
        let error = log.scalars(1, &[("los", 1.0)]).unwrap_err().to_string();
        assert!(error.contains("no column \"los\", only loss, epsilon"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "step,loss,epsilon\n");
    }

    #[test]
    fn resuming_at_any_step_and_going_on_gives_the_file_never_interrupted() {
        let steps: Vec<u64> = (1..=9).collect();
        let (_folder, path) = written(&steps);
        let whole = fs::read(&path).unwrap();
        for kill in 0..whole.len() {
            for step in [0, 4, 9] {
                // Rows flushed before the checkpoint of `step` are always there.
                let safe = whole.split_inclusive(|&b| b == b'\n').take(1 + step).map(<[u8]>::len).sum::<usize>();
                fs::write(&path, &whole[..kill.max(safe)]).unwrap();
                let mut log = CsvLog::resume(&path, &COLUMNS, step as u64).unwrap();
                for step in step as u64 + 1..=9 {
                    log.scalars(step, &[("loss", step as f64 / 8.0), ("epsilon", 0.1)]).unwrap();
                }
                assert_eq!(fs::read(&path).unwrap(), whole, "killed at byte {kill}, resumed at step {step}");
            }
        }
    }

    #[test]
    fn a_log_from_before_its_last_columns_were_added_goes_on_with_empty_cells_there() {
        let (_folder, path) = written(&[1, 2]);
        let mut log = CsvLog::resume(&path, &["loss", "epsilon", "cut", "games"], 1).unwrap();
        log.scalars(2, &[("cut", 3.0)]).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "step,loss,epsilon,cut,games\n1,0.125,0.1,,\n2,,,3,\n");
        // A column with a common beginning is another column.
        assert!(CsvLog::resume(&path, &["loss", "epsilon", "cut", "games_played"], 2).is_err());
    }

    #[test]
    fn a_torn_header_or_a_missing_file_is_started_anew() {
        let (_folder, path) = written(&[]);
        fs::write(&path, "step,lo").unwrap();
        CsvLog::resume(&path, &COLUMNS, 5).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "step,loss,epsilon\n");
        fs::remove_file(&path).unwrap();
        CsvLog::resume(&path, &COLUMNS, 5).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "step,loss,epsilon\n");
    }

    #[test]
    fn a_file_that_exists_is_never_overwritten() {
        let (_folder, path) = written(&[1, 2]);
        let before = fs::read(&path).unwrap();
        let error = CsvLog::create(&path, &COLUMNS).unwrap_err();
        assert!(matches!(&error, Error::User(text) if text.contains("exists already")), "{error}");
        assert_eq!(fs::read(&path).unwrap(), before);
    }

    #[test]
    fn other_columns_and_rows_without_a_step_are_named_and_left_alone() {
        let (_folder, path) = written(&[1, 2]);
        let error = CsvLog::resume(&path, &["loss"], 2).unwrap_err().to_string();
        assert!(error.contains("\"step,loss,epsilon\" where \"step,loss\""), "{error}");
        fs::write(&path, "step,loss,epsilon\n1,2,3\nx,2,3\n").unwrap();
        let error = CsvLog::resume(&path, &COLUMNS, 2).unwrap_err().to_string();
        assert!(error.contains("row 3: \"x\" is not a step"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "step,loss,epsilon\n1,2,3\nx,2,3\n");
    }

    #[test]
    fn an_unwritable_path_is_an_error_that_names_it() {
        let folder = temp_dir::TempDir::new().unwrap();
        let path = folder.path().join("missing").join("train.csv");
        let error = CsvLog::create(&path, &COLUMNS).unwrap_err().to_string();
        assert!(error.contains("train.csv cannot be written"), "{error}");
    }
}
