//! Bytes of any length, as hexadecimal text.

use crate::util::conversions::{HexError, to_hex};
use serde::{Deserialize, Serialize};

/// A part of a file; two lower-case hexadecimal digits a byte as text, and digits of either case are
/// read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct HexBytes(pub Vec<u8>);

impl TryFrom<String> for HexBytes {
    type Error = HexError;

    fn try_from(text: String) -> Result<Self, HexError> {
        hex::decode(text).map(Self).map_err(|_| HexError)
    }
}

impl From<HexBytes> for String {
    fn from(value: HexBytes) -> Self {
        to_hex(&value.0)
    }
}
