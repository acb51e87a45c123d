//! What a seed stands for: who plays what, and what goes wrong when.

use gridrace_client::bot::Pace;
use gridrace_shared::bot::Skill;
use gridrace_shared::options::HeatOptions;
use gridrace_shared::puzzle::PuzzleSpec;
use gridrace_shared::seed::{PortableRng, Seed};
use std::time::Duration;

/// Players of a simulation, fewest and most.
const PLAYERS: [u32; 2] = [3, 8];
/// Faults of a simulation at most.
const FAULTS: u32 = 5;
/// Within how many milliseconds of the first heat's beginning the faults come.
const FAULTY_MILLIS: u32 = 45_000;
/// So long a grace outlasts whatever a plan holds: nobody may lose a seat.
const LONG_GRACE: u16 = 600;

/// A whole simulation before it runs.
#[derive(Debug)]
pub struct Plan {
    /// What it all comes from.
    pub seed: u64,
    /// The heat.
    pub options: HeatOptions,
    /// How many heats they play.
    pub heats: u32,
    /// Who plays.
    pub players: Vec<(Skill, Pace)>,
    /// The longest way of a message, in milliseconds.
    pub latency: u64,
    /// Whether the server keeps its heats, and so may be started anew.
    pub stored: bool,
    /// What goes wrong, in order.
    pub faults: Vec<Fault>,
}

/// Something that goes wrong.
#[derive(Debug, Clone, Copy)]
pub struct Fault {
    /// When, from the first heat's beginning.
    pub at: Duration,
    /// For how long.
    pub lasts: Duration,
    /// What.
    pub what: What,
}

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// Whatever is sent between a player and the server is lost.
    Cut(usize),
    /// Whatever is sent between a player and the server arrives at the end only.
    Stall(usize),
    /// A player's connection breaks, and the player may connect again at once: the new
    /// connection may overtake the last of the old one.
    Break(usize),
    /// The server is killed.
    Kill,
    /// The server is told to shut down.
    Stop,
}

impl Plan {
    /// Draws the plan of a seed.
    pub fn of(seed: u64) -> Self {
        let mut chance = chance(seed, "a plan");
        let mut options = HeatOptions::new(spec(&mut chance));
        options.countdown_seconds = 1;
        options.delay_seconds = 0;
        options.grace_seconds = match chance.below(4) {
            0 => 20,
            _ => LONG_GRACE,
        };
        let players = between(&mut chance, PLAYERS);
        let players = (0..players)
            .map(|_| player(&mut chance))
            .collect::<Vec<_>>();
        let stored = chance.below(3) > 0;
        let faults = chance.below(FAULTS + 1);
        let mut faults: Vec<Fault> = (0..faults)
            .map(|_| fault(&mut chance, players.len(), stored))
            .collect();
        faults.sort_by_key(|fault| fault.at);
        one_at_a_time(&mut faults);
        Self {
            seed,
            options,
            heats: 1 + chance.below(2),
            players,
            latency: [0, 5, 40, 200][chance.below(4) as usize],
            stored,
            faults,
        }
    }

    /// Says whether nobody may lose a seat.
    pub fn keeps_seats(&self) -> bool {
        self.options.grace_seconds == LONG_GRACE
    }
}

/// Returns the chance of a seed for a purpose.
pub fn chance(seed: u64, purpose: &str) -> PortableRng {
    named(seed).rng(purpose, "")
}

/// Returns a seed as the whole project has them.
pub fn named(seed: u64) -> Seed {
    let mut bytes = [0; 10];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    Seed::from_entropy(bytes)
}

fn spec(chance: &mut PortableRng) -> PuzzleSpec {
    let all = ["slide:3x3", "link:5x5"];
    all[chance.below(2) as usize].parse().unwrap()
}

fn player(chance: &mut PortableRng) -> (Skill, Pace) {
    let skill = Skill::ALL[chance.below(5) as usize];
    (skill, Pace::times(1 + chance.below(3) as u8))
}

fn fault(chance: &mut PortableRng, players: usize, stored: bool) -> Fault {
    let at = Duration::from_millis(chance.below(FAULTY_MILLIS).into());
    let player = chance.below(players as u32) as usize;
    let seconds = [5, 30][chance.below(2) as usize];
    let (what, lasts) = match chance.below(if stored { 7 } else { 4 }) {
        0 | 1 => (What::Cut(player), Duration::from_secs(seconds)),
        2 => (What::Stall(player), Duration::from_secs(seconds)),
        3 => (What::Break(player), Duration::ZERO),
        4 | 5 => (
            What::Kill,
            Duration::from_millis(100 + u64::from(chance.below(10_000))),
        ),
        _ => (
            What::Stop,
            Duration::from_millis(3_000 + u64::from(chance.below(5_000))),
        ),
    };
    Fault { at, lasts, what }
}

/// Leaves out what would befall somebody to whom something happens already.
fn one_at_a_time(faults: &mut Vec<Fault>) {
    let mut taken: Vec<(Option<usize>, Duration)> = Vec::new();
    faults.retain(|fault| {
        let whom = match fault.what {
            What::Cut(player) | What::Stall(player) | What::Break(player) => Some(player),
            What::Kill | What::Stop => None,
        };
        let is_free = taken
            .iter()
            .all(|&(other, until)| other != whom || until < fault.at);
        if is_free {
            taken.push((whom, fault.at + fault.lasts));
        }
        is_free
    });
}

fn between(chance: &mut PortableRng, [least, most]: [u32; 2]) -> u32 {
    least + chance.below(most - least + 1)
}
