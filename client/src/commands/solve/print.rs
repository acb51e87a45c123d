//! Solutions as text and as JSON.

use super::answer::{AnswerError, SlideAnswer};
use super::search::FoundSolution;
use crate::cli::args::solve::{MetricChoice, ReadingChoice, SolveArgs};
use crate::cli::exit_code::Failure;
use crate::commands::check::{self, Comparison};
use crate::commands::write_json_line;
use gridrace_shared::puzzle::MoveCount;
use gridrace_shared::puzzle::slide::Board;
use gridrace_shared::puzzle::slide::cycles::{Permutation, TraceStep, trace};
use gridrace_shared::puzzle::slide::notation::{MoveConvention, write_moves};
use gridrace_shared::puzzle::slide::solve::{ConstructiveStage, Solution, StageMoves};
use gridrace_shared::util::grid::Direction;
use serde::{Serialize, Serializer};
use std::io::{self, Write};

/// The most cells of a board of which a bound says anything.
const MOST_BOUNDED_CELLS: usize = 25;

/// Prints the solution of one board, a line for each thing to say.
pub fn text(
    board: &Board,
    answer: &SlideAnswer,
    args: &SolveArgs,
    out: &mut impl Write,
) -> io::Result<()> {
    let SlideAnswer { found, moves: counts } = answer;
    let solution = &found.solution;
    if let Some(case) = special_case(board, found) {
        writeln!(out, "case   {case}")?;
    }
    if args.trace {
        trace_lines(board, solution.moves(), &found.stages, args.reading, out)?;
    } else {
        for (stage, moves) in staged(solution.moves(), &found.stages) {
            writeln!(out, "stage  {stage}: {}", write_moves(moves, args.reading.into()))?;
        }
    }
    let MoveCount { moves: stm, acts: mtm } = *counts;
    let moves = in_words(solution, args);
    let whose = whose(args.reading);
    let (nodes, seconds, solver) = (found.nodes, found.time.as_secs_f64(), found.solver);
    writeln!(out, "board  {board}")?;
    writeln!(out, "moves  {moves}")?;
    writeln!(
        out,
        "count  {stm} single-tile (STM), {mtm} multi-tile (MTM); letters are the {whose}'s"
    )?;
    if let Some(bound) = bound(board, found, args) {
        writeln!(out, "bound  {bound}")?;
    }
    writeln!(out, "nodes  {nodes} in {seconds:.6} s, by the {solver} solver")?;
    writeln!(out, "check  replayed and solved: yes")
}

/// Names the small boards of which a person's method needs only its last steps.
fn special_case(board: &Board, found: &FoundSolution) -> Option<&'static str> {
    let size = board.size();
    let case = match (size.rows(), size.cols()) {
        (1, _) => "1xN: no tile passes another",
        (_, 1) => "Nx1: no tile passes another",
        (2, 2) => "2x2: a square, of which the three tiles go round",
        (2, 3) => "2x3: a column of two tiles, then the square",
        (3, 2) => "3x2: a row of two tiles, then the square",
        (_, _) => return None,
    };
    (!found.stages.is_empty()).then_some(case)
}

/// Prints where the board starts and each step: the letter, the transposition and the product after it;
/// before the first step of a stage its name.
pub fn trace_lines(
    board: &Board,
    moves: &[Direction],
    stages: &[StageMoves],
    reading: ReadingChoice,
    out: &mut impl Write,
) -> io::Result<()> {
    writeln!(out, "start  {}", Permutation::of(board))?;
    let mut begins = staged(moves, stages).scan(1, |next, (stage, moves)| {
        let first = *next;
        *next += moves.len();
        Some((first, stage))
    });
    let mut begin = begins.next();
    for step in trace(board.clone(), moves.iter().copied()) {
        if let Some((first, stage)) = begin
            && first == step.number
        {
            writeln!(out, "stage  {stage}")?;
            begin = begins.next();
        }
        let letter = letter(&step, reading);
        let (number, product) = (step.number, &step.product);
        writeln!(out, "{number:>5}  {letter}  {}  {product}", step.exchanged)?;
    }
    Ok(())
}

/// Returns the stages with their moves.
fn staged<'a>(
    moves: &'a [Direction],
    stages: &[StageMoves],
) -> impl Iterator<Item = (ConstructiveStage, &'a [Direction])> {
    let mut rest = moves;
    stages.iter().map(move |stage| {
        let (moves, later) = rest.split_at(stage.moves as usize);
        rest = later;
        (stage.stage, moves)
    })
}

/// Says whose direction a letter gives.
pub const fn whose(reading: ReadingChoice) -> &'static str {
    match reading {
        ReadingChoice::Tile => "tile",
        ReadingChoice::Blank => "blank",
    }
}

pub fn short(
    number: usize,
    board: &Board,
    answer: &SlideAnswer,
    args: &SolveArgs,
    out: &mut impl Write,
) -> io::Result<()> {
    let SlideAnswer { found, moves: counts } = answer;
    let solution = &found.solution;
    let MoveCount { moves: stm, acts: mtm } = *counts;
    let bound = match found.optimal {
        true => "optimal, ".to_owned(),
        false if is_bounded(board, found) => format!("at least {}, ", found.at_least),
        false => String::new(),
    };
    let (nodes, seconds) = (found.nodes, found.time.as_secs_f64());
    let moves = in_words(solution, args);
    writeln!(
        out,
        "line {number}: {stm} STM, {mtm} MTM, {bound}{nodes} nodes, {seconds:.6} s: {moves}"
    )
}

