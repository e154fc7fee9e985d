//! `matchq read` as users meet it: boards, pipes and helpful errors.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::pictures::{self, FLAT, PALE, Scene};
use matchq::vision::Picture;
use temp_dir::TempDir;

const GAME: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/pictures/game.png");
const BOARD: &str = include_str!("../pictures/board.txt");

/// Exit code, standard output and standard error in a folder.
fn matchq(folder: &Path, arguments: &[&str], input: &[u8]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_matchq"));
    command.args(arguments).current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A program that refuses its arguments does not read the input.
    child.stdin.take().unwrap().write_all(input).ok();
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// A folder with pictures of boards 1 and 2 in a style, and the boards as text.
fn place(style: pictures::Style) -> TempDir {
    let folder = temp_dir::TempDir::new().unwrap();
    for seed in [1, 2] {
        let drawn = Scene::new(style).draw(seed);
        fs::write(folder.path().join(format!("{seed}.png")), drawn.picture.to_png().unwrap()).unwrap();
        fs::write(folder.path().join(format!("{seed}.txt")), drawn.text()).unwrap();
    }
    folder
}

#[test]
fn a_picture_of_a_game_becomes_a_board_that_advise_takes() {
    let folder = temp_dir::TempDir::new().unwrap();
    let (code, board, errors) = matchq(folder.path(), &["read", GAME, "--game", "match3"], b"");
    assert_eq!((code, board.as_str(), errors.as_str()), (0, BOARD, ""));
    let advise = ["advise", "--game", "match3", "--player", "greedy", "--top", "1", "-"];
    let (code, advice, errors) = matchq(folder.path(), &advise, board.as_bytes());
    assert!(code == 0 && advice.contains("greedy, moves left: 25"), "{advice}{errors}");
}

#[test]
fn standard_input_is_a_picture_too() {
    let folder = temp_dir::TempDir::new().unwrap();
    for arguments in [&["read", "-"][..], &["read"]] {
        let (code, board, errors) = matchq(folder.path(), arguments, &fs::read(GAME).unwrap());
        assert_eq!((code, board.as_str(), errors.as_str()), (0, BOARD, ""));
    }
}

#[test]
fn one_labelled_picture_teaches_a_theme_that_reads_the_next() {
    let folder = place(PALE);
    let read = ["read", "2.png", "--theme", "pale.toml", "--overlay", "seen.png"];
    let teach = ["read", "1.png", "--teach", "1.txt", "--theme", "pale.toml"];
    let (code, said, errors) = matchq(folder.path(), &teach, b"");
    assert_eq!((code, said.as_str()), (0, "pale.toml: 64 of 64 cells are read right with it\n"), "{errors}");
    let (code, board, errors) = matchq(folder.path(), &read, b"");
    assert_eq!((code, errors.as_str()), (0, ""));
    assert_eq!(board.trim_end(), fs::read_to_string(folder.path().join("2.txt")).unwrap());
    let seen = Picture::decode("x", &fs::read(folder.path().join("seen.png")).unwrap()).unwrap();
    let was = Picture::decode("x", &fs::read(folder.path().join("2.png")).unwrap()).unwrap();
    assert_eq!((seen.width(), seen.height()), (was.width(), was.height()));
    assert_ne!(seen, was);
}

#[test]
fn labels_that_do_not_fit_the_picture_teach_nothing() {
    let folder = place(FLAT);
    let teach = ["read", "1.png", "--teach", "2.txt", "--theme", "flat.toml"];
    let (code, _, errors) = matchq(folder.path(), &teach, b"");
    assert!(code == 2 && errors.contains("1.png and 2.txt do not fit each other"), "{errors}");
    assert!(!folder.path().join("flat.toml").exists());
}

#[test]
fn cells_that_are_not_sure_are_named_and_taken_only_when_asked_for() {
    let folder = place(FLAT);
    let read = ["read", "1.png", "--theme", "bejeweled"];
    let (code, board, errors) = matchq(folder.path(), &read, b"");
    let unsure = board.matches('?').count();
    assert!(unsure > 0 && board.lines().count() == 8, "{board}");
    // Where most are not sure, a sentence says so in place of the cells, which one line names.
    let fits = unsure <= 32;
    let named = errors.lines().find(|line| line.starts_with("less sure than 90 % (rows and columns from 0): row "));
    assert_eq!(named.map_or(0, |line| line.matches(" by ").count()), if fits { unsure } else { 0 }, "{errors}");
    let none = if fits { "" } else { "no theme fits this picture: " };
    assert!(
        code == 1 && errors.contains(&format!("error: 1.png: {none}{unsure} of 64 cells are not sure")),
        "{errors}"
    );
    assert!(fits || errors.lines().count() == 1, "{errors}");
    let (code, partial, _) = matchq(folder.path(), &[&read[..], &["--partial"]].concat(), b"");
    assert_eq!((code, partial), (0, board));
}

#[test]
fn what_cannot_be_read_is_said_in_a_sentence() {
    let folder = place(FLAT);
    let png = fs::read(folder.path().join("1.png")).unwrap();
    fs::write(folder.path().join("half.png"), &png[..png.len() / 2]).unwrap();
    fs::write(folder.path().join("blank.png"), Picture::new(90, vec![200; 90 * 90 * 3]).to_png().unwrap()).unwrap();
    fs::write(folder.path().join("wrong.toml"), "columns = 8\n").unwrap();
    fs::write(folder.path().join("ragged.txt"), "RWY\nRW\nRWY\n").unwrap();
    for (arguments, what) in [
        (&["read", "1.txt"][..], "1.txt is no picture that can be read; it must be a PNG or a JPEG"),
        (&["read", "none.png"], "none.png cannot be read"),
        (&["read", "half.png"], "half.png is a broken picture"),
        (&["read", "-"], "standard input is empty"),
        (&["read", "blank.png", "--theme", "bejeweled"], "blank.png shows no field of 8 by 8 gems"),
        (&["read", "1.png", "--theme", "chess"], "--theme: there is no theme \"chess\": it must be one of match3, "),
        (&["read", "1.png", "--theme", "wrong.toml"], "wrong.toml: "),
        (&["read", "1.png", "--theme", "none.toml"], "none.toml cannot be read"),
        (&["read", "1.png", "--game", "chess"], "there is no game 'chess'"),
        (&["read", "1.png", "--game", "tetris"], "there is no theme for pictures of tetris"),
        (&["read", "1.png", "--game", "match3", "--theme", "articles"], "match3 has 8 and 10"),
        (&["read", "1.png", "--field", "0,0,9999,416"], "it must lie within the picture's"),
        (&["read", "1.png", "--field", "0,0,nan,nan"], "it must lie within the picture's"),
        (&["read", "1.png", "--field", "0,0,inf,inf"], "it must lie within the picture's"),
        (&["read", "1.png", "--field", "-100,0,90,90"], "it must lie within the picture's"),
        (&["read", "1.png", "--field", "0,0,-20,-20"], "must have 6 or more"),
        (&["read", "1.png", "--field", "0,0,20"], "it must be left, top, width and height"),
        (&["read", "1.png", "--teach", "1.txt", "--theme", "x.txt"], "it must be a file ending in .toml"),
        (&["read", "1.png", "--teach", "ragged.txt", "--theme", "x.toml"], "row 1 (from 0) has 2 cells"),
        (&["read", "1.png", "--overlay", "none/x.png"], "the folder none does not exist"),
    ] {
        let (code, output, errors) = matchq(folder.path(), arguments, b"");
        assert!(code == 2 && errors.contains(what) && output.is_empty(), "{arguments:?}: {code} {output}{errors}");
    }
}

/// Advice on a picture, as a folder sees it.
fn advised(folder: &Path, more: &[&str], input: &[u8]) -> (i32, String, String) {
    matchq(folder, &[&["advise", "--player", "greedy", "--top", "3"], more].concat(), input)
}

#[test]
fn a_picture_gives_the_advice_of_its_board_and_takes_the_moves() {
    let folder = temp_dir::TempDir::new().unwrap();
    let (code, expected, errors) = advised(folder.path(), &["--game", "match3", "-"], BOARD.as_bytes());
    assert_eq!((code, errors.as_str()), (0, ""));
    // Content decides, not the name.
    fs::copy(GAME, folder.path().join("board.txt")).unwrap();
    let given = advised(folder.path(), &["--game", "match3", "board.txt", "--overlay", "moves.png"], b"");
    assert_eq!(given, (0, expected.clone(), String::new()));
    assert_eq!(advised(folder.path(), &["--game", "match3"], &fs::read(GAME).unwrap()), (0, expected, String::new()));
    let drawn = Picture::decode("x", &fs::read(folder.path().join("moves.png")).unwrap()).unwrap();
    let was = Picture::decode("x", &fs::read(GAME).unwrap()).unwrap();
    assert_eq!((drawn.width(), drawn.height()), (was.width(), was.height()));
    let changed = drawn.values().chunks(3).zip(was.values().chunks(3)).filter(|(one, other)| one != other).count();
    // Three outlines and discs, of some 80 cells of 40 by 40 pixels.
    assert!((1_000..10_000).contains(&changed), "{changed}");
}

#[test]
fn a_picture_that_is_not_sure_gives_no_advice() {
    let folder = place(FLAT);
    // A theme of the program is of one game.
    for flags in
        [&["--theme", "tile-match"][..], &["--game", "tile-match"], &["--game", "tile-match", "--theme", "tile-match"]]
    {
        let (code, output, errors) = advised(folder.path(), &[flags, &["1.png"]].concat(), b"");
        assert!(code == 1 && output.is_empty(), "{code} {output}");
        assert!(errors.contains("1.png") && errors.contains("there is no advice on such a board"), "{errors}");
        assert!(errors.contains("read 1.png --game tile-match") && !errors.contains("names another game"), "{errors}");
    }
}

#[test]
fn a_board_with_a_cell_that_is_not_sure_is_advised_on_where_the_game_may_have_unknown_cells() {
    let folder = temp_dir::TempDir::new().unwrap();
    // A cell is painted over, from a corner on.
    let spoilt = |name: &str, [x, y, side]: [isize; 3]| {
        let path = format!("{}/tests/pictures/{name}.png", env!("CARGO_MANIFEST_DIR"));
        let mut picture = Picture::decode("x", &fs::read(path).unwrap()).unwrap();
        (0..side * side).for_each(|at| picture.set(x + at % side, y + at / side, [120, 84, 60]));
        fs::write(folder.path().join(format!("{name}.png")), picture.to_png().unwrap()).unwrap();
        advised(folder.path(), &["--game", name, "--overlay", "moves.png", &format!("{name}.png")], b"")
    };
    for (game, board) in [
        ("bejeweled", include_str!("../pictures/bejeweled.txt")),
        ("tile-match", include_str!("../pictures/tile-match.txt")),
    ] {
        let (code, advice, errors) = spoilt(game, [236, 216, 60]);
        let told = format!("{game}.png: 1 of 64 cells is not sure; taken as unknown: row 2, column 3\n");
        assert_eq!((code, errors), (0, told));
        let mut rows: Vec<String> = board.lines().map(str::to_owned).collect();
        rows[2].replace_range(3..4, ".");
        let expected = advised(folder.path(), &["--game", game, "-"], rows.join("\n").as_bytes());
        assert_eq!((expected.0, expected.1), (0, advice));
        assert!(folder.path().join("moves.png").exists());
    }
    let (code, output, errors) = spoilt("bilging", [140, 128, 32]);
    assert!(code == 1 && output.is_empty() && errors.contains("there is no advice on such a board"), "{errors}");
}

#[test]
fn a_picture_most_of_whose_cells_are_not_sure_gives_no_advice() {
    let folder = place(PALE);
    let (code, output, errors) = advised(folder.path(), &["--game", "bejeweled", "--theme", "bejeweled", "1.png"], b"");
    assert!(code == 1 && output.is_empty(), "{code} {output}");
    assert!(errors.contains("1.png") && errors.contains("there is no advice on such a board"), "{errors}");
}

#[test]
fn what_is_neither_a_board_nor_a_picture_is_told_both_ways() {
    let folder = place(FLAT);
    fs::write(folder.path().join("gif.png"), b"GIF89a\x01\x00\x01\x00\xff\xfe").unwrap();
    fs::write(folder.path().join("words.txt"), "These words tell no position.\n").unwrap();
    fs::write(folder.path().join("board.txt"), BOARD).unwrap();
    let both = "is neither a board's text, ten lines of eight of a b c d #, nor a picture of one, a PNG or a JPEG";
    for (arguments, what) in [
        (&["gif.png"][..], both),
        (&["words.txt"], both),
        (&["board.txt", "--overlay", "x.png"], "--overlay: board.txt is a text; only a picture"),
        (&["board.txt", "--theme", "kit"], "--theme: board.txt is a text; only a picture"),
        (&["board.txt", "--field", "0,0,9,9"], "--field: board.txt is a text; only a picture"),
        (&["1.png", "--overlay", "x.jpg"], "it must end in .png"),
        (&["1.png", "--overlay", "1.png"], "this is what the picture that is read names too"),
        (&["1.png", "--theme", "bejeweled"], "match3 has 8 and 10"),
    ] {
        let (code, output, errors) = advised(folder.path(), &[&["--game", "match3"], arguments].concat(), b"");
        assert!(code == 2 && errors.contains(what) && output.is_empty(), "{arguments:?}: {code} {output}{errors}");
    }
}

#[test]
fn a_board_that_cannot_stand_is_not_sure_though_every_cell_is() {
    let folder = place(FLAT);
    // Boards drawn by chance have runs of three, which bejeweled's do not.
    let teach = ["read", "1.png", "--teach", "1.txt", "--theme", "flat.toml"];
    assert_eq!(matchq(folder.path(), &teach, b"").0, 0);
    let read = ["read", "2.png", "--theme", "flat.toml"];
    let (code, board, _) = matchq(folder.path(), &read, b"");
    assert_eq!((code, board.trim_end()), (0, fs::read_to_string(folder.path().join("2.txt")).unwrap().as_str()));
    for partial in [&[][..], &["--partial"]] {
        let known = [&read[..], &["--game", "bejeweled"], partial].concat();
        let (code, board, errors) = matchq(folder.path(), &known, b"");
        assert!(code == 1 && board.matches('?').count() >= 3, "{board}");
        assert!(errors.contains("error: 2.png shows no board of bejeweled at rest: row "), "{errors}");
    }
}

#[test]
fn pictures_of_bilging_are_read_without_a_theme() {
    let folder = temp_dir::TempDir::new().unwrap();
    let picture = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/pictures/bilging.png");
    let (code, board, errors) = matchq(folder.path(), &["read", "--game", "bilging", picture], b"");
    assert_eq!((code, board.as_str(), errors.as_str()), (0, include_str!("../pictures/bilging.txt"), ""));
}
