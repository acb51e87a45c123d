//! A tournament in the middle of a round, as the next server finds it.

use super::*;
use crate::race::{HeatSecret, ReservedSeat, TableConfig, TableEvent, TableStart};
use crate::store::tournaments::{RecoveredTournament, SavedTournament, TournamentWrite};
use gridrace_shared::heat::commitment::SeedOrigin;
use gridrace_shared::heat::identity::Key;
use gridrace_shared::solver::knowledge::GeneratedBoard;
use gridrace_shared::tournament::draw_commitment::TournamentSecret;
use gridrace_shared::tournament::ids::{EntrantId, ResultKey, RoundKey, TournamentName};
use gridrace_shared::tournament::log::LogEntry;
use gridrace_shared::tournament::public_log::{LogAuthor, LogLine, PublicEvent};
use gridrace_shared::tournament::result::{BoardOutcome, BoardResult};
use gridrace_shared::tournament::settings::TournamentSettings;
use gridrace_shared::tournament_record::TournamentRecord;
use gridrace_shared::util::time::TournamentInstant;

pub(super) const BOARD: ResultKey =
    ResultKey { round: RoundKey { stage: 0, round: 0 }, table: 0, board: 1, attempt: 2 };

fn name() -> TournamentName {
    "friday".parse().unwrap()
}

fn key(number: u8) -> Fingerprint {
    Key::from_bytes([number; 32]).public().fingerprint(false)
}

pub(super) fn saved() -> SavedTournament {
    SavedTournament {
        id: 3,
        name: name(),
        plan: "series:2".parse().unwrap(),
        settings: TournamentSettings::new("slide:3x3".parse().unwrap()),
        secret: TournamentSecret::from_entropy([7; 32]),
        founder: key(99),
        pin: Some("4711".parse().unwrap()),
        // The room is opened in the same millisecond.
        epoch: ServerInstant(500),
        opened: ENDED,
    }
}

fn line(at: u64, event: PublicEvent) -> LogLine {
    LogLine { at: TournamentInstant(at), by: LogAuthor::Server, event }
}

/// The line of the result that [`end_board`] brings in.
pub(super) fn result_line() -> LogLine {
    let result = BoardResult { rows: vec![(EntrantId(0), BoardOutcome::Dnf { progress: 0 })] };
    let entry = LogEntry::Result { key: BOARD, result };
    line(0, PublicEvent::Entry { entry, reason: None })
}

/// A room that is a table with one seat.
pub(super) fn table(store: &Store, board: ResultKey) -> TestRoom {
    let seat = ReservedSeat {
        entrant: EntrantId(0),
        key: key(1),
        name: "Anna".parse().unwrap(),
        bot: false,
    };
    let options = HeatOptions::new("slide:3x3".parse().unwrap());
    let secret: HeatSecret =
        Rng::default().secret_of(SEED.parse().unwrap(), SeedOrigin::Drawn).into();
    let table = TableConfig { tournament: name(), board, seats: vec![seat.clone()] };
    let config = RaceConfig {
        table: Some(table),
        ..RaceConfig::new("KQZT".parse().unwrap(), ServerInstant(0), options, secret.clone())
    };
    let persisted = PersistedRoom::new(Race::new(config).unwrap());
    let waker = waker();
    let journal = store.begin(&persisted, Arc::clone(&waker), false).unwrap().0;
    let mut room = TestRoom { persisted, journal, waker, now: 0 };
    room.join_with("Anna", Some(key(1)));
    let spec: PuzzleSpec = "slide:3x3".parse().unwrap();
    let drawn = GeneratedBoard::of(&spec, &secret.secret.seed);
    let go = ServerInstant(5_000_000);
    let start = TableStart { board, seats: vec![seat], spec, secret, drawn, go };
    room.apply(Event::Table(TableEvent::Start(Box::new(start))));
    room.now = 5_000;
    room.apply(Event::Tick);
    room
}

pub(super) async fn end_board(room: &mut TestRoom) {
    let (entry, _) = room.apply_unrecorded(Event::GiveUp { by: PlayerId(1) });
    let record = room.record(1, None);
    let ended = room.journal.append(&entry, Some(record));
    room.settled(ended).await;
}

