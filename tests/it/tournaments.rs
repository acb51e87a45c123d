//! Tournaments from their opening to the champion.

use crate::harness::{RawSocket, TestClient, TestServer, join, options, stopped};
use gridrace_server::store::{Archive, RecordReader};
use gridrace_shared::heat::identity::Key;
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::heat::player_name::PlayerName;
use gridrace_shared::protocol::client::{ClientMessage, Role};
use gridrace_shared::protocol::server::ServerMessage;
use gridrace_shared::protocol::tournament::{
    PageOf, PageRows, PastTournament, PastTournaments, TableCall, TournamentCommand,
    TournamentError, TournamentPhase, TournamentRequest, TournamentUpdate,
};
use gridrace_shared::tournament::ids::{EntrantId, ResultKey, TournamentName};
use gridrace_shared::tournament::log::LogEntry;
use gridrace_shared::tournament::public_log::{LogAuthor, LogLine, fold};
use gridrace_shared::tournament::rank::Ranked;
use gridrace_shared::tournament::result::BoardResult;
use gridrace_shared::tournament::settings::TournamentSettings;
use gridrace_shared::tournament_record::verify;

/// Picks values out of what a client was told of tournaments, in order.
macro_rules! pick_updates {
    ($client:expr, $pattern:pat => $value:expr) => {
        $client.pick(|message| match message {
            ServerMessage::Tournament(update) => {
                if let $pattern = &**update {
                    Some($value)
                } else {
                    None
                }
            }
            _other => None,
        })
    };
}

/// Settings of a tournament whose boards start as soon as they may.
fn settings() -> TournamentSettings {
    TournamentSettings {
        pause_seconds: 3,
        break_seconds: 3,
        ..TournamentSettings {
            options: options("slide:3x3"),
            ..TournamentSettings::new("slide:3x3".parse().unwrap())
        }
    }
}

fn friday() -> TournamentName {
    "friday".parse().unwrap()
}

async fn owner(server: &TestServer, key: u8) -> TestClient {
    let mut client = server.client().await;
    client.identify(&Key::from_bytes([key; 32]), false).await;
    client
}

async fn ask(client: &mut TestClient, request: TournamentRequest) {
    client.say(ClientMessage::Tournament(Box::new(request))).await;
}

/// Sends a request, and waits until it is carried out.
async fn done(client: &mut TestClient, request: TournamentRequest) {
    let answers = |client: &TestClient| pick_updates!(client, TournamentUpdate::Done => ()).len();
    let before = answers(client);
    ask(client, request).await;
    client.until("done", |client| answers(client) > before).await;
}

async fn command(client: &mut TestClient, command: TournamentCommand) {
    done(client, TournamentRequest::Command { command, confirmed: true }).await;
}

/// Sends a request, and returns why it is refused.
async fn refused(client: &mut TestClient, request: TournamentRequest) -> TournamentError {
    let errors =
        |client: &TestClient| pick_updates!(client, TournamentUpdate::Refused(why) => *why);
    let before = errors(client).len();
    ask(client, request).await;
    client.until("a refusal", |client| errors(client).len() > before).await;
    errors(client)[before]
}

/// Opens a tournament as its organiser.
async fn open(server: &TestServer, plan: &str) -> TestClient {
    let mut organiser = owner(server, 99).await;
    let (name, plan, settings) = (friday(), plan.parse().unwrap(), settings());
    ask(&mut organiser, TournamentRequest::Open { name, plan, settings, pin: None }).await;
    until_snapshot(&mut organiser).await;
    organiser
}

async fn until_snapshot(client: &mut TestClient) {
    let is_there = |client: &TestClient| {
        !pick_updates!(client, TournamentUpdate::Snapshot(_) => ()).is_empty()
    };
    client.until("the snapshot", is_there).await;
}

async fn follow(client: &mut TestClient) {
    ask(client, TournamentRequest::Follow { name: friday(), pin: None }).await;
    until_snapshot(client).await;
}

/// Enters players of these keys.
async fn enter(server: &TestServer, keys: std::ops::Range<u8>) -> Vec<TestClient> {
    let mut players = Vec::new();
    for key in keys {
        let mut player = owner(server, key).await;
        follow(&mut player).await;
        let (name, bot, team) = (format!("Player {key}"), false, None);
        done(&mut player, TournamentRequest::Enter { name, bot, team }).await;
        players.push(player);
    }
    players
}

fn calls(client: &TestClient) -> Vec<TableCall> {
    pick_updates!(client, TournamentUpdate::Table(call) => *call)
}

