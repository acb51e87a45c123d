use super::solver::solution;
use super::*;
use gridrace_shared::puzzle::MoveCount;

/// A move that no board allows: there are no such cells on it.
fn nonsense() -> Move {
    Move::Slide(Cell(900))
}

#[test]
fn a_legal_move_is_accepted_with_time_and_count() {
    let mut log = Log::running(2);
    log.silently_at(3_500);
    let play = log.board(1).legal_moves().swap_remove(0);
    let count = log.board(1).play(&play).unwrap();
    log.plays(1, 1, play);
    let accepted = ServerMessage::Accepted { seq: Seq(1), at: HeatInstant(3_500), moves: count };
    assert_eq!(log.sent(1), [&accepted]);
    assert_eq!(log.row(1).moves, count);
}

#[test]
fn both_metrics_are_counted() {
    let mut log = Log::running(2);
    let mut total = MoveCount::default();
    let mut board = log.board(1);
    for play in solution(&board) {
        total += board.play(&play).unwrap();
    }
    log.finishes(1);
    assert_eq!(log.row(1).moves, total);
    assert!(total.moves >= total.acts);
}

#[test]
fn before_go_every_move_is_early() {
    let mut log = Log::lobby(2);
    log.plays(1, 1, nonsense()).rejected(1, Rejection::Early);
    log.does(Event::Start { by: id(1) });
    log.silently_at(2_999);
    log.plays(1, 1, nonsense()).rejected(1, Rejection::Early);
}

#[test]
fn a_move_at_go_is_played_even_if_the_timer_is_late() {
    let mut log = Log::lobby(2);
    log.does(Event::Start { by: id(1) });
    let play = log.race.options.spec.board(&"friday".parse().unwrap()).legal_moves().swap_remove(0);
    log.silently_at(3_000);
    log.plays(1, 1, play);
    assert!(log.was_accepted(1));
    assert!(matches!(log.phase(), Some(Phase::Running { .. })));
}

#[test]
fn an_illegal_move_leaves_its_number_free() {
    let mut log = Log::running(2);
    let before = log.board(1);
    log.plays(1, 1, nonsense());
    assert!(matches!(log.rejection(1), Some(Rejection::Illegal(_))));
    assert_eq!(log.board(1), before);
    log.moves_on(1);
    assert!(log.was_accepted(1));
}

#[test]
fn a_repeated_number_is_not_played_again() {
    let mut log = Log::running(2);
    log.moves_on(1);
    let before = log.board(1);
    log.silently_at(4_000);
    log.plays(1, 1, before.legal_moves().swap_remove(0));
    let played = log.row(1).moves;
    let acks = ServerMessage::Accepted { seq: Seq(1), at: HeatInstant(3_000), moves: played };
    assert_eq!(log.sent(1), [&acks]);
    assert_eq!((log.board(1), log.row(1).moves), (before, played));
}

/// How far the latest event told a player that they are.
fn resync(log: &Log, to: u32) -> Option<(Seq, Board)> {
    log.sent(to).into_iter().find_map(|message| match message {
        ServerMessage::Resync(seat) => Some((seat.seq, seat.board.clone())),
        _ => None,
    })
}

#[test]
fn a_gap_is_answered_with_one_resync_until_the_next_number_comes() {
    let mut log = Log::running(2);
    log.moves_on(1);
    for seq in [0, 3, u32::MAX] {
        log.plays(1, seq, nonsense());
        let told = resync(&log, 1);
        if seq == 0 {
            assert_eq!(told, Some((Seq(1), log.board(1))));
        } else {
            assert_eq!(log.sent(1).len(), 0, "{seq}");
        }
    }
    log.moves_on(1);
    assert!(log.was_accepted(1));
    log.plays(1, 4, nonsense());
    assert_eq!(resync(&log, 1), Some((Seq(2), log.board(1))));
}

#[test]
fn moves_behind_an_illegal_move_get_no_answer() {
    let mut log = Log::running(2);
    log.plays(1, 1, nonsense());
    log.plays(1, 2, nonsense());
    log.plays(1, 3, nonsense());
    assert_eq!(log.sent(1).len(), 0);
    log.moves_on(1);
    assert!(log.was_accepted(1));
}

