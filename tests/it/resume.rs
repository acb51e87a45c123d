//! Lost connections, and seats that are resumed by a token.

use crate::harness::{State, TestClient, TestServer, options, pick};
use gridrace_shared::heat::ids::{PlayerId, RoomCode, Seq};
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::heat::resume_token::ResumeToken;
use gridrace_shared::heat::standings;
use gridrace_shared::protocol::client::{ClientMessage, Role};
use gridrace_shared::protocol::close::CloseCode;
use gridrace_shared::protocol::codec::Codec;
use gridrace_shared::protocol::server::{Farewell, Refusal, ServerMessage};
use gridrace_shared::protocol::snapshot::{OwnSeat, Phase};
use gridrace_shared::puzzle::Move;
use gridrace_shared::solver::budget::Aim;
use gridrace_shared::solver::budget::HINT_BUDGET;
use gridrace_shared::solver::plan::{Plan, SolverResources};

/// What a client needs to resume.
type Key = (RoomCode, PlayerId, ResumeToken);

fn resume((code, player, token): Key) -> ClientMessage {
    ClientMessage::Resume { code, player, token }
}

fn key(client: &TestClient) -> Key {
    client.state.key.clone().unwrap()
}

/// Resumes on a new connection, in the other codec.
async fn resume_in_json(server: &TestServer, key: Key) -> TestClient {
    let mut client = server.json_client().await;
    client.say(resume(key)).await;
    client.until("to be back", State::is_in_a_heat).await;
    client
}

fn seat(client: &TestClient) -> &OwnSeat {
    client.state.heat().seat.as_ref().unwrap()
}

async fn assert_not_resumed(server: &TestServer, key: Key) {
    let mut stranger = server.client().await;
    stranger.refused_for(resume(key), Refusal::NotResumed).await;
    assert!(!stranger.state.is_in_a_heat());
}

fn is_connected(state: &State, id: PlayerId) -> bool {
    state.member(id).is_some_and(|member| member.connected)
}

fn with_grace(spec: &str, grace_seconds: u16) -> HeatOptions {
    HeatOptions { grace_seconds, ..options(spec) }
}

/// The moves from a player's board to its solution.
fn solution(client: &TestClient) -> Vec<Move> {
    let mut board = client.state.board().clone();
    let mut guide = Plan::plan(&board, Aim::Plain, HINT_BUDGET, &SolverResources::none()).unwrap();
    std::iter::from_fn(|| {
        let play = guide.next(&board)?.play(&board)?;
        board.play(&play).unwrap();
        Some(play)
    })
    .collect()
}

async fn send_all(client: &mut TestClient, moves: &[Move], from: u32) {
    for (seq, play) in (from..).zip(moves) {
        client.attempt(Seq(seq), play.clone()).await;
    }
}

#[tokio::test]
async fn a_disconnected_player_resumes_during_a_heat_and_finishes() {
    let server = TestServer::start();
    let (mut anna, mut ben) = server.two_players(&options("slide:3x3")).await;
    anna.start().await;
    ben.until_go().await;
    ben.advance(3).await;
    let (id, board, kept) = (ben.you(), ben.state.board().clone(), key(&ben));
    ben.vanish();
    anna.until("Ben to be away", |state| !is_connected(state, id)).await;
    let mut ben = resume_in_json(&server, kept).await;
    assert_eq!(ben.you(), id);
    assert_eq!((seat(&ben).seq, &seat(&ben).board), (Seq(3), &board));
    anna.until("Ben to be back", |state| is_connected(state, id)).await;
    ben.finish().await;
}

#[tokio::test]
async fn unacknowledged_moves_sent_again_are_played_once() {
    let server = TestServer::start();
    let (mut anna, mut ben) = server.two_players(&options("slide:3x3")).await;
    anna.start().await;
    ben.until_go().await;
    let (id, kept, way) = (ben.you(), key(&ben), solution(&ben));
    let sent = way.len() / 2;
    send_all(&mut ben, &way[..sent], 1).await;
    // None of the server's answers is read.
    ben.vanish();
    anna.until("Ben to be away", |state| !is_connected(state, id)).await;

    let mut ben = resume_in_json(&server, kept).await;
    // Moves that arrived before the end were played; all are sent again.
    assert!(seat(&ben).seq.0 as usize <= sent);
    send_all(&mut ben, &way, 1).await;
    anna.until("Ben to be home", |state| {
        let row = state.row(id).map(|row| row.state);
        matches!(row, Some(standings::State::Finished { .. }))
    })
    .await;
    let answers = |state: &State| pick!(state, ServerMessage::Accepted { .. } => ()).len();
    ben.until("all answers", |state| answers(state) == way.len()).await;
    let acts = anna.state.row(id).unwrap().moves.acts;
    assert_eq!(acts as usize, way.len());
    let acknowledged = pick!(ben.state, ServerMessage::Accepted { seq, .. } => seq.0 as usize);
    assert_eq!(acknowledged.last(), Some(&way.len()));
    assert_eq!(ben.state.rejections(), []);
}

