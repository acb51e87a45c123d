//! Parses files of puzzles.

use gridrace_shared::puzzle::numberlink::{Puzzle, Rule, Solution};
use gridrace_shared::util::grid::Direction;

pub struct Entry {
    pub id: String,
    pub puzzle: Puzzle,
    /// The rule of its verdict, and the verdict: `unique`, `multiple`, …
    pub verdict: Option<(Rule, String)>,
    /// The solution, if the file has it.
    pub links: Option<Solution>,
}

/// Parses all puzzles of a file; an error is the reason why one is invalid.
pub fn read(text: &str) -> Vec<Result<Entry, String>> {
    let lines =
        || text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    if !lines().any(|line| line.starts_with("puzzle ")) {
        return vec![entry(&std::iter::once("puzzle -").chain(lines()).collect::<Vec<_>>())];
    }
    let lines: Vec<&str> = lines().collect();
    lines.split(|line| *line == "end").filter(|lines| !lines.is_empty()).map(entry).collect()
}

/// Parses the name of a rule.
pub fn rule(name: &str) -> Option<Rule> {
    match name {
        "U0" => Some(Rule::Loose),
        "U1" => Some(Rule::Full),
        "U2" => Some(Rule::FullNoTouch),
        _ => None,
    }
}

fn entry(lines: &[&str]) -> Result<Entry, String> {
    let mut id = String::new();
    let mut verdict = None;
    let mut grid: Vec<&str> = Vec::new();
    let mut paths: Vec<Vec<&str>> = Vec::new();
    for line in lines {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[0] {
            "puzzle" => id = words[1].to_owned(),
            "verdict" => {
                let parts = words[1].split_once('=').expect("RULE=VERDICT");
                verdict = rule(parts.0).map(|rule| (rule, parts.1.to_owned()));
            }
            "path" => paths.push(words),
            _ => grid.push(line),
        }
    }
    let puzzle: Result<Puzzle, _> = grid.join("\n").parse();
    let puzzle = puzzle.map_err(|error| format!("{id}: {error}"))?;
    let links = (!paths.is_empty()).then(|| solution(&puzzle, &paths));
    Ok(Entry { id, puzzle, verdict, links })
}

fn solution(puzzle: &Puzzle, paths: &[Vec<&str>]) -> Solution {
    let size = puzzle.size();
    let link = |path: &Vec<&str>| {
        let [_, _, row, col, moves] = path[..] else { panic!("path NUMBER ROW COL MOVES") };
        let mut link = vec![size.cell(row.parse().unwrap(), col.parse().unwrap())];
        for letter in moves.chars() {
            let step = Direction::from_letter(letter).expect("a direction");
            let last = *link.last().expect("it has begun");
            link.push(size.neighbour(last, step).expect("a cell of the grid"));
        }
        if link.first() > link.last() {
            link.reverse();
        }
        link
    };
    Solution(paths.iter().map(link).collect())
}
