//! The platform: clocks, randomness, threads, limits.

pub(crate) mod clock;
pub(crate) mod cpu_time;
pub mod environment;
pub(crate) mod load_shedding;
pub(crate) mod lock;
pub(crate) mod rate_limit_key;
pub mod rlimit;
pub(crate) mod rng;
pub(crate) mod shards;
pub(crate) mod token_bucket;
pub(crate) mod wake_latency;

/// Returns the number of cores, or 1 if it is unknown.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}
