//! `gridrace results`: one's own heats, from a server that keeps them.

use crate::shell::{self, Host, fails, gridrace, json, json_lines, printed, said};
use std::path::Path;
use std::process::Output;

/// Runs `gridrace` as the owner of a key.
fn as_owner(key: &Path, arguments: &[&str]) -> Output {
    shell::command(arguments, Path::new("")).env("GRIDRACE_KEY", key).output().unwrap()
}

#[test]
fn a_player_s_bots_are_found_again_by_their_key_and_no_others() {
    let folder = tempfile::tempdir().unwrap();
    let key = folder.path().join("key");
    let data = folder.path().join("data");
    let server = Host::start(&["--private", "--data", data.to_str().unwrap()]);
    let (code, address) = (server.code.as_str(), server.address.as_str());
    let bots = ["bot", code, address, "--count", "2", "--pace", "10"];
    let raced = as_owner(&key, &bots);
    assert!(raced.status.success(), "{}", said(&raced));
    // Killed, and started anew on the same data.
    drop(server);
    let server = Host::start(&["--data", data.to_str().unwrap()]);
    let address = server.address.as_str();

    let found = as_owner(&key, &["results", address, "--bots", "--json"]);
    let lines = json_lines(&found);
    assert_eq!(lines.len(), 2, "{}{}", printed(&found), said(&found));
    let mut places: Vec<_> = lines.iter().map(|line| line["place"].as_u64()).collect();
    places.sort_unstable();
    assert_eq!(places, [Some(1), Some(2)]);
    assert!(lines.iter().all(|line| line["players"] == 2));
    assert!(lines.iter().all(|line| line["puzzle"] == "slide:2x2"));
    assert!(lines[0]["time_millis"].as_u64().is_some());
    // The heat's name leads to its replay.
    let heat = lines[0]["heat"].as_str().unwrap();
    let data = data.to_str().unwrap();
    let verified = gridrace(&["verify", heat, "--data", data, "--json"]);
    assert_eq!(json(&verified)["holds"], true);
    let remote = format!("{address}/{heat}");
    let verified = as_owner(&key, &["verify", &remote, "--json"]);
    assert_eq!(json(&verified)["holds"], true);
    let of_stranger = as_owner(&folder.path().join("other"), &["verify", &remote]);
    fails(&of_stranger, 77, &["no replay of that name"]);
    let unknown = format!("http://{address}/r/BCDF-20261121-0000");
    fails(&as_owner(&key, &["replay", &unknown]), 77, &[address, "no replay of that name"]);

    let shown = as_owner(&key, &["results", address, "--bots"]);
    assert!(printed(&shown).starts_with("heat  "), "{}", printed(&shown));
    assert!(printed(&shown).contains(heat));
    assert!(said(&shown).is_empty());

    let of_person = as_owner(&key, &["results", address]);
    assert!(of_person.status.success());
    assert_eq!(printed(&of_person), "");
    assert!(said(&of_person).contains("keeps no results of yours"));
}

#[test]
fn bots_that_don_t_all_find_a_seat_leave_the_room_to_others() {
    let folder = tempfile::tempdir().unwrap();
    let server = Host::start(&[]);
    let bots = ["bot", &server.code];
    let interrupted =
        shell::interrupt_third_bot(&bots, &server.address, &folder.path().join("three"));
    fails(&interrupted, 130, &["2 of 3 bots had found a seat, and all have left: interrupted"]);
    let bots = ["bot", &server.code, &server.address, "--count", "33"];
    // With another key, for which no seat is kept.
    for key in ["one", "other"] {
        let refused = as_owner(&folder.path().join(key), &bots);
        fails(&refused, 77, &["32 of 33 bots had found a seat, and all have left"]);
    }
}

#[test]
fn why_there_are_none_has_its_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let key = folder.path().join("key");
    let keeps_nothing = Host::start(&[]);
    let address = &keeps_nothing.address;
    fails(&as_owner(&key, &["results", address]), 77, &["no results to show"]);
    fails(&as_owner(Path::new(""), &["results", address]), 1, &["no results without a key"]);
    let no_tls = as_owner(&key, &["results", &format!("wss://{address}")]);
    fails(&no_tls, 76, &["doesn't use TLS"]);
    // Nothing listens on port 1 of this machine.
    fails(&as_owner(&key, &["results", "127.0.0.1:1"]), 69, &[]);
    let no_file = as_owner(&key, &["results", "--ca", key.to_str().unwrap()]);
    fails(&no_file, 1, &["holds no certificate"]);
}
