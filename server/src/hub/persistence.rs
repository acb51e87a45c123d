//! Reactions of all rooms to the store's failure and recovery, and the flush at shutdown.

use super::{Hub, standing_key};
use crate::platform::shards::TaskWaker;
use crate::store::Store;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::oneshot;
use tracing::warn;

/// How long the last commit may take at shutdown.
const FLUSH_TIMEOUT: Duration = Duration::from_millis(700);

impl Hub {
    pub(super) fn is_shutting_down(&self) -> bool {
        self.is_shutting_down.load(Ordering::Relaxed)
    }

    /// Fails a store that doesn't respond, and tells every room when the disk becomes slow, when the
    /// store stops recording, and when that is over; never returns.
    pub async fn watch_store(&self) {
        if let Some(store) = &self.services.store {
            tokio::join!(
                store.watch_for_stalls(),
                self.follow_recording(store),
                self.follow_slowness(store)
            );
        }
        std::future::pending::<()>().await;
    }

    async fn follow_slowness(&self, store: &Store) {
        let mut slowness = store.subscribe_to_slowness();
        while slowness.changed().await.is_ok() {
            let is_slow = *slowness.borrow_and_update();
            self.handles().iter().for_each(|room| room.on_disk_speed_changed(is_slow));
            self.tournaments.on_disk_speed_changed(is_slow);
        }
    }

    async fn follow_recording(&self, store: &Store) {
        let mut recording = store.subscribe();
        let mut was_recording = true;
        loop {
            let is_recording = *recording.borrow_and_update();
            if is_recording != was_recording {
                was_recording = is_recording;
                self.on_recording_changed(store, is_recording);
            }
            if recording.changed().await.is_err() {
                return;
            }
        }
    }

    fn on_recording_changed(&self, store: &Store, is_recording: bool) {
        for room in self.handles() {
            room.on_store_state_changed();
            if is_recording && let Some(standing) = self.standing.get(&room.code()) {
                room.persist_standing_key(standing_key(standing));
            }
        }
        self.tournaments.on_store_state_changed(is_recording);
        if is_recording {
            store.close_lost_rooms(TaskWaker::new(self.services.shards.last()));
        }
    }

    /// Freezes the rooms for the next server and flushes the journal; without a store, only
    /// refuses to open further rooms. Returns once everything is on the disk, or on timeout.
    pub async fn flush_for_shutdown(&self) {
        self.is_shutting_down.store(true, Ordering::Relaxed);
        let Some(store) = self.services.store.clone() else {
            return;
        };
        self.handles().iter().for_each(|room| room.freeze());
        let (done, closed) = oneshot::channel();
        // Detached, so that a hanging disk doesn't keep the program from ending.
        self.services.environment.spawn_detached(move || {
            store.close();
            done.send(()).ok(); // the receiver may have timed out
        });
        let closed = tokio::time::timeout(FLUSH_TIMEOUT, closed).await;
        if !matches!(closed, Ok(Ok(()))) {
            warn!("journal flush timed out at shutdown; recent entries may be lost");
        }
        // Outputs that waited for the commit leave before the farewell: above all the tokens
        // with which players resume.
        for room in self.handles() {
            room.on_store_state_changed();
        }
    }
}
