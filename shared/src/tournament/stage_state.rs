//! A stage between its rounds: what was drawn and raced, and what follows from it.
//!
//! Only draws and results are held. Rankings, cuts, brackets and meetings are computed from them, so
//! that a result that changes changes all that follows.

use crate::tournament::advance;
use crate::tournament::draw::bracket::{Bracket, Elimination};
use crate::tournament::draw::{
    self, DrawnTable, Meetings, RoundDraw, Walkover, round_robin, swiss,
};
use crate::tournament::ids::EntrantId;
use crate::tournament::plan::{Format, MIN_ENTRANTS, TournamentStage};
use crate::tournament::rank::{Ranked, rank};
use crate::tournament::result::{BoardOutcome, BoardResult, MAX_SEATS};
use crate::tournament::score::{
    EntrantRecord, RacedTable, Score, ScoreRule, is_decided, score_round,
};
use crate::util::seed::Seed;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A stage with the rounds that were drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageState {
    stage: TournamentStage,
    /// Who entered the stage, in the order of seeds; late entrants behind.
    field: Vec<EntrantId>,
    rounds: Vec<RoundState>,
    /// Whether no further round is drawn, whatever the format says.
    ended: bool,
}

/// A round that was drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoundState {
    /// Who was drawn, or had a walkover, in the order in which they came into the round.
    pub entering: Vec<EntrantId>,
    pub draw: RoundDraw,
    /// The attempt of the draw, from which its tables' attempts count.
    pub attempt: u16,
    /// By table: the result of each board; none while it is open.
    results: BTreeMap<u16, Vec<Option<BoardResult>>>,
    /// Boards that count for nobody.
    void: BTreeSet<u8>,
    disqualified: BTreeSet<EntrantId>,
}

/// Why no round can be drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum DrawError {
    #[error("the round that was drawn last isn't over")]
    RoundOpen,
    #[error("the stage is over")]
    StageOver,
    #[error("fewer than two entrants are there")]
    TooFew,
    #[error("too few entrants wait for a table of the arena, or none are named")]
    Waiting,
}

/// Why an entrant can't be given a seat, or lose one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum SeatError {
    #[error("the sides of a match follow from the bracket or the schedule")]
    IsMatch,
    #[error("there is no open table of this number in the round")]
    NoOpenTable,
    #[error("entrant {0} isn't in the stage")]
    NotInStage(EntrantId),
    #[error("entrant {0} has a seat in the round, or sits it out")]
    InRound(EntrantId),
    #[error("entrant {0} has no seat in the round")]
    NotInRound(EntrantId),
    #[error("a table has at most {MAX_SEATS} seats")]
    TableFull,
    #[error("a table keeps at least two entrants")]
    TooFewLeft,
}

impl StageState {
    pub const fn new(stage: TournamentStage, field: Vec<EntrantId>) -> Self {
        Self { stage, field, rounds: Vec::new(), ended: false }
    }

    pub const fn stage(&self) -> &TournamentStage {
        &self.stage
    }

    pub fn field(&self) -> &[EntrantId] {
        &self.field
    }

    pub fn rounds(&self) -> &[RoundState] {
        &self.rounds
    }

    /// Returns whether all rounds are complete, though more may follow.
    pub fn is_between_rounds(&self) -> bool {
        self.rounds.iter().all(|round| self.is_complete(round))
    }

    /// Returns whether all rounds are raced that the format has for those who are in.
    pub fn is_over(&self) -> bool {
        if !self.is_between_rounds() {
            return false;
        }
        let raced = self.rounds.len();
        self.ended
            || self.field.len() < 2
            || match self.stage.format {
                Format::Series { .. } => raced == 1,
                Format::LastOut { until, .. } => self.remaining().len() <= until.into(),
                Format::Heats { table, .. } => self.remaining().len() <= table.into(),
                Format::Swiss { rounds, .. } => raced == usize::from(rounds),
                Format::RoundRobin { .. } => raced == round_robin::rounds(self.field.len()),
                Format::Knockout | Format::Double => self.is_bracket_decided(),
                Format::Arena { .. } => false,
            }
    }

    /// Returns whether a round may be drawn once all are complete.
    pub fn has_more_rounds(&self) -> bool {
        !self.ended && !self.is_over()
    }

