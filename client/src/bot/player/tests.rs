//! Bots that come back by their key. The simulation has bots that stay and lose connections.

use super::*;
use crate::bot::BotResources;
use crate::bot::Pace;
use crate::cli::report::HeatReport;
use crate::host::embedded_server;
use crate::net::{self, Connection};
use crate::test_support::proxy::Proxy;
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::heat::standings::RaceState;
use gridrace_shared::protocol::client::Entrant;
use gridrace_shared::protocol::server::ServerMessage;
use gridrace_shared::protocol::snapshot::{Member, Phase};

/// Opens a heat and watches it, as its host.
async fn open(address: &str) -> (Connection, RoomCode) {
    let mut host = net::connect_over(&Tcp::default(), address).await.unwrap();
    let entrant = Entrant { name: "Anna".to_owned(), bot: false };
    let mut options = HeatOptions::new("slide:4x4".parse().unwrap());
    options.countdown_seconds = 1;
    options.delay_seconds = 0;
    let open =
        ClientMessage::Open { entrant, options, seed: Some("friday".parse().unwrap()), pin: None };
    host.send(&open).await.unwrap();
    host.send(&ClientMessage::LeaveSeat).await.unwrap();
    loop {
        if let ServerMessage::Joined { room, .. } = host.next().await.unwrap() {
            return (host, room.code);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_that_is_cut_off_as_soon_as_it_is_in_comes_back_to_its_seat() {
    let hosted = embedded_server::host().unwrap();
    let proxy = Proxy::to(&hosted.address).await;
    let (mut host, code) = open(&hosted.address).await;
    let key = Key::from_bytes([7; 32]);
    let bot = plays(&proxy.address, code, &key, &hosted).await;
    proxy.cut();
    let id = bot.id();
    let (over, _reports) = mpsc::channel(8);
    let (stop, stopped) = watch::channel(false);
    let playing = tokio::spawn(bot.play(false, over, stopped));
    let (mut was_away, mut is_back) = (false, false);
    while !is_back {
        if let ServerMessage::Roster(roster) = host.next().await.unwrap() {
            let bot = roster.members.iter().find(|member| member.id == id);
            was_away |= bot.is_some_and(|bot| !bot.connected);
            is_back = was_away && bot.is_some_and(|bot| bot.connected && bot.ready);
        }
    }
    stop.send_replace(true);
    assert!(playing.await.unwrap().is_ok());
    hosted.stop().await;
}

/// Enters and plays as the bot of a key.
async fn plays(
    place: &str,
    code: RoomCode,
    key: &Key,
    hosted: &embedded_server::RunningServer,
) -> BotPlayer {
    let entry = Entry::join(code);
    let config = BotConfig {
        skill: Skill::Expert,
        pace: Pace::times(5),
        seed: "one".parse().unwrap(),
        resources: BotResources::new(hosted.tables.clone()),
    };
    let names = || "one".to_owned();
    BotPlayer::enter(&Tcp::default(), place, &entry, names, config, Some(key)).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_whose_program_was_killed_races_on_in_the_next_by_its_key() {
    let hosted = embedded_server::host().unwrap();
    let address = hosted.address.clone();
    let key = Key::from_bytes([7; 32]);
    let (mut host, code) = open(&address).await;
    let bot = plays(&address, code, &key, &hosted).await;
    let id = bot.id();
    let (over, mut reports) = mpsc::channel(8);
    let (_stop, stopped) = watch::channel(false);
    let killed = tokio::spawn(bot.play(false, over.clone(), stopped.clone()));
    host.send(&ClientMessage::Start).await.unwrap();
    let (mut seen, mut again) = (0, None);
    let result = loop {
        let minute = Duration::from_secs(60);
        let heard = tokio::time::timeout(minute, host.next()).await;
        let heard = heard.unwrap().unwrap();
        if let ServerMessage::Phase(Phase::Over(result)) = heard {
            break result;
        }
        if let ServerMessage::Moves(moves) = &heard {
            seen += moves.len();
            if seen > 10 {
                killed.abort();
            }
        }
        if let ServerMessage::Roster(roster) = &heard {
            let away = |member: &Member| member.id == id && !member.connected;
            if roster.members.iter().any(away) && again.is_none() {
                let bot = plays(&address, code, &key, &hosted).await;
                assert_eq!(bot.id(), id);
                again = Some(tokio::spawn(bot.play(false, over.clone(), stopped.clone())));
            }
        }
    };
    assert!(again.unwrap().await.unwrap().is_ok());
    let row = (result.standings.iter()).find(|row| row.player == id).unwrap();
    assert!(matches!(row.state, RaceState::Finished { .. }), "{row:?}");
    assert_eq!(row.moves.acts as usize, seen);
    assert!(HeatReport::new(&reports.recv().await.unwrap()).is_proven());
    hosted.stop().await;
}
