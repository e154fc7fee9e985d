//! The traits of a game, and the games.

mod action_mask;
pub mod bejeweled;
pub mod bilging;
pub mod conformance;
mod features;
mod game;
mod mask;
pub mod match3;
mod registry;
pub mod swap;
pub mod tetris;
mod text;
#[cfg(test)]
#[path = "../../tests/toy/mod.rs"]
pub mod toy;
mod vector;

pub use action_mask::ActionMask;
pub use bejeweled::Bejeweled;
pub use bilging::Bilging;
pub use features::{Controller, Features, Run, Weights};
pub use game::{
    After, Budget, Danger, Figure, Game, Image, Lookahead, OwnFigures, OwnValues, Plan, Playable, Played, SeenWave,
    Specialist, Step, actions_of_a_game,
};
pub use mask::{Mask, MaskKind, offered};
pub use match3::Match3;
pub use registry::{ForGame, NAMES, with_game};
pub use tetris::Tetris;
pub use text::{Shape, Text, Token};
pub use vector::{Games, Outcome};
