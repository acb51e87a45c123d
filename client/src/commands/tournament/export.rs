//! `gridrace tournament export`: the record of a tournament, or its standings and results as tables.

use super::following;
use crate::cli::args::tournament::{Export, read_place};
use crate::cli::exit_code::{Exit, Failure};
use crate::cli::settings_file::SettingsFile;
use crate::commands::write_json_line;
use crate::net::http_get::{HttpError, get};
use anyhow::Context;
use gridrace_shared::tournament::log::Tournament;
use gridrace_shared::tournament::public_log::LogLine;
use gridrace_shared::tournament_record::{result_rows, standing_rows, verify};
use serde::Serialize;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The most bytes of a record: one of 1,024 entrants and twelve boards is far below.
const MAX_RECORD_BYTES: usize = 256 * 1024 * 1024;
/// What the name of a record's file ends with.
const EXTENSION: &str = "grt";

pub(super) async fn run(args: &Export, file: &SettingsFile) -> Result<(), Failure> {
    if !args.standings && !args.results {
        return save(args, file).await;
    }
    let (tournament, log) = read(args, file).await?;
    if args.standings {
        print(&standing_rows(&tournament, &log), args.json)
    } else {
        print(&result_rows(&tournament, &log), args.json)
    }
}

/// Reads a tournament from a file, or from its server.
async fn read(args: &Export, file: &SettingsFile) -> Result<(Tournament, Vec<LogLine>), Failure> {
    let path = Path::new(&args.tournament);
    if path.extension().is_some_and(|extension| extension == EXTENSION) {
        let bytes = fs::read(path).with_context(|| args.tournament.clone())?;
        let report = verify(&bytes).with_context(|| args.tournament.clone())?;
        return Ok((report.tournament, report.record.log));
    }
    let place = read_place(&args.tournament, args.address.as_deref(), &file.servers)?;
    let key = args.connection.existing_key()?;
    let mut session = following::follow(&args.connection, place, args.pin.clone(), key).await?;
    following::load(&mut session).await?;
    let log = &session.view().log;
    let read = (log.tournament().clone(), log.lines().to_vec());
    session.close().await;
    Ok(read)
}

/// Fetches the record from the server and writes it to a file that must not exist.
async fn save(args: &Export, file: &SettingsFile) -> Result<(), Failure> {
    let (name, address) = read_place(&args.tournament, args.address.as_deref(), &file.servers)?;
    let path = args.to.clone().unwrap_or_else(|| PathBuf::from(format!("{name}.{EXTENSION}")));
    let tcp = args.connection.tcp()?;
    let record = get(&tcp, &address, &format!("/t/{name}.{EXTENSION}"), MAX_RECORD_BYTES).await;
    let record = record.map_err(|error| match error {
        HttpError::Net(error) => Failure::at(&address, error),
        HttpError::NotFound
        | HttpError::Status(_)
        | HttpError::Malformed
        | HttpError::TooLong(_) => {
            Failure::new(Exit::Refused, anyhow::anyhow!("{address}: {error}"))
        }
    })?;
    // A file that holds nothing is not kept.
    verify(&record).with_context(|| format!("the record of {name} from {address}"))?;
    let mut out = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&path)
        .with_context(|| path.display().to_string())?;
    out.write_all(&record).with_context(|| path.display().to_string())?;
    writeln!(io::stdout(), "{}", path.display())?;
    Ok(())
}

/// Prints rows as comma-separated values with a heading, or as JSON.
fn print<T: Serialize>(rows: &[T], is_json: bool) -> Result<(), Failure> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    if is_json {
        for row in rows {
            write_json_line(&mut out, row)?;
        }
        return Ok(out.flush()?);
    }
    let mut table = csv::Writer::from_writer(out);
    for row in rows {
        table.serialize(row).context("can't write the table")?;
    }
    table.flush()?;
    Ok(())
}
