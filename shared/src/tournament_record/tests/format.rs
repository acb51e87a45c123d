//! The file format: written records are read and verified, and errors name the damaged byte.

use super::*;
use crate::replay::ParseErrorKind;
use crate::util::section_file::with_checksums;
use proptest::prelude::*;
use std::path::PathBuf;
use std::sync::LazyLock;

static SAMPLE: LazyLock<TournamentRecord> = LazyLock::new(sample);

fn results(report: &RecordReport) -> Vec<ResultRow> {
    let mut rows = result_rows(&report.tournament, &report.record.log);
    // A name is what the server says; the signature covers it.
    rows.iter_mut().for_each(|row| row.name.clear());
    rows
}

#[test]
fn a_signed_record_has_its_golden_bytes_and_holds() {
    let file = SAMPLE.sign(&server_key());
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/golden/tournament.grt");
    if std::env::var_os("GRIDRACE_BLESS").is_some() {
        std::fs::write(&path, &file).unwrap();
    }
    let golden = std::fs::read(&path).unwrap();
    assert!(golden == file, "the format has changed");
    let report = verify(&golden).unwrap();
    assert_eq!(report.errors, []);
    assert_eq!(report.record, *SAMPLE);
    assert_eq!(report.signature, SignatureCheck::Valid(server_key().fingerprint()));
    assert!(report.is_revealed && report.tournament.is_over());
    assert_eq!(report.corrections.len(), 1);
    assert_eq!(SAMPLE.heats.len(), 5);
    assert_eq!(report.tournament.champions().len(), 1);
}

#[test]
fn a_tournament_that_runs_has_a_record_that_holds() {
    let mut record = SAMPLE.clone();
    let end =
        record.log.iter().position(|line| matches!(line.entry(), Some(LogEntry::Result { .. })));
    record.log.truncate(end.unwrap() + 1);
    record.heats.truncate(1);
    let record = TournamentRecord::new(record.head, record.log, record.heats);
    let report = verify(&record.encode()).unwrap();
    assert_eq!(report.errors, []);
    assert!(!report.is_revealed && report.record.outcome.champions.is_empty());
}

#[test]
fn damage_is_told_by_its_section_and_its_byte() {
    let file = SAMPLE.sign(&server_key());
    let first = |name: &str| file.windows(4).position(|bytes| bytes == name.as_bytes());
    // A replay has sections of these names, too.
    let last = |name: &str| file.windows(4).rposition(|bytes| bytes == name.as_bytes());
    for (section, at) in [
        ("HEAD", first("HEAD")),
        ("LOGS", first("LOGS")),
        ("HEAT", first("HEAT")),
        ("DONE", last("DONE")),
        ("sign", last("sign")),
    ] {
        let at = at.unwrap();
        let mut damaged = file.clone();
        damaged[at + 12] ^= 1;
        let error = TournamentRecord::decode(&damaged).unwrap_err();
        assert_eq!(error.section, Some(section));
        assert!(matches!(error.kind, ParseErrorKind::Checksum { .. }), "{error}");
        assert!(error.offset > at as u64);
    }
    // Written in another way than this program does, with the right checksum.
    let text = b"{\"at\":0,";
    let at = file.windows(text.len()).position(|bytes| bytes == text).unwrap();
    let mut spaced = file.clone();
    spaced[at + 6] = b' ';
    let error = TournamentRecord::decode(&with_checksums(spaced)).unwrap_err();
    assert_eq!((error.section, error.offset / 10), (Some("LOGS"), (at as u64 + 6) / 10), "{error}");
    for cut in [0, 5, 9, 40, file.len() / 2, file.len() - 1] {
        assert!(TournamentRecord::decode(&file[..cut]).is_err(), "{cut}");
    }
    let as_text: Vec<u8> = file.iter().copied().filter(|&byte| byte != b'\r').collect();
    let kind = TournamentRecord::decode(&as_text).unwrap_err().kind;
    assert_eq!(kind, ParseErrorKind::LineEnds { what: "record of a tournament" });
    // A replay isn't a record, and a record isn't a replay.
    assert!(TournamentRecord::decode(&SAMPLE.heats[0].replay).is_err());
    assert!(crate::replay::Replay::decode(&file).is_err());
}

#[test]
fn tables_of_results_name_everybody_once_a_board() {
    let tournament = fold(SAMPLE.head.plan.clone(), &SAMPLE.log);
    let standings = standing_rows(&tournament, &SAMPLE.log);
    assert_eq!(standings.len(), 5);
    assert_eq!((standings[0].place, standings[0].points.is_some()), (1, true));
    let rows = result_rows(&tournament, &SAMPLE.log);
    // Five in the first round, of whom two in the final of two boards.
    assert_eq!(rows.len(), 5 + 2 * 2);
    let again: Vec<&ResultRow> = rows.iter().filter(|row| row.attempt == 2).collect();
    assert_eq!(again.len(), 2);
    assert_eq!(rows.iter().filter(|row| row.is_set == Some(true)).count(), 2);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn any_bit_that_flips_is_found(at: prop::sample::Index, bit in 0u32..8) {
        let mut file = SAMPLE.sign(&server_key());
        let at = at.index(file.len());
        file[at] ^= 1 << bit;
        prop_assert!(verify(&file).is_err(), "byte {}", at);
    }

    #[test]
    fn a_byte_that_is_edited_with_its_checksum_is_found_by_the_signature(
        at: prop::sample::Index, bit in 0u32..8,
    ) {
        let file = SAMPLE.sign(&server_key());
        let at = 9 + at.index(file.len() - 9);
        let mut edited = file.clone();
        edited[at] ^= 1 << bit;
        let edited = with_checksums(edited);
        if edited != file && let Ok(report) = verify(&edited) {
            let signature = SignatureCheck::Valid(server_key().fingerprint());
            prop_assert!(report.signature != signature, "byte {}", at);
        }
    }

    #[test]
    fn without_a_signature_it_is_found_or_changes_nothing_that_counts(
        at: prop::sample::Index, bit in 0u32..8,
    ) {
        let file = SAMPLE.encode();
        let at = 9 + at.index(file.len() - 9);
        let mut edited = file.clone();
        edited[at] ^= 1 << bit;
        if let Ok(report) = verify(&with_checksums(edited)) && report.errors.is_empty() {
            prop_assert_eq!(&report.record.outcome, &SAMPLE.outcome, "byte {}", at);
            let untouched = verify(&file).unwrap();
            prop_assert_eq!(results(&report), results(&untouched), "byte {}", at);
        }
    }
}
