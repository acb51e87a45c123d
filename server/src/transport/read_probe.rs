//! Whether a peer reads what it is sent. The system takes what a peer leaves lying, at both
//! ends and as much as it likes; so from time to time a ping goes behind what was sent, and
//! its pong says that all before it has been read.

use gridrace_shared::util::time::ServerInstant;
use std::time::Duration;
use tokio_tungstenite::tungstenite::Bytes;

/// Bytes after which a peer is asked, with those of a frame that began before: a second or two
/// of a busy heat.
const UNPROVEN: usize = 8 * 1024;
/// How long it may take to answer: longer than a phone needs to change its cell, and with what
/// a busy heat takes to get to the question less than ten seconds.
const PATIENCE: Duration = Duration::from_secs(6);

/// What a peer was sent since it was asked, and whether it has answered.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    sent: usize,
    asked: Option<Asked>,
}

#[derive(Debug)]
struct Asked {
    /// What the answer must hold, so that none can be given unread.
    word: [u8; 4],
    until: ServerInstant,
}

impl Reading {
    /// Counts what is sent.
    pub(crate) const fn send(&mut self, bytes: usize) {
        self.sent = self.sent.saturating_add(bytes);
    }

    /// Returns a ping's payload where it is time to ask. `word` is drawn for it.
    pub(crate) fn ask(
        &mut self,
        now: ServerInstant,
        word: impl FnOnce() -> [u8; 4],
    ) -> Option<Bytes> {
        if self.sent < UNPROVEN || self.asked.is_some() {
            return None;
        }
        let word = word();
        let patience = u64::try_from(PATIENCE.as_micros()).unwrap_or(u64::MAX);
        let until = ServerInstant(now.0.saturating_add(patience));
        self.sent = 0;
        self.asked = Some(Asked { word, until });
        Some(Bytes::copy_from_slice(&word))
    }

    /// Takes note of a pong.
    pub(crate) fn answer(&mut self, payload: &[u8]) {
        self.asked.take_if(|asked| asked.word == payload);
    }

    /// Returns until when an answer may come, if one is waited for.
    pub(crate) fn until(&self) -> Option<ServerInstant> {
        self.asked.as_ref().map(|asked| asked.until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_sent_much_is_asked_once_and_by_a_word_of_its_own() {
        let mut reading = Reading::default();
        reading.send(UNPROVEN - 1);
        assert_eq!(reading.ask(ServerInstant(5), || *b"word"), None);
        reading.send(1);
        assert_eq!(reading.until(), None);
        assert_eq!(reading.ask(ServerInstant(5), || *b"word").unwrap(), b"word"[..]);
        reading.send(UNPROVEN);
        assert_eq!(reading.ask(ServerInstant(6), || *b"next"), None, "one at a time");
        for guess in [&b""[..], b"next", b"words"] {
            reading.answer(guess);
            assert_eq!(reading.until(), Some(ServerInstant(6_000_005)));
        }
        reading.answer(b"word");
        assert_eq!(reading.until(), None);
        assert_eq!(reading.ask(ServerInstant(7), || *b"next").unwrap(), b"next"[..]);
    }
}
