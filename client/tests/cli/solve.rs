//! `gridrace solve` over lists of boards, as a shell sees it.

use crate::shell::{fails, gridrace, gridrace_reading, json, json_lines, printed, said, start};
use rustix::process::{Pid, Signal};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::Output;

const LIST: &str = "# four boards, one of them none, one of the wrong class
1 2/0 3
1 2/3 4

2 1/3 0
slide:3x3=1 2 3 4 0 6 7 5 8 ; 2
";

#[test]
fn a_bad_line_takes_no_answer_from_the_others() {
    let output = gridrace_reading(&["solve", "--json"], LIST);
    fails(&output, 1, &["line 3: ", "tile 4 is out of range", "line 5: ", "2 of 4 lines"]);
    let lines = json_lines(&output);
    let of = |key: &str| -> Vec<Value> { lines.iter().map(|line| line[key].clone()).collect() };
    assert_eq!(of("line"), [2, 3, 5, 6]);
    assert_eq!(of("stm"), [1.into(), Value::Null, Value::Null, 2.into()]);
    assert_eq!(lines[2]["solvable"], false);
    assert_eq!(lines[3]["optimal"], true);
    let text = gridrace_reading(&["solve"], LIST);
    let answers: Vec<_> = printed(&text).lines().collect();
    assert_eq!(answers.len(), 2, "{answers:?}");
    assert!(answers[0].starts_with("line 2: 1 STM, 1 MTM, optimal, "));
    assert!(answers[1].ends_with(": UL"));
}

#[test]
fn a_bad_line_has_its_error_in_json_in_either_family() {
    for list in ["1 2/3 0\n1 2/3 x\n", "1./.1\n1./.2\n"] {
        let output = gridrace_reading(&["solve", "--json"], list);
        fails(&output, 1, &["line 2: "]);
        let bad = &json_lines(&output)[1];
        assert_eq!(bad["line"], 2);
        assert!(bad["error"].is_string() && bad.get("why").is_none(), "{bad}");
    }
}

#[test]
fn a_length_that_can_t_be_the_shortest_is_found_out() {
    for (line, why) in [
        ("1 2/0 3 ; 2", "line 1: a solution has 1, so 2 aren't the fewest moves"),
        ("1 2/0 3 ; 0", "line 1: every solution has 1 or more, not 0 moves"),
    ] {
        fails(&gridrace_reading(&["solve", "--summary"], line), 1, &[why]);
    }
    let output = gridrace_reading(&["solve", "--json"], "1 2/0 3 ; 2\n1 2/0 3 ; 1\n1 2/0 3\n");
    fails(&output, 1, &[]);
    let [wrong, right, unknown] = &json_lines(&output)[..] else { panic!("{}", printed(&output)) };
    assert_eq!((&wrong["stm"], &wrong["known"]), (&1.into(), &2.into()));
    assert_eq!(wrong["why"], "a solution has 1, so 2 aren't the fewest moves");
    assert_eq!((&right["known"], right.get("why")), (&1.into(), None));
    assert_eq!((unknown.get("known"), unknown.get("why")), (None, None));
}

#[test]
fn a_known_length_counts_the_moves_of_the_metric() {
    let solve = ["solve", "--metric", "mtm", "--json"];
    let one = gridrace_reading(&solve, "1 2 3/4 5 6/0 7 8;1");
    assert!(one.status.success(), "{}", said(&one));
    let two = gridrace_reading(&solve, "1 2 3/4 5 6/0 7 8;2");
    fails(&two, 1, &["a solution has 1, so 2 aren't the fewest moves"]);
    let summary = [&solve[..], &["--summary"]].concat();
    let known = &json(&gridrace_reading(&summary, "1 2 3/4 5 6/0 7 8;1"))["known"];
    assert_eq!((&known["as_short"], &known["ratio"]), (&1.into(), &1.0.into()));
}

#[test]
fn a_solved_board_has_no_moves_and_says_so() {
    let moves = |output: &Output| printed(output).lines().nth(1).map(str::to_owned);
    let one = gridrace(&["solve", "1 2/3 0"]);
    assert_eq!(moves(&one).as_deref(), Some("moves  none"));
    let list = gridrace_reading(&["solve"], "1 2/3 0\n1 2/3 0\n");
    assert!(printed(&list).lines().all(|line| line.ends_with(": none")));
    let json = json(&gridrace(&["solve", "1 2/3 0", "--json"]));
    assert_eq!((&json["moves"], &json["stm"]), (&"".into(), &0.into()));
}

