//! The layers of the product: reads each `use` and each path of the sources, and compares the
//! imports with the tables in ARCHITECTURE.md, section "The layers".
//!
//! An import belongs to the file that defines the imported item, not to one that re-exports it.
//! Tests inside the sources are left out. The modules of the page have no layers, and form no circle.

#![cfg(test)]

mod links;
mod sources;
mod table;

use sources::{Import, Imports};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use table::Layers;

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ lies in the repository")
}

fn read() -> (Layers, Imports) {
    let page = std::fs::read_to_string(repository().join("ARCHITECTURE.md")).unwrap();
    let layers = Layers::parse(&page);
    let imports = sources::read(repository(), &layers.packages());
    (layers, imports)
}

/// Themes are one table: elsewhere a colour is named by what it is for.
#[test]
fn only_the_display_names_colours_of_the_terminal() {
    let client = repository().join("client/src");
    let mut folders = vec![client.clone()];
    let mut naming = BTreeSet::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            if code.replace("Color::Reset", "").contains("Color::") {
                naming.insert(path.strip_prefix(&client).unwrap().display().to_string());
            }
        }
    }
    naming.retain(|file| !file.contains("tests/") && !file.starts_with("test_support/"));
    assert_eq!(naming.into_iter().collect::<Vec<_>>(), ["display/theme.rs"]);
}

/// The server imports no family of puzzles, except where it reads checkpoints of an earlier version.
#[test]
fn the_server_names_no_family_of_puzzles() {
    let (_, imports) = read();
    let families = ["shared/src/puzzle/slide/", "shared/src/puzzle/numberlink/"];
    let is_named = |to: &str| families.iter().any(|family| to.starts_with(family));
    let all = imports.all();
    let naming = all.iter().filter(|(from, to)| from.starts_with("server/") && is_named(to));
    let naming = naming.filter(|(from, _)| from != "server/src/race/persisted/checkpoint.rs");
    assert_eq!(naming.collect::<Vec<_>>(), Vec::<&Import>::new());
}

#[test]
fn imports_follow_the_layers_and_form_no_circle() {
    let (layers, imports) = read();
    let all = imports.all();
    let mut report = String::new();
    for (from, to) in all.iter().filter(|(from, to)| !layers.allow(from, to)) {
        writeln!(report, "against the layers: {from} imports {to}").unwrap();
    }
    for files in circles(&all) {
        writeln!(report, "circle: {}", describe_circle(&files, &all)).unwrap();
    }
    assert!(report.is_empty(), "\n{report}");
}

#[test]
fn modules_of_the_page_form_no_circle() {
    let mut imports = BTreeSet::new();
    for entry in std::fs::read_dir(repository().join("server/web")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "js") {
            continue;
        }
        let file = path.file_name().unwrap().to_str().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        // A type in a comment loads nothing.
        let code =
            text.split("/**").map(|part| part.split_once("*/").map_or(part, |(_, code)| code));
        for code in code {
            let names = code.split("\"./").skip(1).filter_map(|rest| rest.split_once('"'));
            imports.extend(names.map(|(name, _)| (file.to_owned(), name.to_owned())));
        }
    }
    assert!(imports.contains(&("race.js".to_owned(), "slide.js".to_owned())), "{imports:?}");
    let circles = circles(&imports);
    let described: Vec<_> = circles.iter().map(|files| describe_circle(files, &imports)).collect();
    assert_eq!(described, Vec::<String>::new());
}

#[test]
fn each_source_file_has_a_layer_and_each_layer_has_files() {
    let (layers, imports) = read();
    let missing: Vec<_> = imports.files().filter(|file| layers.path_of(file).is_none()).collect();
    assert!(missing.is_empty(), "in no layer of ARCHITECTURE.md: {missing:#?}");
    for path in layers.paths() {
        let used = imports.files().any(|file| layers.path_of(file) == Some(path));
        assert!(used, "ARCHITECTURE.md names {path}, which holds no source file");
    }
}

