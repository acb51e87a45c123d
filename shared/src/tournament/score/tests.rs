use super::*;
use crate::tournament::points::CustomPoints;
use crate::tournament::rank::{Ranked, rank};
use crate::tournament::tie_break::TieBreak;

const D: i64 = -1;

/// Makes a result of times in milliseconds; `D` less n is a DNF with a progress of n, 0 a DNS.
fn board(times: &[i64]) -> Option<BoardResult> {
    let outcome = |time: i64| match time {
        0 => BoardOutcome::Dns,
        1.. => BoardOutcome::Finished { time: Millis(time as u64) },
        _ => BoardOutcome::Dnf { progress: (D - time) as u16 },
    };
    let mut rows: Vec<(EntrantId, BoardOutcome)> =
        (0..).map(EntrantId).zip(times.iter().map(|&time| outcome(time))).collect();
    rows.sort_by_key(|(_, outcome)| outcome.order());
    Some(BoardResult { rows })
}

fn records(rule: &ScoreRule, boards: &[Option<BoardResult>]) -> Vec<EntrantRecord> {
    let last = boards.iter().flatten().flat_map(|it| &it.rows).map(|(entrant, _)| entrant.0).max();
    let seats: Vec<EntrantId> = (0..=last.unwrap_or(0)).map(EntrantId).collect();
    let table = RacedTable { number: 0, seats: &seats, results: boards, void: 0 };
    score_round(rule, boards.len() as u8, 0, &[table], true)
}

fn scores(rule: &ScoreRule, boards: &[Option<BoardResult>]) -> Vec<Score> {
    records(rule, boards).into_iter().map(|record| record.score).collect()
}

fn ranked(rule: &ScoreRule, boards: &[Option<BoardResult>]) -> Vec<(u32, u16)> {
    let records = records(rule, boards);
    let seeds: Vec<EntrantId> = records.iter().map(|record| record.entrant).collect();
    let rows = rank(&records, &rule.default_tie_breaks(), &seeds);
    rows.iter().map(|Ranked { entrant, place, .. }| (entrant.0, *place)).collect()
}

#[test]
fn points_of_formula_1_add_up_and_a_dnf_scores_nothing() {
    let rule = ScoreRule::Points(PointsTable::F1);
    let boards = [board(&[100, 200, 300]), board(&[300, 100, D - 900])];
    assert_eq!(scores(&rule, &boards), [25 + 18, 18 + 25, 15].map(Score::Points));
}

#[test]
fn equal_points_go_by_the_most_firsts_then_seconds_as_in_formula_1() {
    let points = CustomPoints::new(vec![5, 3, 2, 1]).unwrap();
    let rule = ScoreRule::Points(PointsTable::Custom(points));
    // 3+2+2, 5+1+1 and 1+3+3: seven each; 1 has a first place, 3 two second ones, 0 one.
    let boards =
        [board(&[200, 100, 300, 400]), board(&[300, 400, 100, 200]), board(&[300, 400, 100, 200])];
    assert_eq!(scores(&rule, &boards), [7, 7, 12, 7].map(Score::Points));
    let order: Vec<u32> = ranked(&rule, &boards).into_iter().map(|(entrant, _)| entrant).collect();
    assert_eq!(order, [2, 1, 3, 0]);
}

#[test]
fn an_average_of_five_is_the_association_s_and_ties_go_by_the_best_single() {
    // Entrant 0: 5.97 5.32 7.97 5.64 6.15 makes 5.92. Entrant 1 has a DNF, which is the worst; 2 has two.
    // Entrant 3 has the average of 0 and a better single.
    let boards = [
        board(&[5_970, 9_000, 9_000, 5_970]),
        board(&[5_320, 8_000, 8_000, 5_000]),
        board(&[7_970, D, D, 7_970]),
        board(&[5_640, 10_000, D, 5_640]),
        board(&[6_150, 11_000, 7_000, 6_150]),
    ];
    let time = |millis| Score::Time(Some(Millis(millis)));
    let rule = ScoreRule::Average;
    assert_eq!(scores(&rule, &boards), [time(5_920), time(10_000), Score::Time(None), time(5_920)]);
    assert_eq!(ranked(&rule, &boards), [(3, 1), (0, 2), (1, 3), (2, 4)]);
}

#[test]
fn times_are_cut_to_hundredths_before_averages_and_bests_are_compared() {
    let boards = [board(&[5_009, 5_001]), board(&[6_000, 6_000]), board(&[7_000, 7_000])];
    assert_eq!(ranked(&ScoreRule::Mean, &boards), [(0, 1), (1, 1)]);
}

