//! The draws of rounds, and the end of the tournament.

use super::round_schedule::RoundSchedule;
use super::{CORRECTION_PERIOD, Effect, Effects, TableJob, TableKey, TournamentRunner};
use gridrace_shared::heat::short_text::Announcement;
use gridrace_shared::tournament::draw::queue;
use gridrace_shared::tournament::draw_commitment::DrawKey;
use gridrace_shared::tournament::ids::{EntrantId, RoundKey};
use gridrace_shared::tournament::log::{LogEntry, LogEntryError};
use gridrace_shared::tournament::plan::{Format, TournamentStage};
use gridrace_shared::tournament::public_log::{LogAuthor, PublicEvent};
use gridrace_shared::tournament::stage_state::StageState;
use gridrace_shared::util::time::{Millis, TournamentInstant};
use std::collections::BTreeSet;

/// The least time to a board that is raced again after the end of its round: players come back to
/// their tables within it.
pub(super) const LEAD_IN: Millis = Millis::from_seconds(10);

impl TournamentRunner {
    /// Publishes the commitment to the next draw, once it is known which one it is.
    pub(super) fn commit_to_next_draw(&mut self, now: TournamentInstant, out: &mut Effects) {
        if let Some(round) = self.fold.next_draw() {
            let attempt = self.fold.next_attempt(round);
            self.commit_to_draw(now, DrawKey { round, attempt }, out);
        }
    }

    fn commit_to_draw(&mut self, now: TournamentInstant, key: DrawKey, out: &mut Effects) {
        if !self.committed.contains(&key) && !self.is_revealed {
            let commitment = self.config.secret.commit_to_draw(key);
            let event = PublicEvent::DrawCommitted { key, commitment };
            // A full log takes no draw either.
            self.record(now, LogAuthor::Server, event, out).ok();
        }
    }

    /// Draws the next round if all rounds before are over, and reveals the secret after the last.
    pub(super) fn draw_if_due(&mut self, now: TournamentInstant, out: &mut Effects) {
        if !self.has_begun || self.is_revealed {
            return;
        }
        let races_on =
            self.open_boards.keys().any(|it| !matches!(self.format(*it), Format::Arena { .. }));
        if races_on {
            // Nothing is drawn before the round is over; to ask the fold costs as many steps as there
            // are tables.
            self.reveal_at = None;
            return;
        }
        if self.fold.is_over() {
            let reveal_at = *self.reveal_at.get_or_insert(now + CORRECTION_PERIOD);
            if now >= reveal_at {
                self.close(now, LogAuthor::Server, None, out);
            }
            return;
        }
        self.reveal_at = None;
        if let Some(ends) = self.arena_ends()
            && now >= ends
            && let Some(round) = self.fold.next_draw()
        {
            let entry = LogEntry::EndStage { stage: round.stage };
            // The log isn't full, or the tournament would be closed.
            self.record_entry(now, LogAuthor::Server, entry, None, out).ok();
        }
        self.commit_to_next_draw(now, out);
        if !self.is_paused
            && let Some(round) = self.fold.next_draw()
            && let Some(waiting) = self.waiting(round)
        {
            // Too few are there: the next check-in, or the organiser, changes that.
            self.draw(now, (round, waiting), LogAuthor::Server, None, out).ok();
        }
    }

    /// Draws a round; its attempt is one that the log has nowhere.
    pub(super) fn draw(
        &mut self,
        now: TournamentInstant,
        (round, mut waiting): (RoundKey, Vec<EntrantId>),
        by: LogAuthor,
        reason: Option<Announcement>,
        out: &mut Effects,
    ) -> Result<(), LogEntryError> {
        let key = DrawKey { round, attempt: self.fold.next_attempt(round) };
        let seed = self.config.secret.draw_seed(key);
        // Only a draw that is made is committed to.
        let draw = self.fold.drawn_by(key, &seed, &waiting)?;
        if matches!(self.format(round), Format::Arena { .. }) {
            // One without an opponent has no bye, and waits for the next table.
            waiting.retain(|it| draw.walkovers.iter().all(|bye| bye.winner != Some(*it)));
        }
        self.commit_to_draw(now, key, out);
        self.record_entry(now, by, LogEntry::Draw { key, seed, waiting }, reason, out)
    }

    /// Returns the entrants that wait for a table of the round that is drawn next; none if it isn't
    /// drawn yet. Formats other than the arena draw all who are there, as soon as the round before is
    /// over.
    fn waiting(&self, round: RoundKey) -> Option<Vec<EntrantId>> {
        let Format::Arena { table, .. } = self.format(round) else {
            return self.schedules.is_empty().then(Vec::new);
        };
        let present = self.fold.present();
        let stage = self.fold.stages().get(usize::from(round.stage));
        let Some(stage) = stage.filter(|stage| !stage.rounds().is_empty()) else {
            // The field of the stage is known with its first draw.
            return self.schedules.is_empty().then(|| present.into_iter().collect());
        };
        let seated = self.seated();
        let waits = |entrant: &EntrantId| present.contains(entrant) && !seated.contains(entrant);
        let mut waiting: Vec<EntrantId> = stage.field().iter().copied().filter(waits).collect();
        waiting.sort_by_key(|entrant| self.waiting_since.get(entrant).copied());
        let ready = queue::ready(&waiting, !self.schedules.is_empty(), table.into());
        (!ready.is_empty()).then(|| ready.to_vec())
    }

    /// Returns the entrants who race at a table, or see its results.
    fn seated(&self) -> BTreeSet<EntrantId> {
        let rounds = self.schedules.iter();
        let rounds = rounds.filter_map(|(round, it)| Some((it, self.fold.round(*round)?)));
        let tables = rounds.flat_map(|(schedule, round)| {
            round.draw.tables.iter().filter(|table| !schedule.has_left(table.number))
        });
        tables.flat_map(|table| table.seats.iter().copied()).collect()
    }

