//! The query for a player's own finished heats.

use crate::platform::environment::Environment;
use crate::room::outbox::{Frame, Outbox};
use crate::store::Store;
use gridrace_shared::heat::identity::Fingerprint;
use gridrace_shared::protocol::server::{Refusal, ServerMessage};
use std::sync::Arc;
use tracing::warn;

/// Most results in an answer: several evenings of racing, and a tenth of the longest frame.
const MAX_RESULTS: u32 = 100;

/// Reads a player's results on a blocking thread, and pushes the answer to its outbox. Returns
/// false if too many queries are running. The answer concerns no room, so it waits for no
/// room's commit.
pub(crate) fn query_results(
    environment: &Environment,
    store: &Store,
    player: Fingerprint,
    outbox: &Arc<Outbox>,
) -> bool {
    let Some(permit) = store.try_read() else {
        return false;
    };
    let archive = store.archive().clone();
    let query = environment.spawn_blocking(move || {
        let _permit = permit;
        archive.results_of(&player, MAX_RESULTS)
    });
    let outbox = Arc::clone(outbox);
    tokio::spawn(async move {
        let answer = match query.await {
            Ok(Ok(results)) => ServerMessage::Results(results),
            Ok(Err(error)) => {
                warn!(%error, "results query failed");
                ServerMessage::Refused(Refusal::NoResults)
            }
            // The runtime is shutting down, or the query panicked, which is logged already.
            Err(_) => ServerMessage::Refused(Refusal::NoResults),
        };
        outbox.push(Frame::new(answer));
    });
    true
}
