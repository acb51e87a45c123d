//! The commands for the data folder: `backup`, `restore` and `prune`.

use clap::{Args, Subcommand};
use gridrace_server::platform::environment::Environment;
use gridrace_server::store::{
    BackupError, Data, DatabaseContent, PruneError, PruneRange, Pruned, RestoreError, Restored,
    StoreError, backup, preview_prune, prune, restore,
};
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(crate) enum DataCommand {
    /// Copy the database and the keys into a new folder, while the server runs or not
    Backup {
        /// A folder that isn't there or is empty
        folder: PathBuf,
        #[command(flatten)]
        data: DataOption,
    },
    /// Replace a stopped server's data by a backup, and keep it in a folder replaced-1
    Restore {
        /// A folder that `gridrace-server backup` has written
        folder: PathBuf,
        #[command(flatten)]
        data: DataOption,
    },
    /// Delete old finished heats of a stopped server, but for those of tournaments
    Prune {
        /// Delete what ended more than this many days ago
        #[arg(long, value_name = "DAYS")]
        older_than: u32,

        /// Delete old tournaments as well, with their heats
        #[arg(long)]
        tournaments: bool,

        /// Say what would be deleted, and delete nothing; the server may run
        #[arg(long)]
        dry_run: bool,

        #[command(flatten)]
        data: DataOption,
    },
}

#[derive(Debug, Args)]
pub(crate) struct DataOption {
    /// Folder of the recorded heats [default: $GRIDRACE_DATA_DIR, or your data folder]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum DataCommandError {
    #[error("GRIDRACE_DATA_DIR is empty, which is for no data: name the folder with --data")]
    NoFolder,
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Backup(#[from] BackupError),
    #[error(transparent)]
    Restore(#[from] RestoreError),
    #[error(transparent)]
    Prune(#[from] PruneError),
}

impl DataCommand {
    /// Runs the command; returns what it has done, in words.
    pub(crate) fn run(&self, environment: &Environment) -> Result<String, DataCommandError> {
        match self {
            Self::Backup { folder, data } => {
                let content = describe(backup(&data.folder()?, folder)?);
                Ok(format!("wrote {}: {content}", folder.display()))
            }
            Self::Restore { folder, data } => {
                let data = data.folder()?;
                let Restored { content, replaced, other_keys } = restore(folder, &data)?;
                let (data, folder, content) = (data.display(), folder.display(), describe(content));
                let mut report = format!("restored {folder} in {data}: {content}");
                if let Some(replaced) = replaced {
                    report += &format!("\nthe data before it is in {}", replaced.display());
                }
                for key in other_keys {
                    report += &format!(
                        "\n{key} in {data} stays; the one in {folder} is another: copy it to have that one again"
                    );
                }
                Ok(report)
            }
            Self::Prune { older_than, tournaments, dry_run, data } => {
                let range = PruneRange::older_than(*older_than, *tournaments, environment);
                let data = data.folder()?;
                let (done, size, Pruned { heats, tournaments, bytes }) = if *dry_run {
                    ("would delete", "of some", preview_prune(&data, range)?)
                } else {
                    ("deleted", "and freed", prune(&data, range)?)
                };
                let what = counted(heats, tournaments);
                Ok(format!("{done} {what}, {size} {}", size_in_words(bytes)))
            }
        }
    }
}

impl DataOption {
    fn folder(&self) -> Result<PathBuf, DataCommandError> {
        match Data::choose(self.data.as_deref())? {
            Data::At(folder) => Ok(folder),
            Data::Ephemeral => Err(DataCommandError::NoFolder),
        }
    }
}

fn describe(DatabaseContent { heats, tournaments, bytes }: DatabaseContent) -> String {
    format!("{}, a database of {}", counted(heats, tournaments), size_in_words(bytes))
}

fn counted(heats: u64, tournaments: u64) -> String {
    let with_plural = |count, what| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    format!("{}, {}", with_plural(heats, "finished heat"), with_plural(tournaments, "tournament"))
}

fn size_in_words(bytes: u64) -> String {
    if bytes < 1_000_000 {
        return format!("{} KB", bytes.div_ceil(1_000));
    }
    format!("{}.{} MB", bytes / 1_000_000, bytes % 1_000_000 / 100_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_no_plural() {
        assert_eq!(counted(1, 2), "1 finished heat, 2 tournaments");
    }
}
