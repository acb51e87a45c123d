//! Servers that answer with invalid data, or not at all.

use super::*;
use std::sync::{Arc, Mutex};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::tungstenite;

/// A server that takes one connection and does with it what it is told.
async fn served<F>(serve: impl FnOnce(TcpStream) -> F) -> Result<Connection, NetError>
where
    F: Future<Output = ()>,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let server = async { serve(listener.accept().await.unwrap().0).await };
    let tcp = Tcp::default();
    tokio::select! {
        outcome = connect_over(&tcp, &address) => outcome,
        () = async { server.await; std::future::pending::<()>().await } => unreachable!(),
    }
}

/// Shakes hands as the protocol says and answers hello with a message.
async fn answer(stream: TcpStream, message: ServerMessage) {
    #[expect(clippy::result_large_err, reason = "the library's own signature")]
    let agree = |_: &_, mut response: tungstenite::handshake::server::Response| {
        let subprotocol = HeaderValue::from_static(Codec::Binary.subprotocol());
        response.headers_mut().insert(header::SEC_WEBSOCKET_PROTOCOL, subprotocol);
        Ok(response)
    };
    let mut socket = tokio_tungstenite::accept_hdr_async(stream, agree).await.unwrap();
    let hello = socket.next().await.unwrap().unwrap().into_data();
    let hello: ClientMessage = codec::decode_binary::<_, 4096>(&hello).unwrap();
    assert!(matches!(hello, ClientMessage::Hello(Hello { version: VERSION, .. })));
    let Frame::Binary(bytes) = codec::encode(Codec::Binary, &message).unwrap() else {
        unreachable!()
    };
    socket.send(Message::binary(bytes)).await.unwrap();
    socket.next().await;
}

#[tokio::test]
async fn a_welcome_makes_a_connection() {
    let welcome = ServerMessage::Welcome {
        version: VERSION,
        server: "box".to_owned(),
        challenge: Challenge::default(),
    };
    let connection = served(|stream| answer(stream, welcome)).await.unwrap();
    assert_eq!(connection.server(), "box");
}

#[tokio::test]
async fn another_version_is_named() {
    let goodbye = ServerMessage::Goodbye(Farewell::Version { server: 9 });
    let error = served(|stream| answer(stream, goodbye)).await.unwrap_err();
    assert_eq!(error, NetError::Version { server: 9 });
    assert!(!error.may_retry());
}

#[tokio::test]
async fn a_plain_http_server_is_no_gridrace_server() {
    use tokio::io::AsyncWriteExt;
    let error = served(|mut stream| async move {
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await.unwrap();
        std::future::pending::<()>().await;
    });
    assert_eq!(error.await.unwrap_err(), NetError::NotGridrace);
}

#[tokio::test]
async fn a_refused_connection_is_unreachable_and_worth_another_try() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    drop(listener);
    let error = connect_over(&Tcp::default(), &address).await.unwrap_err();
    assert_eq!(error, NetError::Unreachable(ErrorKind::ConnectionRefused));
    assert!(error.may_retry());
}

#[tokio::test]
async fn a_server_that_is_full_or_away_is_worth_another_try() {
    use tokio::io::AsyncWriteExt;
    let full = b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 7\r\ncontent-length: 0\r\n\r\n";
    let error = served(|mut stream| async move {
        stream.write_all(full).await.unwrap();
        std::future::pending::<()>().await;
    });
    let error = error.await.unwrap_err();
    assert_eq!(error.wish(), Some(Duration::from_secs(7)));
    assert!(error.may_retry());
    // What stands before it may hang up as well.
    let error = served(|stream| async { drop(stream) }).await.unwrap_err();
    assert!(error.may_retry(), "{error:?}");
}

#[tokio::test(start_paused = true)]
async fn a_silent_connection_is_lost_after_25_seconds() {
    let (here, _there) = tokio::io::duplex(READ_BUFFER);
    let role = tungstenite::protocol::Role::Client;
    let mut connection = Connection {
        socket: WebSocketStream::from_raw_socket(here, role, None).await,
        network: Mute::default(),
        server: String::new(),
        challenge: Challenge::default(),
        host: String::new(),
        heard: Clock::instant(),
        silence: Box::pin(sleep(SILENCE_TIMEOUT)),
    };
    let before = Clock::instant();
    let error = connection.next().await.unwrap_err();
    assert_eq!(error, NetError::Lost(ErrorKind::TimedOut));
    assert_eq!(Clock::instant() - before, SILENCE_TIMEOUT);
}

/// A network of pipes in memory, on which every server is silent, so that the clock may be the
/// test's.
#[derive(Debug, Clone, Default)]
struct Mute {
    told: Arc<Mutex<Vec<String>>>,
    others: Arc<Mutex<Vec<tokio::io::DuplexStream>>>,
}

impl Network for Mute {
    type Stream = tokio::io::DuplexStream;

    async fn dial(&self, _: &Address) -> Result<Self::Stream, NetError> {
        let (here, there) = tokio::io::duplex(READ_BUFFER);
        self.others.lock().unwrap().push(there);
        Ok(here)
    }

    fn random_below(&self, _: u64) -> u64 {
        0
    }

    fn notify(&self, news: std::fmt::Arguments<'_>) {
        self.told.lock().unwrap().push(news.to_string());
    }
}

#[tokio::test(start_paused = true)]
async fn a_silent_server_is_reported_before_the_attempt_is_given_up() {
    let network = Mute::default();
    let told = || network.told.lock().unwrap().clone();
    let mut connecting = std::pin::pin!(connect_aloud(&network, "box.lan"));
    assert!(timeout(NOTICE_AFTER / 2, &mut connecting).await.is_err());
    assert_eq!(told(), [""; 0]);
    assert!(timeout(NOTICE_AFTER, &mut connecting).await.is_err());
    assert_eq!(told(), ["waiting for an answer from box.lan"]);
    assert_eq!(connecting.await.unwrap_err(), NetError::TimedOut);
}

#[tokio::test]
async fn an_unknown_host_name_is_worth_another_try() {
    // Reserved for ever for what has no address (RFC 6761).
    let error = connect_over(&Tcp::default(), "nobody.invalid:7415").await.unwrap_err();
    assert_eq!(error, NetError::Unknown);
    assert!(error.may_retry());
}
