//! Where frames begin in the bytes of a WebSocket (RFC 6455, section 5.2).

/// The longest head of a frame in bytes: two, a length of eight, a mask of four.
const HEAD: usize = 14;

/// Counts frames as their bytes pass by, cut anywhere. Whether they make sense is for the
/// WebSocket to say; bytes that are no frames are counted as some number or other.
#[derive(Debug, Default)]
pub(crate) struct Frames {
    head: [u8; HEAD],
    /// How much of a frame's head has passed by.
    seen: usize,
    /// Bytes of a payload that are still to come.
    payload: u64,
}

impl Frames {
    /// Returns how many frames' heads end in these bytes.
    pub(crate) fn pass(&mut self, mut bytes: &[u8]) -> u32 {
        let mut frames = 0;
        loop {
            let skipped = bytes.len().min(usize::try_from(self.payload).unwrap_or(usize::MAX));
            self.payload -= skipped as u64;
            bytes = &bytes[skipped..];
            let Some((&first, rest)) = bytes.split_first() else {
                return frames;
            };
            bytes = rest;
            self.head[self.seen] = first;
            self.seen += 1;
            if let Some(payload) = payload(&self.head[..self.seen]) {
                (self.seen, self.payload) = (0, payload);
                frames += 1;
            }
        }
    }
}

/// Returns the length of the payload, once the head is whole.
fn payload(head: &[u8]) -> Option<u64> {
    let &[_, second, ref rest @ ..] = head else {
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

    fn written(payload: usize, masked: bool) -> Vec<u8> {
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
        fn frames_are_counted_however_they_are_cut(
            frames in prop::collection::vec((0..70_000usize, any::<bool>()), 0..6),
            empty in 0..200usize,
            cuts in prop::collection::vec(1..5_000usize, 1..20),
        ) {
            let mut bytes: Vec<u8> = frames.iter().flat_map(|&(n, masked)| written(n, masked)).collect();
            bytes.extend(written(0, true).repeat(empty));
            let (mut counter, mut counted, mut rest) = (Frames::default(), 0, &bytes[..]);
            for cut in cuts.into_iter().cycle() {
                let (piece, left) = rest.split_at(cut.min(rest.len()));
                counted += counter.pass(piece);
                rest = left;
                if rest.is_empty() {
                    break;
                }
            }
            prop_assert_eq!(counted as usize, frames.len() + empty);
        }

        #[test]
        fn any_bytes_are_no_more_frames_than_they_have_room_for(bytes in prop::collection::vec(any::<u8>(), 0..500)) {
            prop_assert!(Frames::default().pass(&bytes) as usize <= bytes.len() / 2);
        }
    }
}
