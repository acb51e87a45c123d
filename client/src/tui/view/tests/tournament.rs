//! The screens of a tournament: its organiser's, its players' and its spectators'.

use super::*;
use crate::test_support::tournament::{self as cup, Raced};
use crate::tui::model::{ChooseTournament, TournamentPart};
use gridrace_shared::protocol::tournament::{
    CommandQuestion, OwnEntry, TournamentCommand, TournamentPhase, TournamentSummary,
    TournamentUpdate,
};
use gridrace_shared::tournament::ids::{EntrantId, ResultKey, RoundKey};
use gridrace_shared::tournament::log::Presence;
use gridrace_shared::tournament::public_log::PublicEvent;

fn show(model: &mut Model, raced: &Raced, part: TournamentPart) {
    let index = model.tournament.as_ref().unwrap().parts().iter().position(|it| *it == part);
    let digit = char::from_digit(index.unwrap() as u32 + 1, 10).unwrap();
    letter(model, digit);
    let tick = crate::tui::update::update(model, model.now, crate::tui::event::Event::Tick);
    cup::load(model, raced, tick);
}

#[test]
fn a_player_waits_for_the_first_round() {
    let raced = Raced::entered("series:5", 12);
    picture("tournament_waiting", cup::following(&raced, TournamentPhase::Entries, cup::player()));
    let unchecked = OwnEntry { presence: Some(Presence::Entered), ..cup::player() };
    let mut model = cup::following(&raced, TournamentPhase::CheckIn, unchecked);
    for size in [LARGE, SMALL] {
        let text = shown(&mut model, size);
        assert!(text.contains("c checks in") && text.contains("c check in"), "{text}");
    }
}

#[test]
fn a_spectator_is_offered_a_place_only_while_entries_are_taken() {
    let spectator = OwnEntry { organiser: false, ..cup::organiser() };
    for (plan, offered_late) in [("series:5", true), ("knockout:bo1", false)] {
        let mut raced = Raced::entered(plan, 8);
        let before = cup::following(&raced, TournamentPhase::Entries, spectator);
        raced.draw();
        let after = cup::following(&raced, TournamentPhase::Break, spectator);
        for (mut model, offered) in [(before, true), (after, offered_late)] {
            for size in [LARGE, SMALL] {
                let text = shown(&mut model, size);
                assert_eq!(text.contains("e to take part"), offered, "{text}");
                assert_eq!(text.contains("e take part"), offered, "{text}");
                assert_eq!(text.contains("entries are closed"), !offered, "{text}");
            }
        }
    }
}

#[test]
fn a_player_sees_between_rounds_the_standings_and_whom_they_meet_next_and_when() {
    let mut raced = Raced::entered("swiss:2x3:bo1", 12);
    let round = raced.draw();
    raced.race(round, 0);
    raced.draw();
    let model = cup::following(&raced, TournamentPhase::Break, cup::player());
    picture("tournament_standings", model.clone());
    for size in [LARGE, SMALL] {
        let text = shown(&mut model.clone(), size);
        assert!(text.contains("GO in 1:01"), "{text}");
        assert!(text.contains("You meet "), "{text}");
    }
}

#[test]
fn a_player_without_a_table_hears_whether_a_later_round_may_have_one() {
    for (plan, expected) in [
        ("swiss:2x3:bo1", "You have no seat in this round."),
        ("series:5", "You have no seat in this round."),
        ("knockout:bo1", "You race no more in this stage."),
    ] {
        // The last one hasn't checked in by the draw.
        let mut raced = Raced::entered(plan, 9);
        raced.draw();
        let late = OwnEntry { entrant: Some(EntrantId(9)), ..cup::player() };
        let mut model = cup::following(&raced, TournamentPhase::Racing, late);
        for size in [LARGE, SMALL] {
            let text = shown(&mut model, size);
            assert!(text.contains(expected), "{plan}: {text}");
        }
    }
}

