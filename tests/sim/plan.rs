//! The plan that a seed draws: players, puzzles, and the faults with their times.

use gridrace_client::bot::Pace;
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::options::{HeatOptions, HintRule};
use gridrace_shared::puzzle::PuzzleSpec;
use gridrace_shared::util::seed::{PortableRng, Seed};
use std::time::Duration;

/// Bots of a simulation, fewest and most.
const BOTS: [u32; 2] = [2, 6];
/// People of a simulation, fewest and most.
const PEOPLE: [u32; 2] = [1, 2];
/// Between two moves of a person, in milliseconds, shortest and longest; and on large boards.
const PACE_MILLIS: [[u32; 2]; 2] = [[150, 900], [60, 120]];
/// Faults of a simulation at most.
const FAULTS: u32 = 6;
/// Within how many milliseconds of the first heat's beginning the faults happen.
const FAULTY_MILLIS: u32 = 45_000;
/// Between how many milliseconds of the first heat's beginning all players certainly race.
const EARLY_MILLIS: [u32; 2] = [1_500, 5_000];
/// In one of this many simulations with a disk, it is full and nothing else goes wrong.
const DISK_ALONE: u32 = 6;
/// How many milliseconds a disk is full, or hangs, shortest and longest: the server gives up on one
/// that hangs after ten seconds.
const DISK_MILLIS: [u32; 2] = [500, 20_000];
/// How many milliseconds after the last finish was sent it may still be unknown.
const FINISH_MILLIS: u32 = 600;
/// A grace period that outlasts all faults: no player may lose a seat.
const LONG_GRACE: u16 = 600;
/// By how many milliseconds a calendar may be set: an hour on and back, to 1970, two centuries.
const JUMPS: [i64; 4] = [3_600_000, -3_600_000, -(1 << 50), 200 * 365 * 86_400_000];

/// A whole simulation before it runs.
#[derive(Debug)]
pub struct Plan {
    pub seed: u64,
    pub options: HeatOptions,
    pub heats: u32,
    /// The bots: how well each plays.
    pub bots: Vec<(Skill, Pace)>,
    /// The people, who come after the bots and play by hints: how long each takes for a move.
    pub people: Vec<Duration>,
    /// The longest delay of a message, in milliseconds.
    pub latency: u64,
    /// Whether the server stores its heats, and so may be restarted.
    pub stored: bool,
    /// The faults, in order.
    pub faults: Vec<Fault>,
}

#[derive(Debug, Clone, Copy)]
pub struct Fault {
    /// When, from the first heat's beginning.
    pub at: Duration,
    pub lasts: Duration,
    pub what: FaultKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// Whatever is sent between a player and the server is lost.
    Cut(usize),
    /// The same, from when the player waits for a hint.
    CutAsking(usize),
    /// Whatever is sent between a player and the server arrives at the end only.
    Stall(usize),
    /// A player's connection breaks, and the player may connect again at once: the new
    /// connection may overtake the last of the old one.
    Break(usize),
    Kill,
    /// The same, some milliseconds after the last move of a heat was sent.
    KillAtFinish(u64),
    /// The same, some milliseconds after a board of a tournament is seen to be raced.
    KillRacing(u64),
    /// The server is told to shut down.
    Stop,
    Full,
    Hang,
    /// Each commit takes the server's disk most of a second.
    Slow,
    /// The machine's calendar is set forward or back by some milliseconds.
    Jump(i64),
}

