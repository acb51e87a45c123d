//! Averages of solves as the World Cube Association computes them.
//!
//! By its Regulations: a time below ten minutes counts in whole hundredths of a second, cut off,
//! and a longer one in whole seconds, rounded; a mean or average is rounded to the same units
//! ([9f1], [9f2]). An average leaves out the best and the worst attempts ([9f8]), a mean of three
//! none ([9f9]). A DNF counts as the worst attempt; if one remains, the average is a DNF.
//!
//! [9f1]: https://www.worldcubeassociation.org/regulations/#9f1
//! [9f2]: https://www.worldcubeassociation.org/regulations/#9f2
//! [9f8]: https://www.worldcubeassociation.org/regulations/#9f8
//! [9f9]: https://www.worldcubeassociation.org/regulations/#9f9

use crate::util::time::Millis;

/// The times from which on results are in whole seconds.
const LONG: u64 = 600_000;
/// Milliseconds of the units below and above [`LONG`].
const HUNDREDTH: u64 = 10;
const SECOND: u64 = 1_000;
/// The share of attempts that is left out at each end, in percent, rounded up; of those averages
/// that leave any out.
const TRIMMED_PERCENT: usize = 5;

/// A time, or none for a DNF.
pub type Attempt = Option<Millis>;

/// A way to make one result of several attempts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Average {
    /// How many attempts it takes.
    pub attempts: usize,
    /// How many are left out at each end.
    pub trimmed: usize,
}

impl Average {
    pub const MO3: Self = Self { attempts: 3, trimmed: 0 };
    pub const AO5: Self = Self::trimmed(5);
    pub const AO12: Self = Self::trimmed(12);
    pub const AO50: Self = Self::trimmed(50);

    /// Returns the average of that many attempts that leaves out the best and worst 5 %, at least
    /// one each.
    pub const fn trimmed(attempts: usize) -> Self {
        Self { attempts, trimmed: (attempts * TRIMMED_PERCENT).div_ceil(100) }
    }

    /// Returns the average of exactly this many attempts; none for another number of them.
    ///
    /// ```
    /// use gridrace_shared::heat::averages::Average;
    /// use gridrace_shared::util::time::Millis;
    /// let times = [Some(10_000), Some(11_000), None, Some(12_000), Some(9_000)];
    /// let attempts = times.map(|time| time.map(Millis));
    /// assert_eq!(Average::AO5.of(&attempts), Some(Some(Millis(11_000))));
    /// assert_eq!(Average::MO3.of(&attempts[..3]), Some(None));
    /// ```
    pub fn of(self, attempts: &[Attempt]) -> Option<Attempt> {
        if attempts.len() != self.attempts {
            return None;
        }
        let mut sorted: Vec<Attempt> = attempts.iter().copied().map(measured).collect();
        sorted.sort_by_key(|attempt| (attempt.is_none(), *attempt));
        let counting = sorted.get(self.trimmed..sorted.len() - self.trimmed)?;
        let sum: Attempt = counting
            .iter()
            .try_fold(Millis(0), |sum, attempt| attempt.map(|attempt| sum + attempt));
        Some(sum.map(|sum| mean(sum, counting.len() as u64)))
    }

    /// Returns the average of the latest attempts, of which the last is the latest; none while
    /// there are too few.
    pub fn current(self, attempts: &[Attempt]) -> Option<Attempt> {
        self.of(attempts.get(attempts.len().checked_sub(self.attempts)?..)?)
    }

    /// Returns the best average of successive attempts, none while there are too few.
    pub fn best(self, attempts: &[Attempt]) -> Option<Attempt> {
        let all = attempts.windows(self.attempts.max(1)).filter_map(|window| self.of(window));
        all.min_by_key(|average| (average.is_none(), *average))
    }
}

/// Returns a time in the units in which it counts.
pub fn measured(attempt: Attempt) -> Attempt {
    attempt.map(
        |Millis(time)| {
            if time < LONG { Millis(time - time % HUNDREDTH) } else { round(time, 1, SECOND) }
        },
    )
}

/// Returns the best of some attempts as it counts; none if none is finished.
pub fn best_single(attempts: &[Attempt]) -> Attempt {
    attempts.iter().copied().filter_map(measured).min()
}

fn mean(Millis(sum): Millis, count: u64) -> Millis {
    let hundredths = round(sum, count.max(1), HUNDREDTH);
    if hundredths.0 < LONG { hundredths } else { round(sum, count.max(1), SECOND) }
}

