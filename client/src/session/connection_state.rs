//! Entering a room and coming back to it: the state machine without I/O.

use crate::net::NetError;
use gridrace_shared::heat::ids::{PlayerId, RoomCode};
use gridrace_shared::heat::resume_token::ResumeToken;
use gridrace_shared::protocol::client::ClientMessage;
use gridrace_shared::protocol::server::{Farewell, Refusal};
use std::time::Duration;

/// A client's way into a room, and back into it after a lost connection.
///
/// The owner tells it what happens on the connection, and does what it returns: the terminal
/// client from its update function, [`Session`](super::Session) from its own loop.
#[derive(Debug, Clone, Default)]
pub struct ConnectionState {
    /// Whether the server owes the answer to the request with which the connection began.
    pub awaiting: bool,
    /// Takes up the seat again.
    pub ticket: Option<ResumeTicket>,
    /// How far a resume has come.
    pub resume: ResumeState,
    /// Connections that were lost since the client was in the room last.
    pub attempts: u32,
    /// What the server said before it closed the connection.
    pub farewell: Option<Farewell>,
}

/// Takes up a seat again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResumeTicket {
    /// The room's code.
    pub code: RoomCode,
    /// The client's number in it.
    pub player: PlayerId,
    /// The secret that proves the seat; each resume brings the next one.
    pub token: ResumeToken,
}

/// How far a resume has come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ResumeState {
    /// No resume is under way.
    #[default]
    None,
    /// `resume` was sent, and is not answered.
    Asked,
    /// The seat is taken up; the next ticket is to be confirmed.
    Seated,
}

/// The request that a snapshot answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entered {
    /// `open` or `join`.
    Joined,
    /// `resume`.
    Resumed,
}

/// The request that a refusal answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// The proof of the key. The server lets the client in all the same, without identity:
    /// usually a proxy hides the address that the client dialled.
    Proof,
    /// `resume`, for now: too many clients resume at once.
    ResumeForNow,
    /// `resume`, for good.
    Resume,
    /// `open`, `join` or `rooms`.
    Entry,
    /// Any other request.
    Request,
}

/// When to connect again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retry {
    /// How many attempts have failed.
    pub attempt: u32,
    /// How long the server asked to be left alone.
    pub wish: Option<Duration>,
}

impl ResumeTicket {
    /// Returns the request for the seat.
    pub fn request(&self) -> ClientMessage {
        let Self { code, player, token } = self.clone();
        ClientMessage::Resume { code, player, token }
    }
}

impl ConnectionState {
    /// A connection stands. Returns the request for the seat if there is a ticket. Without one
    /// the owner sends its own first request, and sets `awaiting` if that one is to be answered.
    #[must_use = "the request must be sent"]
    pub fn resume_request(&mut self) -> Option<ClientMessage> {
        self.farewell = None;
        let request = self.ticket.as_ref()?.request();
        self.awaiting = true;
        self.resume = ResumeState::Asked;
        Some(request)
    }

    /// The server sent a snapshot.
    pub fn joined(&mut self) -> Entered {
        self.attempts = 0;
        self.awaiting = false;
        if self.resume == ResumeState::Asked {
            self.resume = ResumeState::Seated;
            return Entered::Resumed;
        }
        self.ticket = None;
        Entered::Joined
    }

    /// The server sent a ticket. Returns the confirmation, if the server waits for one.
    #[must_use = "the confirmation must be sent"]
    pub fn ticket(&mut self, ticket: ResumeTicket) -> Option<ClientMessage> {
        self.ticket = Some(ticket);
        match std::mem::take(&mut self.resume) {
            ResumeState::None | ResumeState::Asked => None,
            ResumeState::Seated => Some(ClientMessage::Confirm),
        }
    }

    /// The server refused something.
    pub fn refused(&mut self, why: Refusal) -> Refused {
        if why == Refusal::Unproven {
            return Refused::Proof;
        }
        if !std::mem::take(&mut self.awaiting) {
            return Refused::Request;
        }
        match (self.resume, why) {
            (ResumeState::Asked, Refusal::TooFast | Refusal::Busy) => Refused::ResumeForNow,
            (ResumeState::Asked, _) => Refused::Resume,
            (ResumeState::None | ResumeState::Seated, _) => Refused::Entry,
        }
    }

    /// The connection is lost. Returns when to connect again; None if that makes no sense.
    #[must_use = "a retry must be made"]
    pub fn lost(&mut self, error: NetError) -> Option<Retry> {
        if !error.may_retry() {
            return None;
        }
        // A connection that is lost before the client is back in the room failed as well.
        let attempt = self.attempts;
        self.attempts = attempt.saturating_add(1);
        self.awaiting = false;
        self.resume = ResumeState::None;
        let wish = match (error, self.farewell) {
            (NetError::Closed { .. }, Some(farewell)) => NetError::Dismissed(farewell).wish(),
            _ => error.wish(),
        };
        Some(Retry { attempt, wish })
    }

    /// Says whether the server keeps the seat, so that moves may be played ahead of a connection.
    pub const fn keeps_seat(&self) -> bool {
        self.ticket.is_some()
    }
}
