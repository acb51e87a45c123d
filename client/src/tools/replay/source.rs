//! Where a replay comes from: a file.

use crate::exit::{Exit, Failure};
use crate::sanitise;
use gridrace_shared::replay::{Damage, REPLAY_BYTES, Replay};
use std::fs::File;
use std::io::Read;

/// Reads the bytes of what may be a replay; of what is longer than any, as much as shows
/// that.
///
/// # Errors
/// [`Failure`] where there is nothing to read.
pub fn read(name: &str) -> Result<Vec<u8>, Failure> {
    let fail = |error: std::io::Error| {
        let name = sanitise::lines(name);
        Failure::said(Exit::Failure, format!("can't read {name}: {error}"))
    };
    let file = File::open(name).map_err(fail)?;
    let mut bytes = Vec::new();
    let most = REPLAY_BYTES as u64 + 1;
    file.take(most).read_to_end(&mut bytes).map_err(fail)?;
    Ok(bytes)
}

/// Reads a replay.
///
/// # Errors
/// [`Failure`] where there is none, or a damaged one: then with the byte.
pub fn replay(name: &str) -> Result<Replay, Failure> {
    Replay::decode(&read(name)?).map_err(|damage| damaged(name, &damage))
}

/// Says that something is damaged, and where.
pub fn damaged(name: &str, damage: &Damage) -> Failure {
    let name = sanitise::lines(name);
    Failure::said(Exit::Failure, format!("{name} is damaged {damage}"))
}
