//! What a run counts: moves by verdict, and how long answers and news took.

use hdrhistogram::Histogram;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// The longest time that is told from longer ones, in microseconds: a minute.
const LONGEST_MICROS: u64 = 60_000_000;
/// Significant digits of a time.
const DIGITS: u8 = 3;
/// Histograms, so that players don't wait for each other; a prime, for heats are of eight.
const SHARDS: usize = 31;

/// The counts of one run, shared by all its players. Only what happens while it is
/// measured counts.
#[derive(Debug)]
pub(crate) struct Tally {
    measuring: AtomicBool,
    acknowledged: AtomicU64,
    acks: Times,
    lags: Times,
}

#[derive(Debug)]
struct Times(Vec<Mutex<Histogram<u64>>>);

impl Tally {
    pub(crate) fn new() -> Result<Self, hdrhistogram::CreationError> {
        Ok(Self {
            measuring: AtomicBool::new(false),
            acknowledged: AtomicU64::new(0),
            acks: Times::new()?,
            lags: Times::new()?,
        })
    }

    pub(crate) fn measure(&self, measuring: bool) {
        self.measuring.store(measuring, Ordering::Relaxed);
    }

    /// A move was acknowledged so many microseconds after it was sent.
    pub(crate) fn acknowledge(&self, player: usize, micros: u64) {
        if self.is_measuring() {
            self.acknowledged.fetch_add(1, Ordering::Relaxed);
            self.acks.note(player, micros);
        }
    }

    /// News of a rival's move came so many microseconds after it was sent.
    pub(crate) fn hear(&self, player: usize, micros: u64) {
        if self.is_measuring() {
            self.lags.note(player, micros);
        }
    }

    pub(crate) fn acknowledged(&self) -> u64 {
        self.acknowledged.load(Ordering::Relaxed)
    }

    pub(crate) fn acks(&self) -> Result<Histogram<u64>, hdrhistogram::CreationError> {
        self.acks.all()
    }

    pub(crate) fn lags(&self) -> Result<Histogram<u64>, hdrhistogram::CreationError> {
        self.lags.all()
    }

    fn is_measuring(&self) -> bool {
        self.measuring.load(Ordering::Relaxed)
    }
}

impl Times {
    fn new() -> Result<Self, hdrhistogram::CreationError> {
        let shards = (0..SHARDS).map(|_| histogram().map(Mutex::new));
        Ok(Self(shards.collect::<Result<_, _>>()?))
    }

    fn note(&self, player: usize, micros: u64) {
        let shard = &self.0[player % SHARDS];
        shard
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .saturating_record(micros);
    }

    fn all(&self) -> Result<Histogram<u64>, hdrhistogram::CreationError> {
        let mut all = histogram()?;
        for shard in &self.0 {
            // Histograms of one shape always add up.
            all.add(&*shard.lock().unwrap_or_else(PoisonError::into_inner))
                .ok();
        }
        Ok(all)
    }
}

fn histogram() -> Result<Histogram<u64>, hdrhistogram::CreationError> {
    Histogram::new_with_max(LONGEST_MICROS, DIGITS)
}
