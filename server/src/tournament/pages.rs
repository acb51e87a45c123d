//! Pages: parts of the tournament that are too long for one message.

use super::{TableKey, TournamentRunner, count, short};
use gridrace_shared::heat::identity::Fingerprint;
use gridrace_shared::protocol::tournament::{
    EntrantRow, MAX_NAMED_CHAMPIONS, MatchRow, MatchSource, PageOf, PageRows, SeatRow, TableRow,
    TournamentOutcome, TournamentPage, TournamentSummary,
};
use gridrace_shared::tournament::draw::bracket::{Bracket, Source};
use gridrace_shared::tournament::ids::RoundKey;
use gridrace_shared::tournament::log::{LogEntry, Presence};
use gridrace_shared::tournament::plan::Format;
use gridrace_shared::tournament::public_log::LogLine;
use gridrace_shared::tournament::stage_state::StageState;
use std::collections::BTreeSet;

/// Most rows of a page: one of entrants has some 20 KiB in JSON.
const PAGE_ROWS: usize = 128;
/// The weight of a page of rows that differ in length, each a name, a number or a time: some 40 KiB in
/// JSON.
const PAGE_WEIGHT: usize = 1_024;

impl TournamentRunner {
    /// Returns a page. `connected` has the keys of the clients that follow.
    pub fn page(&self, of: PageOf, from: u32, connected: &BTreeSet<Fingerprint>) -> TournamentPage {
        let first = usize::try_from(from).unwrap_or(usize::MAX);
        let (rows, total) = match of {
            PageOf::Entrants => {
                let rows = self.entrant_rows(first, connected);
                (PageRows::Entrants(rows), self.entrants.count())
            }
            PageOf::Standings => {
                let standings = self.fold.standings();
                (PageRows::Standings(cut(&standings, first)), standings.len())
            }
            PageOf::Teams => {
                let teams = self.fold.team_standings().unwrap_or_default();
                (PageRows::Teams(cut(&teams, first)), teams.len())
            }
            PageOf::Tables { round } => {
                let rounds = round.map_or_else(|| self.current_rounds(), |round| vec![round]);
                let rows: Vec<TableRow> =
                    rounds.into_iter().flat_map(|round| self.table_rows(round)).collect();
                let total = rows.len();
                let boards = |row: &TableRow| 1 + row.attempts.len();
                let weight = |row: &TableRow| 1 + row.seats.len() * boards(row);
                let rows = cut_by_weight(rows.into_iter().skip(first), weight);
                (PageRows::Tables(rows), total)
            }
            PageOf::Bracket => {
                let matches = self.matches();
                (PageRows::Bracket(cut(&matches, first)), matches.len())
            }
            PageOf::Log => (PageRows::Log(self.log_lines(first)), self.lines.len()),
        };
        TournamentPage { from, total: count(total), rows }
    }

    pub fn summary(&self, needs_pin: bool) -> TournamentSummary {
        TournamentSummary {
            name: self.config.name.clone(),
            title: self.config.settings.title.clone(),
            plan: self.config.plan.to_string(),
            phase: self.phase(),
            entrants: short(self.count_places()),
            max_entrants: self.config.settings.max_entrants,
            needs_pin,
        }
    }

    /// Returns what the tournament came to, once it is closed.
    pub fn outcome(&self) -> TournamentOutcome {
        let champions = self.fold.champions();
        let name = |entrant| self.entrants.get(entrant).map(|profile| profile.name.clone());
        let named = champions.iter().take(MAX_NAMED_CHAMPIONS).filter_map(|it| name(*it));
        TournamentOutcome {
            entrants: short(self.count_places()),
            champions: named.collect(),
            more_champions: short(champions.len().saturating_sub(MAX_NAMED_CHAMPIONS)),
        }
    }

    fn entrant_rows(&self, first: usize, connected: &BTreeSet<Fingerprint>) -> Vec<EntrantRow> {
        let page = self.entrants.iter().skip(first).take(PAGE_ROWS);
        page.map(|(entrant, profile)| EntrantRow {
            entrant,
            name: profile.name.clone(),
            kind: profile.kind,
            key: profile.key,
            team: profile.team.clone(),
            presence: self.shown_presence(entrant).unwrap_or(Presence::Withdrawn),
            drawn_next: self.present.contains(&entrant),
            connected: connected.contains(&profile.key),
        })
        .collect()
    }