#[test]
fn of_a_sum_one_board_unfinished_makes_a_dnf_that_ranks_by_what_was_finished() {
    let boards = [board(&[100, 50, D - 10, D - 500]), board(&[100, 60, 70, D - 500])];
    let rule = ScoreRule::Sum;
    let time = |millis| Score::Time(Some(Millis(millis)));
    assert_eq!(
        scores(&rule, &boards),
        [time(200), time(110), Score::Time(None), Score::Time(None)]
    );
    assert_eq!(ranked(&rule, &boards), [(1, 1), (0, 2), (2, 3), (3, 4)]);
}

#[test]
fn places_add_up_and_who_does_not_finish_is_one_behind_the_last_seat() {
    let boards = [board(&[100, 200, D - 900, D - 100])];
    let rule = ScoreRule::Place;
    assert_eq!(scores(&rule, &boards), [1, 2, 5, 5].map(Score::Places));
    // Progress ranks them all the same.
    assert_eq!(ranked(&rule, &boards), [(0, 1), (1, 2), (2, 3), (3, 4)]);
}

#[test]
fn a_match_is_won_by_more_boards_and_ends_when_it_can_t_turn() {
    let rule = ScoreRule::BestOf;
    let won = |first: bool| if first { board(&[1, 2]) } else { board(&[2, 1]) };
    let decided = |boards: &[Option<BoardResult>]| {
        let seats = [EntrantId(0), EntrantId(1)];
        is_decided(&rule, &RacedTable { number: 0, seats: &seats, results: boards, void: 0 })
    };
    let open = [won(true), None, None];
    assert!(!decided(&open));
    assert_eq!(scores(&rule, &open), [0, 0].map(Score::Points));
    let early = [won(true), won(true), None];
    assert!(decided(&early));
    assert_eq!(scores(&rule, &early), [2, 0].map(Score::Points));
    assert!(!decided(&[won(true), won(false), None]));
    // A board that neither finishes is won by neither.
    let drawn = [won(true), won(false), board(&[D - 5, D - 4])];
    assert!(decided(&drawn));
    assert_eq!(scores(&rule, &drawn), [1, 1].map(Score::Points));
    let nothing = [board(&[D - 5, D - 4]), board(&[D - 5, D - 4]), board(&[0, 0])];
    assert_eq!(scores(&rule, &nothing), [0, 0].map(Score::Points));
    assert_eq!(ranked(&rule, &nothing), [(0, 1), (1, 2)]);
}

#[test]
fn who_did_not_start_ranks_behind_all_who_did() {
    let boards = [board(&[0, D, 100]), board(&[0, 0, 0])];
    for rule in [ScoreRule::Points(PointsTable::Linear), ScoreRule::Place, ScoreRule::Sum] {
        assert_eq!(ranked(&rule, &boards), [(2, 1), (1, 2), (0, 3)], "{rule:?}");
    }
}

#[test]
fn at_one_table_equal_times_go_by_the_heat_and_at_two_they_share_the_place() {
    let finished = |id| (EntrantId(id), BoardOutcome::Finished { time: Millis(7) });
    let first = [Some(BoardResult { rows: vec![finished(1), finished(0)] })];
    let second = [Some(BoardResult { rows: vec![finished(2)] })];
    let (seats, other) = ([EntrantId(0), EntrantId(1)], [EntrantId(2), EntrantId(3)]);
    let tables = [
        RacedTable { number: 0, seats: &seats, results: &first, void: 0 },
        RacedTable { number: 1, seats: &other, results: &second, void: 0 },
    ];
    let places = |together| -> Vec<u16> {
        let records = score_round(&ScoreRule::Place, 1, 0, &tables, together);
        records.iter().map(|record| record.boards[0].place).collect()
    };
    assert_eq!(places(true), [2, 1, 1, 4]);
    assert_eq!(places(false), [2, 1, 1, 2]);
}

#[test]
fn linear_points_of_a_smaller_table_are_those_of_the_largest() {
    let result = |ids: &[u32]| {
        let row = |&id: &u32| (EntrantId(id), BoardOutcome::Finished { time: Millis(id.into()) });
        [Some(BoardResult { rows: ids.iter().map(row).collect() })]
    };
    let (three, two) = ([1, 2, 3].map(EntrantId), [4, 5].map(EntrantId));
    let (of_three, of_two) = (result(&[1, 2, 3]), result(&[4, 5]));
    let tables = [
        RacedTable { number: 0, seats: &three, results: &of_three, void: 0 },
        RacedTable { number: 1, seats: &two, results: &of_two, void: 0 },
    ];
    let records = score_round(&ScoreRule::Points(PointsTable::Linear), 1, 0, &tables, false);
    let points: Vec<u32> = records.iter().map(|record| record.score.points()).collect();
    assert_eq!(points, [3, 2, 1, 3, 2]);
}

