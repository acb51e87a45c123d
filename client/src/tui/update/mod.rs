//! The update function: applies an event to the model and returns effects.

mod connection;
mod heat;
mod home;
mod host_menu;
mod hosting;
mod invitation;
mod join;
mod lobby;
mod menu;
mod overlay;
mod practice;
mod racing;
mod replaying;
mod requests;
mod results;
mod server;
mod stats;
mod table;
#[cfg(test)]
mod tests;
mod tournament;
mod tutorial;
mod watching;

use crate::families::input::MouseAction;
use crate::practice::ghost::Ghost;
use crate::session::ConnectionEvent;
use crate::tui::effect::{Effect, Exit};
use crate::tui::event::Event;
use crate::tui::keymap::{self, Keymap, RaceKey, Scope};
use crate::tui::launch::Start;
use crate::tui::model::{
    ClosedOverlay, DEAD_KEY, Goal, HeatPhase, Home, HomeChoice, Intent, JoinForm, Model, Overlay,
    Replaying, Screen,
};
use crate::tui::view;
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind};
use gridrace_shared::util::time::ClientInstant;
use ratatui::layout::Size;
use std::mem::discriminant;

const DEAD_PASTE: &str = "There is no line to paste into.";
const LATE_KEY: &str = "That dialog has just closed: the key did nothing.";

/// Takes in what happened at an instant, and returns what is to be done, in order.
#[must_use = "effects are what the runtime must do"]
pub fn update(model: &mut Model, now: ClientInstant, event: Event) -> Vec<Effect> {
    // The connection stamps its own messages, which may be read a little late.
    model.now = model.now.max(now);
    for passing in [&mut model.notice, &mut model.announcement] {
        passing.take_if(|notice| notice.until <= model.now);
    }
    let (kind, notice) = (discriminant(&model.screen), model.notice.clone());
    let is_passage = if let Screen::Join(form) = &model.screen {
        form.busy
    } else {
        matches!(model.screen, Screen::Waiting(_))
    };
    match event {
        Event::Key(key) => press(model, key),
        Event::Paste(text) => paste(model, &text),
        Event::Mouse { action, column, row } => mouse(model, action, column, row),
        Event::Resized { width, height } => model.size = Size { width, height },
        Event::Tick => tick(model),
        Event::SlowScreen => model.is_slow_screen = true,
        Event::ServerStarted(outcome) => home::server_started(model, outcome),
        Event::ServerUsage(usage) => model.server_usage = usage,
        Event::OwnAddresses(addresses) => connection::found_own_addresses(model, addresses),
        Event::Connection(ConnectionEvent::Connected { server }) => {
            connection::connected(model, server);
        }
        Event::Connection(ConnectionEvent::Received(message)) => {
            server::received(model, now, *message);
        }
        Event::Connection(ConnectionEvent::Lost(why)) => connection::lost(model, why),
        Event::Pausing { until } => connection::pausing(model, until),
        Event::Nearby(entries) => home::found_nearby(model, entries),
        Event::Races(answer) => practice::answered(model, answer),
        Event::Drawn { spec, seed, drawn } => {
            results::drawn(model, spec, &seed, &drawn);
            home::drawn(model, spec, &seed, &drawn);
        }
    }
    // A notice is about the screen on which it came, or which was waited for then.
    if !is_passage && discriminant(&model.screen) != kind {
        model.notice.take_if(|it| Some(&*it) == notice.as_ref());
    }
    tutorial::follow(model);
    practice::keep_left(model);
    std::mem::take(&mut model.effects)
}

/// Ends the program, however that came about.
#[must_use = "effects are what the runtime must do"]
pub fn end(model: &mut Model) -> Vec<Effect> {
    practice::leave(model);
    std::mem::take(&mut model.effects)
}

/// Begins as the command line says.
#[must_use = "effects are what the runtime must do"]
pub fn begin(model: &mut Model, start: Start) -> Vec<Effect> {
    match start {
        Start::Home { pin } => model.defaults.host_pin = pin,
        Start::Tutorial => model.screen = Screen::Tutorial,
        Start::Nearby { entries, role } => {
            model.screen = Screen::Home(Home { chosen: HomeChoice::ALL.len(), role });
            model.nearby = entries;
        }
        Start::Replay(replay) => {
            model.screen = Screen::Replay(Box::new(Replaying::new(*replay)));
        }
        Start::Join { address, code, role, pin, big_screen } => {
            model.big_screen = big_screen;
            model.defaults.join_address.clone_from(&address);
            let form = JoinForm::new(&address, code, &model.settings.name, role);
            join::begin(model, form.with_pin(pin.as_ref()));
        }
        Start::Open { address, room, pin } => {
            model.defaults.host_address.clone_from(&address);
            model.defaults.host_pin.clone_from(&pin);
            let form = JoinForm::host(&address, *room, &model.settings.name);
            join::begin(model, form.with_pin(pin.as_ref()));
        }
        Start::Tournament { address, intent, pin } => {
            model.defaults.join_address.clone_from(&address);
            model.screen = Screen::Waiting("Asking for the tournament");
            let name = model.settings.name.clone();
            connection::dial(model, Goal { address, name, variant: 1, intent, pin });
        }
        Start::Serve { server, hosts, intent, pin, ghost, news } => {
            model.practice.ghost = ghost.and_then(|replay| Ghost::new(*replay));
            let is_new = matches!(intent, Intent::Open(_));
            let text = if matches!(intent, Intent::OpenTournament(_)) {
                "Opening a tournament"
            } else if is_new {
                "Opening a room"
            } else {
                "Coming back to your room"
            };
            model.screen = Screen::Waiting(text);
            model.invitation.clone_from(&server.invitation);
            if !news.is_empty() {
                model.notice(news);
            }
            let (name, address) = (model.settings.name.clone(), server.address.clone());
            if hosts {
                model.defaults.join_address.clone_from(&address);
                model.own_server = Some(server);
                model.defaults.host_pin.clone_from(&pin);
            }
            connection::dial(model, Goal { address, name, variant: 1, intent, pin });
        }
    }
    std::mem::take(&mut model.effects)
}

