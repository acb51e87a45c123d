//! A socket on which anything may be sent, valid or not.

use super::PATIENCE;
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::protocol::client::{ClientMessage, Hello};
use gridrace_shared::protocol::codec::{Codec, encode};
use gridrace_shared::protocol::{PATH, VERSION};
use std::fmt::Display;
use std::io;
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;

/// The opcodes of RFC 6455, section 5.2.
pub(crate) const CONTINUATION: u8 = 0x0;
pub(crate) const TEXT: u8 = 0x1;
pub(crate) const BINARY: u8 = 0x2;
pub(crate) const CLOSE: u8 = 0x8;
pub(crate) const PING: u8 = 0x9;
pub(crate) const PONG: u8 = 0xa;
/// The bit of a message's last frame.
const FIN: u8 = 0x80;
const MASK: [u8; 4] = [0x12, 0x34, 0x56, 0x78];

/// A TCP connection after, or without, a WebSocket handshake.
pub(crate) struct RawSocket {
    stream: TcpStream,
}

/// The head of an HTTP response, and its body as far as it came.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    /// Status line and headers in lower case.
    pub(crate) head: String,
    /// As text, what isn't UTF-8 replaced.
    pub(crate) body: String,
}

/// A frame of the server's, opcode and payload.
pub(crate) type RawFrame = (u8, Vec<u8>);

impl RawSocket {
    pub(crate) async fn connect(address: SocketAddr) -> Self {
        let stream = timeout(PATIENCE, TcpStream::connect(address)).await.unwrap().unwrap();
        Self { stream }
    }

