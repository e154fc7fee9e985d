#[cfg(test)]
pub(crate) mod tests;

use std::fmt::{Arguments, Write as _};

/// Style of charts, which scripts/pictures.py uses, too.
const STYLE: &str = include_str!("chart.css");

pub(crate) struct Svg(String);

impl Svg {
    /// An empty, scalable picture of a size in pixels; screen readers speak the title.
    pub(crate) fn new(width: f64, height: f64, title: &str) -> Self {
        let mut svg = Self(String::new());
        svg.add(format_args!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" font-family="Helvetica,Arial,DejaVu Sans,sans-serif">"#
        ));
        svg.add(format_args!("<title>{}</title>", escaped(title)));
        svg
    }

    /// A picture on a page that is light or dark as the reader prefers.
    pub(crate) fn on_page(width: f64, height: f64, title: &str) -> Self {
        let mut svg = Self::new(width, height, title);
        svg.add(format_args!("<style>\n{STYLE}</style>"));
        svg.add(format_args!(r#"<rect class="page" width="{width}" height="{height}" rx="8"/>"#));
        svg
    }

    /// Adds elements, unescaped.
    pub(crate) fn add(&mut self, elements: Arguments<'_>) {
        writeln!(self.0, "{elements}").ok(); // Writing to a String cannot fail.
    }

    pub(crate) fn text(&mut self, x: f64, y: f64, attributes: &str, text: &str) {
        let (x, y, text) = (round(x), round(y), escaped(text));
        self.add(format_args!(r#"<text x="{x}" y="{y}" {attributes}>{text}</text>"#));
    }

    pub(crate) fn line(&mut self, from: (f64, f64), to: (f64, f64), attributes: &str) {
        let [x1, y1, x2, y2] = [from.0, from.1, to.0, to.1].map(round);
        self.add(format_args!(r#"<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" {attributes}/>"#));
    }

    pub(crate) fn finish(mut self) -> String {
        self.0.push_str("</svg>\n");
        self.0
    }
}

/// A length to a tenth of a pixel, which keeps files small.
pub(crate) fn round(length: f64) -> f64 {
    (length * 10.0).round() / 10.0
}

/// A text for between tags or in quotes, without control characters.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars().filter(|letter| !letter.is_control()) {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            _ => escaped.push(letter),
        }
    }
    escaped
}
