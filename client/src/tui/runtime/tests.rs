//! The whole client but its terminal, against a real server on a real socket.

use super::*;
use crate::host::embedded_server::{self, Place};
use crate::net::Tcp;
use crate::session::ConnectionTask;
use crate::test_support::proxy::Proxy;
use crate::test_support::{self as fx};
use crate::tui::model::{ConnectionStatus, Heat, Racing};
use crate::tui::view::cell_at;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use gridrace_shared::heat::ids::Seq;
use gridrace_shared::heat::standings::State;
use gridrace_shared::protocol::client::Role;
use gridrace_shared::puzzle::Move;

/// Far longer than a heat of two by two takes on the slowest machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// A client whose terminal is the test.
struct Headless {
    model: Model,
    connection: ConnectionTask,
    drawer: Drawer,
    clock: Clock,
    ticks: Interval,
}

impl Headless {
    fn start(start: Start) -> Self {
        let clock = Clock::start();
        let mut client = Self {
            model: fx::model(),
            connection: ConnectionTask::new(Tcp::default(), clock, None),
            drawer: Drawer::start(),
            clock,
            ticks: tokio::time::interval(TICK),
        };
        let commands = begin(&mut client.model, start);
        client.obey(commands);
        client
    }

    fn open(place: &Place, name: &str) -> Self {
        let mut options = gridrace_shared::heat::options::HeatOptions::new(fx::spec("slide:2x2"));
        options.countdown_seconds = 1;
        options.delay_seconds = 0;
        let mut client = Self::start(Start::Open {
            address: place.address.clone(),
            options,
            seed: None,
            pin: None,
            bots: Vec::new(),
            start: false,
            invitation: Vec::new(),
            news: String::new(),
        });
        client.model.settings.name = name.to_owned();
        client
    }

    fn join(place: &Place, role: Role) -> Self {
        Self::start(Start::Join { address: place.address.clone(), code: None, pin: None, role })
    }

    fn obey(&mut self, commands: Vec<Effect>) {
        for command in commands {
            match command {
                Effect::Connect { address } => self.connection.connect(address, Duration::ZERO),
                Effect::Retry { address, attempt, wish } => {
                    self.connection
                        .connect(address, backoff::pause(attempt, wish, clock::random_below));
                }
                Effect::Disconnect => self.connection.disconnect(),
                Effect::Send(message) => self.connection.send(message),
                Effect::Draw { spec, seed } => self.drawer.draw(spec, seed),
                Effect::Host { .. } | Effect::Unhost | Effect::Suspend | Effect::Exit(_) => {
                    panic!("{command:?}")
                }
            }
        }
    }

    fn tell(&mut self, message: Event) {
        let commands = update(&mut self.model, self.clock.now(), message);
        self.obey(commands);
    }

    fn press(&mut self, letter: char) {
        self.tell(Event::Key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE)));
    }

    async fn step(&mut self) {
        tokio::select! {
            (at, event) = self.connection.next() => {
                let commands = update(&mut self.model, at, event.into());
                self.obey(commands);
            }
            drawn = self.drawer.next() => self.tell(drawn),
            _ = self.ticks.tick() => self.tell(Event::Tick),
        }
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
            let racing = self.model.heat().and_then(Heat::racing);
            let wants_hint = racing.is_some_and(|racing| racing.hint().is_none() && racing.is_on());
            if wants_hint {
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
        let Some(racing) = self.model.heat().and_then(Heat::racing) else {
            return;
        };
        let Some(Move::Slide(hinted)) = racing.hinted_move() else {
            return;
        };
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
    model.heat().and_then(Heat::results).is_some_and(|results| results.check.board.is_some())
}

fn race(model: &Model) -> Racing<'_> {
    model.heat().and_then(Heat::racing).expect("a race")
}

fn is_racing(model: &Model) -> bool {
    model.heat().and_then(Heat::racing).is_some()
}

fn has_members(count: usize) -> impl Fn(&Model) -> bool {
    move |model| model.heat().is_some_and(|heat| heat.roster.members.len() == count)
}

