//! The priority player of articles on playing Bejeweled: the shape of a match first, the points last.

use super::policy::weigh;
use super::{Policy, Valued};
use crate::games::match3::{Certain, Match3, Move, State};
use crate::random::Stream;

/// Plays by a list of priorities: the type of the match, then whether both swapped gems match, then the points of the
/// certain chain. The order is that of J. Woolf, "Bejeweled 1 AI (Part 3): Creating a Smarter AI", 2021. Values only
/// rank the moves.
pub struct Ranked;

/// What a swapped gem matches with, the least first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum MatchType {
    None,
    Three,
    Four,
    Five,
    /// Two runs that cross at the end of both.
    L,
    /// Two runs that cross inside one of them.
    T,
    /// Two runs that cross, with two or more gems on three sides.
    ThreeWay,
}

impl Policy<Match3> for Ranked {
    fn values(&self, state: &State, _: &mut Stream) -> Vec<Valued> {
        /// More than any chain scores.
        const CLASS: f64 = 1e6;
        weigh(state, |mut board, action| {
            let Move { x, y, vertical } = Move::of_action(action);
            let (other_x, other_y) = if vertical { (x, y + 1) } else { (x + 1, y) };
            let swapped = board.swapped(action);
            let types = [match_type(&swapped, x, y), match_type(&swapped, other_x, other_y)];
            let best = types[0].max(types[1]);
            let double = types.iter().all(|kind| *kind > MatchType::None);
            let class = 2 * best as i32 + i32::from(double);
            CLASS * f64::from(class) + f64::from(board.play(action))
        })
    }
}

/// The type of the match that the gem at (x, y) is part of.
fn match_type(board: &Certain, x: usize, y: usize) -> MatchType {
    let Some(gem) = board.gem(x, y) else {
        return MatchType::None;
    };
    // Equal gems in one direction; off the board at the left and the top is a large number, off the board too.
    let arm = |dx: isize, dy: isize| {
        let equal =
            |step: &isize| board.gem(x.wrapping_add_signed(dx * step), y.wrapping_add_signed(dy * step)) == Some(gem);
        (1..).take_while(equal).count()
    };
    let (row, column) = ([arm(-1, 0), arm(1, 0)], [arm(0, -1), arm(0, 1)]);
    let (across, down) = (row[0] + 1 + row[1], column[0] + 1 + column[1]);
    let inside = |arms: [usize; 2]| arms[0] > 0 && arms[1] > 0;
    if across >= 3 && down >= 3 {
        let long = [row, column].as_flattened().iter().filter(|arm| **arm >= 2).count();
        return match inside(row) || inside(column) {
            _ if long >= 3 => MatchType::ThreeWay,
            true => MatchType::T,
            false => MatchType::L,
        };
    }
    match across.max(down) {
        0..=2 => MatchType::None,
        3 => MatchType::Three,
        4 => MatchType::Four,
        _ => MatchType::Five,
    }
}
