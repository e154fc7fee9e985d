//! Runs as their folders show them to others: configuration, logs, age.

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use matchq_core::disk;
use matchq_pictures::plot::{Line, Lines};
use toml::{Table, Value};

use crate::error::{Error, Result};
use crate::files;

/// Most bytes of a log or a configuration.
const LONGEST: u64 = 64 << 20;
/// Most columns of a log; no learner has thirty.
const MOST_COLUMNS: usize = 256;

/// Bytes of a log's end that are read at a glance.
const END: u64 = 1 << 14;

/// Keys of the number of steps, whose last part is the unit.
const STEPS: [&str; 4] = ["steps", "generations", "sweeps", "policies"];

/// File of the mean scores of other players in a run's evaluations.
pub const REFERENCES: &str = "references.csv";

/// File of a run that its learner's own criterion has ended before the last step.
pub const AT_REST: &str = "at-rest.txt";

/// A run's folder, read once.
#[derive(Clone, Debug)]
pub struct RunView {
    /// Name of the folder.
    pub name: String,
    /// Path of the folder.
    pub folder: PathBuf,
    /// Text of the configuration.
    pub config: String,
    table: Table,
    /// Rows of `evaluations.csv`.
    pub evaluations: Rows,
    /// Rows of `train.csv`.
    pub training: Rows,
    /// Players beside the evaluations and their mean scores.
    pub references: Vec<(String, f64)>,
}

/// A log's columns, and its rows; an empty cell is `None`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Cells of each row, as many as columns.
    pub rows: Vec<Vec<Option<f64>>>,
}

impl Rows {
    /// Rows of a log; a half-written last row is left out, and a missing file has none.
    pub fn read(path: &Path) -> Result<Self> {
        if !disk::is_file(path) {
            return Ok(Self::default());
        }
        let bytes = files::read_limited(path, LONGEST)?;
        Ok(Self::of(&String::from_utf8_lossy(&bytes)))
    }

    fn of(text: &str) -> Self {
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        let mut lines = whole.lines();
        // A row of commas alone would take far more memory than its text.
        let head = lines.next().unwrap_or_default().split(',').take(MOST_COLUMNS);
        let columns: Vec<String> = head.map(str::to_owned).collect();
        let cells = |line: &'_ str| line.split(',').take(columns.len() + 1).map(|cell| cell.parse().ok()).collect();
        let row = |line: &str| -> Vec<Option<f64>> { cells(line) };
        let rows = lines.map(row).filter(|row| row.len() == columns.len()).collect();
        Self { columns, rows }
    }

    /// The last rows of a log, without reading the others.
    pub fn read_end(path: &Path) -> Result<Self> {
        let unread = |error| Error::runtime(format!("{} cannot be read: {error}", path.display()));
        let Ok(mut file) = File::open(path) else { return Self::read(path) };
        let length = file.metadata().map_err(unread)?.len();
        if length <= 2 * END {
            return Self::read(path);
        }
        let mut part = |from: u64| -> Result<String> {
            let mut bytes = vec![];
            file.seek(SeekFrom::Start(from)).map_err(unread)?;
            (&file).take(END).read_to_end(&mut bytes).map_err(unread)?;
            Ok(String::from_utf8_lossy(&bytes).into_owned())
        };
        let (head, end) = (part(0)?, part(length - END)?);
        // The first row of the part is cut.
        let rows = end.split_once('\n').map_or("", |(_, rows)| rows);
        Ok(Self::of(&format!("{}\n{rows}", head.lines().next().unwrap_or_default())))
    }

    /// Number in a column of a row.
    pub fn cell(&self, row: &[Option<f64>], column: &str) -> Option<f64> {
        self.columns.iter().position(|known| known == column).and_then(|at| row[at])
    }

    /// Rows that have both columns, as pairs.
    pub fn pairs(&self, across: &str, up: &str) -> Vec<[f64; 2]> {
        self.rows.iter().filter_map(|row| Some([self.cell(row, across)?, self.cell(row, up)?])).collect()
    }

