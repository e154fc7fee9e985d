//! Charts as files.

use std::path::Path;

use crate::error::{Error, Result};
use crate::files;

pub use matchq_pictures::plot::*;

/// Checks that a chart's file name ends in `.svg`.
pub fn check(flag: &str, path: &Path) -> Result<()> {
    match path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("svg")) {
        true => Ok(()),
        false => {
            Err(Error::user(format!("{flag}: {} must end in .svg, the only kind of picture drawn", path.display())))
        }
    }
}

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
    fn other_endings_are_refused() {
        for name in ["scores.png", "scores", ".svg"] {
            let error = check("--plot", Path::new(name)).unwrap_err();
            assert!(matches!(&error, Error::User(text) if text.contains("must end in .svg")), "{error}");
        }
        check("--plot", Path::new("folder.d/scores.Svg")).unwrap();
    }

    #[test]
    fn where_there_is_nothing_to_draw_it_is_said() {
        let error = save(Path::new("curve.svg"), None, "no evaluation yet").unwrap_err();
        assert!(matches!(&error, Error::User(text) if text.contains("no evaluation yet")), "{error}");
    }
}
