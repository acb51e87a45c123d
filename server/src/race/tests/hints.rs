use super::*;
use gridrace_shared::puzzle::slide;
use gridrace_shared::puzzle::slide::solve::StageMoves;
use gridrace_shared::solver::budget::Unsolved;
use gridrace_shared::solver::hint::Hint;
use gridrace_shared::solver::rating::rate;

fn running(rule: impl FnOnce(&mut HeatOptions)) -> Log {
    Log::running_with(2, rule)
}

/// The move of the hint that the latest event gave.
fn advice(log: &Log, to: u32) -> Option<Move> {
    log.sent(to).into_iter().find_map(|message| match message {
        ServerMessage::Hint { hint, .. } => hint.play(&log.board(to)),
        _ => None,
    })
}

#[test]
fn a_hint_is_planned_outside_and_charged_when_given() {
    let mut log = running(priced(10));
    log.asks_hint(1);
    let board = log.board(1);
    let solve = Effect::FindHint(Box::new(HintRequest {
        player: id(1),
        style: HintStyle::Shortest,
        number: 1,
        after: Seq(0),
        board: board.clone(),
        before: None,
        known: SolutionKnowledge::Slide(()),
    }));
    assert_eq!(log.last, [solve]);
    assert_eq!((log.row(1).hints, log.row(1).penalty), (0, Millis(0)));
    log.silently_at(4_000);
    log.hinted(1, 1, &board);
    let [ServerMessage::Hint { after, taken, penalty, .. }] = log.sent(1)[..] else { panic!() };
    assert_eq!((*after, *taken, *penalty), (Seq(0), 1, Millis(10_000)));
    assert_eq!(log.standings().unwrap().rows.len(), 2);
    assert_eq!((log.row(1).hints, log.row(1).penalty), (1, Millis(10_000)));
}

#[test]
fn what_is_known_of_the_board_goes_to_the_solver_alone() {
    let mut log = running(|options| options.spec = "link:5x5".parse().unwrap());
    log.asks_hint(1);
    let drawn = GeneratedBoard::of(&log.race.options.spec, &"friday".parse().unwrap());
    let asked = |effect: &Effect| match effect {
        Effect::FindHint(question) => Some(question.known.clone()),
        _ => None,
    };
    assert_eq!(log.last.iter().find_map(asked), Some(drawn.known.clone()));
    let SolutionKnowledge::Link(known) = &drawn.known else { panic!("{drawn:?}") };
    let links = &known.solution().unwrap().0;
    log.answers();
    let told = log.effects();
    let told: Vec<String> = told.iter().flatten().map(json).collect();
    for link in links {
        let link = serde_json::to_string(link).unwrap();
        assert!(!told.iter().any(|told| told.contains(&link)), "{link}");
    }
    assert!(!format!("{drawn:?}").contains(&format!("{:?}", links[0])));
}

#[test]
fn the_price_is_added_to_the_finish_time() {
    let mut log = running(priced(10));
    log.asks_hint(1);
    log.answers();
    log.silently_at(5_000);
    log.finishes(1);
    assert_eq!(log.row(1).state, RaceState::Finished { time: Millis(12_000) });
    log.silently_at(9_000);
    log.finishes(2);
    assert_eq!(log.row(2).place, 1);
}

#[test]
fn free_hints_are_counted_and_cost_nothing() {
    let mut log = running(|options| options.hints = HintRule::Free);
    log.asks_hint(1);
    log.answers();
    assert_eq!((log.row(1).hints, log.row(1).penalty), (1, Millis(0)));
}

#[test]
fn a_player_who_follows_a_plan_needs_no_other() {
    let mut log = running(priced(1));
    log.asks_hint(1);
    let board = log.board(1);
    log.hinted(1, 1, &board);
    let play = advice(&log, 1).unwrap();
    log.plays(1, 1, play);
    log.asks_hint(1);
    assert_eq!(log.solves(), 0);
    let [ServerMessage::Hint { after, taken, .. }] = log.sent(1)[..] else { panic!() };
    assert_eq!((*after, *taken), (Seq(1), 2));
}

/// What the latest event told a player: the hint, and how much further the last move led.
fn told(log: &Log, to: u32) -> (slide::SlideHint, Option<i32>) {
    let [ServerMessage::Hint { hint, distance_change, .. }] = log.sent(to)[..] else {
        panic!("{:?}", log.last)
    };
    let Hint::Slide(hint) = hint.clone() else { panic!("{hint:?}") };
    (hint, *distance_change)
}

