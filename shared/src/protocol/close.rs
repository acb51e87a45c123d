//! The codes with which the server closes a connection, in one place.

use crate::protocol::server::Farewell;

/// Why a WebSocket is closed, as its code says. Codes below 4000 are RFC 6455's own.
///
/// ```
/// use gridrace_shared::protocol::close::CloseCode;
/// assert_eq!(CloseCode::Kicked.number(), 4001);
/// assert_eq!(CloseCode::from_number(4001), Some(CloseCode::Kicked));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CloseCode {
    /// 1000: the client said that it is done.
    Normal,
    /// 1002: against the WebSocket protocol.
    ProtocolError,
    /// 1007: a frame that is no message.
    Malformed,
    /// 1008: more than is allowed.
    Flooding,
    /// 1009: a frame above the limit, the client's or the server's own.
    TooBig,
    /// 1011: a mistake in the server ended the heat.
    Broken,
    /// 1012: the server shuts down, perhaps to start again.
    ShuttingDown,
    /// 1013: the server is full.
    Busy,
    /// 4000: another protocol version.
    Version,
    /// 4001: the host sent the client away.
    Kicked,
    /// 4002: the client reads too slowly.
    TooSlow,
    /// 4003: nothing was heard for too long.
    Silent,
    /// 4004: a newer connection took up the client's seat.
    Superseded,
}

impl CloseCode {
    /// Every code.
    pub const ALL: [Self; 13] = [
        Self::Normal,
        Self::ProtocolError,
        Self::Malformed,
        Self::Flooding,
        Self::TooBig,
        Self::Broken,
        Self::ShuttingDown,
        Self::Busy,
        Self::Version,
        Self::Kicked,
        Self::TooSlow,
        Self::Silent,
        Self::Superseded,
    ];

    /// Returns the number on the wire.
    pub const fn number(self) -> u16 {
        match self {
            Self::Normal => 1000,
            Self::ProtocolError => 1002,
            Self::Malformed => 1007,
            Self::Flooding => 1008,
            Self::TooBig => 1009,
            Self::Broken => 1011,
            Self::ShuttingDown => 1012,
            Self::Busy => 1013,
            Self::Version => 4000,
            Self::Kicked => 4001,
            Self::TooSlow => 4002,
            Self::Silent => 4003,
            Self::Superseded => 4004,
        }
    }

    /// Returns the code of a number.
    pub fn from_number(number: u16) -> Option<Self> {
        Self::ALL.into_iter().find(|code| code.number() == number)
    }

    /// Says whether it makes sense to connect again by itself.
    pub const fn may_retry(self) -> bool {
        match self {
            Self::ShuttingDown | Self::Busy | Self::TooSlow | Self::Silent => true,
            Self::Normal
            | Self::ProtocolError
            | Self::Malformed
            | Self::Flooding
            | Self::TooBig
            | Self::Broken
            | Self::Version
            | Self::Kicked
            | Self::Superseded => false,
        }
    }
}

impl From<Farewell> for CloseCode {
    fn from(farewell: Farewell) -> Self {
        match farewell {
            Farewell::ShuttingDown => Self::ShuttingDown,
            Farewell::Kicked => Self::Kicked,
            Farewell::TooSlow => Self::TooSlow,
            Farewell::Flooding => Self::Flooding,
            Farewell::Malformed => Self::Malformed,
            Farewell::Silent => Self::Silent,
            Farewell::Superseded => Self::Superseded,
            Farewell::Version { .. } => Self::Version,
            Farewell::Busy { .. } => Self::Busy,
            Farewell::Broken => Self::Broken,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_read_back_from_its_number() {
        for code in CloseCode::ALL {
            assert_eq!(CloseCode::from_number(code.number()), Some(code));
        }
    }
}
