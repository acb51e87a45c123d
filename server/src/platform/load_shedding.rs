//! Load shedding: which moves a runtime admits, and how often standings wake their readers.
//!
//! A standing queue adds delay, not throughput. When the wake latency of every task of a runtime
//! has been long for a while, standings, which are most of what is written, wake their readers
//! less and less often: they are sent with the next message. That makes moves cheaper, whether the
//! server has too much to do or the machine gives it too little time. Only in the former case,
//! when the server's own processor time is used up, are moves refused that have waited too long,
//! so that the others stay fast. If others use the processor, refusing frees none of it. That
//! latency counts when it lasts, not when it peaks, is the idea of CoDel (Nichols and Jacobson,
//! "Controlling queue delay", 2012).

use crate::platform::cores;
use crate::platform::cpu_time::CpuTime;
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
/// The part of its time, in hundredths, from which a core counts as used up. Beside one other
/// program that wants all it can get, the server has half of a core; the rest up to a whole one is
/// what the system needs, and waiting for the disk.
const SATURATED_HUNDREDTHS: u128 = 75;
/// How often the server's processor time is read while latency is long: a period of the quotas
/// that containers have, of which less would be all or nothing.
const CPU_SAMPLE_INTERVAL: Duration = Duration::from_millis(100);
/// How long after the last refusal moves may still be refused.
const HOLD_OFF: Duration = Duration::from_secs(1);
/// The time after an admitted move in which another one may be refused: whatever else keeps the
/// server busy, races go on. A server that is only overloaded by moves admits more than that.
const TRICKLE_PERIOD: Duration = Duration::from_millis(20);

#[derive(Debug)]
pub(crate) struct LoadShedding {
    /// Reads the processor time of the runtime that asks. Without it no load is shed.
    read_cpu: Option<fn() -> CpuTime>,
    state: Mutex<SheddingState>,
}

#[derive(Debug)]
struct SheddingState {
    /// Since when every latency was long and no step was taken.
    long_since: Option<ServerInstant>,
    step: usize,
    /// When the latency was last long for an [`INTERVAL`], or the step was last lowered.
    stepped: ServerInstant,
    refused: Option<ServerInstant>,
    admitted: Option<ServerInstant>,
    utilization: Utilization,
}

/// Whether the server uses up the processor while latency is long.
#[derive(Debug)]
struct Utilization {
    /// Those that the server may use.
    cores: usize,
    sampled: Option<(ServerInstant, CpuTime)>,
    is_saturated: bool,
}

impl LoadShedding {
    /// Starts without load.
    pub(crate) fn new(read_cpu: Option<fn() -> CpuTime>) -> Self {
        Self { read_cpu, state: Mutex::new(SheddingState::new(cores())) }
    }

    /// Admits or refuses a move of a task that was woken at this instant. Must be called in the
    /// runtime of the task.
    pub(crate) fn admit_move(&self, woken: ServerInstant, now: ServerInstant) -> bool {
        self.read_cpu.is_none_or(|read_cpu| lock(&self.state).admit_move(woken, now, read_cpu))
    }

    /// Returns the time between standings that wake a silent reader.
    pub(crate) fn standings_interval(&self, now: ServerInstant) -> Duration {
        lock(&self.state).standings_interval(now)
    }
}

impl SheddingState {
    fn new(cores: usize) -> Self {
        Self {
            long_since: None,
            step: 0,
            stepped: ServerInstant::default(),
            refused: None,
            admitted: None,
            utilization: Utilization { cores, sampled: None, is_saturated: false },
        }
    }

