//! Pictures of boards for tests: gems of several styles on pages, spoilt in several ways.

pub mod around;
mod jpeg;
pub mod rates;

use matchq_core::random::{Draw, Role, Stream};
use matchq_vision::{Field, Picture};

pub use jpeg::jpeg;

/// Form of a gem; lengths are in cells.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    Disc(f64),
    /// Half a side.
    Square(f64),
    /// Corners; distance of the sides from the middle; angle of the first side in turns.
    Polygon(usize, f64, f64),
    Star,
}

/// A game's gems.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    pub name: &'static str,
    /// Letter, colour and form of each gem.
    pub gems: &'static [(char, [u8; 3], Form)],
    pub glossy: bool,
    /// Two colours of cells behind gems.
    pub ground: [[u8; 3]; 2],
    /// Colour of lines between cells, if any.
    pub lines: Option<[u8; 3]>,
}

const FORMS: [Form; 7] = [
    Form::Square(0.36),
    Form::Disc(0.4),
    Form::Polygon(4, 0.3, 0.125),
    Form::Polygon(6, 0.36, 0.0),
    Form::Polygon(3, 0.22, 0.25),
    Form::Polygon(6, 0.36, 1.0 / 12.0),
    Form::Polygon(8, 0.38, 0.0),
];

/// Gems of even colours on a dark ground.
pub const FLAT: Style = Style {
    name: "flat",
    gems: &[
        ('R', [222, 40, 48], FORMS[0]),
        ('W', [232, 232, 236], FORMS[1]),
        ('Y', [240, 212, 36], FORMS[2]),
        ('B', [40, 120, 232], FORMS[3]),
        ('P', [184, 60, 204], FORMS[4]),
        ('O', [244, 138, 36], FORMS[5]),
        ('G', [52, 184, 72], FORMS[6]),
    ],
    glossy: false,
    ground: [[26, 26, 38], [34, 34, 48]],
    lines: None,
};

/// [`FLAT`] with shading, rims and lights.
pub const GLOSSY: Style = Style { name: "glossy", glossy: true, ground: [[44, 36, 30], [60, 50, 40]], ..FLAT };

/// Pale colours on a light ground with lines.
pub const PALE: Style = Style {
    name: "pale",
    gems: &[
        ('R', [236, 128, 128], Form::Disc(0.38)),
        ('W', [150, 156, 168], Form::Disc(0.38)),
        ('Y', [226, 206, 110], Form::Square(0.34)),
        ('B', [126, 162, 230], Form::Polygon(4, 0.3, 0.125)),
        ('P', [196, 146, 222], Form::Polygon(6, 0.35, 0.0)),
        ('O', [236, 170, 110], Form::Star),
        ('G', [136, 206, 146], Form::Polygon(5, 0.32, 0.25)),
    ],
    glossy: false,
    ground: [[246, 246, 248], [246, 246, 248]],
    lines: Some([206, 208, 214]),
};

/// Deep, glossy colours of one form.
pub const DEEP: Style = Style {
    name: "deep",
    gems: &[
        ('R', [150, 18, 40], Form::Disc(0.4)),
        ('W', [176, 176, 184], Form::Disc(0.4)),
        ('Y', [176, 146, 10], Form::Disc(0.4)),
        ('B', [22, 62, 160], Form::Disc(0.4)),
        ('P', [104, 26, 140], Form::Disc(0.4)),
        ('O', [190, 86, 12], Form::Disc(0.4)),
        ('G', [16, 112, 50], Form::Disc(0.4)),
    ],
    glossy: true,
    ground: [[12, 14, 22], [22, 24, 34]],
    lines: None,
};

/// Colours in the middle of the articles' ranges.
pub const RANGED: Style = Style {
    name: "articles' colours",
    gems: &[
        ('R', [200, 0, 0], FORMS[0]),
        ('W', [160, 160, 160], FORMS[1]),
        ('Y', [200, 200, 0], FORMS[2]),
        ('B', [0, 180, 180], FORMS[3]),
        ('P', [200, 0, 200], FORMS[4]),
        ('O', [220, 96, 0], FORMS[5]),
        ('G', [90, 200, 90], FORMS[6]),
    ],
    ..FLAT
};

