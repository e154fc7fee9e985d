//! Runs, configurations and reports, as JSON.

use std::fs;
use std::path::{Path as FilePath, PathBuf};

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use matchq_trainer::view;
use serde_json::{Value, json};

use super::{Answer, Refusal, Server, Shared};
use crate::error::{Error, Result};
use crate::files;
use crate::report::run_view::RunView;

/// Most bytes of a report.
const LONGEST: u64 = 32 << 20;

/// A folder or file directly below the runs, by a plain name.
pub fn below(runs: &FilePath, name: &str) -> std::result::Result<PathBuf, Refusal> {
    let plain = FilePath::new(name).file_name() == Some(name.as_ref()) && !name.starts_with('.');
    let path = runs.join(name);
    match plain && !name.contains(['/', '\\', ':', '\0']) && path.exists() {
        true => Ok(path),
        false => Err(Refusal(StatusCode::NOT_FOUND, format!("there is no '{name}' in the runs"))),
    }
}

/// All runs, without their curves.
pub async fn list(State(server): Shared) -> Answer {
    let runs = server.runs.clone();
    let listed = reading(&server, move || {
        let all = RunView::glance_at_all(&runs);
        let mut recipes: Vec<String> = Vec::new();
        let run = |run: &RunView| {
            let mut shown = view::summary(run);
            let recipe = run.recipe();
            let number = recipes.iter().position(|known| *known == recipe).unwrap_or_else(|| {
                recipes.push(recipe);
                recipes.len() - 1
            });
            shown["recipe"] = json!(number);
            shown["age"] = json!(run.age().map(|age| age.as_secs_f64()));
            shown["running"] = json!(run.is_running());
            shown
        };
        let runs: Vec<Value> = all.iter().map(run).collect();
        json!({"runs": runs})
    });
    Ok(Json(listed.await?))
}

/// A run with its configuration and its curves.
pub async fn one(State(server): Shared, Path(name): Path<String>) -> Answer {
    let folder = below(&server.runs, &name)?;
    let shown = reading(&server, move || -> Result<Value> { Ok(view::detail(&RunView::open(&folder)?)) });
    Ok(Json(shown.await??))
}

/// The configurations that ship.
pub async fn configurations() -> Answer {
    Ok(Json(blocking(view::configurations).await?))
}

/// Names of the reports of `compare --json` among the runs.
pub async fn reports(State(server): Shared) -> Answer {
    let runs = server.runs.clone();
    let names = reading(&server, move || {
        let entries = fs::read_dir(&runs).map(|entries| entries.flatten().collect()).unwrap_or_else(|_| vec![]);
        let is_file = |entry: &&fs::DirEntry| entry.path().is_file();
        let name = |entry: &fs::DirEntry| entry.file_name().into_string().ok();
        let mut names: Vec<String> =
            entries.iter().filter(is_file).filter_map(name).filter(|name| name.ends_with(".json")).collect();
        names.sort();
        names
    });
    Ok(Json(json!({"reports": names.await?})))
}

/// A report.
pub async fn report(State(server): Shared, Path(name): Path<String>) -> Answer {
    if !name.ends_with(".json") {
        return Err(Refusal(StatusCode::NOT_FOUND, format!("'{name}' is no report: its name ends in .json")));
    }
    let path = below(&server.runs, &name)?;
    let report = reading(&server, move || {
        let text = files::read_limited(&path, LONGEST)?;
        serde_json::from_slice(&text).map_err(|error| Error::user(format!("{name} is no JSON: {error}")))
    });
    Ok(Json(report.await??))
}

/// Reads runs when it is this request's turn, which ends with the reading, also if the asker leaves.
pub async fn reading<T: Send + 'static>(
    server: &Server,
    read: impl FnOnce() -> T + Send + 'static,
) -> std::result::Result<T, Refusal> {
    let turn = server.disk.clone().acquire_owned().await;
    let turn = turn.map_err(|_| Refusal(StatusCode::SERVICE_UNAVAILABLE, "the server ends".to_owned()))?;
    blocking(move || {
        let _turn = turn;
        read()
    })
    .await
}

/// Does what may wait for a disk beside the requests.
pub async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> std::result::Result<T, Refusal> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| Refusal(StatusCode::INTERNAL_SERVER_ERROR, "the program failed at this request".to_owned()))
}
