//! A server with fewer file descriptors than clients.

#![cfg(target_os = "linux")]
#![expect(clippy::wildcard_enum_match_arm, reason = "a test looks for one variant among all")]

use crate::program::{Folder, Program, isolate};
use gridrace_shared::heat::ids::Seq;
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::protocol::client::{ClientMessage, Entrant, Hello};
use gridrace_shared::protocol::codec::{Codec, SERVER_FRAME_LIMIT, decode_text};
use gridrace_shared::protocol::server::ServerMessage;
use gridrace_shared::protocol::snapshot::Phase;
use gridrace_shared::protocol::{PATH, VERSION};
use gridrace_shared::puzzle::Board;
use std::net::TcpStream;
use std::process::Command;
use std::time::Duration;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::{self, Message, WebSocket};

/// File descriptors of the server: its own, and those of some clients.
const MAX_FILES: &str = "64";
/// More clients than the server can accept.
const CLIENTS: usize = 100;
const TIMEOUT: Duration = Duration::from_secs(30);

struct Player(WebSocket<TcpStream>);

impl Player {
    /// Connects and completes the hello.
    fn connect(address: &str) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        let mut request = format!("ws://{address}{PATH}").into_client_request().unwrap();
        let codec = HeaderValue::from_static(Codec::Json.subprotocol());
        request.headers_mut().insert("Sec-WebSocket-Protocol", codec);
        let (socket, _) = tungstenite::client(request, stream).unwrap();
        let mut player = Self(socket);
        let hello = Hello { version: VERSION, agent: "test".to_owned() };
        player.send(&ClientMessage::Hello(hello));
        player.receive(|message| matches!(message, ServerMessage::Welcome { .. }).then_some(()));
        player
    }

    fn send(&mut self, message: &ClientMessage) {
        let text = serde_json::to_string(message).unwrap();
        self.0.send(Message::text(text)).unwrap();
    }

    fn receive<T>(&mut self, wanted: impl Fn(&ServerMessage) -> Option<T>) -> T {
        loop {
            if let Message::Text(text) = self.0.read().unwrap() {
                let message = decode_text::<_, SERVER_FRAME_LIMIT>(&text).unwrap();
                if let Some(found) = wanted(&message) {
                    return found;
                }
            }
        }
    }

    /// Opens a room and starts its heat.
    fn start_heat(&mut self) -> Board {
        let options =
            HeatOptions { countdown_seconds: 1, ..HeatOptions::new("slide:4x4".parse().unwrap()) };
        self.send(&ClientMessage::Open {
            entrant: Entrant { name: "Anna".to_owned(), bot: false },
            options,
            seed: None,
            pin: None,
        });
        self.send(&ClientMessage::Start);
        self.receive(|message| match message {
            ServerMessage::Phase(Phase::Running { start, .. }) => Some(start.clone()),
            _ => None,
        })
    }

    /// Plays a move and waits for its acknowledgement, which means that it is journalled.
    fn play(&mut self, board: &mut Board, seq: u32) {
        let play = board.legal_moves().swap_remove(0);
        board.play(&play).unwrap();
        let seq = Seq(seq);
        self.send(&ClientMessage::Move { seq, play });
        self.receive(|message| {
            matches!(message, ServerMessage::Accepted { seq: to, .. } if *to == seq).then_some(())
        });
    }
}

#[test]
fn without_file_descriptors_players_race_on_and_others_connect_later() {
    let folder = Folder::new();
    let mut command = Command::new("sh");
    // The hard limit, too: the server raises the soft one.
    command.args(["-c", "ulimit -n \"$0\" && exec \"$@\"", MAX_FILES]);
    command.args([env!("CARGO_BIN_EXE_gridrace-server"), "--listen", "127.0.0.1:0"]);
    command.args(["--metrics", "off", "--data", &folder.at("data")]);
    isolate(&mut command);
    let mut server = Program::run(&mut command);
    let address = server.address();
    let mut anna = Player::connect(&address);
    let mut board = anna.start_heat();
    anna.play(&mut board, 1);

    // The system completes all TCP handshakes; the server accepts some.
    let clients: Vec<TcpStream> =
        (0..CLIENTS).map(|_| TcpStream::connect(&address).unwrap()).collect();
    let line = server.wait_for_log("accept failed");
    assert!(line.contains("Too many open files"), "{line}");
    anna.play(&mut board, 2);
    drop(clients);
    let mut ben = Player::connect(&address);
    ben.send(&ClientMessage::Rooms);
    ben.receive(|message| match message {
        ServerMessage::Rooms(heats) => (heats.len() == 1).then_some(()),
        _ => None,
    });
    anna.play(&mut board, 3);
}
