//! A request to a server outside of any room.

use crate::cli::exit_code::Failure;
use crate::net::{self, Connection, NetError, Network};
use crate::session::{self, SessionError, tournament_message};
use gridrace_shared::heat::identity::Key;
use gridrace_shared::protocol::server::ServerMessage;
use gridrace_shared::protocol::tournament::{
    PastCursor, PastTournaments, TournamentRequest, TournamentSummary, TournamentUpdate,
};
use std::time::Duration;
use tokio::time::timeout;

/// How long a server may take to answer: its disk may be busy.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(15);

/// A key to prove, and whether a program plays under it.
pub(crate) type Proof<'a> = (&'a Key, bool);

/// Connects, proves the key if one is given, and returns the answer to the request that `ask` sends.
pub(crate) async fn request<N: Network, T>(
    network: &N,
    address: &str,
    proof: Option<Proof<'_>>,
    ask: impl AsyncFnOnce(&mut Connection<N>) -> Result<T, SessionError>,
) -> Result<T, Failure> {
    let fail = |error| Failure::at(address, error);
    let mut connection = net::connect_aloud(network, address).await.map_err(fail)?;
    if let Some((key, is_bot)) = proof {
        connection.identify(key, is_bot).await.map_err(fail)?;
    }
    let answer = answer(address, ask(&mut connection)).await?;
    connection.close().await;
    Ok(answer)
}

/// Waits for the answer of a server.
pub(crate) async fn answer<T>(
    address: &str,
    asked: impl Future<Output = Result<T, SessionError>>,
) -> Result<T, Failure> {
    let answer = timeout(ANSWER_TIMEOUT, asked).await;
    let answer = answer.map_err(|_| Failure::at(address, NetError::TimedOut))?;
    answer.map_err(|error| Failure::of_session(address, error))
}

/// Asks for the tournaments that a server lists.
pub(crate) async fn tournaments<N: Network>(
    connection: &mut Connection<N>,
) -> Result<Vec<TournamentSummary>, SessionError> {
    let list = tournament_message(TournamentRequest::List);
    session::request(connection, &list, |message| {
        let ServerMessage::Tournament(update) = message else { return None };
        if let TournamentUpdate::List(list) = *update { Some(list) } else { None }
    })
    .await
}

/// Asks for the tournaments that ended on a server before those of an earlier answer.
pub(crate) async fn past_tournaments<N: Network>(
    connection: &mut Connection<N>,
    before: Option<PastCursor>,
) -> Result<PastTournaments, SessionError> {
    let past = tournament_message(TournamentRequest::Past { before });
    session::request(connection, &past, |message| {
        let ServerMessage::Tournament(update) = message else { return None };
        if let TournamentUpdate::Past(past) = *update { Some(past) } else { None }
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::exit_code::Exit;
    use crate::net::address::Address;
    use crate::net::clock::Clock;
    use crate::session;
    use futures_util::{SinkExt, StreamExt};
    use gridrace_shared::heat::identity::Challenge;
    use gridrace_shared::protocol::VERSION;
    use gridrace_shared::protocol::client::ClientMessage;
    use gridrace_shared::protocol::codec::{Codec, Frame, encode};
    use gridrace_shared::protocol::server::ServerMessage;
    use tokio::io::DuplexStream;
    use tokio_tungstenite::tungstenite::Message;
    use tokio_tungstenite::tungstenite::handshake::server::{Request, Response};
    use tokio_tungstenite::tungstenite::http::{HeaderValue, header};

    /// A network on which every server says welcome, and pings but answers nothing.
    #[derive(Debug, Clone)]
    struct Silent;

    impl Network for Silent {
        type Stream = DuplexStream;

        async fn dial(&self, _: &Address) -> Result<Self::Stream, NetError> {
            let (here, there) = tokio::io::duplex(4_096);
            tokio::spawn(welcome(there));
            Ok(here)
        }

        fn random_below(&self, _: u64) -> u64 {
            0
        }
    }

    async fn welcome(stream: DuplexStream) {
        #[expect(clippy::result_large_err, reason = "the library's own signature")]
        let agree = |_: &Request, mut response: Response| {
            let subprotocol = HeaderValue::from_static(Codec::Binary.subprotocol());
            response.headers_mut().insert(header::SEC_WEBSOCKET_PROTOCOL, subprotocol);
            Ok(response)
        };
        let mut socket = tokio_tungstenite::accept_hdr_async(stream, agree).await.unwrap();
        socket.next().await.unwrap().unwrap();
        let (server, challenge) = ("box".to_owned(), Challenge::default());
        let welcome = ServerMessage::Welcome { version: VERSION, server, challenge };
        let Frame::Binary(bytes) = encode(Codec::Binary, &welcome).unwrap() else { unreachable!() };
        let mut message = Message::binary(bytes);
        while socket.send(message).await.is_ok() {
            tokio::time::sleep(Duration::from_secs(10)).await;
            message = Message::Ping("".into());
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_never_answers_is_given_up() {
        let before = Clock::instant();
        let rooms = request(&Silent, "box.lan", None, async |connection| {
            session::request(connection, &ClientMessage::Rooms, |message| {
                if let ServerMessage::Rooms(rooms) = message { Some(rooms) } else { None }
            })
            .await
        });
        let failure = rooms.await.unwrap_err();
        assert_eq!(failure.exit, Exit::from(&NetError::TimedOut));
        assert_eq!(Clock::instant() - before, ANSWER_TIMEOUT);
    }
}
