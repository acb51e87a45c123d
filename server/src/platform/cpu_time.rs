//! Processor time of the server, as the system counts it.

use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// Processor time used so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CpuTime {
    /// By the calling thread, which is the only thread of its runtime.
    pub(crate) thread: Option<Duration>,
    /// By all threads of the process.
    pub(crate) process: Duration,
}

impl CpuTime {
    /// Reads both clocks, on the thread of a runtime that has one thread.
    pub(crate) fn of_thread() -> Self {
        Self { thread: Some(thread_time()), ..Self::of_process() }
    }

    /// Reads the clock of the process, for a runtime whose tasks change threads.
    pub(crate) fn of_process() -> Self {
        Self { thread: None, process: read(ClockId::ProcessCPUTime) }
    }
}

/// Returns the processor time that the calling thread has used.
pub(crate) fn thread_time() -> Duration {
    read(ClockId::ThreadCPUTime)
}

fn read(clock: ClockId) -> Duration {
    Duration::try_from(clock_gettime(clock)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_works_uses_time_and_one_that_waits_uses_none() {
        let before = CpuTime::of_thread();
        let worked = std::thread::spawn(move || {
            while CpuTime::of_process().process < before.process + Duration::from_millis(5) {}
            CpuTime::of_thread()
        });
        let worked = worked.join().unwrap();
        let after = CpuTime::of_thread();
        assert!(worked.thread.unwrap() > Duration::ZERO && after.process > before.process);
        let waited = after.thread.unwrap() - before.thread.unwrap();
        assert!(waited < after.process - before.process);
        assert_eq!(CpuTime::of_process().thread, None);
    }
}
