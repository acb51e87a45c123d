//! The addresses under which others on the network find this machine.

use gridrace_shared::protocol::DEFAULT_PORT;
use if_addrs::Interface;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// Prefixes of the names of interfaces that lead to containers, virtual machines or tunnels: others
/// on the network don't reach them. Read without regard to case.
const VIRTUAL: [&str; 13] = [
    "docker",
    "podman",
    "cni",
    "lxdbr",
    "br-",
    "veth",
    "virbr",
    "vethernet",
    "vmnet",
    "vboxnet",
    "utun",
    "tun",
    "tap",
];
/// The prefix of ZeroTier's interfaces, which don't say that they are tunnels.
const ZERO_TIER: &str = "zt";
/// Addresses that are listed at most: a machine in two networks with both protocols has about six.
pub const MAX_ADDRESSES: usize = 8;

/// Lists the addresses at which a server that listens on `listening` can be reached: IPv4 first, those
/// of private networks over the Internet behind the others, and those of this machine alone last. One
/// that listens on a single address has that one.
pub fn addresses(listening: SocketAddr) -> Vec<SocketAddr> {
    if !listening.ip().is_unspecified() {
        return vec![listening];
    }
    let interfaces = if_addrs::get_if_addrs().unwrap_or_default();
    choose(listening, &interfaces)
}

/// Lists the addresses at which others on the network reach a server that listens on `listening`;
/// none if only this machine does.
pub fn network_addresses(listening: SocketAddr) -> Vec<SocketAddr> {
    let mut addresses = addresses(listening);
    addresses.retain(|address| !address.ip().is_loopback());
    addresses
}

/// Writes an address as others type it, without the port where it is the usual one.
pub fn written(address: SocketAddr) -> String {
    match address {
        SocketAddr::V4(v4) if v4.port() == DEFAULT_PORT => v4.ip().to_string(),
        SocketAddr::V4(_) | SocketAddr::V6(_) => address.to_string(),
    }
}

/// Writes an address as a shell takes it: to zsh, the shell of macOS, unquoted brackets are a pattern.
pub fn shell_quoted(address: &str) -> String {
    if address.contains('[') { format!("'{address}'") } else { address.to_owned() }
}

/// Reads the address that a server is to listen on.
///
/// # Errors
/// Says what is accepted.
pub fn parse_listen_address(text: &str) -> Result<SocketAddr, &'static str> {
    let expected = "expected an IP address with a port, like 127.0.0.1:7415 or [::]:7415";
    text.parse().map_err(|_| expected)
}

fn choose(listening: SocketAddr, interfaces: &[Interface]) -> Vec<SocketAddr> {
    let is_listed = |interface: &&Interface| {
        interface.is_loopback() && listens_on(listening, interface.ip())
            || leads_to_network(listening, interface)
    };
    let mut listed: Vec<&Interface> = interfaces.iter().filter(is_listed).collect();
    listed.sort_by_key(|it| (it.is_loopback(), is_private_network(it), it.ip().is_ipv6(), it.ip()));
    let mut found: Vec<IpAddr> = listed.into_iter().map(Interface::ip).collect();
    found.dedup();
    let loopback = found.iter().position(IpAddr::is_loopback).map(|first| found.split_off(first));
    found.truncate(MAX_ADDRESSES);
    // One address of this machine alone is enough.
    found.extend(loopback.into_iter().flatten().take(1));
    found.into_iter().map(|ip| SocketAddr::new(ip, listening.port())).collect()
}

/// Returns whether others on the network reach a server that listens on `listening` by this address
/// of this interface.
pub(crate) fn leads_to_network(listening: SocketAddr, interface: &Interface) -> bool {
    interface.is_oper_up()
        && !interface.is_loopback()
        && !is_virtual(&interface.name)
        && !is_link_local(interface.ip())
        && listens_on(listening, interface.ip())
}

/// Returns whether a listener covers an address. One on `[::]` takes IPv4 as well.
fn listens_on(listening: SocketAddr, ip: IpAddr) -> bool {
    if !listening.ip().is_unspecified() {
        return listening.ip() == ip;
    }
    listening.is_ipv6() || ip.is_ipv4()
}

/// Returns whether an interface leads to a private network over the Internet, such as WireGuard's or
/// Tailscale's: only its members reach this machine by it.
fn is_private_network(interface: &Interface) -> bool {
    interface.is_p2p || interface.name.starts_with(ZERO_TIER)
}