    /// Returns whether an entrant who comes now still gets into the stage.
    pub fn takes_late_entries(&self) -> bool {
        if self.ended {
            return false;
        }
        match self.stage.format {
            Format::Series { .. } | Format::Arena { .. } => true,
            Format::Swiss { rounds, .. } => self.rounds.len() < usize::from(rounds),
            // Until the first cut, as long as a table has a free seat.
            Format::Heats { table, .. } => match self.rounds.as_slice() {
                [] => true,
                [first] => first.free_table(table.into()).is_some(),
                _ => false,
            },
            Format::LastOut { .. }
            | Format::RoundRobin { .. }
            | Format::Knockout
            | Format::Double => self.rounds.is_empty(),
        }
    }

    /// Adds an entrant who comes late: to the round of a series or of heats at once, else to the next
    /// one.
    pub fn add_late(&mut self, entrant: EntrantId) {
        if self.field.contains(&entrant) || !self.takes_late_entries() {
            return;
        }
        self.field.push(entrant);
        let Some(round) = self.rounds.first_mut() else { return };
        match self.stage.format {
            Format::Series { .. } => round.add_seat(entrant, MAX_SEATS),
            Format::Heats { table, .. } => round.add_seat(entrant, table.into()),
            Format::LastOut { .. }
            | Format::Swiss { .. }
            | Format::RoundRobin { .. }
            | Format::Knockout
            | Format::Double
            | Format::Arena { .. } => {}
        }
    }

    /// Draws tables of an arena for those who wait, by lot and apart from those they have met.
    ///
    /// It goes by no result: when results come in doesn't change who met whom.
    ///
    /// # Errors
    ///
    /// Fewer than two of the field are named, or the stage is over.
    pub fn draw_waiting(
        &self,
        waiting: &[EntrantId],
        seed: &Seed,
    ) -> Result<(RoundDraw, Vec<EntrantId>), DrawError> {
        let Format::Arena { table, .. } = self.stage.format else {
            return Err(DrawError::StageOver);
        };
        let waiting: BTreeSet<EntrantId> = waiting.iter().copied().collect();
        let field = self.field.iter().copied().filter(|entrant| waiting.contains(entrant));
        let field: Vec<EntrantId> = field.collect();
        if self.ended {
            return Err(DrawError::StageOver);
        }
        if field.len() < 2 {
            return Err(DrawError::Waiting);
        }
        let order = draw::order_by_lot(&field, seed);
        Ok((swiss::draw(&order, table.into(), &self.meetings(), &self.byes()), field))
    }

    /// Draws the next round from those who are there.
    ///
    /// # Errors
    ///
    /// There is nothing to draw. If fewer than two are there, [`StageState::end`] ends the stage.
    pub fn draw(
        &self,
        seed: &Seed,
        is_present: impl Fn(EntrantId) -> bool,
    ) -> Result<(RoundDraw, Vec<EntrantId>), DrawError> {
        let format = self.stage.format;
        if self.is_over() {
            return Err(DrawError::StageOver);
        }
        if !self.is_between_rounds() {
            return Err(DrawError::RoundOpen);
        }
        let remaining = self.remaining();
        let present: Vec<EntrantId> =
            remaining.iter().copied().filter(|&it| is_present(it)).collect();
        let needs_two = !matches!(format, Format::Knockout | Format::Double);
        if present.len() < 2 && (needs_two || self.rounds.is_empty()) {
            return Err(DrawError::TooFew);
        }
        let round = self.rounds.len();
        let draw = match format {
            Format::Series { .. } | Format::LastOut { .. } => draw::snake(&present, MAX_SEATS),
            Format::Heats { table, .. } => draw::snake(&present, table.into()),
            Format::Swiss { table, .. } if round == 0 => swiss::draw_first(&present, table.into()),
            Format::Swiss { table, .. } => {
                let here: BTreeSet<EntrantId> = present.into_iter().collect();
                let mut standing = self.standing_by_lot(seed);
                standing.retain(|entrant| here.contains(entrant));
                swiss::draw(&standing, table.into(), &self.meetings(), &self.byes())
            }
            Format::RoundRobin { .. } => self.without_absent(round, &is_present),
            Format::Knockout | Format::Double => self.bracket().draw(is_present),
            Format::Arena { .. } => return Err(DrawError::Waiting),
        };
        let in_draw: BTreeSet<EntrantId> = draw.entrants().collect();
        let entering = remaining.into_iter().filter(|it| in_draw.contains(it)).collect();
        Ok((draw, entering))
    }

