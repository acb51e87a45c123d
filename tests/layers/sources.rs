//! The imports between source files, read from their tokens.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The importing file and the file that defines what is imported.
pub type Import = (String, String);

/// A module: its package's source folder, then the names below it.
type ModulePath = Vec<String>;

#[derive(Default)]
pub struct Imports {
    modules: BTreeMap<ModulePath, Module>,
    /// Names of crates, and their source folders.
    crates: BTreeMap<String, String>,
    /// Exported macros, which stand at a package's root, and the files that define them.
    macros: BTreeMap<ModulePath, String>,
}

#[derive(Default)]
struct Module {
    file: String,
    /// Names that `use` brings in, and where they come from.
    names: BTreeMap<String, ModulePath>,
    globs: Vec<ModulePath>,
    /// Items defined here, macros with a `!`.
    items: BTreeSet<String>,
    test_modules: BTreeSet<String>,
    /// Paths in code, apart from `use`; one segment each for a plain name.
    paths: Vec<ModulePath>,
}

/// Reads the packages whose source folders are `folders`.
pub fn read(root: &Path, folders: &BTreeSet<&str>) -> Imports {
    let mut imports = Imports::default();
    let crates: Vec<_> = folders.iter().map(|folder| (crate_name(root, folder), *folder)).collect();
    for folder in folders {
        let mut files = Vec::new();
        list(&root.join(folder), &mut files);
        let texts: Vec<_> = files
            .iter()
            .map(|file| {
                let name = file.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
                (name, std::fs::read_to_string(file).unwrap())
            })
            .collect();
        let texts = texts.iter().map(|(name, text)| (name.as_str(), text.as_str()));
        imports.read_package(folder, &crates, texts);
    }
    imports
}

fn crate_name(root: &Path, folder: &str) -> String {
    let manifest = root.join(folder).parent().unwrap().join("Cargo.toml");
    let text = std::fs::read_to_string(&manifest).unwrap();
    let line = text.lines().find(|line| line.starts_with("name = ")).unwrap();
    line.split('"').nth(1).unwrap().replace('-', "_")
}

fn list(folder: &Path, files: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            list(&path, files);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
}

