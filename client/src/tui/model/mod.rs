//! The model: the whole state of the program. The view is a function of it.

mod connection;
mod feedback;
mod form;
mod heat;
mod host_menu;
mod invitation;
mod join;
mod notice;
mod options_form;
mod practice;
mod replaying;
mod stats;
mod tournament;
mod tutorial;

pub use connection::{ConnectionModel, ConnectionStatus, FollowGoal, Goal, Intent, NewRoom};
pub use feedback::Feedback;
pub(crate) use form::around;
pub use form::{Field, FieldKind, Form, FormKey};
pub use gridrace_shared::heat_view::HeatPhase;
pub use heat::{HeatModel, Panel, ResultsPage, ResultsPart, SeedCheck};
pub use host_menu::{HostAction, MemberAction, announcement_form, liftable_bans};
pub use join::{Choose, Home, HomeChoice, JoinForm, JoinFormError, Purpose};
pub use notice::{DEAD_KEY, Ignored, Notice};
pub use options_form::{OFFERS, OptionsForm, offer};
pub use practice::Practice;
pub use replaying::{Replaying, SPEEDS};
pub use stats::{Stats, StatsPage, TimeSpan};
pub use tournament::{
    ChooseTournament, TournamentModel, TournamentPart, command_form, organiser_commands,
};

pub use tutorial::Tutorial;

use crate::display::theme::Theme;
use crate::net::nearby::NearbyEntry;
use crate::tui::effect::Effect;
use crate::tui::keymap::Scope;
use crate::tui::own_server::{ServerPlace, ServerUsage};
use crate::tui::settings::Settings;
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::heat::pin::Pin;
use gridrace_shared::heat::player_kind::PlayerKind;
use gridrace_shared::protocol::client::ClientMessage;
use gridrace_shared::puzzle::{Board, PuzzleSpec};
use gridrace_shared::util::clock_estimate::ClockEstimate;
use gridrace_shared::util::time::{ClientInstant, HeatInstant, Millis, TournamentInstant};
use ratatui::layout::Size;
use std::time::Duration;

/// How long before GO the screen changes to the table, so that its player has time to look up.
const COUNTDOWN_SHOWN: Millis = Millis(10_000);
/// How long keys that may be meant for an overlay or a screen do nothing after the server or the
/// connection closed it: a person needs that long to see it gone.
pub const KEYS_REST: Duration = Duration::from_millis(700);

#[derive(Debug, Clone)]
pub struct Model {
    pub settings: Settings,
    pub size: Size,
    /// The instant of the latest message, on the program's own clock.
    pub now: ClientInstant,
    /// When the list of the server's rooms is asked for again.
    pub next_rooms: ClientInstant,
    /// The estimate of the server's clock.
    pub clock: ClockEstimate,
    pub connection: ConnectionModel,
    pub screen: Screen,
    /// The tournament that is followed, on the screen or behind one of its rooms.
    pub tournament: Option<Box<TournamentModel>>,
    pub overlay: Option<Overlay>,
    /// The overlay that a new phase closed, for whose keys the next ones may be.
    pub closed_overlay: Option<ClosedOverlay>,
    /// Until when keys do nothing, as they may be meant for the screen that an error has closed.
    pub keys_rest_until: ClientInstant,
    /// A line to be read in passing.
    pub notice: Option<Notice>,
    /// The line that the host announced last, while it is news.
    pub announcement: Option<Notice>,
    /// The key or click that did nothing, if the last one did nothing.
    pub ignored: Option<Ignored>,
    /// Whether what is watched is laid out for a hall.
    pub big_screen: bool,
    /// What was chosen last on the home screen, where its cursor is again afterwards.
    pub home_choice: HomeChoice,
    /// The index of the offered puzzle with which a new room starts; the one beyond all is the
    /// player's own.
    pub offer: usize,
    /// The board beside the home screen's choices.
    pub preview: Option<Preview>,
    /// Whether a server is wanted that the home screen starts in this program.
    pub hosting: bool,
    /// What there is on the server in this program.
    pub server_usage: ServerUsage,
    /// What to open on that server once it listens, which gives it its address.
    pub opening: Option<Goal>,
    /// The server beside the screen that the command line asked for. It ends with the program.
    pub own_server: Option<ServerPlace>,
    /// What the command line said that the forms of the home screen begin with.
    pub defaults: Defaults,
    /// What servers nearby announce, while the home screen shows them.
    pub nearby: Vec<NearbyEntry>,
    /// How others join, for the lobby: the addresses of this machine.
    pub invitation: Vec<String>,
    /// Whether the server, which is on this machine, was looked for at its addresses and answers at none.
    pub is_loopback_only: bool,
    /// Whether the terminal is too slow to show how tiles slide.
    pub is_slow_screen: bool,
    /// The race in the making, and what it is raced against.
    pub practice: Practice,
    /// The tutorial, while one of its lessons is on the screen.
    pub tutorial: Option<Box<Tutorial>>,
    /// What the update under way asks the runtime to do; empty between updates.
    pub(super) effects: Vec<Effect>,
}

