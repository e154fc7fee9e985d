//! Runs, configurations and reports, as JSON.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path as FilePath, PathBuf};
use std::sync::OnceLock;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde_json::{Value, json};

use super::{Answer, Refusal, Server, Shared};
use crate::door::door;
use crate::error::{Error, Result};
use crate::files;
use crate::learners::{self, Learner, Source, Task};
use crate::players::{LAST, Playable};
use crate::report::run_view::{Rows, RunView, keys};

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
            let recipe = run.recipe();
            let number = recipes.iter().position(|known| *known == recipe).unwrap_or_else(|| {
                recipes.push(recipe);
                recipes.len() - 1
            });
            let (steps, unit) = run.steps();
            json!({
                "name": run.name,
                "game": run.game(),
                "learner": run.learner(),
                "step": run.step(),
                "steps": steps,
                "unit": unit,
                "age": run.age().map(|age| age.as_secs_f64()),
                "running": run.is_running(),
                "best": run.best(),
                "agent": run.folder.join(LAST).is_file(),
                "seed": run.seed(),
                "recipe": number,
            })
        };
        let runs: Vec<Value> = all.iter().map(run).collect();
        json!({"runs": runs})
    });
    Ok(Json(listed.await?))
}

/// A run with its configuration and its curves.
pub async fn one(State(server): Shared, Path(name): Path<String>) -> Answer {
    let folder = below(&server.runs, &name)?;
    let shown = reading(&server, move || -> Result<Value> {
        let view = RunView::open(&folder)?;
        let (_, unit) = view.steps();
        let rows = |rows: &Rows| json!({"columns": rows.columns, "rows": rows.rows});
        Ok(json!({
            "name": view.name,
            "game": view.game(),
            "unit": unit,
            "config": view.config,
            "differs": differences(&view),
            "evaluations": rows(&view.evaluations),
            "train": rows(&view.training),
            "references": view.references,
        }))
    });
    Ok(Json(shown.await??))
}

/// Keys whose values differ from those of the nearest configuration that ships: key, shipped and
/// own value; `None` where none of the learner and game ships.
fn differences(view: &RunView) -> Option<Vec<[String; 3]>> {
    let own = view.keys();
    let apart = |shipped: &BTreeMap<String, String>| -> Vec<[String; 3]> {
        let value = |keys: &BTreeMap<String, String>, key: &String| keys.get(key).cloned().unwrap_or_default();
        let all = own.keys().chain(shipped.keys().filter(|key| !own.contains_key(*key)));
        let differs = all.filter(|key| own.get(*key) != shipped.get(*key));
        differs.map(|key| [key.clone(), value(shipped, key), value(&own, key)]).collect()
    };
    let alike =
        |keys: &&BTreeMap<String, String>| ["learner", "game.name"].iter().all(|key| keys.get(*key) == own.get(*key));
    let candidates = shipped().iter().map(|shipped| &shipped.keys).filter(alike);
    candidates.map(apart).min_by_key(Vec::len)
}

/// A configuration of the program, all keys with their values.
struct Shipped {
    name: &'static str,
    keys: BTreeMap<String, String>,
    about: String,
}

fn shipped() -> &'static [Shipped] {
    static ALL: OnceLock<Vec<Shipped>> = OnceLock::new();
    ALL.get_or_init(|| {
        let one = |(name, text): &(&'static str, &'static str)| {
            let keys = resolved(name, text).ok()?;
            // The comment at the top says what the configuration is for.
            let comment = text.lines().take_while(|line| line.starts_with('#'));
            let about: Vec<&str> = comment.map(|line| line.trim_start_matches('#').trim()).collect();
            Some(Shipped { name, keys, about: about.join(" ") })
        };
        learners::configurations().iter().filter_map(one).collect()
    })
}

/// A configuration's keys with all defaults.
fn resolved(name: &str, text: &str) -> Result<BTreeMap<String, String>> {
    let source = Source::parse(text, name, &[])?;
    door(source.game()?)?.keys(&source)
}

/// Finds all keys of a configuration with their values, defaults included.
pub struct Resolve<'a> {
    /// The configuration.
    pub source: &'a Source,
    /// The keys.
    pub keys: &'a mut BTreeMap<String, String>,
}

impl<G: Playable> Task<G> for Resolve<'_> {
    fn run<L: Learner<G>>(self) -> Result<()> {
        let (config, _) = self.source.resolve::<G, L>()?;
        *self.keys = keys("", &config.to_toml()?.parse().unwrap_or_default());
        Ok(())
    }
}

/// The configurations that ship.
pub async fn configurations() -> Answer {
    let one = |shipped: &Shipped| {
        let key = |key| shipped.keys.get(key).map(|value| value.trim_matches('"'));
        json!({"name": shipped.name, "game": key("game.name"), "learner": key("learner"), "about": shipped.about})
    };
    let configs = blocking(move || {
        // The one to begin with comes first.
        let mut all: Vec<&Shipped> = shipped().iter().collect();
        all.sort_by_key(|shipped| shipped.name != "quick");
        all.into_iter().map(one).collect::<Vec<_>>()
    });
    Ok(Json(json!({"configs": configs.await?})))
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
