//! `gridrace tournament export`: the record of a tournament, or its standings and results as tables.

use super::following;
use crate::cli::args::replay::DataDirArgs;
use crate::cli::args::tournament::{TournamentExportArgs, read_place};
use crate::cli::exit_code::{Exit, Failure};
use crate::cli::settings_file::SettingsFile;
use crate::commands::file_kind::replay_for_record;
use crate::commands::{write_json_line, write_new};
use crate::net::http_get::{HttpError, get};
use anyhow::{Context, anyhow};
use gridrace_shared::protocol::tournament::TournamentPhase;
use gridrace_shared::tournament::ids::{RecordName, TournamentName};
use gridrace_shared::tournament::log::Tournament;
use gridrace_shared::tournament::public_log::{LogLine, PublicEvent};
use gridrace_shared::tournament_record::{MAX_RECORD_BYTES, result_rows, standing_rows, verify};
use serde::Serialize;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// What the name of a record's file ends with.
const EXTENSION: &str = "grt";
/// What is said of a tournament that is over, and not closed.
const UNTIL_CLOSED: &str = "its results may be corrected for ten minutes after the last board, unless the \
     organiser closes it by `end`; --standings and --results print it so far";

pub(super) async fn run(args: &TournamentExportArgs, file: &SettingsFile) -> Result<(), Failure> {
    let Some(given) = args.tournament.as_deref() else { return list(args) };
    if !args.standings && !args.results {
        return save(given, args, file).await;
    }
    let (tournament, log) = read(given, args, file).await?;
    if args.standings {
        print(&standing_rows(&tournament, &log), args.json)
    } else {
        print(&result_rows(&tournament, &log), args.json)
    }
}

/// Lists the tournaments in the data folder that was named.
fn list(args: &TournamentExportArgs) -> Result<(), Failure> {
    for line in (DataDirArgs { data: args.data.clone() }).tournaments()? {
        writeln!(io::stdout(), "{line}")?;
    }
    Ok(())
}

/// Reads a tournament from a file, or from its server.
async fn read(
    given: &str,
    args: &TournamentExportArgs,
    file: &SettingsFile,
) -> Result<(Tournament, Vec<LogLine>), Failure> {
    let record = if is_file(given) {
        let bytes = fs::read(given).with_context(|| given.to_owned())?;
        if let Some(why) = replay_for_record(given, &bytes) {
            return Err(Failure::other(why));
        }
        Some(bytes)
    } else {
        match kept_record(given, args)? {
            // Only the latest tournament of a name can be followed.
            None if given.contains('~') => {
                let (name, address) = place_of_record(given, args, file)?;
                Some(fetch(args, (&name, &address)).await?)
            }
            kept => kept,
        }
    };
    if let Some(bytes) = record {
        let report = verify(&bytes).with_context(|| given.to_owned())?;
        return Ok((report.tournament, report.record.log));
    }
    let place = read_place(given, args.address.as_deref(), &file.servers)?;
    let key = args.connection.existing_key()?;
    let mut session = following::follow(&args.connection, place, args.pin.clone(), key).await?;
    following::load(&mut session).await?;
    let log = &session.view().log;
    let read = (log.tournament().clone(), log.lines().to_vec());
    session.close().await;
    Ok(read)
}

/// Says whether the tournament is given as the file of its record: by the name's end, or by a name that
/// no tournament has.
fn is_file(given: &str) -> bool {
    let path = Path::new(given);
    path.extension().is_some_and(|extension| extension == EXTENSION)
        || given.parse::<TournamentName>().is_err() && path.is_file()
}

/// Reads `NAME`, `NAME~NUMBER`, either with `@ADDRESS`, or a link.
fn place_of_record(
    given: &str,
    args: &TournamentExportArgs,
    file: &SettingsFile,
) -> Result<(RecordName, String), Failure> {
    let (name, rest) = given.split_once('~').unwrap_or((given, ""));
    let (number, at) = rest.split_at(rest.find('@').unwrap_or(rest.len()));
    let (tournament, address) =
        read_place(&format!("{name}{at}"), args.address.as_deref(), &file.servers)?;
    let number =
        given.contains('~').then(|| format!("{tournament}~{number}").parse::<RecordName>());
    let number = number.transpose().map_err(|_| {
        Failure::usage(format!("{given}: a number from 1 on follows ~, as in friday~1"))
    })?;
    Ok((number.unwrap_or(RecordName { tournament, number: None }), address))
}

/// Returns the record from the data folder that was named, if one was.
fn kept_record(given: &str, args: &TournamentExportArgs) -> Result<Option<Vec<u8>>, Failure> {
    let Some(data) = args.data.clone() else { return Ok(None) };
    let name = given.parse().map_err(Failure::usage)?;
    DataDirArgs { data: Some(data) }.tournament_record(&name).map(Some)
}