/// What the program was started with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Defaults {
    /// The server that was joined, or runs in this program.
    pub join_address: String,
    /// The server on which a room was opened.
    pub host_address: String,
    /// The PIN of the room that was opened.
    pub host_pin: Option<Pin>,
}

/// A board of the offered puzzle.
#[derive(Debug, Clone)]
pub struct Preview {
    pub spec: PuzzleSpec,
    /// None while it is drawn.
    pub board: Option<Board>,
}

/// What is on the screen, with what only it needs.
#[derive(Debug, Clone)]
pub enum Screen {
    Home(Home),
    /// Where and under which name to join.
    Join(JoinForm),
    /// Which of a server's rooms to join.
    Choose(Choose),
    /// Which of a server's tournaments to look at.
    ChooseTournament(ChooseTournament),
    /// The tournament that is followed.
    Tournament,
    /// Waiting for a server, as the text says.
    Waiting(&'static str),
    Heat(Box<HeatModel>),
    Replay(Box<Replaying>),
    /// The player's own races, and what they add up to.
    Stats(Box<Stats>),
    /// The first page of the tutorial.
    Tutorial,
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
    /// Which ban the host lifts.
    Bans {
        chosen: usize,
    },
    /// The line that the host announces.
    Announcement(Form),
    /// The link to the room and its QR code.
    Invitation {
        /// The index of the link that is shown.
        chosen: usize,
    },
    /// What the organiser of a tournament may do.
    Organiser {
        chosen: usize,
    },
    /// The line of an organiser's command.
    OrganiserLine(Form),
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
    Withdraw,
    /// Stop following the tournament.
    Unfollow,
    /// Carry out the organiser's command, though it throws away results.
    Discard,
}

/// An overlay that a new phase closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClosedOverlay {
    /// Until when keys may still be meant for it.
    pub until: ClientInstant,
    /// Whether text was typed into it, so that any letter may be.
    pub takes_text: bool,
}

impl Overlay {
    /// Returns the screen by whose keys the player's are read; none where text is typed, or any
    /// key does the same.
    pub const fn scope(&self) -> Option<Scope> {
        match self {
            Self::Help
            | Self::Options(_)
            | Self::Announcement(_)
            | Self::Organiser { .. }
            | Self::OrganiserLine(_) => None,
            Self::Confirm(_) => Some(Scope::Questions),
            Self::Bots | Self::Members { .. } | Self::Bans { .. } | Self::Invitation { .. } => {
                Some(Scope::Lists)
            }
            Self::HostMenu { .. } => Some(Scope::HostMenu),
        }
    }

    pub const fn takes_text(&self) -> bool {
        matches!(self, Self::Options(_) | Self::Announcement(_) | Self::OrganiserLine(_))
    }

    /// Says whether it keeps its meaning in a new phase of the heat. A question or form of the phase
    /// before has lost it; the help has not, nor what the host does in every phase. The host's menu
    /// has other actions in the same lines then. Nothing may lie over a race that begins.
    pub const fn outlives_phase(&self, is_racing: bool) -> bool {
        match self {
            Self::Help | Self::Confirm(Question::Leave) => true,
            Self::Options(_)
            | Self::Members { .. }
            | Self::Bans { .. }
            | Self::Announcement(_)
            | Self::Confirm(Question::Kick(_) | Question::Ban(_) | Question::HandOver(_)) => {
                !is_racing
            }
            Self::Confirm(
                Question::GiveUp
                | Question::Quit
                | Question::EndHeat
                | Question::DeleteRace(_)
                | Question::Withdraw
                | Question::Unfollow
                | Question::Discard,
            )
            | Self::HostMenu { .. }
            | Self::Invitation { .. }
            | Self::Organiser { .. }
            | Self::OrganiserLine(_)
            | Self::Bots => false,
        }
    }
}

