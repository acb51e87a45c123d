//! The codec of a record of the journal log: a group's number, the clocks, and its entries.
//!
//! A record is valid or isn't there: its checksum covers all of it. It names the log that it
//! belongs to and the number of the record before it, so that a file of another log, a remainder in
//! a file that is used again, and a record that is missing in between are told apart.

use gridrace_shared::util::time::{ServerInstant, UnixMillis};

/// The first bytes of each record.
const MAGIC: [u8; 8] = *b"gridjrn1";
/// Magic, checksum, length of the row, log, number, previous number, clock, calendar; all numbers
/// are little-endian.
const HEADER_BYTES: usize = 8 + 4 + 4 + 5 * 8;
/// Where the part begins that the checksum covers.
const CHECKED_FROM: usize = 8 + 4;
/// Records begin at multiples of this many bytes.
pub(super) const ALIGNMENT: usize = 8;

/// The random number of a database, which the records of its journals carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LogId(pub(super) u64);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Record<'a> {
    pub(super) log: LogId,
    pub(super) number: i64,
    /// The number of the record before it, 0 for the first one.
    pub(super) previous: i64,
    pub(super) clock: ServerInstant,
    pub(super) wall: UnixMillis,
    /// The entries of the group, as `journal_row` encodes them.
    pub(super) row: &'a [u8],
}

impl<'a> Record<'a> {
    /// Encodes the record, filled up to a multiple of [`ALIGNMENT`].
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut record = Vec::with_capacity(HEADER_BYTES + self.row.len() + ALIGNMENT);
        record.extend(MAGIC);
        record.extend([0; 4]);
        // The queue holds less than 4 GiB.
        record.extend(u32::try_from(self.row.len()).unwrap_or(u32::MAX).to_le_bytes());
        let numbers =
            [self.log.0, self.number as u64, self.previous as u64, self.clock.0, self.wall.0];
        numbers.iter().for_each(|number| record.extend(number.to_le_bytes()));
        record.extend(self.row);
        let checksum = crc32fast::hash(&record[CHECKED_FROM..]);
        record[MAGIC.len()..CHECKED_FROM].copy_from_slice(&checksum.to_le_bytes());
        record.resize(record.len().next_multiple_of(ALIGNMENT), 0);
        record
    }

    /// Decodes the record at the start of these bytes; returns it with its length, or nothing if no
    /// valid one begins there.
    pub(super) fn decode(bytes: &'a [u8]) -> Option<(Self, usize)> {
        let rest = bytes.strip_prefix(&MAGIC)?;
        let (checksum, checked) = rest.split_first_chunk()?;
        let (length, rest) = checked.split_first_chunk()?;
        let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
        let mut rest = rest;
        let mut number = || {
            let (number, behind) = rest.split_first_chunk()?;
            rest = behind;
            Some(u64::from_le_bytes(*number))
        };
        let numbers = [number()?, number()?, number()?, number()?, number()?];
        let row = rest.get(..length)?;
        let end = HEADER_BYTES + length;
        if crc32fast::hash(&bytes[CHECKED_FROM..end]) != u32::from_le_bytes(*checksum) {
            return None;
        }
        let [log, number, previous, clock, wall] = numbers;
        let record = Self {
            log: LogId(log),
            number: number as i64,
            previous: previous as i64,
            clock: ServerInstant(clock),
            wall: UnixMillis(wall),
            row,
        };
        Some((record, end.next_multiple_of(ALIGNMENT)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_with_one_flipped_bit_or_a_byte_less_is_none() {
        let record = Record {
            log: LogId(u64::MAX - 7),
            number: 12,
            previous: 11,
            clock: ServerInstant(5_000_000),
            wall: UnixMillis(1_795_219_200_000),
            row: b"the entries of a group",
        };
        let encoded = record.encode();
        assert_eq!(encoded.len() % ALIGNMENT, 0);
        let length = HEADER_BYTES + record.row.len();
        assert_eq!(Record::decode(&encoded), Some((record, encoded.len())));
        for bit in 0..length * 8 {
            let mut flipped = encoded.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Record::decode(&flipped), None, "bit {bit}");
        }
        assert!((0..length).all(|length| Record::decode(&encoded[..length]).is_none()));
    }
}
