//! A session: a member's place in a room, across its connections.

use crate::net::clock::{Clock, sleep_until};
use crate::net::{NetError, Network, Tcp};
use crate::session::connection_task::{ConnectionEvent, ConnectionTask};
use crate::session::followed::{self, Followed};
use crate::session::join::{self, Entry};
use crate::session::reconnecting::Reconnecting;
use crate::session::{Entered, Refused, ResumeTicket, SessionError};
use gridrace_shared::heat::identity::Key;
use gridrace_shared::heat::ids::Seq;
use gridrace_shared::heat_view::{HeatChange, HeatView, OwnRace};
use gridrace_shared::protocol::client::ClientMessage;
use gridrace_shared::protocol::server::{Farewell, Refusal, ServerMessage};
use gridrace_shared::protocol::tournament::{TournamentPhase, TournamentUpdate};
use gridrace_shared::puzzle::Move;
use gridrace_shared::tournament_view::TournamentChange;
use gridrace_shared::util::time::ClientInstant;
use std::time::Duration;

/// How long a session tries to reconnect at least: longer than a server takes to restart. If
/// the room keeps seats for longer, the session tries as long.
const RECONNECT_TIMEOUT: Duration = Duration::from_secs(120);

/// A place in a room: connects, joins, folds messages into a [`HeatView`], paces moves, and
/// resumes the seat after a lost connection.
///
/// It is the client library for bots: they look at [`Session::view`], call [`Session::play`]
/// and [`Session::send`], and wait in [`Session::next`].
///
/// ```no_run
/// use gridrace_client::net::Tcp;
/// use gridrace_client::session::{Entry, Session, SessionError};
/// use gridrace_shared::heat_view::HeatPhase;
/// use gridrace_shared::protocol::client::ClientMessage;
/// use gridrace_shared::solver::budget::Aim;
/// use gridrace_shared::solver::budget::HINT_BUDGET;
/// use gridrace_shared::solver::plan::{Plan, SolverResources};
///
/// /// Joins a room and races one heat as the solver advises.
/// async fn race(address: &str, code: &str) -> Result<(), SessionError> {
///     let entry = Entry::join(code.parse().expect("a room code"));
///     let name = || "solver".to_owned();
///     let mut session = Session::enter(&Tcp::default(), address, &entry, name, None).await?;
///     session.send(ClientMessage::Ready { ready: true });
///     let mut plan = None;
///     loop {
///         session.next().await?;
///         if let HeatPhase::Over(ended) = &session.view().phase {
///             println!("{:?}", ended.result.standings);
///             return Ok(session.leave().await);
///         }
///         let Some(race) = session.view().race() else { continue };
///         let board = race.play.board();
///         let plan = plan.get_or_insert_with(|| {
///             Plan::plan(board, Aim::Plain, HINT_BUDGET, &SolverResources::none()).expect("solvable")
///         });
///         if let Some(play) = plan.next(board).and_then(|hint| hint.play(board)) {
///             session.play(play);
///         }
///     }
/// }
/// ```
#[derive(Debug)]
pub struct Session<N: Network = Tcp> {
    link: Reconnecting<N>,
    view: HeatView,
    /// The tournament whose table the room is, if the client follows one.
    followed: Option<Followed>,
}

/// An event of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionEvent {
    /// A message changed the view.
    View(HeatChange),
    /// A lost connection was replaced. The view is what the server knows now.
    Resumed,
    /// The server refused a request.
    Refused(Refusal),
    /// The tournament changed whose table the room is.
    Tournament,
}

