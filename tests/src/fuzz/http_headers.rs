//! Request headers: origins that may open a WebSocket, the codec, and the client's address.

use gridrace_server::fuzzing::{HandshakeReport, OriginPolicy};
use std::sync::LazyLock;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::http::header::{HOST, ORIGIN, SEC_WEBSOCKET_KEY};
use tokio_tungstenite::tungstenite::http::{HeaderMap, HeaderName, HeaderValue};

/// The header in which a proxy passes on the client's address.
const FORWARDED: HeaderName = HeaderName::from_static("x-forwarded-for");
/// The status that grants a WebSocket (RFC 6455, section 4.2.2).
const GRANTED: u16 = 101;

static POLICY: LazyLock<OriginPolicy> = LazyLock::new(|| {
    let origins = vec!["https://race.example".to_owned()];
    OriginPolicy::new(origins, &["Hall.example".to_owned()])
});

/// Headers, one a line, as `name: value`.
pub(super) fn request(input: &[u8]) -> bool {
    let mut headers = HeaderMap::new();
    for line in input.split(|&byte| byte == b'\n') {
        let colon = line.iter().position(|&byte| byte == b':');
        let Some((name, value)) = colon.map(|at| line.split_at(at)) else {
            continue;
        };
        let name = HeaderName::from_bytes(name);
        let value = HeaderValue::from_bytes(value[1..].trim_ascii());
        if let (Ok(name), Ok(value)) = (name, value) {
            headers.append(name, value);
        }
    }
    let asked = POLICY.answer(headers.clone());
    assert!(asked.displayed_host.bytes().all(is_plain), "{asked:?}");
    let is_granted = asked.status == GRANTED;
    assert_eq!(asked.granted.is_some(), is_granted);
    assert_eq!(asked.accept.is_some(), is_granted);
    if is_granted {
        granted(&headers, &asked);
    }
    is_granted
}

fn granted(headers: &HeaderMap, asked: &HandshakeReport) {
    let key = headers.get(SEC_WEBSOCKET_KEY).unwrap().as_bytes();
    assert_eq!(asked.accept, Some(derive_accept_key(key)));
    let (codec, host, client) = asked.granted.clone().unwrap();
    // Only the last entry counts: earlier ones may be forged.
    let mut behind_more = HeaderMap::new();
    for line in headers.get_all(&FORWARDED) {
        behind_more.append(FORWARDED, HeaderValue::from_static("192.0.2.1"));
        let line = [b"192.0.2.2, ", line.as_bytes()].concat();
        behind_more.append(FORWARDED, HeaderValue::from_bytes(&line).unwrap());
    }
    let mut same = headers.clone();
    same.remove(&FORWARDED);
    same.extend(behind_more);
    assert_eq!(POLICY.answer(same), *asked);
    if let Some(client) = client {
        assert_eq!(client, client.to_canonical());
        let mut plain = headers.clone();
        let text = client.to_string();
        plain.insert(FORWARDED, HeaderValue::from_str(&text).unwrap());
        let same = Some((codec, host.clone(), Some(client)));
        assert_eq!(POLICY.answer(plain).granted, same);
    }
    if headers.contains_key(ORIGIN) {
        assert_eq!(headers.get_all(ORIGIN).iter().count(), 1);
        assert_eq!(headers.get_all(HOST).iter().count(), 1);
        assert!(asked.is_host_accepted);
        assert_other_hosts_refused(headers, &host);
    }
}

/// A page of another domain is refused, also one whose name begins like an allowed one.
fn assert_other_hosts_refused(headers: &HeaderMap, host: &str) {
    let name = host.split(':').next().unwrap_or_default();
    for name in [format!("{name}.evil.example"), "evil.example".to_owned()] {
        let Ok(value) = HeaderValue::from_str(&name) else {
            continue;
        };
        let mut theirs = headers.clone();
        theirs.insert(HOST, value);
        assert_ne!(POLICY.answer(theirs.clone()).status, GRANTED, "{name}");
        let origin = format!("http://{name}");
        theirs.insert(ORIGIN, HeaderValue::from_str(&origin).unwrap());
        assert_ne!(POLICY.answer(theirs).status, GRANTED, "{name}");
    }
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte)
}
