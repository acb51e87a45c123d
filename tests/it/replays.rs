//! The contents of a replay: everything that happened in the heat. The harness verifies the replays
//! of all other tests.

use crate::harness::{RawSocket, TestServer, options};
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::heat::options::{HeatOptions, HintRule};
use gridrace_shared::heat::standings::RaceState;
use gridrace_shared::protocol::client::{ClientMessage, Role};
use gridrace_shared::replay::{ExitReason, RacerEvent, RecordKind, Replay, SignatureCheck, verify};

/// Returns what a player did apart from moves, and how many moves it played.
fn acts(replay: &Replay, of: PlayerId) -> (Vec<RacerEvent>, usize) {
    let acts = replay.events.records().filter_map(|(_, record)| match record.kind {
        RecordKind::Racer { player, event: act } if player == of => Some(act),
        RecordKind::Racer { .. } | RecordKind::Outage { .. } => None,
    });
    let (moves, others): (Vec<RacerEvent>, Vec<RacerEvent>) =
        acts.partition(|act| matches!(act, RacerEvent::Move(_)));
    (others, moves.len())
}

#[tokio::test]
async fn every_kind_of_event_is_in_the_replay() {
    for spec in ["slide:3x3", "link:5x5"] {
        let server = TestServer::start();
        let (mut anna, mut ben) = (server.client().await, server.json_client().await);
        let (mut cleo, mut dora) = (server.client().await, server.client().await);
        let options = HeatOptions { hints: HintRule::Priced { seconds: 5 }, ..options(spec) };
        let code = anna.open("Anna", &options).await;
        for (client, name) in [(&mut ben, "Ben"), (&mut cleo, "Cleo"), (&mut dora, "Dora")] {
            client.join(code, name, Role::Player).await;
        }
        anna.say(ClientMessage::AddBot { skill: Skill::Master }).await;
        anna.until_members(5).await;
        anna.start().await;
        ben.until_go().await;
        ben.advance(2).await;
        ben.say(ClientMessage::GiveUp).await;
        let player = cleo.you();
        anna.say(ClientMessage::Kick { player }).await;
        cleo.until_closed().await;
        let lost = dora.you();
        dora.vanish();
        anna.until_connected(lost, false).await;
        anna.hint().await;
        anna.finish().await;
        anna.say(ClientMessage::Kick { player: lost }).await;
        anna.until_over().await;

        let heats = server.records.replays();
        let [(file, result)] = &heats[..] else { panic!("{} heats", heats.len()) };
        assert_eq!(result.standings, anna.result().standings);
        let replay = verify(file).unwrap().replay;
        let header = &replay.header;
        assert_eq!((header.code, header.number), (code, 1));
        assert_eq!(header.options, options);
        assert_eq!(header.commitment, anna.view().setup.commitment);
        assert_eq!(header.secret, anna.result().reveal);
        let names: Vec<&str> =
            replay.events.racers().iter().map(|racer| racer.name.as_str()).collect();
        assert_eq!(names[..4], ["Anna", "Ben", "Cleo", "Dora"]);
        let you = anna.you();
        let played = anna.view().my_standing().unwrap().moves.acts as usize;
        assert_eq!(acts(&replay, you), (vec![RacerEvent::Hint], played));
        assert_eq!(acts(&replay, ben.you()), (vec![RacerEvent::Out(ExitReason::GaveUp)], 2));
        assert_eq!(acts(&replay, player), (vec![RacerEvent::Out(ExitReason::SentAway)], 0));
        let sent_away = vec![RacerEvent::Lost, RacerEvent::Out(ExitReason::SentAway)];
        assert_eq!(acts(&replay, lost), (sent_away, 0));
        let row = replay.outcome.standings.iter().find(|row| row.player == you).unwrap();
        assert!(matches!(row.state, RaceState::Finished { .. }));
        assert_eq!(row.penalty.0, 5_000);
        assert!(header.began.is_some());
    }
}

#[tokio::test]
async fn every_rematch_has_a_replay_of_its_own() {
    let server = TestServer::start();
    let mut anna = server.client().await;
    anna.open("Anna", &options("slide:2x2")).await;
    for _ in 0..3 {
        anna.start().await;
        anna.finish().await;
        anna.until_over().await;
        anna.rematch().await;
    }
    let mut numbers: Vec<u32> = server
        .records
        .replays()
        .iter()
        .map(|(file, _)| verify(file).unwrap().replay.header.number)
        .collect();
    numbers.sort_unstable();
    assert_eq!(numbers, [1, 2, 3]);
}

#[tokio::test]
async fn a_replay_is_signed_by_the_key_that_the_index_names() {
    let server = TestServer::start();
    let mut anna = server.client().await;
    anna.open("Anna", &options("slide:2x2")).await;
    anna.start().await;
    anna.finish().await;
    anna.until_over().await;
    let heats = server.records.replays();
    let [(file, _)] = &heats[..] else { panic!("{} heats", heats.len()) };
    let SignatureCheck::Valid(signer) = verify(file).unwrap().signature else {
        panic!("the replay isn't signed");
    };
    let index = RawSocket::get(server.address, "/", "Accept: */*\r\n").await;
    let check = format!("gridrace verify FILE --server {signer}");
    assert!(index.body.contains(&check), "{}", index.body);
}
