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

    /// An action in words that need no order of coordinates, by default `swap column 2, rows 6 and
    /// 7`, of one cell `row 3, column 4`; both count from 0, from the top left of the board's text.
    fn words(state: &Self::State, action: usize) -> String {
        let cells = Self::cells(state, action);
        format!("{}{}", if cells.len() > 1 { "swap " } else { "" }, cells_in_words(&cells))
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

/// Cells (row, column) in words: `column 2, rows 6 and 7` in one column, `row 3, columns 4 and 5` in
/// one row, else cell by cell.
pub fn cells_in_words(cells: &[(usize, usize)]) -> String {
    let (rows, columns): (Vec<usize>, Vec<usize>) = cells.iter().copied().unzip();
    let single = |numbers: &[usize]| numbers.windows(2).all(|pair| pair[0] == pair[1]);
    let listed = |numbers: &[usize]| {
        let numbers: Vec<String> = numbers.iter().map(usize::to_string).collect();
        numbers.split_last().map_or(String::new(), |(last, before)| format!("{} and {last}", before.join(", ")))
    };
    match cells {
        [] => String::new(),
        [(row, column)] => format!("row {row}, column {column}"),
        [(row, _), ..] if single(&rows) => format!("row {row}, columns {}", listed(&columns)),
        [(_, column), ..] if single(&columns) => format!("column {column}, rows {}", listed(&rows)),
        _ => cells.iter().map(|cell| cells_in_words(&[*cell])).collect::<Vec<_>>().join("; "),
    }
}

/// A number with its unit, a plural such as `points`, which loses its s after 1.
pub fn counted(number: impl ToString, unit: &str) -> String {
    let number = number.to_string();
    let is_one = number.trim_start_matches(['+', '-']) == "1";
    format!("{number} {}", if is_one { unit.strip_suffix('s').unwrap_or(unit) } else { unit })
}

/// A board's text without what editors, other systems and the program itself add: characters that
/// nobody sees, blanks at the ends of lines, blank lines before and after, and the numbers of rows and
/// columns with the marks of a move, as `matchq play` and `advise` draw them.
pub fn tidy(text: &str) -> String {
    let text: String = text.chars().filter(|letter| !is_invisible(*letter)).collect();
    let mut lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    while lines.pop_if(|line| line.is_empty()).is_some() {}
    let lines = &lines[lines.iter().take_while(|line| line.is_empty()).count()..];
    unnumbered(lines).unwrap_or_else(|| lines.join("\n"))
}

/// Whether a character has no width: byte order marks, zero-width spaces, soft hyphens, directions.
fn is_invisible(letter: char) -> bool {
    matches!(letter, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}')
}

/// Rows below a line of column numbers, each behind its own number; `None` if a line lacks it.
///
/// A letter stands below its column's number. Beside letters may be blanks and marks of a move, and
/// at a row's end the note `cleared`.
fn unnumbered(lines: &[&str]) -> Option<String> {
    let (head, rows) = lines.split_first()?;
    let places: Vec<usize> = (0..).zip(head.chars()).filter(|(_, digit)| *digit != ' ').map(|(at, _)| at).collect();
    let digits = head.chars().filter(|digit| *digit != ' ');
    let counts = (0..).zip(digits).all(|(x, digit)| char::from_digit(x % 10, 10) == Some(digit));
    let edge = *places.first().filter(|edge| counts && **edge > 0 && !rows.is_empty())?;
    let row = |(y, line): (usize, &&str)| {
        let line: Vec<char> = line.strip_suffix(" cleared").unwrap_or(line).chars().collect();
        let is_mark = |at: &usize| " []*".contains(line[*at]);
        let letters = |from: usize, to: usize, kept: &dyn Fn(&usize) -> bool| -> String {
            (from..to).filter(kept).map(|at| line[at]).collect()
        };
        let number = letters(0, edge.min(line.len()), &|at| !is_mark(at));
        // A row that is too long is told so by its reader.
        let row = letters(edge, line.len(), &|at| places.contains(at) || !is_mark(at));
        (number == y.to_string()).then_some(row)
    };
    let rows: Option<Vec<String>> = rows.iter().enumerate().map(row).collect();
    rows.map(|rows| rows.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::{cells_in_words, counted, tidy};

    #[test]
    fn cells_are_told_without_an_order_of_coordinates() {
        for (cells, words) in [
            (&[(1, 7), (2, 7)][..], "column 7, rows 1 and 2"),
            (&[(3, 4), (3, 5)], "row 3, columns 4 and 5"),
            (&[(3, 4)], "row 3, column 4"),
            (&[(0, 1), (0, 2), (0, 3)], "row 0, columns 1, 2 and 3"),
            (&[(0, 1), (2, 3)], "row 0, column 1; row 2, column 3"),
            (&[], ""),
        ] {
            assert_eq!(cells_in_words(cells), words);
        }
    }

    #[test]
    fn a_unit_is_singular_after_one() {
        assert_eq!([0, 1, -1, 2].map(|n| counted(n, "lines")), ["0 lines", "1 line", "-1 line", "2 lines"]);
        assert_eq!([counted("1.5", "points"), counted("+1", "points")], ["1.5 points", "+1 point"]);
    }

    #[test]
    fn a_board_is_the_same_in_any_form() {
        let board = "ab\nc#\nd.";
        for form in [
            "ab\nc#\nd.\n",
            "\u{feff}ab\r\nc#\r\nd.\r\n",
            "\n \nab  \nc#\t\nd.\n\n \n",
            "  01\n0 ab\n1 c#\n2 d.",
            "\n  01  \n0 ab \n1 c#\n2 d.\n\n",
            // As `advise` and the screen of `play` mark a move.
            "   0  1 \n0  a  b \n1 [c] # \n2 [d] . cleared\n",
            "  0 1 \n0 a b \n1 c*# \n2 d*. ",
            // Characters that nobody sees.
            "\u{200b}a\u{2060}b\nc#\u{ad}\n\u{202a}d.\u{202c}\u{200b}\n\u{200b}",
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
