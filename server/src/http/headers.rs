//! Request headers as text.

use axum::http::header::HOST;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, Request, Version};

/// Returns the value of a header's first line; `None` unless it is visible ASCII.
pub(super) fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Returns the list in a header of any number of lines, without those that aren't visible ASCII.
pub(super) fn list_header(headers: &HeaderMap, name: &str) -> String {
    let lines = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    lines.collect::<Vec<_>>().join(",")
}

/// Returns the request's host, or a placeholder if it isn't safe to show in a command.
pub(crate) fn displayable_host(headers: &HeaderMap) -> &str {
    let host = header(headers, HOST.as_str());
    host.filter(|host| is_displayable_host(host)).unwrap_or("HOST")
}

/// Returns whether a request names its host as HTTP/1.1 requires (RFC 9112, section 3.2): by one
/// header with a host and perhaps a port, or with nothing. HTTP/1.0 may leave it out.
pub(crate) fn has_valid_host<B>(request: &Request<B>) -> bool {
    let mut hosts = request.headers().get_all(HOST).iter();
    match (hosts.next(), hosts.next()) {
        (None, _) => request.version() < Version::HTTP_11,
        (Some(host), None) => host.to_str().is_ok_and(|host| {
            host.is_empty() || !host.contains('@') && host.parse::<Authority>().is_ok()
        }),
        (Some(_), Some(_)) => false,
    }
}

fn is_displayable_host(text: &str) -> bool {
    let is_allowed = |c: u8| c.is_ascii_alphanumeric() || b".-:[]".contains(&c);
    (1..=255).contains(&text.len()) && text.bytes().all(is_allowed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;
    use axum::http::header::ACCEPT_ENCODING;

    #[test]
    fn a_list_is_that_of_all_lines_of_its_header() {
        let mut headers = HeaderMap::new();
        assert_eq!(list_header(&headers, "accept-encoding"), "");
        for line in [&b"br"[..], b"\xff", b"deflate, gzip"] {
            headers.append(ACCEPT_ENCODING, HeaderValue::from_bytes(line).unwrap());
        }
        assert_eq!(list_header(&headers, "accept-encoding"), "br,deflate, gzip");
    }

    #[test]
    fn only_a_valid_host_is_displayed() {
        for host in ["192.168.1.5:7415", "race.example", "[fe80::1]:7415"] {
            assert!(is_displayable_host(host), "{host}");
        }
        for other in ["", "a b", "$(reboot)", "x;y", "<b>", &"a".repeat(256)] {
            assert!(!is_displayable_host(other), "{other}");
        }
    }
}
