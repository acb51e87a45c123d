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

/// The action of a command, once it is interpreted.
enum CommandAction {
    Record(PublicEvent),
    Entry { entry: LogEntry, reason: Option<Announcement> },
    Begin,
    Redraw { reason: Option<Announcement> },
    MoveGo { to: TournamentInstant },
    End { reason: Option<Announcement> },
}

/// The reason to refuse a command.
enum CommandError {
    Refused(TournamentError),
    /// These results would not count any more.
    Discards(Vec<ResultKey>),
    /// These boards of the round would not be raced.
    Unraced(Vec<ResultKey>),
}

impl From<TournamentError> for CommandError {
    fn from(error: TournamentError) -> Self {
        Self::Refused(error)
    }
}

impl From<LogEntryError> for CommandError {
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
        let done = self.organisers.check(by, &command).map_err(CommandError::Refused);
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
            Err(CommandError::Refused(error)) => TournamentUpdate::Refused(error),
            Err(CommandError::Discards(keys)) => question(keys.len(), 0, keys),
            Err(CommandError::Unraced(keys)) => question(0, keys.len(), keys),
        });
    }

    fn carry_out(
        &mut self,
        now: TournamentInstant,
        by: Fingerprint,
        command: &TournamentCommand,
        confirmed: bool,
        out: &mut Effects,
    ) -> Result<(), CommandError> {
        if self.is_closed {
            return Err(TournamentError::Over.into());
        }
        let author = LogAuthor::Key(by);
        match self.interpret(now, command)? {
            CommandAction::Record(event) => {
                self.record(now, author, event.clone(), out)?;
                self.on_recorded(now, event, out);
            }
            CommandAction::Entry { entry, reason } => {
                self.confirm(&entry, confirmed)?;
                self.replay_interrupted_boards(now, &entry, out)?;
                let entry = self.renumber(entry);
                self.record_entry(now, author, entry.clone(), reason.clone(), out)?;
                self.on_entry(&entry, reason, out);
            }
            CommandAction::Begin => self.begin(now, author, out)?,
            CommandAction::Redraw { reason } => {
                self.redraw(now, author, (confirmed, reason), out)?;
            }
            CommandAction::MoveGo { to } => {
                if !self.move_go(to, out) {
                    return Err(self.why_no_go().into());
                }
                self.record(now, author, PublicEvent::GoMoved { to }, out)?;
            }
            CommandAction::End { .. } if !confirmed && !self.fold.is_over() => {
                let boards = self.open_boards.values().flat_map(BTreeMap::values).flatten();
                return Err(CommandError::Unraced(boards.copied().collect()));
            }
            CommandAction::End { reason } => self.close(now, author, reason, out),
        }
        Ok(())
    }

    /// Interprets a command: checks its texts and bounds, and whether it makes sense now.
    fn interpret(
        &self,
        now: TournamentInstant,
        command: &TournamentCommand,
    ) -> Result<CommandAction, TournamentError> {
        match command {
            TournamentCommand::OpenCheckIn => self.interpret_check_in_switch(true),
            TournamentCommand::CloseCheckIn => self.interpret_check_in_switch(false),
            TournamentCommand::Begin => self.interpret_begin(),
            TournamentCommand::Pause => self.interpret_pause(),
            TournamentCommand::Resume => self.interpret_resume(),
            TournamentCommand::MoveGo { seconds } => interpret_move_go(now, *seconds),
            TournamentCommand::LateEntries { open } => self.interpret_late_entries(*open),
            TournamentCommand::EndStage => self.interpret_end_stage(),
            TournamentCommand::End { reason } => {
                Ok(CommandAction::End { reason: parse_reason(reason.as_deref())? })
            }
            TournamentCommand::Redraw { reason } => {
                Ok(CommandAction::Redraw { reason: parse_reason(reason.as_deref())? })
            }
            TournamentCommand::Replay { round, table, board, reason } => {
                let (round, attempt) = (*round, self.fold.next_attempt(*round));
                let entry = LogEntry::Replay { round, table: *table, board: *board, attempt };
                make_entry(entry, reason.as_deref())
            }
            TournamentCommand::Void { round, board, reason } => {
                make_entry(LogEntry::Void { round: *round, board: *board }, reason.as_deref())
            }
            TournamentCommand::SetResult { key, result, reason } => {
                let result = self.name_absent(*key, result.clone());
                let result = self.keep_unchanged_rows(*key, result);
                make_entry(LogEntry::Result { key: *key, result }, Some(reason))
            }
            TournamentCommand::TakeBack { entry, reason } => {
                self.interpret_take_back(*entry, reason)
            }
            TournamentCommand::Seed { order } => {
                make_entry(LogEntry::Seed { order: order.clone() }, None)
            }
            TournamentCommand::CheckIn { entrant } => {
                make_entry(LogEntry::CheckIn { entrant: *entrant }, None)
            }
            TournamentCommand::Withdraw { entrant, reason } => {
                make_entry(LogEntry::Withdraw { entrant: *entrant }, reason.as_deref())
            }
            TournamentCommand::Seat { table, entrant, reason } => {
                let round = self.latest_round().ok_or(TournamentError::NoRound)?;
                let seat = LogEntry::Seat { round, table: *table, entrant: *entrant };
                make_entry(seat, reason.as_deref())
            }
            TournamentCommand::Unseat { entrant, reason } => {
                let round = self.latest_round().ok_or(TournamentError::NoRound)?;
                make_entry(LogEntry::Unseat { round, entrant: *entrant }, reason.as_deref())
            }
            TournamentCommand::Disqualify { entrant, reason } => {
                make_entry(LogEntry::Disqualify { entrant: *entrant }, Some(reason))
            }
            TournamentCommand::Announce { text } => {
                let text = text.parse().map_err(TournamentError::Text)?;
                Ok(CommandAction::Record(PublicEvent::Announced { text }))
            }
            TournamentCommand::HandOver { to } => self.interpret_hand_over(*to),
            TournamentCommand::AddHelper { key } => self.interpret_new_helper(*key),
            TournamentCommand::RemoveHelper { key } => self.interpret_helper_removal(*key),
        }
    }

    fn interpret_check_in_switch(&self, open: bool) -> Result<CommandAction, TournamentError> {
        let (same, event) = match open {
            true => (TournamentError::CheckInOpen, PublicEvent::CheckInOpened),
            false => (TournamentError::CheckInClosed, PublicEvent::CheckInClosed),
        };
        refuse_if(self.has_begun, TournamentError::HasBegun)?;
        refuse_if(self.is_check_in_open == open, same)?;
        Ok(CommandAction::Record(event))
    }

    fn interpret_begin(&self) -> Result<CommandAction, TournamentError> {
        refuse_if(self.has_begun, TournamentError::HasBegun)?;
        Ok(CommandAction::Begin)
    }

    fn interpret_pause(&self) -> Result<CommandAction, TournamentError> {
        refuse_if(!self.has_begun, TournamentError::NotBegun)?;
        refuse_if(self.is_paused, TournamentError::Paused)?;
        Ok(CommandAction::Record(PublicEvent::Paused))
    }

    fn interpret_resume(&self) -> Result<CommandAction, TournamentError> {
        refuse_if(!self.is_paused, TournamentError::NotPaused)?;
        Ok(CommandAction::Record(PublicEvent::Resumed))
    }

    fn interpret_late_entries(&self, open: bool) -> Result<CommandAction, TournamentError> {
        let same = match open {
            true => TournamentError::TakesLateEntries,
            false => TournamentError::TakesNoLateEntries,
        };
        refuse_if(self.takes_late_entries == open, same)?;
        Ok(CommandAction::Record(PublicEvent::LateEntries { open }))
    }

    fn interpret_end_stage(&self) -> Result<CommandAction, TournamentError> {
        let latest = self.latest_round().ok_or(TournamentError::NoRound)?;
        // Between two stages the one that can't be drawn.
        let stage = self.fold.next_draw().unwrap_or(latest).stage;
        make_entry(LogEntry::EndStage { stage }, None)
    }

    fn interpret_take_back(
        &self,
        entry: u32,
        reason: &str,
    ) -> Result<CommandAction, TournamentError> {
        let index = usize::try_from(entry).unwrap_or(usize::MAX);
        // The player's key and name would stay taken.
        let enters = matches!(self.fold.log().get(index), Some(LogEntry::Enter { .. }));
        refuse_if(enters, TournamentError::KeepsEntries)?;
        make_entry(LogEntry::TakeBack { entry }, Some(reason))
    }

    fn interpret_hand_over(&self, to: Fingerprint) -> Result<CommandAction, TournamentError> {
        refuse_if(to == self.organiser(), TournamentError::IsOrganiser)?;
        Ok(CommandAction::Record(PublicEvent::HandedOver { to }))
    }

    fn interpret_new_helper(&self, key: Fingerprint) -> Result<CommandAction, TournamentError> {
        refuse_if(self.may_command(key), TournamentError::IsHelper)?;
        Ok(CommandAction::Record(PublicEvent::HelperAdded { key }))
    }

    fn interpret_helper_removal(&self, key: Fingerprint) -> Result<CommandAction, TournamentError> {
        let is_helper = self.may_command(key) && key != self.organiser();
        refuse_if(!is_helper, TournamentError::NotHelper)?;
        Ok(CommandAction::Record(PublicEvent::HelperRemoved { key }))
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
    fn confirm(&self, entry: &LogEntry, confirmed: bool) -> Result<(), CommandError> {
        if confirmed {
            return Ok(());
        }
        let discards = self.fold.discarded_by(entry)?;
        if discards.is_empty() { Ok(()) } else { Err(CommandError::Discards(discards)) }
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
    ) -> Result<(), CommandError> {
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
    ) -> Result<(), CommandError> {
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

fn interpret_move_go(
    now: TournamentInstant,
    seconds: u32,
) -> Result<CommandAction, TournamentError> {
    refuse_if(seconds > MAX_GO_DELAY_SECONDS, TournamentError::GoDelay)?;
    Ok(CommandAction::MoveGo { to: now + Millis::from_seconds(seconds.into()) })
}

fn make_entry(entry: LogEntry, reason: Option<&str>) -> Result<CommandAction, TournamentError> {
    Ok(CommandAction::Entry { entry, reason: parse_reason(reason)? })
}

fn parse_reason(reason: Option<&str>) -> Result<Option<Announcement>, TournamentError> {
    reason.map(str::parse).transpose().map_err(TournamentError::Text)
}

fn refuse_if(is_refused: bool, error: TournamentError) -> Result<(), TournamentError> {
    if is_refused { Err(error) } else { Ok(()) }
}
