use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Lookahead, Step};
use crate::error::{Error, Result};
use crate::random::Draw;

/// Positions and moves as text and JSON, both ways, for the Python package and the commands `play`,
/// `advise`, `replay` and `read`.
pub trait Text: Lookahead {
    /// Description of a board's text for messages.
    const BOARD: &'static str;
    /// Tokens of a board's text.
    const TOKENS: &'static [Token];

    /// Board's text: lines of equal length.
    fn board(state: &Self::State) -> String;

    /// Position of a board's text, in any form that [`tidied`] knows, at rest and possible by the
    /// rules; an error names row and column.
    ///
    /// `actions_left` counts only where the rules do; `None` means those of a new game.
    fn parse(rules: &Self::Rules, board: &str, actions_left: Option<i64>) -> Result<Self::State>;

    /// An action in words, by default `swap (6, 2) and (7, 2)`: cells are (row, column), both from
    /// 0, from the top left of the board's text.
    fn words(state: &Self::State, action: usize) -> String {
        let mut cells: Vec<String> =
            Self::cells(state, action).into_iter().map(|(row, column)| format!("({row}, {column})")).collect();
        match cells.pop() {
            Some(last) if !cells.is_empty() => format!("swap {} and {last}", cells.join(", ")),
            last => last.unwrap_or_default(),
        }
    }

    /// Cells (row, column) of the board's text that an action moves, or in which the action puts a
    /// piece. A person chooses a move on the page by its only cell, or by its two neighbours.
    fn cells(state: &Self::State, action: usize) -> Vec<(usize, usize)>;

    /// An action as JSON, such as `[2, 6, true]`; by default its number.
    fn to_json(action: usize) -> Value {
        action.into()
    }

    /// Action of a JSON value; errors do not name the value's place. A number from
    /// [`ACTIONS`](Game::ACTIONS) on is a wasted move, where allowed.
    fn from_json(value: &Value) -> std::result::Result<usize, String> {
        let action = value.as_u64().filter(|action| *action < Self::ACTIONS as u64);
        action.map(|action| action as usize).ok_or_else(|| format!("a move is a number below {}", Self::ACTIONS))
    }

    /// Plays an action as [`step`](Game::step) does, and returns the boards on the way without the
    /// last, by default none; a space is a cell just cleared or not yet filled.
    fn frames(&mut self, action: usize, draw: &mut impl Draw) -> (Step, Vec<String>) {
        (self.step(action, draw), Vec::new())
    }
}

/// A token of a board: letter and drawing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Token {
    /// Letter of the token in a board's text.
    pub letter: char,
    /// Red, green and blue.
    pub colour: [u8; 3],
    /// Outline of the token.
    pub shape: Shape,
}

/// Outline by which a token is drawn and can be told without its colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    /// A disc.
    Circle,
    /// A square with round corners.
    Square,
    /// A triangle that stands on a side.
    Triangle,
    /// A square that stands on a corner.
    Diamond,
    /// Five equal sides.
    Pentagon,
    /// Six equal sides.
    Hexagon,
    /// A star of five points.
    Star,
    /// The whole cell.
    Block,
}

/// A board's [tidy] text; an error if nothing is left.
pub fn tidied<G: Text>(board: &str) -> Result<String> {
    Some(tidy(board))
        .filter(|board| !board.is_empty())
        .ok_or_else(|| Error::user(format!("the board is empty: it must be {}", G::BOARD)))
}

/// A board's text without what editors, other systems and `matchq play` add: a byte order mark,
/// blanks at the ends of lines, blank lines before and after, and numbers of rows and columns.
pub fn tidy(text: &str) -> String {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    while lines.pop_if(|line| line.is_empty()).is_some() {}
    let lines = &lines[lines.iter().take_while(|line| line.is_empty()).count()..];
    unnumbered(lines).unwrap_or_else(|| lines.join("\n"))
}

/// Rows without a first line `  0123..` and the row's number before each; `None` if a line lacks
/// it.
fn unnumbered(lines: &[&str]) -> Option<String> {
    let (head, rows) = lines.split_first()?;
    let edge = head.len() - head.trim_start().len();
    let digits = (edge..head.len()).all(|x| head.as_bytes()[x] == b'0' + ((x - edge) % 10) as u8);
    let row = |(y, line): (usize, &&str)| {
        let (number, row) = line.split_at_checked(edge)?;
        (number.trim_end() == y.to_string()).then(|| row.to_owned())
    };
    let rows: Option<Vec<String>> = rows.iter().enumerate().map(row).collect();
    rows.filter(|rows| digits && edge > 0 && !rows.is_empty()).map(|rows| rows.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::tidy;

    #[test]
    fn a_board_is_the_same_in_any_form() {
        let board = "ab\nc#\nd.";
        for form in [
            "ab\nc#\nd.\n",
            "\u{feff}ab\r\nc#\r\nd.\r\n",
            "\n \nab  \nc#\t\nd.\n\n \n",
            "  01\n0 ab\n1 c#\n2 d.",
            "\n  01  \n0 ab \n1 c#\n2 d.\n\n",
        ] {
            assert_eq!(tidy(form), board, "{form:?}");
        }
        let rows = ["abcdefghijkl"; 11];
        let numbered = rows.iter().enumerate().map(|(y, row)| format!("{y:<3}{row}"));
        let numbered = std::iter::once("   012345678901".to_owned()).chain(numbered).collect::<Vec<_>>();
        assert_eq!(tidy(&numbered.join("\n")), rows.join("\n"));
        // What is not numbered throughout stays.
        for odd in
            ["  01", "  01\n1 ab", "  02\n0 ab", "  01\n0 ab\n\n2 ab", "  01\nä ab", "012\n120", " ab\nb", "ab\n\nab"]
        {
            assert_eq!(tidy(odd), odd);
        }
        assert_eq!([tidy(""), tidy("\n \n")], ["", ""]);
    }
}