/// How many moves a board needs.
fn needs(board: &Board) -> u32 {
    let rated = rate(board, &SolverResources::none(), &|| true).unwrap();
    rated.unwrap().at_most
}

/// The tile that the hint would not slide, and the moves that sliding it counts.
fn another_move(board: &Board, hint: &slide::SlideHint) -> (Move, u32) {
    let shortest = |play: &Move| board.clone().play(play).unwrap().moves;
    let others = board.legal_moves().into_iter().filter(|play| {
        let mut after = board.clone();
        after.play(play).unwrap();
        needs(&after) > hint.at_most
    });
    let play = others.min_by_key(shortest).unwrap();
    let tiles = shortest(&play);
    (play, tiles)
}

#[test]
fn a_hint_says_how_many_moves_are_left_and_what_the_last_one_brought() {
    let mut log = running(priced(1));
    log.asks_hint(1);
    log.answers();
    let (hint, distance_change) = told(&log, 1);
    assert_eq!((hint.at_least, distance_change), (hint.at_most, None));
    assert_eq!(hint.at_most, needs(&log.board(1)));
    // By the hint: as many moves nearer as tiles slid.
    let tiles = log.board(1).clone().play(&Move::Slide(hint.play)).unwrap().moves;
    log.plays(1, 1, Move::Slide(hint.play));
    log.asks_hint(1);
    let (next, distance_change) = told(&log, 1);
    assert_eq!(next.at_most, hint.at_most - tiles);
    assert_eq!(distance_change, Some(-i32::try_from(tiles).unwrap()));
    assert_eq!(Some(&next.play), hint.then.first());
    // Against it: as many further.
    let (aside, tiles) = another_move(&log.board(1), &next);
    log.plays(1, 2, aside);
    log.asks_hint(1);
    log.answers();
    let (last, distance_change) = told(&log, 1);
    assert_eq!(last.at_most, next.at_most + tiles);
    assert_eq!(distance_change, Some(i32::try_from(tiles).unwrap()));
}

#[test]
fn a_player_who_moves_on_along_the_plan_is_judged_by_it() {
    let mut log = running(priced(1));
    log.moves_on(1);
    let board = log.board(1);
    log.asks_hint(1);
    let play = plan_shortest(&board).next(&board).unwrap().play(&board).unwrap();
    let tiles = board.clone().play(&play).unwrap().moves;
    log.plays(1, 2, play);
    log.answered(1, 1, (Seq(1), HintStyle::Shortest), &board, None, &SolutionKnowledge::Slide(()));
    assert_eq!(told(&log, 1).1, Some(-i32::try_from(tiles).unwrap()));
}

fn plan_shortest(board: &Board) -> Plan {
    Plan::plan(board, Aim::Shortest, HINT_BUDGET, &SolverResources::none()).unwrap()
}

#[test]
fn hints_alone_lead_to_the_end() {
    let mut log = running(priced(1));
    while log.row(1).state == RaceState::Racing {
        log.asks_hint(1);
        if log.solves() == 1 {
            let board = log.board(1);
            log.hinted(1, 1, &board);
        }
        let (seq, play) = (log.seq(1) + 1, advice(&log, 1).unwrap());
        log.plays(1, seq, play);
        assert!(log.was_accepted(1));
        assert!(seq < 1_000);
    }
}

#[test]
fn the_same_hint_in_the_other_style_costs_nothing() {
    let mut log = running(|options| {
        options.spec = "link:5x5".parse().unwrap();
        priced(10)(options);
    });
    log.asks_hint_in(1, HintStyle::Shortest).answers();
    let first = advice(&log, 1);
    log.asks_hint_in(1, HintStyle::Method).answers();
    assert!(first.is_some() && advice(&log, 1) == first);
    assert_eq!((log.row(1).hints, log.row(1).penalty), (1, Millis(10_000)));
}

#[test]
fn the_same_hint_after_a_move_costs_nothing_either() {
    let mut log = running(priced(10));
    let board = log.board(1);
    let play = plan_shortest(&board).next(&board).unwrap().play(&board).unwrap();
    log.plays(1, 1, play);
    log.asks_hint(1).answers();
    let first = told(&log, 1);
    assert!(first.1.is_some(), "{first:?}");
    for _ in 0..2 {
        log.asks_hint(1);
        assert_eq!(told(&log, 1), first);
    }
    assert_eq!((log.row(1).hints, log.row(1).penalty), (1, Millis(10_000)));
}