    /// Joins as a spectator over a socket with a small buffer. It is for a client that never
    /// reads.
    pub(crate) async fn deaf_spectator(address: SocketAddr, code: RoomCode, name: &str) -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(2_048).unwrap();
        let mut socket = Self { stream: socket.connect(address).await.unwrap() };
        socket.shake_hands(address, Codec::Json).await;
        socket.say_hello(Codec::Json).await;
        socket.join(&code.to_string(), name, "spectator").await;
        socket
    }

    /// Connects, shakes hands and says hello.
    pub(crate) async fn hello(address: SocketAddr, codec: Codec) -> Self {
        let mut socket = Self::connect(address).await;
        socket.shake_hands(address, codec).await;
        socket.say_hello(codec).await;
        socket
    }

    pub(crate) async fn shake_hands(&mut self, address: SocketAddr, codec: Codec) {
        let subprotocol = format!("Sec-WebSocket-Protocol: {}\r\n", codec.subprotocol());
        let response = self.ask_to_upgrade(address, &subprotocol).await;
        assert_eq!(response.status, 101, "{}", response.head);
        // The answer to the key of RFC 6455's own example.
        assert!(response.head.contains("s3pplmbitxaq9kygzzhzrbk+xoo="), "{}", response.head);
    }

    pub(crate) async fn say_hello(&mut self, codec: Codec) {
        self.send(&message(codec, &greeting(VERSION))).await;
        let (opcode, _) = self.hear().await.unwrap();
        assert!(opcode == TEXT || opcode == BINARY, "a welcome");
    }

    /// Asks in JSON for a place in a room.
    pub(crate) async fn join(&mut self, code: &str, name: &str, role: &str) {
        let join = format!(
            r#"{{"join":{{"code":"{code}","entrant":{{"name":"{name}","bot":false}},"role":"{role}"}}}}"#
        );
        self.send(&frame(true, TEXT, join.as_bytes())).await;
    }

    /// Asks for an upgrade with further header lines.
    pub(crate) async fn ask_to_upgrade(&mut self, host: impl Display, headers: &str) -> Response {
        let request = format!(
            "GET {PATH} HTTP/1.1\r\nHost: {host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
             {headers}\r\n"
        );
        self.send(request.as_bytes()).await;
        self.response_head().await
    }

    /// Asks for a page and reads it to its end.
    pub(crate) async fn get(address: SocketAddr, path: &str, headers: &str) -> Response {
        Self::request(address, &format!("GET {path}"), headers).await
    }

    /// Sends a request of a method and a path, and reads the answer to its end.
    pub(crate) async fn request(address: SocketAddr, request: &str, headers: &str) -> Response {
        let mut socket = Self::connect(address).await;
        let request =
            format!("{request} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{headers}\r\n");
        socket.send(request.as_bytes()).await;
        let mut response = socket.response_head().await;
        let mut body = Vec::new();
        timeout(PATIENCE, socket.stream.read_to_end(&mut body)).await.unwrap().unwrap();
        response.body += &String::from_utf8_lossy(&body);
        response
    }

    /// Sends bytes as they are; whether they are still wanted is not asked.
    pub(crate) async fn send(&mut self, bytes: &[u8]) {
        // The server may have closed already: what it said is heard all the same.
        self.send_all(bytes).await.ok();
    }

    /// Sends bytes.
    ///
    /// # Errors
    /// The system's, if the server closed or reset the connection.
    pub(crate) async fn send_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        timeout(PATIENCE, self.stream.write_all(bytes)).await.unwrap()
    }

    /// Hears one frame that isn't a ping; nothing once the connection is at its end.
    pub(crate) async fn hear(&mut self) -> Option<RawFrame> {
        loop {
            let frame = timeout(PATIENCE, self.read_frame()).await.expect("a frame, or the end");
            // The server pings when it likes.
            if frame.as_ref().is_none_or(|&(opcode, _)| opcode != PING) {
                return frame;
            }
        }
    }

    /// Hears frames up to the close frame and returns its code and reason; nothing where
    /// the connection ended without one.
    pub(crate) async fn until_closed(&mut self) -> Option<(u16, String)> {
        while let Some((opcode, payload)) = self.hear().await {
            if opcode == CLOSE {
                let (code, reason) = payload.split_first_chunk::<2>()?;
                let reason = String::from_utf8(reason.to_vec()).unwrap();
                return Some((u16::from_be_bytes(*code), reason));
            }
        }
        None
    }

    /// Waits until the server ends the connection, whatever it says before.
    pub(crate) async fn until_end(&mut self) {
        let mut rest = Vec::new();
        // A reset is an end as well.
        timeout(PATIENCE, self.stream.read_to_end(&mut rest)).await.expect("an end").ok();
    }

    async fn read_frame(&mut self) -> Option<RawFrame> {
        let mut head = [0; 2];
        self.stream.read_exact(&mut head).await.ok()?;
        assert_eq!(head[1] & 0x80, 0, "a server doesn't mask");
        let length = match head[1] {
            126 => u64::from(self.stream.read_u16().await.ok()?),
            127 => self.stream.read_u64().await.ok()?,
            short => u64::from(short),
        };
        let mut payload = vec![0; usize::try_from(length).unwrap()];
        self.stream.read_exact(&mut payload).await.ok()?;
        Some((head[0] & 0x0f, payload))
    }

    pub(crate) async fn response_head(&mut self) -> Response {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let byte = timeout(PATIENCE, self.stream.read_u8()).await.unwrap();
            head.push(byte.expect("a whole head"));
        }
        let head = String::from_utf8(head).unwrap().to_lowercase();
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap();
        Response { status, head, body: String::new() }
    }
}

/// The first message of a connection.
pub(crate) fn greeting(version: u16) -> ClientMessage {
    ClientMessage::Hello(Hello { version, agent: "test".to_owned() })
}

/// Writes a message as one masked frame.
pub(crate) fn message(codec: Codec, message: &ClientMessage) -> Vec<u8> {
    let opcode = match codec {
        Codec::Binary => BINARY,
        Codec::Json => TEXT,
    };
    frame(true, opcode, encode(codec, message).unwrap().payload())
}

pub(crate) fn frame(last: bool, opcode: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![if last { FIN | opcode } else { opcode }];
    match payload.len() {
        length @ 0..=125 => bytes.push(0x80 | u8::try_from(length).unwrap()),
        length @ 126..=0xffff => {
            bytes.push(0x80 | 126);
            bytes.extend(u16::try_from(length).unwrap().to_be_bytes());
        }
        length => {
            bytes.push(0x80 | 127);
            bytes.extend((length as u64).to_be_bytes());
        }
    }
    bytes.extend(MASK);
    bytes.extend(payload.iter().zip(MASK.iter().cycle()).map(|(byte, mask)| byte ^ mask));
    bytes
}
