//! The codes with which the server closes a connection, in one place.

use crate::protocol::server::Farewell;

/// Why a WebSocket is closed, as its code says. Codes below 4000 are RFC 6455's own.
///
/// ```
/// use gridrace_shared::protocol::close::CloseCode;
/// assert_eq!(CloseCode::Kicked.number(), 4001);
/// for code in CloseCode::ALL {
///     assert_eq!(CloseCode::from_number(code.number()), Some(code));
/// }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CloseCode {
    /// The client said that it is done.
    Normal = 1000,
    ProtocolError = 1002,
    /// A frame that is no message.
    Malformed = 1007,
    /// More than is allowed.
    Flooding = 1008,
    /// A frame above the limit, the client's or the server's own.
    TooBig = 1009,
    Broken = 1011,
    /// The server shuts down, perhaps to start again.
    ShuttingDown = 1012,
    Busy = 1013,
    Version = 4000,
    Kicked = 4001,
    TooSlow = 4002,
    Silent = 4003,
    Superseded = 4004,
    Banned = 4005,
}

impl CloseCode {
    pub const ALL: [Self; 14] = [
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
        Self::Banned,
    ];

    /// Returns the number on the wire.
    pub const fn number(self) -> u16 {
        self as u16
    }

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
            | Self::Superseded
            | Self::Banned => false,
        }
    }
}

impl From<Farewell> for CloseCode {
    fn from(farewell: Farewell) -> Self {
        match farewell {
            Farewell::ShuttingDown => Self::ShuttingDown,
            Farewell::Kicked => Self::Kicked,
            Farewell::Banned => Self::Banned,
            Farewell::TooSlow => Self::TooSlow,
            Farewell::Flooding => Self::Flooding,
            Farewell::Malformed => Self::Malformed,
            Farewell::Silent => Self::Silent,
            Farewell::Superseded => Self::Superseded,
            Farewell::Version { .. } => Self::Version,
            Farewell::Busy { .. } => Self::Busy,
            Farewell::Broken => Self::Broken,
            Farewell::TableClosed | Farewell::SameBoards => Self::Normal,
        }
    }
}
