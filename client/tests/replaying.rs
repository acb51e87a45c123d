//! Replays on the command line: they are shown, checked and exported.

#![expect(clippy::unwrap_used, reason = "what fails here fails a test")]

mod shell;

use serde_json::Value;
use shell::{gridrace, json, printed, said};
use std::path::{Path, PathBuf};

/// A replay that is kept for the tests of the format.
fn golden(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/golden/replays");
    folder.join(name).display().to_string()
}

/// A copy of it in which a byte is another.
struct Damaged(PathBuf);

impl Damaged {
    fn new(name: &str, at: usize) -> Self {
        let mut bytes = std::fs::read(golden(name)).unwrap();
        bytes[at] ^= 1;
        let file = format!("gridrace-{}-{at}-{name}", std::process::id());
        let path = std::env::temp_dir().join(file);
        std::fs::write(&path, bytes).unwrap();
        Self(path)
    }
}

impl Drop for Damaged {
    fn drop(&mut self) {
        std::fs::remove_file(&self.0).ok(); // it is in the folder for such things
    }
}

fn lines(output: &std::process::Output) -> Vec<Value> {
    let lines = printed(output).lines();
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn what_holds_is_said_in_a_line_and_ends_well() {
    let output = gridrace(&["verify", &golden("slide.grr"), &golden("link.grr")]);
    assert!(output.status.success(), "{}", said(&output));
    let text = printed(&output);
    assert_eq!(text.matches(": holds (KQZT heat 3, ").count(), 2, "{text}");
    // Of whom not everything is recorded is said, too.
    assert!(text.contains("the record of player #1 is cut"), "{text}");
}

#[test]
fn a_damaged_file_says_at_which_byte_and_ends_badly() {
    let damaged = Damaged::new("slide.grr", 20);
    let path = damaged.0.display().to_string();
    for command in [&["verify", &path][..], &["verify", &golden("link.grr"), &path]] {
        let output = gridrace(command);
        assert_eq!(output.status.code(), Some(1));
        let damage = format!("{path}: damaged at byte ");
        assert!(printed(&output).contains(&damage), "{}", printed(&output));
        assert!(printed(&output).contains("in section HEAT"), "{}", printed(&output));
    }
    let output = gridrace(&["verify", &path, "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let found = &lines(&output)[0];
    assert_eq!(found["holds"], false);
    assert_eq!(found["damage"]["section"], "HEAT");
    for command in ["replay", "export"] {
        let output = gridrace(&[command, &path]);
        assert_eq!(output.status.code(), Some(1));
        assert!(said(&output).contains("damaged at byte"), "{}", said(&output));
    }
    let output = gridrace(&["verify", "no such file", &golden("link.grr"), &path]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(printed(&output).lines().count(), 3, "{}", printed(&output));
    for line in ["can't read no such file: ", "1 of 3 doesn't hold, and 1 can't be read"] {
        assert!(said(&output).contains(line), "{}", said(&output));
    }
    let output = gridrace(&["verify", "no such file"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("no such file"), "{}", said(&output));
}

#[test]
fn without_a_terminal_a_replay_is_told_line_by_line() {
    let output = gridrace(&["replay", &golden("slide.grr")]);
    assert!(output.status.success(), "{}", said(&output));
    let text = printed(&output);
    for line in
        ["Robo takes a hint", "the server was away", "Otter is sent away", "the heat is over"]
    {
        assert!(text.contains(line), "{text}");
    }
}

#[test]
fn in_json_every_record_is_a_line_between_the_heat_and_its_result() {
    let output = gridrace(&["replay", &golden("slide.grr"), "--json"]);
    let lines = lines(&output);
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

/// A folder of a test, gone with it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let name = format!("gridrace-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path).unwrap();
        Self(path)
    }

    fn at(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok(); // it is in the folder for such things
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn heats_that_a_server_keeps_are_listed_shown_checked_and_copied() {
    let folder = Folder::new("kept");
    let data = folder.at("data");
    race(Path::new(&data)).await;
    let listed = gridrace(&["replay", "--list", "--json", "--data", &data]);
    assert!(listed.status.success(), "{}", said(&listed));
    let heat = &lines(&listed)[0];
    assert_eq!((&heat["players"], &heat["finished"]), (&2.into(), &2.into()));
    let id = heat["id"].as_str().unwrap();
    let plain = gridrace(&["replay", "--list", "--data", &data]);
    assert!(printed(&plain).contains(id) && printed(&plain).contains("2 of 2 finished"));
    let copy = folder.at("copy.grr");
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
    let again = gridrace(&["export", id, "--data", &data, "--to", &copy]);
    assert_eq!(again.status.code(), Some(1), "it is there already");
    let unknown = gridrace(&["replay", "BCDF-20200101-0000", "--data", &data]);
    assert!(said(&unknown).contains("no heat BCDF-20200101-0000"), "{}", said(&unknown));
    let nowhere = gridrace(&["replay", "--list", "--data", &folder.at("nowhere")]);
    assert!(said(&nowhere).contains("--data names another folder"), "{}", said(&nowhere));
}

/// Lets two bots from outside race on a server that keeps its heats.
async fn race(data: &Path) {
    use gridrace_server::store::Data;
    use gridrace_server::{Server, ServerConfig, StandingRoom};
    use gridrace_shared::heat::options::HeatOptions;
    let config = ServerConfig {
        standing: vec![StandingRoom {
            options: HeatOptions {
                countdown_seconds: 1,
                ..HeatOptions::new("slide:2x2".parse().unwrap())
            },
            seed: None,
            bots: Vec::new(),
            pin: None,
        }],
        data: Data::At(data.to_owned()),
        ..ServerConfig::default()
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let server = Server::new(listener, config).unwrap();
    let (address, code) = (server.address().to_string(), server.standing()[0].to_string());
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let task = tokio::spawn(server.run(async {
        stopped.await.ok(); // asked or dropped, it is the same
    }));
    let bots = move || gridrace(&["bot", &code, &address, "--skill", "master", "--count", "2"]);
    let bots = tokio::task::spawn_blocking(bots).await.unwrap();
    assert!(bots.status.success(), "{}", said(&bots));
    stop.send(()).unwrap();
    task.await.unwrap();
}

#[test]
fn results_of_many_heats_are_one_table() {
    let heats = [golden("slide.grr"), golden("link.grr")];
    let output = gridrace(&["export", &heats[0], &heats[1]]);
    assert!(output.status.success(), "{}", said(&output));
    let text = printed(&output);
    assert_eq!(text.lines().count(), 1 + 4 + 2, "{text}");
    assert!(text.starts_with("source,heat,number,began,puzzle,seed,place,name,"));
    let output = gridrace(&["export", &heats[1], "--json"]);
    let heat = json(&output);
    assert_eq!(heat["puzzle"], "link:5x4:classic");
    assert_eq!(heat["standings"][0]["name"], "Anna");
    assert_eq!(heat["standings"][0]["finished"], true);
}
