//! Statistics of kept races: averages, sessions, a histogram.

use crate::practice::kept_race::KeptRace;
use gridrace_shared::heat::averages::{Attempt, Average, best_single, measured};
use gridrace_shared::puzzle::{Efficiency, PuzzleSpec};
use gridrace_shared::util::time::Millis;
use std::cmp::Reverse;

/// Seconds without a race after which the next one begins a new session.
pub const SESSION_GAP: u64 = 30 * 60;
/// The bars of a histogram, at most.
pub const MAX_BARS: u64 = 12;
/// Widths of a histogram's bars in seconds, of which the least that fits is taken.
const BAR_SECONDS: [u64; 11] = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1_200];

/// The averages that are shown, with their names.
pub const AVERAGES: [(&str, Average); 4] = [
    ("mo3", Average::MO3),
    ("ao5", Average::AO5),
    ("ao12", Average::AO12),
    ("ao50", Average::AO50),
];

/// The statistics of races on one puzzle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RaceStatistics {
    /// How many races there are, those that don't count included.
    pub races: usize,
    /// How many count, and of those how many are finished.
    pub counting: usize,
    pub finished: usize,
    pub best: Attempt,
    /// The last race that counts.
    pub current: Option<Attempt>,
    pub averages: [AverageRow; 4],
    /// Of the finished races that count.
    pub mean: Attempt,
    /// Moves a second in hundredths: the best race's, and the median.
    pub pace: Option<(u64, u64)>,
    /// The moves as a multiple of the fewest: the best race's, and the median.
    pub efficiency: Option<(Efficiency, Efficiency)>,
}

/// One average: of the latest races, and the best there was. None where there are too few races.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AverageRow {
    pub name: &'static str,
    pub current: Option<Attempt>,
    pub best: Option<Attempt>,
}

/// Races without a long pause between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PracticeSession<'a> {
    /// The oldest first; never empty.
    pub races: Vec<&'a KeptRace>,
}

/// How many races took how long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Histogram {
    /// The time from which the first bar counts.
    pub from: Millis,
    /// How much time each bar covers.
    pub width: Millis,
    pub bars: Vec<usize>,
    /// How many races took longer than the last bar covers.
    pub slower: usize,
}

/// What a list of races is sorted by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Sort {
    /// The latest first.
    #[default]
    Date,
    /// The fastest first.
    Time,
    /// The fewest moves first.
    Moves,
    /// The most moves a second first.
    Pace,
    /// The nearest to the fewest moves first.
    #[value(name = "best")]
    Efficiency,
}

impl Sort {
    pub const ALL: [Self; 5] = [Self::Date, Self::Time, Self::Moves, Self::Pace, Self::Efficiency];

    /// Sorts races; those without the value, such as a time, come last.
    pub fn sort(self, races: &mut [&KeptRace]) {
        let has_none = |value: Option<u64>| (value.is_none(), value);
        match self {
            Self::Date => races.sort_by_key(|race| Reverse((race.began, race.number))),
            Self::Time => races.sort_by_key(|race| has_none(race.result.time.map(|time| time.0))),
            Self::Moves => races.sort_by_key(|race| {
                has_none(race.result.time.map(|_| race.result.moves.moves.into()))
            }),
            Self::Pace => races.sort_by_key(|race| Reverse(race.hundredth_moves_a_second())),
            Self::Efficiency => races.sort_by_key(|race| {
                has_none(race.efficiency().map(|efficiency| efficiency.0.into()))
            }),
        }
    }
}

/// Returns the puzzles of some races, the one that was raced last first.
pub fn puzzles(races: &[KeptRace]) -> Vec<PuzzleSpec> {
    let mut puzzles = Vec::new();
    for race in races.iter().rev() {
        if !puzzles.contains(&race.result.puzzle) {
            puzzles.push(race.result.puzzle);
        }
    }
    puzzles
}

/// Returns the times of the races that count, the oldest first.
pub fn attempts<'a>(races: impl IntoIterator<Item = &'a KeptRace>) -> Vec<Attempt> {
    races.into_iter().filter(|race| race.counts).map(|race| race.result.time).collect()
}

