//! Races that are kept.

use super::*;
use crate::practice::kept_races::RaceResult;
use crate::tui::race_keeper::RaceRequest;
use gridrace_shared::heat::standings::State;

/// Returns the race that is to be kept, if there is one.
fn kept(effects: &[Effect]) -> Option<RaceResult> {
    let mut kept = effects.iter().filter_map(|effect| {
        let Effect::Races(RaceRequest::Keep(race)) = effect else { return None };
        assert_eq!(race.replay, None, "its seed isn't known");
        Some(race.result.clone())
    });
    let first = kept.next();
    assert_eq!(kept.next(), None);
    first
}

fn leaves(model: &mut Model) -> Vec<Effect> {
    letter(model, 'q');
    letter(model, 'y')
}

#[test]
fn a_race_that_is_left_after_a_move_is_kept_as_a_dnf() {
    let mut model = fx::racing("slide:4x4");
    let race = kept(&leaves(&mut model)).unwrap();
    assert_eq!((race.time, race.seed, race.of), (None, None, 4));
    assert_eq!((race.moves.moves, race.hints, race.penalty), (57, 2, Millis(20_000)));
    assert_eq!(end(&mut model), [], "once");

    let mut model = fx::in_heat("slide:4x4", Role::Player, fx::running("slide:4x4"));
    let mut standings = fx::standings();
    standings.rows[1].moves = MoveCount::default();
    hear(&mut model, ServerMessage::Standings(standings));
    assert_eq!(kept(&leaves(&mut model)), None);
}

#[test]
fn a_finish_is_kept_with_its_time_though_others_still_race() {
    let mut model = fx::racing("slide:4x4");
    let mut standings = fx::standings();
    standings.rows[1].state = State::Finished { time: Millis(44_000) };
    hear(&mut model, ServerMessage::Standings(standings));
    assert_eq!(kept(&leaves(&mut model)).unwrap().time, Some(Millis(44_000)));
}

#[test]
fn a_race_is_kept_where_the_program_ends_or_the_host_kicks_and_not_where_it_goes_on_elsewhere() {
    let mut model = fx::racing("slide:4x4");
    assert!(kept(&end(&mut model)).is_some());

    let mut model = fx::racing("slide:4x4");
    let mut effects = hear(&mut model, ServerMessage::Goodbye(Farewell::Kicked));
    effects.extend(tell(&mut model, lost(NetError::Closed { code: 4001 })));
    assert!(kept(&effects).is_some());

    let mut model = fx::racing("slide:4x4");
    hear(&mut model, ServerMessage::Goodbye(Farewell::Superseded));
    let effects = tell(&mut model, lost(NetError::Closed { code: 4004 }));
    assert_eq!(kept(&effects), None);
    assert_eq!(end(&mut model), []);
}
