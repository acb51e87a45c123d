//! The announcement of a server on the local network.

use crate::DiscoveryError;
use crate::daemon::Daemon;
use crate::interfaces;
use crate::record::{SERVICE_TYPE, ServerRecord};
use mdns_sd::{Error, ServiceInfo};
use std::net::{IpAddr, SocketAddr};
use tracing::{debug, warn};

/// The longest part of the machine's name in the names of its services: with address and port the
/// name is a label of DNS, of at most 63 bytes.
const MACHINE_NAME_BYTES: usize = 16;

/// Announces one server until it is stopped or dropped.
pub struct Announcer {
    daemon: Daemon,
    listening: SocketAddr,
    /// The name of the service and of its host.
    label: String,
    announced: Option<ServerRecord>,
}

impl Announcer {
    /// Starts to announce a server of the machine `machine`; `None` if the server listens for this
    /// machine alone.
    ///
    /// # Errors
    /// [`DiscoveryError`] if the thread of mDNS can't be started.
    pub fn start(machine: &str, listening: SocketAddr) -> Result<Option<Self>, DiscoveryError> {
        if listening.ip().is_loopback() {
            return Ok(None);
        }
        let addresses = interfaces::network_addresses(listening);
        let label = label(machine, addresses.first().map(SocketAddr::ip), listening.port());
        let daemon = Daemon::start(listening)?;
        Ok(Some(Self { daemon, listening, label, announced: None }))
    }

    /// Announces a record if it isn't what was announced last. To be called once a second at most,
    /// which is how often mDNS lets a record be sent (RFC 6762, section 6).
    pub async fn renew(&mut self, record: ServerRecord) {
        if self.daemon.is_overloaded().await {
            self.restart();
        }
        if self.announced.as_ref() == Some(&record) {
            return;
        }
        match self.register(&record) {
            Ok(()) => {
                debug!(rooms = record.rooms.len(), "record announced by mDNS");
                self.announced = Some(record);
            }
            // The next call tries again.
            Err(error) => debug!(%error, "record not announced by mDNS"),
        }
    }

    /// Takes the announcement back.
    pub async fn stop(self) {
        self.daemon.stop().await;
    }

    fn restart(&mut self) {
        warn!("too many mDNS packets; restarting the responder");
        match Daemon::start(self.listening) {
            Ok(daemon) => self.daemon = daemon,
            Err(error) => debug!(%error, "mDNS not started anew"),
        }
        self.announced = None;
    }

    fn register(&self, record: &ServerRecord) -> Result<(), Error> {
        let properties = record.properties();
        let host = format!("{}.local.", self.label);
        let port = self.listening.port();
        let service =
            ServiceInfo::new(SERVICE_TYPE, &self.label, &host, (), port, &properties[..])?;
        // The library follows addresses that come and go.
        self.daemon.0.register(service.enable_addr_auto())
    }
}

/// Returns a name that no other server on the network has, and that a restarted one has again, so
/// that its record replaces that of before.
fn label(machine: &str, address: Option<IpAddr>, port: u16) -> String {
    let is_kept = |c: &char| c.is_ascii_alphanumeric() || *c == '-';
    let name: String = machine.chars().filter(is_kept).take(MACHINE_NAME_BYTES).collect();
    let name = if name.is_empty() { "gridrace".to_owned() } else { name };
    let address = address.map(|ip| format!("-{ip}").replace(['.', ':'], "-")).unwrap_or_default();
    format!("{name}{address}-{port}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_label_of_dns_and_its_server_s_own() {
        let ip = "192.168.1.5".parse().ok();
        assert_eq!(label("anna.lan", ip, 7415), "annalan-192-168-1-5-7415");
        assert_eq!(label("", None, 80), "gridrace-80");
        let longest = "2001:db8:1234:5678:9abc:def0:1234:5678".parse().ok();
        let label = label(&"é_x".repeat(99), longest, 65_535);
        assert!(label.len() <= 63 && label.is_ascii(), "{label}");
    }

    #[test]
    fn a_server_of_this_machine_alone_is_not_announced() {
        for own in ["127.0.0.1:7415", "[::1]:7415"] {
            assert!(matches!(Announcer::start("anna", own.parse().unwrap()), Ok(None)), "{own}");
        }
    }
}
