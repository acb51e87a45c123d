//! Scores, phases and lines of the log of a tournament in words.

use crate::display::format;
use gridrace_shared::protocol::tournament::{TournamentHead, TournamentPhase};
use gridrace_shared::tournament::ids::{EntrantId, RoundKey};
use gridrace_shared::tournament::log::{LogEntry, Presence};
use gridrace_shared::tournament::plan::TournamentPlan;
use gridrace_shared::tournament::public_log::{LogAuthor, LogLine, PublicEvent};
use gridrace_shared::tournament::result::{BoardOutcome, BoardResult};
use gridrace_shared::tournament::score::Score;
use gridrace_shared::tournament_view::{FollowedLog, TournamentView};

/// Returns a score as the standings show it.
pub(crate) fn score(score: Score) -> String {
    match score {
        Score::Points(points) | Score::Places(points) => points.to_string(),
        Score::Time(time) => format::result(time),
    }
}

/// Returns a score with its unit.
pub(crate) fn score_with_unit(score: Score) -> String {
    let number = self::score(score);
    match score {
        Score::Points(1) => format!("{number} point"),
        Score::Places(1) => format!("{number} place"),
        Score::Points(_) | Score::Places(_) => format!("{number} {}", score_unit(score)),
        Score::Time(_) => number,
    }
}

/// Returns what the numbers of the standings are.
pub(crate) const fn score_unit(score: Score) -> &'static str {
    match score {
        Score::Points(_) => "points",
        Score::Places(_) => "places",
        Score::Time(_) => "time",
    }
}

pub(crate) fn outcome(outcome: BoardOutcome) -> String {
    match outcome {
        BoardOutcome::Finished { time } => format::result(Some(time)),
        BoardOutcome::Dnf { progress } => format!("DNF {}%", progress / 10),
        BoardOutcome::Dns => "DNS".to_owned(),
        BoardOutcome::Disqualified => "DQ".to_owned(),
    }
}

/// Says whether an entrant is there. One who isn't drawn any more for absences has to check in again, as
/// one who has withdrawn.
pub(crate) const fn presence(presence: Presence, is_drawn: bool) -> &'static str {
    match presence {
        Presence::Entered => "not here yet",
        Presence::Present if is_drawn => "here",
        Presence::Present | Presence::Withdrawn => "withdrawn",
        Presence::Disqualified => "disqualified",
    }
}

/// Names a round; the stage only where there are several.
pub(crate) fn round(plan: &TournamentPlan, key: RoundKey) -> String {
    let round = u32::from(key.round) + 1;
    if plan.stages().len() > 1 {
        format!("stage {}, round {round}", u16::from(key.stage) + 1)
    } else {
        format!("round {round}")
    }
}

/// Names the round and the board that is raced, or is next.
pub(crate) fn board(plan: &TournamentPlan, head: &TournamentHead) -> Option<String> {
    let board = u16::from(head.board) + 1;
    head.round.map(|key| {
        let stage = plan.stages().get(usize::from(key.stage));
        let boards = stage.map_or(1, |stage| stage.boards);
        format!("{}, board {board} of {boards}", round(plan, key))
    })
}

/// Says how far a tournament is, without its times.
pub(crate) fn phase(plan: &TournamentPlan, head: &TournamentHead) -> String {
    let place = board(plan, head).unwrap_or_default();
    match head.phase {
        TournamentPhase::Entries => "players enter".to_owned(),
        TournamentPhase::CheckIn => "check-in".to_owned(),
        TournamentPhase::Waiting if head.counts.present < 2 => {
            "waiting: fewer than two players are here".to_owned()
        }
        TournamentPhase::Waiting => "waiting for the next draw".to_owned(),
        TournamentPhase::Break | TournamentPhase::Pause => format!("next: {place}"),
        TournamentPhase::Racing => place,
        TournamentPhase::Over => "over".to_owned(),
    }
}

