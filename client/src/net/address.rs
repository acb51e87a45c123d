//! Addresses of servers as people write them.

use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::protocol::{DEFAULT_PORT, PATH};
use gridrace_shared::tournament::ids::TournamentName;
use std::collections::BTreeMap;
use std::net::Ipv6Addr;

/// Longest host, in bytes: as long as a domain name is at most (RFC 1035, section 2.3.4).
const HOST_BYTES: usize = 253;
/// Longest address that is read, in bytes: such a host, with a scheme, a port and a short path.
const ADDRESS_BYTES: usize = 300;

/// A server's address: a host and a port, and whether TLS is spoken there.
///
/// Read from `host`, `host:port`, `[v6]:port`, a bare IPv6 literal, or any of them as a
/// `ws://` or `http://` URL, as a browser's address line shows it; by TLS as `wss://` or
/// `https://`, where a port left out is the web's own.
///
/// ```
/// use gridrace_client::net::address::Address;
/// assert_eq!("ws://10.0.0.7:7415/ws".parse(), "10.0.0.7".parse::<Address>());
/// assert_eq!(
///     "https://race.example/".parse::<Address>().map(|a| a.url()),
///     Ok("wss://race.example/ws".to_owned())
/// );
/// assert_eq!("::1".parse::<Address>().map(|a| a.to_string()), Ok("[::1]:7415".to_owned()));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Address {
    host: String,
    port: u16,
    secure: bool,
}

/// An error in an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// No host, or one with characters that no host has.
    #[error("an address is written like 192.168.1.5, or host:7415")]
    Host,
    /// The part after the colon is no port.
    #[error("a port is a number from 1 to 65535")]
    Port,
}

/// The port of TLS on the web, which browsers leave out.
const SECURE_PORT: u16 = 443;

/// The server where none is named: one on this machine.
pub const HERE: &str = "127.0.0.1:7415";

/// The player's own names of servers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerNames(BTreeMap<String, Address>);

impl ServerNames {
    /// Names a server; names differ in more than case.
    pub fn insert(&mut self, name: &str, address: Address) {
        self.0.insert(name.to_ascii_lowercase(), address);
    }

    /// Reads a text as the name of a server.
    pub fn get(&self, name: &str) -> Option<&Address> {
        self.0.get(&name.trim().to_ascii_lowercase())
    }

    /// Reads a text as the name of a server, or else as an address.
    ///
    /// # Errors
    /// [`AddressError`] if it is neither.
    pub fn resolve(&self, text: &str) -> Result<Address, AddressError> {
        self.get(text).map_or_else(|| text.parse(), |address| Ok(address.clone()))
    }

    /// Reads a text as a link: the name or address of a server, with what follows the first `/`.
    ///
    /// # Errors
    /// [`AddressError`] if no server is named.
    pub fn resolve_link(&self, text: &str) -> Result<ServerLink, AddressError> {
        let start = text.find("://").map_or(0, |at| at + "://".len());
        let path = text.get(start..).and_then(|rest| rest.split_once('/'));
        let target = path.and_then(|(_, path)| LinkTarget::of_path(path));
        let is_named = |(server, _)| self.get(server).filter(|_| start == 0).cloned();
        let address = path.and_then(is_named).map_or_else(|| self.resolve(text), Ok)?;
        Ok(ServerLink { address, target })
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &Address)> {
        self.0.iter().map(|(name, address)| (name.as_str(), address))
    }
}

/// What a link's path names on its server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkTarget {
    Room(RoomCode),
    Tournament(TournamentName),
}

/// The address of a server, and what the path of the link names there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerLink {
    pub address: Address,
    pub target: Option<LinkTarget>,
}

impl LinkTarget {
    /// Reads a path of the server's pages, without its first `/`: `KQZT` or `t/NAME`, and what is
    /// below them, as the big screen is.
    fn of_path(path: &str) -> Option<Self> {
        let path = path.split(['?', '#']).next()?;
        let mut parts = path.trim_end().split('/');
        match (parts.next()?, parts.next()) {
            ("t" | "T", Some(name)) => name.parse().ok().map(Self::Tournament),
            (code, _) => code.parse().ok().map(Self::Room),
        }
    }
}

impl From<Address> for ServerLink {
    fn from(address: Address) -> Self {
        Self { address, target: None }
    }
}

impl Address {
    /// Returns the host: a name or an IP literal without brackets.
    pub fn host(&self) -> &str {
        &self.host
    }

    pub const fn port(&self) -> u16 {
        self.port
    }

    /// Says whether the server is to speak TLS.
    pub const fn is_secure(&self) -> bool {
        self.secure
    }

    /// Returns host and port as a request's `Host` names them: without the web's own port.
    pub fn authority(&self) -> String {
        let Self { host, port, .. } = self;
        let brackets = host.contains(':');
        let host = if brackets { format!("[{host}]") } else { host.clone() };
        if self.secure && *port == SECURE_PORT {
            return host;
        }
        format!("{host}:{port}")
    }

    /// Returns the URL of the server's WebSocket.
    pub fn url(&self) -> String {
        let scheme = if self.secure { "wss" } else { "ws" };
        format!("{scheme}://{}{PATH}", self.authority())
    }
}

