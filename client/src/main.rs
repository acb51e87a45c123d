//! `gridrace`: the terminal client, its bots and its offline tools.

use gridrace_client::cli::command_line::CommandLine;
use gridrace_client::cli::dispatch;
use gridrace_client::cli::exit_code::{Exit, Failure};
use gridrace_client::display::safe_text;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let line = match CommandLine::read() {
        Ok(line) => line,
        Err(error) => return refuse(&error),
    };
    let exit = match dispatch::run(&line) {
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

/// Prints the help that was asked for, or what is wrong with the command line.
fn refuse(error: &clap::Error) -> ExitCode {
    match error.print() {
        Err(why) if !error.use_stderr() && why.kind() != ErrorKind::BrokenPipe => {
            writeln!(std::io::stderr(), "gridrace: {why}").ok();
            Exit::Failure.into()
        }
        _ if error.use_stderr() => Exit::Usage.into(),
        _ => Exit::Done.into(),
    }
}
