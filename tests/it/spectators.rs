//! The boards that spectators see, and players don't.

use crate::harness::{TestClient, TestServer, options, pick};
use gridrace_shared::heat::identity::Key;
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::protocol::client::{ClientMessage, Role};
use gridrace_shared::protocol::server::ServerMessage;
use gridrace_shared::protocol::snapshot::Phase;
use gridrace_shared::puzzle::Board;
use gridrace_shared::util::time::{HeatInstant, Millis};

#[tokio::test]
async fn spectators_see_the_boards_with_the_host_s_delay() {
    let server = TestServer::start();
    let (mut anna, mut watcher) = (server.client().await, server.client().await);
    let mut options = options("slide:4x4");
    options.delay_seconds = 2;
    let code = anna.open("Anna", &options).await;
    watcher.join(code, "Watcher", Role::Spectator).await;
    anna.start().await;
    let start = anna.board().clone();
    anna.play(start.legal_moves().swap_remove(0)).await;
    let at = pick!(anna, ServerMessage::Accepted { at, .. } => *at)[0];
    let player = anna.you();
    watcher.settle().await;
    assert!(moves(&watcher).is_empty());

    // A spectator who joins now gets the same delay.
    let mut late = server.client().await;
    late.join(code, "Late", Role::Spectator).await;
    assert_eq!(late.board_of(player), Some(&start));

    watcher.until("the move", |client| !moves(client).is_empty()).await;
    let moved = |client: &TestClient| client.row(player).is_some_and(|row| row.moves.acts == 1);
    watcher.until("the row", moved).await;
    assert_eq!(moves(&watcher), [at]);
    assert_eq!(watcher.board_of(player), Some(anna.board()));
    // The clock proves that it did not come early.
    watcher.settle().await;
    let seen = pick!(watcher, ServerMessage::Pong { received, .. } => *received);
    let due = (at + Millis::from_seconds(2)).to_server(watcher.view().epoch);
    assert!(*seen.last().unwrap() >= due);
}

#[tokio::test]
async fn a_spectator_sees_all_boards_and_a_player_never_a_rival_s() {
    let server = TestServer::start();
    let options = HeatOptions { finishers_watch: false, ..options("slide:3x3") };
    let (mut anna, mut ben) = server.two_players(&options).await;
    let mut watcher = server.client().await;
    watcher.join(anna.view().code, "Watcher", Role::Spectator).await;
    anna.start().await;
    let (first, second) = (anna.you(), ben.you());
    anna.finish().await;
    let solved = |row: Option<&_>| row.is_some_and(gridrace_shared::puzzle::Board::is_solved);
    watcher.until("Anna's solution", |client| solved(client.board_of(first))).await;
    ben.until("Anna's row", |client| client.row(first).is_some_and(|row| row.progress == 1_000))
        .await;
    ben.finish().await;
    watcher.until("Ben's solution", |client| solved(client.board_of(second))).await;
    ben.until_over().await;

    // The only boards that Ben is sent are the starting boards.
    let with_tiles = |message: &&_| serde_json::to_string(message).unwrap().contains("tiles");
    assert_eq!(ben.log.iter().filter(with_tiles).count(), 2);
    let starts = pick!(ben, ServerMessage::Phase(Phase::Running { start, .. }) => start);
    assert_eq!(starts, [&ben.result().start]);
    assert!(moves(&ben).is_empty() && moves(&anna).is_empty());
}

#[tokio::test]
async fn a_player_who_is_done_watches_the_others() {
    let server = TestServer::start();
    let (mut anna, mut ben) = server.two_racers(&options("slide:3x3")).await;
    ben.advance(1).await;
    assert!(anna.view().watched().is_none());
    anna.finish().await;
    let rival = ben.you();
    let shows = |client: &TestClient, board: &Board| {
        let boards = client.view().watched().map(|watched| &watched.boards);
        boards.and_then(|boards| boards.get(&rival)) == Some(board)
    };
    anna.until("Ben's board", |client| shows(client, ben.board())).await;
    ben.advance(1).await;
    anna.until("Ben's next move", |client| shows(client, ben.board())).await;
    assert!(ben.view().watched().is_none());
    // A new connection sees them at once.
    let anna = server.resume(&anna.vanish()).await;
    assert!(shows(&anna, ben.board()));
}

#[tokio::test]
async fn a_key_sees_the_boards_of_rivals_only_after_its_own_race() {
    let server = TestServer::start();
    let (mut anna, mut ben) = (server.client().await, server.client().await);
    let (mut peeping, mut watcher) = (server.client().await, server.client().await);
    for client in [&mut anna, &mut peeping] {
        client.identify(&Key::from_bytes([1; 32]), false).await;
    }
    watcher.identify(&Key::from_bytes([2; 32]), false).await;
    let code = anna.open("Anna", &options("slide:3x3")).await;
    ben.join(code, "Ben", Role::Player).await;
    peeping.join(code, "Peeping", Role::Spectator).await;
    watcher.join(code, "Watcher", Role::Spectator).await;
    anna.until_members(4).await;
    anna.start().await;
    ben.until_go().await;
    let (rival, start) = (ben.you(), ben.board().clone());
    ben.advance(1).await;
    watcher.until("Ben's move", |client| !moves(client).is_empty()).await;
    peeping.settle().await;
    assert!(moves(&peeping).is_empty());
    assert_eq!(peeping.board_of(rival), Some(&start));
    let mut late = server.client().await;
    late.identify(&Key::from_bytes([1; 32]), false).await;
    late.join(code, "Late", Role::Spectator).await;
    assert_eq!(late.board_of(rival), Some(&start));

    anna.say(ClientMessage::GiveUp).await;
    for client in [&mut peeping, &mut late] {
        client.until("Ben's board", |client| client.board_of(rival) == Some(ben.board())).await;
    }
    ben.advance(1).await;
    peeping.until("Ben's next move", |client| !moves(client).is_empty()).await;
    assert_eq!(peeping.board_of(rival), Some(ben.board()));
}

/// The instants of the moves that were shown.
fn moves(client: &TestClient) -> Vec<HeatInstant> {
    let batches = pick!(client, ServerMessage::Moves(moves) => moves);
    batches.into_iter().flatten().map(|moved| moved.at).collect()
}
