//! A picture of what was read.

use super::field::Field;
use super::picture::Picture;
use super::read::Reading;

/// Signs of five rows of three pixels, the left pixel in the highest bit.
const GLYPHS: &[(char, [u8; 5])] = &[
    ('0', [7, 5, 5, 5, 7]),
    ('1', [2, 6, 2, 2, 7]),
    ('2', [7, 1, 7, 4, 7]),
    ('3', [7, 1, 3, 1, 7]),
    ('4', [5, 5, 7, 1, 1]),
    ('5', [7, 4, 7, 1, 7]),
    ('6', [7, 4, 7, 5, 7]),
    ('7', [7, 1, 2, 2, 2]),
    ('8', [7, 5, 7, 5, 7]),
    ('9', [7, 5, 7, 1, 7]),
    ('A', [2, 5, 7, 5, 5]),
    ('B', [6, 5, 6, 5, 6]),
    ('C', [3, 4, 4, 4, 3]),
    ('D', [6, 5, 5, 5, 6]),
    ('E', [7, 4, 6, 4, 7]),
    ('F', [7, 4, 6, 4, 4]),
    ('G', [3, 4, 5, 5, 3]),
    ('H', [5, 5, 7, 5, 5]),
    ('I', [7, 2, 2, 2, 7]),
    ('J', [1, 1, 1, 5, 2]),
    ('K', [5, 6, 4, 6, 5]),
    ('L', [4, 4, 4, 4, 7]),
    ('M', [5, 7, 7, 5, 5]),
    ('N', [6, 5, 5, 5, 5]),
    ('O', [2, 5, 5, 5, 2]),
    ('P', [6, 5, 6, 4, 4]),
    ('Q', [2, 5, 5, 6, 3]),
    ('R', [6, 5, 6, 5, 5]),
    ('S', [3, 4, 2, 1, 6]),
    ('T', [7, 2, 2, 2, 2]),
    ('U', [5, 5, 5, 5, 7]),
    ('V', [5, 5, 5, 5, 2]),
    ('W', [5, 5, 7, 7, 5]),
    ('X', [5, 5, 2, 5, 5]),
    ('Y', [5, 5, 2, 2, 2]),
    ('Z', [7, 1, 2, 4, 7]),
    ('#', [5, 7, 5, 7, 5]),
    ('.', [0, 0, 0, 0, 2]),
    ('%', [5, 1, 2, 4, 5]),
    ('?', [7, 1, 2, 0, 2]),
];

const LINE: [u8; 3] = [255, 0, 255];
const SURE: [u8; 3] = [90, 255, 90];
const UNSURE: [u8; 3] = [255, 70, 70];
const GROUND: [u8; 3] = [0, 0, 0];
const NUMBER: [u8; 3] = [255, 255, 255];
const MARK: [u8; 3] = [255, 150, 0];

/// The picture with lattice, letters as capitals and confidences: green if sure, else red.
pub fn overlay(picture: &Picture, reading: &Reading) -> Picture {
    let mut drawn = picture.clone();
    let field = &reading.field;
    let [left, top, width, height] = field.rectangle();
    for column in 0..=field.size[0] {
        let x = (left + column as f64 * field.cell[0]).round() as isize;
        (0..=height.round() as isize).for_each(|y| drawn.set(x, top.round() as isize + y, LINE));
    }
    for row in 0..=field.size[1] {
        let y = (top + row as f64 * field.cell[1]).round() as isize;
        (0..=width.round() as isize).for_each(|x| drawn.set(left.round() as isize + x, y, LINE));
    }
    for (at, cell) in reading.cells.iter().enumerate() {
        let middle = field.middle(at % field.size[0], at / field.size[0]);
        let corner = [0, 1].map(|axis| (middle[axis] - field.cell[axis] / 2.0).round() as isize + 2);
        let text = format!("{}{:.0}", cell.letter.to_uppercase(), (100.0 * cell.confidence).floor());
        // A sign has four columns of pixels; all signs take about two thirds of the cell.
        let size = ((field.cell[0] * 0.65 / (4.0 * text.len() as f64)) as isize).max(1);
        write(&mut drawn, corner, size, &text, if cell.is_sure() { SURE } else { UNSURE });
    }
    numbers(&mut drawn, field);
    drawn
}

/// Numbers of columns above the field and of rows left of it, inside where there is no room.
pub fn numbers(picture: &mut Picture, field: &Field) {
    let size = ((field.cell[1] * 0.3 / 7.0).round() as isize).max(1);
    let [left, top, ..] = field.rectangle();
    for (axis, end) in [(0, top), (1, left)] {
        for number in 0..field.size[axis] {
            let text = number.to_string();
            let extent = [4 * text.len() as isize + 1, 7].map(|dots| dots * size);
            let mut corner = [0, 1].map(|axis| field.middle(number, number)[axis].round() as isize - extent[axis] / 2);
            corner[1 - axis] = (end.round() as isize - extent[1 - axis] - size).max(0);
            write(picture, corner, size, &text, NUMBER);
        }
    }
}

/// Frame drawn along the inside of a cell.
pub fn mark(picture: &mut Picture, field: &Field, column: usize, row: usize) {
    let middle = field.middle(column, row);
    let [from, to] = [-0.5, 0.5].map(|half| [0, 1].map(|at| (middle[at] + half * field.cell[at]).round() as isize));
    let thick = ((field.cell[0] / 12.0) as isize).max(2);
    for y in from[1]..to[1] {
        for x in from[0]..to[0] {
            if [x - from[0], to[0] - 1 - x, y - from[1], to[1] - 1 - y].iter().any(|depth| *depth < thick) {
                picture.set(x, y, MARK);
            }
        }
    }
}

/// Writes a text on a dark ground, whose dots have a size in pixels.
fn write(picture: &mut Picture, [left, top]: [isize; 2], size: isize, text: &str, colour: [u8; 3]) {
    let text: Vec<char> = text.chars().collect();
    for y in -1..=5 {
        for x in -1..4 * text.len() as isize {
            let sign = text.get((x.max(0) / 4) as usize).copied();
            let rows =
                sign.and_then(|sign| GLYPHS.iter().find(|glyph| glyph.0 == sign)).map_or([7; 5], |glyph| glyph.1);
            let lit = (0..5).contains(&y) && x >= 0 && x % 4 < 3 && rows[y as usize] >> (2 - x % 4) & 1 == 1;
            for at in 0..size * size {
                let place = [left + (x + 1) * size + at % size, top + (y + 1) * size + at / size];
                picture.set(place[0], place[1], if lit { colour } else { GROUND });
            }
        }
    }
}
