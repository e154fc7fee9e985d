//! A player's advice as a table.

use crate::games::counted;
use crate::players::{Advice, Advised, Playable};

/// Most words of a move.
const LONGEST: usize = 60;

/// The board with the best move marked, what the values are, the best move, and all moves.
pub fn table<G: Playable>(player: &str, state: &G::State, advice: &Advice) -> String {
    let mut text = player.to_owned();
    let left = G::actions_left(state);
    if left > 0 {
        text += &format!(", moves left: {left}");
    }
    text += &format!("\n\n{}\n", board::<G>(state, advice.moves.first()));
    text += &format!("{}\n", advice.meaning.sentence::<G>());
    if let Some(best) = advice.moves.first() {
        text += &format!("The best move{}.\n", told::<G>(best));
    }
    text += &moves::<G>(state, advice);
    let drawing = advice.moves.first().map_or(String::new(), |best| G::advice(state, best.action));
    if !drawing.is_empty() {
        text += &format!("\n{}\n", drawing.trim_end());
    }
    text
}

/// The board with numbered rows and columns: cells of the move in brackets, rows that it completes
/// named.
fn board<G: Playable>(state: &G::State, best: Option<&Advised>) -> String {
    let board = G::board(state);
    let cells = best.map_or(vec![], |best| G::cells(state, best.action));
    let mut text = "  ".to_owned();
    (0..board.lines().next().map_or(0, |row| row.chars().count())).for_each(|x| text += &format!(" {} ", x % 10));
    text += "\n";
    for (y, row) in board.lines().enumerate() {
        text += &format!("{y:<2}");
        for (x, letter) in row.chars().enumerate() {
            text += &match cells.contains(&(y, x)) {
                true => format!("[{letter}]"),
                false => format!(" {letter} "),
            };
        }
        let full = |(x, letter): (usize, char)| letter != EMPTY || cells.contains(&(y, x));
        let cleared = G::PIECES.is_some() && cells.iter().any(|(row, _)| *row == y);
        if cleared && row.chars().enumerate().all(full) {
            text += " cleared";
        }
        text += "\n";
    }
    text
}

/// What the best move gains and prepares, as the rest of a sentence.
fn told<G: Playable>(best: &Advised) -> String {
    let now = match best.gains {
        0.0 => " gains nothing at once".to_owned(),
        costs if costs < 0.0 => format!(" costs {} at once", counted(short(-costs), G::UNIT)),
        gains => format!(" gains {} for certain", counted(short(gains), G::UNIT)),
    };
    let next = best
        .next
        .as_ref()
        .map_or(String::new(), |next| format!(", and the best next one ({}) {}", next.words, short(next.gains)));
    now + &next
}

fn moves<G: Playable>(state: &G::State, advice: &Advice) -> String {
    let words: Vec<String> = advice.moves.iter().map(|advised| G::words(state, advised.action)).collect();
    let width = words.iter().map(|words| words.chars().count()).max().unwrap_or(0).min(LONGEST);
    let sure = advice.moves.iter().any(|advised| advised.half_width.is_some());
    let plans = advice.moves.iter().any(|advised| advised.next.is_some());
    let mut text = format!("\nrank  {:width$}  {:>9}  {:>8}", "move", "value", "costs");
    text += if sure { "          " } else { "" };
    text += "      now";
    text += if plans { "    next" } else { "" };
    let mut gone = false;
    for (rank, (advised, words)) in (1..).zip(advice.moves.iter().zip(&words)) {
        if advised.dropped && !std::mem::replace(&mut gone, true) {
            text += "\n      given up early, after few simulations:";
        }
        let cost = if rank == 1 { String::new() } else { format!("{:.1}", advised.cost) };
        let mut line = format!("\n{rank:4}  {words:width$}  {:9.1}  {cost:>8}", advised.value);
        if sure {
            let half = advised.half_width.map_or(String::new(), |half| format!(" ± {half:.1}"));
            line += &format!("{half:10}");
        }
        line += &format!("  {:>7}", short(advised.gains));
        if plans {
            let next = advised.next.as_ref().map_or("-".to_owned(), |next| short(next.gains));
            line += &format!(" {next:>7}");
        }
        text += line.trim_end();
    }
    text += "\n\ncosts: the best move's value less this one's";
    text += if sure { ", with its 95 % interval\n" } else { "\n" };
    if G::PIECES.is_none() {
        text += "rows and columns: from 0, from the top left\n";
    }
    text += &format!("now: {} for certain", G::UNIT);
    text += if plans { "; next: those of the best next move, for certain\n" } else { "\n" };
    text
}

/// A number without a fraction of 0.
fn short(number: f64) -> String {
    let text = format!("{number:.1}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

const EMPTY: char = '.';

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::match3::Move;
    use crate::games::{Game, Match3, Tetris, Text};
    use crate::players::{Meaning, Next};

    const BOARD: &str =
        "dda#cbdc\ndc#c#dcb\na#cc#bbc\na#ab###a\ncdc##d#d\nd#c##ba#\nd####adc\nb#cacb#b\nbb#d#ac#\ndac#c#a#";

    fn advised(action: usize, value: f64, best: f64) -> Advised {
        Advised { action, value, cost: best - value, half_width: None, dropped: false, gains: 0.0, next: None }
    }

    #[test]
    fn the_table_marks_the_best_move_and_says_what_it_gains_and_what_the_others_cost() {
        let state = Match3::parse(&Default::default(), BOARD, Some(1)).unwrap();
        let best = Move { x: 2, y: 6, vertical: true }.action().unwrap();
        let next = Next { action: 0, words: "swap column 0, rows 0 and 1".to_owned(), cells: vec![], gains: 30.0 };
        let moves = vec![
            Advised { gains: 15.0, next: Some(next), ..advised(best, 16.25, 16.25) },
            Advised { half_width: Some(1.5), gains: -5.0, ..advised(0, 12.0, 16.25) },
            Advised { dropped: true, ..advised(1, -5.0, 16.25) },
        ];
        let text = table::<Match3>("x", &state, &Advice { meaning: Meaning::points("the mean of y"), moves });
        assert!(text.starts_with("x, moves left: 1\n\n   0  1  2 "), "{text}");
        for part in [
            "\n6  d  # [#] #  #  a  d  c \n7  b  # [c] a ",
            "\nA value is the mean of y, in points.\n\
             The best move gains 15 points for certain, and the best next one (swap column 0, rows 0 and 1) 30.\n",
            "\n   1  swap column 2, rows 6 and 7       16.2                           15      30\n",
            "\n   2  swap column 0, rows 0 and 1       12.0       4.2 ± 1.5           -5       -\n",
            "\n      given up early, after few simulations:\n   3  ",
        ] {
            assert!(text.contains(part), "{part:?} in\n{text}");
        }
    }

    #[test]
    fn rows_that_a_piece_completes_are_named_on_the_board() {
        let rows = format!("{}#######.##\n#######.##", "..........\n".repeat(18));
        let state = Tetris::parse(&Default::default(), &format!("..........\n...IIII...\n{rows}"), None).unwrap();
        let upright = (0..Tetris::ACTIONS)
            .find(|action| {
                let cells = Tetris::cells(&state, *action);
                cells.len() == 4 && cells.iter().all(|(_, x)| *x == 7)
            })
            .unwrap();
        let text = super::board::<Tetris>(&state, Some(&advised(upright, 1.0, 1.0)));
        assert!(text.lines().filter(|line| line.ends_with(" cleared")).count() == 2, "{text}");
        assert!(text.contains("[.] #  #  cleared\n"), "{text}");
    }
}
