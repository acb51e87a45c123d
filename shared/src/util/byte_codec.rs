//! Binary encoding of numbers and texts, and a reader that knows its offset.
//!
//! A number is unsigned LEB128: seven bits a byte, the lowest first, the top bit set on all
//! bytes but the last, in the fewest bytes possible. A text is its length in bytes, then UTF-8.

use crate::util::grid::{Cell, Size, SizeError};

/// Longest encoded number in bytes: 64 bits, seven in each.
pub(crate) const MAX_NUMBER_BYTES: usize = 10;

/// The first invalid value, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadError {
    /// Offset in bytes from the start of the file.
    pub offset: u64,
    /// The section of the file, if within one.
    pub section: Option<&'static str>,
    pub kind: ReadErrorKind,
}

/// The error of a value that can't be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadErrorKind {
    #[error("the file ends where {missing} more bytes of {expected} are expected")]
    Ends {
        expected: &'static str,
        /// Lower bound on the missing bytes.
        missing: u64,
    },
    #[error("{expected} is expected, and no number stands there")]
    Number { expected: &'static str },
    #[error("{expected} is expected to be at most {most}, and {found} is found")]
    TooLarge { expected: &'static str, most: u64, found: u64 },
    #[error("{expected} is expected: {why}")]
    Unknown { expected: &'static str, why: String },
    #[error("{left} bytes follow what belongs here")]
    Trailing { left: u64 },
}

pub(crate) fn put_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

pub(crate) fn put_text(out: &mut Vec<u8>, text: &str) {
    put_number(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

pub(crate) fn put_size(out: &mut Vec<u8>, size: Size) {
    put_number(out, size.rows() as u64);
    put_number(out, size.cols() as u64);
}

/// Reads values from bytes; errors carry the offset in the file and the section.
#[derive(Debug, Clone)]
pub struct ByteReader<'a> {
    rest: &'a [u8],
    offset: u64,
    section: Option<&'static str>,
}

impl<'a> ByteReader<'a> {
    pub(crate) const fn new(bytes: &'a [u8], offset: u64, section: Option<&'static str>) -> Self {
        Self { rest: bytes, offset, section }
    }

    /// Returns the offset of the next byte in the file.
    pub(crate) const fn offset(&self) -> u64 {
        self.offset
    }

    pub(crate) const fn section(&self) -> Option<&'static str> {
        self.section
    }

    pub(crate) const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Reads `count` bytes.
    pub(crate) fn take(
        &mut self,
        count: usize,
        expected: &'static str,
    ) -> Result<&'a [u8], ReadError> {
        let Some((bytes, rest)) = self.rest.split_at_checked(count) else {
            let missing = (count - self.rest.len()) as u64;
            let end = self.offset + self.rest.len() as u64;
            return Err(self.at(end, ReadErrorKind::Ends { expected, missing }));
        };
        self.rest = rest;
        self.offset += count as u64;
        Ok(bytes)
    }

    pub(crate) fn array<const N: usize>(
        &mut self,
        expected: &'static str,
    ) -> Result<[u8; N], ReadError> {
        let offset = self.offset;
        let bytes = self.take(N, expected)?;
        bytes.try_into().map_err(|_| self.at(offset, ReadErrorKind::Number { expected }))
    }

    /// Reads a number of at most `most`.
    pub(crate) fn number(&mut self, expected: &'static str, most: u64) -> Result<u64, ReadError> {
        let offset = self.offset;
        let mut number = 0u64;
        for at in 0..MAX_NUMBER_BYTES {
            let byte = u64::from(self.array::<1>(expected)?[0]);
            let bits = byte & 0x7f;
            let shifted = bits << (7 * at);
            if shifted >> (7 * at) != bits {
                break;
            }
            number |= shifted;
            if byte & 0x80 == 0 {
                // A last byte of 0 is redundant.
                if byte == 0 && at > 0 {
                    break;
                }
                return if number > most {
                    let found = number;
                    Err(self.at(offset, ReadErrorKind::TooLarge { expected, most, found }))
                } else {
                    Ok(number)
                };
            }
        }
        Err(self.at(offset, ReadErrorKind::Number { expected }))
    }

    pub(crate) fn flag(&mut self, expected: &'static str) -> Result<bool, ReadError> {
        Ok(self.number(expected, 1)? == 1)
    }

    pub(crate) fn small(&mut self, expected: &'static str, most: u16) -> Result<u16, ReadError> {
        // It is at most `most`.
        Ok(self.number(expected, most.into())? as u16)
    }

    pub(crate) fn text(
        &mut self,
        expected: &'static str,
        most: usize,
    ) -> Result<&'a str, ReadError> {
        let length = self.number(expected, most as u64)? as usize;
        let offset = self.offset;
        let bytes = self.take(length, expected)?;
        std::str::from_utf8(bytes).map_err(|error| self.unknown_at(offset, expected, &error))
    }

    /// Reads a text and parses it; only the canonical text of a value is accepted.
    pub(crate) fn parse<T: std::str::FromStr + ToString>(
        &mut self,
        expected: &'static str,
        most: usize,
    ) -> Result<T, ReadError>
    where
        T::Err: std::fmt::Display,
    {
        let offset = self.offset;
        let text = self.text(expected, most)?;
        let value = text.parse::<T>().map_err(|why| self.unknown_at(offset, expected, &why))?;
        if value.to_string() != text {
            let why = format!("{text:?} is written {:?}", value.to_string());
            return Err(self.unknown_at(offset, expected, &why));
        }
        Ok(value)
    }

    /// Reads a board's size that `check` accepts, with sides of at most `most`.
    pub(crate) fn size<T, E: std::fmt::Display + From<SizeError>>(
        &mut self,
        most: usize,
        check: impl Fn(Size) -> Result<T, E>,
    ) -> Result<Size, ReadError> {
        let offset = self.offset;
        let rows = self.number("the board's number of rows", most as u64)? as usize;
        let cols = self.number("the board's number of columns", most as u64)? as usize;
        let size = Size::new(rows, cols).map_err(E::from);
        let checked = size.and_then(|size| check(size).map(|_| size));
        checked.map_err(|error| self.unknown_at(offset, "the board's size", &error))
    }

    /// Reads a cell of a board.
    pub(crate) fn cell(&mut self, expected: &'static str, size: Size) -> Result<Cell, ReadError> {
        Ok(Cell(self.number(expected, size.last().0.into())? as u16))
    }

    /// Fails unless all bytes are read.
    pub(crate) const fn end(&self) -> Result<(), ReadError> {
        match self.rest.len() as u64 {
            0 => Ok(()),
            left => Err(self.at(self.offset, ReadErrorKind::Trailing { left })),
        }
    }

    pub(crate) fn unknown_at(
        &self,
        offset: u64,
        expected: &'static str,
        why: &dyn std::fmt::Display,
    ) -> ReadError {
        let why = why.to_string();
        self.at(offset, ReadErrorKind::Unknown { expected, why })
    }

    pub(crate) const fn at(&self, offset: u64, kind: ReadErrorKind) -> ReadError {
        ReadError { offset, section: self.section, kind }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(bytes: &[u8], most: u64) -> Result<u64, ReadErrorKind> {
        let mut source = ByteReader::new(bytes, 100, None);
        source.number("a number", most).map_err(|error| error.kind)
    }

    #[test]
    fn a_number_in_more_bytes_than_it_needs_is_none() {
        let expected = "a number";
        for bytes in [
            &[0x80, 0x00][..],
            &[0xff; 10],
            &[0x81, 0x80, 0x00],
            &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02],
        ] {
            assert_eq!(read(bytes, u64::MAX), Err(ReadErrorKind::Number { expected }));
        }
        let missing = 1;
        assert_eq!(read(&[0x80], 9), Err(ReadErrorKind::Ends { expected, missing }));
    }

    proptest! {
        #[test]
        fn numbers_are_read_as_they_were_written(number: u64, shift in 0u32..64) {
            let number = number >> shift;
            let mut bytes = Vec::new();
            put_number(&mut bytes, number);
            prop_assert_eq!(read(&bytes, u64::MAX), Ok(number));
            prop_assert_eq!(bytes.len() as u32, (64 - (number | 1).leading_zeros()).div_ceil(7));
            if let Some(most) = number.checked_sub(1) {
                prop_assert!(read(&bytes, most).is_err());
            }
        }
    }
}
