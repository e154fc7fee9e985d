//! What a session looks like in a terminal: the board, and beside it the score, the player's view and the board as text.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};

use super::session::{Phase, Session};
use super::tokens::{self, CellSize, Look};
use crate::games::match3::{COLUMNS, MOVES, Move};

/// The cells of the board, the largest first.
const SIZES: [CellSize; 2] = [CellSize { width: 8, height: 3 }, CellSize { width: 6, height: 2 }];
/// Columns beside the board, and between both.
const PANEL: (u16, u16) = (28, 2);
/// Rows above and below the board: the title; a message and the keys.
const AROUND: (u16, u16) = (1, 2);
/// Moves in the list of the best.
const LISTED: usize = 5;

const WATCHING: &str = "q quit   space pause   s next board   m next move   + faster   - slower   n next game";
const WATCHING_SHORT: &str = "q quit  space pause  s board  m move  + faster  - slower  n next game";
const PLAYING: &str = "arrows go/swap  space select  esc unselect  h hint  \
                       p pause  s next board  m next move  + - speed  n next game  q quit";
const PLAYING_SHORT: &str = "arrows go  space select  h hint  p pause  s m step  + - speed  n next  q quit";

/// Draws a session, or the size that is needed where the terminal is too small; whether the session is seen.
pub fn draw(frame: &mut Frame, session: &Session, look: Look) -> bool {
    let area = frame.area();
    let buffer = frame.buffer_mut();
    let cell = SIZES.into_iter().find(|cell| fits(*cell, area));
    match cell {
        Some(cell) => game(buffer, area, cell, session, look),
        None => too_small(buffer, area),
    }
    cell.is_some()
}

/// The columns and rows that a size of cells needs.
fn needed(cell: CellSize) -> (u16, u16) {
    let (width, height) = cell.board();
    (width + PANEL.1 + PANEL.0, AROUND.0 + height + AROUND.1)
}

fn fits(cell: CellSize, area: Rect) -> bool {
    let (width, height) = needed(cell);
    area.width >= width && area.height >= height
}

fn too_small(buffer: &mut Buffer, area: Rect) {
    let (width, height) = needed(SIZES[SIZES.len() - 1]);
    let lines = [
        "the terminal is too small:".to_owned(),
        format!("{} x {}, but {width} x {height}", area.width, area.height),
        "are needed (q quits);".to_owned(),
        "time stands still".to_owned(),
    ];
    for (y, line) in (area.top()..area.bottom()).zip(&lines) {
        buffer.set_stringn(area.left(), y, line, area.width.into(), Style::new());
    }
}

fn game(buffer: &mut Buffer, area: Rect, cell: CellSize, session: &Session, look: Look) {
    let bold = Style::new().add_modifier(Modifier::BOLD);
    let (width, height) = cell.board();
    let (left, top) = (area.left(), area.top());
    let seed = session.seed();
    let title = match session.hand() {
        None => format!("seed {seed}   {} plays", session.player()),
        Some(_) => format!("seed {seed}   you play, {} gives hints", session.player()),
    };
    buffer.set_stringn(left, top, title, area.width.into(), bold);
    tokens::draw(buffer, (left, top + AROUND.0), cell, session, look);
    let panel = Rect::new(left + width + PANEL.1, top + AROUND.0, PANEL.0, height);
    self::panel(buffer, panel, session, look);
    let below = top + AROUND.0 + height;
    buffer.set_stringn(left, below, message(session), area.width.into(), bold);
    let (long, short) = match session.hand() {
        None => (WATCHING, WATCHING_SHORT),
        Some(_) => (PLAYING, PLAYING_SHORT),
    };
    let keys = if long.len() <= area.width.into() { long } else { short };
    let dim = look.coloured(Style::new().fg(Color::Gray), Style::new());
    buffer.set_stringn(left, below + 1, keys, area.width.into(), dim);
}

fn panel(buffer: &mut Buffer, area: Rect, session: &Session, look: Look) {
    let mut y = area.top();
    let mut line = |text: &str, style: Style| {
        buffer.set_stringn(area.left(), y, text, area.width.into(), style);
        y += 1;
    };
    let last = session.last().map_or(String::new(), |last| format!("  ({:+})", last.points));
    let paused = if session.is_paused() { "  paused" } else { "" };
    line(&format!("score       {}{last}", session.score()), Style::new().add_modifier(Modifier::BOLD));
    line(&format!("moves left  {} of {MOVES}", session.moves_left()), Style::new());
    line(&format!("speed       {}x{paused}", session.speed()), Style::new());
    line(&format!("{:<16}{:>9}", "best moves", "value"), Style::new().add_modifier(Modifier::UNDERLINED));
    for rank in 0..LISTED {
        let text = session.view().get(rank).map_or(String::new(), |valued| {
            format!("{} {} {:>9.1}", rank + 1, Move::of_action(valued.action), valued.value)
        });
        line(&text, Style::new());
    }
    line("", Style::new());
    line(&format!("  {}", (0..COLUMNS).map(|x| x.to_string()).collect::<String>()), Style::new());
    let board = session.board();
    for row in 0..board.len() {
        line(&row.to_string(), Style::new());
    }
    for (y, row) in (area.top() + LISTED as u16 + 6..).zip(board) {
        for (x, letter) in (area.left() + 2..).zip(row) {
            buffer.set_string(x, y, letter.to_string(), look.token(letter));
        }
    }
}

/// What is going on, in a line.
fn message(session: &Session) -> String {
    let player = session.player();
    match session.phase() {
        Phase::Choosing => match session.hand() {
            None if session.is_step_due() => format!("{player} thinks, then comes the step"),
            None => format!("{player} thinks"),
            Some(hand) if hand.hint && session.is_thinking() => format!("{player} thinks about a hint"),
            Some(hand) if hand.selected => "which direction is it swapped?".to_owned(),
            Some(_) => "select a token, then swap it in a direction".to_owned(),
        },
        Phase::Chosen => {
            session.view().first().map_or(String::new(), |best| format!("next: {}", Move::of_action(best.action)))
        }
        Phase::Moving(clip) => match (session.last(), clip.wave()) {
            (Some(last), _) => format!("{}: {} points", last.at, last.points),
            (None, wave) => format!("clearing {wave}"),
        },
        Phase::Over => {
            let rival = match (session.hand(), session.rival_score()) {
                (None, _) => String::new(),
                (Some(_), None) => format!(", {player} plays the same game now"),
                (Some(_), Some(score)) => format!(", {player} has {score}"),
            };
            format!("the game is over: {} points{rival}", session.score())
        }
    }
}

#[cfg(test)]
mod tests;
