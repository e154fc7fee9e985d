//! Moves drawn into a picture: outlines of their cells, and ranks.

use super::field::Field;
use super::overlay::numbers;
use super::picture::Picture;

/// Distances in cells: of an outline from the cells' ends, of their corners' radius.
const INSET: f64 = 0.04;
const CORNER: f64 = 0.22;
/// Radius of a rank's disc in cells, and at least in pixels; the best move's is larger.
const DISC: [f64; 2] = [0.26, 0.22];
const LEAST: f64 = 8.0;
/// Minimum distance of two discs, in cells.
const APART: f64 = 0.6;

const WHITE: [u8; 3] = [255; 3];
const BLACK: [u8; 3] = [12, 13, 18];

/// Strokes of 1, 2 and 3, one unit high, about their middles.
const DIGITS: [&[[f64; 2]]; 3] = [
    &[[-0.22, -0.28], [0.06, -0.5], [0.06, 0.5]],
    &[
        [-0.3, -0.24],
        [-0.23, -0.41],
        [-0.04, -0.5],
        [0.17, -0.45],
        [0.28, -0.28],
        [0.25, -0.08],
        [0.1, 0.12],
        [-0.32, 0.5],
        [0.33, 0.5],
    ],
    &[
        [-0.28, -0.38],
        [-0.08, -0.5],
        [0.14, -0.46],
        [0.26, -0.28],
        [0.18, -0.1],
        [-0.06, -0.03],
        [0.2, 0.06],
        [0.3, 0.25],
        [0.2, 0.43],
        [-0.02, 0.5],
        [-0.3, 0.38],
    ],
];

/// The picture with up to three moves, best first: the cells (column, row) that a move swaps or in
/// which a piece lands have a white outline in a black one, and their rank in a disc. Columns and rows
/// are numbered at the edge.
pub fn moves(picture: &Picture, field: &Field, moves: &[Vec<[usize; 2]>]) -> Picture {
    let mut drawn = picture.clone();
    numbers(&mut drawn, field);
    let moves: Vec<&Vec<[usize; 2]>> = moves.iter().filter(|cells| !cells.is_empty()).take(DIGITS.len()).collect();
    // The best move lies above the others.
    for (rank, cells) in moves.iter().enumerate().rev() {
        outline(&mut drawn, field, cells, if rank == 0 { 1.5 } else { 1.0 });
    }
    let mut taken: Vec<[f64; 2]> = Vec::new();
    for (rank, cells) in moves.into_iter().enumerate() {
        let places = middles(cells);
        let is_free =
            |place: &&[f64; 2]| taken.iter().all(|other| (place[0] - other[0]).hypot(place[1] - other[1]) >= APART);
        let place = places.iter().find(is_free).unwrap_or(&places[0]);
        taken.push(*place);
        disc(&mut drawn, field, *place, rank);
    }
    drawn
}

/// Where a move's rank may stand, in cells, best first.
fn middles(cells: &[[usize; 2]]) -> Vec<[f64; 2]> {
    let mean = [0, 1].map(|axis| cells.iter().map(|cell| cell[axis] as f64 + 0.5).sum::<f64>() / cells.len() as f64);
    let mut middles: Vec<[f64; 2]> = cells.iter().map(|cell| cell.map(|at| at as f64 + 0.5)).collect();
    middles.sort_by(|one, other| {
        let far = |at: &[f64; 2]| (at[0] - mean[0]).hypot(at[1] - mean[1]);
        far(one).total_cmp(&far(other))
    });
    if rectangles(cells).len() == 1 {
        middles.insert(0, mean);
    }
    middles
}

