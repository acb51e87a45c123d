//! `gridrace verify` on replays in which something was changed: what doesn't hold is said, with
//! its byte.

#![expect(clippy::unwrap_used, reason = "what fails here fails a test")]

mod shell;

use gridrace_shared::heat::commitment::{Commitment, Salt};
use gridrace_shared::heat::player_kind::PlayerKind;
use gridrace_shared::heat::standings::State;
use gridrace_shared::replay::{EventLog, EventLogWriter, RacerEvent, Record, RecordKind, Replay};
use gridrace_shared::util::time::Millis;
use shell::{gridrace, json, printed, said};
use std::path::{Path, PathBuf};

/// A file of a test, gone with it.
struct File(PathBuf);

impl File {
    fn new(name: &str, bytes: &[u8]) -> Self {
        let name = format!("gridrace-{}-{name}.grr", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, bytes).unwrap();
        Self(path)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        std::fs::remove_file(&self.0).ok(); // it is in the folder for such things
    }
}

/// A heat of links that Anna has won, as the tests of the format keep it.
fn bytes() -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/golden/replays");
    std::fs::read(folder.join("link.grr")).unwrap()
}

/// Checks that all of these are said of a file, and that it ends badly.
fn says(name: &str, bytes: &[u8], what: &[&str]) {
    let file = File::new(name, bytes);
    let output = gridrace(&["verify", &file.0.display().to_string()]);
    assert_eq!(output.status.code(), Some(1), "{name}");
    assert!(said(&output).contains("1 of 1 doesn't hold"), "{name}");
    let text = printed(&output);
    for what in what {
        assert!(text.contains(what), "{name}: {what} in\n{text}");
    }
}

/// Checks what is said once something has been changed.
fn finds(name: &str, change: impl FnOnce(&mut Replay), what: &[&str]) {
    let mut replay = Replay::decode(&bytes()).unwrap();
    change(&mut replay);
    says(name, &replay.encode(), what);
}

/// Writes a course anew, with another board, players or records.
fn rewrite(course: &EventLog, change: impl Fn(usize, Record) -> Record) -> EventLog {
    let racers = course.racers().to_vec();
    let mut writer = EventLogWriter::new(course.start().clone(), racers).unwrap();
    for (n, (_, record)) in course.records().enumerate() {
        let record = change(n, record);
        writer.record(record.at, &record.what).unwrap();
    }
    writer.finish()
}

/// Anna's strokes: where they stand among the records.
fn strokes(course: &EventLog) -> Vec<usize> {
    let records = course.records().enumerate();
    records
        .filter_map(|(n, (_, record))| match record.what {
            RecordKind::Racer { event: RacerEvent::Move(_), .. } => Some(n),
            RecordKind::Racer { .. } | RecordKind::Outage { .. } => None,
        })
        .collect()
}

#[test]
fn what_nobody_changed_holds() {
    let file = File::new("unchanged", &bytes());
    let output = gridrace(&["verify", "--json", &file.0.display().to_string()]);
    assert_eq!(json(&output)["holds"], true);
}

#[test]
fn another_move_is_found() {
    let change = |replay: &mut Replay| {
        let strokes = strokes(&replay.course);
        let all: Vec<Record> = replay.course.records().map(|(_, record)| record).collect();
        let (second, last) = (strokes[strokes.len() - 2], strokes[strokes.len() - 1]);
        // The last stroke is the one before it once more.
        replay.course = rewrite(&replay.course, |n, record| {
            if n == last {
                let what = all[second].what.clone();
                return Record { what, ..record };
            }
            record
        });
    };
    let what = [
        "player #3, after move ",
        ": the move is illegal: the stroke changes nothing [Anna]",
        ": the finish is DNF, and ",
    ];
    finds("move", change, &what);
}

#[test]
fn another_time_of_a_move_is_found() {
    let change = |replay: &mut Replay| {
        let last = *strokes(&replay.course).last().unwrap();
        replay.course = rewrite(&replay.course, |n, record| {
            let at = record.at + Millis(if n < last { 0 } else { 250 });
            Record { at, ..record }
        });
    };
    finds("time", change, &["player #3: the finish is ", "[Anna]"]);
}

#[test]
fn another_finish_time_is_found() {
    let change = |replay: &mut Replay| {
        replay.outcome.standings[0].state = State::Finished { time: Millis(1) };
    };
    let what = ["player #3: the finish is ", ", and 0:00.001 is recorded [Anna]"];
    finds("finish", change, &what);
}

#[test]
fn another_place_is_found() {
    let change = |replay: &mut Replay| {
        let rows = &mut replay.outcome.standings;
        (rows[0].place, rows[1].place) = (rows[1].place, rows[0].place);
    };
    let what = [
        "player #3: the place is 1, and 2 is recorded [Anna]",
        "player #1: the place is 2, and 1 is recorded [Zoë]",
    ];
    finds("place", change, &what);
}

#[test]
fn another_seed_is_found() {
    let change = |replay: &mut Replay| replay.about.secret.seed = "monday".parse().unwrap();
    let what = [
        ": seed and salt give the commitment ",
        ": the seed names another board than the one that was played",
    ];
    finds("seed", change, &what);
}

#[test]
fn another_salt_is_found() {
    let change = |replay: &mut Replay| replay.about.secret.salt = Salt::from_bytes([1; 16]);
    finds("salt", change, &[": seed and salt give the commitment "]);
}

#[test]
fn another_commitment_is_found() {
    let change = |replay: &mut Replay| {
        replay.about.commitment = Commitment::from_bytes([1; 32]);
    };
    let what = [", and not the one that was published"];
    finds("commitment", change, &what);
}

#[test]
fn another_name_is_found_where_somebody_else_has_it_and_where_a_byte_was_changed() {
    let change = |replay: &mut Replay| {
        let course = &replay.course;
        let mut racers = course.racers().to_vec();
        racers[1].name = "ZOË".parse().unwrap();
        assert_eq!(racers[1].kind, PlayerKind::Human);
        let mut writer = EventLogWriter::new(course.start().clone(), racers).unwrap();
        for (_, record) in course.records() {
            writer.record(record.at, &record.what).unwrap();
        }
        replay.course = writer.finish();
    };
    let what = ["player #3: the name looks like that of another player [ZOË]"];
    finds("name", change, &what);
    let mut file = bytes();
    let at = file.windows(4).position(|bytes| bytes == b"Anna").unwrap();
    file[at] = b'H';
    let what = ["damaged at byte ", ", in section SEAT: the section's checksum is "];
    says("name-byte", &file, &what);
}
