//! Charts as files.

use std::path::Path;

use crate::error::{Error, Result};
use crate::files;

pub use matchq_pictures::plot::*;

/// Writes a chart; the error where there is none says what is lacking.
pub fn save(path: &Path, chart: Option<String>, lacking: &str) -> Result<()> {
    match chart {
        Some(chart) => files::write_atomically(path, chart.as_bytes()),
        None => Err(Error::user(format!("{}: there is {lacking} of which to draw a picture", path.display()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_there_is_nothing_to_draw_it_is_said() {
        let error = save(Path::new("curve.svg"), None, "no evaluation yet").unwrap_err();
        assert!(matches!(&error, Error::User(text) if text.contains("no evaluation yet")), "{error}");
    }
}
