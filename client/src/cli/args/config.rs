//! `gridrace config`.

const LONG_ABOUT: &str = r#"Show your settings, where each comes from, and your key's fingerprint

An option of the command line comes before its variable in the environment, and that before the
settings file. The file is TOML; an option below is set there under its own name:

  name = "Anna"
  theme = "dark"
  bots = ["casual", "expert"]

  [servers]                          # gridrace join KQZT club
  club = "wss://race.example"

  [keys.race]                        # each screen of docs/playing.md has keys
  hint = "h"
  left = ["left", "a"]"#;

/// Show your settings, where each comes from, and your key's fingerprint
#[derive(Debug, clap::Args)]
#[command(
    long_about = LONG_ABOUT,
    after_help = "Examples:
  gridrace config
  gridrace config --json
  $EDITOR \"$(gridrace config --path)\""
)]
pub struct ConfigArgs {
    /// Print the settings file's path only
    #[arg(long, conflicts_with = "json")]
    pub path: bool,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}
