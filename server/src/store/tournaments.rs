//! Tournaments in the database: what each was opened with, the lines of its log, and the results that
//! its tables brought in.
//!
//! A result is written with the finished heat, in one transaction; the line of the log follows. So a
//! server that was killed in between finds the result, and adds the line.

use crate::race::TableRecord;
use crate::store::error::StoreError;
use crate::store::statement::execute;
use gridrace_shared::heat::identity::Fingerprint;
use gridrace_shared::heat::pin::Pin;
use gridrace_shared::protocol::tournament::TournamentOutcome;
use gridrace_shared::tournament::draw_commitment::TournamentSecret;
use gridrace_shared::tournament::ids::{ResultKey, RoundKey, TournamentName};
use gridrace_shared::tournament::plan::TournamentPlan;
use gridrace_shared::tournament::public_log::LogLine;
use gridrace_shared::tournament::result::BoardResult;
use gridrace_shared::tournament::settings::TournamentSettings;
use gridrace_shared::util::time::{ServerInstant, UnixMillis};
use rusqlite::{Connection, OptionalExtension, Transaction, params};
use serde::{Deserialize, Serialize};
use tracing::error;

/// Tournaments that are over and still in memory after a restart, so that clients may follow them.
pub(crate) const KEPT_ENDED: usize = 16;

/// What a tournament was opened with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SavedTournament {
    /// Its number in the store.
    pub(crate) id: i64,
    pub(crate) name: TournamentName,
    pub(crate) plan: TournamentPlan,
    pub(crate) settings: TournamentSettings,
    pub(crate) secret: TournamentSecret,
    pub(crate) founder: Fingerprint,
    pub(crate) pin: Option<Pin>,
    /// When it was opened, on the server's clock, which the next server continues.
    pub(crate) epoch: ServerInstant,
    pub(crate) opened: UnixMillis,
}

impl SavedTournament {
    /// Returns whether a table with this name that was opened then is of this tournament, and not of an
    /// earlier one of its name.
    pub(crate) const fn has_table_of(&self, opened: ServerInstant) -> bool {
        // A room is opened at a whole millisecond.
        opened.0 / 1_000 >= self.epoch.0 / 1_000
    }
}

/// A tournament as an earlier server left it.
#[derive(Debug)]
pub(crate) struct RecoveredTournament {
    pub(crate) saved: SavedTournament,
    pub(crate) lines: Vec<LogLine>,
    pub(crate) results: Vec<(ResultKey, BoardResult)>,
}

/// A change of a tournament's rows.
#[derive(Debug)]
pub(crate) enum TournamentWrite {
    /// With what it was opened. Replaces what is there.
    Open(Box<SavedTournament>),
    Lines {
        tournament: i64,
        /// The number of the first line.
        first: usize,
        lines: Vec<LogLine>,
    },
    /// Changes nothing of one that is closed and has its outcome.
    Close { tournament: i64, ended: UnixMillis, outcome: TournamentOutcome },
}

impl TournamentWrite {
    /// Returns roughly the bytes that it counts in the queue.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Open(_) => 4_096,
            Self::Lines { lines, .. } => lines.len() * 256,
            Self::Close { .. } => 512,
        }
    }

    pub(super) fn write(&self, group: &Transaction<'_>) -> Result<u64, StoreError> {
        match self {
            Self::Open(saved) => {
                let json = json(saved)?;
                let sql =
                    "INSERT INTO tournaments (id, name, opened, saved) VALUES (?1, ?2, ?3, ?4)
                    ON CONFLICT (id) DO UPDATE SET saved = excluded.saved";
                let SavedTournament { id, name, opened, .. } = &**saved;
                execute(group, sql, params![id, name.as_str(), opened.0 as i64, json])?;
                Ok(json.len() as u64)
            }
            Self::Lines { tournament, first, lines } => {
                let sql = "INSERT INTO tournament_lines (tournament, number, line)
                    VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET line = excluded.line";
                let mut bytes = 0;
                for (number, line) in (*first..).zip(lines) {
                    let line = json(line)?;
                    execute(group, sql, params![tournament, number as i64, line])?;
                    bytes += line.len() as u64;
                }
                Ok(bytes)
            }
            Self::Close { tournament, ended, outcome } => {
                let json = json(outcome)?;
                let sql = "UPDATE tournaments SET ended = coalesce(ended, ?2), outcome = ?3
                    WHERE id = ?1 AND (ended IS NULL OR outcome IS NULL)";
                execute(group, sql, params![tournament, ended.0 as i64, json])?;
                Ok(json.len() as u64)
            }
        }
    }
}

