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
    let Some((codec, name)) = choose_codec(headers) else {
        return unknown_subprotocol();
    };
    if let Some(name) = name.and_then(|name| HeaderValue::from_str(name).ok()) {
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

/// Chooses the first offered subprotocol of the server's own version, else of another version,
/// whose client then hears in its codec which version the server speaks. Returns the name for the
/// answer with it: JSON without a name if none is offered, `None` if only unknown ones are.
fn choose_codec(headers: &HeaderMap) -> Option<(Codec, Option<&str>)> {
    let offered: Vec<&str> = headers
        .get_all(SEC_WEBSOCKET_PROTOCOL)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .collect();
    if offered.is_empty() {
        return Some((Codec::Json, None));
    }
    let current = |name: &str| Codec::ALL.into_iter().find(|codec| codec.subprotocol() == name);
    let first = |codec: &dyn Fn(&str) -> Option<Codec>| {
        offered.iter().find_map(|&name| codec(name).map(|codec| (codec, Some(name))))
    };
    first(&current).or_else(|| first(&Codec::of_subprotocol))
}

fn unknown_subprotocol() -> Response {
    let [first, second] = Codec::ALL.map(Codec::subprotocol);
    (
        StatusCode::UPGRADE_REQUIRED,
        [
            (UPGRADE, "websocket".to_owned()),
            (CONNECTION, "Upgrade".to_owned()),
            (SEC_WEBSOCKET_PROTOCOL, format!("{first}, {second}")),
        ],
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

    fn choose(offer: &'static str) -> Option<(Codec, Option<String>)> {
        let headers = headers(&[(SEC_WEBSOCKET_PROTOCOL, offer)]);
        choose_codec(&headers).map(|(codec, name)| (codec, name.map(str::to_owned)))
    }

    fn named(codec: Codec, name: &str) -> Option<(Codec, Option<String>)> {
        Some((codec, Some(name.to_owned())))
    }

    #[test]
    fn the_first_known_subprotocol_is_chosen() {
        let [binary, json] = Codec::ALL.map(Codec::subprotocol);
        assert_eq!(choose("gridrace.v5.json, gridrace.v5.bincode"), named(Codec::Json, json));
        assert_eq!(choose("chat, gridrace.v5.bincode"), named(Codec::Binary, binary));
        assert_eq!(choose("chat"), None);
        assert_eq!(choose_codec(&HeaderMap::new()), Some((Codec::Json, None)));
    }

    #[test]
    fn a_subprotocol_of_another_version_is_chosen_if_no_other_is_offered() {
        assert_eq!(choose("gridrace.v4.bincode"), named(Codec::Binary, "gridrace.v4.bincode"));
        let both = "gridrace.v4.json, gridrace.v5.json";
        assert_eq!(choose(both), named(Codec::Json, "gridrace.v5.json"));
        for unknown in ["gridrace.v4.xml", "gridrace.vx.json", "gridrace.v4", "gridrace"] {
            assert_eq!(choose(unknown), None, "{unknown}");
        }
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