/// Gems and blocks on white with hardly a gap, as in the kit.
pub const TIGHT: Style = Style {
    name: "tight",
    gems: &[
        ('a', [255, 0, 0], Form::Polygon(3, 0.24, 0.25)),
        ('b', [0, 255, 0], Form::Polygon(4, 0.339, 0.125)),
        ('c', [0, 0, 255], Form::Polygon(5, 0.388, 0.25)),
        ('d', [0, 255, 255], Form::Polygon(6, 0.416, 0.0)),
        ('#', [100, 100, 100], Form::Square(0.48)),
        ('#', [100, 100, 100], Form::Square(0.48)),
    ],
    glossy: false,
    ground: [[255, 255, 255], [255, 255, 255]],
    lines: None,
};

/// Surroundings of the field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Page {
    /// The picture ends with the field.
    None,
    /// One colour.
    Plain,
    /// White.
    White,
    /// Writing, boxes, discs and stripes.
    Busy,
}

/// A way to draw a board.
#[derive(Clone, Debug)]
pub struct Scene {
    pub style: Style,
    pub columns: usize,
    pub rows: usize,
    /// Side of a cell in pixels.
    pub pitch: f64,
    pub page: Page,
    /// Standard deviation of the noise, of 255.
    pub noise: f64,
    /// Quality of JPEG compression, if any.
    pub jpeg: Option<u8>,
    /// Number of arrows, which are hints.
    pub arrows: usize,
    /// Whether a gem is selected: larger, with a bright frame.
    pub selected: bool,
}

/// A picture with its board and place.
pub struct Drawn {
    pub picture: Picture,
    pub board: Vec<Vec<char>>,
    pub field: Field,
}

impl Drawn {
    /// Text of the board.
    pub fn text(&self) -> String {
        self.board.iter().map(|row| row.iter().collect()).collect::<Vec<String>>().join("\n")
    }
}

impl Scene {
    /// A plain scene of 8 by 8 gems, 52 pixels each.
    pub fn new(style: Style) -> Self {
        let [noise, pitch] = [0.0, 52.0];
        let (page, jpeg, arrows, selected) = (Page::Plain, None, 0, false);
        Self { style, columns: 8, rows: 8, pitch, page, noise, jpeg, arrows, selected }
    }

    /// Draws the scene; board, place and all else random follow from the seed.
    pub fn draw(&self, seed: u64) -> Drawn {
        let mut draw = Stream::new(seed, Role::Game, 29);
        let kinds = self.style.gems.len();
        let board: Vec<Vec<usize>> =
            (0..self.rows).map(|_| (0..self.columns).map(|_| draw.below(kinds as u32) as usize).collect()).collect();
        let size = [self.columns, self.rows].map(|cells| self.pitch * cells as f64);
        let around = if self.page == Page::None { 0.0 } else { 1.0 };
        let mut room = |most: f64| around * (8.0 + most * f64::from(draw.unit()));
        let corner = [room(3.0 * self.pitch), room(2.0 * self.pitch)];
        let ends = [0, 1].map(|at| (corner[at] + size[at] + room(4.0 * self.pitch)).ceil() as usize);
        let mut canvas = Canvas::new(ends.map(|end| end as f64));
        canvas.page(self.page, self.pitch, &mut draw);
        let field = Field { corner, cell: [self.pitch; 2], size: [self.columns, self.rows] };
        let selected = self.selected.then(|| [draw.below(self.columns as u32), draw.below(self.rows as u32)]);
        for (y, row) in board.iter().enumerate() {
            for (x, gem) in row.iter().enumerate() {
                let chosen = selected.is_some_and(|at| at == [x as u32, y as u32]);
                canvas.cell(&self.style, self.pitch, field.middle(x, y), (x + y) % 2, *gem, chosen);
            }
        }
        for _ in 0..self.arrows {
            let at = [draw.below(self.columns as u32), draw.below(self.rows as u32)].map(|at| at as usize);
            let colour = [[255.0, 255.0, 255.0], [70.0, 150.0, 255.0]][draw.below(2) as usize];
            canvas.arrow(self.pitch, field.middle(at[0], at[1]), draw.below(4), colour);
        }
        let letters = |row: &Vec<usize>| row.iter().map(|gem| self.style.gems[*gem].0).collect();
        let board = board.iter().map(letters).collect();
        let picture = canvas.finish(self.noise, &mut draw);
        Drawn { picture: self.jpeg.map_or(picture.clone(), |quality| through_jpeg(&picture, quality)), board, field }
    }
}

