//! The room of a table.

use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::tournament::ids::EntrantId;
use std::collections::BTreeSet;

/// A table with a room, or one that was asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct TableRoom {
    pub(super) room: Option<RoomCode>,
    /// The entrants who know of the room.
    pub(super) called: BTreeSet<EntrantId>,
}
