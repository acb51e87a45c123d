//! Rooms whose last connected member has left, queued until the hub checks whether to close them.

use gridrace_shared::heat::ids::RoomCode;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use tokio::sync::Notify;

/// The codes of those rooms; at most as many as there are rooms.
#[derive(Debug, Default)]
pub struct ReaperQueue {
    codes: Mutex<BTreeSet<RoomCode>>,
    wake: Notify,
}

impl ReaperQueue {
    /// Adds a room. May be called under its lock.
    pub fn push(&self, code: RoomCode) {
        self.codes.lock().unwrap_or_else(PoisonError::into_inner).insert(code);
        self.wake.notify_one();
    }

    /// Waits until rooms are queued, and takes all of them.
    pub async fn next(&self) -> BTreeSet<RoomCode> {
        self.wake.notified().await;
        std::mem::take(&mut *self.codes.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
