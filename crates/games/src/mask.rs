//! Which actions of a position are offered to a player.

use serde::{Deserialize, Serialize};

use super::{ActionMask, Game};
use crate::error::{Error, Result};

/// One of a game's masks, for lists.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mask {
    /// The name used in configurations and on the command line.
    pub name: &'static str,
    /// What it holds, in a line.
    pub about: &'static str,
}

/// Which of its game's masks is meant, by its place among them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MaskKind(pub usize);

impl MaskKind {
    /// All actions that the rules allow.
    pub const LEGAL: Self = Self(0);

    /// The mask of a name; the game's default where it is empty.
    ///
    /// # Errors
    /// A name that is none of the game's masks.
    pub fn of<G: Game>(name: &str) -> Result<Self> {
        if name.is_empty() {
            return Ok(G::DEFAULT_MASK);
        }
        G::MASKS.iter().position(|mask| mask.name == name).map(Self).ok_or_else(|| {
            let names: Vec<&str> = G::MASKS.iter().map(|mask| mask.name).collect();
            Error::user(format!("'{name}' is no mask of {}: its masks are {}", G::NAME, names.join(", ")))
        })
    }

    /// All masks of a game.
    pub fn all<G: Game>() -> impl Iterator<Item = Self> {
        (0..G::MASKS.len()).map(Self)
    }

    /// The mask's name.
    pub fn name<G: Game>(self) -> &'static str {
        G::MASKS[self.0].name
    }
}

/// The actions offered in a position, and whether they are of another mask.
///
/// They are those of the mask, or where it holds none, of the nearest one before it that does. A player that learned
/// by the mask has hardly seen such positions.
pub fn offered<G: Game>(state: &G::State, kind: MaskKind) -> (ActionMask, bool) {
    for wider in (0..=kind.0).rev() {
        let mask = G::mask(state, MaskKind(wider));
        if !mask.is_empty() {
            return (mask, wider != kind.0);
        }
    }
    (ActionMask::all(G::ACTIONS), true)
}
