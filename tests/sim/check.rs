//! What must hold at the end of every simulation.

use crate::network::Way;
use crate::notes::{Race, difference};
use crate::plan::Plan;
use crate::run::Outcome;
use gridrace_shared::name::{PlayerId, Seq};
use gridrace_shared::protocol::heat::HeatResult;
use gridrace_shared::standings::{Standing, State};

/// Returns everything that doesn't hold.
pub fn violations(plan: &Plan, outcome: &Outcome) -> Vec<String> {
    let mut all: Vec<String> = outcome.stuck.iter().cloned().collect();
    for number in 1..=plan.heats {
        let end = outcome.referee.notes(|notes| {
            let race = notes.heats.get(&number);
            race.and_then(|race| race.result.clone())
        });
        match end {
            None if plan.keeps_seats() => all.push(format!("nobody saw heat {number} end")),
            None => {}
            Some(end) => check_heat(number, &end, plan, outcome, &mut all),
        }
    }
    let ways = outcome.players.iter().map(|(way, _)| way);
    for way in ways.chain([&outcome.referee]) {
        all.extend(way.notes(|notes| notes.contradictions.clone()));
    }
    for (n, (_, end)) in outcome.players.iter().enumerate() {
        if let Some(error) = end
            && plan.keeps_seats()
        {
            all.push(format!("player-{n} gave up: {error}"));
        }
    }
    all
}

fn check_heat(
    number: u32,
    end: &HeatResult,
    plan: &Plan,
    outcome: &Outcome,
    all: &mut Vec<String>,
) {
    places(number, &end.standings, all);
    for (n, (way, _)) in outcome.players.iter().enumerate() {
        way.notes(|notes| {
            let (Some(you), Some(race)) = (notes.you, notes.heats.get(&number)) else {
                return;
            };
            if let Some(told) = &race.result
                && let Some(difference) = difference(told, end)
            {
                all.push(format!(
                    "heat {number} ended otherwise for player-{n}: {difference}"
                ));
            }
            if race.sent.is_empty() {
                return;
            }
            match end.standings.iter().find(|row| row.player == you) {
                None => all.push(format!("heat {number} has no row of player-{n}")),
                Some(row) => {
                    let faults = check_row(end, row, race, &outcome.referee, number, plan);
                    all.extend(faults.map(|fault| format!("heat {number}, player-{n}: {fault}")));
                }
            }
        });
    }
}

/// Everybody once, each at a place of their own, in order of their times.
fn places(number: u32, rows: &[Standing], all: &mut Vec<String>) {
    for (place, row) in (1..).zip(rows) {
        if row.place != place {
            all.push(format!(
                "heat {number}: place {} comes as number {place}",
                row.place
            ));
        }
    }
    let mut players: Vec<PlayerId> = rows.iter().map(|row| row.player).collect();
    players.sort();
    players.dedup();
    if players.len() != rows.len() {
        all.push(format!("heat {number} has somebody twice"));
    }
    let times: Vec<_> = rows.iter().map_while(time).collect();
    if !times.is_sorted() || rows.iter().filter_map(time).count() != times.len() {
        all.push(format!("heat {number} isn't in the order of its times"));
    }
}

fn time(row: &Standing) -> Option<u64> {
    match row.state {
        State::Finished { time } => Some(time.0),
        State::Racing | State::Dnf => None,
    }
}

/// Compares a player's row with the player's own log.
fn check_row(
    end: &HeatResult,
    row: &Standing,
    race: &Race,
    referee: &Way,
    number: u32,
    plan: &Plan,
) -> impl Iterator<Item = String> + use<> {
    let mut faults = Vec::new();
    let played = Seq(row.moves.acts);
    let sent = race.sent.keys().next_back().copied().unwrap_or_default();
    if played < race.acknowledged {
        faults.push(format!(
            "{} were acknowledged, {played} count",
            race.acknowledged
        ));
    }
    if sent < played {
        faults.push(format!("{sent} were sent, {played} count"));
    }
    let own: Vec<_> = race
        .sent
        .range(..=played)
        .filter_map(|(_, versions)| versions.last())
        .collect();
    if own.len() != played.0 as usize {
        faults.push(format!("{played} count, of which {} were sent", own.len()));
    }
    let mut board = end.start.clone();
    for (n, play) in own.iter().enumerate() {
        if let Err(illegal) = board.play(play) {
            faults.push(format!("move {} can't have been played: {illegal}", n + 1));
            break;
        }
    }
    let finished = matches!(row.state, State::Finished { .. });
    if board.is_solved() != finished {
        faults.push(format!(
            "the board is solved: {}, the row says {finished}",
            board.is_solved()
        ));
    }
    if plan.keeps_seats() && !finished {
        faults.push("didn't finish".to_owned());
    }
    // Who watched all the time has seen every move once.
    if !plan.stored {
        let seen = referee.notes(|notes| notes.heats.get(&number)?.seen.get(&row.player).cloned());
        let seen = seen.unwrap_or_default();
        if seen.iter().ne(own.iter().copied()) {
            faults.push(format!(
                "{} moves were shown, {} were sent",
                seen.len(),
                own.len()
            ));
        }
    }
    faults.into_iter()
}
