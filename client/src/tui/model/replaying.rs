//! The state of a replay on the screen.

use crate::tui::model::HeatModel;
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::heat_view::{HeatPhase, HeatView, NameTag, ProgressHistory, SpectatedBoards};
use gridrace_shared::protocol::snapshot::{Roster, Setup};
use gridrace_shared::replay::{Playback, Replay};
use gridrace_shared::util::time::{ClientInstant, HeatInstant, Millis, ServerInstant};
use std::time::Duration;

/// The speeds, in quarters of the real one.
pub const SPEEDS: [u32; 7] = [1, 2, 4, 8, 16, 32, 64];
const REAL: usize = 2;
/// The most time that goes by between two ticks: a program that was suspended goes on where it was.
const LONGEST_TICK: Duration = Duration::from_millis(300);
/// At how many instants the progress of a replay is taken down: more than a chart has dots.
const PROGRESS_SAMPLES: u64 = 400;
/// No player's number: the viewer of a replay wasn't in the heat.
const NO_PLAYER: PlayerId = PlayerId(u32::MAX);

#[derive(Debug, Clone)]
pub struct Replaying {
    /// The replay, and the instant that is shown.
    pub playback: Playback,
    /// The heat at that instant, as a spectator has it.
    pub heat: HeatModel,
    pub playing: bool,
    /// Which of [`SPEEDS`] it goes at.
    pub speed: usize,
    pub alone: Option<PlayerId>,
    /// The instant, finer than it is shown: slow speeds take several ticks a millisecond.
    position: Duration,
    /// Up to when time has gone on, on the program's own clock.
    played: Option<ClientInstant>,
}

impl Replaying {
    /// Starts at GO, and goes on.
    pub fn new(replay: Replay) -> Self {
        let mut heat = heat(&replay);
        let mut playback = Playback::new(replay);
        heat.progress = progress(&mut playback);
        let mut replaying = Self {
            playback,
            heat,
            playing: true,
            speed: REAL,
            alone: None,
            position: Duration::ZERO,
            played: None,
        };
        replaying.show();
        replaying
    }

    /// Lets time go on to an instant of the program's own clock.
    pub fn tick(&mut self, now: ClientInstant) {
        let before = self.played.replace(now).unwrap_or(now);
        if !self.playing {
            return;
        }
        let elapsed = now.since(before).min(LONGEST_TICK);
        let quarters = SPEEDS.get(self.speed).copied().unwrap_or(4);
        self.position = self.position.saturating_add(elapsed.saturating_mul(quarters) / 4);
        self.playback.seek(Millis(u64::try_from(self.position.as_millis()).unwrap_or(u64::MAX)));
        if self.playback.is_over() {
            self.playing = false;
        }
        self.show();
    }

    /// Stops, or goes on; at the end, from the beginning.
    pub fn pause(&mut self) {
        if self.playback.is_over() {
            self.seek(Millis(0));
            self.playing = true;
        } else {
            self.playing = !self.playing;
        }
    }

    pub fn seek(&mut self, to: Millis) {
        self.playback.seek(to);
        self.moved();
    }

    /// Goes to a percentage of the heat.
    pub fn seek_percent(&mut self, percent: u64) {
        self.seek(Millis(self.playback.end().0 * percent.min(100) / 100));
    }

    /// Goes on or back to the nearest event, and stops there.
    pub fn step(&mut self, forward: bool) {
        if forward {
            self.playback.forward();
        } else {
            self.playback.back();
        }
        self.playing = false;
        self.moved();
    }

    pub fn change_speed(&mut self, faster: bool) {
        self.speed = if faster {
            (self.speed + 1).min(SPEEDS.len() - 1)
        } else {
            self.speed.saturating_sub(1)
        };
    }

    /// Shows the next player alone, or the one before; between the last and the first, all.
    pub fn choose(&mut self, forward: bool) {
        let racers = self.playback.replay().events.racers();
        let at = |player| racers.iter().position(|racer| racer.id == player);
        // 0 stands for all.
        let now = self.alone.and_then(at).map_or(0, |at| at + 1);
        let next = super::around(now, racers.len() + 1, forward);
        self.alone = next.checked_sub(1).map(|at| racers[at].id);
    }

    /// Returns how far it is, in thousandths.
    pub fn thousandths(&self) -> u16 {
        let (at, end) = (self.playback.at().0, self.playback.end().0);
        let part = (at * 1_000).checked_div(end).unwrap_or(1_000);
        u16::try_from(part).unwrap_or(1_000)
    }

    fn moved(&mut self) {
        self.position = Duration::from_millis(self.playback.at().0);
        self.show();
    }

    /// Takes the boards and the standings of the instant over.
    fn show(&mut self) {
        self.heat.standings = self.playback.standings();
        self.heat.standings_at = HeatInstant(0) + self.playback.at();
        self.heat.outage = self.playback.away();
        if let HeatPhase::Watching(watching) = &mut self.heat.view.phase {
            for runner in self.playback.players() {
                watching.boards.insert(runner.player, runner.board.clone());
                // An undone stroke has no cell to follow: the board before it isn't known.
                let changed = |play| runner.board.changed_cell(&runner.board, play);
                match runner.last.as_ref().and_then(changed) {
                    Some(cell) => watching.changed.insert(runner.player, cell),
                    None => watching.changed.remove(&runner.player),
                };
            }
        }
    }
}

/// Returns the progress of all over the whole heat; the playback stands at GO afterwards.
fn progress(playback: &mut Playback) -> ProgressHistory {
    let mut progress = ProgressHistory::default();
    for sample in 0..=PROGRESS_SAMPLES {
        playback.seek(Millis(playback.end().0.saturating_mul(sample) / PROGRESS_SAMPLES));
        progress.record(playback.at(), &playback.standings());
    }
    playback.seek(Millis(0));
    progress
}

/// Makes the heat that a replay is of, as a spectator has it at GO.
fn heat(replay: &Replay) -> HeatModel {
    let (header, events) = (&replay.header, &replay.events);
    let limit = header.options.time_limit();
    let players = events.racers().iter().map(|racer| racer.id);
    let start = events.start().clone();
    let watching =
        SpectatedBoards::new(HeatInstant(0), HeatInstant(0) + limit, start, players, Vec::new());
    let names = events
        .racers()
        .iter()
        .map(|racer| (racer.id, NameTag { name: racer.name.to_string(), kind: racer.kind }));
    let setup = Setup {
        number: header.number,
        options: header.options.clone(),
        seed: header.origin,
        commitment: header.commitment,
        queued: None,
        held_by: None,
        table: None,
    };
    let roster = Roster { host: None, members: Vec::new() };
    let lobby = HeatView::empty(NO_PLAYER, header.code, ServerInstant(0), setup, roster);
    let phase = HeatPhase::Watching(Box::new(watching));
    let view = HeatView { names: names.collect(), phase, ..lobby };
    HeatModel::of(view, None)
}