/// Divides a sum and rounds the quotient to a unit, halves up.
const fn round(sum: u64, count: u64, unit: u64) -> Millis {
    let divisor = count.saturating_mul(unit);
    Millis((sum.saturating_mul(2).saturating_add(divisor)) / (2 * divisor) * unit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn seconds(times: &[f64]) -> Vec<Attempt> {
        let millis = |time: &f64| (*time > 0.0).then_some(Millis((time * 1_000.0).round() as u64));
        times.iter().map(millis).collect()
    }

    fn time(seconds: f64) -> Option<Attempt> {
        Some(Some(Millis((seconds * 1_000.0).round() as u64)))
    }

    #[test]
    fn an_average_of_five_leaves_out_the_best_and_the_worst() {
        assert_eq!(Average::AO5.of(&seconds(&[5.97, 5.32, 7.97, 5.64, 6.15])), time(5.92));
        assert_eq!(Average::AO5.of(&seconds(&[5.48, 5.42, 5.84, 4.06, 5.57])), time(5.49));
        assert_eq!(Average::MO3.of(&seconds(&[5.48, 5.42, 5.84])), time(5.58));
    }

    #[test]
    fn one_dnf_counts_as_the_worst_and_two_make_a_dnf() {
        assert_eq!(Average::AO5.of(&seconds(&[10.0, 0.0, 12.0, 11.0, 9.0])), time(11.0));
        assert_eq!(Average::AO5.of(&seconds(&[10.0, 0.0, 12.0, 0.0, 9.0])), Some(None));
        assert_eq!(Average::MO3.of(&seconds(&[10.0, 0.0, 12.0])), Some(None));
        let fifty = |dnfs: usize| -> Vec<Attempt> {
            (0..50).map(|n| (n >= dnfs).then_some(Millis(10_000))).collect()
        };
        assert_eq!(Average::AO50.of(&fifty(3)), time(10.0));
        assert_eq!(Average::AO50.of(&fifty(4)), Some(None));
    }

    #[test]
    fn each_end_loses_five_percent_rounded_up() {
        let trimmed = |attempts| Average::trimmed(attempts).trimmed;
        assert_eq!([5, 12, 20, 50, 100].map(trimmed), [1, 1, 1, 3, 5]);
    }

    #[test]
    fn times_are_cut_and_averages_rounded_to_hundredths() {
        assert_eq!(measured(Some(Millis(9_999))), Some(Millis(9_990)));
        // 10.00, 10.00 and 10.01 after the cut: 10.0033 is 10.00.
        assert_eq!(Average::MO3.of(&seconds(&[10.009, 10.004, 10.019])), time(10.0));
        // 10.00, 10.01 and 10.01: 10.0067 is 10.01.
        assert_eq!(Average::MO3.of(&seconds(&[10.0, 10.01, 10.01])), time(10.01));
    }

    #[test]
    fn from_ten_minutes_on_results_are_in_seconds() {
        assert_eq!(measured(Some(Millis(600_499))), Some(Millis(600_000)));
        assert_eq!(measured(Some(Millis(600_500))), Some(Millis(601_000)));
        assert_eq!(Average::MO3.of(&seconds(&[599.99, 601.0, 602.0])), time(601.0));
    }

    #[test]
    fn an_average_waits_for_enough_attempts() {
        let four = seconds(&[1.0, 2.0, 3.0, 4.0]);
        assert_eq!(Average::AO5.current(&four), None);
        assert_eq!(Average::AO5.best(&four), None);
        assert_eq!(Average::MO3.current(&four), time(3.0));
        assert_eq!(Average::MO3.best(&four), time(2.0));
        assert_eq!(best_single(&four), Some(Millis(1_000)));
    }

    fn attempts(
        count: impl Into<prop::collection::SizeRange>,
    ) -> impl Strategy<Value = Vec<Attempt>> {
        let attempt =
            prop_oneof![8 => (1u64..900_000).prop_map(|time| Some(Millis(time))), 1 => Just(None)];
        prop::collection::vec(attempt, count)
    }

    proptest! {
        #[test]
        fn the_order_of_the_attempts_doesn_t_matter(mut twelve in attempts(12)) {
            let average = Average::AO12.of(&twelve);
            twelve.reverse();
            prop_assert_eq!(Average::AO12.of(&twelve), average);
        }

        #[test]
        fn an_average_lies_between_the_times_that_count(five in attempts(5)) {
            let mut sorted: Vec<u64> = five.iter().map(|time| time.map_or(u64::MAX, |time| time.0)).collect();
            sorted.sort_unstable();
            match Average::AO5.of(&five) {
                // Rounding to a second moves it by half of one at most, and cutting by a hundredth.
                Some(Some(Millis(average))) => {
                    prop_assert!(average + 510 >= sorted[1] && average <= sorted[3].saturating_add(510));
                }
                Some(None) => prop_assert_eq!(sorted[3], u64::MAX),
                None => prop_assert!(false),
            }
        }

        #[test]
        fn a_better_attempt_never_makes_it_worse(five in attempts(5), at in 0usize..5) {
            let worst = |average: Option<Attempt>| average.flatten().map_or(u64::MAX, |time| time.0);
            let before = worst(Average::AO5.of(&five));
            let mut better = five.clone();
            better[at] = Some(better[at].map_or(Millis(899_000), |time| Millis(time.0 / 2 + 1)));
            prop_assert!(worst(Average::AO5.of(&better)) <= before.max(1));
        }

        #[test]
        fn no_average_of_a_row_is_better_than_the_best(many in attempts(5..60)) {
            let best = Average::AO5.best(&many).flatten();
            for end in 5..=many.len() {
                if let Some(Some(average)) = Average::AO5.current(&many[..end]) {
                    prop_assert!(best.is_some_and(|best| best <= average));
                }
            }
        }
    }
}
