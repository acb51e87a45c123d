//! A replay at any instant of its heat.

use super::{Record, RecordCursor, Replay};
use crate::heat::standings::Standing;
use crate::replay::simulate::{SimulatedPlayer, Simulation};
use crate::util::time::Millis;
use std::collections::VecDeque;

/// Number of latest records kept: more than a screen shows.
const RECENT: usize = 32;

/// A replay at an instant. Skips records that violate the rules; [`super::verify`] reports them.
#[derive(Debug, Clone)]
pub struct Playback {
    replay: Replay,
    simulation: Simulation,
    cursor: RecordCursor,
    next: Option<Record>,
    at: Millis,
    recent: VecDeque<Record>,
}

impl Playback {
    /// Stands at GO.
    pub fn new(replay: Replay) -> Self {
        let mut playback = Self {
            simulation: Simulation::new(&replay.events, &replay.header.options),
            cursor: RecordCursor::new(&replay.events),
            next: None,
            at: Millis(0),
            recent: VecDeque::new(),
            replay,
        };
        playback.rewind();
        playback
    }

    pub const fn replay(&self) -> &Replay {
        &self.replay
    }

    pub const fn at(&self) -> Millis {
        self.at
    }

    pub const fn end(&self) -> Millis {
        self.replay.outcome.ended
    }

    pub fn is_over(&self) -> bool {
        self.at >= self.end()
    }

    /// Goes to an instant, backwards too, or to the end if that comes first.
    pub fn seek(&mut self, to: Millis) {
        let to = to.min(self.end());
        if to < self.at {
            self.rewind();
        }
        while self.next.as_ref().is_some_and(|next| next.at <= to) {
            self.step();
        }
        self.at = to;
    }

    /// Goes to the instant of the next record, or to the end.
    pub fn forward(&mut self) {
        let next = self.next.as_ref().map(|next| next.at);
        self.seek(next.unwrap_or(self.end()));
    }

    /// Goes back to before the latest record: to the instant of the one before, or to GO.
    pub fn back(&mut self) {
        let now = self.at;
        let earlier =
            self.replay.events.records().map(|(_, record)| record.at).take_while(|&at| at < now);
        let to = earlier.last().unwrap_or_default();
        self.seek(to);
    }

    pub fn players(&self) -> &[SimulatedPlayer] {
        self.simulation.players()
    }

    /// Returns the standings: those of the instant, and at the end the recorded ones.
    pub fn standings(&self) -> Vec<Standing> {
        if self.is_over() {
            self.replay.outcome.standings.clone()
        } else {
            self.simulation.standings()
        }
    }

    pub const fn away(&self) -> Millis {
        self.simulation.away()
    }

    /// Returns the latest records, the oldest first.
    pub fn recent(&self) -> impl DoubleEndedIterator<Item = &Record> {
        self.recent.iter()
    }

    fn rewind(&mut self) {
        self.simulation = Simulation::new(&self.replay.events, &self.replay.header.options);
        self.cursor = RecordCursor::new(&self.replay.events);
        self.next = self.cursor.next(&self.replay.events);
        self.at = Millis(0);
        self.recent.clear();
        while self.next.as_ref().is_some_and(|next| next.at == Millis(0)) {
            self.step();
        }
    }

    fn step(&mut self) {
        let next = self.cursor.next(&self.replay.events);
        let Some(record) = std::mem::replace(&mut self.next, next) else {
            return;
        };
        self.simulation.run(&record).ok(); // it is shown as if it hadn't happened
        if self.recent.len() == RECENT {
            self.recent.pop_front();
        }
        self.recent.push_back(record);
    }
}
