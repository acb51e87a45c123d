//! `gridrace solve`.

use gridrace_shared::puzzle::MoveCount;
use gridrace_shared::puzzle::numberlink::{Puzzle, Rule};
use gridrace_shared::puzzle::slide::notation::MoveConvention;
use gridrace_shared::util::grid::Size;
use std::path::PathBuf;
use std::time::Duration;

/// Solve boards: the moves, how good they are, and what finding them took
///
/// A board is rows of numbers, 0 for the blank, with / or line ends between the rows; or a puzzle's id.
/// In a file of boards each has its own line, in either form, or as numbers only if their count is a
/// square or --size gives the size; or there is an empty line between each two. A line may end in
/// `; 57`, the known length of its shortest solutions in the metric. Lines that begin with # are comments.
///
/// A Numberlink is rows of cells: `.` for an open cell, X for a solid one, else the number; or its id,
/// or a puzz.link address. A list has one a line, or an empty line between each two. The answer says
/// whether the solution is the only one. A list holds puzzles of one family: those of its first line.
///
/// Exit codes: 1 for a board that can't be solved, 2 for a text that is no board. A bad line doesn't
/// stop the others; the exit code is 1 then.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gridrace solve '1 2 3/4 0 6/7 5 8'
  gridrace solve slide:4x4#friday --json
  gridrace solve slide:6x6#friday --time 10
  gridrace solve slide:4x4#friday --solver human
  gridrace solve '8 6 7/2 5 4/3 0 1' --all
  gridrace solve slide:4x4#friday --metric mtm
  gridrace solve '5 3 1/0 2 4' --trace
  gridrace solve '5 3 1/0 2 4' --moves LLDRULDRRULLDRULDRRULL
  gridrace new --only board --count 100 | gridrace solve --summary
  gridrace solve link:9x9#friday")]
pub struct SolveArgs {
    /// The board, or a puzzle's id like slide:4x4#friday [default: `-`, read from standard input]
    #[arg(value_name = "BOARD", conflicts_with = "file")]
    board: Option<String>,
    /// Read the board, or many boards, from a file
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// The size of boards that are numbers only, like 2x8 [default: a square, or else one row]
    #[arg(long, value_name = "SIZE", hide_short_help = true)]
    pub size: Option<Size>,
    /// The board to arrive at, in place of the one in order
    #[arg(long, value_name = "BOARD", hide_short_help = true, conflicts_with = "trace")]
    pub goal: Option<String>,
    /// How good the solution is to be, or `human` for a person's method, stage by stage
    #[arg(long, value_enum, default_value_t)]
    pub solver: SolverChoice,
    /// Play these moves instead of solving, like LLDRU or L2DRU, and print every step
    #[arg(long, value_name = "MOVES", hide_short_help = true,
        conflicts_with_all = ["file", "goal", "solver", "metric", "budget", "time", "large", "summary"])]
    pub moves: Option<String>,
    /// Print all shortest solutions, up to 10,000; for boards of up to 16 cells
    #[arg(long, hide_short_help = true, conflicts_with_all = LISTING_CONFLICTS)]
    pub all: bool,
    /// Print the N shortest solutions, up to 10,000; for boards of up to 16 cells
    ///
    /// They come by their number of moves in the metric. Where there are fewer shortest ones, longer
    /// ones follow. None passes the same board twice.
    #[arg(long, allow_negative_numbers = true, value_name = "N", hide_short_help = true,
        conflicts_with_all = LISTING_CONFLICTS,
        conflicts_with = "all", value_parser = clap::value_parser!(u16).range(1..=10_000))]
    pub count: Option<u16>,
    /// Which moves an optimal solution has the fewest of
    ///
    /// The fewest multi-tile moves are found for boards of up to 16 cells, with tables of their own:
    /// up to 101 MB, built once in up to 20 seconds on two cores.
    #[arg(long, value_enum, default_value_t, hide_short_help = true)]
    pub metric: MetricChoice,
    /// Count the solutions of a Numberlink by this rule [default: the puzzle's own]
    #[arg(long, value_enum, hide_short_help = true)]
    pub rule: Option<RuleChoice>,
    /// Search this many nodes at most
    ///
    /// The near solver finishes its first solution in any case; without --solver, half of the budget is
    /// for a shortest solution, and the rest for the near solver. A Numberlink has 300 million nodes by
    /// default, a quarter of them for one solution if the others don't count them.
    #[arg(long, allow_negative_numbers = true, value_name = "NODES", hide_short_help = true)]
    pub budget: Option<u64>,
    /// Look for shorter solutions for this long, or until Ctrl-C; for the near solver
    #[arg(long, allow_negative_numbers = true, value_name = "SECONDS", value_parser = seconds, conflicts_with = "budget")]
    pub time: Option<Duration>,
    /// Use large tables, and build them if need be: once, up to two minutes and 650 MB of memory;
    /// for 4x4 and 5x5
    #[arg(long)]
    pub large: bool,
    /// Where to keep the tables [default: $GRIDRACE_CACHE_DIR, or your caches]
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    pub cache_dir: Option<PathBuf>,
    /// Whether a letter of the solution says where the tile goes, or where the blank goes
    #[arg(long, value_enum, default_value_t, hide_short_help = true)]
    pub reading: ReadingChoice,
    /// Print every step: the transposition, and the permutation after it in cycle notation
    #[arg(long)]
    pub trace: bool,
    /// Print what all boards of a file took, not each one's moves
    #[arg(long, conflicts_with = "trace")]
    pub summary: bool,
    /// Print JSON: one document, or for a file a line for each board
    #[arg(long)]
    pub json: bool,
}

