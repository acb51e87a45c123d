//! The history of each player's progress, from the standings.
//!
//! Standings come a few times a second, the less often the busier the server is. So times are as
//! late as that, those of a finish apart.

use crate::heat::ids::PlayerId;
use crate::heat::standings::{RaceState, Standing};
use crate::util::time::Millis;
use std::collections::BTreeMap;

/// The progress at which a split is taken, in thousandths: the quarters before the finish.
pub const SPLITS: [u16; 3] = [250, 500, 750];
/// The most points that are kept of a player: twice as many as a chart has dots on a wide screen.
const MAX_POINTS: usize = 256;

/// The progress of all players of a heat over time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProgressHistory {
    players: BTreeMap<PlayerId, PlayerProgress>,
}

/// One player's progress over time; times count from GO, without penalties.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlayerProgress {
    /// By time: when, and how far in thousandths. Evenly thinned where there were too many.
    pub points: Vec<(Millis, u16)>,
    /// When the player first came to each of [`SPLITS`]; nothing where this client wasn't there.
    pub splits: [Option<Millis>; 3],
    highest: u16,
    /// The least time between two points; doubled at each thinning.
    spacing: Millis,
}

impl ProgressHistory {
    pub fn player(&self, player: PlayerId) -> Option<&PlayerProgress> {
        self.players.get(&player)
    }

    /// Records rows that came in the order of the server, `at` after GO.
    pub fn record(&mut self, at: Millis, rows: &[Standing]) {
        self.record_with(at, rows, true);
    }

    /// Records rows behind a gap, in which it isn't known who came how far when.
    pub fn record_after_gap(&mut self, at: Millis, rows: &[Standing]) {
        self.record_with(at, rows, false);
    }

    fn record_with(&mut self, at: Millis, rows: &[Standing], is_gapless: bool) {
        for row in rows {
            let at = match row.state {
                RaceState::Finished { time } => time.since(row.penalty),
                RaceState::Racing => at,
                // Nothing is played any more.
                RaceState::Dnf => continue,
            };
            self.players.entry(row.player).or_default().record(at, row.progress, is_gapless);
        }
    }
}

impl PlayerProgress {
    fn record(&mut self, at: Millis, progress: u16, is_gapless: bool) {
        for (split, mark) in self.splits.iter_mut().zip(SPLITS) {
            if is_gapless && self.highest < mark && mark <= progress {
                *split = Some(at);
            }
        }
        self.highest = self.highest.max(progress);
        let count = self.points.len();
        match self.points.last() {
            Some(&(last, held)) if at <= last || progress == held => return,
            _ => {}
        }
        match count.checked_sub(2).and_then(|index| self.points.get(index)) {
            Some(&(before, _)) if at.since(before) < self.spacing => {
                self.points[count - 1] = (at, progress);
            }
            _ => self.points.push((at, progress)),
        }
        if self.points.len() > MAX_POINTS {
            self.thin();
        }
    }

    /// Drops every second point, but not the last, and keeps the next ones as far apart.
    fn thin(&mut self) {
        let last = self.points.last().copied();
        let mut index = 0;
        self.points.retain(|point| {
            index += 1;
            index % 2 == 1 || Some(*point) == last
        });
        let span = last.map_or(0, |(at, _)| at.0);
        self.spacing = Millis(2 * span / MAX_POINTS as u64);
    }

    /// Returns the progress at a time, as far as it was known by then.
    pub fn at(&self, time: Millis) -> u16 {
        let known = self.points.partition_point(|&(at, _)| at <= time);
        known.checked_sub(1).and_then(|index| self.points.get(index)).map_or(0, |point| point.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::MoveCount;

    const ANNA: PlayerId = PlayerId(1);

    fn row(state: RaceState, progress: u16, penalty: u64) -> [Standing; 1] {
        [Standing {
            player: ANNA,
            place: 1,
            state,
            progress,
            tally: None,
            moves: MoveCount::default(),
            hints: 0,
            penalty: Millis(penalty),
            connected: true,
        }]
    }

    #[test]
    fn a_split_is_when_a_quarter_was_reached_first() {
        let mut history = ProgressHistory::default();
        for (at, progress) in [(1_000, 100), (2_000, 300), (3_000, 200), (4_000, 260), (5_000, 600)]
        {
            history.record(Millis(at), &row(RaceState::Racing, progress, 0));
        }
        let finished = RaceState::Finished { time: Millis(19_000) };
        history.record(Millis(9_250), &row(finished, 1_000, 10_000));
        let anna = history.player(ANNA).unwrap();
        assert_eq!(anna.splits, [Some(Millis(2_000)), Some(Millis(5_000)), Some(Millis(9_000))]);
        // The finish is exact, and without its penalty.
        assert_eq!(anna.points.last(), Some(&(Millis(9_000), 1_000)));
        assert_eq!((anna.at(Millis(999)), anna.at(Millis(3_999))), (0, 200));
    }

    #[test]
    fn a_quarter_that_was_reached_in_a_gap_has_no_split() {
        let mut history = ProgressHistory::default();
        history.record(Millis(1_000), &row(RaceState::Racing, 100, 0));
        history.record_after_gap(Millis(9_000), &row(RaceState::Racing, 600, 0));
        history.record(Millis(9_500), &row(RaceState::Racing, 800, 0));
        assert_eq!(history.player(ANNA).unwrap().splits, [None, None, Some(Millis(9_500))]);
    }

    #[test]
    fn points_are_bounded_and_stay_evenly_spread() {
        let mut history = ProgressHistory::default();
        for step in 1..=20_000u64 {
            let progress = u16::try_from(step / 25 + 2 * (step % 2)).unwrap();
            history.record(Millis(step * 250), &row(RaceState::Racing, progress, 0));
        }
        let points = &history.player(ANNA).unwrap().points;
        assert!((MAX_POINTS / 2..=MAX_POINTS).contains(&points.len()), "{}", points.len());
        assert_eq!(points.last().unwrap().0, Millis(5_000_000));
        let early = points.iter().filter(|point| point.0 < Millis(2_500_000)).count();
        assert!((points.len() / 3..=points.len() * 2 / 3).contains(&early), "{early}");
    }
}
