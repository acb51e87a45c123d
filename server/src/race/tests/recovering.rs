//! Recovery: another server continues the heat.

use super::*;

fn recover(log: &mut Log, away: u64) {
    log.does(Event::Recovered { away: Millis(away) });
}

fn asked(log: &Log, what: impl Fn(&Effect) -> bool) -> usize {
    log.last.iter().filter(|&effect| what(effect)).count()
}

#[test]
fn after_an_outage_all_players_have_a_whole_grace_to_resume() {
    let mut log = Log::running(2);
    log.moves_on(1);
    log.silently_at(10_000);
    log.is_lost(2);
    let board = log.board(1);
    log.silently_at(50_000);
    recover(&mut log, 7_000);
    assert!(!log.row(1).connected);
    log.at(62_999);
    log.resumes(1, 0);
    let heat = log.snapshot(1);
    let seat = heat.seat.as_ref().unwrap();
    assert_eq!((seat.seq, &seat.board), (Seq(1), &board));
    assert_eq!(heat.outage, Millis(7_000));
    log.resumes(2, 0);
    assert!(log.row(2).connected);
}

#[test]
fn an_outage_counts_for_no_player() {
    let mut log = Log::running(1);
    log.silently_at(5_000);
    recover(&mut log, 3_600_000);
    log.resumes(1, 0);
    let Phase::Running { go, ends, .. } = log.snapshot(1).phase else { panic!() };
    assert_eq!((go, ends), (HeatInstant(3_000), HeatInstant(63_000)));
    log.finishes(1);
    let time = Millis(2_000);
    assert_eq!(log.row(1).state, RaceState::Finished { time });
}

#[test]
fn outages_of_a_heat_add_up_and_end_with_it() {
    let mut log = Log::lobby(2);
    recover(&mut log, 9_000);
    log.resumes(1, 0);
    assert_eq!(log.snapshot(1).outage, Millis(0), "no player raced");
    log.go();
    for away in [4_000, 5_000] {
        recover(&mut log, away);
    }
    log.resumes(1, 0);
    assert_eq!(log.snapshot(1).outage, Millis(9_000));
    log.gives_up(1);
    log.resumes(2, 0);
    log.gives_up(2);
    recover(&mut log, 1_000);
    log.resumes(1, 0);
    assert_eq!(log.snapshot(1).outage, Millis(9_000), "it stays in the result");
    log.rematches(1);
    log.does(Event::Start { by: id(1) });
    log.joins(3, SPECTATOR);
    assert_eq!(log.snapshot(3).outage, Millis(0));
}

#[test]
fn open_requests_are_made_again_after_an_outage() {
    let mut log = Log::with(priced(10));
    log.draws_at_once = false;
    log.people(1);
    log.does(Event::Start { by: id(1) });
    let draws = |effect: &Effect| matches!(effect, Effect::GenerateBoard(commission) if commission.ticket == 1);
    recover(&mut log, 1);
    assert_eq!(asked(&log, draws), 1);
    log.does(log.drawing(1));
    log.at(3_000);
    log.resumes(1, 0);
    log.moves_on(1);
    log.asks_hint(1);
    assert_eq!(log.solves(), 1);
    recover(&mut log, 1);
    assert_eq!(log.solves(), 1);
    let rates = |effect: &Effect| matches!(effect, Effect::RateBoard { number: 1, .. });
    assert_eq!(asked(&log, rates), 1);
    log.does(Event::Rated { number: 1, best: MoveBounds::of(1, 2) });
    recover(&mut log, 1);
    assert_eq!(asked(&log, rates), 0);
    assert_eq!(asked(&log, draws), 0);
}

#[test]
fn a_missing_rating_is_requested_again_after_an_outage() {
    let mut log = Log::running(1);
    log.gives_up(1);
    let rates = |effect: &Effect| matches!(effect, Effect::RateBoard { number: 1, .. });
    recover(&mut log, 1);
    assert_eq!(asked(&log, rates), 1);
    log.resumes(1, 0);
    log.does(Event::Rated { number: 1, best: MoveBounds::of(1, 2) });
    assert_eq!(log.result().best, Some(MoveBounds::of(1, 2)));
    recover(&mut log, 1);
    assert_eq!(asked(&log, rates), 0);
}

#[test]
fn house_bots_continue_from_their_boards_after_an_outage() {
    let mut log = Log::lobby(1);
    log.adds_bot(Some(1), 2);
    log.go();
    log.moves_on(2);
    let board = log.board(2);
    recover(&mut log, 1);
    let runs = Effect::RunBot { id: id(2), skill: Skill::Casual };
    assert!(log.last.contains(&runs));
    let seat = log.snapshot(2).seat.as_ref().unwrap();
    assert_eq!((seat.seq, &seat.board), (Seq(1), &board));
    assert!(log.row(2).connected);
    log.moves_on(2);
    assert!(log.was_accepted(2));
}

#[test]
fn a_heat_that_keeps_no_seats_is_deserted() {
    let mut log = Log::with(|options| options.grace_seconds = 0);
    log.people(2);
    recover(&mut log, 1);
    assert!(log.race.is_deserted());
}
