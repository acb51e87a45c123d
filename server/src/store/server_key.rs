//! The key by which the server signs replays: a file in the data folder, for its owner only, also
//! where a backup was restored otherwise.

use crate::platform::rng::Rng;
use crate::store::data_dir;
use crate::store::error::StoreError;
use gridrace_shared::replay::ServerKey;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

const NAME: &str = "server.key";
/// The name until the file is complete.
const UNFINISHED: &str = "server.key.new";
const MODE: u32 = 0o600;
/// The longest file that is read: 64 hexadecimal digits and a line end.
const MAX_BYTES: u64 = 66;

/// Reads the key of a locked folder, or draws it if there is none.
pub(super) fn load_or_create(folder: &Path, rng: &Rng) -> Result<ServerKey, StoreError> {
    let path = folder.join(NAME);
    let failed = |error| StoreError::of_file(&path, error);
    match data_dir::restrict_mode(&path).and_then(|()| read(&path)) {
        Ok(text) => text.trim_end().parse().map_err(|_| StoreError::NoServerKey(path.clone())),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let key = ServerKey::from_bytes(rng.bytes());
            write(folder, &path, &key).map_err(failed)?;
            Ok(key)
        }
        Err(error) => Err(failed(error)),
    }
}

/// Writes the key into a folder that has none, as one that was made again.
pub(super) fn restore(folder: &Path, key: &ServerKey) -> Result<(), StoreError> {
    let path = folder.join(NAME);
    if path.exists() {
        return Ok(());
    }
    write(folder, &path, key).map_err(|error| StoreError::of_file(&path, error))
}

fn read(path: &Path) -> io::Result<String> {
    let mut text = Vec::new();
    File::open(path)?.take(MAX_BYTES + 1).read_to_end(&mut text)?;
    // What isn't text isn't a key.
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Writes the file beside its place first, so that a crash leaves a whole key or none.
fn write(folder: &Path, path: &Path, key: &ServerKey) -> io::Result<()> {
    let unfinished: PathBuf = folder.join(UNFINISHED);
    match fs::remove_file(&unfinished) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let mut file = File::options().write(true).create_new(true).mode(MODE).open(&unfinished)?;
    writeln!(file, "{}", key.to_text())?;
    file.sync_all()?;
    fs::rename(&unfinished, path)?;
    File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_key_is_drawn_once_and_only_its_owner_may_read_it() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(UNFINISHED), "half").unwrap();
        let fingerprint =
            |folder: &Path| load_or_create(folder, &Rng::default()).unwrap().fingerprint();
        let drawn = fingerprint(folder.path());
        let path = folder.path().join(NAME);
        // As a backup may be restored.
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(fingerprint(folder.path()), drawn);
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, MODE);
        assert!(!folder.path().join(UNFINISHED).exists());
        assert_ne!(fingerprint(tempfile::tempdir().unwrap().path()), drawn);
    }

    #[test]
    fn a_file_that_holds_no_key_is_left_as_it_is() {
        for content in [&b""[..], b"0123", b"\xff\xfe", &[b'0'; 70], &[b'g'; 64]] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join(NAME);
            fs::write(&path, content).unwrap();
            let error = load_or_create(folder.path(), &Rng::default()).err();
            assert!(matches!(error, Some(StoreError::NoServerKey(named)) if named == path));
            assert_eq!(fs::read(&path).unwrap(), content);
        }
    }
}