#[test]
fn what_a_file_says_steers_no_terminal() {
    let bad = "1 2/3 \u{1b}[2J\u{9b}31m\u{7}\n";
    for output in [
        gridrace_reading(&["solve"], bad),
        gridrace_reading(&["solve"], &format!("{bad}{bad}")),
        gridrace(&["solve", bad.trim()]),
        gridrace(&["solve", "1 2/3 0", "--goal", bad.trim()]),
        gridrace(&["solve", "--file", "no\u{1b}[2Jwhere"]),
    ] {
        let said = said(&output);
        assert!(said.contains("·[2J"), "{said:?}");
        assert!(!said.contains(|c: char| c != '\n' && c.is_control()), "{said:?}");
    }
}

#[test]
fn a_file_that_is_no_board_is_named_with_the_line_of_its_only_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("one.txt");
    for (text, place) in [
        ("# mine\n1 2/3 x\n", "one.txt, line 2: "),
        ("1 .\n2 .\n", "one.txt: "),
        ("1./.2\n", "one.txt, line 1: "),
        ("# none\n", "one.txt: no board"),
    ] {
        std::fs::write(&path, text).unwrap();
        fails(&gridrace(&["solve", "--file", path.to_str().unwrap()]), 2, &[place]);
    }
}

#[test]
fn comments_alone_are_no_board() {
    fails(&gridrace_reading(&["solve"], "# none\n\n# yet\n"), 2, &["no board: give one"]);
}

#[test]
fn what_asks_for_nothing_that_can_be_had_is_refused() {
    for (arguments, why) in [
        (&["slide:3x3#friday", "--size", "4x4"][..], "the board is 3x3, and --size says 4x4"),
        (&["1 2/0 3", "--time", "1", "--solver", "optimal"], "--time"),
        (&["1 2/0 3", "--time", "1", "--solver", "quick"], "--time"),
    ] {
        let output = gridrace(&[&["solve"], arguments].concat());
        fails(&output, 2, &[why]);
        assert_eq!(printed(&output), "");
    }
}

#[test]
fn large_tables_that_no_search_uses_are_refused_or_said_to_be_none() {
    for solver in ["human", "quick"] {
        let line = ["solve", "slide:4x4#friday", "--large", "--solver", solver];
        fails(&gridrace(&line), 2, &["--large goes with the near and the optimal solver"]);
    }
    // The last board is for the quick solver.
    for size in ["3x3", "17x17"] {
        let output = gridrace(&["solve", &format!("slide:{size}#friday"), "--large"]);
        assert!(output.status.success(), "{}", said(&output));
        let none = format!("gridrace: there is no large table for {size}\n");
        assert_eq!(said(&output), none);
    }
}

#[test]
fn a_summary_counts_what_all_boards_took() {
    let new = ["new", "--puzzle", "slide:2x3", "--seed", "s", "--count", "20"];
    let boards = gridrace(&[&new[..], &["--only", "board"]].concat());
    let one_by_one = json_lines(&gridrace_reading(&["solve", "--json"], printed(&boards)));
    let sums = json(&gridrace_reading(&["solve", "--json", "--summary"], printed(&boards)));
    let all = |key: &str| -> Vec<u64> {
        let number = |line: &Value| line[key].as_u64().unwrap();
        one_by_one.iter().map(number).collect()
    };
    assert_eq!(sums["boards"], 20);
    assert_eq!(sums["optimal"], 20);
    assert_eq!(sums["stm"]["max"], all("stm").iter().copied().max().unwrap());
    assert_eq!(sums["stm"]["mean"], all("stm").iter().sum::<u64>() as f64 / 20.0);
    assert_eq!(sums["nodes"]["max"], all("nodes").iter().copied().max().unwrap());
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
    let solve = ["solve", "slide:3x3#friday", "--json"];
    let with = |flags: &[&str]| gridrace(&[&solve[..], flags].concat());
    fails(&with(&["--solver", "optimal", "--budget", "5"]), 1, &["budget"]);
    assert_eq!(json(&with(&["--budget", "5"]))["solver"], "near");
    assert_eq!(json(&with(&["--budget", "1000000"]))["solver"], "optimal");
    let near = json(&gridrace(&["solve", "slide:3x3#friday", "--time", "0", "--json"]));
    assert_eq!(near["solver"], "near");
}

