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

/// Whether every element is closed by its name and no text is markup.
#[cfg(test)]
pub(crate) fn is_well_formed(svg: &str) -> bool {
    let mut open = Vec::new();
    let mut parts = svg.split('<');
    let all = parts.next() == Some("")
        && parts.all(|part| {
            let Some((tag, text)) = part.split_once('>') else { return false };
            let known = |rest: &str| ["amp;", "lt;", "gt;", "quot;"].iter().any(|entity| rest.starts_with(entity));
            let name = tag.split_whitespace().next().unwrap_or_default();
            let matches = match name.strip_prefix('/') {
                Some(name) => open.pop() == Some(name),
                None if tag.ends_with('/') => true,
                None => {
                    open.push(name);
                    true
                }
            };
            matches && tag.matches('"').count() % 2 == 0 && text.split('&').skip(1).all(known)
        });
    all && open.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_has_a_colour_on_light_and_on_dark_pages() {
        let svg = Svg::on_page(10.0, 20.0, "").finish();
        assert!(is_well_formed(&svg), "{svg}");
        let (light, dark) = svg.split_once("@media (prefers-color-scheme: dark)").unwrap();
        for class in ["svg", ".on", ".grid", ".soft", ".a", ".b", ".c", ".d", ".e", ".f", ".g"] {
            let rule = |text: &str| {
                let rest = text.split_once(&format!("{class} {{")).unwrap().1;
                rest.split('}').next().unwrap().to_owned()
            };
            assert_ne!(rule(light), rule(dark), "{class}");
        }
    }

    #[test]
    fn texts_are_escaped_and_elements_closed() {
        let mut svg = Svg::new(10.0, 20.0, "<a & \"b\">\u{1b}");
        svg.text(1.0 / 3.0, 2.0, r##"fill="#fff""##, "1 < 2");
        svg.line((0.0, 0.0), (1.25, 10.0), "stroke=\"red\"");
        let text = svg.finish();
        assert!(is_well_formed(&text), "{text}");
        assert!(text.contains("<title>&lt;a &amp; &quot;b&quot;&gt;</title>"), "{text}");
        assert!(text.contains(r##"<text x="0.3" y="2" fill="#fff">1 &lt; 2</text>"##), "{text}");
        for wrong in ["<svg>", "<svg></svg></g>", "<svg><g></svg></g>", "<svg>a & b</svg>", "<svg a=\"></svg>"] {
            assert!(!is_well_formed(wrong), "{wrong}");
        }
    }
}
