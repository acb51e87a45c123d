//! Numbers and texts as a replay has them.
//!
//! A number is unsigned, seven bits a byte, the lowest first, the top bit set on all bytes
//! but the last, and in no more bytes than it needs. A text is its length in bytes, then
//! UTF-8.

use crate::replay::parse_error::{Damage, DamageKind};

/// The most bytes that a number has: 64 bits, seven in each.
pub(super) const NUMBER_BYTES: usize = 10;

/// Writes a number.
pub(crate) fn put_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Writes a text.
pub(super) fn put_text(out: &mut Vec<u8>, text: &str) {
    put_number(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

/// Bytes that are read one after another, and know where they stand in the file.
#[derive(Debug, Clone)]
pub(crate) struct Source<'a> {
    rest: &'a [u8],
    offset: u64,
    section: Option<&'static str>,
}

impl<'a> Source<'a> {
    pub(super) const fn new(bytes: &'a [u8], offset: u64, section: Option<&'static str>) -> Self {
        Self { rest: bytes, offset, section }
    }

    /// Returns where the next byte stands.
    pub(crate) const fn offset(&self) -> u64 {
        self.offset
    }

    pub(super) const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Reads so many bytes.
    pub(crate) fn take(
        &mut self,
        count: usize,
        expected: &'static str,
    ) -> Result<&'a [u8], Damage> {
        let Some((bytes, rest)) = self.rest.split_at_checked(count) else {
            let missing = (count - self.rest.len()) as u64;
            let end = self.offset + self.rest.len() as u64;
            return Err(self.at(end, DamageKind::Ends { expected, missing }));
        };
        self.rest = rest;
        self.offset += count as u64;
        Ok(bytes)
    }

    pub(super) fn array<const N: usize>(
        &mut self,
        expected: &'static str,
    ) -> Result<[u8; N], Damage> {
        let offset = self.offset;
        let bytes = self.take(N, expected)?;
        bytes.try_into().map_err(|_| self.at(offset, DamageKind::Number { expected }))
    }

    /// Reads a number of at most `most`.
    pub(crate) fn number(&mut self, expected: &'static str, most: u64) -> Result<u64, Damage> {
        let offset = self.offset;
        let mut number = 0u64;
        for at in 0..NUMBER_BYTES {
            let byte = u64::from(self.array::<1>(expected)?[0]);
            let bits = byte & 0x7f;
            let shifted = bits << (7 * at);
            if shifted >> (7 * at) != bits {
                break;
            }
            number |= shifted;
            if byte & 0x80 == 0 {
                // A last byte of 0 says nothing.
                if byte == 0 && at > 0 {
                    break;
                }
                return if number > most {
                    let found = number;
                    Err(self.at(offset, DamageKind::TooLarge { expected, most, found }))
                } else {
                    Ok(number)
                };
            }
        }
        Err(self.at(offset, DamageKind::Number { expected }))
    }

    pub(super) fn flag(&mut self, expected: &'static str) -> Result<bool, Damage> {
        Ok(self.number(expected, 1)? == 1)
    }

    pub(super) fn small(&mut self, expected: &'static str, most: u16) -> Result<u16, Damage> {
        // It is at most `most`.
        Ok(self.number(expected, most.into())? as u16)
    }

    pub(super) fn text(&mut self, expected: &'static str, most: usize) -> Result<&'a str, Damage> {
        let length = self.number(expected, most as u64)? as usize;
        let offset = self.offset;
        let bytes = self.take(length, expected)?;
        std::str::from_utf8(bytes).map_err(|error| self.unknown_at(offset, expected, &error))
    }

    /// Reads a text that means something.
    pub(super) fn parse<T: std::str::FromStr + ToString>(
        &mut self,
        expected: &'static str,
        most: usize,
    ) -> Result<T, Damage>
    where
        T::Err: std::fmt::Display,
    {
        let offset = self.offset;
        let text = self.text(expected, most)?;
        let value = text.parse::<T>().map_err(|why| self.unknown_at(offset, expected, &why))?;
        // One way to write it: what is read is written alike.
        if value.to_string() != text {
            let why = format!("{text:?} is written {:?}", value.to_string());
            return Err(self.unknown_at(offset, expected, &why));
        }
        Ok(value)
    }

    /// Makes sure that nothing is left.
    pub(super) const fn end(&self) -> Result<(), Damage> {
        match self.rest.len() as u64 {
            0 => Ok(()),
            left => Err(self.at(self.offset, DamageKind::Trailing { left })),
        }
    }

    pub(crate) fn unknown_at(
        &self,
        offset: u64,
        expected: &'static str,
        why: &dyn std::fmt::Display,
    ) -> Damage {
        let why = why.to_string();
        self.at(offset, DamageKind::Unknown { expected, why })
    }

    pub(super) const fn at(&self, offset: u64, what: DamageKind) -> Damage {
        Damage { offset, section: self.section, what }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(bytes: &[u8], most: u64) -> Result<u64, DamageKind> {
        let mut source = Source::new(bytes, 100, None);
        source.number("a number", most).map_err(|damage| damage.what)
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
            assert_eq!(read(bytes, u64::MAX), Err(DamageKind::Number { expected }));
        }
        let missing = 1;
        assert_eq!(read(&[0x80], 9), Err(DamageKind::Ends { expected, missing }));
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
