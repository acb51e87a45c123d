//! The replay that is recorded of the player's own race.

use super::*;
use crate::practice::kept_race::EndedRace;
use crate::tui::race_keeper::RaceRequest;
use gridrace_shared::heat::standings::{RaceState, Standing};
use gridrace_shared::replay::{ExitReason, RacerEvent, RecordKind, Replay, verify};

const PUZZLE: &str = "slide:4x4";
const SECOND: u64 = 1_000;

/// In a race of which the server has played `count` moves, the n-th n seconds after GO.
fn raced(count: u32) -> Model {
    let mut model = fx::in_heat(PUZZLE, Role::Player, Phase::Drawing);
    hear(&mut model, ServerMessage::Phase(fx::running(PUZZLE)));
    for number in 1..=count {
        // The blank starts in the corner; so one tile goes there and back.
        key(&mut model, if number % 2 == 1 { KeyCode::Down } else { KeyCode::Up });
        accept(&mut model, number, SECOND * u64::from(number));
    }
    model
}

/// Hears that the server has played all moves up to one, at an instant since GO.
fn accept(model: &mut Model, number: u32, at: u64) {
    let moves = MoveCount { moves: number, acts: number };
    let at = fx::GO + Millis(at);
    hear(model, ServerMessage::Accepted { seq: Seq(number), at, moves });
}

/// Ends the heat with a row for the player, and returns what is to be kept.
fn kept(model: &mut Model, count: u32, change: impl FnOnce(&mut Standing)) -> EndedRace {
    let progress = board(model).progress(&fx::start(PUZZLE));
    let Phase::Over(mut result) = fx::ended(PUZZLE) else { unreachable!() };
    let row = result.standings.iter_mut().find(|row| row.player == fx::ME).unwrap();
    let moves = MoveCount { moves: count, acts: count };
    (row.state, row.progress, row.moves) = (RaceState::Dnf, progress, moves);
    (row.hints, row.penalty) = (0, Millis(0));
    change(row);
    let effects = hear(model, ServerMessage::Phase(Phase::Over(result)));
    let kept = effects.into_iter().find_map(|effect| {
        if let Effect::Races(RaceRequest::Keep(race)) = effect { Some(*race) } else { None }
    });
    kept.expect("a race is kept")
}

/// Returns when and what happened.
fn events(replay: &Replay) -> Vec<(u64, String)> {
    let records = replay.events.records().map(|(_, record)| {
        let RecordKind::Racer { event, .. } = record.kind else { panic!("{record:?}") };
        let what = if let RacerEvent::Move(_) = event {
            "move".to_owned()
        } else if let RacerEvent::Out(why) = event {
            format!("{why:?}")
        } else {
            format!("{event:?}")
        };
        (record.at.0, what)
    });
    records.collect()
}

#[test]
fn moves_are_recorded_at_the_server_s_instants() {
    let mut model = raced(3);
    let race = kept(&mut model, 3, |_| {});
    let replay = race.replay.unwrap();
    let moves = [1, 2, 3].map(|second| (second * SECOND, "move".to_owned()));
    let events = events(&replay);
    assert_eq!(events[..3], moves);
    // The heat was ended by another.
    assert_eq!(events[3].1, format!("{:?}", ExitReason::HeatEnded));
    assert_eq!(events.len(), 4);
    assert_eq!(verify(&replay.encode()).unwrap().errors, []);
}

#[test]
fn moves_that_are_accepted_together_have_the_instant_of_the_last() {
    let mut model = raced(0);
    key(&mut model, KeyCode::Down);
    key(&mut model, KeyCode::Up);
    accept(&mut model, 2, 5 * SECOND);
    let replay = kept(&mut model, 2, |_| {}).replay.unwrap();
    let both = [(5 * SECOND, "move".to_owned()), (5 * SECOND, "move".to_owned())];
    assert_eq!(events(&replay)[..2], both);
}

#[test]
fn at_the_time_limit_a_race_ends_without_an_exit() {
    let mut model = raced(1);
    let limit = fx::ENDS.since(fx::GO);
    model.now.0 += limit.0 * 1_000;
    let race = kept(&mut model, 1, |_| {});
    let replay = race.replay.unwrap();
    assert_eq!(events(&replay), [(SECOND, "move".to_owned())]);
    assert_eq!(replay.outcome.ended, limit);
    assert_eq!(verify(&replay.encode()).unwrap().errors, []);
}

#[test]
fn a_race_with_a_move_that_was_not_seen_is_kept_without_a_replay() {
    let mut model = raced(1);
    // Another connection of this player played on.
    accept(&mut model, 3, 3 * SECOND);
    let race = kept(&mut model, 3, |_| {});
    assert_eq!((race.result.moves.moves, race.replay), (3, None));
}

#[test]
fn a_record_that_disagrees_with_the_server_s_row_is_not_kept() {
    for change in [
        (|row: &mut Standing| row.hints = 1) as fn(&mut Standing),
        |row| row.moves.moves = 7,
        |row| row.progress += 1,
        |row| row.state = RaceState::Finished { time: Millis(9_000) },
    ] {
        let mut model = raced(2);
        assert_eq!(kept(&mut model, 2, change).replay, None);
    }
}

#[test]
fn a_spectator_s_heat_is_not_kept() {
    let mut model = fx::watching(PUZZLE);
    let effects = hear(&mut model, ServerMessage::Phase(fx::ended(PUZZLE)));
    let keeps = |effect: &Effect| matches!(effect, Effect::Races(RaceRequest::Keep(_)));
    assert!(!effects.iter().any(keeps), "{effects:?}");
}
