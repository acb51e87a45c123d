use super::*;
use crate::heat::identity::Key;
use crate::heat::player_kind::PlayerKind;
use crate::protocol::tournament::{PageChanges, TournamentCounts};
use crate::tournament::draw_commitment::{DrawKey, TournamentSecret};
use crate::tournament::ids::{EntrantId, RoundKey};
use crate::tournament::log::LogEntry;
use crate::tournament::public_log::{LogAuthor, LogLine, PublicEvent};
use crate::tournament::result::{BoardOutcome, BoardResult};
use crate::util::time::{Millis, TournamentInstant};

const ROUND: RoundKey = RoundKey { stage: 0, round: 0 };
const NOW: ClientInstant = ClientInstant(5_000_000);

fn secret() -> TournamentSecret {
    TournamentSecret::from_entropy([7; 32])
}

fn line(event: PublicEvent) -> LogLine {
    LogLine { at: TournamentInstant(1_000), by: LogAuthor::Server, event }
}

fn entry(entry: LogEntry) -> LogLine {
    line(PublicEvent::Entry { entry, reason: None })
}

fn entered(number: u32, name: &str) -> [LogLine; 2] {
    let entrant = EntrantId(number);
    let profile = line(PublicEvent::Entrant {
        entrant,
        name: name.parse().unwrap(),
        kind: PlayerKind::Human,
        key: Key::from_bytes([u8::try_from(number).unwrap(); 32]).public().fingerprint(false),
    });
    [profile, entry(LogEntry::Enter { entrant, team: None })]
}

/// The log of a final of four whose first match was raced.
fn log() -> Vec<LogLine> {
    let mut lines: Vec<LogLine> =
        (1..=4).flat_map(|number| entered(number, &format!("player {number}"))).collect();
    lines.extend((1..=4).map(|id| entry(LogEntry::CheckIn { entrant: EntrantId(id) })));
    let key = DrawKey { round: ROUND, attempt: 0 };
    let seed = secret().draw_seed(key);
    lines.push(entry(LogEntry::Draw { key, seed, waiting: Vec::new() }));
    lines
}

fn head(log: u32) -> TournamentHead {
    TournamentHead {
        phase: TournamentPhase::Racing,
        paused: false,
        round: Some(ROUND),
        board: 0,
        go: None,
        counts: TournamentCounts::default(),
        log,
        changed: PageChanges { entrants: log, standings: log, tables: log },
        late_entries: true,
        closed: false,
    }
}

fn snapshot(log: u32) -> TournamentSnapshot {
    TournamentSnapshot {
        name: "friday".parse().unwrap(),
        plan: "knockout:bo1".parse().unwrap(),
        settings: TournamentSettings::new("slide:3x3".parse().unwrap()),
        epoch: ServerInstant(0),
        commitment: secret().commitment(),
        organiser: Key::from_bytes([9; 32]).public().fingerprint(false),
        head: head(log),
        you: OwnEntry::default(),
    }
}

fn page(from: u32, lines: &[LogLine]) -> TournamentUpdate {
    let total = from + u32::try_from(lines.len()).unwrap();
    TournamentUpdate::Page(TournamentPage { from, total, rows: PageRows::Log(lines.to_vec()) })
}

/// A view with the whole log.
pub(super) fn raced_view() -> TournamentView {
    let mut view = TournamentView::new(snapshot(13));
    assert_eq!(view.apply(NOW, page(0, &log())), TournamentChange::Log);
    view
}

/// Appends lines to the view's log.
fn append_lines(view: &mut TournamentView, lines: &[LogLine]) {
    let known = view.log.len();
    let head = head(known + u32::try_from(lines.len()).unwrap());
    assert_eq!(view.apply(NOW, TournamentUpdate::Head(head)), TournamentChange::Head);
    assert_eq!(view.apply(NOW, page(known, lines)), TournamentChange::Log);
}

pub(super) fn append(view: &mut TournamentView, logged: LogEntry) {
    append_lines(view, &[entry(logged)]);
}

pub(super) fn append_entrant(view: &mut TournamentView, number: u32, name: &str) {
    append_lines(view, &entered(number, name));
}

fn asks_for_log(view: &mut TournamentView, now: ClientInstant) -> Option<u32> {
    let request = view.next_request(now)?;
    let TournamentRequest::Page { of: PageOf::Log, from } = request else {
        panic!("{request:?}");
    };
    Some(from)
}

