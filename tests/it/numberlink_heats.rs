//! Heats of Numberlink: moves, hints, bots, spectators, and the size of their messages.

use crate::harness::{TestServer, options, pick};
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::heat::options::HintRule;
use gridrace_shared::heat::player_name::PlayerName;
use gridrace_shared::heat::standings::State;
use gridrace_shared::protocol::client::{ClientMessage, Role};
use gridrace_shared::protocol::codec::{Codec, Frame, SERVER_FRAME_LIMIT, encode};
use gridrace_shared::protocol::server::{Rejection, ServerMessage};
use gridrace_shared::protocol::snapshot::{Phase, PlayerBoard};
use gridrace_shared::puzzle::numberlink::{IllegalStroke, Stroke};
use gridrace_shared::puzzle::{Board, IllegalMove, Move, PuzzleSpec};
use gridrace_shared::solver::hint::Hint;
use gridrace_shared::util::grid::Cell;
use gridrace_shared::util::seed::Seed;

fn draw(cells: &[u16]) -> Move {
    Move::Link(Stroke::Draw(cells.iter().copied().map(Cell).collect()))
}

#[tokio::test]
async fn a_human_and_a_bot_finish_a_numberlink_and_a_rematch_of_the_other_family() {
    let server = TestServer::start();
    let (mut anna, mut watcher) = (server.client().await, server.json_client().await);
    let code = anna.open("Anna", &options("link:6x6")).await;
    watcher.join(code, "Watcher", Role::Spectator).await;
    let skill = Skill::Master;
    anna.say(ClientMessage::AddBot { skill }).await;
    anna.until_members(3).await;
    anna.start().await;
    anna.finish().await;
    anna.until_over().await;
    let best = anna.until_rated().await;
    watcher.until_over().await;
    let standings = anna.state.result().standings.clone();
    let finished = |state| matches!(state, State::Finished { .. });
    for row in &standings {
        assert!(finished(row.state), "{row:?}");
        let tally = row.tally.unwrap();
        assert_eq!((tally.done, tally.covered), (tally.of, tally.cells));
        // A solution without a slip has as many moves as there are pairs.
        assert_eq!(row.moves.moves, best.at_most);
        assert_eq!(best.at_most, u32::from(tally.of));
        assert!(watcher.state.boards[&row.player].is_solved());
    }

    anna.say(ClientMessage::Rematch).await;
    anna.until_lobby().await;
    let options = options("slide:2x2");
    let seed = None;
    anna.say(ClientMessage::Options { options, seed }).await;
    anna.start().await;
    assert!(matches!(anna.state.board(), Board::Slide(_)));
    anna.finish().await;
    anna.until_over().await;
    assert!(anna.state.result().standings.iter().all(|row| row.tally.is_none()));
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
    let start = anna.state.board().clone();
    let next = anna.state.acknowledged.next();
    let too_long: Vec<u16> = (0..401).collect();
    let wrong = [
        (draw(&[]), IllegalStroke::Empty),
        (draw(&[900]), IllegalStroke::OutOfBounds(Cell(900))),
        (Move::Link(Stroke::Undo), IllegalStroke::NothingToUndo),
    ];
    for (n, (play, why)) in wrong.into_iter().enumerate() {
        anna.attempt(next, play).await;
        anna.until("a rejection", |state| state.rejections().len() > n).await;
        let why = Rejection::Illegal(IllegalMove::Link(why));
        assert_eq!(anna.state.rejections()[n], (next, why));
    }
    anna.attempt(next, Move::Slide(Cell(0))).await;
    anna.until("a rejection", |state| state.rejections().len() > 3).await;
    let why = Rejection::Illegal(IllegalMove::OtherFamily);
    assert_eq!(anna.state.rejections()[3], (next, why));
    assert_eq!(anna.state.board(), &start);

    let on = start.legal_moves().swap_remove(0);
    anna.play(on).await;
    assert_ne!(anna.state.board(), &start);
    anna.play(Move::Link(Stroke::Undo)).await;
    assert_eq!(anna.state.board().piece_progress(), start.piece_progress());
    let shown = |state: &crate::harness::State| -> usize {
        pick!(state, ServerMessage::Moves(moves) => moves.len()).into_iter().sum()
    };
    watcher.until("both strokes", |state| shown(state) == 2).await;
    assert_eq!(watcher.state.boards[&anna.you()].piece_progress(), start.piece_progress());

    // A stroke of more cells than any board has is an invalid message.
    anna.attempt(anna.state.acknowledged.next(), draw(&too_long)).await;
    anna.until("the end", |state| state.closed.is_some()).await;
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
        let mut strokes = anna.state.board().legal_moves();
        let stroke = strokes.swap_remove(pick * 5 % strokes.len());
        anna.play(stroke).await;
    }
    for _ in 0..100 {
        if anna.state.board().is_solved() {
            break;
        }
        let (hint, further) = anna.hint().await;
        assert!(matches!(hint, Hint::Link(_)), "{hint:?}");
        assert_eq!(further, None);
        let play = hint.play(anna.state.board()).unwrap();
        anna.play(play).await;
    }
    anna.until_over().await;
    assert!(matches!(anna.state.result().standings[0].state, State::Finished { .. }));
}

/// A board of the largest size with a full undo history.
fn scribbled(seed: &Seed) -> Board {
    let spec: PuzzleSpec = "link:20x20".parse().unwrap();
    let mut board = spec.board(seed);
    let mut chance = seed.rng("scribble", "");
    for _ in 0..400 {
        let mut strokes = board.legal_moves();
        let count = u32::try_from(strokes.len()).unwrap();
        let stroke = strokes.swap_remove(chance.below(count) as usize);
        board.play(&stroke).unwrap();
    }
    board
}

#[tokio::test]
async fn the_boards_of_the_largest_heat_fit_a_frame() {
    let server = TestServer::start();
    let mut anna = server.client().await;
    anna.open("Anna", &options("link:4x4")).await;
    let mut heat = anna.state.heat().clone();
    let board = scribbled(&"friday".parse().unwrap());
    let boards =
        (0..32).map(|player| PlayerBoard { player: PlayerId(player), board: board.clone() });
    heat.boards = boards.collect();
    heat.roster.members = (0..96)
        .map(|n| {
            let mut member = heat.roster.members[0].clone();
            member.name = format!("Somebody {n:>011}").parse::<PlayerName>().unwrap();
            member
        })
        .collect();
    heat.phase = Phase::Running {
        go: gridrace_shared::util::time::HeatInstant(3_000),
        ends: gridrace_shared::util::time::HeatInstant(3_000),
        start: board,
    };
    let joined = ServerMessage::Joined { you: PlayerId(1), heat: Box::new(heat) };
    for codec in Codec::ALL {
        let bytes = match encode(codec, &joined).unwrap() {
            Frame::Binary(bytes) => bytes.len(),
            Frame::Text(text) => text.len(),
        };
        assert!(bytes < SERVER_FRAME_LIMIT / 2, "{bytes} in {codec:?}");
    }
}
