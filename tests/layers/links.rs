//! Links between the repository's pages: each leads to a file, and to a heading where it names one.

use crate::repository;
use std::path::{Path, PathBuf};

#[test]
fn each_relative_link_of_the_pages_leads_to_a_file_and_a_heading() {
    let mut pages = Vec::new();
    list(repository(), &mut pages);
    assert!(pages.len() > 5, "too few pages: {pages:?}");
    let mut broken = Vec::new();
    for page in &pages {
        for link in links(&text_of(page)) {
            if let Err(reason) = check(page, &link) {
                broken.push(format!("{}: {link}: {reason}", page.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

/// Lists the Markdown files of `folder`, apart from build outputs, packages and hidden folders.
fn list(folder: &Path, pages: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        let is_foreign = name.starts_with("target") || name == "node_modules";
        if path.is_dir() && !name.starts_with('.') && !is_foreign {
            list(&path, pages);
        } else if name.ends_with(".md") {
            pages.push(path);
        }
    }
}

fn text_of(page: &Path) -> String {
    std::fs::read_to_string(page).unwrap()
}

/// The targets of `[text](target)` outside fenced code, those with a scheme apart.
fn links(text: &str) -> Vec<String> {
    let prose = text.split("```").step_by(2);
    let targets = prose.flat_map(|part| part.split("](").skip(1));
    targets
        .filter_map(|rest| rest.split_once(')'))
        .map(|(target, _)| target.to_owned())
        .filter(|target| !target.contains("://"))
        .collect()
}

fn check(page: &Path, link: &str) -> Result<(), &'static str> {
    let (file, heading) = link.split_once('#').unwrap_or((link, ""));
    let target = if file.is_empty() { page.to_owned() } else { page.parent().unwrap().join(file) };
    if !target.exists() {
        return Err("no such file");
    }
    let has_heading =
        || text_of(&target).lines().any(|line| anchor(line).as_deref() == Some(heading));
    if heading.is_empty() || has_heading() { Ok(()) } else { Err("no such heading") }
}

/// The anchor that GitHub gives to a heading.
fn anchor(line: &str) -> Option<String> {
    let title = line.trim_start_matches('#');
    let is_heading = title.len() < line.len() && title.starts_with(' ');
    let kept = title.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    is_heading.then(|| kept.collect::<String>().to_lowercase().replace(' ', "-"))
}
