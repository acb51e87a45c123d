//! Entrants who enter late, are absent, withdraw or are disqualified.

use super::*;

#[test]
fn one_entrant_or_none_is_no_tournament() {
    for field in [0, 1] {
        let mut tournament = begun("knockout", field);
        let round = RoundKey { stage: 0, round: 0 };
        let refused = tournament.apply(draw_of(round, 0, Vec::new()));
        let found = field as usize;
        assert_eq!(refused, Err(LogEntryError::Field(FieldError::Entrants { found })));
        assert!(tournament.stages().is_empty() && !tournament.is_over());
    }
}

#[test]
fn who_is_absent_twice_in_a_row_is_drawn_no_more_until_they_check_in() {
    let mut tournament = begun("swiss:4x4", 4);
    let absent = EntrantId(4);
    for _ in 0..2 {
        assert!(tournament.is_present(absent));
        let round = draw(&mut tournament);
        let key = ResultKey { round, table: 0, board: 0, attempt: 0 };
        // An entrant without a row did not start.
        tournament.apply(LogEntry::Result { key, result: in_order(&[1, 2, 3]) }).unwrap();
    }
    assert!(!tournament.is_present(absent));
    let round = draw(&mut tournament);
    assert_eq!(tournament.round(round).unwrap().draw.tables[0].seats.len(), 3);
    race_round(&mut tournament, round, &mut chance("absent"));
    tournament.apply(LogEntry::CheckIn { entrant: absent }).unwrap();
    let round = draw(&mut tournament);
    assert_eq!(tournament.round(round).unwrap().draw.tables[0].seats.len(), 4);
    assert_eq!(tournament.standings().len(), 4);
}

#[test]
fn who_comes_late_begins_with_nothing_until_the_first_cut() {
    let late = EntrantId(9);
    let enter = LogEntry::Enter { entrant: late, team: None };
    // A series seats them at once.
    let mut series = begun("series:2", 3);
    let round = draw(&mut series);
    let key = |board| ResultKey { round, table: 0, board, attempt: 0 };
    series.apply(LogEntry::Result { key: key(0), result: in_order(&[1, 2, 3]) }).unwrap();
    series.apply(enter.clone()).unwrap();
    series.apply(LogEntry::CheckIn { entrant: late }).unwrap();
    series.apply(LogEntry::Result { key: key(1), result: in_order(&[9, 1, 2, 3]) }).unwrap();
    let standings = series.standings();
    let points = |id| standings.iter().find(|row| row.entrant == EntrantId(id)).unwrap().score;
    assert_eq!(points(9).points(), 4);
    assert_eq!(points(1).points(), 7);
    assert_eq!(Tournament::fold(series.plan().clone(), series.log().to_vec()), series);

    // A Swiss stage draws them from the next round on; heats and brackets take no entrant once drawn.
    for (plan, taken) in [
        ("swiss:4x3", true),
        // All seats of both tables are taken.
        ("heats:2/1+final:1", false),
        ("knockout", false),
        ("roundrobin", false),
    ] {
        let mut tournament = begun(plan, 4);
        let round = draw(&mut tournament);
        let expected = if taken { Ok(()) } else { Err(LogEntryError::EntriesClosed) };
        assert_eq!(tournament.apply(enter.clone()), expected, "{plan}");
        if taken {
            tournament.apply(LogEntry::CheckIn { entrant: late }).unwrap();
            race_round(&mut tournament, round, &mut chance("late"));
            let round = draw(&mut tournament);
            assert!(tournament.round(round).unwrap().entering.contains(&late));
        }
    }
    // Heats have a free seat until the first cut.
    let mut heats = begun("heats:4/1+final:1", 7);
    let round = draw(&mut heats);
    heats.apply(enter.clone()).unwrap();
    heats.apply(LogEntry::CheckIn { entrant: late }).unwrap();
    let seats = |heats: &Tournament| {
        let tables = heats.round(round).unwrap().draw.tables.clone();
        tables.into_iter().map(|table| table.seats.len()).collect::<Vec<_>>()
    };
    assert_eq!(seats(&heats), [4, 4]);
    let another = LogEntry::Enter { entrant: EntrantId(10), team: None };
    assert_eq!(heats.apply(another), Err(LogEntryError::EntriesClosed));
    race_round(&mut heats, round, &mut chance("late"));
    assert_eq!(Tournament::fold(heats.plan().clone(), heats.log().to_vec()), heats);
    // After a cut no entrant gets in.
    let mut cut = begun("series/2:1+final:1", 4);
    let round = draw(&mut cut);
    race_round(&mut cut, round, &mut chance("late"));
    draw(&mut cut);
    assert_eq!(cut.apply(enter), Err(LogEntryError::EntriesClosed));
}

