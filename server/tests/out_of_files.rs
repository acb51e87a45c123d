//! The server as a program of its own, with fewer open files than there are guests.

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

/// How many files the server may have open: what it needs for itself, and some guests.
const FILES: &str = "64";
/// More guests than it can have.
const GUESTS: usize = 100;
/// How long what must come is waited for.
const PATIENCE: Duration = Duration::from_secs(30);

/// A server that is killed when it is dropped.
struct Server {
    child: Child,
    address: SocketAddr,
    /// What it says on its standard output and in its log.
    said: Receiver<String>,
    folder: PathBuf,
}

impl Server {
    fn start() -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join(format!("out-of-files-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let mut child = Command::new("sh")
            // For good: the server asks for as many as it may have.
            .args(["-c", "ulimit -n \"$0\" && exec \"$@\"", FILES])
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
        let (tell, said) = channel();
        let pipes: [Box<dyn Read + Send>; 2] =
            [Box::new(child.stdout.take().unwrap()), Box::new(child.stderr.take().unwrap())];
        for pipe in pipes {
            let tell = tell.clone();
            std::thread::spawn(move || {
                for line in BufReader::new(pipe).lines().map_while(Result::ok) {
                    tell.send(line).ok(); // the test may be over
                }
            });
        }
        let mut server = Self { child, address: ([127, 0, 0, 1], 0).into(), said, folder };
        let line = server.says("listening on ");
        let address = line.split_whitespace().nth(2).unwrap();
        server.address = address.parse().unwrap();
        server
    }

    /// Waits until it says something.
    fn says(&self, what: &str) -> String {
        loop {
            let line = self.said.recv_timeout(PATIENCE);
            let line = line.unwrap_or_else(|_| panic!("it doesn't say {what:?}"));
            if line.contains(what) && !line.contains(" INFO ") {
                return line;
            }
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().ok(); // it may have ended by itself
        self.child.wait().ok();
        fs::remove_dir_all(&self.folder).ok(); // the next build's sweep takes what is left
    }
}

struct Person(WebSocket<TcpStream>);

impl Person {
    /// Connects, says hello and is welcome.
    fn comes(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut request = format!("ws://{address}{PATH}").into_client_request().unwrap();
        let codec = HeaderValue::from_static(Codec::Json.subprotocol());
        request.headers_mut().insert("Sec-WebSocket-Protocol", codec);
        let (socket, _) = tungstenite::client(request, stream).unwrap();
        let mut person = Self(socket);
        let agent = "test".to_owned();
        let version = VERSION;
        person.says(&ClientMessage::Hello(Hello { version, agent }));
        person.hears(|message| matches!(message, ServerMessage::Welcome { .. }).then_some(()));
        person
    }

    fn says(&mut self, message: &ClientMessage) {
        let text = serde_json::to_string(message).unwrap();
        self.0.send(Message::text(text)).unwrap();
    }

    fn hears<T>(&mut self, wanted: impl Fn(&ServerMessage) -> Option<T>) -> T {
        loop {
            if let Message::Text(text) = self.0.read().unwrap() {
                let message = decode_text::<_, SERVER_FRAME_LIMIT>(&text).unwrap();
                if let Some(found) = wanted(&message) {
                    return found;
                }
            }
        }
    }

    /// Opens a heat and starts it.
    fn races(&mut self) -> Board {
        let options =
            HeatOptions { countdown_seconds: 1, ..HeatOptions::new("slide:4x4".parse().unwrap()) };
        self.says(&ClientMessage::Open {
            entrant: Entrant { name: "Anna".to_owned(), bot: false },
            options,
            seed: None,
            pin: None,
        });
        self.says(&ClientMessage::Start);
        self.hears(|message| match message {
            ServerMessage::Phase(Phase::Running { start, .. }) => Some(start.clone()),
            _ => None,
        })
    }

    /// Plays a move and waits for its acknowledgement, which means that it is on the disk.
    fn plays(&mut self, board: &mut Board, seq: u32) {
        let play = board.legal_moves().swap_remove(0);
        board.play(&play).unwrap();
        let seq = Seq(seq);
        self.says(&ClientMessage::Move { seq, play });
        self.hears(|message| {
            matches!(message, ServerMessage::Accepted { seq: to, .. } if *to == seq).then_some(())
        });
    }
}

#[test]
fn without_files_left_whoever_is_in_races_on_and_others_come_in_later() {
    let server = Server::start();
    let mut anna = Person::comes(server.address);
    let mut board = anna.races();
    anna.plays(&mut board, 1);

    // The system shakes hands with all of them; the server can take in some.
    let guests: Vec<TcpStream> =
        (0..GUESTS).map(|_| TcpStream::connect(server.address).unwrap()).collect();
    let said = server.says("can't accept");
    assert!(said.contains("Too many open files"), "{said}");
    anna.plays(&mut board, 2);
    drop(guests);
    let mut ben = Person::comes(server.address);
    ben.says(&ClientMessage::Heats);
    ben.hears(|message| match message {
        ServerMessage::Heats(heats) => (heats.len() == 1).then_some(()),
        _ => None,
    });
    anna.plays(&mut board, 3);
}
