//! `gridrace solve` over lists of boards, and `gridrace tables`, as a shell sees them.

#![expect(clippy::unwrap_used, reason = "what fails here fails a test")]

mod shell;

use rustix::process::{Pid, Signal};
use serde_json::Value;
use shell::{gridrace, gridrace_reading, json, printed, said, start};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
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
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

const LIST: &str = "# four boards, one of them none, one of the wrong class
1 2/0 3
1 2/3 4

2 1/3 0
slide:3x3=1 2 3 4 0 6 7 5 8 ; 2
";

#[test]
fn a_bad_line_takes_no_answer_from_the_others() {
    let output = gridrace_reading(&["solve", "--json"], LIST);
    assert_eq!(output.status.code(), Some(1));
    let lines = lines(&output);
    let of = |key: &str| -> Vec<Value> { lines.iter().map(|line| line[key].clone()).collect() };
    assert_eq!(of("line"), [2, 3, 5, 6]);
    assert_eq!(of("stm"), [1.into(), Value::Null, Value::Null, 2.into()]);
    assert_eq!(lines[2]["solvable"], false);
    assert_eq!(lines[3]["optimal"], true);
    for word in [
        "line 3: ",
        "tile 4 is out of range",
        "line 5: ",
        "2 of 4 lines",
    ] {
        assert!(said(&output).contains(word), "{}", said(&output));
    }
    let text = gridrace_reading(&["solve"], LIST);
    let answers: Vec<_> = printed(&text).lines().collect();
    assert_eq!(answers.len(), 2, "{answers:?}");
    assert!(answers[0].starts_with("line 2: 1 STM, 1 MTM, optimal, "));
    assert!(answers[1].ends_with(": UL"));
}

#[test]
fn a_length_that_can_t_be_the_shortest_is_found_out() {
    for (line, why) in [
        (
            "1 2/0 3 ; 2",
            "line 1: a solution has 1, so 2 aren't the fewest moves",
        ),
        (
            "1 2/0 3 ; 0",
            "line 1: every solution has 1 or more, not 0 moves",
        ),
        ("1 2/0 3 ; x", "line 1: what follows the ; is no length"),
    ] {
        let output = gridrace_reading(&["solve", "--summary"], line);
        assert_eq!(output.status.code(), Some(1));
        assert!(said(&output).contains(why), "{}", said(&output));
    }
}

#[test]
fn a_summary_counts_what_all_boards_took() {
    let new = [
        "new",
        "--puzzle",
        "slide:2x3",
        "--seed",
        "s",
        "--count",
        "20",
    ];
    let boards = gridrace(&[&new[..], &["--only", "board"]].concat());
    let one_by_one = lines(&gridrace_reading(&["solve", "--json"], printed(&boards)));
    let sums = json(&gridrace_reading(
        &["solve", "--json", "--summary"],
        printed(&boards),
    ));
    let all = |key: &str| -> Vec<u64> {
        let number = |line: &Value| line[key].as_u64().unwrap();
        one_by_one.iter().map(number).collect()
    };
    assert_eq!(sums["boards"], 20);
    assert_eq!(sums["optimal"], 20);
    assert_eq!(
        sums["stm"]["max"],
        all("stm").iter().copied().max().unwrap()
    );
    assert_eq!(
        sums["stm"]["mean"],
        all("stm").iter().sum::<u64>() as f64 / 20.0
    );
    assert_eq!(
        sums["nodes"]["max"],
        all("nodes").iter().copied().max().unwrap()
    );
    assert_eq!(sums["tables"].as_array().unwrap().len(), 1);
}

#[test]
fn every_solver_says_how_far_from_the_shortest_it_is_at_most() {
    let solve = |solver: &str| {
        let line = ["solve", "slide:3x3#friday", "--json", "--solver", solver];
        json(&gridrace(&line))
    };
    let number = |answer: &Value, key: &str| answer[key].as_u64().unwrap();
    let optimal = solve("optimal");
    assert_eq!(optimal, {
        let mut auto = solve("auto");
        auto["seconds"] = optimal["seconds"].clone();
        auto
    });
    assert_eq!(optimal["optimal"], true);
    for solver in ["quick", "near"] {
        let answer = solve(solver);
        let (stm, at_least) = (number(&answer, "stm"), number(&answer, "at_least"));
        assert!((at_least..=stm).contains(&number(&optimal, "stm")));
        assert_eq!(number(&answer, "at_most_too_long"), stm - at_least);
        assert_eq!(answer["solver"], solver);
    }
}

