//! The machine's calendar, which the simulation may set.

use gridrace_shared::util::time::UnixMillis;
use std::cell::Cell;

/// When all simulations begin: in September 2026.
const BEGINNING: u64 = 1_790_000_000_000;

thread_local! {
    /// How far it was set forward, in milliseconds.
    static SET: Cell<i64> = const { Cell::new(0) };
}

/// Resets the calendar.
pub fn begin() {
    SET.set(0);
}

/// Sets it forward by some milliseconds, or back.
pub fn jump(by: i64) {
    SET.set(SET.get().saturating_add(by));
}

/// Returns the time since 1970.
pub fn read() -> UnixMillis {
    let since = turmoil::sim_elapsed().unwrap_or_default().as_millis();
    let right = BEGINNING.saturating_add(u64::try_from(since).unwrap_or(u64::MAX));
    UnixMillis(right.saturating_add_signed(SET.get()))
}
