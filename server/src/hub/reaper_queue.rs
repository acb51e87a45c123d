//! Heats whose last member from outside has gone, until the hub has looked after them.

use gridrace_shared::heat::name::RoomCode;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use tokio::sync::Notify;

/// Their codes: as many as there are heats at most.
#[derive(Debug, Default)]
pub struct Deserted {
    codes: Mutex<BTreeSet<RoomCode>>,
    news: Notify,
}

impl Deserted {
    /// Takes note of a heat. May be called under its lock.
    pub fn report(&self, code: RoomCode) {
        self.codes.lock().unwrap_or_else(PoisonError::into_inner).insert(code);
        self.news.notify_one();
    }

    /// Waits for heats, and hands them over.
    pub async fn next(&self) -> BTreeSet<RoomCode> {
        self.news.notified().await;
        std::mem::take(&mut *self.codes.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
