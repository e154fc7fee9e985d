//! Trainings that a page starts, stops and resumes: processes of this program.

use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead, BufReader, ErrorKind, Read, Write as _};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use axum::Json;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use matchq_page::OF_RUN;
use serde::Deserialize;
use serde_json::{Value, json};

use super::runs::{below, blocking, reading};
use super::{Answer, Refusal, SHORT, Shared, body, locked, parsed};
use crate::error::{Error, Result};
use crate::files;
use crate::learners::configurations;
use crate::players::{BEST, LAST};

/// Most trainings at once.
const MOST: usize = 4;
/// Time within which a training that cannot begin has said so.
const BEGIN: Duration = Duration::from_secs(3);
/// Lines of a training's messages that are kept.
const LINES: usize = 20;
/// Most bytes of an agent's file.
const LONGEST: u64 = 256 << 20;

pub struct Trainings {
    runs: PathBuf,
    /// Trainings by their names; `None` for one that is about to start.
    all: Mutex<BTreeMap<String, Option<Started>>>,
}

struct Started {
    child: Child,
    /// Whether it was asked to stop.
    stopping: bool,
}

impl Started {
    fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }
}

impl Trainings {
    pub fn new(runs: PathBuf) -> Self {
        Self { runs, all: Mutex::default() }
    }

    /// Trainings that run or are about to.
    fn running(&self) -> MutexGuard<'_, BTreeMap<String, Option<Started>>> {
        let mut all = locked(&self.all);
        all.retain(|_, training| training.as_mut().is_none_or(Started::is_running));
        all
    }

    /// Starts a training, and waits until it trains or has failed.
    fn start(&self, name: &str, arguments: &[&str]) -> Result<()> {
        {
            let mut running = self.running();
            if running.contains_key(name) {
                return Err(Error::user(format!("{name} is trained already")));
            }
            if running.len() >= MOST {
                return Err(Error::user(format!("{MOST} trainings run already: stop one, or wait")));
            }
            running.insert(name.to_owned(), None);
        }
        let begun = self.begin(arguments);
        let mut all = locked(&self.all);
        all.remove(name);
        if let Some(child) = begun? {
            all.insert(name.to_owned(), Some(Started { child, stopping: false }));
        }
        Ok(())
    }

    /// Starts this program with a training's arguments; `None` if it has ended well already.
    fn begin(&self, arguments: &[&str]) -> Result<Option<Child>> {
        let program = std::env::current_exe()
            .map_err(|error| Error::runtime(format!("this program does not find itself: {error}")))?;
        let mut child = Command::new(program)
            .arg("train")
            .args(arguments)
            .arg("--runs")
            .arg(&self.runs)
            .stdin(Stdio::piped())
            .arg("--events")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| Error::runtime(format!("no training can be started: {error}")))?;
        let said = Arc::new(Mutex::new(VecDeque::new()));
        if let Some(errors) = child.stderr.take() {
            let said = said.clone();
            follow(errors, move |line| {
                let mut said = locked(&said);
                said.push_back(line);
                if said.len() > LINES {
                    said.pop_front();
                }
            });
        }
        let begun = Arc::new(AtomicBool::new(false));
        if let Some(output) = child.stdout.take() {
            let begun = begun.clone();
            follow(output, move |line| {
                let event: Value = serde_json::from_str(&line).unwrap_or_default();
                begun.fetch_or(event["begun"].is_string(), Ordering::Relaxed);
            });
        }
        let begin = Instant::now();
        while begin.elapsed() < BEGIN {
            match child.try_wait() {
                Ok(Some(status)) if !status.success() => {
                    // The reader of its messages is a moment behind.
                    std::thread::sleep(Duration::from_millis(50));
                    let said: Vec<String> = locked(&said).iter().cloned().collect();
                    return Err(Error::User(said.join("\n").trim_start_matches("error: ").to_owned()));
                }
                Ok(Some(_)) => return Ok(None),
                _ if begun.load(Ordering::Relaxed) => break,
                _ => std::thread::sleep(Duration::from_millis(20)),
            }
        }
        Ok(Some(child))
    }

    /// Asks a training to finish its round, save and end.
    fn stop(&self, name: &str) -> Result<()> {
        let mut running = self.running();
        let missing = || Error::user(format!("{name} is not trained by this server: stop it where it was started"));
        let training = running.get_mut(name).and_then(Option::as_mut).ok_or_else(missing)?;
        if !std::mem::replace(&mut training.stopping, true) {
            let asked = training.child.stdin.as_mut().map_or(Ok(()), |input| input.write_all(b"stop\n"));
            // A training that has ended meanwhile reads nothing any more.
            let asked = asked.or_else(|error| if error.kind() == ErrorKind::BrokenPipe { Ok(()) } else { Err(error) });
            asked.map_err(|error| Error::runtime(format!("it cannot be stopped: {error}")))?;
        }
        Ok(())
    }
}

