//! Rooms with their members: the order of messages, workers' answers, and the disk.

mod crowd;
mod disk;
mod order;
mod pools;
mod recorded;
mod tables;
mod world;

use super::*;
use crate::hub::Hub;
use crate::metrics::Metrics;
use crate::platform::rng::Rng;
use crate::platform::shards::Shards;
use futures_util::FutureExt;
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::protocol::server::ServerMessage;
use gridrace_tables::TableStore;
use std::time::Duration;
use world::TestMember;

/// Opens a room on a hub without a store; Anna has joined it.
fn open(spec: &str) -> (Hub, Arc<Room>, TestMember) {
    let (hub, _) = Hub::new(Vec::new()).unwrap();
    let room = hub.open(world::options(spec), None).unwrap();
    let anna = TestMember::join(&room, "Anna");
    (hub, room, anna)
}