#[test]
fn any_board_may_be_the_goal() {
    let goal = "0 1 2/3 4 5/6 7 8";
    let solve = |board: &str| gridrace(&["solve", board, "--goal", goal, "--json"]);
    let answer = json(&solve("slide:3x3=1 2 0 3 4 5 6 7 8"));
    assert_eq!((&answer["moves"], &answer["optimal"]), (&"R2".into(), &true.into()));
    let why =
        "no moves lead from it to the goal: by inversions odd and even, by swaps odd and even";
    for (board, why) in [("1 0 2/3 4 5/6 8 7", why), ("1 2/3 0", "the sizes differ")] {
        let refused = solve(board);
        fails(&refused, 1, &[why]);
        // It says what `check` says.
        let check = json_lines(&gridrace(&["check", board, goal, "--json"]));
        assert_eq!(json_lines(&refused)[0]["check"], check[0]);
        let [refused, check] = [&["solve", board, "--goal", goal][..], &["check", board, goal]]
            .map(|arguments| printed(&gridrace(arguments)).to_owned());
        assert_eq!(refused, check);
    }
    let sizes = gridrace(&["check", "1 2/3 0", goal]);
    assert_eq!(printed(&sizes), "reachable   no: the sizes differ, 2x2 and 3x3\n");
    let in_order = "1 2 3/4 5 6/7 8 0";
    let named = json(&gridrace(&["solve", "1 2 3/4 5 6/7 0 8", "--goal", in_order, "--json"]));
    assert_eq!(named["moves"], "L");
    for (board, why) in
        [("1 2/0 3", "the sizes differ"), ("2 1 3/4 5 6/7 8 0", "by swaps odd and even")]
    {
        fails(&gridrace(&["solve", board, "--goal", in_order]), 1, &[why]);
    }
    fails(&gridrace(&["solve", goal, "--goal", "1 1/2 3"]), 2, &[]);
    fails(&gridrace(&["solve", goal, "--goal", "link:5x5#a"]), 2, &["the goal is a Numberlink"]);
    // As many ways lead there as back, which the enumeration's test counts.
    let far = ["solve", in_order, "--goal", "8 6 7/2 5 4/3 0 1", "--json"];
    let with = |flags: &[&str]| json(&gridrace(&[&far[..], flags].concat()));
    let all = with(&["--all"]);
    assert_eq!((&all["shortest"], all["solutions"].as_array().unwrap().len()), (&31.into(), 40));
    assert_eq!(with(&["--metric", "mtm"])["mtm"], 20);
    assert_eq!(with(&["--metric", "mtm", "--count", "1"])["shortest"], 20);
    assert_eq!(with(&["--time", "0"])["solver"], "near");
    fails(&gridrace(&["solve", "2 1 3/4 5 6/7 8 0", "--goal", goal, "--all"]), 1, &["no moves"]);
    let examples = ["no board", "gridrace solve 'slide:4x4#friday'"];
    fails(&gridrace_reading(&["solve"], ""), 2, &examples);
    fails(&gridrace(&["solve", " "]), 2, &examples);
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
    assert_eq!((&mtm["at_least"], &mtm["at_most_too_long"]), (&20.into(), &0.into()));
    assert!(stm["mtm"].as_u64() >= Some(20));
    for wrong in [&["--solver", "near"][..], &["--large"]] {
        fails(&gridrace(&[&["solve", "1 2/3 0", "--metric", "mtm"], wrong].concat()), 2, &[]);
    }
    let large = gridrace(&["solve", "slide:5x5#friday", "--metric", "mtm"]);
    fails(&large, 2, &["boards of up to 16 cells, and this one is 5x5"]);
    let spent = gridrace(&["solve", "slide:3x4#friday", "--metric", "mtm", "--budget", "1"]);
    fails(&spent, 1, &["the budget was spent before a solution was found; every solution has"]);
    let solve = ["solve", "slide:4x4#friday", "--solver", "optimal", "--budget", "1", "--json"];
    let spent = gridrace(&solve);
    let line: Value = serde_json::from_slice(&spent.stdout).unwrap();
    assert!(line["at_least"].is_u64() && line["why"].as_str().unwrap().contains("budget"));
    assert_eq!(spent.status.code(), Some(1));
    let line = format!("0 {}", (1..30).map(|tile| tile.to_string()).collect::<Vec<_>>().join(" "));
    let line = json(&gridrace(&["solve", &line, "--metric", "mtm", "--json"]));
    assert_eq!((&line["stm"], &line["mtm"]), (&29.into(), &1.into()));
}

