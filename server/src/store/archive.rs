//! Reading what is kept of heats that are over.

use super::fault::StoreFault;
use super::folder::DATABASE;
use gridrace_shared::identity::Fingerprint;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The heats in a folder that are over. Whoever reads them holds up no server.
#[derive(Debug, Clone)]
pub struct Archive(PathBuf);

/// A finished heat's line in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FinishedSummary {
    /// Its name.
    pub id: String,
    /// The code by which it was joined.
    pub code: String,
    /// Which heat of its group it was.
    pub number: u32,
    /// When it ended, in milliseconds since 1970.
    pub ended: u64,
    /// The puzzle.
    pub puzzle: String,
    /// The result, as the wire's JSON has it.
    pub result: String,
}

/// What somebody has made of a heat that is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnResult {
    /// The heat's name.
    pub id: String,
    /// When it ended, in milliseconds since 1970.
    pub ended: u64,
    /// The puzzle.
    pub puzzle: String,
    /// The name under which they raced.
    pub name: String,
    /// Their place.
    pub place: u16,
    /// How many raced.
    pub of: u32,
    /// Their time in milliseconds, if they finished.
    pub time: Option<u64>,
    /// Their moves.
    pub moves: u32,
    /// The hints that they took.
    pub hints: u16,
}

impl Archive {
    /// Takes the folder of a server.
    #[must_use]
    pub fn at(folder: &Path) -> Self {
        Self(folder.join(DATABASE))
    }

    /// Lists the latest heats that are over, the last one first.
    ///
    /// # Errors
    /// [`StoreFault`].
    pub fn latest(&self, most: u32) -> Result<Vec<FinishedSummary>, StoreFault> {
        let database = self.open()?;
        let mut listed = database.prepare(
            "SELECT id, code, number, ended, puzzle, result FROM finished
             ORDER BY ended DESC, id LIMIT ?1",
        )?;
        let rows = listed.query_map([most], summary)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Reads the replay of a heat by its name, where there is one.
    ///
    /// # Errors
    /// [`StoreFault`].
    pub fn replay(&self, id: &str) -> Result<Option<Vec<u8>>, StoreFault> {
        let replay: Option<Option<Vec<u8>>> = self
            .open()?
            .query_row("SELECT replay FROM finished WHERE id = ?1", [id], |row| {
                row.get(0)
            })
            .optional()?;
        Ok(replay.flatten())
    }

    /// Lists the latest results of whoever holds a key, the last one first.
    ///
    /// # Errors
    /// [`StoreFault`].
    pub fn results_of(&self, who: &Fingerprint, most: u32) -> Result<Vec<OwnResult>, StoreFault> {
        let database = self.open()?;
        let mut listed = database.prepare(
            "SELECT id, ended, puzzle, name, place,
                 (SELECT count(*) FROM results AS all_of_it WHERE all_of_it.finished = id),
                 time, moves, hints
             FROM results JOIN finished ON finished.id = results.finished
             WHERE fingerprint = ?1 ORDER BY ended DESC, id LIMIT ?2",
        )?;
        let rows = listed.query_map(params![who.to_string(), most], own_result)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn open(&self) -> Result<Connection, StoreFault> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        Ok(Connection::open_with_flags(&self.0, flags)?)
    }
}

fn own_result(row: &Row<'_>) -> rusqlite::Result<OwnResult> {
    Ok(OwnResult {
        id: row.get(0)?,
        ended: row.get::<_, i64>(1)?.unsigned_abs(),
        puzzle: row.get(2)?,
        name: row.get(3)?,
        place: row.get(4)?,
        of: row.get(5)?,
        time: row.get::<_, Option<i64>>(6)?.map(i64::unsigned_abs),
        moves: row.get(7)?,
        hints: row.get(8)?,
    })
}

fn summary(row: &Row<'_>) -> rusqlite::Result<FinishedSummary> {
    Ok(FinishedSummary {
        id: row.get(0)?,
        code: row.get(1)?,
        number: row.get(2)?,
        ended: row.get::<_, i64>(3)?.unsigned_abs(),
        puzzle: row.get(4)?,
        result: row.get(5)?,
    })
}
