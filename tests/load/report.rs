//! The report of a run, as JSON or as a table in Markdown.

use crate::measured_server::{Ended, Seating, Span};
use crate::tally::Counts;
use hdrhistogram::Histogram;
use serde::Serialize;
use std::io::{self, Write};

#[derive(Debug, Clone, Serialize)]
pub(crate) struct RunReport {
    pub(crate) name: String,
    pub(crate) connections: usize,
    pub(crate) seconds: f64,
    /// Moves that the players were to make, unless that depends on the server.
    pub(crate) offered_per_second: Option<f64>,
    /// Moves sent, including those that were sent again.
    pub(crate) sent: u64,
    pub(crate) moves: u64,
    /// Moves refused because the server was too busy.
    pub(crate) refused: u64,
    /// Of all moves of the run, those that were never acknowledged.
    pub(crate) unanswered: u64,
    pub(crate) lost: u64,
    pub(crate) moves_per_second: f64,
    /// Processor time of the server, without the rating of boards, by the time that passed: 1 is a
    /// whole core.
    pub(crate) cpu_share: f64,
    /// The same of this program: if it has no time left, it measures itself.
    pub(crate) own_cpu_share: f64,
    /// Without the rating of boards.
    pub(crate) cpu_micros_per_move: Option<f64>,
    pub(crate) cpu_micros_per_move_with_ratings: Option<f64>,
    /// Processor time of the server to connect, greet and seat one player.
    pub(crate) connect_cpu_micros: f64,
    /// Both as multiples of what the bare echo took under the same load.
    pub(crate) move_by_echo: Option<f64>,
    pub(crate) connect_by_echo: Option<f64>,
    /// What the server's resident memory grew by for each player, until all were seated in lobbies.
    pub(crate) bytes_per_connection: u64,
    /// The same, at the end of the measurement, when their heats run.
    pub(crate) bytes_per_racer: u64,
    pub(crate) disk_bytes_per_move: Option<f64>,
    /// Unknown for a server that doesn't count them.
    pub(crate) syncs_per_move: Option<f64>,
    /// The disk's own time for the sync of a block, before the run.
    pub(crate) sync_micros: Option<u64>,
    /// From sending a move to its acknowledgement; of one that was sent again, from the
    /// attempt that was accepted.
    pub(crate) ack_micros: LatencyPercentiles,
    /// From sending it for the first time.
    pub(crate) first_micros: LatencyPercentiles,
    /// From sending a move to a rival's seeing it in the standings.
    pub(crate) lag_micros: LatencyPercentiles,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct LatencyPercentiles {
    pub(crate) p50: u64,
    pub(crate) p99: u64,
    pub(crate) p999: u64,
    pub(crate) max: u64,
}

impl RunReport {
    pub(crate) fn of(
        name: String,
        offered_per_second: Option<f64>,
        seating: Seating,
        span: &Span,
        ended: Ended,
    ) -> Self {
        let Counts { sent, acknowledged: moves, refused, acks, firsts, lags } = &span.counts;
        let per_move = |amount: u64| (*moves > 0).then(|| amount as f64 / *moves as f64);
        let micros_per_move = |nanos| per_move(nanos).map(|nanos| nanos / 1e3);
        Self {
            name,
            connections: seating.connections,
            seconds: span.seconds,
            offered_per_second,
            sent: *sent,
            moves: *moves,
            refused: *refused,
            unanswered: ended.unanswered,
            lost: ended.lost,
            moves_per_second: *moves as f64 / span.seconds,
            cpu_share: span.cpu_nanos as f64 / 1e9 / span.seconds,
            own_cpu_share: span.own_nanos as f64 / 1e9 / span.seconds,
            cpu_micros_per_move: micros_per_move(span.cpu_nanos),
            cpu_micros_per_move_with_ratings: micros_per_move(span.cpu_nanos + span.rating_nanos),
            connect_cpu_micros: seating.connect_cpu_micros(),
            move_by_echo: None,
            connect_by_echo: None,
            bytes_per_connection: seating.bytes_per_connection(),
            bytes_per_racer: seating.growth(span.resident),
            // Without a journal there may still be other files: a log.
            disk_bytes_per_move: seating.sync_micros.and(per_move(span.disk_bytes)),
            syncs_per_move: span.syncs.filter(|_| seating.sync_micros.is_some()).and_then(per_move),
            sync_micros: seating.sync_micros,
            ack_micros: LatencyPercentiles::of(acks),
            first_micros: LatencyPercentiles::of(firsts),
            lag_micros: LatencyPercentiles::of(lags),
        }
    }

