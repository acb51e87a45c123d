//! A person at the terminal client, without the terminal: the client's own model, its connection
//! task, and key presses that follow the hints.

use crate::common::{Common, address};
use crate::network::ClientNetwork;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use gridrace_client::families::input::MouseAction;
use gridrace_client::net::Network;
use gridrace_client::net::clock::Clock;
use gridrace_client::session::{ConnectionTask, backoff};
use gridrace_client::tui::effect::Effect;
use gridrace_client::tui::event::Event;
use gridrace_client::tui::launch::Start;
use gridrace_client::tui::model::{FollowGoal, HeatPhase, Intent, Model, Screen};
use gridrace_client::tui::settings::Settings;
use gridrace_client::tui::update::{begin, update};
use gridrace_client::tui::view::cell_at;
use gridrace_shared::heat::identity::Key;
use gridrace_shared::protocol::client::Role;
use gridrace_shared::puzzle::Move;
use gridrace_shared::puzzle::numberlink::Stroke;
use gridrace_shared::solver::knowledge::GeneratedBoard;
use gridrace_shared::tournament::ids::{TeamTag, TournamentName};
use gridrace_shared::util::grid::Cell;
use gridrace_shared::util::time::ClientInstant;
use ratatui::layout::Size;
use std::rc::Rc;
use std::time::Duration;
use tokio::time::{MissedTickBehavior, interval};

/// Between two ticks, as in the program.
const TICK: Duration = Duration::from_millis(100);
const SIZE: Size = Size { width: 80, height: 24 };
/// How long a person waits before repeating a request without an answer, in microseconds.
const SAYS_AGAIN: u64 = 3_000_000;
/// One in this many moves isn't the hinted one.
const STRAYS: u64 = 8;

/// A person of a plan.
pub struct Person {
    pub name: String,
    pub network: ClientNetwork,
    pub pace: Duration,
    pub key: Option<Key>,
    pub goal: PersonGoal,
    pub of: usize,
}

/// The goal of a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PersonGoal {
    /// To race as many heats in the simulation's room.
    Heats(u32),
    Tournament(TournamentName, Option<TeamTag>),
}

struct Client {
    model: Model,
    connection: ConnectionTask<ClientNetwork>,
    clock: Clock,
    network: ClientNetwork,
    goal: PersonGoal,
    /// When a request was sent that may have to be repeated.
    said: Option<ClientInstant>,
}

impl Person {
    /// Plays to the end and leaves, or returns why that is impossible.
    pub async fn play(self, common: Rc<Common>) -> Result<(), String> {
        let settings = Settings { name: self.name, ..Settings::from_environment(|_| None) };
        let start = match &self.goal {
            PersonGoal::Heats(_) => Start::Join {
                address: address(),
                code: Some(common.code().await),
                role: Role::Player,
                big_screen: false,
                pin: None,
            },
            PersonGoal::Tournament(name, team) => {
                common.opened().await;
                let goal = FollowGoal { name: name.clone(), entry: Some(team.clone()) };
                let intent = Intent::Follow(goal);
                Start::Tournament { address: address(), intent, pin: None }
            }
        };
        let clock = Clock::start();
        let mut client = Client {
            model: Model::new(settings, SIZE),
            connection: ConnectionTask::new(
                self.network.clone(),
                clock,
                self.key.map(|key| (key, false)),
            ),
            clock,
            network: self.network,
            goal: self.goal,
            said: None,
        };
        let commands = begin(&mut client.model, start);
        client.perform(commands);
        let mut ticks = interval(TICK);
        let mut actions = interval(self.pace);
        for beat in [&mut ticks, &mut actions] {
            beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        }
        let mut entered = false;
        loop {
            tokio::select! {
                biased;
                (at, event) = client.connection.next() => client.take_in(at, event.into()),
                _ = ticks.tick() => client.tell(Event::Tick),
                // And the referee.
                _ = actions.tick(), if common.entered.get() > self.of => client.act(),
            }
            if !entered && client.has_entered() {
                entered = true;
                common.entered.set(common.entered.get() + 1);
            }
            match &client.model.screen {
                Screen::Join(form) if form.busy => {}
                Screen::Tournament if matches!(client.goal, PersonGoal::Tournament(..)) => {}
                Screen::Heat(_) | Screen::Waiting(_) => {}
                Screen::Home(_)
                | Screen::Join(_)
                | Screen::Choose(_)
                | Screen::ChooseTournament(_)
                | Screen::Tournament
                | Screen::Stats(_)
                | Screen::Tutorial
                | Screen::Replay(_) => {
                    return Err(client.complaint());
                }
            }
            if let Some(proven) = client.is_done() {
                if !proven {
                    common.unproven.set(true);
                }
                if matches!(client.goal, PersonGoal::Heats(_)) {
                    client.press(KeyCode::Char('q'));
                    client.press(KeyCode::Char('y'));
                }
                client.connection.close().await;
                return Ok(());
            }
        }
    }
}