#[test]
fn who_withdraws_is_drawn_no_more_and_keeps_the_place() {
    let mut tournament = begun("lastout:1", 4);
    let round = draw(&mut tournament);
    let key = ResultKey { round, table: 0, board: 0, attempt: 0 };
    tournament.apply(LogEntry::Result { key, result: in_order(&[1, 2, 3, 4]) }).unwrap();
    tournament.apply(LogEntry::Withdraw { entrant: EntrantId(1) }).unwrap();
    let round = draw(&mut tournament);
    let key = ResultKey { round, table: 0, board: 0, attempt: 0 };
    tournament.apply(LogEntry::Result { key, result: in_order(&[3, 2]) }).unwrap();
    let order: Vec<(u32, u16)> =
        tournament.standings().iter().map(|row| (row.entrant.0, row.place)).collect();
    // 3 won the second round, 2 was dropped in it, 1 was through to it, 4 was dropped in the first.
    assert_eq!(order, [(3, 1), (2, 2), (1, 3), (4, 4)]);
    assert_eq!(tournament.champions(), [EntrantId(3)]);
}

#[test]
fn the_disqualified_have_no_place_and_those_behind_move_up() {
    let mut tournament = begun("series:1:f1", 3);
    let round = draw(&mut tournament);
    let key = ResultKey { round, table: 0, board: 0, attempt: 0 };
    tournament.apply(LogEntry::Result { key, result: in_order(&[1, 2, 3]) }).unwrap();
    tournament.apply(LogEntry::Disqualify { entrant: EntrantId(1) }).unwrap();
    let rows: Vec<(u32, u16, u32)> = tournament
        .standings()
        .iter()
        .map(|row| (row.entrant.0, row.place, row.score.points()))
        .collect();
    assert_eq!(rows, [(2, 1, 25), (3, 2, 18)]);
    let entrant = EntrantId(1);
    assert_eq!(
        begun("series:1", 2).apply(LogEntry::CheckIn { entrant: EntrantId(3) }),
        Err(LogEntryError::UnknownEntrant(EntrantId(3)))
    );
    // Taken back, the entrant is the first again.
    let entry = tournament.log().len() as u32 - 1;
    tournament.apply(LogEntry::TakeBack { entry }).unwrap();
    assert_eq!(tournament.champions(), [entrant]);
}

#[test]
fn who_is_disqualified_before_a_redraw_keeps_the_results_of_earlier_rounds() {
    let ids = |ids: &[u32]| ids.iter().copied().map(EntrantId).collect::<Vec<_>>();
    // The entrants drawn in each of the two rounds. In the last case, entrant 1 still races in the
    // round before.
    for (plan, field, drawn) in [
        ("swiss:2x3", 4, [ids(&[]), ids(&[])]),
        ("series/4:1+final:1", 4, [ids(&[]), ids(&[])]),
        ("arena:2x5m", 4, [ids(&[1, 2, 3, 4]), ids(&[1, 2, 3, 4])]),
        ("arena:2x5m", 4, [ids(&[1, 2]), ids(&[3, 4])]),
    ] {
        let [first, second] = drawn;
        let is_racing = !second.is_empty() && !second.contains(&EntrantId(1));
        let mut tournament = begun(plan, field);
        let before = tournament.next_draw().unwrap();
        tournament.apply(draw_of(before, 0, first)).unwrap();
        if !is_racing {
            race_round(&mut tournament, before, &mut chance("again"));
        }
        let round = tournament.next_draw().unwrap();
        tournament.apply(draw_of(round, 0, second.clone())).unwrap();
        tournament.apply(LogEntry::Disqualify { entrant: EntrantId(1) }).unwrap();
        let stands = tournament.round(before).unwrap().clone();
        tournament.apply(draw_of(round, 1, second)).unwrap();
        assert_eq!(tournament.round(before), Some(&stands), "{plan}, {is_racing}");
        // A disqualification after it is of that round again.
        tournament.apply(LogEntry::Disqualify { entrant: EntrantId(3) }).unwrap();
        assert_eq!(tournament.round(before), Some(&stands), "{plan}, {is_racing}");
        assert_eq!(
            Tournament::fold(tournament.plan().clone(), tournament.log().to_vec()),
            tournament
        );
    }
}

