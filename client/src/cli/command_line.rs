//! Parses the command line, with defaults from the environment and, behind that, from the settings
//! file.

use crate::cli::args::environment::{name_variable, without_variables};
use crate::cli::args::play::BEST;
use crate::cli::args::{self, Cli};
use crate::cli::settings_file::{SettingsError, SettingsFile, may_be_set};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use clap::{ArgMatches, Command, FromArgMatches};
use std::ffi::OsString;

/// An example of an option's value, for the error about a missing one.
const EXAMPLES: [(&str, &str); 8] = [
    ("bots", "casual,expert"),
    ("count", "3"),
    ("hints", "10"),
    ("name", "Anna"),
    ("pin", "4711"),
    ("puzzle", "slide:4x4"),
    ("seed", "friday"),
    ("skill", "expert"),
];

/// What the program is to do, with every option settled.
#[derive(Debug)]
pub struct CommandLine {
    pub cli: Cli,
    pub file: SettingsFile,
    /// What was given, and from where.
    pub matches: ArgMatches,
}

impl CommandLine {
    /// Reads what the program was called with. Help is an error, too: [`clap::Error::exit`]
    /// prints it.
    pub fn read() -> Result<Self, clap::Error> {
        Self::parse(std::env::args_os(), SettingsFile::read(&args::settings()))
    }

    /// Settles the options of a command line by a settings file.
    pub fn parse(
        words: impl IntoIterator<Item = OsString>,
        file: Result<SettingsFile, SettingsError>,
    ) -> Result<Self, clap::Error> {
        let (file, mistake) = match file {
            Ok(file) => (file, None),
            Err(mistake) => (SettingsFile::default(), Some(mistake)),
        };
        let mut command = with_defaults(args::command(), &file);
        let words: Vec<OsString> = words.into_iter().collect();
        let matches = command.try_get_matches_from_mut(&words);
        let matches = matches.map_err(|error| explain(error, &command, &words))?;
        check_order(&command, &matches)?;
        check_ghost(&command, &matches)?;
        let cli = Cli::from_arg_matches(&matches)?;
        // A command that has no settings doesn't mind the file, and the way to the file stays open.
        let asks_for_path = matches!(&cli.command, Some(args::Command::Config(args)) if args.path);
        if let Some(mistake) = mistake
            && !asks_for_path
            && chosen(&command, &matches).get_arguments().any(may_be_set)
        {
            return Err(command.error(ErrorKind::InvalidValue, mistake));
        }
        Ok(Self { cli, file, matches })
    }
}

/// Makes the file's values the defaults of their options, in every command that has them.
fn with_defaults(command: Command, file: &SettingsFile) -> Command {
    let settled = command.mut_args(|option| match file.value(&option) {
        Some(value) => option.default_value(value.text.clone()),
        None => option,
    });
    settled.mut_subcommands(|command| with_defaults(command, file))
}

/// Returns the command that was chosen; without one, the program itself.
fn chosen<'a>(command: &'a Command, matches: &ArgMatches) -> &'a Command {
    let below = matches.subcommand().and_then(|(name, matches)| {
        let command = command.find_subcommand(name)?;
        Some(chosen(command, matches))
    });
    below.unwrap_or(command)
}

/// Refuses an option before the command's name: there it would be the home screen's.
fn check_order(command: &Command, matches: &ArgMatches) -> Result<(), clap::Error> {
    let Some(name) = matches.subcommand_name() else { return Ok(()) };
    let is_given = |option: &&clap::Arg| {
        matches.value_source(option.get_id().as_str()) == Some(ValueSource::CommandLine)
    };
    let early = command.get_arguments().filter(is_given).find_map(clap::Arg::get_long);
    match early {
        None => Ok(()),
        Some(option) => {
            let why = format!("--{option} comes after the command: gridrace {name} --{option} ...");
            Err(conflict(command, name, why))
        }
    }
}

/// Returns an error with the usage line of a command.
fn conflict(program: &Command, name: &str, why: String) -> clap::Error {
    let command = program.find_subcommand(name).unwrap_or(program);
    command.clone().error(ErrorKind::ArgumentConflict, why)
}

/// Refuses a puzzle beside a ghost that isn't looked up by it: a recorded race has its own board.
fn check_ghost(command: &Command, matches: &ArgMatches) -> Result<(), clap::Error> {
    let Some(("play", play)) = matches.subcommand() else { return Ok(()) };
    let ghost = play.get_one::<String>("ghost").filter(|ghost| *ghost != BEST);
    match ghost {
        Some(ghost) if play.value_source("puzzle") == Some(ValueSource::CommandLine) => {
            let why = format!(
                "--ghost {ghost} races on the board of that race; --puzzle is for --ghost {BEST}"
            );
            Err(conflict(command, "play", why))
        }
        Some(_) | None => Ok(()),
    }
}

/// Tells the mistake in what was typed, with a usage line of the options that were. If there is none,
/// names the variable whose value is wrong.
fn explain(error: clap::Error, command: &Command, words: &[OsString]) -> clap::Error {
    // Help shows the variables.
    if !error.use_stderr() {
        return error;
    }
    match without_variables(command.clone()).try_get_matches_from(words) {
        Err(typed) => with_example(typed),
        Ok(_) => name_variable(command, error),
    }
}

