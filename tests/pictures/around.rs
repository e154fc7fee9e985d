//! Boards at rest among what surrounds them in programs, and pictures without a board.

use matchq_core::random::{Draw, Role, Stream};
use matchq_vision::{Field, Picture};

use super::{Canvas, DEEP, Drawn, FLAT, FORMS, Form, GLOSSY, PALE, Page, Style};

/// Forms of gems as in the original Bejeweled's pictures, and their median colours in those of PopCap's
/// page that `public.json` names.
pub const WEB: Style = Style {
    name: "web",
    gems: &[
        ('R', [251, 32, 64], Form::Square(0.4)),
        ('W', [241, 241, 241], Form::Disc(0.41)),
        ('Y', [248, 231, 40], Form::Polygon(4, 0.29, 0.125)),
        ('B', [13, 114, 227], Form::Polygon(3, 0.22, 0.75)),
        ('P', [190, 26, 191], Form::Polygon(3, 0.22, 0.25)),
        ('O', [242, 114, 29], Form::Polygon(6, 0.36, 0.0)),
        ('G', [35, 227, 64], Form::Polygon(8, 0.38, 0.0)),
    ],
    glossy: true,
    ground: [[26, 22, 24], [44, 38, 40]],
    lines: None,
};

/// One of the styles, by chance with its forms dealt anew and its colours moved a little.
pub fn some_style(draw: &mut Stream) -> Style {
    let style = [FLAT, GLOSSY, PALE, DEEP, WEB][draw.below(5) as usize];
    if draw.below(2) == 0 {
        return style;
    }
    let turn = draw.below(7) as usize;
    let gems = style.gems.iter().enumerate().map(|(at, (letter, colour, _))| {
        let moved = colour.map(|value| (i32::from(value) + draw.below(25) as i32 - 12).clamp(0, 255) as u8);
        (*letter, moved, FORMS[(at + turn) % FORMS.len()])
    });
    // A style lives as long as the test.
    Style { gems: Box::leak(gems.collect::<Vec<_>>().into_boxed_slice()), ..style }
}

/// A board of a style without three in line, in cells of `pitch` pixels, in flat, framed, written
/// and scrolled surroundings that follow from the seed.
pub fn draw(style: &Style, pitch: f64, seed: u64) -> Drawn {
    let mut draw = Stream::new(seed, Role::Game, 31);
    let board = at_rest(&mut draw, style.gems.len(), [8, 8]);
    let margin = |draw: &mut Stream| match draw.below(4) {
        0 => 0.0,
        1 => pitch * f64::from(1 + draw.below(3)),
        _ => pitch * 4.0 * f64::from(draw.unit()),
    };
    let margins: [f64; 4] = [0; 4].map(|_| margin(&mut draw));
    let side = 8.0 * pitch;
    let [width, height] = [margins[0] + side + margins[2], margins[1] + side + margins[3]].map(f64::ceil);
    let mut canvas = Canvas::new([width, height]);
    let page = [Page::Plain, Page::White, Page::Plain, Page::Busy][draw.below(4) as usize];
    canvas.page(page, pitch, &mut draw);
    if draw.below(3) == 0 {
        let colour = surface(style, &mut draw);
        canvas.values.fill(colour);
    }
    // Surfaces that touch the field's sides, one of them perhaps a scroll bar.
    let [left, top] = [margins[0], margins[1]];
    for (at, room) in margins.into_iter().enumerate() {
        if draw.below(2) == 0 {
            let (near, far) = (0.0, if draw.below(2) == 0 { room } else { room.min(pitch) });
            let colour = surface(style, &mut draw);
            let (from, to) = match at {
                0 => ([left - far, 0.0], [left - near, height]),
                1 => ([0.0, top - far], [width, top - near]),
                2 => ([left + side + near, 0.0], [left + side + far, height]),
                _ => ([0.0, top + side + near], [width, top + side + far]),
            };
            canvas.rectangle(from, to, colour);
            if draw.below(4) == 0 && at != 1 && at != 3 {
                let (wide, start) = (to[0] - from[0], height * 0.6 * f64::from(draw.unit()));
                canvas.rectangle([from[0] + 0.1 * wide, start], [to[0] - 0.1 * wide, start + 0.3 * height], [150.0; 3]);
            }
        }
    }
    if draw.below(3) == 0 {
        let (thick, gap) = (pitch * 0.1, pitch * 0.25 * f64::from(draw.unit()));
        let colour = [0; 3].map(|_| f64::from(draw.below(256)));
        let ground = style.ground[0].map(f64::from);
        let grown = |by: f64| ([left - by, top - by], [left + side + by, top + side + by]);
        let (outer, inner) = (grown(gap + thick), grown(gap));
        canvas.rectangle(outer.0, outer.1, colour);
        canvas.rectangle(inner.0, inner.1, ground);
    }
    // Gems may lie a pixel or two off.
    let loose = if draw.below(3) == 0 { 0.03 * pitch } else { 0.0 };
    let field = Field { corner: [left, top], cell: [pitch; 2], size: [8, 8] };
    for (y, row) in board.iter().enumerate() {
        for (x, gem) in row.iter().enumerate() {
            let off = [0, 1].map(|_| loose * (2.0 * f64::from(draw.unit()) - 1.0));
            let middle = field.middle(x, y);
            canvas.cell(style, pitch, [middle[0] + off[0], middle[1] + off[1]], (x + y) % 2, *gem, false);
        }
    }
    let noise = [0.0, 0.0, 3.0][draw.below(3) as usize];
    let picture = canvas.finish(noise, &mut draw);
    let board = board.iter().map(|row| row.iter().map(|gem| style.gems[*gem].0).collect()).collect();
    Drawn { picture, board, field }
}

