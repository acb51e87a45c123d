//! The progress line of long work, on stderr if that is a terminal.

use crate::net::clock::Clock;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::Once;
use std::time::Duration;

/// Shorter work shows nothing: a line that only flashes up can't be read.
const PATIENCE: Duration = Duration::from_millis(200);
/// States of the line a second, at most.
const REFRESH_HZ: u8 = 10;
/// The columns fit a narrow terminal.
const TEMPLATE: &str = "{msg} [{bar:24}] {percent:>3} %, {elapsed_precise}";

/// A progress line. Dropped, it is cleared.
#[derive(Debug)]
pub(crate) struct Bar {
    clock: Clock,
    line: ProgressBar,
    shown: Once,
}

impl Bar {
    /// Makes a line that shows itself when the work takes long.
    pub(crate) fn new() -> Self {
        Self { clock: Clock::start(), line: ProgressBar::hidden(), shown: Once::new() }
    }

    pub(crate) fn show(&self, text: impl FnOnce(Duration) -> String) {
        if let Some(elapsed) = self.due() {
            self.line.set_message(text(elapsed));
        }
    }

    pub(crate) fn show_done(&self, text: impl FnOnce() -> String, done: u64, of: u64) {
        if self.due().is_some() {
            let style = ProgressStyle::with_template(TEMPLATE);
            self.line.set_style(style.unwrap_or_else(|_| plain()).progress_chars("#--"));
            self.line.set_length(of);
            self.line.set_position(done);
            self.line.set_message(text());
        }
    }

    /// Returns the time since the work began, once it takes long.
    fn due(&self) -> Option<Duration> {
        let elapsed = self.clock.elapsed();
        if elapsed < PATIENCE {
            return None;
        }
        self.shown.call_once(|| {
            self.line.set_style(plain());
            self.line.set_draw_target(ProgressDrawTarget::stderr_with_hz(REFRESH_HZ));
        });
        Some(elapsed)
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.line.finish_and_clear();
    }
}

fn plain() -> ProgressStyle {
    // A template that can't be read would show the default one.
    ProgressStyle::with_template("{msg}").unwrap_or_else(|_| ProgressStyle::default_spinner())
}
