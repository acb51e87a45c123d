//! Whose pages may open a WebSocket: the `Origin` and the `Host` of a browser's request.
//!
//! A page of another site must open no socket in its visitor's name, so a browser's origin
//! must be this server, or one that it was told of. That alone isn't enough: whoever owns
//! `evil.example` can let that name lead to an address of the visitor's own network (DNS
//! rebinding), and then origin and host agree. So the host, too, must be one that nobody else
//! can own: a bare address, this machine's name, or one that the server was told of.
//!
//! Programs send no origin, are under nobody's spell, and are asked nothing.

use super::header;
use axum::http::HeaderMap;
use axum::http::header::{HOST, ORIGIN};
use axum::http::uri::Authority;
use std::net::{IpAddr, Ipv6Addr};

/// The origins and hosts that a server trusts.
#[derive(Debug)]
pub(crate) struct Trusted {
    /// Whole origins, besides the server's own.
    origins: Vec<String>,
    /// Names under which the server is reached, in lower case.
    names: Vec<String>,
}

/// Why a word of the command line names no origin, or no host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoSite {
    /// What browsers send is a scheme and a host, and a port where it isn't the scheme's own.
    #[error("an origin is like https://race.example, or with a port that isn't 443 or 80")]
    Origin,
    /// A name without anything else.
    #[error("a name is like race.example, without scheme, port and path")]
    Name,
}

/// Reads an origin as browsers write it; a slash at the end, as their address line has it, is
/// taken away.
///
/// # Errors
/// [`NoSite::Origin`].
pub fn read_origin(text: &str) -> Result<String, NoSite> {
    let origin = text.strip_suffix('/').unwrap_or(text);
    let host = authority(origin).and_then(host_of);
    host.map(|_| origin.to_owned()).ok_or(NoSite::Origin)
}

/// Reads a name under which browsers reach the server.
///
/// # Errors
/// [`NoSite::Name`].
pub fn read_name(text: &str) -> Result<String, NoSite> {
    let name = host_of(text).filter(|_| !text.contains(':'));
    name.ok_or(NoSite::Name)
}

/// Why a page may not open a WebSocket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotTrusted {
    /// A page of another site.
    #[error("this origin may not open a WebSocket here: see --origin")]
    Origin,
    /// Under a name that may be anybody's.
    #[error("this server doesn't know itself by this name: see --host")]
    Host,
}

impl Trusted {
    /// Trusts these origins with their hosts, these names, and those that the machine has
    /// by itself.
    pub(crate) fn new(origins: Vec<String>, hosts: &[String]) -> Self {
        let of_origins = origins.iter().filter_map(|origin| authority(origin));
        let of_origins = of_origins.filter_map(host_of);
        let mut names: Vec<String> = of_origins.collect();
        names.extend(hosts.iter().map(|name| name.to_ascii_lowercase()));
        names.extend(own_names());
        Self { origins, names }
    }

    /// Says whether a request may become a WebSocket.
    ///
    /// # Errors
    /// [`NotTrusted`].
    pub(crate) fn check(&self, headers: &HeaderMap) -> Result<(), NotTrusted> {
        let Some(origin) = headers.get(ORIGIN) else {
            return Ok(());
        };
        let origin = origin.to_str().unwrap_or_default();
        if headers.get_all(ORIGIN).iter().count() > 1 {
            return Err(NotTrusted::Origin);
        }
        let host = host(headers)?;
        let is_own = authority(origin).is_some_and(|own| own.eq_ignore_ascii_case(host));
        let mut allowed = self.origins.iter();
        if !is_own && !allowed.any(|allowed| allowed.eq_ignore_ascii_case(origin)) {
            return Err(NotTrusted::Origin);
        }
        self.knows(host)
    }

    /// Says whether a request names this server as it knows itself, whoever asks: a page that
    /// only reads from where it came says nothing of its origin.
    ///
    /// # Errors
    /// [`NotTrusted::Host`].
    pub(crate) fn check_host(&self, headers: &HeaderMap) -> Result<(), NotTrusted> {
        self.knows(host(headers)?)
    }

    fn knows(&self, host: &str) -> Result<(), NotTrusted> {
        let name = host_of(host).ok_or(NotTrusted::Host)?;
        if is_address(&name) || self.names.contains(&name) { Ok(()) } else { Err(NotTrusted::Host) }
    }
}

