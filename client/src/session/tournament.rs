//! A session in a tournament, across its connections and the rooms of its tables.

use crate::net::clock::Clock;
use crate::net::{NetError, Network, Tcp};
use crate::session::connection_task::{ConnectionEvent, ConnectionTask};
use crate::session::followed::{
    Followed, RECONNECT_TIMEOUT, follow, is_refused_for_now, tournament_message,
};
use crate::session::reconnecting::Reconnecting;
use crate::session::{ConnectionState, Refused, Session, SessionError, join};
use gridrace_shared::heat::identity::Key;
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::heat::pin::Pin;
use gridrace_shared::heat_view::HeatView;
use gridrace_shared::protocol::client::{ClientMessage, Entrant, Role};
use gridrace_shared::protocol::server::{Farewell, Refusal, ServerMessage};
use gridrace_shared::protocol::snapshot::Snapshot;
use gridrace_shared::protocol::tournament::{
    TableCall, TournamentRequest, TournamentSnapshot, TournamentUpdate,
};
use gridrace_shared::tournament::ids::TournamentName;
use gridrace_shared::tournament::plan::TournamentPlan;
use gridrace_shared::tournament::settings::TournamentSettings;
use gridrace_shared::tournament_view::{TournamentChange, TournamentView};
use gridrace_shared::util::time::ClientInstant;
use std::time::Duration;

/// How long until a page that was refused is looked after again.
const PAGE_RETRY: Duration = Duration::from_millis(500);

/// A tournament that is to be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTournament {
    /// By what it is addressed.
    pub name: TournamentName,
    /// Its stages.
    pub plan: TournamentPlan,
    /// The organiser's other settings.
    pub settings: TournamentSettings,
    /// The PIN that others need to follow it, if there is to be one.
    pub pin: Option<Pin>,
}

impl NewTournament {
    /// Returns the request that opens it.
    pub fn request(&self) -> ClientMessage {
        let Self { name, plan, settings, pin } = self.clone();
        tournament_message(TournamentRequest::Open { name, plan, settings, pin })
    }
}

/// A follower of a tournament who isn't in a room: connects, follows again after a lost connection,
/// and folds updates into a [`TournamentView`].
///
/// An entrant who is called to a table asks for the seat by [`TournamentSession::join`] and plays
/// there with the [`Session`] that [`TournamentSession::into_table`] gives; when the table is closed,
/// [`Session::into_tournament`] leads back.
#[derive(Debug)]
pub struct TournamentSession<N: Network = Tcp> {
    link: Reconnecting<N>,
    followed: Followed,
    /// A call that came while the client was at another table.
    called: Option<TableCall>,
    joined: Option<(PlayerId, Snapshot)>,
}

/// An event of a tournament's session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TournamentEvent {
    /// An update changed the view.
    View(TournamentChange),
    /// A lost connection was replaced. The view is what the server knows now.
    Resumed,
    /// The seat at a table is taken.
    Joined,
    /// The server refused the seat.
    Refused(Refusal),
}

impl<N: Network> TournamentSession<N> {
    /// Connects and follows a tournament. Entering it, and commands, need a key; `is_bot` says
    /// whether a program uses it.
    ///
    /// # Errors
    /// [`SessionError`], among them the refusal if there is no such tournament.
    pub async fn follow(
        network: &N,
        address: &str,
        name: TournamentName,
        pin: Option<Pin>,
        key: Option<(Key, bool)>,
    ) -> Result<Self, SessionError> {
        let request = follow(name.clone(), pin.clone());
        Self::begin(network, address, name, pin, key, request).await
    }

    /// Connects and opens a tournament, of which this client's key is the organiser's.
    ///
    /// # Errors
    /// [`SessionError`], among them the refusal if the name is taken.
    pub async fn open(
        network: &N,
        address: &str,
        new: NewTournament,
        key: (Key, bool),
    ) -> Result<Self, SessionError> {
        let (name, pin) = (new.name.clone(), new.pin.clone());
        Self::begin(network, address, name, pin, Some(key), new.request()).await
    }

