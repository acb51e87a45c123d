//! `gridrace verify`: does what a replay says follow from it, and who vouches for the rest?

use crate::cli::args::replay::VerifyArgs;
use crate::cli::exit_code::Failure;
use crate::commands::replay::{ReplaySource, report_unread};
use crate::commands::write_json_line;
use crate::display::format::INHUMAN_SPEED;
use crate::display::safe_text;
use crate::net::address::ServerNames;
use gridrace_shared::heat::identity::Fingerprint;
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::heat::standings::Standing;
use gridrace_shared::replay::{
    ParseError, Replay, SignatureCheck, VerifyError, VerifyReport, verify,
};
use serde::Serialize;
use std::io::{self, Write};

#[derive(Debug, Default, Serialize)]
struct ReplayFindings<'a> {
    file: &'a str,
    holds: bool,
    heat: Option<String>,
    number: Option<u32>,
    puzzle: Option<String>,
    players: Option<usize>,
    /// "none", "valid" or "invalid".
    signature: Option<&'static str>,
    /// The fingerprint of the key of the signature.
    server: Option<String>,
    damage: Option<Wrong>,
    /// Why the file can't be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    faults: Vec<Wrong>,
    /// How many faults there are, those left out included.
    count: u64,
    /// The numbers of players whose record is cut.
    cut: Vec<u32>,
    /// The numbers of players who finished too fast for a person.
    inhuman_speed: Vec<u32>,
}

#[derive(Debug, Default, Serialize)]
struct Wrong {
    offset: u64,
    section: Option<&'static str>,
    player: Option<u32>,
    after_move: Option<u32>,
    at_millis: Option<u64>,
    what: String,
}

pub async fn run(args: &VerifyArgs, servers: &ServerNames) -> Result<(), Failure> {
    let source = ReplaySource { data_dir: &args.place, connection: &args.connection, servers };
    let out = &mut io::stdout();
    let (mut bad, mut unread) = (0, 0);
    for file in &args.heats {
        let bytes = match source.read(file).await {
            Ok(bytes) => bytes,
            Err(failure) => {
                if args.json {
                    let error = Some(format!("{:#}", failure.why));
                    write_json_line(
                        out,
                        &ReplayFindings { file, error, ..ReplayFindings::default() },
                    )?;
                }
                out.flush()?;
                if args.heats.len() == 1 {
                    return Err(failure);
                }
                // The others are checked all the same.
                report_unread(&failure);
                unread += 1;
                continue;
            }
        };
        let verdict = verify(&bytes);
        if args.json {
            write_json_line(out, &found(file, &verdict, args.server))?;
        } else {
            tell(out, file, &verdict, args.server)?;
        }
        bad += usize::from(!verdict.is_ok_and(|verdict| holds(&verdict, args.server)));
    }
    out.flush()?;
    let files = args.heats.len();
    let hold = if bad == 1 { "doesn't hold" } else { "don't hold" };
    let why = match (bad, unread) {
        (0, 0) => return Ok(()),
        (0, _) => format!("{unread} of {files} can't be read"),
        (_, 0) => format!("{bad} of {files} {hold}"),
        _ => format!("{bad} of {files} {hold}, and {unread} can't be read"),
    };
    Err(Failure::other(why))
}

/// Returns whether the replay follows from the rules and its signature is valid. If a server is
/// required, the signature must be that server's; otherwise an unsigned replay passes as well.
fn holds(verdict: &VerifyReport, required: Option<Fingerprint>) -> bool {
    let is_signed_well = match verdict.signature {
        SignatureCheck::Unsigned => required.is_none(),
        SignatureCheck::Valid(server) => required.is_none_or(|required| required == server),
        SignatureCheck::Invalid(_) => false,
    };
    verdict.count == 0 && is_signed_well
}

