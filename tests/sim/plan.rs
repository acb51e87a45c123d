//! What a seed stands for: who plays what, and what goes wrong when.

use gridrace_client::bot::Pace;
use gridrace_shared::bot::Skill;
use gridrace_shared::options::{HeatOptions, HintRule};
use gridrace_shared::puzzle::PuzzleSpec;
use gridrace_shared::seed::{PortableRng, Seed};
use std::time::Duration;

/// Bots of a simulation, fewest and most.
const BOTS: [u32; 2] = [2, 6];
/// People of a simulation, fewest and most.
const PEOPLE: [u32; 2] = [1, 2];
/// Between two moves of a person, in milliseconds, shortest and longest.
const PACE_MILLIS: [u32; 2] = [150, 900];
/// Faults of a simulation at most.
const FAULTS: u32 = 6;
/// Within how many milliseconds of the first heat's beginning the faults come.
const FAULTY_MILLIS: u32 = 45_000;
/// So long a grace outlasts whatever a plan holds: nobody may lose a seat.
const LONG_GRACE: u16 = 600;
/// By how many milliseconds a calendar may be set: an hour on and back, to 1970, two centuries.
const JUMPS: [i64; 4] = [3_600_000, -3_600_000, -(1 << 50), 200 * 365 * 86_400_000];

/// A whole simulation before it runs.
#[derive(Debug)]
pub struct Plan {
    /// What it all comes from.
    pub seed: u64,
    /// The heat.
    pub options: HeatOptions,
    /// How many heats they play.
    pub heats: u32,
    /// The bots: how well each plays.
    pub bots: Vec<(Skill, Pace)>,
    /// The people, who come after the bots and play by hints: how long each takes for a move.
    pub people: Vec<Duration>,
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
    /// The same, from when the player waits for a hint.
    CutAsking(usize),
    /// Whatever is sent between a player and the server arrives at the end only.
    Stall(usize),
    /// A player's connection breaks, and the player may connect again at once: the new
    /// connection may overtake the last of the old one.
    Break(usize),
    /// The server is killed.
    Kill,
    /// The server is told to shut down.
    Stop,
    /// The machine's calendar is set on or back by so many milliseconds.
    Jump(i64),
}

impl Plan {
    /// Draws the plan of a seed.
    pub fn of(seed: u64) -> Self {
        let mut chance = chance(seed, "a plan");
        let mut options = HeatOptions::new(specs()[chance.below(2) as usize]);
        options.countdown_seconds = 1;
        options.delay_seconds = 0;
        options.grace_seconds = match chance.below(4) {
            0 => 20,
            _ => LONG_GRACE,
        };
        options.hints = match chance.below(2) {
            0 => HintRule::Free,
            _ => HintRule::Priced { seconds: 10 },
        };
        let bots = between(&mut chance, BOTS);
        let bots = (0..bots).map(|_| bot(&mut chance)).collect::<Vec<_>>();
        let people = between(&mut chance, PEOPLE);
        let people = (0..people)
            .map(|_| Duration::from_millis(between(&mut chance, PACE_MILLIS).into()))
            .collect::<Vec<_>>();
        let stored = chance.below(3) > 0;
        let faults = chance.below(FAULTS + 1);
        let mut faults: Vec<Fault> = (0..faults)
            .map(|_| fault(&mut chance, bots.len(), people.len(), stored))
            .collect();
        faults.sort_by_key(|fault| fault.at);
        one_at_a_time(&mut faults);
        Self {
            seed,
            options,
            heats: 1 + chance.below(2),
            bots,
            people,
            latency: [0, 5, 40, 200][chance.below(4) as usize],
            stored,
            faults,
        }
    }

    /// Returns how many play.
    pub fn players(&self) -> usize {
        self.bots.len() + self.people.len()
    }

    /// Leaves out every end of the server.
    pub fn without_restarts(mut self) -> Self {
        self.faults
            .retain(|fault| !matches!(fault.what, What::Kill | What::Stop));
        self
    }

    /// Sets the calendar on and back every few seconds as well.
    pub fn with_jumps(mut self) -> Self {
        let times = (0..FAULTY_MILLIS).step_by(3_000);
        let jumps = times.zip(JUMPS.into_iter().cycle());
        self.faults.extend(jumps.map(|(at, by)| Fault {
            at: Duration::from_millis(at.into()),
            lasts: Duration::ZERO,
            what: What::Jump(by),
        }));
        self
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

/// Returns the puzzles that are played.
pub fn specs() -> [PuzzleSpec; 2] {
    ["slide:3x3", "link:5x5"].map(|spec| spec.parse().unwrap())
}

fn bot(chance: &mut PortableRng) -> (Skill, Pace) {
    let skill = Skill::ALL[chance.below(5) as usize];
    (skill, Pace::times(1 + chance.below(3) as u8))
}

fn fault(chance: &mut PortableRng, bots: usize, people: usize, stored: bool) -> Fault {
    let at = Duration::from_millis(chance.below(FAULTY_MILLIS).into());
    let player = chance.below((bots + people) as u32) as usize;
    let person = bots + chance.below(people as u32) as usize;
    let seconds = [5, 30][chance.below(2) as usize];
    let jump = JUMPS[chance.below(4) as usize];
    let (what, lasts) = match chance.below(if stored { 10 } else { 7 }) {
        0 | 1 => (What::Cut(player), Duration::from_secs(seconds)),
        2 => (What::Stall(player), Duration::from_secs(seconds)),
        3 | 4 => (What::Break(player), Duration::ZERO),
        5 => (What::CutAsking(person), Duration::from_secs(seconds)),
        6 => (What::Jump(jump), Duration::ZERO),
        7 | 8 => (
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
            What::Cut(player)
            | What::CutAsking(player)
            | What::Stall(player)
            | What::Break(player) => Some(player),
            What::Kill | What::Stop => None,
            What::Jump(_) => return true,
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