    /// Adds a round that [`StageState::draw`] returned.
    pub fn begin_round(&mut self, draw: RoundDraw, entering: Vec<EntrantId>, attempt: u16) {
        let boards = usize::from(self.stage.boards);
        let results = draw.tables.iter().map(|table| (table.number, vec![None; boards])).collect();
        self.rounds.push(RoundState {
            entering,
            draw,
            attempt,
            results,
            void: BTreeSet::new(),
            disqualified: BTreeSet::new(),
        });
    }

    /// Draws no further round. Rounds that are open are raced to their end.
    pub const fn end(&mut self) {
        self.ended = true;
    }

    /// Sets the result of a board. Whether a result fits is the caller's to check.
    pub fn set_result(&mut self, round: usize, table: u16, board: u8, result: BoardResult) {
        let Some(round) = self.rounds.get_mut(round) else { return };
        let result = round.disqualify_in(result);
        let slot = round.results.get_mut(&table).and_then(|it| it.get_mut(usize::from(board)));
        if let Some(slot) = slot {
            *slot = Some(result);
        }
    }

    /// Lets a board count for nobody.
    pub fn set_void(&mut self, round: usize, board: u8) {
        if let Some(round) = self.rounds.get_mut(round) {
            round.void.insert(board);
        }
    }

    /// Ranks an entrant last on all boards of the round that was drawn last.
    pub fn disqualify(&mut self, entrant: EntrantId) {
        let Some(round) = self.rounds.last_mut() else { return };
        round.disqualified.insert(entrant);
        let results = std::mem::take(&mut round.results);
        let mapped = results.into_iter().map(|(table, boards)| {
            let boards = boards.into_iter().map(|it| it.map(|it| round.disqualify_in(it)));
            (table, boards.collect())
        });
        round.results = mapped.collect();
    }

    /// Checks whether an entrant may get a seat at a table of the round that was drawn last.
    pub fn check_seat(&self, table: u16, entrant: EntrantId) -> Result<(), SeatError> {
        if self.open_seats().contains(&entrant) {
            return Err(SeatError::InRound(entrant));
        }
        self.check_open(table)?;
        self.clone().seat(table, entrant)
    }

    /// Checks whether an entrant may lose a seat in the round that was drawn last.
    pub fn check_unseat(&self, entrant: EntrantId) -> Result<(), SeatError> {
        self.check_open(self.table_of(entrant)?)?;
        self.clone().unseat(entrant)
    }

    /// Gives an entrant a seat, whether the table has its results or not.
    ///
    /// # Errors
    ///
    /// There is no such table or entrant, the table is full, or the entrant is in the round.
    pub fn seat(&mut self, table: u16, entrant: EntrantId) -> Result<(), SeatError> {
        let is_in_stage = self.field.contains(&entrant);
        let round = self.seated_round()?;
        if !is_in_stage {
            return Err(SeatError::NotInStage(entrant));
        }
        let RoundDraw { tables, resting, .. } = &round.draw;
        if resting.contains(&entrant) || round.draw.entrants().any(|it| it == entrant) {
            return Err(SeatError::InRound(entrant));
        }
        let table = tables.iter().position(|it| it.number == table);
        let seats = &mut round.draw.tables[table.ok_or(SeatError::NoOpenTable)?].seats;
        if seats.len() == MAX_SEATS {
            return Err(SeatError::TableFull);
        }
        seats.push(entrant);
        round.entering.push(entrant);
        Ok(())
    }

    /// Takes the seat of an entrant away, and the results that name the entrant.
    ///
    /// # Errors
    ///
    /// The entrant has no seat, or the table is too small.
    pub fn unseat(&mut self, entrant: EntrantId) -> Result<(), SeatError> {
        let number = self.table_of(entrant)?;
        let round = self.seated_round()?;
        let table = round.draw.tables.iter_mut().find(|it| it.number == number);
        let seats = &mut table.ok_or(SeatError::NoOpenTable)?.seats;
        if seats.len() <= MIN_ENTRANTS {
            return Err(SeatError::TooFewLeft);
        }
        seats.retain(|it| *it != entrant);
        round.entering.retain(|it| *it != entrant);
        let names = |result: &BoardResult| result.rows.iter().any(|(it, _)| *it == entrant);
        for result in round.results.values_mut().flatten() {
            result.take_if(|result| names(result));
        }
        Ok(())
    }