/// Waits for the call to a table after those before, and takes the seat.
async fn take_seat(player: &mut TestClient, before: usize) -> RoomCode {
    player.until("a table", |player| calls(player).len() > before).await;
    let code = calls(player)[before].code;
    player.enter(join(code, "any name", Role::Player)).await
}

fn phase(client: &TestClient) -> Option<TournamentPhase> {
    pick_updates!(client, TournamentUpdate::Head(head) => head.phase).pop()
}

async fn until_phase(client: &mut TestClient, expected: TournamentPhase) {
    client.until("a phase", |client| phase(client) == Some(expected)).await;
}

/// Returns all lines of the log.
async fn log(client: &mut TestClient) -> Vec<LogLine> {
    let mut lines: Vec<LogLine> = Vec::new();
    loop {
        let pages = |client: &TestClient| pick_updates!(client, TournamentUpdate::Page(page) => page.clone());
        let before = pages(client).len();
        let from = u32::try_from(lines.len()).unwrap();
        ask(client, TournamentRequest::Page { of: PageOf::Log, from }).await;
        client.until("a page", |client| pages(client).len() > before).await;
        let page = pages(client).swap_remove(before);
        let PageRows::Log(rows) = page.rows else { panic!("{page:?}") };
        lines.extend(rows);
        if lines.len() >= page.total as usize {
            return lines;
        }
    }
}

async fn standings(client: &mut TestClient) -> Vec<Ranked> {
    let pages =
        |client: &TestClient| {
            let pages = pick_updates!(client, TournamentUpdate::Page(page) => page.clone());
            pages
                .into_iter()
                .filter_map(|page| {
                    if let PageRows::Standings(rows) = page.rows { Some(rows) } else { None }
                })
                .collect::<Vec<_>>()
        };
    let before = pages(client).len();
    ask(client, TournamentRequest::Page { of: PageOf::Standings, from: 0 }).await;
    client.until("standings", |client| pages(client).len() > before).await;
    pages(client).swap_remove(before)
}

#[tokio::test]
async fn two_players_are_led_through_a_series_to_its_standings() {
    let server = TestServer::start();
    let mut organiser = open(&server, "series:2").await;
    let mut players = enter(&server, 1..3).await;
    command(&mut organiser, TournamentCommand::Begin).await;
    let (anna, ben) = players.split_at_mut(1);
    let (anna, ben) = (&mut anna[0], &mut ben[0]);
    assert_eq!(take_seat(anna, 0).await, take_seat(ben, 0).await);
    for number in 1..=2 {
        for player in [&mut *anna, &mut *ben] {
            player
                .until("the board", |it| it.is_running() && it.view().setup.number == number)
                .await;
        }
        anna.finish().await;
        ben.finish().await;
        anna.until_over().await;
        ben.until_over().await;
    }
    until_phase(&mut organiser, TournamentPhase::Over).await;
    let places: Vec<u32> =
        standings(&mut organiser).await.iter().map(|row| row.entrant.0).collect();
    assert_eq!(places, [0, 1]);
    let lines = log(&mut organiser).await;
    let tournament = fold("series:2".parse().unwrap(), &lines);
    assert_eq!(tournament.standings(), standings(&mut organiser).await);
    assert!(tournament.is_over());
    // The room is closed, and the connection stays.
    let is_told = |client: &TestClient| client.farewell().is_some();
    anna.until("the end of the table", is_told).await;
    follow(anna).await;
}

/// Asks for the past tournaments on another connection, in JSON.
async fn past(server: &TestServer) -> Vec<PastTournament> {
    let mut client = server.json_client().await;
    ask(&mut client, PAST).await;
    let answers =
        |client: &TestClient| pick_updates!(client, TournamentUpdate::Past(past) => past.clone());
    client.until("an answer", |client| !answers(client).is_empty()).await;
    let PastTournaments { rows, next: None } = answers(&client).remove(0) else { panic!() };
    rows
}

const PAST: TournamentRequest = TournamentRequest::Past { before: None };

#[tokio::test]
async fn a_closed_tournament_is_listed_with_its_champion_also_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let server = TestServer::start_at(folder.path());
    let mut organiser = open(&server, "series:1").await;
    let mut players = enter(&server, 1..3).await;
    command(&mut organiser, TournamentCommand::Begin).await;
    for player in &mut players {
        take_seat(player, 0).await;
    }
    for player in &mut players {
        until_board(player, 1).await;
        player.finish().await;
    }
    until_phase(&mut organiser, TournamentPhase::Over).await;
    assert_eq!(past(&server).await, [], "its result may still be corrected");
    command(&mut organiser, TournamentCommand::End { reason: None }).await;
    let listed = past(&server).await;
    let [tournament] = &listed[..] else { panic!("{listed:?}") };
    assert_eq!((tournament.record.to_string(), &*tournament.plan), ("friday".into(), "series:1"));
    let outcome = tournament.outcome.as_ref().unwrap();
    let names: Vec<&str> = outcome.champions.iter().map(PlayerName::as_str).collect();
    assert_eq!((outcome.entrants, &names[..], outcome.more_champions), (2, &["Player 1"][..], 0));
    assert!(tournament.followable);
    stopped(server.begin_to_stop()).await;
    assert_eq!(past(&TestServer::start_at(folder.path())).await, listed);
}

