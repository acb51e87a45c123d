//! The organiser's commands as a line of text: what the command line and the screen read.
//!
//! Stages, rounds, tables, boards and entries count from 1 here, as people do, and entrants go by their
//! names. A round that isn't named is the latest.

use crate::heat::identity::Fingerprint;
use crate::protocol::tournament::TournamentCommand;
use crate::tournament::ids::{EntrantId, ResultKey, RoundKey};
use crate::tournament::result::{BoardOutcome, BoardResult};
use crate::tournament_view::{LoggedProfile, TournamentView};
use crate::util::time::Millis;

/// A command with its arguments, and what it does.
#[derive(Debug, Clone, Copy)]
pub struct CommandForm {
    pub name: &'static str,
    /// What follows the name; empty if nothing does.
    pub arguments: &'static str,
    pub what: &'static str,
    read: Read,
}

type Read = fn(&Arguments<'_>) -> Result<TournamentCommand, CommandTextError>;

const fn form(
    name: &'static str,
    arguments: &'static str,
    what: &'static str,
    read: Read,
) -> CommandForm {
    CommandForm { name, arguments, what, read }
}

/// Every command, those of an ordinary evening first.
pub const COMMANDS: [CommandForm; 24] = [
    form("open-check-in", "", "open the check-in", |_| Ok(TournamentCommand::OpenCheckIn)),
    form("begin", "", "draw the first round", |_| Ok(TournamentCommand::Begin)),
    form("announce", "TEXT", "send a line to all followers", |it| {
        Ok(TournamentCommand::Announce { text: it.some()?.to_owned() })
    }),
    form("pause", "", "start no further board", |_| Ok(TournamentCommand::Pause)),
    form("resume", "", "go on after a pause", |_| Ok(TournamentCommand::Resume)),
    form("go", "SECONDS", "move the next GO", |it| {
        Ok(TournamentCommand::MoveGo { seconds: it.text.parse().map_err(|_| it.wrong())? })
    }),
    form("replay", "[round N] [table N] [board N][; REASON]", "race again", |it| {
        let (which, reason) = it.may_have_reason()?;
        let numbers = it.numbers(which)?;
        let (table, board) = (numbers.table, it.board(&numbers)?);
        Ok(TournamentCommand::Replay { round: it.round(&numbers)?, table, board, reason })
    }),
    form("void", "board N [round N][; REASON]", "a board counts for nobody", |it| {
        let (which, reason) = it.may_have_reason()?;
        let numbers = it.numbers(which)?;
        let board = it.board(&numbers)?.ok_or_else(|| it.wrong())?;
        Ok(TournamentCommand::Void { round: it.round(&numbers)?, board, reason })
    }),
    form(
        "result",
        "table N board N: NAME 31.48, NAME dnf 620, NAME dns; REASON",
        "set a result, or some of its rows",
        read_result,
    ),
    form("take-back", "ENTRY; REASON", "take an entry of the log back", |it| {
        let (entry, reason) = it.with_reason()?;
        let entry: u32 = entry.parse().map_err(|_| it.wrong())?;
        let entry = entry.checked_sub(1).ok_or(CommandTextError::Entry)?;
        Ok(TournamentCommand::TakeBack { entry, reason })
    }),
    form("redraw", "[; REASON]", "draw the latest round again", |it| {
        match it.may_have_reason()? {
            ("", reason) => Ok(TournamentCommand::Redraw { reason }),
            _ => Err(it.wrong()),
        }
    }),
    form("seed", "NAME, NAME ...", "put these first in the draw", |it| {
        let order = it.list(it.some()?, |name| it.entrant(name))?;
        Ok(TournamentCommand::Seed { order })
    }),
    form("check-in", "NAME", "check a player in", |it| {
        Ok(TournamentCommand::CheckIn { entrant: it.entrant(it.some()?)? })
    }),
    form("withdraw", "NAME[; REASON]", "draw this player no further", |it| {
        let (entrant, reason) = it.entrant_with_reason()?;
        Ok(TournamentCommand::Withdraw { entrant, reason })
    }),
    form("seat", "NAME table N[; REASON]", "give a seat at a table of this round", |it| {
        let (seat, reason) = it.may_have_reason()?;
        let (name, table) = seat.rsplit_once(" table ").ok_or_else(|| it.wrong())?;
        let table: u16 = table.trim().parse().map_err(|_| it.wrong())?;
        let table = table.checked_sub(1).ok_or_else(|| it.wrong())?;
        Ok(TournamentCommand::Seat { table, entrant: it.entrant(name)?, reason })
    }),
    form("unseat", "NAME[; REASON]", "take a seat of this round away", |it| {
        let (entrant, reason) = it.entrant_with_reason()?;
        Ok(TournamentCommand::Unseat { entrant, reason })
    }),
    form("disqualify", "NAME; REASON", "rank a player last and draw no more", |it| {
        let (name, reason) = it.with_reason()?;
        Ok(TournamentCommand::Disqualify { entrant: it.entrant(name)?, reason })
    }),
    form("late", "open|close", "let players enter late, or not", |it| match it.text {
        "open" => Ok(TournamentCommand::LateEntries { open: true }),
        "close" => Ok(TournamentCommand::LateEntries { open: false }),
        _ => Err(it.wrong()),
    }),
    form("close-check-in", "", "close the check-in", |_| Ok(TournamentCommand::CloseCheckIn)),
    form("hand-over", "NAME|FINGERPRINT", "make another the organiser", |it| {
        Ok(TournamentCommand::HandOver { to: it.key()? })
    }),
    form("add-helper", "NAME|FINGERPRINT", "let another help", |it| {
        Ok(TournamentCommand::AddHelper { key: it.key()? })
    }),
    form("remove-helper", "NAME|FINGERPRINT", "remove a helper", |it| {
        Ok(TournamentCommand::RemoveHelper { key: it.key()? })
    }),
    form("end-stage", "", "draw no further round of the stage", |_| {
        Ok(TournamentCommand::EndStage)
    }),
    form("end", "[REASON]", "end the tournament as it stands", |it| {
        // As other commands have it behind a semicolon.
        let text = it.text.trim_start_matches(';').trim_start();
        let reason = Some(text).filter(|text| !text.is_empty()).map(str::to_owned);
        Ok(TournamentCommand::End { reason })
    }),
];

/// An error in the text of a command.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommandTextError {
    #[error("there is no command {0:?}; there are {names}", names = names())]
    Unknown(String),
    #[error("{name} is written: {name} {arguments}")]
    Arguments { name: &'static str, arguments: &'static str },
    #[error("no entrant is called {0:?}")]
    NoSuchEntrant(String),
    #[error(
        "{0} is missing: a result names all players of the table, with dns for those who didn't start"
    )]
    Missing(String),
    #[error("no round is drawn yet")]
    NoRound,
    #[error("{0:?} is no outcome: 31.48, 1:03.5, dnf, dnf 620 (thousandths), dns or dq")]
    Outcome(String),
    #[error("entries count from 1")]
    Entry,
}

