//! The standings of teams.

use super::*;

#[test]
fn teams_add_up_the_points_of_their_best_members() {
    let mut tournament = Tournament::new("series:1@teams:2".parse().unwrap());
    for (id, team) in [(1, "RED"), (2, "BLUE"), (3, "BLUE"), (4, "RED"), (5, "RED")] {
        let (entrant, team) = (EntrantId(id), team.parse().ok());
        tournament.apply(LogEntry::Enter { entrant, team }).unwrap();
        tournament.apply(LogEntry::CheckIn { entrant }).unwrap();
    }
    let round = draw(&mut tournament);
    let key = ResultKey { round, table: 0, board: 0, attempt: 0 };
    tournament.apply(LogEntry::Result { key, result: in_order(&[1, 2, 3, 4, 5]) }).unwrap();
    let teams: Vec<(String, u32)> = tournament
        .team_standings()
        .unwrap()
        .into_iter()
        .map(|row| (row.team.to_string(), row.score.points()))
        .collect();
    // 5 and 2 points, 4 and 3.
    assert_eq!(teams, [("RED".to_owned(), 7), ("BLUE".to_owned(), 7)]);
}

#[test]
fn teams_add_up_places_where_points_are_of_different_stages_or_rounds() {
    for plan in ["series/2:1:f1+final:1:linear@teams:2", "lastout:2:f1@teams:2"] {
        let mut tournament = Tournament::new(plan.parse().unwrap());
        for (id, team) in [(1, "RED"), (2, "RED"), (3, "BLUE"), (4, "BLUE")] {
            let (entrant, team) = (EntrantId(id), team.parse().ok());
            tournament.apply(LogEntry::Enter { entrant, team }).unwrap();
            tournament.apply(LogEntry::CheckIn { entrant }).unwrap();
        }
        for order in [&[1, 2, 3, 4][..], &[1, 2]] {
            let round = draw(&mut tournament);
            let key = ResultKey { round, table: 0, board: 0, attempt: 0 };
            tournament.apply(LogEntry::Result { key, result: in_order(order) }).unwrap();
        }
        let teams = tournament.team_standings().unwrap();
        let scores: Vec<(String, Score)> =
            teams.iter().map(|row| (row.team.to_string(), row.score)).collect();
        // RED has the first two places, with 3 points of the final; BLUE has 27 of the first stage.
        let [red, blue] = ["RED", "BLUE"].map(str::to_owned);
        assert_eq!(scores, [(red, Score::Places(3)), (blue, Score::Places(7))], "{plan}");
    }
}

#[test]
fn teams_add_up_places_in_a_bracket() {
    let mut tournament = Tournament::new("double:bo1@teams:1".parse().unwrap());
    for id in 1..=4 {
        let (entrant, team) = (EntrantId(id), format!("T{id}").parse().ok());
        tournament.apply(LogEntry::Enter { entrant, team }).unwrap();
        tournament.apply(LogEntry::CheckIn { entrant }).unwrap();
    }
    while !tournament.is_over() {
        let round = draw(&mut tournament);
        for table in tournament.round(round).unwrap().draw.tables.clone() {
            let key = ResultKey { round, table: table.number, board: 0, attempt: 0 };
            let mut seats: Vec<u32> = table.seats.iter().map(|it| it.0).collect();
            seats.sort_unstable();
            tournament.apply(LogEntry::Result { key, result: in_order(&seats) }).unwrap();
        }
    }
    let teams = tournament.team_standings().unwrap();
    assert_eq!(teams[0].team.to_string(), "T1");
    assert!(teams.iter().all(|row| matches!(row.score, Score::Places(_))), "{teams:?}");
}
