use serde::{Deserialize, Serialize};

use super::{ActionMask, Game};
use crate::error::{Error, Result};

/// A mask of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mask {
    /// Name in configurations and commands.
    pub name: &'static str,
    /// What the mask holds, in a line.
    pub about: &'static str,
    /// Whether the mask is the default; a game without a default uses its first mask.
    pub is_default: bool,
    /// Quicker mask by which training judges next positions, if this one is slow.
    pub successor: Option<MaskKind>,
}

impl Mask {
    /// A mask with its name and a line about it.
    pub const fn new(name: &'static str, about: &'static str) -> Self {
        Self { name, about, is_default: false, successor: None }
    }

    /// Mask as the game's default.
    pub const fn as_default(self) -> Self {
        Self { is_default: true, ..self }
    }

    /// Mask with a quicker one by which training judges next positions.
    pub const fn with_successor(self, successor: MaskKind) -> Self {
        Self { successor: Some(successor), ..self }
    }
}

/// A mask of a game by its index in [`Game::MASKS`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MaskKind(pub usize);

impl MaskKind {
    /// All actions that the rules allow.
    pub const LEGAL: Self = Self(0);

    /// Mask that players use by default.
    pub const fn default_of<G: Game>() -> Self {
        let mut index = 0;
        while index < G::MASKS.len() {
            if G::MASKS[index].is_default {
                return Self(index);
            }
            index += 1;
        }
        Self::LEGAL
    }

    /// Mask of a name, the default for an empty one.
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

    /// Mask by which training judges next positions: a quicker one where this one is slow.
    pub fn successor<G: Game>(self) -> Self {
        G::MASKS[self.0].successor.unwrap_or(self)
    }

    /// Name of the mask.
    pub fn name<G: Game>(self) -> &'static str {
        G::MASKS[self.0].name
    }
}

/// Actions that a player chooses from: those of `kind` or, if empty, of the nearest mask before it
/// that is not. The flag is true if `kind` was empty; players trained with it have hardly seen such
/// positions.
pub fn offered<G: Game>(state: &G::State, kind: MaskKind) -> (ActionMask, bool) {
    for wider in (0..=kind.0).rev() {
        let mask = G::mask(state, MaskKind(wider));
        if !mask.is_empty() {
            return (mask, wider != kind.0);
        }
    }
    (ActionMask::all(G::ACTIONS), true)
}
