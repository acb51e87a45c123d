//! The summary of a list of boards: counts, means and the slowest.

use super::answer::SlideAnswer;
use super::search::Searches;
use crate::commands::write_json_line;
use serde::Serialize;
use std::io::{self, Write};
use std::time::Duration;

/// What has been found so far.
#[derive(Debug, Default)]
pub struct SlideTally {
    lengths: Vec<u32>,
    multi_tile: Vec<u32>,
    optimal: usize,
    nodes: Vec<u64>,
    times: Vec<Duration>,
    /// Found and known, where it is known.
    known: Vec<(u32, u32)>,
}

impl SlideTally {
    /// Adds an answer, and the found and the known length where that is known.
    pub fn add(&mut self, SlideAnswer { found, moves }: &SlideAnswer, known: Option<(u32, u32)>) {
        self.lengths.push(moves.moves);
        self.multi_tile.push(moves.acts);
        self.optimal += usize::from(found.optimal);
        self.nodes.push(found.nodes);
        self.times.push(found.time);
        self.known.extend(known);
    }

    pub fn print(
        &mut self,
        searches: &Searches,
        json: bool,
        out: &mut impl Write,
    ) -> io::Result<()> {
        self.times.sort_unstable();
        let summary = self.summary(searches.tables());
        if json {
            return write_json_line(out, &summary);
        }
        let SolveSummary { stm, mtm, nodes, .. } = &summary;
        let (boards, optimal) = (summary.boards, summary.optimal);
        writeln!(out, "boards  {boards}, {optimal} of them proven optimal")?;
        writeln!(
            out,
            "moves   mean {:.2}, max {} (STM); mean {:.2}, max {} (MTM)",
            stm.mean, stm.max, mtm.mean, mtm.max
        )?;
        if let Some(known) = &summary.known {
            writeln!(
                out,
                "known   mean {:.2}: {} of {} found as short, in all {:.4} times as long",
                known.mean, known.as_short, known.boards, known.ratio
            )?;
        }
        writeln!(out, "nodes   mean {:.0}, max {}", nodes.mean, nodes.max)?;
        let SearchTimes { mean, median, p99, max, total } = summary.seconds;
        let millis = |seconds: f64| format!("{:.3} ms", seconds * 1e3);
        writeln!(
            out,
            "time    mean {}, median {}, p99 {}, max {}, in all {total:.3} s",
            millis(mean),
            millis(median),
            millis(p99),
            millis(max)
        )?;
        if let Some(bytes) = summary.peak_memory_bytes {
            writeln!(out, "memory  {} MB at most", bytes.div_ceil(1_000_000))?;
        }
        let tables = match &summary.tables[..] {
            [] => "none".to_owned(),
            tables => tables.join(", "),
        };
        writeln!(out, "tables  {tables}")
    }

    fn summary(&self, tables: Vec<String>) -> SolveSummary {
        SolveSummary {
            boards: self.lengths.len(),
            optimal: self.optimal,
            stm: Spread::of(self.lengths.iter().map(|&len| u64::from(len))),
            mtm: Spread::of(self.multi_tile.iter().map(|&len| u64::from(len))),
            known: Known::of(&self.known),
            nodes: Spread::of(self.nodes.iter().copied()),
            seconds: SearchTimes::of(&self.times),
            peak_memory_bytes: peak_rss(),
            tables,
        }
    }
}

#[derive(Serialize)]
struct SolveSummary {
    boards: usize,
    optimal: usize,
    stm: Spread,
    mtm: Spread,
    #[serde(skip_serializing_if = "Option::is_none")]
    known: Option<Known>,
    nodes: Spread,
    seconds: SearchTimes,
    peak_memory_bytes: Option<u64>,
    tables: Vec<String>,
}

#[derive(Debug, PartialEq, Serialize)]
struct Spread {
    mean: f64,
    max: u64,
}

#[derive(Debug, PartialEq, Serialize)]
struct Known {
    boards: usize,
    mean: f64,
    as_short: usize,
    /// All moves found to all moves known.
    ratio: f64,
}

#[derive(Debug, PartialEq, Serialize)]
struct SearchTimes {
    mean: f64,
    median: f64,
    p99: f64,
    max: f64,
    total: f64,
}

impl Spread {
    fn of(values: impl ExactSizeIterator<Item = u64> + Clone) -> Self {
        Self {
            mean: mean(values.clone().map(|value| value as f64)),
            max: values.max().unwrap_or(0),
        }
    }
}

impl Known {
    fn of(pairs: &[(u32, u32)]) -> Option<Self> {
        let (found, known) = pairs.iter().fold((0, 0), |(all, of), &(found, known)| {
            (all + u64::from(found), of + u64::from(known))
        });
        (!pairs.is_empty()).then(|| Self {
            boards: pairs.len(),
            mean: mean(pairs.iter().map(|&(_, known)| f64::from(known))),
            as_short: pairs.iter().filter(|(found, known)| found == known).count(),
            // Solved boards alone are as long as they must be.
            ratio: if known == 0 { 1.0 } else { found as f64 / known as f64 },
        })
    }
}

impl SearchTimes {
    /// Takes times in order.
    fn of(times: &[Duration]) -> Self {
        let seconds = |time: Option<&Duration>| time.map_or(0.0, Duration::as_secs_f64);
        Self {
            mean: mean(times.iter().map(Duration::as_secs_f64)),
            median: seconds(percentile(times, 50)),
            p99: seconds(percentile(times, 99)),
            max: seconds(times.last()),
            total: times.iter().sum::<Duration>().as_secs_f64(),
        }
    }
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len().max(1);
    // The sum of no numbers is -0.
    values.fold(0.0, |sum, value| sum + value) / count as f64
}

/// Returns the percentile of the values, by the nearest rank.
fn percentile<T>(sorted: &[T], percent: usize) -> Option<&T> {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.saturating_sub(1))
}

/// Returns the most bytes of memory that the program ever held, where the system tells:
/// Linux does, in `/proc`.
fn peak_rss() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    read_peak(&status)
}

fn read_peak(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1_024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_there_are() {
        let hundred: Vec<u32> = (1..=100).collect();
        assert_eq!(percentile(&hundred, 50), Some(&50));
        assert_eq!(percentile(&hundred, 99), Some(&99));
        assert_eq!(percentile(&[7], 50), Some(&7));
        assert_eq!(percentile(&[7, 9], 99), Some(&9));
        assert_eq!(percentile::<u32>(&[], 99), None);
    }

    #[test]
    fn what_is_known_is_compared_as_a_whole() {
        let known = Known::of(&[(10, 10), (33, 30)]).unwrap();
        assert_eq!((known.boards, known.as_short), (2, 1));
        assert_eq!((known.mean, known.ratio), (20.0, 43.0 / 40.0));
        assert_eq!(Known::of(&[]), None);
    }

    #[test]
    fn the_peak_is_read_from_the_kernels_words() {
        assert_eq!(read_peak("VmPeak:\t  9 kB\nVmHWM:\t    2048 kB\n"), Some(2_097_152));
        assert_eq!(read_peak("VmHWM:\t many kB"), None);
        assert_eq!(read_peak(""), None);
    }
}
