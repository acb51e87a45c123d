//! A heat's way to the store: what it appends, and up to where that is on the disk.

use crate::platform::shards::{RoomWaker, RuntimeRef};
use crate::store::epoch::Spell;
use crate::store::error::StoreError;
use crate::store::finished_heats::Lasting;
use crate::store::group_commit::Shared;
use gridrace_shared::heat::ids::RoomCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How long a heat's journal grows, in bytes, before the heat is asked for a checkpoint: some
/// hundred thousand moves, which are played again in a second.
const LONG: u64 = 1024 * 1024;

/// A point of a heat's journal: how many entries and changes lie before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Ticket(u64);

/// One heat's journal. Appending never waits for the disk.
#[derive(Debug)]
pub(crate) struct Log {
    /// The heat's number in the store.
    pub(super) id: i64,
    store: Arc<Shared>,
    /// The spell in which it began, and with which it is lost.
    spell: Spell,
    buffer: Mutex<Buffer>,
    /// The ticket up to which everything is on the disk.
    committed: AtomicU64,
    /// A checkpoint would spare the store much.
    wanted: AtomicBool,
    /// Whether the heat's clock matters: it has a deadline.
    runs: AtomicBool,
    /// Told when more is on the disk.
    moved: Arc<RoomWaker>,
}

/// What a heat has appended and the writer hasn't taken.
#[derive(Debug, Default)]
struct Buffer {
    changes: Vec<Change>,
    /// The latest ticket.
    last: u64,
    /// Whether the writer knows that there is something.
    queued: bool,
    /// Bytes of entries since the last checkpoint.
    length: u64,
    /// Bytes that the store was told of and that the writer hasn't taken.
    weight: usize,
}

/// What the writer has taken of a heat.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) log: Arc<Log>,
    pub(super) changes: Vec<Change>,
    /// Up to where it goes.
    pub(super) ticket: u64,
    /// What it weighed in the queue.
    pub(super) weight: usize,
}

/// What is to be done for a heat.
#[derive(Debug)]
pub(super) enum Change {
    /// A heat's journal begins with this checkpoint.
    Open {
        code: RoomCode,
        checkpoint: Vec<u8>,
        /// It had another one, which was lost.
        again: bool,
    },
    /// The server's command line opened it.
    Stands(String),
    /// Heats with lower numbers, of which nothing is heard any more, are closed.
    Sweep,
    /// Entries follow.
    Entries(Vec<u8>),
    /// What came before isn't needed any more.
    Checkpoint(Vec<u8>),
    /// A heat of the group leaves something for good.
    Lasting(Lasting),
    /// The heat is closed.
    Close,
}

impl Log {
    pub(super) fn new(
        id: i64,
        spell: Spell,
        store: Arc<Shared>,
        moved: Arc<RoomWaker>,
    ) -> Arc<Self> {
        Arc::new(Self {
            id,
            store,
            spell,
            buffer: Mutex::default(),
            committed: AtomicU64::new(0),
            wanted: AtomicBool::new(false),
            runs: AtomicBool::new(false),
            moved,
        })
    }

    /// Appends an entry, and what it leaves for good: both are on the disk, or neither is.
    pub(crate) fn append(self: &Arc<Self>, entry: &[u8], leaves: Option<Lasting>) -> Ticket {
        if self.is_given_up() {
            return Ticket(0);
        }
        let mut buffer = self.buffer();
        if let Some(Change::Entries(entries)) = buffer.changes.last_mut() {
            entries.extend_from_slice(entry);
        } else {
            buffer.changes.push(Change::Entries(entry.to_vec()));
        }
        buffer.length += entry.len() as u64;
        if buffer.length > LONG {
            self.wanted.store(true, Ordering::Relaxed);
        }
        let mut added = entry.len();
        if let Some(lasting) = leaves {
            added += lasting.bytes();
            buffer.changes.push(Change::Lasting(lasting));
        }
        self.appended(buffer, added)
    }

    /// Begins the journal.
    pub(super) fn open(
        self: &Arc<Self>,
        code: RoomCode,
        checkpoint: Vec<u8>,
        again: bool,
    ) -> Ticket {
        self.put(Change::Open { code, checkpoint, again })
    }

    /// Begins the journal anew with what the heat is by now.
    pub(crate) fn checkpoint(self: &Arc<Self>, checkpoint: Vec<u8>) -> Ticket {
        self.wanted.store(false, Ordering::Relaxed);
        self.put(Change::Checkpoint(checkpoint))
    }

    /// Takes note that the server's command line opened the heat, and what it said of it.
    pub(crate) fn stands(self: &Arc<Self>, standing: String) -> Ticket {
        self.put(Change::Stands(standing))
    }

