//! Sizes of replays, and benchmarks of reading and verifying them.

use gridrace_shared::bot::{Bot, Skill};
use gridrace_shared::heat::commitment::SeedOrigin;
use gridrace_shared::heat::commitment::{Salt, Secret};
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::heat::player_kind::PlayerKind;
use gridrace_shared::replay::{
    EventLogWriter, Outcome, Racer, RacerEvent, RecordKind, Replay, ReplayHeader, Simulation,
    verify,
};
use gridrace_shared::solver::plan::SolverResources;
use gridrace_shared::util::time::Millis;
use std::error::Error;

const SKILLS: [Skill; 4] = [Skill::Beginner, Skill::Casual, Skill::Steady, Skill::Expert];

fn main() -> Result<(), Box<dyn Error>> {
    for spec in PUZZLES {
        let replay = race(spec)?;
        let (file, records) = (replay.encode().len(), replay.events.records().count());
        let bytes = replay.events.bytes().len();
        println!("{spec}: {file} bytes, {records} records in {bytes} of them");
    }
    divan::main();
    Ok(())
}

const PUZZLES: [&str; 5] = ["slide:4x4", "slide:8x8", "link:10x10", "link:15x15", "link:20x20"];

#[divan::bench(args = PUZZLES)]
fn decoding(bencher: divan::Bencher<'_, '_>, spec: &str) {
    let file = race(spec).map(|replay| replay.encode()).unwrap_or_default();
    bencher.bench(|| Replay::decode(&file).is_ok());
}

#[divan::bench(args = PUZZLES, sample_count = 10)]
fn verifying(bencher: divan::Bencher<'_, '_>, spec: &str) {
    let file = race(spec).map(|replay| replay.encode()).unwrap_or_default();
    bencher.bench(|| verify(&file).is_ok_and(|verdict| verdict.count == 0));
}

/// Simulates a race of four bots.
fn race(spec: &str) -> Result<Replay, Box<dyn Error>> {
    let options = HeatOptions { time_limit_seconds: 7_200, ..HeatOptions::new(spec.parse()?) };
    let secret = Secret { seed: "friday".parse()?, salt: Salt::from_bytes([7; 16]) };
    let start = options.spec.board(&secret.seed);
    let (mut acts, mut racers) = (Vec::new(), Vec::new());
    for (id, skill) in (1..).zip(SKILLS) {
        racers.push(Racer {
            id: PlayerId(id),
            name: format!("Player {id}").parse()?,
            kind: PlayerKind::HouseBot(skill),
        });
        let mut bot = Bot::new(skill, &format!("seed-{id}").parse()?);
        let (mut at, mut board) = (Millis(0), start.clone());
        while !board.is_solved() {
            let decision = bot.decide(&board, &SolverResources::none())?;
            at = at + decision.after;
            board.play(&decision.play)?;
            acts.push((at, PlayerId(id), RacerEvent::Move(decision.play)));
        }
    }
    acts.sort_by_key(|&(at, ..)| at);
    let mut writer = EventLogWriter::new(start, racers)?;
    let ended = acts.last().map_or(Millis(0), |&(at, ..)| at);
    for (at, player, event) in acts {
        writer.record(at, &RecordKind::Racer { player, event })?;
    }
    let events = writer.finish();
    let mut rerun = Simulation::new(&events, &options);
    for (_, record) in events.records() {
        rerun.run(&record)?;
    }
    rerun.end();
    Ok(Replay {
        header: ReplayHeader {
            writer: "gridrace 0.1.0".to_owned(),
            code: "KQZT".parse()?,
            number: 1,
            began: None,
            commitment: secret.commitment(&options.spec),
            options,
            origin: SeedOrigin::Drawn,
            secret,
        },
        outcome: Outcome { ended, standings: rerun.standings(), best: None },
        events,
    })
}
