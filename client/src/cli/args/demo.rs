//! `gridrace demo`.

use crate::bot::Pace;
use gridrace_shared::puzzle::PuzzleSpec;
use gridrace_shared::util::seed::Seed;

/// How fast the bots play by default: even the slowest is home within half a minute.
const PACE: Pace = Pace::times(3);

/// Let four bots race, and print the standings
///
/// They race over real connections. Progress is printed as plain lines; with --json the result alone
/// goes to standard output, as one document, and progress goes to standard error.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gridrace demo
  gridrace demo --puzzle slide:3x3 --seed friday
  gridrace demo --puzzle link:9x9
  gridrace demo --pace 1 --json")]
pub struct DemoArgs {
    /// Race on this puzzle: slide:2x2 to slide:16x16, or link:4x4 to link:20x20, with :easy,
    /// :normal, :hard or :classic after it
    #[arg(long, value_name = "PUZZLE", default_value = "slide:4x4", value_parser = PuzzleSpec::from_typed)]
    pub puzzle: PuzzleSpec,
    /// Name the board, and the bots' chances, by a seed like friday [default: random]
    #[arg(long)]
    pub seed: Option<Seed>,
    /// Multiply the speed of the bots by this factor, 0.1 to 10
    #[arg(long, value_name = "FACTOR", default_value_t = PACE, allow_negative_numbers = true)]
    pub pace: Pace,
    /// Print the result as one JSON document
    #[arg(long)]
    pub json: bool,
}
