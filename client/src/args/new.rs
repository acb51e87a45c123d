//! `gridrace new`.

use gridrace_shared::grid::Size;
use gridrace_shared::numberlink::HeatSpec;
use gridrace_shared::seed::Seed;
use gridrace_shared::slide::scramble::Variant;

/// The most boards that one call prints.
const MAX_BOARDS: i64 = 1_000_000;

/// Shortest and longest side of a board that can be drawn.
const SIDES: std::ops::RangeInclusive<usize> = 2..=gridrace_shared::slide::MAX_SIDE;

/// Options of `gridrace new`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gridrace new
  gridrace new --puzzle slide:5x5 --seed friday --count 3
  gridrace new --puzzle link:9x9:hard
  gridrace new --only board | gridrace solve
  gridrace new --count 100 --json > boards.jsonl

One board is that of the seed itself; of several, number N is that of the seed SEED-N.
The same seed gives the same boards on every machine, and in a heat.")]
pub struct New {
    /// Draw boards of this puzzle: slide:2x2 to slide:128x128, or link:4x4 to link:20x20
    #[arg(long, value_name = "PUZZLE", default_value = "slide:4x4", value_parser = wanted, visible_alias = "size")]
    pub puzzle: Wanted,
    /// Name the boards [default: drawn]
    #[arg(long)]
    pub seed: Option<Seed>,
    /// Print so many boards
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=MAX_BOARDS))]
    pub count: u32,
    /// Draw the blank too, or leave it home in the last cell (the sliding puzzle's)
    #[arg(long, value_enum, default_value_t)]
    pub variant: VariantChoice,
    /// Print only the ids, or only the boards, one a line
    #[arg(long, value_enum, conflicts_with = "json")]
    pub only: Option<Only>,
    /// Print one JSON document a line, one for each board
    #[arg(long)]
    pub json: bool,
}

/// What boards are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// The sliding puzzle's, of a size.
    Slide(Size),
    /// Numberlinks, as heats have them.
    Link(HeatSpec),
}

/// Where the blank of a new board may be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum VariantChoice {
    /// Anywhere, as in a heat.
    #[default]
    Anywhere,
    /// At home, in the last cell.
    Home,
}

/// The part of a new board to print.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Only {
    /// Its id.
    Id,
    /// Its tiles.
    Board,
}

impl From<VariantChoice> for Variant {
    fn from(choice: VariantChoice) -> Self {
        match choice {
            VariantChoice::Anywhere => Self::BlankAnywhere,
            VariantChoice::Home => Self::BlankHome,
        }
    }
}

/// Reads `link:9x9:hard`, `slide:4x4`, or just `4x4`.
fn wanted(text: &str) -> Result<Wanted, String> {
    match text.strip_prefix("link:") {
        Some(spec) => spec
            .parse()
            .map(Wanted::Link)
            .map_err(|error| format!("{error}")),
        None => size(text).map(Wanted::Slide),
    }
}

fn size(text: &str) -> Result<Size, String> {
    let size = text.strip_prefix("slide:").unwrap_or(text);
    let size: Size = size.parse().map_err(|error| format!("{error}"))?;
    if SIDES.contains(&size.rows()) && SIDES.contains(&size.cols()) {
        Ok(size)
    } else {
        Err(format!(
            "a board to draw has 2 to 128 rows and columns, not {size}"
        ))
    }
}
