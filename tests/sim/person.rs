//! Somebody at the terminal client, without the terminal: the client's own model and the way
//! it connects, and hands that do what the hints say.

use crate::common::{Common, address};
use crate::network::Way;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use gridrace_client::display::theme::Appearance;
use gridrace_client::families::input::MouseAction;
use gridrace_client::net::Network;
use gridrace_client::net::clock::Clock;
use gridrace_client::session::{ConnectionTask, backoff};
use gridrace_client::tui::effect::Effect;
use gridrace_client::tui::event::Event;
use gridrace_client::tui::launch::Start;
use gridrace_client::tui::model::{Model, Screen, Stage};
use gridrace_client::tui::settings::Settings;
use gridrace_client::tui::update::{begin, update};
use gridrace_client::tui::view::cell_at;
use gridrace_shared::protocol::client::Role;
use gridrace_shared::puzzle::Move;
use gridrace_shared::puzzle::numberlink::Stroke;
use gridrace_shared::solver::knowledge::GeneratedBoard;
use gridrace_shared::util::grid::Cell;
use gridrace_shared::util::time::ClientInstant;
use ratatui::layout::Size;
use std::rc::Rc;
use std::time::Duration;
use tokio::time::{MissedTickBehavior, interval};

/// Between two ticks, as the program has them.
const TICK: Duration = Duration::from_millis(100);
const SIZE: Size = Size { width: 80, height: 24 };
/// How long somebody waits before saying again what nobody seems to have heard, in
/// microseconds.
const SAYS_AGAIN: u64 = 3_000_000;
/// One move of so many isn't what the hint says.
const STRAYS: u64 = 8;

/// A person of a plan.
pub struct Person {
    pub name: String,
    pub way: Way,
    pub pace: Duration,
    pub heats: u32,
    pub of: usize,
}

struct Client {
    model: Model,
    connection: ConnectionTask<Way>,
    clock: Clock,
    way: Way,
    heats: u32,
    /// When something was said that may have to be said again.
    said: Option<ClientInstant>,
}

impl Person {
    /// Plays all heats and leaves; or why that can't be.
    pub async fn play(self, common: Rc<Common>) -> Result<(), String> {
        let settings = Settings {
            appearance: Appearance { light: false, color: true, ascii: false },
            reversed: false,
            name: self.name,
        };
        let start = Start::Join {
            address: address(),
            code: Some(common.code().await),
            role: Role::Player,
            pin: None,
        };
        let clock = Clock::start();
        let mut client = Client {
            model: Model::new(settings, SIZE),
            connection: ConnectionTask::new(self.way.clone(), clock, None),
            clock,
            way: self.way,
            heats: self.heats,
            said: None,
        };
        let commands = begin(&mut client.model, start);
        client.obey(commands);
        let mut ticks = interval(TICK);
        let mut hands = interval(self.pace);
        for beat in [&mut ticks, &mut hands] {
            beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        }
        let mut entered = false;
        loop {
            tokio::select! {
                biased;
                (at, event) = client.connection.next() => client.take_in(at, event.into()),
                _ = ticks.tick() => client.tell(Event::Tick),
                // And the referee.
                _ = hands.tick(), if common.entered.get() > self.of => client.act(),
            }
            match &client.model.screen {
                Screen::Heat(_) if !entered => {
                    entered = true;
                    common.entered.set(common.entered.get() + 1);
                }
                Screen::Join(form) if form.busy => {}
                Screen::Heat(_) | Screen::Waiting(_) => {}
                Screen::Home(_) | Screen::Join(_) | Screen::Choose(_) | Screen::Replay(_) => {
                    return Err(client.complaint());
                }
            }
            if let Some(proven) = client.is_done() {
                if !proven {
                    common.unproven.set(true);
                }
                client.press(KeyCode::Char('q'));
                client.press(KeyCode::Char('y'));
                client.connection.close().await;
                return Ok(());
            }
        }
    }
}

impl Client {
    fn tell(&mut self, message: Event) {
        self.take_in(self.clock.now(), message);
    }

    fn take_in(&mut self, at: ClientInstant, message: Event) {
        let commands = update(&mut self.model, at, message);
        self.obey(commands);
    }

