//! The file format of a table: a header, then the payload.
//!
//! The header has 64 bytes, numbers little-endian:
//!
//! | at | bytes | what |
//! |---|---|---|
//! | 0 | 8 | `gridrace` |
//! | 8 | 4 | version of the header |
//! | 12 | 4 | version of the payload's layout |
//! | 16 | 24 | the spec, `4x4-default`, filled up with zeros |
//! | 40 | 8 | length of the payload |
//! | 48 | 4 | CRC-32 of the payload |
//! | 52 | 8 | the spec's fingerprint: which patterns they are |
//! | 60 | 4 | CRC-32 of the 60 bytes before |

use super::mapping::Mapped;
use crc32fast::Hasher;
use gridrace_shared::puzzle::tables::{LAYOUT_VERSION, Payload, Table, TableGrade, TableSpec};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;
use std::sync::Arc;

/// Bytes of a file's header: one cache line, so that the payload is aligned to cache lines.
pub const HEADER: usize = 64;
const MAGIC: [u8; 8] = *b"gridrace";
const HEADER_VERSION: u32 = 2;
/// Bytes read at a time when a file is only checked.
const CHUNK: usize = 1 << 20;

/// Why a table file is rejected.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("it can't be read: {0}")]
    Unreadable(#[from] io::Error),
    #[error("it is no file")]
    NoFile,
    #[error("it has no header of a table file")]
    Foreign,
    #[error("another version wrote it")]
    OtherVersion,
    /// It holds another table than its name says. The header's name of the table.
    #[error("it holds another table: {0}")]
    OtherTable(String),
    #[error("it has {found} bytes instead of {expected}")]
    Length { expected: u64, found: u64 },
    #[error("its checksum is wrong")]
    Damaged,
}

struct Header {
    layout: u32,
    spec: String,
    payload_len: u64,
    checksum: u32,
    fingerprint: u64,
}

/// Reads a table into memory, or maps a large one; returns nothing if there is no file.
pub fn read(path: &Path, spec: TableSpec) -> Result<Option<Table>, FileError> {
    let Some((mut file, header)) = open(path, spec)? else {
        return Ok(None);
    };
    let len = spec.payload_len();
    let payload: Payload = match spec.grade() {
        TableGrade::Default => {
            let mut bytes = vec![0; len];
            file.read_exact(&mut bytes)?;
            if crc32fast::hash(&bytes) != header.checksum {
                return Err(FileError::Damaged);
            }
            Arc::new(bytes)
        }
        TableGrade::Large | TableGrade::Mtm => {
            // Not through the map, all of which would then be resident.
            check_payload(&mut file, &header)?;
            Arc::new(Mapped::new(&file, HEADER as u64, len)?)
        }
    };
    let table = Table::from_payload(spec, payload).map_err(|_| FileError::Damaged)?;
    Ok(Some(table))
}

/// Checks the header of a file of `found` bytes, but not the payload's checksum.
pub fn check_header(bytes: &[u8; HEADER], spec: TableSpec, found: u64) -> Result<(), FileError> {
    parse_header(bytes, spec, found).map(|_| ())
}

/// Checks a whole file without keeping it in memory.
pub fn check(path: &Path, spec: TableSpec) -> Result<(), FileError> {
    let missing = || FileError::Unreadable(ErrorKind::NotFound.into());
    let (mut file, header) = open(path, spec)?.ok_or_else(missing)?;
    check_payload(&mut file, &header)
}

/// Compares the checksum of a file's payload, from its position on.
fn check_payload(file: &mut File, header: &Header) -> Result<(), FileError> {
    let (mut hasher, mut chunk) = (Hasher::new(), vec![0; CHUNK]);
    let mut left = header.payload_len;
    while left > 0 {
        let most = usize::try_from(left).unwrap_or(CHUNK).min(CHUNK);
        file.read_exact(&mut chunk[..most])?;
        hasher.update(&chunk[..most]);
        left -= most as u64;
    }
    match hasher.finalize() == header.checksum {
        true => Ok(()),
        false => Err(FileError::Damaged),
    }
}

pub fn write(out: &mut impl Write, table: &Table) -> io::Result<()> {
    let header = Header {
        layout: LAYOUT_VERSION,
        spec: table.spec().to_string(),
        payload_len: table.payload().len() as u64,
        checksum: crc32fast::hash(table.payload()),
        fingerprint: table.spec().fingerprint(),
    };
    out.write_all(&header.to_bytes())?;
    out.write_all(table.payload())
}

/// Opens a file, and checks its length and its header.
fn open(path: &Path, spec: TableSpec) -> Result<Option<(File, Header)>, FileError> {
    match fs::metadata(path) {
        // Opening a pipe blocks until it has a writer.
        Ok(about) if !about.is_file() => return Err(FileError::NoFile),
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.into()),
    }
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let found = file.metadata()?.len();
    let mut bytes = [0; HEADER];
    match file.read_exact(&mut bytes) {
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Err(FileError::Foreign),
        outcome => outcome?,
    }
    let header = parse_header(&bytes, spec, found)?;
    Ok(Some((file, header)))
}

/// Parses a header, and checks that it is that of this table in a file of `found` bytes.
fn parse_header(bytes: &[u8; HEADER], spec: TableSpec, found: u64) -> Result<Header, FileError> {
    let header = Header::from_bytes(bytes)?;
    if header.layout != LAYOUT_VERSION {
        return Err(FileError::OtherVersion);
    }
    if header.spec != spec.to_string() {
        return Err(FileError::OtherTable(header.spec));
    }
    // Other patterns with the same layout version, which should have been raised.
    if header.fingerprint != spec.fingerprint() {
        return Err(FileError::OtherVersion);
    }
    let expected = (HEADER + spec.payload_len()) as u64;
    if found != expected || header.payload_len != spec.payload_len() as u64 {
        return Err(FileError::Length { expected, found });
    }
    Ok(header)
}

impl Header {
    fn to_bytes(&self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        let mut put = |at: usize, part: &[u8]| {
            bytes[at..at + part.len()].copy_from_slice(part);
        };
        put(0, &MAGIC);
        put(8, &HEADER_VERSION.to_le_bytes());
        put(12, &self.layout.to_le_bytes());
        put(16, self.spec.as_bytes());
        put(40, &self.payload_len.to_le_bytes());
        put(48, &self.checksum.to_le_bytes());
        put(52, &self.fingerprint.to_le_bytes());
        let own = crc32fast::hash(&bytes[..60]);
        bytes[60..].copy_from_slice(&own.to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8; HEADER]) -> Result<Self, FileError> {
        let number = |at: usize| {
            let part: [u8; 4] = std::array::from_fn(|n| bytes[at + n]);
            u32::from_le_bytes(part)
        };
        let long = |at: usize| u64::from(number(at)) | u64::from(number(at + 4)) << 32;
        if bytes[..8] != MAGIC || number(60) != crc32fast::hash(&bytes[..60]) {
            return Err(FileError::Foreign);
        }
        if number(8) != HEADER_VERSION {
            return Err(FileError::OtherVersion);
        }
        let spec = bytes[16..40].split(|&byte| byte == 0).next().unwrap_or(&[]);
        Ok(Self {
            layout: number(12),
            spec: String::from_utf8_lossy(spec).into_owned(),
            payload_len: long(40),
            checksum: number(48),
            fingerprint: long(52),
        })
    }
}
