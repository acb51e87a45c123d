//! Requests for results, replays and past tournaments, which the archive answers.

use super::requests::RequestHandler;
use crate::store::{Archive, Store, StoreError};
use gridrace_shared::protocol::server::{
    MAX_REPLAY_PART_BYTES, Refusal, ReplayPart, ServerMessage,
};
use gridrace_shared::protocol::tournament::{PastCursor, TournamentError, TournamentUpdate};
use gridrace_shared::util::hex_bytes::HexBytes;
use gridrace_shared::util::time::ServerInstant;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;
use tracing::warn;

/// Time between two queries of one client for results or past tournaments; each reads the disk.
const LIST_QUERY_INTERVAL: Duration = Duration::from_secs(1);
/// Most results in an answer: several evenings of racing, and a tenth of the longest frame.
const MAX_RESULTS: u32 = 100;
/// Most past tournaments in an answer: with plans of 4 KiB each, the longest, it fits a frame.
const MAX_PAST_TOURNAMENTS: usize = 32;

impl RequestHandler {
    pub(super) fn results(&mut self, now: ServerInstant) -> Result<(), Refusal> {
        let (fingerprint, _) = self.proven_key().ok_or(Refusal::Nobody)?;
        let store = self.state.hub.services.store.as_ref().ok_or(Refusal::NoResults)?;
        self.check_list_query(now)?;
        let permit = store.try_read().ok_or(Refusal::Busy)?;
        let failed = ServerMessage::Refused(Refusal::NoResults);
        self.query(store, permit, failed, move |archive| {
            archive.results_of(&fingerprint, MAX_RESULTS).map(ServerMessage::Results)
        });
        self.last_list_query = Some(now);
        Ok(())
    }

    pub(super) fn past_tournaments(
        &mut self,
        before: Option<PastCursor>,
        now: ServerInstant,
    ) -> Result<(), TournamentError> {
        let store = self.state.hub.services.store.as_ref();
        let store = store.ok_or(TournamentError::NoPastTournaments)?;
        self.check_list_query(now).map_err(|_| TournamentError::TooFast)?;
        let permit = store.try_read().ok_or(TournamentError::Busy)?;
        let message = |update| ServerMessage::Tournament(Box::new(update));
        let failed = TournamentUpdate::Refused(TournamentError::UnreadablePastTournaments);
        let state = Arc::clone(&self.state);
        self.query(store, permit, message(failed), move |archive| {
            let is_followable = |name: &_, id| state.hub.tournaments.has(name, id);
            let past = archive.past_tournaments(before, MAX_PAST_TOURNAMENTS, is_followable)?;
            Ok(message(TournamentUpdate::Past(past)))
        });
        self.last_list_query = Some(now);
        Ok(())
    }

    /// Checks that the client may ask for a list of the archive, which takes an attempt.
    fn check_list_query(&self, now: ServerInstant) -> Result<(), Refusal> {
        let is_due = |last: ServerInstant| now.since(last) >= LIST_QUERY_INTERVAL;
        if !self.last_list_query.is_none_or(is_due) {
            return Err(Refusal::TooFast);
        }
        self.take_attempt(now)
    }

    pub(super) fn replay(
        &self,
        heat: String,
        from: u32,
        now: ServerInstant,
    ) -> Result<(), Refusal> {
        let store = self.state.hub.services.store.as_ref().ok_or(Refusal::NoReplay)?;
        self.take_attempt(now)?;
        let permit = store.try_read().ok_or(Refusal::Busy)?;
        let who = self.proven_key().map(|(fingerprint, _)| fingerprint);
        let failed = ServerMessage::Refused(Refusal::NoReplay);
        self.query(store, permit, failed, move |archive| {
            let part = archive.replay_part(&heat, who, from, MAX_REPLAY_PART_BYTES)?;
            Ok(match part {
                Some((total, bytes)) => {
                    ServerMessage::Replay(ReplayPart { from, total, bytes: HexBytes(bytes) })
                }
                None => ServerMessage::Refused(Refusal::NoReplay),
            })
        });
        Ok(())
    }

    /// Queries the archive on a blocking thread, and pushes the answer to the client's outbox. The
    /// answer concerns no room, so it waits for no room's commit. An error is answered by `failed`.
    fn query(
        &self,
        store: &Store,
        permit: OwnedSemaphorePermit,
        failed: ServerMessage,
        query: impl FnOnce(&Archive) -> Result<ServerMessage, StoreError> + Send + 'static,
    ) {
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
                    failed
                }
                // The runtime is shutting down, or the query panicked, which is logged already.
                Err(_) => failed,
            };
            outbox.push(answer);
        });
    }
}
