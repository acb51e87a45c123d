//! `gridrace stats` over a folder of kept races.

use crate::shell::{command, fails, json_lines, printed};
use serde_json::json;
use std::path::Path;
use std::process::Output;

/// A folder in which three races on 3×3 are kept.
fn races() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let race = |number: u64| {
        json!({
            "number": number, "began": 1_795_219_200 + 600 * number, "puzzle": "slide:3x3",
            "seed": format!("s{number}"), "room": "KQZT", "heat": number, "time": 9_000 + 1_000 * number,
            "moves": 30, "acts": 25, "hints": 0, "penalty": 0, "progress": 1_000, "best": null,
            "place": 1, "of": 2, "counts": true, "marked": false, "replay_bytes": 0,
        })
    };
    let lines: String = (1..=3).map(|number| format!("{}\n", race(number))).collect();
    std::fs::write(folder.path().join("races.jsonl"), lines).unwrap();
    folder
}

fn stats(folder: &Path, arguments: &[&str]) -> Output {
    let arguments = [&["stats"], arguments].concat();
    command(&arguments, folder).env("GRIDRACE_RACES", folder).output().unwrap()
}

#[test]
fn races_are_left_out_taken_back_and_deleted_by_their_numbers() {
    let folder = races();
    let stats = |arguments: &[&str]| stats(folder.path(), arguments);
    let counted = || -> Vec<bool> {
        let races = json_lines(&stats(&["--list", "--json"]));
        races.iter().map(|race| race["counts"].as_bool().unwrap()).collect()
    };
    assert_eq!(counted(), [true; 3]);
    printed(&stats(&["--exclude", "1,3"]));
    assert_eq!(counted(), [false, true, false]);
    assert!(printed(&stats(&["--list"])).contains("not counted"));
    printed(&stats(&["--include", "1,3"]));
    assert_eq!(counted(), [true; 3]);
    fails(&stats(&["--delete", "2,9"]), 1, &["no race 9"]);
    assert_eq!(counted().len(), 3, "all or none");
    printed(&stats(&["--delete", "2"]));
    assert_eq!(counted().len(), 2);
    let csv = stats(&["--csv"]);
    assert_eq!(printed(&csv).lines().count(), 3, "{}", printed(&csv));
}
