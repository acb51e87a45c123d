//! The file format: written replays are read, and errors name the damaged byte.

use super::*;
use crate::util::byte_codec::ReadErrorKind;
use crate::util::section_file::with_checksums;

fn sample() -> Replay {
    let header = header("slide:3x3");
    let mut board = board(&header);
    let racers = vec![racer(1, PlayerKind::Human), racer(2, PlayerKind::Bot)];
    let mut writer = EventLogWriter::new(board.clone(), racers).unwrap();
    for at in 1..9 {
        let play = board.legal_moves()[at % 4].clone();
        board.play(&play).unwrap();
        let kind = RecordKind::Racer { player: PlayerId(2), event: RacerEvent::Move(play) };
        writer.record(Millis(at as u64 * 250), &kind).unwrap();
    }
    replay(header, writer.finish(), Millis(600_000))
}

fn damage(file: &[u8]) -> ParseError {
    Replay::decode(file).unwrap_err()
}

#[test]
fn another_file_a_later_version_and_a_copy_as_text_are_told_apart() {
    let file = sample().encode();
    let kind = damage(b"PK\x03\x04 and more").kind;
    assert_eq!(kind, ParseErrorKind::OtherFormat { expected: "replay" });
    let missing = 8;
    let expected = "the beginning of the file";
    assert_eq!(damage(b"").kind, ParseErrorKind::Value(ReadErrorKind::Ends { expected, missing }));
    let mut later = file.clone();
    later[8] = 2;
    assert_eq!(
        (damage(&later).offset, damage(&later).kind),
        (8, ParseErrorKind::Version { found: 2, expected: 1 })
    );
    let as_text: Vec<u8> = file.iter().copied().filter(|&byte| byte != b'\r').collect();
    assert_eq!(damage(&as_text).kind, ParseErrorKind::LineEnds { what: "replay" });
}

#[test]
fn a_file_cut_short_says_where_it_ends_and_in_which_section() {
    let file = sample().encode();
    for end in 0..file.len() {
        let damage = damage(&file[..end]);
        assert!(
            matches!(damage.kind, ParseErrorKind::Value(ReadErrorKind::Ends { .. })),
            "{damage}"
        );
        assert_eq!(damage.offset, end as u64);
    }
    let last = damage(&file[..file.len() - 1]);
    let text = format!(
        "at byte {}, in section DONE: the file ends where 1 more bytes of the section's checksum are expected",
        file.len() - 1
    );
    assert_eq!(last.to_string(), text);
}

#[test]
fn any_bit_that_flips_is_found() {
    let file = sample().encode();
    for at in 0..file.len() {
        for bit in 0..8 {
            let mut damaged = file.clone();
            damaged[at] ^= 1 << bit;
            damage(&damaged);
        }
    }
}

#[test]
fn damage_is_told_by_its_section_and_its_byte() {
    let file = sample().encode();
    let mut start = 9;
    for name in ["HEAT", "DRAW", "SEAT", "MOVE", "DONE"] {
        assert_eq!(&file[start..start + 4], name.as_bytes());
        let length = usize::from(file[start + 4]);
        assert!(length < 0x80, "one byte has it");
        let (holds, sum) = (start + 5, start + 5 + length);
        let with = |at: usize| {
            let mut damaged = file.clone();
            damaged[at] ^= 1;
            damage(&damaged)
        };
        for at in [holds, sum - 1, sum, sum + 3] {
            let damage = with(at);
            let wrong = (damage.section, damage.offset);
            assert_eq!(wrong, (Some(name), sum as u64), "byte {at}");
            assert!(matches!(damage.kind, ParseErrorKind::Checksum { .. }));
            let told = format!("at byte {sum}, in section {name}: the section's checksum is ");
            assert!(damage.to_string().starts_with(&told), "{damage}");
        }
        let renamed = with(start);
        assert_eq!(renamed.offset, start as u64);
        let ParseErrorKind::Section { expected, .. } = renamed.kind else { panic!("{renamed}") };
        assert_eq!(expected, name);
        let cut = damage(&file[..holds + length / 2]);
        assert_eq!(cut.section, Some(name));
        assert_eq!(cut.offset, (holds + length / 2) as u64);
        start = sum + 4;
    }
    assert_eq!(start, file.len());
}

