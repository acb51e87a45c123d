//! One group's entries, of whichever heats: a row of the journal.

/// Bytes in front of a heat's entries that name it, and that hold their length; the least
/// come first.
const HEAD: (usize, usize) = (8, 4);

/// Appends a heat's entries.
pub(crate) fn append(part: &mut Vec<u8>, heat: i64, entries: &[u8]) {
    // What fits into the queue has a length that fits into 32 bits.
    let length = u32::try_from(entries.len()).unwrap_or(u32::MAX);
    part.extend(heat.to_le_bytes());
    part.extend(length.to_le_bytes());
    part.extend(entries);
}

/// Reads what was appended, heat by heat; nothing where it breaks off.
pub(crate) fn read(part: &[u8]) -> Option<Vec<(i64, &[u8])>> {
    let mut heats = Vec::new();
    let mut rest = part;
    while !rest.is_empty() {
        let (heat, behind) = rest.split_first_chunk::<{ HEAD.0 }>()?;
        let (length, behind) = behind.split_first_chunk::<{ HEAD.1 }>()?;
        let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
        let (entries, behind) = behind.split_at_checked(length)?;
        heats.push((i64::from_le_bytes(*heat), entries));
        rest = behind;
    }
    Some(heats)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_read_as_it_was_written_or_not_at_all() {
        let mut part = Vec::new();
        append(&mut part, 7, b"one");
        append(&mut part, -1, b"");
        append(&mut part, 7, b"three");
        assert_eq!(read(&part).unwrap(), [(7, &b"one"[..]), (-1, b""), (7, b"three")]);
        let whole = (0..part.len()).filter(|&at| read(&part[..at]).is_some()).count();
        assert_eq!(whole, 3);
    }
}
