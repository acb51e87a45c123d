//! The commands for the data folder: what they print, and their exit codes.

use crate::program::{ExitReport, Folder, Program, isolate};
use std::path::Path;
use std::process::Command;

/// Runs a command; returns its exit code and what it printed to both streams.
fn run(arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gridrace-server"));
    isolate(&mut command);
    // A valid variable that applies to nothing is ignored.
    command.env("GRIDRACE_SHARDS", "2").args(arguments);
    let output = command.output().unwrap();
    let printed = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(printed).unwrap())
}

#[test]
fn a_host_backs_up_restores_and_prunes() {
    let folder = Folder::new();
    let [data, copy] = ["data", "copy"].map(|name| folder.at(name));
    let (code, printed) = run(&["backup", &copy, "--data", &data]);
    let missing =
        format!("there is no database gridrace.db in {data}: name the folder that has it\n");
    assert_eq!((code, printed), (Some(1), format!("gridrace-server: {missing}")));
    assert!(!Path::new(&data).exists());
    let mut server = Program::start(&["--data", &data]);
    server.wait_for_log("listening");
    let (code, printed) = run(&["backup", &copy, "--data", &data]);
    assert_eq!(code, Some(0), "{printed}");
    let size = std::fs::metadata(format!("{copy}/gridrace.db")).unwrap().len().div_ceil(1_000);
    let content = format!("0 finished heats, 0 tournaments, a database of {size} KB\n");
    assert_eq!(printed, format!("wrote {copy}: {content}"));
    let prune = ["prune", "--older-than", "365", "--data", &data];
    for refused in [&prune[..], &["restore", &copy, "--data", &data]] {
        let (code, printed) = run(refused);
        assert_eq!(code, Some(1), "{printed}");
        assert!(
            printed.contains(&format!("another server uses {data}: stop it first")),
            "{printed}"
        );
    }
    let (code, printed) = run(&[&prune[..], &["--tournaments", "--dry-run"]].concat());
    assert_eq!(code, Some(0), "{printed}");
    assert_eq!(printed, "would delete 0 finished heats, 0 tournaments, of some 0 KB\n");
    server.signal("TERM");
    let ExitReport { code, log } = server.wait_for_exit();
    assert_eq!(code, Some(0), "{log}");

    let (code, printed) = run(&prune);
    assert_eq!(code, Some(0), "{printed}");
    assert_eq!(printed, "deleted 0 finished heats, 0 tournaments, and freed 0 KB\n");
    let (code, printed) = run(&["restore", &copy, "--data", &data]);
    assert_eq!(code, Some(0), "{printed}");
    let restored =
        format!("restored {copy} in {data}: {content}the data before it is in {data}/replaced-1\n");
    assert_eq!(printed, restored);
    Program::start(&["--data", &data]).stop();
}

#[test]
fn options_of_the_server_are_refused_beside_a_command() {
    for line in [
        &["--room", "slide:3x3", "backup", "copy"][..],
        &["backup", "copy", "--room", "slide:3x3"],
        &["backup"],
        &["prune"],
        &["bakup", "copy"],
    ] {
        let (code, printed) = run(line);
        assert_eq!(code, Some(2), "{line:?}: {printed}");
    }
}
