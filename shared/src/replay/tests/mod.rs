//! Replays that are written, damaged, tampered with and read.

mod format;
mod playing;
mod rows;
mod signature;
mod size;
mod tampered;

use super::*;
use crate::heat::commitment::Salt;
use crate::heat::ids::PlayerId;
use crate::heat::player_kind::PlayerKind;
use crate::puzzle::{Board, Move, PuzzleSpec};
use proptest::prelude::*;
use proptest::sample::Index;

/// A header with a commitment that holds.
fn header(spec: &str) -> ReplayHeader {
    let spec: PuzzleSpec = spec.parse().unwrap();
    let secret = Secret { seed: "friday".parse().unwrap(), salt: Salt::from_bytes([7; 16]) };
    ReplayHeader {
        writer: "gridrace 0.1.0".to_owned(),
        code: "KQZT".parse().unwrap(),
        number: 2,
        began: Some(UnixSeconds(1_795_219_200)),
        options: HeatOptions::new(spec),
        origin: SeedOrigin::Drawn,
        commitment: secret.commitment(&spec),
        secret,
    }
}

fn racer(id: u32, kind: PlayerKind) -> Racer {
    Racer { id: PlayerId(id), name: format!("Zoë {id}").parse().unwrap(), kind }
}

/// Ends a heat as its records have it.
fn replay(header: ReplayHeader, events: EventLog, ended: Millis) -> Replay {
    let mut rerun = Simulation::new(&events, &header.options);
    for (_, record) in events.records() {
        rerun.run(&record).ok();
    }
    rerun.end();
    let standings = rerun.standings();
    Replay { header, events, outcome: Outcome { ended, standings, best: None } }
}

fn board(header: &ReplayHeader) -> Board {
    header.options.spec.board(&header.secret.seed)
}

/// A move of a player's after some milliseconds: which of the legal ones, or what else.
type Step = (u64, usize, Index, Option<RacerEvent>);

fn any_step() -> impl Strategy<Value = Step> {
    let event = prop::sample::select(&event_log::OTHER_EVENTS[..]);
    let event = prop::option::weighted(0.1, event.prop_map(|(_, event)| event));
    (0u64..3_000, 0usize..8, any::<Index>(), event)
}

/// Any heat, in which things happen that can't, too.
fn any_replay() -> impl Strategy<Value = Replay> {
    let spec = prop::sample::select(vec![
        "slide:4x4",
        "slide:2x5",
        "slide:3x2",
        "link:6x5",
        "link:7x7:classic",
    ]);
    let steps = prop::collection::vec(any_step(), 0..80);
    (spec, 1usize..6, steps, prop::option::of(0u64..9_000)).prop_map(
        |(spec, players, steps, away)| {
            let header = header(spec);
            let start = board(&header);
            let kinds = [
                PlayerKind::Human,
                PlayerKind::Bot,
                PlayerKind::HouseBot(crate::bot::Skill::Steady),
            ];
            let racers = (0..players).map(|n| racer(3 * n as u32, kinds[n % 3]));
            let mut writer = EventLogWriter::new(start.clone(), racers.collect()).unwrap();
            let mut boards = vec![start; players];
            let mut at = Millis(0);
            if let Some(away) = away {
                writer.record(at, &RecordKind::Outage { away: Millis(away) }).unwrap();
            }
            for (after, who, which, event) in steps {
                let who = who % players;
                at = at + Millis(after);
                let event = event.unwrap_or_else(|| {
                    let play = which.get(&boards[who].legal_moves()).clone();
                    boards[who].play(&play).unwrap();
                    RacerEvent::Move(play)
                });
                let player = PlayerId(3 * who as u32);
                writer.record(at, &RecordKind::Racer { player, event }).unwrap();
            }
            replay(header, writer.finish(), at)
        },
    )
}
