//! The shell around `update` and `view`: the terminal, the clock, the connection, chance.

mod signals;
#[cfg(test)]
mod tests;

use crate::families::input::MouseAction;
use crate::net::clock::{self, Clock};
use crate::net::{Connection, Tcp};
use crate::session::{ConnectionTask, backoff};
use crate::tui::board_worker::Drawer;
use crate::tui::effect::{Effect, Exit};
use crate::tui::event::Event;
use crate::tui::launch::Start;
use crate::tui::local_server::{LocalServer, StartServer, StartServerError};
use crate::tui::model::Model;
use crate::tui::settings::Settings;
use crate::tui::terminal::Screen;
use crate::tui::update::{begin, update};
use crate::tui::view::view;
use crossterm::event::{Event as TerminalEvent, EventStream, MouseButton, MouseEventKind};
use futures_util::StreamExt;
use gridrace_shared::heat::identity::Key;
use gridrace_shared::util::time::ClientInstant;
use signals::Signals;
use std::io;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::{Interval, MissedTickBehavior};

/// Between two ticks: the running clock shows tenths.
const TICK: Duration = Duration::from_millis(100);
/// The most messages that are taken in before the screen is drawn again: a flood from the
/// server must not keep keys and screen waiting.
const MESSAGES_A_FRAME: usize = 64;
/// Why the screen can't go on.
#[derive(Debug, thiserror::Error)]
pub enum RuntimeError {
    /// The terminal failed.
    #[error("the terminal failed")]
    Terminal(#[from] io::Error),
}

/// Runs the program on this terminal until it is ended, at first on `connection` if there is one.
///
/// # Errors
/// [`RuntimeError`] where the terminal fails; it is given back in any case.
pub async fn run(
    start: Start,
    settings: Settings,
    key: Option<Key>,
    tcp: Tcp,
    start_server: StartServer,
    connection: Option<Connection>,
) -> Result<Exit, RuntimeError> {
    let mut screen = Screen::take()?;
    let model = Model::new(settings, screen.size()?);
    let clock = Clock::start();
    let connection = ConnectionTask::new(tcp, clock, key).adopting(connection);
    let mut shell = Shell::new(model, connection, clock, start_server)?;
    let exit = shell.run(start, &mut screen).await;
    drop(screen);
    shell.connection.close().await;
    if let Some(server) = shell.local_server.take() {
        server.stop.await;
    }
    exit
}

struct Shell {
    model: Model,
    clock: Clock,
    connection: ConnectionTask,
    drawer: Drawer,
    signals: Signals,
    events: EventStream,
    ticks: Interval,
    start_server: StartServer,
    local_server: Option<LocalServer>,
    starting: Option<oneshot::Receiver<Result<LocalServer, StartServerError>>>,
}

/// What the loop does next.
enum Next {
    Event(ClientInstant, Event),
    Nothing,
    Exit(Exit),
}

impl Shell {
    fn new(
        model: Model,
        connection: ConnectionTask,
        clock: Clock,
        start_server: StartServer,
    ) -> io::Result<Self> {
        let mut ticks = tokio::time::interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        Ok(Self {
            model,
            clock,
            connection,
            drawer: Drawer::start(),
            signals: Signals::listen()?,
            events: EventStream::new(),
            ticks,
            start_server,
            local_server: None,
            starting: None,
        })
    }

    async fn run(&mut self, start: Start, screen: &mut Screen) -> Result<Exit, RuntimeError> {
        let commands = begin(&mut self.model, start);
        if let Some(exit) = self.obey(commands, screen)? {
            return Ok(exit);
        }
        loop {
            screen.draw(|frame| view(&self.model, frame))?;
            let mut next = self.next().await?;
            for _ in 0..MESSAGES_A_FRAME {
                let commands = match next {
                    Next::Exit(exit) => return Ok(exit),
                    Next::Nothing => Vec::new(),
                    Next::Event(at, message) => update(&mut self.model, at, message),
                };
                if let Some(exit) = self.obey(commands, screen)? {
                    return Ok(exit);
                }
                match self.connection.try_next() {
                    Some((at, event)) => next = Next::Event(at, event.into()),
                    None => break,
                }
            }
        }
    }

