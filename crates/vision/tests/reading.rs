//! Boards read from drawn pictures: rates, places, and what is no board.

#[allow(dead_code)]
#[path = "../../../tests/pictures/mod.rs"]
mod pictures;

use matchq_core::random::{Role, Stream};
use matchq_players::Roster;
use matchq_players::games::{Bejeweled, Bilging, Game, Match3, SameGame, Text, TileMatch};
use matchq_vision::{NAMES, Picture, Theme, UNKNOWN, find, overlay, read, read_best, read_field, read_games, teach};
use pictures::around::{self, WEB};
use pictures::rates::{CONDITIONS, Rates, measure, taught};
use pictures::{DEEP, FLAT, GLOSSY, PALE, Page, RANGED, Scene, Style, TIGHT, jpeg};

fn named(name: &str) -> Theme {
    Theme::named(name).unwrap().unwrap()
}

/// Rates of both readers over pictures of each style, under a condition; the example `read_rates` has
/// more of them.
fn over_styles(styles: &[Style], condition: &str, pictures: u64) -> [Rates; 2] {
    let condition = CONDITIONS.iter().find(|known| known.name == condition).unwrap();
    let mut all = [Rates::default(); 2];
    for style in styles {
        let rates = measure(*style, &taught(*style), &named("articles"), condition, pictures);
        for (all, rates) in all.iter_mut().zip(rates) {
            all.pictures += rates.pictures;
            all.found += rates.found;
            all.cells += rates.cells;
            all.right += rates.right;
            all.wrong += rates.wrong;
        }
    }
    all
}

#[test]
fn every_cell_of_a_clean_picture_is_read_after_teaching() {
    for (condition, pictures) in [("as taught", 1), ("scaled 0.6 to 2", 2), ("busy page", 1)] {
        let [own, _] = over_styles(&[FLAT, GLOSSY, PALE, DEEP], condition, pictures);
        assert_eq!((own.found, own.right), (own.pictures, own.cells), "{condition}");
    }
}

#[test]
fn nearly_every_cell_of_a_spoilt_picture_is_read_and_hardly_one_is_wrong_without_saying_so() {
    for condition in ["JPEG 70", "noise 8", "noise 20", "six arrows, one selected", "all of it, noise 8"] {
        let [own, _] = over_styles(&[FLAT, GLOSSY, PALE, DEEP], condition, 1);
        assert!(own.share_right() >= 0.995, "{condition}: {own:?}");
        assert!(own.share_wrong() <= 0.001, "{condition}: {own:?}");
    }
}

#[test]
fn the_articles_ranges_read_their_own_colours_and_few_others() {
    let [own, ranges] = over_styles(&[RANGED], "as taught", 2);
    assert_eq!((own.right, ranges.right), (own.cells, ranges.cells));
    let [own, ranges] = over_styles(&[GLOSSY, DEEP], "as taught", 2);
    assert!(ranges.share_right() < 0.6 && own.share_right() == 1.0, "{ranges:?}");
}

#[test]
fn the_field_lies_to_a_fraction_of_a_pixel_where_it_was_drawn() {
    for (seed, pitch) in [(1, 33.3), (2, 52.0), (3, 71.7)] {
        let mut scene = Scene::new(FLAT);
        (scene.pitch, scene.page) = (pitch, Page::Busy);
        let drawn = scene.draw(seed);
        let field = find(&drawn.picture, [8, 8], |_, _| 0.0).unwrap();
        assert!((field.cell[0] - pitch).abs() < 0.15, "{field:?} {:?}", drawn.field);
        for axis in 0..2 {
            assert!((field.corner[axis] - drawn.field.corner[axis]).abs() < 1.0, "{field:?} {:?}", drawn.field);
        }
    }
}

