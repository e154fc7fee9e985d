/// Letters of a board; a space is a cell just cleared or not yet filled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Picture(Vec<Vec<char>>);

impl Picture {
    pub fn of(text: &str) -> Self {
        Self(text.lines().map(|line| line.chars().collect()).collect())
    }

    pub fn size(&self) -> (usize, usize) {
        (self.0.first().map_or(0, Vec::len), self.0.len())
    }

    pub fn at(&self, x: usize, y: usize) -> char {
        self.0.get(y).and_then(|row| row.get(x)).copied().unwrap_or(' ')
    }

    /// Column, row and letter of each cell.
    pub fn cells(&self) -> impl Iterator<Item = (usize, usize, char)> {
        let row = |(y, row): (usize, &'_ Vec<char>)| {
            row.clone().into_iter().enumerate().map(move |(x, letter)| (x, y, letter))
        };
        self.0.iter().enumerate().flat_map(row)
    }

    pub fn has_holes(&self) -> bool {
        self.0.iter().flatten().any(|letter| *letter == ' ')
    }

    /// Lines with row numbers, below the last digits of column numbers.
    pub fn numbered(&self) -> Vec<String> {
        let (columns, rows) = self.size();
        let edge = edge(rows);
        let digits: String = (0..columns).map(|x| (x % 10).to_string()).collect();
        let row = |(y, row): (usize, &Vec<char>)| format!("{y:<edge$}{}", row.iter().collect::<String>());
        [format!("{:edge$}{digits}", "")].into_iter().chain(self.0.iter().enumerate().map(row)).collect()
    }
}

/// Width of the largest row number and a space.
pub fn edge(rows: usize) -> usize {
    rows.saturating_sub(1).to_string().len() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_of_any_size_has_its_coordinates() {
        assert_eq!(Picture::of("ab\n a").numbered(), ["  01", "0 ab", "1  a"]);
        let tall = Picture::of(&["abcdefghijkl"; 11].join("\n"));
        assert_eq!(tall.size(), (12, 11));
        let shown = tall.numbered();
        assert_eq!([&*shown[0], &*shown[1], &*shown[11]], ["   012345678901", "0  abcdefghijkl", "10 abcdefghijkl"]);
    }

    #[test]
    fn cells_are_found_by_column_and_row() {
        let board = Picture::of("ab\nc#");
        assert_eq!((board.at(1, 0), board.at(0, 1), board.at(2, 0), board.at(0, 2)), ('b', 'c', ' ', ' '));
        assert_eq!(board.cells().collect::<Vec<_>>(), [(0, 0, 'a'), (1, 0, 'b'), (0, 1, 'c'), (1, 1, '#')]);
        assert!(!board.has_holes() && Picture::of("ab\nc ").has_holes());
    }
}
