//! Replays on the command line: they are shown, checked and exported.

use crate::shell::{Host, fails, gridrace, json, json_lines, printed, said};
use gridrace_shared::heat::standings::RaceState;
use gridrace_shared::replay::{Replay, ServerKey};
use gridrace_shared::util::time::Millis;
use rusqlite::Connection;
use serde_json::Value;
use std::path::Path;
use tempfile::TempDir;

/// A replay that is kept for the tests of the format.
pub fn golden(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/golden/replays");
    folder.join(name).display().to_string()
}

fn at(folder: &TempDir, name: &str) -> String {
    folder.path().join(name).display().to_string()
}

#[test]
fn what_holds_is_said_in_a_line_and_ends_well() {
    let output = gridrace(&["verify", &golden("slide.grr"), &golden("link.grr")]);
    assert!(output.status.success(), "{}", said(&output));
    let text = printed(&output);
    assert_eq!(text.matches(": holds (room KQZT, heat 3, ").count(), 2, "{text}");
    // Of whom not everything is recorded is said, too.
    assert!(text.contains("the record of player #1 is cut"), "{text}");
}

#[test]
fn verify_says_which_server_vouches_for_a_replay() {
    let key = ServerKey::from_bytes([7; 32]);
    let server = key.fingerprint().to_string();
    let signed = golden("signed.grr");
    for arguments in [&["verify", &signed][..], &["verify", &signed, "--server", &server]] {
        let output = gridrace(arguments);
        assert!(output.status.success(), "{}", said(&output));
        let vouched = format!("  signed by server {server}\n");
        assert!(printed(&output).ends_with(&vouched), "{}", printed(&output));
    }
    let verified = json(&gridrace(&["verify", &signed, "--json"]));
    assert_eq!((&verified["signature"], &verified["server"]), (&"valid".into(), &server.into()));

    let other = "00112233445566778899aabbccddeeff";
    let output = gridrace(&["verify", &signed, "--server", other]);
    fails(&output, 1, &["1 of 1 doesn't hold"]);
    assert!(printed(&output).contains("not signed as required"), "{}", printed(&output));
    let unsigned = golden("slide.grr");
    let output = gridrace(&["verify", &unsigned, "--server", other]);
    fails(&output, 1, &["1 of 1 doesn't hold"]);
    assert!(printed(&output).contains("  not signed, where "), "{}", printed(&output));
    fails(&gridrace(&["verify", &unsigned, "--server", "0011"]), 2, &["32 hexadecimal digits"]);

    // Whether the room was private follows from nothing else, so the rules alone pass it.
    let folder = tempfile::tempdir().unwrap();
    let path = at(&folder, "forged.grr");
    let mut replay = Replay::decode(&std::fs::read(&signed).unwrap()).unwrap();
    let plain = replay.encode().len();
    replay.header.options.private = true;
    let section = std::fs::read(&signed).unwrap().split_off(plain);
    std::fs::write(&path, [replay.encode(), section].concat()).unwrap();
    let output = gridrace(&["verify", &path]);
    fails(&output, 1, &["1 of 1 doesn't hold"]);
    assert!(printed(&output).contains("which has signed something else"), "{}", printed(&output));
}

#[test]
fn what_doesn_t_hold_is_printed_with_its_player() {
    let mut replay = Replay::decode(&std::fs::read(golden("link.grr")).unwrap()).unwrap();
    replay.header.secret.seed = "monday".parse().unwrap();
    let rows = &mut replay.outcome.standings;
    rows[0].state = RaceState::Finished { time: Millis(1) };
    (rows[0].place, rows[1].place) = (rows[1].place, rows[0].place);
    let folder = tempfile::tempdir().unwrap();
    let path = at(&folder, "changed.grr");
    std::fs::write(&path, replay.encode()).unwrap();
    let output = gridrace(&["verify", &path]);
    fails(&output, 1, &["1 of 1 doesn't hold"]);
    for what in [
        ": seed and salt give the commitment ",
        ", not the one that was published",
        ": the seed names another board than the one that was played",
        "player #3: the finish is ",
        ", but 0:00.001 is recorded [Anna]",
        "player #1: the place is 2, but 1 is recorded [Zoë]",
    ] {
        assert!(printed(&output).contains(what), "{what} in\n{}", printed(&output));
    }
}

