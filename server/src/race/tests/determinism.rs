//! Determinism: a log that is applied again, from its journal or a replay, has the same effects.

use super::*;
use crate::race::journal;
use crate::race::persisted::PersistedRoom;
use crate::race::replay_recorder::Recorded;
use gridrace_shared::replay::{RecordKind, Replay, verify};

/// How many events a replayed log goes on before its race is written and read again.
const CHECKPOINT_EVERY: usize = 7;

/// Every log is written and read, and replayed: it must give the same effects again. Every
/// so often the race itself is written and read in between. Meanwhile it is recorded, and
/// each heat's replay must hold.
impl Drop for Log {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        let mut journal = Vec::new();
        for (at, event, _) in &self.events {
            journal::append(&mut journal, *at, event).unwrap();
        }
        let entries = journal::read(&journal).unwrap();
        assert_eq!(entries.len(), self.events.len());
        let mut again = PersistedRoom::new(Race::new(self.config.clone()).unwrap());
        for (number, ((at, event), (now, _, effects))) in
            entries.into_iter().zip(&self.events).enumerate()
        {
            assert_eq!(at, *now);
            let (came, Recorded { replay, errors }) = again.apply(at, event.clone());
            assert!(errors.is_empty(), "{errors:?}");
            assert_eq!(&came.0, effects, "at {now:?}: {event:?}");
            let record = came.heat_events().find_map(|event| {
                if let HeatEvent::Ended(record) = event { Some(record) } else { None }
            });
            // A heat without players leaves no replay.
            let record = record.filter(|record| !record.result.standings.is_empty());
            assert_eq!(replay.is_some(), record.is_some());
            if let (Some(replay), Some(record)) = (replay, record) {
                holds(&replay, record);
            }
            // What the host was told of the recording is no part of a checkpoint.
            if number % CHECKPOINT_EVERY == 0 && again.race.is_recorded() {
                again = journal::restore(&journal::checkpoint(&again).unwrap()).unwrap();
            }
        }
    }
}

fn holds(replay: &Replay, record: &HeatRecord) {
    let verdict = verify(&replay.encode()).unwrap();
    assert_eq!((verdict.count, verdict.errors, verdict.cut), (0, vec![], vec![]));
    assert_eq!(&verdict.replay, replay);
    let away = replay.events.records().filter_map(|(_, record)| match record.kind {
        RecordKind::Outage { away } => Some(away),
        RecordKind::Racer { .. } => None,
    });
    assert_eq!(away.fold(Millis(0), |all, away| all + away), record.outage);
    assert_eq!(replay.outcome.standings, record.result.standings);
}
