//! What a board needed, where that is known after the end of its heat.

use super::*;
use crate::store::commit_queue::{LastGroup, NextAction};
use crate::store::journal::Change;
use gridrace_shared::puzzle::MoveBounds;
use gridrace_shared::replay::{Replay, verify};

const BEST: MoveBounds = MoveBounds { at_least: 3, at_most: 9 };

/// A heat of which everything is recorded, its end included, and nothing more.
fn over(store: &Store, code: &str) -> Heat {
    let mut heat = Heat::begin(store, code);
    heat.joins("Anna");
    heat.does(Event::Start { by: gridrace_shared::heat::ids::PlayerId(1) });
    let spec: PuzzleSpec = "slide:3x3".parse().unwrap();
    let outcome = Ok(spec.board(&SEED.parse().unwrap()).into());
    heat.does(Event::Drawn { ticket: 1, outcome });
    heat.now += 5_000;
    heat.does(Event::Tick);
    let (entry, replay) =
        heat.happens(Event::GiveUp { by: gridrace_shared::heat::ids::PlayerId(1) });
    let finished = FinishedHeat::new(
        &heat.persisted.race.record().unwrap(),
        UnixMillis(1_795_219_200_000),
        7,
        replay.map(|replay| replay.encode()),
    );
    let lasting = ArchiveRecord::Finished(Box::new(finished));
    heat.log.append(&entry, Some(lasting));
    heat
}

/// The solver says what the board needed.
fn rated(heat: &mut Heat) -> JournalSeq {
    let (entry, _) = heat.happens(Event::Rated { number: 1, best: BEST });
    let rated = present_rating(heat);
    heat.log.append(&entry, Some(ArchiveRecord::Rated(rated)))
}

/// What is kept of the board's need: in the result, and in the replay, which holds.
fn kept(scratch: &Scratch, code: &str) -> (Option<MoveBounds>, Option<MoveBounds>) {
    let archive = scratch.archive();
    let listed = archive.latest(9).unwrap();
    let heat = listed.iter().find(|heat| heat.code == code).unwrap();
    let result: gridrace_shared::protocol::snapshot::HeatResult =
        serde_json::from_str(&heat.result).unwrap();
    let file = archive.replay(&heat.id).unwrap().unwrap();
    let verdict = verify(&file).unwrap();
    assert_eq!(verdict.faults, []);
    (result.best, verdict.replay.outcome.best)
}

#[tokio::test]
async fn it_is_in_the_result_and_in_the_replay_of_that_heat_alone() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let (mut anna, _ben) = (over(&store, "KQZT"), over(&store, "BCDF"));
    assert_eq!(anna.persisted.race.result().unwrap().best, None);
    let ticket = rated(&mut anna);
    anna.until(ticket).await;
    store.close();
    assert_eq!(kept(&scratch, "KQZT"), (Some(BEST), Some(BEST)));
    assert_eq!(kept(&scratch, "BCDF"), (None, None));
}

#[tokio::test]
async fn it_is_kept_by_the_server_that_comes_after_one_that_was_killed() {
    let scratch = Scratch::new();
    let store = scratch.store();
    over(&store, "KQZT");
    let (store, mut found) = scratch.reopen(store);
    let found = found.pop().unwrap();
    let moved = waker();
    let log = store.resume(&found, Arc::clone(&moved));
    let mut heat = Heat { persisted: found.persisted, log, moved, now: 60_000 };
    rated(&mut heat);
    // A heat that comes later has another number, whatever becomes of this one.
    heat.log.close();
    let (store, _) = scratch.reopen(store);
    let later = over(&store, "BCDF");
    assert_ne!(later.log.id, heat.log.id);
    store.close();
    assert_eq!(kept(&scratch, "KQZT"), (Some(BEST), Some(BEST)));
    assert_eq!(kept(&scratch, "BCDF"), (None, None));
}

#[tokio::test]
async fn where_the_replay_cannot_be_read_or_the_heat_isn_t_kept_nothing_is_lost() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let mut heat = Heat::begin(&store, "KQZT");
    heat.joins("Anna");
    let finished = heat.races();
    heat.ends(finished);
    let unkept = rating(&mut heat);
    let other = Heat::begin(&store, "BCDF");
    other.log.append(&[], Some(ArchiveRecord::Rated(unkept)));
    let known = rating(&mut heat);
    let ticket = heat.log.append(&[], Some(ArchiveRecord::Rated(known)));
    heat.until(ticket).await;
    assert!(!heat.log.is_lost());
    store.close();
    let archive = scratch.archive();
    let listed = archive.latest(9).unwrap();
    assert_eq!(listed.len(), 1);
    assert!(listed[0].result.contains("\"at_least\":3"), "{listed:?}");
    // It was no replay before, and is the same bytes now.
    let file = archive.replay(&listed[0].id).unwrap().unwrap();
    assert_eq!(file, [1, 2, 3]);
    assert!(Replay::decode(&file).is_err());
}

fn rating(heat: &mut Heat) -> HeatRating {
    drop(heat.happens(Event::Rated { number: 1, best: BEST }));
    present_rating(heat)
}

fn present_rating(heat: &Heat) -> HeatRating {
    let result = heat.persisted.race.result().unwrap();
    HeatRating::new(heat.persisted.race.number(), result.best.unwrap(), result)
}

#[tokio::test]
async fn an_event_and_what_it_leaves_go_to_the_disk_together() {
    let scratch = Scratch::new();
    let mut heat = Heat::begin(&scratch.store(), "KQZT");
    heat.joins("Anna");
    let finished = ArchiveRecord::Finished(Box::new(heat.races()));
    // A queue of which nobody takes anything but the test.
    let commits = Metrics::new().commits();
    let shared = CommitQueue::new(Clock::start(), 1, commits, Duration::ZERO);
    let log = Journal::new(1, shared.epochs.present(), Arc::clone(&shared), waker());
    log.append(b"the last move", Some(finished));
    let NextAction::Write(queued) = shared.next_action(LastGroup::none()) else {
        panic!("nothing waits");
    };
    assert_eq!(queued.len(), 1);
    let batch = queued.into_iter().next().unwrap().take();
    assert!(
        matches!(
            batch.changes[..],
            [Change::Entries(_), Change::Archive(ArchiveRecord::Finished(_))]
        ),
        "{:?}",
        batch.changes
    );
    assert_eq!(batch.seq, 1, "nobody can wait for one of them alone");
}
