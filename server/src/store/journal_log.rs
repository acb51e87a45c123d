//! The journal log: files in which the entries of all rooms are appended, a record for each group.
//!
//! A file is a *segment*, named by the number of its first record. Its blocks are written with
//! zeros beforehand, so that a record is one write of whole blocks to places that the file system
//! knows already: one block for a small group, and no metadata. With [`Durability::Power`] the write
//! itself is synchronous, and bypasses the page cache where the file system can. A record that
//! doesn't fit into the rest of its block begins the next one.
//!
//! Each server begins a segment, and each attempt to record again does. A segment that no room needs
//! is used again under a new name; what remains in it has lower numbers than its name.

use crate::store::commit_queue::CommitCost;
use crate::store::data_dir::{self, FileId};
use crate::store::error::StoreError;
use crate::store::journal_record::{ALIGNMENT, LogId, Record};
use gridrace_shared::util::time::{ServerInstant, UnixMillis};
use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::ops::RangeInclusive;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tracing::warn;

/// The bytes of a segment: some twenty thousand groups of a small server, written within moments.
pub(super) const SEGMENT_BYTES: u64 = if cfg!(test) { 64 * 1024 } else { 4 * 1024 * 1024 };
/// The unit of writes, which suits all disks and file systems.
pub(super) const BLOCK: usize = 4_096;
/// Bytes of the write buffer that are kept after a large group.
const KEPT_BUFFER_BYTES: usize = 64 * 1024;
const PREFIX: &str = "journal-";
/// A segment that isn't written with zeros yet.
const UNFINISHED: &str = "journal.new";

/// The failures that an acknowledged move survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Durability {
    /// A power cut: moves are acknowledged once they are on the disk.
    #[default]
    Power,
    /// A crash of the server: moves are acknowledged once the system has them, and the disk has
    /// them moments later. Results are always on the disk before they are announced.
    Crash,
}

/// A file of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Segment {
    /// The lowest number that a record in it has.
    pub(super) first: i64,
    pub(super) bytes: u64,
}

/// Where a log ends.
#[derive(Debug)]
pub(super) struct LogEnd {
    pub(super) id: LogId,
    /// The number of the last record, 0 if there is none.
    pub(super) last: i64,
    pub(super) segments: Vec<Segment>,
}

/// The log of a running server.
#[derive(Debug)]
pub(super) struct JournalLog {
    folder: PathBuf,
    id: LogId,
    durability: Durability,
    /// The segments before the present one.
    older: VecDeque<Segment>,
    present: Segment,
    file: Arc<File>,
    /// Whether a write returns once it is on the disk.
    is_synchronous: bool,
    /// Where the next record begins.
    end: usize,
    buffer: BlockBuffer,
    /// The number of the last record.
    last: i64,
}

impl JournalLog {
    /// Begins a segment after the older ones. The next record will have the number `first` or a
    /// higher one, and `floor` is the first number that a room needs.
    pub(super) fn begin(
        folder: &Path,
        durability: Durability,
        older: LogEnd,
        first: i64,
        floor: i64,
    ) -> Result<Self, StoreError> {
        let LogEnd { id, last, segments } = older;
        let mut older = VecDeque::from(segments);
        let (present, _) = place(folder, &mut older, first, SEGMENT_BYTES, floor)?;
        let (file, is_synchronous) = open(folder, present, durability)?;
        Ok(Self {
            folder: folder.to_owned(),
            id,
            durability,
            older,
            present,
            file: Arc::new(file),
            is_synchronous,
            end: 0,
            buffer: BlockBuffer::new(),
            last,
        })
    }

    /// Returns the end of the log, from which a log of the same id continues; a log of another id
    /// starts anew in the same folder. The segments are read from the folder, because a change of
    /// segments that failed may have left others than this log knows.
    pub(super) fn end(&self, id: LogId) -> Result<LogEnd, StoreError> {
        let segment = |first| {
            let path = path(&self.folder, first);
            let about = fs::metadata(&path).map_err(|error| StoreError::of_file(&path, error))?;
            Ok(Segment { first, bytes: about.len() })
        };
        let segments = segment_numbers(&self.folder)?.into_iter().map(segment);
        let segments = segments.collect::<Result<_, StoreError>>()?;
        Ok(LogEnd { id, last: if id == self.id { self.last } else { 0 }, segments })
    }

    pub(super) const fn last(&self) -> i64 {
        self.last
    }