impl Plan {
    /// Draws the plan of a seed.
    pub fn of(seed: u64) -> Self {
        let mut chance = chance(seed, "a plan");
        let mut options = HeatOptions::new(spec(&mut chance));
        options.countdown_seconds = 1;
        options.time_limit_seconds = 3_600;
        options.delay_seconds = 0;
        options.grace_seconds = match chance.below(4) {
            0 => 20,
            _ => LONG_GRACE,
        };
        if options.grace_seconds == LONG_GRACE {
            // All must finish, also one whose network stalls for longer than an idle player has.
            options.idle_seconds = 0;
        }
        options.hints = match chance.below(2) {
            0 => HintRule::Free,
            _ => HintRule::Priced { seconds: 10 },
        };
        let bots = between(&mut chance, BOTS);
        let large = is_large(&options.spec);
        let bots = (0..bots).map(|_| bot(&mut chance, large)).collect::<Vec<_>>();
        let people = between(&mut chance, PEOPLE);
        let pace = PACE_MILLIS[usize::from(large)];
        let people = (0..people)
            .map(|_| Duration::from_millis(between(&mut chance, pace).into()))
            .collect::<Vec<_>>();
        let stored = chance.below(3) > 0;
        let faults = chance.below(FAULTS + 1);
        let mut faults: Vec<Fault> =
            (0..faults).map(|_| fault(&mut chance, bots.len(), people.len(), stored)).collect();
        if stored && chance.below(DISK_ALONE) == 0 {
            faults.retain(|fault| matches!(fault.what, FaultKind::Full | FaultKind::Jump(_)));
            faults.push(early_full(&mut chance));
        }
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

    pub fn players(&self) -> usize {
        self.bots.len() + self.people.len()
    }

    /// Removes all faults that end the server.
    pub fn without_restarts(mut self) -> Self {
        self.faults.retain(|fault| {
            !matches!(fault.what, FaultKind::Kill | FaultKind::KillAtFinish(_) | FaultKind::Stop)
        });
        self
    }

    /// Adds jumps of the calendar every few seconds.
    pub fn with_jumps(mut self) -> Self {
        let times = (0..FAULTY_MILLIS).step_by(3_000);
        let jumps = times.zip(JUMPS.into_iter().cycle());
        self.faults.extend(jumps.map(|(at, by)| Fault {
            at: Duration::from_millis(at.into()),
            lasts: Duration::ZERO,
            what: FaultKind::Jump(by),
        }));
        self
    }

    /// Says whether nothing goes wrong but that the disk is full.
    pub fn spares_the_network(&self) -> bool {
        let spares = |fault: &Fault| matches!(fault.what, FaultKind::Full | FaultKind::Jump(_));
        self.faults.iter().all(spares)
    }

    /// Says whether no player may lose a seat.
    pub fn keeps_seats(&self) -> bool {
        self.options.grace_seconds == LONG_GRACE
    }
}

pub fn chance(seed: u64, purpose: &str) -> PortableRng {
    named(seed).rng(purpose, "")
}

/// Returns the seed of a number.
pub fn named(seed: u64) -> Seed {
    Seed::from_entropy(u128::from(seed).to_be_bytes())
}

/// Returns the puzzles that are played. The last are those that take long. A size has tables that
/// are built quickly, or none, so nothing depends on when they are ready.
pub fn specs() -> [PuzzleSpec; 5] {
    let all = ["slide:3x3", "link:5x5", "link:7x7", "slide:6x6", "slide:8x8"];
    all.map(|spec| spec.parse().unwrap())
}

fn spec(chance: &mut PortableRng) -> PuzzleSpec {
    // Large boards take twenty times as long to simulate.
    let which = match chance.below(128) {
        0 => 4,
        1..=4 => 3,
        5..=24 => 2,
        25..=74 => 1,
        _ => 0,
    };
    specs()[which]
}

/// Draws a bot: on a large board a quick one, which doesn't look far ahead.
pub fn bot(chance: &mut PortableRng, large: bool) -> (Skill, Pace) {
    let [skills, slowest] = if large { [4, 5] } else { [5, 1] };
    let skill = Skill::ALL[chance.below(skills) as usize];
    let pace = between(chance, [slowest, 10]) as u8;
    (skill, Pace::times(pace))
}

fn fault(chance: &mut PortableRng, bots: usize, people: usize, stored: bool) -> Fault {
    let at = match chance.below(2) {
        0 => between(chance, EARLY_MILLIS),
        _ => chance.below(FAULTY_MILLIS),
    };
    let at = Duration::from_millis(at.into());
    let player = chance.below((bots + people) as u32) as usize;
    let person = bots + chance.below(people as u32) as usize;
    let seconds = [5, 30][chance.below(2) as usize];
    let jump = JUMPS[chance.below(4) as usize];
    let after = chance.below(FINISH_MILLIS).into();
    let away = Duration::from_millis(100 + u64::from(chance.below(15_000)));
    let disk = Duration::from_millis(between(chance, DISK_MILLIS).into());
    let (what, lasts) = match chance.below(if stored { 15 } else { 7 }) {
        0 | 1 => (FaultKind::Cut(player), Duration::from_secs(seconds)),
        2 => (FaultKind::Stall(player), Duration::from_secs(seconds)),
        3 | 4 => (FaultKind::Break(player), Duration::ZERO),
        5 => (FaultKind::CutAsking(person), Duration::from_secs(seconds)),
        6 => (FaultKind::Jump(jump), Duration::ZERO),
        7 | 8 => (FaultKind::Kill, away),
        9 => (FaultKind::KillAtFinish(after), away),
        10 | 11 => (FaultKind::Full, disk),
        12 => (FaultKind::Hang, disk),
        13 => (FaultKind::Slow, disk),
        _ => (FaultKind::Stop, Duration::from_millis(3_000 + u64::from(chance.below(5_000)))),
    };
    Fault { at, lasts, what }
}

/// Draws a full disk while all players certainly race.
fn early_full(chance: &mut PortableRng) -> Fault {
    let at = Duration::from_millis(between(chance, EARLY_MILLIS).into());
    let lasts = Duration::from_millis(between(chance, DISK_MILLIS).into());
    let what = FaultKind::Full;
    Fault { at, lasts, what }
}

#[derive(PartialEq, Eq)]
enum FaultTarget {
    Player(usize),
    Server,
    Disk,
}

/// Removes faults of a target that already has one at that time.
fn one_at_a_time(faults: &mut Vec<Fault>) {
    let mut taken: Vec<(FaultTarget, Duration)> = Vec::new();
    faults.retain(|fault| {
        let whom = match fault.what {
            FaultKind::Cut(player)
            | FaultKind::CutAsking(player)
            | FaultKind::Stall(player)
            | FaultKind::Break(player) => FaultTarget::Player(player),
            FaultKind::Kill | FaultKind::Stop => FaultTarget::Server,
            FaultKind::Full | FaultKind::Hang | FaultKind::Slow => FaultTarget::Disk,
            FaultKind::KillAtFinish(_) | FaultKind::KillRacing(_) | FaultKind::Jump(_) => {
                return true;
            }
        };
        let is_free = taken.iter().all(|(other, until)| *other != whom || *until < fault.at);
        if is_free {
            taken.push((whom, fault.at + fault.lasts));
        }
        is_free
    });
}

/// Says whether hundreds of moves are to be played.
fn is_large(spec: &PuzzleSpec) -> bool {
    specs()[3..].contains(spec)
}

pub fn between(chance: &mut PortableRng, [least, most]: [u32; 2]) -> u32 {
    least + chance.below(most - least + 1)
}
