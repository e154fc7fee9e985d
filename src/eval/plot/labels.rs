//! Where names stand beside the marks of a picture, so that none covers another.

/// A rectangle of pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Area {
    pub left: i32,
    pub top: i32,
    pub right: i32,
    pub bottom: i32,
}

/// Names are moved this often, each to its best place given all others.
const ROUNDS: usize = 6;
/// Lines above and below a mark where its name may stand.
const LINES: i32 = 12;

impl Area {
    /// The point of the area that is nearest to another.
    pub fn nearest(&self, (x, y): (i32, i32)) -> (i32, i32) {
        (x.clamp(self.left, self.right), y.clamp(self.top, self.bottom))
    }

    /// How far a point is from the area.
    pub fn distance(&self, point: (i32, i32)) -> f64 {
        let nearest = self.nearest(point);
        f64::from(nearest.0 - point.0).hypot(f64::from(nearest.1 - point.1))
    }

    /// Number of pixels in both.
    pub fn overlap(&self, other: &Self) -> i64 {
        let width = self.right.min(other.right) - self.left.max(other.left);
        let height = self.bottom.min(other.bottom) - self.top.max(other.top);
        i64::from(width.max(0)) * i64::from(height.max(0))
    }

    fn pixels(&self) -> i64 {
        i64::from(self.right - self.left) * i64::from(self.bottom - self.top)
    }

    /// Whether the lines from two marks to their names cross, or one passes through the other name.
    fn is_tangled(&self, mark: (i32, i32), other: &Self, others: (i32, i32)) -> bool {
        let (end, ends) = (self.nearest(mark), other.nearest(others));
        let side = |a: (i32, i32), b: (i32, i32), c: (i32, i32)| {
            let product = |u: i32, v: i32| i64::from(u) * i64::from(v);
            (product(b.0 - a.0, c.1 - a.1) - product(b.1 - a.1, c.0 - a.0)).signum()
        };
        let crossed = side(mark, end, others) * side(mark, end, ends) < 0
            && side(others, ends, mark) * side(others, ends, end) < 0;
        crossed || self.is_reached_through(mark, other) || other.is_reached_through(others, self)
    }

    /// Whether a line from a point to the area's nearest passes through another.
    fn is_reached_through(&self, from: (i32, i32), other: &Self) -> bool {
        let to = self.nearest(from);
        (1..=16).any(|part| {
            let between = |from: i32, to: i32| from + (to - from) * part / 16;
            other.distance((between(from.0, to.0), between(from.1, to.1))) == 0.0
        })
    }
}

/// A place for the name of each mark: near it, inside the frame, clear of other names and of what else is drawn. `gap`
/// is what lies between a mark and a name right beside it.
pub fn place(marks: &[(i32, i32)], sizes: &[(i32, i32)], drawn: &[Area], frame: Area, gap: i32) -> Vec<Area> {
    let mut places: Vec<Option<Area>> = vec![None; marks.len()];
    for _ in 0..ROUNDS {
        for index in 0..marks.len() {
            places[index] = None;
            let cost = |area: &Area| {
                let outside = area.pixels() - area.overlap(&frame);
                let names = places.iter().flatten().map(|name| area.overlap(name)).sum::<i64>();
                let covered = drawn.iter().map(|other| area.overlap(other)).sum::<i64>();
                let tangled = (places.iter().zip(marks))
                    .filter_map(|(name, mark)| Some((name.as_ref()?, *mark)))
                    .filter(|(name, mark)| area.is_tangled(marks[index], name, *mark))
                    .count();
                (100 * outside + 20 * names + 10 * covered + 3_000 * tangled as i64) as f64
                    + area.distance(marks[index]).powf(1.5)
            };
            let candidates = candidates(marks[index], sizes[index], gap);
            places[index] = candidates.min_by(|one, other| cost(one).total_cmp(&cost(other)));
        }
    }
    places.into_iter().flatten().collect()
}

/// Places for a name of a size, the best first: beside the mark, above and below it, and ever farther away.
fn candidates((x, y): (i32, i32), (width, height): (i32, i32), gap: i32) -> impl Iterator<Item = Area> {
    let sides = [gap, 4 * gap, 8 * gap].into_iter().flat_map(move |far| [x + far, x - far - width]);
    sides.chain([x - width / 2]).flat_map(move |left| {
        (-2 * LINES..=2 * LINES).map(move |half| {
            let top = y - height / 2 + half * (height / 2 + 1);
            Area { left, top, right: left + width, bottom: top + height }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: Area = Area { left: 0, top: 0, right: 1000, bottom: 500 };

    fn dots(marks: &[(i32, i32)]) -> Vec<Area> {
        marks.iter().map(|(x, y)| Area { left: x - 5, top: y - 5, right: x + 5, bottom: y + 5 }).collect()
    }

    #[test]
    fn names_of_marks_in_one_place_stand_apart_and_inside_the_frame() {
        for mark in [(500, 250), (3, 3), (997, 250), (997, 497)] {
            let (marks, sizes) = ([mark; 8], [(200, 24); 8]);
            let places = place(&marks, &sizes, &dots(&marks), FRAME, 10);
            assert_eq!(places.len(), 8);
            for (index, area) in places.iter().enumerate() {
                assert_eq!(area.overlap(&FRAME), 200 * 24, "{area:?} leaves the frame");
                assert!(places[..index].iter().all(|other| area.overlap(other) == 0), "{places:?}");
                assert!(dots(&marks).iter().all(|dot| area.overlap(dot) == 0), "{places:?}");
            }
        }
    }

    #[test]
    fn lines_that_cross_or_pass_through_a_name_are_tangled() {
        let name = |left, top| Area { left, top, right: left + 20, bottom: top + 10 };
        assert!(name(100, 100).is_tangled((0, 0), &name(100, 0), (0, 105)));
        assert!(!name(100, 0).is_tangled((0, 0), &name(100, 100), (0, 105)));
        assert!(name(100, 0).is_tangled((0, 5), &name(50, 0), (60, 100)));
        assert!(name(50, 0).is_tangled((60, 100), &name(100, 0), (0, 5)));
    }

    #[test]
    fn a_lone_name_stands_right_beside_its_mark() {
        let places = place(&[(100, 100)], &[(200, 24)], &dots(&[(100, 100)]), FRAME, 10);
        assert_eq!(places, [Area { left: 110, top: 88, right: 310, bottom: 112 }]);
    }
}
