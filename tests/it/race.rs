//! A heat from its start to its results.

use crate::harness::{TestClient, TestServer, options, pick};
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::commitment::SeedOrigin;
use gridrace_shared::heat::standings::{Standing, State};
use gridrace_shared::protocol::client::{ClientMessage, Role};
use gridrace_shared::protocol::server::{Refusal, ServerMessage};
use gridrace_shared::protocol::snapshot::{HeatResult, Phase, Setup};
use gridrace_shared::puzzle::Efficiency;
use gridrace_shared::solver::plan::SolverResources;
use gridrace_shared::solver::rating::rate;
use gridrace_shared::util::time::{HeatInstant, Millis};

#[tokio::test]
async fn two_humans_and_a_bot_race_to_the_end() {
    let server = TestServer::start();
    let (mut anna, mut ben) = server.two_players(&options("slide:3x3")).await;
    anna.say(ClientMessage::AddBot { skill: Skill::Master }).await;
    anna.until_members(3).await;
    anna.start().await;
    ben.until_go().await;
    assert_eq!(anna.state.board(), ben.state.board());

    tokio::join!(anna.finish(), ben.finish());
    tokio::join!(anna.until_over(), ben.until_over());
    tokio::join!(anna.until_rated(), ben.until_rated());

    let result = anna.state.result();
    assert_eq!(result, ben.state.result());
    check_order(&result.standings);
    assert_eq!(result.standings.len(), 3);
    check_fairness(result, &anna.state.heat().setup);
    for player in [&anna, &ben] {
        check_own_row(player);
    }
}

#[tokio::test]
async fn all_members_see_the_efficiency_of_each_solution() {
    let server = TestServer::start();
    let (mut anna, mut ben) = server.two_players(&options("slide:3x3")).await;
    let code = anna.state.heat().code;
    anna.start().await;
    ben.until_go().await;
    ben.say(ClientMessage::GiveUp).await;
    anna.finish().await;
    let best = anna.until_rated().await;
    assert_eq!(best, ben.until_rated().await);
    let optimum = solve(anna.state.result());
    assert_eq!((best.at_least, best.at_most), (optimum, optimum));
    let [home, out] = &anna.state.result().standings[..] else { panic!("{}", anna.state) };
    let times = (home.moves.moves * 100).div_ceil(optimum);
    assert_eq!(best.efficiency(home), Some(Efficiency(times)));
    assert_eq!(best.efficiency(out), None);
    // A client that joins later finds it in the snapshot.
    let mut late = server.client().await;
    late.join(code, "Late", Role::Spectator).await;
    assert_eq!(late.state.result().best, Some(best));
}

/// Returns the length of a shortest solution of the heat's board.
fn solve(result: &HeatResult) -> u32 {
    let rated = rate(&result.start, &SolverResources::none(), &|| true).unwrap();
    rated.unwrap().at_most
}

#[tokio::test]
async fn a_seed_set_by_the_host_is_marked_and_names_the_board() {
    let server = TestServer::start();
    let mut anna = server.client().await;
    anna.open_seeded("Anna", &options("slide:4x4"), Some("friday-cup")).await;
    assert_eq!(anna.state.heat().setup.seed, SeedOrigin::Host);
    anna.start().await;
    anna.say(ClientMessage::GiveUp).await;
    anna.until_over().await;
    assert_eq!(anna.state.result().reveal.seed.as_str(), "friday-cup");
    check_fairness(anna.state.result(), &anna.state.heat().setup);
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
    let (first, people) = (ben.state.heat().setup.clone(), ben.state.names());

    ben.refused_for(ClientMessage::Rematch, Refusal::NotHost).await;
    anna.until_over().await;
    anna.say(ClientMessage::Rematch).await;
    anna.until_lobby().await;
    ben.until("the next heat", |state| state.heat().setup.number == 2).await;
    let second = ben.state.heat().setup.clone();
    assert_ne!(first.commitment, second.commitment);
    assert_eq!(first.options, second.options);
    assert_eq!(people, ben.state.names());

    anna.start().await;
    ben.until_go().await;
    tokio::join!(anna.finish(), ben.finish());
    ben.until_over().await;
    check_fairness(ben.state.result(), &second);
}

#[tokio::test]
async fn a_heat_starts_when_all_players_are_ready() {
    let server = TestServer::start();
    let (mut anna, mut ben) = server.two_players(&options("slide:2x2")).await;
    ben.say(ClientMessage::Ready { ready: true }).await;
    ben.settle().await;
    assert_eq!(ben.state.heat().phase, Phase::Lobby);
    anna.say(ClientMessage::Ready { ready: true }).await;
    tokio::join!(anna.until_go(), ben.until_go());
}

