//! The invariants at the end of every simulation.

use crate::network::ClientNetwork;
use crate::notes::{Notes, Race, difference};
use crate::plan::Plan;
use crate::run::{Outcome, TICK};
use crate::store;
use gridrace_shared::heat::ids::{PlayerId, Seq};
use gridrace_shared::heat::options::HintRule;
use gridrace_shared::heat::standings::{RaceState, Standing};
use gridrace_shared::protocol::snapshot::HeatResult;
use gridrace_shared::puzzle::Move;
use gridrace_shared::replay::Replay;
use gridrace_shared::util::time::Millis;
use std::time::Duration;

/// How long a slow disk may take for a heat's checkpoint, until its host is told.
const CHECKPOINT_TIME: Duration = Duration::from_secs(2);

/// Returns everything that doesn't hold.
pub fn violations(plan: &Plan, outcome: &mut Outcome) -> Vec<String> {
    let mut all: Vec<String> = outcome.stuck.iter().cloned().collect();
    let replays = store::read(outcome, &mut all);
    for number in 1..=plan.heats {
        // The referee may not have received the result, if all are away at the end.
        let networks = outcome.players.iter().map(|(network, _)| network);
        let end = [&outcome.referee]
            .into_iter()
            .chain(networks)
            .find_map(|network| network.notes(|notes| notes.heats.get(&number)?.result.clone()));
        let Some(end) = end else {
            if plan.keeps_seats() {
                all.push(format!("no client saw heat {number} end"));
            }
            continue;
        };
        let heat = Heat { number, end: &end, plan, outcome, replay: replays.get(&number) };
        heat.check(&mut all);
    }
    if plan.spares_the_network() {
        told(plan, outcome, &mut all);
    }
    let networks = outcome.players.iter().map(|(network, _)| network);
    for network in networks.chain([&outcome.referee]) {
        all.extend(network.notes(|notes| notes.contradictions.clone()));
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

/// A heat that is over.
struct Heat<'a> {
    number: u32,
    end: &'a HeatResult,
    plan: &'a Plan,
    outcome: &'a Outcome,
    replay: Option<&'a Replay>,
}

impl Heat<'_> {
    fn check(&self, all: &mut Vec<String>) {
        let Self { number, end, .. } = *self;
        places(number, &end.standings, all);
        if self.plan.stored {
            match self.replay {
                // It ended while nothing was recorded, and the host was told so.
                None if self.outcome.records.lost.contains(&number) => {}
                None => all.push(format!("heat {number} was announced and isn't kept")),
                Some(replay) if replay.outcome.standings != end.standings => {
                    let kept = &replay.outcome.standings;
                    all.push(format!("heat {number} is kept otherwise: {kept:?}"));
                }
                Some(_) => {}
            }
        }
        for (n, (network, _)) in self.outcome.players.iter().enumerate() {
            network.notes(|notes| {
                let (Some(you), Some(race)) = (notes.you, notes.heats.get(&number)) else {
                    return;
                };
                if let Some(told) = &race.result
                    && let Some(difference) = difference(told, end)
                {
                    all.push(format!("heat {number} ended otherwise for player-{n}: {difference}"));
                }
                if race.sent.is_empty() {
                    return;
                }
                let Some(row) = end.standings.iter().find(|row| row.player == you) else {
                    all.push(format!("heat {number} has no row of player-{n}"));
                    return;
                };
                let mut faults = Vec::new();
                let is_person = n >= self.plan.bots.len();
                self.check_moves(row, race, is_person, &mut faults);
                self.check_hints(row, race, &mut faults);
                all.extend(
                    faults.iter().map(|fault| format!("heat {number}, player-{n}: {fault}")),
                );
            });
        }
    }

    /// Compares a player's row with its own notes.
    fn check_moves(&self, row: &Standing, race: &Race, is_person: bool, faults: &mut Vec<String>) {
        let played = Seq(row.moves.acts);
        let sent = race.sent.keys().next_back().copied().unwrap_or_default();
        if played < race.acknowledged {
            faults.push(format!("{} were acknowledged, {played} count", race.acknowledged));
        }
        if sent < played {
            faults.push(format!("{sent} were sent, {played} count"));
        }
        let own: Vec<&Move> =
            race.sent.range(..=played).filter_map(|(_, versions)| versions.last()).collect();
        if own.len() != played.0 as usize {
            faults.push(format!("{played} count, of which {} were sent", own.len()));
        }
        let mut board = self.end.start.clone();
        for (n, play) in own.iter().enumerate() {
            if let Err(illegal) = board.play(play) {
                faults.push(format!("move {} can't have been played: {illegal}", n + 1));
                break;
            }
        }
        let finished = matches!(row.state, RaceState::Finished { .. });
        if board.is_solved() != finished {
            faults.push(format!(
                "the board is solved: {}, the row says {finished}",
                board.is_solved()
            ));
        }
        // The heat ends soon after the last person has finished, whatever the bots do.
        if self.plan.keeps_seats() && is_person && !finished {
            faults.push("didn't finish".to_owned());
        }
        if let Some(replay) = self.replay {
            let kept = store::moves(replay, row.player);
            if kept.iter().ne(own.iter().copied()) {
                let (kept, own) = (kept.len(), own.len());
                faults.push(format!("{kept} moves are kept, {own} were sent"));
            }
        }
        // A spectator that was never disconnected has seen every move once.
        if !self.plan.stored {
            let seen =
                |notes: &Notes| notes.heats.get(&self.number)?.seen.get(&row.player).cloned();
            let seen = self.outcome.referee.notes(seen).unwrap_or_default();
            if seen.iter().ne(own.iter().copied()) {
                let (seen, own) = (seen.len(), own.len());
                faults.push(format!("{seen} moves were shown, {own} were sent"));
            }
        }
    }

    /// Checks that a player pays for each hint that it received, and for none that it didn't request.
    fn check_hints(&self, row: &Standing, race: &Race, faults: &mut Vec<String>) {
        if row.hints < race.taken {
            faults.push(format!("{} hints were told of, {} count", race.taken, row.hints));
        }
        if row.hints > race.asked {
            faults.push(format!("{} hints were asked for, {} count", race.asked, row.hints));
        }
        let price = match self.plan.options.hints {
            HintRule::Priced { seconds } => Millis::from_seconds(seconds.into()),
            HintRule::Free | HintRule::Off => Millis(0),
        };
        if row.penalty.0 != price.0 * u64::from(row.hints) {
            faults.push(format!("{} hints cost {}", row.hints, row.penalty));
        }
        if time(row).is_some_and(|time| time < row.penalty.0) {
            faults.push("the penalty isn't in the time".to_owned());
        }
    }
}