#[test]
fn an_import_is_attributed_to_the_file_that_defines_the_item() {
    let mut imports = Imports::default();
    let files = [
        ("src/lib.rs", "pub mod a; mod b; #[cfg(test)] mod samples;"),
        ("src/a/mod.rs", "mod inner; pub use inner::Thing; pub const LIMIT: u8 = 1;"),
        ("src/a/inner.rs", "use super::LIMIT; pub struct Thing; use crate::b;"),
        ("src/b.rs", "use crate::a::{self, Thing}; // use crate::c;\nfn f() { a::LIMIT; }"),
        ("src/samples.rs", "use crate::b::f;"),
    ];
    imports.read_package("src", &[], files.iter().map(|(path, text)| (*path, *text)));
    let found = imports.all();
    let expected = [("a/inner", "a/mod"), ("a/inner", "b"), ("b", "a/inner"), ("b", "a/mod")];
    let expected = expected.map(|(a, b)| (format!("src/{a}.rs"), format!("src/{b}.rs")));
    assert_eq!(found, BTreeSet::from(expected));
    let circle = &circles(&found)[0];
    assert!(circle.contains("src/a/inner.rs") && circle.contains("src/b.rs"));
}

/// The strongly connected components of more than one file (Tarjan 1972).
fn circles(imports: &BTreeSet<Import>) -> Vec<BTreeSet<String>> {
    let mut edges: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (from, to) in imports {
        edges.entry(from).or_default().push(to);
    }
    let (index, low) = Default::default();
    let mut search = Tarjan { edges: &edges, index, low, stack: Vec::new(), found: Vec::new() };
    for file in edges.keys() {
        if !search.index.contains_key(file) {
            search.visit(file);
        }
    }
    search.found
}

struct Tarjan<'a> {
    edges: &'a BTreeMap<&'a str, Vec<&'a str>>,
    index: BTreeMap<&'a str, usize>,
    low: BTreeMap<&'a str, usize>,
    stack: Vec<&'a str>,
    found: Vec<BTreeSet<String>>,
}

impl<'a> Tarjan<'a> {
    fn visit(&mut self, file: &'a str) {
        let number = self.index.len();
        self.index.insert(file, number);
        self.low.insert(file, number);
        self.stack.push(file);
        for next in self.edges.get(file).into_iter().flatten().copied() {
            if !self.index.contains_key(next) {
                self.visit(next);
                let low = self.low[file].min(self.low[next]);
                self.low.insert(file, low);
            } else if self.stack.contains(&next) {
                let low = self.low[file].min(self.index[next]);
                self.low.insert(file, low);
            }
        }
        if self.low[file] == number {
            let start = self.stack.iter().position(|at| *at == file).unwrap();
            let component: BTreeSet<_> =
                self.stack.split_off(start).into_iter().map(str::to_owned).collect();
            if component.len() > 1 {
                self.found.push(component);
            }
        }
    }
}

/// A shortest circle through the first of `files`, as its files in order.
fn describe_circle(files: &BTreeSet<String>, imports: &BTreeSet<Import>) -> String {
    let start = files.first().unwrap();
    let mut paths = vec![vec![start]];
    let mut seen = BTreeSet::from([start]);
    loop {
        let mut longer = Vec::new();
        for path in &paths {
            for (_, to) in imports.iter().filter(|(from, _)| from == path[path.len() - 1]) {
                if to == start {
                    let names: Vec<_> = path.iter().map(|file| file.as_str()).collect();
                    let others = files.len() - path.len();
                    let more = if others > 0 {
                        format!(" (and {others} more files)")
                    } else {
                        String::new()
                    };
                    return format!("{} -> {start}{more}", names.join(" -> "));
                }
                if files.contains(to) && seen.insert(to) {
                    longer.push(path.iter().copied().chain([to]).collect());
                }
            }
        }
        paths = longer;
    }
}
