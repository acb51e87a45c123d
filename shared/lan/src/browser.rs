//! The servers that announce themselves on the local network.

use crate::DiscoveryError;
use crate::daemon::Daemon;
use crate::interfaces::is_link_local;
use crate::record::{SERVICE_TYPE, ServerRecord};
use mdns_sd::{Receiver, ResolvedService, ScopedIp, ServiceEvent};
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::time::Duration;
use tokio::time::{sleep, timeout};
use tracing::{debug, warn};

/// Servers that are listed at most; further ones are left out.
pub const MAX_SERVERS: usize = 64;
/// Servers at one address that are listed at most, so that one machine doesn't fill the list.
const MAX_SERVERS_PER_ADDRESS: usize = 4;
/// Addresses of a server that are kept at most.
const MAX_ADDRESSES: usize = 4;
/// Between two checks of the thread's load.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// The longest name of a service: a label of DNS.
const MAX_NAME_BYTES: usize = 63;

/// A server that was found. Any machine on the network can have sent it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NearbyServer {
    /// The name of its service; not yet safe to print.
    pub name: String,
    /// Where it is reached, IPv4 first; at least one address.
    pub addresses: Vec<SocketAddr>,
    pub record: ServerRecord,
}

/// Looks for servers until it is dropped.
pub struct Browser {
    daemon: Daemon,
    events: Receiver<ServiceEvent>,
    /// By the full names of their services.
    found: BTreeMap<String, NearbyServer>,
}

impl Browser {
    /// Starts to look for servers.
    ///
    /// # Errors
    /// [`DiscoveryError`] if the thread of mDNS can't be started.
    pub fn start() -> Result<Self, DiscoveryError> {
        let daemon = Daemon::start((Ipv6Addr::UNSPECIFIED, 0).into())?;
        let events = daemon.0.browse(SERVICE_TYPE)?;
        Ok(Self { daemon, events, found: BTreeMap::new() })
    }

    /// Returns the servers that were found, by their first address.
    pub fn servers(&self) -> Vec<NearbyServer> {
        let mut servers: Vec<_> = self.found.values().cloned().collect();
        servers.sort_by(|one, other| one.addresses.cmp(&other.addresses));
        servers
    }

    /// Waits until the servers have changed. Safe to cancel.
    pub async fn changed(&mut self) {
        loop {
            match timeout(CHECK_INTERVAL, self.events.recv_async()).await {
                Ok(Ok(event)) => {
                    if self.take(event) {
                        return;
                    }
                }
                // The thread drops a queue that is full.
                Ok(Err(_)) => {
                    sleep(CHECK_INTERVAL).await;
                    self.restart();
                }
                Err(_) => {
                    if self.daemon.is_overloaded().await {
                        warn!("too many mDNS packets; restarting the responder");
                        self.restart();
                    }
                }
            }
        }
    }

    /// Forgets what was found, as it is not known to be still there.
    fn restart(&mut self) {
        match Self::start() {
            Ok(anew) => *self = anew,
            Err(error) => debug!(%error, "mDNS not started anew"),
        }
    }

    fn has_space(&self, server: &NearbyServer) -> bool {
        let ip = |server: &NearbyServer| server.addresses.first().map(SocketAddr::ip);
        let neighbours = self.found.values().filter(|other| ip(other) == ip(server));
        self.found.len() < MAX_SERVERS && neighbours.count() < MAX_SERVERS_PER_ADDRESS
    }

    /// Takes in an event; returns whether the servers have changed.
    fn take(&mut self, event: ServiceEvent) -> bool {
        match event {
            ServiceEvent::ServiceResolved(service) => {
                let Some(server) = read(&service) else { return false };
                if !self.found.contains_key(&service.fullname) && !self.has_space(&server) {
                    debug!(service = %service.fullname.escape_debug(), "too many servers; ignored");
                    return false;
                }
                let former = self.found.insert(service.fullname, server.clone());
                former != Some(server)
            }
            ServiceEvent::ServiceRemoved(_, name) => self.found.remove(&name).is_some(),
            ServiceEvent::SearchStarted(_)
            | ServiceEvent::ServiceFound(..)
            | ServiceEvent::SearchStopped(_)
            | _ => false,
        }
    }
}

/// Looks for servers until one of them is wanted and for `collect` longer, `limit` at most; returns
/// all that were found.
///
/// # Errors
/// [`DiscoveryError`] if the thread of mDNS can't be started.
pub async fn search(
    limit: Duration,
    collect: Duration,
    is_wanted: impl Fn(&NearbyServer) -> bool,
) -> Result<Vec<NearbyServer>, DiscoveryError> {
    let mut browser = Browser::start()?;
    let until_wanted = async {
        while !browser.found.values().any(&is_wanted) {
            browser.changed().await;
        }
    };
    if timeout(limit, until_wanted).await.is_ok() {
        let for_ever = async {
            loop {
                browser.changed().await;
            }
        };
        timeout(collect, for_ever).await.unwrap_or(()); // that it runs out is meant
    }
    let servers = browser.servers();
    browser.daemon.stop().await;
    Ok(servers)
}

/// Reads a service; `None` if it is none of gridrace's or can't be reached.
fn read(service: &ResolvedService) -> Option<NearbyServer> {
    let shown = service.fullname.escape_debug();
    let strings = service.txt_properties.iter().map(|string| (string.key(), string.val()));
    let Some(record) = ServerRecord::read(strings) else {
        debug!(service = %shown, "mDNS record without a version; ignored");
        return None;
    };
    let addresses = service.addresses.iter().map(ScopedIp::to_ip_addr);
    let mut addresses: Vec<IpAddr> = addresses.filter(|&ip| may_be_a_server(ip)).collect();
    if addresses.is_empty() || service.port == 0 {
        debug!(service = %shown, "mDNS record without a usable address; ignored");
        return None;
    }
    addresses.sort_by_key(|ip| (ip.is_ipv6(), *ip));
    addresses.dedup();
    addresses.truncate(MAX_ADDRESSES);
    let name = service.fullname.strip_suffix(SERVICE_TYPE).unwrap_or_default();
    let name: String = name.trim_end_matches('.').chars().take(MAX_NAME_BYTES).collect();
    let addresses = addresses.into_iter().map(|ip| SocketAddr::new(ip, service.port)).collect();
    Some(NearbyServer { name, addresses, record })
}

/// Returns whether an address can be one of a server on the network. A record may have any.
fn may_be_a_server(ip: IpAddr) -> bool {
    let is_broadcast = matches!(ip, IpAddr::V4(ip) if ip.is_broadcast());
    !(ip.is_unspecified()
        || ip.is_loopback()
        || ip.is_multicast()
        || is_link_local(ip)
        || is_broadcast)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_no_server_on_the_network_has_is_left_out() {
        for ip in ["127.0.0.1", "::1", "0.0.0.0", "224.0.0.251", "255.255.255.255", "169.254.1.1"] {
            assert!(!may_be_a_server(ip.parse().unwrap()), "{ip}");
        }
        for ip in ["192.168.1.5", "2001:db8::1", "fd00::1"] {
            assert!(may_be_a_server(ip.parse().unwrap()), "{ip}");
        }
    }
}