#[test]
fn the_log_is_loaded_page_by_page_and_gives_the_seats() {
    let log = log();
    let mut view = TournamentView::new(snapshot(13));
    assert_eq!(asks_for_log(&mut view, NOW), Some(0));
    // One request at a time.
    assert_eq!(view.next_request(NOW), None);
    assert_eq!(view.apply(NOW, page(0, &log[..5])), TournamentChange::Log);
    assert_eq!(view.log.seat(EntrantId(1)), EntrantSeat::None);
    assert_eq!(asks_for_log(&mut view, NOW), Some(5));
    // Lines that are known already change nothing.
    assert_eq!(view.apply(NOW, page(3, &log[3..])), TournamentChange::Log);
    assert!(view.is_loaded());
    assert_eq!(view.next_request(NOW), None);
    assert_eq!(view.log.latest_round(), Some(ROUND));
    assert_eq!(view.log.name(EntrantId(2)), "player 2");
    let EntrantSeat::Table { seats, is_complete: false, number } = view.log.seat(EntrantId(1))
    else {
        panic!("{:?}", view.log.seat(EntrantId(1)));
    };
    assert_eq!(seats.len(), 2);

    let key = ResultKey { round: ROUND, table: number, board: 0, attempt: 0 };
    let outcome = BoardOutcome::Finished { time: Millis(9_000) };
    let result = BoardResult { rows: vec![(EntrantId(1), outcome)] };
    assert_eq!(view.apply(NOW, TournamentUpdate::Head(head(14))), TournamentChange::Head);
    assert_eq!(asks_for_log(&mut view, NOW), Some(13));
    let result = entry(LogEntry::Result { key, result });
    assert_eq!(view.apply(NOW, page(13, &[result])), TournamentChange::Log);
    assert!(matches!(view.log.seat(EntrantId(1)), EntrantSeat::Table { is_complete: true, .. }));
    let (_, bracket) = view.log.bracket().unwrap();
    assert_eq!(bracket.decision(number.into()).unwrap().winner, Some(EntrantId(1)));
}

#[test]
fn a_page_behind_a_gap_changes_nothing_and_is_asked_for_again_later() {
    let mut view = TournamentView::new(snapshot(13));
    assert_eq!(asks_for_log(&mut view, NOW), Some(0));
    assert_eq!(view.apply(NOW, page(5, &log()[5..])), TournamentChange::None);
    assert!(view.log.is_empty());
    assert_eq!(view.next_request(NOW), None);
    let later = NOW + RETRY_PAUSE;
    assert_eq!(asks_for_log(&mut view, later), Some(0));
    // A server that is too busy is asked again later, too.
    let busy = TournamentUpdate::Refused(TournamentError::Busy);
    assert_eq!(view.apply(later, busy.clone()), TournamentChange::None);
    assert_eq!(view.next_request(later), None);
    // Without such a request, the refusal is the answer to another.
    assert_eq!(view.apply(later, busy), TournamentChange::Refused(TournamentError::Busy));
}

#[test]
fn after_another_connection_the_log_stays_unless_it_is_another_one() {
    let mut view = TournamentView::new(snapshot(13));
    assert_eq!(view.apply(NOW, page(0, &log())), TournamentChange::Log);
    view.wants_tables = true;
    view.resume(snapshot(16));
    assert_eq!((view.log.len(), view.wants_tables), (13, true));
    assert_eq!(asks_for_log(&mut view, NOW), Some(13));
    // The server has fewer lines than it told of before: its data was replaced.
    view.resume(snapshot(4));
    assert!(view.log.is_empty());
    let mut other = snapshot(13);
    other.commitment = TournamentSecret::from_entropy([8; 32]).commitment();
    assert_eq!(view.apply(NOW, page(0, &log()[..4])), TournamentChange::Log);
    view.resume(other);
    assert!(view.log.is_empty());
}

#[test]
fn an_entry_without_effect_is_counted_all_the_same() {
    let mut lines = log();
    // No entrant has this number.
    lines.insert(8, entry(LogEntry::Withdraw { entrant: EntrantId(9) }));
    lines.push(entry(LogEntry::TakeBack { entry: 5 }));
    let mut log = FollowedLog::new("knockout:bo1".parse().unwrap());
    assert!(log.append(0, lines));
    assert_eq!(log.tournament().log().len(), 11);
    assert_eq!(log.presence(EntrantId(1)), Some(crate::tournament::log::Presence::Entered));
}

