//! Screen of a session: the board beside a panel.
//!
//! The panel also has a board of gems as text.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use super::canvas::CellSize;
use super::keys::{self, Role};
use super::look::{GREY, Look};
use super::picture::edge;
use super::session::{Hand, Phase, Session};
use super::{pieces, tokens};
use crate::players::Roster;

/// Minimum columns of the panel; columns between board and panel.
const PANEL: (u16, u16) = (28, 2);
/// Rows above and below the board: title; message and keys.
const AROUND: (u16, u16) = (1, 2);
/// Rows above and below a low board.
const AROUND_LOW: (u16, u16) = (0, 1);
/// Number of best moves listed.
const LISTED: usize = 5;

/// Draws a session, or the needed size if the terminal is too small, and on top all keys if wanted;
/// returns whether the session is visible.
pub fn draw<G: Roster>(frame: &mut Frame, session: &Session<G>, look: Look, keys: bool) -> bool {
    let area = frame.area();
    let buffer = frame.buffer_mut();
    let board = session.board().size();
    let sizes = sizes::<G>();
    let cell = sizes.iter().find(|cell| fits(needed::<G>(**cell, board), area));
    match cell {
        Some(cell) => game(buffer, area, *cell, session, look),
        None => too_small(buffer, area, needed::<G>(sizes[sizes.len() - 1], board)),
    }
    if keys && cell.is_some() {
        keys::draw(buffer, area, role(session), look);
    }
    cell.is_some()
}

fn sizes<G: Roster>() -> &'static [CellSize] {
    if has_pieces::<G>() { &pieces::SIZES } else { &tokens::SIZES }
}

fn has_pieces<G: Roster>() -> bool {
    !G::PIECES.is_empty()
}

fn role<G: Roster>(session: &Session<G>) -> Role {
    match session.hand() {
        None => Role::Watching,
        Some(_) if has_pieces::<G>() => Role::Steering,
        Some(_) => Role::Swapping,
    }
}

/// Columns and rows needed with cells of a size.
fn needed<G: Roster>(cell: CellSize, board: (usize, usize)) -> (u16, u16) {
    let width = cell.board(board).0 + PANEL.1 + panel_size::<G>(cell, board).0;
    let (above, below) = around(cell);
    (width.max(keys::LINE), above + middle::<G>(cell, board) + below)
}

fn around(cell: CellSize) -> (u16, u16) {
    if cell.is_low() { AROUND_LOW } else { AROUND }
}

fn panel_size<G: Roster>(cell: CellSize, (_, rows): (usize, usize)) -> (u16, u16) {
    // Rank, move and value; score, moves left, speed, heading, empty line, and the board's text
    // with coordinates or title and message.
    let rows = if cell.is_low() || has_pieces::<G>() { 1 } else { rows };
    (PANEL.0.max(G::LISTED as u16 + 12), (LISTED + rows) as u16 + 6)
}

fn middle<G: Roster>(cell: CellSize, board: (usize, usize)) -> u16 {
    cell.board(board).1.max(panel_size::<G>(cell, board).1)
}

fn fits((width, height): (u16, u16), area: Rect) -> bool {
    area.width >= width && area.height >= height
}

fn too_small(buffer: &mut Buffer, area: Rect, (width, height): (u16, u16)) {
    let lines = [
        "too small: it needs".to_owned(),
        format!("{width} x {height}, and has"),
        format!("{} x {}; time", area.width, area.height),
        "stands still; q quits".to_owned(),
    ];
    for (y, line) in (area.top()..area.bottom()).zip(&lines) {
        buffer.set_stringn(area.left(), y, line, area.width.into(), Style::new());
    }
}

fn game<G: Roster>(buffer: &mut Buffer, area: Rect, cell: CellSize, session: &Session<G>, look: Look) {
    let bold = Style::new().add_modifier(Modifier::BOLD);
    let board = session.board().size();
    let (width, height) = (cell.board(board).0, middle::<G>(cell, board));
    let (left, top) = (area.left(), area.top() + around(cell).0);
    let low = cell.is_low();
    if !low {
        buffer.set_stringn(left, area.top(), title(session), area.width.into(), bold);
    }
    match has_pieces::<G>() {
        true => pieces::draw(buffer, (left, top), cell, session, look),
        false => tokens::draw(buffer, (left, top), cell, session, look),
    }
    let from = left + width + PANEL.1;
    self::panel(buffer, Rect::new(from, top, area.right() - from, height), session, look, low);
    let below = if low { top + height } else { top + height + 1 };
    if !low {
        buffer.set_stringn(left, below - 1, message(session), area.width.into(), bold);
    }
    buffer.set_stringn(left, below, role(session).line(), area.width.into(), look.fg(GREY));
}

