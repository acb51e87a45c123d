//! A message as a WebSocket frame.

use gridrace_shared::protocol::codec::{self, Codec};
use gridrace_shared::protocol::server::ServerMessage;
use std::sync::{Arc, OnceLock};
use tokio_tungstenite::tungstenite::protocol::frame::FrameHeader;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};

/// The longest header of a frame that isn't masked, in bytes.
const MAX_HEADER_BYTES: usize = 10;

/// A message for many readers and its frames, each of which is encoded once.
#[derive(Debug)]
pub struct SharedFrame {
    message: ServerMessage,
    binary: OnceLock<Box<[u8]>>,
    text: OnceLock<Box<[u8]>>,
}

impl SharedFrame {
    pub fn new(message: ServerMessage) -> Arc<Self> {
        Arc::new(Self { message, binary: OnceLock::new(), text: OnceLock::new() })
    }

    /// Returns the message as a value, for members inside the server.
    pub fn message(&self) -> &ServerMessage {
        &self.message
    }

    /// Returns the frame with its header.
    pub fn encoded(&self, codec: Codec) -> &[u8] {
        let encoding = match codec {
            Codec::Binary => &self.binary,
            Codec::Json => &self.text,
        };
        encoding.get_or_init(|| encode_frame(codec, &self.message).into())
    }
}

/// Encodes a message as a frame with its header; as nothing if it can't be encoded, which none is.
pub fn encode_frame(codec: Codec, message: &ServerMessage) -> Vec<u8> {
    let Ok(encoded) = codec::encode(codec, message) else {
        return Vec::new();
    };
    let payload = encoded.payload();
    let kind = match codec {
        Codec::Binary => Data::Binary,
        Codec::Json => Data::Text,
    };
    let header = FrameHeader { opcode: OpCode::Data(kind), ..FrameHeader::default() };
    let mut frame = Vec::with_capacity(MAX_HEADER_BYTES + payload.len());
    // Writing to memory doesn't fail.
    header.format(payload.len() as u64, &mut frame).ok();
    frame.extend_from_slice(payload);
    frame
}

#[cfg(test)]
mod tests {
    use super::*;
    use gridrace_shared::protocol::server::RecordingStatus;
    use gridrace_shared::util::time::{ClientInstant, ServerInstant};
    use tokio_tungstenite::tungstenite::protocol::{Role, WebSocket};

    #[test]
    fn a_websocket_reads_the_message_that_was_encoded() {
        let pong = ServerMessage::Pong {
            sent: ClientInstant(7),
            received: ServerInstant(8),
            replied: ServerInstant(9),
        };
        for codec in Codec::ALL {
            let bytes = std::io::Cursor::new(encode_frame(codec, &pong));
            let mut socket = WebSocket::from_raw_socket(bytes, Role::Client, None);
            let read = socket.read().unwrap();
            assert_eq!(read.is_text(), codec == Codec::Json);
            assert_eq!(read.is_binary(), codec == Codec::Binary);
            assert_eq!(read.into_data(), codec::encode(codec, &pong).unwrap().payload());
        }
    }

    #[test]
    fn a_frame_is_encoded_once_for_all() {
        let frame = SharedFrame::new(ServerMessage::Recording(RecordingStatus::Unrecorded));
        let [a, b] = [frame.encoded(Codec::Binary), frame.encoded(Codec::Binary)];
        assert_eq!(a.as_ptr(), b.as_ptr());
    }
}