#[test]
fn all_solutions_of_the_fewest_slides_are_listed() {
    let board = "8 6 7/2 5 4/3 0 1";
    let list = |flags: &[&str]| gridrace(&[&["solve", board, "--metric", "mtm"], flags].concat());
    let all = json(&list(&["--all", "--json"]));
    let solutions = all["solutions"].as_array().unwrap();
    assert_eq!((&all["metric"], &all["shortest"]), (&"mtm".into(), &20.into()));
    assert!(!solutions.is_empty() && solutions.iter().all(|one| one["mtm"] == 20));
    for one in solutions {
        let moves = one["moves"].as_str().unwrap();
        let walked = json(&gridrace(&["solve", board, "--moves", moves, "--json"]));
        assert_eq!((&walked["solved"], &walked["mtm"]), (&true.into(), &20.into()));
    }
    let many = (solutions.len() + 1).to_string();
    let more = json(&list(&["--count", &many, "--json"]));
    let more = more["solutions"].as_array().unwrap();
    assert_eq!(more[..solutions.len()], solutions[..]);
    assert!(more[solutions.len()]["mtm"].as_u64() > Some(20));
    let text = list(&["--count", "1"]);
    assert!(printed(&text).contains("count  1 listed, of 20 to 20 moves (MTM); "));
}

#[test]
fn boards_are_read_from_standard_input() {
    for arguments in [&["solve", "--json"][..], &["solve", "-", "--json"]] {
        let answers = gridrace_reading(arguments, "1 2\n3 0\n\n1 2\n0 3\n");
        let answers = printed(&answers);
        let lengths = answers
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap()["stm"].as_u64());
        assert_eq!(lengths.collect::<Vec<_>>(), [Some(0), Some(1)], "{arguments:?}");
    }
}

/// Sends SIGINT once a line has been printed, and returns how it ended and all that was printed.
fn interrupted_after_a_line(arguments: &[&str], input: &str) -> (Option<i32>, String) {
    let mut child = start(arguments, Path::new(""));
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut text = String::new();
    output.read_line(&mut text).unwrap();
    let id = i32::try_from(child.id()).unwrap();
    rustix::process::kill_process(Pid::from_raw(id).unwrap(), Signal::INT).unwrap();
    output.read_to_string(&mut text).unwrap();
    (child.wait().unwrap().code(), text)
}

#[test]
fn ctrl_c_ends_a_list_with_what_is_answered() {
    // The second search would take weeks.
    let line = ["solve", "--solver", "optimal", "--json"];
    let list = "1 2/3 0\nslide:6x6#one\nslide:6x6#two\n";
    let (code, answers) = interrupted_after_a_line(&line, list);
    assert_eq!(code, Some(130));
    let answers: Vec<Value> =
        answers.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers[0]["stm"], 0);
    // Whether the second search had begun is up to the system.
    assert!(answers.len() <= 2, "{answers:?}");
    let cut_short = |answer: &Value| answer["why"].as_str().unwrap().starts_with("interrupted");
    assert!(answers.iter().skip(1).all(cut_short), "{answers:?}");
}

#[test]
fn ctrl_c_ends_a_list_of_numberlinks_after_the_one_under_way() {
    // More answers than a pipe holds.
    let list = "1../.../..1\n".repeat(10_000);
    let (code, answers) = interrupted_after_a_line(&["solve", "--json"], &list);
    assert_eq!(code, Some(130));
    assert!(answers.ends_with("}\n") && answers.lines().count() < 10_000);
}