    pub(super) const fn durability(&self) -> Durability {
        self.durability
    }

    /// Returns the file that must be synced in the background, if writes don't.
    pub(super) fn unsynced_file(&self) -> Option<Arc<File>> {
        (!self.is_synchronous).then(|| Arc::clone(&self.file))
    }

    /// Checks that the present segment is still in the folder.
    pub(super) fn check_file(&self) -> Result<(), StoreError> {
        let path = self.present_path();
        let about = self.file.metadata().map_err(|error| StoreError::of_file(&path, error))?;
        FileId::from(&about).check(&path)
    }

    fn present_path(&self) -> PathBuf {
        path(&self.folder, self.present.first)
    }

    /// Returns the bytes of all segments.
    pub(super) fn length(&self) -> u64 {
        self.older.iter().map(|segment| segment.bytes).sum::<u64>() + self.end as u64
    }

    /// Returns the first number of the newer half of the segments.
    pub(super) fn middle(&self) -> i64 {
        self.older
            .get(self.older.len().div_ceil(2))
            .map_or(self.present.first, |middle| middle.first)
    }

    /// Appends a record, which is on the disk then if `is_synced` or with [`Durability::Power`].
    /// `floor` is the first number that a room needs.
    pub(super) fn append(
        &mut self,
        number: i64,
        (clock, wall): (ServerInstant, UnixMillis),
        row: &[u8],
        floor: i64,
        is_synced: bool,
    ) -> Result<CommitCost, StoreError> {
        let record = Record { log: self.id, number, previous: self.last, clock, wall, row };
        let encoded = record.encode();
        let mut cost = CommitCost { bytes: row.len() as u64, ..CommitCost::default() };
        let rest = self.end.next_multiple_of(BLOCK) - self.end;
        if encoded.len() > rest {
            self.end += rest;
            self.buffer.clear();
        }
        if (self.end + encoded.len()) as u64 > self.present.bytes {
            self.rotate(number, encoded.len() as u64, floor, &mut cost)?;
        }
        let begin = self.end - self.end % BLOCK;
        let blocks = self.buffer.append(self.end % BLOCK, &encoded);
        cost.written += blocks.len() as u64;
        self.file.write_all_at(blocks, begin as u64).map_err(|error| self.fault(error))?;
        if is_synced && !self.is_synchronous {
            self.file.sync_data().map_err(|error| self.fault(error))?;
        }
        cost.syncs += u64::from(is_synced || self.is_synchronous);
        self.end += encoded.len();
        self.buffer.keep_tail(begin, self.end);
        self.last = number;
        Ok(cost)
    }

    /// Begins the next segment, in the file of one that no room needs if there is one.
    fn rotate(
        &mut self,
        first: i64,
        needed: u64,
        floor: i64,
        cost: &mut CommitCost,
    ) -> Result<(), StoreError> {
        if !self.is_synchronous {
            self.file.sync_data().map_err(|error| self.fault(error))?;
        }
        let mut older = self.older.clone();
        older.push_back(self.present);
        let (next, placed) = place(&self.folder, &mut older, first, needed, floor)?;
        cost.written += placed.written;
        cost.syncs += placed.syncs;
        let (file, is_synchronous) = open(&self.folder, next, self.durability)?;
        (self.file, self.is_synchronous) = (Arc::new(file), is_synchronous);
        (self.present, self.older) = (next, older);
        self.end = 0;
        self.buffer.clear();
        Ok(())
    }

    fn fault(&self, error: io::Error) -> StoreError {
        StoreError::of_file(&self.present_path(), error)
    }
}

