//! Heats that are played again.

use super::*;
use crate::test_support::replay;

pub(super) fn replaying(replay: Replay, at: u64) -> Model {
    let mut model = fx::model();
    let mut replaying = Replaying::new(replay);
    replaying.seek(Millis(at));
    model.screen = Screen::Replay(Box::new(replaying));
    model
}

fn of(model: &Model) -> &Replaying {
    let Screen::Replay(replaying) = &model.screen else {
        panic!("another screen");
    };
    replaying
}

#[test]
fn all_boards() {
    picture("replay_slide", replaying(replay::four("slide:4x4"), 31_000));
    picture("replay_link", replaying(replay::four("link:7x7"), 31_000));
    picture("replay_end", replaying(replay::slides(), 60_000));
}

#[test]
fn one_board() {
    for puzzle in ["slide:4x4", "link:7x7"] {
        let mut model = replaying(replay::four(puzzle), 31_000);
        press(&mut model, KeyCode::Tab);
        press(&mut model, KeyCode::Tab);
        picture(&format!("replay_one_{}", &puzzle[..4]), model);
    }
}

#[test]
fn a_pause_an_outage_and_the_help() {
    let mut model = replaying(replay::slides(), 4_100);
    press(&mut model, KeyCode::Char(' '));
    press(&mut model, KeyCode::Char('-'));
    press(&mut model, KeyCode::Char('-'));
    picture("replay_paused", model.clone());
    model.settings.appearance.ascii = true;
    insta::assert_snapshot!("ascii_replay_paused", shown(&mut model, LARGE));
    model.settings.appearance.ascii = false;
    press(&mut model, KeyCode::Char('?'));
    picture("replay_help", model);
}

#[test]
fn the_line_of_time_leads_from_end_to_end() {
    let mut model = replaying(replay::four("slide:4x4"), 0);
    model.size = Size { width: 80, height: 24 };
    let row =
        shown(&mut model, LARGE).lines().position(|line| line.contains("░░░░░░░░░░")).unwrap();
    let bar = (0..24).filter(|&row| time_at(&model, 40, row).is_some()).collect::<Vec<u16>>();
    assert!(usize::from(bar[0]) >= row);
    assert_eq!(bar.len(), 1);
    assert_eq!(time_at(&model, 2, bar[0]), Some(Millis(0)));
    assert_eq!(time_at(&model, 77, bar[0]), Some(Millis(90_000)));
    assert_eq!(time_at(&model, 1, bar[0]), None);
    assert_eq!(time_at(&model, 78, bar[0]), None);
}

#[test]
fn a_large_heat_has_pages_and_fits_everywhere() {
    for puzzle in ["slide:16x16", "link:20x20:classic"] {
        let mut model = replaying(replay::four(puzzle), 31_000);
        for size in [(40, 12), (44, 13), (80, 24), (200, 60)] {
            model.size = Size { width: size.0, height: size.1 };
            for _ in 0..6 {
                shown(&mut model, size);
                press(&mut model, KeyCode::PageDown);
                press(&mut model, KeyCode::Tab);
            }
        }
    }
    let mut model = replaying(replay::four("slide:16x16"), 31_000);
    shown(&mut model, SMALL);
    assert!(pages(&model) > 1);
}

#[test]
fn time_goes_on_at_its_speed_and_stops_at_the_end() {
    let mut model = replaying(replay::slides(), 0);
    let at = |model: &Model| (of(model).playback.at().0, of(model).playing);
    let tick = |model: &mut Model, micros: u64| {
        let now = ClientInstant(model.now.0 + micros);
        assert!(crate::tui::update::update(model, now, crate::tui::event::Event::Tick).is_empty());
        at(model)
    };
    tick(&mut model, 0);
    assert_eq!(tick(&mut model, 100_000), (100, true));
    press(&mut model, KeyCode::Char('-'));
    press(&mut model, KeyCode::Char('-'));
    press(&mut model, KeyCode::Char('-'));
    for _ in 0..10 {
        tick(&mut model, 1_000);
    }
    assert_eq!(at(&model), (102, true), "a quarter of ten milliseconds more");
    for _ in 0..9 {
        press(&mut model, KeyCode::Up);
    }
    assert_eq!(tick(&mut model, 100_000).0, 1_702);
    press(&mut model, KeyCode::Char(' '));
    assert_eq!(tick(&mut model, 100_000), (1_702, false));
    press(&mut model, KeyCode::Char(' '));
    // Hardly any of the time for which the program was suspended counts.
    assert_eq!(tick(&mut model, 9_000_000), (6_502, true));
    for _ in 0..3 {
        tick(&mut model, 300_000);
    }
    assert_eq!(at(&model), (20_000, false));
    press(&mut model, KeyCode::Char(' '));
    assert_eq!(at(&model), (0, true));
}

#[test]
fn keys_go_to_seconds_events_and_tenths() {
    let mut model = replaying(replay::slides(), 0);
    let mut at_after = |code| {
        press(&mut model, code);
        of(&model).playback.at().0
    };
    assert_eq!(at_after(KeyCode::Right), 5_000);
    assert_eq!(at_after(KeyCode::Left), 0);
    assert_eq!(at_after(KeyCode::Char('.')), 1_000);
    assert_eq!(at_after(KeyCode::Char('.')), 2_000);
    assert_eq!(at_after(KeyCode::Char('.')), 2_500);
    assert_eq!(at_after(KeyCode::Char(',')), 2_000);
    assert_eq!(at_after(KeyCode::Char('5')), 10_000);
    assert_eq!(at_after(KeyCode::End), 20_000);
    assert_eq!(at_after(KeyCode::Left), 15_000);
    assert_eq!(at_after(KeyCode::Home), 0);
}

#[test]
fn players_are_shown_one_after_the_other_and_all_again() {
    let mut model = replaying(replay::four("slide:3x3"), 9_000);
    let mut alone_after = |code| {
        press(&mut model, code);
        of(&model).alone.map(|player| player.0)
    };
    let round: Vec<_> = (0..5).map(|_| alone_after(KeyCode::Tab)).collect();
    assert_eq!(round, [Some(1), Some(2), Some(3), Some(4), None]);
    assert_eq!(alone_after(KeyCode::BackTab), Some(4));
    assert_eq!(alone_after(KeyCode::Char('a')), None);
}

#[test]
fn a_replay_of_one_s_own_races_leads_back_to_them() {
    let mut model = replaying(crate::test_support::replay::slides(), 0);
    assert!(shown(&mut model, LARGE).contains("q quit"));
    model.practice.stats_behind = Some(Box::default());
    assert!(shown(&mut model, LARGE).contains("q back"));
    model.overlay = Some(Overlay::Help);
    let text = shown(&mut model, LARGE);
    assert!(text.contains("back to your races") && !text.contains("quit"), "{text}");
}
