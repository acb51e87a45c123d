//! The counters of a run: moves by verdict, and how long answers and standings took.
//!
//! They count during a measurement only, and each measurement starts from zero.

use crate::pending::Took;
use hdrhistogram::Histogram;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// The longest time that is recorded exactly, in microseconds: a minute.
const LONGEST_MICROS: u64 = 60_000_000;
const DIGITS: u8 = 3;
/// Histograms, so that players don't wait for each other; a prime, for heats are of eight.
const SHARDS: usize = 31;

/// The counts of one run, shared by all its players.
#[derive(Debug)]
pub(crate) struct Tally {
    measuring: AtomicBool,
    sent: AtomicU64,
    acknowledged: AtomicU64,
    refused: AtomicU64,
    acks: ShardedHistogram,
    firsts: ShardedHistogram,
    lags: ShardedHistogram,
}

/// The counts of a span.
#[derive(Debug, Clone)]
pub(crate) struct Counts {
    /// Moves sent, including those that were sent again.
    pub(crate) sent: u64,
    pub(crate) acknowledged: u64,
    /// Moves refused because the server was too busy.
    pub(crate) refused: u64,
    /// From sending a move the last time to its acknowledgement, in microseconds.
    pub(crate) acks: Histogram<u64>,
    /// From sending it the first time.
    pub(crate) firsts: Histogram<u64>,
    /// From sending a move to a rival's seeing it.
    pub(crate) lags: Histogram<u64>,
}

#[derive(Debug)]
struct ShardedHistogram(Vec<Mutex<Histogram<u64>>>);

impl Tally {
    pub(crate) fn new() -> Result<Self, hdrhistogram::CreationError> {
        Ok(Self {
            measuring: AtomicBool::new(false),
            sent: AtomicU64::new(0),
            acknowledged: AtomicU64::new(0),
            refused: AtomicU64::new(0),
            acks: ShardedHistogram::new()?,
            firsts: ShardedHistogram::new()?,
            lags: ShardedHistogram::new()?,
        })
    }

    /// Starts a measurement from zero.
    pub(crate) fn begin(&self) {
        for counter in [&self.sent, &self.acknowledged, &self.refused] {
            counter.store(0, Ordering::Relaxed);
        }
        for times in [&self.acks, &self.firsts, &self.lags] {
            times.clear();
        }
        self.measuring.store(true, Ordering::Relaxed);
    }

    /// Ends the measurement.
    pub(crate) fn end(&self) {
        self.measuring.store(false, Ordering::Relaxed);
    }

    /// Returns the counts of the last measurement. Adding up its times takes a while.
    pub(crate) fn counts(&self) -> Result<Counts, hdrhistogram::CreationError> {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Ok(Counts {
            sent: read(&self.sent),
            acknowledged: read(&self.acknowledged),
            refused: read(&self.refused),
            acks: self.acks.all()?,
            firsts: self.firsts.all()?,
            lags: self.lags.all()?,
        })
    }

    pub(crate) fn send(&self) {
        self.count(&self.sent);
    }

    pub(crate) fn refuse(&self) {
        self.count(&self.refused);
    }

    pub(crate) fn acknowledge(&self, player: usize, took: Took) {
        if self.is_measuring() {
            self.acknowledged.fetch_add(1, Ordering::Relaxed);
            self.acks.note(player, took.last);
            self.firsts.note(player, took.first);
        }
    }

    /// Counts a rival's move that was seen this many microseconds after it was sent.
    pub(crate) fn hear(&self, player: usize, micros: u64) {
        if self.is_measuring() {
            self.lags.note(player, micros);
        }
    }

    fn count(&self, counter: &AtomicU64) {
        if self.is_measuring() {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn is_measuring(&self) -> bool {
        self.measuring.load(Ordering::Relaxed)
    }
}

impl Counts {
    /// Adds what was counted in another span.
    pub(crate) fn add(&mut self, other: &Self) {
        self.sent += other.sent;
        self.acknowledged += other.acknowledged;
        self.refused += other.refused;
        for (all, more) in [
            (&mut self.acks, &other.acks),
            (&mut self.firsts, &other.firsts),
            (&mut self.lags, &other.lags),
        ] {
            // Histograms of one shape always add up.
            all.add(more).ok();
        }
    }
}

impl ShardedHistogram {
    fn new() -> Result<Self, hdrhistogram::CreationError> {
        let shards = (0..SHARDS).map(|_| histogram().map(Mutex::new));
        Ok(Self(shards.collect::<Result<_, _>>()?))
    }

    fn note(&self, player: usize, micros: u64) {
        let shard = &self.0[player % SHARDS];
        shard.lock().unwrap_or_else(PoisonError::into_inner).saturating_record(micros);
    }

    fn clear(&self) {
        for shard in &self.0 {
            shard.lock().unwrap_or_else(PoisonError::into_inner).clear();
        }
    }

    fn all(&self) -> Result<Histogram<u64>, hdrhistogram::CreationError> {
        let mut all = histogram()?;
        for shard in &self.0 {
            // Histograms of one shape always add up.
            all.add(&*shard.lock().unwrap_or_else(PoisonError::into_inner)).ok();
        }
        Ok(all)
    }
}

fn histogram() -> Result<Histogram<u64>, hdrhistogram::CreationError> {
    Histogram::new_with_max(LONGEST_MICROS, DIGITS)
}
