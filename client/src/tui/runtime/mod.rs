//! The runtime around `update` and `view`: the terminal, the clock, the connection, randomness.

mod signals;
#[cfg(test)]
#[cfg(feature = "host")]
mod tests;

use crate::families::input::MouseAction;
use crate::net::clock::{self, Clock};
use crate::net::{Connection, Tcp, own_addresses};
use crate::practice::kept_races::{KeptRaces, KeptRacesError};
use crate::session::{ConnectionTask, backoff};
use crate::tui::board_worker::BoardWorker;
use crate::tui::effect::{Effect, Exit};
use crate::tui::event::Event;
use crate::tui::launch::Start;
use crate::tui::model::Model;
use crate::tui::nearby_search::NearbySearch;
use crate::tui::own_server::{OwnServer, StartServer, StartServerError};
use crate::tui::race_keeper::RaceKeeper;
use crate::tui::settings::Settings;
use crate::tui::terminal::Screen;
use crate::tui::update::{begin, end, update};
use crate::tui::view::view_with_images;
use crossterm::event::{Event as TerminalEvent, EventStream, MouseButton, MouseEventKind};
use futures_util::StreamExt;
use gridrace_shared::heat::identity::Key;
use gridrace_shared::util::time::ClientInstant;
use ratatui::layout::Size;
use signals::Signals;
use std::io;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::{Interval, MissedTickBehavior};

/// Between two ticks: the running clock shows tenths.
const TICK: Duration = Duration::from_millis(100);
/// Between two pictures of a tile that slides.
const FRAME: Duration = Duration::from_millis(16);
/// A terminal that takes longer to draw is too slow to show how tiles slide.
const SLOW_FRAME: Duration = Duration::from_millis(40);
/// How many such pictures one after the other are taken for more than chance.
const SLOW_FRAMES: u32 = 3;
/// The most messages that are taken in before the screen is drawn again: a flood from the
/// server must not keep keys and screen waiting.
const MESSAGES_A_FRAME: usize = 64;

/// Runs the program on this terminal until it is ended, at first on `connection` if there is one.
pub async fn run(
    start: Start,
    settings: Settings,
    key: Option<Key>,
    tcp: Tcp,
    start_server: StartServer,
    connection: Option<Connection>,
    races: Result<KeptRaces, KeptRacesError>,
) -> io::Result<Exit> {
    let clock = Clock::start();
    let mut screen = Screen::take(settings.graphics_choice(), clock)?;
    let model = Model::new(settings, screen.size()?);
    let connection =
        ConnectionTask::new(tcp, clock, key.map(|key| (key, false))).adopting(connection);
    let mut shell = Shell {
        client: Client::new(model, connection, clock, races),
        signals: Signals::listen()?,
        events: EventStream::new(),
        start_server,
        own_server: None,
        starting: None,
        start_task: None,
        nearby_search: NearbySearch::default(),
        slow_frames: 0,
        stopping: None,
    };
    let exit = shell.run(start, &mut screen).await;
    drop(screen);
    for effect in end(&mut shell.client.model) {
        shell.client.perform(effect);
    }
    shell.client.connection.close().await;
    shell.unhost();
    shell.client.race_keeper.close().await;
    if let Some(stopping) = shell.stopping.take() {
        // A panic in it was reported.
        stopping.await.ok();
    }
    exit
}

/// The model, and everything around it but the terminal.
struct Client {
    model: Model,
    clock: Clock,
    connection: ConnectionTask,
    board_worker: BoardWorker,
    race_keeper: RaceKeeper,
    /// Where others reach the server on this machine, once that is known.
    own_addresses: Option<oneshot::Receiver<Vec<String>>>,
    ticks: Interval,
    /// After which time another screen would show more images of tiles, if it would.
    images_due: Option<Duration>,
}

struct Shell {
    client: Client,
    signals: Signals,
    events: EventStream,
    start_server: StartServer,
    own_server: Option<OwnServer>,
    starting: Option<oneshot::Receiver<Result<OwnServer, StartServerError>>>,
    /// Starts the server, and stops it if it is no longer wanted by then.
    start_task: Option<JoinHandle<()>>,
    /// The end of the server before, which holds the port and the folder until then.
    stopping: Option<JoinHandle<()>>,
    nearby_search: NearbySearch,
    /// Pictures of motion, one after the other, for which the terminal took too long.
    slow_frames: u32,
}

enum Next {
    Event(ClientInstant, Event),
    Nothing,
    /// What a signal asks for, or the end of the terminal.
    Effect(Effect),
}

impl Client {
    fn new(
        model: Model,
        connection: ConnectionTask,
        clock: Clock,
        races: Result<KeptRaces, KeptRacesError>,
    ) -> Self {
        let mut ticks = tokio::time::interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        let (board_worker, race_keeper) = (BoardWorker::start(), RaceKeeper::start(races));
        Self {
            model,
            clock,
            connection,
            board_worker,
            race_keeper,
            own_addresses: None,
            ticks,
            images_due: None,
        }
    }

