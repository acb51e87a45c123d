//! A connection that reconnects when it is lost.

use crate::net::clock::Clock;
use crate::net::{NetError, Network, Tcp};
use crate::session::{ConnectionState, ConnectionTask, SessionError, backoff};
use gridrace_shared::protocol::client::ClientMessage;
use gridrace_shared::util::time::ClientInstant;
use std::time::Duration;

/// What a session in a room and one in a tournament share.
#[derive(Debug)]
pub(super) struct Reconnecting<N: Network = Tcp> {
    pub(super) connection: ConnectionTask<N>,
    pub(super) clock: Clock,
    pub(super) state: ConnectionState,
    /// Whether the server hears requests about the room or the tournament.
    pub(super) is_up: bool,
    network: N,
    address: String,
    /// By what the user knows this client.
    label: String,
    /// When the session gives up, while there is no connection.
    give_up_at: Option<ClientInstant>,
}

impl<N: Network> Reconnecting<N> {
    pub(super) fn new(
        network: N,
        clock: Clock,
        connection: ConnectionTask<N>,
        address: &str,
        label: String,
    ) -> Self {
        Self {
            connection,
            clock,
            state: ConnectionState::default(),
            is_up: false,
            network,
            address: address.to_owned(),
            label,
            give_up_at: None,
        }
    }

    /// Uses the connection that the task adopted.
    pub(super) fn begin(&mut self) {
        self.connection.connect(self.address.clone(), Duration::ZERO);
    }

    /// The server has answered: what is sent is heard.
    pub(super) const fn set_up(&mut self) {
        self.is_up = true;
        self.give_up_at = None;
    }

    /// Sends a request. Without a connection it is lost.
    pub(super) fn send(&mut self, request: ClientMessage) {
        if self.is_up {
            self.connection.send(request);
        }
    }

    /// Connects again after a pause.
    ///
    /// # Errors
    /// The connection's, if that makes no sense or was tried for longer than `timeout`.
    pub(super) fn lost(&mut self, error: NetError, timeout: Duration) -> Result<(), SessionError> {
        self.is_up = false;
        let now = self.clock.now();
        let give_up_at = *self.give_up_at.get_or_insert(now + timeout);
        let Some(retry) = self.state.lost(error) else {
            return Err(error.into());
        };
        if retry.attempt == 0 {
            self.notify(format_args!("{error}; coming back"));
        } else if now >= give_up_at {
            return Err(error.into());
        }
        let pause =
            backoff::pause(retry.attempt, retry.wish, |bound| self.network.random_below(bound));
        self.connection.connect(self.address.clone(), pause);
        Ok(())
    }

    /// Notifies the user about this client.
    pub(super) fn notify(&self, news: std::fmt::Arguments<'_>) {
        self.network.notify(format_args!("{}: {news}", self.label));
    }
}
