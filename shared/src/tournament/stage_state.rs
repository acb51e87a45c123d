//! A stage between its rounds: what was drawn and raced, and what follows from it.
//!
//! Only draws and results are held. Rankings, cuts, brackets and meetings are computed from them, so
//! that a result that changes changes all that follows.

pub(super) mod ranking;
pub mod round;
pub mod seats;

use crate::tournament::advance;
use crate::tournament::draw::bracket::{Bracket, Elimination};
use crate::tournament::draw::{
    self, DrawnTable, Meetings, RoundDraw, Walkover, round_robin, swiss,
};
use crate::tournament::ids::EntrantId;
use crate::tournament::plan::{Format, TournamentStage};
use crate::tournament::result::{BoardResult, MAX_SEATS};
use crate::tournament::score::is_decided;
use crate::tournament::stage_state::round::RoundState;
use crate::util::seed::Seed;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The most rounds of a stage, which an arena may come to.
const MAX_ROUNDS: usize = u16::MAX as usize;

/// A stage with the rounds that were drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageState {
    stage: TournamentStage,
    /// The entrants of the stage, in the order of seeds; late entrants behind.
    field: Vec<EntrantId>,
    /// Shared by the copies that a draw is tried on: an arena has thousands.
    rounds: Vec<Arc<RoundState>>,
    /// The rounds that aren't complete.
    open: BTreeSet<usize>,
    /// Whether no further round is drawn, whatever the format says.
    ended: bool,
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

impl StageState {
    pub const fn new(stage: TournamentStage, field: Vec<EntrantId>) -> Self {
        Self { stage, field, rounds: Vec::new(), open: BTreeSet::new(), ended: false }
    }

    pub const fn stage(&self) -> &TournamentStage {
        &self.stage
    }

    pub fn field(&self) -> &[EntrantId] {
        &self.field
    }

    pub fn rounds(&self) -> &[Arc<RoundState>] {
        &self.rounds
    }

    /// Returns the numbers of the rounds that aren't complete, in order.
    pub fn open_rounds(&self) -> impl Iterator<Item = usize> {
        self.open.iter().copied()
    }

    /// Returns whether all rounds are complete, though more may follow.
    pub fn is_between_rounds(&self) -> bool {
        self.open.is_empty()
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
                Format::Arena { .. } => raced == MAX_ROUNDS,
            }
    }

    /// Returns whether a round may be drawn once all are complete.
    pub fn has_more_rounds(&self) -> bool {
        !self.ended && self.rounds.len() < MAX_ROUNDS && !self.is_over()
    }

    /// Returns whether an entrant who comes now still gets into the stage.
    pub fn takes_late_entries(&self) -> bool {
        if self.ended {
            return false;
        }
        match self.stage.format {
            Format::Series { .. } => true,
            Format::Arena { .. } => self.rounds.len() < MAX_ROUNDS,
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
        let seats = match self.stage.format {
            Format::Series { .. } => MAX_SEATS,
            Format::Heats { table, .. } => table.into(),
            Format::LastOut { .. }
            | Format::Swiss { .. }
            | Format::RoundRobin { .. }
            | Format::Knockout
            | Format::Double
            | Format::Arena { .. } => return,
        };
        self.change_round(0, |round| round.add_seat(entrant, seats));
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
        if self.ended || self.rounds.len() == MAX_ROUNDS {
            return Err(DrawError::StageOver);
        }
        if field.len() < 2 {
            return Err(DrawError::Waiting);
        }
        let order = draw::order_by_lot(&field, seed);
        let met = self.meetings(|entrant| waiting.contains(&entrant));
        Ok((swiss::draw(&order, table.into(), &met, &self.byes()), field))
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
                swiss::draw(&standing, table.into(), &self.meetings(|_| true), &self.byes())
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
        self.rounds.push(Arc::new(RoundState::new(draw, entering, attempt, boards)));
        self.update_open(self.rounds.len() - 1);
    }

    /// Draws no further round. Rounds that are open are raced to their end.
    pub const fn end(&mut self) {
        self.ended = true;
    }

    /// Sets the result of a board. Whether a result fits is the caller's to check.
    pub fn set_result(&mut self, round: usize, table: u16, board: u8, result: BoardResult) {
        self.change_round(round, |round| round.set_result(table, board, result));
    }

    /// Makes a board void: it doesn't count.
    pub fn set_void(&mut self, round: usize, board: u8) {
        self.change_round(round, |round| round.set_void(board));
    }

    /// Ranks an entrant last on all boards of the round that was drawn last; in an arena, whose tables form
    /// while others race, of the last one with a seat of the entrant's.
    pub fn disqualify(&mut self, entrant: EntrantId) {
        let is_arena = matches!(self.stage.format, Format::Arena { .. });
        let has_seat = |round: &Arc<RoundState>| {
            !is_arena || round.draw.tables.iter().any(|table| table.seats.contains(&entrant))
        };
        if let Some(round) = self.rounds.iter().rposition(has_seat) {
            self.change_round(round, |round| round.disqualify(entrant));
        }
    }

    fn change_round(&mut self, round: usize, change: impl FnOnce(&mut RoundState)) {
        if let Some(state) = self.rounds.get_mut(round) {
            change(Arc::make_mut(state));
            self.update_open(round);
        }
    }

    /// Looks anew whether a round is complete.
    fn update_open(&mut self, round: usize) {
        if self.rounds.get(round).is_some_and(|state| !self.is_complete(state)) {
            self.open.insert(round);
        } else {
            self.open.remove(&round);
        }
    }

    /// Returns whether the table of a round needs no more boards.
    pub fn is_table_complete(&self, round: &RoundState, table: &DrawnTable) -> bool {
        let boards = round.counting(table.number);
        is_decided(&self.stage.score, &round.raced(table, &boards))
    }

    /// Returns whether all tables of a round need no more boards.
    fn is_complete(&self, round: &RoundState) -> bool {
        round.draw.tables.iter().all(|table| self.is_table_complete(round, table))
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
        // A reset final that isn't needed isn't raced.
        let rest = bracket.draw(|_| true);
        if rest.tables.is_empty() {
            for walkover in rest.walkovers {
                bracket.decide(walkover.number, walkover.winner, walkover.loser);
            }
        }
        bracket
    }

    /// Returns the entrants of the next round, in the order of its seeds, whether they are there or
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

    fn is_bracket_decided(&self) -> bool {
        !self.rounds.is_empty() && self.bracket().is_decided()
    }

    /// Returns how often entrants of some have met.
    fn meetings(&self, is_asked: impl Fn(EntrantId) -> bool) -> Meetings {
        let mut met = Meetings::default();
        for table in self.rounds.iter().flat_map(|round| &round.draw.tables) {
            let seats = table.seats.iter().copied().filter(|entrant| is_asked(*entrant));
            met.add(&seats.collect::<Vec<_>>());
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

    /// Returns the entrants at tables that aren't complete.
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
        self.open.iter().flat_map(|&round| {
            let round = &self.rounds[round];
            let tables = round.draw.tables.iter();
            tables.filter(|table| !self.is_table_complete(round, table))
        })
    }
}

impl RoundDraw {
    /// Returns all who race or have a walkover.
    fn entrants(&self) -> impl Iterator<Item = EntrantId> {
        let seated = self.tables.iter().flat_map(|table| table.seats.iter().copied());
        seated.chain(self.walkovers.iter().filter_map(|walkover| walkover.winner))
    }
}
