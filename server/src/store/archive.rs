//! Reading what is kept of heats that are over.

use super::fault::StoreFault;
use super::folder::DATABASE;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Row};
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

    fn open(&self) -> Result<Connection, StoreFault> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        Ok(Connection::open_with_flags(&self.0, flags)?)
    }
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
