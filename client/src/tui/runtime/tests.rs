//! The whole client but its terminal, against a real server on a real socket.

use super::*;
use crate::host::embedded_server;
use crate::net::Tcp;
use crate::practice::ghost::GHOST;
use crate::session::ConnectionTask;
use crate::test_support::proxy::Proxy;
use crate::test_support::{self as fx};
use crate::tui::model::{ConnectionStatus, Intent, NewRoom, SeedCheck};
use crate::tui::own_server::{ServerPlace, ServerUsage, UsageQuery};
use crate::tui::view::cell_at;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use gridrace_shared::heat::ids::{PlayerId, Seq};
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::heat::standings::{RaceState, Standing};
use gridrace_shared::heat_view::OwnRace;
use gridrace_shared::protocol::client::{ClientMessage, Role};
use gridrace_shared::puzzle::Move;
use gridrace_shared::replay::{ExitReason, RacerEvent, RecordKind, Replay, verify};

/// Far longer than a heat of two by two takes on the slowest machine.
const PATIENCE: Duration = Duration::from_secs(30);

fn start(start: Start) -> Client {
    start_keeping(start, Err(KeptRacesError::Off))
}

/// Starts a client that keeps its races.
fn start_keeping(start: Start, races: Result<KeptRaces, KeptRacesError>) -> Client {
    let clock = Clock::start();
    let connection = ConnectionTask::new(Tcp::default(), clock, None);
    let mut client = Client::new(fx::model(), connection, clock, races);
    let effects = begin(&mut client.model, start);
    client.perform_all(effects);
    client
}

fn open(address: &str, name: &str) -> Client {
    let mut options = HeatOptions::new(fx::spec("slide:2x2"));
    options.countdown_seconds = 1;
    options.delay_seconds = 0;
    let room = Box::new(NewRoom::new(options));
    let mut client = start(Start::Open { address: address.to_owned(), room, pin: None });
    client.model.settings.name = name.to_owned();
    client
}

/// Opens a heat for one player that starts at once, on a board that is hardly ever one move from home.
fn practise(address: &str, races: &KeptRaces, ghost: Option<Replay>) -> Client {
    let mut options = HeatOptions::new(fx::spec("slide:2x3"));
    options.countdown_seconds = 1;
    let seed = ghost.as_ref().map(|ghost| ghost.header.secret.seed.clone());
    let room = NewRoom { options, seed, bots: Vec::new(), image: None, start: true };
    let address = address.to_owned();
    let usage = UsageQuery::new(ServerUsage::default);
    let server = ServerPlace { address, invitation: Vec::new(), waiting: None, usage };
    let start = Start::Serve {
        server,
        hosts: false,
        intent: Intent::Open(Box::new(room)),
        pin: None,
        ghost: ghost.map(Box::new),
        news: String::new(),
    };
    start_keeping(start, Ok(races.clone()))
}

fn join(address: &str, role: Role) -> Client {
    start(Start::Join {
        address: address.to_owned(),
        code: None,
        pin: None,
        role,
        big_screen: false,
    })
}

/// A client whose terminal is the test.
impl Client {
    fn perform_all(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            let left = self.perform(effect);
            assert!(matches!(left, None | Some(Effect::Bell)), "{left:?}");
        }
    }

    fn tell(&mut self, event: Event) {
        let effects = update(&mut self.model, self.clock.now(), event);
        self.perform_all(effects);
    }

    fn press(&mut self, letter: char) {
        self.tell(Event::Key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE)));
    }

    async fn step(&mut self) {
        let (at, event) = self.next().await;
        let effects = update(&mut self.model, at, event);
        self.perform_all(effects);
    }

    /// Goes on until something holds.
    async fn until(&mut self, holds: impl Fn(&Model) -> bool) {
        let wait = async {
            while !holds(&self.model) {
                self.step().await;
            }
        };
        let waited = tokio::time::timeout(PATIENCE, wait).await;
        assert!(waited.is_ok(), "{:?}", self.model.screen);
    }

    /// Plays as the hints say until the heat is over.
    async fn race_home(&mut self) {
        while !is_over(&self.model) {
            let race = self.model.shown_heat().and_then(|heat| heat.race());
            if race.is_some_and(|race| race.is_on() && race.hint().is_none()) {
                self.press('t');
            }
            self.follow_hint();
            self.step().await;
        }
    }

    fn slide(&mut self) {
        let before = race(&self.model).play.last();
        for code in [KeyCode::Up, KeyCode::Down, KeyCode::Left] {
            if race(&self.model).play.last() == before {
                self.tell(Event::Key(KeyEvent::new(code, KeyModifiers::NONE)));
            }
        }
        assert_ne!(race(&self.model).play.last(), before);
    }

    /// Clicks the tile that the hint is about, wherever it is on the screen.
    fn follow_hint(&mut self) {
        let race = self.model.shown_heat().and_then(|heat| heat.race());
        let Some(Move::Slide(hinted)) = race.and_then(OwnRace::hinted_move) else { return };
        let (width, height) = (self.model.size.width, self.model.size.height);
        let mut cells = (0..height).flat_map(|row| (0..width).map(move |column| (column, row)));
        let click = cells.find(|&(column, row)| cell_at(&self.model, column, row) == Some(hinted));
        let (column, row) = click.unwrap();
        let button = MouseAction::Press;
        self.tell(Event::Mouse { action: button, column, row });
    }
}

