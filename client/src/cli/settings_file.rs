//! The settings file: the player's own defaults of options, names of servers, and keys.
//!
//! An option that an environment variable can set can be set here under its own name. What the
//! file says stands behind the environment, and that behind the command line.

use crate::net::address::{Address, ServerNames};
use crate::tui::keymap::Keymap;
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, Command};
use etcetera::BaseStrategy;
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::puzzle::PuzzleSpec;
use std::any::TypeId;
use std::collections::BTreeMap;
use std::error::Error;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::de::{DeTable, DeValue};

/// The variable that names the file; empty, it says to read none.
pub const FILE_VARIABLE: &str = "GRIDRACE_CONFIG";
/// The longest file that is read, in bytes: far more than all settings take.
const FILE_BYTES: u64 = 64 * 1024;
/// The table of servers' names.
const SERVERS: &str = "servers";
/// The tables of keys, one for each screen.
const KEYS: &str = "keys";

/// What the settings file says.
#[derive(Debug, Clone, Default)]
pub struct SettingsFile {
    /// Where the file is, or would be; none where it is switched off.
    pub path: Option<PathBuf>,
    /// Whether there is a file.
    pub exists: bool,
    options: BTreeMap<String, FileValue>,
    pub servers: ServerNames,
    pub keys: Keymap,
}

/// What the file says about an option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileValue {
    /// As it would stand on the command line.
    pub text: String,
    /// The line in the file, from 1.
    pub line: usize,
}

/// An error of the settings file.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    #[error("can't read the settings in {}: {}", .0.display(), .1)]
    File(PathBuf, io::Error),
    #[error("{} is longer than a settings file may be ({FILE_BYTES} bytes)", .0.display())]
    TooLong(PathBuf),
    /// A line is wrong.
    #[error("{}:{line}: {why}", path.display())]
    Line { path: PathBuf, line: usize, why: String },
}

/// Where in the file something is wrong, and what.
type Mistake = (Range<usize>, String);

impl SettingsFile {
    /// Reads the player's settings; `options` are those that may be set. Without a file all is
    /// as if it were empty.
    pub fn read(options: &[Arg]) -> Result<Self, SettingsError> {
        match location() {
            None => Ok(Self::default()),
            Some(path) => Self::at(&path, options),
        }
    }

    /// Reads the settings in a file; there may be none.
    pub fn at(path: &Path, options: &[Arg]) -> Result<Self, SettingsError> {
        let fail = |error| SettingsError::File(path.to_owned(), error);
        let mut text = String::new();
        let exists = match File::open(path) {
            Ok(file) => {
                file.take(FILE_BYTES + 1).read_to_string(&mut text).map_err(fail)?;
                true
            }
            Err(error) if error.kind() == ErrorKind::NotFound => false,
            Err(error) => return Err(fail(error)),
        };
        if text.len() as u64 > FILE_BYTES {
            return Err(SettingsError::TooLong(path.to_owned()));
        }
        let settings = Self::parse(&text, options).map_err(|(at, why)| SettingsError::Line {
            path: path.to_owned(),
            line: line_of(&text, at.start),
            why,
        })?;
        Ok(Self { path: Some(path.to_owned()), exists, ..settings })
    }

    /// Returns what the file says about an option.
    pub fn value(&self, option: &Arg) -> Option<&FileValue> {
        self.options.get(option.get_long()?).filter(|_| may_be_set(option))
    }

    /// Returns the puzzle that the file names.
    pub fn puzzle(&self) -> Option<PuzzleSpec> {
        self.options.get("puzzle").and_then(|value| PuzzleSpec::from_typed(&value.text).ok())
    }

    fn parse(text: &str, options: &[Arg]) -> Result<Self, Mistake> {
        let mut settings = Self::default();
        let document = DeTable::parse(text)
            .map_err(|error| (error.span().unwrap_or_default(), error.message().to_owned()))?;
        for (key, value) in document.get_ref() {
            let name: &str = key.get_ref();
            match (name, value.get_ref()) {
                (SERVERS, DeValue::Table(servers)) => settings.take_servers(servers)?,
                (KEYS, DeValue::Table(screens)) => settings.take_keys(screens)?,
                (SERVERS | KEYS, _) => {
                    return Err((
                        value.span(),
                        format!("{name} is a table, under the line [{name}]"),
                    ));
                }
                (_, given) => {
                    let option = options.iter().find(|option| option.get_long() == Some(name));
                    let option = option.ok_or_else(|| (key.span(), unknown(name, options)))?;
                    let mut given = as_argument(given).ok_or_else(|| {
                        (
                            value.span(),
                            format!("{name} is a text in quotes, a number, true or false"),
                        )
                    })?;
                    let kind = option.get_value_parser().type_id();
                    if kind == TypeId::of::<PathBuf>() || kind == TypeId::of::<OsString>() {
                        given = at_home(given);
                    }
                    check(option, &given).map_err(|why| (value.span(), why))?;
                    let line = line_of(text, key.span().start);
                    settings.options.insert(name.to_owned(), FileValue { text: given, line });
                }
            }
        }
        Ok(settings)
    }