/// A board of a style without three in line on a dark page, four cells wide to each side.
pub fn plain(style: &Style, pitch: f64, seed: u64) -> Drawn {
    let mut draw = Stream::new(seed, Role::Game, 43);
    let board = at_rest(&mut draw, style.gems.len(), [8, 8]);
    let mut canvas = Canvas::new([16.0 * pitch, 10.0 * pitch].map(f64::ceil));
    canvas.values.fill([30.0, 26.0, 30.0]);
    let field = Field { corner: [4.0 * pitch, pitch], cell: [pitch; 2], size: [8, 8] };
    for (y, row) in board.iter().enumerate() {
        for (x, gem) in row.iter().enumerate() {
            canvas.cell(style, pitch, field.middle(x, y), (x + y) % 2, *gem, false);
        }
    }
    let picture = canvas.finish(0.0, &mut draw);
    let board = board.iter().map(|row| row.iter().map(|gem| style.gems[*gem].0).collect()).collect();
    Drawn { picture, board, field }
}

fn surface(style: &Style, draw: &mut Stream) -> [f64; 3] {
    match draw.below(5) {
        0 => [255.0; 3],
        1 | 2 => style.gems[draw.below(style.gems.len() as u32) as usize].1.map(f64::from),
        3 => style.ground[0].map(f64::from),
        _ => [0; 3].map(|_| f64::from(draw.below(256))),
    }
}

/// Gems, row by row, without three in line.
fn at_rest(draw: &mut Stream, kinds: usize, [columns, rows]: [usize; 2]) -> Vec<Vec<usize>> {
    let mut board: Vec<Vec<usize>> = vec![vec![0; columns]; rows];
    for y in 0..rows {
        for x in 0..columns {
            loop {
                let gem = draw.below(kinds as u32) as usize;
                let left = x >= 2 && board[y][x - 1] == gem && board[y][x - 2] == gem;
                let above = y >= 2 && board[y - 1][x] == gem && board[y - 2][x] == gem;
                if !left && !above {
                    board[y][x] = gem;
                    break;
                }
            }
        }
    }
    board
}

