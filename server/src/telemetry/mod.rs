//! What operators measure.

pub(crate) mod metrics;
