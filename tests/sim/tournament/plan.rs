//! The plan that a seed draws: the tournament's plan, its entrants, the organiser's commands, and
//! the faults with their times.

use crate::plan::{Fault, FaultKind, between, bot, chance};
use gridrace_client::bot::Pace;
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::options::{HeatOptions, HintRule};
use gridrace_shared::tournament::ids::TeamTag;
use gridrace_shared::tournament::plan::TournamentPlan as Stages;
use gridrace_shared::tournament::settings::TournamentSettings;
use gridrace_shared::util::seed::PortableRng;
use std::time::Duration;

/// Bots of a tournament, fewest and most; and people.
const BOTS: [u32; 2] = [2, 5];
const PEOPLE: [u32; 2] = [1, 2];
/// What is raced: few boards, as each takes simulated seconds and real time.
const STAGES: [&str; 12] = [
    "series:2",
    "heats:3/1+final:1",
    "knockout",
    "roundrobin",
    "swiss:2x2",
    "mo3",
    "lastout:2",
    "arena:2x1m",
    "double",
    "series:2@teams:2",
    "heats:2/1+final:2",
    "ao5",
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
/// Commands of a tournament's organiser, fewest and most; each pause is one with its resumption.
const COMMANDS: [u32; 2] = [3, 4];
/// How many more results come in at most until the next command.
const RESULTS_BETWEEN: u32 = 2;
/// How many milliseconds after the result for which a command waits it is given at the latest: between
/// two boards, in a countdown, or while the next board is raced.
const COMMAND_MILLIS: u32 = 12_000;
/// In one of this many commands the organiser's connection breaks as it is sent.
const BROKEN_COMMANDS: u32 = 4;
/// How many milliseconds after the beginning a late entrant enters.
const LATE_MILLIS: [u32; 2] = [500, 20_000];

/// A whole simulation before it runs.
#[derive(Debug, Clone)]
pub struct TournamentPlan {
    pub seed: u64,
    pub stages: Stages,
    pub settings: TournamentSettings,
    /// The bots: how well each plays.
    pub bots: Vec<(Skill, Pace)>,
    /// The people, who come after the bots and play by hints: how long each takes for a move.
    pub people: Vec<Duration>,
    /// How long after the beginning the first bot enters, if it is late.
    pub late: Option<Duration>,
    /// The longest delay of a message, in milliseconds.
    pub latency: u64,
    pub faults: Vec<Fault>,
    pub commands: Vec<PlannedCommand>,
}

/// What the organiser does, and when.
#[derive(Debug, Clone, Copy)]
pub struct PlannedCommand {
    pub kind: CommandKind,
    /// How many results the log has first, besides those of the command before.
    pub results: u32,
    /// How long after these.
    pub delay: Duration,
    /// Which result, entrant, table or board, counted through those that it may concern.
    pub choice: u32,
    /// Whether the organiser's connection breaks as the command is sent.
    pub breaks: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandKind {
    CorrectResult,
    TakeBack,
    ReplayTable,
    ReplayBoard,
    VoidBoard,
    /// And resumes.
    Pause,
    MoveGo,
    /// And, if there is one already, checks that one in again.
    Withdraw,
    /// Takes a seat away and gives it back, at any table.
    ChangeSeat,
    Disqualify,
    Redraw,
}

impl CommandKind {
    pub const ALL: [Self; 11] = [
        Self::CorrectResult,
        Self::Pause,
        Self::ReplayBoard,
        Self::Withdraw,
        Self::TakeBack,
        Self::MoveGo,
        Self::VoidBoard,
        Self::ChangeSeat,
        Self::ReplayTable,
        Self::Disqualify,
        Self::Redraw,
    ];
}

impl TournamentPlan {
    /// Draws the plan of a seed.
    pub fn of(seed: u64) -> Self {
        let mut chance = chance(seed, "a tournament");
        // All in turn, so that few seeds have each.
        let stages = STAGES[(seed % STAGES.len() as u64) as usize];
        let spec = PUZZLES[chance.below(PUZZLES.len() as u32) as usize];
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
        let faults = faults(&mut chance, players);
        let is_late = chance.below(2) == 0;
        let after = Duration::from_millis(between(&mut chance, LATE_MILLIS).into());
        let latency = [0, 5, 40, 200][chance.below(4) as usize];
        Self {
            seed,
            stages: stages.parse().unwrap(),
            settings,
            late: is_late.then_some(after),
            bots,
            people,
            latency,
            faults,
            commands: commands(&mut chance, seed),
        }
    }

    pub fn players(&self) -> usize {
        self.bots.len() + self.people.len()
    }

    /// Returns how many enter before the tournament begins.
    pub fn punctual(&self) -> usize {
        self.players() - usize::from(self.late.is_some())
    }

    /// Returns the team of a player, if the plan ranks teams.
    pub fn team(&self, player: usize) -> Option<TeamTag> {
        self.stages.team_scorers()?;
        Some(["RED", "BLUE"][player % 2].parse().unwrap())
    }

    /// Returns when a player's connection fails and how long, from the beginning.
    pub fn cuts(&self, player: usize) -> impl Iterator<Item = (Duration, Duration)> {
        let cuts = [FaultKind::Cut(player), FaultKind::Stall(player), FaultKind::Break(player)];
        let of_player = self.faults.iter().filter(move |fault| cuts.contains(&fault.what));
        of_player.map(|fault| (fault.at, fault.lasts))
    }
}

fn faults(chance: &mut PortableRng, players: usize) -> Vec<Fault> {
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
    faults
}

fn commands(chance: &mut PortableRng, seed: u64) -> Vec<PlannedCommand> {
    let kinds = CommandKind::ALL;
    // All in turn, so that few seeds have each.
    let first = (seed * u64::from(COMMANDS[1]) % kinds.len() as u64) as usize;
    let kinds = kinds.into_iter().cycle().skip(first);
    let count = between(chance, COMMANDS) as usize;
    let planned = kinds.take(count).map(|kind| PlannedCommand {
        kind,
        results: chance.below(RESULTS_BETWEEN + 1),
        delay: Duration::from_millis(chance.below(COMMAND_MILLIS).into()),
        choice: chance.below(1 << 16),
        breaks: chance.below(BROKEN_COMMANDS) == 0,
    });
    planned.collect()
}