#[test]
fn a_board_whose_gems_leave_no_border_is_found_by_what_it_reads() {
    let scene = |pitch: f64| Scene { columns: 8, rows: 10, page: Page::White, pitch, ..Scene::new(TIGHT) };
    let first = scene(72.0).draw(1);
    let theme = teach("x", &first.picture, &first.board, None).unwrap().theme;
    for (seed, pitch) in [(2, 72.0), (5, 43.2), (6, 110.0)] {
        let drawn = scene(pitch).draw(seed);
        let read = read("x", &drawn.picture, &theme).unwrap();
        assert_eq!(read.board(), drawn.text(), "{seed}");
        let off = (0..2).map(|axis| (read.field.corner[axis] - drawn.field.corner[axis]).abs() / pitch);
        assert!(off.fold(0.0, f64::max) < 0.05, "{:?} {:?}", read.field, drawn.field);
        // The kit's theme fits as well.
        let themes: Vec<Theme> = Match3::THEMES.iter().map(|name| named(name)).collect();
        let (best, read) = read_best("x", &drawn.picture, &themes, None).unwrap();
        assert_eq!((Match3::THEMES[best], read.board()), ("kit", drawn.text()), "{seed}");
    }
}

#[test]
fn a_field_of_other_than_eight_by_eight_gems_is_found() {
    let mut scene = Scene::new(GLOSSY);
    (scene.columns, scene.rows, scene.pitch) = (6, 12, 40.0);
    let first = scene.draw(1);
    let theme = teach("x", &first.picture, &first.board, None).unwrap().theme;
    assert_eq!(theme.size(), [6, 12]);
    let second = scene.draw(2);
    assert_eq!(read("x", &second.picture, &theme).unwrap().board(), second.text());
}

#[test]
fn a_picture_that_ends_with_the_field_is_read() {
    let mut scene = Scene::new(GLOSSY);
    scene.page = Page::None;
    let drawn = scene.draw(5);
    assert_eq!(read("x", &drawn.picture, &taught(GLOSSY)).unwrap().board(), drawn.text());
}

#[test]
fn gems_that_the_theme_does_not_know_are_not_sure() {
    let drawn = Scene::new(FLAT).draw(6);
    let reading = read_field(&drawn.picture, &taught(PALE), drawn.field);
    let wrong = reading.cells.iter().zip(drawn.board.iter().flatten());
    let wrong = wrong.filter(|(cell, letter)| cell.is_sure() && cell.letter != **letter).count();
    assert_eq!(wrong, 0, "{}", reading.board());
    assert!(reading.unsure().count() > 32, "{}", reading.board());
}

#[test]
fn a_gem_under_something_is_unknown_and_named_by_its_place() {
    let mut drawn = Scene::new(FLAT).draw(7);
    let theme = taught(FLAT);
    let [x, y] = drawn.field.middle(2, 3);
    for at in 0..52 * 52 {
        drawn.picture.set(x as isize - 26 + at % 52, y as isize - 26 + at / 52, [120, 84, 60]);
    }
    let reading = read("x", &drawn.picture, &theme).unwrap();
    assert_eq!(reading.unsure().map(|(column, row, _)| (column, row)).collect::<Vec<_>>(), [(2, 3)]);
    assert_eq!(reading.board().lines().nth(3).unwrap().chars().nth(2), Some(UNKNOWN));
}

#[test]
fn no_cell_of_a_picture_in_shades_of_grey_is_sure_unless_the_theme_is_of_such() {
    let grey = |seed| {
        let mut drawn = Scene::new(FLAT).draw(seed);
        let values = drawn.picture.values().chunks_exact(3);
        // The picture is nearly grey, as after compression.
        let values = values.flat_map(|pixel| [pixel[1], pixel[1].saturating_sub(8), pixel[1]]).collect();
        drawn.picture = Picture::new(drawn.picture.width(), values);
        drawn
    };
    let (first, second) = (grey(5), grey(6));
    let (_, read) = read_best("x", &first.picture, &[taught(FLAT)], Some(first.field)).unwrap();
    assert_eq!(read.unsure().count(), 64, "{}", read.board());
    let theme = teach("x", &first.picture, &first.board, Some(first.field)).unwrap().theme;
    let (_, read) = read_best("x", &second.picture, &[theme], Some(second.field)).unwrap();
    let sure = read.cells.iter().zip(second.board.iter().flatten()).filter(|(cell, _)| cell.is_sure());
    let (right, wrong): (Vec<_>, Vec<_>) = sure.partition(|(cell, letter)| cell.letter == **letter);
    assert!(right.len() > 32 && wrong.is_empty(), "{} right, {} wrong", right.len(), wrong.len());
}