#[tokio::test]
async fn a_tournament_is_recovered_in_the_middle_of_a_round() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let waker = waker();
    let journal = store.begin_tournament(Arc::clone(&waker));
    let lines = [
        line(0, PublicEvent::CheckInOpened),
        line(10, PublicEvent::CheckInClosed),
        line(20, PublicEvent::Begun),
    ];
    journal.change_tournament(TournamentWrite::Open(Box::new(saved())));
    for (first, part) in [(0, &lines[..2]), (2, &lines[2..])] {
        let lines = part.to_vec();
        journal.change_tournament(TournamentWrite::Lines { tournament: 3, first, lines });
    }
    let mut room = table(&store, BOARD);
    // The board ends; the line of the result isn't written before the server is killed.
    end_board(&mut room).await;
    let next = open(scratch.killed().path(), Environment::default()).unwrap();
    let [RecoveredTournament { saved: found, lines: told, results }] =
        &next.recovery.tournaments[..]
    else {
        panic!("{:?}", next.recovery.tournaments);
    };
    assert_eq!(*found, saved());
    assert_eq!(told[..], lines);
    let [(of, result)] = &results[..] else { panic!("{results:?}") };
    assert_eq!(*of, BOARD);
    assert!(matches!(result.rows[..], [(EntrantId(0), BoardOutcome::Dnf { .. })]), "{result:?}");
    assert_eq!(next.recovery.next_tournament, 4);
    let status = next.recovery.rooms[0].persisted.race.table_status().unwrap();
    assert_eq!((status.tournament, status.board), (name(), BOARD));
}

#[tokio::test]
async fn a_result_is_of_the_tournament_whose_table_it_is_from() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let journal = store.begin_tournament(waker());
    let later = SavedTournament { id: 4, epoch: ServerInstant(6_000_000), ..saved() };
    for saved in [saved(), later] {
        journal.change_tournament(TournamentWrite::Open(Box::new(saved)));
    }
    let mut room = table(&store, BOARD);
    end_board(&mut room).await;
    let next = open(scratch.killed().path(), Environment::default()).unwrap();
    let results = next.recovery.tournaments.iter().map(|it| (it.saved.id, it.results.len()));
    assert_eq!(results.collect::<Vec<_>>(), [(3, 1), (4, 0)]);
}

#[tokio::test]
async fn each_tournament_of_a_name_has_its_record() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let waker = waker();
    let journal = store.begin_tournament(Arc::clone(&waker));
    let later = SavedTournament { id: 4, epoch: ServerInstant(6_000_000), ..saved() };
    let other = SavedTournament { id: 5, name: "sunday".parse().unwrap(), ..saved() };
    for saved in [saved(), later, other] {
        journal.change_tournament(TournamentWrite::Open(Box::new(saved)));
    }
    let lines = vec![line(0, PublicEvent::CheckInOpened)];
    journal.change_tournament(TournamentWrite::Lines { tournament: 3, first: 0, lines });
    let ended = journal.change_tournament(TournamentWrite::Close { tournament: 3, ended: ENDED });
    while !journal.is_settled(ended) {
        waker.woken().await;
    }
    let stored = scratch.archive().tournaments().unwrap();
    let stored: Vec<_> = stored.iter().map(|it| (it.record.to_string(), it.ended)).collect();
    let names = ["friday~1", "friday~2", "sunday~1"].map(str::to_owned);
    let [first, second, sunday] = names;
    assert_eq!(stored, [(first, Some(ENDED)), (second, None), (sunday, None)]);
    let opened = |name: &str| {
        let record =
            scratch.archive().tournament_record(&name.parse().unwrap(), RecordReader::Host);
        record.unwrap().map(|record| TournamentRecord::decode(&record).unwrap().head)
    };
    assert!(opened("friday~1").is_some() && opened("friday").is_some());
    assert!(opened("friday~3").is_none() && opened("monday").is_none());
}

#[tokio::test]
async fn a_tournament_whose_heats_were_deleted_has_no_record() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let journal = store.begin_tournament(waker());
    journal.change_tournament(TournamentWrite::Open(Box::new(saved())));
    let lines = vec![result_line()];
    journal.change_tournament(TournamentWrite::Lines { tournament: 3, first: 0, lines });
    end_board(&mut table(&store, BOARD)).await;
    let record =
        || scratch.archive().tournament_record(&"friday".parse().unwrap(), RecordReader::Host);
    assert!(record().is_ok());
    scratch.connect().execute("DELETE FROM finished", ()).unwrap();
    assert!(matches!(record(), Err(StoreError::DeletedHeats(1))));
}
