//! The games of the page: those inside, and others.

use std::sync::Once;

use matchq_core::error::Result;
use matchq_players::{Agents, Of, Playable, Register, registry};
use serde_json::Value;

use crate::door::{Ask, DOORS, Door};
use crate::session::{Context, Position, Session};
use crate::{about, options, values};

impl<G: Playable> Door for Of<G> {
    fn about(&self, agents: &Agents) -> Value {
        about::of::<G>(agents)
    }

    fn answer(&self, at: &Position, ask: &Ask, context: &mut Context) -> Result<Value> {
        let session = Session::<G>::open(at, context.cache)?;
        match ask {
            Ask::Position => Ok(session.position()),
            Ask::Play { action } => session.play(*action, context),
            Ask::Values { player, action } => values::of(&session, player, *action, context),
            Ask::Past { player, moves } => session.past(player, *moves, context),
            Ask::Steer { action, columns, turns } => Ok(session.steer(*action, *columns, *turns)),
        }
    }

    fn check(&self, agents: &Agents, name: &str) -> Result<()> {
        options::check::<G>(agents, name)
    }
}

/// Adds the games inside, by this crate's doors alone: what other crates ask of them is compiled there.
pub fn inside() {
    struct Inside;

    impl Register for Inside {
        fn game<G: Playable>(&mut self) {
            // Their names differ.
            DOORS.add(Of::<G>::DOOR).ok();
        }
    }

    static ONCE: Once = Once::new();
    ONCE.call_once(|| registry::inside(&mut Inside));
}

/// Adds a game to those of the page and to those that [players](registry::register) know.
pub fn register<G: Playable>() -> Result<()> {
    inside();
    registry::register::<G>()?;
    DOORS.add(Of::<G>::DOOR)
}
