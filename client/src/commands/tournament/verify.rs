//! `gridrace tournament verify`: does what a record says follow from its log and its replays?

use crate::cli::args::tournament::TournamentVerifyArgs;
use crate::cli::exit_code::Failure;
use crate::commands::file_kind::replay_for_record;
use crate::commands::write_json_line;
use crate::display::format::counted;
use crate::display::safe_text;
use anyhow::Context;
use gridrace_shared::heat::identity::Fingerprint;
use gridrace_shared::replay::SignatureCheck;
use gridrace_shared::tournament_record::{RecordReport, verify};
use serde::Serialize;
use std::io::{self, Write};
use std::path::Path;

/// The most cells of a name.
const NAME: usize = 40;

#[derive(Debug, Default, Serialize)]
struct RecordFindings {
    file: String,
    holds: bool,
    tournament: Option<String>,
    plan: Option<String>,
    entrants: Option<usize>,
    heats: Option<usize>,
    champions: Vec<String>,
    /// Results that the organiser set, which no replay proves.
    corrections: Vec<String>,
    /// "none", "valid" or "invalid".
    signature: Option<&'static str>,
    /// The fingerprint of the key of the signature.
    server: Option<String>,
    /// The fingerprint of the server whose signature was required.
    required: Option<String>,
    damage: Option<String>,
    /// That the file is a replay.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    errors: Vec<String>,
    /// How many errors there are, those left out included.
    count: u64,
}

pub(super) fn run(args: &TournamentVerifyArgs) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let mut bad = 0;
    for file in &args.files {
        let bytes = std::fs::read(file).with_context(|| file.display().to_string())?;
        let found = check(file, &bytes, args.server);
        bad += usize::from(!found.holds);
        if args.json {
            write_json_line(&mut out, &found)?;
        } else {
            tell(&mut out, &found)?;
        }
    }
    out.flush()?;
    match bad {
        0 => Ok(()),
        1 => Err(Failure::other(format!("1 of {} doesn't hold", args.files.len()))),
        bad => Err(Failure::other(format!("{bad} of {} don't hold", args.files.len()))),
    }
}

fn check(file: &Path, bytes: &[u8], required: Option<Fingerprint>) -> RecordFindings {
    let file = safe_text::lines(&file.display().to_string());
    let error = replay_for_record(&file, bytes);
    if error.is_some() {
        return RecordFindings { file, error, ..RecordFindings::default() };
    }
    let report = match verify(bytes) {
        Ok(report) => report,
        Err(damage) => {
            let damage = Some(safe_text::lines(&damage.to_string()));
            return RecordFindings { file, damage, ..RecordFindings::default() };
        }
    };
    let (signature, server) = match report.signature {
        SignatureCheck::Unsigned => ("none", None),
        SignatureCheck::Valid(server) => ("valid", Some(server)),
        SignatureCheck::Invalid(server) => ("invalid", Some(server)),
    };
    RecordFindings {
        file,
        holds: report.count == 0 && is_signed_well(&report, required),
        tournament: Some(report.record.head.name.to_string()),
        plan: Some(report.record.head.plan.to_string()),
        entrants: Some(report.tournament.entrants().count()),
        heats: Some(report.record.heats.len()),
        champions: champions(&report),
        corrections: report.corrections.iter().map(ToString::to_string).collect(),
        signature: Some(signature),
        server: server.map(|server| server.to_string()),
        required: required.map(|server| server.to_string()),
        damage: None,
        error: None,
        errors: report.errors.iter().map(|it| safe_text::lines(&it.to_string())).collect(),
        count: report.count,
    }
}

/// Says whether the signature is valid, and where a server is required, that server's.
fn is_signed_well(report: &RecordReport, required: Option<Fingerprint>) -> bool {
    match report.signature {
        SignatureCheck::Unsigned => required.is_none(),
        SignatureCheck::Valid(server) => required.is_none_or(|required| required == server),
        SignatureCheck::Invalid(_) => false,
    }
}

fn champions(report: &RecordReport) -> Vec<String> {
    let cards = gridrace_shared::tournament_record::entrant_cards(&report.record.log);
    let champions = report.tournament.champions().into_iter();
    let names = champions.filter_map(|entrant| cards.get(&entrant));
    names.map(|card| safe_text::text(card.name.as_str(), NAME)).collect()
}

fn tell(out: &mut impl Write, found: &RecordFindings) -> io::Result<()> {
    let file = &found.file;
    if let Some(error) = &found.error {
        return writeln!(out, "{error}");
    }
    if let Some(damage) = &found.damage {
        return writeln!(out, "{file}: damaged {damage}");
    }
    let name = found.tournament.as_deref().unwrap_or_default();
    let (entrants, heats) = (found.entrants.unwrap_or(0), found.heats.unwrap_or(0));
    let (entrants, heats) =
        (counted(entrants, "entrant", "entrants"), counted(heats, "heat", "heats"));
    let what = format!("tournament {name}: {entrants}, {heats}");
    match (found.holds, found.count) {
        (true, _) => writeln!(out, "{file}: holds ({what})")?,
        (false, 0) if found.signature == Some("invalid") => {
            writeln!(out, "{file}: the signature doesn't hold ({what})")?;
        }
        (false, 0) => writeln!(out, "{file}: not signed as required ({what})")?,
        (false, count) => {
            let s = if count == 1 { " doesn't" } else { "s don't" };
            writeln!(out, "{file}: {count} thing{s} hold ({what})")?;
        }
    }
    for error in &found.errors {
        writeln!(out, "  {error}")?;
    }
    let left_out = found.count.saturating_sub(found.errors.len() as u64);
    if left_out > 0 {
        writeln!(out, "  and {left_out} more")?;
    }
    if !found.champions.is_empty() {
        writeln!(out, "  champion: {}", found.champions.join(", "))?;
    }
    for key in &found.corrections {
        writeln!(out, "  set by the organiser, which no replay proves: {key}")?;
    }
    match (found.signature, &found.server, &found.required) {
        (Some("valid"), Some(server), Some(required)) if server != required => {
            writeln!(out, "  signed by server {server}, but server {required} is required")
        }
        (Some("valid"), Some(server), _) => writeln!(out, "  signed by server {server}"),
        (Some("invalid"), ..) => writeln!(out, "  the signature is another one's"),
        (_, _, Some(required)) => {
            writeln!(out, "  not signed, where the signature of server {required} is required")
        }
        _ => writeln!(out, "  not signed: no server vouches for names and times"),
    }
}