/// A picture after JPEG compression.
pub fn through_jpeg(picture: &Picture, quality: u8) -> Picture {
    Picture::decode("a JPEG", &jpeg(picture, quality)).unwrap()
}

struct Canvas {
    width: usize,
    height: usize,
    values: Vec<[f64; 3]>,
}

fn mixed(one: [f64; 3], other: [f64; 3], share: f64) -> [f64; 3] {
    [0, 1, 2].map(|at| one[at] + (other[at] - one[at]) * share.clamp(0.0, 1.0))
}

impl Canvas {
    fn new(size: [f64; 2]) -> Self {
        let [width, height] = size.map(|side| side as usize);
        Self { width, height, values: vec![[0.0; 3]; width * height] }
    }

    /// Fills a rectangle between two corners.
    fn rectangle(&mut self, from: [f64; 2], to: [f64; 2], colour: [f64; 3]) {
        let ends = |at: usize, most: usize| {
            let [from, to] = [from[at], to[at]].map(|end| (end.round().max(0.0) as usize).min(most));
            from..to.max(from)
        };
        for y in ends(1, self.height) {
            for x in ends(0, self.width) {
                self.values[y * self.width + x] = colour;
            }
        }
    }

    /// Paints, with soft edges, where `distance` in pixels from the middle of a box is negative.
    fn paint(
        &mut self,
        middle: [f64; 2],
        half: f64,
        distance: impl Fn(f64, f64) -> f64,
        colour: impl Fn(f64, f64) -> [f64; 3],
    ) {
        let range = |at: usize, most: usize| {
            let from = (middle[at] - half - 1.0).max(0.0) as usize;
            from.min(most)..((middle[at] + half + 2.0).max(0.0) as usize).min(most)
        };
        for y in range(1, self.height) {
            for x in range(0, self.width) {
                let (u, v) = (x as f64 + 0.5 - middle[0], y as f64 + 0.5 - middle[1]);
                let cover = (0.5 - distance(u, v)).clamp(0.0, 1.0);
                if cover > 0.0 {
                    let pixel = &mut self.values[y * self.width + x];
                    *pixel = mixed(*pixel, colour(u, v), cover);
                }
            }
        }
    }

    fn page(&mut self, page: Page, pitch: f64, draw: &mut Stream) {
        let colour = |draw: &mut Stream| [0; 3].map(|_| f64::from(draw.below(256)));
        let paper = if page == Page::White { [255.0; 3] } else { colour(draw) };
        self.values.fill(paper);
        if page != Page::Busy {
            return;
        }
        let (width, height) = (self.width as f64, self.height as f64);
        for _ in 0..60 {
            let middle = [width * f64::from(draw.unit()), height * f64::from(draw.unit())];
            let (size, ink) = (pitch * (0.2 + 1.5 * f64::from(draw.unit())), colour(draw));
            match draw.below(4) {
                0 => self.paint(middle, size, |u, v| u.abs().max(1.8 * v.abs()) - size, |_, _| ink),
                1 => self.paint(middle, size, |u, v| u.hypot(v) - size, |_, _| ink),
                2 => {
                    // Writing: letters as bars of several heights.
                    for line in 0..5 {
                        for letter in 0..24 {
                            let high = 0.05 * pitch * (1.0 + f64::from(draw.below(3)));
                            let at = [
                                middle[0] + 0.14 * pitch * f64::from(letter),
                                middle[1] + 0.4 * pitch * f64::from(line),
                            ];
                            let thick = 0.03 * pitch;
                            self.paint(at, high, |u, v| (u.abs() - thick).max(v.abs() - high), |_, _| ink);
                        }
                    }
                }
                _ => {
                    let turn = f64::from(draw.unit()) * 3.0;
                    let stripe = move |u: f64, v: f64| (u * turn.cos() + v * turn.sin()).abs() - 0.1 * size;
                    self.paint(middle, 2.0 * size, stripe, |_, _| ink);
                }
            }
        }
    }