#[test]
fn who_is_not_in_the_final_hears_that_the_race_is_over_for_them() {
    let mut raced = Raced::entered("heats:4/1+series:2", 8);
    let round = raced.draw();
    raced.race(round, 0);
    raced.draw();
    let hears = |entrant: u32| {
        let you = OwnEntry { entrant: Some(EntrantId(entrant)), ..cup::player() };
        let mut model = cup::following(&raced, TournamentPhase::Racing, you);
        shown(&mut model, LARGE).contains("You race no more in this stage.")
    };
    assert_eq!((0..8).filter(|&entrant| hears(entrant)).count(), 6);
}

#[test]
fn one_s_own_row_is_in_sight_wherever_the_standings_are() {
    let mut raced = Raced::entered("series:5", 30);
    let round = raced.draw();
    raced.race(round, 0);
    let mut model = cup::following(&raced, TournamentPhase::Pause, cup::player());
    for _ in 0..40 {
        for size in [LARGE, SMALL] {
            assert!(shown(&mut model, size).contains("Anna"), "{}", shown(&mut model, size));
        }
        press(&mut model, KeyCode::Down);
    }
    press(&mut model, KeyCode::Home);
    assert!(shown(&mut model, LARGE).contains("   1 "));
}

#[test]
fn the_log_follows_again_from_its_end_on() {
    let mut raced = Raced::entered("series:5", 20);
    let mut model = cup::following(&raced, TournamentPhase::CheckIn, OwnEntry::default());
    show(&mut model, &raced, TournamentPart::Log);
    let mut comes = |model: &mut Model| {
        let line = format!("line {}", raced.lines.len());
        raced.push(PublicEvent::Announced { text: line.parse().unwrap() });
        model.now.0 += 2_000_000;
        model.connection.heard = model.now;
        let head = TournamentUpdate::Head(cup::head(&raced, TournamentPhase::CheckIn));
        let page = fx::hear(model, cup::update(head));
        cup::load(model, &raced, page);
        shown(model, SMALL).contains(&line)
    };
    assert!(comes(&mut model));
    press(&mut model, KeyCode::PageUp);
    assert!(!comes(&mut model));
    for back in [KeyCode::End, KeyCode::PageDown] {
        press(&mut model, KeyCode::Home);
        for _ in 0..10 {
            press(&mut model, back);
        }
        assert!(comes(&mut model));
    }
}

#[test]
fn a_terminal_that_grows_shows_a_part_from_its_first_row_where_all_fit() {
    let mut series = Raced::entered("series:5", 20);
    let round = series.draw();
    series.race(round, 0);
    let mut knockout = Raced::entered("knockout:bo3", 12);
    knockout.draw();
    for (raced, part) in [(series, TournamentPart::Standings), (knockout, TournamentPart::Bracket)]
    {
        let mut model = cup::following(&raced, TournamentPhase::Racing, OwnEntry::default());
        show(&mut model, &raced, part);
        let first = shown(&mut model, MIDDLE);
        shown(&mut model, SMALL);
        press(&mut model, KeyCode::End);
        assert_eq!(shown(&mut model, MIDDLE), first);
    }
}

#[test]
fn a_bracket_is_drawn_and_scrolls() {
    let mut raced = Raced::entered("knockout:bo3", 12);
    let round = raced.draw();
    for board in 0..3 {
        raced.race(round, board);
    }
    raced.draw();
    let mut model = cup::following(&raced, TournamentPhase::Racing, cup::player());
    show(&mut model, &raced, TournamentPart::Bracket);
    picture("tournament_bracket", model.clone());
    // Beyond the final there is nothing: one key leads back.
    let mut end = model.clone();
    let first = shown(&mut end, SMALL);
    for _ in 0..20 {
        press(&mut end, KeyCode::Right);
    }
    let last = shown(&mut end, SMALL);
    assert_ne!(first, last);
    press(&mut end, KeyCode::Left);
    assert_ne!(shown(&mut end, SMALL), last);
    let before = shown(&mut model, SMALL);
    press(&mut model, KeyCode::Right);
    press(&mut model, KeyCode::PageDown);
    assert_ne!(before, shown(&mut model, SMALL));
    let double = Raced::entered("double:bo1", 9).finished();
    let mut model = cup::following(&double, TournamentPhase::Over, cup::player());
    show(&mut model, &double, TournamentPart::Bracket);
    insta::assert_snapshot!("tournament_double_120x40", shown(&mut model, MIDDLE));
}

