//! Heats of Numberlink: moves, hints, bots, spectators.

use crate::harness::{TestClient, TestServer, options, pick};
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::ids::Seq;
use gridrace_shared::heat::options::HintRule;
use gridrace_shared::heat::standings::RaceState;
use gridrace_shared::protocol::client::{ClientMessage, Role};
use gridrace_shared::protocol::close::CloseCode;
use gridrace_shared::protocol::server::{Rejection, ServerMessage};
use gridrace_shared::puzzle::numberlink::{IllegalStroke, Stroke};
use gridrace_shared::puzzle::{Board, IllegalMove, Move};
use gridrace_shared::solver::hint::Hint;
use gridrace_shared::util::grid::Cell;

fn draw(cells: &[u16]) -> Move {
    Move::Link(Stroke::Draw(cells.iter().copied().map(Cell).collect()))
}

#[tokio::test]
async fn a_human_and_a_bot_finish_a_numberlink_and_a_rematch_of_the_other_family() {
    let server = TestServer::start();
    let (mut anna, mut watcher) = (server.client().await, server.json_client().await);
    let code = anna.open("Anna", &options("link:6x6")).await;
    watcher.join(code, "Watcher", Role::Spectator).await;
    anna.say(ClientMessage::AddBot { skill: Skill::Master }).await;
    anna.until_members(3).await;
    anna.start().await;
    anna.finish().await;
    let solutions = |client: &TestClient| {
        let rows = client.view().standings.iter();
        rows.filter(|row| client.board_of(row.player).is_some_and(Board::is_solved)).count()
    };
    watcher.until("both solutions", |client| solutions(client) == 2).await;
    let best = anna.until_rated().await;
    for row in &anna.result().standings {
        assert!(matches!(row.state, RaceState::Finished { .. }), "{row:?}");
        let tally = row.tally.unwrap();
        assert_eq!((tally.done, tally.covered), (tally.of, tally.cells));
        // A solution without a slip has as many moves as there are pairs.
        assert_eq!(row.moves.moves, best.at_most);
        assert_eq!(best.at_most, u32::from(tally.of));
    }

    anna.rematch().await;
    anna.say(ClientMessage::Options { options: options("slide:2x2"), seed: None }).await;
    anna.start().await;
    assert!(matches!(anna.board(), Board::Slide(_)));
    anna.finish().await;
    anna.until_over().await;
    assert!(anna.result().standings.iter().all(|row| row.tally.is_none()));
}

#[tokio::test]
async fn illegal_strokes_are_rejected_and_undo_takes_back_a_legal_one() {
    let server = TestServer::start();
    let (mut anna, mut watcher) = (server.json_client().await, server.client().await);
    let mut options = options("link:5x5");
    options.private = true;
    let code = anna.open("Anna", &options).await;
    watcher.join(code, "Watcher", Role::Spectator).await;
    anna.start().await;
    let start = anna.board().clone();
    let wrong = [
        (draw(&[]), IllegalMove::Link(IllegalStroke::Empty)),
        (draw(&[900]), IllegalMove::Link(IllegalStroke::OutOfBounds(Cell(900)))),
        (Move::Link(Stroke::Undo), IllegalMove::Link(IllegalStroke::NothingToUndo)),
        (Move::Slide(Cell(0)), IllegalMove::OtherFamily),
    ];
    for (n, (play, why)) in wrong.into_iter().enumerate() {
        anna.say(ClientMessage::Move { seq: Seq(1), play }).await;
        anna.until("a rejection", |client| client.rejections().len() > n).await;
        assert_eq!(anna.rejections()[n], (Seq(1), Rejection::Illegal(why)));
    }
    assert_eq!(anna.board(), &start);

    anna.play(start.legal_moves().swap_remove(0)).await;
    assert_ne!(anna.board(), &start);
    anna.play(Move::Link(Stroke::Undo)).await;
    assert_eq!(anna.board().piece_progress(), start.piece_progress());
    let shown = |client: &TestClient| -> usize {
        pick!(client, ServerMessage::Moves(moves) => moves.len()).into_iter().sum()
    };
    watcher.until("both strokes", |client| shown(client) == 2).await;
    assert_eq!(watcher.board_of(anna.you()).unwrap().piece_progress(), start.piece_progress());

    // A stroke of more cells than any board has is an invalid message.
    let play = draw(&Vec::from_iter(0..401));
    anna.say(ClientMessage::Move { seq: Seq(3), play }).await;
    assert_eq!(anna.until_closed().await, Some(CloseCode::Malformed.number()));
}

#[tokio::test]
async fn hints_lead_to_the_solution_from_a_wrong_drawing() {
    let server = TestServer::start();
    let mut anna = server.client().await;
    let mut options = options("link:5x5");
    options.hints = HintRule::Free;
    anna.open("Anna", &options).await;
    anna.start().await;
    for pick in [3, 1, 4, 1, 5] {
        let mut strokes = anna.board().legal_moves();
        let stroke = strokes.swap_remove(pick * 5 % strokes.len());
        anna.play(stroke).await;
    }
    while !anna.board().is_solved() {
        let (hint, further) = anna.hint().await;
        assert!(matches!(hint, Hint::Link(_)), "{hint:?}");
        assert_eq!(further, None);
        let play = hint.play(anna.board()).unwrap();
        anna.play(play).await;
    }
    anna.until_over().await;
    assert!(matches!(anna.result().standings[0].state, RaceState::Finished { .. }));
}
