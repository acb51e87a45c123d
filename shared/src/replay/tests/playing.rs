//! Playback: to any instant, forwards and backwards.

use super::size::race;
use super::*;
use crate::puzzle::skill::Skill;

fn playback() -> Playback {
    Playback::new(race("slide:3x3", "friday", &[Skill::Casual, Skill::Expert]))
}

/// What is shown at an instant.
fn shown(playback: &Playback) -> (Vec<Board>, Vec<Standing>, Option<Record>) {
    let boards = playback.players().iter().map(|runner| runner.board.clone());
    let latest = playback.recent().last().cloned();
    (boards.collect(), playback.standings(), latest)
}

#[test]
fn back_and_forth_lead_to_the_same() {
    let mut there = playback();
    let end = there.end();
    let mut all = Vec::new();
    for at in (0..=end.0).step_by(500) {
        there.seek(Millis(at));
        all.push((at, shown(&there)));
    }
    for (at, expected) in all.into_iter().rev() {
        there.seek(Millis(at));
        assert_eq!(shown(&there), expected, "at {at}");
        assert_eq!(there.at(), Millis(at));
    }
}

#[test]
fn steps_stop_at_each_record_and_at_both_ends() {
    let mut playback = playback();
    let instants: Vec<Millis> = {
        let records = playback.replay().events.records();
        let mut instants: Vec<Millis> = records.map(|(_, record)| record.at).collect();
        instants.dedup();
        instants
    };
    for &at in &instants {
        playback.forward();
        assert_eq!(playback.at(), at);
    }
    playback.forward();
    assert!(playback.is_over());
    assert!(playback.players().iter().all(|runner| runner.board.is_solved()));
    playback.seek(instants[3]);
    for &at in instants[..3].iter().rev() {
        playback.back();
        assert_eq!(playback.at(), at);
    }
    playback.back();
    playback.back();
    assert_eq!(playback.at(), Millis(0));
    assert_eq!(playback.recent().count(), 0);
}

#[test]
fn at_the_end_the_recorded_result_is_shown() {
    let mut playback = playback();
    playback.seek(Millis(u64::MAX));
    assert_eq!(playback.at(), playback.end());
    assert_eq!(playback.standings(), playback.replay().outcome.standings);
}