/// Says what a line of the log is about. It is safe to print once it is made displayable.
pub(crate) fn log_line(log: &FollowedLog, line: &LogLine) -> String {
    match &line.event {
        PublicEvent::Entrant { entrant, name, .. } => format!("{entrant} is {name}"),
        PublicEvent::Entry { entry, reason } => {
            let what = log_entry(log, entry);
            match reason {
                Some(reason) => format!("{what} ({reason})"),
                None => what,
            }
        }
        PublicEvent::DrawCommitted { key, commitment } => {
            format!("{}: commitment {commitment}", round(log.tournament().plan(), key.round))
        }
        PublicEvent::SecretRevealed { .. } => "the secret of all draws is revealed".to_owned(),
        PublicEvent::CheckInOpened => "check-in opens".to_owned(),
        PublicEvent::CheckInClosed => "check-in closes".to_owned(),
        PublicEvent::Begun => "the tournament begins".to_owned(),
        PublicEvent::Paused => "paused".to_owned(),
        PublicEvent::Resumed => "resumed".to_owned(),
        PublicEvent::GoMoved { to } => {
            format!("the next GO is moved to {}", format::minutes(to.since_epoch()))
        }
        PublicEvent::LateEntries { open: true } => "late entries are taken".to_owned(),
        PublicEvent::LateEntries { open: false } => "no late entries are taken".to_owned(),
        PublicEvent::Announced { text } => format!("announced: {text}"),
        PublicEvent::HandedOver { to } => format!("the organiser's key is {to}"),
        PublicEvent::HelperAdded { key } => format!("a helper's key is {key}"),
        PublicEvent::HelperRemoved { key } => format!("{key} is no helper's key any more"),
        PublicEvent::Ended { reason: Some(reason) } => format!("the tournament ends ({reason})"),
        PublicEvent::Ended { reason: None } => "the tournament ends".to_owned(),
    }
}

/// Returns the author of a line of the log, if it is neither the server nor the entrant concerned.
pub(crate) fn author(view: &TournamentView, line: &LogLine) -> Option<String> {
    let LogAuthor::Key(key) = line.by else { return None };
    if key == view.organiser {
        return Some("the organiser".to_owned());
    }
    let about = if let PublicEvent::Entrant { entrant, .. } = &line.event {
        Some(*entrant)
    } else if let Some(
        LogEntry::Enter { entrant, .. }
        | LogEntry::CheckIn { entrant }
        | LogEntry::Withdraw { entrant },
    ) = line.entry()
    {
        Some(*entrant)
    } else {
        None
    };
    let by = view.log.profiles().find(|profile| profile.key == key);
    match by {
        Some(profile) if about == Some(profile.entrant) => None,
        Some(profile) => Some(profile.name.to_string()),
        // A helper who doesn't play, or an operator of the server.
        None => Some(format!("the key {key}")),
    }
}

fn log_entry(log: &FollowedLog, entry: &LogEntry) -> String {
    let name = |entrant: &EntrantId| log.name(*entrant);
    let plan = log.tournament().plan();
    match entry {
        LogEntry::Enter { entrant, .. } => format!("{} enters", name(entrant)),
        LogEntry::CheckIn { entrant } => format!("{} is here", name(entrant)),
        LogEntry::Withdraw { entrant } => format!("{} withdraws", name(entrant)),
        LogEntry::Disqualify { entrant } => format!("{} is disqualified", name(entrant)),
        LogEntry::Seed { order } => {
            let order: Vec<String> = order.iter().map(name).collect();
            format!("seeds: {}", order.join(", "))
        }
        LogEntry::Draw { key, .. } => format!("{} is drawn", round(plan, key.round)),
        LogEntry::Result { key, result } => {
            let (table, board) = (key.table + 1, u16::from(key.board) + 1);
            let round = round(plan, key.round);
            let rows = result_line(log, result);
            // Last, as a narrow screen cuts the line.
            format!("table {table}, board {board}: {rows} ({round})")
        }
        LogEntry::Replay { round: key, table, board, .. } => {
            let table = table.map(|table| format!(", table {}", table + 1)).unwrap_or_default();
            let board = board.map(|board| format!(", board {}", u16::from(board) + 1));
            let round = round(plan, *key);
            format!("{round}{table}{} is raced again", board.unwrap_or_default())
        }
        LogEntry::Seat { table, entrant, .. } => {
            format!("{} is seated at table {}", name(entrant), table + 1)
        }
        LogEntry::Unseat { entrant, .. } => format!("{} gives up the seat", name(entrant)),
        LogEntry::Void { round: key, board } => {
            format!("{}, board {} counts for nobody", round(plan, *key), u16::from(*board) + 1)
        }
        LogEntry::EndStage { stage } => format!("stage {} ends", u16::from(*stage) + 1),
        LogEntry::TakeBack { entry } => format!("entry {} is taken back", entry + 1),
    }
}

/// Returns the rows of a result, the best first.
pub(crate) fn result_line(log: &FollowedLog, result: &BoardResult) -> String {
    if result.rows.is_empty() {
        return "nobody came".to_owned();
    }
    let rows = result.rows.iter();
    let rows = rows.map(|(entrant, row)| format!("{} {}", log.name(*entrant), outcome(*row)));
    rows.collect::<Vec<_>>().join(", ")
}
/// Says what an `end` before its time leaves out.
pub(crate) fn unraced(boards: u32) -> String {
    match boards {
        0 => "The plan isn't raced to its end".to_owned(),
        1 => "1 board of the round isn't raced".to_owned(),
        boards => format!("{boards} boards of the round aren't raced"),
    }
}
