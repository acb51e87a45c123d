//! Records of tournaments round-trip and their log folds; with the given checksums, and with corrected
//! ones that lead the fuzzer past them.

use super::replay::sealed;
use gridrace_shared::tournament::public_log::fold;
use gridrace_shared::tournament_record::{TournamentRecord, result_rows, standing_rows};

/// Longest log that is folded: a correction folds all of it again.
const MAX_FOLDED_LINES: usize = 256;

pub(super) fn file(input: &[u8]) -> bool {
    // Runs both, whatever the first returns.
    let as_it_is = read(input);
    read(&sealed(input)) || as_it_is
}

fn read(bytes: &[u8]) -> bool {
    let record = match TournamentRecord::decode(bytes) {
        Ok(record) => record,
        Err(damage) => {
            assert!(damage.offset <= bytes.len() as u64, "{damage}");
            assert!(damage.to_string().len() < 4_096);
            return false;
        }
    };
    assert_eq!(TournamentRecord::decode(&record.encode()).as_ref(), Ok(&record));
    // Leaves out the replays' boards, which may take seconds.
    if record.log.len() <= MAX_FOLDED_LINES {
        let tournament = fold(record.head.plan.clone(), &record.log);
        let standings = standing_rows(&tournament, &record.log);
        assert_eq!(standings.len(), tournament.standings().len());
        result_rows(&tournament, &record.log);
    }
    true
}
