//! What players and commands need of the game beside its rules.

use matchq::players::{Measured, Playable, Roster};

use crate::rules::Groups;

impl Measured for Groups {}

impl Playable for Groups {}

impl Roster for Groups {
    const ABOUT: &'static str = "groups of equal tiles on 6 x 5 cells of four colours, 20 moves";
}
