//! Runs `gridrace-server` as a child process.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use tempfile::TempDir;

/// A running server, killed on drop.
pub(crate) struct Program {
    child: Child,
    stderr: BufReader<ChildStderr>,
    /// The part of stderr read so far.
    log: String,
}

pub(crate) struct ExitReport {
    pub(crate) code: Option<i32>,
    pub(crate) log: String,
}

/// Returns a command for the program on a free local port, without a table cache, and isolated
/// from the environment of the test.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gridrace-server"));
    isolate(&mut command);
    command.args(["--listen", "127.0.0.1:0", "--metrics", "off"]);
    command.args(arguments);
    command
}

/// Clears the environment variables of the program, and captures its output.
pub(crate) fn isolate(command: &mut Command) {
    for variable in ["GRIDRACE_DATA_DIR", "GRIDRACE_DURABILITY", "GRIDRACE_LOG", "GRIDRACE_PIN"] {
        command.env_remove(variable);
    }
    command
        .env("GRIDRACE_CACHE_DIR", "")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
}

impl Program {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        Self::run(&mut command(arguments))
    }

    /// Runs a command after [`isolate`].
    pub(crate) fn run(command: &mut Command) -> Self {
        let mut child = command.spawn().unwrap();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        let log = String::new();
        Self { child, stderr, log }
    }

    /// Returns the address that it prints.
    pub(crate) fn address(&mut self) -> String {
        let mut line = String::new();
        let mut out = BufReader::new(self.child.stdout.as_mut().unwrap());
        out.read_line(&mut line).unwrap();
        let address = line.strip_prefix("listening on ").unwrap();
        address.split(' ').next().unwrap().to_owned()
    }

    /// Returns the first lines that it prints.
    pub(crate) fn lines(&mut self, count: usize) -> Vec<String> {
        let out = BufReader::new(self.child.stdout.as_mut().unwrap());
        out.lines().take(count).map(Result::unwrap).collect()
    }

    /// Waits for a log line that contains a text.
    pub(crate) fn wait_for_log(&mut self, text: &str) -> String {
        loop {
            let mut line = String::new();
            let read = self.stderr.read_line(&mut line).unwrap();
            assert!(read > 0, "no log line with {text:?}:\n{}", self.log);
            self.log.push_str(&line);
            if line.contains(text) {
                return line;
            }
        }
    }

    /// Stops it by SIGTERM once it listens.
    pub(crate) fn stop(mut self) -> ExitReport {
        self.wait_for_log("listening");
        self.signal("TERM");
        let report = self.wait_for_exit();
        assert_eq!(report.code, Some(0), "{}", report.log);
        report
    }

    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args(["-s", name, &id]).status();
        assert!(sent.unwrap().success());
    }

    pub(crate) fn wait_for_exit(mut self) -> ExitReport {
        let mut log = std::mem::take(&mut self.log);
        self.stderr.read_to_string(&mut log).unwrap();
        let code = self.child.wait().unwrap().code();
        ExitReport { code, log }
    }

    /// Waits until it exits without having served.
    pub(crate) fn wait_for_refusal(mut self) -> ExitReport {
        let mut line = String::new();
        while self.stderr.read_line(&mut line).unwrap() > 0 {
            self.log.push_str(&line);
            assert!(!line.contains("listening"), "the server started:\n{}", self.log);
            line.clear();
        }
        self.wait_for_exit()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.child.kill().ok(); // it may have exited
        self.child.wait().ok(); // likewise
    }
}

/// A temporary folder, removed on drop.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn at(&self, name: &str) -> String {
        self.path().join(name).display().to_string()
    }
}
