//! Counts WebSocket frames in a byte stream (RFC 6455, section 5.2).

/// Longest frame header in bytes: two, a length of eight, a mask of four.
const MAX_HEADER_BYTES: usize = 14;

/// Counts frames in chunks of bytes that may be split anywhere. Validity is checked by the
/// WebSocket; the count for invalid bytes is arbitrary.
#[derive(Debug, Default)]
pub(crate) struct FrameCounter {
    header: [u8; MAX_HEADER_BYTES],
    /// Bytes of the current header read so far.
    header_len: usize,
    /// Bytes of the current payload still to come.
    payload_left: u64,
}

impl FrameCounter {
    /// Returns how many frame headers end in these bytes.
    pub(crate) fn count(&mut self, mut bytes: &[u8]) -> u32 {
        let mut frames = 0;
        loop {
            let skipped = bytes.len().min(usize::try_from(self.payload_left).unwrap_or(usize::MAX));
            self.payload_left -= skipped as u64;
            bytes = &bytes[skipped..];
            let Some((&first, rest)) = bytes.split_first() else {
                return frames;
            };
            bytes = rest;
            self.header[self.header_len] = first;
            self.header_len += 1;
            if let Some(payload_len) = payload_len(&self.header[..self.header_len]) {
                (self.header_len, self.payload_left) = (0, payload_len);
                frames += 1;
            }
        }
    }
}

/// Returns the payload's length once the header is complete.
fn payload_len(header: &[u8]) -> Option<u64> {
    let &[_, second, ref rest @ ..] = header else {
        return None;
    };
    let mask = if second & 0x80 == 0 { 0 } else { 4 };
    let (length, extended) = match second & 0x7f {
        126 => (u16::from_be_bytes(*rest.first_chunk()?).into(), 2),
        127 => (u64::from_be_bytes(*rest.first_chunk()?), 8),
        short => (u64::from(short), 0),
    };
    (rest.len() == extended + mask).then_some(length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use tokio_tungstenite::tungstenite::protocol::frame::Frame;
    use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};

    fn encode_frame(payload: usize, masked: bool) -> Vec<u8> {
        let mut frame = Frame::message(vec![7; payload], OpCode::Data(Data::Binary), true);
        if masked {
            frame.header_mut().mask = Some([1, 2, 3, 4]);
        }
        let mut bytes = Vec::new();
        frame.format(&mut bytes).unwrap();
        bytes
    }

    proptest! {
        #[test]
        fn the_count_does_not_depend_on_how_bytes_are_split(
            frames in prop::collection::vec((0..70_000usize, any::<bool>()), 0..6),
            empty in 0..200usize,
            cuts in prop::collection::vec(1..5_000usize, 1..20),
        ) {
            let mut bytes: Vec<u8> = frames.iter().flat_map(|&(n, masked)| encode_frame(n, masked)).collect();
            bytes.extend(encode_frame(0, true).repeat(empty));
            let (mut counter, mut counted, mut rest) = (FrameCounter::default(), 0, &bytes[..]);
            for cut in cuts.into_iter().cycle() {
                let (piece, left) = rest.split_at(cut.min(rest.len()));
                counted += counter.count(piece);
                rest = left;
                if rest.is_empty() {
                    break;
                }
            }
            prop_assert_eq!(counted as usize, frames.len() + empty);
        }

        #[test]
        fn a_frame_has_at_least_two_bytes(bytes in prop::collection::vec(any::<u8>(), 0..500)) {
            prop_assert!(FrameCounter::default().count(&bytes) as usize <= bytes.len() / 2);
        }
    }
}
