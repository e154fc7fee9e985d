use super::{Measured, Roster};
use crate::games::toy::Toy;

impl Measured for Toy {}

impl Roster for Toy {
    const ABOUT: &'static str = "match-3 on 3 x 4 cells with 3 colours and 4 moves, which can be solved exactly";
}
