//! The player's key: a file that stays on this machine, by which servers know its owner again.

use etcetera::BaseStrategy;
use gridrace_shared::heat::identity::Key;
use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// The variable that names the file; empty, it says to have no key.
pub const KEY_VARIABLE: &str = "GRIDRACE_KEY";
/// A key in its file: 64 hexadecimal digits and the end of the line.
const KEY_BYTES: u64 = 65;

/// An error of the key file.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The file can't be read or made.
    #[error(
        "can't use the key in {}: {}; --identity names another file, and --identity '' uses no key",
        .0.display(), .1
    )]
    File(PathBuf, io::Error),
    /// The file holds something else, which is left as it is.
    #[error("{} holds no key: 64 hexadecimal digits", .0.display())]
    NoKey(PathBuf),
    /// The system names no folder for such files.
    #[error(
        "there is no folder for your settings: name a file for your key by --identity or {KEY_VARIABLE}"
    )]
    Nowhere,
}

/// Returns the file of this account's key, where no other is named.
pub fn of_this_machine() -> Result<PathBuf, KeyError> {
    let base = etcetera::choose_base_strategy().map_err(|_| KeyError::Nowhere)?;
    Ok(base.config_dir().join("gridrace").join("key"))
}

/// Reads the key in a file, which is made where there is none. An existing file is never
/// written to.
pub fn at(path: &Path) -> Result<Key, KeyError> {
    match fs::metadata(path) {
        Ok(found) if found.len() > KEY_BYTES || !found.is_file() => {
            Err(KeyError::NoKey(path.to_owned()))
        }
        Ok(_) => read(path),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            make(path).map_err(|error| KeyError::File(path.to_owned(), error))?;
            read(path)
        }
        Err(error) => Err(KeyError::File(path.to_owned(), error)),
    }
}

fn read(path: &Path) -> Result<Key, KeyError> {
    let text = fs::read_to_string(path).map_err(|error| KeyError::File(path.to_owned(), error))?;
    text.trim_end().parse().map_err(|_| KeyError::NoKey(path.to_owned()))
}

/// Makes a key. It is whole before it has its name, and if another program is quicker, its
/// key is the one.
fn make(path: &Path) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let beside = path.with_extension(format!("{}.new", std::process::id()));
    let made = write(&beside).and_then(|()| match fs::hard_link(&beside, path) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
        Ok(()) | Err(_) => Ok(()),
    });
    fs::remove_file(&beside).ok(); // it may not have come into being
    made
}

fn write(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600); // for its owner only
    let mut file = options.open(path)?;
    writeln!(file, "{}", drawn().to_text())?;
    file.sync_all()
}

#[expect(clippy::disallowed_methods, reason = "a key is drawn here and nowhere else")]
fn drawn() -> Key {
    Key::from_bytes(rand::random())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_made_once_and_read_ever_after() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep").join("key");
        let made = at(&path).unwrap();
        assert_eq!(at(&path).unwrap().public(), made.public());
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_key_is_its_owners_alone_to_read() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        at(&path).unwrap();
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn a_file_that_holds_something_else_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        for text in ["", "abc\n", &"0".repeat(4_096)] {
            fs::write(&path, text).unwrap();
            let fault = at(&path).unwrap_err();
            assert!(matches!(fault, KeyError::NoKey(_)), "{fault}");
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert!(at(folder.path()).is_err());
    }
}