/// Rectangles (left, top, right, lower end, in cells) that cover cells: one if they fill it, else
/// the neighbours' and the cells' own.
fn rectangles(cells: &[[usize; 2]]) -> Vec<[usize; 4]> {
    let around = |cells: &[[usize; 2]]| {
        let end = |axis: usize| cells.iter().map(move |cell| cell[axis]);
        let least = [0, 1].map(|axis| end(axis).min().unwrap_or(0));
        let most = [0, 1].map(|axis| end(axis).max().map_or(0, |most| most + 1));
        [least[0], least[1], most[0], most[1]]
    };
    let whole = around(cells);
    if (whole[2] - whole[0]) * (whole[3] - whole[1]) == cells.len() {
        return vec![whole];
    }
    let near = |one: &[usize; 2], other: &[usize; 2]| one[0].abs_diff(other[0]) + one[1].abs_diff(other[1]) <= 1;
    let pairs = cells.iter().flat_map(|one| cells.iter().map(move |other| [*one, *other]));
    pairs.filter(|[one, other]| near(one, other)).map(|pair| around(&pair)).collect()
}

fn outline(picture: &mut Picture, field: &Field, cells: &[[usize; 2]], weight: f64) {
    let cell = field.cell[0].min(field.cell[1]);
    let thick = weight * (0.035 * cell).max(1.0);
    let rectangles: Vec<[[f64; 2]; 2]> = rectangles(cells)
        .into_iter()
        .map(|[left, top, right, lower]| {
            let [from, to] = [[left, top], [right, lower]]
                .map(|ends| [0, 1].map(|axis| field.corner[axis] + ends[axis] as f64 * field.cell[axis]));
            [[0, 1].map(|axis| (from[axis] + to[axis]) / 2.0), [0, 1].map(|axis| (to[axis] - from[axis]) / 2.0)]
        })
        .collect();
    let distance = |x: f64, y: f64| {
        let to = |[middle, half]: &[[f64; 2]; 2]| {
            let q = [x - middle[0], y - middle[1]];
            let q = [0, 1].map(|axis| q[axis].abs() - half[axis] + CORNER * cell);
            q[0].max(q[1]).min(0.0) + q[0].max(0.0).hypot(q[1].max(0.0)) - CORNER * cell
        };
        rectangles.iter().map(to).fold(f64::MAX, f64::min)
    };
    let line = |x: f64, y: f64| (distance(x, y) + INSET * cell).abs() - thick;
    let ends = |axis: usize| {
        let low = rectangles.iter().map(|[middle, half]| middle[axis] - half[axis]).fold(f64::MAX, f64::min);
        let high = rectangles.iter().map(|[middle, half]| middle[axis] + half[axis]).fold(f64::MIN, f64::max);
        [low - cell / 4.0, high + cell / 4.0]
    };
    paint(picture, [ends(0), ends(1)], |x, y| line(x, y) - (0.025 * cell).max(1.0), BLACK);
    paint(picture, [ends(0), ends(1)], line, WHITE);
}

/// A rank's disc: the best move's is white, the others' black.
fn disc(picture: &mut Picture, field: &Field, place: [f64; 2], rank: usize) {
    let cell = field.cell[0].min(field.cell[1]);
    let [x, y] = [0, 1].map(|axis| field.corner[axis] + place[axis] * field.cell[axis]);
    let radius = (DISC[rank.min(1)] * cell).max(LEAST);
    let (ground, ink) = if rank == 0 { (WHITE, BLACK) } else { (BLACK, WHITE) };
    let ring = (0.14 * radius).max(1.2);
    let ends = [x, y].map(|at| [at - radius - 3.0 * ring, at + radius + 3.0 * ring]);
    let round = |radius: f64| move |u: f64, v: f64| (u - x).hypot(v - y) - radius;
    paint(picture, ends, round(radius + 2.0 * ring), ground);
    paint(picture, ends, round(radius + ring), ink);
    paint(picture, ends, round(radius), ground);
    let high = 1.15 * radius;
    let stroke = |u: f64, v: f64| {
        let at = [(u - x) / high, (v - y) / high];
        let parts = DIGITS[rank].windows(2).map(|ends| to_segment(at, ends[0], ends[1]));
        (parts.fold(f64::MAX, f64::min) - 0.085) * high
    };
    paint(picture, ends, stroke, ink);
}

