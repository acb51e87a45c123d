//! From HTTP to the WebSocket: who may, in which codec, and the handover.

use super::{Trusted, header, proxies};
use axum::http::header::{
    CONNECTION, HOST, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_PROTOCOL,
    SEC_WEBSOCKET_VERSION, UPGRADE,
};
use axum::http::{HeaderMap, HeaderValue, Request, StatusCode, Version};
use axum::response::{IntoResponse, Response};
use gridrace_shared::protocol::codec::Codec;
use std::net::IpAddr;
use std::sync::OnceLock;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

/// What a handshake has come to.
#[derive(Debug)]
pub(crate) struct Agreed {
    pub(crate) codec: Codec,
    /// As what the client dialled this server.
    pub(crate) host: Box<str>,
    /// For whom a proxy asks, if it is one, and if it can be believed.
    pub(crate) client: Option<IpAddr>,
}

/// Answers a request for the WebSocket, and notes what was agreed if it is granted.
pub(crate) fn shake_hands<B>(
    trusted: &Trusted,
    request: &Request<B>,
    agreed: &OnceLock<Agreed>,
) -> Response {
    let headers = request.headers();
    if let Err(why) = trusted.check(headers) {
        return (StatusCode::FORBIDDEN, format!("{why}\n")).into_response();
    }
    let is_1_1 = request.version() == Version::HTTP_11;
    let Some(accept) = accept_key(headers).filter(|_| is_1_1) else {
        return refuse();
    };
    let Some((codec, named)) = choose_codec(headers) else {
        return unknown_subprotocol();
    };
    let host = header(headers, HOST.as_str()).unwrap_or_default().into();
    let mut response = (
        StatusCode::SWITCHING_PROTOCOLS,
        [(UPGRADE, "websocket"), (CONNECTION, "Upgrade")],
        [(SEC_WEBSOCKET_ACCEPT, accept)],
    )
        .into_response();
    if named {
        let name = HeaderValue::from_static(codec.subprotocol());
        response.headers_mut().insert(SEC_WEBSOCKET_PROTOCOL, name);
    }
    // The line is the WebSocket's after this answer, so there is no second one.
    let client = proxies::client(headers);
    let set = Agreed { codec, host, client };
    agreed.set(set).ok();
    response
}

/// Answers a request that can be no handshake.
pub(super) async fn no_handshake() -> Response {
    refuse()
}

/// Returns the key that answers a well-formed handshake (RFC 6455, section 4.2.1).
fn accept_key(headers: &HeaderMap) -> Option<String> {
    let has = |name: &str, word: &str| {
        header(headers, name).is_some_and(|value| {
            value.split(',').any(|part| part.trim().eq_ignore_ascii_case(word))
        })
    };
    let wanted = has(CONNECTION.as_str(), "upgrade")
        && has(UPGRADE.as_str(), "websocket")
        && has(SEC_WEBSOCKET_VERSION.as_str(), "13");
    let key = headers.get(SEC_WEBSOCKET_KEY).filter(|_| wanted)?;
    let is_16_bytes = key.len() == 24 && key.as_bytes().ends_with(b"==");
    is_16_bytes.then(|| derive_accept_key(key.as_bytes()))
}

fn refuse() -> Response {
    let headers = [(UPGRADE, "websocket"), (CONNECTION, "Upgrade"), (SEC_WEBSOCKET_VERSION, "13")];
    let body = "this is the WebSocket of a gridrace server: / says how to join\n";
    (StatusCode::UPGRADE_REQUIRED, headers, body).into_response()
}

/// Chooses the first subprotocol of the client's that the server knows, and says whether
/// to name it; JSON where none is offered, nothing where only unknown ones are.
fn choose_codec(headers: &HeaderMap) -> Option<(Codec, bool)> {
    let mut offered = headers
        .get_all(SEC_WEBSOCKET_PROTOCOL)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .peekable();
    if offered.peek().is_none() {
        return Some((Codec::Json, false));
    }
    let known = |name: &str| Codec::ALL.into_iter().find(|codec| codec.subprotocol() == name);
    offered.find_map(known).map(|codec| (codec, true))
}

fn unknown_subprotocol() -> Response {
    let [first, second] = Codec::ALL.map(Codec::subprotocol);
    (
        StatusCode::UPGRADE_REQUIRED,
        [(UPGRADE, "websocket".to_owned()), (SEC_WEBSOCKET_PROTOCOL, format!("{first}, {second}"))],
        format!("unknown subprotocol: this server speaks {first} and {second}\n"),
    )
        .into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::{HeaderName, HeaderValue};

    fn headers(list: &[(HeaderName, &'static str)]) -> HeaderMap {
        let pairs =
            list.iter().map(|(name, value)| (name.clone(), HeaderValue::from_static(value)));
        pairs.collect()
    }

    #[test]
    fn the_codec_is_the_first_that_both_know() {
        let choose = |offer| choose_codec(&headers(&[(SEC_WEBSOCKET_PROTOCOL, offer)]));
        assert_eq!(choose("gridrace.v4.json, gridrace.v4.bincode"), Some((Codec::Json, true)));
        assert_eq!(choose("chat, gridrace.v4.bincode"), Some((Codec::Binary, true)));
        assert_eq!(choose("chat"), None);
        assert_eq!(choose_codec(&HeaderMap::new()), Some((Codec::Json, false)));
    }

    #[test]
    fn only_a_whole_handshake_is_answered() {
        let whole = [
            (CONNECTION, "keep-alive, Upgrade"),
            (UPGRADE, "websocket"),
            (SEC_WEBSOCKET_VERSION, "13"),
            (SEC_WEBSOCKET_KEY, "dGhlIHNhbXBsZSBub25jZQ=="),
        ];
        assert_eq!(accept_key(&headers(&whole)).as_deref(), Some("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="));
        for missing in 0..whole.len() {
            let mut part = whole.to_vec();
            part.remove(missing);
            assert_eq!(accept_key(&headers(&part)), None);
        }
        let mut short = whole;
        short[3].1 = "dGhlIHNhbXBsZQ==";
        assert_eq!(accept_key(&headers(&short)), None);
    }
}