#[tokio::test]
async fn past_tournaments_are_refused_too_often_and_without_a_store() {
    let server = TestServer::start();
    let mut client = server.client().await;
    // Ten requests can't all be a second apart, even on a slow machine.
    for _ in 0..10 {
        ask(&mut client, PAST).await;
    }
    let refusals =
        |client: &TestClient| pick_updates!(client, TournamentUpdate::Refused(why) => *why);
    let is_refused = |client: &TestClient| refusals(client).contains(&TournamentError::TooFast);
    client.until("a refusal", is_refused).await;
    let keeps_nothing = TestServer::start_ephemeral();
    let refusal = refused(&mut keeps_nothing.client().await, PAST).await;
    assert_eq!(refusal, TournamentError::NoPastTournaments);
}

#[tokio::test]
async fn head_tells_of_a_record_what_get_does_but_its_length() {
    let folder = tempfile::tempdir().unwrap();
    let server = TestServer::start_at(&folder.path().join("data"));
    let mut organiser = open(&server, "series:1").await;
    let path = "/t/friday.grt";
    assert_eq!(RawSocket::request(server.address, &format!("HEAD {path}"), "").await.status, 404);
    command(&mut organiser, TournamentCommand::End { reason: None }).await;
    let mut heads = Vec::new();
    for method in ["GET", "HEAD"] {
        let answer = RawSocket::request(server.address, &format!("{method} {path}"), "").await;
        assert_eq!((answer.status, answer.body.is_empty()), (200, method == "HEAD"), "{method}");
        let (lengths, mut head): (Vec<_>, Vec<_>) = answer
            .head
            .lines()
            .filter(|line| !line.starts_with("date: "))
            .map(str::to_owned)
            .partition(|line| line.starts_with("content-length: "));
        assert_eq!(lengths.len(), usize::from(method == "GET"), "{method}: {lengths:?}");
        head.sort();
        heads.push(head);
    }
    assert_eq!(heads[0], heads[1]);
}

/// Returns the results in a log, in order.
fn results(lines: &[LogLine]) -> Vec<(ResultKey, BoardResult)> {
    let result = |line: &LogLine| {
        let LogEntry::Result { key, result } = line.entry()? else { return None };
        Some((*key, result.clone()))
    };
    lines.iter().filter_map(result).collect()
}

/// Waits until a client's board of this number runs.
async fn until_board(player: &mut TestClient, number: u32) {
    player.until("the board", |it| it.is_running() && it.view().setup.number == number).await;
}

#[tokio::test]
async fn a_board_that_runs_goes_on_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let server = TestServer::start_at(folder.path());
    let mut organiser = open(&server, "series:2").await;
    let mut players = enter(&server, 1..3).await;
    command(&mut organiser, TournamentCommand::Begin).await;
    for player in &mut players {
        take_seat(player, 0).await;
    }
    for player in &mut players {
        until_board(player, 1).await;
    }
    let begun = players[0].board().clone();
    players[1].finish().await;
    let stopping = server.begin_to_stop();
    stopped(stopping).await;

    let server = TestServer::start_at(folder.path());
    let mut anna = owner(&server, 1).await;
    follow(&mut anna).await;
    take_seat(&mut anna, 0).await;
    until_board(&mut anna, 1).await;
    assert_eq!(anna.board(), &begun);
    let mut ben = owner(&server, 2).await;
    follow(&mut ben).await;
    take_seat(&mut ben, 0).await;
    anna.finish().await;
    for player in [&mut anna, &mut ben] {
        until_board(player, 2).await;
    }
    ben.finish().await;
    anna.finish().await;
    let mut organiser = owner(&server, 99).await;
    follow(&mut organiser).await;
    if phase(&organiser) != Some(TournamentPhase::Over) {
        until_phase(&mut organiser, TournamentPhase::Over).await;
    }
    let lines = log(&mut organiser).await;
    let counted = results(&lines);
    let boards: Vec<u8> = counted.iter().map(|(key, _)| key.board).collect();
    assert_eq!(boards, [0, 1], "each result counts once");
    let finished =
        |result: &BoardResult| result.rows.iter().all(|(_, outcome)| outcome.has_finished());
    assert!(counted.iter().all(|(_, result)| finished(result)), "{counted:?}");
    assert_eq!(counted[0].1.rows[0].0, EntrantId(1), "Ben finished before the restart");
    let tournament = fold("series:2".parse().unwrap(), &lines);
    assert_eq!(tournament.standings(), standings(&mut organiser).await);
}

