//! The connection as the screen sees it: where to, what for, and its state.

use crate::net::NetError;
use crate::session::{ConnectionState, Entry, NewTournament, follow, tournament_message};
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::heat::pin::Pin;
use gridrace_shared::heat::player_name::{NAME_BYTES, NAME_GRAPHEMES};
use gridrace_shared::protocol::client::{ClientMessage, Role};
use gridrace_shared::protocol::tournament::TournamentRequest;
use gridrace_shared::puzzle::picture::room_image::RoomImage;
use gridrace_shared::tournament::ids::{TeamTag, TournamentName};
use gridrace_shared::util::seed::Seed;
use gridrace_shared::util::time::ClientInstant;
use unicode_segmentation::UnicodeSegmentation;

/// How many names are tried if the first is taken.
const NAME_VARIANTS: u32 = 6;

#[derive(Debug, Clone, Default)]
pub struct ConnectionModel {
    pub status: ConnectionStatus,
    pub goal: Option<Goal>,
    /// The way into the room and back into it.
    pub state: ConnectionState,
    /// Since when there is no connection.
    pub lost_at: ClientInstant,
    /// Whether the estimate of the server's clock starts anew: the server may have been replaced.
    pub new_clock: bool,
    /// The server's own name; not yet safe to print.
    pub server: String,
    /// The options that this client set last as a host, with their seed; none if it set no seed.
    /// The server doesn't send the seed back.
    pub own_seed: Option<(HeatOptions, Seed)>,
    /// Whether the server owes the list of this player's own results.
    pub awaits_own_results: bool,
    /// When the next ping is due.
    pub next_ping: ClientInstant,
    /// How many of the quick first pings are left.
    pub quick_pings: u8,
    /// When the server was last heard.
    pub heard: ClientInstant,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ConnectionStatus {
    /// None is wanted.
    #[default]
    Idle,
    /// The first attempt is under way.
    Dialling,
    Up,
    /// It was lost; another attempt follows.
    Lost {
        attempt: u32,
        why: NetError,
        /// When the next attempt begins; None while it is under way.
        until: Option<ClientInstant>,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Goal {
    pub address: String,
    pub name: String,
    /// Which variant of the name to use: 1 is the name itself, 2 has a 2 behind it.
    pub variant: u32,
    pub intent: Intent,
    /// The PIN of the heat, if it has one or is to have one.
    pub pin: Option<Pin>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Intent {
    Open(Box<NewRoom>),
    Join {
        code: RoomCode,
        role: Role,
    },
    /// To choose from the server's list.
    List {
        /// The role in which to join then.
        role: Role,
    },
    /// To choose from the server's tournaments.
    Tournaments,
    Follow(FollowGoal),
    OpenTournament(Box<NewTournament>),
}

impl Intent {
    /// Says whether it is about tournaments, whose requests are answered apart.
    pub const fn is_tournament(&self) -> bool {
        match self {
            Self::Tournaments | Self::Follow(_) | Self::OpenTournament(_) => true,
            Self::Open(_) | Self::Join { .. } | Self::List { .. } => false,
        }
    }
}

/// What is to be done once the tournament is followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FollowGoal {
    pub name: TournamentName,
    /// Whether the player enters, and for which team.
    pub entry: Option<Option<TeamTag>>,
}

/// A room that this player is about to open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRoom {
    pub options: HeatOptions,
    /// Its seed, if the player sets it.
    pub seed: Option<Seed>,
    pub bots: Vec<Skill>,
    /// What the host shows all members on the tiles.
    pub image: Option<RoomImage>,
    /// Whether its first heat starts at once.
    pub start: bool,
}

impl NewRoom {
    /// Returns a room without bots, whose host starts it.
    pub const fn new(options: HeatOptions) -> Self {
        Self { options, seed: None, bots: Vec::new(), image: None, start: false }
    }
}

impl ConnectionModel {
    /// Says whether requests about the heat reach it.
    pub fn is_heard(&self) -> bool {
        self.status == ConnectionStatus::Up && !self.state.awaiting
    }
}

impl Goal {
    /// Returns the request with which the connection begins.
    pub fn request(&self) -> ClientMessage {
        let pin = self.pin.clone();
        let entry = match &self.intent {
            Intent::Open(room) => {
                let NewRoom { options, seed, .. } = &**room;
                Entry::Open { options: options.clone(), seed: seed.clone(), pin }
            }
            Intent::Join { code, role } => Entry::Join { code: *code, role: *role, pin },
            Intent::List { .. } => return ClientMessage::Rooms,
            Intent::Tournaments => return tournament_message(TournamentRequest::List),
            Intent::Follow(goal) => return follow(goal.name.clone(), pin),
            Intent::OpenTournament(new) => return new.request(),
        };
        entry.request(self.name(), false)
    }

    /// Turns to the next variant of the name, if there is one left.
    pub const fn next_variant(&mut self) -> bool {
        let has_next = self.variant < NAME_VARIANTS;
        self.variant += has_next as u32;
        has_next
    }

    /// Returns the name with its variant's number.
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
    fn a_name_that_is_taken_gets_a_number_and_stays_a_name() {
        for name in ["anna", &"a".repeat(20), &"é".repeat(20), "a b c d e f g h i j"] {
            let goal = Goal {
                address: String::new(),
                name: name.to_owned(),
                variant: 12,
                intent: Intent::List { role: Role::Player },
                pin: None,
            };
            let name = goal.name();
            assert!(name.ends_with(" 12"), "{name}");
            assert!(name.parse::<PlayerName>().is_ok(), "{name}");
        }
    }
}
