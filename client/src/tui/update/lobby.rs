//! The lobby.

use crate::tui::effect::Effect;
use crate::tui::keymap::{self, ListKey};
use crate::tui::model::{Heat, Lobby, Model, OptionsForm, Overlay, Question, Stage, around};
use crate::tui::update::heat;
use crossterm::event::KeyEvent;
use gridrace_shared::heat::commitment::SeedOrigin;
use gridrace_shared::protocol::client::ClientMessage;

pub(super) fn press(model: &mut Model, key: KeyEvent) -> Vec<Effect> {
    match keymap::list(key) {
        Some(ListKey::Up | ListKey::Letter('k')) => step(model, false),
        Some(ListKey::Down | ListKey::Letter('j')) => step(model, true),
        Some(ListKey::Take | ListKey::Letter('r')) => toggle_ready(model),
        Some(ListKey::Letter('s')) => as_host(model, |_| vec![send(ClientMessage::Start)]),
        Some(ListKey::Letter('b')) => as_host(model, |model| show(model, Overlay::Bots)),
        Some(ListKey::Letter('o')) => as_host(model, edit_options),
        Some(ListKey::Letter('d')) => as_host(model, ask_to_kick),
        Some(ListKey::Letter('t')) => toggle_seat(model),
        Some(ListKey::Letter('x')) => heat::reverse(model),
        Some(ListKey::Back | ListKey::Letter('q')) => heat::ask(model, Question::Leave),
        Some(ListKey::Letter(_)) | None => Vec::new(),
    }
}

/// Takes a seat or gives it back; in the lobby, or for the next heat.
pub(super) fn toggle_seat(model: &mut Model) -> Vec<Effect> {
    let Some(me) = model.heat().and_then(|heat| heat.me()) else {
        return Vec::new();
    };
    let seated = me.next_seat || model.heat().is_some_and(|heat| heat.is_player());
    vec![send(if seated { ClientMessage::LeaveSeat } else { ClientMessage::TakeSeat })]
}

fn toggle_ready(model: &mut Model) -> Vec<Effect> {
    let Some(heat) = model.heat() else {
        return Vec::new();
    };
    match heat.me() {
        Some(me) if heat.is_player() => vec![send(ClientMessage::Ready { ready: !me.ready })],
        Some(_) | None => Vec::new(),
    }
}

fn as_host(model: &mut Model, act: impl FnOnce(&mut Model) -> Vec<Effect>) -> Vec<Effect> {
    if model.heat().is_some_and(|heat| heat.is_host()) {
        return act(model);
    }
    model.complain("Only the host may do this.");
    Vec::new()
}

fn show(model: &mut Model, overlay: Overlay) -> Vec<Effect> {
    model.overlay = Some(overlay);
    Vec::new()
}

fn edit_options(model: &mut Model) -> Vec<Effect> {
    let Some(setup) = model.heat().map(|heat| heat.setup.clone()) else {
        return Vec::new();
    };
    // A rematch is drawn anew, so a seed of one's own counts only while it is in force.
    let own = model.connection.own_seed.clone();
    let seed = own.filter(|_| setup.seed == SeedOrigin::Host);
    let form = OptionsForm::new(&setup.options, seed.as_ref());
    show(model, Overlay::Options(Box::new(form)))
}

fn ask_to_kick(model: &mut Model) -> Vec<Effect> {
    let Some(heat) = model.heat() else {
        return Vec::new();
    };
    let chosen = lobby(heat).and_then(|lobby| heat.roster.members.get(lobby.chosen));
    match chosen.map(|member| member.id) {
        Some(id) if id != heat.you => heat::ask(model, Question::Kick(id)),
        Some(_) => {
            model.complain("Choose somebody else with the arrow keys first.");
            Vec::new()
        }
        None => Vec::new(),
    }
}

fn step(model: &mut Model, forward: bool) -> Vec<Effect> {
    if let Some(heat) = model.heat_mut() {
        let count = heat.roster.members.len();
        let lobby = &mut heat.panel.lobby;
        lobby.chosen = around(lobby.chosen, count, forward);
    }
    Vec::new()
}

fn lobby(heat: &Heat) -> Option<&Lobby> {
    match heat.stage() {
        Stage::Lobby(lobby) => Some(lobby),
        Stage::Drawing
        | Stage::Countdown { .. }
        | Stage::Racing(_)
        | Stage::Watching(_)
        | Stage::Results(_) => None,
    }
}

const fn send(message: ClientMessage) -> Effect {
    Effect::Send(message)
}
