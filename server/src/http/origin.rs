//! Checks `Origin` and `Host` of a browser's WebSocket request.
//!
//! A page of another site must not open a WebSocket in its visitor's name, so a browser's origin
//! must be this server's or a configured one. That alone isn't enough: the owner of
//! `evil.example` can point that name at an address in the visitor's network (DNS rebinding),
//! and then origin and host agree. So the host must be one that no outsider can own: an IP
//! address, this machine's name, or a configured one.
//!
//! Programs send no origin and run no foreign pages, so their requests aren't checked.

use super::headers::header;
use axum::http::HeaderMap;
use axum::http::header::{HOST, ORIGIN};
use axum::http::uri::Authority;
use std::net::{IpAddr, Ipv6Addr};

/// The origins and host names that a server accepts.
#[derive(Debug)]
pub(crate) struct OriginPolicy {
    origins: Vec<String>,
    /// Names of the server, in lower case.
    host_names: Vec<String>,
}

/// A text isn't an origin or a host name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SiteError {
    #[error("expected an origin like https://race.example, with a port unless it is 443 or 80")]
    Origin,
    #[error("expected a host name like race.example, without scheme, port or path")]
    HostName,
}

/// Parses an origin as browsers send it; a trailing slash is removed.
pub fn parse_origin(text: &str) -> Result<String, SiteError> {
    let origin = text.strip_suffix('/').unwrap_or(text);
    let host = authority(origin).and_then(host_of);
    host.map(|_| origin.to_owned()).ok_or(SiteError::Origin)
}

/// Parses a host name; returns it in lower case.
pub fn parse_host_name(text: &str) -> Result<String, SiteError> {
    let name = host_of(text).filter(|_| !text.contains(':'));
    name.ok_or(SiteError::HostName)
}

/// A page may not open a WebSocket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum OriginError {
    #[error("this origin is not allowed; the server allows others with `--origin`")]
    Origin,
    #[error("unknown host name; requests by host name need `--host NAME`")]
    Host,
}

impl OriginPolicy {
    /// Accepts these origins with their hosts, these host names, and the machine's own.
    pub(crate) fn new(origins: Vec<String>, hosts: &[String]) -> Self {
        let authorities = origins.iter().filter_map(|origin| authority(origin));
        let mut host_names: Vec<String> = authorities.filter_map(host_of).collect();
        host_names.extend(hosts.iter().map(|name| name.to_ascii_lowercase()));
        host_names.extend(own_names());
        Self { origins, host_names }
    }

    pub(crate) fn check(&self, headers: &HeaderMap) -> Result<(), OriginError> {
        let Some(origin) = headers.get(ORIGIN) else {
            return Ok(());
        };
        let origin = origin.to_str().unwrap_or_default();
        if headers.get_all(ORIGIN).iter().count() > 1 {
            return Err(OriginError::Origin);
        }
        let host = host(headers)?;
        let is_own = authority(origin).is_some_and(|own| own.eq_ignore_ascii_case(host));
        let mut allowed = self.origins.iter();
        if !is_own && !allowed.any(|allowed| allowed.eq_ignore_ascii_case(origin)) {
            return Err(OriginError::Origin);
        }
        self.check_name(host)
    }

    /// Checks the host of a request without an origin, which browsers omit for a page's requests
    /// to its own site.
    pub(crate) fn check_host(&self, headers: &HeaderMap) -> Result<(), OriginError> {
        self.check_name(host(headers)?)
    }

    fn check_name(&self, host: &str) -> Result<(), OriginError> {
        let name = host_of(host).ok_or(OriginError::Host)?;
        if is_address(&name) || self.host_names.contains(&name) {
            Ok(())
        } else {
            Err(OriginError::Host)
        }
    }
}

/// Returns the host, if a request has exactly one.
fn host(headers: &HeaderMap) -> Result<&str, OriginError> {
    let hosts = headers.get_all(HOST).iter().count();
    let host = header(headers, HOST.as_str()).filter(|_| hosts == 1);
    host.ok_or(OriginError::Host)
}

/// Returns an origin's host and port; `None` unless it is an HTTP origin.
fn authority(origin: &str) -> Option<&str> {
    let (scheme, authority) = origin.split_once("://")?;
    matches!(scheme, "http" | "https").then_some(authority)
}

/// Returns the host without its port and final dot, in lower case.
fn host_of(authority: &str) -> Option<String> {
    let authority: Authority = authority.parse().ok()?;
    let host = authority.host();
    let is_bare = !authority.as_str().contains('@') && !host.is_empty();
    is_bare.then(|| host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase())
}

fn is_address(host: &str) -> bool {
    let bracketed = |host: &str| {
        let host = host.strip_prefix('[')?.strip_suffix(']')?;
        host.parse::<Ipv6Addr>().ok()
    };
    host.parse::<IpAddr>().is_ok() || bracketed(host).is_some()
}

/// Returns the names of this machine that no outsider can own: `localhost`, its host name, and
/// that name in multicast DNS.
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

    fn check(host: &str, origin: &str) -> Result<(), OriginError> {
        let policy = OriginPolicy::new(
            vec!["https://race.example".to_owned()],
            &["Club.example".to_owned()],
        );
        let mut headers = HeaderMap::new();
        headers.insert(HOST, HeaderValue::from_str(host).unwrap());
        headers.insert(ORIGIN, HeaderValue::from_str(origin).unwrap());
        policy.check(&headers)
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
            assert_eq!(here(other), Err(OriginError::Origin), "{other}");
        }
    }

    #[test]
    fn a_foreign_name_is_refused_even_if_origin_and_host_agree() {
        for name in [
            "evil.example",
            "evil.example:7415",
            "localhost.evil.example",
            "10.0.0.1.evil.example",
            "0x7f000001",
        ] {
            let origin = format!("http://{name}");
            assert_eq!(check(name, &origin), Err(OriginError::Host), "{name}");
        }
    }

    #[test]
    fn addresses_and_known_names_are_accepted() {
        for name in [
            "192.168.1.5:7415",
            "127.0.0.1",
            "[fe80::1]:7415",
            "[::1]",
            "localhost:7415",
            "LocalHost.",
            "club.example:443",
            "race.example",
        ] {
            assert_eq!(check(name, &format!("http://{name}")), Ok(()), "{name}");
        }
        for name in own_names() {
            assert_eq!(check(&name, &format!("http://{name}")), Ok(()), "{name}");
        }
    }

    #[test]
    fn requests_without_an_origin_are_accepted_and_those_with_two_hosts_refused() {
        let policy = OriginPolicy::new(Vec::new(), &[]);
        assert_eq!(policy.check(&HeaderMap::new()), Ok(()));
        let mut headers = HeaderMap::new();
        headers.insert(HOST, HeaderValue::from_static("anything.example"));
        assert_eq!(policy.check(&headers), Ok(()));
        headers.insert(ORIGIN, HeaderValue::from_static("http://10.0.0.1"));
        headers.insert(HOST, HeaderValue::from_static("10.0.0.1"));
        assert_eq!(policy.check(&headers), Ok(()));
        headers.append(HOST, HeaderValue::from_static("evil.example"));
        assert_eq!(policy.check(&headers), Err(OriginError::Host));
    }
}