impl Model {
    pub fn new(settings: Settings, size: Size) -> Self {
        // A puzzle of the player's own comes after those that everyone is offered.
        let number = |puzzle| (0..OFFERS.len()).position(|number| offer(number) == Some(puzzle));
        let offer = settings.puzzle.map_or(0, |puzzle| number(puzzle).unwrap_or(OFFERS.len()));
        Self {
            settings,
            size,
            now: ClientInstant(0),
            next_rooms: ClientInstant(0),
            clock: ClockEstimate::default(),
            connection: ConnectionModel::default(),
            screen: Screen::Home(Home::default()),
            tournament: None,
            overlay: None,
            closed_overlay: None,
            keys_rest_until: ClientInstant(0),
            notice: None,
            announcement: None,
            ignored: None,
            big_screen: false,
            home_choice: HomeChoice::Play,
            offer,
            preview: None,
            hosting: false,
            server_usage: ServerUsage::default(),
            opening: None,
            own_server: None,
            defaults: Defaults::default(),
            nearby: Vec::new(),
            invitation: Vec::new(),
            is_loopback_only: false,
            is_slow_screen: false,
            practice: Practice::default(),
            tutorial: None,
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

    /// Closes the overlay without the player's doing: the next keys may be meant for it still.
    pub(super) fn close_overlay(&mut self) {
        if let Some(overlay) = self.overlay.take() {
            let until = self.late_keys_end();
            self.closed_overlay = Some(ClosedOverlay { until, takes_text: overlay.takes_text() });
        }
    }

    /// Lets keys rest that may be meant for the screen that is being closed without the player's
    /// doing.
    pub(super) fn rest_keys(&mut self) {
        self.keys_rest_until = self.late_keys_end();
    }

    /// Returns until when keys may be meant for what closes now.
    pub(super) fn late_keys_end(&self) -> ClientInstant {
        self.now + KEYS_REST
    }

    pub fn theme(&self) -> Theme {
        Theme::new(self.settings.appearance)
    }

    /// Returns the screen by whose keys the player's are read, whatever lies over it; none where
    /// text is typed.
    pub fn scope(&self) -> Option<Scope> {
        match &self.screen {
            Screen::Join(_) => None,
            Screen::Home(_) => Some(Scope::Home),
            Screen::Choose(_)
            | Screen::ChooseTournament(_)
            | Screen::Waiting(_)
            | Screen::Tutorial => Some(Scope::Lists),
            Screen::Tournament => Some(Scope::Tournament),
            Screen::Replay(_) => Some(Scope::Replay),
            Screen::Stats(_) => Some(Scope::Stats),
            Screen::Heat(heat) => Some(match &heat.phase {
                HeatPhase::Lobby => Scope::Lobby,
                HeatPhase::Drawing { .. } | HeatPhase::Countdown { .. } | HeatPhase::Racing(_) => {
                    Scope::Race
                }
                HeatPhase::Watching(_) => Scope::Watch,
                HeatPhase::Over(_) => Scope::Results,
            }),
        }
    }

    /// Returns the heat on the screen: the one that the player is in, or that is played again.
    pub fn shown_heat(&self) -> Option<&HeatModel> {
        match &self.screen {
            Screen::Heat(heat) => Some(heat),
            Screen::Replay(replaying) => Some(&replaying.heat),
            Screen::Home(_)
            | Screen::Join(_)
            | Screen::Choose(_)
            | Screen::ChooseTournament(_)
            | Screen::Tournament
            | Screen::Waiting(_)
            | Screen::Stats(_)
            | Screen::Tutorial => None,
        }
    }

    /// Returns how far the last move is seen to have come, in thousandths, while its tiles slide.
    pub fn motion(&self, heat: &HeatModel) -> Option<u16> {
        let is_shown = self.settings.animation
            && !self.is_slow_screen
            && self.theme().has_colors()
            && !self.settings.appearance.ascii;
        heat.panel.feedback.motion(self.now).filter(|_| is_shown)
    }

    /// Says whether rooms on the local network are to be looked for.
    pub const fn looks_nearby(&self) -> bool {
        self.settings.mdns && matches!(self.screen, Screen::Home(_))
    }

    /// Says whether the screen changes without an event, so that it is to be drawn again soon.
    pub fn is_animating(&self) -> bool {
        self.shown_heat().is_some_and(|heat| self.motion(heat).is_some())
    }

    /// Says whether the room is shown for a hall: only to a member who doesn't play.
    pub fn shows_big_screen(&self) -> bool {
        let watches = |heat: &HeatModel| !heat.is_player();
        let is_live = matches!(self.screen, Screen::Heat(_));
        self.big_screen && is_live && self.shown_heat().is_some_and(watches)
    }

    /// Returns the form by which the player joins, or that led to the list of rooms.
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

    /// Returns the heat that the player is in, to be changed, also while a tournament's screen is
    /// before it.
    #[must_use]
    pub fn joined_heat_mut(&mut self) -> Option<&mut HeatModel> {
        if let Screen::Heat(heat) = &mut self.screen {
            return Some(heat);
        }
        self.tournament.as_mut()?.heat.as_deref_mut()
    }

    /// Returns the puzzle that it is about: the heat's, or the one that is offered.
    pub fn puzzle(&self) -> Option<PuzzleSpec> {
        match self.shown_heat() {
            Some(heat) => Some(heat.raced_setup().options.spec),
            None => self.offered(),
        }
    }

    /// Returns the puzzle that the home screen offers.
    pub fn offered(&self) -> Option<PuzzleSpec> {
        offer(self.offer).or(self.settings.puzzle)
    }

    /// Returns how many puzzles the home screen offers.
    pub fn offers(&self) -> usize {
        let is_offered = |puzzle| (0..OFFERS.len()).any(|number| offer(number) == Some(puzzle));
        OFFERS.len() + usize::from(self.settings.puzzle.is_some_and(|own| !is_offered(own)))
    }

    /// Returns how many other people are in the room.
    pub fn other_people(&self) -> usize {
        let Some(heat) = self.shown_heat() else { return 0 };
        let people = heat.roster.members.iter().filter(|member| member.kind == PlayerKind::Human);
        people.filter(|member| member.id != heat.you).count()
    }

    /// Returns whether the server that the connection leads to runs in this program.
    pub fn is_on_own_server(&self) -> bool {
        let goal = self.connection.goal.as_ref().map(|goal| &goal.address);
        self.hosting || self.own_server.as_ref().is_some_and(|own| Some(&own.address) == goal)
    }

    /// Returns how many others lose their room if this player leaves: the server is in this
    /// program, and was started for this player's room.
    pub fn loses_room(&self) -> usize {
        let Some(heat) = self.shown_heat().filter(|_| self.hosting) else { return 0 };
        let others = heat.roster.members.iter().filter(|member| member.id != heat.you);
        let people = others.filter(|member| member.kind == PlayerKind::Human);
        // Members who are gone for good stay in the roster until the next heat.
        let here = people.filter(|member| member.connected || member.away_until.is_some()).count();
        here.max(self.others_served())
    }

    /// Returns how many people besides this player are in rooms of the server in this program.
    pub fn others_served(&self) -> usize {
        let address = self.connection.goal.as_ref().map(|goal| &goal.address);
        let is_elsewhere =
            self.own_server.as_ref().is_some_and(|own| Some(&own.address) != address);
        let is_among_them = self.shown_heat().is_some() && !is_elsewhere;
        self.server_usage.people.saturating_sub(usize::from(is_among_them))
    }

    /// Returns the instant on the heat's clock, as well as it is known.
    pub fn heat_now(&self, heat: &HeatModel) -> HeatInstant {
        HeatInstant::from_server(self.clock.to_server(self.now), heat.epoch)
    }

    /// Returns the instant on the tournament's clock, as well as it is known.
    pub fn tournament_now(&self, tournament: &TournamentModel) -> TournamentInstant {
        TournamentInstant::from_server(self.clock.to_server(self.now), tournament.view.epoch)
    }

    /// Says whether a room of the tournament is to be shown in place of the tournament itself.
    pub fn shows_table(&self, tournament: &TournamentModel, heat: &HeatModel) -> bool {
        if let Some(wanted) = tournament.wants_table {
            return wanted;
        }
        if !heat.is_player() && heat.me().is_none_or(|me| !me.next_seat) {
            // A spectator has chosen it.
            return true;
        }
        match &heat.phase {
            HeatPhase::Lobby | HeatPhase::Drawing { .. } => false,
            HeatPhase::Countdown { go } => go.since(self.heat_now(heat)) <= COUNTDOWN_SHOWN,
            HeatPhase::Racing(_) | HeatPhase::Watching(_) => true,
            HeatPhase::Over(_) => self.now < tournament.results_until,
        }
    }

    /// Shows a line for a while.
    pub fn notice(&mut self, text: impl Into<String>) {
        self.notice = Some(Notice::new(self.now, text.into()));
    }

    /// Shows what the host announced.
    pub fn announce(&mut self, text: String) {
        self.announcement = Some(Notice::announcement(self.now, text));
    }

    /// Shows for a while what went wrong.
    pub fn complain(&mut self, text: impl Into<String>) {
        self.notice = Some(Notice { bad: true, ..Notice::new(self.now, text.into()) });
    }

    /// Marks that a key or click did nothing, and says so in a few words.
    pub fn ignore(&mut self, words: &'static str) {
        self.ignored = Some(Ignored::new(self.now, words));
    }

    /// Returns the words for a key or click that did nothing a moment ago.
    pub fn ignored_words(&self) -> Option<&'static str> {
        self.ignored.and_then(|ignored| ignored.words(self.now))
    }

    /// Returns the name of the player's key that does what a key does by default on a screen.
    pub fn key(&self, scope: Scope, default: &str) -> String {
        self.settings.keys.label(scope, default)
    }
}