    /// Whether a column has a number.
    pub fn has(&self, column: &str) -> bool {
        self.rows.iter().any(|row| self.cell(row, column).is_some())
    }

    /// Last number of a column.
    pub fn last(&self, column: &str) -> Option<f64> {
        self.rows.iter().rev().find_map(|row| self.cell(row, column))
    }

    /// Column of the scores, with the column of their intervals and what they are.
    pub fn scores(&self) -> (&'static str, &'static str, &'static str) {
        match self.has("luck_adjusted") {
            true => ("luck_adjusted", "luck_adjusted_half_width", "luck-adjusted score"),
            false => ("mean", "half_width", "score"),
        }
    }
}

impl RunView {
    /// The run in a folder; an error without a configuration.
    pub fn open(folder: &Path) -> Result<Self> {
        Self::by(folder, Rows::read)
    }

    /// The run with the last rows of its logs alone.
    pub fn glance(folder: &Path) -> Result<Self> {
        Self::by(folder, Rows::read_end)
    }

    fn by(folder: &Path, rows: impl Fn(&Path) -> Result<Rows>) -> Result<Self> {
        let path = folder.join("config.toml");
        if !disk::is_file(&path) {
            return Err(Error::user(format!("{} is no run: it holds no config.toml", folder.display())));
        }
        let config = String::from_utf8_lossy(&files::read_limited(&path, LONGEST)?).into_owned();
        let table = config.parse().map_err(|_| Error::user(format!("{} is no TOML", path.display())))?;
        Ok(Self {
            name: folder.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            folder: folder.to_owned(),
            config,
            table,
            evaluations: rows(&folder.join("evaluations.csv"))?,
            training: rows(&folder.join("train.csv"))?,
            references: references(&folder.join(REFERENCES)),
        })
    }

    /// The runs in a folder, by name, each [glanced](Self::glance) at; other folders are left out.
    pub fn glance_at_all(runs: &Path) -> Vec<Self> {
        let Ok(entries) = fs::read_dir(runs) else { return vec![] };
        let mut runs: Vec<Self> = entries.flatten().filter_map(|entry| Self::glance(&entry.path()).ok()).collect();
        runs.sort_by(|one, other| one.name.cmp(&other.name));
        runs
    }

    fn text(&self, section: Option<&str>, key: &str) -> String {
        let table = match section {
            Some(section) => self.table.get(section).and_then(Value::as_table),
            None => Some(&self.table),
        };
        table.and_then(|table| table.get(key)).and_then(Value::as_str).unwrap_or_default().to_owned()
    }

    /// Name of the game; empty if the configuration has none.
    pub fn game(&self) -> String {
        self.text(Some("game"), "name")
    }

    /// Name of the learner; empty if the configuration has none.
    pub fn learner(&self) -> String {
        self.text(None, "learner")
    }

    /// Seed of the training.
    pub fn seed(&self) -> Option<i64> {
        self.table.get("seed").and_then(Value::as_integer)
    }

    /// Number of steps of the whole training, and their name.
    pub fn steps(&self) -> (u64, &'static str) {
        let training = self.table.get("training").and_then(Value::as_table);
        let found = STEPS.into_iter().find_map(|unit| Some((training?.get(unit)?.as_integer()?, unit)));
        found.map_or((0, "steps"), |(count, unit)| (count.max(0) as u64, unit))
    }

    /// Steps of the last row of a log.
    pub fn step(&self) -> u64 {
        let last = |rows: &Rows| rows.last("step").unwrap_or(0.0);
        last(&self.training).max(last(&self.evaluations)) as u64
    }

    /// Whether all steps are done, or the learner's own criterion is met.
    pub fn is_done(&self) -> bool {
        let (steps, _) = self.steps();
        steps > 0 && self.step() >= steps || disk::is_file(&self.folder.join(AT_REST))
    }

    /// Best mean of an evaluation.
    pub fn best(&self) -> Option<f64> {
        self.evaluations.last("best")
    }

