//! The latest standings of a room, of which each reader is sent what it hasn't seen.

use crate::platform::lock::lock;
use crate::room::frame::SharedFrame;
use gridrace_shared::heat::standings::{RaceState, Standing, Standings};
use gridrace_shared::protocol::server::ServerMessage;
use gridrace_shared::util::time::HeatInstant;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// The standings as far as they are durable, shared by a room and the outboxes of its members.
#[derive(Debug, Default)]
pub struct LatestStandings {
    /// How many changes there were: a reader remembers the version that it has seen.
    version: AtomicU64,
    rows: Mutex<Rows>,
}

#[derive(Debug, Default)]
struct Rows {
    at: HeatInstant,
    /// The rows by place, each with the version that changed it last.
    rows: Vec<(u64, Standing)>,
    /// The latest message, with the version that it starts from: many readers have seen the same.
    last: Option<(u64, Arc<SharedFrame>)>,
}

impl LatestStandings {
    pub fn version(&self) -> u64 {
        self.version.load(Ordering::Relaxed)
    }

    /// Replaces the standings, and returns whether a player's race has ended.
    pub fn update(&self, standings: Standings) -> bool {
        let mut held = lock(&self.rows);
        let version = self.version() + 1;
        let old = std::mem::take(&mut held.rows);
        let (mut has_changed, mut has_ended) = (false, false);
        held.rows = standings
            .rows
            .into_iter()
            .map(|row| {
                let before = old.iter().find(|(_, held)| held.player == row.player);
                if let Some((since, held)) = before
                    && *held == row
                {
                    return (*since, row);
                }
                has_changed = true;
                has_ended |= row.state != RaceState::Racing
                    && before.is_none_or(|(_, held)| held.state == RaceState::Racing);
                (version, row)
            })
            .collect();
        held.at = standings.at;
        if has_changed {
            held.last = None;
            self.version.store(version, Ordering::Relaxed);
        }
        has_ended
    }

    /// Returns the rows that changed since a version, and the present version; nothing if none did.
    pub fn since(&self, seen: u64) -> Option<(u64, Arc<SharedFrame>)> {
        let version = self.version();
        if version <= seen {
            return None;
        }
        let mut held = lock(&self.rows);
        if let Some((since, frame)) = &held.last
            && *since == seen
        {
            return Some((version, Arc::clone(frame)));
        }
        let rows = held.rows.iter().filter(|(changed, _)| *changed > seen);
        let rows = rows.map(|(_, row)| row.clone()).collect();
        let frame = SharedFrame::new(ServerMessage::Standings(Standings { at: held.at, rows }));
        held.last = Some((seen, Arc::clone(&frame)));
        Some((version, frame))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use gridrace_shared::heat::ids::PlayerId;
    use gridrace_shared::puzzle::MoveCount;
    use gridrace_shared::util::time::Millis;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    pub(crate) fn row(player: u32, moves: u32, state: RaceState) -> Standing {
        Standing {
            player: PlayerId(player),
            place: 1,
            state,
            progress: 0,
            tally: None,
            moves: MoveCount { moves, acts: moves },
            hints: 0,
            penalty: Millis(0),
            connected: true,
        }
    }

    fn update(latest: &LatestStandings, moves: &[u32]) -> bool {
        let rows = (0..).zip(moves).map(|(player, &moves)| row(player, moves, RaceState::Racing));
        latest.update(Standings { at: HeatInstant(0), rows: rows.collect() })
    }

    fn rows(frame: &SharedFrame) -> &[Standing] {
        let ServerMessage::Standings(standings) = frame.message() else { panic!("{frame:?}") };
        &standings.rows
    }

    #[test]
    fn the_end_of_a_race_is_told_from_progress() {
        let latest = LatestStandings::default();
        assert!(!update(&latest, &[0, 0]));
        assert!(!update(&latest, &[0, 1]));
        let finished = RaceState::Finished { time: Millis(7) };
        let rows = vec![row(0, 0, RaceState::Racing), row(1, 2, finished)];
        let standings = Standings { at: HeatInstant(1), rows };
        assert!(latest.update(standings.clone()));
        assert!(!latest.update(standings));
        // The next heat.
        assert!(!update(&latest, &[0, 0]));
    }

    #[test]
    fn readers_that_have_seen_the_same_share_a_frame() {
        let latest = LatestStandings::default();
        update(&latest, &[0, 0]);
        update(&latest, &[1, 0]);
        let [(_, a), (_, b), (_, c)] = [1, 1, 0].map(|seen| latest.since(seen).unwrap());
        assert!(Arc::ptr_eq(&a, &b));
        assert_eq!((rows(&a).len(), rows(&c).len()), (1, 2));
        assert!(latest.since(2).is_none());
    }

    proptest! {
        /// A reader that merges what it is sent by player has the standings as they are, whenever
        /// it reads.
        #[test]
        fn merged_changes_are_the_standings(
            steps in prop::collection::vec((prop::collection::vec(0..3u32, 4), any::<bool>()), 1..30),
        ) {
            let latest = LatestStandings::default();
            let (mut seen, mut merged) = (0, BTreeMap::new());
            for (moves, reads) in steps {
                update(&latest, &moves);
                if !reads {
                    continue;
                }
                if let Some((version, frame)) = latest.since(seen) {
                    seen = version;
                    merged.extend(rows(&frame).iter().map(|row| (row.player.0, row.moves.moves)));
                }
                prop_assert_eq!(merged.values().copied().collect::<Vec<u32>>(), moves);
            }
        }
    }
}
