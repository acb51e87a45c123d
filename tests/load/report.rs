//! The report of a run, as JSON or as a table.

use crate::measured_server::{Ended, Seating, Span};
use crate::tally::Counts;
use hdrhistogram::Histogram;
use serde::Serialize;
use std::io::{self, Write};

#[derive(Debug, Clone, Serialize)]
pub(crate) struct Report {
    pub(crate) name: String,
    pub(crate) connections: usize,
    pub(crate) seconds: f64,
    /// Moves sent, including those that were sent again.
    pub(crate) sent: u64,
    pub(crate) moves: u64,
    /// Moves refused because the server was too busy.
    pub(crate) refused: u64,
    /// Of all moves of the run, those that were never acknowledged.
    pub(crate) unanswered: u64,
    pub(crate) lost: u64,
    pub(crate) moves_per_second: f64,
    /// Processor time of the server by the time that passed: 1 is a whole core.
    pub(crate) cpu_share: f64,
    /// The same of this program: if it has no time left, it measures itself.
    pub(crate) own_cpu_share: f64,
    pub(crate) cpu_micros_per_move: Option<f64>,
    /// Processor time of the server to connect, greet and seat one player.
    pub(crate) connect_cpu_micros: f64,
    /// What the server's resident memory grew by, for each player seated.
    pub(crate) bytes_per_connection: u64,
    /// From sending a move to its acknowledgement; of one that was sent again, from the
    /// attempt that was accepted.
    pub(crate) ack_micros: Times,
    /// From sending it for the first time.
    pub(crate) first_micros: Times,
    /// From sending a move to a rival's seeing it in the standings.
    pub(crate) lag_micros: Times,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct Times {
    pub(crate) p50: u64,
    pub(crate) p99: u64,
    pub(crate) p999: u64,
    pub(crate) max: u64,
}

impl Report {
    pub(crate) fn of(name: String, seating: Seating, span: &Span, ended: Ended) -> Self {
        let Counts { sent, acknowledged: moves, refused, acks, firsts, lags } = &span.counts;
        let cpu_micros = span.cpu_nanos as f64 / 1e3;
        Self {
            name,
            connections: seating.connections,
            seconds: span.seconds,
            sent: *sent,
            moves: *moves,
            refused: *refused,
            unanswered: ended.unanswered,
            lost: ended.lost,
            moves_per_second: *moves as f64 / span.seconds,
            cpu_share: cpu_micros / 1e6 / span.seconds,
            own_cpu_share: span.own_nanos as f64 / 1e9 / span.seconds,
            cpu_micros_per_move: (*moves > 0).then(|| cpu_micros / *moves as f64),
            connect_cpu_micros: seating.connect_cpu_micros(),
            bytes_per_connection: seating.bytes_per_connection(),
            ack_micros: Times::of(acks),
            first_micros: Times::of(firsts),
            lag_micros: Times::of(lags),
        }
    }

    fn remarks(&self) -> String {
        let mut remarks = Vec::new();
        if self.refused > 0 {
            let share = 100.0 * self.refused as f64 / self.sent.max(1) as f64;
            remarks.push(format!("{share:.0} % refused"));
        }
        if self.sent > 0 && self.unanswered == 0 {
            remarks.push("all acknowledged".to_owned());
        }
        if self.unanswered > 0 {
            remarks.push(format!("{} never acknowledged", self.unanswered));
        }
        if self.lost > 0 {
            remarks.push(format!("{} players lost", self.lost));
        }
        remarks.join(", ")
    }
}

impl Times {
    pub(crate) fn of(times: &Histogram<u64>) -> Self {
        Self {
            p50: times.value_at_quantile(0.5),
            p99: times.value_at_quantile(0.99),
            p999: times.value_at_quantile(0.999),
            max: times.max(),
        }
    }
}

pub(crate) fn print(reports: &[Report], json: bool) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    if json {
        serde_json::to_writer_pretty(&mut out, reports)?;
        writeln!(out)?;
        return Ok(());
    }
    writeln!(
        out,
        "{:<42} {:>9} {:>6} {:>8} {:>9} {:>9} {:>9} {:>9} {:>9} {:>7}",
        "", "moves/s", "cores", "us/move", "ack p50", "p99", "p99.9", "lag p99", "connect", "bytes",
    )?;
    for report in reports {
        let per_move =
            report.cpu_micros_per_move.map_or_else(|| "-".to_owned(), |cost| format!("{cost:.2}"));
        writeln!(
            out,
            "{:<42} {:>9.0} {:>6.2} {:>8} {:>9} {:>9} {:>9} {:>9} {:>6.1} us {:>7}  {}",
            report.name,
            report.moves_per_second,
            report.cpu_share,
            per_move,
            millis(report.ack_micros.p50),
            millis(report.ack_micros.p99),
            millis(report.ack_micros.p999),
            millis(report.lag_micros.p99),
            report.connect_cpu_micros,
            report.bytes_per_connection,
            report.remarks(),
        )?;
    }
    Ok(())
}

fn millis(micros: u64) -> String {
    format!("{:.1} ms", micros as f64 / 1e3)
}
