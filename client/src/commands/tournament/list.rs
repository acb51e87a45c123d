//! `gridrace tournament list`.

use super::documents::SummaryDocument;
use super::past;
use crate::cli::args::place::server;
use crate::cli::args::tournament::TournamentListArgs;
use crate::cli::exit_code::Failure;
use crate::cli::settings_file::SettingsFile;
use crate::commands::request::{request, tournaments};
use crate::commands::write_json_line;
use crate::display::safe_text;
use crate::net::address::HERE;
use gridrace_shared::protocol::tournament::{TournamentPhase, TournamentSummary};
use std::io::{self, Write};

/// Columns of a name, a plan and a title.
const NAME: usize = 20;
const PLAN: usize = 24;
const TITLE: usize = 48;

/// Asks a server for its tournaments and prints them.
pub(super) async fn run(args: &TournamentListArgs, file: &SettingsFile) -> Result<(), Failure> {
    let address = args.address.as_deref().unwrap_or(HERE);
    let address = server(address, &file.servers).map_err(Failure::usage)?;
    if args.past {
        return past::run(args, &address).await;
    }
    let address = address.to_string();
    let tcp = args.connection.tcp()?;
    let list = request(&tcp, &address, None, async |connection| tournaments(connection).await);
    let list = list.await?;
    if list.is_empty() {
        // stderr may be closed.
        writeln!(io::stderr(), "{address} lists no tournament").ok();
    }
    let mut out = io::BufWriter::new(io::stdout().lock());
    for summary in &list {
        if args.json {
            write_json_line(&mut out, &SummaryDocument::of(summary))?;
        } else {
            writeln!(out, "{}", row(summary).trim_end())?;
        }
    }
    out.flush()?;
    Ok(())
}

/// Names a phase, briefly.
pub(super) const fn phase_name(phase: TournamentPhase) -> &'static str {
    match phase {
        TournamentPhase::Entries => "entries open",
        TournamentPhase::CheckIn => "check-in",
        TournamentPhase::Waiting
        | TournamentPhase::Break
        | TournamentPhase::Racing
        | TournamentPhase::Pause => "running",
        TournamentPhase::Over => "over",
    }
}

fn row(summary: &TournamentSummary) -> String {
    let phase = phase_name(summary.phase);
    let title = summary.title.as_ref().map(ToString::to_string).unwrap_or_default();
    let pin = if summary.needs_pin { "PIN" } else { "" };
    format!(
        "{}  {}  {phase:<12}  {:>4} of {:<4}  {pin:<3}  {}",
        safe_text::column(summary.name.as_str(), NAME),
        safe_text::column(&summary.plan, PLAN),
        summary.entrants,
        summary.max_entrants,
        safe_text::text(&title, TITLE)
    )
}
