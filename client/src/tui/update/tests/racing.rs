//! The race and its end.

use super::*;
use gridrace_shared::puzzle::HintStyle;

#[test]
fn a_direction_moves_a_tile_at_once_and_sends_it_with_the_next_number() {
    let mut model = fx::racing("slide:4x4");
    let before = board(&model);
    // The blank is in the corner, so tiles travel down or right.
    assert_eq!(key(&mut model, KeyCode::Up), []);
    assert_eq!(moves(&key(&mut model, KeyCode::Down)), [Seq(1)]);
    assert_ne!(board(&model), before);
    assert_eq!(moves(&letter(&mut model, 'l')), [Seq(2)]);
    hear(&mut model, ServerMessage::Rejected { seq: Seq(1), why: Rejection::Late });
    assert_eq!(board(&model), before);
    assert!(model.notice.unwrap().bad);
}

#[test]
fn reversed_keys_move_the_blank() {
    let mut model = fx::racing("slide:4x4");
    letter(&mut model, 'x');
    assert_eq!(moves(&key(&mut model, KeyCode::Up)), [Seq(1)]);
    assert_eq!(moves(&key(&mut model, KeyCode::Up)), [Seq(2)]);
    assert_eq!(moves(&key(&mut model, KeyCode::Right)), []);
}

#[test]
fn shift_slides_the_whole_line_as_one_move() {
    let mut model = fx::racing("slide:4x4");
    let now = model.now;
    let shifted = Event::Key(KeyEvent::new(KeyCode::Down, KeyModifiers::SHIFT));
    assert_eq!(moves(&update(&mut model, now, shifted)), [Seq(1)]);
    assert_eq!(race(&model).play.count(), MoveCount { moves: 3, acts: 1 });
}

#[test]
fn a_click_slides_the_tile_under_it() {
    let mut model = fx::racing("slide:4x4");
    let slid = |model: &mut Model, row: usize, column: usize| {
        moves(&mouse(model, MouseAction::Press, (row, column))).len()
    };
    assert_eq!(slid(&mut model, 0, 0), 0);
    assert_eq!(slid(&mut model, 3, 1), 1);
    assert_eq!(race(&model).play.count(), MoveCount { moves: 2, acts: 1 });
}

#[test]
fn a_hint_is_asked_for_once_and_forgotten_with_the_next_move() {
    let mut model = fx::racing("slide:4x4");
    assert_eq!(letter(&mut model, 't'), [Send(ClientMessage::Hint { style: HintStyle::Shortest })]);
    assert_eq!(letter(&mut model, 't'), []);
    let hint = fx::hint(&board(&model));
    let (after, taken, penalty) = (Seq(0), 3, Millis(30_000));
    hear(
        &mut model,
        ServerMessage::Hint { after, hint: hint.clone(), distance_change: None, taken, penalty },
    );
    // What is still shown would be paid for twice.
    assert_eq!(letter(&mut model, 't'), []);
    let shown = |model: &Model| race(model).hinted_move();
    assert_eq!(shown(&model), hint.play(&board(&model)));
    key(&mut model, KeyCode::Down);
    assert_eq!(shown(&model), None);
    assert_eq!(letter(&mut model, 't'), [Send(ClientMessage::Hint { style: HintStyle::Shortest })]);
    hear(&mut model, ServerMessage::Refused(Refusal::HintBusy));
    assert_eq!(letter(&mut model, 't'), [Send(ClientMessage::Hint { style: HintStyle::Shortest })]);
}

#[test]
fn a_heat_without_hints_asks_for_none() {
    let mut model = fx::racing("slide:4x4");
    let Screen::Heat(heat) = &mut model.screen else { panic!() };
    heat.promised.as_mut().unwrap().options.hints = HintRule::Off;
    assert_eq!(letter(&mut model, 't'), []);
    assert!(model.notice.is_some());
}

