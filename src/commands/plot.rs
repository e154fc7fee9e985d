//! `matchq plot`: the curves of runs in one picture.

use std::path::{Path, PathBuf};

use super::{check_file, print};
use crate::cli::Plot;
use crate::error::{Error, Result};
use crate::files;
use crate::players::run_of;
use crate::report::plot;
use crate::report::run_view::{RunView, curves};

/// Draws the evaluations of runs.
pub fn run(arguments: &Plot) -> Result<()> {
    let Plot { runs, output, against, log_x, log_y } = arguments;
    check_file("--output", output, "svg")?;
    let views: Vec<RunView> = runs.iter().map(|run| RunView::open(&folder(run)?)).collect::<Result<_>>()?;
    let column = if against == "steps" { "step" } else { against };
    if let Some(run) = views.iter().find(|run| run.evaluations.rows.iter().len() > 0 && !run.evaluations.has(column)) {
        let columns = run.evaluations.columns.join(", ");
        let sentence = format!("--against {against}: {} has no such column: it has {columns}", run.name);
        return Err(Error::user(sentence));
    }
    let chart = plot::lines(&curves(&views, column, *log_x, *log_y));
    plot::save(output, chart, "no evaluation yet")?;
    print(&format!("{}\n", files::name(output)))
}

/// Folder of a run by its name or path.
fn folder(run: &Path) -> Result<PathBuf> {
    match run_of(run) {
        Some(folder) if !run.is_dir() => Ok(folder),
        _ if run.is_dir() => Ok(run.to_owned()),
        _ => Err(Error::user(format!("{} is not there: name a run in runs/, or its folder", run.display()))),
    }
}