/// Makes the segment of the records from `first` on, in the file of one that no room needs if there
/// is one, and removes the other such ones from the folder and from `older`.
fn place(
    folder: &Path,
    older: &mut VecDeque<Segment>,
    first: i64,
    needed: u64,
    floor: i64,
) -> Result<(Segment, CommitCost), StoreError> {
    let bytes = needed.next_multiple_of(BLOCK as u64).max(SEGMENT_BYTES);
    let next = Segment { first, bytes };
    // All records of a segment have lower numbers than the next segment's name; one that is named
    // so or higher has none.
    let ends = older.iter().skip(1).map(|second| second.first).chain([first]);
    let is_needed = |(older, end): (&Segment, i64)| older.first < first && end > floor;
    let needed: Vec<bool> = older.iter().zip(ends).map(is_needed).collect();
    let mut unneeded = Vec::new();
    for (segment, is_needed) in std::mem::take(older).into_iter().zip(needed) {
        if is_needed {
            older.push_back(segment);
        } else {
            unneeded.push(segment);
        }
    }
    let reused = unneeded.iter().position(|segment| segment.bytes == bytes);
    let mut cost = CommitCost { syncs: 1, ..CommitCost::default() };
    if let Some(reused) = reused.map(|index| unneeded.swap_remove(index)) {
        fs::rename(path(folder, reused.first), path(folder, first))
            .map_err(|error| StoreError::of_file(folder, error))?;
        data_dir::sync(folder)?;
    } else {
        create(folder, next)?;
        cost.written = bytes;
        cost.syncs += 1;
    }
    for segment in unneeded.into_iter().filter(|segment| segment.first != first) {
        let path = path(folder, segment.first);
        fs::remove_file(&path).map_err(|error| StoreError::of_file(&path, error))?;
    }
    Ok((next, cost))
}

/// What the segments of a folder hold.
#[derive(Debug, Default)]
pub(super) struct Scan {
    pub(super) segments: Vec<Segment>,
    /// The last record's number and clocks.
    pub(super) last: Option<(i64, ServerInstant, UnixMillis)>,
    /// Records that are missing before a later one.
    pub(super) missing: Vec<Missing>,
}

/// Records that are damaged or gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Missing {
    pub(super) numbers: RangeInclusive<i64>,
    /// The segment in which they probably were.
    pub(super) segment: Option<Segment>,
}