    /// Waits for the next event. Safe to cancel.
    async fn next(&mut self) -> (ClientInstant, Event) {
        let motion = self.model.is_animating().then_some(FRAME);
        let frame = [motion, self.images_due].into_iter().flatten().min();
        tokio::select! {
            biased;
            (at, event) = self.connection.next() => (at, event.into()),
            drawn = self.board_worker.next() => (self.clock.now(), drawn),
            answer = self.race_keeper.next() => (self.clock.now(), Event::Races(answer)),
            addresses = found(&mut self.own_addresses) => {
                self.own_addresses = None;
                (self.clock.now(), Event::OwnAddresses(addresses))
            }
            _ = self.ticks.tick() => (self.clock.now(), Event::Tick),
            () = tokio::time::sleep(frame.unwrap_or(FRAME)), if frame.is_some() => {
                (self.clock.now(), Event::Tick)
            }
        }
    }

    /// Takes the next message of a frame after `taken` events, if one has arrived. What is beyond
    /// [`MESSAGES_A_FRAME`] stays for the next frame.
    fn next_of_frame(&mut self, taken: usize) -> Option<(ClientInstant, Event)> {
        if taken >= MESSAGES_A_FRAME {
            return None;
        }
        self.connection.try_next().map(|(at, event)| (at, event.into()))
    }

    /// Performs an effect; returns it if it is about the terminal or the server in this program.
    fn perform(&mut self, effect: Effect) -> Option<Effect> {
        match effect {
            Effect::Connect { address } => self.connection.connect(address, Duration::ZERO),
            Effect::Retry { address, attempt, wish } => {
                self.retry(address, backoff::pause(attempt, wish, clock::random_below));
            }
            Effect::FindOwnAddresses { port } => self.find_own_addresses(port),
            Effect::Disconnect => self.connection.disconnect(),
            Effect::Send(message) => self.connection.send(message),
            Effect::Draw { spec, seed } => self.board_worker.request(spec, seed),
            Effect::Races(request) => self.race_keeper.request(request),
            Effect::StartServer { .. }
            | Effect::StopServer
            | Effect::Copy(_)
            | Effect::Bell
            | Effect::Redraw
            | Effect::Suspend
            | Effect::Exit(_) => {
                return Some(effect);
            }
        }
        None
    }

    fn find_own_addresses(&mut self, port: u16) {
        let (sender, receiver) = oneshot::channel();
        self.own_addresses = Some(receiver);
        // The screen may be gone.
        tokio::spawn(async move { sender.send(own_addresses::find(port).await).ok() });
    }

    /// Connects after a pause, and tells the screen how long that is.
    fn retry(&mut self, address: String, pause: Duration) {
        self.connection.connect(address, pause);
        let now = self.clock.now();
        // `Pausing` has no effects.
        drop(update(&mut self.model, now, Event::Pausing { until: now + pause }));
    }
}

impl Shell {
    async fn run(&mut self, start: Start, screen: &mut Screen) -> io::Result<Exit> {
        let effects = begin(&mut self.client.model, start);
        if let Some(exit) = self.perform(effects, screen)? {
            return Ok(exit);
        }
        loop {
            self.look_nearby();
            self.read_usage();
            self.draw(screen)?;
            let mut next = self.next().await?;
            for taken in 1.. {
                let effects = match next {
                    Next::Effect(effect) => vec![effect],
                    Next::Nothing => Vec::new(),
                    Next::Event(at, event) => update(&mut self.client.model, at, event),
                };
                if let Some(exit) = self.perform(effects, screen)? {
                    return Ok(exit);
                }
                match self.client.next_of_frame(taken) {
                    Some((at, event)) => next = Next::Event(at, event),
                    None => break,
                }
            }
        }
    }

    /// Looks for rooms nearby as long as the screen shows them.
    fn look_nearby(&mut self) {
        if self.nearby_search.follow(self.client.model.looks_nearby()) {
            let now = self.client.clock.now();
            // It has no effects.
            drop(update(&mut self.client.model, now, Event::Nearby(Vec::new())));
        }
    }

    /// Asks the server in this program what there is on it, for the question before it ends.
    fn read_usage(&mut self) {
        let Client { model, clock, .. } = &mut self.client;
        let place = self.own_server.as_ref().map(|server| &server.place);
        let place = place.or(model.own_server.as_ref());
        let usage = place.map(|place| place.usage.usage()).unwrap_or_default();
        if usage != model.server_usage {
            // It has no effects.
            drop(update(model, clock.now(), Event::ServerUsage(usage)));
        }
    }

    /// Draws the screen, and notes if the terminal is too slow for motion.
    fn draw(&mut self, screen: &mut Screen) -> io::Result<()> {
        let start = self.client.clock.now();
        let model = &self.client.model;
        screen.draw(|frame, ready| view_with_images(model, frame, ready))?;
        self.client.images_due = screen.images_due();
        let now = self.client.clock.now();
        let is_slow = self.client.model.is_animating() && now.since(start) > SLOW_FRAME;
        self.slow_frames = if is_slow { self.slow_frames + 1 } else { 0 };
        if self.slow_frames == SLOW_FRAMES {
            // It has no effects.
            drop(update(&mut self.client.model, now, Event::SlowScreen));
        }
        Ok(())
    }

