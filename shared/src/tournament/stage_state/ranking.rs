//! The rankings of a stage: of its tables, of its rounds and over all.

use super::StageState;
use crate::tournament::advance;
use crate::tournament::draw::{self, DrawnTable};
use crate::tournament::ids::EntrantId;
use crate::tournament::plan::{Format, TournamentStage};
use crate::tournament::rank::{Ranked, rank};
use crate::tournament::result::BoardResult;
use crate::tournament::score::{EntrantRecord, RacedTable, Score, score_round};
use crate::util::seed::Seed;
use std::collections::{BTreeMap, BTreeSet};

impl StageState {
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

    /// Returns those whose scores in the ranking are of the same boards: in a bracket nobody's, where the
    /// ways to the final have different numbers of matches.
    pub fn scored_alike(&self) -> &[EntrantId] {
        match (self.stage.format, self.rounds.last()) {
            (Format::Knockout | Format::Double, _) => &[],
            (Format::LastOut { .. } | Format::Heats { .. }, Some(last)) => &last.entering,
            _ => &self.field,
        }
    }

    /// Returns the entrants of the next stage, in the order of its seeds. The disqualified take no place
    /// of a cut, and the absent none that others can take.
    pub fn through(
        &self,
        is_disqualified: impl Fn(EntrantId) -> bool,
        is_present: impl Fn(EntrantId) -> bool,
    ) -> Vec<EntrantId> {
        match self.stage.format {
            Format::LastOut { .. } | Format::Heats { .. } => self.remaining(),
            Format::Series { .. }
            | Format::Swiss { .. }
            | Format::RoundRobin { .. }
            | Format::Arena { .. } => {
                let top = self.stage.format.top().map_or(self.field.len(), usize::from);
                let mut ranking = self.ranking();
                ranking.retain(|row| !is_disqualified(row.entrant));
                ranking.sort_by_key(|row| !is_present(row.entrant));
                advance::top(&ranking, top)
            }
            Format::Knockout | Format::Double => self.bracket().champion().into_iter().collect(),
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
            let boards = (0..*boards).map(|board| u8::from(!state.is_void(board))).sum();
            records.extend(walkovers.map(|it| EntrantRecord::walkover(it, score, boards, seats)));
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

    pub(super) fn rank_round(&self, round: usize) -> Vec<Ranked> {
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
        // Without a champion no entrant is first.
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

    /// Returns the field by points alone, equals by lot.
    pub(in crate::tournament) fn standing_by_lot(&self, seed: &Seed) -> Vec<EntrantId> {
        let lot = draw::order_by_lot(&self.field, seed);
        rank(&self.all_records(), &[], &lot).into_iter().map(|row| row.entrant).collect()
    }
}

/// Appends rows to a ranking behind all that it has, and gives them places anew.
pub(in crate::tournament) fn append(ranking: &mut Vec<Ranked>, rows: impl Iterator<Item = Ranked>) {
    let rows: Vec<Ranked> = rows.collect();
    // A bracket without a champion has no first place.
    let first = ranking.first().or(rows.first());
    let vacant = first.map_or(0, |row| usize::from(row.place.saturating_sub(1)));
    for equal in rows.chunk_by(|a, b| a.place == b.place) {
        let place = u16::try_from(ranking.len() + 1 + vacant).unwrap_or(u16::MAX);
        ranking.extend(equal.iter().map(|row| Ranked { place, ..*row }));
    }
}
