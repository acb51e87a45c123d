//! The organiser's commands.

use super::{Effect, Effects, TournamentRunner};
use gridrace_shared::heat::identity::Fingerprint;
use gridrace_shared::heat::short_text::Announcement;
use gridrace_shared::protocol::tournament::{
    AnnouncedLine, CommandQuestion, MAX_GO_DELAY_SECONDS, MAX_NAMED_DISCARDS, TournamentCommand,
    TournamentError, TournamentUpdate,
};
use gridrace_shared::tournament::draw_commitment::DrawKey;
use gridrace_shared::tournament::ids::{EntrantId, ResultKey};
use gridrace_shared::tournament::log::{LogEntry, LogEntryError};
use gridrace_shared::tournament::public_log::{LogAuthor, PublicEvent};
use gridrace_shared::tournament::result::{BoardOutcome, BoardResult};
use gridrace_shared::util::time::{Millis, TournamentInstant};
use std::collections::BTreeMap;

/// The result of reading a command.
enum Plain {
    Record(PublicEvent),
    Entry { entry: LogEntry, reason: Option<Announcement> },
    Begin,
    Redraw { reason: Option<Announcement> },
    MoveGo { to: TournamentInstant },
    End { reason: Option<Announcement> },
}

/// The reason to refuse a command.
enum NotDone {
    Refused(TournamentError),
    /// These results would not count any more.
    Discards(Vec<ResultKey>),
    /// These boards of the round would not be raced.
    Unraced(Vec<ResultKey>),
}

impl From<TournamentError> for NotDone {
    fn from(error: TournamentError) -> Self {
        Self::Refused(error)
    }
}

impl From<LogEntryError> for NotDone {
    fn from(error: LogEntryError) -> Self {
        Self::Refused(TournamentError::Log(error))
    }
}

impl TournamentRunner {
    pub(super) fn command(
        &mut self,
        now: TournamentInstant,
        by: (Fingerprint, bool),
        command: TournamentCommand,
        confirmed: bool,
        out: &mut Effects,
    ) {
        let done = self.organisers.check(by, &command).map_err(NotDone::Refused);
        let done = done.and_then(|()| self.carry_out(now, by.0, &command, confirmed, out));
        let question = |discards: usize, unraced: usize, keys: Vec<ResultKey>| {
            TournamentUpdate::NeedsConfirmation(CommandQuestion {
                command,
                discards: super::count(discards),
                unraced: super::count(unraced),
                first: keys.into_iter().take(MAX_NAMED_DISCARDS).collect(),
            })
        };
        out.reply(match done {
            Ok(()) => TournamentUpdate::Done,
            Err(NotDone::Refused(error)) => TournamentUpdate::Refused(error),
            Err(NotDone::Discards(keys)) => question(keys.len(), 0, keys),
            Err(NotDone::Unraced(keys)) => question(0, keys.len(), keys),
        });
    }

    fn carry_out(
        &mut self,
        now: TournamentInstant,
        by: Fingerprint,
        command: &TournamentCommand,
        confirmed: bool,
        out: &mut Effects,
    ) -> Result<(), NotDone> {
        if self.is_closed {
            return Err(TournamentError::Over.into());
        }
        let author = LogAuthor::Key(by);
        match self.read(now, command)? {
            Plain::Record(event) => {
                self.record(now, author, event.clone(), out)?;
                self.on_recorded(now, event, out);
            }
            Plain::Entry { entry, reason } => {
                self.confirm(&entry, confirmed)?;
                self.replay_interrupted_boards(now, &entry, out)?;
                let entry = self.renumber(entry);
                self.record_entry(now, author, entry.clone(), reason.clone(), out)?;
                self.on_entry(&entry, reason, out);
            }
            Plain::Begin => self.begin(now, author, out)?,
            Plain::Redraw { reason } => self.redraw(now, author, (confirmed, reason), out)?,
            Plain::MoveGo { to } => {
                if !self.move_go(to, out) {
                    return Err(self.why_no_go().into());
                }
                self.record(now, author, PublicEvent::GoMoved { to }, out)?;
            }
            Plain::End { .. } if !confirmed && !self.fold.is_over() => {
                let boards = self.open_boards.values().flat_map(BTreeMap::values).flatten();
                return Err(NotDone::Unraced(boards.copied().collect()));
            }
            Plain::End { reason } => self.close(now, author, reason, out),
        }
        Ok(())
    }

