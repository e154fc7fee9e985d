//! Rates of correctly read cells over many pictures.

use matchq_vision::{Field, Theme, UNKNOWN, read, read_field, teach};

use super::{Drawn, Page, Scene, Style};

/// Difference of pictures from the taught one.
pub struct Condition {
    pub name: &'static str,
    /// Range of a cell's side.
    pub pitch: [f64; 2],
    /// Changes the scene.
    pub change: fn(&mut Scene),
}

/// Conditions of the tests and of the documented table.
pub const CONDITIONS: &[Condition] = &[
    Condition { name: "as taught", pitch: [52.0, 52.0], change: |_| {} },
    Condition { name: "scaled 0.6 to 2", pitch: [31.2, 104.0], change: |_| {} },
    Condition { name: "busy page", pitch: [52.0, 52.0], change: |scene| scene.page = Page::Busy },
    Condition { name: "JPEG 70", pitch: [52.0, 52.0], change: |scene| scene.jpeg = Some(70) },
    Condition { name: "noise 8", pitch: [52.0, 52.0], change: |scene| scene.noise = 8.0 },
    Condition { name: "noise 20", pitch: [52.0, 52.0], change: |scene| scene.noise = 20.0 },
    Condition {
        name: "six arrows, one selected",
        pitch: [52.0, 52.0],
        change: |scene| (scene.arrows, scene.selected) = (6, true),
    },
    Condition {
        name: "all of it, noise 8",
        pitch: [31.2, 104.0],
        change: |scene| {
            scene.page = Page::Busy;
            (scene.noise, scene.jpeg, scene.arrows, scene.selected) = (8.0, Some(70), 6, true);
        },
    },
];

/// Counts of pictures and cells.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rates {
    pub pictures: usize,
    /// Pictures whose field is found within a tenth of a cell at every corner.
    pub found: usize,
    pub cells: usize,
    pub right: usize,
    /// Wrong but confident.
    pub wrong: usize,
    /// Largest distance of a corner, in cells.
    pub worst: f64,
}

impl Rates {
    /// Share of correct cells.
    pub fn share_right(&self) -> f64 {
        self.right as f64 / self.cells as f64
    }

    /// Share of wrong but confident cells.
    pub fn share_wrong(&self) -> f64 {
        self.wrong as f64 / self.cells as f64
    }

    /// Sum of both.
    pub fn and(self, other: &Self) -> Self {
        Self {
            pictures: self.pictures + other.pictures,
            found: self.found + other.found,
            cells: self.cells + other.cells,
            right: self.right + other.right,
            wrong: self.wrong + other.wrong,
            worst: self.worst.max(other.worst),
        }
    }

    /// Adds the reading of a picture; without a field no cell is read.
    pub fn add(&mut self, drawn: &Drawn, field: Option<Field>, text: &str) {
        self.pictures += 1;
        self.cells += drawn.board.len() * drawn.board[0].len();
        let Some(field) = field else { return };
        let ends = |field: &Field| {
            let [x, y, width, height] = field.rectangle();
            [x, y, x + width, y + height]
        };
        let off = ends(&field).into_iter().zip(ends(&drawn.field)).map(|(one, other)| (one - other).abs());
        let off = off.fold(0.0, f64::max) / drawn.field.cell[0];
        self.worst = self.worst.max(off);
        self.found += usize::from(off < 0.1);
        for (is, should) in text.lines().flat_map(str::chars).zip(drawn.board.iter().flatten()) {
            self.right += usize::from(is == *should);
            self.wrong += usize::from(is != *should && is != UNKNOWN);
        }
    }
}

/// The theme taught by one picture.
pub fn taught(style: Style) -> Theme {
    let drawn = Scene::new(style).draw(1_000_000);
    teach("a picture", &drawn.picture, &drawn.board, None).unwrap().theme
}

/// Rates of a theme and of the articles' ranges, which are given the field, over pictures under a
/// condition.
pub fn measure(style: Style, theme: &Theme, ranges: &Theme, condition: &Condition, pictures: u64) -> [Rates; 2] {
    let mut rates = [Rates::default(); 2];
    for seed in 0..pictures {
        let mut scene = Scene::new(style);
        let share = (seed as f64 + 0.5) / pictures as f64;
        scene.pitch = condition.pitch[0] * (condition.pitch[1] / condition.pitch[0]).powf(share);
        (condition.change)(&mut scene);
        let drawn = scene.draw(seed);
        let reading = read("a picture", &drawn.picture, theme).ok();
        let text = reading.as_ref().map_or(String::new(), |reading| reading.board());
        rates[0].add(&drawn, reading.map(|reading| reading.field), &text);
        rates[1].add(&drawn, Some(drawn.field), &read_field(&drawn.picture, ranges, drawn.field).board());
    }
    rates
}