#[test]
fn the_end_names_the_champion_and_one_s_own_place() {
    let raced = Raced::entered("knockout:bo1", 9).finished();
    let model = cup::following(&raced, TournamentPhase::Over, cup::player());
    picture("tournament_over", model.clone());
    let text = shown(&mut model.clone(), SMALL);
    assert!(text.contains("has won") && text.contains("You are "), "{text}");
}

#[test]
fn the_organiser_sees_who_is_here_and_directs_by_keys() {
    let raced = Raced::entered("heats:8/2+final:3", 20);
    let mut model = cup::following(&raced, TournamentPhase::CheckIn, cup::organiser());
    picture("tournament_organiser_entrants", model.clone());
    model.invitation = vec!["192.168.1.5".to_owned()];
    let text = shown(&mut model, LARGE);
    assert!(text.contains("gridrace tournament enter friday 192.168.1.5"), "{text}");
    assert!(shown(&mut model, SMALL).contains("tournament enter friday 192.168.1.5"));
    model.invitation.clear();
    letter(&mut model, 'm');
    picture("tournament_organiser_menu", model.clone());
    press(&mut model, KeyCode::Esc);
    press(&mut model, KeyCode::Down);
    letter(&mut model, 'm');
    letter(&mut model, 'd');
    picture("tournament_organiser_line", model.clone());
    press(&mut model, KeyCode::Enter);
    let text = shown(&mut model, SMALL);
    assert!(text.contains("disqualify is written"), "{text}");
}

#[test]
fn tables_are_live_and_what_a_command_throws_away_is_asked_before() {
    let mut raced = Raced::entered("heats:8/2+final:3", 20);
    let round = raced.draw();
    raced.race(round, 0);
    let mut model = cup::following(&raced, TournamentPhase::Racing, cup::organiser());
    show(&mut model, &raced, TournamentPart::Tables);
    picture("tournament_tables", model.clone());
    let first = vec![ResultKey { round, table: 1, board: 0, attempt: 0 }];
    let command = TournamentCommand::Redraw { reason: None };
    let asks = TournamentUpdate::NeedsConfirmation(CommandQuestion {
        command,
        discards: 3,
        unraced: 0,
        first,
    });
    fx::hear(&mut model, cup::update(asks));
    picture("tournament_discards", model.clone());
    model.overlay = None;
    let command = TournamentCommand::End { reason: None };
    let asks = TournamentUpdate::NeedsConfirmation(CommandQuestion {
        command,
        discards: 0,
        unraced: 2,
        first: Vec::new(),
    });
    fx::hear(&mut model, cup::update(asks));
    let text = shown(&mut model, SMALL);
    assert!(text.contains("End it as it stands?"), "{text}");
    assert!(text.contains("2 boards of the round aren't raced"), "{text}");
    show_log(&mut model, &raced);
}

#[test]
fn a_wide_screen_shows_the_standings_beside_the_tables_and_the_log_beside_the_standings() {
    let mut raced = Raced::entered("heats:8/2+final:3", 20);
    let mut model = cup::following(&raced, TournamentPhase::CheckIn, cup::organiser());
    let text = shown(&mut model, HUGE);
    assert!(text.contains("Otter 2 enters"), "the log stands beside the entrants: {text}");
    let round = raced.draw();
    raced.race(round, 0);
    let mut model = cup::following(&raced, TournamentPhase::Racing, cup::organiser());
    show(&mut model, &raced, TournamentPart::Tables);
    let text = shown(&mut model, HUGE);
    assert!(text.contains("19 Ida") && text.contains("Ida DNF 64%"), "{text}");
    assert!(!shown(&mut model, MIDDLE).contains("19 Ida"));
    show(&mut model, &raced, TournamentPart::Standings);
    let text = shown(&mut model, HUGE);
    assert!(text.contains("19 Ida") && text.contains("table 3, board 1"), "{text}");
}

fn show_log(model: &mut Model, raced: &Raced) {
    model.overlay = None;
    show(model, raced, TournamentPart::Log);
    picture("tournament_log", model.clone());
}

