//! Load shedding: which moves a runtime admits, and how often standings wake their readers.
//!
//! A standing queue adds delay, not throughput. When the wake latency of every task of a runtime
//! has been long for a while, standings, which are most of what is written, wake their readers
//! less and less often: they are sent with the next message. If that isn't enough, moves that
//! have waited too long are refused before they cost anything, and the others stay fast. That
//! latency counts when it lasts, not when it peaks, is the idea of CoDel (Nichols and Jacobson,
//! "Controlling queue delay", 2012).

use crate::platform::lock::lock;
use gridrace_shared::util::time::ServerInstant;
use std::sync::Mutex;
use std::time::Duration;

/// The longest wake latency of a move that is admitted under load. A move may wait twice more,
/// for its room and for its answer, and some 20 ms for its group in the journal: less than 50 ms
/// in all.
const TARGET_DELAY: Duration = Duration::from_millis(5);
/// How long latency must exceed [`TARGET_DELAY`] before the next step: first standings, one
/// step at a time, then moves. A shorter burst is soon served.
const INTERVAL: Duration = Duration::from_millis(50);
/// The time between standings that wake a reader who is sent nothing else, at each step: four a
/// second move a progress bar smoothly enough.
const STANDINGS_INTERVALS: [Duration; 4] = [
    Duration::from_millis(250),
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_secs(2),
];
/// How long latency must stay below [`TARGET_DELAY`] before standings take a step back: long, so
/// that a step back that wakes too many readers again is rare.
const STEP_DOWN_AFTER: Duration = Duration::from_secs(5);
/// How long after the last refusal moves may still be refused.
const HOLD_OFF: Duration = Duration::from_secs(1);
/// The time after an admitted move in which another one may be refused. If the machine gives the
/// server too little time, refusing doesn't help, and races must go on. A server that is only
/// overloaded admits more than that.
const TRICKLE_PERIOD: Duration = Duration::from_millis(20);

#[derive(Debug)]
pub(crate) struct LoadShedding {
    is_enabled: bool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Since when every latency was long and no step was taken.
    long_since: Option<ServerInstant>,
    step: usize,
    /// When the latency was last long for an [`INTERVAL`], or the step was last lowered.
    stepped: ServerInstant,
    refused: Option<ServerInstant>,
    admitted: Option<ServerInstant>,
}

impl LoadShedding {
    /// Starts without load. One that isn't enabled sheds none.
    pub(crate) fn new(is_enabled: bool) -> Self {
        Self { is_enabled, state: Mutex::default() }
    }

    /// Admits or refuses a move of a task that was woken at this instant.
    pub(crate) fn admit_move(&self, woken: ServerInstant, now: ServerInstant) -> bool {
        !self.is_enabled || lock(&self.state).admit_move(woken, now)
    }

    /// Returns the time between standings that wake a silent reader.
    pub(crate) fn standings_interval(&self, now: ServerInstant) -> Duration {
        lock(&self.state).standings_interval(now)
    }
}

impl State {
    fn admit_move(&mut self, woken: ServerInstant, now: ServerInstant) -> bool {
        if now.since(woken) <= TARGET_DELAY {
            self.long_since = None;
            self.admitted = Some(now);
            return true;
        }
        let long_since = *self.long_since.get_or_insert(now);
        let is_overloaded = now.since(long_since) >= INTERVAL;
        let is_last = self.step == STANDINGS_INTERVALS.len() - 1;
        if is_overloaded {
            self.stepped = now;
            if !is_last {
                self.step += 1;
                self.long_since = Some(now);
            }
        }
        let is_within =
            |last: Option<ServerInstant>, span| last.is_some_and(|last| now.since(last) < span);
        let may_refuse = is_overloaded && is_last || is_within(self.refused, HOLD_OFF);
        let is_refused = may_refuse && is_within(self.admitted, TRICKLE_PERIOD);
        *(if is_refused { &mut self.refused } else { &mut self.admitted }) = Some(now);
        !is_refused
    }

    fn standings_interval(&mut self, now: ServerInstant) -> Duration {
        while self.step > 0 && now.since(self.stepped) >= STEP_DOWN_AFTER {
            self.step -= 1;
            self.stepped = self.stepped + STEP_DOWN_AFTER;
        }
        STANDINGS_INTERVALS[self.step]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> ServerInstant {
        ServerInstant(millis * 1_000)
    }

    /// Asks once a millisecond for a move that has waited this long, and counts those admitted.
    fn admitted(state: &mut State, from: u64, millis: u64, waited: u64) -> usize {
        (from..from + millis).filter(|&now| state.admit_move(at(now - waited), at(now))).count()
    }

    #[test]
    fn a_peak_changes_nothing_and_lasting_latency_refuses_in_the_end() {
        let mut state = State::default();
        assert_eq!(admitted(&mut state, 1_000, 50, 80), 50);
        assert_eq!(admitted(&mut state, 1_050, 1, 5), 1);
        assert_eq!(state.standings_interval(at(1_050)), STANDINGS_INTERVALS[0]);
        assert_eq!(admitted(&mut state, 1_100, 200, 80), 200);
        assert_eq!(admitted(&mut state, 1_300, 100, 80), 5, "a trickle");
    }

    #[test]
    fn moves_of_low_latency_are_admitted_under_load() {
        let mut state = State::default();
        admitted(&mut state, 1_000, 202, 80);
        assert_eq!(admitted(&mut state, 1_202, 100, 5), 100);
        assert_eq!(admitted(&mut state, 1_302, 100, 6), 5, "a trickle");
        assert_eq!(admitted(&mut state, 1_402, 100, 5), 100);
    }

    #[test]
    fn standings_step_up_before_moves_are_refused_and_step_down_slowly() {
        let mut state = State::default();
        let mut now = 1_000;
        for interval in STANDINGS_INTERVALS {
            assert_eq!(admitted(&mut state, now, 50, 80), 50);
            assert_eq!(state.standings_interval(at(now)), interval);
            now += 50;
        }
        let last = now - 50;
        let mut after = |span: Duration| state.standings_interval(at(last) + span);
        let milli = Duration::from_millis(1);
        assert_eq!(after(STEP_DOWN_AFTER - milli), STANDINGS_INTERVALS[3]);
        assert_eq!(after(STEP_DOWN_AFTER), STANDINGS_INTERVALS[2]);
        assert_eq!(after(2 * STEP_DOWN_AFTER - milli), STANDINGS_INTERVALS[2]);
        assert_eq!(after(9 * STEP_DOWN_AFTER), STANDINGS_INTERVALS[0]);
    }

    #[test]
    fn a_second_without_a_refusal_ends_the_overload() {
        let mut state = State::default();
        admitted(&mut state, 1_000, 202, 80);
        assert_eq!(admitted(&mut state, 1_202, 1_000, 1), 1_000);
        assert_eq!(admitted(&mut state, 2_202, 50, 80), 50);
    }

    #[test]
    fn none_is_shed_while_it_is_disabled() {
        let load = LoadShedding::new(false);
        assert!((1_000..2_000).all(|now| load.admit_move(at(now - 80), at(now))));
    }
}
