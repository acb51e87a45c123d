//! The writer of a simulation: a task in place of the thread, and a disk that takes its time.
//!
//! A server may be killed before a group is on the disk, and when it is and nobody knows.

use super::writer::{Step, Writer};
use crate::platform::environment::{Disk, Environment};
use crate::store::group_commit::Shared;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long a slow one takes over half a group.
const SLOW: Duration = Duration::from_millis(300);
/// How soon it is noticed that a disk answers again.
const HANGING: Duration = Duration::from_millis(50);

/// Where the writer sits; nobody once the database is closed.
pub(super) type Desk = Arc<Mutex<Option<Writer>>>;

/// Starts the task. Must be called inside a tokio runtime.
pub(super) fn start(environment: Environment, writer: Writer, shared: Arc<Shared>) -> Desk {
    let desk = Arc::new(Mutex::new(Some(writer)));
    tokio::spawn(run(environment, Arc::clone(&desk), shared));
    desk
}

/// Writes what there is at once, and closes the database. The queue must have been ended.
pub(super) fn finish(desk: &Desk) {
    if let Some(mut writer) = lock(desk).take() {
        while writer.step() == Step::Disk {}
    }
}

async fn run(environment: Environment, desk: Desk, shared: Arc<Shared>) {
    loop {
        let step = lock(&desk).as_mut().map_or(Step::End, Writer::step);
        match step {
            Step::Disk => disk(&environment).await,
            Step::Wait(longest) => shared.wait_here(longest).await,
            Step::End => return,
        }
    }
}

fn lock(desk: &Desk) -> MutexGuard<'_, Option<Writer>> {
    desk.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits for the disk over half a group.
async fn disk(environment: &Environment) {
    let pause = pause(environment);
    let is_slow = environment.disk() == Disk::Slow;
    tokio::time::sleep(if is_slow { SLOW } else { pause }).await;
    while environment.disk() == Disk::Hangs {
        tokio::time::sleep(HANGING).await;
    }
}

/// Draws how long that takes: a moment, or now and then much longer.
fn pause(environment: &Environment) -> Duration {
    let [draw] = environment.rng.bytes();
    match draw {
        0..=229 => Duration::from_millis(u64::from(draw) / 64),
        230..=249 => Duration::from_millis(20),
        250..=255 => SLOW,
    }
}