impl std::str::FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        if text.len() > ADDRESS_BYTES {
            return Err(AddressError::Host);
        }
        let (secure, authority) = peel(text.trim())?;
        let (host, port) = split(authority)?;
        let port = match port {
            None if secure => SECURE_PORT,
            None => DEFAULT_PORT,
            Some(port) => port.parse().ok().filter(|&port| port > 0).ok_or(AddressError::Port)?,
        };
        // Or there were addresses that can't be read once they are written with their port.
        if !(1..=HOST_BYTES).contains(&host.len()) || !host.bytes().all(may_stand_in_a_host) {
            return Err(AddressError::Host);
        }
        if host.contains(':') && host.parse::<Ipv6Addr>().is_err() {
            return Err(AddressError::Host);
        }
        Ok(Self { host: host.to_ascii_lowercase(), port, secure })
    }
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let scheme = if self.secure { "wss://" } else { "" };
        write!(f, "{scheme}{}", self.authority())
    }
}

/// Takes the scheme and the path off a URL; the first says whether TLS is meant.
fn peel(text: &str) -> Result<(bool, &str), AddressError> {
    let (scheme, rest) = text.split_once("://").unwrap_or(("ws", text));
    // The links of QR codes are in capitals.
    let secure = match scheme.to_ascii_lowercase().as_str() {
        "ws" | "http" => false,
        "wss" | "https" => true,
        _ => return Err(AddressError::Host),
    };
    let authority = rest.split_once('/').map_or(rest, |(authority, _path)| authority);
    Ok((secure, authority))
}

/// Splits host and port. More than one colon outside brackets is a bare IPv6 literal.
fn split(authority: &str) -> Result<(&str, Option<&str>), AddressError> {
    if let Some((host, rest)) = authority.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        return match rest.strip_prefix(':') {
            None if !rest.is_empty() => Err(AddressError::Port),
            port => Ok((host, port)),
        };
    }
    Ok(match authority.split_once(':') {
        Some((_, rest)) if rest.contains(':') => (authority, None),
        Some((host, port)) => (host, Some(port)),
        None => (authority, None),
    })
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
        assert_eq!(read("http://10.0.0.2:7415/"), Ok("10.0.0.2:7415".to_owned()));
    }

    #[test]
    fn an_address_of_tls_stays_one_and_names_the_host_as_browsers_do() {
        for (text, shown, authority) in [
            ("wss://box:7415", "wss://box:7415", "box:7415"),
            ("https://Race.Example/", "wss://race.example", "race.example"),
            ("https://race.example:443", "wss://race.example", "race.example"),
            ("HTTP://192.168.1.5:7415/KQZT", "192.168.1.5:7415", "192.168.1.5:7415"),
            ("wss://[fe80::1]/ws", "wss://[fe80::1]", "[fe80::1]"),
            ("http://box:443/", "box:443", "box:443"),
        ] {
            assert_eq!(read(text), Ok(shown.to_owned()));
            let address: Address = shown.parse().unwrap();
            assert_eq!(address.is_secure(), shown.starts_with("wss"));
            assert_eq!(address.authority(), authority);
            assert_eq!(read(&address.to_string()), Ok(shown.to_owned()));
        }
        assert_eq!(read("wss://"), Err(AddressError::Host));
        assert_eq!(read("wss://a:0"), Err(AddressError::Port));
    }

    #[test]
    fn a_link_names_a_room_or_a_tournament() {
        let mut servers = ServerNames::default();
        servers.insert("club", "wss://race.example".parse().unwrap());
        let read = |text: &str| {
            let ServerLink { address, target } = servers.resolve_link(text).unwrap();
            let target = match target {
                Some(LinkTarget::Room(code)) => format!("room {code}"),
                Some(LinkTarget::Tournament(name)) => format!("tournament {name}"),
                None => String::new(),
            };
            (address.to_string(), target)
        };
        for (text, address, target) in [
            ("http://10.0.0.2:7415/GZCG", "10.0.0.2:7415", "room GZCG"),
            ("HTTP://10.0.0.2:7415/GZCG", "10.0.0.2:7415", "room GZCG"),
            ("10.0.0.2/gzcg/", "10.0.0.2:7415", "room GZCG"),
            ("https://race.example/GZCG/tv?x=1", "wss://race.example", "room GZCG"),
            ("https://race.example/t/friday#log", "wss://race.example", "tournament friday"),
            ("HTTPS://RACE.EXAMPLE/T/FRIDAY", "wss://race.example", "tournament friday"),
            ("club/GZCG", "wss://race.example", "room GZCG"),
            ("club", "wss://race.example", ""),
            ("http://10.0.0.2/results", "10.0.0.2:7415", ""),
            ("http://10.0.0.2/t/", "10.0.0.2:7415", ""),
            ("http://10.0.0.2/", "10.0.0.2:7415", ""),
            ("10.0.0.2", "10.0.0.2:7415", ""),
        ] {
            assert_eq!(read(text), (address.to_owned(), target.to_owned()), "{text}");
        }
        assert_eq!(servers.resolve_link("/GZCG"), Err(AddressError::Host));
    }

    #[test]
    fn what_is_no_address_says_why() {
        for text in [
            "",
            ":80",
            "a b",
            "a\u{1b}[2J",
            "ftp://a",
            "user@host",
            "[]",
            "a:b:c",
            "[1:2]:80",
            "::1::",
        ] {
            assert_eq!(read(text), Err(AddressError::Host), "{text:?}");
        }
        for text in ["a:0", "a:x", "a:65536", "a:", "[::1]80", "[::1].example"] {
            assert_eq!(read(text), Err(AddressError::Port), "{text:?}");
        }
        let longest = format!("wss://{}:65535", "a".repeat(253));
        assert_eq!(read(&longest), Ok(longest));
        for length in [254, 295, 400] {
            assert_eq!(read(&"a".repeat(length)), Err(AddressError::Host));
        }
    }
}
