//! The address of a client behind a trusted proxy.
//!
//! A proxy appends its peer's address to `X-Forwarded-For`. A client may have written the entries
//! before it, and without a proxy all of them; so only the last entry counts, and only if a
//! trusted proxy sent it.

use axum::http::HeaderMap;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

const FORWARDED: &str = "x-forwarded-for";

/// A proxy whose `X-Forwarded-For` is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrustedProxy {
    /// Any proxy on this machine; `here` as text.
    Loopback,
    Address(IpAddr),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected `here` or an IP address, like 10.0.0.2")]
pub struct TrustedProxyError;

impl FromStr for TrustedProxy {
    type Err = TrustedProxyError;

    fn from_str(text: &str) -> Result<Self, TrustedProxyError> {
        if text == "here" {
            return Ok(Self::Loopback);
        }
        let address: IpAddr = text.parse().map_err(|_| TrustedProxyError)?;
        Ok(Self::Address(address.to_canonical()))
    }
}

impl TrustedProxy {
    pub fn matches(self, peer: IpAddr) -> bool {
        let peer = peer.to_canonical();
        match self {
            Self::Loopback => peer.is_loopback(),
            Self::Address(address) => peer == address,
        }
    }
}

/// Returns the client's address as the last proxy reports it, if it can be parsed.
pub(crate) fn forwarded_client(headers: &HeaderMap) -> Option<IpAddr> {
    let last = headers.get_all(FORWARDED).iter().next_back()?;
    let entry = last.to_str().ok()?.rsplit(',').next()?.trim();
    let bare = entry.strip_prefix('[').and_then(|entry| entry.strip_suffix(']'));
    let address = bare.unwrap_or(entry).parse();
    // Some proxies append the port.
    let address = address.or_else(|_| entry.parse().map(|socket: SocketAddr| socket.ip()));
    address.ok().map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn client_of(lines: &[&str]) -> Option<IpAddr> {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(FORWARDED, HeaderValue::from_str(line).unwrap());
        }
        forwarded_client(&headers)
    }

    #[test]
    fn only_the_last_entry_counts() {
        let address: IpAddr = "203.0.113.7".parse().unwrap();
        assert_eq!(client_of(&["203.0.113.7"]), Some(address));
        assert_eq!(client_of(&["10.0.0.1, evil, 203.0.113.7"]), Some(address));
        assert_eq!(client_of(&["10.0.0.1", "10.0.0.2,203.0.113.7:50000"]), Some(address));
        assert_eq!(client_of(&["::ffff:203.0.113.7"]), Some(address));
        let six: IpAddr = "2001:db8::7".parse().unwrap();
        for line in ["2001:db8::7", "[2001:db8::7]", "[2001:db8::7]:50000"] {
            assert_eq!(client_of(&[line]), Some(six), "{line}");
        }
        for none in [&[][..], &[""], &["unknown"], &["203.0.113.7, unknown"]] {
            assert_eq!(client_of(none), None, "{none:?}");
        }
    }

    #[test]
    fn proxies_match_by_their_canonical_address() {
        let loopback: TrustedProxy = "here".parse().unwrap();
        assert!(loopback.matches("127.0.0.1".parse().unwrap()));
        assert!(loopback.matches("::1".parse().unwrap()));
        assert!(loopback.matches("::ffff:127.0.0.1".parse().unwrap()));
        assert!(!loopback.matches("10.0.0.2".parse().unwrap()));
        let named: TrustedProxy = "10.0.0.2".parse().unwrap();
        assert!(named.matches("::ffff:10.0.0.2".parse().unwrap()));
        assert!(!named.matches("127.0.0.1".parse().unwrap()));
        assert!("there".parse::<TrustedProxy>().is_err());
    }
}