fn is_virtual(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    VIRTUAL.iter().any(|prefix| name.starts_with(prefix))
}

/// Returns whether an address is without a network's assignment: 169.254.0.0/16, which Windows
/// calls APIPA, and fe80::/10, which needs the interface's name beside it.
pub(crate) const fn is_link_local(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => Ipv4Addr::is_link_local(&ip),
        IpAddr::V6(ip) => ip.is_unicast_link_local(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use if_addrs::{IfAddr, IfOperStatus, Ifv4Addr, Ifv6Addr};

    fn interface(name: &str, ip: &str) -> Interface {
        let addr = match ip.parse().unwrap() {
            IpAddr::V4(ip) => IfAddr::V4(Ifv4Addr {
                ip,
                netmask: Ipv4Addr::new(255, 255, 255, 0),
                prefixlen: 24,
                broadcast: None,
            }),
            IpAddr::V6(ip) => IfAddr::V6(Ifv6Addr {
                ip,
                netmask: "ffff:ffff:ffff:ffff::".parse().unwrap(),
                prefixlen: 64,
                broadcast: None,
            }),
        };
        let (oper_status, is_p2p) = (IfOperStatus::Up, false);
        Interface { name: name.to_owned(), addr, index: Some(1), oper_status, is_p2p }
    }

    fn chosen(listening: &str, interfaces: &[Interface]) -> Vec<String> {
        let addresses = choose(listening.parse().unwrap(), interfaces);
        addresses.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_single_address_is_listed_as_it_is() {
        let address: SocketAddr = "192.0.2.7:7415".parse().unwrap();
        assert_eq!(addresses(address), [address]);
        let own: SocketAddr = "127.0.0.1:7415".parse().unwrap();
        assert_eq!((addresses(own), network_addresses(own)), (vec![own], vec![]));
    }

    #[test]
    fn ipv4_comes_first_and_this_machine_last() {
        let interfaces = [
            interface("lo", "127.0.0.1"),
            interface("lo", "::1"),
            interface("wlan0", "2001:db8::5"),
            interface("wlan0", "192.168.1.5"),
            interface("eth0", "10.0.0.7"),
        ];
        let all = ["10.0.0.7:7415", "192.168.1.5:7415", "[2001:db8::5]:7415", "127.0.0.1:7415"];
        assert_eq!(chosen("[::]:7415", &interfaces), all);
        assert_eq!(chosen("0.0.0.0:7415", &interfaces), [all[0], all[1], all[3]]);
    }

    #[test]
    fn private_networks_over_the_internet_come_behind_the_local_one() {
        let interfaces = [
            Interface { is_p2p: true, ..interface("wg0", "10.8.0.2") },
            Interface { is_p2p: true, ..interface("tailscale0", "100.64.0.2") },
            interface("zt7nnig26", "10.147.17.2"),
            interface("wlan0", "192.168.1.5"),
            interface("wlan0", "2001:db8::5"),
        ];
        let all = [
            "192.168.1.5:7415",
            "[2001:db8::5]:7415",
            "10.8.0.2:7415",
            "10.147.17.2:7415",
            "100.64.0.2:7415",
        ];
        assert_eq!(chosen("[::]:7415", &interfaces), all);
    }

    #[test]
    fn what_others_do_not_reach_is_left_out() {
        let names = ["docker0", "br-3f2a", "veth12", "virbr0", "vEthernet (WSL)", "VMnet8"];
        let tunnels = ["utun3", "tun0", "tap1"];
        let mut interfaces: Vec<_> =
            names.iter().chain(&tunnels).map(|name| interface(name, "172.17.0.1")).collect();
        interfaces.push(interface("eth0", "169.254.7.7"));
        interfaces.push(interface("eth0", "fe80::1"));
        let mut down = interface("eth1", "192.168.7.7");
        down.oper_status = IfOperStatus::Down;
        interfaces.push(down);
        assert_eq!(chosen("[::]:7415", &interfaces), [""; 0]);
    }

    #[test]
    fn the_list_is_bounded() {
        let many: Vec<_> =
            (1..=40).map(|host| interface("eth0", &format!("192.168.1.{host}"))).collect();
        assert_eq!(chosen("[::]:7415", &many).len(), MAX_ADDRESSES);
    }
}