#[test]
fn ctrl_c_ends_a_long_trace() {
    let trace = ["solve", "slide:20x20#a", "--solver", "human", "--trace"];
    // Of 20 MB, more than a pipe holds is left when the signal comes.
    let (code, printed) = interrupted_after_a_line(&trace, "");
    assert_eq!(code, Some(130));
    assert!(!printed.contains("check  replayed"));
}

#[test]
fn given_moves_are_traced_as_products_of_transpositions() {
    let walk = ["solve", "5 3 1/0 2 4", "--moves", "LLDRULDRRULLDRULDRRULL"];
    insta::assert_snapshot!(printed(&gridrace(&walk)));
    let document = json(&gridrace(&[&walk[..], &["--json"]].concat()));
    assert_eq!((&document["stm"], &document["solved"]), (&22.into(), &true.into()));
    assert_eq!(document["trace"][21]["product"], "e");
    let blank = ["solve", "5 3 1/0 2 4", "--moves", "R2 U", "--reading", "blank", "--json"];
    assert_eq!(json(&gridrace(&blank))["end"], "5 3 0/2 4 1");
    for (moves, code, why) in [
        ("LLL", 1, "move 3, L, can't be made: the blank is in row 2, column 3 of 2x3"),
        ("LXU", 2, "'X' is no move"),
        ("2L", 2, "a count stands behind its letter"),
    ] {
        fails(&gridrace(&["solve", "5 3 1/0 2 4", "--moves", moves]), code, &[why]);
    }
}

#[test]
fn a_persons_method_names_its_stages() {
    for (name, board) in [
        ("human_4x4", "1 13 6 8/5 15 9 4/11 3 12 10/7 14 2 0"),
        ("human_2x3", "5 3 1/0 2 4"),
        ("human_3x2", "3 5/1 0/2 4"),
        ("human_1x4", "slide:1x4=1 0 2 3"),
        ("human_3x1", "1/0/2"),
        ("human_2x2", "3 1/2 0"),
    ] {
        let output = gridrace(&["solve", board, "--solver", "human", "--trace"]);
        // The other lines have times.
        let traced = printed(&output).lines().take_while(|line| !line.starts_with("board"));
        let traced: Vec<_> = traced.map(str::trim_end).collect();
        insta::assert_snapshot!(name, traced.join("\n"));
    }
    let short = gridrace(&["solve", "5 3 1/0 2 4", "--solver", "human"]);
    let lines: Vec<_> = printed(&short).lines().collect();
    assert!(lines[0].starts_with("case   2x3: "), "{lines:?}");
    assert!(lines[1].starts_with("stage  last two rows, column 1: "), "{lines:?}");
    let why = "it goes without --goal";
    let goal = ["solve", "1 2/3 0", "--goal", "0 1/2 3", "--solver", "human"];
    fails(&gridrace(&goal), 2, &[why]);
}

#[test]
fn check_counts_both_boards_in_two_ways() {
    insta::assert_snapshot!("check_textbook", printed(&gridrace(&["check", "1 3 2/6 0 5/4 7 8"])));
    let swapped = gridrace(&["check", "2 1 3/4 5 6/7 8 0"]);
    fails(&swapped, 1, &["no moves lead from the board to the goal"]);
    insta::assert_snapshot!("check_swapped", printed(&swapped));
    let row = gridrace(&["check", "2 1 0"]);
    fails(&row, 1, &[]);
    insta::assert_snapshot!("check_row", printed(&row));
    let document = json(&gridrace(&["check", "1 3 2/6 0 5/4 7 8", "1 2 3/4 5 6/7 8 0", "--json"]));
    assert_eq!((&document["reachable"], &document["by_inversions"]), (&true.into(), &true.into()));
    assert_eq!(document["from"]["sum_by_inversions"], 12);
    for (board, why) in [("link:5x5#a", "takes sliding puzzles"), ("1 1/2 0", "occurs twice")] {
        fails(&gridrace(&["check", board]), 2, &[why]);
    }
    fails(&gridrace(&["check", "1 2/3 0", "1 2 3/4 5 0"]), 1, &[]);
}

