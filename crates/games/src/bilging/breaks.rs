use std::fmt;

use super::{COLUMNS, ROWS};
use crate::swap;

/// A break: the lines that clear together, by their lengths. Its text is the lengths in order, such
/// as `335`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Break {
    /// Numbers of lines of three, of four and of five or more pieces.
    lengths: [u8; 3],
}

impl Break {
    #[inline]
    pub(super) fn of(runs: &swap::Runs<COLUMNS, ROWS>) -> Self {
        // All three counts in one sum, eight bits each.
        let counts = runs.sum(|length| 1 << (8 * (length.min(5) - 3)));
        let [three, four, five, _] = counts.to_le_bytes();
        Self { lengths: [three, four, five] }
    }

    /// Break of a number of lines of three, of four and of five pieces.
    #[inline]
    pub const fn new(lengths: [u8; 3]) -> Self {
        Self { lengths }
    }

    /// Number of lines.
    #[inline]
    pub fn lines(self) -> u32 {
        self.lengths.iter().map(|count| u32::from(*count)).sum()
    }

    /// Lengths of the lines, ascending.
    pub fn lengths(self) -> Vec<u32> {
        (3..).zip(self.lengths).flat_map(|(length, count)| vec![length; count.into()]).collect()
    }

    /// The points: the sum of the lines times a factor that grows with their number.
    ///
    /// A line of three counts 3, of four 5, of five 7. The factor is the number of lines, at most
    /// 4, and 6 for four lines or more with one of five among them.
    #[inline]
    pub fn points(self) -> i32 {
        let [three, four, five] = self.lengths.map(i32::from);
        let factor = match three + four + five {
            lines @ 0..4 => lines,
            _ if five > 0 => 6,
            _ => 4,
        };
        (3 * three + 5 * four + 7 * five) * factor
    }
}

impl fmt::Display for Break {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lengths().iter().try_for_each(|length| write!(f, "{length}"))
    }
}
