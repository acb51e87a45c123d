//! What lies over the screen: help, questions, the options, the choice of a bot.

use crate::tui::effect::Effect;
use crate::tui::keymap::{self, ListKey};
use crate::tui::model::{FormKey, Model, Overlay, Question};
use crate::tui::update::connection;
use crossterm::event::{KeyCode, KeyEvent};
use gridrace_shared::bot::Skill;
use gridrace_shared::protocol::client::ClientMessage;

pub(super) fn press(model: &mut Model, key: KeyEvent) -> Vec<Effect> {
    match &model.overlay {
        None => Vec::new(),
        Some(Overlay::Help) => close(model),
        Some(Overlay::Confirm(question)) => answer(model, *question, key),
        Some(Overlay::Bots) => choose_bot(model, key),
        Some(Overlay::Options(_)) => edit(model, key),
    }
}

fn close(model: &mut Model) -> Vec<Effect> {
    model.overlay = None;
    Vec::new()
}

/// Only a plain yes is one: an arrow pressed in the heat of the race is not.
fn answer(model: &mut Model, question: Question, key: KeyEvent) -> Vec<Effect> {
    match keymap::list(key) {
        Some(ListKey::Letter('y') | ListKey::Take) if key.code != KeyCode::Char(' ') => {
            model.overlay = None;
            confirmed(model, question)
        }
        Some(ListKey::Letter('n') | ListKey::Back) => close(model),
        Some(ListKey::Up | ListKey::Down | ListKey::Take | ListKey::Letter(_)) | None => Vec::new(),
    }
}

fn confirmed(model: &mut Model, question: Question) -> Vec<Effect> {
    match question {
        Question::GiveUp => vec![Effect::Send(ClientMessage::GiveUp)],
        Question::Kick(player) => vec![Effect::Send(ClientMessage::Kick { player })],
        Question::Leave => {
            let mut commands = vec![Effect::Send(ClientMessage::Leave)];
            commands.extend(connection::go_home(model, None));
            if model.serves {
                model.notice("The server runs on, and ends with this program.");
            }
            commands
        }
    }
}

/// One skill a digit, the weakest first.
fn choose_bot(model: &mut Model, key: KeyEvent) -> Vec<Effect> {
    let digit = match keymap::list(key) {
        Some(ListKey::Back | ListKey::Letter('q')) => return close(model),
        Some(ListKey::Letter(letter)) => letter.to_digit(10),
        Some(ListKey::Up | ListKey::Down | ListKey::Take) | None => None,
    };
    let skill = digit.and_then(|digit| Skill::ALL.get((digit as usize).checked_sub(1)?));
    match skill {
        Some(&skill) => {
            model.overlay = None;
            vec![Effect::Send(ClientMessage::AddBot { skill })]
        }
        None => Vec::new(),
    }
}

fn edit(model: &mut Model, key: KeyEvent) -> Vec<Effect> {
    let Some(Overlay::Options(form)) = &mut model.overlay else {
        return Vec::new();
    };
    match form.form.key(key) {
        FormKey::Taken => Vec::new(),
        FormKey::Cancel => close(model),
        FormKey::Submit => match form.read() {
            None => Vec::new(),
            Some((options, seed)) => {
                model.overlay = None;
                model.connection.own_seed.clone_from(&seed);
                vec![Effect::Send(ClientMessage::Options { options, seed })]
            }
        },
    }
}