    async fn next(&mut self) -> io::Result<Next> {
        let (at, event) = tokio::select! {
            biased;
            effect = self.signals.next() => return Ok(Next::Effect(effect)),
            event = self.events.next() => match event {
                // The terminal is gone.
                None => return Ok(Next::Effect(Effect::Exit(Exit::Interrupted))),
                Some(event) => match translate(&event?) {
                    Some(event) => (self.client.clock.now(), event),
                    None => return Ok(Next::Nothing),
                },
            },
            hosted = started(&mut self.starting) => {
                self.starting = None;
                (self.client.clock.now(), self.take_host(hosted))
            }
            next = self.client.next() => next,
            nearby = self.nearby_search.next() => (self.client.clock.now(), nearby),
        };
        Ok(Next::Event(at, event))
    }

    fn perform(&mut self, effects: Vec<Effect>, screen: &mut Screen) -> io::Result<Option<Exit>> {
        for effect in effects {
            let effect = self.client.perform(effect);
            if let Some(Effect::StartServer { lan }) = effect {
                self.host(lan);
            } else if let Some(Effect::StopServer) = effect {
                self.unhost();
            } else if let Some(Effect::Copy(text)) = effect {
                screen.copy(&text)?;
            } else if let Some(Effect::Bell) = effect {
                screen.ring()?;
            } else if let Some(Effect::Redraw) = effect {
                screen.redraw()?;
            } else if let Some(Effect::Suspend) = effect {
                screen.suspend()?;
                // A stopped program isn't told that its terminal was resized.
                let Size { width, height } = screen.size()?;
                let (model, now) = (&mut self.client.model, self.client.clock.now());
                let effects = update(model, now, Event::Resized { width, height });
                if let Some(exit) = self.perform(effects, screen)? {
                    return Ok(Some(exit));
                }
            } else if let Some(Effect::Exit(exit)) = effect {
                return Ok(Some(exit));
            }
        }
        Ok(None)
    }

    fn host(&mut self, lan: bool) {
        let (sender, receiver) = oneshot::channel();
        self.starting = Some(receiver);
        let start = (self.start_server)(lan);
        let stopping = self.stopping.take();
        self.start_task = Some(tokio::spawn(async move {
            if let Some(stopping) = stopping {
                stopping.await.ok();
            }
            if let Err(Ok(unwanted)) = sender.send(start.await) {
                unwanted.stop.await;
            }
        }));
    }

    /// Stops the server, or the one that is being started.
    fn unhost(&mut self) {
        let started = self.starting.take().and_then(|mut starting| {
            starting.close();
            starting.try_recv().ok()?.ok()
        });
        let start_task = self.start_task.take();
        if let Some(server) = self.own_server.take().or(started) {
            self.stopping = Some(tokio::spawn(server.stop));
        } else if start_task.is_some() {
            self.stopping = start_task;
        }
    }

    fn take_host(&mut self, outcome: Result<OwnServer, StartServerError>) -> Event {
        Event::ServerStarted(outcome.map(|server| {
            let place = server.place.clone();
            self.own_server = Some(server);
            place
        }))
    }
}

/// Waits for the addresses that were asked for, for ever if there are none.
async fn found(search: &mut Option<oneshot::Receiver<Vec<String>>>) -> Vec<String> {
    match search {
        None => std::future::pending().await,
        Some(receiver) => receiver.await.unwrap_or_default(),
    }
}

/// Waits for the server in this program, for ever if none is being started.
async fn started(
    starting: &mut Option<oneshot::Receiver<Result<OwnServer, StartServerError>>>,
) -> Result<OwnServer, StartServerError> {
    match starting {
        None => std::future::pending().await,
        Some(receiver) => {
            let lost =
                |_| Err(StartServerError::Failed("the server's start was aborted".to_owned()));
            receiver.await.unwrap_or_else(lost)
        }
    }
}

/// Says what an event of the terminal means; most mean nothing.
fn translate(event: &TerminalEvent) -> Option<Event> {
    match event {
        TerminalEvent::Key(key) => Some(Event::Key(*key)),
        TerminalEvent::Mouse(mouse) => mouse_action(mouse.kind).map(|action| Event::Mouse {
            action,
            column: mouse.column,
            row: mouse.row,
        }),
        TerminalEvent::Resize(width, height) => {
            Some(Event::Resized { width: *width, height: *height })
        }
        TerminalEvent::Paste(text) => Some(Event::Paste(text.clone())),
        TerminalEvent::FocusGained | TerminalEvent::FocusLost => None,
    }
}

/// Says what the left button does; the others mean nothing.
fn mouse_action(kind: MouseEventKind) -> Option<MouseAction> {
    let actions = [
        (MouseEventKind::Down(MouseButton::Left), MouseAction::Press),
        (MouseEventKind::Drag(MouseButton::Left), MouseAction::Drag),
        (MouseEventKind::Up(MouseButton::Left), MouseAction::Release),
    ];
    actions.into_iter().find(|(meant, _)| *meant == kind).map(|(_, action)| action)
}
