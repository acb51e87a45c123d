//! `gridrace tournament`: a tournament on a real server, and the file of one.

use crate::shell::{self, Host, fails, gridrace, json, json_lines, printed, said};
use rusqlite::Connection;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The record of a tournament that is over.
const RECORD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/golden/tournament.grt");

fn as_owner(key: &Path, arguments: &[&str]) -> Output {
    shell::command(arguments, Path::new("")).env("GRIDRACE_KEY", key).output().unwrap()
}

#[test]
fn a_record_is_verified_and_gives_tables() {
    let verified = json(&gridrace(&["tournament", "verify", RECORD, "--json"]));
    assert_eq!(verified["holds"], true, "{verified}");
    assert!(verified["champions"].as_array().unwrap().len() == 1, "{verified}");
    let standings = gridrace(&["tournament", "export", RECORD, "--standings"]);
    assert!(
        printed(&standings).starts_with("place,entrant,name,team,key,"),
        "{}",
        said(&standings)
    );
    let results = json_lines(&gridrace(&["tournament", "export", RECORD, "--results", "--json"]));
    assert!(!results.is_empty() && results.iter().all(|row| row["board"].as_u64() >= Some(1)));
}

#[test]
fn an_edited_record_fails_with_what_and_where() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("edited.grt");
    let mut record = fs::read(RECORD).unwrap();
    let middle = record.len() / 2;
    record[middle] ^= 1;
    fs::write(&path, record).unwrap();
    let verified = gridrace(&["tournament", "verify", path.to_str().unwrap()]);
    fails(&verified, 1, &["1 of 1 doesn't hold"]);
    assert!(printed(&verified).contains("byte "), "{}", printed(&verified));
    fails(&gridrace(&["tournament", "verify", "nothing.grt"]), 1, &["nothing.grt"]);
}

#[test]
fn a_replay_and_a_record_are_told_apart_with_the_command_that_reads_each() {
    let replay = crate::replays::golden("slide.grr");
    for command in ["verify", "export", "replay"] {
        let text = format!("{RECORD} is the record of a tournament: gridrace tournament verify ");
        fails(&gridrace(&[command, RECORD]), 1, &[&text]);
    }
    let text = format!("{replay} is the replay of a heat: gridrace verify {replay} checks it");
    let verified = gridrace(&["tournament", "verify", &replay, RECORD]);
    fails(&verified, 1, &["1 of 2 doesn't hold"]);
    assert!(printed(&verified).starts_with(&text), "{}", printed(&verified));
    fails(&gridrace(&["tournament", "export", &replay, "--results"]), 1, &[&text]);
}

#[test]
fn what_is_wrong_with_a_command_is_said_before_a_server_is_asked() {
    for (arguments, text) in [
        (&["new", "a b"][..], "a tournament's name has"),
        (&["new", "cup", "--plan", "series:13"], "series:13"),
        (&["new", "cup", "--plan", "p.toml"], "a plan's file is read by --file p.toml"),
        (&["new", "cup", "--pause", "1"], "the pause between boards is 3 to 3600 seconds"),
        (&["show", "cup@1.1.1.1", "2.2.2.2"], "two addresses were given"),
        (&["enter", "cup", "--team", "much-too-long"], "a team's tag has"),
        (&["command", "cup"], "COMMAND"),
    ] {
        let words: Vec<&str> = ["tournament"].iter().chain(arguments).copied().collect();
        fails(&gridrace(&words), 2, &[text]);
    }
    fails(&gridrace(&["tournament", "new", "cup", "--file", "nothing.toml"]), 1, &["nothing.toml"]);
    let folder = tempfile::tempdir().unwrap();
    let (plan, zeros) = (folder.path().join("plan.toml"), folder.path().join("zeros"));
    std::fs::write(&zeros, vec![0; 100_000]).unwrap();
    let new =
        |file: &Path| gridrace(&["tournament", "new", "cup", "--file", file.to_str().unwrap()]);
    for (text, where_and_what) in [
        ("# a cup\nplan = series:5\n", "plan.toml, line 2, plan = series:5: "),
        (
            "[[stages]]\nformat = \"series\"\n",
            "line 2, format = \"series\": knockout and double are",
        ),
        ("[[stages]]\nformat = \"knockout\"\nboards = 700", "`700`, expected a number up to 255"),
        ("[[stages]]\nformat = { series = {} }\nboards = 70", "plan.toml: stage 1: the number of"),
    ] {
        std::fs::write(&plan, text).unwrap();
        fails(&new(&plan), 2, &[where_and_what, "docs/tournaments.md#plans"]);
    }
    fails(&new(&zeros), 1, &["a plan has at most 65536 bytes"]);
    fails(&gridrace(&["tournament", "export", plan.to_str().unwrap()]), 2, &["add --standings"]);
    // Nothing listens on port 1 of this machine.
    let absent = gridrace(&["tournament", "list", "127.0.0.1:1"]);
    fails(&absent, 69, &["is the server running?"]);
    let keyless = ["tournament", "enter", "cup", "127.0.0.1:1", "--identity", ""];
    fails(&gridrace(&keyless), 1, &["a tournament knows you by your key"]);
}

