//! How often `matchq read` finds boards at rest in drawn surroundings, and boards where there are none.
//!
//!     cargo run --release -p matchq-vision --example field_rates -- 1000

#[allow(dead_code)]
#[path = "../../../tests/pictures/mod.rs"]
mod pictures;

use matchq_core::random::{Role, Stream};
use matchq_players::{Roster, games::Bejeweled};
use matchq_vision::{Theme, UNKNOWN, read_best, teach};
use pictures::Scene;
use pictures::around::{WEB, draw, some_style, without_a_board};

fn main() {
    let count = std::env::args().nth(1).map_or(100, |count| count.parse().expect("the number of pictures"));
    let built: Vec<Theme> = Bejeweled::THEMES.iter().map(|name| Theme::named(name).unwrap().unwrap()).collect();
    // Pictures that are found, off by more than a tenth of a cell, with wrong letters; wrong and right letters.
    let (mut taught_rates, mut built_rates) = ([0; 6], [0; 6]);
    let mut found = [0; 4];
    for seed in 0..count {
        let mut stream = Stream::new(seed, Role::Game, 41);
        let style = some_style(&mut stream);
        let pitch = 20.0 * f64::from(stream.unit()).mul_add(1.5, 0.0).exp();
        let lesson = Scene::new(style).draw(1_000_000 + seed);
        let theme = teach("a picture", &lesson.picture, &lesson.board, Some(lesson.field)).unwrap().theme;
        for (rates, themes, style) in
            [(&mut taught_rates, vec![theme.clone()], style), (&mut built_rates, built.clone(), WEB)]
        {
            let drawn = draw(&style, pitch, seed);
            rates[0] += 1;
            let Ok((_, reading)) = read_best("a picture", &drawn.picture, &themes, None) else { continue };
            rates[1] += 1;
            let off = (0..2).map(|axis| (reading.field.corner[axis] - drawn.field.corner[axis]).abs() / pitch);
            let off = off.fold((reading.field.cell[0] / pitch - 1.0).abs() * 8.0, f64::max);
            rates[2] += usize::from(off > 0.1);
            let board = reading.board();
            let cells = board.lines().flat_map(str::chars).zip(drawn.board.iter().flatten());
            let wrong = cells.clone().filter(|(is, should)| is != *should && *is != UNKNOWN).count();
            rates[3] += usize::from(wrong > 0);
            rates[4] += wrong;
            rates[5] += cells.filter(|(is, should)| is == *should).count();
        }
        let empty = without_a_board(seed);
        for (at, themes) in [vec![theme], built.clone()].iter().enumerate() {
            if let Ok((_, reading)) = read_best("a picture", &empty, themes, None) {
                found[2 * at] += 1;
                let sure = reading.cells.len() - reading.unsure().count();
                found[2 * at + 1] += usize::from(2 * sure > reading.cells.len());
            }
        }
    }
    for (name, rates) in [("taught theme", taught_rates), ("built-in themes", built_rates)] {
        let [all, found, off, spoilt, wrong, right] = rates;
        println!(
            "{name}: {found} of {all} found, {off} off, {spoilt} with wrong letters ({wrong}), {:.2} % right",
            100.0 * right as f64 / (64 * all) as f64
        );
    }
    println!(
        "no board, of {count}: taught found {} (mostly sure {}), built-in {} ({})",
        found[0], found[1], found[2], found[3]
    );
}