#[test]
fn the_tournaments_of_a_server_are_a_list() {
    let mut model = fx::model();
    let summary = |name: &str, plan: &str, phase, needs_pin| TournamentSummary {
        name: name.parse().unwrap(),
        title: (phase == TournamentPhase::Entries).then(|| "Friday cup".parse().unwrap()),
        plan: plan.to_owned(),
        phase,
        entrants: 12,
        max_entrants: 1_024,
        needs_pin,
    };
    let tournaments = vec![
        summary("friday", "series:5", TournamentPhase::Entries, false),
        summary(
            "a-very-long-name-of-a-tournament",
            "heats:32/8+final:5",
            TournamentPhase::Racing,
            true,
        ),
    ];
    let refresh = ClientInstant(0);
    let mut choose = ChooseTournament { tournaments, chosen: 1, refresh };
    model.connection.server = "gridrace-server 0.1.0".to_owned();
    model.screen = Screen::ChooseTournament(choose.clone());
    picture("tournaments", model.clone());
    let mut help = model.clone();
    letter(&mut help, '?');
    for size in [LARGE, SMALL] {
        let text = shown(&mut help, size);
        assert!(text.contains("take part") && text.contains("open one"), "{text}");
    }
    choose.update(Vec::new());
    model.screen = Screen::ChooseTournament(choose);
    picture("tournaments_none", model.clone());
    model.screen = Screen::Home(Home::default());
    letter(&mut model, 't');
    picture("tournament_form", model);
}

#[test]
fn hostile_names_steer_nothing_in_any_part() {
    let raced = Raced::entered("knockout:bo1", 8).finished();
    let mut model = cup::following(&raced, TournamentPhase::Over, cup::player());
    for part in model.tournament.as_ref().unwrap().parts() {
        show(&mut model, &raced, part);
        for size in [(40, 12), (41, 13), (60, 16), (80, 24), (200, 60)] {
            let text = shown(&mut model, size);
            assert!(text.chars().all(|it| it == '\n' || is_displayable(it)), "{text}");
        }
        model.settings.appearance.ascii = true;
        let text = shown(&mut model, LARGE);
        assert!(text.is_ascii(), "{text}");
        model.settings.appearance.ascii = false;
    }
}

#[test]
fn the_tables_of_earlier_rounds_are_those_of_the_log() {
    let raced = Raced::entered("swiss:2x3", 4).finished();
    let mut model = cup::following(&raced, TournamentPhase::Over, cup::player());
    cup::load(&mut model, &raced, Vec::new());
    letter(&mut model, '2');
    let latest = shown(&mut model, LARGE);
    assert!(latest.contains("round 3  , . other rounds"), "{latest}");
    for round in ["round 2  ", "round 1  ", "round 1  "] {
        letter(&mut model, ',');
        for size in [LARGE, SMALL] {
            let text = shown(&mut model, size);
            assert!(text.contains(round) && text.contains("done"), "{text}");
        }
    }
    let first = RoundKey { stage: 0, round: 0 };
    let expected: Vec<_> = raced.tables(first).into_iter().map(|table| table.seats).collect();
    let tables = model.tournament.as_ref().unwrap().tables();
    assert_eq!(tables.iter().map(|table| table.seats.clone()).collect::<Vec<_>>(), expected);
    drop(tables);
    press(&mut model, KeyCode::Enter);
    assert!(model.notice.as_ref().unwrap().text.contains("over"));
    letter(&mut model, '.');
    assert!(shown(&mut model, LARGE).contains("round 2  "));
}

#[test]
fn the_help_lists_the_keys() {
    let raced = Raced::entered("series:5", 4);
    let mut model = cup::following(&raced, TournamentPhase::Entries, cup::player());
    model.overlay = Some(Overlay::Help);
    picture("tournament_help", model);
}

