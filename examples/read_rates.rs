//! How many cells `matchq read` reads right on pictures that the tests draw, as a table.
//!
//!     cargo run --release --example read_rates -- 200

#[allow(dead_code)]
#[path = "../tests/pictures/mod.rs"]
mod pictures;

use matchq::vision::Theme;
use pictures::rates::{CONDITIONS, Rates, measure, taught};
use pictures::{DEEP, FLAT, GLOSSY, PALE, RANGED};

fn main() {
    let pictures = std::env::args().nth(1).map_or(20, |count| count.parse().expect("the number of pictures each"));
    let ranges = Theme::named("articles").expect("a theme of the program").expect("a theme that can be read");
    println!(
        "| style | pictures | field found | right | wrong, without a ? | off by, in cells | articles: right | wrong |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for style in [FLAT, GLOSSY, PALE, DEEP, RANGED] {
        let theme = taught(style);
        for condition in CONDITIONS {
            let [own, articles] = measure(style, &theme, &ranges, condition, pictures);
            let percent = |share: f64| format!("{:.2} %", 100.0 * share);
            let found = |rates: &Rates| percent(rates.found as f64 / rates.pictures as f64);
            println!(
                "| {} | {} | {} | {} | {} | {:.3} | {} | {} |",
                style.name,
                condition.name,
                found(&own),
                percent(own.share_right()),
                percent(own.share_wrong()),
                own.worst,
                percent(articles.share_right()),
                percent(articles.share_wrong())
            );
        }
    }
}
