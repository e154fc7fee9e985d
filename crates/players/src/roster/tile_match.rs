use super::{Measured, Roster};
use crate::games::TileMatch;

impl Measured for TileMatch {}

impl Roster for TileMatch {
    const ABOUT: &'static str = "8 x 8 tiles of four colours, 50 swaps, a point a tile; LMGame-Bench's Candy Crush";
}
