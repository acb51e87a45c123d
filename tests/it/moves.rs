//! Which moves are accepted, and why others are rejected.

use crate::harness::{State, TestClient, TestServer, options, pick};
use gridrace_shared::heat::ids::Seq;
use gridrace_shared::protocol::client::{ClientMessage, Role};
use gridrace_shared::protocol::server::{Rejection, ServerMessage};
use gridrace_shared::puzzle::slide;
use gridrace_shared::puzzle::{Board, IllegalMove, Move};
use gridrace_shared::util::grid::Cell;

#[tokio::test]
async fn a_move_before_go_is_rejected_as_early() {
    let server = TestServer::start();
    let mut anna = server.client().await;
    anna.open("Anna", &options("slide:2x2")).await;
    assert_eq!(rejection(&mut anna, 1, 0).await, Rejection::Early);
    anna.say(ClientMessage::Start).await;
    assert_eq!(rejection(&mut anna, 1, 0).await, Rejection::Early);
    // Its number is still free.
    anna.until_go().await;
    let play = anna.state.board().legal_moves().swap_remove(0);
    anna.play(play).await;
}

#[tokio::test]
async fn a_move_after_the_finish_is_rejected_as_late() {
    let server = TestServer::start();
    let (mut anna, mut ben) = server.two_players(&options("slide:2x2")).await;
    anna.start().await;
    anna.finish().await;
    // The player has finished while the heat continues.
    let next = anna.state.acknowledged.next().0;
    assert_eq!(rejection(&mut anna, next, 0).await, Rejection::Late);
    ben.leave().await;
    anna.until_over().await;
    assert_eq!(rejection(&mut anna, next, 0).await, Rejection::Late);
}

#[tokio::test]
async fn illegal_moves_are_rejected_and_change_nothing() {
    let server = TestServer::start();
    let mut anna = server.json_client().await;
    anna.open("Anna", &options("slide:4x4")).await;
    anna.start().await;
    let Board::Slide(board) = anna.state.board().clone() else { panic!("{}", anna.state) };
    let blank = board.blank();
    let askew = (0..16)
        .map(Cell)
        .find(|&cell| board.slide_of(cell) == Err(slide::IllegalMove::NotInLine))
        .unwrap();
    for (cell, why) in [
        (blank, slide::IllegalMove::IsBlank),
        (askew, slide::IllegalMove::NotInLine),
        (Cell(16), slide::IllegalMove::OutOfBounds),
        (Cell(u16::MAX), slide::IllegalMove::OutOfBounds),
    ] {
        let why = Rejection::Illegal(IllegalMove::Slide(why));
        assert_eq!(rejection(&mut anna, 1, cell.0).await, why);
    }
    let play = anna.state.board().legal_moves().swap_remove(0);
    anna.play(play).await;
}

#[tokio::test]
async fn a_repeated_move_is_acknowledged_and_a_gap_is_answered_with_one_resync() {
    let server = TestServer::start();
    let mut anna = server.client().await;
    anna.open("Anna", &options("slide:4x4")).await;
    anna.start().await;
    let plain = Move::Slide(Cell(0));
    for seq in [3, 2, 0] {
        anna.say(ClientMessage::Move { seq: Seq(seq), play: plain.clone() }).await;
    }
    let board = anna.state.board().clone();
    let play = board.legal_moves().swap_remove(0);
    anna.play(play).await;
    let told = pick!(anna.state, ServerMessage::Resync(seat) => (seat.seq, seat.board.clone()));
    assert_eq!(told, [(Seq(0), board)]);
    let answers = |state: &State| pick!(state, ServerMessage::Accepted { seq, .. } => *seq);
    anna.say(ClientMessage::Move { seq: Seq(1), play: plain }).await;
    anna.until("an answer to the repeat", |state| answers(state).len() == 2).await;
    assert_eq!(answers(&anna.state), [Seq(1), Seq(1)]);
    // The next move is played.
    let play = anna.state.board().legal_moves().swap_remove(0);
    anna.play(play).await;
    assert_eq!(anna.state.rejections(), []);
}

#[tokio::test]
async fn moves_of_spectators_are_rejected() {
    let server = TestServer::start();
    let (mut anna, mut watcher) = (server.client().await, server.client().await);
    let code = anna.open("Anna", &options("slide:2x2")).await;
    watcher.join(code, "Watcher", Role::Spectator).await;
    anna.start().await;
    watcher.until_go().await;
    assert_eq!(rejection(&mut watcher, 1, 0).await, Rejection::NotSeated);
}

/// Sends a move and returns why it was rejected.
async fn rejection(client: &mut TestClient, seq: u32, cell: u16) -> Rejection {
    let before = client.state.rejections().len();
    let seq = Seq(seq);
    client.say(ClientMessage::Move { seq, play: Move::Slide(Cell(cell)) }).await;
    client.until("a rejection", |state| state.rejections().len() > before).await;
    let (answered, why) = client.state.rejections()[before];
    assert_eq!(answered, seq);
    why
}
