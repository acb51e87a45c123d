//! Records of tournaments, put together from the database.

use crate::store::archive::Archive;
use crate::store::error::StoreError;
use crate::store::key_file;
use crate::store::tournaments::SavedTournament;
use gridrace_shared::tournament::ids::{RecordName, ResultKey, RoundKey};
use gridrace_shared::tournament::log::LogEntry;
use gridrace_shared::tournament::public_log::{LogAuthor, LogLine, PublicEvent};
use gridrace_shared::tournament_record::{RecordHead, RecordedHeat, TournamentRecord};
use gridrace_shared::util::time::UnixMillis;
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::BTreeMap;

/// The audience of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordReader {
    /// One who has the data folder.
    Host,
    /// Anyone: private tournaments aren't shown, and none that still runs, because replays of a round
    /// show its boards.
    Public,
}

/// A tournament in the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredTournament {
    pub record: RecordName,
    pub opened: UnixMillis,
    /// When it was closed, if it was.
    pub ended: Option<UnixMillis>,
}

impl Archive {
    /// Lists all tournaments by their names, those of one name as they were opened.
    pub fn tournaments(&self) -> Result<Vec<StoredTournament>, StoreError> {
        let sql = "SELECT name, row_number() OVER (PARTITION BY name ORDER BY id), opened, ended
            FROM tournaments ORDER BY name, id";
        let rows: Vec<(String, u32, i64, Option<i64>)> = self
            .open()?
            .prepare(sql)?
            .query_map((), |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?
            .collect::<Result<_, _>>()?;
        let at = |millis: i64| UnixMillis(millis.unsigned_abs());
        let stored = rows.into_iter().filter_map(|(name, number, opened, ended)| {
            // One that can't be read is left out.
            let record = RecordName { tournament: name.parse().ok()?, number: Some(number) };
            Some(StoredTournament { record, opened: at(opened), ended: ended.map(at) })
        });
        Ok(stored.collect())
    }

    /// Puts together the record of a tournament, signed by the key of the data folder.
    ///
    /// # Errors
    /// The database, or what it holds of the tournament, can't be read; or heats of it were deleted.
    pub fn tournament_record(
        &self,
        name: &RecordName,
        reader: RecordReader,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let database = self.open()?;
        let Some((id, saved)) = saved(&database, name)? else { return Ok(None) };
        let log = lines(&database, id)?;
        let is_shown = match reader {
            RecordReader::Host => true,
            RecordReader::Public => {
                let is_private = saved.settings.options.private || saved.pin.is_some();
                let is_over =
                    log.iter().any(|line| matches!(line.event, PublicEvent::SecretRevealed { .. }));
                is_over && !is_private
            }
        };
        if !is_shown {
            return Ok(None);
        }
        let heats = heats(&database, id, &log)?;
        let head = RecordHead {
            writer: concat!("gridrace ", env!("CARGO_PKG_VERSION")).to_owned(),
            name: saved.name,
            plan: saved.plan,
            settings: saved.settings,
            opened: saved.opened.0 / 1_000,
            commitment: saved.secret.commitment(),
        };
        let record = TournamentRecord::new(head, log, heats);
        let key = key_file::existing_server_key(self.folder())?;
        Ok(Some(key.map_or_else(|| record.encode(), |key| record.sign(&key))))
    }
}

fn saved(
    database: &Connection,
    RecordName { tournament, number }: &RecordName,
) -> Result<Option<(i64, SavedTournament)>, StoreError> {
    let (order, skipped) = number.map_or(("DESC", 0), |number| ("ASC", number.saturating_sub(1)));
    let sql = format!(
        "SELECT id, saved FROM tournaments WHERE name = ?1 ORDER BY id {order} LIMIT 1 OFFSET ?2"
    );
    let row: Option<(i64, String)> = database
        .query_row(&sql, params![tournament.as_str(), skipped], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .optional()?;
    row.map(|(id, json)| Ok((id, parse(&json)?))).transpose()
}

fn lines(database: &Connection, id: i64) -> Result<Vec<LogLine>, StoreError> {
    let sql = "SELECT line FROM tournament_lines WHERE tournament = ?1 ORDER BY number";
    let lines: Vec<String> =
        database.prepare(sql)?.query_map([id], |row| row.get(0))?.collect::<Result<_, _>>()?;
    lines.iter().map(|line| parse(line)).collect()
}

/// Reads the replays of the results that the log has. Without the heats, a record would not hold.
fn heats(database: &Connection, id: i64, log: &[LogLine]) -> Result<Vec<RecordedHeat>, StoreError> {
    // Each with whether anybody raced: a board to which no entrant came has no heat.
    let recorded: BTreeMap<ResultKey, bool> = log
        .iter()
        .filter(|line| line.by == LogAuthor::Server)
        .filter_map(|line| match line.entry() {
            Some(LogEntry::Result { key, result }) => {
                Some((*key, result.rows.iter().any(|(_, outcome)| outcome.has_started())))
            }
            Some(_) | None => None,
        })
        .collect();
    let sql = "SELECT stage, round, place, board, attempt, replay, finished.id IS NULL
        FROM tournament_results LEFT JOIN finished ON finished.id = tournament_results.finished
        WHERE tournament = ?1 AND (replay IS NOT NULL OR finished.id IS NULL)";
    let mut statement = database.prepare(sql)?;
    let rows = statement.query_map(params![id], |row| {
        let round = RoundKey { stage: row.get(0)?, round: row.get(1)? };
        let (table, board, attempt) = (row.get(2)?, row.get(3)?, row.get(4)?);
        let key = ResultKey { round, table, board, attempt };
        Ok((key, row.get::<_, Option<Vec<u8>>>(5)?, row.get::<_, bool>(6)?))
    })?;
    let rows: Vec<_> = rows.collect::<Result<_, _>>()?;
    let counted: Vec<_> = rows.into_iter().filter(|(key, ..)| recorded.contains_key(key)).collect();
    let is_deleted = |(key, _, is_missing): &&(ResultKey, _, bool)| {
        *is_missing && recorded.get(key) == Some(&true)
    };
    match counted.iter().filter(is_deleted).count() {
        0 => {}
        deleted => return Err(StoreError::DeletedHeats(deleted)),
    }
    let heats = counted
        .into_iter()
        .filter_map(|(key, replay, _)| replay.map(|replay| RecordedHeat { key, replay }));
    Ok(heats.collect())
}

fn parse<T: serde::de::DeserializeOwned>(json: &str) -> Result<T, StoreError> {
    serde_json::from_str(json).map_err(|error| StoreError::Database(error.to_string()))
}