#[test]
fn a_damaged_file_says_at_which_byte_and_ends_badly() {
    let folder = tempfile::tempdir().unwrap();
    let path = at(&folder, "damaged.grr");
    let mut bytes = std::fs::read(golden("slide.grr")).unwrap();
    bytes[20] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    for command in [&["verify", &path][..], &["verify", &golden("link.grr"), &path]] {
        let output = gridrace(command);
        fails(&output, 1, &[]);
        let damage = format!("{path}: damaged at byte ");
        assert!(printed(&output).contains(&damage), "{}", printed(&output));
        assert!(printed(&output).contains("in section HEAT"), "{}", printed(&output));
    }
    let output = gridrace(&["verify", &path, "--json"]);
    fails(&output, 1, &[]);
    let found = &json_lines(&output)[0];
    assert_eq!(found["holds"], false);
    assert_eq!(found["damage"]["section"], "HEAT");
    for command in ["replay", "export"] {
        fails(&gridrace(&[command, &path]), 1, &["damaged at byte"]);
    }
    let output = gridrace(&["verify", "no such file", &golden("link.grr"), &path]);
    let summary = "1 of 3 doesn't hold, and 1 can't be read";
    fails(&output, 1, &["can't read no such file: ", summary]);
    // Of the second the cut record and the missing signature are said, too.
    assert_eq!(printed(&output).lines().count(), 4, "{}", printed(&output));
    fails(&gridrace(&["verify", "no such file"]), 1, &["no such file"]);
}

#[test]
fn in_json_verify_has_a_line_for_each_replay() {
    let slide = golden("slide.grr");
    for files in [&[&*slide, "no such file", &slide][..], &["no such file"]] {
        let output = gridrace(&[&["verify", "--json"], files].concat());
        fails(&output, 1, &["can't read no such file: "]);
        let lines = json_lines(&output);
        let named: Vec<_> = lines.iter().map(|line| line["file"].as_str().unwrap()).collect();
        assert_eq!(named, files);
        let unread = lines.iter().find(|line| line["file"] == "no such file").unwrap();
        assert_eq!(unread["holds"], false);
        assert!(unread["error"].as_str().unwrap().starts_with("can't read no such file: "));
    }
}

#[test]
fn an_export_goes_on_after_a_replay_that_can_t_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let damaged = at(&folder, "damaged.grr");
    std::fs::write(&damaged, "no replay").unwrap();
    let (slide, link) = (golden("slide.grr"), golden("link.grr"));
    let heats = ["export", &slide, "no such file", &damaged, &link, "--json"];
    let output = gridrace(&heats);
    let summary = "2 of 4 can't be read";
    fails(&output, 1, &["can't read no such file: ", "damaged.grr is damaged", summary]);
    let sources: Vec<Value> =
        json_lines(&output).iter().map(|line| line["source"].clone()).collect();
    assert_eq!(sources, [&*slide, &*link]);
    let totals = gridrace(&[&heats[..], &["--totals"]].concat());
    fails(&totals, 1, &[summary]);
    assert_eq!(json_lines(&totals).len(), 6);
}

#[test]
fn an_export_of_all_heats_skips_those_without_a_replay() {
    let folder = tempfile::tempdir().unwrap();
    let data = at(&folder, "data");
    let host = Host::start(&["--data", &data]);
    let bots = gridrace(&["bot", &host.code, &host.address, "--count", "2"]);
    assert!(bots.status.success(), "{}", said(&bots));
    drop(host);
    let copy_heat = |id: &str, number: u32, replay: Option<&[u8]>| {
        let database = Connection::open(Path::new(&data).join("gridrace.db")).unwrap();
        let columns = "code, ended, puzzle, options, result, heat";
        let copy = format!(
            "INSERT INTO finished (id, number, replay, {columns})
             SELECT ?1, ?2, ?3, {columns} FROM finished LIMIT 1"
        );
        assert_eq!(database.execute(&copy, (id, number, replay)).unwrap(), 1);
    };
    let export = || gridrace(&["export", "--all", "--json", "--data", &data]);
    let all = export();
    assert_eq!(json_lines(&all).len(), 1, "{}", said(&all));
    copy_heat("BCDF-20200101-0000", 100, None);
    let skipped = export();
    assert!(skipped.status.success() && said(&skipped).is_empty(), "{}", said(&skipped));
    assert_eq!(printed(&skipped), printed(&all));
    copy_heat("BCDF-20200101-0001", 101, Some(b"no replay"));
    let damaged = export();
    fails(&damaged, 1, &["BCDF-20200101-0001 is damaged", "1 of 3 can't be read"]);
    assert_eq!(printed(&damaged), printed(&all));
}

#[test]
fn without_a_terminal_a_replay_is_told_line_by_line() {
    let output = gridrace(&["replay", &golden("slide.grr")]);
    assert!(output.status.success(), "{}", said(&output));
    let text = printed(&output);
    for line in [
        "Robo takes a hint",
        "the server was down",
        "Otter is kicked by the host",
        "the heat is over",
    ] {
        assert!(text.contains(line), "{text}");
    }
}