#[test]
fn bots_of_which_one_can_t_enter_are_withdrawn_and_counted_nowhere() {
    let folder = tempfile::tempdir().unwrap();
    let server = Host::start(&[]);
    let address = server.address.as_str();
    let cup = format!("cup@{address}");
    let new = ["tournament", "new", &cup, "--max-entrants", "2", "--json"];
    json(&as_owner(&folder.path().join("owner"), &new));
    let key = folder.path().join("bots");
    let bots = as_owner(&key, &["bot", "--tournament", "cup", address, "--count", "3"]);
    fails(&bots, 77, &["2 of 3 bots had entered, so all are withdrawn"]);
    let list = json(&gridrace(&["tournament", "list", address, "--json"]));
    assert_eq!(list["entrants"], 0);
    let show = gridrace(&["tournament", "show", "cup", address]);
    assert!(printed(&show).contains("; 0 entrants\n"), "{}", printed(&show));
    assert_eq!(printed(&show).matches("withdrawn").count(), 2, "{}", printed(&show));
}

#[test]
fn ctrl_c_while_bots_enter_withdraws_those_that_have() {
    let folder = tempfile::tempdir().unwrap();
    let server = Host::start(&[]);
    let cup = format!("cup@{}", server.address);
    json(&as_owner(&folder.path().join("owner"), &["tournament", "new", &cup, "--json"]));
    let bots = ["bot", "--tournament", "cup"];
    let ended = shell::interrupt_third_bot(&bots, &server.address, &folder.path().join("bots"));
    fails(&ended, 130, &["interrupted: 2 of 3 bots had entered, so all are withdrawn"]);
    let show = gridrace(&["tournament", "show", "cup", &server.address]);
    assert!(printed(&show).contains("; 0 entrants\n"), "{}", printed(&show));
    assert_eq!(printed(&show).matches("withdrawn").count(), 2, "{}", printed(&show));
}

