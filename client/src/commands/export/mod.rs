//! `gridrace export`: results of heats, for spreadsheets and for programs.

mod csv;

use crate::cli::args::replay::Export;
use crate::cli::exit_code::{Exit, Failure};
use crate::cli::report::Row;
use crate::commands::date::rfc3339;
use gridrace_shared::heat::commitment::SeedOrigin;
use gridrace_shared::puzzle::MoveBounds;
use gridrace_shared::replay::Replay;
use serde::Serialize;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// The result of a heat.
#[derive(Debug, Serialize)]
struct Heat<'a> {
    /// The file or id that it was read from.
    source: &'a str,
    heat: String,
    number: u32,
    began: Option<String>,
    puzzle: String,
    seed: String,
    seed_set_by_host: bool,
    ended_millis: u64,
    best: Option<MoveBounds>,
    standings: Vec<Row>,
}

/// Does what the command line says.
///
/// # Errors
/// [`Failure`] where a replay can't be read or the result not be written.
pub fn run(args: &Export) -> Result<(), Failure> {
    if let Some(file) = &args.to {
        return copy(args, file);
    }
    let mut heats = Vec::new();
    for name in &args.heats {
        heats.push(heat(name, &args.place.replay(name)?));
    }
    let out = &mut io::BufWriter::new(io::stdout().lock());
    if args.json {
        for heat in &heats {
            serde_json::to_writer(&mut *out, heat).map_err(io::Error::from)?;
            writeln!(out)?;
        }
    } else {
        csv::write(&heats, out)?;
    }
    out.flush()?;
    Ok(())
}

/// Writes the replay of one heat as it is, but never over another file.
fn copy(args: &Export, file: &Path) -> Result<(), Failure> {
    let [name] = &args.heats[..] else {
        let why = "--to writes the replay of one heat";
        return Err(Failure::said(Exit::Usage, why));
    };
    let bytes = args.place.replay(name)?.encode();
    let fail = |error: io::Error| {
        let file = file.display();
        Failure::said(Exit::Failure, format!("can't write {file}: {error}"))
    };
    let mut out = File::create_new(file).map_err(fail)?;
    out.write_all(&bytes).map_err(fail)
}

fn heat<'a>(source: &'a str, replay: &Replay) -> Heat<'a> {
    let about = &replay.about;
    Heat {
        source,
        heat: about.code.to_string(),
        number: about.number,
        began: about.began.map(rfc3339),
        puzzle: about.options.spec.to_string(),
        seed: about.secret.seed.to_string(),
        seed_set_by_host: about.origin == SeedOrigin::Host,
        ended_millis: replay.outcome.ended.0,
        best: replay.outcome.best,
        standings: Row::of_replay(replay),
    }
}