#[test]
fn what_is_written_wrongly_is_found_at_its_byte() {
    let file = sample().encode();
    let (_, places, _) = Replay::locate(&file).unwrap();
    let with = |offset: u64, byte: u8| {
        let mut file = file.clone();
        file[offset as usize] = byte;
        damage(&with_checksums(file))
    };
    // The number of players, beyond what a heat has.
    let many = with(places.racers, 33);
    assert_eq!((many.offset, many.section), (places.racers, Some("SEAT")));
    let (expected, most, found) = ("the number of players", 32, 33);
    assert_eq!(many.kind, ParseErrorKind::Value(ReadErrorKind::TooLarge { expected, most, found }));
    // A tile that is there twice.
    let twice = with(places.board + 3, file[places.board as usize + 4]);
    assert_eq!(twice.offset, places.board + 3);
    assert!(twice.to_string().contains("tile"), "{twice}");
    // A family that there isn't.
    assert_eq!(with(places.board, 2).offset, places.board);
    // A number that ends in the middle.
    let last = places.records + 2 * 8 - 1;
    assert_eq!(with(last, 0xff).section, Some("MOVE"));
}

#[test]
fn an_optional_section_is_passed_by_and_any_other_is_not() {
    let replay = sample();
    let file = replay.encode();
    let with = |name: &[u8; 4]| {
        let mut longer = file.clone();
        longer.extend_from_slice(name);
        longer.extend([3, 1, 2, 3, 0, 0, 0, 0]);
        Replay::decode(&with_checksums(longer))
    };
    assert_eq!(with(b"note"), Ok(replay));
    let trailing = with(b"NOTE").unwrap_err();
    assert_eq!(trailing.offset, file.len() as u64);
}

#[test]
fn an_option_that_is_not_known_is_passed_by() {
    let replay = sample();
    let mut file = replay.encode();
    let (_, places, _) = Replay::locate(&file).unwrap();
    let count = places.options as usize + 1 + "slide:3x3".len();
    // Nine options of two bytes each, and a time limit that takes one more.
    let end = count + 1 + 19;
    assert_eq!((file[count], file[end - 2]), (9, 9));
    file[count] = 10;
    file.splice(end..end, [99, 5]);
    file[9 + 4] += 2;
    assert_eq!(Replay::decode(&with_checksums(file)), Ok(replay));
}

#[test]
fn the_style_of_hints_that_a_host_fixed_is_kept() {
    use crate::heat::options::HintStyles;
    for hint_styles in [HintStyles::Any, HintStyles::Shortest, HintStyles::Method] {
        let mut replay = sample();
        replay.header.options.hint_styles = hint_styles;
        assert_eq!(Replay::decode(&replay.encode()), Ok(replay));
    }
}

#[test]
fn names_that_an_earlier_version_admitted_are_read() {
    let header = header("slide:2x2");
    let names = ["Screen 1234", "\u{410}nna", "Anna  Lee"];
    let racers = (1..).zip(names).map(|(id, name)| {
        let name = name.to_owned().try_into().unwrap();
        Racer { name, ..racer(id, PlayerKind::Human) }
    });
    let writer = EventLogWriter::new(board(&header), racers.collect()).unwrap();
    let replay = replay(header, writer.finish(), Millis(600_000));
    assert_eq!(Replay::decode(&replay.encode()), Ok(replay));
}

