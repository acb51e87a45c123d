//! Signatures: which changes of a file they find.

use super::tampered::{event, rewrite};
use super::*;
use crate::util::section_file::with_checksums;

fn key() -> ServerKey {
    ServerKey::from_bytes([7; 32])
}

fn signature(file: &[u8]) -> SignatureCheck {
    verify(file).unwrap().signature
}

/// A replay with an outage.
fn sample() -> Replay {
    let header = header("slide:3x3");
    let board = board(&header);
    let racers = vec![racer(1, PlayerKind::Human), racer(2, PlayerKind::Human)];
    let mut writer = EventLogWriter::new(board.clone(), racers).unwrap();
    let play = board.legal_moves()[0].clone();
    let given_up = RacerEvent::Out(ExitReason::GaveUp);
    for record in [
        event(Millis(500), 1, RacerEvent::Move(play)),
        Record { at: Millis(700), kind: RecordKind::Outage { away: Millis(5_000) } },
        event(Millis(900), 1, given_up.clone()),
        event(Millis(900), 2, given_up),
    ] {
        writer.record(record.at, &record.kind).unwrap();
    }
    replay(header, writer.finish(), Millis(900))
}

#[test]
fn a_signed_replay_names_its_server_and_is_read_as_any() {
    let replay = sample();
    let file = replay.sign(&key());
    assert_eq!(signature(&file), SignatureCheck::Valid(key().fingerprint()));
    assert_eq!(signature(&replay.encode()), SignatureCheck::Unsigned);
    assert_eq!(Replay::decode(&file), Ok(replay));
    assert_eq!(key().to_text().parse::<ServerKey>().unwrap().fingerprint(), key().fingerprint());
    assert_eq!(format!("{:?}", key()), "ServerKey(..)");
}

#[test]
fn no_server_vouches_for_a_file_of_which_any_byte_was_changed() {
    let file = sample().sign(&key());
    let (mut read, mut passed) = (0, 0);
    for at in 0..file.len() {
        for flips in [0x01, 0x80] {
            let mut changed = file.clone();
            changed[at] ^= flips;
            let changed = with_checksums(changed);
            if changed == file {
                continue; // it was a checksum, which is mended
            }
            let Ok(report) = verify(&changed) else { continue };
            read += 1;
            passed += u32::from(report.count == 0);
            assert!(!matches!(report.signature, SignatureCheck::Valid(_)), "byte {at}");
        }
    }
    // The rules alone don't find everything.
    assert!(read > passed && passed > 0, "{read} {passed}");
}

#[test]
fn the_signature_alone_finds_what_does_not_follow_from_the_rest() {
    let changes: [fn(&mut Replay); 7] = [
        |replay| {
            let mut racers = replay.events.racers().to_vec();
            racers[0].kind = PlayerKind::Bot;
            let mut writer = EventLogWriter::new(replay.events.start().clone(), racers).unwrap();
            for (_, record) in replay.events.records() {
                writer.record(record.at, &record.kind).unwrap();
            }
            replay.events = writer.finish();
        },
        |replay| replay.header.options.private = true,
        |replay| replay.header.options.delay_seconds = 60,
        |replay| replay.header.options.countdown_seconds = 1,
        |replay| replay.header.number = 1,
        |replay| replay.header.origin = SeedOrigin::Host,
        |replay| {
            let away = Millis(60_000);
            replay.events = rewrite(&replay.events, |_, mut record| {
                if matches!(record.kind, RecordKind::Outage { .. }) {
                    record.kind = RecordKind::Outage { away };
                }
                vec![record]
            });
        },
    ];
    let signed = sample().sign(&key());
    let section = &signed[sample().encode().len()..];
    for (n, change) in changes.into_iter().enumerate() {
        let mut replay = sample();
        change(&mut replay);
        assert_ne!(replay, sample());
        let forged = [&replay.encode(), section].concat();
        let report = verify(&forged).unwrap();
        let invalid = SignatureCheck::Invalid(key().fingerprint());
        assert_eq!((report.errors, report.signature), (Vec::new(), invalid), "change {n}");
        // Signed again, it names the key of the forger.
        let other = ServerKey::from_bytes([8; 32]);
        let theirs = SignatureCheck::Valid(other.fingerprint());
        assert_eq!(signature(&replay.sign(&other)), theirs);
        assert_ne!(other.fingerprint(), key().fingerprint());
    }
}

#[test]
fn the_signature_covers_other_sections_and_ends_the_file() {
    let plain = sample().encode();
    let signed = sample().sign(&key());
    let section = &signed[plain.len()..];
    let note = b"note\x01!\0\0\0\0";
    let inside = with_checksums([&plain, &note[..], section].concat());
    assert_eq!(signature(&inside), SignatureCheck::Invalid(key().fingerprint()));
    let behind = Replay::decode(&with_checksums([&signed, &note[..]].concat())).unwrap_err();
    assert_eq!(behind.offset, signed.len() as u64);
    let trailing = ReadErrorKind::Trailing { left: note.len() as u64 };
    assert_eq!(behind.kind, ParseErrorKind::Value(trailing));
}

#[test]
fn a_key_of_small_order_signs_nothing() {
    // For a key of zeros, a signature of zeros holds unless it is checked strictly.
    let mut file = sample().sign(&key());
    let start = file.len() - 4 - 96;
    file[start..start + 96].fill(0);
    let file = with_checksums(file);
    assert!(matches!(signature(&file), SignatureCheck::Invalid(_)));
}
