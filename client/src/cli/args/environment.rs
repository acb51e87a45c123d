//! Errors of values that options have from the environment.

use clap::Command;
use clap::error::{ContextKind, ContextValue};

/// Returns the command as it is where no variable is set.
pub fn without_variables(command: Command) -> Command {
    let command = command.mut_args(|option| option.env(None::<&str>));
    command.mut_subcommands(without_variables)
}

/// Names the variable in the error about a value that the environment gave to an option.
pub fn name_variable(command: &Command, mut error: clap::Error) -> clap::Error {
    if let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg)
        && let Some(variable) = variable_of(&build_all(command), option)
    {
        error.insert(ContextKind::InvalidArg, ContextValue::String(variable));
    }
    error
}

/// Returns a command whose options can be written: clap builds only the commands that were called.
fn build_all(command: &Command) -> Command {
    let mut command = command.clone();
    command.build();
    command
}

/// Returns the variable of an option, in whatever command it is.
fn variable_of(command: &Command, option: &str) -> Option<String> {
    let mut options = command.get_arguments().filter(|it| it.to_string() == option);
    let own = options.find_map(clap::Arg::get_env).map(|name| name.to_string_lossy().into_owned());
    own.or_else(|| command.get_subcommands().find_map(|below| variable_of(below, option)))
}
