//! Options of the connection: certificates and the player's key.

use super::headings::SHARED_OPTIONS;
use crate::cli::exit_code::Failure;
use crate::cli::identity_file::{self, KEY_VARIABLE, KeyError};
use crate::net::{Tcp, Trust};
use gridrace_shared::heat::identity::Key;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Who connects, and which servers are trusted.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = SHARED_OPTIONS)]
pub struct ConnectionArgs {
    /// Be known to servers by the key in this file, which is made if there is none; "" for
    /// no key [default: key, beside your settings file]
    #[arg(long, env = KEY_VARIABLE, value_name = "FILE", hide_short_help = true)]
    identity: Option<OsString>,
    /// Trust the certificates in this PEM file as well, where the address is wss:// or https://
    #[arg(long, env = "GRIDRACE_CA", value_name = "FILE", hide_short_help = true)]
    ca: Option<OsString>,
}

impl ConnectionArgs {
    /// Returns the way to servers.
    pub fn tcp(&self) -> Result<Tcp, Failure> {
        let file = self.ca.as_ref().filter(|file| !file.is_empty());
        let trust = match file {
            Some(file) => Trust::with(Path::new(file)).map_err(Failure::other)?,
            None => Trust::default(),
        };
        Ok(Tcp::trusting(trust))
    }

    /// Returns the player's key, which is made if there is none yet; none if the player wants none.
    pub fn key(&self) -> Result<Option<Key>, KeyError> {
        self.key_file()?.map(|file| identity_file::at(&file)).transpose()
    }

    /// Returns the player's key, if there is one.
    pub fn existing_key(&self) -> Result<Option<Key>, KeyError> {
        let file = self.key_file()?.filter(|file| file.exists());
        file.map(|file| identity_file::at(&file)).transpose()
    }

    /// Returns the file of the player's key; none if the player wants none.
    pub fn key_file(&self) -> Result<Option<PathBuf>, KeyError> {
        match &self.identity {
            Some(none) if none.is_empty() => Ok(None),
            Some(file) => Ok(Some(PathBuf::from(file))),
            None => identity_file::of_this_machine().map(Some),
        }
    }
}