#[tokio::test]
async fn the_newest_connection_wins_and_the_old_one_is_told() {
    let server = TestServer::start();
    let (mut anna, mut ben) = server.two_players(&options("slide:4x4")).await;
    anna.start().await;
    ben.until_go().await;
    ben.advance(1).await;
    let mut new = resume_in_json(&server, key(&ben)).await;
    assert_eq!(ben.until_closed().await, Some(CloseCode::Superseded.number()));
    assert_eq!(ben.state.farewell(), Some(Farewell::Superseded));
    // Closing the old connection does not affect the new one.
    assert!(!new.advance(2).await);
    anna.settle().await;
    assert!(is_connected(&anna.state, new.you()));
}

#[tokio::test]
async fn a_used_token_is_refused_once_the_next_is_confirmed() {
    let server = TestServer::start();
    let (_anna, ben) = server.two_players(&options("slide:4x4")).await;
    let first = key(&ben);
    ben.vanish();
    let mut ben = resume_in_json(&server, first.clone()).await;
    ben.say(ClientMessage::Confirm).await;
    ben.settle().await;
    let second = key(&ben);
    assert_ne!(first.2, second.2);
    assert_not_resumed(&server, first.clone()).await;
    ben.vanish();
    assert_not_resumed(&server, first).await;
    resume_in_json(&server, second).await;
}

#[tokio::test]
async fn a_lost_answer_to_resume_leaves_the_old_token_valid() {
    let server = TestServer::start();
    let (mut anna, ben) = server.two_players(&options("slide:4x4")).await;
    let (id, kept) = (ben.you(), key(&ben));
    ben.vanish();
    for _ in 0..3 {
        let mut unlucky = server.client().await;
        unlucky.say(resume(kept.clone())).await;
        anna.until("Ben to be back", |state| is_connected(state, id)).await;
        unlucky.vanish();
        anna.until("Ben to be away", |state| !is_connected(state, id)).await;
    }
    resume_in_json(&server, kept).await;
}

#[tokio::test]
async fn all_invalid_tokens_get_the_same_refusal() {
    let server = TestServer::start();
    let (anna, ben) = server.two_players(&options("slide:4x4")).await;
    let (other, _) = server.two_players(&options("slide:4x4")).await;
    let (code, id, token) = key(&ben);
    let made_up = ResumeToken::from_bytes([7; 32]);
    let nowhere = "BBBB".parse().unwrap();
    for key in [
        (code, id, made_up),
        (code, id, key(&anna).2),
        (code, anna.you(), token.clone()),
        (code, PlayerId(999), token.clone()),
        (key(&other).0, id, token.clone()),
        (nowhere, id, token),
    ] {
        assert_not_resumed(&server, key).await;
    }
    // The room's members are unaffected.
    let mut ben = ben;
    ben.settle().await;
    assert_eq!(ben.state.closed, None);
}

#[tokio::test]
async fn resume_is_refused_to_a_connection_in_a_room() {
    let server = TestServer::start();
    let (_anna, mut ben) = server.two_players(&options("slide:4x4")).await;
    let key = key(&ben);
    ben.refused_for(resume(key), Refusal::InAHeat).await;
}

#[tokio::test]
async fn after_the_grace_period_the_seat_is_lost_and_the_player_out() {
    let server = TestServer::start();
    let (mut anna, mut ben) = server.two_players(&with_grace("slide:4x4", 1)).await;
    anna.start().await;
    ben.until_go().await;
    let (id, kept) = (ben.you(), key(&ben));
    ben.vanish();
    anna.until("Ben to be out", |state| {
        state.row(id).map(|row| row.state) == Some(standings::State::Dnf)
    })
    .await;
    assert_not_resumed(&server, kept).await;
}

