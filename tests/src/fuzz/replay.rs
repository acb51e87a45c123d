//! Replays round-trip and can be simulated; with the given checksums, and with corrected ones that
//! lead the fuzzer past them.

use gridrace_shared::replay::{Replay, Simulation};

/// Bytes before the first section.
const HEADER: usize = 9;
/// Bytes of a section's name, and of its checksum.
const NAME: usize = 4;

pub(super) fn file(input: &[u8]) -> bool {
    // Runs both, whatever the first returns.
    let as_it_is = read(input);
    read(&sealed(input)) || as_it_is
}

fn read(bytes: &[u8]) -> bool {
    let replay = match Replay::decode(bytes) {
        Ok(replay) => replay,
        Err(damage) => {
            assert!(damage.offset <= bytes.len() as u64, "{damage}");
            assert!(damage.to_string().len() < 4_096);
            return false;
        }
    };
    assert_eq!(Replay::decode(&replay.encode()).as_ref(), Ok(&replay));
    // Leaves out the seed's board, which may take seconds.
    let mut rerun = Simulation::new(&replay.events, &replay.header.options);
    for (_, record) in replay.events.records() {
        rerun.run(&record).ok(); // an illegal record changes nothing
    }
    rerun.end();
    assert_eq!(rerun.standings().len(), replay.events.racers().len());
    true
}

/// Corrects the checksum at the end of each section.
pub(super) fn sealed(bytes: &[u8]) -> Vec<u8> {
    let mut file = bytes.to_vec();
    let mut at = HEADER;
    while let Some((length, start)) = number(&file, at + NAME) {
        let Some(stop) = start.checked_add(length) else {
            break;
        };
        if stop + NAME > file.len() {
            break;
        }
        let checksum = crc32fast::hash(&file[at..stop]).to_le_bytes();
        file[stop..stop + NAME].copy_from_slice(&checksum);
        at = stop + NAME;
    }
    file
}

/// Reads a section's length and returns its end.
fn number(file: &[u8], at: usize) -> Option<(usize, usize)> {
    let mut number = 0;
    for (n, &byte) in file.get(at..)?.iter().take(4).enumerate() {
        number |= usize::from(byte & 0x7f) << (7 * n);
        if byte & 0x80 == 0 {
            return Some((number, at + n + 1));
        }
    }
    None
}