/// What doesn't go with a list of solutions.
const LISTING_CONFLICTS: [&str; 4] = ["moves", "time", "trace", "summary"];

impl SolveArgs {
    /// Returns the board on the command line, if it isn't read from standard input.
    pub fn board(&self) -> Option<&str> {
        self.board.as_deref().filter(|&board| board != "-")
    }

    /// Says whether several solutions are asked for.
    pub const fn lists_solutions(&self) -> bool {
        self.all || self.count.is_some()
    }

    /// Says whether the fewest multi-tile moves can be looked for: they are by a search of
    /// their own.
    pub const fn may_be_mtm(&self) -> bool {
        let searched = matches!(self.solver, SolverChoice::Auto | SolverChoice::Optimal);
        searched && self.time.is_none()
    }

    /// Says whether the near solver may be asked: the one that gets better with time.
    pub const fn may_be_near(&self) -> bool {
        matches!(self.solver, SolverChoice::Auto | SolverChoice::Near)
    }

    /// Says whether the solver may be one that uses tables.
    pub const fn may_use_tables(&self) -> bool {
        !matches!(self.solver, SolverChoice::Quick | SolverChoice::Human)
    }

    /// Returns the rule by which the solutions of a Numberlink are counted.
    pub fn rule(&self, puzzle: &Puzzle) -> Rule {
        match self.rule {
            None => Rule::of(puzzle),
            Some(RuleChoice::Loose) => Rule::Loose,
            Some(RuleChoice::Full) => Rule::Full,
            Some(RuleChoice::NoTouch) => Rule::FullNoTouch,
        }
    }
}

/// What counts as a solution of a Numberlink.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum RuleChoice {
    /// Cells may stay empty.
    Loose,
    /// Every open cell is covered.
    Full,
    /// Every open cell is covered, and no link touches itself.
    NoTouch,
}

/// Which solver is asked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum SolverChoice {
    /// Optimal up to 16 cells, or near-optimal where 100 million nodes or half of the budget are
    /// not enough for it; near-optimal above, quick on the largest boards.
    #[default]
    Auto,
    /// Any solution, at once.
    Quick,
    /// As short as the time or the budget allows.
    Near,
    /// None shorter, or no answer.
    Optimal,
    /// As a person does: tile by tile, with the name of each stage.
    Human,
}

/// What counts as one move.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MetricChoice {
    /// One tile by one cell (STM).
    #[default]
    Stm,
    /// Any number of tiles in one direction (MTM).
    Mtm,
}

impl MetricChoice {
    /// Returns how many moves of this metric a solution has.
    pub const fn of(self, MoveCount { moves, acts }: MoveCount) -> u32 {
        match self {
            Self::Stm => moves,
            Self::Mtm => acts,
        }
    }
}

/// The piece whose direction a letter of a move string gives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadingChoice {
    /// The tile's.
    #[default]
    Tile,
    /// The blank's.
    Blank,
}

impl From<ReadingChoice> for MoveConvention {
    fn from(choice: ReadingChoice) -> Self {
        match choice {
            ReadingChoice::Tile => Self::Tile,
            ReadingChoice::Blank => Self::Blank,
        }
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok();
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.ok_or_else(|| "a number of seconds, like 0.5 or 10".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_read_in_seconds() {
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        assert_eq!(seconds("10"), Ok(Duration::from_secs(10)));
        for text in ["", "-1", "NaN", "inf", "1e300", "soon"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }
}
