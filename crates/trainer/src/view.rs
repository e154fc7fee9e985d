//! Runs and configurations as a page shows them, in JSON.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use matchq_core::disk;
use matchq_core::error::Result;
use matchq_learners::report::run_view::{Rows, RunView};
use matchq_learners::{Source, configurations as known};
use matchq_players::LAST;
use serde_json::{Value, json};

use crate::door::door;

/// A run without its curves; runs of one recipe differ in the seed alone.
pub fn summary(run: &RunView) -> Value {
    let (steps, unit) = run.steps();
    json!({
        "name": run.name,
        "game": run.game(),
        "learner": run.learner(),
        "step": run.step(),
        "steps": steps,
        "unit": unit,
        "done": run.is_done(),
        "best": run.best(),
        "agent": disk::is_file(&run.folder.join(LAST)),
        "seed": run.seed(),
        "recipe": run.recipe(),
    })
}

/// A run with its configuration and its curves.
pub fn detail(run: &RunView) -> Value {
    let (_, unit) = run.steps();
    let rows = |rows: &Rows| json!({"columns": rows.columns, "rows": rows.rows});
    json!({
        "name": run.name,
        "game": run.game(),
        "unit": unit,
        "config": run.config,
        "differs": differences(run),
        "evaluations": rows(&run.evaluations),
        "train": rows(&run.training),
        "references": run.references,
    })
}

/// Keys whose values differ from those of the nearest configuration that ships: key, shipped and
/// own value; `None` where none of the learner and game ships.
fn differences(run: &RunView) -> Option<Vec<[String; 3]>> {
    let own = run.keys();
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
    text: &'static str,
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
            Some(Shipped { name, text, keys, about: about.join(" ") })
        };
        known().iter().filter_map(one).collect()
    })
}

/// A configuration's keys with all defaults.
fn resolved(name: &str, text: &str) -> Result<BTreeMap<String, String>> {
    let source = Source::parse(text, name, &[])?;
    door(source.game()?)?.keys(&source)
}

/// The configurations that ship, the one to begin with first.
pub fn configurations() -> Value {
    let one = |shipped: &&Shipped| {
        let key = |key| shipped.keys.get(key).map(|value| value.trim_matches('"'));
        json!({
            "name": shipped.name,
            "game": key("game.name"),
            "learner": key("learner"),
            "about": shipped.about,
            "text": shipped.text,
        })
    };
    let mut all: Vec<&Shipped> = shipped().iter().collect();
    all.sort_by_key(|shipped| shipped.name != "quick");
    json!({"configs": all.iter().map(one).collect::<Vec<_>>()})
}
