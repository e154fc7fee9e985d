//! Outlines of tokens in a cell, for SVG and for pixels.

use std::f64::consts::{PI, TAU};
use std::fmt::{Display, Formatter, Result};

use crate::games::Shape;
use crate::svg::round;

/// Side of a cell in pixels of an SVG.
pub(crate) const CELL: f64 = 40.0;
const MIDDLE: f64 = CELL / 2.0;

/// Outline in a cell whose corner is at 0, 0; discs and rectangles have the cell's middle. Its text is an unpainted element
/// of SVG.
pub(crate) enum Outline {
    Disc { radius: f64 },
    Rectangle { side: f64, corner: f64 },
    Polygon(Vec<[f64; 2]>),
}

impl Outline {
    pub fn of(shape: Shape) -> Self {
        match shape {
            Shape::Circle => Self::Disc { radius: 12.5 },
            Shape::Square => Self::Rectangle { side: 23.0, corner: 3.0 },
            Shape::Block => Self::Rectangle { side: 32.0, corner: 3.0 },
            Shape::Triangle => Self::polygon(3, 22.5, |_| 15.0),
            Shape::Pentagon => Self::polygon(5, 20.7, |_| 13.5),
            Shape::Hexagon => Self::polygon(6, 20.0, |_| 13.5),
            Shape::Diamond => Self::polygon(4, 20.0, |_| 14.5),
            Shape::Star => Self::polygon(10, 20.7, |corner| if corner % 2 == 0 { 15.0 } else { 7.5 }),
        }
    }

    /// A regular polygon or star with one corner up; middle and radius are in pixels.
    fn polygon(corners: usize, middle: f64, radius: impl Fn(usize) -> f64) -> Self {
        let point = |corner: usize| {
            let (angle, radius) = (TAU * corner as f64 / corners as f64 - PI / 2.0, radius(corner));
            [MIDDLE + radius * angle.cos(), middle + radius * angle.sin()]
        };
        Self::Polygon((0..corners).map(point).collect())
    }

    /// Distance of a point from the outline in pixels, negative inside.
    pub fn distance(&self, x: f64, y: f64) -> f64 {
        match self {
            Self::Disc { radius } => (x - MIDDLE).hypot(y - MIDDLE) - radius,
            Self::Rectangle { side, corner } => {
                let [x, y] = [x, y].map(|at| (at - MIDDLE).abs() - side / 2.0 + corner);
                x.max(0.0).hypot(y.max(0.0)) + x.max(y).min(0.0) - corner
            }
            Self::Polygon(points) => {
                let (mut nearest, mut inside) = (f64::INFINITY, false);
                for (index, [x1, y1]) in points.iter().enumerate() {
                    let [x2, y2] = points[(index + 1) % points.len()];
                    let (along, [dx, dy]) = ([x2 - x1, y2 - y1], [x - x1, y - y1]);
                    let share = (dx * along[0] + dy * along[1]) / (along[0].powi(2) + along[1].powi(2));
                    let share = share.clamp(0.0, 1.0);
                    nearest = nearest.min((dx - share * along[0]).hypot(dy - share * along[1]));
                    // Sides that a ray to the right crosses.
                    inside ^= (*y1 > y) != (y2 > y) && dx < along[0] * dy / along[1];
                }
                if inside { -nearest } else { nearest }
            }
        }
    }
}

impl Display for Outline {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Disc { radius } => write!(f, r#"circle cx="{MIDDLE}" cy="{MIDDLE}" r="{radius}""#),
            Self::Rectangle { side, corner } => {
                let from = MIDDLE - side / 2.0;
                write!(f, r#"rect x="{from}" y="{from}" width="{side}" height="{side}" rx="{corner}""#)
            }
            Self::Polygon(points) => {
                let points: Vec<String> = points.iter().map(|[x, y]| format!("{},{}", round(*x), round(*y))).collect();
                write!(f, r#"polygon points="{}""#, points.join(" "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_those_of_figures_known_by_hand() {
        let near = |outline: &Outline, [x, y]: [f64; 2], expected: f64| {
            let found = outline.distance(x, y);
            assert!((found - expected).abs() < 1e-9, "{outline} {x} {y}: {found}");
        };
        let disc = Outline::Disc { radius: 10.0 };
        [([20.0, 20.0], -10.0), ([20.0, 35.0], 5.0)].into_iter().for_each(|(at, expected)| near(&disc, at, expected));
        let square = Outline::Rectangle { side: 20.0, corner: 2.0 };
        let of_square = [([20.0, 20.0], -10.0), ([33.0, 20.0], 3.0), ([31.0, 32.0], 5.0 - 2.0)];
        of_square.into_iter().for_each(|(at, expected)| near(&square, at, expected));
        // A diamond with corners 10 from the middle.
        let diamond = Outline::polygon(4, 20.0, |_| 10.0);
        let root = 0.5_f64.sqrt();
        let of_diamond = [
            ([20.0, 20.0], -10.0 * root),
            ([20.0, 5.0], 5.0),
            ([30.0, 30.0], 10.0 * root),
            ([10.0, 30.0], 10.0 * root),
        ];
        of_diamond.into_iter().for_each(|(at, expected)| near(&diamond, at, expected));
    }

    #[test]
    fn an_outline_is_drawn_where_its_distances_say() {
        assert_eq!(Outline::of(Shape::Circle).to_string(), r#"circle cx="20" cy="20" r="12.5""#);
        assert_eq!(Outline::of(Shape::Block).to_string(), r#"rect x="4" y="4" width="32" height="32" rx="3""#);
        let triangle = Outline::of(Shape::Triangle);
        assert_eq!(triangle.to_string(), r#"polygon points="20,7.5 33,30 7,30""#);
        assert!(triangle.distance(20.0, 7.5).abs() < 0.1 && triangle.distance(33.0, 30.0).abs() < 0.1);
    }
}