/// Says whether the heat is over, and its seed checked.
fn is_over(model: &Model) -> bool {
    model.shown_heat().is_some_and(|heat| heat.panel.results.check.board.is_some())
}

/// Checks that the heat is over as was promised, and returns the standings.
fn standings(model: &Model) -> &[Standing] {
    let heat = model.shown_heat().expect("a heat");
    assert_eq!(heat.panel.results.check, SeedCheck { commitment: true, board: Some(true) });
    &heat.result().expect("a result").standings
}

fn race(model: &Model) -> &OwnRace {
    model.shown_heat().and_then(|heat| heat.race()).expect("a race")
}

fn is_racing(model: &Model) -> bool {
    model.shown_heat().is_some_and(|heat| heat.race().is_some())
}

fn is_lost(model: &Model) -> bool {
    matches!(model.connection.status, ConnectionStatus::Lost { .. })
}

fn has_members(count: usize) -> impl Fn(&Model) -> bool {
    move |model| model.shown_heat().is_some_and(|heat| heat.roster.members.len() == count)
}

#[tokio::test]
async fn a_heat_is_raced_to_its_end_and_watched() {
    let hosted = embedded_server::host().unwrap();
    let mut player = open(&hosted.address, "Anna");
    player.until(has_members(1)).await;
    let mut watcher = join(&hosted.address, Role::Spectator);
    watcher.until(has_members(2)).await;
    player.until(has_members(2)).await;
    player.press('s');
    let both = async { tokio::join!(player.race_home(), watcher.until(is_over)) };
    assert!(tokio::time::timeout(PATIENCE, both).await.is_ok());
    for model in [&player.model, &watcher.model] {
        let [row] = standings(model) else { panic!("{:?}", model.screen) };
        assert_eq!(row.progress, 1_000);
    }
    player.connection.close().await;
    hosted.stop().await;
}

#[tokio::test]
async fn a_full_frame_leaves_the_next_message_to_the_next_frame() {
    let hosted = embedded_server::host().unwrap();
    let mut player = open(&hosted.address, "Anna");
    player.until(has_members(1)).await;
    player.connection.send(ClientMessage::Ping { sent: player.clock.now() });
    let next = async {
        loop {
            assert!(player.next_of_frame(MESSAGES_A_FRAME).is_none());
            if let Some((_, event)) = player.next_of_frame(MESSAGES_A_FRAME - 1) {
                return event;
            }
            tokio::task::yield_now().await;
        }
    };
    let next = tokio::time::timeout(PATIENCE, next).await.unwrap();
    assert!(matches!(next, Event::Connection(_)), "{next:?}");
    player.connection.close().await;
    hosted.stop().await;
}

#[tokio::test]
async fn a_race_that_is_cut_off_goes_on_in_the_same_seat() {
    let hosted = embedded_server::host().unwrap();
    let proxy = Proxy::to(&hosted.address).await;
    let mut player = open(&proxy.address, "Anna");
    player.until(has_members(1)).await;
    player.press('s');
    player.until(is_racing).await;
    proxy.go_down();
    player.until(is_lost).await;
    // The server doesn't hear of it yet.
    player.slide();
    assert!(!race(&player.model).play.is_settled());
    proxy.come_up();
    let is_heard = |model: &Model| model.connection.is_heard() && race(model).play.is_settled();
    player.until(is_heard).await;
    assert_eq!(race(&player.model).play.last(), Seq(1));
    // Once more, without a break that shows.
    proxy.cut();
    let home = tokio::time::timeout(PATIENCE, player.race_home()).await;
    assert!(home.is_ok(), "{:?}", player.model.screen);
    let [row] = standings(&player.model) else { panic!("{:?}", player.model.screen) };
    assert!(matches!(row.state, RaceState::Finished { .. }));
    player.connection.close().await;
    hosted.stop().await;
}

#[tokio::test]
async fn keys_without_a_connection_cost_no_seat() {
    let hosted = embedded_server::host().unwrap();
    let proxy = Proxy::to(&hosted.address).await;
    let mut player = open(&proxy.address, "Anna");
    player.until(has_members(1)).await;
    proxy.go_down();
    player.until(is_lost).await;
    // In the lobby, while the next connection is on its way.
    player.press('r');
    proxy.come_up();
    player.until(|model| model.connection.is_heard()).await;
    assert!(player.model.shown_heat().is_some(), "{:?}", player.model.notice);
    player.press('s');
    player.until(is_racing).await;
    player.connection.close().await;
    hosted.stop().await;
}

