//! What spectators see, and what players don't.

use crate::harness::{State, TestServer, options, pick};
use gridrace_shared::protocol::client::Role;
use gridrace_shared::protocol::codec::Frame;
use gridrace_shared::protocol::server::ServerMessage;
use gridrace_shared::protocol::snapshot::Phase;
use gridrace_shared::util::time::{HeatInstant, Millis, ServerInstant};

#[tokio::test]
async fn a_spectator_sees_all_boards_to_the_end() {
    let server = TestServer::start();
    let (mut anna, mut ben) = server.two_players(&options("slide:3x3")).await;
    let code = anna.state.heat().code;
    let mut watcher = server.json_client().await;
    watcher.join(code, "Watcher", Role::Spectator).await;
    anna.start().await;
    ben.until_go().await;
    tokio::join!(anna.finish(), async {
        ben.advance(1).await;
        ben.settle().await;
    });
    let (halfway, ben_id) = (ben.state.board().clone(), ben.you());
    ben.leave().await;
    watcher.until_over().await;
    assert!(watcher.state.boards[&anna.you()].is_solved());
    assert_eq!(watcher.state.boards[&ben_id], halfway);
}

#[tokio::test]
async fn spectators_see_the_boards_with_the_host_s_delay() {
    let server = TestServer::start();
    let (mut anna, mut watcher) = (server.client().await, server.client().await);
    let mut options = options("slide:4x4");
    options.delay_seconds = 2;
    let code = anna.open("Anna", &options).await;
    watcher.join(code, "Watcher", Role::Spectator).await;
    anna.start().await;
    let play = anna.state.board().legal_moves().swap_remove(0);
    anna.play(play).await;
    let at = pick!(anna.state, ServerMessage::Accepted { at, .. } => *at)[0];
    // The standings show the move at once, the board does not.
    let player = anna.you();
    watcher
        .until("the row", |state| state.row(player).is_some_and(|row| row.moves.acts == 1))
        .await;
    assert!(moves(&watcher.state).is_empty());

    // A spectator who joins now gets the same delay.
    let mut late = server.client().await;
    late.join(code, "Late", Role::Spectator).await;
    let Phase::Running { start, .. } = late.state.heat().phase.clone() else {
        panic!("{}", late.state)
    };
    assert_eq!(late.state.boards[&player], start);

    watcher.until("the move", |state| !moves(state).is_empty()).await;
    watcher.settle().await;
    assert_eq!(moves(&watcher.state), [at]);
    assert_eq!(&watcher.state.boards[&player], anna.state.board());
    // The clock proves that it did not come early.
    let seen = pick!(watcher.state, ServerMessage::Pong { received, .. } => *received);
    let due = watcher.state.heat().epoch.0 + (at + Millis::from_seconds(2)).0 * 1_000;
    assert!(*seen.last().unwrap() >= ServerInstant(due));
}

#[tokio::test]
async fn a_player_never_receives_a_rival_s_board() {
    let server = TestServer::start();
    let (mut anna, mut ben) = server.two_players(&options("slide:3x3")).await;
    let code = anna.state.heat().code;
    let mut watcher = server.client().await;
    watcher.join(code, "Watcher", Role::Spectator).await;
    anna.start().await;
    anna.finish().await;
    ben.until("Anna to be through", |state| {
        state.heat().standings.as_ref().is_some_and(|standings| standings.rows[0].progress == 1_000)
    })
    .await;
    ben.finish().await;
    ben.until_over().await;

    // The only boards in Ben's frames are the starting boards.
    let with_tiles = |frame: &&Frame| match frame {
        Frame::Text(text) => text.contains("tiles"),
        Frame::Binary(_) => panic!("binary in JSON"),
    };
    assert_eq!(ben.state.frames.iter().filter(with_tiles).count(), 2);
    let starts = pick!(ben.state, ServerMessage::Phase(Phase::Running { start, .. }) => start);
    assert_eq!(starts, [&ben.state.result().start]);
    assert!(moves(&ben.state).is_empty() && moves(&anna.state).is_empty());
    watcher.until_over().await;
    assert!(!moves(&watcher.state).is_empty());
}

/// The instants of the moves that were shown.
fn moves(state: &State) -> Vec<HeatInstant> {
    let batches = pick!(state, ServerMessage::Moves(moves) => moves);
    batches.into_iter().flatten().map(|moved| moved.at).collect()
}
