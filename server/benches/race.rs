//! Benchmark of one move of a heat: the time for which the room's lock is held.
//!
//! `cargo bench -p gridrace-server --bench race`

#![expect(clippy::expect_used, reason = "a bench has no caller to return an error to")]

use divan::Bencher;
use gridrace_server::race::{Event, HeatSecret, Newcomer, Race, RaceConfig};
use gridrace_shared::heat::commitment::{Salt, Secret, SeedOrigin};
use gridrace_shared::heat::ids::{PlayerId, RoomCode, Seq};
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::heat::resume_token::ResumeToken;
use gridrace_shared::protocol::client::Role;
use gridrace_shared::puzzle::Move;
use gridrace_shared::util::time::{HeatInstant, ServerInstant};

const PLAYERS: u32 = 8;
const SPECS: [&str; 3] = ["slide:3x3", "slide:4x4", "slide:16x16"];
/// The instant of the move: after GO, and off the standings' beat.
const NOW: HeatInstant = HeatInstant(3_050);
/// An instant at which the standings are due.
const BEAT: HeatInstant = HeatInstant(5_000);

fn main() {
    divan::main();
}

/// A heat with eight players and a spectator, at GO; and a move to play.
fn running(spec: &str) -> (Race, Move) {
    let options = HeatOptions::new(spec.parse().expect("it is a puzzle"));
    let seed_and_salt =
        Secret { seed: "bench".parse().expect("it is a seed"), salt: Salt::from_bytes([1; 16]) };
    let board = options.spec.board(&seed_and_salt.seed);
    let play = board.legal_moves().swap_remove(0);
    let secret = HeatSecret { secret: seed_and_salt, origin: SeedOrigin::Drawn };
    let code = RoomCode::from_number(1);
    let config = RaceConfig::new(code, ServerInstant(0), options, secret);
    let mut race = Race::new(config).expect("the options are within bounds");
    for number in 1..=PLAYERS + 1 {
        let role = if number > PLAYERS { Role::Spectator } else { Role::Player };
        let name = format!("Person {number}").parse().expect("it is a name");
        let id = PlayerId(number);
        drop(race.apply(
            HeatInstant(0),
            Event::Join {
                id,
                newcomer: Newcomer { role, ..Newcomer::person(name) },
                token: ResumeToken::from_bytes([0; 32]).hash(),
            },
        ));
    }
    drop(race.apply(HeatInstant(0), Event::Start { by: PlayerId(1) }));
    let drawn = Event::Drawn { ticket: 1, outcome: Ok(board.into()) };
    drop(race.apply(HeatInstant(0), drawn));
    drop(race.apply(HeatInstant(3_000), Event::Tick));
    (race, play)
}

fn bench_move(bencher: Bencher, spec: &str, now: HeatInstant) {
    let (race, play) = running(spec);
    let event = Event::Move { by: PlayerId(3), seq: Seq(1), play };
    bencher.with_inputs(|| (race.clone(), event.clone())).bench_local_values(
        |(mut race, event)| {
            let effects = race.apply(now, event);
            // The race is handed back so that its end isn't measured.
            (race, effects)
        },
    );
}

#[divan::bench(args = SPECS)]
fn a_move_between_two_standings(bencher: Bencher, spec: &str) {
    bench_move(bencher, spec, NOW);
}

#[divan::bench(args = SPECS)]
fn a_move_that_brings_standings(bencher: Bencher, spec: &str) {
    bench_move(bencher, spec, BEAT);
}