impl Imports {
    /// Reads the `files` of one package, each a path that begins with `folder` and its text.
    pub fn read_package<'a>(
        &mut self,
        folder: &str,
        crates: &[(String, &str)],
        files: impl Iterator<Item = (&'a str, &'a str)>,
    ) {
        self.crates.extend(crates.iter().map(|(name, at)| (name.clone(), (*at).to_owned())));
        for (file, text) in files {
            let below = file[folder.len() + 1..].strip_suffix(".rs").unwrap();
            let mut path: ModulePath = vec![folder.to_owned()];
            path.extend(below.split('/').map(str::to_owned));
            if path.last().is_some_and(|last| last == "mod" || last == "lib") {
                path.pop();
            }
            let tokens = text.parse().unwrap_or_else(|error| panic!("{file}: {error}"));
            self.read_module(&path, file, &tokens);
        }
    }

    fn read_module(&mut self, path: &ModulePath, file: &str, tokens: &TokenStream) {
        let mut module = Module { file: file.to_owned(), ..Module::default() };
        let mut inline = Vec::new();
        let tokens: Vec<_> = tokens.clone().into_iter().collect();
        module.scan(&tokens, &mut inline);
        for name in module.items.iter().filter_map(|item| item.strip_suffix('!')) {
            self.macros.insert(vec![path[0].clone(), name.to_owned()], file.to_owned());
        }
        self.modules.insert(path.clone(), module);
        for (name, body) in inline {
            let mut path = path.clone();
            path.push(name);
            self.read_module(&path, file, &body);
        }
    }

    /// The files apart from tests.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        let modules = self.modules.iter().filter(|(path, _)| !self.is_test(path));
        modules.map(|(_, module)| module.file.as_str())
    }

    /// The imports between files, apart from tests.
    pub fn all(&self) -> BTreeSet<Import> {
        let mut found = BTreeSet::new();
        for (path, module) in self.modules.iter().filter(|(path, _)| !self.is_test(path)) {
            let mut targets: BTreeSet<&str> = BTreeSet::new();
            let plain: BTreeSet<_> =
                module.paths.iter().filter(|path| path.len() == 1).map(|path| &path[0]).collect();
            for (name, from) in &module.names {
                // A facade's re-export of what lies below it is no import.
                if plain.contains(name) || !self.lies_below(from, path) {
                    targets.extend(self.file_of(from, path, 0));
                }
            }
            for from in &module.globs {
                if !self.lies_below(from, path) {
                    targets.extend(self.file_of(from, path, 0));
                }
            }
            for segments in module.paths.iter().filter(|path| path.len() > 1) {
                targets.extend(self.file_of(segments, path, 0));
            }
            let others = targets.into_iter().filter(|file| *file != module.file);
            found.extend(others.map(|file| (module.file.clone(), file.to_owned())));
        }
        found
    }

    fn is_test(&self, path: &[String]) -> bool {
        (1..path.len()).any(|depth| {
            let name = &path[depth];
            let parent = self.modules.get(&path[..depth]);
            name == "tests" || parent.is_some_and(|module| module.test_modules.contains(name))
        })
    }

    fn lies_below(&self, segments: &[String], path: &ModulePath) -> bool {
        self.absolute(segments, path).is_some_and(|at| at.starts_with(path))
    }

    /// `segments`, as written in the module `path`, from a package's root.
    fn absolute(&self, segments: &[String], path: &ModulePath) -> Option<ModulePath> {
        let (first, rest) = segments.split_first()?;
        let mut at = match first.as_str() {
            "crate" => path[..1].to_vec(),
            "self" => path.clone(),
            "super" => path[..path.len() - 1].to_vec(),
            name => {
                let mut child = path.clone();
                child.push(name.to_owned());
                if self.modules.contains_key(&child) {
                    child
                } else {
                    vec![self.crates.get(name)?.clone()]
                }
            }
        };
        for segment in rest {
            if segment == "super" {
                at.pop();
            } else {
                at.push(segment.clone());
            }
        }
        Some(at)
    }

    /// The file that defines the item at `segments`, written in the module `path`.
    fn file_of(&self, segments: &[String], path: &ModulePath, depth: usize) -> Option<&str> {
        let at = match self.modules[path].names.get(&segments[0]) {
            Some(from) if from[0] != segments[0] => {
                let mut whole = from.clone();
                whole.extend_from_slice(&segments[1..]);
                self.absolute(&whole, path)
            }
            _ => self.absolute(segments, path),
        }?;
        self.file_at(&at, depth)
    }

    fn file_at(&self, at: &[String], depth: usize) -> Option<&str> {
        if let Some(file) = self.macros.get(at) {
            return Some(file);
        }
        let known =
            (1..=at.len()).rev().find(|length| self.modules.contains_key(&at[..*length]))?;
        let (path, rest) = (at[..known].to_vec(), &at[known..]);
        let module = &self.modules[&path];
        if let (Some(name), true) = (rest.first(), depth < 8) {
            if let Some(from) = module.names.get(name) {
                let mut whole = from.clone();
                whole.extend_from_slice(&rest[1..]);
                // A name from outside the workspace is whose it is imported from.
                let whole = self.absolute(&whole, &path)?;
                return self.file_at(&whole, depth + 1);
            }
            if !module.items.contains(name) {
                for glob in &module.globs {
                    let Some(target) = self.absolute(glob, &path) else { continue };
                    let has = |module: &Module| {
                        module.items.contains(name) || module.names.contains_key(name)
                    };
                    if self.modules.get(&target).is_some_and(has) {
                        let mut whole = target;
                        whole.extend_from_slice(rest);
                        return self.file_at(&whole, depth + 1);
                    }
                }
            }
        }
        Some(&module.file)
    }
}

