//! Read access to finished heats and tournaments.

use crate::store::data_dir;
use crate::store::error::StoreError;
use crate::store::finished_heats;
use crate::store::schema;
use gridrace_shared::heat::identity::Fingerprint;
use gridrace_shared::heat::player_kind::PlayerKind;
use gridrace_shared::heat::player_name::PlayerName;
use gridrace_shared::heat::speed::is_inhuman;
use gridrace_shared::protocol::snapshot::OwnResult;
use gridrace_shared::puzzle::MoveCount;
use gridrace_shared::util::time::{Millis, UnixMillis};
use rusqlite::config::DbConfig;
use rusqlite::ffi::ErrorCode;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The finished heats in a data folder. Reading them doesn't block a server.
#[derive(Debug, Clone)]
pub struct Archive(PathBuf);

/// A finished heat in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FinishedSummary {
    pub id: String,
    pub code: String,
    pub number: u32,
    /// When it ended, in milliseconds since 1970.
    pub ended: u64,
    pub puzzle: String,
    /// The result, as the wire's JSON has it.
    pub result: String,
}

impl Archive {
    pub fn at(folder: &Path) -> Self {
        Self(data_dir::database_path(folder))
    }

    /// Returns the archive of a folder in which a server has had its data.
    pub(super) fn existing(folder: &Path) -> Result<Self, StoreError> {
        let archive = Self::at(folder);
        match fs::metadata(&archive.0) {
            Ok(_) => Ok(archive),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Err(StoreError::NoDatabase(folder.to_owned()))
            }
            Err(error) => Err(StoreError::of_file(&archive.0, error)),
        }
    }

    /// Checks that this version can read the database.
    pub fn check(&self) -> Result<(), StoreError> {
        let checked = match self.open().and_then(|database| schema::identify(&database)) {
            Ok(0) => Err(StoreError::Corrupt("it is empty".to_owned())),
            Ok(_) => Ok(()),
            Err(error) => Err(error),
        };
        checked.map_err(|error| self.named(error))
    }

    /// Adds the path of the database to an error.
    pub fn named(&self, error: StoreError) -> StoreError {
        error.of_database(&self.0)
    }

    /// Returns whether a server has had its data in the folder.
    pub fn exists(&self) -> bool {
        self.0.exists()
    }

    /// Lists the latest finished heats, the last one first.
    pub fn latest(&self, most: u32) -> Result<Vec<FinishedSummary>, StoreError> {
        let database = self.open()?;
        let mut listed = database.prepare(
            "SELECT id, code, number, ended, puzzle, result FROM finished
             ORDER BY ended DESC, id LIMIT ?1",
        )?;
        let rows = listed.query_map([most], summary)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Reads the replay of a heat by its id.
    pub fn replay(&self, id: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let replay: Option<Option<Vec<u8>>> = self
            .open()?
            .query_row("SELECT replay FROM finished WHERE id = ?1", [id], |row| row.get(0))
            .optional()?;
        Ok(replay.flatten())
    }

    /// Reads what follows the first `from` bytes of a replay, `most` bytes at most, and the length of
    /// the whole. The heats of listed rooms are shown to all, those of private rooms to the keys that
    /// raced in them.
    pub fn replay_part(
        &self,
        id: &str,
        who: Option<Fingerprint>,
        from: u32,
        most: u32,
    ) -> Result<Option<(u32, Vec<u8>)>, StoreError> {
        let who = who.map(|who| who.to_string());
        let part = self
            .open()?
            .query_row(
                "SELECT length(replay), substr(replay, ?2 + 1, ?3) FROM finished
                 WHERE id = ?1 AND replay IS NOT NULL
                     AND (NOT json_extract(options, '$.private') OR EXISTS (
                         SELECT 1 FROM results WHERE finished = id AND fingerprint = ?4))",
                params![id, from, most, who],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )
            .optional()?;
        Ok(part)
    }

    /// Lists the latest results of a key's owner, the last one first. Results with puzzles or names
    /// that this version can't parse are left out.
    pub fn results_of(&self, who: &Fingerprint, most: u32) -> Result<Vec<OwnResult>, StoreError> {
        let database = self.open()?;
        let mut listed = database.prepare(
            "SELECT results.finished, results.ended, puzzle, name, place,
                 (SELECT count(*) FROM results AS all_of_it
                     WHERE all_of_it.finished = results.finished),
                 time, moves, hints, kind, penalty,
                 (SELECT json_extract(row.value, '$.moves.acts')
                     FROM json_each(finished.result, '$.standings') AS row
                     WHERE json_extract(row.value, '$.player') = results.player)
             FROM results JOIN finished ON finished.id = results.finished
             WHERE fingerprint = ?1 ORDER BY results.ended DESC, results.finished LIMIT ?2",
        )?;
        let rows = listed.query_map(params![who.to_string(), most], own_result)?;
        Ok(rows.filter_map(Result::transpose).collect::<Result<_, _>>()?)
    }

    pub(super) fn folder(&self) -> &Path {
        self.0.parent().unwrap_or(&self.0)
    }

    pub(super) fn open(&self) -> Result<Connection, StoreError> {
        self.open_read_only().map_err(|error| self.named(error))
    }

    /// Opens the database without changing which files exist: the log of a killed server is left
    /// to the next one, and no new log stays.
    fn open_read_only(&self) -> Result<Connection, StoreError> {
        let was_closed = !data_dir::has_companions(&self.0);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let database = Connection::open_with_flags(&self.0, flags)?;
        database.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, !was_closed)?;
        database.pragma_update(None, "query_only", true)?;
        // The first query opens the files beside the database, or creates them.
        let first = database.query_row("SELECT count(*) FROM sqlite_schema", (), |_| Ok(()));
        match first {
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::CannotOpen) => {
                if was_closed {
                    return self.open_immutable();
                }
                rustix::fs::access(self.folder(), rustix::fs::Access::WRITE_OK)
                    .map_err(|why| StoreError::of_file(self.folder(), why.into()))?;
                Err(error.into())
            }
            Ok(()) | Err(_) => Ok(database),
        }
    }

    /// Opens a database beside which no file can be created, as on a read-only medium. All of it is
    /// in its own file, which no server changes.
    fn open_immutable(&self) -> Result<Connection, StoreError> {
        let mut address = String::from("file:");
        for &byte in self.0.as_os_str().as_bytes() {
            match byte {
                b'/' | b'.' | b'-' | b'_' => address.push(byte.into()),
                _ if byte.is_ascii_alphanumeric() => address.push(byte.into()),
                _ => address.push_str(&format!("%{byte:02x}")),
            }
        }
        address.push_str("?immutable=1");
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_URI
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        Ok(Connection::open_with_flags(address, flags)?)
    }
}

fn own_result(row: &Row<'_>) -> rusqlite::Result<Option<OwnResult>> {
    let (spec, name): (String, String) = (row.get(2)?, row.get(3)?);
    let (Ok(spec), Ok(name)) = (spec.parse(), PlayerName::try_from(name)) else {
        return Ok(None);
    };
    let time = row.get::<_, Option<i64>>(6)?.map(|time| Millis(time.unsigned_abs()));
    let moves = MoveCount { moves: row.get(7)?, acts: row.get::<_, Option<u32>>(11)?.unwrap_or(0) };
    let is_person = row.get::<_, String>(9)? == finished_heats::word(PlayerKind::Human);
    let penalty = Millis(row.get::<_, i64>(10)?.unsigned_abs());
    let kind = if is_person { PlayerKind::Human } else { PlayerKind::Bot };
    Ok(Some(OwnResult {
        heat: row.get(0)?,
        ended: UnixMillis(row.get::<_, i64>(1)?.unsigned_abs()),
        spec,
        name,
        place: row.get(4)?,
        of: row.get(5)?,
        time,
        moves: moves.moves,
        hints: row.get(8)?,
        inhuman_speed: time.is_some_and(|time| is_inhuman(&spec, kind, moves, time.since(penalty))),
    }))
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
