//! Python code in blocks, of which a file gets those that it needs.
//!
//! A block begins with a line `#@ NAME: NEEDS`, where NEEDS are names of other blocks. A line that
//! ends with `  #if FLAGS` stays if all of the flags are set, one with `  #unless FLAGS` if none is.

use std::collections::{BTreeMap, BTreeSet};

pub struct Template {
    blocks: Vec<Block>,
}

struct Block {
    name: &'static str,
    needs: Vec<&'static str>,
    lines: &'static str,
}

impl Template {
    /// The blocks of some files in order. A block of the file `first` stands in place of those with
    /// its name in the others.
    pub fn of(files: &[&'static str], first: &'static str) -> Self {
        let own: BTreeSet<&str> = blocks(first).map(|block| block.name).collect();
        let chosen = |file: &&'static str| {
            let is_first = *file == first;
            blocks(file).filter(|block| is_first || !own.contains(block.name)).collect::<Vec<_>>()
        };
        Self { blocks: files.iter().flat_map(chosen).collect() }
    }

    /// The blocks of these names and all that they need, in the files' order; an unknown name is
    /// given back.
    pub fn assemble(&self, roots: &[&str], flags: &BTreeSet<&str>) -> Result<String, String> {
        let by_name: BTreeMap<&str, &Block> = self.blocks.iter().map(|block| (block.name, block)).collect();
        let (mut wanted, mut open) = (BTreeSet::new(), roots.to_vec());
        while let Some(name) = open.pop() {
            let block = by_name.get(name).ok_or(name)?;
            if wanted.insert(name) {
                open.extend(&block.needs);
            }
        }
        let code =
            self.blocks.iter().filter(|block| wanted.contains(block.name)).map(|block| chosen(block.lines, flags));
        Ok(code.filter(|code| !code.is_empty()).collect::<Vec<_>>().join("\n\n\n"))
    }
}

fn blocks(file: &'static str) -> impl Iterator<Item = Block> {
    file.split("#@ ").skip(1).map(|block| {
        let (head, lines) = block.split_once('\n').unwrap_or((block, ""));
        let (name, needs) = head.split_once(':').unwrap_or((head, ""));
        Block { name, needs: needs.split_whitespace().collect(), lines }
    })
}

/// The lines that these flags choose, without their conditions.
fn chosen(lines: &str, flags: &BTreeSet<&str>) -> String {
    let is_set = |flag: &str| flags.contains(flag);
    let line = |line: &'_ str| -> Option<String> {
        if let Some((code, wanted)) = line.split_once("  #if ") {
            return wanted.split(' ').all(is_set).then(|| code.to_owned());
        }
        match line.split_once("  #unless ") {
            Some((code, unwanted)) => (!unwanted.split(' ').any(is_set)).then(|| code.to_owned()),
            None => Some(line.to_owned()),
        }
    };
    lines.lines().filter_map(line).collect::<Vec<_>>().join("\n").trim_matches('\n').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "#@ one: two\n1  #if a b\n2  #unless a\n3\n\n#@ two\n4\n\n#@ three\n5\n";
    const OTHER: &str = "#@ two\n6\n";

    #[test]
    fn a_file_gets_the_blocks_that_it_needs_with_the_lines_of_its_flags() {
        let template = Template::of(&[FILE], FILE);
        let code = |roots: &[&str], flags: &[&'static str]| template.assemble(roots, &flags.iter().copied().collect());
        assert_eq!(code(&["one"], &["a", "b"]).unwrap(), "1\n3\n\n\n4");
        assert_eq!(code(&["one"], &["a"]).unwrap(), "3\n\n\n4");
        assert_eq!(code(&["three", "one"], &[]).unwrap(), "2\n3\n\n\n4\n\n\n5");
        assert_eq!(code(&["four"], &[]), Err("four".to_owned()));
    }

    #[test]
    fn a_block_of_the_first_file_stands_in_place_of_one_of_the_same_name() {
        let template = Template::of(&[FILE, OTHER], OTHER);
        assert_eq!(template.assemble(&["one"], &BTreeSet::new()).unwrap(), "2\n3\n\n\n6");
    }
}
