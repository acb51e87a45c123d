//! `gridrace`: the terminal client, its bots and its offline tools.

use clap::Parser;
use gridrace_client::args::Cli;
use gridrace_client::commands;
use gridrace_client::exit::{Exit, Failure};
use gridrace_client::sanitise;
use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    let exit = match commands::run(&Cli::parse()) {
        Ok(()) => Exit::Done,
        Err(Failure { exit: Exit::Done, .. }) => Exit::Done,
        Err(Failure { exit, why }) => {
            // Where even this can't be written, the exit code still tells.
            let why = sanitise::lines(&format!("{why:#}"));
            writeln!(std::io::stderr(), "gridrace: {why}").ok();
            exit
        }
    };
    exit.into()
}
