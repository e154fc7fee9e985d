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

/// Rows of a board without the coordinates of [`Picture::numbered`]; none if it has none.
pub fn unnumbered(text: &str) -> Option<String> {
    let mut lines = text.lines().skip_while(|line| line.trim().is_empty());
    let head = lines.next()?.trim_end();
    let edge = head.len() - head.trim_start().len();
    let digits = (0..head.len() - edge).all(|x| head.as_bytes()[edge + x] == b'0' + (x % 10) as u8);
    let row = |(y, line): (usize, &'_ str)| {
        let (number, row) = line.split_at_checked(edge)?;
        (number.trim_end() == y.to_string()).then(|| row.to_owned())
    };
    let rows: Option<Vec<String>> = lines.enumerate().map(row).collect();
    rows.filter(|rows| digits && edge > 0 && !rows.is_empty()).map(|rows| rows.join("\n"))
}

/// Width of the largest row number and a space.
pub fn edge(rows: usize) -> usize {
    rows.saturating_sub(1).to_string().len() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_taken_off_again_and_what_has_none_is_reported() {
        assert_eq!(unnumbered("  01  \n0 ab").as_deref(), Some("ab"));
        for board in ["ab\n a".to_owned(), ["abcdefghijklm"; 11].join("\n"), "012\n120".to_owned()] {
            let numbered = Picture::of(&board).numbered().join("\n");
            assert_eq!(unnumbered(&format!("\n{numbered}")), Some(board.clone()), "{numbered}");
            assert_eq!(unnumbered(&board), None, "{board}");
        }
        for odd in ["", "  01", "  01\n1 ab", "  02\n0 ab", "  01\n0 ab\n\n", "  01\nä ab"] {
            assert_eq!(unnumbered(odd), None, "{odd}");
        }
    }

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
