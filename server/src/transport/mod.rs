//! Connections: the WebSocket, TLS, rates, admission.

pub(crate) mod admission;
pub(crate) mod plain_or_tls;
pub(crate) mod rate_limited_stream;
pub(crate) mod read_probe;
pub(crate) mod runtime_handoff;
pub(crate) mod tls;
pub(crate) mod websocket;