/// Sums up races on one puzzle, the oldest first.
pub fn summarize(races: &[&KeptRace]) -> RaceStatistics {
    let attempts = attempts(races.iter().copied());
    let finished: Vec<&&KeptRace> =
        races.iter().filter(|race| race.counts && race.result.time.is_some()).collect();
    let times: Vec<Attempt> = attempts.iter().copied().filter(Option::is_some).collect();
    let mean = Average { attempts: times.len().max(1), trimmed: 0 }.of(&times);
    let paces = finished.iter().filter_map(|race| race.hundredth_moves_a_second());
    let efficiencies = finished.iter().filter_map(|race| race.efficiency());
    RaceStatistics {
        races: races.len(),
        counting: attempts.len(),
        finished: finished.len(),
        best: best_single(&attempts),
        current: attempts.last().map(|attempt| measured(*attempt)),
        averages: AVERAGES.map(|(name, average)| AverageRow {
            name,
            current: average.current(&attempts),
            best: average.best(&attempts),
        }),
        mean: mean.flatten(),
        pace: paces.clone().max().zip(median(paces)),
        efficiency: efficiencies.clone().min().zip(median(efficiencies)),
    }
}

/// Splits races, the oldest first, where [`SESSION_GAP`] passed without one.
pub fn sessions<'a>(races: &[&'a KeptRace]) -> Vec<PracticeSession<'a>> {
    let mut sessions: Vec<PracticeSession<'a>> = Vec::new();
    for &race in races {
        let goes_on = |session: &&mut PracticeSession<'a>| {
            let ended =
                |last: &KeptRace| last.began + last.result.time.unwrap_or_default().seconds();
            session.races.last().is_some_and(|last| race.began <= ended(last) + SESSION_GAP)
        };
        match sessions.last_mut().filter(goes_on) {
            Some(session) => session.races.push(race),
            None => sessions.push(PracticeSession { races: vec![race] }),
        }
    }
    sessions
}

/// Counts finished races by time; None if there are none.
pub fn histogram(attempts: &[Attempt]) -> Option<Histogram> {
    let mut times: Vec<u64> = attempts.iter().flatten().map(|time| time.0).collect();
    times.sort_unstable();
    let least = *times.first()?;
    // A few very slow races must not squeeze all others into one bar.
    let most = times[(times.len() - 1) * 95 / 100];
    let width = BAR_SECONDS
        .iter()
        .map(|seconds| seconds * 1_000)
        .find(|width| most / width - least / width < MAX_BARS)
        .unwrap_or((most - least) / MAX_BARS + 1);
    let first = least / width;
    let count = (most / width - first + 1).min(MAX_BARS);
    let mut bars = vec![0; usize::try_from(count).unwrap_or(0)];
    let mut slower = 0;
    for time in times {
        let bar = usize::try_from(time / width - first).unwrap_or(usize::MAX);
        match bars.get_mut(bar) {
            Some(bar) => *bar += 1,
            None => slower += 1,
        }
    }
    Some(Histogram { from: Millis(first * width), width: Millis(width), bars, slower })
}

