//! Several solutions of one board: all shortest ones, or the N shortest.

use super::answer::{AnswerError, count_moves, why_unsolvable};
use super::input::{SlideBoards, goal, read};
use super::print::{in_words, refuse, unanswered, whose};
use super::search::{FoundSolutions, ListEnd, MOST_SOLUTIONS, OPTIMAL_CELLS, Searches};
use crate::cli::args::solve::{MetricChoice, ReadingChoice, SolveArgs, SolverChoice};
use crate::cli::exit_code::{Exit, Failure};
use crate::commands::write_json_line;
use anyhow::anyhow;
use gridrace_shared::puzzle::MoveCount;
use gridrace_shared::puzzle::slide::Board;
use gridrace_shared::puzzle::slide::notation::write_moves;
use gridrace_shared::solver::budget::Unsolved;
use serde::Serialize;
use std::io::{self, Write};

#[derive(Serialize)]
struct Listing {
    board: String,
    size: String,
    solvable: bool,
    reading: ReadingChoice,
    metric: MetricChoice,
    /// The fewest moves; none if no solution was found.
    shortest: Option<u32>,
    end: ListEnd,
    nodes: u64,
    seconds: f64,
    replayed_and_solved: bool,
    solutions: Vec<Listed>,
}

#[derive(Serialize)]
struct Listed {
    moves: String,
    stm: u32,
    mtm: u32,
}

/// Lists solutions of the board, each replayed, or none if there are too many.
pub fn run(text: &str, args: &SolveArgs, out: &mut impl Write) -> Result<(), Failure> {
    if !matches!(args.solver, SolverChoice::Auto | SolverChoice::Optimal) {
        return Err(Failure::usage("--all and --count go with the optimal solver alone"));
    }
    let SlideBoards::One(board) = read(text, args)? else {
        return Err(Failure::usage("--all and --count take one board"));
    };
    let size = board.size();
    if size.cells() > OPTIMAL_CELLS {
        return Err(Failure::usage(format!(
            "--all and --count take boards of up to {OPTIMAL_CELLS} cells, and this one is {size}"
        )));
    }
    let searches = Searches::new(args, goal(args)?);
    let found = match searches.list_solutions(&board) {
        Ok(found) => found,
        Err(Unsolved::OverBudget) => {
            let why = AnswerError::OverBudget(0);
            if args.json {
                unanswered(None, board.to_string(), 0, &why.to_string(), out)?;
                out.flush()?;
            }
            return Err(Failure::other(why));
        }
        Err(Unsolved::Unsolvable) => {
            let why = why_unsolvable(&board, searches.goal());
            return refuse(&board, why, args, searches.goal(), out);
        }
    };
    print(&board, &found, args, &searches, out)
}

/// Prints the list. Fails if it should be longer.
fn print(
    board: &Board,
    found: &FoundSolutions,
    args: &SolveArgs,
    searches: &Searches,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let count = |solution| count_moves(board, searches.goal(), solution);
    let counts = found.solutions.iter().map(count);
    let counts: Option<Vec<_>> = counts.collect();
    let counts = counts.ok_or_else(|| Failure::other(AnswerError::Wrong))?;
    let _section = searches.exit_on_signal();
    if args.json {
        print_json(board, found, &counts, args, out)?;
    } else if found.end != ListEnd::TooMany {
        print_text(board, found, &counts, args, out)?;
    }
    out.flush()?;
    let (exit, why) = match found.end {
        ListEnd::Complete | ListEnd::Enough => return Ok(()),
        ListEnd::TooMany => {
            return Err(Failure::other(format!(
                "there are more than {MOST_SOLUTIONS} shortest solutions: --count N lists the first N"
            )));
        }
        ListEnd::OverBudget => (Exit::Failure, "the budget was spent"),
        ListEnd::Interrupted => (Exit::Interrupted, "interrupted"),
    };
    let at_least = found.at_least;
    Err(Failure::new(
        exit,
        anyhow!("{why}; the solutions that are left have {at_least} moves or more"),
    ))
}

fn print_text(
    board: &Board,
    found: &FoundSolutions,
    counts: &[MoveCount],
    args: &SolveArgs,
    out: &mut impl Write,
) -> io::Result<()> {
    writeln!(out, "board  {board}")?;
    for ((number, solution), count) in (1..).zip(&found.solutions).zip(counts) {
        let MoveCount { moves: stm, acts: mtm } = count;
        writeln!(out, "{number:>5}  {stm} STM, {mtm} MTM: {}", in_words(solution, args))?;
    }
    let whose = whose(args.reading);
    if let (Some(&first), Some(&last)) = (counts.first(), counts.last()) {
        let [first, last] = [first, last].map(|count| args.metric.of(count));
        let metric = match args.metric {
            MetricChoice::Stm => "STM",
            MetricChoice::Mtm => "MTM",
        };
        let many = counts.len();
        writeln!(
            out,
            "count  {many} listed, of {first} to {last} moves ({metric}); letters are the {whose}'s"
        )?;
    }
    if found.end == ListEnd::Complete {
        let which = if args.all { "shortest solutions" } else { "solutions" };
        writeln!(out, "bound  there are no other {which}")?;
    }
    let (nodes, seconds) = (found.nodes, found.time.as_secs_f64());
    writeln!(out, "nodes  {nodes} in {seconds:.6} s, by the optimal solver")?;
    if !counts.is_empty() {
        writeln!(out, "check  each replayed and solved: yes")?;
    }
    Ok(())
}

fn print_json(
    board: &Board,
    found: &FoundSolutions,
    counts: &[MoveCount],
    args: &SolveArgs,
    out: &mut impl Write,
) -> io::Result<()> {
    let listed = found.solutions.iter().zip(counts).map(|(solution, count)| Listed {
        moves: write_moves(solution.moves(), args.reading.into()),
        stm: count.moves,
        mtm: count.acts,
    });
    let too_many = found.end == ListEnd::TooMany;
    let solutions: Vec<_> = if too_many { Vec::new() } else { listed.collect() };
    let listing = Listing {
        board: board.to_string(),
        size: board.size().to_string(),
        solvable: true,
        reading: args.reading,
        metric: args.metric,
        shortest: counts.first().map(|&count| args.metric.of(count)),
        end: found.end,
        nodes: found.nodes,
        seconds: found.time.as_secs_f64(),
        replayed_and_solved: !solutions.is_empty(),
        solutions,
    };
    write_json_line(out, &listing)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use serde_json::Value;
    use std::time::Duration;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        solve: SolveArgs,
    }

    #[test]
    fn too_many_solutions_are_said_in_json_and_not_listed() {
        let args = Line::parse_from(["solve", "--all", "--json"]).solve;
        let searches = Searches::new(&args, None);
        let board: Board = "1 2/0 3".parse().unwrap();
        let found = searches.solve(&board).unwrap();
        let found = FoundSolutions {
            solutions: vec![found.solution],
            end: ListEnd::TooMany,
            at_least: 1,
            nodes: 2,
            time: Duration::ZERO,
        };
        let mut out = Vec::new();
        let failure = print(&board, &found, &args, &searches, &mut out).unwrap_err();
        assert!(failure.exit == Exit::Failure && failure.why.to_string().contains("more than"));
        let listing: Value = serde_json::from_slice(&out).unwrap();
        assert_eq!((&listing["end"], &listing["shortest"]), (&"too_many".into(), &1.into()));
        assert_eq!(listing["solutions"], Value::Array(Vec::new()));
    }
}
