use super::*;
use crate::race::spectator_feed::{MESSAGE_WEIGHT, WAITING_WEIGHT, fits_message};
use gridrace_shared::heat::standings::Standings;
use gridrace_shared::protocol::codec::SERVER_FRAME_LIMIT;
use gridrace_shared::puzzle::numberlink::{Drawing, Puzzle, Touch};
use gridrace_shared::util::grid::Size;

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
    log.told(Audience::Watchers)
        .into_iter()
        .map(|message| match message {
            ServerMessage::Moves(moves) => moves,
            other => panic!("{other:?}"),
        })
        .collect()
}

fn board_shown(log: &Log, of: u32) -> Board {
    let RacePhase::Running(run) = &log.race.phase else { panic!() };
    let boards = run.feed.boards();
    boards.into_iter().find(|board| board.player == id(of)).unwrap().board
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
    assert_eq!(log.race.deadline(), Some(HeatInstant(6_000)));
    log.at(6_000);
    let moved = Moved { player: id(1), at: HeatInstant(4_000), play };
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
    assert_eq!(log.race.deadline(), Some(HeatInstant(6_100)));
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
fn a_late_spectator_gets_the_delayed_boards_even_as_the_first() {
    let mut log = Log::running(2);
    let start = log.board(1);
    log.silently_at(4_000);
    log.moves_on(1);
    let after_one = log.board(1);
    log.silently_at(5_000);
    log.moves_on(1);
    // Without spectators the moves set no deadline.
    log.at(5_100);
    assert_eq!(log.race.deadline(), Some(HeatInstant(63_000)));
    log.at(6_500);
    assert!(shown(&log).is_empty());
    log.joins(3, PLAYER);
    let heat = log.snapshot(3);
    let boards =
        [(1, after_one), (2, start)].map(|(n, board)| PlayerBoard { player: id(n), board });
    assert_eq!(heat.boards, boards);
    assert_eq!(log.race.deadline(), Some(HeatInstant(7_000)));
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
    let to_rivals = log.effects().into_iter().flatten().any(|effect| match effect {
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

fn delayed(log: &Log) -> Option<&Standings> {
    log.last.iter().rev().find_map(|effect| match effect {
        crate::race::Effect::DelayedStandings(standings) => Some(standings),
        _ => None,
    })
}

#[test]
fn times_and_places_come_as_late_as_the_boards() {
    let mut log = watched(2);
    log.silently_at(4_000);
    log.finishes(2);
    assert!(delayed(&log).is_none());
    assert!(matches!(log.row(2).state, RaceState::Finished { .. }));
    log.joins(4, SPECTATOR);
    let rows = &log.snapshot(4).standings.as_ref().unwrap().rows;
    assert!(
        rows.iter().all(|row| row.state == RaceState::Racing && row.moves.moves == 0),
        "{rows:?}"
    );
    // A player who comes back sees the standings as they are.
    log.is_lost(1);
    log.resumes(1, 0);
    assert_eq!(log.snapshot(1).standings.as_ref().unwrap().rows[0], log.row(2));
    log.at(5_999);
    assert!(delayed(&log).is_none());
    log.at(6_000);
    let shown = delayed(&log).unwrap();
    assert_eq!(shown.at, HeatInstant(4_000));
    assert_eq!(shown.rows[0], log.row(2));
}

#[test]
fn of_rows_close_together_spectators_see_the_latest_and_no_earlier() {
    let mut log = watched(2);
    for at in [4_010, 4_050, 4_090] {
        log.silently_at(at);
        log.moves_on(1);
    }
    log.at(6_080);
    let moves = |log: &Log| {
        delayed(log)
            .map(|shown| shown.rows.iter().find(|row| row.player == id(1)).unwrap().moves.moves)
    };
    assert_eq!(moves(&log), None);
    log.at(6_190);
    assert_eq!(moves(&log), Some(3));
}

#[test]
fn at_the_end_spectators_see_the_final_standings() {
    let mut log = watched(60);
    log.finishes(2);
    log.gives_up(1);
    assert_eq!(delayed(&log).unwrap().rows, log.result().standings);
}

/// Two people and a bot, whose options let finishers watch.
fn watched_by_finishers() -> Log {
    let mut log = Log::with(|options| {
        options.time_limit_seconds = 600;
        options.finishers_watch = true;
    });
    log.people(2);
    log.enters(3, "Robot", true, PLAYER);
    log.joins(4, PLAYER);
    log.go();
    log
}

fn boards_sent(log: &Log, to: u32) -> usize {
    let boards = |message: &&ServerMessage| matches!(message, ServerMessage::Boards(_));
    log.sent(to).into_iter().filter(boards).count()
}

#[test]
fn a_finisher_watches_the_others_as_late_as_spectators_and_one_who_races_doesn_t() {
    let mut log = watched_by_finishers();
    let start = log.board(4);
    log.silently_at(4_000);
    log.moves_on(4);
    assert!(shown(&log).is_empty());
    log.finishes(1);
    let [ServerMessage::Accepted { .. }, ServerMessage::Boards(boards)] = log.sent(1)[..] else {
        panic!("{:?}", log.sent(1))
    };
    assert!(boards.iter().all(|shown| shown.board == start), "the delay");
    let watch: Vec<bool> = (1..=4).map(|n| log.race.may_watch(id(n))).collect();
    assert_eq!(watch, [true, false, false, false]);
    assert_eq!(log.race.deadline(), Some(HeatInstant(6_000)));
    log.at(6_000);
    assert!(!shown(&log).is_empty());
    // So does one who gave up; and one who comes back has them in the snapshot.
    log.gives_up(2);
    assert_eq!(boards_sent(&log, 2), 1);
    log.is_lost(2);
    log.resumes(2, 0);
    assert_eq!(log.snapshot(2).boards.len(), 4);
    // A bot has no eyes.
    log.finishes(3);
    assert_eq!(boards_sent(&log, 3), 0);
}

#[test]
fn finishers_see_nothing_where_the_host_doesn_t_let_them() {
    let mut log = Log::running(2);
    log.finishes(1);
    assert_eq!(boards_sent(&log, 1), 0);
    assert!(!log.race.may_watch(id(1)));
}

#[test]
fn a_spectator_at_the_address_of_one_who_races_watches_after_that_race() {
    let from = |last: u8| Some([192, 0, 2, last].into());
    let mut log = Log::with(|options| options.finishers_watch = true);
    let mut enters = |number: u32, role, address| {
        let name = format!("Person {number}").parse().unwrap();
        let newcomer = Newcomer { role, address, ..Newcomer::person(name) };
        log.does(Event::Join { id: id(number), newcomer, token: token(number, 0) });
    };
    enters(1, PLAYER, from(1));
    enters(2, PLAYER, from(1));
    enters(3, PLAYER, from(2));
    enters(4, SPECTATOR, from(1));
    enters(5, SPECTATOR, from(3));
    // Of a machine whose address many may share nothing is known.
    enters(6, SPECTATOR, None);
    log.go();
    let watch = |log: &Log| (1..=6).map(|n| log.race.may_watch(id(n))).collect::<Vec<_>>();
    assert_eq!(watch(&log), [false, false, false, false, true, true]);
    log.finishes(1);
    // Friends behind one router watch once they have finished.
    assert_eq!(watch(&log), [true, false, false, false, true, true]);
    log.finishes(2);
    assert_eq!(boards_sent(&log, 4), 1);
    assert_eq!(watch(&log), [true, true, false, true, true, true]);
}

#[test]
fn the_address_that_counts_is_the_one_of_the_present_connection() {
    let from = |last: u8| Some([192, 0, 2, last].into());
    let mut log = Log::new();
    for (number, role) in [(1, PLAYER), (2, SPECTATOR), (3, SPECTATOR)] {
        let name = format!("Person {number}").parse().unwrap();
        let address = from(if number == 3 { 2 } else { 1 });
        let newcomer = Newcomer { role, address, ..Newcomer::person(name) };
        log.does(Event::Join { id: id(number), newcomer, token: token(number, 0) });
    }
    log.go();
    let watch = |log: &Log| [2, 3].map(|n| log.race.may_watch(id(n)));
    assert_eq!(watch(&log), [false, true]);
    log.is_lost(1);
    assert_eq!(watch(&log), [false, true], "until the player is somewhere else");
    log.does(Event::AddressChanged { member: id(1), address: from(2) });
    assert_eq!((boards_sent(&log, 2), boards_sent(&log, 3)), (1, 0));
    log.resumes(1, 0);
    assert_eq!(watch(&log), [true, false]);
    // A spectator who comes back beside the player doesn't see the boards in the snapshot.
    log.is_lost(2);
    log.does(Event::AddressChanged { member: id(2), address: from(2) });
    log.resumes(2, 0);
    assert!(log.snapshot(2).boards.is_empty());
}

#[test]
fn one_who_gave_up_watches_once_no_player_races_at_the_same_address() {
    let mut log = Log::with(|options| options.finishers_watch = true);
    for number in 1..=3 {
        let name = format!("Person {number}").parse().unwrap();
        let address = Some([192, 0, 2, u8::from(number == 3)].into());
        let newcomer = Newcomer { address, ..Newcomer::person(name) };
        log.does(Event::Join { id: id(number), newcomer, token: token(number, 0) });
    }
    log.go();
    log.gives_up(1);
    assert!(!log.race.may_watch(id(1)));
    log.finishes(2);
    assert!(log.race.may_watch(id(1)) && log.race.may_watch(id(2)));
    assert_eq!(boards_sent(&log, 1), 1);
}

/// This many moves of a tile weigh as much as may wait, and as fits into a message.
const MOVES_WAITING: usize = WAITING_WEIGHT / 4;
const MOVES_A_MESSAGE: usize = MESSAGE_WEIGHT / 4;

/// Slides the blank to and fro, all at one instant.
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
    let rival = log.board(2);
    log.gives_up(2);
    log.gives_up(1);
    // The rival's move is shown still.
    let last = [(1, at_bound), (2, rival)].map(|(n, board)| PlayerBoard { player: id(n), board });
    assert_eq!(log.told(Audience::Watchers), [&ServerMessage::Boards(last.into())]);
}

#[test]
fn the_last_moves_come_in_one_message_or_as_the_boards_that_they_lead_to() {
    for more in [0, 1] {
        let mut log = watched(60);
        fidget(&mut log, MOVES_A_MESSAGE + more);
        let board = log.board(1);
        log.gives_up(1);
        log.gives_up(2);
        match log.told(Audience::Watchers)[..] {
            [ServerMessage::Moves(moves)] => assert_eq!((moves.len(), more), (MOVES_A_MESSAGE, 0)),
            [ServerMessage::Boards(boards)] => assert_eq!((&boards[0].board, more), (&board, 1)),
            ref other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_spectator_who_watches_only_the_end_gets_the_boards_once() {
    for moves in [1, MOVES_A_MESSAGE + 1] {
        let mut log = Log::with(|options| options.delay_seconds = 60);
        for (number, role) in [(1, PLAYER), (2, PLAYER), (3, SPECTATOR)] {
            let name = format!("Person {number}").parse().unwrap();
            let address = Some([192, 0, 2, 1].into());
            let newcomer = Newcomer { role, address, ..Newcomer::person(name) };
            log.does(Event::Join { id: id(number), newcomer, token: token(number, 0) });
        }
        log.go();
        fidget(&mut log, moves);
        log.does(Event::EndHeat { by: id(1) });
        let boards = log.told(Audience::Watchers).into_iter().chain(log.sent(3));
        let boards = boards.filter(|message| matches!(message, ServerMessage::Boards(_)));
        assert_eq!(boards.count(), 1, "{moves}");
    }
}

#[test]
fn a_player_who_outran_the_bound_stays_unshown_so_that_no_move_is_left_out() {
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

/// A Numberlink of the largest size, and the strokes after which its history is as long in
/// JSON as it may be: all that it weighs is links that lost a cell each.
fn heaviest() -> (Board, Vec<Stroke>) {
    let size: Size = "20x20".parse().unwrap();
    let cell = |row: u16, col: u16| Cell(20 * row + col);
    let pair = |n: u16| [(n, cell(0, n % 20)), (n, cell(19, n % 20))];
    let terminals: Vec<_> = (1..=20).flat_map(pair).collect();
    let puzzle = Puzzle::new(size, &terminals, &[], Touch::Free).unwrap();
    let column = |n: u16| Stroke::Draw((0..19).map(|row| cell(row, n)).collect());
    // Down to a row, and along it: every column loses what it has from there on.
    let sweep = |row: u16| {
        let down = (0..row).map(|row| cell(row, 0));
        Stroke::Draw(down.chain((0..20).map(|col| cell(row, col))).collect())
    };
    let columns = (1..20).map(column);
    let sweeps = (14..19).rev().map(sweep);
    let strokes = columns.chain(sweeps).collect();
    (Board::Link(Drawing::new(puzzle)), strokes)
}

#[test]
fn the_boards_of_as_many_as_may_race_with_the_longest_histories_fit_a_frame() {
    let players = u32::try_from(MAX_PLAYERS).unwrap();
    let mut log = Log::with(|options| {
        options.spec = "link:20x20".parse().unwrap();
        options.delay_seconds = 0;
    });
    log.draws_at_once = false;
    log.people(players);
    log.does(Event::Start { by: id(1) });
    let (board, strokes) = heaviest();
    log.does(Event::Drawn { ticket: 1, outcome: Ok(board.into()) });
    log.at(3_000);
    for player in 1..=players {
        for stroke in &strokes {
            let seq = log.seq(player) + 1;
            log.plays(player, seq, Move::Link(stroke.clone()));
            assert!(log.was_accepted(player));
        }
        // ShownBoard before the next one's.
        log.at(3_000 + 100 * u64::from(player));
    }
    let Board::Link(drawing) = log.board(1) else { panic!() };
    // Three sweeps, each of which cut nineteen links and took back its own way.
    assert_eq!(drawing.undos(), 3);
    log.joins(players + 1, SPECTATOR);
    let [joined @ ServerMessage::Joined { room, .. }] = log.sent(players + 1)[..] else { panic!() };
    assert_eq!(room.boards.len(), MAX_PLAYERS);
    let is_shown = |shown: &PlayerBoard| shown.board == log.board(shown.player.0);
    assert!(room.boards.iter().all(is_shown));
    let bytes = serde_json::to_string(joined).unwrap().len();
    assert!(bytes < SERVER_FRAME_LIMIT * 3 / 4, "{bytes}");
}

#[test]
fn as_many_long_strokes_as_fit_a_message_fit_a_frame() {
    let cells = (0..400).map(Cell).collect();
    let stroke = Stroke::Draw(cells);
    let moved = Moved { player: id(1), at: HeatInstant(u64::MAX), play: Move::Link(stroke) };
    let mut moves = vec![moved.clone()];
    while fits_message(&moves) {
        moves.push(moved.clone());
    }
    assert!(moves.len() > 1, "one always fits");
    let json = serde_json::to_string(&ServerMessage::Moves(moves)).unwrap();
    assert!(json.len() < SERVER_FRAME_LIMIT / 2);
}