fn tell(
    out: &mut impl Write,
    file: &str,
    verdict: &Result<VerifyReport, ParseError>,
    required: Option<Fingerprint>,
) -> io::Result<()> {
    let file = safe_text::lines(file);
    let verdict = match verdict {
        Ok(verdict) => verdict,
        Err(damage) => return writeln!(out, "{file}: damaged {damage}"),
    };
    let header = &verdict.replay.header;
    let events = &verdict.replay.events;
    let heat = format!(
        "room {}, heat {}, {}#{}",
        header.code, header.number, header.options.spec, header.secret.seed
    );
    if holds(verdict, required) {
        let (players, records) = (events.racers().len(), events.records().count());
        writeln!(
            out,
            "{file}: holds ({heat}: commitment, board, {records} records of {players} players, result)"
        )?;
    } else if verdict.count == 0 {
        let fault = match verdict.signature {
            SignatureCheck::Invalid(_) => "the signature doesn't hold",
            SignatureCheck::Unsigned | SignatureCheck::Valid(_) => "not signed as required",
        };
        writeln!(out, "{file}: {fault} ({heat})")?;
    } else {
        let count = verdict.count;
        let s = if count == 1 { " doesn't" } else { "s don't" };
        writeln!(out, "{file}: {count} thing{s} hold ({heat})")?;
    }
    for fault in &verdict.errors {
        let name = fault.player.and_then(|player| events.racer(player));
        let name = name.map_or_else(String::new, |racer| format!(" [{}]", racer.name));
        writeln!(out, "  {fault}{name}")?;
    }
    let told = verdict.errors.len() as u64;
    if verdict.count > told {
        writeln!(out, "  and {} more", verdict.count - told)?;
    }
    for player in &verdict.cut {
        writeln!(out, "  the record of player {player} is cut: the rest of it is believed")?;
    }
    for player in inhuman_speed(&verdict.replay) {
        let name = events.racer(player).map(|racer| format!(" [{}]", racer.name));
        let name = name.unwrap_or_default();
        writeln!(out, "  player {player} finished {INHUMAN_SPEED}{name}")?;
    }
    writeln!(out, "  {}", signature_text(verdict.signature, required))
}

/// Returns the players who finished too fast for a person: that breaks no rule, and is worth a look.
fn inhuman_speed(replay: &Replay) -> Vec<PlayerId> {
    let spec = &replay.header.options.spec;
    let is_inhuman = |row: &&Standing| {
        let racer = replay.events.racer(row.player);
        racer.is_some_and(|racer| row.is_inhuman(spec, racer.kind))
    };
    replay.outcome.standings.iter().filter(is_inhuman).map(|row| row.player).collect()
}

fn signature_text(signature: SignatureCheck, required: Option<Fingerprint>) -> String {
    match (signature, required) {
        (SignatureCheck::Unsigned, None) => {
            "not signed: no server vouches for names, times and moves".to_owned()
        }
        (SignatureCheck::Unsigned, Some(required)) => {
            format!("not signed, where the signature of server {required} is required")
        }
        (SignatureCheck::Valid(server), Some(required)) if server != required => {
            format!("signed by server {server}, but server {required} is required")
        }
        (SignatureCheck::Valid(server), _) => format!("signed by server {server}"),
        (SignatureCheck::Invalid(server), _) => {
            format!("the signature names server {server}, which has signed something else")
        }
    }
}

fn found<'a>(
    file: &'a str,
    verdict: &Result<VerifyReport, ParseError>,
    required: Option<Fingerprint>,
) -> ReplayFindings<'a> {
    let verdict = match verdict {
        Ok(verdict) => verdict,
        Err(damage) => {
            let damage = Wrong {
                offset: damage.offset,
                section: damage.section,
                what: damage.kind.to_string(),
                ..Wrong::default()
            };
            return ReplayFindings {
                file,
                damage: Some(damage),
                count: 1,
                ..ReplayFindings::default()
            };
        }
    };
    let (signature, server) = match verdict.signature {
        SignatureCheck::Unsigned => ("none", None),
        SignatureCheck::Valid(server) => ("valid", Some(server.to_string())),
        SignatureCheck::Invalid(server) => ("invalid", Some(server.to_string())),
    };
    let header = &verdict.replay.header;
    let wrong = |fault: &VerifyError| Wrong {
        offset: fault.offset,
        section: None,
        player: fault.player.map(|player| player.0),
        after_move: fault.after.map(|seq| seq.0),
        at_millis: fault.at.map(|at| at.0),
        what: fault.kind.to_string(),
    };
    ReplayFindings {
        file,
        holds: holds(verdict, required),
        heat: Some(header.code.to_string()),
        number: Some(header.number),
        puzzle: Some(format!("{}#{}", header.options.spec, header.secret.seed)),
        players: Some(verdict.replay.events.racers().len()),
        signature: Some(signature),
        server,
        damage: None,
        error: None,
        faults: verdict.errors.iter().map(wrong).collect(),
        count: verdict.count,
        cut: verdict.cut.iter().map(|player| player.0).collect(),
        inhuman_speed: inhuman_speed(&verdict.replay).iter().map(|player| player.0).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::replay;
    use gridrace_shared::heat::standings::RaceState;
    use gridrace_shared::util::time::Millis;

    #[test]
    fn a_person_who_finished_faster_than_people_can_is_named() {
        let mut replay = replay::slides();
        assert_eq!(inhuman_speed(&replay), []);
        let row = &mut replay.outcome.standings[0];
        row.state = RaceState::Finished { time: Millis(1_000) };
        row.moves.acts = 1_000;
        let player = row.player;
        assert_eq!(inhuman_speed(&replay), [player]);
    }
}
