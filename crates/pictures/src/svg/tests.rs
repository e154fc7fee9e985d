//! Elements, classes and texts of a picture.

use super::*;

/// Whether every element is closed by its name and no text is markup.
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