#[test]
fn where_there_is_no_board_none_is_found() {
    let noise: Vec<u8> = (0..200 * 150 * 3_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let slope: Vec<u8> = (0..200 * 150).flat_map(|at| [(at % 200) as u8, (at / 200) as u8, 90]).collect();
    let stripes: Vec<u8> = (0..200 * 150).flat_map(|at| [if at % 40 < 20 { 250 } else { 20 }; 3]).collect();
    let squares = (0..200 * 150).flat_map(|at| [if (at % 40 < 20) == (at / 200 % 40 < 20) { 250 } else { 20 }; 3]);
    for (name, values) in [
        ("noise", noise),
        ("one colour", vec![40; 200 * 150 * 3]),
        ("a slope", slope),
        ("stripes", stripes),
        ("a chequerboard", squares.collect()),
        ("a single row", [0, 255, 9].repeat(150)),
    ] {
        let picture = Picture::new(if name == "a single row" { 150 } else { 200 }, values);
        let error = read("x.png", &picture, &taught(FLAT)).unwrap_err();
        assert!(error.to_string().starts_with("x.png shows no field of 8 by 8 gems"), "{name}: {error}");
        assert_eq!(error.exit_code(), 2);
        for theme in NAMES {
            assert!(read("x.png", &picture, &named(theme)).is_err(), "{name} by {theme}");
        }
    }
}

#[test]
fn flat_tiles_are_read_or_unknown_but_not_taken_for_several_gems_each() {
    let colour = |letter: char| Bejeweled::TOKENS.iter().find(|token| token.letter == letter).unwrap().colour;
    let themes: Vec<Theme> = Bejeweled::THEMES.iter().map(|name| named(name)).collect();
    let (mut right, mut spoilt) = (0, 0);
    // The first case is drawn as by Python's environment.
    for (side, line, between, margin) in [(32, 1, [0; 3], 0), (20, 3, [128; 3], 20), (28, 3, [255; 3], 10)] {
        for seed in 0..3 {
            let mut stream = Stream::new(seed, Role::Game, side as u64);
            let board = Bejeweled::board(&Bejeweled::new(&Default::default(), &mut stream).state());
            let board: Vec<Vec<char>> = board.lines().map(|line| line.chars().collect()).collect();
            let width = 8 * side + 2 * margin;
            let pixel = |at: usize| {
                let (Some(x), Some(y)) = ((at % width).checked_sub(margin), (at / width).checked_sub(margin)) else {
                    return [0; 3];
                };
                match (board.get(y / side).and_then(|row| row.get(x / side)), x % side < line || y % side < line) {
                    (None, _) => [0; 3],
                    (Some(_), true) => between,
                    (Some(letter), false) => colour(*letter),
                }
            };
            let picture = Picture::new(width, (0..width * width).flat_map(pixel).collect());
            let Ok((_, reading)) = read_best("x", &picture, &themes, None) else { continue };
            let cells = reading.cells.iter().zip(board.iter().flatten()).filter(|(cell, _)| cell.is_sure());
            let (these, those): (Vec<_>, Vec<_>) = cells.partition(|(cell, letter)| cell.letter == **letter);
            right += these.len();
            spoilt += u32::from(!those.is_empty());
            assert!(those.is_empty() || reading.unsure().count() > 16, "{}", reading.board());
        }
    }
    assert!(right > 9 * 64 * 2 / 3 && spoilt <= 1, "{right} cells are right; {spoilt} boards have wrong ones");
}

#[test]
fn a_photograph_is_turned_as_its_camera_was_held() {
    let drawn = Scene::new(FLAT).draw(4);
    let upright = Picture::decode("x", &jpeg(&drawn.picture, 95)).unwrap();
    let (width, height) = (drawn.picture.width(), drawn.picture.height());
    // The picture is stored turned to the left.
    let turned = (0..width).rev().flat_map(|x| (0..height).map(move |y| (x, y)));
    let turned = turned.flat_map(|(x, y)| drawn.picture.at(x as isize, y as isize)).collect();
    let bytes = jpeg(&Picture::new(height, turned), 95);
    // An Exif segment whose only entry, the orientation, turns the picture to the right.
    let mut exif = b"\xff\xe1\x00\x22Exif\0\0MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0".to_vec();
    exif.extend([0; 4]);
    let stored = [&bytes[..2], &exif, &bytes[2..]].concat();
    let decoded = Picture::decode("x", &stored).unwrap();
    assert_eq!((decoded.width(), decoded.height()), (upright.width(), upright.height()));
    let theme = taught(FLAT);
    assert_eq!(read("x", &decoded, &theme).unwrap().board(), read("x", &upright, &theme).unwrap().board());
    assert_ne!(Picture::decode("x", &bytes).unwrap(), decoded);
}

#[test]
fn what_one_picture_taught_is_the_same_from_its_file() {
    let drawn = Scene::new(GLOSSY).draw(8);
    let theme = taught(GLOSSY);
    let written = Theme::parse("x", &theme.to_toml("").unwrap()).unwrap();
    assert_eq!(read("x", &drawn.picture, &written).unwrap().board(), drawn.text());
}

#[test]
fn of_several_games_the_one_without_borders_is_found_too() {
    let scene = Scene { columns: 8, rows: 10, page: Page::White, pitch: 72.0, ..Scene::new(TIGHT) };
    let first = scene.draw(1);
    let theme = teach("x", &first.picture, &first.board, None).unwrap().theme;
    let drawn = scene.draw(2);
    let (game, _, reading) = read_games("x", &drawn.picture, &[vec![named("bejeweled")], vec![theme]]).unwrap();
    assert_eq!((game, reading.board()), (1, drawn.text()));
    let refused = |games: &[Vec<Theme>]| read_games("x", &drawn.picture, games).unwrap_err().to_string();
    assert!(refused(&[]).contains("no game") && refused(&[vec![]]).contains("no theme"));
    assert!(refused(&[vec![named("match3"), named("bejeweled")]]).contains("several sizes"));
}

#[test]
fn a_row_beside_the_field_is_not_taken_for_a_row_whose_gems_lie_together() {
    for style in [GLOSSY, RANGED] {
        let drawn = Scene { pitch: 52.0, ..Scene::new(style) }.draw(6);
        assert_eq!(read("x", &drawn.picture, &taught(style)).unwrap().board(), drawn.text());
    }
}

#[test]
fn the_programs_own_pictures_are_read_by_its_own_themes() {
    // Pictures by another program, which taught the themes.
    let board = include_str!("../../../tests/pictures/board.txt").trim_end();
    let bejeweled = include_str!("../../../tests/pictures/bejeweled.txt").trim_end();
    let tiles = include_str!("../../../tests/pictures/tile-match.txt").trim_end();
    let groups = include_str!("../../../tests/pictures/samegame.txt").trim_end();
    let (match3, its_own, tile_match) = (Match3::THEMES, Bejeweled::THEMES, TileMatch::THEMES);
    for (name, bytes, board, of_game, theme) in [
        ("game.png", include_bytes!("../../../tests/pictures/game.png").as_slice(), board, match3, "match3"),
        ("board.png", include_bytes!("../../../tests/pictures/board.png"), board, match3, "match3"),
        (
            "bejeweled.png",
            include_bytes!("../../../tests/pictures/bejeweled.png"),
            bejeweled,
            its_own,
            "bejeweled-drawn",
        ),
        ("tile-match.png", include_bytes!("../../../tests/pictures/tile-match.png"), tiles, tile_match, "tile-match"),
        ("samegame.png", include_bytes!("../../../tests/pictures/samegame.png"), groups, SameGame::THEMES, "samegame"),
        (
            "lmgame-bench.png",
            include_bytes!("../../../tests/pictures/lmgame-bench.png"),
            tiles,
            tile_match,
            "lmgame-bench",
        ),
    ] {
        let picture = Picture::decode(name, bytes).unwrap();
        assert_eq!(read(name, &picture, &named(theme)).unwrap().board(), board, "{name}");
        let worse = Picture::decode(name, &jpeg(&picture, 70)).unwrap();
        assert_eq!(read(name, &worse, &named(theme)).unwrap().board(), board, "{name} as a JPEG");
        // The theme is the best of the game's.
        let themes: Vec<Theme> = of_game.iter().map(|name| named(name)).collect();
        let (best, read) = read_best(name, &picture, &themes, None).unwrap();
        assert_eq!((of_game[best], read.board().as_str()), (theme, board), "{name}");
        // The game is the one of the picture.
        let games = [match3, Bilging::THEMES, its_own, tile_match, SameGame::THEMES];
        let themes = games.map(|game| game.iter().map(|name| named(name)).collect());
        let (game, best, read) = read_games(name, &picture, &themes).unwrap();
        assert_eq!((games[game][best], read.board().as_str()), (theme, board), "{name}");
    }
}

/// Letters, right or `?` and wrong, of a picture of a board at rest in flat gems of these colours.
fn flat_gems(colours: [[u8; 3]; 7], pitch: f64, seed: u64) -> [usize; 2] {
    let mut gems = WEB.gems.to_vec();
    gems.iter_mut().zip(colours).for_each(|(gem, colour)| gem.1 = colour);
    let drawn = around::plain(&Style { gems: gems.leak(), glossy: false, ..WEB }, pitch, seed);
    let themes: Vec<Theme> = Bejeweled::THEMES.iter().map(|name| named(name)).collect();
    let (_, reading) = read_best("x", &drawn.picture, &themes, None).unwrap();
    let board = reading.board();
    let letters = || board.lines().flat_map(str::chars).zip(drawn.board.iter().flatten());
    let right = letters().filter(|(is, should)| is == *should).count();
    [right, letters().filter(|(is, should)| is != *should && *is != UNKNOWN).count()]
}

#[test]
fn the_originals_gems_are_read_in_the_colours_of_each_of_its_versions() {
    // Red, white, yellow, blue, purple, orange and green as public pictures have them: scripts/public_pictures.py.
    let web =
        [[253, 32, 65], [242, 242, 242], [250, 233, 40], [12, 116, 232], [194, 26, 195], [245, 112, 27], [37, 230, 65]];
    let deluxe =
        [[250, 44, 55], [179, 179, 179], [227, 227, 26], [19, 169, 246], [180, 2, 179], [195, 79, 0], [33, 168, 9]];
    let flash = [
        [240, 71, 35],
        [233, 233, 233],
        [255, 220, 34],
        [125, 225, 243],
        [205, 151, 229],
        [253, 149, 47],
        [134, 201, 82],
    ];
    for (version, colours) in [("web", web), ("deluxe", deluxe), ("flash", flash)] {
        for (pitch, seed) in [(37.0, 1), (52.0, 2)] {
            assert_eq!(flat_gems(colours, pitch, seed), [64, 0], "{version} {seed}");
        }
    }
}

#[test]
fn the_overlay_marks_cells_that_are_not_sure_in_red() {
    let drawn = Scene::new(FLAT).draw(10);
    let count = |theme: &Theme, colour: [u8; 3]| {
        let reading = read_field(&drawn.picture, theme, drawn.field);
        overlay(&drawn.picture, &reading).values().chunks(3).filter(|pixel| *pixel == colour).count()
    };
    let (right, wrong) = (taught(FLAT), taught(PALE));
    assert!(count(&right, [90, 255, 90]) > 500 && count(&right, [255, 70, 70]) == 0);
    assert!(count(&wrong, [255, 70, 70]) > 500);
    assert!(count(&right, [255, 0, 255]) > 2_000);
}
