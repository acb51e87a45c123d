//! `gridrace tables`.

use gridrace_shared::puzzle::slide::solve::tables::{TableGrade, TableSpec, TableSpecError};
use gridrace_shared::util::grid::Size;
use std::path::PathBuf;

/// Build, list or remove the solvers' tables
///
/// Solvers look up in tables how far some of the tiles are from home. Default tables are made where
/// they are needed, in about a second (5x5: two or three), and those for `solve --metric mtm` in up to
/// 20 seconds; large ones only by `tables build --large` or `solve --large`. All are kept in the
/// cache directory and used from then on.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gridrace tables build 4x4 --large
  gridrace tables info
  gridrace tables remove --all")]
pub struct TablesArgs {
    #[command(subcommand)]
    pub action: TablesCommand,
    /// Where to keep the tables [default: $GRIDRACE_CACHE_DIR, or your caches]
    #[arg(long, value_name = "DIR", global = true)]
    pub cache_dir: Option<PathBuf>,
    /// Print JSON: one document, or for build one a table
    #[arg(long, global = true)]
    pub json: bool,
}

/// What to do with tables.
#[derive(Debug, clap::Subcommand)]
pub enum TablesCommand {
    Build(BuildArgs),
    /// List the tables that are kept, and check every byte of them
    Info,
    Remove(RemoveArgs),
}

/// Build tables that aren't kept yet
#[derive(Debug, clap::Args)]
pub struct BuildArgs {
    /// Sizes like 4x4, or tables like 4x4-large and 4x4-mtm
    #[arg(value_name = "SIZE|TABLE", default_value = "4x4")]
    which: Vec<Which>,
    /// The large tables of these sizes rather than the default ones: 288 MB for 4x4, 381 MB
    /// for 5x5, built with up to 650 MB of memory within a minute or two on two cores
    #[arg(long)]
    large: bool,
    /// Number of threads to build on, up to 256 [default: the number of cores]
    #[arg(long, allow_negative_numbers = true, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub threads: Option<u16>,
}

/// Remove tables
#[derive(Debug, clap::Args)]
pub struct RemoveArgs {
    /// Sizes like 4x4, for tables of every grade, or tables like 4x4-large
    #[arg(value_name = "SIZE|TABLE", required_unless_present = "all")]
    pub which: Vec<Which>,
    /// All tables, of other versions, too
    #[arg(long, conflicts_with = "which")]
    pub all: bool,
}

/// A word that names a table, or all of a size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    Size(Size),
    Table(TableSpec),
}

impl BuildArgs {
    /// Returns the tables that are meant.
    pub fn specs(&self) -> Result<Vec<TableSpec>, TableSpecError> {
        let grade = if self.large { TableGrade::Large } else { TableGrade::Default };
        let spec = |&which: &Which| match which {
            Which::Size(size) => TableSpec::new(size, grade),
            Which::Table(spec) => Ok(spec),
        };
        self.which.iter().map(spec).collect()
    }
}

impl Which {
    /// Says whether a table is meant.
    pub fn means(self, spec: TableSpec) -> bool {
        match self {
            Self::Size(size) => [size, size.transposed()].contains(&spec.size()),
            Self::Table(this) => this == spec,
        }
    }
}

impl std::str::FromStr for Which {
    type Err = TableSpecError;

    fn from_str(text: &str) -> Result<Self, TableSpecError> {
        match text.parse() {
            Ok(size) => Ok(Self::Size(size)),
            Err(_) => text.parse().map(Self::Table),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_means_its_tables_in_either_orientation() {
        let spec: TableSpec = "3x4-default".parse().unwrap();
        for (word, means) in [
            ("3x4", true),
            ("4x3", true),
            ("4x3-default", true),
            ("4x4", false),
            ("2x4-default", false),
        ] {
            let which: Which = word.parse().unwrap();
            assert_eq!(which.means(spec), means, "{word}");
        }
        assert!("4x4-huge".parse::<Which>().is_err());
    }
}
