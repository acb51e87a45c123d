//! Damage in the write-ahead log that a killed server leaves beside its database.
//!
//! SQLite reads such a log up to the first frame that is wrong, and drops the rest without a word.
//! That is right for the last transaction, which was perhaps being written; one that is followed by
//! another was on the disk. The format is at <https://www.sqlite.org/fileformat2.html#walformat>.

use crate::store::data_dir;
use crate::store::error::StoreError;
use std::fs;
use std::path::{Path, PathBuf};
use tracing::error;

const HEADER_BYTES: usize = 32;
const FRAME_HEADER_BYTES: usize = 24;
/// The magic numbers, which also say the byte order of the words that checksums add up.
const LITTLE_ENDIAN: u32 = 0x377f_0682;
const BIG_ENDIAN: u32 = 0x377f_0683;

/// Looks for damage in the log beside a database, and copies a damaged one aside. Returns whether
/// transactions are lost.
pub(super) fn check(database: &Path) -> Result<bool, StoreError> {
    let path = data_dir::wal_path(database);
    let log = match fs::read(&path) {
        Ok(log) => log,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(StoreError::of_file(&path, error)),
    };
    let Some(lost) = lost_frames(&log) else {
        return Ok(false);
    };
    let copy: PathBuf = data_dir::aside_path(&path);
    fs::copy(&path, &copy).map_err(|error| StoreError::of_file(&copy, error))?;
    error!(
        pages = lost, copy = %copy.display(),
        "the database's log is damaged; rooms and results of the last server may be lost"
    );
    Ok(true)
}

/// A frame as its header says.
struct Frame<'a> {
    /// Page and size, which the checksum covers with the page's content.
    head: &'a [u8],
    is_commit: bool,
    salts: [u32; 2],
    checksum: [u32; 2],
    page: &'a [u8],
}

/// Returns how many frames SQLite would drop that were on the disk once.
fn lost_frames(log: &[u8]) -> Option<usize> {
    let header = log.first_chunk::<HEADER_BYTES>()?;
    let [magic, _, page_bytes, _, salt, other_salt, first, second] = words(header);
    let checksum = [first, second];
    let is_little = match magic {
        LITTLE_ENDIAN => true,
        BIG_ENDIAN => false,
        // SQLite itself refuses or ignores it.
        _ => return None,
    };
    let add = |sum, bytes: &[u8]| checksum_of(is_little, sum, bytes);
    let page_bytes = usize::try_from(page_bytes).ok()?.max(512);
    let frames: Vec<_> = log[HEADER_BYTES..]
        .chunks_exact(FRAME_HEADER_BYTES + page_bytes)
        .map(frame)
        .take_while(|frame| frame.salts == [salt, other_salt])
        .collect();
    // Each checksum continues the one before it, so a frame is checked by those two.
    let mut before = checksum;
    let is_valid: Vec<bool> = frames
        .iter()
        .map(|frame| {
            let sum = add(add(before, frame.head), frame.page);
            before = frame.checksum;
            sum == frame.checksum
        })
        .collect();
    let is_header_valid = add([0; 2], &header[..HEADER_BYTES - 8]) == checksum;
    let damaged = if is_header_valid { is_valid.iter().position(|valid| !valid)? } else { 0 };
    let end = damaged + frames[damaged..].iter().position(|frame| frame.is_commit)?;
    let is_followed = is_valid[end + 1..].iter().any(|&valid| valid);
    is_followed.then_some(frames.len() - damaged)
}

fn frame(bytes: &[u8]) -> Frame<'_> {
    let (header, page) = bytes.split_at(FRAME_HEADER_BYTES);
    let [_, size, salt, other_salt, first, second] = words(header);
    let (salts, checksum) = ([salt, other_salt], [first, second]);
    Frame { head: &header[..8], is_commit: size > 0, salts, checksum, page }
}

/// Reads big-endian words; those behind the end are 0.
fn words<const N: usize>(bytes: &[u8]) -> [u32; N] {
    let mut words = [0; N];
    for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
        *word = u32::from_be_bytes(*bytes);
    }
    words
}

/// Continues a checksum with the words of these bytes.
fn checksum_of(is_little: bool, [mut first, mut second]: [u32; 2], bytes: &[u8]) -> [u32; 2] {
    let word =
        |bytes| if is_little { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) };
    for pair in bytes.as_chunks::<4>().0.as_chunks::<2>().0 {
        first = first.wrapping_add(word(pair[0])).wrapping_add(second);
        second = second.wrapping_add(word(pair[1])).wrapping_add(first);
    }
    [first, second]
}