#[test]
fn a_repeat_is_acknowledged_up_to_the_last_even_after_the_end() {
    let mut log = Log::running(2);
    log.silently_at(4_000);
    log.finishes(1);
    let (last, moves) = (Seq(log.seq(1)), log.row(1).moves);
    let acks = ServerMessage::Accepted { seq: last, at: HeatInstant(4_000), moves };
    log.silently_at(9_000);
    log.plays(1, 1, nonsense());
    assert_eq!(log.sent(1), [&acks]);
    log.plays(1, last.0 + 1, nonsense());
    assert_eq!(log.rejection(1), Some(Rejection::Late));
    log.gives_up(2);
    assert_eq!(log.race.phase_name(), "over");
    log.plays(1, 1, nonsense());
    assert_eq!(log.sent(1), [&acks]);
    log.plays(1, last.0 + 1, nonsense()).rejected(1, Rejection::Late);
}

#[test]
fn spectators_don_t_play() {
    let mut log = Log::lobby(2);
    log.joins(3, SPECTATOR);
    log.go();
    log.plays(3, 1, nonsense()).rejected(3, Rejection::NotSeated);
}

#[test]
fn the_finish_time_runs_from_go_and_is_shown_at_once() {
    let mut log = Log::running(3);
    log.silently_at(10_250);
    log.finishes(2);
    assert!(log.was_accepted(2));
    assert_eq!(log.row(2).state, RaceState::Finished { time: Millis(7_250) });
    assert_eq!(log.standings().unwrap().rows[0].player, id(2));
    log.plays(2, 1, nonsense());
    assert!(log.was_accepted(2));
}

#[test]
fn the_heat_is_over_when_all_have_finished() {
    let mut log = Log::running(2);
    log.finishes(1);
    assert_eq!(log.race.phase_name(), "running");
    log.silently_at(5_000);
    log.finishes(2);
    assert!(log.has_ended());
    assert_eq!(log.standings().unwrap().rows, log.result().standings);
    let places: Vec<u32> = log.result().standings.iter().map(|row| row.player.0).collect();
    assert_eq!(places, [1, 2]);
    assert!(log.result().standings.iter().all(|row| row.progress == 1_000));
    log.plays(1, 900, nonsense()).rejected(1, Rejection::Late);
}

#[test]
fn equal_times_rank_by_the_order_of_the_events() {
    let mut log = Log::running(3);
    log.silently_at(9_000);
    log.finishes(3);
    log.finishes(1);
    assert_eq!((log.row(3).place, log.row(1).place), (1, 2));
    assert_eq!(log.row(3).state, log.row(1).state);
}

#[test]
fn a_player_who_gives_up_is_out() {
    let mut log = Log::running(2);
    log.gives_up(1);
    assert_eq!(log.row(1).state, RaceState::Dnf);
    log.plays(1, 1, nonsense()).rejected(1, Rejection::Late);
    log.gives_up(1).refused(1, Refusal::WrongPhase);
    log.gives_up(2);
    assert_eq!(log.race.phase_name(), "over");
}

#[test]
fn only_players_of_a_running_heat_give_up() {
    let mut log = Log::lobby(2);
    log.gives_up(1).refused(1, Refusal::WrongPhase);
    log.joins(3, SPECTATOR);
    log.go();
    log.gives_up(3).refused(3, Refusal::NotSeated);
}

#[test]
fn at_the_time_limit_those_who_race_are_out_by_progress() {
    let mut log = Log::running(3);
    log.finishes(2);
    let most = solution(&log.board(3));
    for (seq, play) in (1..).zip(&most[..most.len() - 1]) {
        log.plays(3, seq, play.clone());
    }
    log.at(62_999);
    assert_eq!(log.race.phase_name(), "running");
    log.at(63_000);
    let rows: Vec<(u32, RaceState)> =
        log.result().standings.iter().map(|row| (row.player.0, row.state)).collect();
    let first = RaceState::Finished { time: Millis(0) };
    assert_eq!(rows, [(2, first), (3, RaceState::Dnf), (1, RaceState::Dnf)]);
    assert_eq!(log.race.deadline(), None);
}

#[test]
fn a_move_at_the_time_limit_is_late_even_if_the_timer_is() {
    let mut log = Log::running(2);
    let play = log.board(1).legal_moves().swap_remove(0);
    log.silently_at(63_000);
    log.plays(1, 1, play).rejected(1, Rejection::Late);
    assert!(log.has_ended());
    // The rejection comes after the end that is its reason.
    assert!(matches!(log.last.last(), Some(Effect::Send { .. })));
    let at = log.standings().unwrap().at;
    assert_eq!(at, HeatInstant(63_000));
}

#[test]
fn an_instant_before_the_last_counts_as_the_last() {
    let mut log = Log::running(2);
    log.at(9_000);
    log.silently_at(8_000);
    log.finishes(1);
    assert_eq!(log.row(1).state, RaceState::Finished { time: Millis(6_000) });
}
