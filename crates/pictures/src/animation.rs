//! A game as a moving picture: one SVG without scripts.
//!
//! Each cell is one `<use>` whose `href` changes. Viewers without animation show the first frame.

mod tiles;

use matchq_core::stop;

use crate::outline::CELL;
use crate::svg::{Svg, escaped};
use tiles::SCALE;
pub use tiles::{Tiles, outline};

/// A picture shown for some time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// Rows of the board from above; a character without a token is an empty cell.
    pub rows: Vec<String>,
    /// Time for which the picture is shown.
    pub milliseconds: u32,
    /// Line below the board: score, moves left.
    pub caption: String,
    /// Framed cells as (row, column) from 0.
    pub marked: Vec<(usize, usize)>,
}

/// Pixels left and right of the board, above for the title and the columns' numbers, below for the
/// caption.
const MARGIN: f64 = 32.0;
const HEAD: f64 = 66.0;
const FEET: f64 = 56.0;

/// Draws a game that repeats forever.
///
/// Frames of 0 ms are dropped; smaller boards are padded right and below with empty cells.
pub fn animation(title: &str, tiles: Tiles, frames: &[Frame]) -> String {
    let frames: Vec<&Frame> = frames.iter().filter(|frame| frame.milliseconds > 0).collect();
    let clock = Clock::new(&frames);
    let rows = frames.iter().map(|frame| frame.rows.len()).max().unwrap_or(0);
    let lengths = frames.iter().flat_map(|frame| &frame.rows).map(|row| row.chars().count());
    let columns = lengths.max().unwrap_or(0);
    let scale = if tiles.has_pieces() { SCALE } else { 1.0 };
    let (board_width, board_height) = (scale * CELL * columns as f64, scale * CELL * rows as f64);
    let (width, height) = ((board_width + 2.0 * MARGIN).max(240.0), HEAD + board_height + FEET);
    let left = (width - board_width) / 2.0;

    let mut svg = Svg::new(width, height, title);
    tiles.define(&mut svg);
    svg.add(format_args!(r##"<rect width="{width}" height="{height}" rx="14" fill="#161821"/>"##));
    svg.text(width / 2.0, 29.0, r##"fill="#9aa0b4" font-size="14" text-anchor="middle""##, title);
    // Numbers of columns and rows, as on a chess board.
    let place = |number: usize| scale * CELL * (number as f64 + 0.5);
    const NUMBER: &str = r##"fill="#9aa0b4" font-size="13" text-anchor="middle""##;
    (0..columns).for_each(|x| svg.text(left + place(x), HEAD - 12.0, NUMBER, &x.to_string()));
    (0..rows).for_each(|y| svg.text(left - 18.0, HEAD + place(y) + 4.5, NUMBER, &y.to_string()));
    let scaled = if scale == 1.0 { String::new() } else { format!(" scale({scale})") };
    svg.add(format_args!(r##"<g transform="translate({left} {HEAD}){scaled}">"##));
    tiles.ground(&mut svg, (columns, rows));
    let boards: Vec<Vec<Vec<char>>> =
        frames.iter().map(|frame| frame.rows.iter().map(|row| row.chars().collect()).collect()).collect();
    for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
        stop::look();
        let tile = |board: &Vec<Vec<char>>| {
            let character = *board.get(row)?.get(column)?;
            tiles.of_character(character)
        };
        let shown: Vec<Option<usize>> = boards.iter().map(tile).collect();
        if shown.iter().any(Option::is_some) {
            let id = |tile: &Option<usize>| tile.map_or("#e".to_owned(), |tile| format!("#t{tile}"));
            let (x, y) = (CELL * column as f64, CELL * row as f64);
            svg.add(format_args!(
                r#"<use href="{}" x="{x}" y="{y}">{}</use>"#,
                id(&shown[0]),
                clock.animate("href", &shown, id)
            ));
        }
    }
    match tiles.has_pieces() {
        true => ghosts(&mut svg, &clock, tiles, &frames),
        false => marks(&mut svg, &clock, &frames),
    }
    svg.add(format_args!("</g>"));
    captions(&mut svg, &clock, &frames, width / 2.0, height - 28.0);
    if frames.len() > 1 {
        svg.add(format_args!(
            r##"<rect x="{left}" y="{}" width="0" height="3" rx="1.5" fill="#6e79d6"><animate attributeName="width" values="0;{board_width}" dur="{}ms" repeatCount="indefinite"/></rect>"##,
            height - 14.0,
            clock.total()
        ));
    }
    svg.finish()
}

struct Clock {
    /// Milliseconds; the last is the end.
    begins: Vec<u64>,
}

impl Clock {
    fn new(frames: &[&Frame]) -> Self {
        let mut begins = vec![0];
        begins.extend(frames.iter().scan(0, |now, frame| {
            *now += u64::from(frame.milliseconds);
            Some(*now)
        }));
        Self { begins }
    }

    fn total(&self) -> u64 {
        self.begins[self.begins.len() - 1]
    }

    /// Animation of an attribute with one value per frame; empty if constant.
    fn animate<T: PartialEq>(&self, attribute: &str, values: &[T], text: impl Fn(&T) -> String) -> String {
        let changes: Vec<usize> = (0..values.len()).filter(|&at| at == 0 || values[at] != values[at - 1]).collect();
        if changes.len() < 2 {
            return String::new();
        }
        let time = |at: &usize| {
            let share = self.begins[*at] as f64 / self.total() as f64;
            ((share * 1e5).round() / 1e5).to_string()
        };
        let times: Vec<String> = changes.iter().map(time).collect();
        let values: Vec<String> = changes.iter().map(|at| text(&values[*at])).collect();
        format!(
            r#"<animate attributeName="{attribute}" calcMode="discrete" dur="{}ms" repeatCount="indefinite" keyTimes="{}" values="{}"/>"#,
            self.total(),
            times.join(";"),
            values.join(";")
        )
    }

    /// `display` and its animation for an element seen in some frames.
    fn seen(&self, frames: &[bool]) -> (&'static str, String) {
        let word = |seen: &bool| if *seen { "inline" } else { "none" };
        (word(&frames[0]), self.animate("display", frames, |seen| word(seen).to_owned()))
    }
}

/// Outlines the marked cells, in which a piece lands, in the piece's colour.
fn ghosts(svg: &mut Svg, clock: &Clock, tiles: Tiles, frames: &[&Frame]) {
    let ghost = |frame: &&Frame| {
        let side = |(row, column): (usize, usize), to: (isize, isize), line: &str| {
            let beside = row.checked_add_signed(to.0).zip(column.checked_add_signed(to.1));
            let inner = beside.is_some_and(|beside| frame.marked.contains(&beside));
            if inner { String::new() } else { line.to_owned() }
        };
        let cell = |&(row, column): &(usize, usize)| {
            let (x, y) = (CELL * column as f64, CELL * row as f64);
            let (right, bottom) = (x + CELL, y + CELL);
            [
                ((-1, 0), format!("M{x} {y}H{right}")),
                ((1, 0), format!("M{x} {bottom}H{right}")),
                ((0, -1), format!("M{x} {y}V{bottom}")),
                ((0, 1), format!("M{right} {y}V{bottom}")),
            ]
            .map(|(to, line)| side((row, column), to, &line))
            .concat()
        };
        let path: String = frame.marked.iter().map(cell).collect();
        (path, tiles.colour_of_piece(frame))
    };
    let drawn: Vec<(String, String)> = frames.iter().map(ghost).collect();
    for one in distinct(drawn.iter().filter(|(path, _)| !path.is_empty())) {
        let shown: Vec<bool> = drawn.iter().map(|other| other == one).collect();
        let (display, animate) = clock.seen(&shown);
        let (path, colour) = one;
        svg.add(format_args!(
            r##"<path d="{path}" fill="none" stroke="{colour}" stroke-width="3.5" stroke-linecap="round" display="{display}">{animate}</path>"##
        ));
    }
}

/// Frames the marked cells together if they fill a rectangle, else one by one.
fn marks(svg: &mut Svg, clock: &Clock, frames: &[&Frame]) {
    let marked = |frame: &Frame| {
        let mut cells = frame.marked.clone();
        cells.sort_unstable();
        cells.dedup();
        rectangles(&cells)
    };
    let marked: Vec<Vec<[usize; 4]>> = frames.iter().map(|frame| marked(frame)).collect();
    for rectangle in distinct(marked.iter().flatten()) {
        let shown: Vec<bool> = marked.iter().map(|marked| marked.contains(rectangle)).collect();
        let (display, animate) = clock.seen(&shown);
        let [row, column, rows, columns] = rectangle.map(|count| CELL * count as f64);
        svg.add(format_args!(
            r##"<rect x="{}" y="{}" width="{}" height="{}" rx="9" fill="none" stroke="#fff" stroke-width="2.5" display="{display}">{animate}</rect>"##,
            column + 1.5,
            row + 1.5,
            columns - 3.0,
            rows - 3.0
        ));
    }
}

/// The rectangle that sorted cells fill, else each cell: `[row, column, rows, columns]`.
fn rectangles(cells: &[(usize, usize)]) -> Vec<[usize; 4]> {
    let (Some(&(top, _)), Some(&(bottom, _))) = (cells.first(), cells.last()) else { return Vec::new() };
    let left = cells.iter().map(|cell| cell.1).min().unwrap_or(0);
    let right = cells.iter().map(|cell| cell.1).max().unwrap_or(0);
    let (rows, columns) = (bottom - top + 1, right - left + 1);
    match rows * columns == cells.len() {
        true => vec![[top, left, rows, columns]],
        false => cells.iter().map(|&(row, column)| [row, column, 1, 1]).collect(),
    }
}

fn captions(svg: &mut Svg, clock: &Clock, frames: &[&Frame], x: f64, y: f64) {
    for caption in distinct(frames.iter().map(|frame| &frame.caption).filter(|caption| !caption.is_empty())) {
        let shown: Vec<bool> = frames.iter().map(|frame| frame.caption == *caption).collect();
        let (display, animate) = clock.seen(&shown);
        let caption = escaped(caption);
        svg.add(format_args!(
            r##"<text x="{x}" y="{y}" fill="#f2f3f8" font-size="16" font-weight="bold" text-anchor="middle" display="{display}">{caption}{animate}</text>"##
        ));
    }
}

/// Distinct values by first appearance.
fn distinct<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    values.fold(Vec::new(), |mut all, value| {
        if !all.contains(&value) {
            all.push(value);
        }
        all
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::{Shape, Tetris, Text as _, Token};
    use crate::svg::tests::is_well_formed;

    const PALETTE: [Token; 3] = [
        Token { letter: 'a', colour: [0xe5, 0x48, 0x4d], shape: Shape::Triangle },
        Token { letter: 'b', colour: [0x3e, 0x9b, 0xf0], shape: Shape::Circle },
        Token { letter: '#', colour: [0x6b, 0x70, 0x80], shape: Shape::Block },
    ];

    const GEMS: Tiles = Tiles { tokens: &PALETTE, pieces: &[], above: 0 };

    fn frame(rows: &[&str], milliseconds: u32, caption: &str, marked: &[(usize, usize)]) -> Frame {
        let rows = rows.iter().map(|row| (*row).to_owned()).collect();
        Frame { rows, milliseconds, caption: caption.to_owned(), marked: marked.to_vec() }
    }

    fn drawn(frames: &[Frame]) -> String {
        let svg = animation("seed 0", GEMS, frames);
        assert!(is_well_formed(&svg), "{svg}");
        svg
    }

    fn cell(svg: &str, x: u32, y: u32) -> &str {
        let place = format!(r#"x="{x}" y="{y}">"#);
        svg.lines().find(|line| line.starts_with("<use ") && line.contains(&place)).unwrap_or_default()
    }

    #[test]
    fn each_cell_goes_through_its_tiles_at_their_times() {
        let svg = drawn(&[
            frame(&["ab", "# "], 500, "score 0", &[(0, 0), (0, 1)]),
            frame(&["ba", "# "], 250, "score 0", &[]),
            frame(&["  ", "# "], 250, "score 8", &[]),
            frame(&["ab", "#a"], 1000, "score 8", &[]),
        ]);
        let timed = |attribute: &str, times: &str, values: &str| {
            format!(
                "<animate attributeName=\"{attribute}\" calcMode=\"discrete\" dur=\"2000ms\" \
                 repeatCount=\"indefinite\" keyTimes=\"{times}\" values=\"{values}\"/>"
            )
        };
        let used = |first: &str, x: u32, y: u32, animate: &str| {
            format!("<use href=\"{first}\" x=\"{x}\" y=\"{y}\">{animate}</use>")
        };
        let corner = timed("href", "0;0.25;0.375;0.5", "#t0;#t1;#e;#t0");
        assert_eq!(cell(&svg, 0, 0), used("#t0", 0, 0, &corner));
        let beside = timed("href", "0;0.25;0.375;0.5", "#t1;#t0;#e;#t1");
        assert_eq!(cell(&svg, 40, 0), used("#t1", 40, 0, &beside));
        // A constant cell is not animated; a late token's cell is empty before.
        assert_eq!(cell(&svg, 0, 40), used("#t2", 0, 40, ""));
        assert_eq!(cell(&svg, 40, 40), used("#e", 40, 40, &timed("href", "0;0.5", "#e;#t0")));
        // Columns are numbered above the board, rows beside it.
        for place in [r#"x="140" y="54""#, r#"x="62" y="130.5""#] {
            let number = format!(r##"<text {place} fill="#9aa0b4" font-size="13" text-anchor="middle">1</text>"##);
            assert!(svg.contains(&number), "{number} in {svg}");
        }
        // Two adjacent marked cells share a frame; each caption has its time.
        assert!(svg.contains(r#"width="77" height="37" rx="9""#), "{svg}");
        assert!(svg.contains(&format!("display=\"inline\">{}", timed("display", "0;0.25", "inline;none"))), "{svg}");
        assert!(svg.contains(&format!("score 0{}", timed("display", "0;0.375", "inline;none"))), "{svg}");
        assert!(svg.contains(&format!("score 8{}", timed("display", "0;0.375", "none;inline"))), "{svg}");
    }

    #[test]
    fn every_cell_of_every_frame_can_be_read_back() {
        // Boards of 3 x 4 by a linear congruential generator; " " is an empty cell.
        let mut state = 1_u32;
        let mut letter = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ['a', 'b', '#', ' '][(state >> 24) as usize % 4]
        };
        let boards: Vec<Vec<String>> =
            (0..16).map(|_| (0..3).map(|_| (0..4).map(|_| letter()).collect()).collect()).collect();
        let shown = |rows: &Vec<String>| Frame { rows: rows.clone(), milliseconds: 100, ..Frame::default() };
        let svg = drawn(&boards.iter().map(shown).collect::<Vec<_>>());
        let between = |text: &str, from: &str, to: &str| -> Option<String> {
            text.split_once(from).and_then(|(_, rest)| rest.split_once(to)).map(|(part, _)| part.to_owned())
        };
        for (row, column) in (0..3).flat_map(|row| (0..4).map(move |column| (row, column))) {
            let text = cell(&svg, 40 * column as u32, 40 * row as u32);
            let times = between(text, "keyTimes=\"", "\"").unwrap();
            let values = between(text, " values=\"", "\"").unwrap();
            let steps: Vec<(f64, &str)> =
                times.split(';').map(|time| time.parse().unwrap()).zip(values.split(';')).collect();
            for (index, board) in boards.iter().enumerate() {
                let now = (index as f64 + 0.5) / 16.0;
                let id = steps.iter().rev().find(|(begin, _)| *begin <= now).unwrap().1;
                let expected = match board[row].as_bytes()[column] {
                    b'a' => "#t0",
                    b'b' => "#t1",
                    b'#' => "#t2",
                    _ => "#e",
                };
                assert_eq!(id, expected, "row {row}, column {column}, frame {index}");
            }
        }
    }

    #[test]
    fn every_shape_is_defined_once_and_marks_that_fill_no_rectangle_are_single() {
        use Shape::{Block, Circle, Diamond, Hexagon, Pentagon, Square, Star, Triangle};
        let shapes = [Circle, Square, Triangle, Pentagon, Hexagon, Diamond, Star, Block];
        let tiles: Vec<Token> = shapes
            .iter()
            .zip('a'..)
            .map(|(&shape, character)| Token { letter: character, colour: [255; 3], shape })
            .collect();
        let svg = animation("", Tiles { tokens: &tiles, ..GEMS }, &[frame(&["abcdefgh"], 1, "", &[(0, 0), (0, 2)])]);
        assert!(is_well_formed(&svg));
        for index in 0..8 {
            assert_eq!(svg.matches(&format!("id=\"t{index}\"")).count(), 1);
            assert!(cell(&svg, 40 * index, 0).contains(&format!("href=\"#t{index}\"")));
        }
        let outlines: Vec<String> = shapes.map(outline).to_vec();
        assert_eq!(distinct(outlines.iter()).len(), 8);
        assert_eq!(svg.matches(r#"width="37" height="37" rx="9""#).count(), 2);
    }

    #[test]
    fn pieces_are_blocks_on_a_dark_board_with_a_ghost_and_full_rows_flash() {
        let tiles = Tiles::of::<Tetris>();
        assert_eq!((tiles.above, Tetris::TOKENS[0].letter), (2, '.'));
        let svg = animation(
            "tetris",
            tiles,
            &[
                frame(&["OO", "OO", "..", "#I"], 100, "", &[(2, 0), (2, 1)]),
                frame(&["..", "..", "OO", "#I"], 100, "", &[]),
                frame(&["..", "..", "  ", "#I"], 100, "", &[]),
            ],
        );
        assert!(is_well_formed(&svg), "{svg}");
        let href = |x, y| cell(&svg, x, y).split('"').nth(1).unwrap_or_default().to_owned();
        // O is the third token, # the second, I the fourth; no cell that stays empty is drawn.
        assert_eq!([href(0, 0), href(0, 120), href(40, 120)], ["#t2", "#t1", "#t3"]);
        assert!(cell(&svg, 0, 80).contains("values=\"#e;#t2;#t9\""), "{}", cell(&svg, 0, 80));
        assert!(svg.contains("id=\"t9\"") && !svg.contains("id=\"t0\""), "{svg}");
        // The ghost's outline is of the outer sides only, in the colour of O.
        let ghost = svg.lines().find(|line| line.starts_with("<path d=\"M0 80")).unwrap();
        let sides = "M0 80H40M0 120H40M0 80V120M40 80H80M40 120H80M80 80V120";
        assert!(ghost.contains(&format!("d=\"{sides}\"")) && ghost.contains("stroke=\"#f4d33e\""), "{ghost}");
        // The board begins below the rows of the piece.
        assert!(svg.contains(r##"<rect x="-6" y="74" width="92" height="92""##), "{svg}");
    }

    #[test]
    fn a_still_game_an_empty_one_and_frames_of_no_time_are_drawn() {
        let still = [frame(&["a<"], 100, "<1>", &[]), frame(&["a<"], 100, "<1>", &[]), frame(&["bb"], 0, "gone", &[])];
        let svg = drawn(&still);
        assert!(svg.contains("&lt;1&gt;") && !svg.contains("gone") && !svg.contains("#t1"));
        // Only the time line moves.
        assert_eq!(svg.matches("<animate ").count(), 1);
        assert!(!drawn(&[]).contains("<animate"));
    }
}