#[tokio::test]
async fn leaving_is_said_before_the_connection_closes() {
    let hosted = embedded_server::host().unwrap();
    let mut host = open(&hosted.address, "Anna");
    host.until(has_members(1)).await;
    let mut guest = join(&hosted.address, Role::Player);
    guest.until(has_members(2)).await;
    host.until(has_members(2)).await;
    guest.press('q');
    guest.press('y');
    guest.connection.close().await;
    host.until(has_members(1)).await;
    hosted.stop().await;
}

#[tokio::test]
async fn a_race_is_kept_as_a_replay_that_holds_and_raced_again_as_a_ghost() {
    let folder = tempfile::tempdir().unwrap();
    let races = KeptRaces::at(folder.path());
    let hosted = embedded_server::host().unwrap();
    let mut player = practise(&hosted.address, &races, None);
    tokio::time::timeout(PATIENCE, player.race_home()).await.unwrap();
    let is_kept =
        |model: &Model| model.shown_heat().is_some_and(|heat| heat.panel.results.kept.is_some());
    player.until(is_kept).await;
    let [row] = standings(&player.model) else { panic!("{:?}", player.model.screen) };
    let RaceState::Finished { time } = row.state else { panic!("{row:?}") };
    assert!(row.hints > 0);
    player.connection.close().await;
    player.race_keeper.close().await;

    let [kept] = &races.list().unwrap()[..] else { panic!("{:?}", races.list()) };
    assert_eq!((kept.result.time, kept.counts), (Some(time), true));
    assert!(kept.began > 1_700_000_000);
    let replay = races.replay(kept.number).unwrap();
    assert_eq!(verify(&replay.encode()).unwrap().errors, []);

    let mut player = practise(&hosted.address, &races, Some(replay));
    player.until(is_racing).await;
    let places = |model: &Model| -> Vec<PlayerId> {
        model.shown_heat().unwrap().standings.iter().map(|row| row.player).collect()
    };
    player.until(|model| places(model).contains(&GHOST)).await;
    player.press('g');
    player.press('y');
    player.until(is_over).await;
    player.until(is_kept).await;
    assert_eq!(places(&player.model)[0], GHOST);
    player.connection.close().await;
    player.race_keeper.close().await;
    hosted.stop().await;
    let again = races.list().unwrap().pop().unwrap();
    // One player, on a board that was raced before, without a finish.
    assert_eq!((again.result.time, again.result.of, again.counts), (None, 1, false));
    let replay = races.replay(again.number).unwrap();
    assert_eq!(verify(&replay.encode()).unwrap().errors, []);
    assert_eq!(exit_reasons(&replay), [ExitReason::GaveUp]);
}

#[tokio::test]
async fn a_race_that_the_host_ends_is_kept_as_ended_and_not_as_given_up() {
    let folder = tempfile::tempdir().unwrap();
    let races = KeptRaces::at(folder.path());
    let hosted = embedded_server::host().unwrap();
    let mut player = practise(&hosted.address, &races, None);
    player.until(is_racing).await;
    for letter in ['m', 'e', 'y'] {
        player.press(letter);
    }
    player.until(is_over).await;
    player.connection.close().await;
    player.race_keeper.close().await;
    hosted.stop().await;
    let replay = races.replay(1).unwrap();
    assert_eq!(verify(&replay.encode()).unwrap().errors, []);
    assert_eq!(exit_reasons(&replay), [ExitReason::HeatEnded]);
}

fn exit_reasons(replay: &Replay) -> Vec<ExitReason> {
    let reason = |kind: &RecordKind| match kind {
        RecordKind::Racer { event: RacerEvent::Out(reason), .. } => Some(*reason),
        RecordKind::Racer { .. } | RecordKind::Outage { .. } => None,
    };
    replay.events.records().filter_map(|(_, record)| reason(&record.kind)).collect()
}

#[tokio::test]
async fn a_race_that_was_cut_off_is_kept_with_every_move() {
    let folder = tempfile::tempdir().unwrap();
    let races = KeptRaces::at(folder.path());
    let hosted = embedded_server::host().unwrap();
    let proxy = Proxy::to(&hosted.address).await;
    let mut player = practise(&proxy.address, &races, None);
    player.until(is_racing).await;
    player.slide();
    proxy.cut();
    player.slide();
    let is_heard = |model: &Model| model.connection.is_heard() && race(model).play.is_settled();
    player.until(is_heard).await;
    tokio::time::timeout(PATIENCE, player.race_home()).await.unwrap();
    player.connection.close().await;
    player.race_keeper.close().await;
    hosted.stop().await;
    let replay = races.replay(1).unwrap();
    assert_eq!(verify(&replay.encode()).unwrap().errors, []);
}
