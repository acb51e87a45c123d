//! Finished heats and their ratings: the rows of the archive.

use crate::race::{HeatRecord, TableRecord};
use crate::store::error::StoreError;
use crate::store::tournaments;
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::heat::player_kind::PlayerKind;
use gridrace_shared::heat::standings::{RaceState, Standing};
use gridrace_shared::protocol::codec::{self, Codec, Frame};
use gridrace_shared::protocol::snapshot::{HeatResult, Member};
use gridrace_shared::puzzle::{MoveBounds, PuzzleSpec};
use gridrace_shared::replay::{Replay, ServerKey, SignatureCheck};
use gridrace_shared::util::time::UnixMillis;
use rusqlite::{OptionalExtension, Transaction, params};
use serde::Serialize;
use std::sync::Arc;

const DAY: u64 = 24 * 60 * 60 * 1_000;

#[derive(Debug)]
pub(crate) enum ArchiveRecord {
    Finished(Box<FinishedHeat>),
    /// The rating of a board that became known after the end of its heat.
    Rated(HeatRating),
}

#[derive(Debug)]
pub(crate) struct HeatRating {
    number: u32,
    best: MoveBounds,
    result: String,
    server_key: Arc<ServerKey>,
}

#[derive(Debug)]
pub(crate) struct FinishedHeat {
    code: RoomCode,
    number: u32,
    ended: UnixMillis,
    /// Distinguishes heats of one code and day.
    tag: u16,
    puzzle: PuzzleSpec,
    options: String,
    result: String,
    replay: Option<Vec<u8>>,
    players: Vec<(Member, Standing)>,
    /// What the board brought in, if it was raced at a table of a tournament.
    table: Option<TableRecord>,
}

impl FinishedHeat {
    /// Makes the row of a heat that ended at an instant of the calendar.
    pub(crate) fn new(
        record: &HeatRecord,
        ended: UnixMillis,
        tag: u16,
        replay: Option<Vec<u8>>,
    ) -> Self {
        let HeatRecord { code, number, options, result, members, table, .. } = record;
        let players = result.standings.iter().filter_map(|row| {
            let member = members.iter().find(|member| member.id == row.player)?;
            Some((member.clone(), row.clone()))
        });
        Self {
            code: *code,
            number: *number,
            ended,
            tag,
            puzzle: options.spec,
            options: json(options),
            result: json(result),
            replay,
            players: players.collect(),
            table: table.clone(),
        }
    }

    fn bytes(&self) -> usize {
        self.options.len() + self.result.len() + self.replay.as_ref().map_or(0, Vec::len)
    }

    /// Inserts the heat of the room of this number; returns its bytes. If the id is taken, uses
    /// the next free tag. A heat of this room and number is there already if a server was killed
    /// before the entry of its end was on the disk: no client was told of that end.
    fn insert(&self, room: i64, group: &Transaction<'_>) -> Result<u64, StoreError> {
        group
            .prepare_cached("DELETE FROM finished WHERE heat = ?1 AND number = ?2")?
            .execute(params![room, self.number])?;
        let mut tag = self.tag;
        let mut id = finished_id(self.code, self.ended, tag);
        while group.prepare_cached("SELECT 1 FROM finished WHERE id = ?1")?.exists([&id])? {
            tag = tag.wrapping_add(1);
            id = finished_id(self.code, self.ended, tag);
        }
        group
            .prepare_cached(
                "INSERT INTO finished
                    (id, code, number, ended, puzzle, options, result, replay, heat)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            )?
            .execute(params![
                id,
                self.code.to_string(),
                self.number,
                self.ended.0 as i64,
                self.puzzle.to_string(),
                self.options,
                self.result,
                self.replay,
                room
            ])?;
        for (member, row) in &self.players {
            let time = match row.state {
                RaceState::Finished { time } => Some(time.0 as i64),
                RaceState::Racing | RaceState::Dnf => None,
            };
            group
                .prepare_cached(
                    "INSERT INTO results
                        (finished, player, name, kind, place, time, moves, hints, penalty,
                         fingerprint, ended)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
                )?
                .execute(params![
                    id,
                    row.player.0,
                    member.name.as_str(),
                    word(member.kind),
                    row.place,
                    time,
                    row.moves.moves,
                    row.hints,
                    row.penalty.0 as i64,
                    member.identity.map(|identity| identity.to_string()),
                    self.ended.0 as i64
                ])?;
        }
        if let Some(table) = &self.table {
            tournaments::write_result(group, table, &id)?;
        }
        Ok(self.bytes() as u64)
    }
}

