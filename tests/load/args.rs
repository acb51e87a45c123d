//! The command line of `gridrace-load`.

use crate::peers::Kind;
use crate::run::{Load, Pace};
use crate::standard::Part;
use crate::tournament::TournamentLoad;
use clap::{Args as ClapArgs, Parser, Subcommand};
use gridrace_client::bot::Pace as BotPace;
use gridrace_shared::puzzle::PuzzleSpec;
use gridrace_shared::tournament::plan::TournamentPlan;
use std::path::PathBuf;
use std::time::Duration;

/// Puts load on a gridrace server and reports what it costs.
#[derive(Debug, Parser)]
#[command(name = "gridrace-load", version)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Print JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// One run against its own server
    Run {
        #[command(flatten)]
        load: LoadArgs,
        /// Put the same load on the bare echo server first, and print the ratio
        #[arg(long)]
        beside_echo: bool,
    },
    /// The same load on a bare echo server
    Echo {
        #[command(flatten)]
        load: LoadArgs,
    },
    /// The standard set of runs, each beside the bare echo, as a table
    Standard {
        /// Parts of the set
        #[arg(value_enum, default_values_t = [Part::Quiet, Part::Busy, Part::Overload])]
        parts: Vec<Part>,
        /// Seconds that each run is measured
        #[arg(long, default_value_t = 10)]
        seconds: u64,
    },
    /// The server's capacity, and what happens to the moves at twice that
    Overload {
        #[command(flatten)]
        load: LoadArgs,
        /// The server's capacity in moves a second; measured by default
        #[arg(long, value_name = "MOVES")]
        carried: Option<u64>,
        /// The factor for the overload
        #[arg(long, default_value_t = 2.0)]
        times: f64,
    },
    /// Response times of players beside expensive peers, and without them
    Beside {
        /// What the peers do
        kind: Kind,
        /// The number of peers
        #[arg(long, default_value_t = 4)]
        peers: usize,
        /// How often both are measured in turn
        #[arg(long, default_value_t = 3)]
        rounds: usize,
        #[command(flatten)]
        load: LoadArgs,
    },
    /// Kills a server during heats, and looks for lost moves that it had acknowledged
    Kill {
        /// The number of kills
        #[arg(long, default_value_t = 50)]
        times: u32,
    },
    /// A tournament of bots with real boards, from the first entry to the champion
    Tournament(TournamentLoadArgs),
    /// The bare echo server
    #[command(hide = true)]
    EchoServer,
    /// A process that needs a whole core
    #[command(hide = true)]
    Spin,
}

/// A tournament.
#[derive(Debug, ClapArgs)]
pub(crate) struct TournamentLoadArgs {
    /// How many bots enter, 4 or more
    #[arg(long, default_value_t = 1_024, value_parser = clap::value_parser!(u32).range(4..=1_024))]
    entrants: u32,
    /// The plan
    #[arg(long, default_value = "heats:32/8+final:3")]
    plan: TournamentPlan,
    /// The puzzle
    #[arg(long, default_value = "slide:3x3")]
    spec: PuzzleSpec,
    /// How many times as fast as its skill says a bot plays, 0.1 to 10
    #[arg(long, default_value = "4")]
    pace: BotPace,
    /// How often the server is killed, once a board while it is raced
    #[arg(long, default_value_t = 0)]
    kills: u32,
    /// A no-show, a late entry, a replayed table, a corrected result, commands of others
    #[arg(long)]
    trouble: bool,
    /// Seconds that all of it may take
    #[arg(long, default_value_t = 900)]
    seconds: u64,
    /// Where to write the record
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
}

impl From<TournamentLoadArgs> for TournamentLoad {
    fn from(args: TournamentLoadArgs) -> Self {
        Self {
            entrants: args.entrants,
            plan: args.plan,
            puzzle: args.spec,
            pace: args.pace,
            kills: args.kills,
            trouble: args.trouble,
            limit: Duration::from_secs(args.seconds),
            record: args.record,
        }
    }
}

/// The load of a run.
#[derive(Debug, ClapArgs)]
pub(crate) struct LoadArgs {
    /// Connections, in heats of eight
    #[arg(long, default_value_t = 1_000)]
    connections: usize,
    /// Moves a second of each player; 0 for heats without moves
    #[arg(long, default_value_t = 5.0, conflicts_with = "saturate")]
    rate: f64,
    /// Play as fast as the server acknowledges, with this many moves in flight
    #[arg(long, value_name = "WINDOW")]
    saturate: Option<usize>,
    /// Seconds to measure
    #[arg(long, default_value_t = 10)]
    seconds: u64,
    /// The puzzle
    #[arg(long, default_value = "slide:4x4")]
    spec: PuzzleSpec,
    /// Give the server a data folder, so that it keeps a journal
    #[arg(long)]
    journal: bool,
    /// Give the server the first core, and this program the others
    #[arg(long)]
    apart: bool,
    /// Processes that spin beside the server, once all players are connected
    #[arg(long, default_value_t = 0, value_name = "PROCESSES")]
    busy: usize,
    /// Hold the server to a share of a core by a cgroup, once all players are connected
    #[arg(long, value_name = "SHARE")]
    cpu_share: Option<f64>,
    /// More arguments for the server
    #[arg(last = true)]
    server: Vec<String>,
}

impl From<LoadArgs> for Load {
    fn from(args: LoadArgs) -> Self {
        Self {
            connections: args.connections,
            pace: match args.saturate {
                Some(window) => Pace::Saturated { window },
                None if args.rate > 0.0 => Pace::Every(Duration::from_secs_f64(1.0 / args.rate)),
                None => Pace::Idle,
            },
            measured: Duration::from_secs(args.seconds),
            spec: args.spec,
            journal: args.journal,
            apart: args.apart,
            strict: false,
            busy: args.busy,
            cpu_share: args.cpu_share,
            server: args.server,
        }
    }
}
