//! The shapes of what a family says in words.

use gridrace_shared::util::grid::{Cell, Size};

/// A key, and what it does in a long and in a short form.
pub type Help = (&'static str, &'static str, &'static str);

/// Keys and what they do, before and after the key for a hint.
pub type KeyHints = [&'static [(&'static str, &'static str)]; 2];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advice {
    pub what: String,
    /// The reason, or the distance to the goal.
    pub why: String,
    /// What to do, in 15 columns.
    pub short: String,
    /// The reason in 15 columns, where `short` doesn't say it yet.
    pub short_why: Option<&'static str>,
}

/// Returns a cell as `r2c3`: row and column, from 1.
pub(crate) fn cell_name(size: Size, cell: Cell) -> String {
    format!("r{}c{}", size.row_of(cell) + 1, size.col_of(cell) + 1)
}
