//! Headings in the help.

/// Over the options that all commands with a screen or a connection share.
pub(super) const SHARED_OPTIONS: &str = "Display and connection";