/// Adds an example where an option's value was left out.
fn with_example(mut error: clap::Error) -> clap::Error {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let is_missing = error.kind() == ErrorKind::InvalidValue
        && text(ContextKind::InvalidValue).is_some_and(str::is_empty);
    let option = text(ContextKind::InvalidArg).filter(|_| is_missing).and_then(|option| {
        let name = option.trim_start_matches('-').split([' ', '=', '[']).next()?;
        EXAMPLES.iter().find(|(known, _)| *known == name)
    });
    if let Some((name, value)) = option {
        let tip = format!("for example --{name} {value}").into();
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::Command as Chosen;

    fn parse(words: &[&str], settings: &str) -> Result<CommandLine, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        std::fs::write(&path, settings).unwrap();
        let words = std::iter::once("gridrace").chain(words.iter().copied()).map(OsString::from);
        CommandLine::parse(words, SettingsFile::at(&path, &args::settings()))
            .map_err(|error| error.to_string())
    }

    fn puzzle_of(words: &[&str], settings: &str) -> String {
        match parse(words, settings).unwrap().cli.command {
            Some(Chosen::Play(play)) => play.heat.puzzle.to_string(),
            Some(Chosen::Host(host)) => host.heat.puzzle.to_string(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_flag_comes_before_the_file_and_that_before_the_default() {
        let file = "puzzle = \"slide:5x5\"";
        assert_eq!(puzzle_of(&["play"], ""), "slide:4x4");
        assert_eq!(puzzle_of(&["play"], file), "slide:5x5");
        assert_eq!(puzzle_of(&["host"], file), "slide:5x5");
        assert_eq!(puzzle_of(&["play", "--puzzle", "link:7x7"], file), "link:7x7");
    }

    #[test]
    fn settings_are_the_defaults_of_the_options_that_the_environment_sets_too() {
        let settings = "puzzle = \"slide:5x5\"\nbots = \"expert\"";
        let host = parse(&["host"], settings).unwrap();
        let Some(Chosen::Host(host)) = host.cli.command else { panic!("{host:?}") };
        assert!(
            host.bots.0.is_empty(),
            "the bots of a room that others join are its host's choice"
        );
        let demo = parse(&["demo"], settings).unwrap();
        let Some(Chosen::Demo(demo)) = demo.cli.command else { panic!("{demo:?}") };
        assert_eq!(demo.puzzle.to_string(), "slide:4x4");
    }

    #[test]
    fn a_switch_in_the_file_is_switched_back_by_a_flag() {
        let ascii = |words: &[&str]| {
            let line = parse(words, "ascii = true").unwrap();
            line.cli.screen.settings(&line.file).appearance.ascii
        };
        assert!(ascii(&[]));
        assert!(!ascii(&["--ascii=false"]));
    }

    #[test]
    fn a_mistake_in_the_file_stops_only_commands_that_have_settings() {
        let wrong = "theme = \"drak\"";
        let error = parse(&["play"], wrong).unwrap_err();
        assert!(
            error.contains("config.toml:1: ") && error.contains("auto, light, dark"),
            "{error}"
        );
        assert!(parse(&[], wrong).is_err());
        assert!(parse(&["new"], wrong).is_ok());
        assert!(parse(&["play", "--help"], wrong).unwrap_err().contains("Usage: gridrace play"));
    }

    #[test]
    fn an_option_before_the_command_is_pointed_behind_it() {
        let error = parse(&["--name", "Anna", "join"], "").unwrap_err();
        assert!(error.contains("gridrace join --name"), "{error}");
        assert!(error.contains("Usage: gridrace join [OPTIONS]"), "{error}");
        assert!(parse(&["--name", "Anna"], "").is_ok());
    }

    #[test]
    fn a_puzzle_is_given_only_for_a_ghost_that_is_looked_up_by_it() {
        let error = parse(&["play", "--ghost", "17", "--puzzle", "slide:3x3"], "").unwrap_err();
        assert!(error.contains("--ghost 17") && error.contains("--ghost best"), "{error}");
        assert!(parse(&["play", "--ghost", "best", "--puzzle", "slide:3x3"], "").is_ok());
        assert!(parse(&["play", "--ghost", "17"], "puzzle = \"slide:5x5\"").is_ok());
    }

    #[test]
    fn a_missing_value_is_answered_by_an_example_that_is_accepted() {
        let error = parse(&["new", "--seed"], "").unwrap_err();
        assert!(error.contains("--seed friday"), "{error}");
        for (name, value) in EXAMPLES {
            let option = format!("--{name}");
            let takes = |command: &&str| parse(&[*command, &option, value], "").is_ok();
            assert!(["play", "host", "new", "bot"].iter().any(takes), "{name}");
        }
    }

    #[test]
    fn a_number_out_of_its_range_is_answered_by_the_range() {
        for words in [["new", "--count", "-3"], ["bot", "--count", "0"], ["play", "--grace", "-1"]]
        {
            let error = parse(&words, "").unwrap_err();
            assert!(error.contains(&format!("{} is not in ", words[2])), "{error}");
            assert!(error.contains("..="), "{error}");
        }
    }
}
