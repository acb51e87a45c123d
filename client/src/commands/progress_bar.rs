//! The one line on the terminal that says how far long work has come.

use crate::net::clock::Clock;
use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Work that takes less shows nothing: a line that flashes up says nothing.
const PATIENCE: Duration = Duration::from_millis(200);
/// The least time between two states of the line.
const EVERY: Duration = Duration::from_millis(100);
/// Characters between the brackets: with the words around them, less than a narrow terminal.
const WIDTH: u64 = 24;

/// A line on stderr, where that is a terminal, and nothing where it isn't. Dropped, it is
/// wiped.
#[derive(Debug)]
pub(crate) struct Bar {
    clock: Clock,
    shown: bool,
    /// When the next state may be shown.
    due: Mutex<Duration>,
}

impl Bar {
    /// Makes a line that shows itself when the work takes long.
    pub(crate) fn new() -> Self {
        Self { clock: Clock::start(), shown: io::stderr().is_terminal(), due: Mutex::new(PATIENCE) }
    }

    /// Shows a line, unless the last one is too fresh. May be called very often, by any
    /// number of threads.
    pub(crate) fn show(&self, line: impl FnOnce(Duration) -> String) {
        if !self.shown {
            return;
        }
        let elapsed = self.clock.elapsed();
        let mut due = self.due.lock().unwrap_or_else(PoisonError::into_inner);
        if elapsed >= *due {
            *due = elapsed + EVERY;
            // Whoever closed stderr doesn't want to know.
            write!(io::stderr(), "\r{}\x1b[K", line(elapsed)).ok();
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        let due = self.due.get_mut().unwrap_or_else(PoisonError::into_inner);
        if self.shown && *due > PATIENCE {
            write!(io::stderr(), "\r\x1b[K").ok(); // as above
        }
    }
}

/// Draws how much is done: `[#####-------]  42 %`.
pub(crate) fn drawn(done: u64, of: u64) -> String {
    let share = |whole: u64| {
        let part = u128::from(whole) * u128::from(done.min(of)) / u128::from(of.max(1));
        usize::try_from(part).unwrap_or(0)
    };
    let full = share(WIDTH);
    format!(
        "[{}{}] {:>3} %",
        "#".repeat(full),
        "-".repeat((WIDTH as usize).saturating_sub(full)),
        share(100)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_fills_up_and_no_further() {
        assert_eq!(drawn(0, 4), "[------------------------]   0 %");
        assert_eq!(drawn(1, 4), "[######------------------]  25 %");
        assert_eq!(drawn(9, 4), "[########################] 100 %");
        assert_eq!(drawn(0, 0), drawn(0, 4));
        assert_eq!(drawn(u64::MAX, u64::MAX), drawn(4, 4));
    }
}
