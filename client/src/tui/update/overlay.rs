//! Keys of the overlays: help, questions, the options, the choice of a bot.

use crate::practice::kept_races::RaceChange;
use crate::practice::race_recorder::RaceRecorder;
use crate::tui::effect::{Effect, Exit};
use crate::tui::keymap::{self, ListKey};
use crate::tui::model::{DEAD_KEY, FormKey, Model, Overlay, Question};
use crate::tui::race_keeper::RaceRequest;
use crate::tui::update::{connection, host_menu, invitation, lobby, requests, tournament};
use crossterm::event::{KeyCode, KeyEvent};
use gridrace_shared::bot::Skill;
use gridrace_shared::heat_view::OwnRace;
use gridrace_shared::protocol::client::ClientMessage;

pub(super) fn press(model: &mut Model, key: KeyEvent) {
    match &model.overlay {
        None => {}
        Some(Overlay::Help) => model.overlay = None,
        Some(Overlay::Confirm(question)) => answer(model, *question, key),
        Some(Overlay::Bots) => choose_bot(model, key),
        Some(Overlay::Options(_)) => edit(model, key),
        Some(Overlay::HostMenu { .. }) => host_menu::press(model, key),
        Some(Overlay::Members { .. }) => host_menu::press_members(model, key),
        Some(Overlay::Bans { .. }) => host_menu::press_bans(model, key),
        Some(Overlay::Announcement(_)) => host_menu::press_announcement(model, key),
        Some(Overlay::Invitation { .. }) => invitation::press(model, key),
        Some(Overlay::Organiser { .. }) => tournament::press_menu(model, key),
        Some(Overlay::OrganiserLine(_)) => tournament::press_line(model, key),
    }
}

/// Takes `y`, and Enter outside a race, as yes: a key of the board can't confirm.
fn answer(model: &mut Model, question: Question, key: KeyEvent) {
    let races = model.shown_heat().and_then(|heat| heat.race()).is_some_and(OwnRace::is_on);
    let is_enter = key.code == KeyCode::Enter && !races;
    match keymap::list(key) {
        Some(ListKey::Letter('y')) => yes(model, question),
        Some(ListKey::Take) if is_enter => yes(model, question),
        Some(ListKey::Letter('n') | ListKey::Back) => model.overlay = None,
        Some(ListKey::Up | ListKey::Down | ListKey::Take | ListKey::Letter(_)) | None => {
            model.ignore(DEAD_KEY);
        }
    }
}

/// Does what was asked; a question whose answer doesn't reach the server stays.
fn yes(model: &mut Model, question: Question) {
    let is_possible = match question {
        Question::GiveUp
        | Question::Kick(_)
        | Question::Ban(_)
        | Question::HandOver(_)
        | Question::EndHeat => requests::is_heard_or_complain(model),
        Question::Withdraw | Question::Discard => tournament::is_heard_or_complain(model),
        Question::Leave | Question::Quit | Question::Unfollow | Question::DeleteRace(_) => true,
    };
    if !is_possible {
        return;
    }
    model.overlay = None;
    match question {
        Question::GiveUp => {
            model.practice.recorder.iter_mut().for_each(RaceRecorder::giving_up);
            model.send(ClientMessage::GiveUp);
        }
        Question::Kick(player) => requests::request(model, ClientMessage::Kick { player }),
        Question::Ban(player) => requests::request(model, ClientMessage::Ban { player }),
        Question::HandOver(player) => {
            requests::request(model, ClientMessage::HandOver { player });
        }
        Question::EndHeat => requests::request(model, ClientMessage::EndHeat),
        Question::Leave => connection::leave(model),
        Question::Quit => model.emit(Effect::Exit(Exit::Quit)),
        Question::Withdraw => tournament::withdraw(model),
        Question::Unfollow => tournament::unfollow(model),
        Question::Discard => tournament::confirmed(model),
        Question::DeleteRace(number) => {
            model.emit(Effect::Races(RaceRequest::Change(number, RaceChange::Delete)));
        }
    }
}

/// One skill a digit, the weakest first.
fn choose_bot(model: &mut Model, key: KeyEvent) {
    let digit = match keymap::list(key) {
        Some(ListKey::Back | ListKey::Letter('q')) => {
            model.overlay = None;
            return;
        }
        Some(ListKey::Letter(letter)) => letter.to_digit(10),
        Some(ListKey::Up | ListKey::Down | ListKey::Take) | None => None,
    };
    let skill = digit.and_then(|digit| Skill::ALL.get((digit as usize).checked_sub(1)?));
    match skill {
        Some(&skill) => {
            model.overlay = None;
            requests::request(model, ClientMessage::AddBot { skill });
        }
        None => model.ignore(DEAD_KEY),
    }
}

fn edit(model: &mut Model, key: KeyEvent) {
    let Some(Overlay::Options(form)) = &mut model.overlay else { return };
    match form.form.key(key) {
        FormKey::Taken => {}
        FormKey::Cancel => model.overlay = None,
        FormKey::Submit => {
            if let Some((options, seed)) = form.read()
                && requests::is_heard_or_complain(model)
            {
                model.overlay = None;
                lobby::send_options(model, options, seed);
            }
        }
    }
}