    /// Returns the table of the round drawn last at which an entrant has a seat.
    fn table_of(&self, entrant: EntrantId) -> Result<u16, SeatError> {
        let mut tables = self.rounds.last().into_iter().flat_map(|round| &round.draw.tables);
        let table = tables.find(|table| table.seats.contains(&entrant));
        table.map(|table| table.number).ok_or(SeatError::NotInRound(entrant))
    }

    fn check_open(&self, table: u16) -> Result<(), SeatError> {
        let round = self.rounds.last().ok_or(SeatError::NoOpenTable)?;
        let table = round.draw.table(table).ok_or(SeatError::NoOpenTable)?;
        if self.is_table_complete(round, table) { Err(SeatError::NoOpenTable) } else { Ok(()) }
    }

    /// Returns the round drawn last, if an organiser may change its seats.
    fn seated_round(&mut self) -> Result<&mut RoundState, SeatError> {
        let has_schedule = matches!(
            self.stage.format,
            Format::RoundRobin { .. } | Format::Knockout | Format::Double
        );
        if has_schedule || self.stage.score == ScoreRule::BestOf {
            return Err(SeatError::IsMatch);
        }
        self.rounds.last_mut().ok_or(SeatError::NoOpenTable)
    }

    /// Returns whether the table of a round needs no more boards.
    pub fn is_table_complete(&self, round: &RoundState, table: &DrawnTable) -> bool {
        let boards = round.counting(table.number);
        is_decided(&self.stage.score, &round.raced(table, &boards))
    }

    /// Returns whether all tables of a round need no more boards.
    pub fn is_complete(&self, round: &RoundState) -> bool {
        round.draw.tables.iter().all(|table| self.is_table_complete(round, table))
    }

    /// Ranks each table of a round, in the order of the draw.
    pub fn rank_tables(&self, round: usize) -> Vec<Vec<Ranked>> {
        let Some(state) = self.rounds.get(round) else { return Vec::new() };
        let records = self.records(round).into_iter();
        let mut records: BTreeMap<EntrantId, EntrantRecord> =
            records.map(|record| (record.entrant, record)).collect();
        let rank_table = |table: &DrawnTable| {
            let seats: Vec<EntrantRecord> =
                table.seats.iter().filter_map(|entrant| records.remove(entrant)).collect();
            rank(&seats, &self.stage.tie_breaks, &table.seats)
        };
        state.draw.tables.iter().map(rank_table).collect()
    }

    /// Ranks all who entered the stage, as it stands.
    pub fn ranking(&self) -> Vec<Ranked> {
        match self.stage.format {
            Format::Series { .. }
            | Format::Swiss { .. }
            | Format::RoundRobin { .. }
            | Format::Arena { .. } => {
                rank(&self.all_records(), &self.stage.tie_breaks, &self.field)
            }
            Format::LastOut { .. } | Format::Heats { .. } => self.rank_by_round(),
            Format::Knockout | Format::Double => self.rank_bracket(),
        }
    }

    /// Returns who goes on to the next stage, in the order of its seeds.
    pub fn through(&self) -> Vec<EntrantId> {
        match self.stage.format {
            Format::LastOut { .. } | Format::Heats { .. } => self.remaining(),
            Format::Series { .. }
            | Format::Swiss { .. }
            | Format::RoundRobin { .. }
            | Format::Arena { .. } => {
                let top = self.stage.format.top().map_or(self.field.len(), usize::from);
                advance::top(&self.ranking(), top)
            }
            Format::Knockout | Format::Double => self.bracket().champion().into_iter().collect(),
        }
    }

