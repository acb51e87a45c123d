//! Signals that stop the program.

use crate::program::{Program, command, isolate};
use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Command;

/// Opens a WebSocket that sends nothing.
fn open_silent_socket(address: &str) -> TcpStream {
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
fn a_signal_stops_the_server() {
    for signal in ["TERM", "INT", "HUP"] {
        let mut program = Program::start(&["--ephemeral"]);
        program.wait_for_log("listening");
        program.signal(signal);
        program.wait_for_log("shutting down");
        assert_eq!(program.wait_for_exit().code, Some(0), "SIG{signal}");
    }
}

#[test]
fn a_hangup_that_is_ignored_at_the_start_stops_nothing() {
    let mut shell = Command::new("sh");
    isolate(&mut shell);
    // As `nohup` does.
    shell.args(["-c", "trap '' HUP; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_gridrace-server")]);
    shell.args(["--listen", "127.0.0.1:0", "--metrics", "off", "--ephemeral"]);
    let mut program = Program::run(&mut shell);
    let address = program.address();
    // A shutdown waits for this connection, and a second signal would end it with 130.
    let _socket = open_silent_socket(&address);
    program.signal("HUP");
    program.signal("TERM");
    assert_eq!(program.wait_for_exit().code, Some(0));
}

#[test]
fn a_log_that_can_t_be_written_stops_nothing() {
    let mut command = command(&["--ephemeral", "--log-level", "debug"]);
    // Each write to it fails, as on a disk that is full.
    let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut server = command.stderr(full).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.split(' ').nth(2).unwrap();
    drop(open_silent_socket(address));
    let id = server.id().to_string();
    assert!(Command::new("kill").args(["-s", "TERM", &id]).status().unwrap().success());
    assert_eq!(server.wait().unwrap().code(), Some(0));
}

#[test]
fn a_second_signal_exits_at_once() {
    for signal in ["TERM", "INT"] {
        let mut program = Program::start(&["--ephemeral"]);
        let address = program.address();
        // The shutdown waits for this connection.
        let _socket = open_silent_socket(&address);
        program.signal(signal);
        program.wait_for_log("shutting down");
        program.signal(signal);
        assert_eq!(program.wait_for_exit().code, Some(130), "SIG{signal}");
    }
}
