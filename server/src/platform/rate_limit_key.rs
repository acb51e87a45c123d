//! The key under which limits by address count a peer.

use std::net::{IpAddr, Ipv6Addr};

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_in_an_ipv6_network_share_a_key() {
        let key = |address: &str| rate_limit_key(address.parse().unwrap());
        assert_eq!(key("2001:db8::1"), key("2001:db8::ffff:2"));
        assert_ne!(key("2001:db8::1"), key("2001:db8:0:1::1"));
        assert_eq!(key("::ffff:10.0.0.1"), key("10.0.0.1"));
        assert_eq!(key("::1"), None);
    }
}
