//! The store's journal: rows with entries of many rooms, a room's entries, checkpoints.

use gridrace_server::fuzzing::{JournaledRoom, decode_journal_row, encode_journal_row};
use gridrace_server::race::journal::{self, JournalError};
use gridrace_server::race::{Event, HeatSecret, RaceConfig};
use gridrace_shared::heat::commitment::{Salt, Secret, SeedOrigin};
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::replay::Replay;
use gridrace_shared::util::time::{HeatInstant, Millis, ServerInstant};

/// Rows: a decoded row encodes to the same bytes.
pub(super) fn row(input: &[u8]) -> bool {
    let heats = decode_journal_row(input);
    if let Some(heats) = &heats {
        assert_eq!(encode_journal_row(heats), input);
    }
    heats.is_some()
}

/// Entries: they round-trip, any decoded entry can be applied, and a race restored from a checkpoint
/// continues like the original.
pub(super) fn entries(input: &[u8]) -> bool {
    let entries = match journal::read(input) {
        Ok(entries) => entries,
        Err(fault) => {
            assert!(fault.to_string().len() < 4_096);
            if let JournalError::BreaksOff(at) | JournalError::Entry { at, .. } = fault {
                assert!(at < input.len());
                // Entries before the error are whole.
                assert!(journal::read(&input[..at]).is_ok());
            }
            return false;
        }
    };
    let mut written = Vec::new();
    for (at, event) in &entries {
        journal::append(&mut written, *at, event).unwrap();
    }
    assert_eq!(journal::read(&written).unwrap(), entries);
    let mut heat = heat();
    for (at, event) in entries {
        let (_, replay) = heat.apply(at, event);
        if let Some(replay) = replay {
            assert_eq!(Replay::decode(&replay.encode()).as_ref(), Ok(&replay));
        }
    }
    let checkpoint = heat.checkpoint().unwrap();
    let mut again = JournaledRoom::restore(&checkpoint).unwrap();
    assert_eq!(again.checkpoint().unwrap(), checkpoint);
    for (at, event) in [
        (HeatInstant(0), Event::Recovered { away: Millis(7) }),
        (HeatInstant(1 << 40), Event::Tick),
    ] {
        assert_eq!(heat.apply(at, event.clone()), again.apply(at, event));
    }
    true
}

pub(super) fn checkpoint(input: &[u8]) -> bool {
    let heat = match JournaledRoom::restore(input) {
        Ok(heat) => heat,
        Err(fault) => {
            assert!(fault.to_string().len() < 4_096);
            return false;
        }
    };
    let written = heat.checkpoint().unwrap();
    let again = JournaledRoom::restore(&written).unwrap();
    assert_eq!(again.checkpoint().unwrap(), written);
    true
}

fn heat() -> JournaledRoom {
    let salt = Salt::from_bytes([0xab; 16]);
    let seed = "golden".parse().unwrap();
    let secret = HeatSecret { secret: Secret { seed, salt }, origin: SeedOrigin::Drawn };
    let options = HeatOptions::new("slide:2x2".parse().unwrap());
    let code = "KQZT".parse().unwrap();
    let config = RaceConfig::new(code, ServerInstant(5_000_000), options, secret);
    JournaledRoom::new(config).unwrap()
}
