//! Moves that were given, played step by step.

use super::input::{SlideBoards, read};
use super::print::{JsonTrace, trace_lines, whose};
use crate::cli::args::solve::{ReadingChoice, SolveArgs};
use crate::cli::exit_code::Failure;
use crate::commands::write_json_line;
use gridrace_shared::puzzle::slide::Board;
use gridrace_shared::puzzle::slide::cycles::Permutation;
use gridrace_shared::puzzle::slide::notation::{read_moves, write_moves};
use gridrace_shared::util::grid::Direction;
use serde::Serialize;
use std::io::Write;

#[derive(Serialize)]
struct WalkDocument<'a> {
    board: String,
    reading: ReadingChoice,
    moves: String,
    stm: usize,
    mtm: usize,
    start: String,
    trace: JsonTrace<'a>,
    end: String,
    solved: bool,
}

/// Plays the moves on the board, and prints every step.
pub fn run(text: &str, moves: &str, args: &SolveArgs, out: &mut impl Write) -> Result<(), Failure> {
    let SlideBoards::One(board) = read(text, args)? else {
        return Err(Failure::usage("--moves takes one board"));
    };
    let moves = read_moves(moves, args.reading.into())
        .map_err(|why| Failure::usage(format!("the moves: {why}")))?;
    let end = play(&board, &moves, args.reading).map_err(Failure::other)?;
    let mtm = moves.chunk_by(|one, next| one == next).count();
    let (stm, solved) = (moves.len(), end.is_solved());
    let written = write_moves(&moves, args.reading.into());
    if args.json {
        let walk = WalkDocument {
            board: board.to_string(),
            reading: args.reading,
            moves: written,
            stm,
            mtm,
            start: Permutation::of(&board).to_string(),
            trace: JsonTrace { board: &board, moves: &moves, reading: args.reading },
            end: end.to_string(),
            solved,
        };
        write_json_line(out, &walk)?;
    } else {
        trace_lines(&board, &moves, &[], args.reading, out)?;
        let (whose, solved) = (whose(args.reading), if solved { "yes" } else { "no" });
        writeln!(out, "board  {board}")?;
        let written = if written.is_empty() { "none" } else { &written };
        writeln!(out, "moves  {written}")?;
        writeln!(
            out,
            "count  {stm} single-tile (STM), {mtm} multi-tile (MTM); letters are the {whose}'s"
        )?;
        writeln!(out, "end    {end}")?;
        writeln!(out, "check  solved: {solved}")?;
    }
    Ok(out.flush()?)
}

/// Returns the board after the moves, or which of them no tile can make.
fn play(board: &Board, moves: &[Direction], reading: ReadingChoice) -> Result<Board, String> {
    let mut board = board.clone();
    for (number, &way) in (1..).zip(moves) {
        if board.step(way).is_none() {
            let letter = write_moves(&[way], reading.into());
            let (size, blank) = (board.size(), board.blank());
            let (row, column) = (size.row_of(blank) + 1, size.col_of(blank) + 1);
            return Err(format!(
                "move {number}, {letter}, can't be made: the blank is in row {row}, column {column} \
                 of {size}"
            ));
        }
    }
    Ok(board)
}