#[tokio::test]
async fn a_resumed_client_gets_the_current_phase() {
    let server = TestServer::start();
    let (mut anna, ben) = server.two_players(&options("slide:2x2")).await;
    let kept = key(&ben);
    ben.vanish();
    let ben = resume_in_json(&server, kept).await;
    assert_eq!(ben.state.heat().phase, Phase::Lobby);
    anna.say(ClientMessage::Start).await;
    anna.until_countdown().await;
    let kept = key(&ben);
    ben.vanish();
    let ben = resume_in_json(&server, kept).await;
    assert!(matches!(ben.state.heat().phase, Phase::Countdown { .. } | Phase::Running { .. }));
    anna.until_go().await;
    let kept = key(&ben);
    ben.vanish();
    let mut ben = resume_in_json(&server, kept).await;
    assert_eq!(seat(&ben).seq, Seq(0));
    tokio::join!(anna.finish(), ben.finish());
    anna.until_over().await;
    let kept = key(&ben);
    ben.vanish();
    let mut ben = resume_in_json(&server, kept).await;
    assert_eq!(ben.state.heat().seat, None);
    assert_eq!(ben.state.result().standings.len(), 2);
    // A move that is sent again after the end is acknowledged.
    ben.say(ClientMessage::Move {
        seq: Seq(1),
        play: Move::Slide(gridrace_shared::util::grid::Cell(0)),
    })
    .await;
    let is_acknowledged =
        |state: &State| !pick!(state, ServerMessage::Accepted { .. } => ()).is_empty();
    ben.until("an acknowledgement", is_acknowledged).await;
}

#[tokio::test]
async fn a_resumed_spectator_gets_all_boards() {
    let server = TestServer::start();
    let (mut anna, mut ben) = server.two_players(&options("slide:3x3")).await;
    let mut watcher = server.client().await;
    watcher.join(key(&anna).0, "Watcher", Role::Spectator).await;
    anna.start().await;
    ben.until_go().await;
    anna.advance(2).await;
    let kept = key(&watcher);
    watcher.vanish();
    ben.advance(2).await;
    let mut watcher = resume_in_json(&server, kept).await;
    assert_eq!(watcher.state.heat().seat, None);
    let (mut anna_s, mut ben_s) = (anna.state.board().clone(), ben.state.board().clone());
    watcher
        .until("the boards as they are", |state| {
            state.boards[&anna.you()] == anna_s && state.boards[&ben.you()] == ben_s
        })
        .await;
    anna.advance(1).await;
    ben.advance(1).await;
    (anna_s, ben_s) = (anna.state.board().clone(), ben.state.board().clone());
    watcher
        .until("the next moves", |state| {
            state.boards[&anna.you()] == anna_s && state.boards[&ben.you()] == ben_s
        })
        .await;
}

#[tokio::test]
async fn a_resumed_host_has_its_powers_again() {
    let server = TestServer::start();
    let (anna, mut ben) = server.two_players(&options("slide:4x4")).await;
    let (id, kept) = (anna.you(), key(&anna));
    anna.vanish();
    let bens = ben.you();
    ben.until("to act for the host", |state| state.heat().roster.host == Some(bens)).await;
    let mut anna = resume_in_json(&server, kept).await;
    assert_eq!(anna.state.heat().roster.host, Some(id));
    ben.refused_for(ClientMessage::Start, Refusal::NotHost).await;
    anna.start().await;
}

#[tokio::test]
async fn the_host_s_powers_require_the_host_s_token() {
    let server = TestServer::start();
    let (anna, ben) = server.two_players(&options("slide:4x4")).await;
    let (code, host, _) = key(&anna);
    let (_, _, bens) = key(&ben);
    // The host's number with the token of another member.
    assert_not_resumed(&server, (code, host, bens)).await;
    // The host's name stays taken while the host is away.
    anna.vanish();
    let mut thief = server.client().await;
    thief.ask_to_join(code, "Anna", Role::Player).await;
    thief.until("a refusal", |state| !state.refusals().is_empty()).await;
    assert_eq!(thief.state.refusals(), [Refusal::NameTaken]);
    thief.join(code, "Thief", Role::Player).await;
    for power in
        [ClientMessage::Start, ClientMessage::Kick { player: host }, ClientMessage::Rematch]
    {
        thief.refused_for(power, Refusal::NotHost).await;
    }
}

#[tokio::test]
async fn a_heat_without_connections_continues_when_a_member_resumes() {
    let server = TestServer::start();
    let (mut anna, mut ben) = server.two_players(&options("slide:3x3")).await;
    anna.start().await;
    ben.until_go().await;
    ben.advance(1).await;
    let kept = key(&ben);
    anna.vanish();
    ben.vanish();
    let mut ben = TestClient::hello(server.address, Codec::Binary).await;
    ben.say(resume(kept)).await;
    ben.until("to be back", State::is_in_a_heat).await;
    assert!(matches!(ben.state.heat().phase, Phase::Running { .. }));
    ben.finish().await;
}