    /// Closes the heats that had numbers below this one's.
    pub(super) fn sweep(self: &Arc<Self>) {
        self.put(Change::Sweep);
    }

    /// Ends the journal: the heat won't be wanted again.
    pub(crate) fn close(self: &Arc<Self>) {
        self.put(Change::Close);
    }

    /// Says whether everything up to a ticket is on the disk.
    pub(crate) fn has(&self, ticket: Ticket) -> bool {
        self.committed.load(Ordering::Acquire) >= ticket.0
    }

    /// Says whether everything up to a ticket is on the disk, or nothing will be any more.
    pub(crate) fn holds(&self, ticket: Ticket) -> bool {
        self.has(ticket) || self.is_given_up()
    }

    /// Says whether there is room for what somebody may as well ask for later.
    pub(crate) fn has_room(&self) -> bool {
        self.store.has_room()
    }

    /// Says whether nothing that is appended here is recorded any more. The heat may begin
    /// another journal once the store records again.
    pub(crate) fn is_given_up(&self) -> bool {
        !self.store.spells.is_on(self.spell)
    }

    /// Says whether anything of it is on the disk.
    #[cfg(test)]
    pub(crate) fn has_begun(&self) -> bool {
        self.committed.load(Ordering::Acquire) > 0
    }

    /// Says whether a checkpoint would spare the store much.
    pub(crate) fn wants_checkpoint(&self) -> bool {
        self.wanted.load(Ordering::Relaxed)
    }

    /// Gives the store up, unless it has been since this journal began.
    pub(crate) fn gives_up(&self, fault: &StoreError) {
        self.store.give_up(self.spell, fault);
    }

    /// Says whether the heat has a deadline: as long as one has, the store notes the time.
    pub(crate) fn runs(&self, runs: bool) {
        if self.runs.swap(runs, Ordering::Relaxed) != runs {
            self.store.runs(runs);
        }
    }

    /// Takes what is to be written.
    pub(super) fn take(self: Arc<Self>) -> Batch {
        let mut buffer = self.buffer();
        buffer.queued = false;
        let (changes, weight) =
            (std::mem::take(&mut buffer.changes), std::mem::take(&mut buffer.weight));
        let ticket = buffer.last;
        drop(buffer);
        Batch { log: self, changes, ticket, weight }
    }

    /// Takes note that everything up to a ticket is on the disk.
    pub(super) fn commits(&self, ticket: u64) {
        self.committed.store(ticket, Ordering::Release);
    }

    /// Tells the heat that more is on the disk.
    pub(super) fn tell(&self) {
        self.moved.wake();
    }

    /// Returns where the heat lives.
    pub(super) fn runtime(&self) -> &RuntimeRef {
        self.moved.runtime()
    }

    /// Asks the heat for a checkpoint.
    pub(super) fn want_checkpoint(&self) {
        self.wanted.store(true, Ordering::Relaxed);
        self.moved.wake();
    }

    fn put(self: &Arc<Self>, change: Change) -> Ticket {
        if self.is_given_up() {
            return Ticket(0);
        }
        let mut buffer = self.buffer();
        let added = change.bytes();
        if let Change::Checkpoint(_) = change {
            // Entries that nobody will read needn't be written; a result must be.
            buffer.changes.retain(|change| match change {
                Change::Entries(_) | Change::Checkpoint(_) => false,
                Change::Open { .. }
                | Change::Stands(_)
                | Change::Sweep
                | Change::Lasting(_)
                | Change::Close => true,
            });
            buffer.length = 0;
        }
        buffer.changes.push(change);
        self.appended(buffer, added)
    }

    fn appended(self: &Arc<Self>, mut buffer: MutexGuard<'_, Buffer>, added: usize) -> Ticket {
        buffer.last += 1;
        buffer.weight += added;
        let ticket = Ticket(buffer.last);
        let is_first = !std::mem::replace(&mut buffer.queued, true);
        drop(buffer);
        self.store.awaits(added, is_first.then_some(self));
        ticket
    }

    fn buffer(&self) -> MutexGuard<'_, Buffer> {
        // Nothing in here panics half-way, so a poisoned lock holds whole changes.
        self.buffer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        self.runs(false);
    }
}

impl Change {
    /// Returns what it weighs in the queue.
    fn bytes(&self) -> usize {
        match self {
            Self::Open { checkpoint, .. } | Self::Checkpoint(checkpoint) => checkpoint.len(),
            Self::Entries(entries) => entries.len(),
            Self::Stands(standing) => standing.len(),
            Self::Lasting(lasting) => lasting.bytes(),
            Self::Sweep | Self::Close => 0,
        }
    }
}
