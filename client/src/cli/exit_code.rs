//! How the program ends: its exit codes, in one place.

#[cfg(feature = "host")]
use crate::host::embedded_server::HostError;
use crate::net::NetError;
use gridrace_shared::protocol::server::{Farewell, Refusal};
use std::io::ErrorKind;
use std::process::ExitCode;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// 0: all went well.
    Done,
    /// 1: it didn't work, for a reason of its own.
    Failure,
    /// 2: the command line, or what was given to read, makes no sense.
    Usage,
    /// 69: the server can't be reached, isn't trusted, or takes nobody now (`EX_UNAVAILABLE`).
    Unreachable,
    /// 76: what answers speaks another protocol or version (`EX_PROTOCOL`).
    Protocol,
    /// 77: the server doesn't allow it (`EX_NOPERM`).
    Refused,
    /// 130: ended by Ctrl-C, or asked to end by a signal.
    Interrupted,
}

impl Exit {
    pub const ALL: [Self; 7] = [
        Self::Done,
        Self::Failure,
        Self::Usage,
        Self::Unreachable,
        Self::Protocol,
        Self::Refused,
        Self::Interrupted,
    ];

    /// Returns the number that the shell sees.
    pub const fn number(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failure => 1,
            Self::Usage => 2,
            Self::Unreachable => 69,
            Self::Protocol => 76,
            Self::Refused => 77,
            Self::Interrupted => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.number())
    }
}

impl From<&NetError> for Exit {
    fn from(error: &NetError) -> Self {
        match error {
            NetError::Address(_) => Self::Usage,
            NetError::Unknown
            | NetError::Unreachable(_)
            | NetError::Unavailable { .. }
            | NetError::TimedOut
            | NetError::Untrusted(_)
            | NetError::Lost(_) => Self::Unreachable,
            NetError::NoTls
            | NetError::NotPlain
            | NetError::NotGridrace
            | NetError::Version { .. }
            | NetError::Malformed => Self::Protocol,
            NetError::Dismissed(farewell) => Self::from(*farewell),
            NetError::Closed { code } => from_close_code(*code),
        }
    }
}

impl From<Farewell> for Exit {
    fn from(farewell: Farewell) -> Self {
        match farewell {
            Farewell::ShuttingDown
            | Farewell::Busy { .. }
            | Farewell::Silent
            | Farewell::TooSlow => Self::Unreachable,
            Farewell::Kicked | Farewell::Flooding | Farewell::Superseded => Self::Refused,
            Farewell::Malformed | Farewell::Version { .. } => Self::Protocol,
            Farewell::Broken => Self::Failure,
        }
    }
}

impl From<Refusal> for Exit {
    fn from(_: Refusal) -> Self {
        Self::Refused
    }
}

/// Why a command ends before it is done, and with which exit code.
#[derive(Debug)]
pub struct Failure {
    pub exit: Exit,
    pub why: anyhow::Error,
}

impl Failure {
    /// Makes a failure of a reason that has an exit code of its own.
    pub fn new(exit: Exit, why: impl Into<anyhow::Error>) -> Self {
        Self { exit, why: why.into() }
    }

    /// Makes a failure of words.
    pub fn said(exit: Exit, why: impl std::fmt::Display) -> Self {
        Self { exit, why: anyhow::anyhow!("{why}") }
    }
}

impl From<NetError> for Failure {
    fn from(error: NetError) -> Self {
        Self::new(Exit::from(&error), error)
    }
}

#[cfg(feature = "host")]
impl From<HostError> for Failure {
    fn from(error: HostError) -> Self {
        Self::new(Exit::Failure, error)
    }
}

impl From<anyhow::Error> for Failure {
    fn from(why: anyhow::Error) -> Self {
        Self { exit: Exit::Failure, why }
    }
}

/// Writing to a pipe that nobody reads any more is no failure: the reader has enough.
impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        let enough = error.kind() == ErrorKind::BrokenPipe;
        let exit = if enough { Exit::Done } else { Exit::Failure };
        Self::new(exit, error)
    }
}

fn from_close_code(number: u16) -> Exit {
    use gridrace_shared::protocol::close::CloseCode;
    match CloseCode::from_number(number) {
        Some(
            CloseCode::ShuttingDown | CloseCode::Busy | CloseCode::TooSlow | CloseCode::Silent,
        ) => Exit::Unreachable,
        Some(CloseCode::Kicked | CloseCode::Flooding | CloseCode::Superseded) => Exit::Refused,
        Some(
            CloseCode::ProtocolError
            | CloseCode::Malformed
            | CloseCode::TooBig
            | CloseCode::Version,
        ) => Exit::Protocol,
        Some(CloseCode::Broken) => Exit::Failure,
        // Without a code of ours the other end just went away.
        Some(CloseCode::Normal) | None => Exit::Unreachable,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_ways_to_end_share_a_code() {
        let mut numbers = Exit::ALL.map(Exit::number).to_vec();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers, [0, 1, 2, 69, 76, 77, 130]);
    }

    #[test]
    fn a_reader_that_has_enough_is_no_failure() {
        let broken = std::io::Error::from(ErrorKind::BrokenPipe);
        assert_eq!(Failure::from(broken).exit, Exit::Done);
    }

    #[test]
    fn a_connection_that_ends_says_why_by_its_code() {
        let exit = |code| Exit::from(&NetError::Closed { code });
        assert_eq!(exit(1011), Exit::Failure);
        assert_eq!(exit(1012), Exit::Unreachable);
        assert_eq!(exit(4000), Exit::Protocol);
        assert_eq!(exit(4001), Exit::Refused);
        assert_eq!(exit(4004), Exit::Refused);
        assert_eq!(exit(1005), Exit::Unreachable);
    }
}