    /// Waits for whatever comes first.
    async fn next(&mut self) -> io::Result<Next> {
        let (at, message) = tokio::select! {
            biased;
            exit = self.signals.next() => return Ok(Next::Exit(exit)),
            event = self.events.next() => match event {
                // The terminal is gone, and nobody is left to play.
                None => return Ok(Next::Exit(Exit::Terminated)),
                Some(event) => match translate(&event?) {
                    Some(message) => (self.clock.now(), message),
                    None => return Ok(Next::Nothing),
                },
            },
            (at, event) = self.connection.next() => (at, event.into()),
            drawn = self.drawer.next() => (self.clock.now(), drawn),
            hosted = started(&mut self.starting) => {
                self.starting = None;
                (self.clock.now(), self.take_host(hosted))
            }
            _ = self.ticks.tick() => (self.clock.now(), Event::Tick),
        };
        Ok(Next::Event(at, message))
    }

    fn obey(&mut self, commands: Vec<Effect>, screen: &mut Screen) -> io::Result<Option<Exit>> {
        for command in commands {
            match command {
                Effect::Host { lan } => self.host(lan),
                Effect::Unhost => self.unhost(),
                Effect::Connect { address } => self.connection.connect(address, Duration::ZERO),
                Effect::Retry { address, attempt, wish } => {
                    self.retry(address, backoff::pause(attempt, wish, clock::random_below));
                }
                Effect::Disconnect => self.connection.disconnect(),
                Effect::Send(message) => self.connection.send(message),
                Effect::Draw { spec, seed } => self.drawer.draw(spec, seed),
                Effect::Suspend => screen.suspend()?,
                Effect::Exit(exit) => return Ok(Some(exit)),
            }
        }
        Ok(None)
    }

    /// Connects after a pause, and tells the screen how long that is.
    fn retry(&mut self, address: String, pause: Duration) {
        self.connection.connect(address, pause);
        let now = self.clock.now();
        let millis = u64::try_from(pause.as_millis()).unwrap_or(u64::MAX);
        let until = ClientInstant(now.0.saturating_add(millis.saturating_mul(1_000)));
        // Nothing is to be done about it.
        drop(update(&mut self.model, now, Event::Pausing { until }));
    }

    fn host(&mut self, lan: bool) {
        let (sender, receiver) = oneshot::channel();
        self.starting = Some(receiver);
        let start = (self.start_server)(lan);
        tokio::spawn(async move {
            // If the receiver is gone, the server is dropped and stops.
            sender.send(start.await).ok();
        });
    }

    fn unhost(&mut self) {
        self.starting = None;
        if let Some(server) = self.local_server.take() {
            tokio::spawn(server.stop);
        }
    }

    fn take_host(&mut self, outcome: Result<LocalServer, StartServerError>) -> Event {
        Event::Hosted(outcome.map(|server| {
            let place = server.place.clone();
            self.local_server = Some(server);
            place
        }))
    }
}

/// Waits for the server in this program, for ever if none is being started.
async fn started(
    starting: &mut Option<oneshot::Receiver<Result<LocalServer, StartServerError>>>,
) -> Result<LocalServer, StartServerError> {
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
        TerminalEvent::FocusGained | TerminalEvent::FocusLost | TerminalEvent::Paste(_) => None,
    }
}

/// Says what the left button does; the others mean nothing.
const fn mouse_action(kind: MouseEventKind) -> Option<MouseAction> {
    match kind {
        MouseEventKind::Down(MouseButton::Left) => Some(MouseAction::Press),
        MouseEventKind::Drag(MouseButton::Left) => Some(MouseAction::Drag),
        MouseEventKind::Up(MouseButton::Left) => Some(MouseAction::Release),
        MouseEventKind::Down(_)
        | MouseEventKind::Drag(_)
        | MouseEventKind::Up(_)
        | MouseEventKind::Moved
        | MouseEventKind::ScrollDown
        | MouseEventKind::ScrollUp
        | MouseEventKind::ScrollLeft
        | MouseEventKind::ScrollRight => None,
    }
}
