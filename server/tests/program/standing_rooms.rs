//! Rooms that a server is started with.

use crate::program::{Program, command};
use std::io::{Read, Write};
use std::net::TcpStream;

fn page(address: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET / HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    text
}

#[test]
fn rooms_may_be_given_several_times_by_name_and_are_listed() {
    let rooms = ["--room", "one=slide:3x3", "--room", "two=link:5x5"];
    let mut server = Program::start(&[&["--ephemeral"], &rooms[..]].concat());
    let address = server.address();
    let page = page(&address);
    for text in ["one", "slide:3x3", "two", "link:5x5"] {
        assert!(page.contains(text), "{text} in {page}");
    }
    server.stop();
}

#[test]
fn the_command_that_joins_a_room_with_a_pin_has_that_option() {
    let mut server =
        Program::start(&["--ephemeral", "--room", "one=slide:3x3 pin=4711", "--room", "slide:2x2"]);
    let lines = server.lines(3);
    assert!(lines[1].ends_with(" --pin PIN    one"), "{lines:?}");
    assert!(!lines[2].contains("--pin"), "{lines:?}");
    server.stop();
}

#[test]
fn variables_that_apply_to_nothing_are_ignored() {
    let mut server = command(&["--ephemeral"]);
    server.env("GRIDRACE_PIN", "4711").env("GRIDRACE_DURABILITY", "crash");
    Program::run(&mut server).stop();
}

#[test]
fn a_mistake_in_a_variable_names_the_variable() {
    for (options, named) in [(&[][..], "'GRIDRACE_PIN'"), (&["--pin", "1"], "'--pin <PIN>'")] {
        let mut server = command(options);
        let report = Program::run(server.env("GRIDRACE_PIN", "12")).wait_for_refusal();
        assert_eq!(report.code, Some(2));
        assert!(report.log.contains(named), "{}", report.log);
    }
}
