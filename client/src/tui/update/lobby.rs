//! The lobby.

use crate::tui::keymap::{self, ListKey, Scope};
use crate::tui::model::{DEAD_KEY, HeatPhase, Model, OptionsForm, Overlay, Question, around};
use crate::tui::update::{heat, requests, watching};
use crossterm::event::KeyEvent;
use gridrace_shared::heat::commitment::SeedOrigin;
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::protocol::client::{ClientMessage, Role};
use gridrace_shared::util::seed::Seed;

pub(super) fn press(model: &mut Model, key: KeyEvent) {
    match keymap::list_with_letters(key) {
        Some(moved @ (ListKey::Up | ListKey::Down)) => step(model, moved == ListKey::Down),
        Some(ListKey::Take | ListKey::Letter('r')) => toggle_ready(model),
        Some(ListKey::Letter('s')) => {
            as_host(model, |model| requests::request(model, ClientMessage::Start));
        }
        Some(ListKey::Letter('b')) => as_host(model, |model| model.overlay = Some(Overlay::Bots)),
        Some(ListKey::Letter('o')) => as_host(model, edit_options),
        Some(ListKey::Letter('d')) => as_host(model, ask_to_kick),
        Some(ListKey::Letter('t')) => heat::toggle_seat(model),
        Some(ListKey::Letter('i')) => model.overlay = Some(Overlay::Invitation { chosen: 0 }),
        Some(ListKey::Letter('z')) => watching::toggle_big_screen(model),
        Some(ListKey::Letter('x')) => heat::reverse(model),
        Some(ListKey::Back | ListKey::Letter('q')) => heat::ask(model, Question::Leave),
        Some(ListKey::Letter(_)) | None => model.ignore(DEAD_KEY),
    }
}

fn toggle_ready(model: &mut Model) {
    let Some(me) = model.shown_heat().and_then(|heat| heat.me()) else { return };
    if me.role == Role::Spectator {
        return heat::point_to_seat(model, Scope::Lobby);
    }
    let ready = !me.ready;
    requests::request(model, ClientMessage::Ready { ready });
}

/// Does what only the host and operators may do.
pub(super) fn as_host(model: &mut Model, act: impl FnOnce(&mut Model)) {
    if model.shown_heat().is_some_and(|heat| heat.has_host_powers()) {
        act(model);
    } else {
        let tournament = model.tournament.as_ref().filter(|it| it.view.you.organiser);
        model.complain(match tournament {
            Some(_) => "The tournament's commands are on its screen, under m.",
            None => "Only the host may do this.",
        });
    }
}

/// Shows the options of this heat in the lobby, else those of the next.
pub(super) fn edit_options(model: &mut Model) {
    let Some(heat) = model.shown_heat() else { return };
    let is_lobby = matches!(heat.phase, HeatPhase::Lobby);
    let (options, may_have_seed) = match &heat.setup.queued {
        Some(queued) => (queued, true),
        // A rematch has a new seed, so one that the host set counts for one heat only.
        None => (&heat.setup.options, is_lobby && heat.setup.seed == SeedOrigin::Host),
    };
    let own = model.connection.own_seed.as_ref();
    let own = own.filter(|(sent_with, _)| may_have_seed && sent_with == options);
    let form = OptionsForm::new(options, own.map(|(_, seed)| seed));
    model.overlay = Some(Overlay::Options(Box::new(form)));
}

/// Sets the options of this heat in the lobby, else those of the next.
pub(super) fn send_options(model: &mut Model, options: HeatOptions, seed: Option<Seed>) {
    model.connection.own_seed = seed.clone().map(|seed| (options.clone(), seed));
    model.send(ClientMessage::Options { options, seed });
}

fn ask_to_kick(model: &mut Model) {
    let Some(heat) = model.shown_heat() else { return };
    let chosen = heat.roster.members.get(heat.panel.chosen);
    match chosen.map(|member| member.id) {
        Some(id) if id != heat.you => heat::ask(model, Question::Kick(id)),
        Some(_) => model.complain("Choose another member with the arrow keys first."),
        None => {}
    }
}

fn step(model: &mut Model, forward: bool) {
    if let Some(heat) = model.joined_heat_mut() {
        let count = heat.roster.members.len();
        heat.panel.chosen = around(heat.panel.chosen, count, forward);
    }
}
