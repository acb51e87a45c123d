//! `gridrace new`.

use gridrace_shared::puzzle::PuzzleSpec;
use gridrace_shared::puzzle::id::FamilyKind;
use gridrace_shared::puzzle::numberlink::LinkSpec;
use gridrace_shared::puzzle::slide::scramble::Variant;
use gridrace_shared::util::grid::Size;
use gridrace_shared::util::seed::Seed;

/// The most boards that one call prints.
const MAX_BOARDS: i64 = 1_000_000;

/// Shortest and longest side of a board that can be drawn.
const SIDES: std::ops::RangeInclusive<usize> = 2..=gridrace_shared::puzzle::slide::MAX_SIDE;

/// Print new boards, random or named by a seed
///
/// One board is that of the seed itself; of several, number N is that of the seed SEED-N. The same
/// seed gives the same boards on every machine, and in a heat.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gridrace new
  gridrace new --puzzle slide:5x5 --seed friday --count 3
  gridrace new --puzzle link:9x9:hard
  gridrace new --puzzle link:7x7 --only url
  gridrace new --only board | gridrace solve
  gridrace new --count 100 --json > boards.jsonl")]
pub struct NewArgs {
    /// Make boards of this puzzle: slide:2x2 to slide:128x128, or link:4x4 to link:20x20 with
    /// :easy, :normal, :hard or :classic after it
    #[arg(long, value_name = "PUZZLE", default_value = "slide:4x4", value_parser = asked, visible_alias = "size")]
    pub puzzle: Asked,
    /// Name the boards by a seed like friday [default: random]
    #[arg(long)]
    pub seed: Option<Seed>,
    /// Number of boards to print
    #[arg(long, default_value_t = 1, allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=MAX_BOARDS))]
    pub count: u32,
    /// Where the blank of a sliding puzzle is: anywhere, or at home in the last cell
    /// [default: anywhere]
    #[arg(long, value_enum)]
    pub variant: Option<VariantChoice>,
    /// Print only the ids, the boards, or the puzz.link addresses, one a line
    #[arg(long, value_enum, conflicts_with = "json")]
    pub only: Option<Only>,
    /// Print JSON, a line for each board
    #[arg(long)]
    pub json: bool,
}

/// The puzzle whose boards are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// Sliding puzzles of a size.
    Slide(Size),
    /// Numberlinks of a size and mode.
    Link(LinkSpec),
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
    /// Its tiles or cells.
    Board,
    /// A Numberlink's address at puzz.link, where it can be tried.
    Url,
}

impl From<VariantChoice> for Variant {
    fn from(choice: VariantChoice) -> Self {
        match choice {
            VariantChoice::Anywhere => Self::BlankAnywhere,
            VariantChoice::Home => Self::BlankHome,
        }
    }
}

/// Reads `slide:4x4`, `link:9x9:hard`, or just a size for the sliding puzzle.
fn asked(text: &str) -> Result<Asked, String> {
    let (family, rest) = text.split_once(':').unwrap_or((FamilyKind::Slide.name(), text));
    match family.parse::<FamilyKind>() {
        Ok(FamilyKind::Slide) => match rest.parse::<Size>() {
            Ok(size) if SIDES.contains(&size.rows()) && SIDES.contains(&size.cols()) => {
                Ok(Asked::Slide(size))
            }
            Ok(size) => Err(format!("a board has 2 to 128 rows and columns, not {size}")),
            // What is no size is told as where a heat's puzzle is read.
            Err(error) => Err(PuzzleSpec::from_typed(text)
                .err()
                .map_or_else(|| error.to_string(), |it| it.to_string())),
        },
        Ok(FamilyKind::Link) => {
            rest.parse::<LinkSpec>().map(Asked::Link).map_err(|error| error.to_string())
        }
        Err(error) => Err(error.to_string()),
    }
}