    async fn begin(
        network: &N,
        address: &str,
        name: TournamentName,
        pin: Option<Pin>,
        key: Option<(Key, bool)>,
        request: ClientMessage,
    ) -> Result<Self, SessionError> {
        let connection = join::connect(network, address).await?;
        let clock = Clock::start();
        let task = ConnectionTask::new(network.clone(), clock, key).adopting(Some(connection));
        let mut link = Reconnecting::new(network.clone(), clock, task, address, name.to_string());
        link.begin();
        let snapshot = first_snapshot(&mut link, request).await?;
        link.set_up();
        let view = TournamentView::new(snapshot);
        let followed = Followed { name, pin, view, loads_pages: false, is_current: true };
        Ok(Self { link, followed, called: None, joined: None })
    }

    /// Comes back from a table. A seat that still waits, maybe at the same table, is called to again:
    /// its resume may have been refused.
    pub(super) fn from_table(mut link: Reconnecting<N>, followed: Followed) -> Self {
        link.state = ConnectionState::default();
        let called = followed.view.call.filter(|_| followed.is_current);
        if followed.is_current {
            link.set_up();
        } else {
            // The answer to an earlier request may be on its way, or was a refusal.
            link.connection.send(followed.request());
            link.is_up = false;
        }
        Self { link, followed, called, joined: None }
    }

    /// Returns the tournament as the client knows it.
    pub const fn view(&self) -> &TournamentView {
        &self.followed.view
    }

    /// Loads the public log, and what follows from it, from now on.
    pub const fn load_pages(&mut self) {
        self.followed.loads_pages = true;
    }

    /// Says whether the server hears what is sent.
    pub const fn is_up(&self) -> bool {
        self.link.is_up
    }

    /// Sends a request. Without a connection it is lost.
    pub fn request(&mut self, request: TournamentRequest) {
        self.link.send(tournament_message(request));
    }

    /// Asks for the seat at a table.
    pub fn join(&mut self, call: TableCall, entrant: Entrant) {
        self.link.state.awaiting = true;
        let (code, role, pin) = (call.code, Role::Player, None);
        self.link.send(ClientMessage::Join { code, entrant, role, pin });
    }

    /// Goes on as a session in the table's room, once it was joined.
    ///
    /// # Errors
    /// The session itself, if no table was joined.
    pub fn into_table(mut self) -> Result<Session<N>, Box<Self>> {
        match self.joined.take() {
            Some((you, snapshot)) => {
                let view = HeatView::new(you, snapshot);
                Ok(Session::at_table(self.link, view, self.followed))
            }
            None => Err(Box::new(self)),
        }
    }

    /// Waits until something happens, and reconnects. Safe to cancel.
    ///
    /// # Errors
    /// [`SessionError`] when the session is over: the server ended it, or can't be reached.
    pub async fn next(&mut self) -> Result<TournamentEvent, SessionError> {
        loop {
            if let Some(call) = self.called.take() {
                return Ok(TournamentEvent::View(TournamentChange::Called(call)));
            }
            self.ask_for_page();
            let retry = self.followed.loads_pages && !self.followed.view.is_loaded();
            let (now, event) = tokio::select! {
                biased;
                event = self.link.connection.next() => event,
                // A page that was refused is asked for again.
                () = tokio::time::sleep(PAGE_RETRY), if retry => continue,
            };
            if let Some(event) = self.on_event(now, event)? {
                return Ok(event);
            }
        }
    }

    /// Stops following, and closes the connection.
    pub async fn close(mut self) {
        self.link.connection.close().await;
    }

    fn ask_for_page(&mut self) {
        if self.followed.loads_pages
            && self.link.is_up
            && let Some(request) = self.followed.view.next_request(self.link.clock.now())
        {
            self.request(request);
        }
    }

    fn on_event(
        &mut self,
        now: ClientInstant,
        event: ConnectionEvent,
    ) -> Result<Option<TournamentEvent>, SessionError> {
        match event {
            ConnectionEvent::Connected { .. } => {
                self.link.state.farewell = None;
                let request = self.followed.request();
                self.link.connection.send(request);
                Ok(None)
            }
            ConnectionEvent::Received(message) => self.on_message(now, *message),
            ConnectionEvent::Lost(error) => self.on_lost(error),
        }
    }

