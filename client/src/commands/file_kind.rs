//! Which of the two formats a file has, by its first bytes.

use crate::display::safe_text;

const REPLAY: &[u8] = b"\x89grr";
const RECORD: &[u8] = b"\x89grt";

/// Says which command reads a file that is given as a replay but is a tournament's record.
pub(crate) fn record_for_replay(name: &str, file: &[u8]) -> Option<String> {
    let name = safe_text::lines(name);
    file.starts_with(RECORD).then(|| {
        format!("{name} is the record of a tournament: gridrace tournament verify {name} checks it")
    })
}

/// Says which command reads a file that is given as a tournament's record but is a replay.
pub(crate) fn replay_for_record(name: &str, file: &[u8]) -> Option<String> {
    let name = safe_text::lines(name);
    file.starts_with(REPLAY)
        .then(|| format!("{name} is the replay of a heat: gridrace verify {name} checks it"))
}
