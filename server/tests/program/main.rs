//! `gridrace-server` as whoever runs it sees it: where it keeps its heats, what it says, and how
//! it ends.

#![expect(clippy::unwrap_used, reason = "what fails here fails a test")]

mod data;
mod program;
mod stopping;
