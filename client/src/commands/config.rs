//! `gridrace config`: what is set, and from where.

use crate::cli::args::config::ConfigArgs;
use crate::cli::args::screen::ScreenArgs;
use crate::cli::args::settings;
use crate::cli::command_line::CommandLine;
use crate::cli::exit_code::Failure;
use crate::cli::settings_file::{FILE_VARIABLE, location};
use crate::commands::write_json_line;
use crate::display::safe_text;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, FromArgMatches};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

#[derive(Debug, Serialize)]
struct Settings {
    /// The settings file; none where it is switched off.
    file: Option<String>,
    file_exists: bool,
    settings: Vec<Setting>,
    /// The fingerprint of the player's key; none where there is no key yet, or none is wanted.
    fingerprint: Option<String>,
    servers: BTreeMap<String, String>,
    /// By screen and action.
    keys: BTreeMap<&'static str, BTreeMap<&'static str, Vec<String>>>,
}

#[derive(Debug, Serialize)]
struct Setting {
    name: String,
    value: String,
    source: Source,
    /// The variable, or the line of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Source {
    CommandLine,
    Environment,
    File,
    Default,
}

/// Prints the settings; with `--path` only where their file is.
pub fn run(args: &ConfigArgs, line: &CommandLine) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    if args.path {
        let Some(path) = location() else {
            return Err(Failure::other(format!(
                "{FILE_VARIABLE} is empty: no settings file is read"
            )));
        };
        return Ok(writeln!(out, "{}", path.display())?);
    }
    let settings = collect(line)?;
    if args.json {
        write_json_line(&mut out, &settings)?;
    } else {
        out.write_all(settings.text().as_bytes())?;
    }
    Ok(())
}

fn collect(line: &CommandLine) -> Result<Settings, Failure> {
    let Some((_, matches)) = line.matches.subcommand() else {
        return Err(Failure::other("no settings were read"));
    };
    let screen = ScreenArgs::from_arg_matches(matches).map_err(Failure::usage)?;
    let key_file = screen.connection.key_file()?;
    // Looking at the settings makes no key.
    let key = screen.connection.existing_key()?;
    let left_open = |name: &str| match name {
        "name" => screen.settings(&line.file).name,
        "ascii" => screen.settings(&line.file).appearance.ascii.to_string(),
        "identity" => key_file.as_deref().map_or_else(String::new, shown),
        _ => String::new(),
    };
    let setting = |option: &Arg| {
        let name = option.get_long().unwrap_or_default().to_owned();
        let (source, at) = source(option, matches, line);
        let value = given(option, matches).unwrap_or_else(|| left_open(&name));
        Setting { name, value, source, at }
    };
    let mut keys: BTreeMap<_, BTreeMap<_, _>> = BTreeMap::new();
    for (scope, action, bound) in line.file.keys.iter() {
        let bound = bound.iter().map(ToString::to_string).collect();
        keys.entry(scope.name()).or_default().insert(action, bound);
    }
    let servers = line.file.servers.iter();
    Ok(Settings {
        file: line.file.path.as_deref().map(shown),
        file_exists: line.file.exists,
        settings: settings().iter().map(setting).collect(),
        fingerprint: key.map(|key| key.public().fingerprint(false).to_string()),
        servers: servers.map(|(name, address)| (name.to_owned(), address.to_string())).collect(),
        keys,
    })
}

/// Returns the value of an option as text, where it has one.
fn given(option: &Arg, matches: &ArgMatches) -> Option<String> {
    let values = matches.try_get_raw(option.get_id().as_str()).ok()??;
    let texts: Vec<String> = values.map(|value| value.to_string_lossy().into_owned()).collect();
    Some(safe_text::text(&texts.join(","), usize::MAX))
}

fn source(option: &Arg, matches: &ArgMatches, line: &CommandLine) -> (Source, Option<String>) {
    match (matches.value_source(option.get_id().as_str()), line.file.value(option)) {
        (Some(ValueSource::CommandLine), _) => (Source::CommandLine, None),
        (Some(ValueSource::EnvVariable), _) => {
            let variable = option.get_env().map(|name| name.to_string_lossy().into_owned());
            (Source::Environment, variable)
        }
        (_, Some(value)) => (Source::File, Some(format!("line {}", value.line))),
        (_, None) => (Source::Default, None),
    }
}

fn shown(path: &Path) -> String {
    safe_text::text(&path.to_string_lossy(), usize::MAX)
}

impl Setting {
    fn from(&self) -> String {
        match (self.source, &self.at) {
            (Source::CommandLine, _) => format!("--{}", self.name),
            (Source::Environment, Some(variable)) => variable.clone(),
            (Source::File, Some(line)) => format!("settings file, {line}"),
            (Source::Environment | Source::File, None) | (Source::Default, _) => {
                "default".to_owned()
            }
        }
    }
}

impl Settings {
    /// Returns whether the player wants no key.
    fn has_no_key(&self) -> bool {
        self.settings.iter().any(|setting| setting.name == "identity" && setting.value.is_empty())
    }

    fn text(&self) -> String {
        let file = match &self.file {
            Some(path) if self.file_exists => format!("settings file  {path}"),
            Some(path) => format!("settings file  {path} (not there yet)"),
            None => format!("settings file  none: {FILE_VARIABLE} is empty"),
        };
        let mut text = format!("{file}\n");
        let fingerprint = match &self.fingerprint {
            Some(fingerprint) => fingerprint.as_str(),
            None if self.has_no_key() => "none: servers don't know you again",
            None => "none yet: your key is made when you first join a server",
        };
        text += &format!("your key       {fingerprint}\n\n");
        let cells = |setting: &Setting| {
            if setting.value.is_empty() { "none".to_owned() } else { setting.value.clone() }
        };
        let width = self.settings.iter().map(|setting| safe_text::cells(&cells(setting))).max();
        for setting in &self.settings {
            let value = safe_text::column(&cells(setting), width.unwrap_or_default());
            text += &format!("{:<14} {value}  {}\n", setting.name, setting.from());
        }
        if !self.servers.is_empty() {
            text += "\nservers\n";
            for (name, address) in &self.servers {
                text += &format!("{name:<14} {address}\n");
            }
        }
        for (screen, actions) in &self.keys {
            text += &format!("\nkeys of the {screen} screen\n");
            for (action, keys) in actions {
                text += &format!("{action:<14} {}\n", keys.join(" "));
            }
        }
        text
    }
}
