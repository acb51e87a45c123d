//! The codec of a journal row: the entries of a group, room by room.

/// Bytes of the number of a room, and of the length of its entries, both little-endian.
const HEADER: (usize, usize) = (8, 4);

/// Appends the entries of a room.
pub(crate) fn append(row: &mut Vec<u8>, room: i64, entries: &[u8]) {
    // The queue holds less than 4 GiB.
    let length = u32::try_from(entries.len()).unwrap_or(u32::MAX);
    row.extend(room.to_le_bytes());
    row.extend(length.to_le_bytes());
    row.extend(entries);
}

/// Decodes a row into rooms and their entries; nothing if it is truncated.
pub(crate) fn read(row: &[u8]) -> Option<Vec<(i64, &[u8])>> {
    let mut rooms = Vec::new();
    let mut rest = row;
    while !rest.is_empty() {
        let (room, behind) = rest.split_first_chunk::<{ HEADER.0 }>()?;
        let (length, behind) = behind.split_first_chunk::<{ HEADER.1 }>()?;
        let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
        let (entries, behind) = behind.split_at_checked(length)?;
        rooms.push((i64::from_le_bytes(*room), entries));
        rest = behind;
    }
    Some(rooms)
}

/// Puts the number of the record with the room's entries before in front of its entries, 0 for the
/// first ones after a checkpoint: so a record that is missing in between is noticed.
pub(super) fn chain(before: i64, entries: &[u8]) -> Vec<u8> {
    let mut chained = Vec::with_capacity(size_of::<i64>() + entries.len());
    chained.extend(before.to_le_bytes());
    chained.extend(entries);
    chained
}

/// Returns that number, and the entries behind it.
pub(super) fn unchain(chained: &[u8]) -> Option<(i64, &[u8])> {
    let (before, entries) = chained.split_first_chunk()?;
    Some((i64::from_le_bytes(*before), entries))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_decoded_completely_or_not_at_all() {
        let mut row = Vec::new();
        append(&mut row, 7, b"one");
        append(&mut row, -1, b"");
        append(&mut row, 7, b"three");
        assert_eq!(read(&row).unwrap(), [(7, &b"one"[..]), (-1, b""), (7, b"three")]);
        let whole = (0..row.len()).filter(|&at| read(&row[..at]).is_some()).count();
        assert_eq!(whole, 3);
    }
}