    /// Returns the bracket with all that is decided; of other formats an empty one.
    pub fn bracket(&self) -> Bracket {
        let elimination = match self.stage.format {
            Format::Double => Elimination::Double,
            Format::Knockout => Elimination::Single,
            Format::Series { .. }
            | Format::LastOut { .. }
            | Format::Heats { .. }
            | Format::Swiss { .. }
            | Format::RoundRobin { .. }
            | Format::Arena { .. } => return Bracket::new(Vec::new(), Elimination::Single),
        };
        let mut bracket = Bracket::new(self.field.clone(), elimination);
        for (number, round) in self.rounds.iter().enumerate() {
            for walkover in &round.draw.walkovers {
                bracket.decide(walkover.number, walkover.winner, walkover.loser);
            }
            for (table, ranking) in round.draw.tables.iter().zip(self.rank_tables(number)) {
                if !self.is_table_complete(round, table) {
                    continue;
                }
                let winner = ranking.first().filter(|row| row.started).map(|row| row.entrant);
                let loser = ranking.get(1).map(|row| row.entrant).filter(|_| winner.is_some());
                bracket.decide(table.number, winner, loser);
            }
        }
        // A reset final that isn't needed is nobody's to race.
        let rest = bracket.draw(|_| true);
        if rest.tables.is_empty() {
            for walkover in rest.walkovers {
                bracket.decide(walkover.number, walkover.winner, walkover.loser);
            }
        }
        bracket
    }

    /// Counts for each entrant how many boards in a row, up to the latest, they were absent at GO.
    ///
    /// `first` is the number of the stage's first round in the tournament; of an entrant, the rounds
    /// from `since` on count.
    pub(super) fn count_absences(
        &self,
        first: usize,
        since: impl Fn(EntrantId) -> usize,
        runs: &mut BTreeMap<EntrantId, usize>,
    ) {
        for (number, round) in (first..).zip(&self.rounds) {
            for table in &round.draw.tables {
                for result in round.counting(table.number).iter().flatten() {
                    for &entrant in table.seats.iter().filter(|&&it| since(it) <= number) {
                        let run = runs.entry(entrant).or_default();
                        let absent = result.outcome(entrant) == BoardOutcome::Dns;
                        *run = if absent { *run + 1 } else { 0 };
                    }
                }
            }
        }
    }

    /// Returns who goes into the next round, in the order of its seeds, whether they are there or
    /// not.
    fn remaining(&self) -> Vec<EntrantId> {
        let Some(last) = self.rounds.len().checked_sub(1) else { return self.field.clone() };
        match self.stage.format {
            Format::LastOut { drop, until } => {
                advance::drop_last(&self.rank_round(last), drop.into(), until.into())
            }
            Format::Heats { top, .. } => {
                advance::top_of_each(&self.rank_tables(last), &self.rank_round(last), top.into())
            }
            Format::Series { .. }
            | Format::Swiss { .. }
            | Format::RoundRobin { .. }
            | Format::Knockout
            | Format::Double
            | Format::Arena { .. } => self.field.clone(),
        }
    }

    fn records(&self, round: usize) -> Vec<EntrantRecord> {
        let Some(state) = self.rounds.get(round) else { return Vec::new() };
        let tables = state.draw.tables.iter();
        let boards: Vec<Vec<Option<BoardResult>>> =
            tables.clone().map(|table| state.counting(table.number)).collect();
        let raced: Vec<RacedTable<'_>> =
            tables.zip(&boards).map(|(table, results)| state.raced(table, results)).collect();
        let TournamentStage { format, boards, score, .. } = &self.stage;
        let number = u16::try_from(round).unwrap_or(u16::MAX);
        let together = format.ranks_together();
        let mut records = score_round(score, *boards, number, &raced, together);
        let seats = state.draw.tables.iter().map(|table| table.seats.len()).max().unwrap_or(2);
        // In a bracket who has a walkover may race in the same round, and nothing adds up.
        if format.adds_rounds() {
            let walkovers = state.draw.walkovers.iter().filter_map(|it| it.winner);
            records.extend(walkovers.map(|it| EntrantRecord::walkover(it, score, *boards, seats)));
        }
        records
    }

    /// Returns a record for each of the field over all rounds.
    fn all_records(&self) -> Vec<EntrantRecord> {
        let mut records: BTreeMap<EntrantId, EntrantRecord> = self
            .field
            .iter()
            .map(|&it| (it, EntrantRecord::empty(it, &self.stage.score)))
            .collect();
        for round in 0..self.rounds.len() {
            for later in self.records(round) {
                if let Some(record) = records.get_mut(&later.entrant) {
                    record.add(later);
                }
            }
        }
        records.into_values().collect()
    }