#[tokio::test]
async fn players_who_have_not_finished_at_the_time_limit_are_out() {
    let server = TestServer::start();
    let (mut anna, mut ben) = (server.client().await, server.client().await);
    let mut options = options("slide:2x2");
    options.time_limit_seconds = 5;
    let code = anna.open("Anna", &options).await;
    ben.join(code, "Ben", Role::Player).await;
    anna.start().await;
    anna.finish().await;
    anna.until_over().await;
    // The last standings come in the outbox's other lane.
    anna.settle().await;

    let rows = &anna.state.result().standings;
    check_order(rows);
    assert!(matches!(rows[0].state, State::Finished { .. }));
    assert_eq!((rows[0].player, rows[1].player), (anna.you(), ben.you()));
    assert_eq!(rows[1].state, State::Dnf);
    assert_eq!(anna.state.heat().standings.as_ref().unwrap().at, ends(&anna));
}

#[tokio::test]
async fn a_player_who_gives_up_is_out_and_the_others_continue() {
    let server = TestServer::start();
    let (mut anna, mut ben) = server.two_players(&options("slide:2x2")).await;
    anna.refused_for(ClientMessage::GiveUp, Refusal::WrongPhase).await;
    anna.start().await;
    ben.until_go().await;
    ben.say(ClientMessage::GiveUp).await;
    let gone = ben.you();
    let is_out = |row: &Standing| row.state == State::Dnf;
    anna.until("Ben to be out", |state| state.row(gone).is_some_and(is_out)).await;
    assert!(matches!(anna.state.heat().phase, Phase::Running { .. }));
    anna.finish().await;
    anna.until_over().await;
    assert!(is_out(&anna.state.result().standings[1]));
}

#[tokio::test]
async fn a_heat_ends_when_all_racing_players_are_away() {
    let server = TestServer::start();
    let (mut anna, mut ben) = (server.client().await, server.client().await);
    let mut watcher = server.client().await;
    let mut options = options("slide:4x4");
    options.grace_seconds = 0;
    let code = anna.open("Anna", &options).await;
    ben.join(code, "Ben", Role::Player).await;
    watcher.join(code, "Watcher", Role::Spectator).await;
    anna.start().await;
    ben.until_go().await;
    anna.vanish();
    ben.leave().await;
    watcher.until_over().await;
    let rows = &watcher.state.result().standings;
    assert_eq!(rows.len(), 2);
    assert!(rows.iter().all(|row| row.state == State::Dnf && !row.connected));
}

#[tokio::test]
async fn rooms_do_not_receive_each_other_s_messages() {
    let server = TestServer::start();
    let (mut anna, mut ben) = (server.client().await, server.client().await);
    let here = anna.open("Anna", &options("slide:2x2")).await;
    // The same name, and the same number, in another room.
    let there = ben.open("Anna", &options("slide:4x4")).await;
    assert_ne!(here, there);
    assert_eq!(anna.you(), ben.you());
    anna.start().await;
    anna.finish().await;
    anna.until_over().await;
    ben.settle().await;
    assert_eq!(ben.state.heat().phase, Phase::Lobby);
    assert_eq!(ben.state.log.len(), 4, "a welcome, a snapshot, a token and a pong: {}", ben.state);
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
        State::Finished { time } => Some(time),
        State::Racing => panic!("a result with {row:?}"),
        State::Dnf => None,
    };
    let times: Vec<Option<Millis>> = rows.iter().map(time).collect();
    let finished = times.iter().flatten().count();
    assert!(times[..finished].is_sorted() && times[..finished].iter().all(Option::is_some));
}

/// Checks a player's row against what was acknowledged.
fn check_own_row(player: &TestClient) {
    let rows = &player.state.result().standings;
    let row = rows.iter().find(|row| row.player == player.you()).unwrap();
    let accepted = pick!(player.state, ServerMessage::Accepted { at, moves, .. } => (*at, *moves));
    let &(at, moves) = accepted.last().unwrap();
    assert_eq!(row.moves, moves);
    assert_eq!(usize::try_from(moves.acts).unwrap(), accepted.len());
    assert_eq!(row.progress, 1_000);
    assert_eq!(row.state, State::Finished { time: at.since(go(player)) });
}

fn go(player: &TestClient) -> HeatInstant {
    running(player).0
}

fn ends(player: &TestClient) -> HeatInstant {
    running(player).1
}

fn running(player: &TestClient) -> (HeatInstant, HeatInstant) {
    let phases =
        pick!(player.state, ServerMessage::Phase(Phase::Running { go, ends, .. }) => (*go, *ends));
    *phases.last().unwrap()
}