/// Writes the result of a table's heat, whose id is `finished`, to the tournament that the table is of:
/// the latest of its name that was there as the room was opened. A result that is there already is
/// replaced: no client was told of it.
pub(super) fn write_result(
    group: &Transaction<'_>,
    record: &TableRecord,
    finished: &str,
) -> Result<(), StoreError> {
    let TableRecord { tournament, opened, board, result } = record;
    let sql = "INSERT INTO tournament_results
            (tournament, stage, round, place, board, attempt, result, finished)
        SELECT max(id), ?2, ?3, ?4, ?5, ?6, ?7, ?8 FROM tournaments
            WHERE name = ?1 AND saved ->> 'epoch' <= ?9
            HAVING max(id) IS NOT NULL
        ON CONFLICT DO UPDATE SET result = excluded.result, finished = excluded.finished";
    let ResultKey { round: RoundKey { stage, round }, table, board, attempt } = *board;
    let result = json(result)?;
    let name = tournament.as_str();
    // A room is opened at a whole millisecond.
    let before = opened.0.saturating_add(999) as i64;
    let row = params![name, stage, round, table, board, attempt, result, finished, before];
    execute(group, sql, row)
}

/// Reads the tournaments that aren't over, and the latest that are. One that can't be read is left in
/// the database as it is.
pub(super) fn recover(database: &Connection) -> Result<Vec<RecoveredTournament>, StoreError> {
    let saved: Vec<(i64, String)> = database
        .prepare(
            "SELECT id, saved FROM tournaments WHERE ended IS NULL OR id IN
                (SELECT id FROM tournaments WHERE ended IS NOT NULL ORDER BY id DESC LIMIT ?1)
             ORDER BY id",
        )?
        .query_map([KEPT_ENDED as i64], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<_, _>>()?;
    let mut recovered = Vec::new();
    for (id, saved) in saved {
        match read(database, id, &saved)? {
            Ok(tournament) => recovered.push(tournament),
            Err(why) => error!(id, %why, "tournament can't be read; it is left in the database"),
        }
    }
    Ok(recovered)
}

/// Returns the first number that no tournament has.
pub(super) fn next_id(database: &Connection) -> Result<i64, StoreError> {
    let last: Option<i64> = database
        .query_row("SELECT max(id) FROM tournaments", (), |row| row.get(0))
        .optional()?
        .flatten();
    Ok(last.unwrap_or(0) + 1)
}

fn read(
    database: &Connection,
    id: i64,
    saved: &str,
) -> Result<Result<RecoveredTournament, serde_json::Error>, StoreError> {
    let lines: Vec<String> = database
        .prepare("SELECT line FROM tournament_lines WHERE tournament = ?1 ORDER BY number")?
        .query_map([id], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    let results: Vec<(ResultKey, String)> = database
        .prepare(
            "SELECT stage, round, place, board, attempt, result FROM tournament_results
             WHERE tournament = ?1 ORDER BY stage, round, board, place, attempt",
        )?
        .query_map([id], |row| {
            let round = RoundKey { stage: row.get(0)?, round: row.get(1)? };
            let (table, board, attempt) = (row.get(2)?, row.get(3)?, row.get(4)?);
            Ok((ResultKey { round, table, board, attempt }, row.get(5)?))
        })?
        .collect::<Result<_, _>>()?;
    let parse = || {
        let saved = SavedTournament { id, ..serde_json::from_str(saved)? };
        let lines = lines.iter().map(|line| serde_json::from_str(line));
        let results = results.iter().map(|(key, it)| Ok((*key, serde_json::from_str(it)?)));
        Ok(RecoveredTournament {
            saved,
            lines: lines.collect::<Result<_, _>>()?,
            results: results.collect::<Result<_, serde_json::Error>>()?,
        })
    };
    Ok(parse())
}

fn json<T: Serialize>(value: &T) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::Database(error.to_string()))
}
