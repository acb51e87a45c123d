//! What many puzzles took: verdicts, nodes and times by size.

use super::answer::{Answer, HowMany};
use gridrace_shared::puzzle::numberlink::Puzzle;
use gridrace_shared::util::grid::Size;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::Duration;

/// What has been found so far, by size.
#[derive(Debug, Default)]
pub struct Tally {
    sizes: BTreeMap<(usize, Size), Vec<Took>>,
}

#[derive(Debug)]
struct Took {
    verdict: HowMany,
    nodes: u64,
    time: Duration,
}

/// The puzzles of a size.
#[derive(Serialize)]
struct Row {
    size: String,
    puzzles: usize,
    unique: usize,
    multiple: usize,
    none: usize,
    /// Not decided, or only found and not proved.
    undecided: usize,
    mean_nodes: u64,
    mean_seconds: f64,
    max_seconds: f64,
}

impl Tally {
    pub fn add(&mut self, puzzle: &Puzzle, answer: &Answer) {
        let size = puzzle.size();
        let of_size = self.sizes.entry((size.cells(), size)).or_default();
        of_size.push(Took { verdict: answer.verdict, nodes: answer.nodes, time: answer.time });
    }

    /// Prints a row for each size.
    pub fn print(&self, json: bool, out: &mut impl Write) -> io::Result<()> {
        let rows: Vec<Row> = self.sizes.iter().map(|((_, size), took)| row(*size, took)).collect();
        if json {
            serde_json::to_writer(&mut *out, &rows)?;
            return writeln!(out);
        }
        writeln!(
            out,
            "{:>7} {:>8} {:>7} {:>9} {:>5} {:>10} {:>12} {:>12} {:>12}",
            "size",
            "puzzles",
            "unique",
            "multiple",
            "none",
            "undecided",
            "mean nodes",
            "mean",
            "max"
        )?;
        for row in rows {
            writeln!(
                out,
                "{:>7} {:>8} {:>7} {:>9} {:>5} {:>10} {:>12} {:>9.3} ms {:>9.3} ms",
                row.size,
                row.puzzles,
                row.unique,
                row.multiple,
                row.none,
                row.undecided,
                row.mean_nodes,
                row.mean_seconds * 1e3,
                row.max_seconds * 1e3
            )?;
        }
        Ok(())
    }
}

fn row(size: Size, took: &[Took]) -> Row {
    let count = |verdicts: &[HowMany]| {
        let counts = took.iter().filter(|took| verdicts.contains(&took.verdict));
        counts.count()
    };
    let puzzles = took.len();
    let nodes: u64 = took.iter().map(|took| took.nodes).sum();
    let seconds = took.iter().map(|took| took.time.as_secs_f64());
    Row {
        size: size.to_string(),
        puzzles,
        unique: count(&[HowMany::Unique]),
        multiple: count(&[HowMany::Multiple]),
        none: count(&[HowMany::None]),
        undecided: count(&[HowMany::Unproven, HowMany::Undecided, HowMany::Wrong]),
        mean_nodes: nodes / u64::try_from(puzzles.max(1)).unwrap_or(1),
        mean_seconds: seconds.clone().sum::<f64>() / puzzles.max(1) as f64,
        max_seconds: seconds.fold(0.0, f64::max),
    }
}