fn names() -> String {
    COMMANDS.map(|form| form.name).join(", ")
}

/// Reads a command, such as `replay table 3` or `disqualify Max; two accounts`.
///
/// # Errors
///
/// It is no command, or names what isn't there.
pub fn parse_command(
    view: &TournamentView,
    text: &str,
) -> Result<TournamentCommand, CommandTextError> {
    let text = text.trim();
    let end = text.find(|it: char| it.is_whitespace() || it == ';').unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    let known = COMMANDS.into_iter().find(|form| form.name.eq_ignore_ascii_case(word));
    let form = known.ok_or_else(|| CommandTextError::Unknown(word.to_owned()))?;
    let arguments = Arguments { view, form, text: rest.trim() };
    if form.arguments.is_empty() && !arguments.text.is_empty() {
        return Err(arguments.wrong());
    }
    (form.read)(&arguments)
}

struct Arguments<'a> {
    view: &'a TournamentView,
    form: CommandForm,
    text: &'a str,
}

/// The numbers that name boards, from 0.
#[derive(Debug, Default)]
struct Numbers {
    stage: Option<u16>,
    round: Option<u16>,
    table: Option<u16>,
    board: Option<u16>,
}

impl Arguments<'_> {
    fn wrong(&self) -> CommandTextError {
        let CommandForm { name, arguments, .. } = self.form;
        CommandTextError::Arguments { name, arguments }
    }

    fn some(&self) -> Result<&str, CommandTextError> {
        if self.text.is_empty() { Err(self.wrong()) } else { Ok(self.text) }
    }

    /// Splits off the reason, which stands behind the last semicolon.
    fn with_reason(&self) -> Result<(&str, String), CommandTextError> {
        let (what, reason) = self.text.rsplit_once(';').ok_or_else(|| self.wrong())?;
        let (what, reason) = (what.trim(), reason.trim());
        if what.is_empty() || reason.is_empty() {
            return Err(self.wrong());
        }
        Ok((what, reason.to_owned()))
    }

    /// Splits off the reason, if there is one.
    fn may_have_reason(&self) -> Result<(&str, Option<String>), CommandTextError> {
        let Some((what, reason)) = self.text.rsplit_once(';') else { return Ok((self.text, None)) };
        let reason = reason.trim();
        if reason.is_empty() {
            return Err(self.wrong());
        }
        Ok((what.trim(), Some(reason.to_owned())))
    }

    fn entrant_with_reason(&self) -> Result<(EntrantId, Option<String>), CommandTextError> {
        // A name may have a semicolon.
        if let Some(profile) = self.profile(self.text) {
            return Ok((profile.entrant, None));
        }
        let (name, reason) = self.may_have_reason()?;
        if name.is_empty() {
            return Err(self.wrong());
        }
        Ok((self.entrant(name)?, reason))
    }

    fn numbers(&self, text: &str) -> Result<Numbers, CommandTextError> {
        let mut numbers = Numbers::default();
        let mut words = text.split_whitespace();
        while let Some(word) = words.next() {
            let slot = match word {
                "stage" => &mut numbers.stage,
                "round" => &mut numbers.round,
                "table" => &mut numbers.table,
                "board" => &mut numbers.board,
                _ => return Err(self.wrong()),
            };
            let number: Option<u16> = words.next().and_then(|number| number.parse().ok());
            let number = number.and_then(|number| number.checked_sub(1));
            *slot = Some(number.ok_or_else(|| self.wrong())?);
        }
        Ok(numbers)
    }

    fn round(&self, numbers: &Numbers) -> Result<RoundKey, CommandTextError> {
        let latest = self.view.log.latest_round().ok_or(CommandTextError::NoRound)?;
        let stage = match numbers.stage {
            Some(stage) => u8::try_from(stage).map_err(|_| self.wrong())?,
            None => latest.stage,
        };
        Ok(RoundKey { stage, round: numbers.round.unwrap_or(latest.round) })
    }

    fn board(&self, numbers: &Numbers) -> Result<Option<u8>, CommandTextError> {
        numbers.board.map(|board| u8::try_from(board).map_err(|_| self.wrong())).transpose()
    }

    /// Reads a list with commas, which names may have, too: the longest item that can be read comes
    /// first.
    fn list<T>(
        &self,
        text: &str,
        read: impl Fn(&str) -> Result<T, CommandTextError>,
    ) -> Result<Vec<T>, CommandTextError> {
        let names = self.view.log.profiles().map(|profile| profile.name.as_str());
        let most_commas = names.map(|name| name.matches(',').count()).max().unwrap_or(0);
        let parts: Vec<&str> = text.split(',').collect();
        let (mut items, mut from) = (Vec::new(), 0);
        while from < parts.len() {
            let longest = (from + 1 + most_commas).min(parts.len());
            let long = (from + 2..=longest).rev();
            let mut long = long.filter_map(|to| Some((to, read(&parts[from..to].join(",")).ok()?)));
            let (to, item) = match long.next() {
                Some(found) => found,
                None => (from + 1, read(parts[from])?),
            };
            items.push(item);
            from = to;
        }
        Ok(items)
    }

    /// Reads `NAME OUTCOME`; the name may have spaces.
    fn row(&self, text: &str) -> Result<(EntrantId, BoardOutcome), CommandTextError> {
        let words: Vec<&str> = text.split_whitespace().collect();
        // The longest name first, so that a player may be called "Max 2".
        for split in (1..words.len()).rev() {
            let (name, outcome) = (words[..split].join(" "), words[split..].join(" "));
            if let Ok(entrant) = self.entrant(&name) {
                let outcome = read_outcome(&outcome);
                return Ok((
                    entrant,
                    outcome.ok_or_else(|| CommandTextError::Outcome(text.into()))?,
                ));
            }
        }
        Err(CommandTextError::NoSuchEntrant(text.to_owned()))
    }

    fn profile(&self, name: &str) -> Option<&LoggedProfile> {
        let wanted = name.trim().to_lowercase();
        self.view.log.profiles().find(|profile| profile.name.as_str().to_lowercase() == wanted)
    }

    fn entrant(&self, name: &str) -> Result<EntrantId, CommandTextError> {
        let found = self.profile(name).map(|profile| profile.entrant);
        found.ok_or_else(|| CommandTextError::NoSuchEntrant(name.trim().to_owned()))
    }

    fn key(&self) -> Result<Fingerprint, CommandTextError> {
        let text = self.some()?;
        if let Ok(key) = text.parse() {
            return Ok(key);
        }
        let found = self.profile(text).map(|profile| profile.key);
        found.ok_or_else(|| CommandTextError::NoSuchEntrant(text.to_owned()))
    }
}

