//! The addresses under which others on the network find this machine.

use std::net::{IpAddr, SocketAddr};

/// Interfaces of containers and virtual machines: they are not reachable from the network.
const VIRTUAL: [&str; 4] = ["docker", "veth", "br-", "virbr"];

/// Lists the addresses at which a server that listens on `address` can be reached, those
/// of the network first. One that listens on a single address has that one.
pub fn addresses(address: SocketAddr) -> Vec<SocketAddr> {
    if !address.ip().is_unspecified() {
        return vec![address];
    }
    let interfaces = if_addrs::get_if_addrs().unwrap_or_default();
    let real = |name: &str| !VIRTUAL.iter().any(|prefix| name.starts_with(prefix));
    let mut found: Vec<IpAddr> = interfaces
        .into_iter()
        .filter(|interface| real(&interface.name))
        .map(|interface| interface.ip())
        .filter(IpAddr::is_ipv4)
        .collect();
    found.sort_by_key(|ip| (ip.is_loopback(), *ip));
    found.into_iter().map(|ip| SocketAddr::new(ip, address.port())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_address_is_listed_as_it_is() {
        let address: SocketAddr = "192.0.2.7:7415".parse().unwrap();
        assert_eq!(addresses(address), [address]);
    }

    #[test]
    fn this_machine_comes_last() {
        let listed = addresses("0.0.0.0:7415".parse().unwrap());
        let first_loopback = listed.iter().position(|address| address.ip().is_loopback());
        assert!(
            first_loopback.is_none_or(|first| listed[first..].iter().all(|a| a.ip().is_loopback()))
        );
        assert!(listed.iter().all(|address| address.port() == 7415));
    }
}