    fn obey(&mut self, commands: Vec<Effect>) {
        for command in commands {
            match command {
                Effect::Connect { address } => self.connection.connect(address, Duration::ZERO),
                Effect::Retry { address, attempt, wish } => {
                    let pause = backoff::pause(attempt, wish, |bound| self.way.random_below(bound));
                    self.connection.connect(address, pause);
                }
                Effect::Disconnect => self.connection.disconnect(),
                Effect::Send(message) => self.connection.send(message),
                Effect::Draw { spec, seed } => {
                    let drawn = Box::new(GeneratedBoard::of(&spec, &seed));
                    self.tell(Event::Drawn { spec, seed, drawn });
                }
                Effect::Host { .. } | Effect::Unhost | Effect::Suspend | Effect::Exit(_) => {
                    panic!("{command:?}")
                }
            }
        }
    }

    /// Does what is next: says to be ready, moves, opens the next heat.
    fn act(&mut self) {
        let Some(heat) = self.model.heat() else {
            return;
        };
        match &heat.stage {
            Stage::Lobby => {
                let is_ready = heat.me().is_none_or(|me| me.ready);
                if !is_ready && self.may_say() {
                    self.press(KeyCode::Enter);
                }
            }
            Stage::Racing(racing) if racing.is_on() => {
                let (next, strays) = (racing.hinted_move(), self.way.random_below(STRAYS) == 0);
                match next {
                    _ if strays => self.stray(),
                    Some(play) => self.make(&play),
                    None => self.press(KeyCode::Char('t')),
                }
            }
            Stage::Over(_) => {
                if heat.is_host() && heat.setup.number < self.heats && self.may_say() {
                    self.press(KeyCode::Char('r'));
                }
            }
            Stage::Drawing | Stage::Countdown { .. } | Stage::Racing(_) | Stage::Watching(_) => {}
        }
    }

    fn may_say(&mut self) -> bool {
        let now = self.clock.now();
        let may = self.said.is_none_or(|said| now.0.saturating_sub(said.0) >= SAYS_AGAIN);
        if may {
            self.said = Some(now);
        }
        may
    }

    /// Makes a move as a hand does it.
    fn make(&mut self, play: &Move) {
        match play {
            Move::Slide(cell) => self.mouse(MouseAction::Press, *cell),
            Move::Link(Stroke::Undo) => self.press(KeyCode::Char('u')),
            Move::Link(Stroke::Draw(cells)) => {
                let Some((first, rest)) = cells.split_first() else {
                    return;
                };
                self.mouse(MouseAction::Press, *first);
                for &cell in rest {
                    self.mouse(MouseAction::Drag, cell);
                }
                self.mouse(MouseAction::Release, *cells.last().unwrap_or(first));
            }
        }
    }

    /// Presses a key that may be a move, whatever the hint says.
    fn stray(&mut self) {
        let keys = [KeyCode::Up, KeyCode::Down, KeyCode::Left, KeyCode::Right, KeyCode::Char('u')];
        let key = self.way.random_below(keys.len() as u64);
        self.press(keys[key as usize]);
    }

    fn press(&mut self, key: KeyCode) {
        self.tell(Event::Key(KeyEvent::new(key, KeyModifiers::NONE)));
    }

    /// Does something with the mouse where a cell of the board is shown.
    fn mouse(&mut self, action: MouseAction, cell: Cell) {
        let Size { width, height } = self.model.size;
        let mut all = (0..height).flat_map(|row| (0..width).map(move |column| (column, row)));
        let shown = all.find(|&(column, row)| cell_at(&self.model, column, row) == Some(cell));
        let (column, row) = shown.expect("the whole board is on the screen");
        self.tell(Event::Mouse { action, column, row });
    }

    /// Says whether the last heat is over and checked, and whether all of it holds.
    fn is_done(&self) -> Option<bool> {
        let heat = self.model.heat()?;
        let check = heat.panel.results.check;
        let board = check.board?;
        (heat.setup.number >= self.heats).then_some(board && check.commitment)
    }

    fn complaint(&self) -> String {
        let notice = self.model.notice.as_ref();
        notice.map_or_else(|| format!("{:?}", self.model.screen), |notice| notice.text.clone())
    }
}
