//! `gridrace check`: whether one board can be reached from another, counted in two ways.

use super::solve::input::sized;
use super::solve::link::input::is_meant;
use crate::cli::args::check::CheckArgs;
use crate::cli::exit_code::Failure;
use crate::commands::write_json_line;
use gridrace_shared::puzzle::slide::Board;
use gridrace_shared::puzzle::slide::reachability::{BoardCounts, Reachability, Verdict};
use gridrace_shared::util::grid::Size;
use serde::Serialize;
use std::io::{self, Write};

/// Prints the counts of both boards and the verdict. Fails if moves don't lead from one to the other.
pub fn run(args: &CheckArgs) -> Result<(), Failure> {
    let from = board("the board", &args.from, args.size)?;
    let to = match &args.to {
        Some(text) => board("the goal", text, args.size)?,
        None => Board::solved(from.size()),
    };
    let compared = Reachability::of(&from, &to);
    let out = &mut io::stdout().lock();
    if args.json {
        write_json_line(out, &Comparison::of(&from, &to))?;
    } else {
        text(&from, &to, out)?;
    }
    match compared.is_reachable() {
        true => Ok(()),
        false => Err(Failure::other("no moves lead from the board to the goal")),
    }
}

fn board(which: &str, text: &str, size: Option<Size>) -> Result<Board, Failure> {
    if is_meant(text) {
        return Err(Failure::usage(format!(
            "{which} is a Numberlink, and check takes sliding puzzles"
        )));
    }
    sized(text, size).map_err(|why| Failure::usage(format!("{which}: {why}")))
}

/// Prints the counts of both boards and what follows from them; of boards of two sizes, their sizes.
pub fn text(from: &Board, to: &Board, out: &mut impl Write) -> io::Result<()> {
    let compared = &Reachability::of(from, to);
    if compared.verdict == Verdict::Sizes {
        let (from, to) = (from.size(), to.size());
        return writeln!(out, "reachable   no: {}, {from} and {to}", why(compared));
    }
    for (name, board, counts) in [("board", from, &compared.from), ("goal", to, &compared.to)] {
        writeln!(out, "{name:<10}  {board}")?;
        writeln!(out, "inversions  {}", inversions(counts))?;
        writeln!(out, "cycles      {}", counts.permutation)?;
        writeln!(out, "swaps       {}", swaps(counts))?;
        writeln!(out)?;
    }
    let reachable = if compared.is_reachable() { "yes" } else { "no" };
    writeln!(out, "reachable   {reachable}: {}", why(compared))
}

/// Says why one board can be reached from the other, or can't.
pub fn why(compared: &Reachability) -> String {
    let Reachability { from, to, verdict } = compared;
    match verdict {
        Verdict::Sizes => "the sizes differ".to_owned(),
        Verdict::SingleLine { same_order } => {
            let order = if *same_order { "the same" } else { "another" };
            format!(
                "in a single row or column no tile passes another, and the order of the tiles is {order}"
            )
        }
        Verdict::Parity { by_inversions, by_swaps } => {
            let parities = |count: fn(&BoardCounts) -> usize| {
                let [from, to] = [from, to].map(|of| parity(count(of)));
                if from == to { format!("both {from}") } else { format!("{from} and {to}") }
            };
            let agree = if by_inversions == by_swaps { "agree" } else { "DISAGREE" };
            format!(
                "by inversions {}, by swaps {}: both ways {agree}",
                parities(BoardCounts::by_inversions),
                parities(BoardCounts::by_swaps),
            )
        }
    }
}

fn inversions(counts: &BoardCounts) -> String {
    let BoardCounts { inversions, blank_row, blank_column, .. } = counts;
    let sum = counts.by_inversions();
    format!(
        "{inversions}, blank in row {blank_row}, column {blank_column}: \
         {inversions} + {blank_row} + {blank_column} = {sum}, {}",
        parity(sum)
    )
}

fn swaps(counts: &BoardCounts) -> String {
    let BoardCounts { swaps, blank_steps, .. } = counts;
    let sum = counts.by_swaps();
    format!(
        "{swaps} to bring everything home, blank {blank_steps} from its home: \
         {swaps} + {blank_steps} = {sum}, {}",
        parity(sum)
    )
}

const fn parity(number: usize) -> &'static str {
    if number.is_multiple_of(2) { "even" } else { "odd" }
}

/// The counts of both boards, and what follows from them.
#[derive(Serialize)]
pub struct Comparison {
    from: JsonBoard,
    to: JsonBoard,
    /// Whether the sums of both boards are even or odd alike; none where parities don't decide.
    by_inversions: Option<bool>,
    by_swaps: Option<bool>,
    reachable: bool,
    why: String,
}

#[derive(Serialize)]
struct JsonBoard {
    board: String,
    size: String,
    inversions: usize,
    blank_row: usize,
    blank_column: usize,
    sum_by_inversions: usize,
    cycles: String,
    swaps: usize,
    blank_steps: usize,
    sum_by_swaps: usize,
}

impl Comparison {
    pub fn of(from: &Board, to: &Board) -> Self {
        let compared = Reachability::of(from, to);
        let (by_inversions, by_swaps) = match compared.verdict {
            Verdict::Parity { by_inversions, by_swaps } => (Some(by_inversions), Some(by_swaps)),
            Verdict::Sizes | Verdict::SingleLine { .. } => (None, None),
        };
        Self {
            from: JsonBoard::new(from, &compared.from),
            to: JsonBoard::new(to, &compared.to),
            by_inversions,
            by_swaps,
            reachable: compared.is_reachable(),
            why: why(&compared),
        }
    }
}

impl JsonBoard {
    fn new(board: &Board, counts: &BoardCounts) -> Self {
        Self {
            board: board.to_string(),
            size: board.size().to_string(),
            inversions: counts.inversions,
            blank_row: counts.blank_row,
            blank_column: counts.blank_column,
            sum_by_inversions: counts.by_inversions(),
            cycles: counts.permutation.to_string(),
            swaps: counts.swaps,
            blank_steps: counts.blank_steps,
            sum_by_swaps: counts.by_swaps(),
        }
    }
}
