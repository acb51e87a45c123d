//! The time that the disk of a folder takes for one sync, for comparison with a journalled move.

use anyhow::Context;
use gridrace_client::net::clock::Clock;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::time::Duration;

const BLOCK: [u8; 4096] = [b'g'; 4096];
/// Blocks that are allocated before any is measured: a write to an allocated one is the cheapest.
const BLOCKS: u64 = 64;
const SYNCS: usize = 51;
/// The time between two syncs, about that between two moves of a heat of eight. One sync after another
/// takes a third as long: neither the disk nor a core sleeps between them.
const PAUSE: Duration = Duration::from_millis(20);

/// Returns the median time of a block's write and sync, in microseconds. Blocks for a second.
pub(crate) fn sync_micros(folder: &Path) -> anyhow::Result<u64> {
    let path = folder.join("disk-probe");
    let probed = probe(&path).with_context(|| format!("can't probe the disk at {path:?}"));
    std::fs::remove_file(&path).ok(); // it goes with the folder
    probed
}

fn probe(path: &Path) -> std::io::Result<u64> {
    let mut file = File::create(path)?;
    for _ in 0..BLOCKS {
        file.write_all(&BLOCK)?;
    }
    file.sync_all()?;
    let clock = Clock::start();
    let mut times = Vec::with_capacity(SYNCS);
    for n in 0..SYNCS as u64 {
        file.seek(SeekFrom::Start(n % BLOCKS * BLOCK.len() as u64))?;
        std::thread::sleep(PAUSE);
        let began = clock.now().0;
        file.write_all(&BLOCK)?;
        file.sync_data()?;
        times.push(clock.now().0 - began);
    }
    times.sort_unstable();
    Ok(times[SYNCS / 2])
}
