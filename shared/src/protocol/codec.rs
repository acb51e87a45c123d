//! The codec: frames to messages and back.
//!
//! bincode is no longer maintained (RUSTSEC-2025-0141), so nothing outside this file
//! knows of it; wincode reads the same bytes, and postcard is another way out. Two of its
//! habits are dealt with here: without a limit, nine bytes that claim 2^40 elements abort
//! the process, and bytes left over at the end are accepted in silence.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The longest frame that a server reads, in bytes: above the longest plan of a tournament, and many
/// times what a client sends in a room.
pub const CLIENT_FRAME_LIMIT: usize = 8 * 1024;
/// The longest frame that a client reads, in bytes: a snapshot with the boards of every
/// player of the largest heat, each with as much to take back as there may be, is below it.
pub const SERVER_FRAME_LIMIT: usize = 256 * 1024;

/// How messages are written into frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Codec {
    /// bincode in binary frames.
    Binary,
    /// JSON in text frames.
    Json,
}

impl Codec {
    /// Both, the server's favourite first.
    pub const ALL: [Self; 2] = [Self::Binary, Self::Json];

    /// Returns the WebSocket subprotocol that asks for it.
    pub const fn subprotocol(self) -> &'static str {
        match self {
            Self::Binary => "gridrace.v5.bincode",
            Self::Json => "gridrace.v5.json",
        }
    }

    /// Returns the codec that a subprotocol of any version asks for: a client of another version
    /// is told so in its own codec, by the farewell whose bytes never change.
    pub fn of_subprotocol(name: &str) -> Option<Self> {
        let (version, codec) = name.strip_prefix("gridrace.v")?.split_once('.')?;
        version.parse::<u16>().ok()?;
        match codec {
            "bincode" => Some(Self::Binary),
            "json" => Some(Self::Json),
            _ => None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Frame {
    Binary(Vec<u8>),
    Text(String),
}

impl Frame {
    /// Returns the bytes in the frame.
    pub fn payload(&self) -> &[u8] {
        match self {
            Self::Binary(bytes) => bytes,
            Self::Text(text) => text.as_bytes(),
        }
    }
}

/// An error in a frame.
#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    #[error("the frame has more than {limit} bytes")]
    TooLong { limit: usize },
    #[error("{left} bytes follow the message")]
    TrailingBytes { left: usize },
    #[error("not a message in the binary encoding")]
    Binary(#[from] bincode::error::DecodeError),
    #[error("not a message: {0}")]
    Json(#[from] serde_json::Error),
}

/// Says that a message can't be written; none of this protocol's can't.
#[derive(Debug, thiserror::Error)]
#[error("a message can't be written: {0}")]
pub struct EncodeError(String);

pub fn encode<T: Serialize>(codec: Codec, message: &T) -> Result<Frame, EncodeError> {
    match codec {
        Codec::Binary => encode_binary(message).map(Frame::Binary),
        Codec::Json => serde_json::to_string(message)
            .map(Frame::Text)
            .map_err(|error| EncodeError(error.to_string())),
    }
}

/// Writes a value in the binary encoding.
pub fn encode_binary<T: Serialize>(value: &T) -> Result<Vec<u8>, EncodeError> {
    bincode::serde::encode_to_vec(value, bincode::config::standard())
        .map_err(|error| EncodeError(error.to_string()))
}

/// Reads a binary frame of at most `LIMIT` bytes, which holds exactly one message.
///
/// ```
/// use gridrace_shared::protocol::client::ClientMessage;
/// use gridrace_shared::protocol::codec::{CLIENT_FRAME_LIMIT, decode_binary, encode_binary};
/// let bytes = encode_binary(&ClientMessage::Start)?;
/// let message: ClientMessage = decode_binary::<_, CLIENT_FRAME_LIMIT>(&bytes)?;
/// assert_eq!(message, ClientMessage::Start);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn decode_binary<T: DeserializeOwned, const LIMIT: usize>(
    bytes: &[u8],
) -> Result<T, DecodeError> {
    match decode_prefix::<_, LIMIT>(bytes)? {
        (message, []) => Ok(message),
        (_, rest) => Err(DecodeError::TrailingBytes { left: rest.len() }),
    }
}

/// Reads a value at the start of at most `LIMIT` bytes; returns it and the bytes after it. A `u32` reads
/// the number of an enum's variant.
pub fn decode_prefix<T: DeserializeOwned, const LIMIT: usize>(
    bytes: &[u8],
) -> Result<(T, &[u8]), DecodeError> {
    within::<LIMIT>(bytes.len())?;
    let config = bincode::config::standard().with_limit::<LIMIT>();
    let (value, read) = bincode::serde::decode_from_slice(bytes, config)?;
    Ok((value, &bytes[read..]))
}

/// Reads a text frame of at most `LIMIT` bytes.
pub fn decode_text<T: DeserializeOwned, const LIMIT: usize>(text: &str) -> Result<T, DecodeError> {
    within::<LIMIT>(text.len())?;
    Ok(serde_json::from_str(text)?)
}

fn within<const LIMIT: usize>(length: usize) -> Result<(), DecodeError> {
    if length > LIMIT {
        return Err(DecodeError::TooLong { limit: LIMIT });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::client::{ClientMessage, Hello};
    use proptest::prelude::*;

    fn read(bytes: &[u8]) -> Result<ClientMessage, DecodeError> {
        decode_binary::<_, CLIENT_FRAME_LIMIT>(bytes)
    }

    #[test]
    fn bytes_after_a_message_are_refused() {
        let mut frame = encode_binary(&ClientMessage::Start).unwrap();
        frame.push(0);
        assert!(matches!(read(&frame), Err(DecodeError::TrailingBytes { left: 1 })));
        assert!(decode_text::<ClientMessage, CLIENT_FRAME_LIMIT>("\"start\" 1").is_err());
    }

    #[test]
    fn a_claim_of_a_terabyte_is_an_error() {
        let mut frame =
            encode_binary(&ClientMessage::Hello(Hello { version: 1, agent: String::new() }))
                .unwrap();
        frame.pop();
        frame.extend([253, 0, 0, 0, 0, 0, 1, 0, 0]); // the length 2^40 as a varint
        assert!(matches!(read(&frame), Err(DecodeError::Binary(_))));
    }

    #[test]
    fn a_frame_above_the_limit_is_not_even_looked_at() {
        let frame = vec![0; CLIENT_FRAME_LIMIT + 1];
        assert!(matches!(read(&frame), Err(DecodeError::TooLong { .. })));
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_message_or_an_error(frame in prop::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(message) = read(&frame) {
                prop_assert_eq!(read(&encode_binary(&message).unwrap()).unwrap(), message);
            }
        }
    }
}
