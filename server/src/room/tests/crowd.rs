//! Many members who come and go at the same instant, while nothing is written.

use super::*;
use crate::race::{MAX_PLAYERS, MAX_SPECTATORS, Newcomer};
use crate::room::outbox::OutboxBatch;
use gridrace_shared::protocol::client::Role;
use gridrace_shared::protocol::codec::Codec;

struct Connection {
    id: PlayerId,
    outbox: Arc<Outbox>,
}

impl Connection {
    fn join(room: &Arc<Room>, n: usize) -> Self {
        let outbox = Arc::new(Outbox::new(Codec::Json));
        let role = if n < MAX_PLAYERS { Role::Player } else { Role::Spectator };
        let name = format!("A longish name {n}").parse().unwrap();
        let newcomer = Newcomer { role, ..Newcomer::person(name) };
        let id = room.join(&outbox, newcomer, Rng::default().token()).unwrap();
        Self { id, outbox }
    }

    fn take(&self) -> OutboxBatch {
        self.outbox.take(ServerInstant::default())
    }
}

#[tokio::test]
async fn a_crowd_that_joins_drops_and_leaves_at_once_dismisses_no_others() {
    let (hub, _) = Hub::new(Vec::new()).unwrap();
    let room = hub.open(world::options("slide:4x4"), None).unwrap();
    let crowd: Vec<_> =
        (0..MAX_PLAYERS + MAX_SPECTATORS).map(|n| Connection::join(&room, n)).collect();
    let joined: Vec<_> = crowd.iter().map(Connection::take).collect();
    assert!(joined.iter().all(|batch| batch.ending.is_none() && !batch.frames.is_empty()));

    let (gone, rest) = crowd.split_at(48);
    let (dropping, leaving) = gone.split_at(24);
    dropping.iter().for_each(|member| room.disconnect(member.id, &member.outbox));
    leaving.iter().for_each(|member| room.apply(Event::Leave { by: member.id }));
    for member in rest {
        let OutboxBatch { frames, ending, .. } = member.take();
        assert_eq!(ending, None);
        let text = String::from_utf8_lossy(&frames);
        assert_eq!(text.matches(r#"{"roster":"#).count(), 1, "the latest alone");
        assert_eq!(text.matches(r#""connected":false"#).count(), dropping.len());
        assert_eq!(text.matches(r#""name":"#).count(), dropping.len() + rest.len());
    }
}
