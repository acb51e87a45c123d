//! The lock of a heat, and what becomes of a panic under it.
//!
//! It leaves a race of which half has happened. So that heat is over for everybody in it, at
//! once, whoever's event it was: a client's, a bot's, a worker's or the timer's. Nobody else
//! notices: neither the task in which it happened nor any other heat.

use super::{Room, State};
use crate::room::outbox::Ending;
use gridrace_shared::protocol::server::Farewell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::MutexGuard;
use tracing::error;

impl Room {
    /// Does something under the lock; returns nothing where the heat broke over it.
    pub(super) fn with_state<T>(&self, act: impl FnOnce(&mut State) -> T) -> Option<T> {
        let mut state = self.state();
        // Whatever is half done in there is looked at by nobody any more.
        let acted = catch_unwind(AssertUnwindSafe(|| act(&mut state)));
        if acted.is_err() {
            self.end_broken(&mut state);
        }
        acted.ok()
    }

    /// Takes the lock, for looking at what can't break.
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| {
            self.state.clear_poison();
            let mut state = poisoned.into_inner();
            self.end_broken(&mut state);
            state
        })
    }

    fn end_broken(&self, state: &mut State) {
        error!(heat = %self.code, "the heat broke");
        state.close(Ending::Farewell(Farewell::Broken));
        self.moved.ring();
        // There may be nobody left whose going would make the hub look after it.
        self.reaper_queue.push(self.code);
    }
}
