//! The command line: arguments, dispatch, exit codes, signals.

pub mod args;
pub mod command_line;
pub mod dispatch;
pub mod exit_code;
pub mod identity_file;
pub mod report;
pub mod settings_file;
pub mod signals;
