//! The server's metrics, in Prometheus' text format.
//!
//! Counters are moved where things happen; what can be counted when it is asked for
//! (connections, rooms by phase) is counted then.

use crate::race::{HintError, MoveVerdict, PHASE_NAMES};
use crate::store::StoreStats;
use gridrace_shared::protocol::close::CloseCode;
use gridrace_shared::protocol::server::{Farewell, Rejection};
use gridrace_shared::solver::budget::Unsolved;
use prometheus_client::encoding::text;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Metric, Registry};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Upper bounds of the times that are told apart, in seconds: from the cost of a move to an
/// unacceptable wait.
const BOUNDS: [f64; 14] =
    [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0];

/// What is counted of tournaments when it is asked for.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TournamentTotals {
    pub(crate) running: usize,
    pub(crate) entrants: usize,
    pub(crate) tables: usize,
}

/// A handle on everything that is counted.
#[derive(Debug, Clone)]
pub(crate) struct Metrics(Arc<Counted>);

type Label = [(&'static str, &'static str); 1];

#[derive(Debug)]
struct Counted {
    registry: Registry,
    connections: Gauge,
    rooms: Family<Label, Gauge>,
    tournaments: Gauge,
    entrants: Gauge,
    tables: Gauge,
    table_results: Counter,
    board_ratings: Counter,
    moves: Family<Label, Counter>,
    acknowledged: Histogram,
    dismissed: Family<Label, Counter>,
    hints: Family<Label, Counter>,
    hinted: Histogram,
    nodes: Family<Label, Counter>,
    commits: Histogram,
    journalled: Counter,
    written: Counter,
    syncs: Counter,
    recording: Gauge,
    waiting: Gauge,
}

impl Metrics {
    pub(crate) fn new() -> Self {
        let mut registry = Registry::with_prefix("gridrace");
        let all = &mut registry;
        Self(Arc::new(Counted {
            connections: register(all, "connections", "Open connections"),
            rooms: register(all, "rooms", "Open rooms by phase"),
            tournaments: register(all, "tournaments", "Tournaments that aren't over"),
            entrants: register(
                all,
                "tournament_entrants",
                "Entrants of the tournaments that aren't over",
            ),
            tables: register(all, "tournament_tables", "Open rooms that are tables of tournaments"),
            table_results: register(
                all,
                "tournament_results",
                "Boards that were raced to their end at tables",
            ),
            board_ratings: register(
                all,
                "board_ratings",
                "Boards whose fewest moves were asked for: of all tables of a round once",
            ),
            moves: register(
                all,
                "moves",
                "Answers to moves, by verdict: a repeated one was played before",
            ),
            acknowledged: register_times(
                all,
                "acknowledgement_seconds",
                "From a move's arrival until its answer is written to the socket",
            ),
            dismissed: register(all, "dismissed", "Connections that the server ended, by cause"),
            hints: register(all, "hints", "Hints answered, by outcome"),
            hinted: register_times(all, "hint_seconds", "How long hints were thought about"),
            nodes: register(all, "hint_nodes", "Nodes that hints took, by outcome"),
            commits: register_times(
                all,
                "journal_commit_seconds",
                "How long groups of entries took to the disk",
            ),
            journalled: register(
                all,
                "journal_bytes",
                "Bytes of entries, checkpoints and results on the disk",
            ),
            written: register(
                all,
                "store_written_bytes",
                "Bytes handed to the disk for journals and the database, in whole pages",
            ),
            syncs: register(
                all,
                "store_syncs",
                "Times that the store waited until the disk had them",
            ),
            recording: register(
                all,
                "journal_recording",
                "1 while heats are recorded, 0 where nothing is, or not any more",
            ),
            waiting: register(all, "journal_waiting_bytes", "Bytes that wait for the disk"),
            registry,
        }))
    }

    pub(crate) fn count_move(&self, verdict: MoveVerdict) {
        let verdict = match verdict {
            MoveVerdict::Accepted => "accepted",
            MoveVerdict::Repeated => "repeated",
            MoveVerdict::OutOfOrder => "out_of_order",
            MoveVerdict::Rejected(Rejection::Early) => "early",
            MoveVerdict::Rejected(Rejection::Late) => "late",
            MoveVerdict::Rejected(Rejection::NotSeated) => "not_seated",
            MoveVerdict::Rejected(Rejection::Busy) => "busy",
            MoveVerdict::Rejected(Rejection::Illegal(_)) => "illegal",
        };
        self.0.moves.get_or_create(&[("verdict", verdict)]).inc();
    }

    /// Counts the end of a board at a table of a tournament.
    pub(crate) fn count_table_result(&self) {
        self.0.table_results.inc();
    }

    pub(crate) fn count_board_rating(&self) {
        self.0.board_ratings.inc();
    }

    /// Returns how many boards were to be rated.
    #[cfg(test)]
    pub(crate) fn board_ratings(&self) -> u64 {
        self.0.board_ratings.get()
    }

    pub(crate) fn acknowledge(&self, waited: Duration) {
        self.0.acknowledged.observe(waited.as_secs_f64());
    }

    pub(crate) fn dismiss(&self, why: Farewell) {
        let cause = match why {
            Farewell::ShuttingDown => "shutting_down",
            Farewell::Kicked => "kicked",
            Farewell::Banned => "banned",
            Farewell::TableClosed => "table_closed",
            Farewell::SameBoards => "same_boards",
            Farewell::TooSlow => "too_slow",
            Farewell::Flooding => "flooding",
            Farewell::Malformed => "malformed",
            Farewell::Silent => "silent",
            Farewell::Version { .. } => "version",
            Farewell::Busy { .. } => "busy",
            Farewell::Superseded => "superseded",
            Farewell::Broken => "broken",
        };
        self.count_dismissed(cause);
    }