    /// Whether a process trains in the folder.
    pub fn is_running(&self) -> bool {
        let lock = File::options().append(true).open(self.folder.join("lock"));
        // Opened without `create`: a run that was copied has none.
        lock.is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
    }

    /// Time since the last row of a log.
    pub fn age(&self) -> Option<Duration> {
        let changed = |name| fs::metadata(self.folder.join(name)).and_then(|file| file.modified()).ok();
        let last = ["train.csv", "evaluations.csv"].into_iter().filter_map(changed).max();
        last.map(|at| SystemTime::now().duration_since(at).unwrap_or_default())
    }

    /// The configuration without its seed: runs that share it are the same training by other seeds.
    pub fn recipe(&self) -> String {
        let mut table = self.table.clone();
        table.remove("seed");
        table.to_string()
    }

    /// Keys of the configuration with their values.
    pub fn keys(&self) -> BTreeMap<String, String> {
        keys("", &self.table)
    }
}

/// Keys with their sections, and values as TOML.
pub fn keys(section: &str, table: &Table) -> BTreeMap<String, String> {
    let key_of = |(key, value): (&String, &Value)| match value {
        Value::Table(table) => keys(&format!("{section}{key}."), table),
        value => [(format!("{section}{key}"), value.to_string())].into(),
    };
    table.iter().flat_map(key_of).collect()
}

fn references(path: &Path) -> Vec<(String, f64)> {
    let text = disk::read_to_string(path).unwrap_or_default();
    let pair = |line: &str| {
        let (name, mean) = line.split_once(',')?;
        Some((name.to_owned(), mean.parse().ok()?))
    };
    text.lines().skip(1).filter_map(pair).collect()
}

/// The chart of runs' evaluations against a column, a line for each recipe: a run's own interval is
/// its band, and of several seeds the band is from the lowest to the highest, the line their mean.
pub fn curves(runs: &[RunView], across: &str, log_x: bool, log_y: bool) -> Lines {
    let mut recipes: Vec<(String, Vec<&RunView>)> = Vec::new();
    for run in runs {
        let recipe = run.recipe();
        match recipes.iter_mut().find(|(known, _)| *known == recipe) {
            Some((_, runs)) => runs.push(run),
            None => recipes.push((recipe, vec![run])),
        }
    }
    let lines = recipes.iter().map(|(_, runs)| line(runs, across)).collect();
    let one_game = runs.iter().all(|run| run.game() == runs[0].game());
    let references = runs.iter().find(|run| !run.references.is_empty()).map(|run| run.references.clone());
    let what = runs.first().map_or("score", |run| run.evaluations.scores().2);
    let seeds = recipes.iter().any(|(_, runs)| runs.len() > 1);
    let band = if seeds { "; bands of several seeds are from the lowest to the highest" } else { "" };
    let x = match across {
        "step" => runs.first().map_or("steps", |run| run.steps().1).to_owned(),
        "seconds" => "seconds".to_owned(),
        column => column.to_owned(),
    };
    Lines {
        title: match runs {
            [run] => format!("{}: evaluations in training", run.name),
            runs => format!("Evaluations in training of {} runs", runs.len()),
        },
        about: format!("mean {what} of an evaluation{band}"),
        x,
        y: "score".to_owned(),
        lines,
        references: references.filter(|_| one_game).unwrap_or_default(),
        log_x,
        log_y,
        ..Lines::default()
    }
}

