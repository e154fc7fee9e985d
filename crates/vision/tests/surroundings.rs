//! Boards at rest beside flat surfaces, among pages and under water; what cannot be a board.

#[allow(dead_code)]
#[path = "../../../tests/pictures/mod.rs"]
mod pictures;

use std::collections::BTreeSet;

use matchq_core::random::{Role, Stream};
use matchq_players::Roster;
use matchq_players::games::{Bejeweled, Bilging};
use matchq_vision::{Field, Picture, Theme, UNKNOWN, read, read_best, read_field, teach};
use pictures::around::{self, WEB, some_style, without_a_board};
use pictures::{Drawn, FLAT, Page, Scene, jpeg};

fn themes(names: &[&str]) -> Vec<Theme> {
    names.iter().map(|name| Theme::named(name).unwrap().unwrap()).collect()
}

/// Letters that are wrong without a `?`.
fn wrong(board: &str, drawn: &Drawn) -> usize {
    let cells = board.lines().flat_map(str::chars).zip(drawn.board.iter().flatten());
    cells.filter(|(is, should)| is != *should && *is != UNKNOWN).count()
}

#[test]
fn a_flat_surface_beside_the_field_is_no_row_or_column_of_gems() {
    let themes = themes(Bejeweled::THEMES);
    let colours = [[255; 3], [200, 0, 220], [225, 195, 10], [20, 120, 233], [0, 0, 0]];
    for (seed, colour) in (0..).zip(colours.iter().flat_map(|colour| [*colour; 2])) {
        // A board on a plain page, which is painted over on one side of the field.
        let mut drawn = around::plain(&WEB, 30.0, seed);
        let [left, top, width, height] = drawn.field.rectangle();
        let (wide, high) = (drawn.picture.width() as isize, drawn.picture.height() as isize);
        for (x, y) in (0..high).flat_map(|y| (0..wide).map(move |x| (x, y))) {
            let beyond = [(x as f64) < left, (y as f64) < top, x as f64 >= left + width, y as f64 >= top + height];
            if beyond[seed as usize % 4] {
                drawn.picture.set(x, y, colour);
            }
        }
        let (_, reading) = read_best("x", &drawn.picture, &themes, None).unwrap();
        assert_eq!(wrong(&reading.board(), &drawn), 0, "{seed} {colour:?}\n{}", reading.board());
        assert!(reading.unsure().count() <= 8, "{seed} {colour:?}\n{}", reading.board());
    }
}

#[test]
fn boards_in_all_surroundings_are_found_by_a_taught_theme_and_hardly_one_where_there_is_none() {
    let (mut missed, mut spoilt, mut invented) = (0, 0, 0);
    for seed in 0..6 {
        let style = some_style(&mut Stream::new(seed, Role::Game, 41));
        let lesson = Scene::new(style).draw(1_000_000 + seed);
        let theme = teach("x", &lesson.picture, &lesson.board, Some(lesson.field)).unwrap().theme;
        let drawn = around::draw(&style, 24.0 + 8.0 * seed as f64, seed);
        match read("x", &drawn.picture, &theme) {
            Ok(reading) => spoilt += usize::from(wrong(&reading.board(), &drawn) > 0),
            Err(_) => missed += 1,
        }
        let empty = read("x", &without_a_board(seed), &theme);
        invented += usize::from(empty.is_ok_and(|reading| 2 * reading.unsure().count() < reading.cells.len()));
    }
    assert!(missed == 0 && spoilt == 0 && invented <= 1, "{missed} missed, {spoilt} spoilt, {invented} invented");
}

#[test]
fn a_line_of_one_letter_is_not_sure_and_a_run_of_three_only_if_no_board_of_the_game_has_any() {
    let theme = teach_flat();
    let drawn = Scene { page: Page::None, ..Scene::new(FLAT) }.draw(3);
    let mut picture = drawn.picture.clone();
    // Cells of one look, as long as the whole upper row, and three in the row below the next.
    let copy = |picture: &mut Picture, to: [usize; 2]| {
        for (x, y) in (0..52).flat_map(|y| (0..52).map(move |x| (x, y))) {
            let from = drawn.picture.at(3 * 52 + x, 5 * 52 + y);
            picture.set(to[0] as isize * 52 + x, to[1] as isize * 52 + y, from);
        }
    };
    (0..8).for_each(|column| copy(&mut picture, [column, 0]));
    (0..3).for_each(|column| copy(&mut picture, [column, 2]));
    let (_, mut reading) = read_best("x", &picture, std::slice::from_ref(&theme), Some(drawn.field)).unwrap();
    let unsure: Vec<(usize, usize)> = reading.unsure().map(|(column, row, _)| (column, row)).collect();
    assert_eq!(unsure, (0..8).map(|column| (column, 0)).collect::<Vec<_>>());
    let first = reading.doubt_runs().unwrap();
    assert!(first[1] >= 1 && first[1] <= 2, "{first:?}");
    assert_eq!(reading.board().lines().nth(2).unwrap().chars().take(3).collect::<String>(), "???");
    assert_eq!(reading.doubt_runs(), None);
}