    /// Reads a command: checks its texts and bounds, and whether it makes sense now.
    fn read(
        &self,
        now: TournamentInstant,
        command: &TournamentCommand,
    ) -> Result<Plain, TournamentError> {
        let entry = |entry| Ok(Plain::Entry { entry, reason: None });
        let because = |entry, reason: &str| {
            let reason = reason.parse().map_err(TournamentError::Text)?;
            Ok(Plain::Entry { entry, reason: Some(reason) })
        };
        let read_reason = |reason: &Option<String>| {
            reason.as_deref().map(str::parse).transpose().map_err(TournamentError::Text)
        };
        let may_say = |entry, reason| Ok(Plain::Entry { entry, reason: read_reason(reason)? });
        let latest = || self.latest_round().ok_or(TournamentError::NoRound);
        let unless = |why_not: Option<TournamentError>, event| match why_not {
            Some(why_not) => Err(why_not),
            None => Ok(Plain::Record(event)),
        };
        let (is_open, has_begun) = (self.is_check_in_open, self.has_begun);
        let begun = has_begun.then_some(TournamentError::HasBegun);
        match command {
            TournamentCommand::OpenCheckIn => {
                let open = is_open.then_some(TournamentError::CheckInOpen);
                unless(begun.or(open), PublicEvent::CheckInOpened)
            }
            TournamentCommand::CloseCheckIn => {
                let closed = (!is_open).then_some(TournamentError::CheckInClosed);
                unless(begun.or(closed), PublicEvent::CheckInClosed)
            }
            TournamentCommand::Begin if has_begun => Err(TournamentError::HasBegun),
            TournamentCommand::Begin => Ok(Plain::Begin),
            TournamentCommand::Pause => {
                let before = (!has_begun).then_some(TournamentError::NotBegun);
                let paused = self.is_paused.then_some(TournamentError::Paused);
                unless(before.or(paused), PublicEvent::Paused)
            }
            TournamentCommand::Resume => {
                let runs = (!self.is_paused).then_some(TournamentError::NotPaused);
                unless(runs, PublicEvent::Resumed)
            }
            TournamentCommand::MoveGo { seconds } if *seconds > MAX_GO_DELAY_SECONDS => {
                Err(TournamentError::GoDelay)
            }
            TournamentCommand::MoveGo { seconds } => {
                Ok(Plain::MoveGo { to: now + Millis::from_seconds((*seconds).into()) })
            }
            TournamentCommand::Replay { round, table, board, reason } => {
                let (round, attempt) = (*round, self.fold.next_attempt(*round));
                may_say(LogEntry::Replay { round, table: *table, board: *board, attempt }, reason)
            }
            TournamentCommand::Void { round, board, reason } => {
                may_say(LogEntry::Void { round: *round, board: *board }, reason)
            }
            TournamentCommand::SetResult { key, result, reason } => {
                let result = self.name_absent(*key, result.clone());
                let result = self.keep_unchanged_rows(*key, result);
                because(LogEntry::Result { key: *key, result }, reason)
            }
            TournamentCommand::TakeBack { entry, reason } => {
                let index = usize::try_from(*entry).unwrap_or(usize::MAX);
                // The player's key and name would stay taken.
                if let Some(LogEntry::Enter { .. }) = self.fold.log().get(index) {
                    return Err(TournamentError::KeepsEntries);
                }
                because(LogEntry::TakeBack { entry: *entry }, reason)
            }
            TournamentCommand::Redraw { reason } => {
                Ok(Plain::Redraw { reason: read_reason(reason)? })
            }
            TournamentCommand::Seed { order } => entry(LogEntry::Seed { order: order.clone() }),
            TournamentCommand::CheckIn { entrant } => {
                entry(LogEntry::CheckIn { entrant: *entrant })
            }
            TournamentCommand::Withdraw { entrant, reason } => {
                may_say(LogEntry::Withdraw { entrant: *entrant }, reason)
            }
            TournamentCommand::Seat { table, entrant, reason } => {
                let seat = LogEntry::Seat { round: latest()?, table: *table, entrant: *entrant };
                may_say(seat, reason)
            }
            TournamentCommand::Unseat { entrant, reason } => {
                may_say(LogEntry::Unseat { round: latest()?, entrant: *entrant }, reason)
            }
            TournamentCommand::Disqualify { entrant, reason } => {
                because(LogEntry::Disqualify { entrant: *entrant }, reason)
            }
            TournamentCommand::LateEntries { open } => {
                let same = match open {
                    true => TournamentError::TakesLateEntries,
                    false => TournamentError::TakesNoLateEntries,
                };
                let same = (*open == self.takes_late_entries).then_some(same);
                unless(same, PublicEvent::LateEntries { open: *open })
            }
            TournamentCommand::Announce { text } => {
                let text = text.parse().map_err(TournamentError::Text)?;
                unless(None, PublicEvent::Announced { text })
            }
            TournamentCommand::HandOver { to } => {
                let same = (*to == self.organiser()).then_some(TournamentError::IsOrganiser);
                unless(same, PublicEvent::HandedOver { to: *to })
            }
            TournamentCommand::AddHelper { key } => {
                let is_helper = self.may_command(*key).then_some(TournamentError::IsHelper);
                unless(is_helper, PublicEvent::HelperAdded { key: *key })
            }
            TournamentCommand::RemoveHelper { key } => {
                let is_helper = self.may_command(*key) && *key != self.organiser();
                let is_none = (!is_helper).then_some(TournamentError::NotHelper);
                unless(is_none, PublicEvent::HelperRemoved { key: *key })
            }
            TournamentCommand::EndStage => {
                // Between two stages the one that can't be drawn.
                let latest = latest()?.stage;
                let stage = self.fold.next_draw().map_or(latest, |next| next.stage);
                entry(LogEntry::EndStage { stage })
            }
            TournamentCommand::End { reason } => Ok(Plain::End { reason: read_reason(reason)? }),
        }
    }

