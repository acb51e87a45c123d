//! Connections through a proxy: whose they are.
//!
//! A proxy appends the address from which it was asked to `X-Forwarded-For`. Whatever stands
//! before that anybody may have written, and whoever comes without a proxy may write all of
//! it; so only the last entry counts, and only where a proxy said it that the server was told of.

use axum::http::HeaderMap;
use std::net::{AddrParseError, IpAddr, SocketAddr};
use std::str::FromStr;

/// The header in which proxies say for whom they ask.
const FORWARDED: &str = "x-forwarded-for";

/// A proxy that is believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrustedProxy {
    /// Any on this machine.
    Loopback,
    /// The one at this address.
    Address(IpAddr),
}

impl FromStr for TrustedProxy {
    type Err = AddrParseError;

    fn from_str(text: &str) -> Result<Self, AddrParseError> {
        if text == "here" {
            return Ok(Self::Loopback);
        }
        text.parse().map(|address: IpAddr| Self::Address(address.to_canonical()))
    }
}

impl TrustedProxy {
    /// Says whether somebody is this proxy.
    #[must_use]
    pub fn matches(self, peer: IpAddr) -> bool {
        let peer = peer.to_canonical();
        match self {
            Self::Loopback => peer.is_loopback(),
            Self::Address(address) => peer == address,
        }
    }
}

/// Returns for whom a proxy asks; nothing where it doesn't say so, or not so that it can be read.
pub(crate) fn client(headers: &HeaderMap) -> Option<IpAddr> {
    let last = headers.get_all(FORWARDED).iter().next_back()?;
    let entry = last.to_str().ok()?.rsplit(',').next()?.trim();
    let bare = entry.strip_prefix('[').and_then(|entry| entry.strip_suffix(']'));
    let address = bare.unwrap_or(entry).parse();
    // Some add the port.
    let address = address.or_else(|_| entry.parse().map(|socket: SocketAddr| socket.ip()));
    address.ok().map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn of(lines: &[&str]) -> Option<IpAddr> {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(FORWARDED, HeaderValue::from_str(line).unwrap());
        }
        client(&headers)
    }

    #[test]
    fn only_what_the_proxy_itself_has_said_counts() {
        let address: IpAddr = "203.0.113.7".parse().unwrap();
        assert_eq!(of(&["203.0.113.7"]), Some(address));
        assert_eq!(of(&["10.0.0.1, evil, 203.0.113.7"]), Some(address));
        assert_eq!(of(&["10.0.0.1", "10.0.0.2,203.0.113.7:50000"]), Some(address));
        assert_eq!(of(&["::ffff:203.0.113.7"]), Some(address));
        let six: IpAddr = "2001:db8::7".parse().unwrap();
        for line in ["2001:db8::7", "[2001:db8::7]", "[2001:db8::7]:50000"] {
            assert_eq!(of(&[line]), Some(six), "{line}");
        }
        for none in [&[][..], &[""], &["unknown"], &["203.0.113.7, unknown"]] {
            assert_eq!(of(none), None, "{none:?}");
        }
    }

    #[test]
    fn proxies_are_known_by_their_address() {
        let here: TrustedProxy = "here".parse().unwrap();
        assert!(here.matches("127.0.0.1".parse().unwrap()));
        assert!(here.matches("::1".parse().unwrap()));
        assert!(here.matches("::ffff:127.0.0.1".parse().unwrap()));
        assert!(!here.matches("10.0.0.2".parse().unwrap()));
        let named: TrustedProxy = "10.0.0.2".parse().unwrap();
        assert!(named.matches("::ffff:10.0.0.2".parse().unwrap()));
        assert!(!named.matches("127.0.0.1".parse().unwrap()));
        assert!("there".parse::<TrustedProxy>().is_err());
    }
}