#[tokio::test]
async fn a_heat_is_raced_to_its_end_and_watched() {
    let hosted = embedded_server::host(false).await.unwrap();
    let mut player = Headless::open(&hosted.place, "Anna");
    player.until(has_members(1)).await;
    let mut watcher = Headless::join(&hosted.place, Role::Spectator);
    watcher.until(has_members(2)).await;
    player.until(has_members(2)).await;
    player.press('s');
    let both = async { tokio::join!(player.race_home(), watcher.until(is_over)) };
    assert!(tokio::time::timeout(PATIENCE, both).await.is_ok());
    for model in [&player.model, &watcher.model] {
        let Some(results) = model.heat().and_then(Heat::results) else {
            panic!("{:?}", model.screen)
        };
        assert!(results.check.commitment);
        assert_eq!(results.check.board, Some(true));
        assert_eq!(results.result.standings.len(), 1);
        assert_eq!(results.result.standings[0].progress, 1_000);
    }
    player.connection.close().await;
    hosted.stop().await;
}

#[tokio::test]
async fn a_race_that_is_cut_off_goes_on_in_the_same_seat() {
    let hosted = embedded_server::host(false).await.unwrap();
    let proxy = Proxy::to(&hosted.place.address).await;
    let place = Place { address: proxy.address.clone(), ..hosted.place.clone() };
    let mut player = Headless::open(&place, "Anna");
    player.until(has_members(1)).await;
    player.press('s');
    player.until(is_racing).await;
    proxy.go_down();
    let lost = |model: &Model| matches!(model.connection.status, ConnectionStatus::Lost { .. });
    player.until(lost).await;
    // Nobody hears of it yet.
    player.slide();
    assert!(!race(&player.model).play.is_settled());
    proxy.come_up();
    let is_heard = |model: &Model| model.connection.is_heard() && race(model).play.is_settled();
    player.until(is_heard).await;
    assert_eq!(race(&player.model).play.last(), Seq(1));
    // Once more, and nobody is told of anything in between.
    proxy.cut();
    let home = tokio::time::timeout(PATIENCE, player.race_home()).await;
    assert!(home.is_ok(), "{:?}", player.model.screen);
    let Some(results) = player.model.heat().and_then(Heat::results) else {
        panic!("{:?}", player.model.screen)
    };
    assert!(results.check.commitment);
    let [row] = &results.result.standings[..] else { panic!("{:?}", results.result.standings) };
    assert!(matches!(row.state, State::Finished { .. }));
    player.connection.close().await;
    hosted.stop().await;
}

#[tokio::test]
async fn keys_that_nobody_hears_cost_no_seat() {
    let hosted = embedded_server::host(false).await.unwrap();
    let proxy = Proxy::to(&hosted.place.address).await;
    let place = Place { address: proxy.address.clone(), ..hosted.place.clone() };
    let mut player = Headless::open(&place, "Anna");
    player.until(has_members(1)).await;
    proxy.go_down();
    let lost = |model: &Model| matches!(model.connection.status, ConnectionStatus::Lost { .. });
    player.until(lost).await;
    // In the lobby, while the next connection is on its way.
    player.press('r');
    proxy.come_up();
    player.until(|model| model.connection.is_heard()).await;
    assert!(player.model.heat().is_some(), "{:?}", player.model.notice);
    player.press('s');
    player.until(is_racing).await;
    player.connection.close().await;
    hosted.stop().await;
}

#[tokio::test]
async fn leaving_is_said_before_the_connection_closes() {
    let hosted = embedded_server::host(false).await.unwrap();
    let mut host = Headless::open(&hosted.place, "Anna");
    host.until(has_members(1)).await;
    let mut guest = Headless::join(&hosted.place, Role::Player);
    guest.until(has_members(2)).await;
    host.until(has_members(2)).await;
    guest.press('q');
    guest.press('y');
    guest.connection.close().await;
    host.until(has_members(1)).await;
    hosted.stop().await;
}

#[tokio::test]
async fn a_server_that_shuts_down_is_tried_again() {
    let hosted = embedded_server::host(false).await.unwrap();
    let mut client = Headless::open(&hosted.place, "Anna");
    client.until(has_members(1)).await;
    hosted.stop().await;
    let lost = |model: &Model| matches!(model.connection.status, ConnectionStatus::Lost { .. });
    client.until(lost).await;
}
