//! Connections: listening, admission, TLS, rate limits, the WebSocket.

pub(crate) mod admission;
pub(crate) mod client_rate;
pub(crate) mod lingering_close;
pub(crate) mod listener;
pub(crate) mod rate_limited_stream;
pub(crate) mod read_probe;
pub(crate) mod tls;
pub(crate) mod websocket;