impl Module {
    /// Reads the tokens of a module; inline modules go to `inline` with their names.
    fn scan(&mut self, tokens: &[TokenTree], inline: &mut Vec<(String, TokenStream)>) {
        let mut at = 0;
        while at < tokens.len() {
            match &tokens[at] {
                TokenTree::Punct(mark) if mark.as_char() == '#' => {
                    let bang = usize::from(is_punct(tokens.get(at + 1), '!'));
                    let is_test = is_cfg_test(tokens.get(at + 1 + bang));
                    at += 2 + bang;
                    if is_test && bang == 0 {
                        at = self.skip_item(tokens, at);
                    }
                }
                TokenTree::Ident(word) if word == "use" => {
                    let end = (at..tokens.len()).find(|at| is_punct(tokens.get(*at), ';'));
                    let end = end.unwrap_or(tokens.len());
                    self.read_use(&tokens[at + 1..end], &[]);
                    at = end;
                }
                TokenTree::Ident(word) if word == "mod" => {
                    match (ident(tokens.get(at + 1)), tokens.get(at + 2)) {
                        (Some(name), Some(TokenTree::Group(body))) => {
                            inline.push((name, body.stream()));
                            at += 3;
                        }
                        _ => at += 2,
                    }
                }
                TokenTree::Ident(word) => {
                    let word = word.to_string();
                    if word == "macro_rules" && is_punct(tokens.get(at + 1), '!') {
                        self.items.extend(ident(tokens.get(at + 2)).map(|name| name + "!"));
                    }
                    if ITEMS.contains(&word.as_str())
                        && let Some(name) = ident(tokens.get(at + 1))
                    {
                        self.items.insert(name);
                    }
                    let (segments, next) = read_path(tokens, at);
                    self.paths.push(segments);
                    at = next;
                }
                TokenTree::Group(group) => {
                    let inner: Vec<_> = group.stream().into_iter().collect();
                    self.scan(&inner, inline);
                    at += 1;
                }
                TokenTree::Punct(_) | TokenTree::Literal(_) => at += 1,
            }
        }
    }

    /// Passes over the item behind a `#[cfg(test)]`.
    fn skip_item(&mut self, tokens: &[TokenTree], mut at: usize) -> usize {
        let mut is_use = false;
        while let Some(token) = tokens.get(at) {
            match token {
                TokenTree::Ident(word) if word == "use" => is_use = true,
                TokenTree::Ident(word) if word == "mod" => {
                    self.test_modules.extend(ident(tokens.get(at + 1)));
                }
                TokenTree::Group(group) if group.delimiter() == Delimiter::Brace && !is_use => {
                    return at + 1;
                }
                TokenTree::Punct(mark) if matches!(mark.as_char(), ';' | ',') => return at + 1,
                TokenTree::Group(_)
                | TokenTree::Ident(_)
                | TokenTree::Punct(_)
                | TokenTree::Literal(_) => {}
            }
            at += 1;
        }
        at
    }

    /// Reads a tree of `use`, behind the segments `before`.
    fn read_use(&mut self, tokens: &[TokenTree], before: &[String]) {
        for tree in tokens.split(|token| is_punct(Some(token), ',')) {
            let mut segments = before.to_vec();
            let mut renamed = None;
            let mut ended = false;
            for (at, token) in tree.iter().enumerate() {
                match token {
                    TokenTree::Ident(word) if word == "as" => {
                        renamed = ident(tree.get(at + 1));
                        break;
                    }
                    TokenTree::Ident(word) => segments.push(word.to_string()),
                    TokenTree::Punct(mark) if mark.as_char() == '*' => {
                        self.globs.push(segments.clone());
                        ended = true;
                    }
                    TokenTree::Group(group) => {
                        let inner: Vec<_> = group.stream().into_iter().collect();
                        self.read_use(&inner, &segments);
                        ended = true;
                    }
                    TokenTree::Punct(_) | TokenTree::Literal(_) => {}
                }
            }
            if segments.len() > 1 && segments.last().is_some_and(|last| last == "self") {
                segments.pop();
            }
            if let (false, Some(last)) = (ended, segments.last().cloned()) {
                // `_` names nothing, but is an import.
                self.names.insert(renamed.unwrap_or(last), segments);
            }
        }
    }
}

const ITEMS: [&str; 8] = ["struct", "enum", "union", "trait", "type", "fn", "const", "static"];

fn is_punct(token: Option<&TokenTree>, mark: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == mark)
}

fn ident(token: Option<&TokenTree>) -> Option<String> {
    match token {
        Some(TokenTree::Ident(word)) => Some(word.to_string()),
        _ => None,
    }
}

/// The path that begins at `at`, and where it ends.
fn read_path(tokens: &[TokenTree], mut at: usize) -> (ModulePath, usize) {
    let mut segments = Vec::new();
    while let Some(name) = ident(tokens.get(at)) {
        segments.push(name);
        at += 1;
        if !(is_punct(tokens.get(at), ':') && is_punct(tokens.get(at + 1), ':')) {
            break;
        }
        at += 2;
    }
    (segments, at)
}

/// Whether the attribute `#[…]` leaves its item out of the product.
fn is_cfg_test(token: Option<&TokenTree>) -> bool {
    let Some(TokenTree::Group(group)) = token else { return false };
    let text = group.stream().to_string();
    text.starts_with("cfg") && text.contains("test") && !text.contains("not")
}
