//! Answers of the engine: as many at once as there are cores, first come, first served.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use axum::extract::{self, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use matchq_page::{Engine, Request};
use serde_json::json;
use tokio::sync::Semaphore;

use super::runs::blocking;
use super::{LONGEST, Refusal, SHORT, Shared, body, locked};
use crate::error::Result;
use crate::players::{Agent, Agents};

/// Most requests that wait; others are refused, so that memory stays bounded.
const WAITING: usize = 256;

/// Long requests at once.
const LONG: usize = 4;

/// Most agents that pages may give, and most of runs; one more, and the first is forgotten.
const AGENTS: usize = 32;

/// Engines, and the right to use one.
#[derive(Clone)]
pub struct Thinking {
    engines: Arc<Mutex<Vec<Engine>>>,
    /// A permit is the turn of a request.
    turns: Arc<Semaphore>,
    places: Arc<Semaphore>,
    /// The right to send a long request.
    long: Arc<Semaphore>,
    agents: Agents,
    /// Names of the agents that pages gave, and of those of runs, the last one last.
    given: Arc<Mutex<[VecDeque<String>; 2]>>,
    most_simulations: usize,
}

impl Thinking {
    pub fn new(threads: usize, most_simulations: usize) -> Self {
        Self {
            engines: Arc::default(),
            turns: Arc::new(Semaphore::new(threads)),
            places: Arc::new(Semaphore::new(WAITING)),
            long: Arc::new(Semaphore::new(LONG)),
            agents: Agents::closed(),
            given: Arc::default(),
            most_simulations,
        }
    }

    /// The engine's answer to the request that `request` gives on a thread of its own; an object with
    /// `error` where that is wrong. A request whose asker has left is not begun.
    pub async fn answer(
        &self,
        request: impl FnOnce() -> std::result::Result<Request, Refusal> + Send + 'static,
    ) -> std::result::Result<String, Refusal> {
        let busy = || Refusal(StatusCode::SERVICE_UNAVAILABLE, format!("{WAITING} requests wait already: ask again"));
        let _place = self.places.try_acquire().map_err(|_| busy())?;
        let turn = self.turns.clone().acquire_owned().await.map_err(|_| busy())?;
        let waits = Waits::default();
        let (this, stop) = (self.clone(), waits.0.clone());
        let answered = blocking(move || {
            let _turn = turn;
            Ok(this.answer_now(request()?, &stop))
        });
        answered.await?
    }

    /// The answer, on this thread.
    pub fn answer_now(&self, request: Request, stop: &AtomicBool) -> String {
        // Held until the agent has its place, which another's could take.
        let given = match &request {
            Request::Agent { name, .. } => Some((name.clone(), locked(&self.given))),
            _ => None,
        };
        let free = locked(&self.engines).pop();
        let mut engine = free.unwrap_or_else(|| Engine::new(self.agents.clone(), self.most_simulations));
        let answer = engine.respond_until(request, stop);
        locked(&self.engines).push(engine);
        if let (Some((name, mut given)), Ok(_)) = (given, &answer) {
            self.make_room(&mut given[0], name);
        }
        answer.unwrap_or_else(|error| json!({"error": error.to_string()})).to_string()
    }

    /// Forgets the agent that was given first, beyond so many; another of a name took its place.
    fn make_room(&self, given: &mut VecDeque<String>, name: String) {
        given.retain(|known| *known != name);
        given.push_back(name);
        if given.len() > AGENTS
            && let Some(first) = given.pop_front()
        {
            self.agents.forget(&first);
        }
    }

    /// Takes a run's agent under a name, again if it has gone on learning.
    pub fn give(&self, name: &str, file: &[u8]) -> Result<Agent> {
        let mut given = locked(&self.given);
        let agent = self.agents.give(name, file)?;
        self.make_room(&mut given[1], name.to_owned());
        Ok(agent)
    }
}

/// Says that nobody waits any more, when the request's task is dropped.
#[derive(Default)]
struct Waits(Arc<AtomicBool>);

impl Drop for Waits {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Answers a page's request. The few long ones, with pictures and agents, wait for each other before
/// they are read.
pub async fn ask(State(server): Shared, request: extract::Request) -> std::result::Result<Response, Refusal> {
    let length = request.headers().get(header::CONTENT_LENGTH).and_then(|text| text.to_str().ok()?.parse().ok());
    let is_long = length.is_none_or(|length: usize| length > SHORT);
    let busy = || Refusal(StatusCode::SERVICE_UNAVAILABLE, "too many pictures or agents at once: ask again".to_owned());
    let _long = if is_long { Some(server.thinking.long.try_acquire().map_err(|_| busy())?) } else { None };
    let body = body(request, if is_long { LONGEST } else { SHORT }).await?;
    let wrong = |what| Refusal(StatusCode::BAD_REQUEST, what);
    let answer = server.thinking.answer(move || Request::parse(&body).map_err(wrong)).await?;
    Ok(([(header::CONTENT_TYPE, "application/json")], answer).into_response())
}