#[test]
fn one_hint_at_a_time() {
    let mut log = running(priced(10));
    log.asks_hint(1);
    log.asks_hint(1).refused(1, Refusal::HintPending);
    assert_eq!(log.solves(), 0);
}

#[test]
fn a_player_who_leaves_the_plan_gets_a_new_one_a_few_times() {
    let mut log = running(priced(10));
    let elsewhere = log.race.options.spec.board(&"x".parse().unwrap());
    log.asks_hint(1);
    for _ in 1..3 {
        log.hinted(1, 1, &elsewhere);
        assert_eq!(log.solves(), 1);
    }
    log.hinted(1, 1, &elsewhere).refused(1, Refusal::HintBusy);
    assert_eq!(log.row(1).hints, 0);
    log.asks_hint(1);
    assert_eq!(log.solves(), 1);
}

#[test]
fn the_solver_s_errors_are_passed_on_and_cost_nothing() {
    for (fault, refusal) in [
        (HintError::Busy, Refusal::HintBusy),
        (HintError::Unsolved(Unsolved::OverBudget), Refusal::HintUnsolved(Unsolved::OverBudget)),
    ] {
        let mut log = running(priced(10));
        log.asks_hint(1);
        log.does(Event::Hinted { by: id(1), number: 1, outcome: Err(fault) }).refused(1, refusal);
        assert_eq!(log.row(1).hints, 0);
        log.asks_hint(1);
        assert_eq!(log.solves(), 1);
    }
}

#[test]
fn hints_are_for_those_who_race_where_the_options_allow_them() {
    let mut log = Log::with(|options| options.hints = HintRule::Off);
    log.people(2);
    log.joins(3, SPECTATOR);
    log.asks_hint(1).refused(1, Refusal::WrongPhase);
    log.go();
    log.asks_hint(1).refused(1, Refusal::NoHints);
    log.asks_hint(3).refused(3, Refusal::NotSeated);
    log.gives_up(1);
    log.asks_hint(1).refused(1, Refusal::WrongPhase);
}

#[test]
fn a_hint_that_no_player_waits_for_is_ignored() {
    let mut log = running(priced(10));
    let board = log.board(1);
    log.hinted(1, 1, &board);
    assert_eq!(log.last, []);
    log.asks_hint(1);
    log.gives_up(1);
    log.hinted(1, 1, &board);
    assert!(log.sent(1).is_empty());
    assert_eq!(log.row(1).hints, 0);
}

/// Returns the stage of the hint that the latest event gave, if it is one by method.
fn stage(log: &Log, to: u32) -> Option<StageMoves> {
    told(log, to).0.stage
}

#[test]
fn a_player_chooses_the_style_of_each_hint_where_the_options_leave_it() {
    let mut log = running(priced(1));
    log.moves_on(1);
    log.asks_hint_in(1, HintStyle::Method).answers();
    assert!(stage(&log, 1).is_some());
    assert_eq!(told(&log, 1).1, None, "distances are of short ways");
    // A plan of the other style has no answer.
    log.asks_hint_in(1, HintStyle::Shortest).answers();
    assert!(stage(&log, 1).is_none());
    assert_eq!(log.row(1).hints, 2);
}

#[test]
fn a_style_that_the_host_fixed_is_every_hint_s() {
    for (styles, is_method) in [(HintStyles::Method, true), (HintStyles::Shortest, false)] {
        for chosen in [HintStyle::Shortest, HintStyle::Method] {
            let mut log = running(|options| options.hint_styles = styles);
            log.asks_hint_in(1, chosen).answers();
            assert_eq!(stage(&log, 1).is_some(), is_method);
        }
    }
}

#[test]
fn hints_by_method_go_on_along_the_stage_without_another_plan() {
    let mut log = running(|options| options.spec = "slide:4x4".parse().unwrap());
    log.asks_hint_in(1, HintStyle::Method).answers();
    let first = stage(&log, 1).unwrap();
    let play = advice(&log, 1).unwrap();
    let tiles = log.board(1).play(&play).unwrap().moves;
    log.plays(1, 1, play);
    log.asks_hint_in(1, HintStyle::Method);
    let next = stage(&log, 1).unwrap();
    assert!(next.stage != first.stage || next.moves == first.moves - tiles);
}
