//! The board's mechanics on several sizes against searches cell by cell.

use matchq_games::random::{Draw, Role, Stream};
use matchq_games::swap::{Board, Cells, Swaps, neighbours};

/// A board and its kinds `kinds[y][x]`, few so that runs are common.
struct Case<const C: usize, const R: usize> {
    board: Board<C, R, 3>,
    kinds: [[u8; C]; R],
}

fn cases<const C: usize, const R: usize>() -> impl Iterator<Item = (Case<C, R>, Stream)> {
    (0..300).map(|index| {
        let mut stream = Stream::new(2, Role::Sample, index);
        let mut kinds = [[0; C]; R];
        stream.fill_below(2 + index as u32 % 5, kinds.as_flattened_mut());
        (Case { board: Board::from_rows(&kinds), kinds }, stream)
    })
}

fn listed<const C: usize, const R: usize>(cells: Cells<C, R>) -> Vec<(usize, usize)> {
    let all = (0..C).flat_map(|x| (0..R).map(move |y| (x, y)));
    all.filter(|(x, y)| !(cells & Cells::at(*x, *y)).is_empty()).collect()
}

fn set<const C: usize, const R: usize>(cells: &[(usize, usize)]) -> Cells<C, R> {
    cells.iter().fold(Cells::EMPTY, |set, (x, y)| set | Cells::at(*x, *y))
}

/// Maximal runs of three or more among the kinds below `matchable`.
fn plain_runs<const C: usize, const R: usize>(kinds: &[[u8; C]; R], matchable: u8) -> Vec<Vec<(usize, usize)>> {
    let rows = (0..R).map(|y| (0..C).map(|x| (x, y)).collect::<Vec<_>>());
    let columns = (0..C).map(|x| (0..R).map(|y| (x, y)).collect::<Vec<_>>());
    let mut runs = vec![];
    for line in rows.chain(columns) {
        for run in line.chunk_by(|a, b| kinds[a.1][a.0] == kinds[b.1][b.0]) {
            if run.len() >= 3 && kinds[run[0].1][run[0].0] < matchable {
                runs.push(run.to_vec());
            }
        }
    }
    runs
}

fn sorted(mut cells: Vec<(usize, usize)>) -> Vec<(usize, usize)> {
    cells.sort_unstable();
    cells.dedup();
    cells
}

fn check_size<const C: usize, const R: usize>() {
    for (Case { mut board, kinds }, mut stream) in cases::<C, R>() {
        for (x, y) in listed(Cells::<C, R>::ALL) {
            assert_eq!(Cells::<C, R>::at(x, y).column(), x);
            assert_eq!(board.kind(Cells::at(x, y)), kinds[y][x]);
            assert!(!(board.of_kind(kinds[y][x]) & Cells::at(x, y)).is_empty());
        }
        // Kinds by themselves or all at once give equal swaps.
        for among in [Cells::ALL, Cells::ALL & !board.of_kind(stream.below(4) as u8)] {
            let of_kind = |kind| Swaps::completing(board.of_kind(kind) & among);
            let by_kind = (0..8).fold(Swaps::default(), |swaps, kind| swaps.union(of_kind(kind)));
            assert_eq!(board.matching(among), by_kind);
        }
        let saved = postcard::to_stdvec(&board).unwrap();
        assert_eq!(postcard::from_bytes(&saved), Ok(board));

        // Kind 5 never matches.
        let runs = board.runs(Cells::ALL & !board.of_kind(5));
        let plain = plain_runs(&kinds, 5);
        assert_eq!(listed(runs.cells()), sorted(plain.concat()));
        assert_eq!(runs.is_empty(), plain.is_empty());
        // Points that tell sums of different lengths apart.
        let worth = |length: u32| 1 << (2 * (length - 3));
        assert_eq!(runs.sum(worth), plain.iter().map(|run| worth(run.len() as u32)).sum::<i32>());

        check_swaps(&board, &kinds, plain.is_empty());

        let chosen: Vec<_> = listed(Cells::<C, R>::ALL).into_iter().filter(|_| stream.below(4) == 0).collect();
        let mut empty = set::<C, R>(&chosen);
        let around = chosen.iter().flat_map(|(x, y)| {
            let (x, y) = (*x as i64, *y as i64);
            [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)]
        });
        let on_board = around.filter(|(x, y)| (0..C as i64).contains(x) && (0..R as i64).contains(y));
        let expected = on_board.map(|(x, y)| (x as usize, y as usize)).collect();
        assert_eq!(listed(neighbours(empty)), sorted(expected));

        let mut plain: Vec<Vec<Option<u8>>> =
            (0..C).map(|x| (0..R).map(|y| (!chosen.contains(&(x, y))).then_some(kinds[y][x])).collect()).collect();
        while !empty.is_empty() {
            let tops = board.fall(&mut empty);
            let mut expected_tops = vec![];
            for (x, column) in plain.iter_mut().enumerate() {
                if let Some(lowest) = column.iter().rposition(Option::is_none) {
                    column.remove(lowest);
                    let kind = stream.below(5) as u8;
                    column.insert(0, Some(kind));
                    board.put(Cells::at(x, 0), kind);
                    expected_tops.push((x, 0));
                }
            }
            assert_eq!(listed(tops), expected_tops);
            for (x, y) in listed(Cells::<C, R>::ALL) {
                assert_eq!(!(empty & Cells::at(x, y)).is_empty(), plain[x][y].is_none());
                if let Some(kind) = plain[x][y] {
                    assert_eq!(board.kind(Cells::at(x, y)), kind);
                }
            }
        }
        assert!(plain.iter().flatten().all(Option::is_some));
    }
}

