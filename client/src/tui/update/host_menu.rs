//! The host's menu: one key in every screen of a room.

use crate::tui::keymap::{self, ListKey};
use crate::tui::model::{
    DEAD_KEY, FormKey, HostAction, MemberAction, Model, Overlay, Question, announcement_form,
    around, liftable_bans,
};
use crate::tui::update::{heat, lobby, menu, requests};
use crossterm::event::KeyEvent;
use gridrace_shared::heat::short_text::Announcement;
use gridrace_shared::protocol::client::ClientMessage;

pub(super) fn open(model: &mut Model) {
    lobby::as_host(model, |model| model.overlay = Some(Overlay::HostMenu { chosen: 0 }));
}

/// Takes a key of the menu: its letter, or the cursor.
pub(super) fn press(model: &mut Model, key: KeyEvent) {
    let Some(heat) = model.shown_heat() else { return };
    let actions = HostAction::available(heat);
    let letters: Vec<char> = actions.iter().map(|action| action.words().0).collect();
    let line = menu::choose_line(model, key, &letters);
    if let Some(&action) = line.and_then(|line| actions.get(line)) {
        act(model, action);
    }
}

/// Takes a key of the list of members.
pub(super) fn press_members(model: &mut Model, key: KeyEvent) {
    let Some(Overlay::Members { action, chosen }) = &model.overlay else { return };
    let (action, mut chosen) = (*action, *chosen);
    let Some(heat) = model.shown_heat() else { return };
    let members: Vec<_> = action.candidates(heat).iter().map(|member| member.id).collect();
    match keymap::list_with_letters(key) {
        Some(moved @ (ListKey::Up | ListKey::Down)) => {
            chosen = around(chosen, members.len(), moved == ListKey::Down);
        }
        Some(ListKey::Take) => {
            let Some(&player) = members.get(chosen) else { return };
            return heat::ask(
                model,
                match action {
                    MemberAction::Kick => Question::Kick(player),
                    MemberAction::Ban => Question::Ban(player),
                    MemberAction::HandOver => Question::HandOver(player),
                },
            );
        }
        Some(ListKey::Back | ListKey::Letter('q')) => return model.overlay = None,
        Some(ListKey::Letter(_)) | None => model.ignore(DEAD_KEY),
    }
    model.overlay = Some(Overlay::Members { action, chosen });
}

/// Takes a key of the list of bans.
pub(super) fn press_bans(model: &mut Model, key: KeyEvent) {
    let Some(Overlay::Bans { chosen }) = model.overlay else { return };
    let Some(heat) = model.shown_heat() else { return };
    let keys: Vec<_> = liftable_bans(heat).into_iter().map(|ban| ban.key).collect();
    let step = |forward| Some(Overlay::Bans { chosen: around(chosen, keys.len(), forward) });
    match keymap::list_with_letters(key) {
        Some(moved @ (ListKey::Up | ListKey::Down)) => model.overlay = step(moved == ListKey::Down),
        Some(ListKey::Take) => {
            model.overlay = None;
            if let Some(&key) = keys.get(chosen) {
                requests::request(model, ClientMessage::Unban { key });
            }
        }
        Some(ListKey::Back | ListKey::Letter('q')) => model.overlay = None,
        Some(ListKey::Letter(_)) | None => model.ignore(DEAD_KEY),
    }
}

/// Takes a key of the line that is to be announced.
pub(super) fn press_announcement(model: &mut Model, key: KeyEvent) {
    let Some(Overlay::Announcement(form)) = &mut model.overlay else { return };
    match form.key(key) {
        FormKey::Taken => {}
        FormKey::Cancel => model.overlay = None,
        FormKey::Submit => match form.value(0).parse::<Announcement>() {
            Ok(text) => {
                if requests::is_heard_or_complain(model) {
                    model.overlay = None;
                    model.send(ClientMessage::Announce { text: text.into() });
                }
            }
            Err(error) => form.blame(0, error.to_string()),
        },
    }
}

fn act(model: &mut Model, action: HostAction) {
    model.overlay = None;
    match action {
        HostAction::Start => requests::request(model, ClientMessage::Start),
        HostAction::ToLobby => requests::request(model, ClientMessage::Rematch),
        HostAction::EndHeat => heat::ask(model, Question::EndHeat),
        HostAction::Hold => requests::request(model, ClientMessage::Hold { hold: true }),
        HostAction::Release => requests::request(model, ClientMessage::Hold { hold: false }),
        HostAction::Options => lobby::edit_options(model),
        HostAction::Announce => model.overlay = Some(Overlay::Announcement(announcement_form())),
        HostAction::Unban => model.overlay = Some(Overlay::Bans { chosen: 0 }),
        HostAction::Member(action) => {
            model.overlay = Some(Overlay::Members { action, chosen: 0 });
        }
    }
}