#[test]
fn a_budget_that_is_too_small_is_a_failure_and_a_time_of_nothing_isn_t() {
    let spent = gridrace(&["solve", "slide:3x3#friday", "--budget", "5"]);
    assert_eq!(spent.status.code(), Some(1));
    assert!(said(&spent).contains("budget"), "{}", said(&spent));
    let near = json(&gridrace(&[
        "solve",
        "slide:3x3#friday",
        "--time",
        "0",
        "--json",
    ]));
    assert_eq!(near["solver"], "near");
}

#[test]
fn any_board_may_be_the_goal() {
    let goal = "0 1 2/3 4 5/6 7 8";
    let solve = |board: &str| gridrace(&["solve", board, "--goal", goal, "--json"]);
    let answer = json(&solve("slide:3x3=1 2 0 3 4 5 6 7 8"));
    assert_eq!(
        (&answer["moves"], &answer["optimal"]),
        (&"R2".into(), &true.into())
    );
    for (board, why) in [
        ("1 0 2/3 4 5/6 8 7", "no moves lead"),
        ("1 2/3 0", "the goal is 3x3"),
    ] {
        let refused = solve(board);
        assert_eq!(refused.status.code(), Some(1));
        assert!(said(&refused).contains(why), "{}", said(&refused));
    }
    let wrong = gridrace(&["solve", goal, "--goal", "1 1/2 3"]);
    assert_eq!(wrong.status.code(), Some(2));
}

#[test]
fn the_fewest_moves_are_found_in_either_metric() {
    // One of the two boards of 3x3 that are farthest from home.
    let solve = |metric| {
        let line = ["solve", "8 6 7/2 5 4/3 0 1", "--json", "--metric", metric];
        json(&gridrace(&line))
    };
    let (stm, mtm) = (solve("stm"), solve("mtm"));
    assert_eq!((&stm["stm"], &stm["optimal"]), (&31.into(), &true.into()));
    assert_eq!((&mtm["mtm"], &mtm["optimal"]), (&20.into(), &true.into()));
    assert!(stm["mtm"].as_u64() >= Some(20));
    let wrong = ["solve", "1 2/3 0", "--metric", "mtm", "--solver", "near"];
    assert_eq!(gridrace(&wrong).status.code(), Some(2));
}

#[test]
fn ctrl_c_ends_a_list_with_what_is_answered() {
    // The second search would take weeks.
    let line = ["solve", "--solver", "optimal", "--json"];
    let mut child = start(&line, Path::new(""));
    let mut input = child.stdin.take().unwrap();
    writeln!(input, "1 2/3 0\nslide:6x6#one\nslide:6x6#two").unwrap();
    drop(input);
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut answers = String::new();
    output.read_line(&mut answers).unwrap();
    let id = i32::try_from(child.id()).unwrap();
    rustix::process::kill_process(Pid::from_raw(id).unwrap(), Signal::INT).unwrap();
    output.read_to_string(&mut answers).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let answers: Vec<Value> = answers
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(answers[0]["stm"], 0);
    // Whether the second search had begun is up to the system.
    assert!(answers.len() <= 2, "{answers:?}");
    let cut_short = |answer: &Value| answer["why"].as_str().unwrap().starts_with("interrupted");
    assert!(answers.iter().skip(1).all(cut_short), "{answers:?}");
}

#[test]
fn tables_are_built_listed_believed_only_whole_and_removed() {
    let scratch = Scratch::new("tables");
    assert_eq!(scratch.kept(), []);
    let made = |arguments: &[&str]| lines(&scratch.gridrace(arguments));
    let build = ["tables", "build", "3x3", "2x4-default", "--json"];
    assert!(made(&build).iter().all(|table| table["built"] == true));
    assert!(made(&build).iter().all(|table| table["built"] == false));
    let kept = |two: bool, three: bool| {
        [
            ("2x4-default".to_owned(), two),
            ("3x3-default".to_owned(), three),
        ]
    };
    assert_eq!(scratch.kept(), kept(true, true));

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

    assert!(
        scratch
            .gridrace(&["tables", "remove", "4x2"])
            .status
            .success()
    );
    assert_eq!(scratch.kept(), kept(true, true)[1..]);
    assert!(
        scratch
            .gridrace(&["tables", "remove", "--all"])
            .status
            .success()
    );
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