#[test]
fn of_a_match_to_which_neither_came_the_next_opponent_has_a_bye() {
    let mut tournament = begun("knockout", 4);
    let order = [1, 2, 3, 4].map(EntrantId).to_vec();
    tournament.apply(LogEntry::Seed { order }).unwrap();
    let round = draw(&mut tournament);
    let key = |table| ResultKey { round, table, board: 0, attempt: 0 };
    let nobody = BoardResult { rows: Vec::new() };
    tournament.apply(LogEntry::Result { key: key(0), result: nobody }).unwrap();
    tournament.apply(LogEntry::Result { key: key(1), result: in_order(&[3, 2]) }).unwrap();
    assert!(tournament.is_over(), "{:?}", tournament.next_draw());
    assert_eq!(tournament.champions(), [EntrantId(3)]);
    let order: Vec<(u32, u16)> =
        tournament.standings().iter().map(|row| (row.entrant.0, row.place)).collect();
    assert_eq!(order, [(3, 1), (1, 2), (2, 2), (4, 2)]);
}

#[test]
fn a_final_to_which_nobody_comes_is_ended_and_the_stage_before_it_counts() {
    let mut tournament = begun("series/2:1+final:1", 3);
    let round = draw(&mut tournament);
    let key = ResultKey { round, table: 0, board: 0, attempt: 0 };
    tournament.apply(LogEntry::Result { key, result: in_order(&[1, 2, 3]) }).unwrap();
    for entrant in [1, 2].map(EntrantId) {
        tournament.apply(LogEntry::Withdraw { entrant }).unwrap();
    }
    let last = tournament.next_draw().unwrap();
    assert_eq!(
        tournament.apply(draw_of(last, 0, Vec::new())),
        Err(LogEntryError::Draw(DrawError::TooFew))
    );
    assert_eq!(
        tournament.apply(LogEntry::EndStage { stage: 0 }),
        Err(LogEntryError::StageNotRunning(0))
    );
    tournament.apply(LogEntry::EndStage { stage: 1 }).unwrap();
    assert!(tournament.is_over());
    assert_eq!(tournament.champions(), [EntrantId(1)]);
    assert_eq!(Tournament::fold(tournament.plan().clone(), tournament.log().to_vec()), tournament);
}

#[test]
fn the_withdrawn_take_no_place_of_a_cut_that_others_can_take() {
    let mut tournament = begun("series/2:1+final:1", 4);
    let round = draw(&mut tournament);
    let key = ResultKey { round, table: 0, board: 0, attempt: 0 };
    tournament.apply(LogEntry::Result { key, result: in_order(&[1, 2, 3, 4]) }).unwrap();
    tournament.apply(LogEntry::Withdraw { entrant: EntrantId(2) }).unwrap();
    let round = draw(&mut tournament);
    let seats = &tournament.round(round).unwrap().draw.tables[0].seats;
    assert_eq!(seats, &[EntrantId(1), EntrantId(3)]);
}

#[test]
fn who_stays_away_takes_no_place_of_a_cut_that_others_can_take() {
    let mut tournament = begun("series/3:4+final:1", 4);
    let round = draw(&mut tournament);
    for board in 0..4 {
        let key = ResultKey { round, table: 0, board, attempt: 0 };
        let result = if board < 2 {
            in_order(&[2, 1, 3, 4])
        } else {
            let mut rest = in_order(&[1, 3, 4]);
            rest.rows.push((EntrantId(2), BoardOutcome::Dns));
            rest
        };
        tournament.apply(LogEntry::Result { key, result }).unwrap();
    }
    assert_eq!(tournament.standings()[2].entrant, EntrantId(2));
    let mut back = tournament.clone();
    let round = draw(&mut tournament);
    let seats = &tournament.round(round).unwrap().draw.tables[0].seats;
    assert_eq!(seats, &[1, 3, 4].map(EntrantId));
    back.apply(LogEntry::CheckIn { entrant: EntrantId(2) }).unwrap();
    let round = draw(&mut back);
    let seats = &back.round(round).unwrap().draw.tables[0].seats;
    assert_eq!(seats, &[1, 3, 2].map(EntrantId));
}
