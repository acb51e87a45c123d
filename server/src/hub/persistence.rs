//! What all heats are told of the disk: that it fails, that it has room again, and that the
//! server rests.

use super::{Hub, key};
use crate::platform::environment::leave_to_itself;
use crate::platform::shards::Bell;
use crate::store::Store;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::oneshot;
use tracing::warn;

/// How long the last group may take to the disk when the server shuts down.
const REST_DEADLINE: Duration = Duration::from_millis(700);

impl Hub {
    /// Tells every heat when nothing is recorded any more, and when the store records again;
    /// never returns.
    pub async fn watch_store(&self) {
        if let Some(store) = &self.services.store {
            let mut recording = store.recording();
            let mut recorded = true;
            loop {
                let records = *recording.borrow_and_update();
                if records != recorded {
                    recorded = records;
                    self.on_recording_changed(store, records);
                }
                if recording.changed().await.is_err() {
                    break;
                }
            }
        }
        std::future::pending::<()>().await;
    }

    fn on_recording_changed(&self, store: &Store, records: bool) {
        for heat in self.handles() {
            heat.on_store_state_changed();
            if records && let Some(standing) = self.standing.get(&heat.code()) {
                heat.persist_standing_key(key(standing));
            }
        }
        if records {
            store.sweep(Bell::new(self.services.shards.home()));
        }
    }

    /// Lets nothing more happen where there is a store, so that the next server goes on from
    /// here; returns once all is on the disk, or that takes too long.
    pub async fn flush_for_shutdown(&self) {
        self.ends.store(true, Ordering::Relaxed);
        let Some(store) = self.services.store.clone() else {
            return;
        };
        self.handles().iter().for_each(|heat| heat.freeze());
        let (done, closed) = oneshot::channel();
        // A disk that hangs must not hold up the program's end.
        leave_to_itself(move || {
            store.close();
            done.send(()).ok(); // nobody waits any longer
        });
        let closed = tokio::time::timeout(REST_DEADLINE, closed).await;
        if !matches!(closed, Ok(Ok(()))) {
            warn!("the disk is slow: what it doesn't have by now may be lost");
        }
        // What waited for the disk goes out before the farewell: above all the tokens by which
        // people come back.
        for heat in self.handles() {
            heat.on_store_state_changed();
        }
    }
}
