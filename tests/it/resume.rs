//! Lost connections, and seats that are resumed by a token.

use crate::harness::{TestClient, TestServer, join, options};
use gridrace_client::session::ResumeTicket;
use gridrace_shared::heat::ids::{PlayerId, Seq};
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::heat::resume_token::ResumeToken;
use gridrace_shared::heat::standings::RaceState;
use gridrace_shared::protocol::client::{ClientMessage, Role};
use gridrace_shared::protocol::close::CloseCode;
use gridrace_shared::protocol::server::{Farewell, Refusal};

async fn assert_not_resumed(server: &TestServer, ticket: &ResumeTicket) {
    let mut stranger = server.client().await;
    stranger.refused_for(ticket.request(), Refusal::NotResumed).await;
    assert!(!stranger.is_in_a_room());
}

#[tokio::test]
async fn a_disconnected_player_resumes_during_a_heat_and_finishes() {
    let server = TestServer::start();
    let (mut anna, mut ben) = server.two_racers(&options("slide:3x3")).await;
    ben.advance(3).await;
    let (id, board) = (ben.you(), ben.board().clone());
    let ticket = ben.vanish();
    anna.until_connected(id, false).await;
    let mut ben = server.resume(&ticket).await;
    assert_eq!((ben.you(), ben.acknowledged(), ben.board()), (id, Seq(3), &board));
    anna.until_connected(id, true).await;
    ben.finish().await;
}

#[tokio::test]
async fn the_newest_connection_wins_and_the_old_one_is_told() {
    let server = TestServer::start();
    let (mut anna, mut ben) = server.two_racers(&options("slide:4x4")).await;
    ben.advance(1).await;
    let mut new = server.resume(&ben.ticket()).await;
    assert_eq!(ben.until_closed().await, Some(CloseCode::Superseded.number()));
    assert_eq!(ben.farewell(), Some(Farewell::Superseded));
    // Closing the old connection does not affect the new one.
    assert!(!new.advance(2).await);
    anna.settle().await;
    assert!(anna.member(new.you()).unwrap().connected);
}

#[tokio::test]
async fn all_invalid_tokens_get_the_same_refusal() {
    let server = TestServer::start();
    let (anna, mut ben) = server.two_players(&options("slide:4x4")).await;
    let (other, _) = server.two_players(&options("slide:4x4")).await;
    let own = ben.ticket();
    let with = |change: &dyn Fn(&mut ResumeTicket)| {
        let mut ticket = own.clone();
        change(&mut ticket);
        ticket
    };
    for ticket in [
        with(&|ticket| ticket.token = ResumeToken::from_bytes([7; 32])),
        with(&|ticket| ticket.token = anna.ticket().token),
        with(&|ticket| ticket.player = anna.you()),
        with(&|ticket| ticket.player = PlayerId(999)),
        with(&|ticket| ticket.code = other.view().code),
        with(&|ticket| ticket.code = "BBBB".parse().unwrap()),
    ] {
        assert_not_resumed(&server, &ticket).await;
    }
    // The room's members are unaffected.
    ben.settle().await;
    assert_eq!(ben.closed, None);
}

#[tokio::test]
async fn after_the_grace_period_the_seat_is_lost_and_the_player_out() {
    let server = TestServer::start();
    let options = HeatOptions { grace_seconds: 1, ..options("slide:4x4") };
    let (mut anna, ben) = server.two_racers(&options).await;
    let id = ben.you();
    let ticket = ben.vanish();
    let is_out =
        |client: &TestClient| client.row(id).is_some_and(|row| row.state == RaceState::Dnf);
    anna.until("Ben to be out", is_out).await;
    assert_not_resumed(&server, &ticket).await;
}

#[tokio::test]
async fn the_host_s_powers_require_the_host_s_token() {
    let server = TestServer::start();
    let (anna, _ben) = server.two_players(&options("slide:4x4")).await;
    let (code, host) = (anna.view().code, anna.you());
    // The host's name stays taken while the host is away.
    anna.vanish();
    let mut thief = server.client().await;
    thief.refused_for(join(code, "Anna", Role::Player), Refusal::NameTaken).await;
    thief.join(code, "Thief", Role::Player).await;
    for power in
        [ClientMessage::Start, ClientMessage::Kick { player: host }, ClientMessage::EndHeat]
    {
        thief.refused_for(power, Refusal::NotHost).await;
    }
}

#[tokio::test]
async fn a_heat_without_connections_continues_when_a_member_resumes() {
    let server = TestServer::start();
    let (anna, mut ben) = server.two_racers(&options("slide:3x3")).await;
    ben.advance(1).await;
    anna.vanish();
    let mut ben = server.resume(&ben.vanish()).await;
    assert!(ben.is_running());
    ben.finish().await;
}
