//! The player's own races, and words for a race without others.

use super::*;
use crate::practice::ghost::Ghost;
use crate::practice::kept_race::KeptRace;
use crate::practice::kept_races::KeptNote;
use crate::practice::kept_races::tests::result;
use crate::test_support::replay;
use crate::tui::event::Event;
use crate::tui::model::{Stats, StatsPage};
use crate::tui::race_keeper::RaceAnswer;

const NOW: u64 = 1_795_219_200;

/// Three sessions on 4×4, and one race on 3×3.
fn races() -> Vec<KeptRace> {
    let race = |number: u32| {
        let noise = u64::from(number * 7_919 % 13);
        let finished = number % 11 != 5;
        let time = finished.then(|| 52_340 - 180 * u64::from(number) + 1_730 * noise);
        let puzzle = if number == 20 { "slide:3x3" } else { "slide:4x4" };
        let mut result = result(puzzle, &format!("s{number}"), time);
        result.moves.moves = 110 + number * 31 % 40;
        result.best = Some(MoveBounds::of(48, 50));
        (result.hints, result.place, result.of) = (u16::from(number % 4 == 3), 2, 4);
        KeptRace {
            number,
            began: NOW - 90_000 + u64::from(number / 25) * 40_000 + 120 * u64::from(number),
            result,
            counts: number != 58,
            marked: number == 57,
            replay_bytes: 300,
        }
    };
    (1..=60).map(race).collect()
}

fn stats() -> Model {
    let mut model = fx::model();
    letter(&mut model, 's');
    let answer = RaceAnswer::Listed { races: races(), now: NOW };
    fx::tell(&mut model, Event::Races(answer));
    model
}

fn page(model: &mut Model) -> &mut Stats {
    let Screen::Stats(stats) = &mut model.screen else { panic!("no statistics") };
    stats
}

#[test]
fn own_races() {
    let mut model = stats();
    picture("stats", model.clone());
    insta::assert_snapshot!("stats_120x40", shown(&mut model, (120, 40)));
    page(&mut model).page = StatsPage::Charts;
    insta::assert_snapshot!("stats_charts_40x12", shown(&mut model, SMALL));
    page(&mut model).page = StatsPage::Races;
    insta::assert_snapshot!("stats_races_40x12", shown(&mut model, SMALL));
    model.settings.appearance.ascii = true;
    for size in [LARGE, SMALL] {
        let text = shown(&mut model, size);
        assert!(text.is_ascii(), "{text}");
    }
}

#[test]
fn a_place_among_many_stands_apart_from_the_hints() {
    for of in [16, 128] {
        let mut model = stats();
        let mut races = races();
        for race in &mut races {
            (race.result.place, race.result.of) = (of, of);
        }
        fx::tell(&mut model, Event::Races(RaceAnswer::Listed { races, now: NOW }));
        let text = shown(&mut model, LARGE);
        assert!(text.contains(&format!(" {of} of {of}\n")), "{text}");
    }
}

#[test]
fn own_races_before_the_first_and_its_help() {
    let mut model = fx::model();
    letter(&mut model, 's');
    assert!(shown(&mut model, SMALL).contains("Reading your races"));
    fx::tell(&mut model, Event::Races(RaceAnswer::Listed { races: Vec::new(), now: NOW }));
    assert!(shown(&mut model, LARGE).contains("No races yet"));
    let mut model = stats();
    model.overlay = Some(Overlay::Help);
    picture("stats_help", model);
}

#[test]
fn spans_puzzles_and_sorting_change_what_is_listed() {
    let mut model = stats();
    let first = |model: &mut Model| page(model).chosen_race().map(|race| race.number);
    assert_eq!(first(&mut model), Some(60));
    letter(&mut model, 's');
    let of_puzzle = races().into_iter().filter(|race| race.result.puzzle == fx::spec("slide:4x4"));
    let best = of_puzzle.filter_map(|race| Some((race.result.time?, race.number))).min().unwrap();
    assert_eq!(first(&mut model), Some(best.1));
    press(&mut model, KeyCode::Right);
    assert_eq!(first(&mut model), Some(20));
    press(&mut model, KeyCode::Left);
    let mut counts = vec![page(&mut model).shown().len()];
    for _ in 0..4 {
        letter(&mut model, 't');
        counts.push(page(&mut model).shown().len());
    }
    // All, a month, a week, a day, the last session.
    assert_eq!(counts, [59, 59, 59, 36, 11]);
}

/// A heat that only this player raced in.
fn solo(time: u64) -> Model {
    let mut model = fx::over("slide:4x4");
    let heat = model.joined_heat_mut().unwrap();
    let mut mine = heat.view.my_standing().unwrap().clone();
    mine.place = 1;
    mine.state = RaceState::Finished { time: Millis(time) };
    heat.view.standings = vec![mine.clone()];
    heat.view.roster.members.retain(|member| member.id == fx::ME);
    if let HeatPhase::Over(ended) = &mut heat.view.phase {
        ended.result.standings = vec![mine];
    }
    model
}

#[test]
fn a_race_without_others_is_against_the_clock_and_oneself() {
    for (best_before, counts, words) in [
        (None, true, "Your first finish of this puzzle."),
        (Some(44_000), true, "Personal best: 2.76 s faster."),
        (Some(40_000), true, "Your best: 40.00, 1.23 s faster."),
        (Some(44_000), false, "You have raced this board before: it doesn't count."),
    ] {
        let mut model = solo(41_239);
        let note = KeptNote { number: 1, counts, best_before: best_before.map(Millis) };
        fx::tell(&mut model, Event::Races(RaceAnswer::Kept(note)));
        let text = shown(&mut model, LARGE);
        assert!(text.contains("Solved in 0:41.239") && text.contains(words), "{text}");
        assert!(!text.contains("won") && !text.contains("1st"), "{text}");
    }
}

#[test]
fn a_race_against_a_ghost_says_who_was_ahead() {
    let ghost = Ghost::new(replay::slides()).unwrap();
    let row = ghost.final_row().unwrap();
    let RaceState::Finished { time } = row.state else { panic!("{row:?}") };
    for (mine, words) in [
        (time.0 - 1_500, "1.50 s ahead of Zoë's ghost."),
        (time.0 + 420, "0.42 s behind Zoë's ghost."),
    ] {
        let mut model = solo(mine);
        if let HeatPhase::Over(ended) = &mut model.joined_heat_mut().unwrap().view.phase {
            ended.result.start = replay::slides().events.start().clone();
        }
        model.practice.ghost = Some(ghost.clone());
        fx::tell(&mut model, Event::Tick);
        let text = shown(&mut model, LARGE);
        assert!(text.contains("Solved in") && text.contains(words), "{text}");
    }
}

#[test]
fn deleting_a_race_says_what_goes_with_it() {
    let mut model = stats();
    letter(&mut model, 'd');
    let text = shown(&mut model, LARGE);
    assert!(text.contains("Delete race 60 and its replay?"), "{text}");
    press(&mut model, KeyCode::Esc);
    let races = races().into_iter().map(|race| KeptRace { replay_bytes: 0, ..race }).collect();
    fx::tell(&mut model, Event::Races(RaceAnswer::Listed { races, now: NOW }));
    letter(&mut model, 'd');
    let text = shown(&mut model, LARGE);
    assert!(text.contains("Delete race 60?"), "{text}");
}
