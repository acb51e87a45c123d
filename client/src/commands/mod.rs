//! One module a subcommand.

pub mod bot;
pub mod check;
pub mod config;
#[cfg(feature = "host")]
pub mod demo;
pub mod export;
pub(crate) mod file_kind;
mod find_server;
pub mod host;
#[cfg(feature = "host")]
mod invitation;
pub mod join;
pub mod new;
#[cfg(feature = "host")]
mod own_server;
#[cfg(feature = "host")]
pub mod play;
pub(crate) mod progress_bar;
pub mod replay;
mod request;
pub mod results;
pub mod screen;
pub mod solve;
pub mod stats;
pub mod tables;
pub mod tournament;
pub mod verify;

use crate::cli::exit_code::Failure;
use serde::Serialize;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::Path;

pub(crate) fn write_json_line(out: &mut impl Write, document: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, document)?;
    writeln!(out)
}

/// Writes a file that must not exist yet. One that can't be written whole is removed.
pub(crate) fn write_new(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let shown = path.display();
    let failure = |error| Failure::other(format!("can't write {shown}: {error}"));
    let mut file = File::create_new(path).map_err(|error| {
        if error.kind() == ErrorKind::AlreadyExists {
            let why =
                format!("{shown} exists, and no file is overwritten: name another one by --to");
            return Failure::other(why);
        }
        failure(error)
    })?;
    file.write_all(bytes).map_err(|error| {
        fs::remove_file(path).ok(); // the first error is the one to tell
        failure(error)
    })
}
