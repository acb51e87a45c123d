//! `gridrace-server` as a shell runs it.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};

/// A server of a test, killed with it.
pub(crate) struct Program {
    child: Child,
    log: BufReader<ChildStderr>,
    /// What it has said on stderr so far.
    said: String,
}

/// How a program ended.
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    /// What it said on stderr.
    pub(crate) said: String,
}

/// The program, which keeps its tables nowhere, listens on a free port of this machine, and is
/// told nothing by the variables of whoever runs the test.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gridrace-server"));
    settle(&mut command);
    command.args(["--listen", "127.0.0.1:0", "--metrics", "off"]);
    command.args(arguments);
    command
}

/// Takes a program's surroundings away, and its output.
pub(crate) fn settle(command: &mut Command) {
    for variable in ["GRIDRACE_DATA_DIR", "GRIDRACE_LOG", "GRIDRACE_PIN"] {
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

    pub(crate) fn run(command: &mut Command) -> Self {
        let mut child = command.spawn().unwrap();
        let log = BufReader::new(child.stderr.take().unwrap());
        let said = String::new();
        Self { child, log, said }
    }

    /// Returns the address on which it listens.
    pub(crate) fn address(&mut self) -> String {
        let mut line = String::new();
        let mut out = BufReader::new(self.child.stdout.as_mut().unwrap());
        out.read_line(&mut line).unwrap();
        let address = line.strip_prefix("listening on ").unwrap();
        address.split(' ').next().unwrap().to_owned()
    }

    /// Waits for a line of its log that has a text.
    pub(crate) fn says(&mut self, text: &str) {
        loop {
            let mut line = String::new();
            let read = self.log.read_line(&mut line).unwrap();
            assert!(read > 0, "it never said {text:?}:\n{}", self.said);
            self.said.push_str(&line);
            if line.contains(text) {
                return;
            }
        }
    }

    /// Sends it a signal.
    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args(["-s", name, &id]).status();
        assert!(sent.unwrap().success());
    }

    /// Waits until it ends.
    pub(crate) fn ends(mut self) -> Ended {
        let mut said = std::mem::take(&mut self.said);
        self.log.read_to_string(&mut said).unwrap();
        let code = self.child.wait().unwrap().code();
        Ended { code, said }
    }

    /// Waits until it ends, which it must before it serves anybody.
    pub(crate) fn gets_refused(mut self) -> Ended {
        let mut line = String::new();
        while self.log.read_line(&mut line).unwrap() > 0 {
            self.said.push_str(&line);
            assert!(!line.contains("listening"), "it serves:\n{}", self.said);
            line.clear();
        }
        self.ends()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.child.kill().ok(); // it may be gone
        self.child.wait().ok(); // and so may this
    }
}

/// A folder of a test, gone with it.
pub(crate) struct Folder(std::path::PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let name = format!("gridrace-server-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::remove_dir_all(&path).ok(); // an older process with this number may have left it
        std::fs::create_dir(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn at(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok(); // it is in the folder for such things
    }
}