/// Reads a result. An entrant who isn't named keeps the row of the result that stands.
fn read_result(arguments: &Arguments<'_>) -> Result<TournamentCommand, CommandTextError> {
    let (what, reason) = arguments.with_reason()?;
    let (place, rows) = what.split_once(':').ok_or_else(|| arguments.wrong())?;
    let numbers = arguments.numbers(place)?;
    let round = arguments.round(&numbers)?;
    let table = numbers.table.ok_or_else(|| arguments.wrong())?;
    let board = arguments.board(&numbers)?.ok_or_else(|| arguments.wrong())?;
    let log = &arguments.view.log;
    let attempt = log.tournament().attempt(round, table, board).unwrap_or(0);
    let named = arguments.list(rows, |row| arguments.row(row.trim()))?;
    let state = log.round(round).map(|(_, state)| state);
    let standing = state.and_then(|state| state.result(table, board));
    let drawn = state.and_then(|state| state.draw.table(table));
    let is_missing = |entrant: &&EntrantId| !named.iter().any(|(it, _)| it == *entrant);
    if standing.is_none()
        && let Some(missing) = drawn.and_then(|drawn| drawn.seats.iter().find(is_missing))
    {
        return Err(CommandTextError::Missing(log.name(*missing)));
    }
    let kept = standing.map_or(&[][..], |standing| &standing.rows);
    let kept = kept.iter().filter(|(entrant, _)| is_missing(&entrant)).copied();
    let mut rows: Vec<_> = kept.chain(named.iter().copied()).collect();
    rows.sort_by_key(|(_, outcome)| outcome.order());
    let key = ResultKey { round, table, board, attempt };
    Ok(TournamentCommand::SetResult { key, result: BoardResult { rows }, reason })
}

