//! The tables of layers in ARCHITECTURE.md.
//!
//! A table's first head names a source folder, each row the paths of a layer in it and the layers
//! that it may import, by their first path or as another package's folder. `all` is every layer.

use std::collections::BTreeSet;

pub struct Layers {
    rows: Vec<Row>,
}

struct Row {
    /// The table's source folder, such as `server/src`.
    folder: String,
    /// Files without `.rs`, or folders, from the repository's root.
    paths: Vec<String>,
    may_import: Vec<String>,
}

impl Layers {
    pub fn parse(page: &str) -> Self {
        let (_, section) = page.split_once("\n## The layers\n").expect("a section on the layers");
        let section = section.split("\n## ").next().unwrap();
        let mut folder = String::new();
        let mut rows = Vec::new();
        for line in section.lines().filter(|line| line.starts_with('|')) {
            let cells: Vec<_> = line.trim_matches('|').split('|').collect();
            let (names, last) = (code(cells[0]), cells[cells.len() - 1]);
            match names.as_slice() {
                [] => {} // the line below a table's head
                [name] if name.ends_with("/src") => folder.clone_from(name),
                _ => rows.push(Row {
                    folder: folder.clone(),
                    paths: names.iter().map(|name| format!("{folder}/{name}")).collect(),
                    may_import: code(last),
                }),
            }
        }
        Self { rows }
    }

    pub fn packages(&self) -> BTreeSet<&str> {
        self.rows.iter().map(|row| row.folder.as_str()).collect()
    }

    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.rows.iter().flat_map(|row| &row.paths).map(String::as_str)
    }

    /// The longest path of a layer that `file` lies at or below.
    pub fn path_of(&self, file: &str) -> Option<&str> {
        let stem = file.strip_suffix(".rs").unwrap_or(file);
        let lies_at = |path: &&str| {
            stem.strip_prefix(*path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.paths().filter(lies_at).max_by_key(|path| path.len())
    }

    fn row_of(&self, file: &str) -> Option<usize> {
        let path = self.path_of(file)?;
        self.rows.iter().position(|row| row.paths.iter().any(|at| at == path))
    }

    pub fn allow(&self, from: &str, to: &str) -> bool {
        let (Some(from), Some(to)) = (self.row_of(from), self.row_of(to)) else { return false };
        let mut reached = BTreeSet::from([from]);
        let mut open = vec![from];
        while let Some(row) = open.pop() {
            for name in &self.rows[row].may_import {
                for next in self.named(name, &self.rows[row].folder) {
                    if reached.insert(next) {
                        open.push(next);
                    }
                }
            }
        }
        reached.contains(&to)
    }

    /// The rows that a cell's `name` means in the table of `folder`.
    fn named(&self, name: &str, folder: &str) -> Vec<usize> {
        let matching = |is: &dyn Fn(&Row) -> bool| -> Vec<usize> {
            (0..self.rows.len()).filter(|at| is(&self.rows[*at])).collect()
        };
        let layer = format!("{folder}/{name}");
        let mut found = matching(&|row| row.paths[0] == layer);
        if found.is_empty() {
            found = matching(&|row| row.folder == format!("{name}/src"));
        }
        if name == "all" {
            found = matching(&|row| row.folder == folder);
        }
        assert!(!found.is_empty(), "ARCHITECTURE.md: no layer and no package is called {name}");
        found
    }
}

fn code(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}