/// Passes on each line of what a process writes, in a thread of its own.
fn follow(written: impl Read + Send + 'static, pass_on: impl FnMut(String) + Send + 'static) {
    std::thread::spawn(move || BufReader::new(written).lines().map_while(std::io::Result::ok).for_each(pass_on));
}

/// Most letters of a run's name.
const NAME: usize = 80;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Start {
    config: String,
    name: String,
    seed: Option<u64>,
}

pub async fn start(State(server): Shared, request: Request) -> Answer {
    let Start { config, name, seed } = parsed(&body(request, SHORT).await?)?;
    if !configurations().iter().any(|(known, _)| *known == config) {
        return Err(Refusal(StatusCode::BAD_REQUEST, format!("there is no configuration '{config}'")));
    }
    if seed.is_some_and(|seed| i64::try_from(seed).is_err()) {
        return Err(Refusal(StatusCode::BAD_REQUEST, format!("a seed is a whole number from 0 to {}", i64::MAX)));
    }
    let fits = |letter: char| letter.is_alphanumeric() || "-_.".contains(letter);
    if name.is_empty() || name.starts_with(['.', '-']) || name.chars().count() > NAME || !name.chars().all(fits) {
        let sentence =
            format!("a run's name has 1 to {NAME} letters, digits or any of - _ ., and begins with no . or -");
        return Err(Refusal(StatusCode::BAD_REQUEST, sentence));
    }
    let given = name.clone();
    let begun = blocking(move || {
        let seed = seed.map(|seed| format!("seed={seed}"));
        let mut arguments = vec!["--config", &config, "--name", &name];
        arguments.extend(seed.iter().flat_map(|seed| ["--set", seed]));
        server.trainings.start(&name, &arguments)
    });
    begun.await??;
    Ok(Json(json!({"name": given})))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Named {
    name: String,
}

pub async fn stop(State(server): Shared, request: Request) -> Answer {
    let Named { name } = parsed(&body(request, SHORT).await?)?;
    let given = name.clone();
    blocking(move || server.trainings.stop(&name)).await??;
    Ok(Json(json!({"name": given})))
}

pub async fn resume(State(server): Shared, request: Request) -> Answer {
    let Named { name } = parsed(&body(request, SHORT).await?)?;
    let folder = below(&server.runs, &name)?;
    let given = name.clone();
    let begun = blocking(move || server.trainings.start(&name, &["--resume", &folder.to_string_lossy()]));
    begun.await??;
    Ok(Json(json!({"name": given})))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfRun {
    run: String,
}

/// Takes the newest agent of a run, which then plays as `run NAME`.
pub async fn agent(State(server): Shared, request: Request) -> Answer {
    let OfRun { run } = parsed(&body(request, SHORT).await?)?;
    let folder = below(&server.runs, &run)?;
    let name = format!("{OF_RUN}{run}");
    let given = name.clone();
    let thinking = server.thinking.clone();
    let agent = reading(&server, move || {
        let file = [LAST, BEST].into_iter().map(|name| folder.join(name)).find(|file| file.is_file());
        let missing = || Error::user(format!("{run} has no agent yet: its training saves one at its first checkpoint"));
        let bytes = files::read_limited(&file.ok_or_else(missing)?, LONGEST)?;
        thinking.give(&name, &bytes)
    });
    let agent = agent.await??;
    Ok(Json(json!({"name": given, "game": agent.game(), "kind": agent.file.kind.name()})))
}