impl<N: Network> Session<N> {
    /// Connects and enters a room as a program, under the first of these names that is free. A
    /// key makes the server know the client again.
    ///
    /// # Errors
    /// [`SessionError`], among them the refusal if no name is free or no seat is left.
    pub async fn enter(
        network: &N,
        address: &str,
        entry: &Entry,
        names: impl FnMut() -> String,
        key: Option<&Key>,
    ) -> Result<Self, SessionError> {
        let mut connection = join::connect(network, address).await?;
        if let Some(key) = key {
            connection.identify(key, true).await?;
        }
        let joined = entry.enter(&mut connection, names).await?;
        let clock = Clock::start();
        let task = ConnectionTask::new(network.clone(), clock, None).adopting(Some(connection));
        let link = Reconnecting::new(network.clone(), clock, task, address, joined.name);
        let view = HeatView::new(joined.you, joined.snapshot);
        let mut session = Self { link, view, followed: None };
        session.link.begin();
        // From here on it can come back.
        while !session.link.state.keeps_seat() {
            let (now, event) = session.link.connection.next().await;
            if let ConnectionEvent::Lost(error) = event {
                return Err(error.into());
            }
            session.on_event(now, event)?;
        }
        Ok(session)
    }

    /// Goes on at the table of a tournament.
    pub(super) const fn at_table(
        link: Reconnecting<N>,
        view: HeatView,
        followed: Followed,
    ) -> Self {
        Self { link, view, followed: Some(followed) }
    }

    /// Returns the connection, and the tournament whose table the room is.
    pub(super) fn into_parts(self) -> (Reconnecting<N>, Option<Followed>) {
        (self.link, self.followed)
    }

    /// Returns the room as the client knows it.
    pub const fn view(&self) -> &HeatView {
        &self.view
    }

    /// Says whether the server hears what is sent. Moves may be played in any case.
    pub const fn is_up(&self) -> bool {
        self.link.is_up
    }

    /// Waits until something happens, sends moves when they are due, and reconnects. Safe to
    /// cancel.
    ///
    /// # Errors
    /// [`SessionError`] when the session is over: the server ended it, or can't be reached.
    pub async fn next(&mut self) -> Result<SessionEvent, SessionError> {
        loop {
            let due = self.view.race().filter(|_| self.link.is_up).and_then(OwnRace::send_due);
            let due = due.map(|due| self.link.clock.at(due));
            tokio::select! {
                biased;
                (now, event) = self.link.connection.next() => {
                    if let Some(event) = self.on_event(now, event)? {
                        return Ok(event);
                    }
                }
                () = sleep_until(due) => self.send_moves(),
            }
        }
    }

    /// Plays a move on the view's board and sends it, at once or when the server's rate limit
    /// allows. Returns its number; None if it is illegal, or too many moves are unanswered.
    pub fn play(&mut self, play: Move) -> Option<Seq> {
        let seq = self.view.race_mut()?.play.play(play)?;
        self.send_moves();
        Some(seq)
    }

    /// Sends a request. Without a connection it is lost.
    pub fn send(&mut self, request: ClientMessage) {
        self.link.send(request);
    }

    /// Leaves the room and closes the connection.
    pub async fn leave(mut self) {
        self.send(ClientMessage::Leave);
        self.link.connection.close().await;
    }

    fn on_event(
        &mut self,
        now: ClientInstant,
        event: ConnectionEvent,
    ) -> Result<Option<SessionEvent>, SessionError> {
        match event {
            ConnectionEvent::Connected { .. } => {
                if let Some(followed) = &self.followed {
                    self.link.connection.send(followed.request());
                }
                match self.link.state.resume_request() {
                    Some(request) => self.link.connection.send(request),
                    // The connection was lost before the ticket for the seat came: the tournament
                    // calls to it again.
                    None if self.followed.is_some() => {
                        return Err(SessionError::Dismissed(Farewell::TableClosed));
                    }
                    // The connection on which the client joined.
                    None => self.link.is_up = true,
                }
                Ok(None)
            }
            ConnectionEvent::Received(message) => self.on_message(now, *message),
            ConnectionEvent::Lost(error) => self.on_lost(error),
        }
    }