/// Reads the valid records of a log in order. What follows the last one was never acknowledged; a
/// number that is missing before it belongs to a record that was.
pub(super) fn scan(
    folder: &Path,
    id: LogId,
    mut take: impl FnMut(&Record<'_>),
) -> Result<Scan, StoreError> {
    let mut scan = Scan::default();
    for first in segment_numbers(folder)? {
        let path = path(folder, first);
        let bytes = fs::read(&path).map_err(|error| StoreError::of_file(&path, error))?;
        let segment = Segment { first, bytes: bytes.len() as u64 };
        let (mut at, mut has_own, mut has_foreign) = (0, false, false);
        while at < bytes.len() {
            let Some((record, length)) = Record::decode(&bytes[at..]) else {
                at += ALIGNMENT;
                continue;
            };
            at += length;
            // What the first segment begins with follows a record of a lower number than its name.
            let begin = scan.segments.first().map_or(first, |earliest| earliest.first);
            let last = scan.last.map_or(begin - 1, |(last, ..)| last);
            if record.log != id {
                has_foreign = true;
                continue;
            }
            has_own = true;
            if record.number > last && record.number >= first {
                if record.previous > last {
                    let numbers = last + 1..=record.previous;
                    let missing = Missing { numbers, segment: Some(segment) };
                    scan.missing.push(missing);
                }
                scan.last = Some((record.number, record.clock, record.wall));
                take(&record);
            }
        }
        if has_foreign && !has_own {
            let to = data_dir::aside_path(&path);
            fs::rename(&path, &to).map_err(|error| StoreError::of_file(&path, error))?;
            warn!(to = %to.display(), "journal of another database set aside");
        } else {
            scan.segments.push(segment);
        }
    }
    Ok(scan)
}

/// Copies a damaged segment beside it; returns the path of the copy.
pub(super) fn copy_aside(folder: &Path, segment: Segment) -> Result<PathBuf, StoreError> {
    let from = path(folder, segment.first);
    let to = data_dir::aside_path(&from);
    fs::copy(&from, &to).map_err(|error| StoreError::of_file(&to, error))?;
    Ok(to)
}

/// Returns the first numbers of the segments in a folder, in order.
fn segment_numbers(folder: &Path) -> Result<Vec<i64>, StoreError> {
    let fault = |error| StoreError::of_file(folder, error);
    let mut numbers = Vec::new();
    for file in fs::read_dir(folder).map_err(fault)? {
        let name = file.map_err(fault)?.file_name();
        let number = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
        let number = number.and_then(|number| i64::from_str_radix(number, 16).ok());
        // A copy that someone made may have another hexadecimal suffix.
        numbers.extend(number.filter(|&number| *name == *segment_name(number)));
    }
    numbers.sort_unstable();
    Ok(numbers)
}

/// Returns the paths of the segments in a folder.
pub(super) fn segment_paths(folder: &Path) -> Result<Vec<PathBuf>, StoreError> {
    Ok(segment_numbers(folder)?.into_iter().map(|first| path(folder, first)).collect())
}

pub(super) fn path(folder: &Path, first: i64) -> PathBuf {
    folder.join(segment_name(first))
}

fn segment_name(first: i64) -> String {
    format!("{PREFIX}{first:016x}")
}

/// Creates a segment of zeros that is on the disk.
fn create(folder: &Path, segment: Segment) -> Result<(), StoreError> {
    let unfinished = folder.join(UNFINISHED);
    let zeros = [0; BLOCK];
    let written = data_dir::create_file(&unfinished).and_then(|file| {
        file.set_len(0)?;
        for block in 0..segment.bytes / BLOCK as u64 {
            file.write_all_at(&zeros, block * BLOCK as u64)?;
        }
        file.sync_all()?;
        fs::rename(&unfinished, path(folder, segment.first))
    });
    if written.is_err() {
        // It says nothing, and takes space where there is little.
        fs::remove_file(&unfinished).ok();
    }
    written.map_err(|error| StoreError::of_file(&unfinished, error))?;
    data_dir::sync(folder)
}

/// Opens a segment for writing; returns it, and whether each write waits for the disk.
fn open(
    folder: &Path,
    segment: Segment,
    durability: Durability,
) -> Result<(File, bool), StoreError> {
    let path = path(folder, segment.first);
    let mut options = File::options();
    options.read(true).write(true);
    let opened = match durability {
        Durability::Crash => options.open(&path).map(|file| (file, false)),
        Durability::Power => open_synchronous(&mut options, &path).map(|file| (file, true)),
    };
    opened.map_err(|error| StoreError::of_file(&path, error))
}

/// Opens a file whose writes return once they are on the disk, past the page cache where the file
/// system can: that costs the least.
fn open_synchronous(options: &mut fs::OpenOptions, path: &Path) -> io::Result<File> {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt;
    let mut open = |flags: OFlags| options.custom_flags(flags.bits() as i32).open(path);
    #[cfg(target_os = "linux")]
    match open(OFlags::DSYNC | OFlags::DIRECT) {
        Err(error) if error.kind() == ErrorKind::InvalidInput => {}
        opened => return opened,
    }
    open(OFlags::DSYNC)
}

/// The bytes of the blocks that are written next, at an address that is a multiple of [`BLOCK`] as
/// writes past the page cache need it.
#[derive(Debug)]
struct BlockBuffer {
    bytes: Vec<u8>,
    begin: usize,
}

impl BlockBuffer {
    fn new() -> Self {
        Self::with_blocks(1)
    }

    fn with_blocks(blocks: usize) -> Self {
        let bytes = vec![0; (blocks + 1) * BLOCK];
        let begin = bytes.as_ptr().align_offset(BLOCK).min(BLOCK);
        Self { bytes, begin }
    }

    fn blocks(&mut self) -> &mut [u8] {
        let length = self.bytes.len() - BLOCK;
        &mut self.bytes[self.begin..self.begin + length]
    }

    /// Puts a record behind the first `offset` bytes; returns the blocks to write.
    fn append(&mut self, offset: usize, record: &[u8]) -> &[u8] {
        let end = offset + record.len();
        let length = end.next_multiple_of(BLOCK);
        if length > self.blocks().len() {
            let mut larger = Self::with_blocks(length / BLOCK);
            larger.blocks()[..offset].copy_from_slice(&self.blocks()[..offset]);
            *self = larger;
        }
        let blocks = self.blocks();
        blocks[offset..end].copy_from_slice(record);
        blocks[end..length].fill(0);
        &blocks[..length]
    }

    /// Keeps of the blocks from `begin` on the one that a record at `end` would continue.
    fn keep_tail(&mut self, begin: usize, end: usize) {
        let tail = end - end % BLOCK - begin;
        if tail > 0 {
            let rest = end % BLOCK;
            self.blocks().copy_within(tail..tail + rest, 0);
        }
        if self.bytes.len() > KEPT_BUFFER_BYTES {
            let mut smaller = Self::new();
            smaller.blocks()[..end % BLOCK].copy_from_slice(&self.blocks()[..end % BLOCK]);
            *self = smaller;
        }
    }

    fn clear(&mut self) {
        self.blocks().fill(0);
    }
}