    fn rank_round(&self, round: usize) -> Vec<Ranked> {
        let seeds = self.rounds.get(round).map_or(&[][..], |it| &it.entering);
        rank(&self.records(round), &self.stage.tie_breaks, seeds)
    }

    /// Ranks those in the latest round by it, before those whom earlier rounds left behind, the later
    /// before the earlier.
    fn rank_by_round(&self) -> Vec<Ranked> {
        let mut listed = BTreeSet::new();
        let mut ranking: Vec<Ranked> = Vec::new();
        for round in (0..self.rounds.len()).rev() {
            let rows = self.rank_round(round).into_iter();
            append(&mut ranking, rows.filter(|row| listed.insert(row.entrant)));
        }
        let unraced = self.field.iter().filter(|&&it| listed.insert(it));
        let records: Vec<EntrantRecord> =
            unraced.map(|&it| EntrantRecord::empty(it, &self.stage.score)).collect();
        append(&mut ranking, rank(&records, &[], &self.field).into_iter());
        ranking
    }

    /// Ranks those who are in the bracket before those who left it, the later before the earlier;
    /// who left it on one level share a place. The score is the number of matches won.
    fn rank_bracket(&self) -> Vec<Ranked> {
        let bracket = self.bracket();
        let left = bracket.levels_left();
        let champion = bracket.champion();
        let mut won: BTreeMap<EntrantId, u32> = BTreeMap::new();
        for number in 0..bracket.matches().len() {
            let winner = bracket.decision(number).and_then(|decision| decision.winner);
            if let Some(winner) = winner {
                *won.entry(winner).or_default() += 1;
            }
        }
        let level = |entrant: &EntrantId| left.get(entrant).copied().unwrap_or(u16::MAX);
        let mut order = self.field.clone();
        order.sort_by_key(|entrant| u16::MAX - level(entrant));
        // Without a champion nobody is first.
        let vacant = usize::from(champion.is_none() && bracket.is_decided());
        let mut ranking: Vec<Ranked> = Vec::with_capacity(order.len());
        for group in order.chunk_by(|a, b| level(a) == level(b)) {
            let place = u16::try_from(ranking.len() + 1 + vacant).unwrap_or(u16::MAX);
            ranking.extend(group.iter().map(|&entrant| Ranked {
                entrant,
                place,
                score: Score::Points(won.get(&entrant).copied().unwrap_or(0)),
                started: true,
            }));
        }
        ranking
    }

    fn is_bracket_decided(&self) -> bool {
        !self.rounds.is_empty() && self.bracket().is_decided()
    }

    /// Returns the field by points alone, equals by lot.
    pub(super) fn standing_by_lot(&self, seed: &Seed) -> Vec<EntrantId> {
        let lot = draw::order_by_lot(&self.field, seed);
        rank(&self.all_records(), &[], &lot).into_iter().map(|row| row.entrant).collect()
    }

    fn meetings(&self) -> Meetings {
        let mut met = Meetings::default();
        for table in self.rounds.iter().flat_map(|round| &round.draw.tables) {
            met.add(&table.seats);
        }
        met
    }

    fn byes(&self) -> BTreeMap<EntrantId, u16> {
        let mut byes = BTreeMap::new();
        for walkover in self.rounds.iter().flat_map(|round| &round.draw.walkovers) {
            if let Some(winner) = walkover.winner {
                *byes.entry(winner).or_default() += 1;
            }
        }
        byes
    }

    /// Returns a round of the round robin, in which the absence of one side is the other's win.
    fn without_absent(&self, round: usize, is_present: impl Fn(EntrantId) -> bool) -> RoundDraw {
        let mut draw = round_robin::draw(&self.field, round);
        let (raced, missed): (Vec<DrawnTable>, Vec<DrawnTable>) = std::mem::take(&mut draw.tables)
            .into_iter()
            .partition(|table| table.seats.iter().all(|&it| is_present(it)));
        draw.tables = raced;
        draw.walkovers = missed
            .into_iter()
            .map(|DrawnTable { number, seats }| {
                let winner = seats.iter().copied().find(|&it| is_present(it));
                let loser = seats.into_iter().find(|it| winner.is_some() && winner != Some(*it));
                Walkover { number, winner, loser }
            })
            .collect();
        draw
    }