    fn admit_move(
        &mut self,
        woken: ServerInstant,
        now: ServerInstant,
        read_cpu: impl FnOnce() -> CpuTime,
    ) -> bool {
        if now.since(woken) <= TARGET_DELAY {
            self.long_since = None;
            self.admitted = Some(now);
            return true;
        }
        let is_saturated = self.utilization.is_saturated(now, read_cpu);
        let long_since = *self.long_since.get_or_insert(now);
        let is_long = now.since(long_since) >= INTERVAL;
        let is_last = self.step == STANDINGS_INTERVALS.len() - 1;
        if is_long {
            self.stepped = now;
            if !is_last {
                self.step += 1;
                self.long_since = Some(now);
            }
        }
        let is_within =
            |last: Option<ServerInstant>, span| last.is_some_and(|last| now.since(last) < span);
        let is_overloaded = is_long && is_last || is_within(self.refused, HOLD_OFF);
        let is_refused = is_saturated && is_overloaded && is_within(self.admitted, TRICKLE_PERIOD);
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

impl Utilization {
    /// Returns whether the runtime's thread uses up a core, or the server all cores that it may
    /// use: its threads may share one.
    fn is_saturated(&mut self, now: ServerInstant, read_cpu: impl FnOnce() -> CpuTime) -> bool {
        let is_due = |at| now.since(at) >= CPU_SAMPLE_INTERVAL;
        if self.sampled.is_none_or(|(at, _)| is_due(at)) {
            let cpu = read_cpu();
            self.is_saturated = self.sampled.is_some_and(|(at, before)| {
                let uses_up = |before: Duration, after: Duration, cores: usize| {
                    let used = after.saturating_sub(before).as_nanos();
                    used * 100 >= now.since(at).as_nanos() * cores as u128 * SATURATED_HUNDREDTHS
                };
                let thread = before.thread.zip(cpu.thread);
                thread.is_some_and(|(before, after)| uses_up(before, after, 1))
                    || uses_up(before.process, cpu.process, self.cores)
            });
            self.sampled = Some((now, cpu));
        }
        self.is_saturated
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORES: usize = 4;

    fn at(millis: u64) -> ServerInstant {
        ServerInstant(millis * 1_000)
    }

    /// A server whose thread and process have used these parts of the time, in hundredths.
    #[derive(Debug, Clone, Copy)]
    struct Use {
        thread: u64,
        process: u64,
    }

    /// All of one core, and a quarter of the machine.
    const ALL: Use = Use { thread: 100, process: 100 };
    /// What a quota leaves.
    const LITTLE: Use = Use { thread: 10, process: 15 };

    /// Asks once a millisecond for a move that has waited this long, and counts those admitted.
    fn admitted_by(
        state: &mut SheddingState,
        used: Use,
        from: u64,
        millis: u64,
        waited: u64,
    ) -> usize {
        let part = |now: u64, hundredths| Duration::from_micros(now * hundredths * 10);
        let cpu = |now: u64| CpuTime {
            thread: Some(part(now, used.thread)),
            process: part(now, used.process),
        };
        let admits = |now: &u64| state.admit_move(at(*now - waited), at(*now), || cpu(*now));
        (from..from + millis).filter(admits).count()
    }

    fn admitted(state: &mut SheddingState, from: u64, millis: u64, waited: u64) -> usize {
        admitted_by(state, ALL, from, millis, waited)
    }

    #[test]
    fn a_peak_changes_nothing_and_lasting_latency_refuses_in_the_end() {
        let mut state = SheddingState::new(CORES);
        assert_eq!(admitted(&mut state, 1_000, 50, 80), 50);
        assert_eq!(admitted(&mut state, 1_050, 1, 5), 1);
        assert_eq!(state.standings_interval(at(1_050)), STANDINGS_INTERVALS[0]);
        assert_eq!(admitted(&mut state, 1_100, 200, 80), 200);
        assert_eq!(admitted(&mut state, 1_300, 100, 80), 5, "a trickle");
    }

    #[test]
    fn moves_of_low_latency_are_admitted_under_load() {
        let mut state = SheddingState::new(CORES);
        admitted(&mut state, 1_000, 202, 80);
        assert_eq!(admitted(&mut state, 1_202, 100, 5), 100);
        assert_eq!(admitted(&mut state, 1_302, 100, 6), 5, "a trickle");
        assert_eq!(admitted(&mut state, 1_402, 100, 5), 100);
    }

    #[test]
    fn a_server_that_gets_little_processor_time_sends_fewer_standings_and_refuses_none() {
        let mut state = SheddingState::new(CORES);
        assert_eq!(admitted_by(&mut state, LITTLE, 5_000, 60_000, 2_000), 60_000);
        let slowest = STANDINGS_INTERVALS.last().copied();
        assert_eq!(Some(state.standings_interval(at(65_000))), slowest);
        // Just below and at the limit, by the thread and by the whole server.
        for (thread, process, refuses) in [(74, 299, false), (75, 75, true), (40, 300, true)] {
            let used = Use { thread, process };
            let mut state = SheddingState::new(CORES);
            let admitted = admitted_by(&mut state, used, 1_000, 1_000, 80);
            assert_eq!(admitted < 1_000, refuses, "{used:?}: {admitted}");
        }
    }

    #[test]
    fn a_server_that_is_given_less_stops_refusing_within_two_samples() {
        let mut state = SheddingState::new(CORES);
        assert!(admitted(&mut state, 1_000, 500, 80) < 500);
        // From here on it uses nothing at all.
        let stopped = || CpuTime { thread: Some(at(1_500).since(at(0))), process: Duration::ZERO };
        let mut admits = |now: u64| state.admit_move(at(now - 80), at(now), stopped);
        let refused = (1_500..3_000).filter(|&now| !admits(now)).max();
        assert!(refused.is_none_or(|last| last < 1_700), "{refused:?}");
    }

    #[test]
    fn standings_step_up_before_moves_are_refused_and_step_down_slowly() {
        let mut state = SheddingState::new(CORES);
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
        let mut state = SheddingState::new(CORES);
        admitted(&mut state, 1_000, 202, 80);
        assert_eq!(admitted(&mut state, 1_202, 1_000, 1), 1_000);
        assert_eq!(admitted(&mut state, 2_202, 50, 80), 50);
    }

    #[test]
    fn none_is_shed_without_a_clock_of_processor_time() {
        let load = LoadShedding::new(None);
        assert!((1_000..2_000).all(|now| load.admit_move(at(now - 80), at(now))));
    }
}