/// Returns the only host that a request names.
fn host(headers: &HeaderMap) -> Result<&str, NotTrusted> {
    let hosts = headers.get_all(HOST).iter().count();
    let host = header(headers, HOST.as_str()).filter(|_| hosts == 1);
    host.ok_or(NotTrusted::Host)
}

/// Returns an origin's host and port; nothing for one that no page can have.
fn authority(origin: &str) -> Option<&str> {
    let (scheme, authority) = origin.split_once("://")?;
    matches!(scheme, "http" | "https").then_some(authority)
}

/// Returns the host without its port, in lower case.
fn host_of(authority: &str) -> Option<String> {
    let authority: Authority = authority.parse().ok()?;
    let host = authority.host();
    let is_bare = !authority.as_str().contains('@') && !host.is_empty();
    is_bare.then(|| host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase())
}

fn is_address(host: &str) -> bool {
    let inside = |host: &str| {
        let host = host.strip_prefix('[')?.strip_suffix(']')?;
        host.parse::<Ipv6Addr>().ok()
    };
    host.parse::<IpAddr>().is_ok() || inside(host).is_some()
}

/// Returns the names that lead to this machine and that nobody outside can own: those of the
/// loopback, the machine's own, and the same as multicast DNS has it.
fn own_names() -> Vec<String> {
    let mut names = vec!["localhost".to_owned()];
    let system = rustix::system::uname();
    let whole = system.nodename().to_string_lossy().to_ascii_lowercase();
    let short = whole.split('.').next().unwrap_or_default();
    if !short.is_empty() {
        names.push(short.to_owned());
        names.push(format!("{short}.local"));
        names.push(whole);
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn check(host: &str, origin: &str) -> Result<(), NotTrusted> {
        let trusted =
            Trusted::new(vec!["https://race.example".to_owned()], &["Hall.example".to_owned()]);
        let mut headers = HeaderMap::new();
        headers.insert(HOST, HeaderValue::from_str(host).unwrap());
        headers.insert(ORIGIN, HeaderValue::from_str(origin).unwrap());
        trusted.check(&headers)
    }

    #[test]
    fn an_origin_must_be_this_host_or_allowed() {
        let here = |origin| check("10.0.0.1:7415", origin);
        assert_eq!(here("http://10.0.0.1:7415"), Ok(()));
        assert_eq!(here("https://race.example"), Ok(()));
        for other in [
            "http://10.0.0.1",
            "http://evil.example",
            "https://race.example.evil.example",
            "file://10.0.0.1:7415",
            "null",
            "",
        ] {
            assert_eq!(here(other), Err(NotTrusted::Origin), "{other}");
        }
    }

    #[test]
    fn a_name_that_may_be_anybodys_is_refused_even_where_origin_and_host_agree() {
        for name in [
            "evil.example",
            "evil.example:7415",
            "localhost.evil.example",
            "10.0.0.1.evil.example",
            "0x7f000001",
        ] {
            let origin = format!("http://{name}");
            assert_eq!(check(name, &origin), Err(NotTrusted::Host), "{name}");
        }
    }

    #[test]
    fn addresses_and_names_that_are_known_are_trusted() {
        for name in [
            "192.168.1.5:7415",
            "127.0.0.1",
            "[fe80::1]:7415",
            "[::1]",
            "localhost:7415",
            "LocalHost.",
            "hall.example:443",
            "race.example",
        ] {
            assert_eq!(check(name, &format!("http://{name}")), Ok(()), "{name}");
        }
        for name in own_names() {
            assert_eq!(check(&name, &format!("http://{name}")), Ok(()), "{name}");
        }
    }

    #[test]
    fn programs_are_asked_nothing_and_two_hosts_are_none() {
        let trusted = Trusted::new(Vec::new(), &[]);
        assert_eq!(trusted.check(&HeaderMap::new()), Ok(()));
        let mut headers = HeaderMap::new();
        headers.insert(HOST, HeaderValue::from_static("anything.example"));
        assert_eq!(trusted.check(&headers), Ok(()));
        headers.insert(ORIGIN, HeaderValue::from_static("http://10.0.0.1"));
        headers.insert(HOST, HeaderValue::from_static("10.0.0.1"));
        assert_eq!(trusted.check(&headers), Ok(()));
        headers.append(HOST, HeaderValue::from_static("evil.example"));
        assert_eq!(trusted.check(&headers), Err(NotTrusted::Host));
    }
}
