use super::log::{Log, SPECTATOR, id, priced};
use crate::race::{Effect, Event, HintFault};
use gridrace_shared::hint::Unsolved;
use gridrace_shared::name::Seq;
use gridrace_shared::options::HintRule;
use gridrace_shared::protocol::server::{Refusal, ServerMessage};
use gridrace_shared::puzzle::Move;
use gridrace_shared::standings::State;
use gridrace_shared::time::Millis;

fn running(rule: impl FnOnce(&mut gridrace_shared::options::HeatOptions)) -> Log {
    let mut log = Log::with(rule);
    log.people(2);
    log.go();
    log
}

/// The move of the hint that the latest event gave.
fn advice(log: &Log, to: u32) -> Option<Move> {
    log.sent(to).into_iter().find_map(|message| match message {
        ServerMessage::Hint { hint, .. } => Some(hint.play),
        _ => None,
    })
}

#[test]
fn a_hint_is_planned_outside_and_charged_when_given() {
    let mut log = running(priced(10));
    log.asks_hint(1);
    let board = log.board(1);
    let solve = Effect::Solve {
        player: id(1),
        number: 1,
        board: board.clone(),
    };
    assert_eq!(log.last, [solve]);
    assert_eq!((log.row(1).hints, log.row(1).penalty), (0, Millis(0)));
    log.silently_at(4_000);
    log.hinted(1, 1, &board);
    let [
        ServerMessage::Hint {
            after,
            taken,
            penalty,
            ..
        },
    ] = log.sent(1)[..]
    else {
        panic!()
    };
    assert_eq!((*after, *taken, *penalty), (Seq(0), 1, Millis(10_000)));
    assert_eq!(log.standings().unwrap().rows.len(), 2);
    assert_eq!((log.row(1).hints, log.row(1).penalty), (1, Millis(10_000)));
}

#[test]
fn the_price_is_added_to_the_finish_time() {
    let mut log = running(priced(10));
    log.asks_hint(1);
    let board = log.board(1);
    log.hinted(1, 1, &board);
    log.silently_at(5_000);
    log.finishes(1);
    assert_eq!(
        log.row(1).state,
        State::Finished {
            time: Millis(12_000)
        }
    );
    log.silently_at(9_000);
    log.finishes(2);
    assert_eq!(log.row(2).place, 1);
}

#[test]
fn free_hints_are_counted_and_cost_nothing() {
    let mut log = running(|options| options.hints = HintRule::Free);
    log.asks_hint(1);
    let board = log.board(1);
    log.hinted(1, 1, &board);
    assert_eq!((log.row(1).hints, log.row(1).penalty), (1, Millis(0)));
}

#[test]
fn whoever_follows_a_guide_asks_the_solver_no_more() {
    let mut log = running(priced(1));
    log.asks_hint(1);
    let board = log.board(1);
    log.hinted(1, 1, &board);
    let play = advice(&log, 1).unwrap();
    log.plays(1, 1, play);
    log.asks_hint(1);
    assert_eq!(log.solves(), 0);
    let [ServerMessage::Hint { after, taken, .. }] = log.sent(1)[..] else {
        panic!()
    };
    assert_eq!((*after, *taken), (Seq(1), 2));
}

#[test]
fn hints_alone_lead_to_the_end() {
    let mut log = running(priced(1));
    while log.row(1).state == State::Racing {
        log.asks_hint(1);
        if log.solves() == 1 {
            let board = log.board(1);
            log.hinted(1, 1, &board);
        }
        let (seq, play) = (log.seq(1) + 1, advice(&log, 1).unwrap());
        log.plays(1, seq, play);
        assert!(log.was_accepted(1));
        assert!(seq < 1_000);
    }
}

#[test]
fn one_hint_at_a_time() {
    let mut log = running(priced(10));
    log.asks_hint(1);
    log.asks_hint(1);
    assert_eq!(log.refusal(1), Some(Refusal::HintPending));
    assert_eq!(log.solves(), 0);
}

#[test]
fn whoever_plays_on_meanwhile_gets_a_new_plan_but_not_for_ever() {
    let mut log = running(priced(10));
    let elsewhere =
        gridrace_shared::puzzle::PuzzleSpec::board(&log.race.spec(), &"x".parse().unwrap());
    log.asks_hint(1);
    for _ in 1..3 {
        log.hinted(1, 1, &elsewhere);
        assert_eq!(log.solves(), 1);
    }
    log.hinted(1, 1, &elsewhere);
    assert_eq!(log.refusal(1), Some(Refusal::HintBusy));
    assert_eq!(log.row(1).hints, 0);
    log.asks_hint(1);
    assert_eq!(log.solves(), 1);
}

#[test]
fn the_solver_s_excuses_are_passed_on_and_cost_nothing() {
    for (fault, refusal) in [
        (HintFault::Busy, Refusal::HintBusy),
        (
            HintFault::Unsolved(Unsolved::OverBudget),
            Refusal::HintUnsolved(Unsolved::OverBudget),
        ),
    ] {
        let mut log = running(priced(10));
        log.asks_hint(1);
        log.does(Event::Hinted {
            by: id(1),
            number: 1,
            outcome: Err(fault),
        });
        assert_eq!(log.refusal(1), Some(refusal));
        assert_eq!(log.row(1).hints, 0);
        log.asks_hint(1);
        assert_eq!(log.solves(), 1);
    }
}

#[test]
fn hints_are_for_those_who_race_where_the_options_allow_them() {
    let mut log = Log::with(|options| options.hints = HintRule::Off);
    log.people(2);
    log.joins(3, SPECTATOR);
    log.asks_hint(1);
    assert_eq!(log.refusal(1), Some(Refusal::WrongPhase));
    log.go();
    log.asks_hint(1);
    assert_eq!(log.refusal(1), Some(Refusal::NoHints));
    log.asks_hint(3);
    assert_eq!(log.refusal(3), Some(Refusal::NotSeated));
    log.gives_up(1);
    log.asks_hint(1);
    assert_eq!(log.refusal(1), Some(Refusal::WrongPhase));
}

#[test]
fn an_answer_that_nobody_waits_for_is_let_go() {
    let mut log = running(priced(10));
    let board = log.board(1);
    log.hinted(1, 1, &board);
    assert_eq!(log.last, []);
    log.asks_hint(1);
    log.gives_up(1);
    log.hinted(1, 1, &board);
    assert!(log.sent(1).is_empty());
    assert_eq!(log.row(1).hints, 0);
}
