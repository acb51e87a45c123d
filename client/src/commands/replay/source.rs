//! Sources of replays: a file, the data folder of a server, or a running server.

use crate::cli::args::connection::ConnectionArgs;
use crate::cli::args::place;
use crate::cli::args::replay::DataDirArgs;
use crate::cli::exit_code::Failure;
use crate::commands::file_kind::record_for_replay;
use crate::commands::request::request;
#[cfg(feature = "host")]
use crate::display::format;
use crate::display::safe_text;
use crate::net::address::ServerNames;
use crate::session::{self, SessionError};
#[cfg(feature = "host")]
use anyhow::Context;
#[cfg(feature = "host")]
use gridrace_server::store::{Archive, Data, RecordReader, StoredTournament};
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::protocol::server::Refusal;
#[cfg(feature = "host")]
use gridrace_shared::replay::UnixSeconds;
use gridrace_shared::replay::{MAX_REPLAY_BYTES, Replay, SignatureCheck};
use gridrace_shared::tournament::ids::RecordName;
#[cfg(feature = "host")]
use gridrace_shared::util::time::UnixMillis;
use std::fs::File;
#[cfg(feature = "host")]
use std::io::ErrorKind;
use std::io::{self, Read};
use std::path::Path;
#[cfg(feature = "host")]
use std::path::PathBuf;

/// What stands between the address of a server and the id in the address of its page.
const PAGE: &str = "/r";

/// A heat or a server was named beside an option that lists a data folder.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{option} reads the data folder of a server on this machine, which --data names, and takes no {}; \
     gridrace results ADDRESS lists your heats on a server that runs",
    safe_text::lines(name)
)]
pub struct NotADataFolder {
    pub option: &'static str,
    pub name: String,
}

/// Where replays are looked for.
#[derive(Debug, Clone, Copy)]
pub struct ReplaySource<'a> {
    pub data_dir: &'a DataDirArgs,
    pub connection: &'a ConnectionArgs,
    pub servers: &'a ServerNames,
}

impl ReplaySource<'_> {
    /// Reads the bytes of what may be a replay; of a file that is longer than any, as much as
    /// shows that.
    pub async fn read(&self, name: &str) -> Result<Vec<u8>, Failure> {
        if Path::new(name).exists() {
            return read_file(name);
        }
        if is_id(name) {
            let kept = self.data_dir.kept_replay(name)?;
            return kept
                .ok_or_else(|| self.data_dir.missing(&format!("heat {name} with a replay")));
        }
        match remote(name) {
            Some((server, id)) => self.fetch(server, id).await,
            None => read_file(name),
        }
    }

    /// Reads a replay; of a damaged one the failure names the byte.
    pub async fn replay(&self, name: &str) -> Result<Replay, Failure> {
        decode(name, &self.read(name).await?).map(|(replay, _)| replay)
    }

    /// Fetches a replay from a server that runs. The player's key opens those of private rooms, also
    /// where its bots raced, which have another fingerprint.
    async fn fetch(&self, server: &str, id: &str) -> Result<Vec<u8>, Failure> {
        let address = &place::server(server, self.servers).map_err(Failure::usage)?.to_string();
        let (tcp, key) = (self.connection.tcp()?, self.connection.existing_key()?);
        let proof = key.as_ref().map(|key| (key, false));
        request(&tcp, address, proof, async |connection| {
            match (session::fetch_replay(connection, id).await, &key) {
                (Err(SessionError::Refused(Refusal::NoReplay)), Some(key)) => {
                    connection.identify(key, true).await?;
                    session::fetch_replay(connection, id).await
                }
                (fetched, _) => fetched,
            }
        })
        .await
    }
}

/// Splits a heat on a server, like `192.168.1.5/KQZT-20261121-3f9c` or the address of its page, into
/// server and id.
fn remote(name: &str) -> Option<(&str, &str)> {
    let (server, id) = name.rsplit_once('/')?;
    let server = server.strip_suffix(PAGE).unwrap_or(server);
    (is_id(id) && !server.is_empty()).then_some((server, id))
}

