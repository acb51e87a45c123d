//! What a client who has proved a key is told of its own heats that are over.

use crate::platform::environment::hold_up;
use crate::room::outbox::Frame;
use crate::session::client::Client;
use gridrace_shared::protocol::server::{Refusal, ServerMessage};
use gridrace_shared::util::time::ServerInstant;
use std::sync::Arc;
use std::time::Duration;
use tracing::warn;

/// Results in an answer: some evenings of racing, and a tenth of the longest frame.
const RESULTS: u32 = 100;
/// Between two looks of one client: each reads the disk.
const PAUSE: Duration = Duration::from_secs(1);

impl Client {
    /// Looks up how the client's own heats went, outside of this task: a disk may be slow.
    /// It is about no heat, so the answer waits for none of a heat's commits.
    pub(crate) fn results(&mut self, now: ServerInstant) {
        let Some(identity) = self.identity else {
            return self.refuse(Refusal::Nobody);
        };
        let Some(store) = self.shared.hub.store() else {
            return self.refuse(Refusal::NoResults);
        };
        let paused = |looked: ServerInstant| now.since(looked) >= PAUSE;
        if !self.looked.is_none_or(paused) || !self.shared.admission.attempt(self.peer, now) {
            return self.refuse(Refusal::TooFast);
        }
        let Some(place) = store.reader() else {
            return self.refuse(Refusal::Busy);
        };
        self.looked = Some(now);
        let archive = store.archive().clone();
        let who = identity.fingerprint;
        let looking = hold_up(move || {
            let _place = place;
            archive.results_of(&who, RESULTS)
        });
        let outbox = Arc::clone(&self.outbox);
        tokio::spawn(async move {
            let answer = match looking.await {
                Ok(Ok(results)) => ServerMessage::Results(results),
                Ok(Err(fault)) => {
                    warn!(%fault, "can't read results");
                    ServerMessage::Refused(Refusal::NoResults)
                }
                // The runtime ends, or reading broke, which the panic's own line says.
                Err(_) => ServerMessage::Refused(Refusal::NoResults),
            };
            outbox.push(Frame::new(answer));
        });
    }
}
