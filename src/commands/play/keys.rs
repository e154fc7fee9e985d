//! The keys: the most needed in a line, all of them in a box.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::symbols::border;
use ratatui::widgets::{Block, Clear, Paragraph, Widget};

use super::look::{DARK, GOLD, LIGHT, Look};

/// What a person does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    Watching,
    /// Swaps tokens.
    Swapping,
    /// Steers falling pieces.
    Steering,
}

const ASCII: border::Set = border::Set {
    top_left: "+",
    top_right: "+",
    bottom_left: "+",
    bottom_right: "+",
    vertical_left: "|",
    vertical_right: "|",
    horizontal_top: "-",
    horizontal_bottom: "-",
};

/// Columns of the longest line of keys.
pub const LINE: u16 = 68;

impl Role {
    /// The most needed keys.
    pub fn line(self) -> &'static str {
        match self {
            Self::Watching => "q quit  space pause  s board  m move  + - speed  n next game  ? keys",
            Self::Swapping => "arrows go  space select  h hint  n next game  q quit  ? keys",
            Self::Steering => "arrows move, turn  space let fall  h hint  n next  q quit  ? keys",
        }
    }

    /// All keys with what they do.
    fn all(self) -> Vec<(&'static str, &'static str)> {
        let own: &[_] = match self {
            Self::Watching => &[("space, p", "pause, go on")],
            Self::Swapping => &[
                ("arrows", "move the cursor"),
                ("space, Enter", "select the token; an arrow then swaps it"),
                ("Esc", "unselect the token"),
                ("h", "show or hide the player's best moves"),
                ("p", "pause, go on"),
            ],
            Self::Steering => &[
                ("left, right", "move the piece"),
                ("up", "turn the piece"),
                ("down, space", "let the piece fall"),
                ("h", "put the piece where the player would"),
                ("p", "pause, go on"),
            ],
        };
        let quit = if self == Self::Watching { "q, Esc, Ctrl-C" } else { "q, Ctrl-C" };
        let shared = [
            ("s", "pause and show the next board"),
            ("m", "pause and show the end of the move"),
            ("+, -", "double or halve the speed"),
            ("n", "next game"),
            (quit, "quit and print the scores"),
            ("?", "show these keys; any key hides them"),
        ];
        own.iter().copied().chain(shared).collect()
    }
}

/// Draws all keys in a box in the middle.
pub fn draw(buffer: &mut Buffer, area: Rect, role: Role, look: Look) {
    let all = role.all();
    let text: Vec<String> = all.iter().map(|(key, what)| format!(" {key:<14}  {what} ")).collect();
    let width = text.iter().map(String::len).max().unwrap_or(0) as u16 + 2;
    let (width, height) = (width.min(area.width), (text.len() as u16 + 2).min(area.height));
    let place =
        Rect::new(area.left() + (area.width - width) / 2, area.top() + (area.height - height) / 2, width, height);
    let border = if look.ascii { ASCII } else { border::ROUNDED };
    let frame = Block::bordered().border_set(border).border_style(look.fg(GOLD)).title(" keys ");
    Clear.render(place, buffer);
    Paragraph::new(text.join("\n"))
        .style(look.on(LIGHT, DARK))
        .block(frame.style(look.on(LIGHT, DARK)))
        .render(place, buffer);
}
