use super::*;
use crate::puzzle::slide::SlideSpec;
use crate::solver::budget::HINT_BUDGET;
use proptest::prelude::*;

const AIMS: [Aim; 3] = [Aim::Plain, Aim::Short, Aim::Shortest];

fn board(rows: usize, cols: usize, seed: u32) -> Board {
    let size: SlideSpec = format!("{rows}x{cols}").parse().unwrap();
    size.board(&format!("s{seed}").parse().unwrap())
}

/// Shortest ways up to 3×3, and short ones without a long search.
fn budget(board: &Board) -> Budget {
    if board.size().cells() <= CELLS_WITHOUT_TABLES { HINT_BUDGET } else { Budget(20_000) }
}

fn plan(board: &Board, aim: Aim) -> SlidePlan {
    SlidePlan::plan(board, aim, budget(board), &Tables::none(), &mut NodesUsed::default()).unwrap()
}

fn judged(guide: SlidePlan, before: &Board) -> (SlidePlan, Option<i32>) {
    guide.judge(before, HINT_BUDGET, &Tables::none(), &mut NodesUsed::default())
}

fn play(board: &mut Board, cell: Cell) -> u32 {
    board.play(cell).unwrap().tiles.into()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn a_player_who_follows_a_plan_to_its_end_gets_home(
        rows in 2usize..6, cols in 2usize..6, seed in 0u32..1_000, aim in 0usize..3,
    ) {
        let mut board = board(rows, cols, seed);
        let mut guide = plan(&board, AIMS[aim]);
        let mut bound = u32::MAX;
        while let Some(hint) = guide.next(&board) {
            prop_assert!(bound == u32::MAX || hint.at_most == bound, "the plan is kept");
            prop_assert!(hint.at_least <= hint.at_most);
            bound = hint.at_most - play(&mut board, hint.play);
        }
        prop_assert_eq!(bound, 0);
        prop_assert!(board.is_solved());
    }

    #[test]
    fn the_moves_after_the_next_are_those_that_come(seed in 0u32..1_000) {
        let mut board = board(4, 3, seed);
        let mut guide = plan(&board, Aim::Plain);
        let first = guide.next(&board).unwrap();
        play(&mut board, first.play);
        for &ahead in &first.then {
            let next = guide.next(&board).unwrap();
            prop_assert_eq!(next.play, ahead);
            play(&mut board, next.play);
        }
        prop_assert!(first.then.len() == MOVES_AHEAD || board.is_solved());
    }

    #[test]
    fn only_boards_ahead_on_the_way_have_a_hint(seed in 0u32..1_000) {
        let start = board(4, 4, seed);
        let mut guide = plan(&start, Aim::Plain);
        let fresh = guide.clone();
        let first = guide.next(&start).unwrap();
        let mut ahead = start.clone();
        play(&mut ahead, first.play);
        prop_assert_eq!(fresh.clone().next(&ahead), guide.next(&ahead));
        prop_assert_eq!(guide.next(&start), None);
        let aside = start.legal_moves().find(|&cell| {
            start.slide_of(cell).unwrap().1 != *fresh.ahead.last().unwrap()
        });
        if let Some(cell) = aside {
            let mut off = start.clone();
            off.play(cell).unwrap();
            // The way may come by later on, but never backwards.
            let hint = fresh.clone().next(&off);
            prop_assert!(hint.is_none_or(|hint| hint.at_most < first.at_most));
        }
    }

    #[test]
    fn with_shortest_ways_each_move_is_nearer_or_further_by_its_tiles_at_most(
        seed in 0u32..1_000, which in 0usize..4,
    ) {
        let before = board(3, 3, seed);
        let cells: Vec<_> = before.legal_moves().collect();
        let mut now = before.clone();
        let tiles = now.play(cells[which % cells.len()]).unwrap().tiles;
        let (old, new) = (plan(&before, Aim::Shortest), plan(&now, Aim::Shortest));
        prop_assert!(old.is_shortest() && new.is_shortest());
        let change = i64::from(count(new.ahead.len())) - i64::from(count(old.ahead.len()));
        let (kept, further) = judged(new.clone(), &before);
        prop_assert_eq!(kept, new);
        prop_assert_eq!(further.map(i64::from), Some(change));
        prop_assert!(change.unsigned_abs() <= u64::from(tiles));
    }

    #[test]
    fn no_move_makes_the_way_longer_than_going_back(seed in 0u32..1_000, which in 0usize..6) {
        let before = board(4, 5, seed);
        let cells: Vec<_> = before.legal_moves().collect();
        let mut now = before.clone();
        let tiles = i32::from(now.play(cells[which % cells.len()]).unwrap().tiles);
        let (mut new, further) = judged(plan(&now, Aim::Plain), &before);
        let further = further.unwrap();
        prop_assert!(further.abs() <= tiles && (further - tiles) % 2 == 0, "{}", further);
        while let Some(hint) = new.next(&now) {
            play(&mut now, hint.play);
        }
        prop_assert!(now.is_solved());
    }
}

