//! How many cells of the tests' pictures `matchq read` reads right, as a table.
//!
//!     cargo run --release -p matchq-vision --example read_rates -- 200

#[allow(dead_code)]
#[path = "../../../tests/pictures/mod.rs"]
mod pictures;

use matchq_vision::Theme;
use pictures::rates::{CONDITIONS, Rates, measure, taught};
use pictures::{DEEP, FLAT, GLOSSY, PALE, RANGED};

fn main() {
    let pictures = std::env::args().nth(1).map_or(20, |count| count.parse().expect("the number of pictures each"));
    let ranges = Theme::named("articles").expect("a theme of the program").expect("a theme that can be read");
    println!(
        "| pictures | field found | right | wrong, without a ? | off by, in cells | articles: right | wrong | in their colours |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let themes: Vec<_> = [FLAT, GLOSSY, PALE, DEEP, RANGED].into_iter().map(|style| (style, taught(style))).collect();
    for condition in CONDITIONS {
        let measured: Vec<_> =
            themes.iter().map(|(style, theme)| measure(*style, theme, &ranges, condition, pictures)).collect();
        let percent = |share: f64| format!("{:.2} %", 100.0 * share);
        let own = measured.iter().fold(Rates::default(), |sum, [own, _]| sum.and(own));
        // The ranges were made for the last style's colours.
        let (last, others) = measured.split_last().expect("there are styles");
        let articles = others.iter().fold(Rates::default(), |sum, [_, articles]| sum.and(articles));
        println!(
            "| {} | {} | {} | {} | {:.3} | {} | {} | {} |",
            condition.name,
            percent(own.found as f64 / own.pictures as f64),
            percent(own.share_right()),
            percent(own.share_wrong()),
            own.worst,
            percent(articles.share_right()),
            percent(articles.share_wrong()),
            percent(last[1].share_right())
        );
    }
}
