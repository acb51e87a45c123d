//! The host's menu: one key in every screen of a room.

use crate::tui::keymap::{self, ListKey};
use crate::tui::model::{
    DEAD_KEY, FormKey, HostAction, MemberAction, Model, Overlay, Question, announcement_form,
    around, liftable_bans,
};
use crate::tui::update::{heat, lobby, menu, requests};
use crossterm::event::KeyEvent;
use gridrace_shared::heat::identity::Fingerprint;
use gridrace_shared::heat::ids::PlayerId;
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

/// What a row of the host's lists is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HostListEntry {
    Member(PlayerId),
    Ban(Fingerprint),
}

/// Returns the rows of the list of members or bans, if one is open.
fn entries(model: &Model) -> Vec<HostListEntry> {
    let Some(heat) = model.shown_heat() else { return Vec::new() };
    if let Some(Overlay::Members { action, .. }) = &model.overlay {
        let members = action.candidates(heat);
        return members.iter().map(|member| HostListEntry::Member(member.id)).collect();
    }
    if let Some(Overlay::Bans { .. }) = model.overlay {
        let bans = liftable_bans(heat);
        return bans.iter().map(|ban| HostListEntry::Ban(ban.key)).collect();
    }
    Vec::new()
}

/// Returns the cursor of the list of members or bans, if one is open.
const fn cursor(model: &mut Model) -> Option<&mut usize> {
    if let Some(Overlay::Members { chosen, .. } | Overlay::Bans { chosen }) = &mut model.overlay {
        Some(chosen)
    } else {
        None
    }
}

/// Returns what the cursor of the list of members or bans is on.
pub(super) fn chosen_entry(model: &mut Model) -> Option<HostListEntry> {
    let row = *cursor(model)?;
    entries(model).get(row).copied()
}

/// Leaves the cursor on what it was on before the list changed; where that is gone, on the row in its
/// place.
pub(super) fn keep_chosen(model: &mut Model, entry: Option<HostListEntry>) {
    let entries = entries(model);
    let last = entries.len().saturating_sub(1);
    let row = entries.iter().position(|it| Some(*it) == entry);
    if let Some(chosen) = cursor(model) {
        *chosen = row.unwrap_or((*chosen).min(last));
    }
}

/// Takes a key of the list of members.
pub(super) fn press_members(model: &mut Model, key: KeyEvent) {
    let Some(Overlay::Members { action, .. }) = model.overlay else { return };
    if let Some(HostListEntry::Member(player)) = press_list(model, key) {
        heat::ask(
            model,
            match action {
                MemberAction::Kick => Question::Kick(player),
                MemberAction::Ban => Question::Ban(player),
                MemberAction::HandOver => Question::HandOver(player),
            },
        );
    }
}

/// Takes a key of the list of bans.
pub(super) fn press_bans(model: &mut Model, key: KeyEvent) {
    if let Some(HostListEntry::Ban(key)) = press_list(model, key) {
        model.overlay = None;
        requests::request(model, ClientMessage::Unban { key });
    }
}

/// Takes a key of the list of members or bans; returns what is chosen by it.
fn press_list(model: &mut Model, key: KeyEvent) -> Option<HostListEntry> {
    let entries = entries(model);
    match keymap::list_with_letters(key) {
        Some(moved @ (ListKey::Up | ListKey::Down)) => {
            let chosen = cursor(model)?;
            *chosen = around(*chosen, entries.len(), moved == ListKey::Down);
        }
        Some(ListKey::Take) => {
            let entry = chosen_entry(model);
            if entry.is_none() {
                model.ignore(DEAD_KEY);
            }
            return entry;
        }
        Some(ListKey::Back | ListKey::Letter('q')) => model.overlay = None,
        Some(ListKey::Letter(_)) | None => model.ignore(DEAD_KEY),
    }
    None
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
