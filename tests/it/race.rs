//! A heat from its start to its results.

use crate::harness::{TestClient, TestServer, options, pick};
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::commitment::SeedOrigin;
use gridrace_shared::heat::standings::{RaceState, Standing};
use gridrace_shared::heat_view::HeatPhase;
use gridrace_shared::protocol::client::{ClientMessage, Role};
use gridrace_shared::protocol::server::ServerMessage;
use gridrace_shared::protocol::snapshot::{HeatResult, Phase, Setup};
use gridrace_shared::puzzle::Efficiency;
use gridrace_shared::solver::plan::SolverResources;
use gridrace_shared::solver::rating::rate;
use gridrace_shared::util::time::Millis;

#[tokio::test]
async fn two_humans_and_a_bot_race_to_the_end() {
    let server = TestServer::start();
    let (mut anna, mut ben) = server.two_players(&options("slide:3x3")).await;
    anna.say(ClientMessage::AddBot { skill: Skill::Master }).await;
    anna.until_members(3).await;
    anna.start().await;
    ben.until_go().await;
    assert_eq!(anna.board(), ben.board());

    tokio::join!(anna.finish(), ben.finish());
    tokio::join!(anna.until_over(), ben.until_over());
    tokio::join!(anna.until_rated(), ben.until_rated());

    let result = anna.result();
    assert_eq!(result, ben.result());
    check_order(&result.standings);
    assert_eq!(result.standings.len(), 3);
    check_fairness(result, &anna.view().setup);
    for player in [&anna, &ben] {
        check_own_row(player);
    }
}

#[tokio::test]
async fn all_members_see_the_efficiency_of_each_solution() {
    let server = TestServer::start();
    let (mut anna, mut ben) = server.two_players(&options("slide:3x3")).await;
    let code = anna.view().code;
    anna.start().await;
    ben.until_go().await;
    ben.say(ClientMessage::GiveUp).await;
    anna.finish().await;
    let best = anna.until_rated().await;
    assert_eq!(best, ben.until_rated().await);
    let rated = rate(&anna.result().start, &SolverResources::none(), &|| true).unwrap();
    let optimum = rated.unwrap().at_most;
    assert_eq!((best.at_least, best.at_most), (optimum, optimum));
    let [solved, out] = &anna.result().standings[..] else { panic!("{anna}") };
    assert_eq!(out.state, RaceState::Dnf);
    let times = (solved.moves.moves * 100).div_ceil(optimum);
    assert_eq!(best.efficiency(solved), Some(Efficiency(times)));
    assert_eq!(best.efficiency(out), None);
    // A client that joins later finds it in the snapshot.
    let mut late = server.client().await;
    late.join(code, "Late", Role::Spectator).await;
    assert_eq!(late.result().best, Some(best));
}

#[tokio::test]
async fn a_seed_set_by_the_host_is_marked_and_names_the_board() {
    let server = TestServer::start();
    let mut anna = server.client().await;
    anna.open_seeded("Anna", &options("slide:4x4"), Some("friday-cup")).await;
    assert_eq!(anna.view().setup.seed, SeedOrigin::Host);
    anna.start().await;
    anna.say(ClientMessage::GiveUp).await;
    anna.until_over().await;
    assert_eq!(anna.result().reveal.seed.as_str(), "friday-cup");
    check_fairness(anna.result(), &anna.view().setup);
}

#[tokio::test]
async fn a_rematch_has_a_new_seed_and_the_same_members() {
    let server = TestServer::start();
    let (mut anna, mut ben) = server.two_players(&options("slide:2x2")).await;
    anna.start().await;
    anna.finish().await;
    ben.until_go().await;
    ben.finish().await;
    ben.until_over().await;
    let (first, names) = (ben.view().setup.clone(), ben.view().names.clone());

    anna.until_over().await;
    anna.rematch().await;
    ben.until("the next heat", |client| client.view().setup.number == 2).await;
    let second = ben.view().setup.clone();
    assert_ne!(first.commitment, second.commitment);
    assert_eq!(first.options, second.options);
    assert_eq!(names, ben.view().names);

    anna.start().await;
    ben.until_go().await;
    tokio::join!(anna.finish(), ben.finish());
    ben.until_over().await;
    check_fairness(ben.result(), &second);
}

#[tokio::test]
async fn rooms_do_not_receive_each_other_s_messages() {
    let server = TestServer::start();
    let (mut anna, mut ben) = (server.client().await, server.client().await);
    let first = anna.open("Anna", &options("slide:2x2")).await;
    // The same name, and the same number, in another room.
    let second = ben.open("Anna", &options("slide:4x4")).await;
    assert_ne!(first, second);
    assert_eq!(anna.you(), ben.you());
    anna.start().await;
    anna.finish().await;
    anna.until_over().await;
    ben.settle().await;
    assert!(matches!(ben.view().phase, HeatPhase::Lobby));
    assert_eq!(ben.log.len(), 3, "a snapshot, a token and a pong: {ben}");
}

/// Checks that the reveal proves the commitment and that the seed names the board.
fn check_fairness(result: &HeatResult, setup: &Setup) {
    let spec = setup.options.spec;
    assert!(result.reveal.proves(&spec, setup.commitment));
    assert_eq!(spec.board(&result.reveal.seed), result.start);
}

/// Checks that places count up, and times with them.
fn check_order(rows: &[Standing]) {
    for (place, row) in (1..).zip(rows) {
        assert_eq!(row.place, place);
    }
    let time = |row: &Standing| match row.state {
        RaceState::Finished { time } => Some(time),
        RaceState::Racing => panic!("a result with {row:?}"),
        RaceState::Dnf => None,
    };
    let times: Vec<Option<Millis>> = rows.iter().map(time).collect();
    let finished = times.iter().flatten().count();
    assert!(times[..finished].is_sorted() && times[..finished].iter().all(Option::is_some));
}

/// Checks a player's row against what was acknowledged.
fn check_own_row(player: &TestClient) {
    let row = player.view().my_standing().unwrap();
    let accepted = pick!(player, ServerMessage::Accepted { at, moves, .. } => (*at, *moves));
    let &(at, moves) = accepted.last().unwrap();
    let go = pick!(player, ServerMessage::Phase(Phase::Running { go, .. }) => *go)[0];
    assert_eq!(row.moves, moves);
    assert_eq!(usize::try_from(moves.acts).unwrap(), accepted.len());
    assert_eq!(row.progress, 1_000);
    assert_eq!(row.state, RaceState::Finished { time: at.since(go) });
}
