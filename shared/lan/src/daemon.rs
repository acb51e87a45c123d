//! The thread that speaks mDNS, on the interfaces that lead to the network, and within bounds.

use crate::interfaces::leads_to_network;
use mdns_sd::{IfKind, IfPredicate, ServiceDaemon};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::time::timeout;

/// Records of others that are kept at most: a network of a thousand servers has some five
/// thousand. The library has no bound of its own, and any machine may send any number.
const MAX_CACHED_RECORDS: i64 = 16_384;
/// How long the thread may take to answer; it is busy only while packets flood in.
const ANSWER_TIMEOUT: Duration = Duration::from_millis(500);

/// An error of mDNS.
#[derive(Debug, thiserror::Error)]
#[error("mDNS doesn't work: {0}")]
pub struct DiscoveryError(#[from] pub(crate) mdns_sd::Error);

/// A thread that ends with this handle.
pub(crate) struct Daemon(pub(crate) ServiceDaemon);

impl Daemon {
    /// Starts the thread on the interfaces by which others reach what listens on `listening`.
    pub(crate) fn start(listening: SocketAddr) -> Result<Self, DiscoveryError> {
        let daemon = Self(ServiceDaemon::new()?);
        let others = IfPredicate::new(move |interface| !leads_to_network(listening, interface));
        daemon.0.disable_interface(IfKind::Predicate(others))?;
        Ok(daemon)
    }

    /// Returns whether it keeps more records than it may, or is too busy to say so: then it is to
    /// be started anew.
    pub(crate) async fn is_overloaded(&self) -> bool {
        let Ok(metrics) = self.0.get_metrics() else { return true };
        let Ok(Ok(metrics)) = timeout(ANSWER_TIMEOUT, metrics.recv_async()).await else {
            return true;
        };
        let cached = metrics.iter().filter(|(name, _)| name.starts_with("cached-"));
        cached.map(|(_, &count)| count).sum::<i64>() > MAX_CACHED_RECORDS
    }

    /// Takes back what was announced, and ends the thread.
    pub(crate) async fn stop(self) {
        if let Ok(ended) = self.0.shutdown() {
            timeout(ANSWER_TIMEOUT, ended.recv_async()).await.ok(); // it ends later, or with the program
        }
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        self.0.shutdown().ok(); // it has ended already
    }
}
