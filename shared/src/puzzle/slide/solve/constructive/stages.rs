//! The stages of the constructive method, by which a person can follow it.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A stage, and how many of the moves are its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct StageMoves {
    pub stage: ConstructiveStage,
    pub moves: u32,
}

/// What the method does next. Tiles are given by their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConstructiveStage {
    /// A tile goes home.
    Tile { tile: u16, line: Line },
    /// The last but one tile of a line waits at the line's end.
    Park { tile: u16, line: Line },
    /// The last tile of a line waits behind the last but one.
    ParkBehind { tiles: [u16; 2], line: Line },
    /// The last two tiles of a line go home together.
    Pair { tiles: [u16; 2], line: Line },
    /// The last three tiles go round until they are at home.
    LastThree { tiles: [u16; 3] },
    /// In a single row or column only the blank goes anywhere.
    SingleLine,
}

/// What is restored, numbered from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Line {
    /// The top row of those that remain.
    Row(u16),
    /// The left column of the last two rows.
    Column(u16),
}

impl fmt::Display for ConstructiveStage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tile { tile, line } => write!(f, "{line}: tile {tile} home"),
            Self::Park { tile, line: line @ Line::Row(_) } => {
                write!(f, "{line}: tile {tile} to the end of the row, to wait")
            }
            Self::Park { tile, line: line @ Line::Column(_) } => {
                write!(f, "{line}: tile {tile} to the foot of the column, to wait")
            }
            Self::ParkBehind { tiles: [first, last], line: line @ Line::Row(_) } => {
                write!(f, "{line}: tile {last} below tile {first}")
            }
            Self::ParkBehind { tiles: [first, last], line: line @ Line::Column(_) } => {
                write!(f, "{line}: tile {last} to the right of tile {first}")
            }
            Self::Pair { tiles: [first, last], line: line @ Line::Row(_) } => {
                write!(f, "{line}: {first} and {last} into the corner together")
            }
            Self::Pair { tiles: [first, last], line: line @ Line::Column(_) } => {
                write!(f, "{line}: {first} and {last} home together")
            }
            Self::LastThree { tiles: [a, b, c] } => {
                write!(f, "last three tiles: {a}, {b} and {c} round until they are home")
            }
            Self::SingleLine => f.write_str("single row or column: the blank to its end"),
        }
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Row(row) => write!(f, "row {row}"),
            Self::Column(column) => write!(f, "last two rows, column {column}"),
        }
    }
}