    /// Lets a correction change nothing that it doesn't mean to. A form sends all rows, in the order of the
    /// seats and with outcomes as they are shown. So ties stay in the order in which the heat ranked them,
    /// and a disqualification of the whole round, which may be taken back, doesn't become part of a result.
    fn keep_unchanged_rows(&self, key: ResultKey, mut result: BoardResult) -> BoardResult {
        let round = self.fold.round(key.round);
        let shown = round.and_then(|round| round.result(key.table, key.board));
        let (Some(shown), Some(entered)) = (shown, self.fold.entered_result(key)) else {
            return result;
        };
        for (entrant, outcome) in &mut result.rows {
            if *outcome == BoardOutcome::Disqualified && *outcome == shown.outcome(*entrant) {
                *outcome = entered.outcome(*entrant);
            }
        }
        let place = |entrant| entered.rows.iter().position(|(it, _)| *it == entrant);
        result.rows.sort_by_key(|(entrant, outcome)| {
            (outcome.order(), place(*entrant).unwrap_or(entered.rows.len()))
        });
        result
    }

    fn on_recorded(&mut self, now: TournamentInstant, event: PublicEvent, out: &mut Effects) {
        match event {
            PublicEvent::Paused => self.cancel_countdowns(out),
            PublicEvent::Resumed => self.delay_boards(now + Self::countdown_after_pause()),
            PublicEvent::Announced { text } => {
                let line = AnnouncedLine { at: now, text };
                out.push(Effect::Broadcast(TournamentUpdate::Announcement(line)));
            }
            PublicEvent::HelperAdded { key }
            | PublicEvent::HelperRemoved { key }
            | PublicEvent::HandedOver { to: key } => out.push(Effect::NotifyKey(key)),
            PublicEvent::Entry { .. }
            | PublicEvent::Entrant { .. }
            | PublicEvent::DrawCommitted { .. }
            | PublicEvent::SecretRevealed { .. }
            | PublicEvent::CheckInOpened
            | PublicEvent::CheckInClosed
            | PublicEvent::Begun
            | PublicEvent::GoMoved { .. }
            | PublicEvent::LateEntries { .. }
            | PublicEvent::Ended { .. } => {}
        }
    }

