//! The read probe: detects a peer that doesn't read. The system's buffers hide such a peer, so
//! after some bytes a ping follows them, and its pong shows that everything before it has been
//! read.

use gridrace_shared::util::time::ServerInstant;
use std::time::Duration;
use tokio_tungstenite::tungstenite::Bytes;

/// Bytes after which a probe is sent, frame headers included: a second or two of a busy heat.
const PROBE_AFTER_BYTES: usize = 8 * 1024;
/// How long the pong may take: longer than a phone needs to change cells, and together with
/// [`PROBE_AFTER_BYTES`] of a busy heat less than ten seconds.
const READ_PROBE_TIMEOUT: Duration = Duration::from_secs(6);

/// The bytes sent since the last probe, and the probe that is unanswered.
#[derive(Debug, Default)]
pub(crate) struct ReadProbe {
    unproven_bytes: usize,
    pending: Option<PendingProbe>,
}

#[derive(Debug)]
struct PendingProbe {
    /// Random, so that a peer can't answer without reading.
    nonce: [u8; 4],
    deadline: ServerInstant,
}

impl ReadProbe {
    pub(crate) const fn record_sent(&mut self, bytes: usize) {
        self.unproven_bytes = self.unproven_bytes.saturating_add(bytes);
    }

    /// Returns a ping's payload if a probe is due.
    pub(crate) fn probe_if_due(
        &mut self,
        now: ServerInstant,
        nonce: impl FnOnce() -> [u8; 4],
    ) -> Option<Bytes> {
        if self.unproven_bytes < PROBE_AFTER_BYTES || self.pending.is_some() {
            return None;
        }
        let nonce = nonce();
        self.unproven_bytes = 0;
        self.pending = Some(PendingProbe { nonce, deadline: now + READ_PROBE_TIMEOUT });
        Some(Bytes::copy_from_slice(&nonce))
    }

    pub(crate) fn on_pong(&mut self, payload: &[u8]) {
        self.pending.take_if(|probe| probe.nonce == payload);
    }

    /// Returns when the pending probe times out, if there is one.
    pub(crate) fn deadline(&self) -> Option<ServerInstant> {
        self.pending.as_ref().map(|probe| probe.deadline)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_probe_with_a_fresh_nonce_is_pending_at_a_time() {
        let mut probe = ReadProbe::default();
        probe.record_sent(PROBE_AFTER_BYTES - 1);
        assert_eq!(probe.probe_if_due(ServerInstant(5), || *b"word"), None);
        probe.record_sent(1);
        assert_eq!(probe.deadline(), None);
        assert_eq!(probe.probe_if_due(ServerInstant(5), || *b"word").unwrap(), b"word"[..]);
        probe.record_sent(PROBE_AFTER_BYTES);
        assert_eq!(probe.probe_if_due(ServerInstant(6), || *b"next"), None, "one at a time");
        for guess in [&b""[..], b"next", b"words"] {
            probe.on_pong(guess);
            assert_eq!(probe.deadline(), Some(ServerInstant(6_000_005)));
        }
        probe.on_pong(b"word");
        assert_eq!(probe.deadline(), None);
        assert_eq!(probe.probe_if_due(ServerInstant(7), || *b"next").unwrap(), b"next"[..]);
    }
}