#[test]
fn tables_are_loaded_while_they_are_shown_and_no_more_than_once_a_second() {
    let table = |number| TableRow {
        round: ROUND,
        number,
        room: None,
        seats: Vec::new(),
        walkover: false,
        attempts: vec![0],
    };
    let rows = |from, numbers: &[u16]| {
        let rows = PageRows::Tables(numbers.iter().copied().map(table).collect());
        TournamentUpdate::Page(TournamentPage { from, total: 3, rows })
    };
    let asks = |view: &mut TournamentView, now| {
        let request = view.next_request(now)?;
        let TournamentRequest::Page { of: PageOf::Tables { round: None }, from } = request else {
            panic!("{request:?}");
        };
        Some(from)
    };
    let mut view = TournamentView::new(snapshot(13));
    assert_eq!(view.apply(NOW, page(0, &log())), TournamentChange::Log);
    assert_eq!(asks(&mut view, NOW), None);
    view.wants_tables = true;
    assert_eq!(asks(&mut view, NOW), Some(0));
    assert_eq!(view.apply(NOW, rows(0, &[0, 1])), TournamentChange::None);
    assert_eq!(asks(&mut view, NOW), Some(2));
    assert_eq!(view.apply(NOW, rows(2, &[2])), TournamentChange::Tables);
    assert_eq!(view.tables.len(), 3);
    assert_eq!(asks(&mut view, NOW), None);
    let mut changed = head(13);
    changed.changed.tables = 20;
    assert_eq!(view.apply(NOW, TournamentUpdate::Head(changed)), TournamentChange::Head);
    assert_eq!(asks(&mut view, NOW), None);
    assert_eq!(asks(&mut view, NOW + TABLES_INTERVAL), Some(0));
}

#[test]
fn a_seat_that_waits_is_kept_until_the_end() {
    let mut view = TournamentView::new(snapshot(0));
    let code = crate::heat::ids::RoomCode::from_number(7);
    let call = TableCall { code, round: ROUND, table: 0, go: None };
    assert_eq!(view.apply(NOW, TournamentUpdate::Table(call)), TournamentChange::Called(call));
    assert_eq!(view.call, Some(call));
    let over = TournamentHead { phase: TournamentPhase::Over, ..head(0) };
    assert_eq!(view.apply(NOW, TournamentUpdate::Head(over)), TournamentChange::Head);
    assert_eq!(view.call, None);
}

#[test]
fn a_long_log_is_loaded_no_faster_than_a_server_lets_a_client_ask() {
    let mut view = TournamentView::new(snapshot(1_000));
    let mut pages = 0;
    while asks_for_log(&mut view, NOW).is_some() {
        let line = entry(LogEntry::CheckIn { entrant: EntrantId(1) });
        assert_eq!(view.apply(NOW, page(pages, &[line])), TournamentChange::Log);
        pages += 1;
    }
    assert_eq!(pages, u32::from(PAGES_PER_WINDOW));
    let later = NOW + PAGES_WINDOW;
    assert_eq!(asks_for_log(&mut view, later), Some(pages));
}

#[test]
fn the_rounds_of_an_arena_go_on_at_the_same_time() {
    let mut lines: Vec<LogLine> =
        (1..=4).flat_map(|number| entered(number, &format!("player {number}"))).collect();
    lines.extend((1..=4).map(|id| entry(LogEntry::CheckIn { entrant: EntrantId(id) })));
    let rounds = [0, 1].map(|round| RoundKey { round, ..ROUND });
    for (round, waiting) in rounds.into_iter().zip([[1, 2], [3, 4]]) {
        let key = DrawKey { round, attempt: 0 };
        let waiting = waiting.map(EntrantId).to_vec();
        lines.push(entry(LogEntry::Draw { key, seed: secret().draw_seed(key), waiting }));
    }
    let count = u32::try_from(lines.len()).unwrap();
    let latest = TournamentHead { round: Some(rounds[1]), ..head(count) };
    for (plan, is_arena) in [("arena:2x5m", true), ("swiss:2x3", false)] {
        let plan = plan.parse().unwrap();
        let head = latest.clone();
        let mut view = TournamentView::new(TournamentSnapshot { plan, head, ..snapshot(count) });
        assert_eq!(view.apply(NOW, page(0, &lines)), TournamentChange::Log);
        view.wants_tables = true;
        assert!(view.next_request(NOW).is_some());
        let row = |round| TableRow {
            round,
            number: 0,
            room: None,
            seats: Vec::new(),
            walkover: false,
            attempts: vec![0],
        };
        let rows = PageRows::Tables(rounds.map(row).to_vec());
        let tables = TournamentUpdate::Page(TournamentPage { from: 0, total: 2, rows });
        let taken = view.apply(NOW, tables) == TournamentChange::Tables;
        assert_eq!(taken, is_arena);
        if is_arena {
            for entrant in [1, 3].map(EntrantId) {
                let EntrantSeat::Table { seats, is_complete: false, .. } = view.log.seat(entrant)
                else {
                    panic!("{entrant} races");
                };
                assert!(seats.contains(&entrant));
            }
        }
    }
}
