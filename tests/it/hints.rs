//! Hints and their price.

use crate::harness::{State, TestServer, options, pick};
use gridrace_shared::heat::ids::Seq;
use gridrace_shared::heat::options::HintRule;
use gridrace_shared::heat::standings;
use gridrace_shared::protocol::client::ClientMessage;
use gridrace_shared::protocol::server::{Refusal, ServerMessage};
use gridrace_shared::puzzle::{Board, Move};
use gridrace_shared::util::time::Millis;

#[tokio::test]
async fn a_priced_hint_is_shown_and_added_to_the_time() {
    let server = TestServer::start();
    let mut anna = server.client().await;
    let mut options = options("slide:2x2");
    options.hints = HintRule::Priced { seconds: 7 };
    anna.open("Anna", &options).await;
    anna.refused_for(ClientMessage::Hint, Refusal::WrongPhase).await;
    anna.start().await;

    let (mut taken, price) = (0, options.hints.price());
    while !anna.state.board().is_solved() {
        anna.say(ClientMessage::Hint).await;
        taken += 1;
        anna.until("a hint", |state| hints(state).len() == taken).await;
        let (after, hint, penalty) = hints(&anna.state)[taken - 1].clone();
        let hint = slide(hint);
        assert_eq!(after, anna.state.acknowledged);
        assert_eq!(penalty, Millis(price.0 * taken as u64));
        assert!(0 < hint.at_least && hint.at_least == hint.at_most);
        anna.play(Move::Slide(hint.play)).await;
    }
    anna.until_over().await;

    let row = &anna.state.result().standings[0];
    let penalty = Millis(price.0 * taken as u64);
    assert_eq!((usize::from(row.hints), row.penalty), (taken, penalty));
    let standings::State::Finished { time } = row.state else { panic!("{row:?}") };
    assert!(time >= penalty);
}

#[tokio::test]
async fn a_heat_without_hints_refuses_hint_requests() {
    let server = TestServer::start();
    let mut anna = server.client().await;
    anna.open("Anna", &options("slide:2x2")).await;
    anna.start().await;
    anna.refused_for(ClientMessage::Hint, Refusal::NoHints).await;
}

#[tokio::test]
async fn hints_lead_to_the_solution_and_name_the_cost_of_a_detour() {
    let server = TestServer::start();
    let mut anna = server.client().await;
    let mut options = options("slide:3x3");
    options.hints = HintRule::Free;
    anna.open("Anna", &options).await;
    anna.start().await;
    let (first, further) = anna.hint().await;
    let first = slide(first);
    assert_eq!((further, first.at_least), (None, first.at_most));
    // Leaves the solution, and follows hints from there.
    let aside = other_move(anna.state.board(), &Move::Slide(first.play));
    let tiles = anna.state.board().clone().play(&aside).unwrap().moves;
    anna.play(aside).await;
    let (hint, further) = anna.hint().await;
    let mut hint = slide(hint);
    let change = i64::from(hint.at_most) - i64::from(first.at_most);
    assert_eq!(further.map(i64::from), Some(change));
    assert!(change.unsigned_abs() <= tiles.into());
    loop {
        let play = Move::Slide(hint.play);
        let slid = anna.state.board().clone().play(&play).unwrap().moves;
        anna.play(Move::Slide(hint.play)).await;
        if anna.state.board().is_solved() {
            break;
        }
        let (next, further) = anna.hint().await;
        let next = slide(next);
        assert_eq!(next.at_most, hint.at_most - slid);
        assert_eq!(further, Some(-i32::try_from(slid).unwrap()));
        hint = next;
    }
    anna.until_over().await;
}

/// A legal move other than the hinted one.
fn other_move(board: &Board, play: &Move) -> Move {
    board.legal_moves().into_iter().find(|other| other != play).unwrap()
}

#[tokio::test]
async fn simultaneous_hint_requests_are_answered_one_at_a_time() {
    let server = TestServer::start();
    let mut anna = server.client().await;
    let mut options = options("slide:16x16");
    options.hints = HintRule::Free;
    anna.open("Anna", &options).await;
    anna.start().await;
    for _ in 0..3 {
        anna.say(ClientMessage::Hint).await;
    }
    anna.until("three answers", |state| hints(state).len() + state.refusals().len() == 3).await;
    let hints = hints(&anna.state);
    assert!(!hints.is_empty(), "{}", anna.state);
    // A request during a pending one is refused; with a plan, the same hint is given again.
    assert!(hints.iter().all(|hint| hint.1 == hints[0].1 && hint.2 == Millis(0)));
}

fn slide(hint: gridrace_shared::solver::hint::Hint) -> gridrace_shared::puzzle::slide::SlideHint {
    match hint {
        gridrace_shared::solver::hint::Hint::Slide(hint) => hint,
        gridrace_shared::solver::hint::Hint::Link(hint) => panic!("{hint:?}"),
    }
}

type Hint = (Seq, gridrace_shared::solver::hint::Hint, Millis);

fn hints(state: &State) -> Vec<Hint> {
    pick!(state, ServerMessage::Hint { after, hint, penalty, .. } => (*after, hint.clone(), *penalty))
}
