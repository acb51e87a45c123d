//! `gridrace-load`: heats of eight that race by the real protocol, as many as are wanted.
//!
//! The server is a process of its own, started from beside this program, and what it costs
//! is read from the system. A bare echo server of the same WebSocket library, under the
//! same runtime, is the measure: `standard` puts both into one table.
//!
//! - `args`: the command line; `standard`: the set of runs that everybody compares.
//! - `run`: one run, from the first connection to the report; `course`: a server and its players.
//! - `overload`: more than the server carries; `beside`: players beside `peers` who want much.
//! - `racer`: one player; `pending`: its moves that aren't acknowledged; `tempo`: how fast it
//!   moves; `field`: the players of one heat; `link`: one WebSocket.
//! - `served`: the server's process; `echo`: the bare echo server and those who talk to it.
//! - `kill`: what is left of a server's word when it is killed.
//! - `tally`: what is counted; `report`: what comes of it; `clock`: the machine's clock.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a player listens to a few messages and lets all others pass, new ones too"
)]

mod args;
mod beside;
mod clock;
mod course;
mod echo;
mod field;
mod kill;
mod link;
mod overload;
mod peers;
mod pending;
mod racer;
mod report;
mod run;
mod served;
mod standard;
mod tally;
mod tempo;

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
    match runtime.and_then(|runtime| runtime.block_on(carry_out(args.command))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("gridrace-load: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn carry_out(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Run { load, json } => {
            let report = run::run(&load.into()).await?;
            report::print(&[report], json)
        }
        Command::Echo { load, json } => {
            let report = echo::run(&load.into()).await?;
            report::print(&[report], json)
        }
        Command::Standard { seconds, json } => standard::run_all(seconds, json).await,
        Command::Overload { load, carried, times, json } => {
            let load = load.into();
            let offer = Overload { load, carried, times };
            report::print(&overload::run(&offer).await?, json)
        }
        Command::Beside { kind, peers, rounds, load, json } => {
            let mut load: Load = load.into();
            load.strict = true;
            let compared = Beside { load, kind, peers, rounds };
            report::print(&beside::run(&compared).await?, json)
        }
        Command::Kill { times } => kill::run(times).await,
        Command::EchoServer => echo::serve().await,
    }
}