impl DataDirArgs {
    #[cfg(feature = "host")]
    fn folder(&self) -> Result<PathBuf, Failure> {
        match Data::choose(self.data.as_deref()).context("no heats are kept")? {
            Data::At(folder) => Ok(folder),
            Data::Ephemeral => Err(Failure::other("no heats are kept")),
        }
    }

    /// Says that the folder lacks something.
    #[cfg(feature = "host")]
    fn missing(&self, what: &str) -> Failure {
        let why = |folder: PathBuf| {
            let folder = folder.display();
            let why = format!("no {what} is kept in {folder}; --data names another folder");
            Failure::other(safe_text::lines(&why))
        };
        self.folder().map_or_else(|failure| failure, why)
    }

    #[cfg(not(feature = "host"))]
    fn missing(&self, _: &str) -> Failure {
        crate::tui::own_server::StartServerError::NoHost.into()
    }

    /// Returns the finished heats in a server's data folder.
    #[cfg(feature = "host")]
    pub fn archive(&self) -> Result<Archive, Failure> {
        let folder = self.folder()?;
        match std::fs::read_dir(&folder) {
            Ok(_) if Archive::at(&folder).exists() => {
                let archive = Archive::at(&folder);
                archive.check().map_err(anyhow::Error::from)?;
                Ok(archive)
            }
            Ok(_) => {
                let folder = folder.display();
                let why = format!(
                    "no server has kept heats in {folder}; --data names another folder, as does GRIDRACE_DATA_DIR"
                );
                Err(Failure::other(safe_text::lines(&why)))
            }
            Err(error) => Err(no_folder(&folder, &error)),
        }
    }

    /// Returns the ids of all finished heats in a server's data folder, the last one first.
    #[cfg(feature = "host")]
    pub fn ids(&self) -> Result<Vec<String>, Failure> {
        let archive = self.archive()?;
        let heats = archive.latest(u32::MAX).map_err(|error| archive.named(error));
        let heats = heats.map_err(anyhow::Error::from)?;
        Ok(heats.into_iter().map(|heat| heat.id).collect())
    }

    /// Returns the record of a tournament in a server's data folder.
    #[cfg(feature = "host")]
    pub fn tournament_record(&self, name: &RecordName) -> Result<Vec<u8>, Failure> {
        let record = self.archive()?.tournament_record(name, RecordReader::Host);
        let record = record.map_err(anyhow::Error::from)?;
        record.ok_or_else(|| self.missing(&format!("tournament {name}")))
    }

    #[cfg(not(feature = "host"))]
    pub fn tournament_record(&self, _: &RecordName) -> Result<Vec<u8>, Failure> {
        Err(crate::tui::own_server::StartServerError::NoHost.into())
    }

    /// Returns a line for each tournament in a server's data folder: the name of its record, when it was
    /// opened, and when it was closed.
    #[cfg(feature = "host")]
    pub fn tournaments(&self) -> Result<Vec<String>, Failure> {
        let stored = self.archive()?.tournaments().map_err(anyhow::Error::from)?;
        let row = |StoredTournament { record, opened, ended }: StoredTournament| {
            let at = |UnixMillis(at)| format::rfc3339(UnixSeconds(at / 1_000));
            let ended =
                ended.map_or_else(|| "not closed".to_owned(), |it| format!("closed {}", at(it)));
            format!("{:<24}  opened {}  {ended}", record.to_string(), at(opened))
        };
        Ok(stored.into_iter().map(row).collect())
    }

    #[cfg(not(feature = "host"))]
    pub fn tournaments(&self) -> Result<Vec<String>, Failure> {
        Err(crate::tui::own_server::StartServerError::NoHost.into())
    }

    #[cfg(not(feature = "host"))]
    pub fn ids(&self) -> Result<Vec<String>, Failure> {
        Err(crate::tui::own_server::StartServerError::NoHost.into())
    }

