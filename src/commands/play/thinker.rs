//! The player in its own thread, so that keys respond while it thinks.

use std::sync::mpsc::{self, Receiver, Sender, TryRecvError};
use std::thread;

use super::session::{Answer, Question};
use crate::error::{Error, Result};
use crate::players::{Agents, Playable, Scale};

/// A player that answers when ready.
pub struct Thinker<G: Playable> {
    name: String,
    scale: Scale,
    questions: Sender<Question<G>>,
    answers: Receiver<Result<Answer>>,
}

impl<G: Playable> Thinker<G> {
    /// Starts the player of a text; its thread ends after the thinker is dropped.
    pub fn start(text: &str, rules: G::Rules, agents: &Agents) -> Result<Self> {
        let (questions, asked) = mpsc::channel::<Question<G>>();
        let (answer, answers) = mpsc::channel();
        let (started, start) = mpsc::channel();
        let (text, agents) = (text.to_owned(), agents.clone());
        let think = move || {
            // Players need not be `Send`.
            let mut player = match crate::commands::player::<G>(&text, &rules, &agents) {
                Ok(player) => player,
                Err(error) => return drop(started.send(Err(error))),
            };
            started.send(Ok((player.name().to_owned(), player.meaning().scale))).ok();
            while let Ok(mut question) = asked.recv() {
                // Only the newest question needs an answer.
                while let Ok(newer) = asked.try_recv() {
                    question = newer;
                }
                let Question { id, state, mut ties } = question;
                let ranked = player.rank(&state, &mut ties);
                if answer.send(ranked.map(|ranked| Answer { id, ranked, ties })).is_err() {
                    break;
                }
            }
        };
        thread::Builder::new()
            .name("player".to_owned())
            .spawn(think)
            .map_err(|error| Error::runtime(format!("the player's thread cannot be started: {error}")))?;
        let (name, scale) = start.recv().map_err(|_| gone())??;
        Ok(Self { name, scale, questions, answers })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the player's values count.
    pub fn scale(&self) -> Scale {
        self.scale
    }

    pub fn ask(&self, question: Question<G>) -> Result<()> {
        self.questions.send(question).map_err(|_| gone())
    }

    /// The answer, if ready.
    pub fn answer(&self) -> Result<Option<Answer>> {
        match self.answers.try_recv() {
            Ok(answer) => answer.map(Some),
            Err(TryRecvError::Empty) => Ok(None),
            Err(TryRecvError::Disconnected) => Err(gone()),
        }
    }
}

fn gone() -> Error {
    Error::runtime("the player has stopped thinking")
}
