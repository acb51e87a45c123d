//! What the server takes from the machine: clock, randomness, threads, limits, interfaces.

pub(crate) mod clock;
pub mod environment;
pub mod interfaces;
pub(crate) mod load_shedding;
pub(crate) mod rate_limit_key;
pub mod rlimit;
pub(crate) mod rng;
pub(crate) mod shards;
pub(crate) mod token_bucket;
pub(crate) mod wake_latency;
