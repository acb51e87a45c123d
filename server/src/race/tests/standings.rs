use super::*;

#[test]
fn each_change_is_reported_at_once() {
    let mut log = Log::running(2);
    for (at, player, acts) in [(3_010, 1, [1, 0]), (3_020, 2, [1, 1])] {
        log.silently_at(at);
        log.moves_on(player);
        let shown = log.standings().unwrap();
        assert_eq!(shown.at, HeatInstant(at));
        let mut rows: Vec<_> = shown.rows.iter().map(|row| (row.player, row.moves.acts)).collect();
        rows.sort();
        assert_eq!(rows, [(id(1), acts[0]), (id(2), acts[1])]);
    }
    assert_eq!(log.race.deadline(), Some(HeatInstant(63_000)));
}

#[test]
fn nothing_new_is_not_shown_again() {
    let mut log = Log::running(2);
    log.at(5_000);
    assert_eq!(log.last, []);
}

#[test]
fn a_lost_connection_shows_in_roster_and_standings() {
    let mut log = Log::running(2);
    log.silently_at(5_000);
    log.is_lost(2);
    let row = log.standings().unwrap().rows.iter().find(|row| row.player == id(2)).unwrap();
    assert!(!row.connected);
    assert!(!log.member(2).unwrap().connected);
}

#[test]
fn progress_goes_down_with_the_board_and_counts_as_later() {
    let mut log = Log::running(2);
    let moves = super::solver::solution(&log.board(1));
    let almost = &moves[..moves.len() - 1];
    for (seq, play) in (1..).zip(almost) {
        log.plays(2, seq, play.clone());
        log.plays(1, seq, play.clone());
    }
    let before = log.row(2).progress;
    assert_eq!(log.row(2).place, 1);
    // Away from the goal: not the move that solves.
    let wrong = log.board(2).legal_moves().into_iter().find(|play| {
        let mut next = log.board(2);
        next.play(play).unwrap();
        next.progress(&log.race.options.spec.board(&"friday".parse().unwrap())) < before
    });
    let blank_before = log.board(2);
    log.plays(2, log.seq(2) + 1, wrong.unwrap());
    assert!(log.row(2).progress < before);
    let back = log.board(2).legal_moves().into_iter().find(|play| {
        let mut next = log.board(2);
        next.play(play).is_ok() && next == blank_before
    });
    log.plays(2, log.seq(2) + 1, back.unwrap());
    assert_eq!(log.row(2).progress, before);
    assert_eq!((log.row(1).place, log.row(2).place), (1, 2));
}
