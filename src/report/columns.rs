//! Text in columns.

/// A table with names on the left and numbers on the right; columns have minimum widths.
pub fn table(heading: &str, columns: &[(&str, usize)], rows: &[(String, Vec<String>)]) -> String {
    let width = |text: &str| text.chars().count();
    let first = rows.iter().map(|(name, _)| width(name)).chain([width(heading)]).max().unwrap_or(0);
    let widest = |(at, (name, least)): (usize, &(&str, usize))| {
        let cells = rows.iter().filter_map(|(_, cells)| Some(width(cells.get(at)?)));
        cells.chain([width(name), *least]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = columns.iter().enumerate().map(widest).collect();
    let line = |name: &str, cells: &[&str]| {
        let cells: String = cells.iter().zip(&widths).map(|(cell, width)| format!("  {cell:>width$}")).collect();
        format!("{}\n", format!("{name:first$}{cells}").trim_end())
    };
    let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    let rows = rows.iter().map(|(name, cells)| line(name, &cells.iter().map(String::as_str).collect::<Vec<_>>()));
    std::iter::once(line(heading, &names)).chain(rows).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_is_as_wide_as_its_widest_cell_or_its_name() {
        let row = |name: &str, cells: [&str; 2]| (name.to_owned(), cells.map(str::to_owned).to_vec());
        let rows = [row("a", ["1", "123456"]), row("linear", ["10 ± 2", "7"])];
        let expected = "player       n    wide\na            1  123456\nlinear  10 ± 2       7\n";
        assert_eq!(table("player", &[("n", 3), ("wide", 5)], &rows), expected);
        assert_eq!(table("p", &[("name", 6)], &[("q".to_owned(), vec!["2".to_owned()])]), "p    name\nq       2\n");
    }
}