    /// Counts a connection that was dropped without a word: too many were being turned away.
    pub(crate) fn drop_unheard(&self) {
        self.count_dismissed("unheard");
    }

    /// Counts a connection that the server ended because of what its frames were. Other codes come
    /// with a farewell.
    pub(crate) fn fault(&self, code: CloseCode) {
        let is_too_big = code == CloseCode::TooBig;
        self.count_dismissed(if is_too_big { "too_big" } else { "protocol" });
    }

    fn count_dismissed(&self, cause: &'static str) {
        self.0.dismissed.get_or_create(&[("cause", cause)]).inc();
    }

    /// Counts a hint, how long it was thought about, and with how many nodes.
    pub(crate) fn hint<T>(&self, outcome: &Result<T, HintError>, thought: Duration, nodes: u64) {
        let outcome = match outcome {
            Ok(_) => "given",
            Err(HintError::Busy) => "busy",
            Err(HintError::Unsolved(Unsolved::Unsolvable)) => "unsolvable",
            Err(HintError::Unsolved(Unsolved::OverBudget)) => "over_budget",
        };
        let outcome = [("outcome", outcome)];
        self.0.hints.get_or_create(&outcome).inc();
        self.0.nodes.get_or_create(&outcome).inc_by(nodes);
        self.0.hinted.observe(thought.as_secs_f64());
    }

    /// Returns what counts the groups on their way to the disk.
    pub(crate) fn commits(&self) -> Histogram {
        self.0.commits.clone()
    }

    /// Takes note of what the store has done, where there is one.
    pub(crate) fn store(&self, stats: Option<StoreStats>) {
        let number = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        let recording = stats.is_some_and(|stats| stats.recording);
        self.0.recording.set(i64::from(recording));
        if let Some(stats) = stats {
            self.0.waiting.set(number(stats.waiting));
            self.0.journalled.inner().store(stats.bytes, Ordering::Relaxed);
            self.0.written.inner().store(stats.written, Ordering::Relaxed);
            self.0.syncs.inner().store(stats.syncs, Ordering::Relaxed);
        }
    }

    /// Writes everything down, with what is counted now.
    pub(crate) fn text(
        &self,
        connections: usize,
        rooms: &BTreeMap<&'static str, usize>,
        tournaments: TournamentTotals,
    ) -> String {
        let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        self.0.connections.set(number(connections));
        self.0.tournaments.set(number(tournaments.running));
        self.0.entrants.set(number(tournaments.entrants));
        self.0.tables.set(number(tournaments.tables));
        for phase in PHASE_NAMES {
            let count = rooms.get(phase).copied().unwrap_or(0);
            self.0.rooms.get_or_create(&[("phase", phase)]).set(number(count));
        }
        let mut out = String::new();
        // A String takes whatever is written to it.
        text::encode(&mut out, &self.0.registry).ok();
        out
    }
}

fn register<M: Metric + Clone + Default>(registry: &mut Registry, name: &str, help: &str) -> M {
    let metric = M::default();
    registry.register(name, help, metric.clone());
    metric
}

fn register_times(registry: &mut Registry, name: &str, help: &str) -> Histogram {
    let times = Histogram::new(BOUNDS);
    registry.register(name, help, times.clone());
    times
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_happened_is_written_in_the_format_of_prometheus() {
        let metrics = Metrics::new();
        let early = MoveVerdict::Rejected(Rejection::Early);
        metrics.count_move(early);
        metrics.count_move(early);
        metrics.acknowledge(Duration::from_millis(2));
        metrics.dismiss(Farewell::TooSlow);
        metrics.fault(CloseCode::TooBig);
        metrics.hint::<()>(&Err(HintError::Busy), Duration::ZERO, 0);
        metrics.hint(&Ok(()), Duration::from_millis(2), 40);
        metrics.commits().observe(0.002);
        metrics.store(Some(StoreStats {
            bytes: 900,
            written: 8_192,
            syncs: 2,
            waiting: 5,
            recording: true,
            ..StoreStats::default()
        }));
        metrics.count_table_result();
        let tournaments = TournamentTotals { running: 1, entrants: 40, tables: 5 };
        let text = metrics.text(3, &BTreeMap::from([("running", 2)]), tournaments);
        for line in [
            "gridrace_connections 3",
            "gridrace_rooms{phase=\"running\"} 2",
            "gridrace_rooms{phase=\"lobby\"} 0",
            "gridrace_tournaments 1",
            "gridrace_tournament_entrants 40",
            "gridrace_tournament_tables 5",
            "gridrace_tournament_results_total 1",
            "gridrace_moves_total{verdict=\"early\"} 2",
            "gridrace_acknowledgement_seconds_bucket{le=\"0.001\"} 0",
            "gridrace_acknowledgement_seconds_bucket{le=\"0.0025\"} 1",
            "gridrace_dismissed_total{cause=\"too_slow\"} 1",
            "gridrace_journal_commit_seconds_count 1",
            "gridrace_journal_bytes_total 900",
            "gridrace_store_written_bytes_total 8192",
            "gridrace_store_syncs_total 2",
            "gridrace_journal_recording 1",
            "gridrace_journal_waiting_bytes 5",
            "gridrace_dismissed_total{cause=\"too_big\"} 1",
            "gridrace_hints_total{outcome=\"busy\"} 1",
            "gridrace_hints_total{outcome=\"given\"} 1",
            "gridrace_hint_nodes_total{outcome=\"given\"} 40",
        ] {
            assert!(text.lines().any(|other| other == line), "{line} in {text}");
        }
        assert!(text.ends_with("# EOF\n"));
    }
}
