//! The command line.
//!
//! Each command has its own file with its options; what several share is in [`display`],
//! [`heat`], [`place`] and [`trust`].

pub mod bot;
pub mod demo;
pub mod display;
pub mod heat;
pub mod host;
pub mod join;
pub mod new;
pub mod place;
pub mod play;
pub mod replay;
pub mod results;
pub mod solve;
pub mod tables;
pub mod trust;

use clap::{Parser, Subcommand};

/// Race your friends, and bots, on the same puzzle.
#[derive(Debug, Parser)]
#[command(
    name = "gridrace",
    version,
    propagate_version = true,
    max_term_width = 100,
    after_help = "Without a command: the home screen, or the demo where there is no terminal.

Examples:
  gridrace play --puzzle slide:4x4 --bots steady,expert
  gridrace play --puzzle link:9x9:hard
  gridrace host
  gridrace join KQZT 192.168.1.5
  gridrace join KQZT wss://race.example

Exit codes:
  0 done, 1 failure, 2 usage, 69 server unreachable or not trusted, 76 protocol mismatch, 77 refused,
  130 interrupted"
)]
pub struct Cli {
    /// How the program shows itself.
    #[command(flatten)]
    pub display: display::Display,
    /// Which servers to believe.
    #[command(flatten)]
    pub trust: trust::TrustArgs,
    /// What to do.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// What the program can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Play a heat against bots, on a server inside the program
    Play(play::Play),
    /// Host a heat for the network, and play in it
    Host(host::Host),
    /// Join a room by its code or its server's address
    Join(join::Join),
    /// Watch a heat: every board, live
    Watch(join::Watch),
    /// Send bots into a heat from outside, any number of them
    Bot(bot::Bot),
    /// Solve boards: their moves, how good they are, and what it took
    Solve(solve::Solve),
    /// Build, list or remove the solvers' tables
    Tables(tables::Tables),
    /// Print new boards, drawn or named by a seed
    New(new::New),
    /// List how your own heats on a server went
    Results(results::Results),
    /// Play a heat again that is over: on the screen, or line by line
    Replay(replay::Replay),
    /// Check replays: board, moves, times, places and the commitment
    Verify(replay::Verify),
    /// Write the results of heats that are over as CSV or JSON
    Export(replay::Export),
    /// Let four bots race on a real socket, and print the standings
    Demo(demo::Demo),
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_says_what_it_is_for_and_shows_an_example() {
        for command in Cli::command().get_subcommands() {
            assert!(command.get_about().is_some(), "{}", command.get_name());
            let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let example = format!("  gridrace {}", command.get_name());
            assert!(after.contains(&example), "{}: {after}", command.get_name());
        }
    }
}