    #[cfg(not(feature = "host"))]
    pub fn kept_replay(&self, _: &str) -> Result<Option<Vec<u8>>, Failure> {
        Err(crate::tui::own_server::StartServerError::NoHost.into())
    }

    /// Returns the replay of a finished heat in a server's data folder, if there is one.
    #[cfg(feature = "host")]
    pub fn kept_replay(&self, id: &str) -> Result<Option<Vec<u8>>, Failure> {
        Ok(self.archive()?.replay(id).map_err(anyhow::Error::from)?)
    }
}

/// Decodes a replay, and says who vouches for it; of a damaged one the failure names the byte.
pub(crate) fn decode(name: &str, file: &[u8]) -> Result<(Replay, SignatureCheck), Failure> {
    let read = Replay::locate(file).map_err(|damage| {
        Failure::other(format!("{} is damaged {damage}", safe_text::lines(name)))
    });
    read.map(|(replay, _, signature)| (replay, signature))
}

#[cfg(feature = "host")]
fn no_folder(folder: &Path, error: &io::Error) -> Failure {
    let folder = folder.display();
    let denied = error.kind() == ErrorKind::PermissionDenied;
    let why = if denied {
        "this account may not read it; run this as the account that the server runs as".to_owned()
    } else {
        format!("{error}; --data names another folder")
    };
    Failure::other(safe_text::lines(&format!("no heats can be read in {folder}: {why}")))
}

fn read_file(name: &str) -> Result<Vec<u8>, Failure> {
    let fail = |error: io::Error| {
        let shown = safe_text::lines(name);
        // A server's address in place of a heat on it.
        let is_bare =
            !name.contains(['/', '\\']) && Path::new(name).extension() != Some("grr".as_ref());
        let way_out = if error.kind() == io::ErrorKind::NotFound && is_bare {
            "; a heat on a server is ADDRESS/ID, and gridrace results ADDRESS lists yours"
        } else {
            ""
        };
        Failure::other(format!("can't read {shown}: {error}{way_out}"))
    };
    let file = File::open(name).map_err(fail)?;
    let mut bytes = Vec::new();
    let most = MAX_REPLAY_BYTES as u64 + 1;
    file.take(most).read_to_end(&mut bytes).map_err(fail)?;
    record_for_replay(name, &bytes).map_or(Ok(bytes), |why| Err(Failure::other(why)))
}

/// Says whether a text is the id of a heat that is over, like `KQZT-20261121-3f9c`.
pub(crate) fn is_id(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [code, day, tag] = parts[..] else {
        return false;
    };
    code.parse::<RoomCode>().is_ok()
        && day.len() == 8
        && day.bytes().all(|c| c.is_ascii_digit())
        && tag.len() == 4
        && tag.bytes().all(|c| c.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_told_from_a_file() {
        assert!(is_id("KQZT-20261121-3f9c"));
        for file in
            ["final.grr", "KQZT", "KQZT-20261121", "KQZT-20261121-3f9c.grr", "KQZA-20261121-3f9c"]
        {
            assert!(!is_id(file), "{file}");
        }
    }
    #[test]
    fn a_heat_on_a_server_is_its_address_and_its_id() {
        for (name, server) in [
            ("192.168.1.5/KQZT-20261121-3f9c", "192.168.1.5"),
            ("club/KQZT-20261121-3f9c", "club"),
            ("wss://race.example:7415/KQZT-20261121-3f9c", "wss://race.example:7415"),
            ("https://race.example/r/KQZT-20261121-3f9c", "https://race.example"),
        ] {
            assert_eq!(remote(name), Some((server, "KQZT-20261121-3f9c")), "{name}");
        }
        for file in ["KQZT-20261121-3f9c", "/KQZT-20261121-3f9c", "heats/final.grr"] {
            assert_eq!(remote(file), None, "{file}");
        }
    }
}
