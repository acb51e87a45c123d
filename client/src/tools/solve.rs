//! `gridrace solve`: the moves of a board, their count and the check.

use crate::args::solve::{ReadingChoice, Solve};
use crate::exit::{Exit, Failure};
use anyhow::Context;
use gridrace_shared::hint::Budget;
use gridrace_shared::puzzle::{Board as AnyBoard, MoveCount};
use gridrace_shared::puzzle_id::{PuzzleId, PuzzleIdError};
use gridrace_shared::slide::Board;
use gridrace_shared::slide::cycles::Permutation;
use gridrace_shared::slide::notation::{BoardTextError, Reading, write_moves};
use gridrace_shared::slide::parity::exchanges_home;
use gridrace_shared::slide::solve::{Quality, Solution, Step, Trace, solve, tables::Tables};
use serde::{Serialize, Serializer};
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Read, Write};

/// The longest input that is read, in bytes: several times the largest board written out.
const INPUT_BYTES: u64 = 64 * 1024;
/// The work for one board, in nodes; the constructive solver takes one a move, and some
/// 40,000 moves for the largest board.
const SOLVE_BUDGET: Budget = Budget(1_000_000);

/// Solves the board, and prints the solution.
///
/// # Errors
/// [`Failure`] with [`Exit::Usage`] for a text that is no board, with [`Exit::Failure`] for
/// a board that can't be solved.
pub fn run(args: &Solve) -> Result<(), Failure> {
    let board = parse(&read(args)?)?;
    let out = &mut BufWriter::new(io::stdout().lock());
    let Ok(solution) = solve(&board, Quality::Quick, SOLVE_BUDGET, &Tables::none()) else {
        return Err(refuse(&board, args.json, out)?);
    };
    let checked = Checked::new(&board, &solution)
        .context("the solver gave a move that can't be played: this is a fault of the program")?;
    if args.json {
        print_json(&board, &solution, &checked, args, out)?;
    } else {
        print_text(&board, &solution, &checked, args, out)?;
    }
    out.flush()?;
    if checked.solved {
        Ok(())
    } else {
        Err(Failure::said(
            Exit::Failure,
            "the moves don't solve the board: a fault of the program",
        ))
    }
}

/// The outcome of playing the moves by the rules of a heat.
struct Checked {
    moves: MoveCount,
    solved: bool,
}

impl Checked {
    /// Plays the moves, each run in one direction as one slide.
    fn new(board: &Board, solution: &Solution) -> Option<Self> {
        let (mut board, mut moves) = (board.clone(), MoveCount::default());
        for run in solution.moves().chunk_by(|one, next| one == next) {
            let back = run[0].opposite();
            let cell = run
                .iter()
                .try_fold(board.blank(), |cell, _| board.size().neighbour(cell, back))?;
            moves += MoveCount::of(board.play(cell).ok()?);
        }
        Some(Self {
            moves,
            solved: board.is_solved(),
        })
    }
}

fn read(args: &Solve) -> Result<String, Failure> {
    if let Some(board) = &args.board {
        return Ok(board.clone());
    }
    let text = match &args.file {
        Some(path) => {
            let name = path.display();
            let file = File::open(path).with_context(|| format!("can't open {name}"))?;
            bounded(file).with_context(|| format!("can't read {name}"))?
        }
        None if io::stdin().is_terminal() => {
            let why = "no board: give one, as in gridrace solve '1 2 3/4 0 6/7 5 8', \
                or --file, or pipe one in";
            return Err(Failure::said(Exit::Usage, why));
        }
        None => bounded(io::stdin().lock()).context("can't read standard input")?,
    };
    text.ok_or_else(|| Failure::said(Exit::Usage, "the input is longer than any board"))
}

/// Reads to the end, or nothing where that is too far away. What isn't UTF-8 becomes what
/// no board has.
fn bounded(source: impl Read) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    let read = source.take(INPUT_BYTES + 1).read_to_end(&mut bytes)?;
    let fits = u64::try_from(read).is_ok_and(|read| read <= INPUT_BYTES);
    Ok(fits.then(|| String::from_utf8_lossy(&bytes).into_owned()))
}

/// Reads a board written out, or a puzzle's id.
fn parse(text: &str) -> Result<Board, Failure> {
    let board = if text.contains(':') {
        text.parse::<PuzzleId>().and_then(|id| Ok(id.board()?))
    } else {
        text.parse()
            .map(AnyBoard::Slide)
            .map_err(PuzzleIdError::Board)
    };
    match board {
        Ok(AnyBoard::Slide(board)) => Ok(board),
        Err(PuzzleIdError::Board(BoardTextError::Faults(faults))) => {
            /// As many faults as fit on a screen.
            const SHOWN: usize = 16;
            let shown = faults.0.iter().take(SHOWN);
            let mut lines: Vec<String> = shown.map(|fault| format!("\n  {fault}")).collect();
            if let Some(more @ 1..) = faults.0.len().checked_sub(SHOWN) {
                lines.push(format!("\n  and {more} more"));
            }
            Err(Failure::said(
                Exit::Usage,
                format!("that is no board:{}", lines.concat()),
            ))
        }
        Err(error) => Err(Failure::new(Exit::Usage, error)),
    }
}

