use super::*;
use gridrace_shared::puzzle::Efficiency;

fn rated(log: &mut Log, number: u32, best: MoveBounds) {
    log.does(Event::Rated { number, best });
}

/// What the latest event told everybody of the board.
fn told(log: &Log) -> Option<(u32, MoveBounds)> {
    log.told(Audience::All).into_iter().find_map(|message| match message {
        ServerMessage::Rated { number, best } => Some((*number, *best)),
        _ => None,
    })
}

#[test]
fn at_go_the_board_goes_out_to_be_rated() {
    let mut log = Log::lobby(2);
    log.go();
    let board = log.board(1);
    let spec = log.race.options.spec;
    let rate = Effect::RateBoard { number: 1, spec, board };
    assert_eq!(log.last.iter().filter(|&effect| *effect == rate).count(), 1);
}

#[test]
fn the_rating_is_in_the_result_and_in_no_message_before() {
    let mut log = Log::running(2);
    rated(&mut log, 1, MoveBounds::of(3, 3));
    assert_eq!(log.last, []);
    log.joins(3, SPECTATOR);
    log.joins(4, PLAYER);
    log.gives_up(1);
    log.finishes(2);
    let Some(Phase::Over(result)) = log.phase() else { panic!("{:?}", log.last) };
    assert_eq!(result.best, Some(MoveBounds::of(3, 3)));
    let [first, last] = &result.standings[..] else { panic!("{result:?}") };
    let times = MoveBounds::of(3, 3).efficiency(first);
    assert_eq!(times, Some(Efficiency((first.moves.moves * 100).div_ceil(3))));
    assert_eq!(MoveBounds::of(3, 3).efficiency(last), None);
}

#[test]
fn a_rating_after_the_end_is_sent_once_and_in_the_snapshot() {
    let mut log = Log::running(1);
    log.finishes(1);
    assert_eq!(log.result().best, None);
    rated(&mut log, 1, MoveBounds::of(2, 4));
    assert_eq!(told(&log), Some((1, MoveBounds::of(2, 4))));
    rated(&mut log, 1, MoveBounds::of(2, 4));
    assert_eq!(log.last, []);
    log.joins(2, PLAYER);
    let heat = log.snapshot(2);
    let Phase::Over(result) = &heat.phase else { panic!("{heat:?}") };
    assert_eq!(result.best, Some(MoveBounds::of(2, 4)));
}

#[test]
fn a_player_s_own_solution_may_be_the_best_known() {
    let mut log = Log::running(1);
    log.finishes(1);
    let moves = log.result().standings[0].moves.moves;
    rated(&mut log, 1, MoveBounds::of(1, moves + 10));
    assert_eq!(told(&log), Some((1, MoveBounds::of(1, moves))));
}

#[test]
fn a_rating_is_awaited_from_go_to_the_rematch() {
    let mut log = Log::lobby(1);
    assert!(!log.race.awaits_rating(1));
    log.go();
    assert!(log.race.awaits_rating(1) && !log.race.awaits_rating(2));
    log.gives_up(1);
    assert!(log.race.awaits_rating(1));
    log.rematches(1);
    assert!(!log.race.awaits_rating(1) && !log.race.awaits_rating(2));
    log.go();
    assert!(!log.race.awaits_rating(1) && log.race.awaits_rating(2));
}

#[test]
fn a_rating_of_an_earlier_heat_is_ignored() {
    let mut log = Log::running(1);
    log.gives_up(1);
    log.rematches(1);
    rated(&mut log, 1, MoveBounds::of(3, 3));
    assert_eq!(log.last, []);
    log.go();
    rated(&mut log, 1, MoveBounds::of(3, 3));
    log.gives_up(1);
    assert_eq!(log.result().best, None);
    rated(&mut log, 2, MoveBounds::of(5, 5));
    assert_eq!(told(&log), Some((2, MoveBounds::of(5, 5))));
}

#[test]
fn the_solver_is_prepared_for_hints_and_bots_alone() {
    let prepares = |change: &mut dyn FnMut(&mut Log)| {
        let mut log = Log::with(|options| options.hints = HintRule::Off);
        log.joins(1, PLAYER);
        change(&mut log);
        log.does(Event::Start { by: id(1) });
        log.last.iter().any(|effect| matches!(effect, Effect::PrepareSolver { .. }))
    };
    assert!(!prepares(&mut |_| ()));
    assert!(prepares(&mut |log| {
        log.does(Event::AddBot { by: Some(id(1)), id: id(2), skill: Skill::Steady });
    }));
}