    /// Returns who sits at a table that isn't complete.
    pub fn open_seats(&self) -> BTreeSet<EntrantId> {
        self.open_tables().flat_map(|table| table.seats.iter().copied()).collect()
    }

    /// Returns an entrant who sits at two tables that aren't complete.
    pub fn racing_twice(&self) -> Option<EntrantId> {
        let mut seated = BTreeSet::new();
        let mut seats = self.open_tables().flat_map(|table| table.seats.iter().copied());
        seats.find(|entrant| !seated.insert(*entrant))
    }

    fn open_tables(&self) -> impl Iterator<Item = &DrawnTable> {
        self.rounds.iter().flat_map(|round| {
            let tables = round.draw.tables.iter();
            tables.filter(|table| !self.is_table_complete(round, table))
        })
    }
}

impl RoundState {
    pub fn result(&self, table: u16, board: u8) -> Option<&BoardResult> {
        self.results.get(&table)?.get(usize::from(board))?.as_ref()
    }

    pub fn is_void(&self, board: u8) -> bool {
        self.void.contains(&board)
    }

    /// Returns whether all rows of a result are of entrants who sit at the table, one of each.
    pub fn fits(&self, table: u16, result: &BoardResult) -> bool {
        let Some(table) = self.draw.table(table) else { return false };
        let mut named = BTreeSet::new();
        result
            .rows
            .iter()
            .all(|(entrant, _)| table.seats.contains(entrant) && named.insert(*entrant))
    }

    /// Returns the results of a table by board, without the void ones.
    fn counting(&self, table: u16) -> Vec<Option<BoardResult>> {
        let boards = self.results.get(&table).map_or(&[][..], Vec::as_slice);
        let counts = |(board, result): (u8, &Option<BoardResult>)| {
            if self.void.contains(&board) { None } else { result.clone() }
        };
        (0..).zip(boards).map(counts).collect()
    }

    fn raced<'a>(
        &self,
        table: &'a DrawnTable,
        results: &'a [Option<BoardResult>],
    ) -> RacedTable<'a> {
        RacedTable {
            number: table.number,
            seats: table.seats.as_slice(),
            results,
            void: self.void.len(),
        }
    }

    fn disqualify_in(&self, mut result: BoardResult) -> BoardResult {
        for (entrant, outcome) in &mut result.rows {
            if self.disqualified.contains(entrant) {
                *outcome = BoardOutcome::Disqualified;
            }
        }
        result
    }

    /// Returns the index of the table that has the most free seats of `table`.
    fn free_table(&self, table: usize) -> Option<usize> {
        let free = self.draw.tables.iter().enumerate().filter(|(_, it)| it.seats.len() < table);
        free.min_by_key(|(_, it)| it.seats.len()).map(|(index, _)| index)
    }

    /// Seats one more, where most of `table` seats are free, or at a table that is added.
    fn add_seat(&mut self, entrant: EntrantId, table: usize) {
        self.entering.push(entrant);
        if let Some(index) = self.free_table(table) {
            self.draw.tables[index].seats.push(entrant);
            return;
        }
        let number = u16::try_from(self.draw.tables.len()).unwrap_or(u16::MAX);
        let boards = self.results.values().next().map_or(0, Vec::len);
        self.results.insert(number, vec![None; boards]);
        self.draw.tables.push(DrawnTable { number, seats: vec![entrant] });
    }
}

impl RoundDraw {
    /// Returns all who race or have a walkover.
    fn entrants(&self) -> impl Iterator<Item = EntrantId> {
        let seated = self.tables.iter().flat_map(|table| table.seats.iter().copied());
        seated.chain(self.walkovers.iter().filter_map(|walkover| walkover.winner))
    }
}

/// Appends rows to a ranking behind all that it has, and gives them places anew.
pub(super) fn append(ranking: &mut Vec<Ranked>, rows: impl Iterator<Item = Ranked>) {
    let rows: Vec<Ranked> = rows.collect();
    // A bracket without a champion has no first place.
    let first = ranking.first().or(rows.first());
    let vacant = first.map_or(0, |row| usize::from(row.place.saturating_sub(1)));
    for equal in rows.chunk_by(|a, b| a.place == b.place) {
        let place = u16::try_from(ranking.len() + 1 + vacant).unwrap_or(u16::MAX);
        ranking.extend(equal.iter().map(|row| Ranked { place, ..*row }));
    }
}
