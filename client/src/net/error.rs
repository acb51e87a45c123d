//! Errors of a connection, and whether to retry after one.

use crate::net::address::AddressError;
use gridrace_shared::protocol::VERSION;
use gridrace_shared::protocol::close::CloseCode;
use gridrace_shared::protocol::server::Farewell;
use std::io::ErrorKind;
use std::time::Duration;
use tokio_tungstenite::tungstenite;
use tokio_tungstenite::tungstenite::http::header;

/// An error of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NetError {
    /// The address can't be read.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// No machine is known by that name, or no name server answers.
    #[error("no machine with this name was found")]
    Unknown,
    #[error("the server can't be reached: {0}")]
    Unreachable(ErrorKind),
    /// It answers that it can't serve now: it is full, or a proxy before it can't reach it.
    #[error("the server is full or restarting")]
    Unavailable {
        /// When to try again, where it says so.
        retry_seconds: Option<u16>,
    },
    /// The server can't be told from another that pretends to be it.
    #[error(transparent)]
    Untrusted(#[from] UntrustedError),
    #[error("the server doesn't use TLS: write ws:// for wss://, http:// for https://")]
    NoTls,
    /// It speaks nothing that can be read without TLS.
    #[error("the server expects TLS: write wss:// before the address")]
    NotPlain,
    /// What answers speaks another protocol.
    #[error("this isn't a gridrace server")]
    NotGridrace,
    /// The server speaks another version of the protocol.
    #[error("the server speaks protocol version {server}, this program {VERSION}")]
    Version { server: u16 },
    /// The server said goodbye before it said welcome.
    #[error("{0}")]
    Dismissed(Farewell),
    #[error("the server doesn't answer")]
    TimedOut,
    #[error("the connection was lost: {0}")]
    Lost(ErrorKind),
    /// The server closed the connection.
    #[error("the server closed the connection ({code})")]
    Closed {
        /// The close code, 1005 where none was given.
        code: u16,
    },
    /// The server sent what is no message.
    #[error("the server sent a message that this program can't read")]
    Malformed,
}

/// The reason to reject a server's certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UntrustedError {
    /// No trusted authority has signed it.
    #[error("the server's certificate isn't signed by a trusted authority: --ca trusts one more")]
    Signer,
    #[error("the server's certificate has expired")]
    Expired,
    /// Its time is still to come.
    #[error("the server's certificate isn't valid yet, or this machine's clock is wrong")]
    Early,
    #[error("the server's certificate is for another name or address")]
    Name,
    /// It is not meant for a server.
    #[error("the certificate is an authority's (CA:TRUE), not a server's")]
    Authority,
    #[error("the server's certificate can't be used")]
    Unusable,
}

impl NetError {
    /// Says what happened at an address, and what to do about it.
    pub fn at(self, address: &str) -> String {
        match self {
            Self::Address(error) => format!("{address:?} isn't an address: {error}"),
            Self::Unknown => unknown(address),
            Self::Unreachable(kind) => unreachable(address, kind),
            Self::TimedOut => unreachable(address, ErrorKind::TimedOut),
            Self::Unavailable { retry_seconds } => {
                let when = retry_seconds
                    .map_or_else(|| "a moment".to_owned(), |seconds| format!("{seconds} s"));
                format!("{address} is full or restarting: try again in {when}")
            }
            Self::NoTls => {
                format!("{address} doesn't use TLS: write ws:// for wss://, http:// for https://")
            }
            Self::NotPlain => format!("{address} expects TLS: write wss:// before the address"),
            Self::NotGridrace => format!("{address} isn't a gridrace server: check the port"),
            Self::Version { server } => {
                let (what, who) = if server > VERSION {
                    ("newer", "this program")
                } else {
                    ("older", "the server")
                };
                format!("{address} is {what} (protocol {server}, here {VERSION}): update {who}")
            }
            Self::Untrusted(_) | Self::Dismissed(_) | Self::Malformed => {
                format!("{address}: {self}")
            }
            Self::Lost(kind) => format!("connection to {address} lost: {kind}"),
            // The code that stands for none (RFC 6455, 7.1.5).
            Self::Closed { code: 1005 } => format!("{address} closed the connection"),
            Self::Closed { code } => {
                format!("{address} closed the connection (WebSocket close code {code})")
            }
        }
    }

    /// Says whether it makes sense to connect again by itself.
    pub fn may_retry(self) -> bool {
        if let Self::Dismissed(farewell) = self {
            return CloseCode::from(farewell).may_retry();
        }
        if let Self::Closed { code } = self {
            // Without a code the other end just vanished.
            return CloseCode::from_number(code).is_none_or(CloseCode::may_retry);
        }
        matches!(
            self,
            Self::Unknown
                | Self::Unreachable(_)
                | Self::Unavailable { .. }
                | Self::TimedOut
                | Self::Lost(_)
        )
    }

