//! `gridrace` as a shell runs it, without a terminal.

use serde_json::Value;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc;
use std::thread;

/// Runs `gridrace`; it keeps no tables.
pub fn gridrace(arguments: &[&str]) -> Output {
    gridrace_reading(arguments, "")
}

/// Runs `gridrace` with something to read; it keeps no tables.
pub fn gridrace_reading(arguments: &[&str], input: &str) -> Output {
    let mut child = start(arguments, Path::new(""));
    // A command that doesn't read may be gone before all is written.
    child.stdin.take().unwrap().write_all(input.as_bytes()).ok();
    child.wait_with_output().unwrap()
}

/// Starts `gridrace`, which keeps its tables in a directory; an empty one keeps none, and so
/// nothing in the caches of this account.
pub fn start(arguments: &[&str], cache: &Path) -> Child {
    command(arguments, cache)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Prepares `gridrace` likewise, for tests that change more about it.
pub fn command(arguments: &[&str], cache: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gridrace"));
    command.args(arguments).env_remove("GRIDRACE_NAME").env("GRIDRACE_CACHE_DIR", cache);
    // The settings of this account are none of the tests'.
    command.env("GRIDRACE_CONFIG", "");
    command
}

pub fn printed(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

/// Returns what it said on stderr.
pub fn said(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}

/// Returns the one JSON document that it printed.
pub fn json(output: &Output) -> Value {
    assert!(output.status.success(), "{}", said(output));
    serde_json::from_str(printed(output)).unwrap()
}

/// Returns the JSON documents that it printed, one a line.
pub fn json_lines(output: &Output) -> Vec<Value> {
    printed(output).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Checks how it ended, and that it said all of these on stderr.
pub fn fails(output: &Output, code: i32, texts: &[&str]) {
    assert_eq!(output.status.code(), Some(code), "{}", said(output));
    for text in texts {
        assert!(said(output).contains(text), "{text} in\n{}", said(output));
    }
}

/// A server without a screen, and the room that stands on it.
pub struct Host {
    child: Child,
    pub code: String,
    pub address: String,
}

impl Host {
    pub fn start(more: &[&str]) -> Self {
        let mut arguments = vec!["host", "--headless", "--listen", "127.0.0.1:0"];
        arguments.extend(["--puzzle", "slide:2x2", "--countdown", "1"]);
        arguments.extend(more);
        let mut child = command(&arguments, Path::new("")).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let line = lines.find(|line| line.starts_with("  gridrace join ")).unwrap();
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        // Behind them stands the link.
        let [_, _, code, address, ..] = &words[..] else { panic!("{line}") };
        let (code, address) = (code.clone(), address.clone());
        Self { child, code, address }
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.child.kill().ok(); // it may have ended by itself
        self.child.wait().ok();
    }
}

/// Listens in place of a server, and forwards two connections to it. Sends the third, which has no answer.
fn forward_two(server: &str) -> (String, mpsc::Receiver<TcpStream>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let server = server.to_owned();
    let (sender, third) = mpsc::channel();
    thread::spawn(move || {
        for _ in 0..2 {
            let (client, _) = listener.accept().unwrap();
            let server = TcpStream::connect(&server).unwrap();
            for (mut from, mut to) in [(&client, &server), (&server, &client)]
                .map(|(from, to)| (from.try_clone().unwrap(), to.try_clone().unwrap()))
            {
                thread::spawn(move || {
                    // Either side may reset its connection.
                    io::copy(&mut from, &mut to).ok();
                    to.shutdown(Shutdown::Write).ok();
                });
            }
        }
        sender.send(listener.accept().unwrap().0).unwrap();
    });
    (address, third)
}

/// Sends three bots to a server, and interrupts them once two have entered.
pub fn interrupt_third_bot(arguments: &[&str], server: &str, key: &Path) -> Output {
    let (address, third) = forward_two(server);
    let bots = [arguments, &[&address, "--count", "3"]].concat();
    let bots = command(&bots, Path::new(""))
        .env("GRIDRACE_KEY", key)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let _unanswered = third.recv().unwrap();
    Command::new("kill").args(["-INT", &bots.id().to_string()]).status().unwrap();
    bots.wait_with_output().unwrap()
}
