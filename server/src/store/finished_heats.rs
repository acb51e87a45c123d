//! Heats that are over, as the store keeps them for good.

use crate::race::HeatRecord;
use crate::store::error::StoreError;
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::heat::player_kind::PlayerKind;
use gridrace_shared::heat::standings::{Standing, State};
use gridrace_shared::protocol::codec::{self, Codec, Frame};
use gridrace_shared::protocol::snapshot::{HeatResult, Member};
use gridrace_shared::puzzle::{MoveBounds, PuzzleSpec};
use gridrace_shared::replay::Replay;
use gridrace_shared::util::time::Millis;
use rusqlite::{OptionalExtension, Transaction, params};
use serde::Serialize;

/// Milliseconds of a day.
const DAY: u64 = 24 * 60 * 60 * 1_000;

/// The name of a heat that is over: code, day and four digits, like `KQZT-20261121-3f9c`. No
/// secret: it leads to what everybody in the heat was told.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FinishedId {
    code: RoomCode,
    /// Year, month and day as a number.
    day: u32,
    /// Tells apart what is else alike.
    tag: u16,
}

impl FinishedId {
    /// Names a heat that was over at an instant of the wall's clock, in Coordinated
    /// Universal Time.
    #[must_use]
    pub const fn new(code: RoomCode, ended: Millis, tag: u16) -> Self {
        Self { code, day: day(ended), tag }
    }

    /// Returns the name that comes after this one on the same day.
    const fn next(self) -> Self {
        Self { tag: self.tag.wrapping_add(1), ..self }
    }
}

impl std::fmt::Display for FinishedId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(&format!("{}-{:08}-{:04x}", self.code, self.day, self.tag))
    }
}

/// What a heat leaves for good.
#[derive(Debug)]
pub(crate) enum Lasting {
    /// It is over.
    Finished(Box<Finished>),
    /// It was over before it was known what its board needs.
    Rated(Rated),
}

/// What the board of a heat needs that is over.
#[derive(Debug)]
pub(crate) struct Rated {
    number: u32,
    best: MoveBounds,
    result: String,
}

/// A heat that is over.
#[derive(Debug)]
pub(crate) struct Finished {
    id: FinishedId,
    code: RoomCode,
    number: u32,
    ended: Millis,
    puzzle: PuzzleSpec,
    options: String,
    result: String,
    replay: Option<Vec<u8>>,
    players: Vec<(Member, Standing)>,
}

impl Finished {
    /// Makes the row of a heat that ended at an instant of the wall clock.
    pub(crate) fn new(
        record: &HeatRecord,
        ended: Millis,
        tag: u16,
        replay: Option<Vec<u8>>,
    ) -> Self {
        let HeatRecord { code, number, options, result, members, .. } = record;
        let players = result.standings.iter().filter_map(|row| {
            let member = members.iter().find(|member| member.id == row.player)?;
            Some((member.clone(), row.clone()))
        });
        Self {
            id: FinishedId::new(*code, ended, tag),
            code: *code,
            number: *number,
            ended,
            puzzle: options.spec,
            options: json(options),
            result: json(result),
            replay,
            players: players.collect(),
        }
    }

    fn bytes(&self) -> usize {
        self.options.len() + self.result.len() + self.replay.as_ref().map_or(0, Vec::len)
    }

    /// Writes what the heat of this number in the store has left, and returns how many bytes
    /// that were. A name that is taken already makes way for the next.
    fn insert(&self, heat: i64, group: &Transaction<'_>) -> Result<u64, StoreError> {
        let mut id = self.id.clone();
        while group
            .prepare_cached("SELECT 1 FROM finished WHERE id = ?1")?
            .exists([id.to_string()])?
        {
            id = id.next();
        }
        let id = id.to_string();
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
                heat
            ])?;
        for (member, row) in &self.players {
            let time = match row.state {
                State::Finished { time } => Some(time.0 as i64),
                State::Racing | State::Dnf => None,
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
        Ok(self.bytes() as u64)
    }
}

impl Rated {
    /// Makes the update of a heat whose rating came after its end.
    pub(crate) fn new(number: u32, best: MoveBounds, result: &HeatResult) -> Self {
        Self { number, best, result: json(result) }
    }

    /// Writes it into the result and the replay of that heat, where they are kept.
    fn update(&self, heat: i64, group: &Transaction<'_>) -> Result<(), StoreError> {
        let replay: Option<Option<Vec<u8>>> = group
            .prepare_cached("SELECT replay FROM finished WHERE heat = ?1 AND number = ?2")?
            .query_row(params![heat, self.number], |row| row.get(0))
            .optional()?;
        let Some(replay) = replay else {
            return Ok(());
        };
        // One that can't be read stays as it is.
        let rated = replay.map(|file| match Replay::decode(&file) {
            Ok(mut replay) => {
                replay.outcome.best = Some(self.best);
                replay.encode()
            }
            Err(_) => file,
        });
        group
            .prepare_cached(
                "UPDATE finished SET result = ?3, replay = ?4 WHERE heat = ?1 AND number = ?2",
            )?
            .execute(params![heat, self.number, self.result, rated])?;
        Ok(())
    }
}

impl Lasting {
    /// Returns what it weighs in the queue.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Finished(finished) => finished.bytes(),
            Self::Rated(rated) => rated.result.len(),
        }
    }

    /// Writes what the heat of this number in the store leaves, and returns how many bytes
    /// that were.
    pub(super) fn write(&self, heat: i64, group: &Transaction<'_>) -> Result<u64, StoreError> {
        match self {
            Self::Finished(finished) => finished.insert(heat, group),
            Self::Rated(rated) => {
                rated.update(heat, group)?;
                Ok(self.bytes() as u64)
            }
        }
    }
}

const fn word(kind: PlayerKind) -> &'static str {
    match kind {
        PlayerKind::Human => "human",
        PlayerKind::Bot => "bot",
        PlayerKind::HouseBot(_) => "house bot",
    }
}

fn json<T: Serialize>(value: &T) -> String {
    match codec::encode(Codec::Json, value) {
        Ok(Frame::Text(text)) => text,
        // Every part of the wire has its JSON.
        Ok(Frame::Binary(_)) | Err(_) => String::new(),
    }
}

/// Returns the day of an instant as a number like 20261121, by Hinnant's `civil_from_days`
/// (2013).
const fn day(instant: Millis) -> u32 {
    let days = instant.0 / DAY + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (year, month) =
        if month < 10 { (year + era * 400, month + 3) } else { (year + era * 400 + 1, month - 9) };
    // A year of five digits is far off.
    (year % 10_000 * 10_000 + month * 100 + day) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_the_code_and_the_day() {
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
            let id = FinishedId::new(code, Millis::from_seconds(seconds), 0x3f9);
            assert_eq!(id.to_string(), format!("KQZT-{day}-03f9"));
        }
    }
}