    /// Returns the latest round; of an arena, whose tables don't wait for each other, all that go on.
    fn current_rounds(&self) -> Vec<RoundKey> {
        let Some(latest) = self.latest_round() else { return Vec::new() };
        let is_arena = matches!(self.format(latest), Format::Arena { .. });
        let others = self.schedules.keys().filter(|round| is_arena && **round != latest);
        others.copied().chain([latest]).collect()
    }

    fn table_rows(&self, round: RoundKey) -> Vec<TableRow> {
        let Some(state) = self.fold.round(round) else { return Vec::new() };
        let boards = self.config.plan.stages().get(usize::from(round.stage));
        let boards = boards.map_or(0, |stage| stage.boards);
        let tables = state.draw.tables.iter().map(|table| {
            let number = table.number;
            let attempt = |board| self.fold.attempt(round, number, board).unwrap_or(0);
            let outcome = |entrant, board| Some(state.result(number, board)?.outcome(entrant));
            let seat = |&entrant| SeatRow {
                entrant,
                outcomes: (0..boards).map(|board| outcome(entrant, board)).collect(),
            };
            TableRow {
                round,
                number,
                room: self.room(TableKey { round, number }),
                seats: table.seats.iter().map(seat).collect(),
                walkover: false,
                attempts: (0..boards).map(attempt).collect(),
            }
        });
        let walkovers = state.draw.walkovers.iter().map(|walkover| {
            let seat = |entrant| SeatRow { entrant, outcomes: Vec::new() };
            TableRow {
                round,
                number: walkover.number,
                room: None,
                seats: walkover.winner.into_iter().map(seat).collect(),
                walkover: true,
                attempts: Vec::new(),
            }
        });
        tables.chain(walkovers).collect()
    }

    /// Returns the matches of the latest stage that has a bracket.
    fn matches(&self) -> Vec<MatchRow> {
        let is_bracket =
            |it: &&StageState| matches!(it.stage().format, Format::Knockout | Format::Double);
        let Some(bracket) = self.fold.stages().iter().rev().find(is_bracket) else {
            return Vec::new();
        };
        let bracket = bracket.bracket();
        (0u16..)
            .zip(bracket.matches())
            .map(|(number, it)| match_row(&bracket, number, it))
            .collect()
    }

    fn log_lines(&self, first: usize) -> Vec<LogLine> {
        cut_by_weight(self.lines.iter().skip(first).cloned(), |line| match line.entry() {
            Some(LogEntry::Draw { waiting, .. }) => 4 + waiting.len() / 4,
            Some(LogEntry::Seed { order }) => 4 + order.len() / 4,
            Some(LogEntry::Result { result, .. }) => 4 + result.rows.len(),
            Some(
                LogEntry::Enter { .. }
                | LogEntry::CheckIn { .. }
                | LogEntry::Withdraw { .. }
                | LogEntry::Disqualify { .. }
                | LogEntry::Replay { .. }
                | LogEntry::Seat { .. }
                | LogEntry::Unseat { .. }
                | LogEntry::Void { .. }
                | LogEntry::EndStage { .. }
                | LogEntry::TakeBack { .. },
            )
            | None => 4,
        })
    }
}

fn match_row(
    bracket: &Bracket,
    number: u16,
    it: &gridrace_shared::tournament::draw::bracket::BracketMatch,
) -> MatchRow {
    let source = |source| match source {
        Source::Seed(seed) => MatchSource::Seed(short(seed)),
        Source::Winner(of) => MatchSource::Winner(short(of)),
        Source::Loser(of) => MatchSource::Loser(short(of)),
        Source::Reset(side) => MatchSource::Reset(short(side)),
    };
    let decision = bracket.decision(number.into());
    MatchRow {
        number,
        level: it.level,
        sources: it.sources.map(source),
        sides: bracket.sides(number.into()),
        decided: decision.is_some(),
        winner: decision.and_then(|decision| decision.winner),
    }
}

fn cut<T: Clone>(rows: &[T], first: usize) -> Vec<T> {
    rows.iter().skip(first).take(PAGE_ROWS).cloned().collect()
}

/// Takes rows up to [`PAGE_WEIGHT`], and one at least.
fn cut_by_weight<T>(rows: impl Iterator<Item = T>, weight: impl Fn(&T) -> usize) -> Vec<T> {
    let mut page = Vec::new();
    let mut sum = 0;
    for row in rows {
        sum += weight(&row);
        if !page.is_empty() && sum > PAGE_WEIGHT {
            break;
        }
        page.push(row);
    }
    page
}
