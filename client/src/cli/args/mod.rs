//! The command line.
//!
//! Each command has its own file with its options; what several share is in [`screen`],
//! [`display`], [`connection`], [`discovery`], [`heat`] and [`place`].

pub mod bot;
pub mod check;
pub mod config;
pub mod connection;
pub mod demo;
pub mod discovery;
pub mod display;
pub mod environment;
mod headings;
pub mod heat;
pub mod host;
pub mod join;
pub mod new;
pub mod place;
pub mod play;
pub mod replay;
pub mod results;
pub mod screen;
pub mod solve;
pub mod stats;
pub mod tables;
pub mod tournament;
pub mod tutorial;

use crate::cli::settings_file::may_be_set;
use clap::{Arg, CommandFactory, Parser, Subcommand};

/// Race your friends, and bots, on the same puzzle.
#[derive(Debug, Parser)]
#[command(
    name = "gridrace",
    version,
    max_term_width = 100,
    subcommand_help_heading = "Commands",
    after_help = "Without a command: the home screen, or the demo where there is no terminal.

Examples:
  gridrace play --puzzle slide:4x4 --bots steady,expert
  gridrace host
  gridrace join KQZT 192.168.1.5
  gridrace join KQZT wss://race.example

gridrace COMMAND --help says more about a command.",
    after_long_help = "Without a command: the home screen, or the demo where there is no terminal.

Examples:
  gridrace play --puzzle slide:4x4 --bots steady,expert
  gridrace play --puzzle link:9x9:hard
  gridrace host
  gridrace join KQZT 192.168.1.5
  gridrace join KQZT wss://race.example

Exit codes:
  0 done, 1 failure, 2 usage, 69 server unreachable or not trusted, 76 protocol mismatch,
  77 refused, 130 interrupted"
)]
pub struct Cli {
    /// Options of the home screen.
    #[command(flatten)]
    pub screen: screen::ScreenArgs,
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// What the program can do; each command says in its own file what it is for.
#[derive(Debug, Subcommand)]
pub enum Command {
    Play(play::PlayArgs),
    Tutorial(tutorial::TutorialArgs),
    Host(host::HostArgs),
    Join(join::JoinArgs),
    Watch(join::WatchArgs),
    Bot(bot::BotArgs),
    Tournament(tournament::TournamentArgs),
    Stats(stats::StatsArgs),
    Results(results::ResultsArgs),
    Replay(replay::ReplayArgs),
    Verify(replay::VerifyArgs),
    Export(replay::ExportArgs),
    New(new::NewArgs),
    Solve(solve::SolveArgs),
    Check(check::CheckArgs),
    Tables(tables::TablesArgs),
    Demo(demo::DemoArgs),
    Config(config::ConfigArgs),
}

/// Returns the command line as the program takes it.
pub fn command() -> clap::Command {
    // All settings are options of `config`, so that it shows what they are.
    let settings = settings().into_iter().map(|option| option.help_heading("Settings"));
    Cli::command().mut_subcommand("config", |config| config.args(settings))
}

/// Returns the options that the environment and the settings file can set: those of `play`, which
/// has a heat, a screen and a connection.
pub fn settings() -> Vec<Arg> {
    let program = Cli::command();
    let play = program.find_subcommand("play");
    let options = play.into_iter().flat_map(clap::Command::get_arguments);
    options.filter(|option| may_be_set(option)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::headings::SHARED_OPTIONS;
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        command().debug_assert();
    }

    /// Returns the options of a command that the shared block holds.
    fn shared_options(command: &clap::Command) -> Vec<&str> {
        let shared = command
            .get_arguments()
            .filter(|argument| argument.get_help_heading() == Some(SHARED_OPTIONS));
        shared.filter_map(clap::Arg::get_long).collect()
    }

    #[test]
    fn display_and_connection_are_one_block_of_the_commands_that_need_them() {
        let program = command();
        let home = shared_options(&program);
        for option in ["name", "theme", "ascii", "identity", "ca"] {
            assert!(home.contains(&option), "{option} in {home:?}");
        }
        for command in program.get_subcommands() {
            let expected: Vec<&str> = match command.get_name() {
                "play" | "tutorial" | "host" | "join" | "watch" => home.clone(),
                "bot" => vec!["identity", "ca", "no-mdns"],
                "results" | "verify" | "export" => vec!["identity", "ca"],
                "replay" => {
                    let no_other = |option: &&str| !["name", "no-mdns"].contains(option);
                    home.iter().copied().filter(no_other).collect()
                }
                _ => Vec::new(),
            };
            assert_eq!(shared_options(command), expected, "{}", command.get_name());
        }
    }

    #[test]
    fn what_belongs_to_a_command_comes_before_the_shared_block() {
        for command in command().get_subcommands_mut() {
            for help in [command.render_help(), command.render_long_help()] {
                let help = help.to_string();
                let Some((own, shared)) = help.split_once(SHARED_OPTIONS) else { continue };
                assert!(own.contains("Options:") && own.contains("--help"), "{help}");
                assert!(!shared.contains("Options:"), "{help}");
            }
        }
    }

    #[test]
    fn the_short_help_is_shorter_than_the_long_one() {
        for command in command().get_subcommands_mut() {
            let lines = |help: clap::builder::StyledStr| help.to_string().lines().count();
            let (short, long) = (lines(command.render_help()), lines(command.render_long_help()));
            // What fits a terminal with room for the prompt.
            assert!(short < long && short <= 36, "{}: {short} of {long}", command.get_name());
        }
    }

    #[test]
    fn every_command_says_what_it_is_for_and_shows_an_example() {
        for command in command().get_subcommands() {
            assert!(command.get_about().is_some(), "{}", command.get_name());
            let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let example = format!("  gridrace {}", command.get_name());
            assert!(after.contains(&example), "{}: {after}", command.get_name());
        }
    }
}