    /// Adds the ratios to the bare echo under the same load.
    pub(crate) fn compare_with(&mut self, echo: &Self) {
        let ratio = |(own, echo): (f64, f64)| own / echo;
        self.move_by_echo = self.cpu_micros_per_move.zip(echo.cpu_micros_per_move).map(ratio);
        self.connect_by_echo = Some(ratio((self.connect_cpu_micros, echo.connect_cpu_micros)));
    }

    fn remarks(&self) -> String {
        let mut remarks = Vec::new();
        if self.refused > 0 {
            remarks.push(format!("{} refused", self.refused));
        }
        if self.unanswered > 0 {
            remarks.push(format!("{} never acknowledged", self.unanswered));
        }
        if self.lost > 0 {
            remarks.push(format!("{} players lost", self.lost));
        }
        remarks.join(", ")
    }

    /// Returns the cells of the table's row, under [`COLUMNS`].
    fn cells(&self) -> [String; COLUMNS.len()] {
        let served = self.offered_per_second.map(|all| 100.0 * self.moves_per_second / all);
        let with_echo = |own: String, ratio: Option<f64>| match ratio {
            Some(ratio) => format!("{own} ({ratio:.2}x)"),
            None => own,
        };
        let cost = number(self.cpu_micros_per_move, 1);
        let connect = format!("{:.0}", self.connect_cpu_micros);
        [
            self.name.clone(),
            format!("{:.0}", self.moves_per_second),
            number(served, 1),
            format!("{:.2}", self.cpu_share),
            with_echo(cost, self.move_by_echo),
            number(self.cpu_micros_per_move_with_ratings, 1),
            millis(self.ack_micros.p50),
            millis(self.ack_micros.p99),
            millis(self.ack_micros.p999),
            if self.lag_micros.max > 0 { millis(self.lag_micros.p99) } else { none() },
            with_echo(connect, self.connect_by_echo),
            self.bytes_per_connection.to_string(),
            self.bytes_per_racer.to_string(),
            number(self.disk_bytes_per_move.map(|bytes| bytes / 1024.0), 2),
            number(self.syncs_per_move, 2),
            self.sync_micros.map_or_else(none, millis),
            self.remarks(),
        ]
    }
}

impl LatencyPercentiles {
    pub(crate) fn of(times: &Histogram<u64>) -> Self {
        Self {
            p50: times.value_at_quantile(0.5),
            p99: times.value_at_quantile(0.99),
            p999: times.value_at_quantile(0.999),
            max: times.max(),
        }
    }
}

/// The head of the table. Times are in milliseconds, costs in microseconds of processor time.
const COLUMNS: [&str; 17] = [
    "run",
    "moves/s",
    "% served",
    "cores",
    "us/move (by echo)",
    "with ratings",
    "ack p50",
    "p99",
    "p99.9",
    "lag p99",
    "us/connect",
    "bytes seated",
    "racing",
    "KiB/move",
    "syncs/move",
    "a sync",
    "",
];

pub(crate) fn print(reports: &[RunReport], json: bool) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    if json {
        serde_json::to_writer_pretty(&mut out, reports)?;
        writeln!(out)?;
        return Ok(());
    }
    let head = COLUMNS.map(str::to_owned);
    let mut rows = vec![head];
    rows.extend(reports.iter().map(RunReport::cells));
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.max().unwrap_or_default()
    };
    let widths: Vec<_> = (0..COLUMNS.len()).map(width).collect();
    for (n, row) in rows.iter().enumerate() {
        let cells = row.iter().zip(&widths).enumerate();
        for (column, (cell, &width)) in cells {
            if column == 0 {
                write!(out, "| {cell:<width$} ")?;
            } else {
                write!(out, "| {cell:>width$} ")?;
            }
        }
        writeln!(out, "|")?;
        if n == 0 {
            for width in &widths {
                write!(out, "|-{}-", "-".repeat(*width))?;
            }
            writeln!(out, "|")?;
        }
    }
    Ok(())
}

fn number(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(none, |value| format!("{value:.digits$}"))
}

/// Two digits after the point where they say something.
fn millis(micros: u64) -> String {
    let millis = micros as f64 / 1e3;
    let digits = if millis < 10.0 { 2 } else { 0 };
    format!("{millis:.digits$}")
}

fn none() -> String {
    "-".to_owned()
}