#[test]
fn above_5x5_no_bound_is_told() {
    for (board, is_told) in [("slide:5x5#friday", true), ("slide:6x6#friday", false)] {
        let options = ["solve", board, "--solver", "quick"];
        let text = gridrace(&options);
        assert_eq!(printed(&text).contains("bound  "), is_told, "{}", printed(&text));
        let document = json(&gridrace(&[&options[..], &["--json"]].concat()));
        assert_eq!(document["at_least"].is_number(), is_told);
    }
}

#[test]
fn all_shortest_solutions_are_listed_and_the_shortest_by_count() {
    // One of the two boards of 3x3 that are farthest from home.
    let board = "8 6 7/2 5 4/3 0 1";
    let list = |flags: &[&str]| gridrace(&[&["solve", board], flags].concat());
    let all = json(&list(&["--all", "--json"]));
    let solutions = all["solutions"].as_array().unwrap();
    assert_eq!(
        (solutions.len(), &all["shortest"], &all["end"]),
        (40, &31.into(), &"complete".into())
    );
    let mut moves: Vec<&str> = solutions.iter().map(|one| one["moves"].as_str().unwrap()).collect();
    assert!(solutions.iter().all(|one| one["stm"] == 31));
    for one in &moves {
        let walked = json(&gridrace(&["solve", board, "--moves", one, "--json"]));
        assert_eq!((&walked["solved"], &walked["stm"]), (&true.into(), &31.into()));
    }
    let more = json(&list(&["--count", "42", "--json"]));
    let longer = more["solutions"].as_array().unwrap();
    assert_eq!(&longer[..40], &solutions[..]);
    assert_eq!((&longer[40]["stm"], &longer[41]["stm"]), (&33.into(), &33.into()));
    assert_eq!(more["end"], "enough");
    moves.sort_unstable();
    moves.dedup();
    assert_eq!(moves.len(), 40);
    let text = list(&["--count", "3"]);
    let lines: Vec<_> = printed(&text).lines().collect();
    assert_eq!(lines[0], "board  8 6 7/2 5 4/3 0 1");
    assert!(lines[1].starts_with("    1  31 STM, "), "{}", lines[1]);
    assert!(lines[4].starts_with("count  3 listed, of 31 to 31 moves (STM); "), "{}", lines[4]);
}

#[test]
fn a_list_of_solutions_that_can_t_be_had_is_refused() {
    for (arguments, code, why) in [
        (&["slide:5x5#friday", "--all"][..], 2, "up to 16 cells, and this one is 5x5"),
        (&["1 2/0 3", "--count", "10001"], 2, "10000"),
        (&["1 2/0 3", "--count", "0"], 2, "1..=10000"),
        (&["1 2/0 3", "--count", "2", "--all"], 2, "--all"),
        (&["slide:5x5#friday", "--all", "--metric", "mtm"], 2, "up to 16 cells"),
        (&["1 2/0 3", "--all", "--solver", "near"], 2, "optimal solver"),
        (&["link:5x5#friday", "--all"], 2, "Numberlink"),
    ] {
        let output = gridrace(&[&["solve"], arguments].concat());
        fails(&output, code, &[why]);
        assert_eq!(printed(&output), "");
    }
    let swapped = "no moves lead from it to the one in order: by inversions even and odd";
    fails(&gridrace(&["solve", "2 1/3 0", "--all"]), 1, &[swapped]);
    let two = gridrace_reading(&["solve", "--all"], "1 2/0 3\n1 2/3 0\n");
    fails(&two, 2, &["--all and --count take one board"]);
    // What is found before the budget is spent is listed.
    let budget = gridrace(&["solve", "slide:3x3#friday", "--all", "--budget", "5", "--json"]);
    fails(&budget, 1, &["the budget was spent; the solutions that are left have"]);
    assert_eq!(json_lines(&budget)[0]["end"], "over_budget");
    // All 2x2 boards form one circle.
    let both = json(&gridrace(&["solve", "1 2/0 3", "--count", "9", "--json"]));
    let moves = both["solutions"].as_array().unwrap();
    assert_eq!((moves.len(), &moves[1]["stm"], &both["end"]), (2, &11.into(), &"complete".into()));
}
