//! The board is drawn outside, between the start and the countdown.

use super::*;

/// A heat of two whose board is being drawn.
fn drawing() -> Log {
    let mut log = Log::lobby(2);
    log.draws_at_once = false;
    log.does(Event::Start { by: id(1) });
    log
}

fn fails(log: &mut Log, ticket: u32, fault: BoardError) {
    log.does(Event::Drawn { ticket, outcome: Err(fault) });
}

#[test]
fn a_start_requests_the_seed_s_board_and_sends_the_phase() {
    let log = drawing();
    let asked = |effect: &Effect| match effect {
        Effect::GenerateBoard(BoardRequest { ticket, spec, seed }) => {
            Some((*ticket, spec.to_string(), seed.to_string()))
        }
        _ => None,
    };
    let asked: Vec<_> = log.last.iter().filter_map(asked).collect();
    assert_eq!(asked, [(1, "slide:3x3".to_owned(), "friday".to_owned())]);
    assert_eq!(log.phase(), Some(&Phase::Drawing));
    assert_eq!(log.race.deadline(), None);
}

#[test]
fn the_countdown_runs_from_when_the_board_comes() {
    let mut log = drawing();
    log.silently_at(4_500);
    log.does(log.drawing(1));
    assert_eq!(log.phase(), Some(&Phase::Countdown { go: HeatInstant(7_500) }));
    assert_eq!(log.race.deadline(), Some(HeatInstant(7_500)));
    log.does(log.drawing(1));
    assert_eq!(log.last, []);
}

#[test]
fn a_player_who_joins_while_the_board_is_generated_is_told_so_and_watches() {
    let mut log = drawing();
    log.joins(3, PLAYER);
    let heat = log.snapshot(3);
    assert_eq!(heat.phase, Phase::Drawing);
    assert_eq!(log.member(3).unwrap().role, SPECTATOR);
    log.ready(1).refused(1, Refusal::WrongPhase);
}

#[test]
fn a_board_that_can_t_be_generated_leads_back_to_the_lobby() {
    for fault in [BoardError::Busy, BoardError::Broken] {
        let mut log = drawing();
        fails(&mut log, 1, fault);
        let told = log.told(Audience::All);
        assert!(told.contains(&&ServerMessage::Refused(Refusal::NotDrawn)));
        assert_eq!(log.race.phase_name(), "lobby");
        log.does(Event::Start { by: id(1) });
        log.does(log.drawing(2));
        assert_eq!(log.race.phase_name(), "countdown");
    }
}

#[test]
fn no_start_is_repeated_when_no_board_came() {
    let mut log = Log::lobby(2);
    log.draws_at_once = false;
    log.ready(1);
    log.ready(2);
    assert_eq!(log.race.phase_name(), "drawing");
    fails(&mut log, 1, BoardError::Busy);
    assert_eq!(log.race.phase_name(), "lobby");
    assert!(!log.member(1).unwrap().ready && !log.member(2).unwrap().ready);
}

#[test]
fn a_board_for_an_older_request_is_ignored() {
    let mut log = drawing();
    log.joins(3, PLAYER);
    log.leaves(1);
    log.leaves(2);
    assert_eq!(log.race.phase_name(), "lobby");
    log.does(log.drawing(1));
    assert_eq!(log.last, []);
    // The next start has another seed, and its own ticket.
    log.sets(3, |options| options.countdown_seconds = 5);
    log.does(Event::Start { by: id(3) });
    log.does(log.drawing(1));
    fails(&mut log, 1, BoardError::Broken);
    assert_eq!(log.race.phase_name(), "drawing");
    log.does(log.drawing(2));
    assert_eq!(log.phase(), Some(&Phase::Countdown { go: HeatInstant(5_000) }));
    let Event::Drawn { outcome, .. } = log.drawing(2) else { panic!() };
    log.at(5_000);
    assert_eq!(Ok(log.board(3)), outcome.map(|drawn| drawn.board));
}