    /// Returns how long the server wants to be left alone, where it has said so.
    pub fn wish(self) -> Option<Duration> {
        if let Self::Unavailable { retry_seconds: Some(seconds) }
        | Self::Dismissed(Farewell::Busy { retry_seconds: seconds }) = self
        {
            Some(Duration::from_secs(seconds.into()))
        } else {
            None
        }
    }
}

fn unknown(address: &str) -> String {
    let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
    let found = format!("no machine named {host} was found: check the spelling");
    // A name without a dot may be a code with letters too many.
    if host.contains('.') { found } else { format!("{found} (a room's code has four letters)") }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the library's list grows")]
fn unreachable(address: &str, kind: ErrorKind) -> String {
    match kind {
        ErrorKind::ConnectionRefused => {
            format!("connection refused by {address}: is the server running?")
        }
        ErrorKind::TimedOut => {
            format!("no answer from {address}: check the address, or a firewall")
        }
        ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable => {
            format!("no route to {address}: are both machines on one network?")
        }
        ErrorKind::ConnectionReset => format!("{address} hung up at once: try again"),
        kind => format!("can't reach {address}: {kind}"),
    }
}

/// What HTTP says in place of a server that is full or away (RFC 9110, section 15.6).
const AWAY: [u16; 3] = [502, 503, 504];
/// The close code that stands for "none was given" (RFC 6455, section 7.1.5).
pub(super) const NO_CODE: u16 = 1005;

/// Says what an error of the handshake means.
#[expect(clippy::wildcard_enum_match_arm, reason = "the library's list grows")]
pub(super) fn unwelcome(error: &tungstenite::Error) -> NetError {
    use tungstenite::Error;
    use tungstenite::error::ProtocolError::{
        HandshakeIncomplete, HttparseError, ResetWithoutClosingHandshake,
    };
    match error {
        Error::Io(error) => NetError::Unreachable(error.kind()),
        // It hung up without a word.
        Error::Protocol(HandshakeIncomplete | ResetWithoutClosingHandshake)
        | Error::ConnectionClosed => NetError::Unreachable(ErrorKind::ConnectionReset),
        Error::Protocol(HttparseError(_)) => NetError::NotPlain,
        Error::Http(answer) if AWAY.contains(&answer.status().as_u16()) => {
            let wish = answer.headers().get(header::RETRY_AFTER);
            let retry_seconds = wish.and_then(|wish| wish.to_str().ok()?.parse().ok());
            NetError::Unavailable { retry_seconds }
        }
        // Every other way in which a handshake fails is an answer, but not ours.
        _ => NetError::NotGridrace,
    }
}

/// Says what an error of an open connection means.
#[expect(clippy::wildcard_enum_match_arm, reason = "the library's list grows")]
pub(super) fn broken(error: &tungstenite::Error) -> NetError {
    use tungstenite::Error;
    use tungstenite::error::ProtocolError::ResetWithoutClosingHandshake;
    match error {
        Error::Io(error) => NetError::Lost(error.kind()),
        Error::Protocol(ResetWithoutClosingHandshake) => NetError::Lost(ErrorKind::ConnectionReset),
        Error::ConnectionClosed | Error::AlreadyClosed => NetError::Closed { code: NO_CODE },
        Error::WriteBufferFull(_) => NetError::TimedOut,
        _ => NetError::Malformed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_the_address_and_the_way_out() {
        let refused = NetError::Unreachable(ErrorKind::ConnectionRefused);
        assert_eq!(
            refused.at("192.168.1.5:7415"),
            "connection refused by 192.168.1.5:7415: is the server running?"
        );
        for (error, way_out) in [
            (NetError::Unknown, "four letters"),
            (NetError::TimedOut, "firewall"),
            (NetError::Unreachable(ErrorKind::HostUnreachable), "one network"),
            (NetError::Unavailable { retry_seconds: Some(7) }, "try again in 7 s"),
            (NetError::NoTls, "ws://"),
            (NetError::NotPlain, "wss://"),
            (NetError::NotGridrace, "the port"),
            (NetError::Version { server: VERSION + 1 }, "update this program"),
            (NetError::Version { server: VERSION - 1 }, "update the server"),
            (UntrustedError::Signer.into(), "--ca"),
            (NetError::Lost(ErrorKind::ConnectionReset), "lost"),
            (NetError::Closed { code: 1006 }, "1006"),
        ] {
            let text = error.at("box:7415");
            assert!(text.contains("box") && text.contains(way_out), "{text}");
        }
    }
}