    fn take_servers(&mut self, servers: &DeTable<'_>) -> Result<(), Mistake> {
        for (key, value) in servers {
            let name: &str = key.get_ref();
            if !is_server_name(name) {
                let why =
                    format!("{name:?} is no name for a server: it has letters, digits, - and _");
                return Err((key.span(), why));
            }
            if name.parse::<RoomCode>().is_ok() {
                return Err((key.span(), format!("{name} would be taken for a room's code")));
            }
            let address =
                value.get_ref().as_str().ok_or("an address is a text in quotes".to_owned());
            let address: Address = address
                .and_then(|text| text.parse().map_err(|why| format!("{text:?}: {why}")))
                .map_err(|why| (value.span(), why))?;
            self.servers.insert(name, address);
        }
        Ok(())
    }

    fn take_keys(&mut self, screens: &DeTable<'_>) -> Result<(), Mistake> {
        for (screen, actions) in screens {
            let actions = actions.get_ref().as_table().ok_or_else(|| {
                (screen.span(), format!("keys stand under the line [{KEYS}.{}]", screen.get_ref()))
            })?;
            let scope =
                screen.get_ref().parse().map_err(|why| (screen.span(), format!("{why}")))?;
            for (action, keys) in actions {
                let texts = texts(keys.get_ref()).ok_or_else(|| {
                    (
                        keys.span(),
                        "a key is a text in quotes, several are [\"a\", \"b\"]".to_owned(),
                    )
                })?;
                self.keys
                    .bind(scope, action.get_ref(), &texts)
                    .map_err(|why| (action.span(), why.to_string()))?;
            }
            self.keys.check(scope).map_err(|why| {
                let action = actions.keys().find(|action| why.is_conflict_of(action.get_ref()));
                (action.map_or(screen.span(), toml::Spanned::span), why.to_string())
            })?;
        }
        Ok(())
    }
}

/// Says whether the file may set an option: the environment may, too.
pub fn may_be_set(option: &Arg) -> bool {
    option.get_env().is_some()
}

/// Returns the path of the player's file; none where it is switched off, or there is no home.
pub fn location() -> Option<PathBuf> {
    match std::env::var_os(FILE_VARIABLE) {
        Some(none) if none.is_empty() => None,
        Some(path) => Some(PathBuf::from(path)),
        None => {
            let base = etcetera::choose_base_strategy().ok()?;
            Some(base.config_dir().join("gridrace").join("config.toml"))
        }
    }
}

/// Returns a path that begins with `~/` from the home folder: no shell has done so for the file.
fn at_home(path: String) -> String {
    let Some(below) = path.strip_prefix("~/") else { return path };
    match etcetera::home_dir() {
        Ok(home) => home.join(below).to_string_lossy().into_owned(),
        Err(_) => path,
    }
}

/// Returns the number of the line in which a byte stands, from 1.
fn line_of(text: &str, byte: usize) -> usize {
    1 + text.bytes().take(byte).filter(|&byte| byte == b'\n').count()
}

fn is_server_name(name: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    !name.is_empty() && name.bytes().all(is_letter)
}

fn unknown(name: &str, options: &[Arg]) -> String {
    let known = options.iter().filter_map(Arg::get_long).chain([SERVERS, KEYS]);
    format!("there is no setting {name}; there are {}", known.collect::<Vec<_>>().join(", "))
}

/// Returns a value as it would stand on the command line; several texts with commas between.
fn as_argument(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(_) | DeValue::Array(_) => texts(value).map(|texts| texts.join(",")),
        DeValue::Boolean(is_on) => Some(is_on.to_string()),
        DeValue::Integer(number) => Some(number.as_str().to_owned()),
        DeValue::Float(number) => Some(number.as_str().to_owned()),
        DeValue::Datetime(_) | DeValue::Table(_) => None,
    }
}

/// Returns a text, or a list of them.
fn texts<'a>(value: &'a DeValue<'_>) -> Option<Vec<&'a str>> {
    match value.as_array() {
        Some(list) => list.iter().map(|text| text.get_ref().as_str()).collect(),
        None => value.as_str().map(|text| vec![text]),
    }
}