#[test]
fn a_tournament_is_opened_played_by_bots_and_exported() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let data = path("data");
    let server = Host::start(&["--data", data.to_str().unwrap()]);
    let (address, owner) = (server.address.as_str(), path("owner"));
    let cup = format!("cup@{address}");
    let new = ["tournament", "new", &cup, "--plan", "series:2", "--puzzle", "slide:2x2"];
    let new: Vec<&str> =
        new.into_iter().chain(["--pause", "3", "--break", "3", "--json"]).collect();
    let opened = json(&as_owner(&owner, &new));
    assert_eq!((opened["name"].as_str(), opened["plan"].as_str()), (Some("cup"), Some("series:2")));
    fails(&as_owner(&owner, &new), 77, &["another tournament has this name"]);

    let bots = ["bot", "--tournament", "cup", address, "--count", "3", "--pace", "10", "--json"];
    let mut bots = shell::command(&bots, Path::new(""))
        .env("GRIDRACE_KEY", path("bots"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut news = BufReader::new(bots.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert!(news.any(|line| line.contains("3 bots are in tournament cup")));
    let entered = json(&as_owner(
        &path("anna"),
        &["tournament", "enter", "cup", address, "--name", "Anna", "--json"],
    ));
    assert_eq!(entered["name"], "Anna");
    // One key enters once, whatever it is called the second time.
    let again = ["tournament", "enter", "cup", address, "--name", "Zoë", "--team", "RED", "--json"];
    assert_eq!(json(&as_owner(&path("anna"), &again)), entered);
    let standings = gridrace(&["tournament", "export", "cup", address, "--standings"]);
    assert!(printed(&standings).starts_with("place,entrant,name,team,"), "{}", printed(&standings));
    let results = gridrace(&["tournament", "export", "cup", address, "--results"]);
    assert!(printed(&results).starts_with("stage,round,table,board,"), "{}", printed(&results));

    // Only the organiser directs it, and a word that is no command changes nothing.
    let begin = ["tournament", "command", &cup, "begin"];
    fails(&as_owner(&path("anna"), &begin), 77, &["only the tournament's organiser"]);
    let unknown = as_owner(&owner, &["tournament", "command", &cup, "restart"]);
    fails(&unknown, 2, &["there is no command", "begin"]);
    assert!(as_owner(&owner, &begin).status.success());

    // To end it now would leave boards out, so that is asked.
    let end = ["tournament", "command", &cup, "end"];
    let asked = as_owner(&owner, &end);
    fails(&asked, 77, &["nothing is done: give --yes"]);
    assert!(printed(&asked).contains("2 boards of the round aren't raced"), "{}", printed(&asked));
    let log = json_lines(&gridrace(&["tournament", "watch", "cup", address, "--json"]));
    assert!(log.iter().any(|line| line["what"].as_str().unwrap().contains("is drawn")));
    let shown = gridrace(&["tournament", "show", "cup", address]);
    assert!(printed(&shown).contains("Anna"), "{}", printed(&shown));
    let results = ["tournament", "export", "cup", address, "--results", "--json"];
    let results = json_lines(&gridrace(&results));
    assert_eq!(results.len(), 8, "{results:?}");
    assert_eq!(results.iter().filter(|row| row["outcome"] == "dns").count(), 2);
    let list = json_lines(&gridrace(&["tournament", "list", address, "--json"]));
    assert_eq!(list[0]["name"], "cup");
    let log = gridrace(&["tournament", "show", "cup", address, "--log"]);
    assert!(
        printed(&log).contains("the tournament begins - by the organiser"),
        "{}",
        printed(&log)
    );
    assert!(!printed(&log).contains("Anna enters - by"), "{}", printed(&log));
    let again = ["tournament", "command", &cup, "replay table 1 board 2; a power cut"];
    let asked = as_owner(&owner, &again);
    fails(&asked, 77, &["nothing is done: give --yes"]);
    assert!(printed(&asked).contains("throws away 1 result\n"), "{}", printed(&asked));

    // Its results may still be corrected, until the organiser closes it.
    let early = gridrace(&["tournament", "export", "cup", address]);
    fails(&early, 77, &["corrected for ten minutes", "`end`"]);
    assert!(as_owner(&owner, &end).status.success(), "nothing is left to be raced");
    // The bots stay until the organiser ends the tournament. Anna never came to her table.
    let ended = bots.wait_with_output().unwrap();
    assert!(ended.status.success(), "{}", said(&ended));
    let ended = json(&ended);
    assert_eq!(ended["phase"], "over", "{ended}");
    let places: Vec<_> =
        ended["standings"].as_array().unwrap().iter().map(|row| row["place"].as_u64()).collect();
    assert_eq!(places.len(), 4, "{ended}");
    let past = json_lines(&gridrace(&["tournament", "list", "--past", address, "--json"]));
    assert_eq!(past.len(), 1, "{past:?}");
    assert_eq!((&past[0]["name"], &past[0]["plan"]), (&"cup".into(), &"series:2".into()));
    assert_eq!((&past[0]["entrants"], &past[0]["champions"]), (&4.into(), &ended["champions"]));
    assert_eq!(past[0]["record"], format!("http://{address}/t/cup.grt"));
    // The record comes from the server while it runs, and from its folder, and holds.
    let files = [path("fetched.grt"), path("kept.grt")];
    let [fetched, kept] = files.each_ref().map(|file| file.to_str().unwrap());
    let export = |arguments: &[&str]| {
        let output = gridrace(&[&["tournament", "export", "cup"], arguments].concat());
        assert!(output.status.success(), "{}", said(&output));
    };
    export(&[address, "--to", fetched]);
    export(&["--data", data.to_str().unwrap(), "--to", kept]);
    for file in [fetched, kept] {
        let verified = json(&gridrace(&["tournament", "verify", file, "--json"]));
        assert_eq!(verified["holds"], true, "{verified}");
    }
    assert_eq!(fs::read(fetched).unwrap(), fs::read(kept).unwrap());
    let again = gridrace(&["tournament", "export", "cup", address, "--to", fetched]);
    fails(&again, 1, &["fetched.grt exists, "]);
}

#[test]
fn an_evening_without_a_data_folder_says_at_its_start_that_it_keeps_no_record() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    for (more, is_said) in [(&[][..], true), (&["--data", data.to_str().unwrap()][..], false)] {
        let host = ["host", "--tournament", "series:2", "--headless", "--listen", "127.0.0.1:0"];
        let mut host = shell::command(&[&host, more].concat(), Path::new(""))
            .env("GRIDRACE_KEY", folder.path().join("owner"))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(host.stdout.take().unwrap()).lines().map(Result::unwrap);
        assert!(lines.any(|line| line.ends_with(" begin")));
        Command::new("kill").args(["-INT", &host.id().to_string()]).status().unwrap();
        let said = lines.any(|line| line == "No record is kept without --data DIR.");
        assert_eq!(said, is_said, "{more:?}");
        host.wait().unwrap();
    }
}

#[test]
fn an_open_tournament_goes_on_only_by_the_options_that_it_was_opened_with() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let host = |more: &[&str]| {
        let host = ["host", "--headless", "--listen", "127.0.0.1:0", "--title", "Friday"];
        let data = ["--data", data.to_str().unwrap()];
        let mut program = shell::command(&[&host[..], &data, more].concat(), Path::new(""));
        program.env("GRIDRACE_KEY", folder.path().join("owner"));
        program
    };
    // Both runs go on until they are asked to end.
    for _ in 0..2 {
        let mut program = host(&["--tournament", "knockout:bo3", "--check-in", "--private"]);
        let mut program = program.stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(program.stdout.take().unwrap()).lines().map(Result::unwrap);
        assert!(lines.next().unwrap().starts_with("tournament friday: knockout:bo3, entries open"));
        let way_in = lines.next().unwrap();
        assert!(way_in.starts_with("  gridrace tournament enter friday 127.0.0.1:"), "{way_in}");
        assert!(way_in.ends_with("/t/friday"), "{way_in}");
        assert!(lines.any(|line| line.ends_with(" begin")));
        Command::new("kill").args(["-INT", &program.id().to_string()]).status().unwrap();
        program.wait().unwrap();
    }
    for (plan, more, other) in [
        ("series:3", &["--check-in", "--private"][..], "with another plan"),
        (
            "knockout:bo3",
            &["--check-in", "--private", "--puzzle", "link:5x5"],
            "with another puzzle",
        ),
        ("knockout:bo3", &["--check-in"], "with other options"),
        ("knockout:bo3", &["--check-in", "--pin", "4711"], "without this PIN"),
    ] {
        let output = host(&[&["--tournament", plan], more].concat()).output().unwrap();
        fails(&output, 1, &["tournament friday is still open here", other, "another --title"]);
    }
    let output = gridrace(&["host", "--headless", "--listen", "127.0.0.1:0", "--pause", "5"]);
    fails(&output, 2, &["give --tournament PLAN"]);
}

