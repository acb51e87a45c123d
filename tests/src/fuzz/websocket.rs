//! Bytes of a client after its handshake: frames as they are counted, and as they are decoded.

use futures_util::FutureExt;
use gridrace_server::fuzzing::{count_frames, read_messages};
use gridrace_shared::protocol::codec::Codec;
use std::io::Cursor;
use tokio::io::{AsyncReadExt, join, sink};
use tokio_tungstenite::tungstenite::protocol::frame::FrameHeader;

/// Frames: the counter and the WebSocket library find the same number, however the bytes are split.
/// The first byte chooses the split.
pub(super) fn frames(input: &[u8]) -> bool {
    let Some((&cut, bytes)) = input.split_first() else {
        return false;
    };
    let counted = count_frames([bytes]);
    assert_eq!(count_frames(bytes.chunks(usize::from(cut) + 1)), counted);
    assert!(counted <= bytes.len() as u64 / 2);
    let (frames, is_all) = parsed(bytes);
    if is_all {
        assert_eq!(counted, frames);
    } else {
        assert!(counted > frames);
    }
    is_all && frames > 0
}

/// Counts the frames that the WebSocket library's reader finds, and returns whether all bytes
/// belong to frames.
fn parsed(bytes: &[u8]) -> (u64, bool) {
    let mut cursor = Cursor::new(bytes);
    let end = bytes.len() as u64;
    let mut frames = 0;
    loop {
        match FrameHeader::parse(&mut cursor) {
            Ok(Some((_, payload))) => {
                frames += 1;
                let next = cursor.position().saturating_add(payload);
                cursor.set_position(next.min(end));
            }
            Ok(None) => return (frames, true),
            // The head is complete but invalid.
            Err(_) => return (frames, false),
        }
    }
}

/// Messages: the same are decoded however the bytes are split, each from at least one frame, and
/// decoding ends. The first byte chooses the split and the codec.
pub(super) fn messages(input: &[u8]) -> bool {
    let Some((&first, bytes)) = input.split_first() else {
        return false;
    };
    let codec = Codec::ALL[usize::from(first & 1)];
    let at = bytes.len() * usize::from(first >> 1) / 128;
    let read = |cut: usize| {
        let (before, behind) = bytes.split_at(cut);
        let stream = join(before.chain(behind), sink());
        // All bytes are available, so the future is ready at once.
        let (messages, why) = read_messages(stream, codec).now_or_never().unwrap();
        let why = format!("{why:?}");
        assert!(why.len() < 4_096);
        (messages, why)
    };
    let (messages, why) = read(0);
    assert_eq!(read(at), (messages.clone(), why));
    assert!(messages.len() as u64 <= count_frames([bytes]));
    !messages.is_empty()
}