#[test]
fn each_tie_break_parts_what_it_is_about() {
    let played =
        |round, table, place, outcome| BoardPlayed { round, table, board: 0, outcome, place };
    let finished = |time| BoardOutcome::Finished { time: Millis(time) };
    let dnf = |progress| BoardOutcome::Dnf { progress };
    let order = |rule: TieBreak, boards: [Vec<BoardPlayed>; 2]| -> Vec<(u32, u16)> {
        let records: Vec<EntrantRecord> = (0..)
            .zip(boards)
            .map(|(id, boards)| EntrantRecord {
                entrant: EntrantId(id),
                score: Score::Points(10),
                boards,
                walkovers: 0,
                walkover_wins: 0,
            })
            .collect();
        let seeds = [EntrantId(0), EntrantId(1)];
        rank(&records, &[rule], &seeds).iter().map(|row| (row.entrant.0, row.place)).collect()
    };
    let second_first = [(1, 1), (0, 2)];
    let apart = |a: BoardPlayed, b: BoardPlayed| [vec![a], vec![b]];
    let case = |a: (u16, BoardOutcome), b: (u16, BoardOutcome)| {
        apart(played(0, 0, a.0, a.1), played(0, 1, b.0, b.1))
    };
    assert_eq!(order(TieBreak::Wins, case((2, finished(5)), (1, finished(9)))), second_first);
    assert_eq!(order(TieBreak::Countback, case((3, finished(5)), (2, finished(9)))), second_first);
    // A DNF is no first place.
    assert_eq!(order(TieBreak::Countback, case((1, dnf(5)), (2, finished(9)))), second_first);
    assert_eq!(
        order(TieBreak::BestSingle, case((1, finished(90)), (2, finished(50)))),
        second_first
    );
    assert_eq!(order(TieBreak::TotalTime, case((1, dnf(999)), (2, finished(50)))), second_first);
    assert_eq!(order(TieBreak::Progress, case((1, dnf(10)), (2, dnf(11)))), second_first);
    assert_eq!(order(TieBreak::LastBoard, case((2, dnf(10)), (1, dnf(10)))), second_first);
    let met = apart(played(0, 0, 2, finished(9)), played(0, 0, 1, finished(8)));
    assert_eq!(order(TieBreak::HeadToHead, met), second_first);
    let not_met = case((2, finished(9)), (1, finished(8)));
    assert_eq!(order(TieBreak::HeadToHead, not_met), [(0, 1), (1, 1)]);
}

#[test]
fn against_stronger_opponents_equal_points_are_worth_more() {
    let record = |id, points, tables: &[u16]| EntrantRecord {
        entrant: EntrantId(id),
        score: Score::Points(points),
        boards: (0..)
            .zip(tables)
            .map(|(round, &table)| BoardPlayed {
                round,
                table,
                board: 0,
                outcome: BoardOutcome::Finished { time: Millis(1) },
                place: 1,
            })
            .collect(),
        walkovers: 0,
        walkover_wins: 0,
    };
    // 0 met 2 with 1 point, 1 met 3 with 4.
    let records = [record(0, 5, &[0]), record(1, 5, &[1]), record(2, 1, &[0]), record(3, 4, &[1])];
    let seeds = [0, 1, 2, 3].map(EntrantId);
    let rows = rank(&records, &[TieBreak::Opponents], &seeds);
    let order: Vec<u32> = rows.iter().map(|row| row.entrant.0).collect();
    assert_eq!(order, [1, 0, 3, 2]);
}

#[test]
fn who_comes_alone_wins_the_match_even_without_a_finish() {
    let boards = [board(&[D - 500, 0]), board(&[D, 0]), board(&[D, 0])];
    assert_eq!(scores(&ScoreRule::BestOf, &boards), [MATCH_WON, 0].map(Score::Points));
    assert_eq!(scores(&ScoreRule::BestOf, &boards[..1]), [MATCH_WON, 0].map(Score::Points));
    let both_came = [board(&[D - 500, D])];
    assert_eq!(scores(&ScoreRule::BestOf, &both_came), [0, 0].map(Score::Points));
}

#[test]
fn a_walkover_counts_for_as_many_boards_as_win_the_match() {
    let walkover = EntrantRecord::walkover(EntrantId(0), &ScoreRule::BestOf, 3, 2);
    assert_eq!((walkover.score, walkover.wins()), (Score::Points(MATCH_WON), 2));
    let rule = ScoreRule::Points(PointsTable::F1);
    assert_eq!(EntrantRecord::walkover(EntrantId(0), &rule, 3, 2).wins(), 3);
    assert_eq!(EntrantRecord::walkover(EntrantId(0), &ScoreRule::Sum, 3, 2).wins(), 0);
}
