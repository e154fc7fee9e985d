//! Answers of the engine: as many at once as there are cores, first come, first served.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use matchq_page::{Engine, Request};
use tokio::sync::Semaphore;

use super::{Refusal, Shared, parsed};
use crate::error::{Error, Result};
use crate::players::{Agent, Agents};

/// Most requests that wait; others are refused, so that memory stays bounded.
const WAITING: usize = 256;

/// Most agents that pages may give.
const AGENTS: usize = 32;

/// Engines, and the right to use one.
#[derive(Clone)]
pub struct Thinking {
    engines: Arc<Mutex<Vec<Engine>>>,
    /// A permit is the turn of a request.
    turns: Arc<Semaphore>,
    places: Arc<Semaphore>,
    agents: Agents,
    most_simulations: usize,
}

impl Thinking {
    pub fn new(threads: usize, most_simulations: usize) -> Self {
        Self {
            engines: Arc::default(),
            turns: Arc::new(Semaphore::new(threads)),
            places: Arc::new(Semaphore::new(WAITING)),
            agents: Agents::closed(),
            most_simulations,
        }
    }

    /// The engine's answer to a request; an object with `error` where that is wrong.
    pub async fn answer(&self, request: Request) -> std::result::Result<String, Refusal> {
        let busy = || Refusal(StatusCode::SERVICE_UNAVAILABLE, format!("{WAITING} requests wait already: ask again"));
        let _place = self.places.try_acquire().map_err(|_| busy())?;
        let turn = self.turns.clone().acquire_owned().await.map_err(|_| busy())?;
        let this = self.clone();
        let answered = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            this.answer_now(request)
        });
        answered
            .await
            .map_err(|_| Refusal(StatusCode::INTERNAL_SERVER_ERROR, "the program failed at this request".to_owned()))
    }

    /// The answer, on this thread.
    pub fn answer_now(&self, request: Request) -> String {
        if matches!(request, Request::Agent { .. }) && self.agents.given().len() >= AGENTS {
            return serde_json::json!({"error": format!("{AGENTS} agents were given already")}).to_string();
        }
        let mut engine =
            self.engines().pop().unwrap_or_else(|| Engine::new(self.agents.clone(), self.most_simulations));
        let answer = engine.respond(request);
        self.engines().push(engine);
        answer.unwrap_or_else(|error| serde_json::json!({"error": error.to_string()})).to_string()
    }

    fn engines(&self) -> MutexGuard<'_, Vec<Engine>> {
        self.engines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a run's agent under a name, again if it has gone on learning.
    pub fn give(&self, name: &str, file: &[u8]) -> Result<Agent> {
        let known = self.agents.given().iter().any(|(given, _)| given == name);
        if !known && self.agents.given().len() >= AGENTS {
            return Err(Error::user(format!("{AGENTS} agents were given already")));
        }
        let agent = self.agents.give(name, file)?;
        // Engines keep the players that they have built.
        self.engines().clear();
        Ok(agent)
    }
}

pub async fn ask(State(server): Shared, body: Bytes) -> std::result::Result<Response, Refusal> {
    let request = parsed(&body)?;
    let answer = server.thinking.answer(request).await?;
    Ok(([(header::CONTENT_TYPE, "application/json")], answer).into_response())
}