    fn on_message(
        &mut self,
        now: ClientInstant,
        message: ServerMessage,
    ) -> Result<Option<SessionEvent>, SessionError> {
        if let ServerMessage::Joined { you, room } = message {
            match self.link.state.joined() {
                Entered::Resumed => drop(self.view.resume(*room)),
                Entered::Joined => self.view = HeatView::new(you, *room),
            }
            self.link.set_up();
            self.send_moves();
            return Ok(Some(SessionEvent::Resumed));
        }
        if let ServerMessage::Token { code, player, token } = message {
            let ticket = ResumeTicket { code, player, token };
            if let Some(confirmation) = self.link.state.ticket(ticket) {
                self.link.connection.send(confirmation);
            }
            return Ok(None);
        }
        if let ServerMessage::Goodbye(farewell) = message {
            return self.on_goodbye(farewell);
        }
        if let ServerMessage::Tournament(update) = message {
            return self.on_tournament(now, *update);
        }
        let change = self.view.apply(now, &message);
        if let ServerMessage::Refused(why) = message {
            return self.on_refused(why);
        }
        if matches!(change, HeatChange::Accepted | HeatChange::Resynced) {
            self.send_moves();
        }
        Ok((change != HeatChange::None).then_some(SessionEvent::View(change)))
    }

    fn on_tournament(
        &mut self,
        now: ClientInstant,
        update: TournamentUpdate,
    ) -> Result<Option<SessionEvent>, SessionError> {
        let Some(followed) = &mut self.followed else { return Ok(None) };
        let change = followed.apply(now, update);
        let is_over = followed.view.head.phase == TournamentPhase::Over;
        let is_called =
            matches!(change, TournamentChange::Called(call) if call.code != self.view.code);
        if is_over || is_called {
            // Another table waits, or none: this one is done.
            self.send(ClientMessage::Leave);
            return Err(SessionError::Dismissed(Farewell::TableClosed));
        }
        Ok((change != TournamentChange::None).then_some(SessionEvent::Tournament))
    }

    fn on_refused(&mut self, why: Refusal) -> Result<Option<SessionEvent>, SessionError> {
        match self.link.state.refused(why) {
            Refused::Proof => {
                self.link.notify(format_args!("{why}; joined without an identity"));
                Ok(None)
            }
            Refused::ResumeForNow => self.on_lost(NetError::TimedOut),
            Refused::Resume | Refused::Entry => Err(SessionError::Refused(why)),
            Refused::Request => Ok(Some(SessionEvent::Refused(why))),
        }
    }

    fn on_goodbye(&mut self, farewell: Farewell) -> Result<Option<SessionEvent>, SessionError> {
        if farewell.keeps_connection() {
            let code = self.view.code;
            self.followed.iter_mut().for_each(|followed| followed.on_table_closed(code));
            return Err(SessionError::Dismissed(farewell));
        }
        match self.on_lost(NetError::Dismissed(farewell)) {
            Err(SessionError::Net(NetError::Dismissed(farewell))) => {
                Err(SessionError::Dismissed(farewell))
            }
            outcome => outcome,
        }
    }

    /// Connects again after a pause, unless that makes no sense or was tried for too long.
    fn on_lost(&mut self, error: NetError) -> Result<Option<SessionEvent>, SessionError> {
        let timeout = match &mut self.followed {
            // The seat is reserved, and the tournament goes on.
            Some(followed) => {
                followed.on_lost();
                followed::RECONNECT_TIMEOUT
            }
            None => {
                let grace = self.view.setup.options.grace_seconds;
                RECONNECT_TIMEOUT.max(Duration::from_secs(grace.into()))
            }
        };
        self.link.lost(error, timeout).map(|()| None)
    }

    fn send_moves(&mut self) {
        if !self.link.is_up {
            return;
        }
        let now = self.link.clock.now();
        if let Some(race) = self.view.race_mut() {
            while let Some(message) = race.next_to_send(now) {
                self.link.connection.send(message);
            }
        }
    }
}