    /// Tells those whom an entry of the organiser's concerns.
    fn on_entry(&self, entry: &LogEntry, reason: Option<Announcement>, out: &mut Effects) {
        let mut notify = |entrant: EntrantId| {
            if let Some(key) = self.entrants.key_of(entrant) {
                out.push(Effect::NotifyKey(key));
            }
        };
        match entry {
            LogEntry::CheckIn { entrant }
            | LogEntry::Withdraw { entrant }
            | LogEntry::Seat { entrant, .. }
            | LogEntry::Unseat { entrant, .. }
            | LogEntry::Disqualify { entrant } => notify(*entrant),
            LogEntry::Result { key, .. } => {
                if let Some(reason) = reason {
                    out.push(Effect::Broadcast(TournamentUpdate::Corrected { key: *key, reason }));
                }
            }
            LogEntry::TakeBack { entry } => self.on_taken_back(*entry, reason, out),
            LogEntry::Enter { .. }
            | LogEntry::Seed { .. }
            | LogEntry::Draw { .. }
            | LogEntry::Replay { .. }
            | LogEntry::Void { .. }
            | LogEntry::EndStage { .. } => {}
        }
    }

    fn on_taken_back(&self, entry: u32, reason: Option<Announcement>, out: &mut Effects) {
        let index = usize::try_from(entry).unwrap_or(usize::MAX);
        if let Some(LogEntry::Result { key, .. }) = self.fold.log().get(index)
            && let Some(reason) = reason
        {
            out.push(Effect::Broadcast(TournamentUpdate::Corrected { key: *key, reason }));
        }
        for (_, profile) in self.entrants.iter() {
            out.push(Effect::NotifyKey(profile.key));
        }
    }

    /// Refuses an entry that leaves results without effect, unless that is confirmed.
    fn confirm(&self, entry: &LogEntry, confirmed: bool) -> Result<(), NotDone> {
        if confirmed {
            return Ok(());
        }
        let discards = self.fold.discarded_by(entry)?;
        if discards.is_empty() { Ok(()) } else { Err(NotDone::Discards(discards)) }
    }

    /// Says why there is no GO to move.
    fn why_no_go(&self) -> TournamentError {
        if self.has_begun { TournamentError::NoGo } else { TournamentError::NotBegun }
    }

    /// Gives a replay the next attempt: another may have taken its own.
    fn renumber(&self, entry: LogEntry) -> LogEntry {
        let LogEntry::Replay { round, table, board, .. } = entry else { return entry };
        LogEntry::Replay { round, table, board, attempt: self.fold.next_attempt(round) }
    }

    fn begin(
        &mut self,
        now: TournamentInstant,
        author: LogAuthor,
        out: &mut Effects,
    ) -> Result<(), NotDone> {
        self.config.plan.check_field(self.fold.present().len()).map_err(LogEntryError::Field)?;
        self.record(now, author, PublicEvent::Begun, out)?;
        Ok(())
    }

    fn redraw(
        &mut self,
        now: TournamentInstant,
        author: LogAuthor,
        (confirmed, reason): (bool, Option<Announcement>),
        out: &mut Effects,
    ) -> Result<(), NotDone> {
        let round = self.latest_round().ok_or(TournamentError::NoRound)?;
        let mut waiting = self.fold.round(round).map_or_else(Vec::new, |it| it.entering.clone());
        let present = self.fold.present();
        waiting.retain(|entrant| present.contains(entrant));
        let key = DrawKey { round, attempt: self.fold.next_attempt(round) };
        let seed = self.config.secret.draw_seed(key);
        let entry = LogEntry::Draw { key, seed, waiting: waiting.clone() };
        self.confirm(&entry, confirmed)?;
        self.replay_interrupted_boards(now, &entry, out)?;
        self.draw(now, (round, waiting), author, reason, out)?;
        Ok(())
    }
}