#[test]
fn giving_up_and_leaving_ask_first_and_arrows_don_t_answer() {
    let mut model = fx::racing("slide:4x4");
    assert_eq!(letter(&mut model, 'g'), []);
    for code in [KeyCode::Down, KeyCode::Char(' '), KeyCode::Char('l'), KeyCode::Enter] {
        assert_eq!(key(&mut model, code), []);
        assert!(model.overlay.is_some());
    }
    assert_eq!(letter(&mut model, 'n'), []);
    assert!(model.overlay.is_none());
    letter(&mut model, 'g');
    assert_eq!(letter(&mut model, 'y'), [Send(ClientMessage::GiveUp)]);
    letter(&mut model, 'q');
    let commands = letter(&mut model, 'y');
    assert_eq!(besides_keeping(commands), [Send(ClientMessage::Leave), Effect::Disconnect]);
    assert!(matches!(model.screen, Screen::Home(_)));
}

#[test]
fn spectators_see_every_move_on_its_board() {
    let mut model = fx::watching("slide:4x4");
    let mut expected = fx::start("slide:4x4");
    let play = expected.legal_moves().swap_remove(0);
    expected.play(&play).unwrap();
    let moved = Moved { player: fx::ZOE, at: HeatInstant(11_000), play };
    hear(&mut model, ServerMessage::Moves(vec![moved]));
    let watching = heat(&model).watching().unwrap();
    assert_eq!(watching.boards[&fx::ZOE], expected);
    assert!(watching.boards.values().filter(|&board| *board == expected).count() == 1);
}

#[test]
fn the_promise_that_counts_is_the_one_before_the_start() {
    let mut model = fx::in_heat("slide:4x4", Role::Player, Phase::Lobby);
    hear(&mut model, ServerMessage::Phase(Phase::Countdown { go: fx::GO }));
    hear(&mut model, ServerMessage::Phase(fx::running("slide:4x4")));
    // A server that cheats commits anew to another seed, and reveals that one.
    let mut other = fx::secret();
    other.seed = "monday".parse().unwrap();
    let mut setup = fx::setup("slide:4x4");
    setup.commitment = other.commitment(&setup.options.spec);
    hear(&mut model, ServerMessage::Setup(setup));
    let result = HeatResult {
        standings: fx::standings().rows,
        start: fx::spec("slide:4x4").board(&other.seed),
        reveal: other,
        best: None,
    };
    hear(&mut model, ServerMessage::Phase(Phase::Over(result)));
    assert_eq!(
        heat(&model).panel.results.check,
        SeedCheck { commitment: false, board: Some(false) }
    );
}

#[test]
fn a_rematch_leads_back_to_the_lobby() {
    let mut model = fx::over("slide:4x4");
    // A player who still asks for a hint as the heat ends keeps the seat.
    assert_eq!(letter(&mut model, 't'), []);
    letter(&mut model, 'r');
    hear(&mut model, ServerMessage::Phase(Phase::Lobby));
    assert!(matches!(heat(&model).phase, HeatPhase::Lobby));
    assert!(heat(&model).standings.is_empty());
}

#[test]
fn a_key_or_click_that_does_nothing_is_marked() {
    let words = |model: &Model| model.ignored_words();
    let mut model = fx::racing("slide:4x4");
    // The blank is in the corner: no tile is below it.
    for code in [KeyCode::Up, KeyCode::Left, KeyCode::Char('z'), KeyCode::Char('5')] {
        key(&mut model, code);
        assert!(words(&model).is_some(), "{code:?}");
        later(&mut model, Duration::from_secs(1), Event::Tick);
        assert_eq!(words(&model), None);
    }
    mouse(&mut model, MouseAction::Press, (0, 0));
    assert!(words(&model).is_some());
    mouse(&mut model, MouseAction::Release, (0, 0));
    key(&mut model, KeyCode::Down);
    assert_eq!(words(&model), None);
    let mut links = fx::racing("link:7x7");
    key(&mut links, KeyCode::Right);
    assert_eq!(words(&links), None);
    for _ in 0..7 {
        key(&mut links, KeyCode::Right);
    }
    assert!(words(&links).is_some());
}

