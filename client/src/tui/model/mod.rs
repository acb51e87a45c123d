//! Everything that the program knows; what is shown is a function of it.

mod connection;
mod feedback;
mod form;
mod heat;
mod host_menu;
mod join;
mod options_form;
mod practice;
mod replaying;
mod stats;

pub use connection::{Connection, ConnectionStatus, Goal, Intent, NewRoom};
pub use feedback::Feedback;
pub(crate) use form::around;
pub use form::{Field, FieldKind, Form, FormKey};
pub use gridrace_shared::heat_view::Stage;
pub use heat::{Check, Heat, Panel, ResultsPage, ResultsPart};
pub use host_menu::{HostAction, MemberAction, announcement_form};
pub use join::{Choose, Home, HomeChoice, JoinForm, JoinFormError, Purpose};
pub use options_form::{OFFERS, OptionsForm, offer, read_puzzle};
pub use practice::Practice;
pub use replaying::{Replaying, SPEEDS};
pub use stats::{Sort, Stats, StatsPage, TimeSpan};

use crate::display::theme::Theme;
use crate::tui::effect::Effect;
use crate::tui::keymap::Scope;
use crate::tui::local_server::ServerPlace;
use crate::tui::settings::Settings;
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::heat::pin::Pin;
use gridrace_shared::heat::player_kind::PlayerKind;
use gridrace_shared::protocol::client::ClientMessage;
use gridrace_shared::puzzle::PuzzleSpec;
use gridrace_shared::util::clock_estimate::ClockEstimate;
use gridrace_shared::util::time::{ClientInstant, HeatInstant};
use ratatui::layout::Size;

/// How long a notice stands, in microseconds: long enough to read a line.
pub const NOTICE_MICROS: u64 = 5_000_000;
/// How long a line that the host announces stands, in microseconds: it is read beside a race.
const ANNOUNCEMENT_MICROS: u64 = 15_000_000;
/// How long keys other than arrows do nothing after the server's message closed an overlay, in
/// microseconds: they were meant for the overlay, and a person needs that long to see it gone.
pub const CLOSED_OVERLAY_MICROS: u64 = 700_000;

#[derive(Debug, Clone)]
pub struct Model {
    pub settings: Settings,
    pub size: Size,
    /// The instant of the latest message, on the program's own clock.
    pub now: ClientInstant,
    /// The estimate of the server's clock.
    pub clock: ClockEstimate,
    pub connection: Connection,
    pub screen: Screen,
    pub overlay: Option<Overlay>,
    /// Until when keys may still be meant for an overlay that a new phase closed.
    pub overlay_keys_until: ClientInstant,
    /// A line to be read in passing.
    pub notice: Option<Notice>,
    /// Whether what is watched is laid out for a hall.
    pub big_screen: bool,
    /// The index of the offered puzzle with which a new room starts.
    pub offer: usize,
    /// Whether a server is wanted that the home screen starts in this program.
    pub hosting: bool,
    /// What to open on that server once it listens, which gives it its address.
    pub opening: Option<Goal>,
    /// The server beside the screen that the command line asked for. It ends with the program.
    pub own_server: Option<ServerPlace>,
    /// What the command line said that the forms of the home screen begin with.
    pub defaults: Defaults,
    /// How others join, for the lobby: the addresses of this machine.
    pub invitation: Vec<String>,
    /// Whether the terminal is too slow to show how tiles slide.
    pub is_slow_screen: bool,
    /// The race in the making, and what it is raced against.
    pub practice: Practice,
    /// What the update under way asks the runtime to do; empty between updates.
    pub(super) effects: Vec<Effect>,
}

/// What the program was started with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Defaults {
    /// The server that was joined.
    pub join_address: String,
    /// The server on which a room was opened.
    pub host_address: String,
    /// The PIN of the room that was opened.
    pub host_pin: Option<Pin>,
}

/// What is on the screen, with what only it needs.
#[derive(Debug, Clone)]
pub enum Screen {
    Home(Home),
    /// Where and under which name to join.
    Join(JoinForm),
    /// Which of a server's heats to join.
    Choose(Choose),
    /// Waiting for a server, as the text says.
    Waiting(&'static str),
    Heat(Box<Heat>),
    Replay(Box<Replaying>),
    /// The player's own races, and what they add up to.
    Stats(Box<Stats>),
}

#[derive(Debug, Clone)]
pub enum Overlay {
    Help,
    /// A question that wants a yes.
    Confirm(Question),
    /// The options of the next heat.
    Options(Box<OptionsForm>),
    /// Which skill the bot is to have.
    Bots,
    /// What the host may do.
    HostMenu {
        chosen: usize,
    },
    /// To which member the host does it.
    Members {
        action: MemberAction,
        chosen: usize,
    },
    /// The line that the host announces.
    Announcement(Form),
}

/// What is asked before it is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    GiveUp,
    Leave,
    /// The program ends, and with it the server that it was started as.
    Quit,
    Kick(PlayerId),
    Ban(PlayerId),
    HandOver(PlayerId),
    EndHeat,
    /// Delete the kept race of this number.
    DeleteRace(u32),
}

/// A line to be read in passing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// The line; our own words, or sanitised.
    pub text: String,
    pub bad: bool,
    /// When it goes.
    pub until: ClientInstant,
}