impl PersonGoal {
    const fn heats(&self) -> Option<u32> {
        match self {
            Self::Heats(heats) => Some(*heats),
            Self::Tournament(..) => None,
        }
    }
}

impl Client {
    fn tell(&mut self, message: Event) {
        self.take_in(self.clock.now(), message);
    }

    fn take_in(&mut self, at: ClientInstant, message: Event) {
        let commands = update(&mut self.model, at, message);
        self.perform(commands);
    }

    fn perform(&mut self, commands: Vec<Effect>) {
        for command in commands {
            match command {
                Effect::Connect { address } => self.connection.connect(address, Duration::ZERO),
                Effect::Retry { address, attempt, wish } => {
                    let pause =
                        backoff::pause(attempt, wish, |bound| self.network.random_below(bound));
                    self.connection.connect(address, pause);
                }
                Effect::Disconnect => self.connection.disconnect(),
                Effect::Send(message) => self.connection.send(message),
                Effect::Draw { spec, seed } => {
                    let drawn = Box::new(GeneratedBoard::of(&spec, &seed));
                    self.tell(Event::Drawn { spec, seed, drawn });
                }
                // It has no bell, no folder to keep its races in, and no other address.
                Effect::Bell | Effect::Races(_) | Effect::FindOwnAddresses { .. } => {}
                Effect::StartServer { .. }
                | Effect::StopServer
                | Effect::Copy(_)
                | Effect::Redraw
                | Effect::Suspend
                | Effect::Exit(_) => {
                    panic!("{command:?}")
                }
            }
        }
    }

    /// Does the next thing: gets ready, moves, opens the next heat.
    fn act(&mut self) {
        let Some(heat) = self.model.shown_heat() else {
            return;
        };
        match &heat.phase {
            HeatPhase::Lobby => {
                let is_ready = heat.me().is_none_or(|me| me.ready);
                // A tournament asks for nothing.
                if !is_ready && heat.setup.table.is_none() && self.may_say() {
                    self.press(KeyCode::Enter);
                }
            }
            HeatPhase::Racing(racing) if racing.is_on() => {
                let (next, strays) = (racing.hinted_move(), self.network.random_below(STRAYS) == 0);
                match next {
                    _ if strays => self.stray(),
                    Some(play) => self.make(&play),
                    None => self.press(KeyCode::Char('t')),
                }
            }
            HeatPhase::Over(_) => {
                let is_next = self.goal.heats().is_some_and(|heats| heat.setup.number < heats);
                if heat.is_host() && is_next && self.may_say() {
                    self.press(KeyCode::Char('r'));
                }
            }
            HeatPhase::Drawing { .. }
            | HeatPhase::Countdown { .. }
            | HeatPhase::Racing(_)
            | HeatPhase::Watching(_) => {}
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

    /// Makes a move by mouse or key.
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

    /// Presses a random key that may be a move.
    fn stray(&mut self) {
        let keys = [KeyCode::Up, KeyCode::Down, KeyCode::Left, KeyCode::Right, KeyCode::Char('u')];
        let key = self.network.random_below(keys.len() as u64);
        self.press(keys[key as usize]);
    }

    fn press(&mut self, key: KeyCode) {
        self.tell(Event::Key(KeyEvent::new(key, KeyModifiers::NONE)));
    }

    /// Uses the mouse where a cell of the board is shown.
    fn mouse(&mut self, action: MouseAction, cell: Cell) {
        let Size { width, height } = self.model.size;
        let mut all = (0..height).flat_map(|row| (0..width).map(move |column| (column, row)));
        let shown = all.find(|&(column, row)| cell_at(&self.model, column, row) == Some(cell));
        let (column, row) = shown.expect("the whole board is on the screen");
        self.tell(Event::Mouse { action, column, row });
    }

    /// Returns whether the client is in the simulation's room, or is an entrant of its tournament.
    fn has_entered(&self) -> bool {
        match &self.goal {
            PersonGoal::Heats(_) => matches!(self.model.screen, Screen::Heat(_)),
            PersonGoal::Tournament(..) => {
                let tournament = self.model.tournament.as_ref();
                tournament.is_some_and(|tournament| tournament.view.you.entrant.is_some())
            }
        }
    }

    /// Returns whether the last heat's proofs hold, once it is over and they are checked. Those of a
    /// tournament are checked by its record.
    fn is_done(&self) -> Option<bool> {
        let Some(heats) = self.goal.heats() else {
            let is_closed = self.model.tournament.as_ref()?.view.head.closed;
            return is_closed.then_some(true);
        };
        let heat = self.model.shown_heat()?;
        let check = heat.panel.results.check;
        let board = check.board?;
        (heat.setup.number >= heats).then_some(board && check.commitment)
    }

    fn complaint(&self) -> String {
        let notice = self.model.notice.as_ref();
        notice.map_or_else(|| format!("{:?}", self.model.screen), |notice| notice.text.clone())
    }
}
