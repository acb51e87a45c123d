//! Standings of a heat, and their order.

use crate::heat::ids::PlayerId;
use crate::puzzle::{Efficiency, MoveBounds, MoveCount, PieceProgress};
use crate::util::time::{HeatInstant, Millis};
use serde::{Deserialize, Serialize};

/// One player's line in the standings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standing {
    pub player: PlayerId,
    /// 1 for the first; no two players of a heat share one.
    pub place: u16,
    pub state: RaceState,
    /// 0 to 1000, for display; 1000 only for a solved board.
    pub progress: u16,
    /// What is done piece by piece, where the puzzle has pieces.
    pub tally: Option<PieceProgress>,
    pub moves: MoveCount,
    pub hints: u16,
    /// What the hints add to the finish time.
    pub penalty: Millis,
    pub connected: bool,
}

impl Standing {
    /// Returns what rows are ranked by, ties aside: finished ones by time, then those who race by
    /// progress, and DNFs last.
    pub fn rank_key(&self) -> (u8, u64) {
        let lacking = u64::from(1_000u16.saturating_sub(self.progress));
        match self.state {
            RaceState::Finished { time } => (0, time.0),
            RaceState::Racing => (1, lacking),
            RaceState::Dnf => (2, lacking),
        }
    }

    /// Says whether no one who still races can take the place of this row any more. `rows` are the
    /// standings, `elapsed` is the time from GO to their instant: a player who races in them finishes
    /// later than that, with at least the penalty so far.
    pub fn is_place_final(&self, rows: &[Self], elapsed: Millis) -> bool {
        let mut racing = rows.iter().filter(|row| row.state == RaceState::Racing);
        match self.state {
            // Equal times rank by the order in which they came about.
            RaceState::Finished { time } => {
                racing.all(|row| elapsed.0.saturating_add(row.penalty.0) >= time.0)
            }
            RaceState::Racing => false,
            RaceState::Dnf => racing.next().is_none(),
        }
    }
}

/// Where a player stands in a heat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RaceState {
    Racing,
    Finished {
        /// From GO to the last move, with the penalty added.
        time: Millis,
    },
    /// Did not finish: gave up, ran out of time, or left.
    Dnf,
}

/// The standings of a heat at an instant: all rows in a snapshot, later those that changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standings {
    pub at: HeatInstant,
    /// One row a player, by place.
    pub rows: Vec<Standing>,
}

impl MoveBounds {
    /// Lowers the upper bound to the fewest moves of a finished player.
    pub fn with(self, rows: &[Standing]) -> Self {
        let needed = |row: &Standing| match row.state {
            RaceState::Finished { .. } => Some(row.moves.moves),
            RaceState::Racing | RaceState::Dnf => None,
        };
        let shortest = rows.iter().filter_map(needed).min();
        let at_most = shortest.map_or(self.at_most, |moves| moves.min(self.at_most));
        Self::of(self.at_least, at_most)
    }

    /// Returns the efficiency of a finished player; nothing for any other.
    pub fn efficiency(self, standing: &Standing) -> Option<Efficiency> {
        match standing.state {
            RaceState::Finished { .. } => self.efficiency_of(standing.moves.moves),
            RaceState::Racing | RaceState::Dnf => None,
        }
    }
}

/// A standing together with when, in the order of the heat's queue, it came about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ranked {
    pub standing: Standing,
    /// The number of the event that brought the player's finish or latest progress: it
    /// breaks ties, the earlier before the later.
    pub order: u64,
}