    /// A cell: ground, lines, gem, frame.
    fn cell(&mut self, style: &Style, pitch: f64, middle: [f64; 2], parity: usize, gem: usize, selected: bool) {
        let half = pitch / 2.0;
        let square = |half: f64| move |u: f64, v: f64| u.abs().max(v.abs()) - half;
        let ground = style.ground[parity].map(f64::from);
        self.paint(middle, half, square(half), |_, _| ground);
        if let Some(lines) = style.lines {
            self.paint(middle, half, |u, v| half - 1.0 - u.abs().max(v.abs()), |_, _| lines.map(f64::from));
        }
        let (_, colour, form) = style.gems[gem];
        let form = form.distance();
        let size = if selected { 1.12 * pitch } else { pitch };
        let distance = |u: f64, v: f64| form(u / size, v / size) * size;
        let colour = colour.map(f64::from);
        let shaded = |u: f64, v: f64| {
            let (u, v) = (u / size, v / size);
            if !style.glossy {
                return colour;
            }
            // Light from above, dark rim, highlight at the upper left.
            let lit = mixed(colour, [255.0; 3], 0.45 * (-1.6 * v).clamp(0.0, 1.0));
            let lit = mixed(lit, [0.0; 3], 0.5 * (1.4 * v).clamp(0.0, 1.0));
            let rim = (form(u, v) + 0.07) / 0.07;
            let lit = mixed(lit, [0.0; 3], 0.4 * rim.clamp(0.0, 1.0));
            let light = ((u + 0.11) / 0.12).hypot((v + 0.16) / 0.08);
            mixed(lit, [255.0; 3], 0.9 * (1.3 - light))
        };
        self.paint(middle, half, distance, shaded);
        if selected {
            let frame = |u: f64, v: f64| (u.abs().max(v.abs()) - 0.47 * pitch).abs() - 0.03 * pitch;
            self.paint(middle, half, frame, |_, _| [255.0, 255.0, 160.0]);
        }
    }

    /// An arrow from the middle of a cell to one of four sides.
    fn arrow(&mut self, pitch: f64, middle: [f64; 2], side: u32, colour: [f64; 3]) {
        let distance = move |u: f64, v: f64| {
            let (u, v) = (u / pitch, v / pitch);
            let (along, across) = [(u, v), (-u, v), (v, u), (-v, u)][side as usize];
            let shaft = (across.abs() - 0.05).max((along - 0.1).abs() - 0.2);
            let head = (0.3 - along).max(along + 1.4 * across.abs() - 0.5);
            shaft.min(head) * pitch
        };
        self.paint(middle, 0.55 * pitch, distance, |_, _| colour);
    }

    fn finish(self, noise: f64, draw: &mut Stream) -> Picture {
        let mut values = Vec::with_capacity(3 * self.values.len());
        for value in self.values.iter().flatten() {
            // The sum of two uniform numbers has variance 1/6.
            let chance = match noise > 0.0 {
                true => noise * 6.0_f64.sqrt() * (f64::from(draw.unit()) + f64::from(draw.unit()) - 1.0),
                false => 0.0,
            };
            values.push((value + chance).round().clamp(0.0, 255.0) as u8);
        }
        Picture::new(self.width, values)
    }
}

impl Form {
    /// Distance outside, in cells; negative inside.
    fn distance(self) -> Box<dyn Fn(f64, f64) -> f64> {
        use std::f64::consts::TAU;
        match self {
            Self::Disc(radius) => Box::new(move |u, v| u.hypot(v) - radius),
            Self::Square(half) => Box::new(move |u, v| u.abs().max(v.abs()) - half),
            Self::Polygon(corners, side, turn) => {
                let normal = |corner: usize| (TAU * (corner as f64 / corners as f64 + turn)).sin_cos();
                let normals: Vec<(f64, f64)> = (0..corners).map(normal).collect();
                Box::new(move |u, v| normals.iter().fold(f64::MIN, |far, (sin, cos)| far.max(u * cos + v * sin)) - side)
            }
            // Between a point and the next notch, at 0.4 and 0.2 from the middle; mirrored, five
            // times.
            Self::Star => Box::new(|u, v| {
                let turn = (v.atan2(u) / TAU + 0.25).rem_euclid(0.2);
                let (sin, cos) = (TAU * turn.min(0.2 - turn)).sin_cos();
                let notch = [0.2 * (TAU / 10.0).cos(), 0.2 * (TAU / 10.0).sin()];
                let normal = [notch[1], 0.4 - notch[0]];
                let (x, y) = (u.hypot(v) * cos, u.hypot(v) * sin);
                ((x - 0.4) * normal[0] + y * normal[1]) / normal[0].hypot(normal[1])
            }),
        }
    }
}
