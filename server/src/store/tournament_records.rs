//! Records of tournaments, put together from the database.

use crate::store::archive::Archive;
use crate::store::error::StoreError;
use crate::store::key_file;
use crate::store::tournaments::SavedTournament;
use gridrace_shared::tournament::ids::{ResultKey, RoundKey, TournamentName};
use gridrace_shared::tournament::log::LogEntry;
use gridrace_shared::tournament::public_log::{LogAuthor, LogLine, PublicEvent};
use gridrace_shared::tournament_record::{RecordHead, RecordedHeat, TournamentRecord};
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::BTreeSet;

/// The audience of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordReader {
    /// One who has the data folder.
    Host,
    /// Anyone: private tournaments aren't shown, and none that still runs, because replays of a round
    /// show its boards.
    Public,
}

impl Archive {
    /// Puts together the record of the latest tournament of this name, signed by the key of the data
    /// folder.
    ///
    /// # Errors
    /// The database, or what it holds of the tournament, can't be read.
    pub fn tournament_record(
        &self,
        name: &TournamentName,
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
    name: &TournamentName,
) -> Result<Option<(i64, SavedTournament)>, StoreError> {
    let sql = "SELECT id, saved FROM tournaments WHERE name = ?1 ORDER BY id DESC LIMIT 1";
    let row: Option<(i64, String)> = database
        .query_row(sql, [name.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    row.map(|(id, json)| Ok((id, parse(&json)?))).transpose()
}

fn lines(database: &Connection, id: i64) -> Result<Vec<LogLine>, StoreError> {
    let sql = "SELECT line FROM tournament_lines WHERE tournament = ?1 ORDER BY number";
    let lines: Vec<String> =
        database.prepare(sql)?.query_map([id], |row| row.get(0))?.collect::<Result<_, _>>()?;
    lines.iter().map(|line| parse(line)).collect()
}

/// Reads the replays of the results that the log has.
fn heats(database: &Connection, id: i64, log: &[LogLine]) -> Result<Vec<RecordedHeat>, StoreError> {
    let recorded: BTreeSet<ResultKey> = log
        .iter()
        .filter(|line| line.by == LogAuthor::Server)
        .filter_map(|line| match line.entry() {
            Some(LogEntry::Result { key, .. }) => Some(*key),
            Some(_) | None => None,
        })
        .collect();
    let sql = "SELECT stage, round, place, board, attempt, replay
        FROM tournament_results JOIN finished ON finished.id = tournament_results.finished
        WHERE tournament = ?1 AND replay IS NOT NULL";
    let mut statement = database.prepare(sql)?;
    let rows = statement.query_map(params![id], |row| {
        let round = RoundKey { stage: row.get(0)?, round: row.get(1)? };
        let (table, board, attempt) = (row.get(2)?, row.get(3)?, row.get(4)?);
        let key = ResultKey { round, table, board, attempt };
        Ok(RecordedHeat { key, replay: row.get(5)? })
    })?;
    let heats: Vec<RecordedHeat> = rows.collect::<Result<_, _>>()?;
    Ok(heats.into_iter().filter(|heat| recorded.contains(&heat.key)).collect())
}

fn parse<T: serde::de::DeserializeOwned>(json: &str) -> Result<T, StoreError> {
    serde_json::from_str(json).map_err(|error| StoreError::Database(error.to_string()))
}
