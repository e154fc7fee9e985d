//! What a player is: how it is asked, what its values mean, and what a game says of its scores.

mod measured;
mod player;
mod policy;
mod valued;

pub use measured::{Forecast, Importance, Measured, in_search};
pub use player::{BoxedPlayer, Player, PolicyPlayer, position_stream};
pub use policy::{Moved, Policy};
pub(crate) use policy::{certain_values, ends, of_first_wave, play_by_choice, quiet_too, weigh, weigh_certain};
pub use valued::{Listed, Meaning, Scale, Valued, best, in_words};
pub(crate) use valued::{highest, shuffle, sort, sorted};