fn by_method(board: &Board) -> SlidePlan {
    SlidePlan::by_method(board, HINT_BUDGET, &mut NodesUsed::default()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    /// A player who takes every hint by method, and now and then another move. A server plans anew
    /// where its plan doesn't lead on, and, where it lost the plan, at every hint.
    #[test]
    fn hints_by_method_lead_home_also_from_beside_the_way(
        rows in 2usize..7, cols in 2usize..7, seed in 0u32..1_000,
        is_forgetful in any::<bool>(),
        strays in prop::collection::vec((0u32..400, 0usize..8), 0..6),
    ) {
        let mut board = board(rows, cols, seed);
        let mut guide = by_method(&board);
        let (mut played, mut asked) = (0, 0);
        let mut strays = strays;
        while !board.is_solved() {
            asked += 1;
            prop_assert!(asked < 40 * (rows * cols) as u32 * (rows + cols) as u32, "{}", board);
            if let Some(at) = strays.iter().position(|(at, _)| *at <= played) {
                let (_, which) = strays.remove(at);
                let cells: Vec<_> = board.legal_moves().collect();
                played += play(&mut board, cells[which % cells.len()]);
                continue;
            }
            if is_forgetful {
                guide = by_method(&board);
            }
            let Some(hint) = guide.next(&board) else {
                guide = by_method(&board);
                continue;
            };
            let stage = hint.stage.unwrap();
            let tiles = play(&mut board, hint.play);
            prop_assert!(tiles <= stage.moves, "no move leads beyond its stage");
            played += tiles;
        }
        let done = guide.next(&board);
        prop_assert!(done.is_none());
    }

    #[test]
    fn a_stage_ends_where_its_hints_say(rows in 2usize..6, cols in 2usize..6, seed in 0u32..1_000) {
        let mut board = board(rows, cols, seed);
        let mut guide = by_method(&board);
        let mut before: Option<StageMoves> = None;
        while let Some(hint) = guide.next(&board) {
            let stage = hint.stage.unwrap();
            if let Some(left) = before.filter(|left| left.moves > 0) {
                prop_assert_eq!(left, stage);
            }
            let mut ahead = board.clone();
            let shown = std::iter::once(&hint.play).chain(&hint.then);
            let shown: u32 = shown.map(|&cell| play(&mut ahead, cell)).sum();
            prop_assert!(shown <= stage.moves);
            let tiles = play(&mut board, hint.play);
            before = Some(StageMoves { moves: stage.moves - tiles, ..stage });
        }
        prop_assert!(board.is_solved() && before.is_some_and(|stage| stage.moves == 0));
    }
}

#[test]
fn a_plan_of_a_solved_board_has_no_hint() {
    let solved = Board::solved("3x3".parse().unwrap());
    let mut guide = plan(&solved, Aim::Shortest);
    assert_eq!(guide.next(&solved), None);
    assert_eq!(guide.remaining(&solved), Some(0));
}

#[test]
fn boards_that_no_move_connects_are_not_compared() {
    let (one, other) = (board(3, 3, 1), board(3, 3, 2));
    let one = plan(&one, Aim::Plain);
    assert_eq!(judged(one.clone(), &other), (one, None));
}