#[tokio::test]
async fn a_corrected_result_and_a_board_raced_again_change_the_standings() {
    let server = TestServer::start();
    let mut organiser = open(&server, "series:1").await;
    let mut players = enter(&server, 1..3).await;
    command(&mut organiser, TournamentCommand::Begin).await;
    for player in &mut players {
        take_seat(player, 0).await;
    }
    let (anna, ben) = players.split_at_mut(1);
    let (anna, ben) = (&mut anna[0], &mut ben[0]);
    for player in [&mut *anna, &mut *ben] {
        until_board(player, 1).await;
    }
    let first_board = anna.board().clone();
    anna.finish().await;
    ben.finish().await;
    until_phase(&mut organiser, TournamentPhase::Over).await;
    let (key, mut result) = results(&log(&mut organiser).await).remove(0);
    assert_eq!(result.rows[0].0, EntrantId(0));

    // Ben was first after all; all who follow are told why.
    let outcomes = (result.rows[0].1, result.rows[1].1);
    result.rows = vec![(EntrantId(1), outcomes.0), (EntrantId(0), outcomes.1)];
    let reason = "the wrong board was counted".to_owned();
    command(&mut organiser, TournamentCommand::SetResult { key, result, reason }).await;
    let told = |client: &TestClient| {
        let told = pick_updates!(
            client,
            TournamentUpdate::Corrected { key, reason } => (*key, reason.to_string())
        );
        told == [(key, "the wrong board was counted".to_owned())]
    };
    ben.until("the correction", told).await;
    let places = |rows: &[Ranked]| -> Vec<u32> { rows.iter().map(|row| row.entrant.0).collect() };
    assert_eq!(places(&standings(&mut organiser).await), [1, 0]);

    // A board raced again throws the result away: the server asks first.
    let replay =
        TournamentCommand::Replay { round: key.round, table: None, board: Some(0), reason: None };
    let request = |confirmed| TournamentRequest::Command { command: replay.clone(), confirmed };
    ask(&mut organiser, request(false)).await;
    let asked = |client: &TestClient| {
        let asked = pick_updates!(
            client,
            TournamentUpdate::NeedsConfirmation(asked) => (asked.discards, asked.first.clone())
        );
        asked == [(1, vec![key])]
    };
    organiser.until("a question", asked).await;
    assert_eq!(places(&standings(&mut organiser).await), [1, 0]);
    done(&mut organiser, request(true)).await;
    for player in [&mut *anna, &mut *ben] {
        until_board(player, 2).await;
    }
    assert_ne!(anna.board(), &first_board, "both know the first one");
    anna.finish().await;
    ben.finish().await;
    until_phase(&mut organiser, TournamentPhase::Over).await;
    assert_eq!(places(&standings(&mut organiser).await), [0, 1]);
}

