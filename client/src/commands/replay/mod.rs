//! `gridrace replay` without a screen: what happened, line by line, and which heats there are.

mod events;
mod list;
mod source;

pub use list::list;
pub(crate) use source::is_id;

use crate::cli::exit_code::Failure;
use gridrace_shared::replay::Replay;
use std::io::{self, Write};

/// Prints what happened in a heat.
///
/// # Errors
/// [`Failure`] where it can't be written.
pub fn print(replay: &Replay, json: bool) -> Result<(), Failure> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    if json {
        events::json(replay, &mut out)?;
    } else {
        events::text(replay, &mut out)?;
    }
    out.flush()?;
    Ok(())
}
