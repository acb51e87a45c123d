//! How an answer is written.

use super::answer::{Answer, HowMany};
use gridrace_shared::puzzle::numberlink::notation::{LinkId, Marks, write_grid, write_links};
use gridrace_shared::puzzle::numberlink::{Puzzle, Rule};
use gridrace_shared::util::grid::Cell;
use serde::Serialize;
use std::io::{self, Write};

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

/// A line without a puzzle.
#[derive(Serialize)]
struct Refused<'a> {
    line: usize,
    error: &'a str,
}

/// Writes one answer: the solution as a picture, what is known of it, and another one where
/// there is one.
pub fn text(puzzle: &Puzzle, answer: &Answer, out: &mut impl Write) -> io::Result<()> {
    match &answer.solutions[..] {
        [] => writeln!(out, "{}\n", write_grid(puzzle))?,
        [one, others @ ..] => {
            writeln!(out, "{}\n", write_links(puzzle, &one.0, Marks::Lines))?;
            for other in others {
                writeln!(out, "and another:\n")?;
                writeln!(out, "{}\n", write_links(puzzle, &other.0, Marks::Lines))?;
            }
        }
    }
    writeln!(out, "size     {}, {}", puzzle.size(), pairs(puzzle))?;
    writeln!(out, "rule     {}", words(answer.rule))?;
    writeln!(out, "verdict  {}", answer.verdict.words())?;
    writeln!(out, "nodes    {}", answer.nodes)?;
    writeln!(out, "time     {}", time(answer))
}

/// Writes an answer into one line.
pub fn short(
    line: usize,
    puzzle: &Puzzle,
    answer: &Answer,
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

/// Writes an answer as a JSON document in one line.
pub fn json(
    puzzle: &Puzzle,
    answer: &Answer,
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
    serde_json::to_writer(&mut *out, &document)?;
    writeln!(out)
}

/// Writes that a line has no puzzle.
pub fn refused(line: usize, error: &str, out: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, &Refused { line, error })?;
    writeln!(out)
}

fn pairs(puzzle: &Puzzle) -> String {
    match puzzle.pairs().len() {
        1 => "1 pair".to_owned(),
        pairs => format!("{pairs} pairs"),
    }
}

fn time(answer: &Answer) -> String {
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
