//! A room's journal: what the room appends, and how much of it is on the disk.

use crate::platform::lock::lock;
use crate::platform::shards::TaskWaker;
use crate::store::commit_queue::CommitQueue;
use crate::store::epoch::RecordingEpoch;
#[cfg(test)]
use crate::store::error::StoreError;
use crate::store::finished_heats::ArchiveRecord;
use crate::store::tournaments::TournamentWrite;
use gridrace_shared::heat::ids::RoomCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

/// The length of a journal, in bytes, from which its room is asked for a checkpoint: some hundred
/// thousand moves, which are replayed within a second.
const CHECKPOINT_AFTER: u64 = 1024 * 1024;

/// A position in a journal: the number of entries and changes up to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct JournalSeq(u64);

/// One room's journal. Appending never waits for the disk.
#[derive(Debug)]
pub(crate) struct Journal {
    /// The room's number in the store.
    pub(super) id: i64,
    queue: Arc<CommitQueue<Self>>,
    /// The epoch in which it began, and with which it is lost.
    epoch: RecordingEpoch,
    buffer: Mutex<Buffer>,
    /// Everything up to this position is on the disk.
    committed: AtomicU64,
    wants_checkpoint: AtomicBool,
    /// Whether the room has a deadline.
    is_running: AtomicBool,
    /// Woken when more is on the disk, or a checkpoint is wanted.
    pub(super) waker: Arc<TaskWaker>,
}

/// Changes that the writer hasn't taken.
#[derive(Debug, Default)]
struct Buffer {
    changes: Vec<JournalChange>,
    last: u64,
    is_queued: bool,
    /// Bytes of entries since the last checkpoint.
    length: u64,
    queued_bytes: usize,
}

/// Changes that the writer has taken from a journal.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) journal: Arc<Journal>,
    pub(super) changes: Vec<JournalChange>,
    /// The position after them.
    pub(super) seq: u64,
    pub(super) queued_bytes: usize,
}

#[derive(Debug)]
pub(super) enum JournalChange {
    /// Begin the journal with this checkpoint.
    Open {
        code: RoomCode,
        checkpoint: Vec<u8>,
        /// Whether the room had a journal that was lost.
        replaces_lost: bool,
    },
    /// Store the key of a standing room, which is how the next server finds it.
    StandingKey(String),
    CloseEarlier,
    Entries(Vec<u8>),
    Checkpoint(Vec<u8>),
    Archive(ArchiveRecord),
    /// Of a tournament, which has a journal without entries.
    Tournament(TournamentWrite),
    Close,
}

impl Journal {
    pub(super) fn new(
        id: i64,
        epoch: RecordingEpoch,
        queue: Arc<CommitQueue<Self>>,
        waker: Arc<TaskWaker>,
    ) -> Arc<Self> {
        Arc::new(Self {
            id,
            queue,
            epoch,
            buffer: Mutex::default(),
            committed: AtomicU64::new(0),
            wants_checkpoint: AtomicBool::new(false),
            is_running: AtomicBool::new(false),
            waker,
        })
    }

    /// Appends an entry together with an archive record: both reach the disk, or neither does.
    pub(crate) fn append(
        self: &Arc<Self>,
        entry: &[u8],
        record: Option<ArchiveRecord>,
    ) -> JournalSeq {
        if self.is_lost() {
            return JournalSeq(0);
        }
        let mut buffer = lock(&self.buffer);
        if let Some(JournalChange::Entries(entries)) = buffer.changes.last_mut() {
            entries.extend_from_slice(entry);
        } else {
            buffer.changes.push(JournalChange::Entries(entry.to_vec()));
        }
        buffer.length += entry.len() as u64;
        if buffer.length > CHECKPOINT_AFTER {
            self.wants_checkpoint.store(true, Ordering::Relaxed);
        }
        let mut bytes = entry.len();
        if let Some(record) = record {
            bytes += record.bytes();
            buffer.changes.push(JournalChange::Archive(record));
        }
        self.enqueue(buffer, bytes)
    }

    pub(super) fn open(
        self: &Arc<Self>,
        code: RoomCode,
        checkpoint: Vec<u8>,
        replaces_lost: bool,
    ) -> JournalSeq {
        self.push(JournalChange::Open { code, checkpoint, replaces_lost })
    }

    /// Replaces all entries so far by a checkpoint.
    pub(crate) fn checkpoint(self: &Arc<Self>, checkpoint: Vec<u8>) -> JournalSeq {
        self.wants_checkpoint.store(false, Ordering::Relaxed);
        self.push(JournalChange::Checkpoint(checkpoint))
    }

    /// Stores the key by which the next server recognises a standing room.
    pub(crate) fn set_standing_key(self: &Arc<Self>, key: String) -> JournalSeq {
        self.push(JournalChange::StandingKey(key))
    }

