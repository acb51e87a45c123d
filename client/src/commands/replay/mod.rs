//! `gridrace replay` without a screen: what happened, line by line, and which heats there are.

mod events;
#[cfg(feature = "host")]
mod list;
mod source;

#[cfg(feature = "host")]
pub use list::list;
pub use source::{NotADataFolder, ReplaySource};
pub(crate) use source::{decode, is_id};

use crate::cli::exit_code::Failure;
use crate::display::safe_text;
use gridrace_shared::replay::Replay;
use std::io::{self, Write};

/// Says on stderr why one of several replays can't be read.
pub(crate) fn report_unread(failure: &Failure) {
    // stderr may be closed; the exit code still tells.
    writeln!(io::stderr(), "gridrace: {}", safe_text::lines(&format!("{:#}", failure.why))).ok();
}

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

/// Fails: the heats of a server are read by the server's code.
#[cfg(not(feature = "host"))]
pub fn list(_: &crate::cli::args::replay::DataDirArgs, _: bool) -> Result<(), Failure> {
    Err(crate::tui::own_server::StartServerError::NoHost.into())
}
