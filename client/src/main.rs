//! `gridrace`: the terminal client, its bots and its offline tools.

use gridrace_client::cli::command_line::CommandLine;
use gridrace_client::cli::dispatch;
use gridrace_client::cli::exit_code::{Exit, Failure};
use gridrace_client::display::safe_text;
use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    let line = match CommandLine::read() {
        Ok(line) => line,
        // Help is printed, too; both end the program.
        Err(error) => error.exit(),
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