/// Gives the places: finished players by time, then those who race, then those who are
/// out, both by progress; ties by the order of the queue, and by number at last.
pub fn rank(mut players: Vec<Ranked>) -> Vec<Standing> {
    players
        .sort_by_key(|Ranked { standing, order }| (standing.rank_key(), *order, standing.player));
    let places = 1..=u16::MAX;
    players
        .into_iter()
        .zip(places)
        .map(|(ranked, place)| Standing { place, ..ranked.standing })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ranked(player: u32, state: RaceState, progress: u16, order: u64) -> Ranked {
        Ranked {
            standing: Standing {
                player: PlayerId(player),
                place: 0,
                state,
                progress,
                tally: None,
                moves: MoveCount::default(),
                hints: 0,
                penalty: Millis(0),
                connected: true,
            },
            order,
        }
    }

    fn players(standings: &[Standing]) -> Vec<u32> {
        standings.iter().map(|standing| standing.player.0).collect()
    }

    #[test]
    fn the_finished_come_by_time_then_the_rest_by_progress() {
        let order = rank(vec![
            ranked(1, RaceState::Dnf, 900, 1),
            ranked(2, RaceState::Racing, 100, 2),
            ranked(3, RaceState::Finished { time: Millis(9) }, 1_000, 4),
            ranked(4, RaceState::Finished { time: Millis(8) }, 1_000, 5),
            ranked(5, RaceState::Racing, 500, 3),
        ]);
        assert_eq!(players(&order), [4, 3, 5, 2, 1]);
    }

    #[test]
    fn equal_times_rank_by_the_order_of_the_queue() {
        let finished = RaceState::Finished { time: Millis(8) };
        let order = rank(vec![ranked(1, finished, 1_000, 7), ranked(2, finished, 1_000, 6)]);
        assert_eq!(players(&order), [2, 1]);
    }

    #[test]
    fn equal_progress_ranks_by_who_reached_it_first_and_shares_no_place() {
        let out = |player, progress, order| ranked(player, RaceState::Dnf, progress, order);
        let order = rank(vec![out(1, 400, 9), out(2, 400, 5), out(3, 0, 0), out(4, 0, 0)]);
        assert_eq!(players(&order), [2, 1, 3, 4]);
        assert_eq!(order.iter().map(|row| row.place).collect::<Vec<_>>(), [1, 2, 3, 4]);
    }

    #[test]
    fn a_place_is_final_once_no_one_who_races_can_be_faster() {
        let row = |player, state, penalty| {
            let mut row = ranked(player, state, 0, 0).standing;
            row.penalty = Millis(penalty);
            row
        };
        let finished = row(1, RaceState::Finished { time: Millis(50_000) }, 20_000);
        let out = row(2, RaceState::Dnf, 0);
        // Thirty seconds after GO one who took no hint may still finish in less than fifty.
        for (penalty, elapsed, is_final) in [
            (0, 30_000, false),
            (0, 49_999, false),
            (0, 50_000, true),
            (20_000, 29_999, false),
            (20_000, 30_000, true),
        ] {
            let rows = [finished.clone(), row(3, RaceState::Racing, penalty), out.clone()];
            assert_eq!(
                finished.is_place_final(&rows, Millis(elapsed)),
                is_final,
                "{penalty} {elapsed}"
            );
            assert!(!out.is_place_final(&rows, Millis(elapsed)));
            assert!(!rows[1].is_place_final(&rows, Millis(elapsed)));
        }
        let rows = [finished.clone(), out.clone()];
        assert!(rows.iter().all(|row| row.is_place_final(&rows, Millis(30_000))));
    }

    fn any_state() -> impl Strategy<Value = RaceState> {
        prop_oneof![
            Just(RaceState::Racing),
            Just(RaceState::Dnf),
            (0u64..4).prop_map(|time| RaceState::Finished { time: Millis(time) }),
        ]
    }

    proptest! {
        #[test]
        fn places_are_unique_and_don_t_depend_on_the_order_given(
            entries in prop::collection::vec((any_state(), 0u16..4, 0u64..3), 0..20),
        ) {
            let mut list: Vec<Ranked> = (0u32..).zip(entries)
                .map(|(player, (state, progress, order))| ranked(player, state, progress, order))
                .collect();
            let forward = rank(list.clone());
            list.reverse();
            prop_assert_eq!(&forward, &rank(list));
            for (place, standing) in (1u16..).zip(&forward) {
                prop_assert_eq!(standing.place, place);
            }
        }
    }
}
