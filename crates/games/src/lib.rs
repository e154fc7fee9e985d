//! The games: their rules, positions and moves. To add one, implement these traits:
//!
//! | trait | says | needed by |
//! |---|---|---|
//! | [`Game`] | deal, moves, score | everything |
//! | [`Lookahead`] | what follows from a move before chance decides | all players but random ones |
//! | [`Image`] | a position as planes of numbers | networks |
//! | [`StateFeatures`] | a position as a few numbers | linear values of positions |
//! | [`ActionFeatures`] | a move as a few numbers | linear values of moves |
//! | [`Text`] | positions and moves as text | people, files, pictures, other programs |
//! | [`Pieces`] | pieces that the player places | Tetris alone |
//! | [`Puzzle`] | moves where nothing is left to chance | searches of whole lines of moves |
//!
//! [`conformance`] checks that a game keeps the traits' promises, and [`Games`] steps many games at
//! once.
//!
//! ```
//! use matchq_games::random::{Draw as _, Role, Stream};
//! use matchq_games::{Game as _, Match3, MaskKind, offered};
//!
//! let mut stream = Stream::new(7, Role::Game, 0);
//! let mut game = Match3::new(&Default::default(), &mut stream);
//! while !game.is_over() {
//!     let (mask, _) = offered::<Match3>(&game.state(), MaskKind::default_of::<Match3>());
//!     let action = mask.nth(stream.below(mask.count() as u32) as usize).unwrap_or(0);
//!     game.step(action, &mut stream);
//! }
//! println!("{} points", game.score());
//! ```

#![warn(missing_docs)]

mod action_mask;
pub mod bejeweled;
pub mod bilging;
pub mod conformance;
mod episode;
mod features;
mod game;
mod given;
mod image;
mod lookahead;
mod mask;
pub mod match3;
mod pieces;
mod puzzle;
mod rules;
pub mod samegame;
pub mod swap;
pub mod tetris;
mod text;
pub mod tile_match;
mod vector;
pub mod weighed;

pub use action_mask::ActionMask;
pub use bejeweled::Bejeweled;
pub use bilging::Bilging;
pub use episode::Episode;
pub use features::{ActionFeatures, StateFeatures};
pub use game::{Game, Step, actions_of_a_game};
pub use given::{Given, Names, decode};
pub use image::{Decode, Image};
pub use lookahead::{After, Lookahead, Plan, SeenWave};
pub use mask::{Mask, MaskKind, offered};
pub use match3::Match3;
pub use matchq_core::{error, instructions, random};
pub use pieces::{GiveWeighed, Pieces};
pub use puzzle::{ByTiles, Choose, Puzzle, TellByTiles, after_line};
pub use samegame::SameGame;
pub use tetris::Tetris;
pub use text::{Shape, Text, Token, cells_in_words, counted, tidied, tidy};
pub use tile_match::TileMatch;
pub use vector::{Games, Outcome};
pub use weighed::Run;
