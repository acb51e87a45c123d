//! Messages of both sides in both codecs: a decoded message round-trips in either codec.

use gridrace_shared::protocol::client::ClientMessage;
use gridrace_shared::protocol::codec::{
    CLIENT_FRAME_LIMIT, Codec, DecodeError, Frame, SERVER_FRAME_LIMIT, decode_binary, decode_text,
    encode,
};
use gridrace_shared::protocol::server::ServerMessage;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Debug;

/// A limit for a message of one codec in the other, in bytes.
const EITHER: usize = 16 << 20;

pub(super) fn client_binary(input: &[u8]) -> bool {
    read(decode_binary::<ClientMessage, CLIENT_FRAME_LIMIT>(input))
}

pub(super) fn client_json(input: &[u8]) -> bool {
    super::text(input, |text| read(decode_text::<ClientMessage, CLIENT_FRAME_LIMIT>(text)))
}

pub(super) fn server_binary(input: &[u8]) -> bool {
    read(decode_binary::<ServerMessage, SERVER_FRAME_LIMIT>(input))
}

pub(super) fn server_json(input: &[u8]) -> bool {
    super::text(input, |text| read(decode_text::<ServerMessage, SERVER_FRAME_LIMIT>(text)))
}

fn read<T>(message: Result<T, DecodeError>) -> bool
where
    T: Serialize + DeserializeOwned + PartialEq + Debug,
{
    let Ok(message) = message else {
        return false;
    };
    for codec in Codec::ALL {
        let again: T = match encode(codec, &message).unwrap() {
            Frame::Binary(bytes) => decode_binary::<_, EITHER>(&bytes).unwrap(),
            Frame::Text(text) => decode_text::<_, EITHER>(&text).unwrap(),
        };
        assert_eq!(again, message);
    }
    true
}