fn press(model: &mut Model, key: KeyEvent) {
    if key.kind == KeyEventKind::Release {
        return;
    }
    model.ignored = None;
    if keymap::is_control(key, 'c') {
        return model.emit(Effect::Exit(Exit::Interrupted));
    }
    if keymap::is_control(key, 'z') {
        return model.emit(Effect::Suspend);
    }
    if keymap::is_control(key, 'l') {
        return model.emit(Effect::Redraw);
    }
    if view::is_too_small(model) {
        // What the key would do isn't seen.
        return;
    }
    if model.now < model.keys_rest_until {
        // The key isn't marked as ignored: the mark would stand over the error that has just come.
        return;
    }
    if let Some(overlay) = &model.overlay {
        return match translate(&model.settings.keys, overlay.scope(), key) {
            Some(key) => overlay::press(model, key),
            None => model.ignore(DEAD_KEY),
        };
    }
    let scope = model.scope();
    let known = translate(&model.settings.keys, scope, key);
    if model.closed_overlay.is_some_and(|closed| may_be_for(closed, model.now, scope, key, known)) {
        return model.ignore(LATE_KEY);
    }
    let typing = matches!(model.screen, Screen::Join(_));
    if !typing && matches!(key.code, KeyCode::Char('?') | KeyCode::F(1)) {
        model.overlay = Some(Overlay::Help);
        return;
    }
    let Some(key) = known else { return model.ignore(DEAD_KEY) };
    if matches!(model.screen, Screen::Heat(_)) && keymap::is_host_menu(key) {
        return host_menu::open(model);
    }
    match &model.screen {
        Screen::Home(_) => home::press(model, key),
        Screen::Join(_) => join::press_form(model, key),
        Screen::Choose(_) => join::press_list(model, key),
        Screen::ChooseTournament(_) => join::press_tournaments(model, key),
        Screen::Tournament => tournament::press(model, key),
        Screen::Waiting(_) => connection::press_waiting(model, key),
        Screen::Replay(_) => replaying::press(model, key),
        Screen::Stats(_) => stats::press(model, key),
        Screen::Tutorial => tutorial::press_intro(model, key),
        Screen::Heat(heat) => match &heat.phase {
            HeatPhase::Lobby => lobby::press(model, key),
            HeatPhase::Drawing { .. } | HeatPhase::Countdown { .. } => {
                heat::press_countdown(model, key);
            }
            HeatPhase::Racing(_) => racing::press(model, key),
            HeatPhase::Watching(_) => watching::press(model, key),
            HeatPhase::Over(_) if model.tutorial.is_some() => tutorial::press_end(model, key),
            HeatPhase::Over(_) => results::press(model, key),
        },
    }
}

/// Inserts a pasted text where text is typed; elsewhere it does nothing, as its letters are keys.
fn paste(model: &mut Model, text: &str) {
    if model.now < model.keys_rest_until || view::is_too_small(model) {
        return;
    }
    let form = match (&mut model.overlay, &mut model.screen) {
        (Some(Overlay::Options(options)), _) => Some(&mut options.form),
        (Some(Overlay::Announcement(form) | Overlay::OrganiserLine(form)), _) => Some(form),
        (None, Screen::Join(join)) if !join.busy => Some(&mut join.form),
        (_, _) => None,
    };
    match form {
        Some(form) => form.paste(text),
        None => model.ignore(DEAD_PASTE),
    }
}

/// Returns the key by which the program knows what the player's key does on a screen; none where it
/// does nothing.
fn translate(keys: &Keymap, scope: Option<Scope>, key: KeyEvent) -> Option<KeyEvent> {
    match scope {
        Some(scope) => keys.translate(scope, key),
        None => Some(key),
    }
}

/// Says whether a key may be meant for an overlay that has just closed: arrows aren't, nor a key
/// that moves on the board, unless letters were typed.
fn may_be_for(
    closed: ClosedOverlay,
    now: ClientInstant,
    scope: Option<Scope>,
    key: KeyEvent,
    known: Option<KeyEvent>,
) -> bool {
    let is_arrow = matches!(key.code, KeyCode::Up | KeyCode::Down | KeyCode::Left | KeyCode::Right);
    let moves = scope == Some(Scope::Race)
        && matches!(known.and_then(keymap::race), Some(RaceKey::Board(_)));
    now < closed.until && !is_arrow && (closed.takes_text || !moves)
}

fn mouse(model: &mut Model, action: MouseAction, column: u16, row: u16) {
    if model.overlay.is_some() || view::is_too_small(model) {
        return;
    }
    if let Screen::Replay(_) = model.screen {
        return replaying::mouse(model, action, column, row);
    }
    racing::mouse(model, action, column, row);
}

fn tick(model: &mut Model) {
    replaying::tick(model);
    if model.shows_big_screen() {
        watching::tick(model);
    }
    practice::show_ghost(model);
    home::tick(model);
    connection::tick(model);
    join::tick(model);
    tournament::tick(model);
}