#[test]
fn the_move_that_solves_rings_and_flashes_unless_that_is_off() {
    let solve = |flash: bool, bell: bool| {
        let start = Board::Slide("1 2 3/4 5 6/7 0 8".parse().unwrap());
        let phase = Phase::Running { go: fx::GO, ends: fx::ENDS, start };
        let mut model = fx::in_heat("slide:3x3", Role::Player, phase);
        (model.settings.flash, model.settings.bell) = (flash, bell);
        let rings = key(&mut model, KeyCode::Left).contains(&Effect::Bell);
        (heat(&model).panel.feedback.is_lit(model.now), rings)
    };
    assert_eq!(solve(true, true), (true, true));
    assert_eq!(solve(false, true), (false, true));
    assert_eq!(solve(true, false), (true, false));
}

#[test]
fn motion_never_delays_a_key_and_ends_on_a_slow_terminal() {
    let mut model = fx::racing("slide:4x4");
    assert_eq!(moves(&key(&mut model, KeyCode::Down)), [Seq(1)]);
    assert!(model.is_animating());
    assert_eq!(moves(&key(&mut model, KeyCode::Right)), [Seq(2)]);
    assert_eq!(moves(&key(&mut model, KeyCode::Up)), [Seq(3)]);
    assert_eq!(tell(&mut model, Event::SlowScreen), []);
    assert!(!model.is_animating());
    key(&mut model, KeyCode::Down);
    assert!(!model.is_animating());
}

#[test]
fn keys_that_have_no_meaning_for_this_player_are_marked_or_say_what_is_needed() {
    let mut model = fx::over("slide:4x4");
    for typed in ['t', 's'] {
        assert_eq!(letter(&mut model, typed), []);
        assert!(model.ignored_words().is_some(), "{typed}");
        later(&mut model, Duration::from_secs(1), Event::Tick);
    }
    letter(&mut model, 'f');
    letter(&mut model, 's');
    assert!(model.ignored_words().is_none(), "it leads back to the places");

    for code in [KeyCode::Enter, KeyCode::Char('r')] {
        let mut model = lobby(Role::Spectator);
        assert_eq!(key(&mut model, code), []);
        assert_eq!(model.notice.unwrap().text, "Take a seat first: press t.");
    }
    let mut model = lobby(Role::Spectator);
    model.joined_heat_mut().unwrap().view.setup.table = Some(fx::tournament::table_setup());
    key(&mut model, KeyCode::Enter);
    assert!(model.notice.is_none() && model.ignored_words().is_some());
}

#[test]
fn a_dead_key_is_marked_on_every_screen() {
    let mut stats = fx::model();
    letter(&mut stats, 's');
    let screens = [
        fx::model(),
        stats,
        fx::in_heat("slide:4x4", Role::Player, Phase::Lobby),
        fx::in_heat("slide:4x4", Role::Player, Phase::Drawing),
        fx::watching("slide:4x4"),
        fx::over("slide:4x4"),
    ];
    for mut model in screens {
        for code in [KeyCode::Char('y'), KeyCode::Char('%')] {
            assert_eq!(key(&mut model, code), []);
            assert!(model.ignored_words().is_some(), "{code:?} {:?}", model.screen);
        }
        later(&mut model, Duration::from_secs(1), Event::Tick);
        assert_eq!(model.ignored_words(), None);
    }
}

#[test]
fn a_hint_without_a_connection_is_complained_of() {
    let mut model = fx::racing("slide:4x4");
    tell(&mut model, lost(LOST));
    assert_eq!(letter(&mut model, 't'), []);
    assert_eq!(model.notice.as_ref().unwrap().text, "No connection: try again.");
    assert!(model.ignored_words().is_none());
}

#[test]
fn a_key_that_turns_directions_around_is_dead_where_there_are_none() {
    let mut model = fx::racing("link:5x5");
    letter(&mut model, 'x');
    assert!(model.ignored_words().is_some() && !model.settings.reversed);
}
