//! The way to the server: where to, what for, and how it stands.

use crate::net::NetError;
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::ids::{PlayerId, RoomCode};
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::heat::pin::Pin;
use gridrace_shared::heat::player_name::{NAME_BYTES, NAME_GRAPHEMES};
use gridrace_shared::heat::resume_token::ResumeToken;
use gridrace_shared::protocol::client::{ClientMessage, Entrant, Role};
use gridrace_shared::protocol::server::Farewell;
use gridrace_shared::util::seed::Seed;
use gridrace_shared::util::time::ClientInstant;
use unicode_segmentation::UnicodeSegmentation;

/// How the connection stands, and what it is for.
#[derive(Debug, Clone, Default)]
pub struct Link {
    /// How it stands.
    pub line: Line,
    /// Where to and what for.
    pub goal: Option<Goal>,
    /// Whether the server owes an answer about the errand.
    pub asked: bool,
    /// By what the seat is taken up again.
    pub key: Option<Key>,
    /// How far that has come.
    pub way_back: Return,
    /// How many attempts were made since one was in the heat last.
    pub attempts: u32,
    /// Since when there is no connection.
    pub lost_at: ClientInstant,
    /// Whether the server's clock is to be learned anew: it may be another server's by now.
    pub new_clock: bool,
    /// What the server calls itself, as it came.
    pub server: String,
    /// The seed that this client set last as a host: the server keeps it to itself.
    pub own_seed: Option<Seed>,
    /// What the server said before it closed.
    pub farewell: Option<Farewell>,
    /// When the next ping is due.
    pub next_ping: ClientInstant,
    /// How many of the quick first pings are still to come.
    pub quick_pings: u8,
    /// When the server was last heard.
    pub heard: ClientInstant,
}

/// How a connection stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Line {
    /// None is wanted.
    #[default]
    Idle,
    /// The first attempt is under way.
    Dialling,
    /// It stands.
    Up,
    /// It was lost; another attempt comes.
    Lost {
        /// How many attempts have failed.
        attempt: u32,
        /// The latest reason.
        why: NetError,
        /// When the next comes; nothing while it is under way.
        until: Option<ClientInstant>,
    },
}

/// What takes up a seat again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// The heat.
    pub code: RoomCode,
    /// One's number in it.
    pub player: PlayerId,
    /// The secret.
    pub token: ResumeToken,
}

/// How far one is on the way back to a seat.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Return {
    /// One isn't.
    #[default]
    None,
    /// The server was asked.
    Asked,
    /// The seat is taken up; the next token comes.
    Seated,
}

/// Where to and what for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Goal {
    /// The server.
    pub address: String,
    /// The name under which to come in.
    pub name: String,
    /// Which of the names that follow from it to use: 1 is the name itself.
    pub variant: u32,
    /// What for.
    pub errand: Errand,
    /// The PIN of the heat, where it has one or is to have one.
    pub pin: Option<Pin>,
}

/// What a connection is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Errand {
    /// To open a heat.
    Open {
        /// Its options.
        options: HeatOptions,
        /// Its seed, where it is set.
        seed: Option<Seed>,
        /// The bots to seat.
        bots: Vec<Skill>,
        /// Whether to start at once.
        start: bool,
    },
    /// To join one.
    Join {
        /// Which.
        code: RoomCode,
        /// What as.
        role: Role,
    },
    /// To see which there are.
    List {
        /// What as one is to be joined.
        role: Role,
    },
}

impl Link {
    /// Says whether the server hears what is said about the heat.
    #[must_use]
    pub fn is_heard(&self) -> bool {
        self.line == Line::Up && !self.asked
    }

    /// Says whether the seat is kept, so that moves may be made ahead of the connection.
    #[must_use]
    pub fn keeps_seat(&self) -> bool {
        self.key.is_some()
    }
}

impl Key {
    /// Returns what to say to the server.
    #[must_use]
    pub fn request(&self) -> ClientMessage {
        let Self { code, player, token } = self.clone();
        ClientMessage::Resume { code, player, token }
    }
}

impl Goal {
    /// Returns what to say to the server.
    #[must_use]
    pub fn request(&self) -> ClientMessage {
        let entrant = Entrant { name: self.name(), bot: false };
        match &self.errand {
            Errand::Open { options, seed, .. } => ClientMessage::Open {
                entrant,
                options: options.clone(),
                seed: seed.clone(),
                pin: self.pin.clone(),
            },
            Errand::Join { code, role } => {
                ClientMessage::Join { code: *code, entrant, role: *role, pin: self.pin.clone() }
            }
            Errand::List { .. } => ClientMessage::Heats,
        }
    }

    /// Returns the name to come in under: with a number behind it where it was taken.
    #[must_use]
    pub fn name(&self) -> String {
        if self.variant <= 1 {
            return self.name.clone();
        }
        let suffix = format!(" {}", self.variant);
        let mut name = String::new();
        for grapheme in self.name.graphemes(true).take(NAME_GRAPHEMES - suffix.len()) {
            if name.len() + grapheme.len() + suffix.len() > NAME_BYTES {
                break;
            }
            name.push_str(grapheme);
        }
        name.truncate(name.trim_end().len());
        name + &suffix
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gridrace_shared::heat::player_name::PlayerName;

    #[test]
    fn a_name_that_was_taken_gets_a_number_and_stays_a_name() {
        for name in ["anna", &"a".repeat(20), &"é".repeat(20), "a b c d e f g h i j"] {
            let goal = Goal {
                address: String::new(),
                name: name.to_owned(),
                variant: 12,
                errand: Errand::List { role: Role::Player },
                pin: None,
            };
            let name = goal.name();
            assert!(name.ends_with(" 12"), "{name}");
            assert!(name.parse::<PlayerName>().is_ok(), "{name}");
        }
    }
}
