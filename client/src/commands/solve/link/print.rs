//! Prints answers for Numberlink: each by itself, and totals by size.

use super::answer::{HowMany, LinkAnswer};
use crate::commands::write_json_line;
use gridrace_shared::puzzle::numberlink::notation::{LinkId, write_grid, write_links};
use gridrace_shared::puzzle::numberlink::{Puzzle, Rule};
use gridrace_shared::util::grid::{Cell, Size};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::Duration;

const HEADING: &str =
    "   size  puzzles  unique  multiple  none  undecided   mean nodes         mean          max";

#[derive(Serialize)]
struct Document<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    puzzle: String,
    size: String,
    pairs: usize,
    rule: &'static str,
    verdict: HowMany,
    /// The links of each solution that is given, in the order of the numbers.
    solutions: Vec<&'a [Vec<Cell>]>,
    nodes: u64,
    seconds: f64,
}

/// Writes one answer: the solution as a picture, what is known of it, and another one where
/// there is one.
pub fn text(puzzle: &Puzzle, answer: &LinkAnswer, out: &mut impl Write) -> io::Result<()> {
    match &answer.solutions[..] {
        [] => writeln!(out, "{}\n", write_grid(puzzle))?,
        [one, others @ ..] => {
            writeln!(out, "{}\n", write_links(puzzle, &one.0))?;
            for other in others {
                writeln!(out, "and another:\n")?;
                writeln!(out, "{}\n", write_links(puzzle, &other.0))?;
            }
        }
    }
    writeln!(out, "size     {}, {}", puzzle.size(), pairs(puzzle))?;
    writeln!(out, "rule     {}", words(answer.rule))?;
    writeln!(out, "verdict  {}", answer.verdict.words())?;
    writeln!(out, "nodes    {}", answer.nodes)?;
    writeln!(out, "time     {}", time(answer))
}

pub fn short(
    line: usize,
    puzzle: &Puzzle,
    answer: &LinkAnswer,
    out: &mut impl Write,
) -> io::Result<()> {
    writeln!(
        out,
        "line {line}: {}, {}, {}, {} nodes, {}",
        puzzle.size(),
        pairs(puzzle),
        answer.verdict.words(),
        answer.nodes,
        time(answer)
    )
}

pub fn json(
    puzzle: &Puzzle,
    answer: &LinkAnswer,
    line: Option<usize>,
    out: &mut impl Write,
) -> io::Result<()> {
    let document = Document {
        line,
        puzzle: LinkId::Written(puzzle.clone()).to_string(),
        size: puzzle.size().to_string(),
        pairs: puzzle.pairs().len(),
        rule: name(answer.rule),
        verdict: answer.verdict,
        solutions: answer.solutions.iter().map(|one| &one.0[..]).collect(),
        nodes: answer.nodes,
        seconds: answer.time.as_secs_f64(),
    };
    write_json_line(out, &document)
}

fn pairs(puzzle: &Puzzle) -> String {
    match puzzle.pairs().len() {
        1 => "1 pair".to_owned(),
        pairs => format!("{pairs} pairs"),
    }
}

fn time(answer: &LinkAnswer) -> String {
    format!("{:.3} ms", answer.time.as_secs_f64() * 1e3)
}

const fn name(rule: Rule) -> &'static str {
    match rule {
        Rule::Loose => "loose",
        Rule::Full => "full",
        Rule::FullNoTouch => "no_touch",
    }
}

const fn words(rule: Rule) -> &'static str {
    match rule {
        Rule::Loose => "cells may stay empty (U0)",
        Rule::Full => "every open cell is covered (U1)",
        Rule::FullNoTouch => "every open cell is covered, no link touches itself (U2)",
    }
}

/// What has been found so far, by size.
#[derive(Debug, Default)]
pub struct LinkTally {
    sizes: BTreeMap<(usize, Size), Vec<Took>>,
}

#[derive(Debug)]
struct Took {
    verdict: HowMany,
    nodes: u64,
    time: Duration,
}

#[derive(Serialize)]
struct SizeRow {
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

impl LinkTally {
    pub fn add(&mut self, puzzle: &Puzzle, answer: &LinkAnswer) {
        let size = puzzle.size();
        let of_size = self.sizes.entry((size.cells(), size)).or_default();
        of_size.push(Took { verdict: answer.verdict, nodes: answer.nodes, time: answer.time });
    }

    pub fn print(&self, json: bool, out: &mut impl Write) -> io::Result<()> {
        let rows: Vec<SizeRow> =
            self.sizes.iter().map(|((_, size), took)| row(*size, took)).collect();
        if json {
            return write_json_line(out, &rows);
        }
        writeln!(out, "{HEADING}")?;
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

fn row(size: Size, took: &[Took]) -> SizeRow {
    let count = |verdicts: &[HowMany]| {
        let counts = took.iter().filter(|took| verdicts.contains(&took.verdict));
        counts.count()
    };
    let puzzles = took.len();
    let nodes: u64 = took.iter().map(|took| took.nodes).sum();
    let seconds = took.iter().map(|took| took.time.as_secs_f64());
    SizeRow {
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