    fn on_lost(&mut self, error: NetError) -> Result<Option<TournamentEvent>, SessionError> {
        self.joined = None;
        self.followed.on_lost();
        self.link.lost(error, RECONNECT_TIMEOUT).map(|()| None)
    }

    fn on_message(
        &mut self,
        now: ClientInstant,
        message: ServerMessage,
    ) -> Result<Option<TournamentEvent>, SessionError> {
        if let ServerMessage::Tournament(update) = message {
            let resumes = matches!(*update, TournamentUpdate::Snapshot(_));
            if resumes {
                self.link.state.attempts = 0;
                self.link.set_up();
            }
            if let (TournamentUpdate::Refused(why), false) = (&*update, self.link.is_up) {
                let refused = SessionError::Tournament(*why);
                return match is_refused_for_now(*why) {
                    // Once that has lasted for too long, it is the reason.
                    true => self.on_lost(NetError::TimedOut).map_err(|_| refused),
                    false => Err(refused),
                };
            }
            let change = self.followed.apply(now, *update);
            if resumes {
                return Ok(Some(TournamentEvent::Resumed));
            }
            let is_change = change != TournamentChange::None;
            return Ok(is_change.then_some(TournamentEvent::View(change)));
        }
        if let ServerMessage::Joined { you, room } = message {
            self.link.state.joined();
            self.joined = Some((you, *room));
            return Ok(Some(TournamentEvent::Joined));
        }
        if let ServerMessage::Refused(why) = message {
            if why == Refusal::InARoom && self.joined.is_none() {
                // A seat that was resumed, at another table than the one that waits now.
                self.link.send(ClientMessage::Leave);
            }
            return Ok(match self.link.state.refused(why) {
                Refused::Proof => {
                    self.link.notify(format_args!("{why}"));
                    None
                }
                Refused::ResumeForNow | Refused::Resume | Refused::Entry | Refused::Request => {
                    Some(TournamentEvent::Refused(why))
                }
            });
        }
        if let ServerMessage::Goodbye(farewell) = message {
            return self.on_goodbye(farewell);
        }
        Ok(None)
    }

    fn on_goodbye(&mut self, farewell: Farewell) -> Result<Option<TournamentEvent>, SessionError> {
        if farewell.keeps_connection() {
            // Of a table that was joined and not yet played at.
            self.joined = None;
            return Ok(None);
        }
        let lost = self.on_lost(NetError::Dismissed(farewell));
        lost.map_err(|_| SessionError::Dismissed(farewell))
    }
}

/// Sends the first request once the connection stands, and waits for its answer.
async fn first_snapshot<N: Network>(
    link: &mut Reconnecting<N>,
    request: ClientMessage,
) -> Result<TournamentSnapshot, SessionError> {
    let mut request = Some(request);
    loop {
        match link.connection.next().await.1 {
            ConnectionEvent::Connected { .. } => {
                request.take().into_iter().for_each(|request| link.connection.send(request));
            }
            ConnectionEvent::Lost(error) => return Err(error.into()),
            ConnectionEvent::Received(message) => {
                if let Some(snapshot) = snapshot_in(*message)? {
                    return Ok(snapshot);
                }
            }
        }
    }
}

fn snapshot_in(message: ServerMessage) -> Result<Option<TournamentSnapshot>, SessionError> {
    if let ServerMessage::Goodbye(farewell) = message {
        return Err(SessionError::Dismissed(farewell));
    }
    if let ServerMessage::Refused(why) = message
        && why != Refusal::Unproven
    {
        return Err(SessionError::Refused(why));
    }
    let ServerMessage::Tournament(update) = message else { return Ok(None) };
    if let TournamentUpdate::Refused(why) = *update {
        return Err(SessionError::Tournament(why));
    }
    Ok(if let TournamentUpdate::Snapshot(snapshot) = *update { Some(*snapshot) } else { None })
}

impl<N: Network> Session<N> {
    /// Goes back from a table to its tournament; none if the room is no table of one.
    pub fn into_tournament(self) -> Option<TournamentSession<N>> {
        let (link, followed) = self.into_parts();
        followed.map(|followed| TournamentSession::from_table(link, followed))
    }
}

#[cfg(test)]
#[cfg(feature = "host")]
mod tests;
