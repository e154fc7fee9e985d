//! The game that all watch: one player, one game after another.

use std::convert::Infallible;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::stream::{self, Stream};
use matchq_page::{PlayerChoice, Position, Request};
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::broadcast::{Receiver, Sender, channel};

use super::thinking::Thinking;
use super::{Server, Shared, locked};
use crate::error::{Error, Result};

/// Moves that a slow watcher may fall behind before it gets a snapshot in place of them.
const BEHIND: usize = 32;

/// Moves after which another game begins.
const LONGEST: usize = 2_000;

/// Time for which the end of a game is shown.
const REST: Duration = Duration::from_secs(5);

pub struct Watch {
    state: Mutex<Snapshot>,
    moves: Sender<(u64, Arc<str>)>,
    somebody: Notify,
    player: PlayerChoice,
    pause: Duration,
}

struct Snapshot {
    at: Position,
    position: Value,
    /// Moves since the server began, for the order of events.
    number: u64,
}

impl Watch {
    /// The game before its first move; refuses a game or a player that there is not.
    pub fn new(thinking: &Thinking, game: &str, player: &str, pace: f64) -> Result<Self> {
        let at = Position::of_seed(game, 0);
        let player = PlayerChoice { name: player.to_owned(), simulations: None };
        let ask = |request| {
            let answer: Value =
                serde_json::from_str(&thinking.answer_now(request, &AtomicBool::new(false))).unwrap_or_default();
            match answer["error"].as_str() {
                Some(sentence) => Err(Error::user(sentence)),
                None => Ok(answer),
            }
        };
        ask(Request::Values { at: at.clone(), player: player.clone(), action: None })?;
        let position = ask(Request::Position { at: at.clone() })?;
        let state = Mutex::new(Snapshot { at, position, number: 0 });
        let pause = Duration::from_secs_f64(1.0 / pace);
        Ok(Self { state, moves: channel(BEHIND).0, somebody: Notify::new(), player, pause })
    }

    /// A receiver of the moves from now on, and the event of the position before them.
    fn join(&self) -> (Receiver<(u64, Arc<str>)>, u64, Event) {
        let state = locked(&self.state);
        let receiver = self.moves.subscribe();
        self.somebody.notify_one();
        let snapshot = json!({"at": state.at, "position": state.position, "player": self.player.name}).to_string();
        (receiver, state.number, Event::default().event("snapshot").id(state.number.to_string()).data(snapshot))
    }

    /// Plays the move of a player, or deals the next game.
    async fn play(&self, thinking: &Thinking) -> Option<Duration> {
        let (mut at, over) = {
            let state = locked(&self.state);
            (state.at.clone(), state.position["over"] == true)
        };
        if over || at.moves.len() >= LONGEST {
            at = Position::of_seed(&at.game, at.seed.unwrap_or(0) + 1);
            let position = answered(thinking, Request::Position { at: at.clone() }).await?;
            let mut state = locked(&self.state);
            (state.at, state.position, state.number) = (at, position, state.number + 1);
            let dealt = json!({"at": state.at, "position": state.position, "player": self.player.name}).to_string();
            self.moves.send((state.number, format!("snapshot\n{dealt}").into())).ok();
            return Some(self.pause);
        }
        let values =
            answered(thinking, Request::Values { at: at.clone(), player: self.player.clone(), action: None }).await?;
        let action = values["moves"][0]["action"].as_u64()? as usize;
        let played = answered(thinking, Request::Play { at: at.clone(), action }).await?;
        at.moves.push(action);
        let mut state = locked(&self.state);
        let position = played["position"].clone();
        let over = position["over"] == true;
        (state.at, state.position, state.number) = (at, position, state.number + 1);
        let number = state.number;
        let event = json!({"number": number, "values": values, "played": played}).to_string();
        // Nobody watching is no error.
        self.moves.send((number, format!("move\n{event}").into())).ok();
        Some(if over { REST.max(self.pause) } else { self.pause })
    }
}

async fn answered(thinking: &Thinking, request: Request) -> Option<Value> {
    let answer: Value = serde_json::from_str(&thinking.answer(|| Ok(request)).await.ok()?).ok()?;
    answer.get("error").is_none().then_some(answer)
}

/// Plays while somebody watches.
pub fn start(server: &Arc<Server>) {
    let server = server.clone();
    tokio::spawn(async move {
        let watch = &server.watch;
        loop {
            if watch.moves.receiver_count() == 0 {
                watch.somebody.notified().await;
                continue;
            }
            // Where all are busy the game waits for its turn like any request.
            let pause = watch.play(&server.thinking).await.unwrap_or(REST);
            tokio::time::sleep(pause).await;
        }
    });
}

/// The stream of a watcher: a snapshot, then moves in order; another snapshot after moves that the
/// watcher was too slow for.
pub async fn events(State(server): Shared) -> Sse<impl Stream<Item = std::result::Result<Event, Infallible>>> {
    let (receiver, number, snapshot) = server.watch.join();
    let begin = (server, receiver, number, Some(snapshot));
    let stream = stream::unfold(begin, |(server, mut receiver, mut last, first)| async move {
        if let Some(event) = first {
            return Some((Ok(event), (server, receiver, last, None)));
        }
        loop {
            match receiver.recv().await {
                // A snapshot may already have shown the move.
                Ok((number, _)) if number <= last => {}
                Ok((number, text)) => {
                    let (kind, data) = text.split_once('\n').unwrap_or(("move", &text));
                    let event = Event::default().event(kind).id(number.to_string()).data(data);
                    return Some((Ok(event), (server, receiver, number, None)));
                }
                Err(RecvError::Lagged(_)) => {
                    let snapshot;
                    (receiver, last, snapshot) = server.watch.join();
                    return Some((Ok(snapshot), (server, receiver, last, None)));
                }
                Err(RecvError::Closed) => return None,
            }
        }
    });
    Sse::new(stream).keep_alive(KeepAlive::default())
}
