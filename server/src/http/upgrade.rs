//! The WebSocket handshake: its checks, and the codec that is agreed.

use super::headers::header;
use super::origin::OriginPolicy;
use super::proxies;
use axum::body::Body;
use axum::http::header::{
    CONNECTION, HOST, SEC_WEBSOCKET_PROTOCOL, SEC_WEBSOCKET_VERSION, UPGRADE,
};
use axum::http::{HeaderMap, HeaderValue, Request, StatusCode, Version};
use axum::response::{IntoResponse, Response};
use gridrace_shared::protocol::codec::Codec;
use std::net::IpAddr;
use std::sync::OnceLock;
use tokio_tungstenite::tungstenite::handshake::server::create_response_with_body;

#[derive(Debug)]
pub(crate) struct Handshake {
    pub(crate) codec: Codec,
    /// The host that the client dialled.
    pub(crate) host: Box<str>,
    /// The client's address as a proxy reports it, trusted or not.
    pub(crate) forwarded_client: Option<IpAddr>,
}

/// Answers a WebSocket handshake, and sets `handshake` if it is granted.
pub(crate) fn answer_handshake<B>(
    policy: &OriginPolicy,
    request: &Request<B>,
    handshake: &OnceLock<Handshake>,
) -> Response {
    let headers = request.headers();
    if let Err(error) = policy.check(headers) {
        return (StatusCode::FORBIDDEN, format!("{error}\n")).into_response();
    }
    if request.version() != Version::HTTP_11 {
        return upgrade_required();
    }
    let Ok(mut response) = create_response_with_body(request, Body::empty) else {
        return upgrade_required();
    };
    let Some((codec, is_named)) = choose_codec(headers) else {
        return unknown_subprotocol();
    };
    if is_named {
        let name = HeaderValue::from_static(codec.subprotocol());
        response.headers_mut().insert(SEC_WEBSOCKET_PROTOCOL, name);
    }
    let host = header(headers, HOST.as_str()).unwrap_or_default().into();
    let forwarded_client = proxies::forwarded_client(headers);
    // The connection carries no second request after a granted handshake.
    handshake.set(Handshake { codec, host, forwarded_client }).ok();
    response
}

/// Answers a request that isn't a WebSocket handshake.
pub(super) fn upgrade_required() -> Response {
    let headers = [(UPGRADE, "websocket"), (CONNECTION, "Upgrade"), (SEC_WEBSOCKET_VERSION, "13")];
    let body = "this is the WebSocket of a gridrace server; see / for how to join\n";
    (StatusCode::UPGRADE_REQUIRED, headers, body).into_response()
}

/// Chooses the first offered subprotocol that the server knows, and returns whether the answer
/// must name it: JSON if none is offered, `None` if only unknown ones are.
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
    use axum::http::HeaderName;
    use axum::http::header::{SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY};

    fn headers(list: &[(HeaderName, &'static str)]) -> HeaderMap {
        let pairs =
            list.iter().map(|(name, value)| (name.clone(), HeaderValue::from_static(value)));
        pairs.collect()
    }

    #[test]
    fn the_first_known_subprotocol_is_chosen() {
        let choose = |offer| choose_codec(&headers(&[(SEC_WEBSOCKET_PROTOCOL, offer)]));
        assert_eq!(choose("gridrace.v4.json, gridrace.v4.bincode"), Some((Codec::Json, true)));
        assert_eq!(choose("chat, gridrace.v4.bincode"), Some((Codec::Binary, true)));
        assert_eq!(choose("chat"), None);
        assert_eq!(choose_codec(&HeaderMap::new()), Some((Codec::Json, false)));
    }

    #[test]
    fn only_a_complete_handshake_is_granted() {
        let complete = [
            (CONNECTION, "keep-alive, Upgrade"),
            (UPGRADE, "websocket"),
            (SEC_WEBSOCKET_VERSION, "13"),
            (SEC_WEBSOCKET_KEY, "dGhlIHNhbXBsZSBub25jZQ=="),
        ];
        let answer = |list: &[_]| {
            let mut request = Request::new(());
            *request.headers_mut() = headers(list);
            let policy = OriginPolicy::new(Vec::new(), &[]);
            answer_handshake(&policy, &request, &OnceLock::new())
        };
        let granted = answer(&complete);
        assert_eq!(granted.status(), StatusCode::SWITCHING_PROTOCOLS);
        assert_eq!(granted.headers()[SEC_WEBSOCKET_ACCEPT], "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
        for missing in 0..complete.len() {
            let mut part = complete.to_vec();
            part.remove(missing);
            assert_eq!(answer(&part).status(), StatusCode::UPGRADE_REQUIRED);
        }
        let mut short = complete;
        short[3].1 = "dGhlIHNhbXBsZQ==";
        assert_eq!(answer(&short).status(), StatusCode::UPGRADE_REQUIRED);
    }
}
