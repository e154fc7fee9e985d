use std::fmt;

use super::{COLUMNS, ROWS};
use crate::swap;

/// A break: lines that clear together. The text has the lengths in order, such as `335`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Break {
    /// Numbers of lines of three, of four and of five or more pieces.
    counts: [u8; 3],
}

impl Break {
    #[inline]
    pub(super) fn of(runs: &swap::Runs<COLUMNS, ROWS>) -> Self {
        // A single sum holds all three counts, eight bits each.
        let counts = runs.sum(|length| 1 << (8 * (length.min(5) - 3)));
        let [three, four, five, _] = counts.to_le_bytes();
        Self { counts: [three, four, five] }
    }

    /// Break of numbers of lines of three, of four and of five or more pieces.
    #[inline]
    pub const fn new(counts: [u8; 3]) -> Self {
        Self { counts }
    }

    /// Number of lines.
    #[inline]
    pub fn lines(self) -> u32 {
        self.counts.iter().map(|count| u32::from(*count)).sum()
    }

    /// Lengths of the lines, ascending.
    pub fn lengths(self) -> Vec<u32> {
        (3..).zip(self.counts).flat_map(|(length, count)| vec![length; count.into()]).collect()
    }

    /// Points: the sum of the lines times a factor.
    ///
    /// A line of three counts 3, of four 5, of five 7. The factor is the number of lines, at most
    /// 4, or 6 if one of four or more lines has five.
    #[inline]
    pub fn points(self) -> i32 {
        let [three, four, five] = self.counts.map(i32::from);
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