#[test]
fn a_player_who_does_too_much_is_cut_and_no_other() {
    let header = header("slide:2x2");
    let start = board(&header);
    let racers = vec![racer(1, PlayerKind::Human), racer(2, PlayerKind::Human)];
    let mut writer = EventLogWriter::new(start.clone(), racers).unwrap();
    let mut boards = [start.clone(), start];
    let mut play = |writer: &mut EventLogWriter, who: usize, at| {
        let play = boards[who].legal_moves()[0].clone();
        boards[who].play(&play).unwrap();
        let player = PlayerId(who as u32 + 1);
        let kind = RecordKind::Racer { player, event: RacerEvent::Move(play) };
        writer.record(Millis(at), &kind).unwrap();
    };
    for at in 0..2 * MAX_PLAYER_BYTES as u64 {
        play(&mut writer, 0, at);
    }
    play(&mut writer, 1, 200_000);
    let events = writer.finish();
    assert!(events.bytes().len() < MAX_PLAYER_BYTES + 20);
    let last: Vec<RecordKind> = events.records().map(|(_, record)| record.kind).collect();
    let [.., cut, other] = last.as_slice() else {
        panic!("nothing is recorded");
    };
    let (player, event) = (PlayerId(1), RacerEvent::Cut);
    assert_eq!(*cut, RecordKind::Racer { player, event });
    assert!(matches!(other, RecordKind::Racer { player: PlayerId(2), event: RacerEvent::Move(_) }));
}

#[test]
fn what_is_no_heat_is_not_recorded() {
    let header = header("slide:2x2");
    let start = board(&header);
    let twins = vec![racer(1, PlayerKind::Human), racer(1, PlayerKind::Human)];
    let new = |racers| EventLogWriter::new(start.clone(), racers).map(|_| ());
    assert_eq!(new(twins), Err(EventLogError::Racers));
    assert_eq!(new(Vec::new()), Err(EventLogError::Racers));
    let mut writer = EventLogWriter::new(start.clone(), vec![racer(1, PlayerKind::Human)]).unwrap();
    let (player, event) = (PlayerId(1), RacerEvent::Move(Move::Slide(crate::util::grid::Cell(99))));
    let far = RecordKind::Racer { player, event };
    assert_eq!(writer.record(Millis(0), &far), Err(EventLogError::NoMove));
    let (player, event) = (PlayerId(2), RacerEvent::Hint);
    let strange = RecordKind::Racer { player, event };
    let error = EventLogError::Stranger(player);
    assert_eq!(writer.record(Millis(0), &strange), Err(error));
    let late = MAX_TIME + Millis(1);
    assert_eq!(writer.record(late, &strange), Err(EventLogError::TooLate));
    assert!(writer.finish().bytes().is_empty());
}

proptest! {
    #[test]
    fn a_replay_is_read_as_it_was_written(replay in any_replay()) {
        let file = replay.encode();
        prop_assert_eq!(Replay::decode(&file), Ok(replay));
    }

    #[test]
    fn a_course_that_is_put_aside_is_taken_up_where_it_was(
        replay in any_replay(),
        at in any::<Index>(),
    ) {
        let events = &replay.events;
        let new = || EventLogWriter::new(events.start().clone(), events.racers().to_vec());
        let mut writer = new().unwrap();
        let stop = at.index(events.records().count() + 1);
        for (n, (_, record)) in events.records().enumerate() {
            if n == stop {
                let aside = serde_json::to_string(&writer).unwrap();
                writer = serde_json::from_str(&aside).unwrap();
            }
            writer.record(record.at, &record.kind).unwrap();
        }
        prop_assert_eq!(&writer.finish(), events);
    }

    #[test]
    fn whatever_is_changed_is_read_or_refused_and_what_is_read_is_written_alike(
        replay in any_replay(),
        changes in prop::collection::vec((any::<Index>(), any::<u8>()), 1..4),
    ) {
        let mut file = replay.encode();
        for (at, byte) in changes {
            *at.get_mut(&mut file) = byte;
        }
        let file = with_checksums(file);
        if let Ok(replay) = Replay::decode(&file) {
            let again = replay.encode();
            prop_assert_eq!(Replay::decode(&again), Ok(replay));
            verify(&file).unwrap();
        }
    }
}
