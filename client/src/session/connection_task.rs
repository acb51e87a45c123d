//! The task that holds the connection, and the queues to and from it.

use crate::net::clock::Clock;
use crate::net::{self, Connection, NetError, Network, Tcp};
use crate::tui::event::Message;
use gridrace_shared::heat::identity::Key;
use gridrace_shared::protocol::client::ClientMessage;
use gridrace_shared::util::time::ClientInstant;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::task::JoinHandle;

/// The most messages from the server that wait to be shown: a second of a busy heat. A
/// full queue stops the reading, and the server notices.
const INBOX: usize = 256;
/// The most messages that wait to be sent: as many moves as may be in flight, and some
/// requests.
const OUTBOX: usize = 128;
/// How long the last words may take on the way out of the program.
const LAST_WORDS: Duration = Duration::from_millis(800);

/// Dials, one connection at a time. What an earlier one still says is never heard: each
/// has queues of its own.
#[derive(Debug)]
pub struct Dialler<N: Network = Tcp> {
    network: N,
    clock: Clock,
    /// By which servers know the player again.
    key: Option<Arc<Key>>,
    call: Option<Call>,
    /// Earlier calls that say their last words.
    ending: Vec<JoinHandle<()>>,
}

#[derive(Debug)]
struct Call {
    inbox: Receiver<(ClientInstant, Message)>,
    outbox: Sender<ClientMessage>,
    task: JoinHandle<()>,
    /// Whether we know that the connection stands.
    stands: bool,
}

impl<N: Network> Dialler<N> {
    /// Makes one that has dialled nobody.
    #[must_use]
    pub fn over(network: N, clock: Clock, key: Option<Key>) -> Self {
        Self { network, clock, key: key.map(Arc::new), call: None, ending: Vec::new() }
    }

    /// Connects after a pause, in place of any connection that there is.
    pub fn dial(&mut self, address: String, pause: Duration) {
        self.hang_up();
        let (to_us, inbox) = mpsc::channel(INBOX);
        let (outbox, from_us) = mpsc::channel(OUTBOX);
        let (network, clock, key) = (self.network.clone(), self.clock, self.key.clone());
        let task = tokio::spawn(async move {
            tokio::time::sleep(pause).await;
            let why = hold(&network, &address, key.as_deref(), clock, &to_us, from_us).await;
            if let Some(why) = why {
                // Whoever hung up doesn't want to know.
                to_us.send((clock.now(), Message::Disconnected(why))).await.ok();
            }
        });
        self.call = Some(Call { inbox, outbox, task, stands: false });
    }

    /// Sends a message. Where there is no connection, or it takes no more, the message is
    /// lost: the end of the connection is told of anyway. Nor does it wait for a connection
    /// that is being made: on that one, others come first.
    pub fn send(&mut self, message: ClientMessage) {
        if let Some(call) = self.call.as_ref().filter(|call| call.stands) {
            call.outbox.try_send(message).ok();
        }
    }

    /// Closes the connection, once it has sent what waits.
    pub fn hang_up(&mut self) {
        self.ending.retain(|task| !task.is_finished());
        if let Some(call) = self.call.take() {
            // Dropping the queues ends the task.
            self.ending.push(call.task);
        }
    }

    /// Waits for the next message, for ever where there is no connection.
    pub async fn next(&mut self) -> (ClientInstant, Message) {
        if let Some(call) = &mut self.call {
            if let Some(heard) = call.inbox.recv().await {
                return call.take_note(heard);
            }
            self.call = None;
        }
        std::future::pending().await
    }

    /// Returns the next message if one waits already.
    pub fn waiting(&mut self) -> Option<(ClientInstant, Message)> {
        let call = self.call.as_mut()?;
        let heard = call.inbox.try_recv().ok()?;
        Some(call.take_note(heard))
    }

    /// Closes the connection and waits, not for long, until it has said its last words.
    pub async fn close(&mut self) {
        self.hang_up();
        for task in self.ending.drain(..) {
            let abort = task.abort_handle();
            if tokio::time::timeout(LAST_WORDS, task).await.is_err() {
                abort.abort();
            }
        }
    }
}

impl Call {
    fn take_note(&mut self, heard: (ClientInstant, Message)) -> (ClientInstant, Message) {
        if let Message::Connected { .. } = heard.1 {
            self.stands = true;
        }
        heard
    }
}

/// Connects and passes messages on; why it ended, unless we hung up ourselves.
async fn hold<N: Network>(
    network: &N,
    address: &str,
    key: Option<&Key>,
    clock: Clock,
    to_us: &Sender<(ClientInstant, Message)>,
    mut from_us: Receiver<ClientMessage>,
) -> Option<NetError> {
    let mut connection = tokio::select! {
        biased;
        outcome = net::connect_over(network, address) => match outcome {
            Ok(connection) => connection,
            Err(why) => return Some(why),
        },
        () = to_us.closed() => return None,
    };
    if let Some(key) = key
        && let Err(why) = connection.identify(key, false).await
    {
        return Some(why);
    }
    let server = connection.server().to_owned();
    to_us.send((clock.now(), Message::Connected { server })).await.ok()?;
    let why = pass_on(&mut connection, clock, to_us, &mut from_us).await;
    if why.is_none() {
        connection.close().await;
    }
    why
}

async fn pass_on<N: Network>(
    connection: &mut Connection<N>,
    clock: Clock,
    to_us: &Sender<(ClientInstant, Message)>,
    from_us: &mut Receiver<ClientMessage>,
) -> Option<NetError> {
    loop {
        tokio::select! {
            biased;
            message = from_us.recv() => match message {
                Some(message) => {
                    if let Err(why) = connection.send(&message).await {
                        return Some(why);
                    }
                }
                None => return None,
            },
            message = connection.next() => match message {
                Ok(message) => {
                    let heard = (clock.now(), Message::Server(Box::new(message)));
                    if to_us.send(heard).await.is_err() {
                        return last_words(connection, from_us).await;
                    }
                }
                Err(why) => return Some(why),
            },
        }
    }
}

/// Sends what still waits, though nobody listens to the answers.
async fn last_words<N: Network>(
    connection: &mut Connection<N>,
    from_us: &mut Receiver<ClientMessage>,
) -> Option<NetError> {
    while let Some(message) = from_us.recv().await {
        if connection.send(&message).await.is_err() {
            break;
        }
    }
    None
}