fn to_segment(at: [f64; 2], from: [f64; 2], to: [f64; 2]) -> f64 {
    let [x, y] = [0, 1].map(|axis| at[axis] - from[axis]);
    let [u, v] = [0, 1].map(|axis| to[axis] - from[axis]);
    let along = ((x * u + y * v) / (u * u + v * v)).clamp(0.0, 1.0);
    (x - along * u).hypot(y - along * v)
}

/// Paints, with soft edges, where a distance in pixels is negative.
fn paint(picture: &mut Picture, ends: [[f64; 2]; 2], distance: impl Fn(f64, f64) -> f64, colour: [u8; 3]) {
    let [across, down] = ends.map(|[from, to]| from.floor() as isize..to.ceil() as isize);
    for y in down {
        for x in across.clone() {
            let cover = (0.5 - distance(x as f64 + 0.5, y as f64 + 0.5)).clamp(0.0, 1.0);
            if cover > 0.0 {
                let under = picture.at(x, y);
                let mix = |at: usize| f64::from(under[at]) + cover * (f64::from(colour[at]) - f64::from(under[at]));
                picture.set(x, y, [0, 1, 2].map(|at| mix(at).round() as u8));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_have_one_rectangle_and_a_piece_that_fills_none_has_its_neighbours() {
        assert_eq!(rectangles(&[[2, 1], [3, 1]]), [[2, 1, 4, 2]]);
        assert_eq!(rectangles(&[[0, 0], [1, 0], [0, 1], [1, 1]]), [[0, 0, 2, 2]]);
        let corner = rectangles(&[[0, 0], [0, 1], [1, 1]]);
        assert!(corner.contains(&[0, 0, 1, 2]) && corner.contains(&[0, 1, 2, 2]) && !corner.contains(&[0, 0, 2, 2]));
    }

    #[test]
    fn a_move_is_seen_on_any_ground_and_the_rest_of_the_picture_stays() {
        for ground in [[0; 3], [255; 3], [128; 3], [255, 0, 0]] {
            let picture = Picture::new(200, ground.repeat(200 * 200));
            let field = Field { corner: [20.0; 2], cell: [40.0; 2], size: [4, 4] };
            let drawn = moves(&picture, &field, &[vec![[0, 0], [1, 0]], vec![[1, 0], [1, 1]], vec![[3, 3], [3, 2]]]);
            let counted = |from: [isize; 2], to: [isize; 2]| {
                let places = (from[1]..to[1]).flat_map(|y| (from[0]..to[0]).map(move |x| (x, y)));
                let far = |pixel: [u8; 3]| (0..3).any(|at| pixel[at].abs_diff(ground[at]) > 90);
                places.filter(|(x, y)| far(drawn.at(*x, *y))).count()
            };
            // Two cells of each move, an untouched one, the page, and the numbers of a column and a row.
            assert!(counted([20, 20], [100, 60]) > 300 && counted([140, 100], [180, 180]) > 300, "{ground:?}");
            assert_eq!((counted([30, 110], [90, 170]), counted([0, 185], [200, 200])), (0, 0));
            assert!(counted([110, 0], [130, 18]) > 20 && counted([0, 110], [18, 130]) > 20, "{ground:?}");
        }
    }

    #[test]
    fn ranks_of_moves_that_share_cells_do_not_cover_each_other() {
        let field = Field { corner: [0.0; 2], cell: [40.0; 2], size: [4, 4] };
        let piece = vec![[0, 3], [1, 3], [2, 3], [1, 2]];
        let picture = Picture::new(160, vec![60; 160 * 160 * 3]);
        let drawn = moves(&picture, &field, &[piece.clone(), piece]);
        // A white disc in one cell, a black one in another.
        let at = |column: isize, row: isize| drawn.at(40 * column + 20 - 8, 40 * row + 20);
        let discs: Vec<[u8; 3]> = [(0, 3), (1, 3), (2, 3), (1, 2)].map(|(x, y)| at(x, y)).to_vec();
        assert!(discs.contains(&WHITE) && discs.contains(&BLACK), "{discs:?}");
    }
}
