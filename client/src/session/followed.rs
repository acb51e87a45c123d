//! A tournament that a connection follows.

use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::heat::pin::Pin;
use gridrace_shared::protocol::client::ClientMessage;
use gridrace_shared::protocol::tournament::{TournamentError, TournamentRequest, TournamentUpdate};
use gridrace_shared::tournament::ids::TournamentName;
use gridrace_shared::tournament_view::{TournamentChange, TournamentView};
use gridrace_shared::util::time::ClientInstant;
use std::time::Duration;

/// How long a session tries to reconnect to a tournament: its server may be repaired meanwhile.
pub(super) const RECONNECT_TIMEOUT: Duration = Duration::from_secs(900);

/// Which tournament is followed, and what is known of it.
#[derive(Debug)]
pub(super) struct Followed {
    pub(super) name: TournamentName,
    pub(super) pin: Option<Pin>,
    pub(super) view: TournamentView,
    /// Whether the pages of the tournament are loaded, as a screen needs them.
    pub(super) loads_pages: bool,
    /// Whether the view is what the server told on the present connection.
    pub(super) is_current: bool,
}

impl Followed {
    /// Returns the request with which each connection begins.
    pub(super) fn request(&self) -> ClientMessage {
        follow(self.name.clone(), self.pin.clone())
    }

    /// Notes that the connection is lost: the view is old until the next one has answered.
    pub(super) const fn on_lost(&mut self) {
        self.is_current = false;
    }

    /// Notes that the server has closed a table: no seat waits there any more.
    pub(super) fn on_table_closed(&mut self, code: RoomCode) {
        self.view.call.take_if(|call| call.code == code);
    }

    /// Applies an update; a snapshot is the answer to the request of another connection.
    pub(super) fn apply(
        &mut self,
        now: ClientInstant,
        update: TournamentUpdate,
    ) -> TournamentChange {
        if let TournamentUpdate::Snapshot(snapshot) = update {
            self.is_current = true;
            self.view.resume(*snapshot);
            return TournamentChange::Head;
        }
        self.view.apply(now, update)
    }
}

/// Says whether a tournament that may not be followed now may be in a while.
pub const fn is_refused_for_now(why: TournamentError) -> bool {
    matches!(
        why,
        TournamentError::TooManyFollowers | TournamentError::TooFast | TournamentError::Busy
    )
}

/// Makes a message of a request about tournaments.
pub fn tournament_message(request: TournamentRequest) -> ClientMessage {
    ClientMessage::Tournament(Box::new(request))
}

/// Returns the request that follows a tournament.
pub fn follow(name: TournamentName, pin: Option<Pin>) -> ClientMessage {
    tournament_message(TournamentRequest::Follow { name, pin })
}