/// A picture of a page, a table, swatches, icons, keys, a wall, a slope, or noise: no board.
pub fn without_a_board(seed: u64) -> Picture {
    let mut draw = Stream::new(seed, Role::Game, 37);
    let pitch = 20.0 + 50.0 * f64::from(draw.unit());
    let size = [0; 2].map(|_| (pitch * (8.0 + 6.0 * f64::from(draw.unit()))).ceil());
    let mut canvas = Canvas::new(size);
    let page = [Page::Plain, Page::White, Page::Busy][draw.below(3) as usize];
    canvas.page(page, pitch, &mut draw);
    let style = some_style(&mut draw);
    let (columns, rows) = ((size[0] / pitch) as usize, (size[1] / pitch) as usize);
    let off = [0; 2].map(|_| 0.3 * pitch * f64::from(draw.unit()));
    let kind = draw.below(9);
    let any = |draw: &mut Stream| [0; 3].map(|_| f64::from(draw.below(256)));
    let (paper, ink) = (any(&mut draw), any(&mut draw));
    let across = draw.below(2) == 0;
    for y in 0..rows {
        for x in 0..columns {
            let middle = [off[0] + (x as f64 + 0.5) * pitch, off[1] + (y as f64 + 0.5) * pitch];
            let box_of = |half: f64| {
                (
                    [middle[0] - half * pitch, middle[1] - half * pitch],
                    [middle[0] + half * pitch, middle[1] + half * pitch],
                )
            };
            let along = if across { y } else { x };
            match kind {
                // A table of cells with lines, some filled.
                0 => {
                    let (from, to) = box_of(0.48);
                    canvas.rectangle(from, to, if draw.below(5) == 0 { ink } else { paper });
                }
                // Swatches: a line has one colour of the style's.
                1 => {
                    let (from, to) = box_of(0.4);
                    canvas.rectangle(from, to, style.gems[along % style.gems.len()].1.map(f64::from));
                }
                // A line has one gem of the style.
                2 => canvas.cell(&style, pitch, middle, (x + y) % 2, along % style.gems.len(), false),
                // Icons: all colours differ.
                3 => {
                    let (from, to) = box_of(0.35);
                    let colour = any(&mut draw);
                    canvas.rectangle(from, to, colour);
                }
                // Keys: dark tiles with a light sign.
                4 => {
                    let (from, to) = box_of(0.45);
                    canvas.rectangle(from, to, paper);
                    let at = [middle[0] + 0.2 * pitch * f64::from(draw.unit()), middle[1]];
                    let high = 0.1 * pitch * (1.0 + f64::from(draw.below(2)));
                    canvas.paint(at, high, |u, v| (u.abs() - 0.06 * pitch).max(v.abs() - high), |_, _| ink);
                }
                // A chequerboard of two gems' colours.
                5 => {
                    let (from, to) = box_of(0.5);
                    let gem = (x + y) % 2 + along / 4;
                    canvas.rectangle(from, to, style.gems[gem % style.gems.len()].1.map(f64::from));
                }
                // Few large tiles.
                6 if x % 4 == 0 && y % 4 == 0 => {
                    let gem = draw.below(style.gems.len() as u32) as usize;
                    let to = [middle[0] + 3.4 * pitch, middle[1] + 3.4 * pitch];
                    canvas.rectangle(middle, to, style.gems[gem].1.map(f64::from));
                }
                // Gems strewn about.
                7 if draw.below(3) == 0 => {
                    let gem = draw.below(style.gems.len() as u32) as usize;
                    let at = [0, 1].map(|axis| size[axis] * f64::from([draw.unit(), draw.unit()][axis]));
                    let form = style.gems[gem].2.distance();
                    canvas.paint(
                        at,
                        pitch / 2.0,
                        |u, v| form(u / pitch, v / pitch) * pitch,
                        |_, _| style.gems[gem].1.map(f64::from),
                    );
                }
                _ => {}
            }
        }
    }
    let noise = [0.0, 4.0, 40.0][draw.below(3) as usize];
    canvas.finish(noise, &mut draw)
}
