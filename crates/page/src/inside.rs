//! The games of the page: those inside, and others.

use std::sync::Once;

use matchq_core::error::Result;
use matchq_players::{Agents, Of, Playable, Register, registry};
use serde_json::Value;

use crate::door::{Ask, DOORS, Door};
use crate::game::{Here, Place, Seated};
use crate::{about, offers, values};

impl<G: Playable> Door for Of<G> {
    fn about(&self, agents: &Agents) -> Value {
        about::of::<G>(agents)
    }

    fn answer(&self, at: &Place, ask: &Ask, here: &mut Here) -> Result<Value> {
        let game = Seated::<G>::open(at, here.kept)?;
        match ask {
            Ask::Position => Ok(game.position()),
            Ask::Play { action } => game.play(*action, here),
            Ask::Values { player, action } => values::of(&game, player, *action, here),
            Ask::Past { player, moves } => game.past(player, *moves, here),
            Ask::Steer { action, columns, turns } => Ok(game.steer(*action, *columns, *turns)),
        }
    }

    fn check(&self, agents: &Agents, name: &str) -> Result<()> {
        offers::check::<G>(agents, name)
    }
}

/// Adds the games inside, by the same call as others.
pub fn inside() {
    struct Inside;

    impl Register for Inside {
        fn game<G: Playable>(&mut self) {
            // Their names differ.
            register::<G>().ok();
        }
    }

    static ONCE: Once = Once::new();
    ONCE.call_once(|| registry::inside(&mut Inside));
}

/// Adds a game to those of the page and to those that [players](registry::register) know.
pub fn register<G: Playable>() -> Result<()> {
    registry::register::<G>()?;
    DOORS.add(Of::<G>::DOOR)
}