fn title<G: Roster>(session: &Session<G>) -> String {
    let seed = session.seed();
    match session.hand() {
        None => format!("seed {seed}   {} plays", session.player()),
        Some(_) => format!("seed {seed}   you play, {} gives hints", session.player()),
    }
}

/// Score and best moves, then the text of a board of gems, or title and message beside a low board.
fn panel<G: Roster>(buffer: &mut Buffer, area: Rect, session: &Session<G>, look: Look, low: bool) {
    let bold = Style::new().add_modifier(Modifier::BOLD);
    let mut y = area.top();
    let mut line = |text: &str, style: Style| {
        if y < area.bottom() {
            buffer.set_stringn(area.left(), y, text, area.width.into(), style);
        }
        y += 1;
    };
    if low {
        line(&title(session), bold);
    }
    let last = session.last().map_or(String::new(), |last| format!("  ({:+})", last.points));
    let paused = if session.is_paused() { "  paused" } else { "" };
    line(&format!("score       {}{last}", session.score()), bold);
    if let Some((left, all)) = session.moves_left() {
        line(&format!("moves left  {left} of {all}"), Style::new());
    }
    line(&format!("speed       {}x{paused}", session.speed()), Style::new());
    let width = G::LISTED + 3;
    line(&format!("{:<width$}{:>9}", "best moves", "value"), Style::new().add_modifier(Modifier::UNDERLINED));
    for rank in 0..LISTED {
        let text = session.ranking().get(rank).map_or(String::new(), |valued| {
            format!("{} {:3$.3$} {:>9.1}", rank + 1, session.listed(rank), valued.value, G::LISTED)
        });
        line(&text, Style::new());
    }
    line("", Style::new());
    if low {
        return wrapped(&message(session), area.width.into()).iter().for_each(|text| line(text, bold));
    }
    if has_pieces::<G>() {
        return;
    }
    let board = session.board();
    board.numbered().iter().for_each(|text| line(text, Style::new()));
    let (_, rows) = board.size();
    let corner = (area.left() + edge(rows) as u16, y - rows as u16);
    for (x, y, letter) in board.cells() {
        let style = look.token(tokens::token_of::<G>(letter));
        buffer.set_string(corner.0 + x as u16, corner.1 + y as u16, letter.to_string(), style);
    }
}

/// A text in lines of at most `width` columns, unless a word is longer.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => *line += &format!(" {word}"),
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// The state as a line.
fn message<G: Roster>(session: &Session<G>) -> String {
    let player = session.player();
    if let Some(notice) = session.notice() {
        return notice.to_owned();
    }
    let is_hint = |action| session.ranking().first().is_some_and(|best| best.action == action);
    match session.phase() {
        Phase::Choosing => match session.hand() {
            None if session.is_step_due() => format!("{player} thinks, then comes the step"),
            None => format!("{player} thinks"),
            Some(hand) if hand.hint && session.is_thinking() => format!("{player} thinks about a hint"),
            Some(Hand { steered: Some(action), .. }) if is_hint(action) => {
                "here it is best: down lets it fall".to_owned()
            }
            Some(Hand { steered: Some(_), .. }) => "left and right move, up turns, down lets it fall".to_owned(),
            Some(hand) if hand.selected => "which direction is it swapped?".to_owned(),
            Some(_) => "select a token, then swap it in a direction".to_owned(),
        },
        Phase::Chosen => session.ranking().first().map_or(String::new(), |_| format!("next: {}", session.words(0))),
        Phase::Moving(clip) => match (session.last(), clip.wave()) {
            (Some(last), _) => format!("{}: {} {}", last.words, last.points, G::UNIT),
            (None, 0) => "a move is on its way".to_owned(),
            (None, wave) => format!("clearing {wave}"),
        },
        Phase::Over => format!("the game is over: {} {}", session.score(), G::UNIT),
    }
}

#[cfg(test)]
mod tests;
