//! Invalid frames and messages, and valid ones in unusual pieces.
//!
//! `tests/conformance` runs Autobahn's cases, which need Python 2.7.

use crate::harness::raw::{BINARY, CLOSE, CONTINUATION, PING, TEXT, frame, message};
use crate::harness::{RawSocket, TestServer};
use gridrace_shared::protocol::VERSION;
use gridrace_shared::protocol::client::ClientMessage;
use gridrace_shared::protocol::close::CloseCode;
use gridrace_shared::protocol::codec::{CLIENT_FRAME_LIMIT, Codec, encode};
use gridrace_shared::util::time::ClientInstant;

#[tokio::test]
async fn a_message_sent_byte_by_byte_and_one_as_long_as_the_limit_are_read() {
    let server = TestServer::start();
    let mut socket = RawSocket::hello(server.address, Codec::Json).await;
    let ping = r#"{"ping":{"sent":7}}"#;
    for byte in frame(true, TEXT, ping.as_bytes()).chunks(1) {
        socket.send(byte).await;
    }
    assert!(text(&mut socket).await.starts_with(r#"{"pong":{"sent":7,"#));
    let padded = format!("{ping:>CLIENT_FRAME_LIMIT$}");
    socket.send(&frame(true, TEXT, padded.as_bytes())).await;
    assert!(text(&mut socket).await.starts_with(r#"{"pong":{"sent":7,"#));
}

#[tokio::test]
async fn a_message_in_fragments_is_one_message() {
    let server = TestServer::start();
    let mut socket = RawSocket::hello(server.address, Codec::Json).await;
    socket.send(&frame(false, TEXT, br#"{"ping":"#)).await;
    // A control frame may come between the fragments, and is answered at once.
    socket.send(&frame(true, PING, b"still there?")).await;
    socket.send(&frame(false, CONTINUATION, b"")).await;
    socket.send(&frame(true, CONTINUATION, br#"{"sent":7}}"#)).await;
    let (opcode, payload) = socket.hear().await.unwrap();
    assert_eq!((opcode, payload.as_slice()), (0xa, b"still there?".as_slice()));
    assert!(text(&mut socket).await.starts_with(r#"{"pong":{"sent":7,"#));
}

#[tokio::test]
async fn many_messages_in_one_write_are_all_answered() {
    let server = TestServer::start();
    let mut socket = RawSocket::hello(server.address, Codec::Json).await;
    let ping = |sent| message(Codec::Json, &ClientMessage::Ping { sent: ClientInstant(sent) });
    socket.send(&(0..50).flat_map(ping).collect::<Vec<u8>>()).await;
    for sent in 0..50 {
        assert!(text(&mut socket).await.starts_with(&format!(r#"{{"pong":{{"sent":{sent},"#)));
    }
}

#[tokio::test]
async fn a_message_longer_than_the_limit_closes_with_too_big() {
    let whole = frame(true, TEXT, &[b' '; CLIENT_FRAME_LIMIT + 1]);
    // A frame that claims a length of almost 2^63 bytes and has none.
    let claim = [&[0x82, 0xff, 0x7f][..], &[0xff; 7], &[0; 4]].concat();
    let part = [b' '; CLIENT_FRAME_LIMIT / 2];
    let parts = [
        frame(false, TEXT, &part),
        frame(false, CONTINUATION, &part),
        frame(true, CONTINUATION, &part),
    ];
    for bytes in [whole, claim, parts.concat()] {
        closes(Codec::Json, &bytes, CloseCode::TooBig).await;
    }
}

#[tokio::test]
async fn text_that_is_not_utf8_closes_with_malformed() {
    for bytes in [&b"\"\xff\""[..], b"\"\xc3", b"\"\xed\xa0\x80\"", b"\xf8\x88\x80\x80\x80"] {
        closes(Codec::Json, &frame(true, TEXT, bytes), CloseCode::Malformed).await;
    }
}

#[tokio::test]
async fn an_invalid_message_closes_with_malformed_and_a_reason() {
    for (text, why) in [
        ("", "EOF"),
        ("{", "EOF"),
        ("\"no_such_thing\"", "unknown variant"),
        ("{\"ping\":{}}", "missing field"),
        ("{\"ping\":{\"sent\":-1}}", "invalid value"),
        ("\"start\" \"start\"", "trailing"),
        (
            "{\"join\":{\"code\":\"AEIO\",\"entrant\":{\"name\":\"a\",\"bot\":false},\"role\":\"player\"}}",
            "code",
        ),
        (&"[".repeat(2_000), "expected"),
    ] {
        let reason =
            closes(Codec::Json, &frame(true, TEXT, text.as_bytes()), CloseCode::Malformed).await;
        assert!(reason.contains(why), "{text:.40}: {reason}");
    }
    let start = encode(Codec::Binary, &ClientMessage::Start).unwrap();
    let start = [start.payload(), &[0]].concat();
    // A name that claims 2^40 bytes; an unknown variant; a surplus byte; no byte.
    for bytes in [&b"\x00\x01\xfd\x00\x00\x00\x00\x00\x01\x00\x00"[..], b"\xc8", &start, b""] {
        closes(Codec::Binary, &frame(true, BINARY, bytes), CloseCode::Malformed).await;
    }
}

#[tokio::test]
async fn invalid_frames_close_with_protocol_error() {
    let ping = br#"{"ping":{"sent":7}}"#;
    let masked = frame(true, TEXT, ping);
    let mut unmasked = vec![0x81, u8::try_from(ping.len()).unwrap()];
    unmasked.extend(ping);
    let with_first_byte = |byte: u8| [&[byte], &masked[1..]].concat();
    for bytes in [
        unmasked,
        with_first_byte(0xc1),           // a reserved bit
        with_first_byte(0x83),           // a reserved opcode
        frame(true, CONTINUATION, ping), // continues nothing
        [frame(false, TEXT, ping), frame(true, TEXT, ping)].concat(), // starts twice
        frame(false, PING, b""),         // control in fragments
        frame(true, PING, &[0; 126]),    // control too long
        frame(true, CLOSE, &[3]),        // half a close code
    ] {
        closes(Codec::Json, &bytes, CloseCode::ProtocolError).await;
    }
}

/// Sends bytes after hello, and returns the reason with which the connection is closed.
async fn closes(codec: Codec, bytes: &[u8], code: CloseCode) -> String {
    let server = TestServer::start();
    let mut socket = RawSocket::hello(server.address, codec).await;
    socket.send(bytes).await;
    let shown = &bytes[..bytes.len().min(40)];
    let (number, reason) =
        socket.until_closed().await.unwrap_or_else(|| panic!("no close frame for {shown:x?}"));
    assert_eq!(number, code.number(), "{reason}, for {shown:x?}");
    assert!(!reason.is_empty());
    // Nothing follows the close.
    assert_eq!(socket.hear().await, None);
    reason
}

async fn text(socket: &mut RawSocket) -> String {
    let (opcode, payload) = socket.hear().await.unwrap();
    assert_eq!(opcode, TEXT);
    String::from_utf8(payload).unwrap()
}

/// The bytes are those of version 4, which stay: a client hears of the server's version in its own.
#[tokio::test]
async fn a_client_of_version_4_hears_the_server_s_version_and_the_close_code() {
    let hello = r#"{"hello":{"version":4,"agent":"old"}}"#;
    let goodbye = format!(r#"{{"goodbye":{{"version":{{"server":{VERSION}}}}}}}"#);
    let binary = [&[0, 4, 3][..], b"old"].concat();
    let cases = [
        ("json", frame(true, TEXT, hello.as_bytes()), goodbye.into_bytes()),
        ("bincode", frame(true, BINARY, &binary), vec![17, 7, VERSION as u8]),
    ];
    for (codec, hello, goodbye) in cases {
        let server = TestServer::start();
        let mut socket = RawSocket::connect(server.address).await;
        let name = format!("gridrace.v4.{codec}");
        let asked = format!("Sec-WebSocket-Protocol: {name}\r\n");
        let response = socket.ask_to_upgrade(server.address, &asked).await;
        assert_eq!(response.status, 101, "{}", response.head);
        assert!(response.head.contains(&name), "{}", response.head);
        socket.send(&hello).await;
        assert_eq!(socket.hear().await.unwrap().1, goodbye);
        let (opcode, payload) = socket.hear().await.unwrap();
        assert_eq!((opcode, &payload[..2]), (CLOSE, &4_000u16.to_be_bytes()[..]));
    }
}