impl Model {
    pub fn new(settings: Settings, size: Size) -> Self {
        Self {
            settings,
            size,
            now: ClientInstant(0),
            clock: ClockEstimate::default(),
            connection: Connection::default(),
            screen: Screen::Home(Home::default()),
            overlay: None,
            overlay_keys_until: ClientInstant(0),
            notice: None,
            big_screen: false,
            offer: 0,
            hosting: false,
            opening: None,
            own_server: None,
            defaults: Defaults::default(),
            invitation: Vec::new(),
            is_slow_screen: false,
            practice: Practice::default(),
            effects: Vec::new(),
        }
    }

    /// Adds to what the runtime is to do.
    pub(super) fn emit(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    pub(super) fn send(&mut self, message: ClientMessage) {
        self.emit(Effect::Send(message));
    }

    pub fn theme(&self) -> Theme {
        Theme::new(self.settings.appearance)
    }

    /// Returns the screen by whose keys the player's are read; none where they are the same for
    /// everybody.
    pub fn scope(&self) -> Option<Scope> {
        match &self.screen {
            Screen::Home(_) | Screen::Join(_) | Screen::Choose(_) | Screen::Waiting(_) => None,
            Screen::Replay(_) => Some(Scope::Replay),
            Screen::Stats(_) => Some(Scope::Stats),
            Screen::Heat(heat) => Some(match &heat.stage {
                Stage::Lobby => Scope::Lobby,
                Stage::Drawing { .. } | Stage::Countdown { .. } | Stage::Racing(_) => Scope::Race,
                Stage::Watching(_) => Scope::Watch,
                Stage::Over(_) => Scope::Results,
            }),
        }
    }

    /// Returns the heat that the player is in, or that is played again.
    pub fn heat(&self) -> Option<&Heat> {
        match &self.screen {
            Screen::Heat(heat) => Some(heat),
            Screen::Replay(replaying) => Some(&replaying.heat),
            Screen::Home(_)
            | Screen::Join(_)
            | Screen::Choose(_)
            | Screen::Waiting(_)
            | Screen::Stats(_) => None,
        }
    }

    /// Returns how far the last move is seen to have come, in thousandths, while its tiles slide.
    pub fn motion(&self, heat: &Heat) -> Option<u16> {
        let is_shown = self.settings.animation
            && !self.is_slow_screen
            && self.theme().has_colors()
            && !self.settings.appearance.ascii;
        heat.panel.feedback.motion(self.now).filter(|_| is_shown)
    }

    /// Says whether the screen changes without an event, so that it is to be drawn again soon.
    pub fn is_animating(&self) -> bool {
        self.heat().is_some_and(|heat| self.motion(heat).is_some())
    }

    /// Says whether the room is shown for a hall: only to who doesn't play.
    pub fn shows_big_screen(&self) -> bool {
        let watches = |heat: &Heat| !heat.is_player();
        let is_live = matches!(self.screen, Screen::Heat(_));
        self.big_screen && is_live && self.heat().is_some_and(watches)
    }

    /// Returns the form by which the player joins, or that led to the list of heats.
    pub fn join_form(&self) -> Option<&JoinForm> {
        if let Screen::Join(form) | Screen::Choose(Choose { form, .. }) = &self.screen {
            Some(form)
        } else {
            None
        }
    }

    pub fn replaying_mut(&mut self) -> Option<&mut Replaying> {
        if let Screen::Replay(replaying) = &mut self.screen { Some(replaying) } else { None }
    }

    /// Returns the heat that the player is in, to be changed.
    #[must_use]
    pub fn heat_mut(&mut self) -> Option<&mut Heat> {
        if let Screen::Heat(heat) = &mut self.screen { Some(heat) } else { None }
    }

    /// Returns the puzzle that it is about: the heat's, or the one that is offered.
    pub fn puzzle(&self) -> Option<PuzzleSpec> {
        match self.heat() {
            Some(heat) => Some(heat.raced_setup().options.spec),
            None => offer(self.offer),
        }
    }

    /// Returns how many other people are in the room.
    pub fn other_people(&self) -> usize {
        let Some(heat) = self.heat() else { return 0 };
        let people = heat.roster.members.iter().filter(|member| member.kind == PlayerKind::Human);
        people.filter(|member| member.id != heat.you).count()
    }

    /// Says for how many others the room ends if this player leaves: its server is in this
    /// program, and was started for the room.
    pub fn loses_room(&self) -> usize {
        let Some(heat) = self.heat().filter(|_| self.hosting) else { return 0 };
        let others = heat.roster.members.iter().filter(|member| member.id != heat.you);
        let people = others.filter(|member| member.kind == PlayerKind::Human);
        // Members who are gone for good stay in the roster until the next heat.
        people.filter(|member| member.connected || member.away_until.is_some()).count()
    }

    /// Returns the instant on the heat's clock, as well as it is known.
    pub fn heat_now(&self, heat: &Heat) -> HeatInstant {
        HeatInstant(self.clock.to_server(self.now).0.saturating_sub(heat.epoch.0) / 1_000)
    }

    /// Shows a line for a while.
    pub fn notice(&mut self, text: impl Into<String>) {
        let until = ClientInstant(self.now.0.saturating_add(NOTICE_MICROS));
        self.notice = Some(Notice { text: text.into(), bad: false, until });
    }

    /// Shows what the host announced.
    pub fn announce(&mut self, text: String) {
        self.notice(text);
        let until = ClientInstant(self.now.0.saturating_add(ANNOUNCEMENT_MICROS));
        self.notice.iter_mut().for_each(|notice| notice.until = until);
    }

    /// Shows for a while what went wrong.
    pub fn complain(&mut self, text: impl Into<String>) {
        self.notice(text);
        self.notice.iter_mut().for_each(|notice| notice.bad = true);
    }
}