#[test]
fn in_json_every_record_is_a_line_between_the_heat_and_its_result() {
    let output = gridrace(&["replay", &golden("slide.grr"), "--json"]);
    let lines = json_lines(&output);
    let (head, tail) = (&lines[0], lines.last().unwrap());
    assert_eq!(head["puzzle"], "slide:2x3#golden");
    assert_eq!(head["players"][2]["kind"]["house_bot"], "casual");
    let moves: Vec<u64> = lines
        .iter()
        .filter(|line| line["what"] == "move" && line["player"] == 2)
        .map(|line| line["number"].as_u64().unwrap())
        .collect();
    assert_eq!(moves, [1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(tail["standings"].as_array().unwrap().len(), 4);
}

#[test]
fn heats_that_a_server_keeps_are_listed_shown_checked_and_copied() {
    let folder = tempfile::tempdir().unwrap();
    let data = at(&folder, "data");
    let host = Host::start(&["--data", &data]);
    let bots = ["bot", &host.code, &host.address, "--skill", "master", "--count", "2"];
    let bots = gridrace(&bots);
    assert!(bots.status.success(), "{}", said(&bots));
    drop(host);
    let listed = gridrace(&["replay", "--list", "--json", "--data", &data]);
    assert!(listed.status.success(), "{}", said(&listed));
    let heat = &json_lines(&listed)[0];
    assert_eq!((&heat["players"], &heat["finished"]), (&2.into(), &2.into()));
    let id = heat["id"].as_str().unwrap();
    let plain = gridrace(&["replay", "--list", "--data", &data]);
    let (winner, names) = (heat["winner"].as_str().unwrap(), heat["names"].as_array().unwrap());
    assert_eq!((names.len(), names[0].as_str()), (2, Some(winner)));
    for text in [id, &format!("{winner} won in 0:"), "2 of 2 finished: master-"] {
        assert!(printed(&plain).contains(text), "{text} in\n{}", printed(&plain));
    }
    let all = gridrace(&["export", "--all", "--totals", "--json", "--data", &data]);
    let totals = json_lines(&all);
    let wins = totals.iter().map(|total| total["wins"].as_u64().unwrap()).sum::<u64>();
    assert_eq!((totals.len(), wins), (2, totals[0]["heats"].as_u64().unwrap()));
    let copy = at(&folder, "copy.grr");
    for arguments in [
        &["verify", id, "--data", &data][..],
        &["replay", id, "--data", &data],
        &["export", id, "--data", &data],
        &["export", id, "--data", &data, "--to", &copy],
        &["verify", &copy],
    ] {
        let output = gridrace(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", said(&output));
    }
    let [stored, copied] =
        [&["verify", id, "--data", &data, "--json"][..], &["verify", &copy, "--json"]]
            .map(|arguments| json(&gridrace(arguments)));
    assert_eq!((&stored["signature"], &copied["signature"]), (&"valid".into(), &"valid".into()));
    assert_eq!(stored["server"], copied["server"]);
    let exported = json(&gridrace(&["export", &copy, "--json"]));
    assert_eq!(exported["signed_by"], copied["server"]);
    // It is there already.
    fails(
        &gridrace(&["export", id, "--data", &data, "--to", &copy]),
        1,
        &["exists, and no file is overwritten"],
    );
    let unknown = gridrace(&["replay", "BCDF-20200101-0000", "--data", &data]);
    fails(&unknown, 1, &["no heat BCDF-20200101-0000"]);
    for arguments in [["replay", "--list", "127.0.0.1"], ["export", "--all", "127.0.0.1"]] {
        fails(&gridrace(&arguments), 2, &["data folder", "gridrace results ADDRESS"]);
    }
    for arguments in [["replay", "127.0.0.1"], ["export", "127.0.0.1"]] {
        fails(&gridrace(&arguments), 1, &["ADDRESS/ID", "gridrace results ADDRESS"]);
    }
    let nowhere = gridrace(&["replay", "--list", "--data", &at(&folder, "nowhere")]);
    fails(&nowhere, 1, &["--data names another folder"]);
    let unused = tempfile::tempdir().unwrap();
    let unused = ["replay", "--list", "--data", unused.path().to_str().unwrap()];
    fails(&gridrace(&unused), 1, &["no server has kept heats in", "--data names another folder"]);
}

#[test]
fn results_of_many_heats_are_one_table() {
    let heats = [golden("slide.grr"), golden("link.grr")];
    let output = gridrace(&["export", &heats[0], &heats[1]]);
    assert!(output.status.success(), "{}", said(&output));
    let text = printed(&output);
    assert_eq!(text.lines().count(), 1 + 4 + 2, "{text}");
    assert!(text.starts_with("source,room,heat,began,puzzle,seed,place,name,"));
    let output = gridrace(&["export", &heats[1], &heats[1], "--totals"]);
    let totals = printed(&output);
    assert_eq!(totals.lines().count(), 1 + 2, "{totals}");
    assert!(totals.starts_with("name,kind,skill,puzzle,heats,wins,finished,best_millis,"));
    assert!(totals.contains(",link:5x4:classic,2,2,2,"), "{totals}");
    let output = gridrace(&["export", &heats[1], "--json"]);
    let heat = json(&output);
    assert_eq!(heat["puzzle"], "link:5x4:classic");
    assert_eq!(heat["standings"][0]["name"], "Anna");
    assert_eq!(heat["standings"][0]["finished"], true);
}