fn teach_flat() -> Theme {
    let lesson = Scene::new(FLAT).draw(1);
    teach("x", &lesson.picture, &lesson.board, Some(lesson.field)).unwrap().theme
}

/// A picture with blue water over the rows of a field from one on.
fn flooded(picture: &Picture, field: &Field, row: usize) -> Picture {
    let mut picture = picture.clone();
    let [left, top, width, height] = field.rectangle();
    let from = top + row as f64 * field.cell[1];
    for y in from.round() as isize..(top + height).round() as isize {
        for x in left.round() as isize..(left + width).round() as isize {
            let dry = picture.at(x, y);
            let mixed = |at: usize| (0.55 * f64::from(dry[at]) + 0.45 * [16.0, 64.0, 120.0][at]).round() as u8;
            picture.set(x, y, [0, 1, 2].map(mixed));
        }
    }
    picture
}

#[test]
fn one_labelled_picture_teaches_the_looks_above_and_under_water() {
    let scene = Scene { columns: 6, rows: 12, pitch: 40.0, ..Scene::new(FLAT) };
    let letters = |rows: &[Vec<char>]| rows.iter().flatten().copied().collect::<BTreeSet<char>>();
    // All letters are seen above and under water.
    let all = |drawn: &Drawn| {
        letters(&drawn.board[8..]).len() == FLAT.gems.len() && letters(&drawn.board[..8]).len() == FLAT.gems.len()
    };
    let first = (1..).map(|seed| scene.draw(seed)).find(all).unwrap();
    let lesson = teach("x", &flooded(&first.picture, &first.field, 8), &first.board, None).unwrap();
    assert_eq!(lesson.surface, Some(8));
    let second = scene.draw(2);
    for row in [6, 10, 12] {
        let read = read("x", &flooded(&second.picture, &second.field, row), &lesson.theme).unwrap();
        assert_eq!(read.board(), second.text(), "water from row {row} on");
    }
    // A letter that was dry alone is not sure under water: the last rows of the picture of seed 1 have no W.
    let without = scene.draw(1);
    assert!(!letters(&without.board[8..]).contains(&'W'));
    let theme = teach("x", &flooded(&without.picture, &without.field, 8), &without.board, None).unwrap().theme;
    let read = read_field(&flooded(&second.picture, &second.field, 6), &theme, second.field);
    assert_eq!(
        (wrong(&read.board(), &second), read.unsure().all(|(_, row, _)| row >= 6)),
        (0, true),
        "{}",
        read.board()
    );
    // A dry picture teaches one look, by which wet gems are not sure or right.
    let dry = teach("x", &first.picture, &first.board, None).unwrap();
    assert_eq!(dry.surface, None);
    let read = read_field(&flooded(&second.picture, &second.field, 6), &dry.theme, second.field);
    assert!(read.unsure().count() > 12, "{}", read.board());
}

#[test]
fn bilging_is_read_dry_and_under_water_by_its_own_theme() {
    let board = include_str!("../../../tests/pictures/bilging.txt").trim_end();
    let picture = Picture::decode("x", include_bytes!("../../../tests/pictures/bilging.png")).unwrap();
    let themes = themes(Bilging::THEMES);
    let (_, reading) = read_best("x", &picture, &themes, None).unwrap();
    assert_eq!(reading.board(), board);
    for picture in [
        Picture::decode("x", &jpeg(&picture, 70)).unwrap(),
        // The water rises.
        flooded(&picture, &Field { size: [6, 8], ..reading.field }, 5),
    ] {
        assert_eq!(read_best("x", &picture, &themes, None).unwrap().1.board(), board);
    }
}
