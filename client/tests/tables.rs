//! `gridrace tables` as a shell sees it: several programs over one directory.

#![expect(clippy::unwrap_used, reason = "what fails here fails a test")]

mod shell;

use serde_json::Value;
use shell::{gridrace, json, printed, said, start};
use std::fs;
use std::path::PathBuf;
use std::process::Output;

/// A directory of this test's own; dropped, it is gone.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let name = format!("gridrace-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::remove_dir_all(&path).ok(); // of a process that had the same number
        Self(path)
    }

    fn gridrace(&self, arguments: &[&str]) -> Output {
        start(arguments, &self.0).wait_with_output().unwrap()
    }

    /// Says of each table that is kept whether all of its file is good.
    fn kept(&self) -> Vec<(String, bool)> {
        let info = json(&self.gridrace(&["tables", "info", "--json"]));
        let files = info["files"].as_array().unwrap().iter();
        files
            .map(|file| {
                let table = file["table"].as_str().unwrap().to_owned();
                (table, file["verified"].as_bool().unwrap())
            })
            .collect()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok(); // a test that kept nothing has none
    }
}

fn lines(output: &Output) -> Vec<Value> {
    let lines = printed(output).lines();
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn tables_are_built_listed_believed_only_whole_and_removed() {
    let scratch = Scratch::new("tables");
    assert_eq!(scratch.kept(), []);
    let none = scratch.gridrace(&["tables", "info"]);
    assert!(none.status.success(), "{}", said(&none));
    assert!(printed(&none).contains("no tables yet"), "{}", printed(&none));
    let made = |arguments: &[&str]| lines(&scratch.gridrace(arguments));
    let build = ["tables", "build", "3x3", "2x4-default", "--json"];
    assert!(made(&build).iter().all(|table| table["built"] == true));
    assert!(made(&build).iter().all(|table| table["built"] == false));
    let kept = |two: bool, three: bool| {
        [("2x4-default".to_owned(), two), ("3x3-default".to_owned(), three)]
    };
    assert_eq!(scratch.kept(), kept(true, true));
    let some = scratch.gridrace(&["tables", "info"]);
    assert!(!printed(&some).contains("yet"), "{}", printed(&some));

    let info = json(&scratch.gridrace(&["tables", "info", "--json"]));
    let path = scratch.0.join(info["files"][1]["file"].as_str().unwrap());
    let mut bytes = fs::read(&path).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&path, bytes).unwrap();
    assert_eq!(scratch.kept(), kept(true, false));
    let solved = scratch.gridrace(&["solve", "1 2 3/4 0 6/7 5 8"]);
    assert!(solved.status.success());
    assert!(said(&solved).contains("checksum"), "{}", said(&solved));
    assert_eq!(scratch.kept(), kept(true, true));

    assert!(scratch.gridrace(&["tables", "remove", "4x2"]).status.success());
    assert_eq!(scratch.kept(), kept(true, true)[1..]);
    assert!(scratch.gridrace(&["tables", "remove", "--all"]).status.success());
    assert_eq!(scratch.kept(), []);
    for (arguments, code) in [
        (&["tables", "build", "9x9-large"][..], 2),
        (&["tables", "build", "3x3", "--large"], 2),
        (&["tables", "remove"], 2),
    ] {
        assert_eq!(scratch.gridrace(arguments).status.code(), Some(code));
    }
}

#[test]
fn two_programs_that_build_the_same_table_leave_one_that_is_good() {
    let scratch = Scratch::new("two-builders");
    let build = ["tables", "build", "3x3", "--json"];
    let builders: Vec<_> = (0..4).map(|_| start(&build, &scratch.0)).collect();
    let built = builders.into_iter().map(|builder| {
        let output = builder.wait_with_output().unwrap();
        json(&output)["built"] == true
    });
    assert_eq!(built.filter(|&built| built).count(), 1);
    assert_eq!(scratch.kept(), [("3x3-default".to_owned(), true)]);
}

#[test]
fn without_a_usable_directory_boards_are_solved_all_the_same() {
    let scratch = Scratch::new("in-the-way");
    fs::write(&scratch.0, "no directory").unwrap();
    let solved = scratch.gridrace(&["solve", "1 2 3/4 0 6/7 5 8"]);
    assert!(solved.status.success());
    assert!(said(&solved).contains("can't be kept"), "{}", said(&solved));
    assert_eq!(said(&solved).lines().count(), 1);
    let built = scratch.gridrace(&["tables", "build", "3x3"]);
    assert_eq!(built.status.code(), Some(1), "{}", said(&built));
    fs::remove_file(&scratch.0).unwrap();
    let nowhere = gridrace(&["tables", "build", "3x3"]);
    assert_eq!(nowhere.status.code(), Some(2), "{}", said(&nowhere));
}
