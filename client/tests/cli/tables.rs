//! `gridrace tables` as a shell sees it: several programs over one directory.

use crate::shell::{fails, gridrace, json, json_lines, printed, said, start};
use std::fs;
use std::path::Path;
use std::process::Output;

fn in_cache(cache: &Path, arguments: &[&str]) -> Output {
    start(arguments, cache).wait_with_output().unwrap()
}

/// Returns each table that is kept, and whether all of its file is good.
fn kept(cache: &Path) -> Vec<(String, bool)> {
    let info = json(&in_cache(cache, &["tables", "info", "--json"]));
    let files = info["files"].as_array().unwrap().iter();
    files
        .map(|file| {
            let table = file["table"].as_str().unwrap().to_owned();
            (table, file["verified"].as_bool().unwrap())
        })
        .collect()
}

#[test]
fn tables_are_built_listed_believed_only_whole_and_removed() {
    let folder = tempfile::tempdir().unwrap();
    let cache = &folder.path().join("cache");
    assert_eq!(kept(cache), []);
    let none = in_cache(cache, &["tables", "info"]);
    assert!(none.status.success(), "{}", said(&none));
    assert!(printed(&none).contains("no tables yet"), "{}", printed(&none));
    let made = |arguments: &[&str]| json_lines(&in_cache(cache, arguments));
    let build = ["tables", "build", "3x3", "2x4-default", "--json"];
    assert!(made(&build).iter().all(|table| table["built"] == true));
    assert!(made(&build).iter().all(|table| table["built"] == false));
    let all = |two: bool, three: bool| {
        [("2x4-default".to_owned(), two), ("3x3-default".to_owned(), three)]
    };
    assert_eq!(kept(cache), all(true, true));
    let some = in_cache(cache, &["tables", "info"]);
    assert!(!printed(&some).contains("yet"), "{}", printed(&some));
    assert!(!printed(&some).contains("tables build"), "{}", printed(&some));

    let info = json(&in_cache(cache, &["tables", "info", "--json"]));
    let path = cache.join(info["files"][1]["file"].as_str().unwrap());
    let mut bytes = fs::read(&path).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&path, bytes).unwrap();
    assert_eq!(kept(cache), all(true, false));
    let damaged = in_cache(cache, &["tables", "info"]);
    assert!(printed(&damaged).contains("gridrace tables build TABLE"), "{}", printed(&damaged));
    let solved = in_cache(cache, &["solve", "1 2 3/4 0 6/7 5 8"]);
    assert!(solved.status.success());
    assert!(said(&solved).contains("checksum"), "{}", said(&solved));
    assert_eq!(kept(cache), all(true, true));

    assert!(in_cache(cache, &["tables", "remove", "4x2"]).status.success());
    assert_eq!(kept(cache), all(true, true)[1..]);
    assert!(in_cache(cache, &["tables", "remove", "--all"]).status.success());
    assert_eq!(kept(cache), []);
    for (arguments, code) in [
        (&["tables", "build", "9x9-large"][..], 2),
        (&["tables", "build", "3x3", "--large"], 2),
        (&["tables", "remove"], 2),
    ] {
        fails(&in_cache(cache, arguments), code, &[]);
    }
}

#[test]
fn two_programs_that_build_the_same_table_leave_one_that_is_good() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path();
    let build = ["tables", "build", "3x3", "--json"];
    let builders: Vec<_> = (0..4).map(|_| start(&build, cache)).collect();
    let built = builders.into_iter().map(|builder| {
        let output = builder.wait_with_output().unwrap();
        json(&output)["built"] == true
    });
    assert_eq!(built.filter(|&built| built).count(), 1);
    assert_eq!(kept(cache), [("3x3-default".to_owned(), true)]);
}

#[test]
fn without_a_usable_directory_boards_are_solved_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let cache = &folder.path().join("cache");
    fs::write(cache, "no directory").unwrap();
    let solved = in_cache(cache, &["solve", "1 2 3/4 0 6/7 5 8"]);
    assert!(solved.status.success());
    assert!(said(&solved).contains("can't be kept"), "{}", said(&solved));
    assert_eq!(said(&solved).lines().count(), 1);
    fails(&in_cache(cache, &["tables", "build", "3x3"]), 1, &[]);
    fails(&gridrace(&["tables", "build", "3x3"]), 2, &[]);
}
