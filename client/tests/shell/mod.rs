//! `gridrace` as a shell runs it, without a terminal.

use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

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
/// nothing in the caches of whoever runs the test.
pub fn start(arguments: &[&str], cache: &Path) -> Child {
    command(arguments, cache)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Prepares `gridrace` likewise, for whoever changes more about it.
pub fn command(arguments: &[&str], cache: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gridrace"));
    command.args(arguments).env_remove("GRIDRACE_NAME").env("GRIDRACE_CACHE_DIR", cache);
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
pub fn json(output: &Output) -> serde_json::Value {
    assert!(output.status.success(), "{}", said(output));
    serde_json::from_str(printed(output)).unwrap()
}
