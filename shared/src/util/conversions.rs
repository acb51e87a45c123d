//! Bytes as lower-case hexadecimal text.

/// The text does not have the required number of hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not the right number of hexadecimal digits")]
pub struct HexError;

pub(crate) fn to_hex(bytes: &[u8]) -> String {
    hex::encode(bytes)
}

/// Reads exactly `N` bytes; digits of either case.
pub(crate) fn from_hex<const N: usize>(text: &str) -> Result<[u8; N], HexError> {
    let mut bytes = [0; N];
    hex::decode_to_slice(text, &mut bytes).map_err(|_| HexError)?;
    Ok(bytes)
}