/// Checks that the host is told at once when recording stops, and when it starts again.
fn told(plan: &Plan, outcome: &Outcome, all: &mut Vec<String>) {
    let players = || outcome.players.iter().map(|(network, _)| network);
    let last = |network: &ClientNetwork| network.notes(|notes| notes.heats.get(&plan.heats)?.heard);
    let Some(end) = players().filter_map(last).min() else {
        return;
    };
    // Within a tick hosts have clocks of their own.
    let at_once = CHECKPOINT_TIME + Duration::from_millis(plan.latency);
    let mut changes = Vec::new();
    for &(from, until) in &outcome.records.gaps {
        changes.push((from, false));
        changes.extend(until.map(|until| (until, true)));
    }
    let next = changes.iter().skip(1).map(|change| change.0).chain([end]);
    for (&(at, records), next) in changes.iter().zip(next) {
        let heard = |network: &ClientNetwork| {
            network.notes(|notes| {
                let mut told = notes.told.iter();
                told.any(|&(when, what)| {
                    what == records && (at..=at + at_once).contains(&(when + TICK))
                })
            })
        };
        if at + at_once < next.min(end) && players().filter(|network| heard(network)).count() != 1 {
            all.push(format!("no host was told: recorded: {records}, at {at:?}"));
        }
    }
}

/// Checks that each player has one row and one place, in the order of the times.
fn places(number: u32, rows: &[Standing], all: &mut Vec<String>) {
    for (place, row) in (1..).zip(rows) {
        if row.place != place {
            all.push(format!("heat {number}: place {} comes as number {place}", row.place));
        }
    }
    let mut players: Vec<PlayerId> = rows.iter().map(|row| row.player).collect();
    players.sort();
    players.dedup();
    if players.len() != rows.len() {
        all.push(format!("heat {number} has a player twice"));
    }
    let times: Vec<_> = rows.iter().map_while(time).collect();
    if !times.is_sorted() || rows.iter().filter_map(time).count() != times.len() {
        all.push(format!("heat {number} isn't in the order of its times"));
    }
}

fn time(row: &Standing) -> Option<u64> {
    match row.state {
        RaceState::Finished { time } => Some(time.0),
        RaceState::Racing | RaceState::Dnf => None,
    }
}
