//! The list of past tournaments.

use crate::store::archive::Archive;
use crate::store::error::StoreError;
use crate::store::tournaments::SavedTournament;
use gridrace_shared::protocol::tournament::{PastCursor, PastTournament, PastTournaments};
use gridrace_shared::tournament::ids::{RecordName, TournamentName};
use gridrace_shared::util::time::UnixMillis;
use rusqlite::{Row, params};

/// A row of the table `tournaments`, with its number among those of its name.
struct PastRow {
    id: i64,
    ended: i64,
    saved: String,
    outcome: Option<String>,
    number: u32,
    shares_name: bool,
}

impl Archive {
    /// Lists closed tournaments whose records are for all, those that ended last first: `most` at most,
    /// from a cursor on. `is_followable` says whether one of this name and number in the store is still
    /// in memory.
    ///
    /// The index `past_tournaments` has the order and the condition, so no row is read that isn't listed.
    pub(crate) fn past_tournaments(
        &self,
        before: Option<PastCursor>,
        most: usize,
        is_followable: impl Fn(&TournamentName, i64) -> bool,
    ) -> Result<PastTournaments, StoreError> {
        let sql = "SELECT id, ended, saved, outcome,
                (SELECT count(*) FROM tournaments AS other
                    WHERE other.name = past.name AND other.id <= past.id),
                EXISTS (SELECT 1 FROM tournaments AS other
                    WHERE other.name = past.name AND other.id <> past.id)
            FROM tournaments AS past
            WHERE ended IS NOT NULL AND saved ->> '$.pin' IS NULL
                AND NOT saved ->> '$.settings.options.private' AND (ended, id) < (?1, ?2)
            ORDER BY ended DESC, id DESC LIMIT ?3";
        let integer = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        let (ended, id) =
            before.map_or((i64::MAX, i64::MAX), |it| (integer(it.ended.0), integer(it.id)));
        // With one that says whether more follow.
        let limit = most.saturating_add(1) as i64;
        let database = self.open()?;
        let mut statement = database.prepare(sql)?;
        let rows = statement.query_map(params![ended, id, limit], past_row)?;
        let mut rows: Vec<PastRow> = rows.collect::<Result<_, _>>()?;
        let has_more = rows.len() > most;
        rows.truncate(most);
        let next = rows.last().filter(|_| has_more).map(|last| PastCursor {
            ended: UnixMillis(last.ended.unsigned_abs()),
            id: last.id.unsigned_abs(),
        });
        // One that can't be read is left out.
        let rows = rows.into_iter().filter_map(|row| row.read(&is_followable).ok());
        Ok(PastTournaments { rows: rows.collect(), next })
    }
}

impl PastRow {
    fn read(
        self,
        is_followable: impl Fn(&TournamentName, i64) -> bool,
    ) -> Result<PastTournament, serde_json::Error> {
        let Self { id, ended, saved, outcome, number, shares_name } = self;
        let SavedTournament { name, plan, settings, .. } = serde_json::from_str(&saved)?;
        Ok(PastTournament {
            title: settings.title,
            plan: plan.to_string(),
            ended: UnixMillis(ended.unsigned_abs()),
            outcome: outcome.and_then(|json| serde_json::from_str(&json).ok()),
            followable: is_followable(&name, id),
            record: RecordName { tournament: name, number: shares_name.then_some(number) },
        })
    }
}

fn past_row(row: &Row<'_>) -> rusqlite::Result<PastRow> {
    Ok(PastRow {
        id: row.get(0)?,
        ended: row.get(1)?,
        saved: row.get(2)?,
        outcome: row.get(3)?,
        number: row.get(4)?,
        shares_name: row.get(5)?,
    })
}
