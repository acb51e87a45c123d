//! `gridrace solve`.

use gridrace_shared::slide::notation::Reading;
use std::path::PathBuf;

/// Options of `gridrace solve`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gridrace solve '1 2 3/4 0 6/7 5 8'
  gridrace solve slide:4x4#friday --json
  gridrace solve 'slide:2x3=5 3 1/6 2 4' --trace
  gridrace new --only board | gridrace solve

A board is rows of numbers, 0 for the blank, with / or line ends between the rows; or a
puzzle's id. Exit code 1 for a board that can't be solved, 2 for a text that is no board.")]
pub struct Solve {
    /// The board [default: read from standard input]
    #[arg(value_name = "BOARD", conflicts_with = "file")]
    pub board: Option<String>,
    /// Read the board from a file
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Let each letter say where the tile goes, or where the blank goes
    #[arg(long, value_enum, default_value_t)]
    pub reading: ReadingChoice,
    /// Print every step: the transposition, and the permutation after it in cycle notation
    #[arg(long)]
    pub trace: bool,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// Whose direction a letter of a move string gives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadingChoice {
    /// The tile's.
    #[default]
    Tile,
    /// The blank's.
    Blank,
}

impl From<ReadingChoice> for Reading {
    fn from(choice: ReadingChoice) -> Self {
        match choice {
            ReadingChoice::Tile => Self::Tile,
            ReadingChoice::Blank => Self::Blank,
        }
    }
}
