//! The writer of a simulation: a task instead of a thread, and a disk that takes simulated time.
//!
//! So a server can be killed before a group is on the disk, and after that but before its rooms
//! are notified.

use super::writer::{Writer, WriterStep};
use crate::platform::environment::{Disk, Environment};
use crate::platform::lock::lock;
use crate::store::commit_queue::CommitQueue;
use crate::store::journal::Journal;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The time of a slow disk for half a group.
const SLOW_DISK: Duration = Duration::from_millis(300);
/// The interval at which a hanging disk is looked at.
const HANGING_DISK_POLL: Duration = Duration::from_millis(50);

/// The writer, shared by its task and the store; `None` once the database is closed.
pub(super) type SharedWriter = Arc<Mutex<Option<Writer>>>;

/// Starts the task. Must be called inside a tokio runtime.
pub(super) fn start(
    environment: Environment,
    writer: Writer,
    queue: Arc<CommitQueue<Journal>>,
) -> SharedWriter {
    let shared = Arc::new(Mutex::new(Some(writer)));
    tokio::spawn(run(environment, Arc::clone(&shared), queue));
    shared
}

/// Writes everything at once, and closes the database. The queue must be closed.
pub(super) fn finish(shared: &SharedWriter) {
    if let Some(mut writer) = lock(shared).take() {
        while writer.step() == WriterStep::Disk {}
    }
}

async fn run(environment: Environment, shared: SharedWriter, queue: Arc<CommitQueue<Journal>>) {
    loop {
        let step = lock(&shared).as_mut().map_or(WriterStep::End, Writer::step);
        match step {
            WriterStep::Disk => wait_for_disk(&environment).await,
            WriterStep::Wait(timeout) => queue.wait_as_task(timeout).await,
            WriterStep::End => return,
        }
    }
}

async fn wait_for_disk(environment: &Environment) {
    let pause = draw_pause(environment);
    let is_slow = environment.disk() == Disk::Slow;
    tokio::time::sleep(if is_slow { SLOW_DISK } else { pause }).await;
    while environment.disk() == Disk::Hangs {
        tokio::time::sleep(HANGING_DISK_POLL).await;
    }
}

/// Draws a time of the disk: milliseconds, and rarely much longer.
fn draw_pause(environment: &Environment) -> Duration {
    let [draw] = environment.rng.bytes();
    match draw {
        0..=229 => Duration::from_millis(u64::from(draw) / 64),
        230..=249 => Duration::from_millis(20),
        250..=255 => SLOW_DISK,
    }
}
