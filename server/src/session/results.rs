//! Requests for results and replays, which the archive answers.

use super::requests::RequestHandler;
use crate::store::{Archive, Store, StoreError};
use gridrace_shared::protocol::server::{
    MAX_REPLAY_PART_BYTES, Refusal, ReplayPart, ServerMessage,
};
use gridrace_shared::util::hex_bytes::HexBytes;
use gridrace_shared::util::time::ServerInstant;
use std::sync::Arc;
use std::time::Duration;
use tracing::warn;

/// Time between two results queries of one client; each reads the disk.
const RESULTS_QUERY_INTERVAL: Duration = Duration::from_secs(1);
/// Most results in an answer: several evenings of racing, and a tenth of the longest frame.
const MAX_RESULTS: u32 = 100;

impl RequestHandler {
    pub(super) fn results(&mut self, now: ServerInstant) -> Result<(), Refusal> {
        let (fingerprint, _) = self.proven_key().ok_or(Refusal::Nobody)?;
        let store = self.state.hub.services.store.as_ref().ok_or(Refusal::NoResults)?;
        let is_due = |last: ServerInstant| now.since(last) >= RESULTS_QUERY_INTERVAL;
        if !self.last_results_query.is_none_or(is_due) {
            return Err(Refusal::TooFast);
        }
        self.take_attempt(now)?;
        self.query(store, Refusal::NoResults, move |archive| {
            archive.results_of(&fingerprint, MAX_RESULTS).map(ServerMessage::Results)
        })?;
        self.last_results_query = Some(now);
        Ok(())
    }

    pub(super) fn replay(
        &self,
        heat: String,
        from: u32,
        now: ServerInstant,
    ) -> Result<(), Refusal> {
        let store = self.state.hub.services.store.as_ref().ok_or(Refusal::NoReplay)?;
        self.take_attempt(now)?;
        let who = self.proven_key().map(|(fingerprint, _)| fingerprint);
        self.query(store, Refusal::NoReplay, move |archive| {
            let part = archive.replay_part(&heat, who, from, MAX_REPLAY_PART_BYTES)?;
            Ok(match part {
                Some((total, bytes)) => {
                    ServerMessage::Replay(ReplayPart { from, total, bytes: HexBytes(bytes) })
                }
                None => ServerMessage::Refused(Refusal::NoReplay),
            })
        })
    }

    /// Queries the archive on a blocking thread, and pushes the answer to the client's outbox, unless
    /// too many queries are running. The answer concerns no room, so it waits for no room's commit.
    /// An error is answered by `failed`.
    fn query(
        &self,
        store: &Store,
        failed: Refusal,
        query: impl FnOnce(&Archive) -> Result<ServerMessage, StoreError> + Send + 'static,
    ) -> Result<(), Refusal> {
        let permit = store.try_read().ok_or(Refusal::Busy)?;
        let archive = store.archive.clone();
        let queried = self.state.environment.spawn_blocking(move || {
            let _permit = permit;
            query(&archive)
        });
        let outbox = Arc::clone(&self.outbox);
        tokio::spawn(async move {
            let answer = match queried.await {
                Ok(Ok(answer)) => answer,
                Ok(Err(error)) => {
                    warn!(%error, "archive query failed");
                    ServerMessage::Refused(failed)
                }
                // The runtime is shutting down, or the query panicked, which is logged already.
                Err(_) => ServerMessage::Refused(failed),
            };
            outbox.push(answer);
        });
        Ok(())
    }
}