/// Fetches the record from the server.
async fn fetch(
    args: &TournamentExportArgs,
    (name, address): (&RecordName, &str),
) -> Result<Vec<u8>, Failure> {
    let tcp = args.connection.tcp()?;
    let path = format!("/t/{name}.{EXTENSION}");
    match get(&tcp, address, &path, MAX_RECORD_BYTES).await {
        Ok(record) => Ok(record),
        Err(HttpError::Net(error)) => Err(Failure::at(address, error)),
        Err(HttpError::Status(410)) => {
            let why = "heats of it were deleted from the server's database";
            Err(Failure::new(Exit::Refused, anyhow!("no record of {name} on {address}: {why}")))
        }
        Err(HttpError::NotFound) => Err(no_record(args, (name, address)).await),
        Err(error @ (HttpError::Status(_) | HttpError::Malformed | HttpError::TooLong(_))) => {
            Err(Failure::new(Exit::Refused, anyhow!("{address}: {error}")))
        }
    }
}

/// Says why a server has no record of a tournament for all.
async fn no_record(args: &TournamentExportArgs, (name, address): (&RecordName, &str)) -> Failure {
    if name.number.is_some() {
        let why = "there is none with this number, or it is for its host, who exports it by --data";
        return Failure::new(Exit::Refused, anyhow!("no record of {name} on {address}: {why}"));
    }
    let place = (name.tournament.clone(), address.to_owned());
    // By its key the organiser needs no PIN.
    let key = match args.connection.existing_key() {
        Ok(key) => key,
        Err(error) => return error.into(),
    };
    let followed = following::follow(&args.connection, place, args.pin.clone(), key).await;
    let mut session = match followed {
        Ok(session) => session,
        Err(failure) => return failure,
    };
    if let Err(error) = following::load(&mut session).await {
        return Failure::of_session(address, error);
    }
    let view = session.view();
    let is_over = view.head.phase == TournamentPhase::Over;
    let is_closed = |line: &LogLine| matches!(line.event, PublicEvent::SecretRevealed { .. });
    let is_closed = view.log.lines().iter().any(is_closed);
    let is_private = args.pin.is_some() || view.settings.options.private;
    let may_have_pin = view.you.organiser || view.you.entrant.is_some();
    session.close().await;
    let why = match (is_over, is_closed, is_private) {
        (true, true, false) if may_have_pin => {
            "if it has a PIN, its replays are for its host: export it on the server's machine, by --data; \
             else the server was started without a data folder; --standings and --results print it"
        }
        (false, ..) => "it isn't over; --standings and --results print it so far",
        (true, false, _) => UNTIL_CLOSED,
        (true, true, true) => {
            "it is private, and its replays are for its host: export it on the server's machine, by \
             --data"
        }
        (true, true, false) => {
            "the server keeps no replays: it was started without a data folder (--data); --standings \
             and --results print it"
        }
    };
    Failure::new(Exit::Refused, anyhow!("no record of {name} on {address}: {why}"))
}

/// Gets the record and writes it to a file that must not exist.
async fn save(
    given: &str,
    args: &TournamentExportArgs,
    file: &SettingsFile,
) -> Result<(), Failure> {
    if is_file(given) {
        return Err(Failure::usage(
            "add --standings or --results: the record is in a file already",
        ));
    }
    let (name, address) = place_of_record(given, args, file)?;
    let path = args.to.clone().unwrap_or_else(|| PathBuf::from(format!("{name}.{EXTENSION}")));
    let record = match kept_record(given, args)? {
        Some(record) => record,
        None => fetch(args, (&name, &address)).await?,
    };
    // A file that holds nothing is not kept.
    let report = verify(&record).with_context(|| format!("the record of {name}"))?;
    if !report.is_revealed {
        let why = anyhow!("no record of {name}: it isn't closed; {UNTIL_CLOSED}");
        return Err(Failure::new(Exit::Refused, why));
    }
    write_new(&path, &record)?;
    writeln!(io::stdout(), "{}", path.display())?;
    Ok(())
}

/// Prints rows as comma-separated values with a heading, or as JSON.
fn print<T: Serialize + Default>(rows: &[T], is_json: bool) -> Result<(), Failure> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    if is_json {
        for row in rows {
            write_json_line(&mut out, row)?;
        }
        return Ok(out.flush()?);
    }
    let mut table = csv::Writer::from_writer(out);
    if rows.is_empty() {
        table.write_record(heading::<T>()?.iter()).context("can't write the table")?;
    }
    for row in rows {
        table.serialize(row).context("can't write the table")?;
    }
    table.flush()?;
    Ok(())
}

/// Returns the names of the columns, which stand also where there are no rows.
fn heading<T: Serialize + Default>() -> Result<csv::StringRecord, Failure> {
    let mut table = csv::Writer::from_writer(Vec::new());
    table.serialize(T::default()).context("can't write the table")?;
    let text = table.into_inner().context("can't write the table")?;
    let mut reader = csv::Reader::from_reader(text.as_slice());
    Ok(reader.headers().context("can't write the table")?.clone())
}
