//! The ways into a heat: the home screen, the form, the list of heats.

use crate::net::address::{Address, HERE};
use crate::tui::model::form::{Field, Form};
use crate::tui::model::{Goal, Intent};
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::heat::pin::{PIN_DIGITS, Pin};
use gridrace_shared::heat::player_name::{NAME_GRAPHEMES, PlayerName};
use gridrace_shared::protocol::client::Role;
use gridrace_shared::protocol::snapshot::RoomSummary;

/// The longest address that is typed, in graphemes.
const ADDRESS_LIMIT: usize = 120;

#[derive(Debug, Clone, Default)]
pub struct Home {
    pub chosen: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HomeChoice {
    /// A heat against bots, at once.
    Play,
    Host,
    Join,
    /// Another's heat, as a spectator.
    Watch,
    Quit,
}

impl HomeChoice {
    /// Every choice, in the order shown.
    pub const ALL: [Self; 5] = [Self::Play, Self::Host, Self::Join, Self::Watch, Self::Quit];

    /// Returns the key that chooses it, its name and an explanation.
    pub const fn words(self) -> (char, &'static str, &'static str) {
        match self {
            Self::Play => ('p', "Play now", "against bots, at once"),
            Self::Host => ('h', "Host", "others join your room"),
            Self::Join => ('j', "Join", "by code or address"),
            Self::Watch => ('w', "Watch", "all boards of a room"),
            Self::Quit => ('q', "Quit", ""),
        }
    }
}

/// Where and under which name to join.
#[derive(Debug, Clone)]
pub struct JoinForm {
    pub form: Form,
    pub role: Role,
    /// Whether the server is being asked.
    pub busy: bool,
    /// What went wrong that no line is to blame for.
    pub trouble: Option<String>,
}

/// Which line of the form is wrong, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JoinFormError {
    Address = 0,
    Code = 1,
    Name = 2,
    Pin = 3,
}

impl JoinForm {
    /// Makes a form with what is known already.
    pub fn new(address: &str, code: Option<RoomCode>, name: &str, role: Role) -> Self {
        let code = code.map(|code| code.to_string()).unwrap_or_default();
        let focus = if address.is_empty() { 0 } else { 1 };
        let fields = vec![
            Field::text("address", "empty: this machine", address, ADDRESS_LIMIT),
            Field::text("code", "empty: list the rooms", &code, 4),
            Field::text("name", "", name, NAME_GRAPHEMES),
            Field::text("pin", "only if the host gave one", "", *PIN_DIGITS.end()),
        ];
        Self { form: Form::new(fields, focus), role, busy: false, trouble: None }
    }

    pub fn with_pin(mut self, pin: Option<&Pin>) -> Self {
        if let Some(pin) = pin {
            self.form.fill(JoinFormError::Pin as usize, String::from(pin.clone()));
        }
        self
    }

    /// Returns where the form leads, or marks what is wrong in it.
    pub fn goal(&mut self) -> Option<Goal> {
        self.form.forgive();
        self.trouble = None;
        let address = match self.form.value(0) {
            "" => HERE.parse::<Address>(),
            address => address.parse(),
        };
        let code = self.form.value(1);
        let code = if code.is_empty() { Ok(None) } else { code.parse::<RoomCode>().map(Some) };
        let name = self.form.value(2).parse::<PlayerName>();
        let pin = match self.form.value(3) {
            "" => Ok(None),
            pin => pin.parse::<Pin>().map(Some),
        };
        if let Err(fault) = &pin {
            self.blame(JoinFormError::Pin, fault.to_string());
        }
        // The first line that is wrong gets the cursor, so it is blamed last.
        if let Err(fault) = &name {
            self.blame(JoinFormError::Name, fault.to_string());
        }
        if code.is_err() {
            self.blame(JoinFormError::Code, "four letters, no vowels, such as KQZT");
        }
        if let Err(fault) = &address {
            self.blame(JoinFormError::Address, fault.to_string());
        }
        let (address, code, name) = (address.ok()?, code.ok()?, name.ok()?);
        let pin = pin.ok()?;
        let intent = match code {
            Some(code) => Intent::Join { code, role: self.role },
            None => Intent::List { role: self.role },
        };
        let (address, name) = (address.to_string(), name.as_str().to_owned());
        Some(Goal { address, name, variant: 1, intent, pin })
    }

    /// Says what is wrong, at the line that it is about.
    pub fn blame(&mut self, fault: JoinFormError, error: impl Into<String>) {
        self.busy = false;
        self.form.blame(fault as usize, error);
    }

    /// Says what went wrong, at the line that it is about, if there is one.
    pub fn fail(&mut self, fault: Option<JoinFormError>, error: String) {
        match fault {
            Some(fault) => self.blame(fault, error),
            None => {
                self.busy = false;
                self.trouble = Some(error);
            }
        }
    }

    /// Returns what is wrong, the line with the cursor first.
    pub fn error(&self) -> Option<&str> {
        self.form.error().or(self.trouble.as_deref())
    }
}

/// Which of a server's heats to join.
#[derive(Debug, Clone)]
pub struct Choose {
    pub heats: Vec<RoomSummary>,
    pub chosen: usize,
    pub role: Role,
    pub form: JoinForm,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_leads_somewhere_or_says_what_is_wrong_in_place() {
        let mut form = JoinForm::new("10.0.0.7", None, "anna", Role::Player);
        let goal = form.goal().unwrap();
        assert_eq!(goal.address, "10.0.0.7:7415");
        assert_eq!(goal.intent, Intent::List { role: Role::Player });

        let mut form = JoinForm::new("", None, "anna", Role::Spectator);
        assert_eq!(form.goal().unwrap().address, "127.0.0.1:7415");

        let mut form = JoinForm::new("a b", None, "", Role::Player);
        assert_eq!(form.goal(), None);
        assert_eq!(form.form.focus, 0);
        assert!(form.form.fields[0].error.is_some() && form.form.fields[2].error.is_some());
    }
}
