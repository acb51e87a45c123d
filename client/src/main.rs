//! `gridrace`: the terminal client, its bots and its offline tools.

use clap::Parser;
use gridrace_client::cli::args::Cli;
use gridrace_client::cli::dispatch;
use gridrace_client::cli::exit_code::{Exit, Failure};
use gridrace_client::display::safe_text;
use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    let exit = match dispatch::run(&Cli::parse()) {
        Ok(()) => Exit::Done,
        Err(Failure { exit: Exit::Done, .. }) => Exit::Done,
        Err(Failure { exit, why }) => {
            // Where even this can't be written, the exit code still tells.
            let why = safe_text::lines(&format!("{why:#}"));
            writeln!(std::io::stderr(), "gridrace: {why}").ok();
            exit
        }
    };
    exit.into()
}
