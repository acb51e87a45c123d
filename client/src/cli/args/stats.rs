//! `gridrace stats`.

use crate::practice::statistics::Sort;
use gridrace_shared::puzzle::PuzzleSpec;

/// Show what your own races add up to
///
/// Every race of yours is kept, whether you play here or join another server: its result, and its
/// replay for ghosts. Averages are those of the World Cube Association: the best and the worst 5 %
/// are left out, and a DNF is the worst. A race on a board that you raced before doesn't count.
/// Races are kept in the folder that GRIDRACE_RACES names; if it is empty, none are kept. Days are
/// those of Coordinated Universal Time.
#[derive(Debug, Default, clap::Args)]
#[command(after_help = "Examples:
  gridrace stats
  gridrace stats --puzzle slide:4x4 --days 30
  gridrace stats --list --sort time
  gridrace stats --csv > races.csv
  gridrace stats --delete 17,18")]
pub struct StatsArgs {
    /// Show only races on this puzzle
    #[arg(long, value_name = "PUZZLE", value_parser = PuzzleSpec::from_typed)]
    pub puzzle: Option<PuzzleSpec>,
    /// Show only races of the last DAYS days
    #[arg(long, allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..))]
    pub days: Option<u32>,
    /// List the races instead, with their numbers
    #[arg(long)]
    pub list: bool,
    /// Sort the list by this
    #[arg(long, value_enum, default_value_t, requires = "list")]
    pub sort: Sort,
    /// Print JSON, a line for each puzzle; with --list a line for each race
    #[arg(long)]
    pub json: bool,
    /// Print the races as comma-separated values
    #[arg(long, conflicts_with_all = ["json", "list"])]
    pub csv: bool,
    #[command(flatten)]
    pub change: ChangeArgs,
}

/// At most one change at a time.
#[derive(Debug, Default, clap::Args)]
#[group(multiple = false, conflicts_with_all = ["puzzle", "days", "list", "json", "csv"])]
pub struct ChangeArgs {
    /// Delete these races and their replays
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', value_parser = read_number)]
    pub delete: Vec<u32>,
    /// Let these races not count
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', value_parser = read_number)]
    pub exclude: Vec<u32>,
    /// Let these races count again
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', value_parser = read_number)]
    pub include: Vec<u32>,
    /// Keep these races when old ones go
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', value_parser = read_number)]
    pub mark: Vec<u32>,
    /// Let these races go when they are old
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', value_parser = read_number)]
    pub unmark: Vec<u32>,
}

fn read_number(text: &str) -> Result<u32, String> {
    text.parse()
        .map_err(|_| "numbers of races are written like 17,18; --list shows them".to_owned())
}
