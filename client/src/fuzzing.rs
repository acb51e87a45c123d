//! Entry points for the fuzz targets: the parsers of the offline tools, otherwise private.

use crate::commands::{replay, solve};
use gridrace_shared::puzzle::numberlink::Puzzle;
use gridrace_shared::puzzle::slide::Board;
use gridrace_shared::util::grid::Size;

pub use solve::link::input::is_meant as is_link;

/// What the lines of an input hold, each with its number, from 1; or why it holds nothing.
pub type Lines<T> = Vec<(usize, Result<T, String>)>;

/// Reads sliding puzzles as `gridrace solve` does: one, or a list with one a line.
pub fn slides(text: &str, size: Option<Size>) -> Result<Lines<Board>, String> {
    use solve::input::{SlideBoards, parse};
    Ok(match parse(text, size)? {
        SlideBoards::One(board) => vec![(1, Ok(board))],
        SlideBoards::List(list) => list.lines().map(|line| (line.number, line.board)).collect(),
    })
}

/// Reads Numberlinks likewise.
pub fn links(text: &str, size: Option<Size>) -> Result<Lines<Puzzle>, String> {
    use solve::link::input::{LinkPuzzles, read};
    Ok(match read(text, size)? {
        LinkPuzzles::One(puzzle) => vec![(1, Ok(puzzle))],
        LinkPuzzles::List(list) => list.lines().map(|line| (line.number, line.puzzle)).collect(),
    })
}

/// Says whether a text names a heat that a server keeps, and may lead to no file.
pub fn is_heat_id(text: &str) -> bool {
    replay::is_id(text)
}
