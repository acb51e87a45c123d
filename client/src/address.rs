//! Addresses of servers as people write them.

use gridrace_shared::protocol::{DEFAULT_PORT, PATH};

/// Longest address that is read, in bytes: a domain name has 253 at most.
const ADDRESS_BYTES: usize = 300;

/// A server's address: a host and a port.
///
/// Read from `host`, `host:port`, `[v6]:port`, a bare IPv6 literal, or any of them as a
/// `ws://` or `http://` URL, as a browser's address line shows it.
///
/// ```
/// use gridrace_client::address::Address;
/// assert_eq!("ws://10.0.0.7:7415/ws".parse(), "10.0.0.7".parse::<Address>());
/// assert_eq!("::1".parse::<Address>().map(|a| a.to_string()), Ok("[::1]:7415".to_owned()));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Address {
    host: String,
    port: u16,
}

/// Why a text is no address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// No host, or one with characters that no host has.
    #[error("an address is written like 192.168.1.5, or host:7415")]
    Host,
    /// The part after the colon is no port.
    #[error("a port is a number from 1 to 65535")]
    Port,
    /// Encrypted connections aren't spoken here.
    #[error("only ws:// addresses are spoken; put a proxy in front for wss://")]
    Encrypted,
}

/// The server where none is named: one on this machine.
pub const HERE: &str = "127.0.0.1";

impl Address {
    /// Returns the host: a name or an IP literal without brackets.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Returns the port.
    #[must_use]
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// Returns the URL of the server's WebSocket.
    #[must_use]
    pub fn url(&self) -> String {
        format!("ws://{self}{PATH}")
    }
}

impl std::str::FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        if text.len() > ADDRESS_BYTES {
            return Err(AddressError::Host);
        }
        let (host, port) = split(authority(text.trim())?);
        let port = match port {
            None => DEFAULT_PORT,
            Some(port) => port
                .parse()
                .ok()
                .filter(|&port| port > 0)
                .ok_or(AddressError::Port)?,
        };
        if host.is_empty() || !host.bytes().all(may_stand_in_a_host) {
            return Err(AddressError::Host);
        }
        Ok(Self {
            host: host.to_ascii_lowercase(),
            port,
        })
    }
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.host.contains(':') {
            write!(f, "[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{}:{}", self.host, self.port)
        }
    }
}

/// Takes the scheme and the path off a URL.
fn authority(text: &str) -> Result<&str, AddressError> {
    let rest = match text.split_once("://") {
        Some(("ws" | "http", rest)) => rest,
        Some(("wss" | "https", _)) => return Err(AddressError::Encrypted),
        Some(_) => return Err(AddressError::Host),
        None => text,
    };
    Ok(rest
        .split_once('/')
        .map_or(rest, |(authority, _path)| authority))
}

/// Splits host and port. More than one colon outside brackets is a bare IPv6 literal.
fn split(authority: &str) -> (&str, Option<&str>) {
    if let Some((host, rest)) = authority
        .strip_prefix('[')
        .and_then(|rest| rest.split_once(']'))
    {
        return (host, rest.strip_prefix(':'));
    }
    match authority.split_once(':') {
        Some((_, rest)) if rest.contains(':') => (authority, None),
        Some((host, port)) => (host, Some(port)),
        None => (authority, None),
    }
}

fn may_stand_in_a_host(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b':')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<String, AddressError> {
        text.parse::<Address>().map(|address| address.to_string())
    }

    #[test]
    fn the_port_may_be_left_out() {
        assert_eq!(read(" box.local "), Ok("box.local:7415".to_owned()));
        assert_eq!(read("box:80"), Ok("box:80".to_owned()));
        assert_eq!(read("[fe80::1]:9"), Ok("[fe80::1]:9".to_owned()));
        assert_eq!(
            read("http://10.0.0.2:7415/"),
            Ok("10.0.0.2:7415".to_owned())
        );
    }

    #[test]
    fn what_is_no_address_says_why() {
        for text in ["", ":80", "a b", "a\u{1b}[2J", "ftp://a", "user@host", "[]"] {
            assert_eq!(read(text), Err(AddressError::Host), "{text:?}");
        }
        for text in ["a:0", "a:x", "a:65536", "a:"] {
            assert_eq!(read(text), Err(AddressError::Port), "{text:?}");
        }
        assert_eq!(read("wss://a"), Err(AddressError::Encrypted));
        assert_eq!(read(&"a".repeat(400)), Err(AddressError::Host));
    }
}
