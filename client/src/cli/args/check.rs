//! `gridrace check`.

use gridrace_shared::util::grid::Size;

/// Say whether one board of the sliding puzzle can be reached from another, and why
///
/// Counts in two ways, which must agree: inversions and the place of the blank, and the cycles of the
/// permutation with the distance of the blank from its home. In a single row or column the order of
/// the tiles decides.
///
/// Exit codes: 1 if it can't be reached, 2 for a text that is no board.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gridrace check '1 3 2/6 0 5/4 7 8'
  gridrace check '1 3 2/6 0 5/4 7 8' '1 2 3/4 5 6/7 8 0'
  gridrace check '2 1 3/4 5 6/7 8 0' --json")]
pub struct CheckArgs {
    /// The board to start from: rows of numbers, 0 for the blank, or a puzzle's id
    #[arg(value_name = "BOARD")]
    pub from: String,
    /// The board to arrive at [default: the one in order]
    #[arg(value_name = "GOAL")]
    pub to: Option<String>,
    /// The size of boards that are numbers only, like 2x8
    #[arg(long, value_name = "SIZE", hide_short_help = true)]
    pub size: Option<Size>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}
