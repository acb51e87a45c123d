//! A tournament in the middle of a round, as the next server finds it.

use super::*;
use crate::race::{HeatSecret, ReservedSeat, TableConfig, TableEvent, TableStart};
use crate::store::tournaments::{RecoveredTournament, SavedTournament, TournamentWrite};
use gridrace_shared::heat::commitment::SeedOrigin;
use gridrace_shared::heat::identity::Key;
use gridrace_shared::protocol::tournament::{PastCursor, PastTournaments, TournamentOutcome};
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

pub(super) fn close(tournament: i64, ended: UnixMillis) -> TournamentWrite {
    let champions = vec!["Anna".parse().unwrap()];
    let outcome = TournamentOutcome { entrants: 2, champions, more_champions: 0 };
    TournamentWrite::Close { tournament, ended, outcome }
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
    let ended = journal.change_tournament(close(3, ENDED));
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

/// Stores tournaments, closed by their numbers, which ended at these milliseconds.
async fn closed(scratch: &Scratch, tournaments: &[(SavedTournament, u64)]) -> Arc<Store> {
    let store = scratch.store();
    let waker = waker();
    let journal = store.begin_tournament(Arc::clone(&waker));
    for (saved, ended) in tournaments {
        journal.change_tournament(TournamentWrite::Open(Box::new(saved.clone())));
        let closed = journal.change_tournament(close(saved.id, UnixMillis(*ended)));
        while !journal.is_settled(closed) {
            waker.woken().await;
        }
    }
    store
}

fn public(id: i64, name: &str) -> SavedTournament {
    SavedTournament { id, name: name.parse().unwrap(), pin: None, ..saved() }
}

/// Lists two past tournaments from a cursor on, by the names of their records.
fn two_past(scratch: &Scratch, before: Option<PastCursor>) -> (Vec<String>, Option<PastCursor>) {
    let past = scratch.archive().past_tournaments(before, 2, |_, _| false).unwrap();
    (past.rows.iter().map(|row| row.record.to_string()).collect(), past.next)
}

#[tokio::test]
async fn past_tournaments_come_in_pages_the_last_one_first_without_private_ones() {
    let scratch = Scratch::new();
    let mut private = public(7, "private");
    private.settings.options.private = true;
    let with_pin = SavedTournament { id: 6, name: "pin".parse().unwrap(), ..saved() };
    let tournaments = [
        (public(3, "friday"), 10),
        (public(4, "friday"), 30),
        (public(5, "sunday"), 20),
        (with_pin, 40),
        (private, 40),
        (public(9, "monday"), 20),
    ];
    let store = closed(&scratch, &tournaments).await;
    let journal = store.begin_tournament(waker());
    journal.change_tournament(TournamentWrite::Open(Box::new(public(10, "open"))));
    let (first, next) = two_past(&scratch, None);
    assert_eq!(first, ["friday~2", "monday"]);
    assert!(next.is_some());
    assert_eq!(two_past(&scratch, next), (vec!["sunday".to_owned(), "friday~1".to_owned()], None));
    // A deleted one takes its number along, and no page repeats or skips a row for it.
    scratch.connect().execute("DELETE FROM tournaments WHERE id IN (3, 9)", ()).unwrap();
    assert_eq!(two_past(&scratch, next), (vec!["sunday".to_owned()], None));
    assert_eq!(two_past(&scratch, None), (vec!["friday".to_owned(), "sunday".to_owned()], None));
    let none = PastCursor { ended: UnixMillis(0), id: u64::MAX };
    assert_eq!(two_past(&scratch, Some(none)), (vec![], None));
}

#[tokio::test]
async fn a_past_tournament_has_its_outcome_unless_an_earlier_version_closed_it() {
    let scratch = Scratch::new();
    let store = closed(&scratch, &[(public(3, "friday"), 10)]).await;
    let past = || {
        let is_followable = |name: &TournamentName, id| name.as_str() == "friday" && id == 3;
        let past = scratch.archive().past_tournaments(None, 2, is_followable).unwrap();
        let PastTournaments { mut rows, next: None } = past else { panic!("{past:?}") };
        rows.remove(0)
    };
    let found = past();
    let TournamentWrite::Close { outcome, .. } = close(3, ENDED) else { unreachable!() };
    assert_eq!(
        (&found.plan[..], found.ended, found.followable),
        ("series:2", UnixMillis(10), true)
    );
    assert_eq!(found.outcome.as_ref(), Some(&outcome));
    scratch.connect().execute("UPDATE tournaments SET outcome = NULL", ()).unwrap();
    assert_eq!(past().outcome, None);
    // The next start closes the latest anew.
    let waker = waker();
    let journal = store.begin_tournament(Arc::clone(&waker));
    let closed = journal.change_tournament(close(3, ENDED));
    while !journal.is_settled(closed) {
        waker.woken().await;
    }
    assert_eq!(past(), found);
}

#[tokio::test]
async fn a_database_that_is_away_lists_no_past_tournaments() {
    let scratch = Scratch::new();
    let _store = closed(&scratch, &[(public(3, "friday"), 10)]).await;
    std::fs::rename(scratch.database(), scratch.path().join("away")).unwrap();
    assert!(scratch.archive().past_tournaments(None, 2, |_, _| false).is_err());
}
