//! What the page asks of a game without its type.

use matchq_core::error::Result;
use matchq_players::{Agents, AnyGame, Doors};
use serde_json::Value;

use crate::options::PlayerChoice;
use crate::session::{Context, Position};

/// What is asked of a position.
pub enum Ask {
    /// The position with its moves.
    Position,
    /// A move, the boards on its way and the position after it.
    Play {
        /// The move.
        action: usize,
    },
    /// A player's values of the moves.
    Values {
        /// The player.
        player: PlayerChoice,
        /// An action whose value is wanted, too.
        action: Option<usize>,
    },
    /// The scores after each move of a player's game from here on.
    Past {
        /// The player.
        player: PlayerChoice,
        /// Most moves.
        moves: usize,
    },
    /// The action after a person moved a piece and turned it.
    Steer {
        /// The action before; none at the start.
        action: Option<usize>,
        /// Columns to the right.
        columns: isize,
        /// Quarter turns.
        turns: usize,
    },
}

/// A game of the page.
pub trait Door: AnyGame {
    /// What a page needs to know of the game.
    fn about(&self, agents: &Agents) -> Value;

    /// The answer to what is asked of a position.
    fn answer(&self, at: &Position, ask: &Ask, context: &mut Context) -> Result<Value>;

    /// Checks that a player can be made of the agent of a name.
    fn check(&self, agents: &Agents, name: &str) -> Result<()>;
}

pub static DOORS: Doors<dyn Door> = Doors::new();

/// The game of this name.
pub fn door(name: &str) -> Result<&'static dyn Door> {
    DOORS.find(name)
}
