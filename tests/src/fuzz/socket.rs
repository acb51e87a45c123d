//! What a client sends after its handshake: frames as they are counted, and as they are read.

use futures_util::FutureExt;
use gridrace_server::fuzzing::{count_frames, read_messages};
use gridrace_shared::protocol::codec::Codec;
use std::io::Cursor;
use tokio::io::{AsyncReadExt, join, sink};
use tokio_tungstenite::tungstenite::protocol::frame::FrameHeader;

/// Frames: as many are counted as the WebSocket reads, as far as it reads any, however the
/// bytes are cut. The first byte says where.
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

/// Counts the frames whose heads the WebSocket's own reader finds, and says whether it found
/// nothing else.
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
            // Its head is whole, but says what no frame is.
            Err(_) => return (frames, false),
        }
    }
}

/// Messages: the same are read however the bytes are cut, each from a frame of its own at
/// least, and the reading comes to its end. The first byte says where they are cut, and in
/// which codec they are.
pub(super) fn messages(input: &[u8]) -> bool {
    let Some((&first, bytes)) = input.split_first() else {
        return false;
    };
    let codec = Codec::ALL[usize::from(first & 1)];
    let at = bytes.len() * usize::from(first >> 1) / 128;
    let read = |cut: usize| {
        let (before, behind) = bytes.split_at(cut);
        let stream = join(before.chain(behind), sink());
        // Nothing is waited for: all of it is there.
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
