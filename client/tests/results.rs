//! `gridrace results`: one's own heats, from a server that keeps them.

#![expect(clippy::unwrap_used, reason = "what fails here fails a test")]

mod shell;

use shell::{gridrace, json, printed, said};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Output, Stdio};

/// A server without a screen, and the heat that stands on it.
struct Host {
    child: Child,
    code: String,
    address: String,
}

impl Host {
    fn start(more: &[&str]) -> Self {
        let mut arguments = vec!["host", "--headless", "--listen", "127.0.0.1:0"];
        arguments.extend(["--puzzle", "slide:2x2", "--countdown", "1"]);
        arguments.extend(more);
        let mut child =
            shell::command(&arguments, Path::new("")).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let line =
            lines.map(Result::unwrap).find(|line| line.starts_with("  gridrace join ")).unwrap();
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let [_, _, code, address] = words.try_into().unwrap();
        Self { child, code, address }
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.child.kill().ok(); // it may have ended by itself
        self.child.wait().ok();
    }
}

/// Runs `gridrace` as the owner of a key.
fn as_owner(key: &Path, arguments: &[&str]) -> Output {
    shell::command(arguments, Path::new("")).env("GRIDRACE_KEY", key).output().unwrap()
}

#[test]
fn one_s_bots_are_found_again_by_their_key_and_nobody_else() {
    let folder = tempfile::tempdir().unwrap();
    let key = folder.path().join("key");
    let data = folder.path().join("data");
    let server = Host::start(&["--data", data.to_str().unwrap()]);
    let (code, address) = (server.code.as_str(), server.address.as_str());
    let bots = ["bot", code, address, "--count", "2", "--pace", "10"];
    let raced = as_owner(&key, &bots);
    assert!(raced.status.success(), "{}", said(&raced));
    // Killed, and started anew on the same data.
    drop(server);
    let server = Host::start(&["--data", data.to_str().unwrap()]);
    let address = server.address.as_str();

    let found = as_owner(&key, &["results", address, "--bots", "--json"]);
    let lines: Vec<serde_json::Value> =
        printed(&found).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
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

    let shown = as_owner(&key, &["results", address, "--bots"]);
    assert!(printed(&shown).starts_with("heat  "), "{}", printed(&shown));
    assert!(printed(&shown).contains(heat));
    assert!(said(&shown).is_empty());

    let of_person = as_owner(&key, &["results", address]);
    assert!(of_person.status.success());
    assert_eq!(printed(&of_person), "");
    assert!(said(&of_person).contains("knows of no heat of you"));
}

#[test]
fn why_there_are_none_has_its_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let key = folder.path().join("key");
    let keeps_nothing = Host::start(&[]);
    let refused = as_owner(&key, &["results", &keeps_nothing.address]);
    assert_eq!(refused.status.code(), Some(77));
    assert!(said(&refused).contains("no results to show"));
    let nobody = as_owner(Path::new(""), &["results", &keeps_nothing.address]);
    assert_eq!(nobody.status.code(), Some(1));
    assert!(said(&nobody).contains("you have no key"), "{}", said(&nobody));
    let no_tls = as_owner(&key, &["results", &format!("wss://{}", keeps_nothing.address)]);
    assert_eq!(no_tls.status.code(), Some(76));
    assert!(said(&no_tls).contains("speaks no TLS"), "{}", said(&no_tls));
    // Nobody listens on port 1 of this machine.
    let nobody_there = as_owner(&key, &["results", "127.0.0.1:1"]);
    assert_eq!(nobody_there.status.code(), Some(69));
    let no_file = as_owner(&key, &["results", "--ca", key.to_str().unwrap()]);
    assert_eq!(no_file.status.code(), Some(2));
    assert!(said(&no_file).contains("holds no certificate"), "{}", said(&no_file));
}
