//! Keys of the server, each a file in the data folder, for its owner only, also where a backup was
//! restored otherwise: the one that signs replays, and the operator's, which clients read as they
//! read a player's.

use crate::platform::rng::Rng;
use crate::store::data_dir;
use crate::store::error::StoreError;
use gridrace_shared::heat::identity::{Fingerprint, Key};
use gridrace_shared::replay::ServerKey;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

const SERVER_KEY: &str = "server.key";
const OPERATOR_KEY: &str = "operator.key";
/// What is appended to the name until the file is complete.
const UNFINISHED: &str = ".new";
const MODE: u32 = 0o600;
/// The longest file that is read: 64 hexadecimal digits and a line end.
const MAX_BYTES: u64 = 66;

/// The keys that a running server uses.
#[derive(Debug)]
pub(super) struct Keys {
    pub(super) server: Arc<ServerKey>,
    /// Nothing if the operators are named otherwise.
    pub(super) operator: Option<Key>,
}

/// The operator's key in a data folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorKey {
    pub path: PathBuf,
    pub fingerprint: Fingerprint,
    /// Whether it was made by this start.
    pub is_new: bool,
}

/// Reads the key that signs replays, or draws it if there is none.
pub(super) fn server_key(folder: &Path, rng: &Rng) -> Result<ServerKey, StoreError> {
    let path = folder.join(SERVER_KEY);
    match load(&path)? {
        Some(key) => Ok(key),
        None => {
            let key = ServerKey::from_bytes(rng.bytes());
            create(&path, &key.to_text())?;
            Ok(key)
        }
    }
}

/// Reads the key that signs replays, if there is one.
pub(super) fn existing_server_key(folder: &Path) -> Result<Option<ServerKey>, StoreError> {
    load(&folder.join(SERVER_KEY))
}

/// Reads the operator's key, or draws it if there is none.
pub(super) fn operator_key(folder: &Path, rng: &Rng) -> Result<(OperatorKey, Key), StoreError> {
    let path = folder.join(OPERATOR_KEY);
    let found: Option<Key> = load(&path)?;
    let is_new = found.is_none();
    let key = match found {
        Some(key) => key,
        None => {
            let key = Key::from_bytes(rng.bytes());
            create(&path, &key.to_text())?;
            key
        }
    };
    Ok((OperatorKey { path, fingerprint: key.public().fingerprint(false), is_new }, key))
}

impl Keys {
    /// Writes the keys into a folder that has none, as one that was made again.
    pub(super) fn restore(&self, folder: &Path) -> Result<(), StoreError> {
        let operator = self.operator.as_ref().map(|key| (OPERATOR_KEY, key.to_text()));
        for (name, text) in [(SERVER_KEY, self.server.to_text())].into_iter().chain(operator) {
            let path = folder.join(name);
            if !path.exists() {
                create(&path, &text)?;
            }
        }
        Ok(())
    }
}

/// Copies the keys of a folder into another, except those that it has. Returns the names of those that it
/// has otherwise.
pub(super) fn copy_missing(from: &Path, to: &Path) -> Result<Vec<&'static str>, StoreError> {
    let mut others = Vec::new();
    for name in [SERVER_KEY, OPERATOR_KEY] {
        let (from, to) = (from.join(name), to.join(name));
        let Some(key) = parse::<Key>(&from, read(&from))? else { continue };
        match parse::<Key>(&to, read(&to))? {
            None => create(&to, &key.to_text())?,
            Some(other) if other.to_text() != key.to_text() => others.push(name),
            Some(_) => {}
        }
    }
    Ok(others)
}

fn load<K: FromStr>(path: &Path) -> Result<Option<K>, StoreError> {
    parse(path, data_dir::restrict_mode(path).and_then(|()| read(path)))
}

/// Parses the content of a file, if there is one.
fn parse<K: FromStr>(path: &Path, content: io::Result<String>) -> Result<Option<K>, StoreError> {
    match content {
        Ok(text) => {
            let key = text.trim_end().parse();
            key.map(Some).map_err(|_| StoreError::NoKey(path.to_owned()))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(StoreError::of_file(path, error)),
    }
}

fn create(path: &Path, text: &str) -> Result<(), StoreError> {
    write(path, text).map_err(|error| StoreError::of_file(path, error))
}

fn read(path: &Path) -> io::Result<String> {
    let mut text = Vec::new();
    File::open(path)?.take(MAX_BYTES + 1).read_to_end(&mut text)?;
    // What isn't text isn't a key.
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Writes the file beside its place first, so that a crash leaves a whole key or none.
fn write(path: &Path, text: &str) -> io::Result<()> {
    let mut unfinished = path.as_os_str().to_owned();
    unfinished.push(UNFINISHED);
    let unfinished = PathBuf::from(unfinished);
    match fs::remove_file(&unfinished) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let mut file = File::options().write(true).create_new(true).mode(MODE).open(&unfinished)?;
    writeln!(file, "{text}")?;
    file.sync_all()?;
    fs::rename(&unfinished, path)?;
    File::open(path.parent().unwrap_or(Path::new(".")))?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_key_is_drawn_once_and_only_its_owner_may_read_it() {
        let signer = |folder: &Path| server_key(folder, &Rng::default()).unwrap().fingerprint();
        let operator = |folder: &Path| operator_key(folder, &Rng::default()).unwrap().0.fingerprint;
        for name in [SERVER_KEY, OPERATOR_KEY] {
            let fingerprint = |folder: &Path| {
                if name == SERVER_KEY { signer(folder) } else { operator(folder) }
            };
            let folder = tempfile::tempdir().unwrap();
            let unfinished = folder.path().join(format!("{name}{UNFINISHED}"));
            fs::write(&unfinished, "half").unwrap();
            let drawn = fingerprint(folder.path());
            let path = folder.path().join(name);
            // As a backup may be restored.
            fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
            assert_eq!(fingerprint(folder.path()), drawn);
            let mode = fs::metadata(&path).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, MODE);
            assert!(!unfinished.exists());
            assert_ne!(fingerprint(tempfile::tempdir().unwrap().path()), drawn);
        }
    }

    #[test]
    fn the_operator_s_key_is_that_of_a_player_with_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let (made, _) = operator_key(folder.path(), &Rng::default()).unwrap();
        let text = fs::read_to_string(&made.path).unwrap();
        let key: Key = text.strip_suffix('\n').unwrap().parse().unwrap();
        assert_eq!(key.public().fingerprint(false), made.fingerprint);
        let (again, _) = operator_key(folder.path(), &Rng::default()).unwrap();
        assert_eq!(again, OperatorKey { is_new: false, ..made });
    }

    #[test]
    fn a_folder_in_place_of_a_key_is_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(SERVER_KEY);
        fs::create_dir(&path).unwrap();
        let before = fs::metadata(&path).unwrap().permissions();
        let error = server_key(folder.path(), &Rng::default()).err();
        assert!(matches!(error, Some(StoreError::IsFolder(named)) if named == path));
        assert_eq!(fs::metadata(&path).unwrap().permissions(), before);
    }

    #[test]
    fn a_file_that_holds_no_key_is_left_as_it_is() {
        for content in [&b""[..], b"0123", b"\xff\xfe", &[b'0'; 70], &[b'g'; 64]] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join(SERVER_KEY);
            fs::write(&path, content).unwrap();
            let error = server_key(folder.path(), &Rng::default()).err();
            assert!(matches!(error, Some(StoreError::NoKey(named)) if named == path));
            assert_eq!(fs::read(&path).unwrap(), content);
        }
    }
}
