//! Commands that have no file of tests here.

use crate::shell::{Host, command, fails, gridrace, json, printed, said};
use std::path::Path;

#[test]
fn each_way_to_end_has_its_exit_code() {
    for (arguments, code) in [
        (&["solve", "1 2/3 0"][..], 0),
        (&["solve", "2 1/3 0"], 1),
        (&["solve", "1 1/3 0"], 2),
        (&["solve", "--nonsense"], 2),
        (&["nonsense"], 2),
        (&["new", "--puzzle", "slide:1x9"], 2),
        // Nothing listens on port 1 of this machine.
        (&["bot", "KQZT", "127.0.0.1:1"], 69),
    ] {
        let output = gridrace(arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", said(&output));
        assert_eq!(said(&output).is_empty(), code == 0, "{arguments:?}: {}", said(&output));
    }
}

#[test]
fn an_id_names_the_board_that_new_prints() {
    let board = json(&gridrace(&["new", "--puzzle", "slide:5x5", "--seed", "friday", "--json"]));
    let by_id = json(&gridrace(&["solve", "slide:5x5#friday", "--json"]));
    assert_eq!(board["board"], by_id["board"]);
}

#[test]
fn the_trace_ends_with_the_identity() {
    let output = gridrace(&["solve", "--trace", "5 3 1/0 2 4"]);
    // Document 3's example begins with pictures 1, 3, 2, 5 and 4, 6 in cycles.
    let mut trace = printed(&output).lines().skip_while(|line| !line.contains("(1,3,2,5)"));
    assert!(trace.next().is_some(), "{}", printed(&output));
    let last = trace.filter(|line| line.trim_end().ends_with(" e")).count();
    assert_eq!(last, 1, "{}", printed(&output));
}

#[test]
fn without_a_terminal_four_bots_race_on_a_real_socket() {
    let output =
        gridrace(&["demo", "--puzzle", "slide:3x3", "--seed", "friday", "--pace", "10", "--json"]);
    let result = json(&output);
    assert_eq!(result["puzzle"], "slide:3x3#friday");
    assert_eq!(result["commitment_holds"], true);
    assert_eq!(result["board_holds"], true);
    let standings = result["standings"].as_array().unwrap();
    let places: Vec<_> = standings.iter().map(|row| row["place"].as_u64().unwrap()).collect();
    assert_eq!(places, [1, 2, 3, 4]);
    assert!(standings.iter().all(|row| row["finished"] == true));
}

#[test]
fn a_taken_port_says_by_what_and_how_to_join_it() {
    let host = Host::start(&[]);
    let output = gridrace(&["host", "--headless", "--listen", &host.address]);
    let join = format!("gridrace join {} joins it", host.address);
    fails(&output, 1, &["taken by a gridrace server", &join, "--listen 127.0.0.1:0"]);
}

#[test]
fn a_picture_that_can_t_be_had_is_refused_before_the_screen() {
    let output = gridrace(&["host", "--headless", "--picture", "--puzzle", "link:5x5"]);
    fails(&output, 2, &["a picture is for sliding puzzles of up to 8 rows and columns"]);
}

#[test]
fn a_server_that_isn_t_there_is_named_with_the_way_out() {
    // Nothing listens on port 1 of this machine.
    for arguments in [&["bot", "KQZT", "127.0.0.1:1"][..], &["results", "127.0.0.1:1"]] {
        let way_out = "connection refused by 127.0.0.1:1: is the server running?";
        fails(&gridrace(arguments), 69, &[way_out]);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn help_that_can_t_be_written_is_a_failure() {
    for arguments in [&["--help"][..], &["solve", "--help"], &["--version"]] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let mut program = command(arguments, Path::new(""));
        let output = program.stdout(full).output().unwrap();
        fails(&output, 1, &["No space left on device"]);
    }
    let mut program = command(&["solve", "--help"], Path::new(""));
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    assert!(program.stdout(writer).status().unwrap().success());
}

#[test]
fn numbers_below_what_is_allowed_are_told_as_such() {
    for arguments in [
        &["solve", "slide:2x2#a", "--budget", "-1"][..],
        &["solve", "slide:2x2#a", "--count", "-1"],
        &["stats", "--days", "-1"],
        &["tables", "build", "2x2", "--threads", "-1"],
    ] {
        fails(&gridrace(arguments), 2, &["invalid value '-1'"]);
    }
    fails(&gridrace(&["tables", "build", "2x2", "--threads", "999999"]), 2, &["1..=256"]);
}