/// Reads an outcome: a time in seconds or minutes and seconds, `dnf` with its progress in
/// thousandths, `dns` or `dq`.
fn read_outcome(text: &str) -> Option<BoardOutcome> {
    let text = text.to_lowercase();
    match text.as_str() {
        "dns" => return Some(BoardOutcome::Dns),
        "dq" => return Some(BoardOutcome::Disqualified),
        "dnf" => return Some(BoardOutcome::Dnf { progress: 0 }),
        _ => {}
    }
    if let Some(progress) = text.strip_prefix("dnf ") {
        let progress = progress.parse().ok().filter(|progress| *progress <= 1_000)?;
        return Some(BoardOutcome::Dnf { progress });
    }
    let (minutes, seconds) = text.split_once(':').unwrap_or(("0", &text));
    let (seconds, decimals) = seconds.split_once('.').unwrap_or((seconds, ""));
    if decimals.len() > 3 || !decimals.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let millis: u64 = format!("{decimals:0<3}").parse().ok()?;
    let (minutes, seconds): (u64, u64) = (minutes.parse().ok()?, seconds.parse().ok()?);
    let seconds = minutes.checked_mul(60)?.checked_add(seconds)?;
    let time = seconds.checked_mul(1_000)?.checked_add(millis).filter(|time| *time > 0)?;
    Some(BoardOutcome::Finished { time: Millis(time) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::log::LogEntry;
    use crate::tournament_view::tests::{append, append_entrant, raced_view};

    fn read(text: &str) -> Result<TournamentCommand, CommandTextError> {
        parse_command(&raced_view(), text)
    }

    #[test]
    fn every_command_is_read_as_its_form_says() {
        let round = RoundKey { stage: 0, round: 0 };
        for (text, command) in [
            ("open-check-in", TournamentCommand::OpenCheckIn),
            ("Begin", TournamentCommand::Begin),
            (
                "announce Pizza; at nine",
                TournamentCommand::Announce { text: "Pizza; at nine".to_owned() },
            ),
            ("go 90", TournamentCommand::MoveGo { seconds: 90 }),
            ("replay", TournamentCommand::Replay { round, table: None, board: None, reason: None }),
            (
                "replay table 2 board 1; a power cut",
                TournamentCommand::Replay {
                    round,
                    table: Some(1),
                    board: Some(0),
                    reason: Some("a power cut".to_owned()),
                },
            ),
            (
                "replay stage 2 round 3",
                TournamentCommand::Replay {
                    round: RoundKey { stage: 1, round: 2 },
                    table: None,
                    board: None,
                    reason: None,
                },
            ),
            ("void board 1", TournamentCommand::Void { round, board: 0, reason: None }),
            ("redraw", TournamentCommand::Redraw { reason: None }),
            ("redraw; late", TournamentCommand::Redraw { reason: Some("late".to_owned()) }),
            (
                "withdraw player 2;went home",
                TournamentCommand::Withdraw {
                    entrant: EntrantId(2),
                    reason: Some("went home".to_owned()),
                },
            ),
            (
                "take-back 3; wrong key",
                TournamentCommand::TakeBack { entry: 2, reason: "wrong key".to_owned() },
            ),
            (
                "seed player 3, PLAYER 1",
                TournamentCommand::Seed { order: vec![EntrantId(3), EntrantId(1)] },
            ),
            ("unseat player 2", TournamentCommand::Unseat { entrant: EntrantId(2), reason: None }),
            ("check-in player 2", TournamentCommand::CheckIn { entrant: EntrantId(2) }),
            (
                "seat player 2 table 3; a chair",
                TournamentCommand::Seat {
                    table: 2,
                    entrant: EntrantId(2),
                    reason: Some("a chair".to_owned()),
                },
            ),
            ("end", TournamentCommand::End { reason: None }),
            ("end; rain", TournamentCommand::End { reason: Some("rain".to_owned()) }),
            ("end rain", TournamentCommand::End { reason: Some("rain".to_owned()) }),
            (
                "disqualify player 2; two accounts",
                TournamentCommand::Disqualify {
                    entrant: EntrantId(2),
                    reason: "two accounts".to_owned(),
                },
            ),
            ("late close", TournamentCommand::LateEntries { open: false }),
        ] {
            assert_eq!(read(text), Ok(command), "{text}");
        }
        let by_name = read("hand-over player 2").unwrap();
        let TournamentCommand::HandOver { to } = by_name else { panic!("{by_name:?}") };
        assert_eq!(read(&format!("add-helper {to}")), Ok(TournamentCommand::AddHelper { key: to }));
    }

    #[test]
    fn a_result_is_ranked_by_time_and_names_all_players_of_the_table() {
        let result = "result table 1 board 1: player 4 1:03.5, player 2 31.48; the clock was wrong";
        let Ok(TournamentCommand::SetResult { key, result, reason }) = read(result) else {
            panic!("{:?}", read(result));
        };
        assert_eq!((key.table, key.board, key.attempt), (0, 0, 0));
        assert_eq!(reason, "the clock was wrong");
        let finished = |time| BoardOutcome::Finished { time: Millis(time) };
        let rows = [(EntrantId(2), finished(31_480)), (EntrantId(4), finished(63_500))];
        assert_eq!(result.rows, rows);
        let missing = read("result table 1 board 1: player 4 1:03.5; a power cut").unwrap_err();
        assert_eq!(missing, CommandTextError::Missing("player 2".to_owned()));
    }

    #[test]
    fn a_correction_keeps_the_rows_of_those_whom_it_does_not_name() {
        let mut view = raced_view();
        let finished = |time| BoardOutcome::Finished { time: Millis(time) };
        let round = RoundKey { stage: 0, round: 0 };
        let key = ResultKey { round, table: 0, board: 0, attempt: 0 };
        let rows = vec![(EntrantId(2), finished(9_000)), (EntrantId(4), finished(12_000))];
        append(&mut view, LogEntry::Result { key, result: BoardResult { rows } });
        let text = "result table 1 board 1: player 4 8.5; a typo";
        let Ok(TournamentCommand::SetResult { result, .. }) = parse_command(&view, text) else {
            panic!("{:?}", parse_command(&view, text));
        };
        let rows = [(EntrantId(4), finished(8_500)), (EntrantId(2), finished(9_000))];
        assert_eq!(result.rows, rows);
    }

    #[test]
    fn names_may_have_commas_and_semicolons() {
        let mut view = raced_view();
        for (number, name) in [(5, "Smith, J."), (6, "Ann;Bob")] {
            append_entrant(&mut view, number, name);
        }
        let order = vec![EntrantId(1), EntrantId(5), EntrantId(2)];
        let seed = parse_command(&view, "seed player 1,smith, j., player 2");
        assert_eq!(seed, Ok(TournamentCommand::Seed { order }));
        for (text, reason) in
            [("withdraw Ann;Bob", None), ("withdraw Ann;Bob; gone", Some("gone".to_owned()))]
        {
            let entrant = EntrantId(6);
            let withdrawn = TournamentCommand::Withdraw { entrant, reason };
            assert_eq!(parse_command(&view, text), Ok(withdrawn));
        }
    }

    #[test]
    fn an_outcome_is_a_time_or_why_there_is_none() {
        for (text, outcome) in [
            ("dnf 620", Some(BoardOutcome::Dnf { progress: 620 })),
            ("DNS", Some(BoardOutcome::Dns)),
            ("dq", Some(BoardOutcome::Disqualified)),
            ("dnf 1001", None),
            ("31.4800", None),
            ("0", None),
            ("-3", None),
            ("99999999999999999999", None),
        ] {
            assert_eq!(read_outcome(text), outcome, "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_said_with_what_is_accepted() {
        for (text, error) in [
            ("restart", "there is no command \"restart\"; there are open-check-in, begin"),
            ("pause now", "pause is written: pause"),
            ("go soon", "go is written: go SECONDS"),
            ("replay table 0", "replay is written"),
            ("replay 3", "replay is written"),
            ("void", "void is written: void board N"),
            ("seat Max", "seat is written: seat NAME table N"),
            ("redraw now", "redraw is written: redraw [; REASON]"),
            ("void board 1;", "void is written"),
            ("withdraw ; gone", "withdraw is written: withdraw NAME[; REASON]"),
            ("check-in Zoë", "no entrant is called \"Zoë\""),
            ("disqualify player 1", "disqualify is written: disqualify NAME; REASON"),
            ("take-back 0; no", "entries count from 1"),
            ("result table 1 board 1: player 1 fast; x", "is no outcome"),
            ("late", "late is written: late open|close"),
        ] {
            let why = read(text).unwrap_err().to_string();
            assert!(why.contains(error), "{text}: {why}");
        }
    }
}