impl HeatRating {
    /// Makes the update of a heat whose rating came after its end.
    pub(crate) fn new(
        number: u32,
        best: MoveBounds,
        result: &HeatResult,
        server_key: &Arc<ServerKey>,
    ) -> Self {
        Self { number, best, result: json(result), server_key: Arc::clone(server_key) }
    }

    /// Updates the result and the replay of that heat, if they are in the archive.
    fn update(&self, room: i64, group: &Transaction<'_>) -> Result<(), StoreError> {
        let replay: Option<Option<Vec<u8>>> = group
            .prepare_cached("SELECT replay FROM finished WHERE heat = ?1 AND number = ?2")?
            .query_row(params![room, self.number], |row| row.get(0))
            .optional()?;
        let Some(replay) = replay else {
            return Ok(());
        };
        let rated = replay.map(|file| self.rate_replay(file));
        group
            .prepare_cached(
                "UPDATE finished SET result = ?3, replay = ?4 WHERE heat = ?1 AND number = ?2",
            )?
            .execute(params![room, self.number, self.result, rated])?;
        Ok(())
    }

    /// Adds the rating to a replay. One that can't be decoded, or with another signature than this
    /// server's, is left as it is.
    fn rate_replay(&self, file: Vec<u8>) -> Vec<u8> {
        let Ok((mut replay, _, signature)) = Replay::locate(&file) else {
            return file;
        };
        replay.outcome.best = Some(self.best);
        match signature {
            // An earlier version recorded it.
            SignatureCheck::Unsigned => replay.encode(),
            SignatureCheck::Valid(server) if server == self.server_key.fingerprint() => {
                replay.sign(&self.server_key)
            }
            SignatureCheck::Valid(_) | SignatureCheck::Invalid(_) => file,
        }
    }
}

impl ArchiveRecord {
    /// Returns the bytes that it counts in the queue.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Finished(finished) => finished.bytes(),
            Self::Rated(rated) => rated.result.len(),
        }
    }

    /// Writes the record of the room of this number; returns its bytes.
    pub(super) fn write(&self, room: i64, group: &Transaction<'_>) -> Result<u64, StoreError> {
        match self {
            Self::Finished(finished) => finished.insert(room, group),
            Self::Rated(rated) => {
                rated.update(room, group)?;
                Ok(self.bytes() as u64)
            }
        }
    }
}

pub(super) const fn word(kind: PlayerKind) -> &'static str {
    match kind {
        PlayerKind::Human => "human",
        PlayerKind::Bot => "bot",
        PlayerKind::HouseBot(_) => "house bot",
    }
}

fn json<T: Serialize>(value: &T) -> String {
    match codec::encode(Codec::Json, value) {
        Ok(Frame::Text(text)) => text,
        // All types of the protocol encode as JSON.
        Ok(Frame::Binary(_)) | Err(_) => String::new(),
    }
}

/// Returns the id of a finished heat: code, day in UTC and four digits, like `KQZT-20261121-3f9c`. It
/// is not secret: all members of the heat were told what it leads to.
fn finished_id(code: RoomCode, ended: UnixMillis, tag: u16) -> String {
    format!("{code}-{:08}-{tag:04x}", day(ended))
}

/// Returns the day of an instant as a number like 20261121, by Hinnant's `civil_from_days`
/// (2013).
const fn day(instant: UnixMillis) -> u32 {
    let days = instant.0 / DAY + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (year, month) =
        if month < 10 { (year + era * 400, month + 3) } else { (year + era * 400 + 1, month - 9) };
    (year % 10_000 * 10_000 + month * 100 + day) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_holds_the_code_and_the_day() {
        let code = "KQZT".parse().unwrap();
        // `date -u -d @…` of each.
        for (seconds, day) in [
            (0, "19700101"),
            (951_782_399, "20000228"),
            (951_782_400, "20000229"),
            (951_868_800, "20000301"),
            (1_795_219_199, "20261120"),
            (1_795_219_200, "20261121"),
            (4_107_542_399, "21000228"),
            (4_107_542_400, "21000301"),
        ] {
            let id = finished_id(code, UnixMillis(seconds * 1_000), 0x3f9);
            assert_eq!(id, format!("KQZT-{day}-03f9"));
        }
    }
}