/// The line of one recipe's runs.
fn line(runs: &[&RunView], across: &str) -> Line {
    let (scores, widths, _) = runs[0].evaluations.scores();
    if let [run] = runs {
        let point = |row: &Vec<Option<f64>>| {
            let cell = |column| run.evaluations.cell(row, column);
            let (mean, half) = (cell(scores)?, cell(widths).unwrap_or(0.0));
            Some([cell(across)?, mean, mean - half, mean + half])
        };
        let points = run.evaluations.rows.iter().filter_map(point).collect();
        return Line { name: run.name.clone(), points, raw: vec![] };
    }
    // Each run's place across and score by step; steps that all have are joined.
    let by_step = |run: &&RunView| -> BTreeMap<u64, [f64; 2]> {
        let at = |row: &Vec<Option<f64>>| {
            let cell = |column| run.evaluations.cell(row, column);
            Some((cell("step")? as u64, [cell(across)?, cell(scores)?]))
        };
        run.evaluations.rows.iter().filter_map(at).collect()
    };
    let steps: Vec<BTreeMap<u64, [f64; 2]>> = runs.iter().map(by_step).collect();
    let point = |step: &u64| -> Option<[f64; 4]> {
        let there: Option<Vec<[f64; 2]>> = steps.iter().map(|run| run.get(step).copied()).collect();
        let there = there?;
        let mean = |at: usize| there.iter().map(|pair| pair[at]).sum::<f64>() / there.len() as f64;
        let ends = there
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), [_, one]| (low.min(*one), high.max(*one)));
        Some([mean(0), mean(1), ends.0, ends.1])
    };
    Line {
        name: format!("{} ({} seeds)", runs[0].name, runs.len()),
        points: steps[0].keys().filter_map(point).collect(),
        raw: runs.iter().flat_map(|run| run.evaluations.pairs(across, scores)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(runs: &Path, name: &str, config: &str, evaluations: &str) -> RunView {
        let folder = runs.join(name);
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("config.toml"), config).unwrap();
        fs::write(folder.join("evaluations.csv"), evaluations).unwrap();
        RunView::open(&folder).unwrap()
    }

    const CONFIG: &str = "seed = 1\nlearner = \"dqn\"\n[game]\nname = \"match3\"\n[training]\nsteps = 200\n";

    #[test]
    fn seeds_of_a_recipe_are_one_line_with_a_band_and_other_runs_are_others() {
        let runs = temp_dir::TempDir::new().unwrap();
        let head = "step,seconds,mean,half_width,best\n";
        let one = run(runs.path(), "a", CONFIG, &format!("{head}100,1,10,2,10\n200,2,30,2,30\n"));
        let two = run(runs.path(), "b", &CONFIG.replace("seed = 1", "seed = 2"), &format!("{head}100,3,20,2,20\n"));
        let other = run(runs.path(), "c", &CONFIG.replace("200", "300"), &format!("{head}100,1,5,2,5\n30"));
        assert_eq!((one.steps(), one.step(), one.best()), ((200, "steps"), 200, Some(30.0)));
        let chart = curves(&[one, two, other], "step", false, false);
        assert_eq!(chart.lines.len(), 2);
        assert_eq!(chart.lines[0].points, [[100.0, 15.0, 10.0, 20.0]]);
        assert_eq!(chart.lines[0].raw.len(), 3);
        // Seeds are joined by steps, also where a row is missing.
        let gap =
            run(runs.path(), "d", &CONFIG.replace("seed = 1", "seed = 3"), &format!("{head}100,1,,,\n200,2,50,2,50\n"));
        let chart_of_gap = curves(&[RunView::open(&runs.path().join("a")).unwrap(), gap], "step", false, false);
        assert_eq!(chart_of_gap.lines[0].points, [[200.0, 40.0, 30.0, 50.0]]);
        // A half-written row is no row.
        assert_eq!(chart.lines[1].points, [[100.0, 5.0, 3.0, 7.0]]);
        assert!(chart.lines[0].name == "a (2 seeds)" && chart.lines[1].name == "c");
        let seconds = curves(&RunView::glance_at_all(runs.path())[..2], "seconds", false, false);
        assert_eq!(seconds.lines[0].points, [[2.0, 15.0, 10.0, 20.0]]);
    }

    #[test]
    fn a_folder_without_a_configuration_is_no_run() {
        let runs = temp_dir::TempDir::new().unwrap();
        fs::create_dir(runs.path().join("empty")).unwrap();
        let error = RunView::open(&runs.path().join("empty")).unwrap_err();
        assert!(error.to_string().contains("is no run: it holds no config.toml"), "{error}");
        assert!(
            RunView::glance_at_all(runs.path()).is_empty() && RunView::glance_at_all(Path::new("nowhere")).is_empty()
        );
    }
}
