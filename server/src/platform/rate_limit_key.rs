//! The key under which limits by address count a peer.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Returns the address that limits count a peer under: for IPv6 its /64 network, of which one
/// machine has every address; none for loopback, which has no limits by address.
pub(crate) fn rate_limit_key(peer: IpAddr) -> Option<IpAddr> {
    match peer.to_canonical() {
        address if address.is_loopback() => None,
        IpAddr::V6(address) => {
            let network = address.to_bits() & !u128::from(u64::MAX);
            Some(Ipv6Addr::from_bits(network).into())
        }
        address @ IpAddr::V4(_) => Some(address),
    }
}

/// Returns the network of an address for limits that one customer's addresses must not multiply:
/// the first 24 bits of IPv4, and the first 48 bits of IPv6, which is what a site is given.
pub(crate) fn network_key(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => Ipv4Addr::from_bits(address.to_bits() & !0xff).into(),
        IpAddr::V6(address) => {
            let host = u128::MAX >> 48;
            Ipv6Addr::from_bits(address.to_bits() & !host).into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_one_site_share_a_network() {
        let key = |address: &str| network_key(address.parse().unwrap());
        assert_eq!(key("10.0.0.1"), key("10.0.0.255"));
        assert_ne!(key("10.0.0.1"), key("10.0.1.1"));
        assert_eq!(key("2001:db8:1:2::1"), key("2001:db8:1:ffff::1"));
        assert_ne!(key("2001:db8:1::1"), key("2001:db8:2::1"));
    }

    #[test]
    fn neighbours_in_an_ipv6_network_share_a_key() {
        let key = |address: &str| rate_limit_key(address.parse().unwrap());
        assert_eq!(key("2001:db8::1"), key("2001:db8::ffff:2"));
        assert_ne!(key("2001:db8::1"), key("2001:db8:0:1::1"));
        assert_eq!(key("::ffff:10.0.0.1"), key("10.0.0.1"));
        assert_eq!(key("::1"), None);
    }
}