/// Says by parity why a board can't be solved.
fn why_unsolvable(board: &Board) -> String {
    let size = board.size();
    if size.rows() == 1 || size.cols() == 1 {
        return "in a single row or column no tile passes another, and these aren't in order"
            .to_owned();
    }
    let swaps = exchanges_home(board);
    let steps = size.distance(board.blank(), board.home(0));
    format!(
        "swaps that bring everything home: {swaps}, steps of the blank to its own: {steps}; \
         {swaps} + {steps} is odd, and no move changes that"
    )
}

fn refuse(board: &Board, json: bool, out: &mut impl Write) -> io::Result<Failure> {
    let why = why_unsolvable(board);
    if json {
        let refused = Refused {
            board: board.to_string(),
            solvable: false,
            why: &why,
        };
        serde_json::to_writer(&mut *out, &refused)?;
        writeln!(out)?;
        out.flush()?;
    }
    Ok(Failure::said(
        Exit::Failure,
        format!("this board can't be solved: {why}"),
    ))
}

fn print_text(
    board: &Board,
    solution: &Solution,
    checked: &Checked,
    args: &Solve,
    out: &mut impl Write,
) -> io::Result<()> {
    if args.trace {
        writeln!(out, "start  {}", Permutation::of(board))?;
        for step in steps(board, solution) {
            let letter = letter(&step, args.reading);
            writeln!(
                out,
                "{:>5}  {letter}  {}  {}",
                step.number, step.exchanged, step.product
            )?;
        }
    }
    let MoveCount { stm, mtm } = checked.moves;
    let nodes = solution.nodes();
    let solved = if checked.solved { "yes" } else { "NO" };
    let whose = match args.reading {
        ReadingChoice::Tile => "tile",
        ReadingChoice::Blank => "blank",
    };
    writeln!(out, "board  {board}")?;
    writeln!(
        out,
        "moves  {}",
        write_moves(solution.moves(), args.reading.into())
    )?;
    writeln!(
        out,
        "count  {stm} single-tile (STM), {mtm} multi-tile (MTM); letters are the {whose}'s"
    )?;
    writeln!(out, "nodes  {nodes}")?;
    writeln!(out, "check  replayed and solved: {solved}")
}

fn print_json(
    board: &Board,
    solution: &Solution,
    checked: &Checked,
    args: &Solve,
    out: &mut impl Write,
) -> io::Result<()> {
    let solved = Solved {
        board: board.to_string(),
        size: board.size().to_string(),
        solvable: true,
        reading: args.reading,
        moves: write_moves(solution.moves(), args.reading.into()),
        stm: checked.moves.stm,
        mtm: checked.moves.mtm,
        nodes: solution.nodes(),
        replayed_and_solved: checked.solved,
        start: args.trace.then(|| Permutation::of(board).to_string()),
        trace: args.trace.then_some(JsonTrace {
            board,
            solution,
            reading: args.reading,
        }),
    };
    serde_json::to_writer(&mut *out, &solved)?;
    writeln!(out)
}

#[derive(Serialize)]
struct Refused<'a> {
    board: String,
    solvable: bool,
    why: &'a str,
}

#[derive(Serialize)]
struct Solved<'a> {
    board: String,
    size: String,
    solvable: bool,
    reading: ReadingChoice,
    moves: String,
    stm: u32,
    mtm: u32,
    nodes: u64,
    replayed_and_solved: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<JsonTrace<'a>>,
}

/// A trace that is written as it is made: that of a large board is larger than memory.
struct JsonTrace<'a> {
    board: &'a Board,
    solution: &'a Solution,
    reading: ReadingChoice,
}

#[derive(Serialize)]
struct JsonStep {
    number: usize,
    r#move: String,
    transposition: [u16; 2],
    product: String,
}

impl Serialize for JsonTrace<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(steps(self.board, self.solution).map(|step| JsonStep {
            number: step.number,
            r#move: letter(&step, self.reading),
            transposition: step.exchanged.positions(),
            product: step.product.to_string(),
        }))
    }
}

/// Walks over the steps; the moves were checked, so none is stuck.
fn steps<'a>(board: &Board, solution: &'a Solution) -> impl Iterator<Item = Step> + use<'a> {
    Trace::new(board.clone(), solution.moves().iter().copied()).map_while(Result::ok)
}

fn letter(step: &Step, reading: ReadingChoice) -> String {
    write_moves(&[step.direction], Reading::from(reading))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unsolvable_board_is_explained_by_parity() {
        let why = |text: &str| why_unsolvable(&text.parse().unwrap());
        assert!(
            why("2 1/3 0").contains("1 + 0 is odd"),
            "{}",
            why("2 1/3 0")
        );
        assert!(why("2 1 0").contains("single row"));
    }

    #[test]
    fn every_fault_of_a_board_is_named() {
        let failure = parse("1 1 9/7 5 6/4 3 3").unwrap_err();
        assert_eq!(failure.exit, Exit::Usage);
        let text = failure.why.to_string();
        for fault in [
            "tile 1 is there twice",
            "tile 9 is out of range",
            "tile 3 is there twice",
        ] {
            assert!(text.contains(fault), "{text}");
        }
    }

    #[test]
    fn an_input_without_an_end_is_not_read_to_it() {
        assert_eq!(bounded(io::repeat(b'1')).unwrap(), None);
        assert_eq!(bounded(&b"1 0"[..]).unwrap(), Some("1 0".to_owned()));
    }
}
