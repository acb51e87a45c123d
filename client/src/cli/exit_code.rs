//! Exit codes, and the errors and close codes that they stand for.

use crate::cli::identity_file::KeyError;
#[cfg(feature = "host")]
use crate::host::embedded_server::HostError;
use crate::net::NetError;
use crate::session::SessionError;
use crate::tui::own_server::StartServerError;
use gridrace_shared::protocol::close::CloseCode;
use gridrace_shared::protocol::server::Farewell;
use std::fmt::Display;
use std::io::ErrorKind;
use std::process::ExitCode;

/// How the program ends. The discriminant is the number that the shell sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    Done = 0,
    /// A failure without a more specific code.
    Failure = 1,
    /// The command line, or what was given to read, makes no sense.
    Usage = 2,
    /// The server can't be reached, isn't trusted, or admits no clients now (`EX_UNAVAILABLE`).
    Unreachable = 69,
    /// What answers speaks another protocol or version (`EX_PROTOCOL`).
    Protocol = 76,
    /// The server doesn't allow it (`EX_NOPERM`).
    Refused = 77,
    /// Ended by Ctrl-C, or asked to end by a signal.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
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
            // Without a code of ours the other end just went away.
            NetError::Closed { code } => {
                CloseCode::from_number(*code).map_or(Self::Unreachable, Self::from)
            }
        }
    }
}

impl From<CloseCode> for Exit {
    fn from(code: CloseCode) -> Self {
        match code {
            CloseCode::ShuttingDown
            | CloseCode::Busy
            | CloseCode::TooSlow
            | CloseCode::Silent
            | CloseCode::Normal => Self::Unreachable,
            CloseCode::Kicked | CloseCode::Banned | CloseCode::Flooding | CloseCode::Superseded => {
                Self::Refused
            }
            CloseCode::ProtocolError
            | CloseCode::Malformed
            | CloseCode::TooBig
            | CloseCode::Version => Self::Protocol,
            CloseCode::Broken => Self::Failure,
        }
    }
}

impl From<Farewell> for Exit {
    fn from(farewell: Farewell) -> Self {
        Self::from(CloseCode::from(farewell))
    }
}

/// Why a command ends before it is done, and with which exit code.
#[derive(Debug)]
pub struct Failure {
    pub exit: Exit,
    pub why: anyhow::Error,
}

impl Failure {
    /// A failure whose reason has its own exit code.
    pub fn new(exit: Exit, why: impl Into<anyhow::Error>) -> Self {
        Self { exit, why: why.into() }
    }

    /// A wrong command line or input.
    pub fn usage(why: impl Display) -> Self {
        Self { exit: Exit::Usage, why: anyhow::anyhow!("{why}") }
    }

    /// Any other failure.
    pub fn other(why: impl Display) -> Self {
        Self { exit: Exit::Failure, why: anyhow::anyhow!("{why}") }
    }

    /// A connection that failed, with the address and the way out.
    pub fn at(address: &str, error: NetError) -> Self {
        Self { exit: Exit::from(&error), why: anyhow::anyhow!(error.at(address)) }
    }

    /// A request that failed on a server.
    pub fn of_session(address: &str, error: SessionError) -> Self {
        match error {
            SessionError::Net(error) => Self::at(address, error),
            SessionError::Refused(_) | SessionError::Dismissed(_) | SessionError::Tournament(_) => {
                let Self { exit, why } = error.into();
                Self { exit, why: anyhow::anyhow!("{address}: {why}") }
            }
        }
    }

    /// The end by Ctrl-C or a signal.
    pub fn interrupted() -> Self {
        Self { exit: Exit::Interrupted, why: anyhow::anyhow!("interrupted") }
    }
}

#[cfg(feature = "host")]
impl From<HostError> for Failure {
    fn from(error: HostError) -> Self {
        Self::new(Exit::Failure, error)
    }
}

impl From<SessionError> for Failure {
    fn from(error: SessionError) -> Self {
        let exit = match &error {
            SessionError::Net(error) => Exit::from(error),
            SessionError::Refused(_) | SessionError::Tournament(_) => Exit::Refused,
            SessionError::Dismissed(farewell) => Exit::from(*farewell),
        };
        Self::new(exit, error)
    }
}

impl From<KeyError> for Failure {
    fn from(error: KeyError) -> Self {
        Self::new(Exit::Failure, error)
    }
}

impl From<StartServerError> for Failure {
    fn from(error: StartServerError) -> Self {
        Self::new(Exit::Failure, error)
    }
}

impl From<anyhow::Error> for Failure {
    fn from(why: anyhow::Error) -> Self {
        Self { exit: Exit::Failure, why }
    }
}

/// Writing to a pipe whose reader is gone is no failure: the reader has enough.
impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        let enough = error.kind() == ErrorKind::BrokenPipe;
        let exit = if enough { Exit::Done } else { Exit::Failure };
        Self::new(exit, error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_pipe_is_no_failure() {
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
