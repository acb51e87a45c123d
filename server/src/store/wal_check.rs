//! Damage in the write-ahead log that a killed server leaves beside its database.
//!
//! SQLite reads such a log up to the first frame that is wrong, and drops the rest without a word.
//! That is right for the last transaction, which was perhaps being written; one that is followed by
//! another was on the disk. SQLite also removes a log whose database is gone. The format is at
//! <https://www.sqlite.org/fileformat2.html#walformat>.

use crate::store::data_dir;
use crate::store::error::StoreError;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use tracing::error;

const HEADER_BYTES: usize = 32;
const FRAME_HEADER_BYTES: usize = 24;
/// The magic numbers, which also say the byte order of the words that checksums add up.
const LITTLE_ENDIAN: u32 = 0x377f_0682;
const BIG_ENDIAN: u32 = 0x377f_0683;
/// The size of a page unless the header says otherwise: SQLite's default.
const DEFAULT_PAGE_BYTES: usize = 4_096;

/// Looks for damage in the log beside a database, and copies a damaged one aside. Returns whether
/// transactions are lost.
pub(super) fn check(database: &Path) -> Result<bool, StoreError> {
    if fs::metadata(database).is_ok_and(|about| about.len() == 0) {
        return set_aside(database);
    }
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

/// Renames the log beside a database that is gone, if there is one. Returns whether there is.
pub(super) fn set_aside(database: &Path) -> Result<bool, StoreError> {
    let path = data_dir::wal_path(database);
    if fs::metadata(&path).map_or(0, |about| about.len()) == 0 {
        return Ok(false);
    }
    let to = data_dir::aside_path(&path);
    fs::rename(&path, &to).map_err(|error| StoreError::of_file(&to, error))?;
    error!(
        to = %to.display(),
        "the database of this write-ahead log is missing or empty; if it has another name now, rename the log to that name and -wal"
    );
    Ok(true)
}

/// What the log's header says.
struct Header {
    is_little_endian: bool,
    page_bytes: usize,
    salts: [u32; 2],
    checksum: [u32; 2],
}

impl Header {
    /// Reads a valid header.
    fn read(bytes: &[u8; HEADER_BYTES]) -> Option<Self> {
        let [magic, _, page_bytes, _, salt, other_salt, first, second] = words(bytes);
        let is_little_endian = match magic {
            LITTLE_ENDIAN => true,
            BIG_ENDIAN => false,
            _ => return None,
        };
        let (salts, checksum) = ([salt, other_salt], [first, second]);
        let page_bytes = usize::try_from(page_bytes).ok()?;
        let sum = checksum_of(is_little_endian, [0; 2], &bytes[..HEADER_BYTES - 8]);
        (sum == checksum).then_some(Self { is_little_endian, page_bytes, salts, checksum })
    }

    /// Returns whether a frame was written since the log last restarted.
    fn is_current(&self, frame: &WalFrame<'_>) -> bool {
        frame.salts == self.salts
    }

    /// Returns whether a frame's checksum continues the one before it.
    fn continues(&self, before: [u32; 2], frame: &WalFrame<'_>) -> bool {
        let sum = checksum_of(self.is_little_endian, before, frame.head);
        checksum_of(self.is_little_endian, sum, frame.page) == frame.checksum
    }
}

/// A frame as its header says.
struct WalFrame<'a> {
    /// Page and size, which the checksum covers with the page's content.
    head: &'a [u8],
    page_number: u32,
    is_commit: bool,
    salts: [u32; 2],
    checksum: [u32; 2],
    page: &'a [u8],
}

/// Returns how many frames SQLite would drop that were on the disk once.
fn lost_frames(log: &[u8]) -> Option<usize> {
    let (header, frames) = log.split_first_chunk::<HEADER_BYTES>()?;
    let Some(header) = Header::read(header) else {
        // A header is on the disk before the first frame is written, so no crash tears it.
        let frames = frames.len() / (FRAME_HEADER_BYTES + DEFAULT_PAGE_BYTES);
        return (frames > 0).then_some(frames);
    };
    let frames: Vec<_> =
        frames.chunks_exact(FRAME_HEADER_BYTES + header.page_bytes).map(frame).collect();
    // Those behind the last current frame are in the database: the log restarted after them.
    let end = frames.iter().rposition(|frame| header.is_current(frame))? + 1;
    let frames = &frames[..end];
    let checksums = frames.iter().map(|frame| frame.checksum);
    let damaged = std::iter::once(header.checksum).chain(checksums).zip(frames).position(
        |(before, frame)| !header.is_current(frame) || !header.continues(before, frame),
    )?;
    let begin = frames[..damaged].iter().rposition(|frame| frame.is_commit).map_or(0, |at| at + 1);
    // The damaged transaction was perhaps being written, unless a frame follows that is not its own:
    // it ends with a commit and has each page once. The commit itself may be damaged, but all
    // transactions have the pages of the clock and of the journal log.
    let mut pages = BTreeSet::new();
    let mut has_ended = false;
    let mut current = frames[begin..].iter().filter(|frame| header.is_current(frame));
    let is_followed = current.any(|frame| {
        let is_later = has_ended || !pages.insert(frame.page_number);
        has_ended |= frame.is_commit;
        is_later
    });
    is_followed.then_some(frames.len() - damaged)
}

fn frame(bytes: &[u8]) -> WalFrame<'_> {
    let (header, page) = bytes.split_at(FRAME_HEADER_BYTES);
    let [page_number, size, salt, other_salt, first, second] = words(header);
    let (salts, checksum) = ([salt, other_salt], [first, second]);
    WalFrame { head: &header[..8], page_number, is_commit: size > 0, salts, checksum, page }
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