#[test]
fn who_watches_a_table_is_offered_no_seat_and_promised_none() {
    let raced = Raced::entered("series:3", 4);
    let tournament =
        cup::following(&raced, TournamentPhase::Racing, OwnEntry::default()).tournament;
    let lobby = || fx::in_heat("slide:4x4", Role::Spectator, Phase::Lobby);
    for mut model in [lobby(), fx::watching("slide:4x4")] {
        let text = shown(&mut model, LARGE);
        assert!(text.contains("take a seat") && text.contains("big screen"), "{text}");
        model.joined_heat_mut().unwrap().view.setup.table = Some(cup::table_setup());
        model.tournament.clone_from(&tournament);
        for big_screen in [false, true] {
            model.big_screen = big_screen;
            for size in [LARGE, SMALL] {
                let text = shown(&mut model, size);
                assert!(!text.contains("a seat") && text.contains("? help"), "{text}");
            }
        }
        model.overlay = Some(Overlay::Confirm(Question::Leave));
        let text = shown(&mut model, LARGE);
        assert!(text.contains("Leave this table?") && !text.contains("seat waits"), "{text}");
    }
    let mut model = fx::in_heat("slide:4x4", Role::Player, Phase::Lobby);
    model.tournament = tournament;
    model.overlay = Some(Overlay::Confirm(Question::Leave));
    assert!(shown(&mut model, LARGE).contains("Your seat waits: t leads back"));
}

#[test]
fn results_at_a_table_lead_back_to_the_tournament() {
    let mut model = fx::over("slide:3x3");
    let heat = model.joined_heat_mut().unwrap();
    heat.view.setup.table = Some(cup::table_setup());
    heat.view.roster.host = None;
    for size in [LARGE, SMALL] {
        let text = shown(&mut model, size);
        assert!(text.contains("q to the tournament") && !text.contains("rematch"), "{text}");
        assert!(!text.contains("host"), "{text}");
    }
    assert!(shown(&mut model, LARGE).contains("The tournament goes on."));
    let raced = Raced::entered("series:1", 4);
    model.tournament = cup::following(&raced, TournamentPhase::Over, cup::player()).tournament;
    assert!(shown(&mut model, LARGE).contains("The tournament is over."));
}

#[test]
fn every_question_fits() {
    let raced = Raced::entered("series:3", 4);
    let mut cup = cup::following(&raced, TournamentPhase::Racing, cup::organiser());
    let first =
        vec![
            ResultKey { round: RoundKey { stage: 0, round: 99 }, table: 99, board: 9, attempt: 0 };
            2
        ];
    let command = TournamentCommand::Redraw { reason: None };
    let question = CommandQuestion { command, discards: 100_000, unraced: 0, first };
    let asks = TournamentUpdate::NeedsConfirmation(question);
    fx::hear(&mut cup, cup::update(asks));
    let mut table = fx::racing("slide:4x4");
    table.tournament.clone_from(&cup.tournament);
    let mut host = lobby(Role::Player);
    host.hosting = true;
    host.server_usage.people = 100;
    let mut away = lobby(Role::Player);
    away.tournament.clone_from(&cup.tournament);
    for model in [cup, table, host, away, lobby(Role::Player), fx::racing("slide:4x4")] {
        for question in [
            Question::GiveUp,
            Question::Leave,
            Question::Quit,
            Question::Kick(fx::ZOE),
            Question::Ban(fx::ZOE),
            Question::HandOver(fx::ZOE),
            Question::EndHeat,
            Question::DeleteRace(u32::MAX),
            Question::Withdraw,
            Question::Unfollow,
            Question::Discard,
        ] {
            let mut model = model.clone();
            model.overlay = Some(Overlay::Confirm(question));
            let (asked, more) = questions::words(&model, question);
            for size in [LARGE, SMALL] {
                let text = shown(&mut model, size);
                for word in asked.split(' ').chain(more.iter().flat_map(|more| more.split(' '))) {
                    assert!(text.contains(word), "{word} of {asked} {more:?} in\n{text}");
                }
                assert!(text.contains("y yes"), "{text}");
            }
        }
    }
}

#[test]
fn the_organiser_s_commands_leave_their_keys_in_sight() {
    let raced = Raced::entered("series:3", 4);
    let mut model = cup::following(&raced, TournamentPhase::Racing, cup::organiser());
    letter(&mut model, 'm');
    for size in [LARGE, SMALL] {
        let text = shown(&mut model, size);
        assert!(text.contains("enter choose  esc back"), "{text}");
    }
}
