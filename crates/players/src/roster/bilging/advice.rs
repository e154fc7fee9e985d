use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use matchq_games::bilging::{ACTIONS, Bilging, Bingo, COLUMNS, ROWS, State, bingos, board};
use matchq_games::{Lookahead, Text, cells_in_words, counted};

/// Direct results of a move: points, line lengths, and the board after it, with dots in empty
/// cells.
pub(super) fn of_move(state: &State, action: usize) -> Map<String, Value> {
    let done = Bilging::done(state, action);
    let left = Bilging::wave(&done).map_or(done, |(left, _)| left);
    let first = Bilging::first_break(state, action);
    let leaves: Vec<String> = Bilging::board(&left).lines().map(str::to_owned).collect();
    let fields = [("points", json!(first.points())), ("lines", json!(first.lengths())), ("leaves", json!(leaves))];
    fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// All possible bingos of a board, under the key `bingos`.
pub(super) fn of_board(state: &State) -> Map<String, Value> {
    let written = |bingo: Bingo| {
        let Bingo { row, x, o, direction, anchor, features } = bingo;
        let letter = |piece| letter(piece).to_string();
        json!({"row": row, "x": letter(x), "o": letter(o), "direction": direction, "anchor": anchor, "features": features})
    };
    let all: Vec<Value> = bingos(&state.pieces()).into_iter().map(written).collect();
    [("bingos".to_owned(), all.into())].into_iter().collect()
}

fn letter(piece: u8) -> char {
    Bilging::TOKENS.get(usize::from(piece)).map_or('.', |token| token.letter)
}

/// Swaps that bring a piece of a bingo nearer or make the bingo, each as row and left column.
fn next(bingo: &Bingo, pieces: &[[u8; COLUMNS]; ROWS]) -> Vec<(usize, usize)> {
    let places = bingo.places(pieces);
    if places.iter().all(|place| place.column == place.to) {
        let beside = bingo.anchor.wrapping_add_signed(bingo.direction as isize);
        return vec![(bingo.row, bingo.anchor.min(beside))];
    }
    let mut next = Vec::new();
    for place in places.iter().filter(|place| place.blocker(pieces).is_none()) {
        let swap = place.walk().first().map(|column| (place.row, *column));
        // Two pieces of a row may need the same swap.
        next.extend(swap.filter(|swap| !next.contains(swap)));
    }
    next
}

/// The cells of a swap, by row and left column.
fn pair((row, column): &(usize, usize)) -> String {
    cells_in_words(&[(*row, *column), (*row, column + 1)])
}

/// Text and drawing of a possible bingo with its pieces, ways and blockers: the nearest that the
/// best move serves, else the nearest.
pub(super) fn drawing(state: &State, best: usize) -> String {
    let pieces = state.pieces();
    let (column, row) = board::place(best.min(ACTIONS - 1));
    let mut possible = bingos(&pieces);
    possible.sort_by_key(Bingo::sum);
    let served = possible.iter().position(|bingo| best < ACTIONS && next(bingo, &pieces).contains(&(row, column)));
    let Some(bingo) = possible.get(served.unwrap_or(0)) else {
        return "no bingo is possible yet".to_owned();
    };
    let places = bingo.places(&pieces);
    let (x, o) = (letter(bingo.x), letter(bingo.o));
    let beside = bingo.anchor.wrapping_add_signed(bingo.direction as isize);
    let mut text = format!(
        "{}: {x} in row {} and in column {}, {o} in column {beside}; its pieces are capitals\n\n    ",
        if served.is_some() { "the bingo that the best move serves" } else { "the nearest bingo" },
        bingo.row,
        bingo.anchor
    );
    let mut line = |part: std::fmt::Arguments| text.write_fmt(part).unwrap_or_default();
    (0..COLUMNS).for_each(|column| line(format_args!(" {column}")));
    for (row, pieces) in pieces.iter().enumerate().take(bingo.row + 3).skip(bingo.row.saturating_sub(2)) {
        line(format_args!("\n {row:2} "));
        for (column, piece) in pieces.iter().enumerate() {
            let letter = letter(*piece);
            let taken = places.iter().any(|place| (place.row, place.column) == (row, column));
            line(format_args!(" {}", if taken { letter.to_ascii_uppercase() } else { letter }));
        }
    }
    line(format_args!("\n\n"));
    for place in &places {
        let (row, column, to) = (place.row, place.column, place.to);
        let letter = letter(pieces[row][column]);
        let way = match place.walk().len() {
            0 => "is in its place".to_owned(),
            swaps => format!("goes to column {to}: {}", counted(swaps, "swaps")),
        };
        line(format_args!("{letter} in {} {way}", cells_in_words(&[(row, column)])));
        if let Some(swap) = place.blocker(&pieces) {
            line(format_args!(", but is blocked: swap {} makes a run", pair(&(row, swap))));
        }
        line(format_args!("\n"));
    }
    let next = next(bingo, &pieces);
    let swaps = next.iter().map(pair).collect::<Vec<_>>().join("; ");
    let is_made = places.iter().all(|place| place.column == place.to);
    match swaps.is_empty() {
        true => line(format_args!("no swap of it is free\n")),
        false if is_made => line(format_args!("one swap makes it: {swaps}\n")),
        false => line(format_args!("swaps for it that make no run now: {swaps}\n")),
    }
    if best < ACTIONS {
        line(format_args!(
            "the best move {}\n",
            if served.is_some() && is_made {
                "makes it"
            } else if served.is_some() {
                "is one of them"
            } else {
                "serves something else"
            }
        ));
    }
    text
}
