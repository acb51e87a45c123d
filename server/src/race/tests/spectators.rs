use super::log::{Log, PLAYER, SPECTATOR, id};
use crate::race::spectate::{MESSAGE_WEIGHT, WAITING_WEIGHT, messages};
use crate::race::stage::Stage;
use crate::race::{Audience, Event};
use gridrace_shared::protocol::heat::PlayerBoard;
use gridrace_shared::protocol::server::{Moved, ServerMessage};
use gridrace_shared::puzzle::Board;
use gridrace_shared::time::Millis;

/// Two players, a spectator, a delay, at GO.
fn watched(delay_seconds: u16) -> Log {
    let mut log = Log::with(|options| {
        options.delay_seconds = delay_seconds;
        options.time_limit_seconds = 600;
    });
    log.people(2);
    log.joins(3, SPECTATOR);
    log.go();
    log
}

fn shown(log: &Log) -> Vec<&Vec<Moved>> {
    log.told(Audience::Spectators)
        .into_iter()
        .map(|message| match message {
            ServerMessage::Moves(moves) => moves,
            other => panic!("{other:?}"),
        })
        .collect()
}

fn board_shown(log: &Log, of: u32) -> Board {
    let Stage::Running(run) = &log.race.stage else {
        panic!()
    };
    let boards = run.delayed.boards();
    boards
        .into_iter()
        .find(|board| board.player == id(of))
        .unwrap()
        .board
}

#[test]
fn moves_are_shown_as_late_as_the_host_has_set() {
    let mut log = watched(2);
    log.silently_at(4_000);
    let play = log.board(1).legal_moves().swap_remove(0);
    log.plays(1, 1, play.clone());
    log.at(4_100);
    log.at(5_999);
    assert!(shown(&log).is_empty());
    assert_eq!(log.race.deadline(), Some(Millis(6_000)));
    log.at(6_000);
    let moved = Moved {
        player: id(1),
        at: Millis(4_000),
        play,
    };
    assert_eq!(shown(&log), [&vec![moved]]);
}

#[test]
fn moves_close_together_come_in_one_message() {
    let mut log = watched(2);
    for at in [4_000, 4_040, 4_080, 4_120] {
        log.silently_at(at);
        log.moves_on(1);
    }
    log.at(6_000);
    assert_eq!(shown(&log)[0].len(), 1);
    assert_eq!(log.race.deadline(), Some(Millis(6_100)));
    log.at(6_100);
    assert_eq!(shown(&log)[0].len(), 2);
    log.at(6_200);
    assert_eq!(shown(&log)[0].len(), 1);
}

#[test]
fn without_a_delay_moves_are_shown_at_once() {
    let mut log = watched(0);
    log.silently_at(4_000);
    log.moves_on(1);
    assert_eq!(shown(&log)[0].len(), 1);
}

#[test]
fn a_late_spectator_sees_the_delayed_boards_even_if_nobody_watched_before() {
    let mut log = Log::running(2);
    let start = log.board(1);
    log.silently_at(4_000);
    log.moves_on(1);
    let after_one = log.board(1);
    log.silently_at(5_000);
    log.moves_on(1);
    // Nobody watches: the moves set no deadline of their own.
    log.at(5_100);
    assert_eq!(log.race.deadline(), Some(Millis(63_000)));
    log.at(6_500);
    assert!(shown(&log).is_empty());
    log.joins(3, PLAYER);
    let [ServerMessage::Joined { heat, .. }] = log.sent(3)[..] else {
        panic!()
    };
    let boards = [(1, after_one), (2, start)].map(|(n, board)| PlayerBoard {
        player: id(n),
        board,
    });
    assert_eq!(heat.boards, boards);
    assert_eq!(log.race.deadline(), Some(Millis(7_000)));
    log.at(7_000);
    assert_eq!(shown(&log)[0].len(), 1);
    assert_eq!(board_shown(&log, 1), log.board(1));
}

#[test]
fn at_the_end_nothing_is_kept_back() {
    let mut log = watched(60);
    log.moves_on(1);
    log.gives_up(1);
    log.gives_up(2);
    assert_eq!(shown(&log)[0].len(), 1);
}

#[test]
fn rivals_never_see_moves() {
    let mut log = Log::running(2);
    log.silently_at(4_000);
    log.moves_on(1);
    log.at(60_000);
    log.gives_up(1);
    log.gives_up(2);
    let to_rivals = log
        .effects()
        .into_iter()
        .flatten()
        .any(|effect| match effect {
            crate::race::Effect::Broadcast { message, .. } => {
                matches!(message, ServerMessage::Moves(_))
            }
            crate::race::Effect::Send { to, message } => {
                to == id(2) && matches!(message, ServerMessage::Accepted { .. })
            }
            _ => false,
        });
    assert!(!to_rivals);
}

/// So many moves of a tile weigh as much as may wait, and as fits into a message.
const MOVES_WAITING: usize = WAITING_WEIGHT / 4;
const MOVES_A_MESSAGE: usize = MESSAGE_WEIGHT / 4;

/// Slides the blank to and fro, so often at one instant.
fn fidget(log: &mut Log, times: usize) {
    for _ in 0..times {
        log.moves_on(1);
    }
}

#[test]
fn a_player_who_outruns_the_bound_is_shown_no_further_and_never_early() {
    let mut log = watched(60);
    fidget(&mut log, MOVES_WAITING);
    let at_bound = log.board(1);
    fidget(&mut log, 1);
    assert_ne!(log.board(1), at_bound);
    log.moves_on(2);
    log.gives_up(2);
    log.does(Event::GiveUp { by: id(1) });
    let batches = shown(&log);
    assert!(batches.iter().all(|moves| moves.len() <= MOVES_A_MESSAGE));
    let moves: Vec<&Moved> = batches.into_iter().flatten().collect();
    // The rival's move is shown still.
    assert_eq!(moves.len(), MOVES_WAITING + 1);
    assert_eq!(moves.last().unwrap().player, id(2));
}

#[test]
fn whoever_outran_the_bound_stays_unshown_so_that_no_move_is_left_out() {
    let mut log = watched(60);
    fidget(&mut log, MOVES_WAITING);
    let at_bound = log.board(1);
    fidget(&mut log, 1);
    // The delay passes, and there would be room again.
    log.at(63_000 - 1);
    log.at(63_000);
    assert_eq!(log.race.phase_name(), "running");
    fidget(&mut log, 2);
    log.at(125_000);
    assert_eq!(board_shown(&log, 1), at_bound);
}

#[test]
fn long_strokes_go_out_in_messages_that_fit_a_frame() {
    let cells = (0..400).map(gridrace_shared::grid::Cell).collect();
    let stroke = gridrace_shared::numberlink::Stroke::Draw(cells);
    let moved = Moved {
        player: id(1),
        at: Millis(u64::MAX),
        play: gridrace_shared::puzzle::Move::Link(stroke),
    };
    let parted = messages(vec![moved.clone(); 100]);
    assert_eq!(parted.concat(), vec![moved; 100]);
    for moves in parted {
        let message = ServerMessage::Moves(moves);
        let json = serde_json::to_string(&message).unwrap();
        assert!(json.len() < gridrace_shared::protocol::codec::SERVER_FRAME_LIMIT / 2);
    }
}
