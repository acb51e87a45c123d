//! A server with fewer file descriptors than clients.

#![cfg(test)]
#![cfg(target_os = "linux")]
#![expect(clippy::wildcard_enum_match_arm, reason = "a test looks for one variant among all")]

use gridrace_shared::heat::ids::Seq;
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::protocol::client::{ClientMessage, Entrant, Hello};
use gridrace_shared::protocol::codec::{Codec, SERVER_FRAME_LIMIT, decode_text};
use gridrace_shared::protocol::server::ServerMessage;
use gridrace_shared::protocol::snapshot::Phase;
use gridrace_shared::protocol::{PATH, VERSION};
use gridrace_shared::puzzle::Board;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::{self, Message, WebSocket};

/// File descriptors of the server: its own, and those of some clients.
const MAX_FILES: &str = "64";
/// More clients than the server can accept.
const CLIENTS: usize = 100;
const TIMEOUT: Duration = Duration::from_secs(30);

/// A running server, killed on drop.
struct Server {
    child: Child,
    address: SocketAddr,
    /// Lines of its stdout and stderr.
    lines: Receiver<String>,
    folder: PathBuf,
}

impl Server {
    fn start() -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join(format!("out-of-files-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let mut child = Command::new("sh")
            // The hard limit, too: the server raises the soft one.
            .args(["-c", "ulimit -n \"$0\" && exec \"$@\"", MAX_FILES])
            .arg(env!("CARGO_BIN_EXE_gridrace-server"))
            .args(["--listen", "127.0.0.1:0", "--metrics", "off"])
            .arg("--data")
            .arg(folder.join("data"))
            .env("GRIDRACE_CACHE_DIR", folder.join("tables"))
            .env_remove("GRIDRACE_LOG")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (send, lines) = channel();
        let pipes: [Box<dyn Read + Send>; 2] =
            [Box::new(child.stdout.take().unwrap()), Box::new(child.stderr.take().unwrap())];
        for pipe in pipes {
            let send = send.clone();
            std::thread::spawn(move || {
                for line in BufReader::new(pipe).lines().map_while(Result::ok) {
                    send.send(line).ok(); // the test may be over
                }
            });
        }
        let mut server = Self { child, address: ([127, 0, 0, 1], 0).into(), lines, folder };
        let line = server.wait_for_line("listening on ");
        let address = line.split_whitespace().nth(2).unwrap();
        server.address = address.parse().unwrap();
        server
    }

    /// Waits for a line that contains a text.
    fn wait_for_line(&self, what: &str) -> String {
        loop {
            let line = self.lines.recv_timeout(TIMEOUT);
            let line = line.unwrap_or_else(|_| panic!("no line with {what:?}"));
            if line.contains(what) && !line.contains(" INFO ") {
                return line;
            }
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().ok(); // it may have exited
        self.child.wait().ok();
        fs::remove_dir_all(&self.folder).ok(); // left to the next cleaning of the build folder
    }
}

struct Player(WebSocket<TcpStream>);

impl Player {
    /// Connects and completes the hello.
    fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        let mut request = format!("ws://{address}{PATH}").into_client_request().unwrap();
        let codec = HeaderValue::from_static(Codec::Json.subprotocol());
        request.headers_mut().insert("Sec-WebSocket-Protocol", codec);
        let (socket, _) = tungstenite::client(request, stream).unwrap();
        let mut player = Self(socket);
        let agent = "test".to_owned();
        let version = VERSION;
        player.send(&ClientMessage::Hello(Hello { version, agent }));
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
    let server = Server::start();
    let mut anna = Player::connect(server.address);
    let mut board = anna.start_heat();
    anna.play(&mut board, 1);

    // The system completes all TCP handshakes; the server accepts some.
    let clients: Vec<TcpStream> =
        (0..CLIENTS).map(|_| TcpStream::connect(server.address).unwrap()).collect();
    let line = server.wait_for_line("accept failed");
    assert!(line.contains("Too many open files"), "{line}");
    anna.play(&mut board, 2);
    drop(clients);
    let mut ben = Player::connect(server.address);
    ben.send(&ClientMessage::Heats);
    ben.receive(|message| match message {
        ServerMessage::Heats(heats) => (heats.len() == 1).then_some(()),
        _ => None,
    });
    anna.play(&mut board, 3);
}
