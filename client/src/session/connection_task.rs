//! The task that holds the connection, and the queues to and from it.

use crate::net::clock::Clock;
use crate::net::{self, Connection, NetError, Network, Tcp};
use gridrace_shared::heat::identity::Key;
use gridrace_shared::protocol::client::ClientMessage;
use gridrace_shared::protocol::server::ServerMessage;
use gridrace_shared::util::time::ClientInstant;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::task::JoinHandle;

/// The most messages from the server that wait for the owner: a second of a busy heat. A full
/// queue stops the reading, and the server notices.
const RECEIVE_QUEUE: usize = 256;
/// The most messages that wait to be sent: as many moves as may be in flight, and some requests.
const SEND_QUEUE: usize = 128;
/// How long sending what waits may take when the program ends.
const CLOSE_TIMEOUT: Duration = Duration::from_millis(800);

/// Something that happened to a connection.
#[derive(Debug, Clone, PartialEq)]
pub enum ConnectionEvent {
    /// It stands.
    Connected {
        /// The server's own name; not yet safe to print.
        server: String,
    },
    /// The server sent a message.
    Received(Box<ServerMessage>),
    /// There is no connection, or no longer.
    Lost(NetError),
}

/// An event and when it happened.
type Stamped = (ClientInstant, ConnectionEvent);

/// Holds one connection at a time in a task. Each connection has its own queues, so that
/// nothing of an earlier one arrives.
#[derive(Debug)]
pub struct ConnectionTask<N: Network = Tcp> {
    network: N,
    clock: Clock,
    /// The player's identity key, and whether a program uses it.
    key: Option<(Arc<Key>, bool)>,
    /// A connection that stands already, for the first attempt.
    adopted: Option<Connection<N>>,
    current: Option<Current>,
    /// Tasks of earlier connections, which send what still waits.
    ending: Vec<JoinHandle<()>>,
}

#[derive(Debug)]
struct Current {
    inbox: Receiver<Stamped>,
    outbox: Sender<ClientMessage>,
    task: JoinHandle<()>,
    /// Whether the owner was told that the connection stands.
    is_up: bool,
}

impl<N: Network> ConnectionTask<N> {
    /// Makes one without a connection; the flag beside the key says whether a program uses it.
    pub fn new(network: N, clock: Clock, key: Option<(Key, bool)>) -> Self {
        let key = key.map(|(key, is_bot)| (Arc::new(key), is_bot));
        Self { network, clock, key, adopted: None, current: None, ending: Vec::new() }
    }

    /// Uses a connection that stands already for the next [`ConnectionTask::connect`].
    pub fn adopting(mut self, connection: Option<Connection<N>>) -> Self {
        self.adopted = connection;
        self
    }

    /// Connects after a pause, in place of the current connection.
    pub fn connect(&mut self, address: String, pause: Duration) {
        self.disconnect();
        let (events, inbox) = mpsc::channel(RECEIVE_QUEUE);
        let (outbox, requests) = mpsc::channel(SEND_QUEUE);
        let (network, clock, key) = (self.network.clone(), self.clock, self.key.clone());
        let adopted = self.adopted.take();
        let task = tokio::spawn(async move {
            tokio::select! {
                biased;
                () = events.closed() => return,
                () = tokio::time::sleep(pause) => {}
            }
            let mut line = QueueEnds { clock, events, requests };
            let key = key.as_ref().map(|(key, is_bot)| (&**key, *is_bot));
            let ended = line.run(&network, &address, key, adopted).await;
            if let Err(error) = ended {
                let lost = (clock.now(), ConnectionEvent::Lost(error));
                line.events.send(lost).await.ok(); // the owner may have disconnected
            }
        });
        self.current = Some(Current { inbox, outbox, task, is_up: false });
    }

    /// Sends a message. Without a connection, or if it takes no more, the message is lost; the
    /// end of the connection is reported in any case. A connection that is being made takes
    /// none, since others come first on it.
    pub fn send(&mut self, message: ClientMessage) {
        if let Some(current) = self.current.as_ref().filter(|current| current.is_up) {
            current.outbox.try_send(message).ok();
        }
    }

    /// Closes the connection once it has sent what waits.
    pub fn disconnect(&mut self) {
        self.ending.retain(|task| !task.is_finished());
        if let Some(current) = self.current.take() {
            // Dropping the queues ends the task.
            self.ending.push(current.task);
        }
    }

    /// Waits for the next event; for ever without a connection. Safe to cancel.
    pub async fn next(&mut self) -> (ClientInstant, ConnectionEvent) {
        if let Some(current) = &mut self.current {
            if let Some(event) = current.inbox.recv().await {
                return current.note(event);
            }
            self.current = None;
        }
        std::future::pending().await
    }

    /// Returns the next event if there is one already.
    pub fn try_next(&mut self) -> Option<(ClientInstant, ConnectionEvent)> {
        let current = self.current.as_mut()?;
        let event = current.inbox.try_recv().ok()?;
        Some(current.note(event))
    }

    /// Closes the connection and waits, for a second at most, until it has sent what waits.
    pub async fn close(&mut self) {
        self.disconnect();
        for task in self.ending.drain(..) {
            let abort = task.abort_handle();
            if tokio::time::timeout(CLOSE_TIMEOUT, task).await.is_err() {
                abort.abort();
            }
        }
    }
}

impl Current {
    fn note(&mut self, event: Stamped) -> Stamped {
        self.is_up |= matches!(event.1, ConnectionEvent::Connected { .. });
        event
    }
}

/// The task's ends of the queues.
struct QueueEnds {
    clock: Clock,
    events: Sender<Stamped>,
    requests: Receiver<ClientMessage>,
}

impl QueueEnds {
    /// Connects and passes messages on until the connection is lost or the owner disconnects.
    async fn run<N: Network>(
        &mut self,
        network: &N,
        address: &str,
        key: Option<(&Key, bool)>,
        adopted: Option<Connection<N>>,
    ) -> Result<(), NetError> {
        let connecting = async {
            match adopted {
                Some(connection) => Ok(connection),
                None => net::connect_over(network, address).await,
            }
        };
        let mut connection = tokio::select! {
            biased;
            connected = connecting => connected?,
            () = self.events.closed() => return Ok(()),
        };
        if let Some((key, is_bot)) = key {
            connection.identify(key, is_bot).await?;
        }
        let server = connection.server().to_owned();
        let connected = ConnectionEvent::Connected { server };
        if self.events.send((self.clock.now(), connected)).await.is_ok() {
            self.pass_on(&mut connection).await?;
            connection.close().await;
        }
        Ok(())
    }

    async fn pass_on<N: Network>(
        &mut self,
        connection: &mut Connection<N>,
    ) -> Result<(), NetError> {
        loop {
            tokio::select! {
                biased;
                request = self.requests.recv() => match request {
                    Some(request) => connection.send(&request).await?,
                    None => return Ok(()),
                },
                message = connection.next() => {
                    let received = ConnectionEvent::Received(Box::new(message?));
                    if self.events.send((self.clock.now(), received)).await.is_err() {
                        // Requests that wait are sent, though no one reads the answers.
                        while let Some(request) = self.requests.recv().await {
                            connection.send(&request).await?;
                        }
                        return Ok(());
                    }
                }
            }
        }
    }
}
