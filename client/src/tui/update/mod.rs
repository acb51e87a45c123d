//! How the program changes: pure, from message to model and commands.

mod connection;
mod heat;
mod home;
mod join;
mod lobby;
mod overlay;
mod racing;
mod replaying;
mod results;
mod server;
#[cfg(test)]
mod tests;
mod watching;

use crate::families::input::MouseAction;
use crate::tui::effect::{Effect, Exit};
use crate::tui::event::Event;
use crate::tui::keymap;
use crate::tui::launch::Start;
use crate::tui::model::{Goal, Intent, Model, Overlay, Replaying, Screen, Stage};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind};
use gridrace_shared::heat::pin::Pin;
use gridrace_shared::protocol::client::Role;
use gridrace_shared::util::time::ClientInstant;
use ratatui::layout::Size;

/// Takes in what happened at an instant, and returns what is to be done, in order.
#[must_use = "commands are what the runtime must do"]
pub fn update(model: &mut Model, now: ClientInstant, message: Event) -> Vec<Effect> {
    // The connection stamps its own messages, which may be read a little late.
    model.now = model.now.max(now);
    if model.notice.as_ref().is_some_and(|notice| notice.until <= model.now) {
        model.notice = None;
    }
    match message {
        Event::Key(key) => press(model, key),
        Event::Mouse { action, column, row } => mouse(model, action, column, row),
        Event::Resized { width, height } => resize(model, width, height),
        Event::Tick => tick(model),
        Event::Hosted(outcome) => home::hosted(model, outcome),
        Event::Connected { server } => connection::connected(model, server),
        Event::Disconnected(why) => connection::lost(model, why),
        Event::Pausing { until } => connection::pausing(model, until),
        Event::Drawn { spec, seed, drawn } => results::drawn(model, spec, &seed, &drawn),
        Event::Server(message) => server::received(model, now, *message),
    }
}

/// Begins as the command line says.
#[must_use = "commands are what the runtime must do"]
pub fn begin(model: &mut Model, start: Start) -> Vec<Effect> {
    match start {
        Start::Home => Vec::new(),
        Start::Replay(replay) => {
            model.screen = Screen::Replay(Box::new(Replaying::new(*replay)));
            Vec::new()
        }
        Start::Join { address, code, role, pin } => {
            join::begin(model, &address, code, role, pin.as_ref())
        }
        Start::Open { address, options, seed, pin, bots, start, invitation, news } => {
            model.screen = Screen::Waiting("Opening a heat");
            let intent = Intent::Open { options, seed, bots, start };
            serve(model, address, intent, pin, invitation, &news)
        }
        Start::Return { address, code, pin, invitation, news } => {
            model.screen = Screen::Waiting("Coming back to your heat");
            let role = Role::Player;
            let intent = Intent::Join { code, role };
            serve(model, address, intent, pin, invitation, &news)
        }
    }
}

/// Sets out for the server of this program.
fn serve(
    model: &mut Model,
    address: String,
    intent: Intent,
    pin: Option<Pin>,
    invitation: Vec<String>,
    news: &str,
) -> Vec<Effect> {
    model.serves = !invitation.is_empty();
    model.invitation = invitation;
    if !news.is_empty() {
        model.notice(news);
    }
    let name = model.settings.name.clone();
    connection::dial(model, Goal { address, name, variant: 1, intent, pin })
}

fn press(model: &mut Model, key: KeyEvent) -> Vec<Effect> {
    if key.kind == KeyEventKind::Release {
        return Vec::new();
    }
    if keymap::is_control(key, 'c') {
        return vec![Effect::Exit(Exit::Interrupted)];
    }
    if keymap::is_control(key, 'z') {
        return vec![Effect::Suspend];
    }
    if model.overlay.is_some() {
        return overlay::press(model, key);
    }
    let typing = matches!(model.screen, Screen::Join(_));
    if !typing && matches!(key.code, KeyCode::Char('?') | KeyCode::F(1)) {
        model.overlay = Some(Overlay::Help);
        return Vec::new();
    }
    match &model.screen {
        Screen::Home(_) => home::press(model, key),
        Screen::Join(_) => join::press_form(model, key),
        Screen::Choose(_) => join::press_list(model, key),
        Screen::Waiting(_) => connection::press_waiting(model, key),
        Screen::Replay(_) => replaying::press(model, key),
        Screen::Heat(heat) => match heat.stage() {
            Stage::Lobby(_) => lobby::press(model, key),
            Stage::Drawing | Stage::Countdown { .. } => heat::press_countdown(model, key),
            Stage::Racing(_) => racing::press(model, key),
            Stage::Watching(_) => watching::press(model, key),
            Stage::Results(_) => results::press(model, key),
        },
    }
}

fn mouse(model: &mut Model, action: MouseAction, column: u16, row: u16) -> Vec<Effect> {
    if model.overlay.is_some() {
        return Vec::new();
    }
    if let Screen::Replay(_) = model.screen {
        return replaying::mouse(model, action, column, row);
    }
    racing::mouse(model, action, column, row)
}

fn tick(model: &mut Model) -> Vec<Effect> {
    replaying::tick(model);
    connection::tick(model)
}

fn resize(model: &mut Model, width: u16, height: u16) -> Vec<Effect> {
    model.size = Size { width, height };
    Vec::new()
}
