//! The rate at which one client may send.

use crate::platform::token_bucket::Bucket;
use gridrace_shared::util::time::ServerInstant;

/// Messages a second that a client may send by default: the fastest bot plays some thirty moves
/// a second.
pub const DEFAULT_CLIENT_RATE: u32 = 60;
/// Bytes per message in the byte limit below the WebSocket; client messages are shorter.
const MESSAGE_BYTES: u32 = 200;
/// Smallest burst in bytes: a few seconds at the default rate.
const MIN_BURST_BYTES: u32 = 64 * 1024;

/// How much one client may send: messages a second, and a burst of twice as many.
#[derive(Debug, Clone, Copy)]
pub struct ClientRate(pub u32);

impl Default for ClientRate {
    fn default() -> Self {
        Self(DEFAULT_CLIENT_RATE)
    }
}

impl ClientRate {
    pub fn messages(self, now: ServerInstant) -> Bucket {
        Bucket::new(self.0.saturating_mul(2), self.0, now)
    }

    /// Returns a full bucket of frames: twice the messages, because a message may be fragmented
    /// and pings may stand between the fragments.
    pub fn frames(self, now: ServerInstant) -> Bucket {
        let per_second = self.0.saturating_mul(2);
        Bucket::new(per_second.saturating_mul(2), per_second, now)
    }

    pub fn bytes(self, now: ServerInstant) -> Bucket {
        let per_second = self.0.saturating_mul(MESSAGE_BYTES);
        Bucket::new(per_second.max(MIN_BURST_BYTES), per_second, now)
    }
}
