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
    /// Whether players use it where no mask is named.
    ///
    /// At most one of a game's masks is; without one it is the first.
    pub is_default: bool,
}

impl Mask {
    /// A mask of a name, which holds what a line says.
    pub const fn new(name: &'static str, about: &'static str) -> Self {
        Self { name, about, is_default: false }
    }

    /// The mask that players use where none is named.
    pub const fn as_default(self) -> Self {
        Self { is_default: true, ..self }
    }
}

/// Which of its game's masks is meant, by its place among them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MaskKind(pub usize);

impl MaskKind {
    /// All actions that the rules allow.
    pub const LEGAL: Self = Self(0);

    /// The mask that players use where none is named.
    pub const fn default_of<G: Game>() -> Self {
        let mut place = 0;
        while place < G::MASKS.len() {
            if G::MASKS[place].is_default {
                return Self(place);
            }
            place += 1;
        }
        Self::LEGAL
    }

    /// The mask of a name; the game's default where it is empty.
    ///
    /// # Errors
    /// A name that is none of the game's masks.
    pub fn of<G: Game>(name: &str) -> Result<Self> {
        if name.is_empty() {
            return Ok(Self::default_of::<G>());
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