#[tokio::test]
async fn what_makes_no_sense_is_refused_and_changes_nothing() {
    let server = TestServer::start();
    let mut organiser = open(&server, "series:1").await;
    let mut anna = enter(&server, 1..2).await.remove(0);
    let begin =
        || TournamentRequest::Command { command: TournamentCommand::Begin, confirmed: true };
    assert_eq!(refused(&mut anna, begin()).await, TournamentError::NotOrganiser);
    let alone = refused(&mut organiser, begin()).await;
    assert!(alone.to_string().starts_with("only one entrant has checked in;"), "{alone}");
    let enter_again = TournamentRequest::Enter { name: "Anna".to_owned(), bot: false, team: None };
    assert_eq!(refused(&mut anna, enter_again.clone()).await, TournamentError::AlreadyEntered);
    let (plan, settings) = ("series:1".parse().unwrap(), settings());
    let open_again = TournamentRequest::Open { name: friday(), plan, settings, pin: None };
    assert_eq!(refused(&mut anna, open_again).await, TournamentError::NameTaken);
    let too_many = TournamentSettings { max_entrants: 64, ..self::settings() };
    let (name, plan) = ("monday".parse().unwrap(), "roundrobin".parse().unwrap());
    let round_robin = TournamentRequest::Open { name, plan, settings: too_many, pin: None };
    let bound = refused(&mut anna, round_robin).await.to_string();
    assert_eq!(bound, "stage 1: a round robin has at most 32 entrants, not 64");
    let mut stranger = server.client().await;
    let follow_other = TournamentRequest::Follow { name: "monday".parse().unwrap(), pin: None };
    assert_eq!(refused(&mut stranger, follow_other).await, TournamentError::NoSuchTournament);
    let page = TournamentRequest::Page { of: PageOf::Log, from: 0 };
    assert_eq!(refused(&mut stranger, page).await, TournamentError::NotFollowing);
    follow(&mut stranger).await;
    assert_eq!(refused(&mut stranger, enter_again).await, TournamentError::NeedsKey);

    // One who is late, and a tournament that is over.
    let end = TournamentCommand::End { reason: None };
    command(&mut organiser, end).await;
    until_phase(&mut organiser, TournamentPhase::Over).await;
    let mut ben = owner(&server, 2).await;
    follow(&mut ben).await;
    let enters = TournamentRequest::Enter { name: "Ben".to_owned(), bot: false, team: None };
    assert_eq!(refused(&mut ben, enters).await, TournamentError::EntriesClosed);
    assert_eq!(refused(&mut organiser, begin()).await, TournamentError::Over);
    let lines = log(&mut organiser).await;
    let tournament = fold("series:1".parse().unwrap(), &lines);
    assert_eq!(tournament.standings(), standings(&mut organiser).await);
}

#[tokio::test]
async fn a_late_entrant_joins_during_a_board_at_the_first_attempt_and_races_the_next() {
    let server = TestServer::start();
    let mut organiser = open(&server, "series:2").await;
    let mut players = enter(&server, 1..3).await;
    command(&mut organiser, TournamentCommand::Begin).await;
    for player in &mut players {
        take_seat(player, 0).await;
    }
    for player in &mut players {
        until_board(player, 1).await;
    }
    let mut late = enter(&server, 3..4).await;
    take_seat(&mut late[0], 0).await;
    for player in &mut players {
        player.finish().await;
    }
    players.append(&mut late);
    for player in &mut players {
        until_board(player, 2).await;
        player.finish().await;
    }
    until_phase(&mut organiser, TournamentPhase::Over).await;
    let rows: Vec<usize> =
        results(&log(&mut organiser).await).iter().map(|(_, it)| it.rows.len()).collect();
    assert_eq!(rows, [2, 3]);
}

#[tokio::test]
async fn each_tournament_of_a_name_has_a_record_that_verifies() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let server = TestServer::start_at(&data);
    for key in [1, 2] {
        // While the one before is being closed, its name is refused.
        let mut organiser = owner(&server, key).await;
        let snapshots =
            |client: &TestClient| pick_updates!(client, TournamentUpdate::Snapshot(_) => ()).len();
        let refusals =
            |client: &TestClient| pick_updates!(client, TournamentUpdate::Refused(why) => *why);
        while snapshots(&organiser) == 0 {
            let before = refusals(&organiser).len();
            let (name, plan, settings) = (friday(), "series:1".parse().unwrap(), settings());
            ask(&mut organiser, TournamentRequest::Open { name, plan, settings, pin: None }).await;
            let is_answered =
                |client: &TestClient| snapshots(client) > 0 || refusals(client).len() > before;
            organiser.until("an answer", is_answered).await;
        }
        command(&mut organiser, TournamentCommand::End { reason: None }).await;
    }
    for (name, status) in [("friday", 200), ("friday~1", 200), ("friday~2", 200), ("friday~3", 404)]
    {
        let path = format!("GET /t/{name}.grt");
        assert_eq!(RawSocket::request(server.address, &path, "").await.status, status, "{name}");
    }
    let listed = past(&server).await;
    let listed: Vec<_> = listed.iter().map(|it| (it.record.to_string(), it.followable)).collect();
    assert_eq!(listed, [("friday~2".to_owned(), true), ("friday~1".to_owned(), false)]);
    let founder = |name: &str| {
        let record =
            Archive::at(&data).tournament_record(&name.parse().unwrap(), RecordReader::Public);
        let report = verify(&record.unwrap().unwrap()).unwrap();
        assert_eq!(report.errors, [], "{name}");
        report.record.log.iter().find_map(|line| match line.by {
            LogAuthor::Key(key) => Some(key),
            _server => None,
        })
    };
    let key = |key: u8| Some(Key::from_bytes([key; 32]).public().fingerprint(false));
    assert_eq!(["friday~1", "friday~2", "friday"].map(founder), [key(1), key(2), key(2)]);
}