    /// Closes the rooms with lower numbers than this journal's.
    pub(super) fn close_earlier(self: &Arc<Self>) {
        self.push(JournalChange::CloseEarlier);
    }

    /// Ends the journal: the room is gone.
    pub(crate) fn close(self: &Arc<Self>) {
        self.push(JournalChange::Close);
    }

    /// Changes the rows of a tournament.
    pub(crate) fn change_tournament(self: &Arc<Self>, change: TournamentWrite) -> JournalSeq {
        self.push(JournalChange::Tournament(change))
    }

    /// Returns whether everything up to a position is on the disk.
    pub(crate) fn is_committed(&self, seq: JournalSeq) -> bool {
        self.committed.load(Ordering::Acquire) >= seq.0
    }

    /// Returns whether everything up to a position is on the disk, or never will be.
    pub(crate) fn is_settled(&self, seq: JournalSeq) -> bool {
        self.is_committed(seq) || self.is_lost()
    }

    /// Returns whether the queue has room for another move.
    pub(crate) fn has_capacity(&self) -> bool {
        self.queue.has_capacity()
    }

    /// Returns whether the journal's epoch has ended, so that nothing more of it is recorded. The
    /// room may begin another journal once the store records again.
    pub(crate) fn is_lost(&self) -> bool {
        !self.queue.epochs.is_live(self.epoch)
    }

    /// Returns whether anything of the journal is on the disk.
    #[cfg(test)]
    pub(crate) fn has_committed(&self) -> bool {
        self.committed.load(Ordering::Acquire) > 0
    }

    pub(crate) fn wants_checkpoint(&self) -> bool {
        self.wants_checkpoint.load(Ordering::Relaxed)
    }

    /// Ends the epoch of this journal, if it hasn't ended.
    #[cfg(test)]
    pub(crate) fn fail_store(&self, error: &StoreError) {
        self.queue.fail(self.epoch, error);
    }

    /// Sets whether the room has a deadline: while any room has one the writer stores the clock.
    pub(crate) fn set_running(&self, is_running: bool) {
        if self.is_running.swap(is_running, Ordering::Relaxed) != is_running {
            self.queue.set_running(is_running);
        }
    }

    pub(super) fn take(self: Arc<Self>) -> Batch {
        let mut buffer = lock(&self.buffer);
        buffer.is_queued = false;
        let changes = std::mem::take(&mut buffer.changes);
        let queued_bytes = std::mem::take(&mut buffer.queued_bytes);
        let seq = buffer.last;
        drop(buffer);
        Batch { journal: self, changes, seq, queued_bytes }
    }

    /// Marks everything up to a position as on the disk.
    pub(super) fn mark_committed(&self, seq: u64) {
        self.committed.store(seq, Ordering::Release);
    }

    pub(super) fn request_checkpoint(&self) {
        self.wants_checkpoint.store(true, Ordering::Relaxed);
        self.waker.wake();
    }

    fn push(self: &Arc<Self>, change: JournalChange) -> JournalSeq {
        if self.is_lost() {
            return JournalSeq(0);
        }
        let mut buffer = lock(&self.buffer);
        let bytes = change.bytes();
        if let JournalChange::Checkpoint(_) = change {
            // Earlier entries needn't be written; archive records must be.
            buffer.changes.retain(|change| match change {
                JournalChange::Entries(_) | JournalChange::Checkpoint(_) => false,
                JournalChange::Open { .. }
                | JournalChange::StandingKey(_)
                | JournalChange::CloseEarlier
                | JournalChange::Archive(_)
                | JournalChange::Tournament(_)
                | JournalChange::Close => true,
            });
            buffer.length = 0;
        }
        buffer.changes.push(change);
        self.enqueue(buffer, bytes)
    }

    fn enqueue(self: &Arc<Self>, mut buffer: MutexGuard<'_, Buffer>, bytes: usize) -> JournalSeq {
        buffer.last += 1;
        buffer.queued_bytes += bytes;
        let seq = JournalSeq(buffer.last);
        let is_first = !std::mem::replace(&mut buffer.is_queued, true);
        // Counted before the writer can take them.
        self.queue.count(bytes);
        drop(buffer);
        if is_first {
            self.queue.enqueue(self);
        }
        seq
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        self.set_running(false);
    }
}

impl JournalChange {
    /// Returns the bytes that it counts in the queue.
    fn bytes(&self) -> usize {
        match self {
            Self::Open { checkpoint, .. } | Self::Checkpoint(checkpoint) => checkpoint.len(),
            Self::Entries(entries) => entries.len(),
            Self::StandingKey(key) => key.len(),
            Self::Archive(record) => record.bytes(),
            Self::Tournament(change) => change.bytes(),
            Self::CloseEarlier | Self::Close => 0,
        }
    }
}
