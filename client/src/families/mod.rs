//! What each family of puzzles shows and takes at the terminal.

pub(crate) mod input;
pub(crate) mod numberlink;
pub(crate) mod puzzle_text;
pub(crate) mod slide;
