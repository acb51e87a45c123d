//! What a run comes to, as JSON or as a table.

use hdrhistogram::Histogram;
use serde::Serialize;
use std::io::{self, Write};

/// One run's figures.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Report {
    pub(crate) name: String,
    pub(crate) connections: usize,
    /// How long was measured.
    pub(crate) seconds: f64,
    /// Moves acknowledged meanwhile.
    pub(crate) moves: u64,
    /// Players whose connection broke.
    pub(crate) lost: u64,
    pub(crate) moves_per_second: f64,
    /// Processor time of the server by the time that passed: 1 is a whole core.
    pub(crate) cpu_share: f64,
    pub(crate) cpu_micros_per_move: Option<f64>,
    /// Processor time of the server to connect, greet and seat one player.
    pub(crate) connect_cpu_micros: f64,
    /// What the server's resident memory grew by, for each player seated.
    pub(crate) bytes_per_connection: u64,
    /// From sending a move to its acknowledgement.
    pub(crate) ack_micros: Times,
    /// From sending a move to a rival's seeing it in the standings.
    pub(crate) lag_micros: Times,
}

/// Quantiles of a time.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Times {
    pub(crate) p50: u64,
    pub(crate) p99: u64,
    pub(crate) p999: u64,
    pub(crate) max: u64,
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

/// Prints runs.
pub(crate) fn print(reports: &[Report], json: bool) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    if json {
        serde_json::to_writer_pretty(&mut out, reports)?;
        writeln!(out)?;
        return Ok(());
    }
    writeln!(
        out,
        "{:<42} {:>9} {:>6} {:>8} {:>8} {:>8} {:>8} {:>8} {:>9} {:>8} {:>5}",
        "",
        "moves/s",
        "cores",
        "us/move",
        "ack p50",
        "p99",
        "p99.9",
        "lag p99",
        "connect",
        "bytes",
        "lost"
    )?;
    for report in reports {
        let per_move = report
            .cpu_micros_per_move
            .map_or_else(|| "-".to_owned(), |cost| format!("{cost:.2}"));
        writeln!(
            out,
            "{:<42} {:>9.0} {:>6.2} {:>8} {:>8} {:>8} {:>8} {:>8} {:>6.1} us {:>8} {:>5}",
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
            report.lost,
        )?;
    }
    Ok(())
}

fn millis(micros: u64) -> String {
    format!("{:.1} ms", micros as f64 / 1e3)
}