fn median<T: Ord + Copy>(values: impl Iterator<Item = T>) -> Option<T> {
    let mut values: Vec<T> = values.collect();
    values.sort_unstable();
    values.get(values.len().checked_sub(1)? / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::practice::kept_races::tests::result;
    use gridrace_shared::puzzle::MoveBounds;
    use proptest::prelude::*;

    fn race(number: u32, began: u64, time: Option<u64>) -> KeptRace {
        let mut result = result("slide:4x4", &format!("s{number}"), time);
        result.best = Some(MoveBounds::of(50, 60));
        KeptRace { number, began, result, counts: true, marked: false, replay_bytes: 0 }
    }

    fn every_minute(times: &[Option<u64>]) -> Vec<KeptRace> {
        (1u32..)
            .zip(times)
            .map(|(number, time)| race(number, u64::from(number) * 60, *time))
            .collect()
    }

    #[test]
    fn a_summary_has_averages_pace_and_efficiency_of_the_races_that_count() {
        let mut races = every_minute(&[
            Some(30_000),
            Some(40_000),
            None,
            Some(35_000),
            Some(45_000),
            Some(1_000),
        ]);
        races[5].counts = false;
        races[0].result.penalty = Millis(10_000);
        let summary = summarize(&races.iter().collect::<Vec<_>>());
        assert_eq!((summary.races, summary.counting, summary.finished), (6, 5, 4));
        assert_eq!(summary.best, Some(Millis(30_000)));
        assert_eq!(summary.current, Some(Some(Millis(45_000))));
        assert_eq!(summary.mean, Some(Millis(37_500)));
        let [mo3, ao5, ao12, _] = summary.averages;
        assert_eq!((mo3.current, mo3.best), (Some(None), Some(None)));
        assert_eq!(ao5.current, Some(Some(Millis(40_000))));
        assert_eq!(ao12.current, None);
        // 120 moves in 20 s without the penalty, and in 35 s.
        assert_eq!(summary.pace, Some((600, 300)));
        assert_eq!(summary.efficiency, Some((Efficiency(200), Efficiency(200))));
        let nothing = summarize(&[]);
        assert_eq!((nothing.best, nothing.mean, nothing.pace), (None, None, None));
    }

    #[test]
    fn a_pause_of_half_an_hour_begins_a_session() {
        let races = [
            race(1, 0, Some(60_000)),
            race(2, 60 + SESSION_GAP, None),
            race(3, 61 + 2 * SESSION_GAP, Some(1)),
        ];
        let lengths = |races: &[KeptRace]| -> Vec<usize> {
            let races: Vec<&KeptRace> = races.iter().collect();
            sessions(&races).iter().map(|session| session.races.len()).collect()
        };
        assert_eq!(lengths(&races), [2, 1]);
        assert_eq!(lengths(&[]), [0; 0]);
    }

    #[test]
    fn a_histogram_covers_the_times_and_says_how_many_are_slower() {
        let times: Vec<Attempt> = (0..40)
            .map(|n| Some(Millis(20_000 + 500 * n)))
            .chain([None, Some(Millis(900_000))])
            .collect();
        let histogram = histogram(&times).unwrap();
        assert_eq!((histogram.from, histogram.width), (Millis(20_000), Millis(2_000)));
        assert_eq!(histogram.bars.len(), 10);
        assert_eq!(histogram.slower, 1);
        assert_eq!(super::histogram(&[None]), None);
    }

    #[test]
    fn the_puzzle_raced_last_comes_first() {
        let mut races = every_minute(&[Some(1), Some(1), Some(1)]);
        races[1].result.puzzle = "slide:3x3".parse().unwrap();
        let names: Vec<String> = puzzles(&races).iter().map(ToString::to_string).collect();
        assert_eq!(names, ["slide:4x4", "slide:3x3"]);
    }

    proptest! {
        #[test]
        fn every_finished_race_is_in_the_histogram_once(
            times in prop::collection::vec(prop::option::of(0u64..7_200_000), 0..200),
        ) {
            let attempts: Vec<Attempt> = times.iter().map(|time| time.map(Millis)).collect();
            let finished = attempts.iter().flatten().count();
            match histogram(&attempts) {
                Some(histogram) => {
                    let counted: usize = histogram.bars.iter().sum();
                    prop_assert_eq!(counted + histogram.slower, finished);
                    prop_assert!(histogram.bars.len() as u64 <= MAX_BARS);
                }
                None => prop_assert_eq!(finished, 0),
            }
        }

        #[test]
        fn every_race_is_in_one_session(gaps in prop::collection::vec(0u64..4_000, 0..50)) {
            let mut began = 0;
            let races: Vec<KeptRace> = (1u32..).zip(gaps).map(|(number, gap)| {
                began += gap;
                race(number, began, Some(1))
            }).collect();
            let refs: Vec<&KeptRace> = races.iter().collect();
            let numbers: Vec<u32> = sessions(&refs).iter()
                .flat_map(|session| session.races.iter().map(|race| race.number)).collect();
            prop_assert_eq!(numbers, races.iter().map(|race| race.number).collect::<Vec<_>>());
        }
    }
}
