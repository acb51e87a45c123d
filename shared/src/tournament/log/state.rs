//! The state that follows from the entries of a log, in order.

use super::boards::BoardEntries;
use super::entry::LogEntry;
use crate::tournament::draw;
use crate::tournament::draw_commitment::DrawKey;
use crate::tournament::ids::{EntrantId, ResultKey, RoundKey, TeamTag};
use crate::tournament::plan::{Format, MAX_ENTRANTS, MIN_ENTRANTS, TournamentPlan};
use crate::tournament::rank::Ranked;
use crate::tournament::result::{BoardOutcome, BoardResult};
use crate::tournament::stage_state::ranking::append;
use crate::tournament::stage_state::round::RoundState;
use crate::tournament::stage_state::seats::SeatError;
use crate::tournament::stage_state::{DrawError, StageState};
use crate::util::seed::Seed;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Boards in a row, absent at GO, after which an entrant isn't drawn any more.
pub const ABSENCES_UNTIL_WITHDRAWN: usize = 2;

/// Where an entrant stands towards the tournament.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Presence {
    /// Entered, and not checked in yet.
    Entered,
    Present,
    Withdrawn,
    Disqualified,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EntrantState {
    pub(super) team: Option<TeamTag>,
    pub(super) presence: Presence,
    /// The number of rounds drawn before the latest check-in: absences in those don't count.
    pub(super) since: usize,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FoldState {
    pub(super) entrants: BTreeMap<EntrantId, EntrantState>,
    pub(super) seeds: Vec<EntrantId>,
    /// The stages up to the present one.
    pub(super) stages: Vec<StageState>,
    /// Entrants who may have a seat in a round that a later entry draws again: a disqualification
    /// before that entry leaves earlier rounds as they are.
    redrawn: BTreeSet<EntrantId>,
    /// Whether an entry of the log has no effect where it stands; it may get one by a later entry.
    pub(super) has_idle_entries: bool,
}

impl FoldState {
    pub(super) fn fold(
        plan: &TournamentPlan,
        boards: &BoardEntries,
        effective: &[&LogEntry],
    ) -> Self {
        let mut state = Self::default();
        for entry in effective {
            state.apply(plan, boards, entry);
        }
        state
    }

    /// Applies an entry that takes effect where it stands.
    pub(super) fn apply(&mut self, plan: &TournamentPlan, boards: &BoardEntries, entry: &LogEntry) {
        let has_effect = match entry {
            LogEntry::Enter { entrant, team } => self.enter(*entrant, team.clone()),
            LogEntry::CheckIn { entrant } => self.check_in(boards, *entrant),
            LogEntry::Withdraw { entrant } => self.set_presence(*entrant, Presence::Withdrawn),
            LogEntry::Disqualify { entrant } => {
                let known = self.set_presence(*entrant, Presence::Disqualified);
                if !self.redrawn.contains(entrant)
                    && let Some(stage) = self.stages.last_mut()
                {
                    stage.disqualify(*entrant);
                }
                known
            }
            LogEntry::Seed { order } => {
                if self.stages.is_empty() {
                    self.seeds.clone_from(order);
                }
                self.stages.is_empty()
            }
            LogEntry::Draw { key, seed, waiting } => {
                let is_latest = boards.draws.get(&key.round) == Some(&key.attempt);
                let stage = plan.stages().get(usize::from(key.round.stage));
                self.redrawn = match stage.map(|stage| stage.format) {
                    _ if is_latest => BTreeSet::new(),
                    // Others may race in the round before.
                    Some(Format::Arena { .. }) => waiting.iter().copied().collect(),
                    _ => self.entrants.keys().copied().collect(),
                };
                !is_latest || self.draw(plan, boards, *key, seed, waiting).is_ok()
            }
            LogEntry::Seat { round, table, entrant } => {
                self.seat(boards, *round, |stage| stage.seat(*table, *entrant))
            }
            LogEntry::Unseat { round, entrant } => {
                self.seat(boards, *round, |stage| stage.unseat(*entrant))
            }
            LogEntry::EndStage { stage } => self.end_stage(plan, *stage),
            LogEntry::Result { .. }
            | LogEntry::Replay { .. }
            | LogEntry::Void { .. }
            | LogEntry::TakeBack { .. } => true,
        };
        self.has_idle_entries |= !has_effect;
    }

    fn enter(&mut self, entrant: EntrantId, team: Option<TeamTag>) -> bool {
        let is_new = !self.entrants.contains_key(&entrant) && self.entrants.len() < MAX_ENTRANTS;
        let enters = is_new && self.takes_late_entries();
        if enters {
            self.entrants
                .insert(entrant, EntrantState { team, presence: Presence::Entered, since: 0 });
        }
        enters
    }

    fn set_presence(&mut self, entrant: EntrantId, presence: Presence) -> bool {
        let entrant = self.entrants.get_mut(&entrant);
        let Some(it) = entrant.filter(|it| it.presence != Presence::Disqualified) else {
            return false;
        };
        it.presence = presence;
        true
    }

    fn is_disqualified(&self, entrant: EntrantId) -> bool {
        self.has_presence(entrant, Presence::Disqualified)
    }

    fn has_presence(&self, entrant: EntrantId, presence: Presence) -> bool {
        self.entrants.get(&entrant).is_some_and(|it| it.presence == presence)
    }

    /// Changes the seats of the round drawn last, if that is this one.
    fn seat(
        &mut self,
        boards: &BoardEntries,
        round: RoundKey,
        change: impl FnOnce(&mut StageState) -> Result<(), SeatError>,
    ) -> bool {
        let is_latest = self.latest_round() == Some(round);
        let Some(stage) = self.stages.last_mut().filter(|_| is_latest) else { return false };
        let is_changed = change(stage).is_ok();
        if is_changed {
            self.load_latest(boards);
        }
        is_changed
    }

    /// Ends the stage that runs, or the one that comes next.
    fn end_stage(&mut self, plan: &TournamentPlan, stage: u8) -> bool {
        let number = usize::from(stage);
        if number == self.stages.len() && number > 0 {
            let upcoming = self.upcoming(plan, None);
            if upcoming.len() == number + 1 {
                self.stages = upcoming.into_owned();
            }
        }
        let runs = number + 1 == self.stages.len();
        if let Some(running) = self.stages.last_mut().filter(|_| runs) {
            running.end();
        }
        runs
    }

    fn check_in(&mut self, boards: &BoardEntries, entrant: EntrantId) -> bool {
        if !self.set_presence(entrant, Presence::Present) {
            return false;
        }
        let since = self.stages.iter().map(|stage| stage.rounds().len()).sum();
        if let Some(it) = self.entrants.get_mut(&entrant) {
            it.since = since;
        }
        if self.takes_late_entries()
            && let Some(running) = self.stages.last_mut()
        {
            running.add_late(entrant);
            // Results that name the entrant fit now.
            self.load_latest(boards);
        }
        true
    }

    /// Draws a round, if it is the next one and the one before it is over.
    pub(super) fn draw(
        &mut self,
        plan: &TournamentPlan,
        boards: &BoardEntries,
        key: DrawKey,
        seed: &Seed,
        waiting: &[EntrantId],
    ) -> Result<(), DrawError> {
        if self.next_round(plan) != Some(key.round) {
            return Err(DrawError::RoundOpen);
        }
        let present = self.present();
        if self.stages.is_empty() && present.len() < MIN_ENTRANTS {
            return Err(DrawError::TooFew);
        }
        let mut stages = self.upcoming(plan, Some(seed)).into_owned();
        let Some(stage) = stages.last_mut() else { return Err(DrawError::StageOver) };
        let (draw, entering) = match stage.stage().format {
            Format::Arena { .. } => stage.draw_waiting(waiting, seed)?,
            Format::Series { .. }
            | Format::LastOut { .. }
            | Format::Heats { .. }
            | Format::Swiss { .. }
            | Format::RoundRobin { .. }
            | Format::Knockout
            | Format::Double => stage.draw(seed, |entrant| present.contains(&entrant))?,
        };
        stage.begin_round(draw, entering, key.attempt);
        self.stages = stages;
        self.load_latest(boards);
        Ok(())
    }

    /// Returns the stages with those opened that come next, up to one that has rounds to draw. Before
    /// the first draw the field is who is there; without a seed its order isn't decided yet.
    pub(super) fn upcoming(
        &self,
        plan: &TournamentPlan,
        seed: Option<&Seed>,
    ) -> Cow<'_, [StageState]> {
        let mut stages = Cow::Borrowed(self.stages.as_slice());
        while stages.last().is_none_or(StageState::is_over)
            && let Some(stage) = plan.stages().get(stages.len())
        {
            let field = match stages.last() {
                Some(before) => {
                    let present = self.present();
                    before.through(
                        |entrant| self.has_presence(entrant, Presence::Disqualified),
                        |entrant| present.contains(&entrant),
                    )
                }
                None => self.first_field(seed),
            };
            stages.to_mut().push(StageState::new(stage.clone(), field));
        }
        stages
    }

    /// Returns the present entrants, those with seeds first, the others by lot.
    fn first_field(&self, seed: Option<&Seed>) -> Vec<EntrantId> {
        let present = self.present();
        let seeds = self.seeds.iter().copied().filter(|entrant| present.contains(entrant));
        let mut field: Vec<EntrantId> = seeds.collect();
        let others = present.iter().copied().filter(|entrant| !field.contains(entrant));
        let others: Vec<EntrantId> = others.collect();
        field.extend(seed.map_or(others.clone(), |seed| draw::order_by_lot(&others, seed)));
        field
    }

    pub(super) fn next_round(&self, plan: &TournamentPlan) -> Option<RoundKey> {
        let stages = self.upcoming(plan, None);
        let stage = stages.last().filter(|stage| stage.has_more_rounds())?;
        let number = u8::try_from(stages.len() - 1).ok()?;
        Some(RoundKey { stage: number, round: u16::try_from(stage.rounds().len()).ok()? })
    }

    pub(super) fn is_over(&self, plan: &TournamentPlan) -> bool {
        !self.stages.is_empty() && self.upcoming(plan, None).last().is_some_and(StageState::is_over)
    }

    /// Returns whether no cut was made yet, and the stage that runs takes entrants.
    pub(super) fn takes_late_entries(&self) -> bool {
        let Some((running, before)) = self.stages.split_last() else { return true };
        before.iter().all(|stage| stage.rounds().is_empty()) && running.takes_late_entries()
    }

    /// Returns who would be drawn: the present, but for those who were absent at the latest boards, since they
    /// checked in. It goes back no further than needed, as an arena has thousands of rounds.
    pub(super) fn present(&self) -> BTreeSet<EntrantId> {
        struct Latest {
            since: usize,
            absences: usize,
        }
        let here = self.entrants.iter().filter(|(_, it)| it.presence == Presence::Present);
        let mut present: BTreeSet<EntrantId> = here.clone().map(|(id, _)| *id).collect();
        let mut undecided: BTreeMap<EntrantId, Latest> =
            here.map(|(id, it)| (*id, Latest { since: it.since, absences: 0 })).collect();
        let earliest =
            |undecided: &BTreeMap<_, Latest>| undecided.values().map(|it| it.since).min();
        let mut first = earliest(&undecided);
        let rounds: Vec<&RoundState> =
            self.stages.iter().flat_map(StageState::rounds).map(|it| &**it).collect();
        for (number, round) in rounds.into_iter().enumerate().rev() {
            if first.is_none_or(|first| number < first) {
                break;
            }
            let before = undecided.len();
            let tables = round.draw.tables.iter();
            let seats = tables.flat_map(|table| table.seats.iter().map(|it| (table.number, *it)));
            for (table, entrant) in seats {
                let Some(latest) = undecided.get_mut(&entrant) else { continue };
                let mut is_decided = latest.since > number;
                if !is_decided {
                    let results = || round.latest_results(table);
                    let is_absent = |it: &&BoardResult| it.outcome(entrant) == BoardOutcome::Dns;
                    let absences = results().take_while(is_absent).count();
                    latest.absences += absences;
                    let is_away = latest.absences >= ABSENCES_UNTIL_WITHDRAWN;
                    if is_away {
                        present.remove(&entrant);
                    }
                    is_decided = is_away || absences < results().count();
                }
                if is_decided {
                    undecided.remove(&entrant);
                }
            }
            if undecided.len() < before {
                first = earliest(&undecided);
            }
        }
        present
    }

    pub(super) fn round(&self, key: RoundKey) -> Option<&RoundState> {
        let stage = self.stages.get(usize::from(key.stage))?;
        Some(stage.rounds().get(usize::from(key.round))?.as_ref())
    }

    pub(super) fn latest_round(&self) -> Option<RoundKey> {
        let stage = self.stages.len().checked_sub(1)?;
        let round = self.stages[stage].rounds().len().checked_sub(1)?;
        Some(RoundKey { stage: u8::try_from(stage).ok()?, round: u16::try_from(round).ok()? })
    }

    /// Puts in what the log has for the round that was drawn last.
    fn load_latest(&mut self, boards: &BoardEntries) {
        let Some(round) = self.latest_round() else { return };
        let Some(state) = self.round(round) else { return };
        let tables: Vec<u16> = state.draw.tables.iter().map(|table| table.number).collect();
        let count = self.stages[usize::from(round.stage)].stage().boards;
        for board in 0..count {
            if boards.void.contains(&(round, board)) {
                self.stages[usize::from(round.stage)].set_void(round.round.into(), board);
            }
            for &table in &tables {
                self.load_result(boards, round, table, board);
            }
        }
    }

    /// Puts in the result of a board that counts, if the log has it.
    pub(super) fn load_result(
        &mut self,
        boards: &BoardEntries,
        round: RoundKey,
        table: u16,
        board: u8,
    ) {
        let Some(state) = self.round(round) else { return };
        let attempt = boards.attempt(state.attempt, round, table, board);
        let result = boards.results.get(&ResultKey { round, table, board, attempt });
        if let Some(result) = result.filter(|result| state.fits(table, result)) {
            let stage = &mut self.stages[usize::from(round.stage)];
            stage.set_result(round.round.into(), table, board, result.clone());
        }
    }

    /// Ranks by the latest stage that was raced, then those whom it left out by the stage before, and
    /// so on.
    pub(super) fn standings(&self) -> Vec<Ranked> {
        let mut listed = BTreeSet::new();
        let mut ranking = Vec::new();
        for stage in self.stages.iter().rev().filter(|stage| !stage.rounds().is_empty()) {
            let rows = stage.ranking().into_iter();
            append(&mut ranking, rows.filter(|row| listed.insert(row.entrant)));
        }
        let mut behind = 0;
        let mut kept = Vec::with_capacity(ranking.len());
        for equal in ranking.chunk_by(|a, b| a.place == b.place) {
            let place = |row: &Ranked| Ranked { place: row.place - behind, ..*row };
            kept.extend(equal.iter().filter(|row| !self.is_disqualified(row.entrant)).map(place));
            let count = equal.iter().filter(|row| self.is_disqualified(row.entrant)).count();
            behind += u16::try_from(count).unwrap_or(u16::MAX);
        }
        kept
    }
}