/// Where a board stands in a list, and what the list knows of it.
#[derive(Serialize)]
pub struct ListPlace {
    pub line: usize,
    /// The length that its shortest solutions are known to have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

pub fn json(
    board: &Board,
    answer: &SlideAnswer,
    args: &SolveArgs,
    place: Option<&ListPlace>,
    out: &mut impl Write,
) -> io::Result<()> {
    let SlideAnswer { found, moves: counts } = answer;
    let solution = &found.solution;
    let at_least = found.at_least;
    let at_most_too_long = args.metric.of(*counts) - at_least;
    let solved = Solved {
        place,
        board: board.to_string(),
        size: board.size().to_string(),
        solvable: true,
        reading: args.reading,
        moves: write_moves(solution.moves(), args.reading.into()),
        stm: counts.moves,
        mtm: counts.acts,
        at_least: is_bounded(board, found).then_some(at_least),
        at_most_too_long: is_bounded(board, found).then_some(at_most_too_long),
        metric: args.metric,
        optimal: found.optimal,
        solver: found.solver,
        nodes: found.nodes,
        seconds: found.time.as_secs_f64(),
        interrupted: found.interrupted,
        replayed_and_solved: true,
        case: special_case(board, found),
        stages: staged(solution.moves(), &found.stages)
            .map(|(stage, moves)| JsonStage {
                stage: stage.to_string(),
                moves: write_moves(moves, args.reading.into()),
            })
            .collect(),
        start: args.trace.then(|| Permutation::of(board).to_string()),
        trace: args.trace.then(|| JsonTrace {
            board,
            moves: solution.moves(),
            reading: args.reading,
        }),
    };
    write_json_line(out, &solved)
}

/// Writes the moves for people, who take an empty line for a fault.
pub fn in_words(solution: &Solution, args: &SolveArgs) -> String {
    match solution.moves() {
        [] => "none".to_owned(),
        moves => write_moves(moves, args.reading.into()),
    }
}

/// Says whether the bound of a solution is worth telling: on boards above 5×5 the known ones are far
/// below the shortest solutions.
fn is_bounded(board: &Board, found: &FoundSolution) -> bool {
    found.optimal || board.size().cells() <= MOST_BOUNDED_CELLS
}

fn bound(board: &Board, found: &FoundSolution, args: &SolveArgs) -> Option<String> {
    let at_least = found.at_least;
    is_bounded(board, found).then(|| match (args.metric, found.solution.len() - at_least) {
        (MetricChoice::Mtm, _) => "no solution has fewer moves (MTM)".to_owned(),
        (MetricChoice::Stm, 0) => "no solution has fewer moves (STM)".to_owned(),
        (MetricChoice::Stm, more) => {
            format!("at most {more} too long: every solution has {at_least} or more (STM)")
        }
    })
}

/// Why a line of a list holds nothing that can be solved.
#[derive(Serialize)]
pub struct Fault<'a> {
    pub line: usize,
    pub error: &'a str,
}

/// Why a board can't be solved.
#[derive(Serialize)]
pub struct Refused<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    pub board: String,
    pub solvable: bool,
    pub why: &'a str,
    /// What `gridrace check` says of the board and the goal; none in a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<Comparison>,
}

/// A board for which no solution was found before the budget was spent or Ctrl-C was pressed.
#[derive(Serialize)]
struct Unanswered<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    board: String,
    /// The fewest moves, in the metric asked for, that a solution can have as far as is proven.
    at_least: u32,
    why: &'a str,
}

/// Prints that no solution of a board, in a line of a list or alone, was found.
pub fn unanswered(
    line: Option<usize>,
    board: String,
    at_least: u32,
    why: &str,
    out: &mut impl Write,
) -> io::Result<()> {
    write_json_line(out, &Unanswered { line, board, at_least, why })
}

/// Fails as no moves lead from the board to the goal, after what `gridrace check` says of the two.
pub fn refuse(
    board: &Board,
    why: String,
    args: &SolveArgs,
    goal: Option<&Board>,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let solved = Board::solved(board.size());
    let goal = goal.unwrap_or(&solved);
    if args.json {
        let (check, board) = (Some(Comparison::of(board, goal)), board.to_string());
        write_json_line(out, &Refused { line: None, board, solvable: false, why: &why, check })?;
    } else {
        check::text(board, goal, out)?;
    }
    out.flush()?;
    Err(Failure::other(AnswerError::Unsolvable(why)))
}

#[derive(Serialize)]
struct Solved<'a> {
    #[serde(flatten)]
    place: Option<&'a ListPlace>,
    board: String,
    size: String,
    solvable: bool,
    reading: ReadingChoice,
    moves: String,
    stm: u32,
    mtm: u32,
    /// None where no bound is known that says anything.
    at_least: Option<u32>,
    at_most_too_long: Option<u32>,
    metric: MetricChoice,
    optimal: bool,
    solver: &'a str,
    nodes: u64,
    seconds: f64,
    interrupted: bool,
    replayed_and_solved: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    case: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stages: Vec<JsonStage>,
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<JsonTrace<'a>>,
}

/// A trace that is written as it is made: that of a large board is larger than memory.
pub struct JsonTrace<'a> {
    pub board: &'a Board,
    pub moves: &'a [Direction],
    pub reading: ReadingChoice,
}

/// A stage of a person's method, and its moves.
#[derive(Serialize)]
struct JsonStage {
    stage: String,
    moves: String,
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
        let steps = trace(self.board.clone(), self.moves.iter().copied());
        serializer.collect_seq(steps.map(|step| JsonStep {
            number: step.number,
            r#move: letter(&step, self.reading),
            transposition: step.exchanged.positions(),
            product: step.product.to_string(),
        }))
    }
}

fn letter(step: &TraceStep, reading: ReadingChoice) -> String {
    write_moves(&[step.direction], MoveConvention::from(reading))
}