#[test]
fn a_record_that_a_server_does_not_give_is_explained() {
    let server = Host::start(&[]);
    let (address, folder) = (server.address.as_str(), tempfile::tempdir().unwrap());
    let owner = folder.path().join("owner");
    let cup = format!("cup@{address}");
    let plain = |arguments: &[&str]| {
        let output = as_owner(&owner, arguments);
        assert!(output.status.success(), "{}", said(&output));
    };
    let exported = || gridrace(&["tournament", "export", "cup", address]);
    fails(&exported(), 77, &["no tournament of this name"]);
    plain(&["tournament", "new", &cup, "--plan", "series:2"]);
    fails(&exported(), 77, &["it isn't over", "--standings"]);
    plain(&["tournament", "command", "--yes", &cup, "end", "rain"]);
    fails(&exported(), 77, &["without a data folder"]);
    let past = gridrace(&["tournament", "list", "--past", address]);
    fails(&past, 77, &["keeps no past tournaments", "without a data folder"]);
}

#[test]
fn all_past_tournaments_are_listed_though_a_server_sends_them_in_parts() {
    let folder = tempfile::tempdir().unwrap();
    let (data, owner) = (folder.path().join("data"), folder.path().join("owner"));
    let server = Host::start(&["--data", data.to_str().unwrap()]);
    let list = || gridrace(&["tournament", "list", "--past", &server.address]);
    let none = list();
    assert!(none.status.success() && printed(&none).is_empty(), "{}", said(&none));
    assert!(said(&none).contains("no tournament has ended on 127.0.0.1:"), "{}", said(&none));
    let cup = format!("cup@{}", server.address);
    for arguments in [&["new", &cup, "--title", "Friday"][..], &["command", "--yes", &cup, "end"]] {
        let output = as_owner(&owner, &[&["tournament"], arguments].concat());
        assert!(output.status.success(), "{}", said(&output));
    }
    let database = Connection::open(data.join("gridrace.db")).unwrap();
    for _ in 1..40 {
        let again = "INSERT INTO tournaments (name, opened, ended, saved, outcome)
            SELECT name, opened, ended + 1, saved, outcome FROM tournaments ORDER BY id DESC LIMIT 1";
        database.execute(again, ()).unwrap();
    }
    let listed = list();
    assert!(listed.status.success(), "{}", said(&listed));
    let rows: Vec<&str> = printed(&listed).lines().collect();
    let names: Vec<&str> = rows.iter().map(|row| row.split(' ').next().unwrap()).collect();
    assert_eq!(names, (1..=40).rev().map(|number| format!("cup~{number}")).collect::<Vec<_>>());
    let link = format!("  http://{}/t/cup~1.grt  Friday", server.address);
    assert!(
        rows[39].contains("     0 entrants  no champion  ") && rows[39].ends_with(&link),
        "{}",
        rows[39]
    );
}
