//! `gridrace solve` and `gridrace new` with Numberlink, as a shell sees them.

use crate::shell::{fails, gridrace, gridrace_reading, json, json_lines, printed, said};
use serde_json::Value;

/// The worked example of the source of the classic generator; its solution is unique.
const EXAMPLE: &str = "......4/.....3./..22..3/....X.1/..6..77/54.X.X1/.5.6...";

#[test]
fn a_puzzle_is_solved_and_its_solution_proved_to_be_the_only_one() {
    let output = gridrace(&["solve", EXAMPLE]);
    assert!(output.status.success(), "{}", said(&output));
    assert!(printed(&output).contains("the only one"), "{}", printed(&output));
    let document = json(&gridrace(&["solve", EXAMPLE, "--json"]));
    assert_eq!(document["verdict"], "unique");
    assert_eq!(document["solutions"][0].as_array().unwrap().len(), 7);
}

#[test]
fn what_has_several_solutions_or_none_is_told_apart() {
    let loose = json(&gridrace(&["solve", "1../.../..1", "--rule", "loose", "--json"]));
    assert_eq!(loose["verdict"], "multiple");
    assert_eq!(loose["solutions"].as_array().unwrap().len(), 2);
    let text = gridrace(&["solve", "1../.../..1", "--rule", "loose"]);
    assert!(printed(&text).contains("3x3, 1 pair\n"), "{}", printed(&text));
    fails(&gridrace(&["solve", "1.2/.../2.1"]), 1, &["no solution"]);
    fails(&gridrace(&["solve", EXAMPLE, "--budget", "1"]), 1, &["budget"]);
}

#[test]
fn a_puzzle_without_open_cells_is_no_sliding_puzzle() {
    for line in
        [&["solve", "1 1/2 2", "--json"][..], &["solve", "11/22", "--rule", "loose", "--json"]]
    {
        assert_eq!(json(&gridrace(line))["verdict"], "unique", "{line:?}");
    }
    let bad = gridrace(&["solve", "1 1/2 3", "--rule", "loose"]);
    fails(&bad, 2, &["number 2 has one terminal"]);
}

#[test]
fn a_list_is_answered_line_by_line_and_summed_up() {
    let list = format!("# three\n{EXAMPLE}\n1./.2\n1../.../..1\n");
    let output = gridrace_reading(&["solve", "--json"], &list);
    fails(&output, 1, &["1 of 3 lines"]);
    let lines = json_lines(&output);
    let numbers: Vec<&Value> = lines.iter().map(|line| &line["line"]).collect();
    assert_eq!(numbers, [2, 3, 4]);
    let summary = gridrace_reading(&["solve", "--summary"], &list);
    assert!(printed(&summary).contains("7x7"), "{}", printed(&summary));
}

#[test]
fn options_of_the_sliding_puzzle_are_refused() {
    for option in
        [&["--trace"][..], &["--goal", "0 1/2 3"], &["--solver", "quick"], &["--time", "1"]]
    {
        fails(&gridrace(&[&["solve", EXAMPLE], option].concat()), 2, &[option[0]]);
    }
    fails(&gridrace(&["solve", "1 2/3 0", "--rule", "full"]), 2, &["--rule"]);
}

#[test]
fn a_new_puzzle_is_the_same_for_a_seed_and_solves() {
    let new = ["new", "--puzzle", "link:5x5", "--seed", "friday", "--only", "board"];
    let first = gridrace(&new);
    assert!(first.status.success(), "{}", said(&first));
    assert_eq!(printed(&first), printed(&gridrace(&new)));
    let solved = gridrace_reading(&["solve", "--json"], printed(&first));
    let document: Value = serde_json::from_str(printed(&solved)).unwrap();
    assert_eq!(document["verdict"], "unique", "{}", printed(&first));
    let by_id = json(&gridrace(&["solve", "link:5x5#friday", "--json"]));
    assert_eq!(by_id["puzzle"], document["puzzle"]);
}

#[test]
fn several_new_puzzles_are_numbered() {
    let new = ["new", "--puzzle", "link:6x6:classic", "--seed", "cup"];
    let output = gridrace(&[&new[..], &["--count", "2", "--only", "id"]].concat());
    assert_eq!(printed(&output), "link:6x6:classic#cup-1\nlink:6x6:classic#cup-2\n");
    // The seed of the tenth would be too long.
    let long = ["new", "--count", "11", "--seed", &"x".repeat(30), "--only", "id"];
    let output = gridrace(&long);
    fails(&output, 2, &["the seed of board 11 would be"]);
    assert_eq!(printed(&output), "");
    fails(&gridrace(&["new", "--puzzle", "link:5x5", "--variant", "home"]), 2, &["--variant"]);
}

#[test]
fn boards_of_up_to_60x60_are_solved_and_larger_ones_refused() {
    // A link along each row, between its ends.
    let grid = |rows: usize, columns: usize| {
        let row = |number: usize| format!("{number}{} {number}", " .".repeat(columns - 2));
        (1..=rows).map(row).collect::<Vec<_>>().join("/")
    };
    let solved = json(&gridrace(&["solve", &grid(60, 60), "--json"]));
    assert_eq!(solved["size"], "60x60", "{solved}");
    fails(&gridrace(&["solve", &grid(61, 60)]), 2, &["2 to 60 rows and columns"]);
}
