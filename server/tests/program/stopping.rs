//! The program and its signals.

use crate::program::Program;
use std::io::{Read, Write};
use std::net::TcpStream;

/// Comes in by a WebSocket, and never says a word.
fn silent(address: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    let request = format!(
        "GET /ws HTTP/1.1\r\nHost: {address}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
         Sec-WebSocket-Protocol: gridrace.v4.json\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = [0; 12];
    stream.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"HTTP/1.1 101");
    stream
}

#[test]
fn a_server_that_is_asked_to_stop_ends_well() {
    for signal in ["TERM", "INT"] {
        let mut program = Program::start(&["--ephemeral"]);
        program.says("listening");
        program.signal(signal);
        program.says("shutting down");
        assert_eq!(program.ends().code, Some(0), "SIG{signal}");
    }
}

#[test]
fn a_server_that_is_asked_twice_ends_at_once() {
    for signal in ["TERM", "INT"] {
        let mut program = Program::start(&["--ephemeral"]);
        let address = program.address();
        // It would be waited for.
        let _silent = silent(&address);
        program.signal(signal);
        program.says("shutting down");
        program.signal(signal);
        assert_eq!(program.ends().code, Some(130), "SIG{signal}");
    }
}
