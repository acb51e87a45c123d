//! `gridrace tournament list --past`.

use super::documents::PastDocument;
use crate::cli::args::tournament::TournamentListArgs;
use crate::cli::exit_code::Failure;
use crate::commands::request::{answer, past_tournaments};
use crate::commands::write_json_line;
use crate::display::safe_text;
use crate::net::address::Address;
use crate::net::connect_aloud;
use gridrace_shared::protocol::tournament::TournamentOutcome;
use std::io::{self, Write};
use std::time::Duration;

/// Columns of a name, champions, a plan and a title.
const NAME: usize = 20;
const CHAMPIONS: usize = 24;
const PLAN: usize = 24;
const TITLE: usize = 48;
/// The characters of a date that say the day.
const DAY: usize = 10;
/// The time between two requests: a server answers one a second.
const PAGE_INTERVAL: Duration = Duration::from_secs(1);

/// Asks a server for its past tournaments, and prints them as they come.
pub(super) async fn run(args: &TournamentListArgs, server: &Address) -> Result<(), Failure> {
    let tcp = args.connection.tcp()?;
    let address = &server.to_string();
    let connecting = connect_aloud(&tcp, address).await;
    let mut connection = connecting.map_err(|error| Failure::at(address, error))?;
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut before = None;
    loop {
        let past = answer(address, past_tournaments(&mut connection, before)).await?;
        if before.is_none() && past.rows.is_empty() {
            // stderr may be closed.
            writeln!(io::stderr(), "no tournament has ended on {address} yet").ok();
        }
        for tournament in &past.rows {
            let document = PastDocument::of(tournament, server);
            if args.json {
                write_json_line(&mut out, &document)?;
            } else {
                writeln!(out, "{}", row(&document, tournament.outcome.as_ref()).trim_end())?;
            }
        }
        out.flush()?;
        before = past.next;
        if before.is_none() {
            break;
        }
        tokio::time::sleep(PAGE_INTERVAL).await;
    }
    connection.close().await;
    Ok(())
}

fn row(document: &PastDocument, outcome: Option<&TournamentOutcome>) -> String {
    // The name is not cut, as `export` takes it.
    format!(
        "{:<NAME$}  {:.DAY$}  {:>4} entrants  {}  {}  {}  {}",
        document.name,
        document.ended,
        outcome.map_or_else(|| "?".to_owned(), |outcome| outcome.entrants.to_string()),
        safe_text::column(&champions(outcome), CHAMPIONS),
        safe_text::column(&document.plan, PLAN),
        document.record,
        safe_text::text(document.title.as_deref().unwrap_or_default(), TITLE),
    )
}

fn champions(outcome: Option<&TournamentOutcome>) -> String {
    let Some(TournamentOutcome { champions, more_champions, .. }) = outcome else {
        return "?".to_owned();
    };
    let names: Vec<String> = champions.iter().map(ToString::to_string).collect();
    match (&names[..], more_champions) {
        ([], _) => "no champion".to_owned(),
        (names, 0) => names.join(", "),
        (names, more) => format!("{} and {more} more", names.join(", ")),
    }
}
