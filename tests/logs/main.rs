//! Text that the server's log never contains at any level: tokens, and control characters of peers.
//!
//! A test binary of its own: `tracing` caches for each callsite whether a subscriber reads it, so a
//! callsite first reached by a thread without one may stay disabled. Here the subscriber is global
//! and set before the first server starts.

#![cfg(test)]

#[expect(dead_code, unused_imports, reason = "these tests need little of it")]
#[path = "../it/harness/mod.rs"]
mod harness;

use gridrace_shared::heat::player_name::NameError;
use gridrace_shared::heat::resume_token::ResumeToken;
use gridrace_shared::protocol::VERSION;
use gridrace_shared::protocol::client::{ClientMessage, Hello, Role};
use gridrace_shared::protocol::codec::Codec;
use gridrace_shared::protocol::server::Refusal;
use harness::raw::{TEXT, frame, message};
use harness::{RawSocket, TestClient, TestServer, join, options, stopped};
use std::io;
use std::sync::{Mutex, Once};
use tracing::Level;

/// The log of this process at all levels, including libraries.
static LOG: Log = Log { begun: Once::new(), text: Mutex::new(Vec::new()) };

struct Log {
    begun: Once,
    text: Mutex<Vec<u8>>,
}

impl Log {
    /// Starts the capture. Each test calls it first.
    fn begin(&'static self) {
        self.begun.call_once(|| {
            tracing_subscriber::fmt()
                .with_max_level(Level::TRACE)
                .with_writer(move || self)
                .with_ansi(false)
                .init();
        });
    }

    fn text(&self) -> String {
        String::from_utf8(self.text.lock().unwrap().clone()).unwrap()
    }
}

impl io::Write for &Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.text.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn tokens_are_never_in_the_log_at_any_level() {
    LOG.begin();
    let server = TestServer::start();
    let mut tokens = Vec::new();
    for codec in Codec::ALL {
        let mut anna = TestClient::connect(server.address, codec).await;
        anna.open("Anna", &options("slide:3x3")).await;
        let code = anna.view().code;
        let first = anna.vanish();

        let mut back = TestClient::connect(server.address, codec).await;
        back.resume(&first).await;
        back.say(ClientMessage::Confirm).await;
        let second = back.ticket().token;
        back.settle().await;
        // The first token is used.
        let mut thief = TestClient::connect(server.address, codec).await;
        thief.refused_for(first.request(), Refusal::NotResumed).await;
        // A token in an invalid message.
        let mut clumsy = RawSocket::hello(server.address, Codec::Json).await;
        let text = String::from(second.clone());
        let wrong = format!(r#"{{"resume":{{"code":"{code}","player":1,"token":"{text}x"}}}}"#);
        clumsy.send(&frame(true, TEXT, wrong.as_bytes())).await;
        clumsy.until_closed().await;
        tokens.extend([first.token, second]);
    }
    stopped(server.begin_to_stop()).await;
    let log = LOG.text();
    assert!(log.contains("resume") && log.contains("closing"), "{log}");
    for token in tokens {
        for shape in shapes(&token) {
            assert!(!log.contains(&shape), "{shape} is in:\n{log}");
        }
    }
}

/// Returns parts of the forms in which a token could be printed: hexadecimal digits of either case,
/// a list of numbers, escaped bytes.
fn shapes(token: &ResumeToken) -> [String; 4] {
    let digits = String::from(token.clone());
    let bytes: Vec<u8> = (0..digits.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap())
        .collect();
    let list = format!("{:?}", &bytes[8..16]);
    let escaped = bytes[8..16].escape_ascii().to_string();
    [
        digits[16..32].to_owned(),
        digits[16..32].to_uppercase(),
        list[1..list.len() - 1].to_owned(),
        escaped,
    ]
}

#[tokio::test]
async fn control_characters_never_reach_the_log() {
    const STEERS: &str = "\u{1b}[2J\u{1b}]0;owned\u{7}\u{9b}31m\u{202e}fed\u{2066}\r\n\
                          1999-12-31 ERROR forged";
    LOG.begin();
    let server = TestServer::start();
    let mut steered = RawSocket::connect(server.address).await;
    steered.shake_hands(server.address, Codec::Json).await;
    let hello = ClientMessage::Hello(Hello { version: VERSION, agent: STEERS.to_owned() });
    steered.send(&message(Codec::Json, &hello)).await;
    assert!(steered.hear().await.is_some(), "a welcome");
    let mut anna = server.client().await;
    let code = anna.open("Anna", &options("slide:3x3")).await;
    let mut ben = server.client().await;
    let refusal = Refusal::Name(NameError::Forbidden);
    ben.refused_for(join(code, STEERS, Role::Player), refusal).await;
    // In an invalid message, in a path, and in a header.
    let mut clumsy = RawSocket::hello(server.address, Codec::Json).await;
    clumsy.send(&frame(true, TEXT, STEERS.as_bytes())).await;
    clumsy.until_closed().await;
    for request in [
        format!("GET /{STEERS} HTTP/1.1\r\nHost: here\r\n\r\n"),
        format!("GET / HTTP/1.1\r\nHost: here\r\nOrigin: {STEERS}\r\n\r\n"),
        STEERS.to_owned(),
    ] {
        let mut socket = RawSocket::connect(server.address).await;
        socket.send(request.as_bytes()).await;
        socket.send(b"\r\n\r\n").await;
        socket.until_end().await;
    }
    stopped(server.begin_to_stop()).await;
    let log = LOG.text();
    assert!(log.contains("hello") && log.contains("forged"), "{log}");
    assert!(!log.lines().any(|line| line.starts_with("1999")));
    let steers = |c: char| c != '\n' && !gridrace_shared::heat::player_name::is_displayable(c);
    let found: Vec<char> = log.chars().filter(|&c| steers(c)).collect();
    assert!(found.is_empty(), "{found:?} in:\n{log}");
}
