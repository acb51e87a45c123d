//! Races that are kept.

use super::*;
use crate::practice::ghost::Ghost;
use crate::practice::kept_race::{KeptRace, RaceResult};
use crate::practice::kept_races::RaceChange;
use crate::practice::kept_races::tests::result;
use crate::test_support::replay;
use crate::tui::model::StatsPage;
use crate::tui::race_keeper::{RaceAnswer, RaceRequest, ReplayUse};
use gridrace_shared::heat::player_kind::PlayerKind;
use gridrace_shared::heat::standings::RaceState;

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
    standings.rows[1].state = RaceState::Finished { time: Millis(44_000) };
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

/// The statistics of three races.
fn stats() -> Model {
    let mut model = fx::model();
    letter(&mut model, 's');
    let race = |number: u32| KeptRace {
        number,
        began: 1_795_219_200 + u64::from(number),
        result: result("slide:4x4", &format!("s{number}"), Some(60_000)),
        counts: true,
        marked: false,
        replay_bytes: 300,
    };
    let races = (1..=3).map(race).collect();
    tell(&mut model, Event::Races(RaceAnswer::Listed { races, now: 1_795_219_300 }));
    model
}

#[test]
fn keys_of_the_own_races_change_the_one_under_the_cursor_and_deleting_asks() {
    let mut model = stats();
    let Screen::Stats(stats) = &model.screen else { panic!("no statistics") };
    let chosen = stats.chosen_race().unwrap().number;
    let change = |change| vec![Effect::Races(RaceRequest::Change(chosen, change))];
    assert_eq!(letter(&mut model, 'x'), change(RaceChange::Count(false)));
    assert_eq!(letter(&mut model, 'm'), change(RaceChange::Mark(true)));
    assert_eq!(letter(&mut model, 'd'), []);
    assert_eq!(letter(&mut model, 'n'), []);
    letter(&mut model, 'd');
    assert_eq!(letter(&mut model, 'y'), change(RaceChange::Delete));
    let ghost = Effect::Races(RaceRequest::Replay(chosen, ReplayUse::Ghost));
    assert_eq!(letter(&mut model, 'g'), [ghost]);
}

#[test]
fn on_a_small_terminal_a_key_about_a_race_shows_the_races_before_it_does_anything() {
    let keys = [KeyCode::Enter, KeyCode::Down, KeyCode::Up, KeyCode::End];
    for code in "xmdgsjk".chars().map(KeyCode::Char).chain(keys) {
        let mut model = stats();
        model.size = Size { width: 40, height: 12 };
        assert_eq!(key(&mut model, code), [], "{code:?}");
        let Screen::Stats(stats) = &model.screen else { panic!("no statistics") };
        assert_eq!((stats.page, stats.chosen), (StatsPage::Races, 0), "{code:?}");
        assert!(model.overlay.is_none(), "{code:?}");
    }
    let mut model = stats();
    model.size = Size { width: 40, height: 12 };
    letter(&mut model, 'x');
    assert!(matches!(letter(&mut model, 'x')[..], [Effect::Races(RaceRequest::Change(..))]));
}

#[test]
fn keys_about_a_race_are_marked_where_there_is_none() {
    let mut model = fx::model();
    letter(&mut model, 's');
    tell(&mut model, Event::Races(RaceAnswer::Listed { races: Vec::new(), now: 0 }));
    for code in
        [KeyCode::Enter, KeyCode::Down].into_iter().chain("xmdgs".chars().map(KeyCode::Char))
    {
        assert_eq!(key(&mut model, code), []);
        assert!(model.ignored_words().is_some(), "{code:?}");
        later(&mut model, Duration::from_secs(1), Event::Tick);
    }
}

#[test]
fn one_key_in_the_results_races_the_own_best_on_its_board() {
    let mut model = fx::over("slide:4x4");
    let mut roster = fx::roster(Role::Player);
    roster.members.retain(|member| member.id == fx::ME || member.kind != PlayerKind::Human);
    hear(&mut model, ServerMessage::Roster(roster));
    let spec = fx::spec("slide:4x4");
    assert_eq!(letter(&mut model, 'b'), [Effect::Races(RaceRequest::Best(spec))]);
    let best = Box::new(replay::slides());
    let ghost = Ghost::new(*best.clone()).unwrap();
    let (spec, seed) = ghost.board_name();
    let seed = seed.clone();
    let effects = tell(&mut model, Event::Races(RaceAnswer::Replay(best, ReplayUse::Ghost)));
    let options = HeatOptions { spec, ..heat(&model).setup.options.clone() };
    assert_eq!(
        effects,
        [
            Send(ClientMessage::Rematch),
            Send(ClientMessage::Options { options, seed: Some(seed) }),
            Send(ClientMessage::Start)
        ]
    );
    assert!(model.practice.ghost.is_some());
}

#[test]
fn a_ghost_that_is_read_after_its_screen_was_left_starts_nothing() {
    let mut model = fx::model();
    let read = RaceAnswer::Replay(Box::new(replay::slides()), ReplayUse::Ghost);
    assert_eq!(tell(&mut model, Event::Races(read)), []);
    assert!(matches!(model.screen, Screen::Home(_)) && model.practice.ghost.is_none());
}