/// Checks a value as the command line would.
fn check(option: &Arg, value: &str) -> Result<(), String> {
    let Some(name) = option.get_long() else { return Ok(()) };
    let command = Command::new("settings").no_binary_name(true).arg(option.clone());
    let Err(error) = command.try_get_matches_from([format!("--{name}={value}")]) else {
        return Ok(());
    };
    let why = match (error.get(ContextKind::ValidValue), error.source()) {
        (Some(ContextValue::Strings(known)), _) if !known.is_empty() => {
            format!("accepted are {}", known.join(", "))
        }
        (_, Some(why)) => why.to_string(),
        (_, None) => "this value isn't accepted".to_owned(),
    };
    Err(format!("{name} = {value:?}: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args;

    fn read(text: &str) -> Result<SettingsFile, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        std::fs::write(&path, text).unwrap();
        SettingsFile::at(&path, &args::settings()).map_err(|error| {
            let error = error.to_string();
            error.strip_prefix(path.to_str().unwrap()).unwrap().to_owned()
        })
    }

    #[test]
    fn options_servers_and_keys_are_read_with_their_lines() {
        let text = "# mine\nname = \"Anna\"\nascii = true\nbots = [\"casual\", \"expert\"]\n\n\
                    [servers]\nClub = \"wss://race.example\"\n[keys.race]\nhint = \"y\"\n";
        let settings = read(text).unwrap();
        let value = |name: &str| settings.options.get(name).map(|value| (&*value.text, value.line));
        assert_eq!(value("name"), Some(("Anna", 2)));
        assert_eq!(value("ascii"), Some(("true", 3)));
        assert_eq!(value("bots"), Some(("casual,expert", 4)));
        let club = settings.servers.resolve("club").unwrap();
        assert_eq!(club.to_string(), "wss://race.example");
        assert!(settings.exists);
    }

    #[test]
    fn a_path_may_begin_at_the_home_folder() {
        let settings = read("identity = \"~/keys/mine\"\nname = \"Anna\"").unwrap();
        let home = etcetera::home_dir().unwrap();
        assert_eq!(Path::new(&settings.options["identity"].text), home.join("keys/mine"));
    }

    #[test]
    fn no_file_is_an_empty_one() {
        let folder = tempfile::tempdir().unwrap();
        let settings = SettingsFile::at(&folder.path().join("none.toml"), &[]).unwrap();
        assert!(!settings.exists && settings.options.is_empty());
    }

    #[test]
    fn a_mistake_names_its_line_and_what_is_accepted() {
        for (text, line, why) in [
            ("name = \"Anna\"\nnmae = \"Bob\"", 2, "there is no setting nmae; there are puzzle,"),
            ("theme = \"drak\"", 1, "accepted are auto, light, dark"),
            ("\n\nascii = \"maybe\"", 3, "ascii = \"maybe\""),
            ("name = \"\"", 1, "name = \"\""),
            ("puzzle = \"slide:1x1\"", 1, "puzzle = \"slide:1x1\""),
            ("bots = \"genius\"", 1, "beginner, casual, steady, expert"),
            ("name = \"Anna\"\nname = \"Bob\"", 2, "duplicate"),
            ("name =", 1, ""),
            ("servers = \"club\"", 1, "[servers]"),
            ("[servers]\n\"a b\" = \"box\"", 2, "no name for a server"),
            ("[servers]\nbrmx = \"box\"", 2, "a room's code"),
            ("[servers]\nclub = \"box:0\"", 2, "1 to 65535"),
            ("[servers]\nclub = 7", 2, "a text in quotes"),
            ("[keys]\nhint = \"h\"", 2, "[keys.hint]"),
            ("[keys.rase]\nhint = \"h\"", 1, "race, "),
            ("[keys.race]\nhnit = \"h\"", 2, "there is no action hnit"),
            ("[keys.race]\nhint = \"hh\"", 2, "\"hh\" is no key"),
            ("[keys.race]\nhint = 5", 2, "a text in quotes"),
            ("[keys.race]\nclear = \"z\"\nhint = \"u\"", 3, "undo"),
            ("[keys.home]\nplay = \"enter\"", 2, "everywhere"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.starts_with(&format!(":{line}: ")), "{text}\n{error}");
            assert!(error.contains(why), "{text}\n{error}");
        }
    }

    #[test]
    fn what_is_too_long_to_be_settings_is_not_read() {
        let error = read(&"#".repeat(70_000)).unwrap_err();
        assert!(error.contains("longer"), "{error}");
    }
}
