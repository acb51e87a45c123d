//! Recording epochs: a disk may fail, and work again later.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use tokio::sync::watch;

/// The epochs of recording and of failure, which alternate. A journal belongs to the epoch in
/// which it began, and is lost with it.
#[derive(Debug)]
pub(super) struct RecordingEpochs {
    /// The number of the present epoch: even while the store records.
    present: AtomicU64,
    /// The journals of earlier epochs have lower numbers than this.
    first_journal: AtomicI64,
    recording: watch::Sender<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RecordingEpoch(u64);

impl Default for RecordingEpochs {
    fn default() -> Self {
        Self {
            present: AtomicU64::new(0),
            first_journal: AtomicI64::new(0),
            recording: watch::Sender::new(true),
        }
    }
}

impl RecordingEpochs {
    pub(super) fn present(&self) -> RecordingEpoch {
        RecordingEpoch(self.present.load(Ordering::Acquire))
    }

    pub(super) fn is_recording(&self) -> bool {
        self.present().is_recording()
    }

    /// Returns whether the store still records what began in this epoch.
    pub(super) fn is_live(&self, epoch: RecordingEpoch) -> bool {
        epoch.is_recording() && self.present() == epoch
    }

    /// Ends an epoch of recording, and returns whether it was the present one.
    pub(super) fn end(&self, epoch: RecordingEpoch) -> bool {
        let ended = epoch.is_recording() && self.advance_from(epoch);
        if ended {
            self.recording.send_replace(false);
        }
        ended
    }

    /// Begins an epoch of recording, unless the store records. No journal in the store has the
    /// number `first_journal` or a higher one yet.
    pub(super) fn begin(&self, first_journal: i64) {
        let epoch = self.present();
        if epoch.is_recording() {
            return;
        }
        self.first_journal.store(first_journal, Ordering::Release);
        if self.advance_from(epoch) {
            self.recording.send_replace(true);
        }
    }

    /// Returns the lowest number of a journal of the present epoch.
    pub(super) fn first_journal(&self) -> i64 {
        self.first_journal.load(Ordering::Acquire)
    }

    pub(super) fn subscribe(&self) -> watch::Receiver<bool> {
        self.recording.subscribe()
    }

    fn advance_from(&self, epoch: RecordingEpoch) -> bool {
        let next = epoch.0.wrapping_add(1);
        let changed =
            self.present.compare_exchange(epoch.0, next, Ordering::AcqRel, Ordering::Acquire);
        changed.is_ok()
    }
}

impl RecordingEpoch {
    const fn is_recording(self) -> bool {
        self.0.is_multiple_of(2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_epoch_ends_once_and_is_not_resumed() {
        let epochs = RecordingEpochs::default();
        let first = epochs.present();
        assert!(epochs.is_live(first) && epochs.is_recording());
        assert!(epochs.end(first));
        assert!(!epochs.end(first), "it ends once");
        let failed = epochs.present();
        assert!(!epochs.is_live(first) && !epochs.is_live(failed) && !epochs.is_recording());
        epochs.begin(7);
        epochs.begin(9);
        assert_eq!(epochs.first_journal(), 7);
        assert!(epochs.is_recording() && !epochs.is_live(first) && !epochs.is_live(failed));
        assert!(!epochs.end(first), "an old journal ends no new epoch");
        assert!(epochs.is_live(epochs.present()));
    }
}
