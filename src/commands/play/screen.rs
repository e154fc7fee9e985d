//! The screen: a board beside the score and the best moves, above the keys.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Style, Stylize};
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::{Paragraph, Wrap};

use super::session::{Phase, Session};
use crate::games::{Shape, counted};
use crate::players::{Playable, Scale};

const KEYS: &str = "q quit  space pause  s board  m move  + - speed  n next game";
/// Columns between board and panel; least columns of the panel.
const PANEL: (u16, u16) = (2, 20);
/// Most rows, unless the board needs more: the keys stay near a low board.
const ROWS: u16 = 24;
/// Most moves listed.
const LISTED: usize = 10;
/// First colour of the cube in the palette of 256, after 16 of the user's own.
const CUBE: u8 = 16;
const BLACK: Color = Color::Indexed(CUBE);
const WHITE: Color = Color::Indexed(231);
const GREY: Color = Color::Indexed(252);

/// Draws a session, or the needed size if the terminal is too small; returns whether the session is
/// visible.
pub fn draw<G: Playable>(frame: &mut Frame, session: &Session<G>, colours: bool) -> bool {
    let area = frame.area();
    let board = board(session);
    let (width, height) = (board.width() as u16, board.height() as u16);
    let needed = (width + PANEL.0 + PANEL.1, height + 1);
    let fits = area.width >= needed.0 && area.height >= needed.1;
    if fits {
        let area = Rect { height: area.height.min(needed.1.max(ROWS)), ..area };
        let [above, keys] = Layout::vertical([Constraint::Fill(1), Constraint::Length(1)]).areas(area);
        let columns = [Constraint::Length(width), Constraint::Length(PANEL.0), Constraint::Fill(1)];
        let [left, _, right] = Layout::horizontal(columns).areas(above);
        frame.render_widget(board, left);
        frame.render_widget(panel(session), right);
        frame.render_widget(KEYS.dim(), keys);
    } else {
        let (needed, here) = (format!("{} x {}", needed.0, needed.1), format!("{} x {}", area.width, area.height));
        let text = format!("too small: it needs {needed}, and has {here}; time stands still; q quits");
        frame.render_widget(Paragraph::new(text).wrap(Wrap { trim: true }), area);
    }
    if !colours {
        frame.buffer_mut().content.iter_mut().for_each(|cell| (cell.fg, cell.bg) = (Color::Reset, Color::Reset));
    }
    fits
}

/// The board with coordinates, in cells of two columns; a star marks the cells of the best move.
fn board<G: Playable>(session: &Session<G>) -> Text<'static> {
    let board = session.board();
    let marked = session.choice().map_or(&[][..], |best| &best.cells);
    let (columns, rows) = (board.lines().next().map_or(0, |row| row.chars().count()), board.lines().count());
    let edge = rows.saturating_sub(1).to_string().len() + 1;
    let head = (0..columns).map(|x| format!("{:<2}", x % 10)).collect::<String>();
    let above = G::PIECES.map_or(0, |pieces| pieces.rows());
    let row = |(y, row): (usize, &str)| {
        let cell = |(x, letter)| {
            // Nothing is empty above the wall.
            let letter = if letter == '.' && y < above { ' ' } else { letter };
            let style = style::<G>(letter);
            let mark = if marked.contains(&(y, x)) { "*".fg(BLACK).bg(WHITE).bold() } else { Span::styled(" ", style) };
            [Span::styled(letter.to_string(), style), mark]
        };
        Line::from_iter([format!("{y:<edge$}").dim()].into_iter().chain(row.chars().enumerate().flat_map(cell)))
    };
    let head = Line::from(format!("{:edge$}{head}", "")).dim();
    Text::from_iter([head].into_iter().chain(board.lines().enumerate().map(row)))
}

fn style<G: Playable>(letter: char) -> Style {
    match G::TOKENS.iter().find(|token| token.letter == letter) {
        None => Style::new(),
        Some(token) => {
            let ground = Style::new().bg(Color::Indexed(indexed(token.colour)));
            if token.shape == Shape::Block { ground.fg(GREY) } else { ground.fg(BLACK).bold() }
        }
    }
}

/// The nearest colour of the cube in the palette of 256, whose steps are 0, 95, 135, 175, 215, 255.
fn indexed(colour: [u8; 3]) -> u8 {
    let [red, green, blue] = colour.map(|part| if part < 48 { 0 } else { part.saturating_sub(35).max(40) / 40 });
    CUBE + 36 * red + 6 * green + blue
}

fn panel<G: Playable>(session: &Session<G>) -> Text<'static> {
    let row = |label: &str, text: String| Line::from_iter([format!("{label:<8}").dim(), text.into()]);
    let left = session.moves_left().map(|(left, all)| row("moves", format!("{left} of {all} left")));
    let paused = if session.paused { ", paused" } else { "" };
    let now = match &session.phase {
        Phase::Asking | Phase::Thinking if session.due.is_some() => "thinking, then comes the step",
        Phase::Asking | Phase::Thinking => "thinking",
        Phase::Chosen => "the best is chosen",
        Phase::Moving(_) => "the best is played",
        Phase::Over => "the game is over",
    };
    let values = match session.scale {
        Scale::Points => "best moves",
        Scale::Relative => "best moves, to an average future",
        Scale::Own => "best moves, on the player's scale",
    };
    let rows = [
        row("player", session.player.clone()),
        row("seed", session.seed.to_string()),
        row("score", counted(session.score, G::UNIT)),
    ];
    let more = [
        row("speed", format!("{}x{paused}", session.speed)),
        row("last", session.last.clone()),
        row("now", now.to_owned()),
        row("  value", values.to_owned()),
    ];
    let best = session.ranking.iter().take(LISTED).map(|best| format!("{:>7.1} {}", best.value, best.words).into());
    Text::from_iter(rows.into_iter().chain(left).chain(more).chain(best))
}

#[cfg(test)]
mod tests;