    pub(super) fn format(&self, round: RoundKey) -> Format {
        let stage = self.config.plan.stages().get(usize::from(round.stage));
        stage.map_or(Format::Knockout, |stage| stage.format)
    }

    pub(super) fn has_matches(&self, round: RoundKey) -> bool {
        let stage = self.config.plan.stages().get(usize::from(round.stage));
        stage.is_some_and(TournamentStage::has_matches)
    }

    /// Returns when the arena that runs ends: its minutes after its first draw, pauses apart. In a
    /// pause that isn't known.
    pub(super) fn arena_ends(&self) -> Option<TournamentInstant> {
        let is_running = |it: &&StageState| !it.rounds().is_empty() && it.has_more_rounds();
        let running = self.fold.stages().last().filter(is_running)?;
        let Format::Arena { minutes, .. } = running.stage().format else { return None };
        let ends = self.arena_begins? + Millis::from_seconds(u64::from(minutes) * 60);
        (!self.is_paused).then_some(ends)
    }

    /// Gives each round that isn't over a schedule, and ends the schedules of all others.
    pub(super) fn update_schedules(&mut self, now: TournamentInstant) {
        let shown: Vec<RoundKey> = self
            .schedules
            .iter()
            .filter(|(round, it)| it.is_shown(now) || self.fold.round(**round).is_none())
            .map(|(round, _)| *round)
            .collect();
        let mut left = Vec::new();
        for (&round, schedule) in &mut self.schedules {
            let open = self.open_boards.get(&round);
            let is_open = |table| open.is_some_and(|tables| tables.contains_key(&table));
            self.are_rooms_due |= schedule.reopen_tables(is_open);
            let tables = schedule.leave_tables(now).into_iter();
            left.extend(tables.map(|number| TableKey { round, number }));
        }
        for round in shown {
            let Some(schedule) = self.schedules.remove(&round) else { continue };
            self.are_rooms_due = true;
            let tables = self.fold.round(round).into_iter().flat_map(|it| &it.draw.tables);
            let numbers = tables.map(|table| table.number).filter(|it| !schedule.has_left(*it));
            left.extend(numbers.map(|number| TableKey { round, number }));
        }
        for table in left {
            self.are_rooms_due = true;
            for entrant in self.drawn_seats(table).unwrap_or_default().to_vec() {
                self.waiting_since.insert(entrant, now);
            }
        }
        for round in self.open_boards.keys().copied().collect::<Vec<_>>() {
            if self.schedules.contains_key(&round) {
                continue;
            }
            let back = self.no_go_before;
            let schedule = if self.was_raced(round) {
                RoundSchedule::reopened(back.max(now + self.pause().max(LEAD_IN)))
            } else {
                RoundSchedule::first(back.max(now + self.break_before(round)))
            };
            self.schedules.insert(round, schedule);
            self.are_rooms_due = true;
        }
    }

    /// Returns the GO of a round's next board that follows from the lines: the one to which the organiser
    /// has moved it, or else the draw and the break, or the latest end of a board, or wish to race one
    /// again, and the pause.
    pub(super) fn announced_go(&self, round: RoundKey) -> TournamentInstant {
        let mut go = TournamentInstant(0);
        let mut ended = BTreeSet::new();
        for line in &self.lines {
            if let PublicEvent::GoMoved { to } = line.event {
                go = to;
            }
            match line.entry() {
                Some(LogEntry::Draw { key, .. }) if key.round == round => {
                    go = line.at + self.break_before(round);
                }
                // A correction moves no GO, nor does a board that no player of the table started.
                Some(LogEntry::Result { key, result })
                    if key.round == round
                        && result.rows.iter().any(|(_, outcome)| outcome.has_started())
                        && ended.insert(*key) =>
                {
                    go = line.at + self.pause();
                }
                // What the server replays by itself moves no GO.
                Some(LogEntry::Replay { round: replayed, .. })
                    if *replayed == round && line.by != LogAuthor::Server =>
                {
                    go = go.max(line.at + self.pause().max(LEAD_IN));
                }
                _ => {}
            }
        }
        go
    }

    /// Returns the time between two boards of a round.
    pub(super) fn pause(&self) -> Millis {
        Millis::from_seconds(self.config.settings.pause_seconds.into())
    }

    /// Returns the time from the draw of a round to its first board.
    fn break_before(&self, round: RoundKey) -> Millis {
        if matches!(self.format(round), Format::Arena { .. }) {
            self.pause()
        } else {
            Millis::from_seconds(self.config.settings.break_seconds.into())
        }
    }

    /// Returns whether tables have raced boards of a round since it was drawn.
    fn was_raced(&self, round: RoundKey) -> bool {
        let drawn = self.fold.round(round).map_or(0, |state| state.attempt);
        self.raced.iter().any(|key| key.round == round && key.attempt >= drawn)
    }

    /// Closes the tournament: reveals the secret, and takes nothing any more.
    pub(super) fn close(
        &mut self,
        now: TournamentInstant,
        by: LogAuthor,
        reason: Option<Announcement>,
        out: &mut Effects,
    ) {
        let secret = self.config.secret.clone();
        let reveal = PublicEvent::SecretRevealed { secret };
        self.append_last(now, LogAuthor::Server, reveal, out);
        self.append_last(now, by, PublicEvent::Ended { reason }, out);
        for (_, profile) in self.entrants.iter() {
            out.push_job(TableJob::AdmitKey { key: profile.key, admitted: false });
        }
        out.push(Effect::Closed);
    }
}
