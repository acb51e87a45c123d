//! What is deleted of old heats and tournaments, and what is kept.

use super::tournaments::{BOARD, close, end_board, result_line, saved, table};
use super::*;
use crate::store::tournaments::{SavedTournament, TournamentWrite};
use crate::store::{PruneError, PruneRange, Pruned, RecordReader, preview_prune, prune};
use std::fs;

/// Bytes of the replay of the heat that isn't of a tournament.
const REPLAY: usize = 100_000;

fn range(before: u64, tournaments: bool) -> PruneRange {
    PruneRange { before: UnixMillis(before), tournaments }
}

/// Counts what a range has of heats and tournaments.
fn counts(pruned: Pruned) -> (u64, u64) {
    (pruned.heats, pruned.tournaments)
}

#[tokio::test]
async fn heats_of_tournaments_are_kept_unless_these_are_deleted() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let journal = store.begin_tournament(waker());
    let sunday = SavedTournament { id: 4, name: "sunday".parse().unwrap(), ..saved() };
    for saved in [saved(), sunday] {
        journal.change_tournament(TournamentWrite::Open(Box::new(saved)));
    }
    let lines = vec![result_line()];
    journal.change_tournament(TournamentWrite::Lines { tournament: 3, first: 0, lines });
    journal.change_tournament(close(3, ENDED));
    end_board(&mut table(&store, BOARD)).await;
    let mut room = TestRoom::open(&store, "BCDF");
    room.join("Anna");
    let (end, _) = room.race();
    let ended = room.journal.append(&end, Some(room.record(2, Some(vec![7; REPLAY]))));
    room.settled(ended).await;

    let (later, path) = (ENDED.0 + 1, scratch.path());
    let preview = preview_prune(path, range(later, false)).unwrap();
    assert_eq!(counts(preview), (1, 0));
    assert!((REPLAY..2 * REPLAY).contains(&(preview.bytes as usize)), "{preview:?}");
    let refused = prune(path, range(later, false));
    assert!(matches!(refused, Err(PruneError::Store(StoreError::InUse(_)))), "{refused:?}");
    store.close();
    drop(store);
    let before = fs::read(scratch.database()).unwrap();
    assert_eq!(counts(preview_prune(path, range(later, true)).unwrap()), (2, 1));
    assert!(fs::read(scratch.database()).unwrap() == before);

    assert_eq!(counts(prune(path, range(ENDED.0, true)).unwrap()), (0, 0));
    let pruned = prune(path, range(later, false)).unwrap();
    assert_eq!(counts(pruned), (1, 0));
    let length = fs::metadata(scratch.database()).unwrap().len();
    assert_eq!(pruned.bytes, before.len() as u64 - length);
    assert!(pruned.bytes > REPLAY as u64 / 2);
    let record =
        scratch.archive().tournament_record(&"friday".parse().unwrap(), RecordReader::Host);
    assert!(record.unwrap().is_some());
    let (store, found) = scratch.open().unwrap();
    assert_eq!(codes(&found), ["KQZT", "BCDF"]);
    store.close();
    drop(store);

    assert_eq!(counts(prune(path, range(later, true)).unwrap()), (1, 1));
    let left = scratch.archive().tournaments().unwrap();
    assert_eq!(left.iter().map(|it| it.record.to_string()).collect::<Vec<_>>(), ["sunday~1"]);
    for table in ["finished", "results", "tournament_lines", "tournament_results"] {
        assert_eq!(scratch.number(&format!("SELECT count(*) FROM {table}")), 0, "{table}");
    }
}

#[tokio::test]
async fn data_that_a_server_must_see_first_is_left_to_it() {
    let scratch = Scratch::new();
    let store = scratch.store();
    for code in ["BCDF", "KQZT", "MNPQ"] {
        let mut room = TestRoom::open(&store, code);
        let seq = room.join("Anna");
        room.settled(seq).await;
    }
    let damaged = scratch.killed();
    let wal = damaged.path().join("gridrace.db-wal");
    let mut log = fs::read(&wal).unwrap();
    log[32 + 2_000] ^= 1;
    fs::write(&wal, &log).unwrap();
    let refused = prune(damaged.path(), range(0, false));
    assert!(matches!(refused, Err(PruneError::DamagedLog(_))), "{refused:?}");
    assert_eq!(fs::read(wal).unwrap(), log);
    store.close();
    scratch.connect().execute_batch("PRAGMA user_version = 5").unwrap();
    let refused = preview_prune(scratch.path(), range(0, false));
    assert!(matches!(refused, Err(PruneError::OlderLayout(_))), "{refused:?}");
}
