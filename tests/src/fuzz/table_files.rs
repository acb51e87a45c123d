//! The headers of table files.

use gridrace_shared::puzzle::tables::TableSpec;
use gridrace_tables::{HEADER, check_header};

/// Bytes before the header's own checksum.
const CHECKED: usize = HEADER - 4;

/// A header of any bytes with a corrected checksum: only one with a valid spec and length is
/// accepted.
pub(super) fn header(input: &[u8]) -> bool {
    let Some(head) = input.first_chunk::<CHECKED>() else {
        return false;
    };
    let mut bytes = [0; HEADER];
    bytes[..CHECKED].copy_from_slice(head);
    let spec: TableSpec = "3x3-default".parse().unwrap();
    assert!(check_header(&bytes, spec, 0).is_err());
    bytes[CHECKED..].copy_from_slice(&crc32fast::hash(head).to_le_bytes());
    let length = (HEADER + spec.payload_len()) as u64;
    assert!(check_header(&bytes, spec, length - 1).is_err());
    let is_believed = check_header(&bytes, spec, length).is_ok();
    if is_believed {
        assert!(head.starts_with(b"gridrace"));
        assert!(head[16..].starts_with(b"3x3-default\0"));
        assert_eq!(head[40..48], (spec.payload_len() as u64).to_le_bytes());
    }
    is_believed
}