fn check_swaps<const C: usize, const R: usize>(board: &Board<C, R, 3>, kinds: &[[u8; C]; R], stable: bool) {
    let completing = (0..5).fold(Swaps::default(), |swaps, kind| swaps.union(Swaps::completing(board.of_kind(kind))));
    let equal = board.equal_neighbours();
    for (x, y) in listed(Cells::<C, R>::ALL) {
        for (dx, dy, equal, completing) in
            [(0, 1, equal.vertical, completing.vertical), (1, 0, equal.horizontal, completing.horizontal)]
        {
            let (x2, y2) = (x + dx, y + dy);
            let is_in = |set: Cells<C, R>| !(set & Cells::at(x, y)).is_empty();
            if x2 >= C || y2 >= R {
                assert!(!is_in(equal) && !is_in(completing), "a swap off the board");
                continue;
            }
            let mut swapped = *kinds;
            (swapped[y][x], swapped[y2][x2]) = (kinds[y2][x2], kinds[y][x]);
            let mut swapped_board = *board;
            swapped_board.swap(Cells::at(x, y), Cells::at(x2, y2));
            assert_eq!(swapped_board, Board::from_rows(&swapped));
            assert_eq!(is_in(equal), kinds[y][x] == kinds[y2][x2]);
            if stable {
                assert_eq!(is_in(completing), !plain_runs(&swapped, 5).is_empty());
            }
        }
    }
}

#[test]
fn boards_of_several_sizes_follow_the_plain_rules() {
    check_size::<8, 10>();
    check_size::<6, 12>();
    check_size::<8, 8>();
    check_size::<5, 7>();
    check_size::<2, 3>();
}

#[test]
fn a_set_moved_sideways_and_back_loses_what_left_the_board() {
    let all = Cells::<7, 9>::ALL;
    let rows = 0..9;
    let first: Vec<_> = rows.clone().map(|y| (0, y)).collect();
    let last: Vec<_> = rows.map(|y| (6, y)).collect();
    assert_eq!(all.left().right(), all & !set(&first));
    assert_eq!(all.right().left(), all & !set(&last));
    assert_eq!(Cells::from_bits(all.bits()), all);
    assert_eq!(Cells::from_columns(all.columns()), all);
}

#[test]
fn each_cell_of_a_set_is_given_once_column_by_column_from_the_bottom() {
    let cells = [(1, 4), (1, 0), (4, 9), (4, 8), (7, 0)];
    let given: Vec<_> = set::<8, 10>(&cells).each().flat_map(listed).collect();
    assert_eq!(given, cells);
    let indices: Vec<_> = set::<8, 10>(&cells).each().map(Cells::index).collect();
    assert!(indices.is_sorted() && indices.iter().all(|index| *index < 128));
}
