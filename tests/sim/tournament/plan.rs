//! The plan that a seed draws: what is raced, by whom, and which faults happen when.

use crate::plan::{Fault, FaultKind, between, bot, chance};
use gridrace_client::bot::Pace;
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::options::{HeatOptions, HintRule};
use gridrace_shared::tournament::plan::TournamentPlan as Stages;
use gridrace_shared::tournament::settings::TournamentSettings;
use std::time::Duration;

/// Bots of a tournament, fewest and most; and people.
const BOTS: [u32; 2] = [2, 5];
const PEOPLE: [u32; 2] = [1, 2];
/// What is raced: few boards, as each takes simulated seconds and real time.
const STAGES: [&str; 7] = [
    "series:2",
    "heats:3/1+final:1",
    "knockout",
    "swiss:2x2",
    "lastout:2",
    "double",
    "heats:2/1+final:2",
];
const PUZZLES: [&str; 2] = ["slide:3x3", "link:5x5"];
/// Between two moves of a person, in milliseconds, shortest and longest.
const PACE_MILLIS: [u32; 2] = [150, 600];
/// Faults of a player's connection at most.
const FAULTS: u32 = 4;
/// Kills in the middle of rounds at most.
const KILLS: u32 = 6;
/// Within how many milliseconds of the tournament's beginning connections fail.
const FAULTY_MILLIS: u32 = 60_000;
/// How many milliseconds after a board is seen to be raced the server is killed at the latest.
const RACING_MILLIS: u32 = 2_500;
/// How many milliseconds the server is away at most.
const AWAY_MILLIS: u32 = 6_000;

/// A whole simulation before it runs.
#[derive(Debug)]
pub struct TournamentPlan {
    pub seed: u64,
    pub stages: Stages,
    pub settings: TournamentSettings,
    /// The bots: how well each plays.
    pub bots: Vec<(Skill, Pace)>,
    /// The people, who come after the bots and play by hints: how long each takes for a move.
    pub people: Vec<Duration>,
    /// The longest delay of a message, in milliseconds.
    pub latency: u64,
    pub faults: Vec<Fault>,
}

impl TournamentPlan {
    /// Draws the plan of a seed.
    pub fn of(seed: u64) -> Self {
        let mut chance = chance(seed, "a tournament");
        let mut pick = |of: &[&'static str]| of[chance.below(of.len() as u32) as usize];
        let (stages, spec) = (pick(&STAGES), pick(&PUZZLES));
        let mut settings = TournamentSettings::new(spec.parse().unwrap());
        settings.pause_seconds = 3;
        settings.break_seconds = 5;
        let options: &mut HeatOptions = &mut settings.options;
        options.time_limit_seconds = 600;
        options.delay_seconds = 0;
        // No player may lose a seat, and all must finish.
        options.grace_seconds = 600;
        options.idle_seconds = 0;
        options.hints = HintRule::Free;
        let count = between(&mut chance, BOTS);
        let bots: Vec<_> = (0..count).map(|_| bot(&mut chance, false)).collect();
        let count = between(&mut chance, PEOPLE);
        let pace = |chance: &mut _| Duration::from_millis(between(chance, PACE_MILLIS).into());
        let people: Vec<Duration> = (0..count).map(|_| pace(&mut chance)).collect();
        let players = bots.len() + people.len();
        let mut faults = Vec::new();
        let mut busy = Vec::new();
        for _ in 0..chance.below(FAULTS + 1) {
            let player = chance.below(players as u32) as usize;
            let at = Duration::from_millis(chance.below(FAULTY_MILLIS).into());
            let what = match chance.below(3) {
                0 => FaultKind::Cut(player),
                1 => FaultKind::Stall(player),
                _ => FaultKind::Break(player),
            };
            // One fault of a player's: they last differently long.
            if !busy.contains(&player) {
                busy.push(player);
                faults.push(Fault { at, lasts: Duration::from_secs(5), what });
            }
        }
        for _ in 0..chance.below(KILLS + 1) {
            let what = FaultKind::KillRacing(chance.below(RACING_MILLIS).into());
            let away = Duration::from_millis(100 + u64::from(chance.below(AWAY_MILLIS)));
            faults.push(Fault { at: Duration::ZERO, lasts: away, what });
        }
        let latency = [0, 5, 40, 200][chance.below(4) as usize];
        let stages = stages.parse().unwrap();
        Self { seed, stages, settings, bots, people, latency, faults }
    }

    pub fn players(&self) -> usize {
        self.bots.len() + self.people.len()
    }

    /// Says whether a player's connection fails, so that the player may miss a GO.
    pub fn cuts(&self, player: usize) -> bool {
        let cuts = [FaultKind::Cut(player), FaultKind::Stall(player), FaultKind::Break(player)];
        self.faults.iter().any(|fault| cuts.contains(&fault.what))
    }
}
