//! `gridrace-load`: any number of heats of eight that race by the real protocol.
//!
//! The server is a process of its own, started from beside this program, and its cost is read from
//! the system. A bare echo server of the same WebSocket library, under the same runtime, is the
//! reference: `standard` puts both into one table.
//!
//! - `args`: the command line; `standard`: the standard set of runs.
//! - `run`: one run, from the first connection to the report; `measured_server`: a server and its
//!   players; `server_process`: its process.
//! - `competing_load`: what else keeps the machine busy; `cpu_quota`: a share of a core for the
//!   server; `disk_probe`: the disk's own time for a sync.
//! - `overload`: more than the server carries; `beside`: players beside expensive `peers`.
//! - `racer`: one player; `pending`: its unacknowledged moves; `move_rate`: how fast it moves;
//!   `heat_players`: the players of one heat.
//! - `echo`: the bare echo server and its clients; `raw`: a WebSocket without a session.
//! - `kill`: what is lost when a server is killed; `tournament`: a whole tournament, and its record.
//! - `tally`: the counters; `report`: the report.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a player listens to a few messages and lets all others pass, new ones too"
)]

mod args;
mod beside;
mod competing_load;
mod cpu_quota;
mod disk_probe;
mod echo;
mod heat_players;
mod kill;
mod measured_server;
mod move_rate;
mod overload;
mod peers;
mod pending;
mod racer;
mod raw;
mod report;
mod run;
mod server_process;
mod standard;
mod tally;
mod tournament;

use anyhow::Context;
use args::{Args, Command};
use beside::Beside;
use clap::Parser;
use overload::Overload;
use run::Load;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args = Args::parse();
    gridrace_server::platform::rlimit::raise_open_files();
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().context("no runtime");
    match runtime.and_then(|runtime| runtime.block_on(carry_out(args))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("gridrace-load: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn carry_out(args: Args) -> anyhow::Result<()> {
    let reports = match args.command {
        Command::Run { load, beside_echo: false } => vec![run::run(&load.into()).await?],
        Command::Run { load, beside_echo: true } => standard::beside_echo(&[load.into()]).await?,
        Command::Echo { load } => vec![echo::run(&load.into()).await?],
        Command::Standard { seconds, parts } => standard::run_parts(&parts, seconds).await?,
        Command::Overload { load, carried, times } => {
            overload::run(&Overload { load: load.into(), carried, times }).await?
        }
        Command::Beside { kind, peers, rounds, load } => {
            let load = Load { strict: true, ..load.into() };
            beside::run(&Beside { load, kind, peers, rounds }).await?
        }
        Command::Kill { times } => return kill::run(times).await,
        Command::Tournament(args) => return tournament::run(&args.into()).await,
        Command::EchoServer => return echo::serve().await,
        Command::Spin => loop {
            std::hint::spin_loop();
        },
    };
    report::print(&reports, args.json)
}
