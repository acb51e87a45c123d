//! `gridrace tournament`.

use super::connection::ConnectionArgs;
use super::place::{link, server};
use super::screen::ScreenArgs;
use crate::cli::exit_code::Failure;
use crate::net::address::{HERE, LinkTarget, ServerLink, ServerNames};
use clap::{Args, Subcommand};
use gridrace_shared::heat::identity::Fingerprint;
use gridrace_shared::heat::pin::Pin;
use gridrace_shared::puzzle::PuzzleSpec;
use gridrace_shared::tournament::ids::{TeamTag, TournamentName};
use gridrace_shared::tournament::notation::NotationError;
use gridrace_shared::tournament::plan::TournamentPlan;
use gridrace_shared::tournament::settings::{TournamentSettings, TournamentTitle};
use gridrace_shared::tournament_view::COMMANDS;
use std::path::{Path, PathBuf};

/// Run, enter or watch a tournament
///
/// A tournament runs on a server, which draws, starts and counts it. The player who opens it is its
/// organiser, known by their key. docs/tournaments.md has the formats and their rules.
#[derive(Debug, Args)]
#[command(
    subcommand_help_heading = "Commands",
    after_help = "Examples:
  gridrace tournament new friday@192.168.1.5 --plan series:5
  gridrace tournament enter friday 192.168.1.5
  gridrace tournament watch friday 192.168.1.5

gridrace tournament COMMAND --help says more about a command."
)]
pub struct TournamentArgs {
    #[command(subcommand)]
    pub command: TournamentSubcommand,
}

#[derive(Debug, Subcommand)]
pub enum TournamentSubcommand {
    New(Box<TournamentNewArgs>),
    List(TournamentListArgs),
    Show(TournamentShowArgs),
    Enter(Box<TournamentEnterArgs>),
    Watch(Box<TournamentWatchArgs>),
    Command(TournamentCommandArgs),
    Export(TournamentExportArgs),
    Verify(TournamentVerifyArgs),
}

/// A tournament and its server, as people write it, and its PIN.
#[derive(Debug, Clone, Args)]
pub struct TournamentPlaceArgs {
    /// The tournament's name, NAME@ADDRESS, or its link
    #[arg(value_name = "NAME")]
    pub tournament: String,
    /// The server's address, or your name for it [default: this machine; enter and watch also look
    /// on this network]
    #[arg(value_name = "ADDRESS")]
    pub address: Option<String>,
    /// The tournament's PIN, if it has one
    #[arg(long, env = "GRIDRACE_PIN", hide_env_values = true)]
    pub pin: Option<Pin>,
}

impl TournamentPlaceArgs {
    /// Returns the name and the address.
    pub fn read(&self, servers: &ServerNames) -> Result<(TournamentName, String), Failure> {
        read_place(&self.tournament, self.address.as_deref(), servers)
    }

    /// Returns the name, and the address if one was given.
    pub fn read_given(
        &self,
        servers: &ServerNames,
    ) -> Result<(TournamentName, Option<String>), Failure> {
        read_given(&self.tournament, self.address.as_deref(), servers)
    }
}

/// Reads `NAME` or `NAME@ADDRESS`, with an address that may stand apart; without one it is this machine's.
pub fn read_place(
    tournament: &str,
    address: Option<&str>,
    servers: &ServerNames,
) -> Result<(TournamentName, String), Failure> {
    let (name, address) = read_given(tournament, address, servers)?;
    Ok((name, address.unwrap_or_else(|| HERE.to_owned())))
}

fn read_given(
    tournament: &str,
    address: Option<&str>,
    servers: &ServerNames,
) -> Result<(TournamentName, Option<String>), Failure> {
    if tournament.contains('/') && !tournament.contains('@') {
        let (name, address) = read_link(tournament, address, servers)?;
        return Ok((name, Some(address)));
    }
    let (name, address) = match (tournament.split_once('@'), address) {
        (Some(_), Some(_)) => return Err(Failure::usage("two addresses were given")),
        (Some((name, address)), None) => (name, Some(address)),
        (None, address) => (tournament, address),
    };
    let name = name.parse().map_err(Failure::usage)?;
    let address = address.map(|address| server(address, servers)).transpose();
    let address = address.map_err(Failure::usage)?;
    Ok((name, address.map(|address| address.to_string())))
}

/// Reads the link of a tournament's page.
fn read_link(
    text: &str,
    address: Option<&str>,
    servers: &ServerNames,
) -> Result<(TournamentName, String), Failure> {
    if address.is_some() {
        return Err(Failure::usage("two addresses were given"));
    }
    let ServerLink { address, target } = link(text, servers).map_err(Failure::usage)?;
    match target {
        Some(LinkTarget::Tournament(name)) => Ok((name, address.to_string())),
        Some(LinkTarget::Room(_)) | None => Err(Failure::usage(format!(
            "{text:?} isn't the link of a tournament: http://HOST/t/NAME"
        ))),
    }
}

/// Open a tournament on a running server
///
/// Without --plan, the plan is series:5, or heats:32/8+final:5 if --max-entrants is above 32.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  gridrace tournament new friday
  gridrace tournament new friday@192.168.1.5 --plan knockout:bo3 --puzzle slide:3x3
  gridrace tournament new cup --plan heats:8/2+final:3 --check-in --pin 4711
  gridrace tournament new league --file league.toml")]
pub struct TournamentNewArgs {
    /// Its name: a-z, 0-9 and -, or NAME@ADDRESS [default address: this machine]
    #[arg(value_name = "NAME")]
    pub tournament: String,
    #[command(flatten)]
    pub plan: PlanArgs,
    /// Ask everybody for this PIN, 4 to 8 digits; the tournament isn't listed then
    #[arg(long, env = "GRIDRACE_PIN", hide_env_values = true)]
    pub pin: Option<Pin>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub connection: ConnectionArgs,
}

/// How a tournament is raced.
#[derive(Debug, Clone, Args)]
pub struct PlanArgs {
    /// The stages, such as series:5, heats:8/2+final:3, swiss:8x5, knockout:bo3
    #[arg(long, value_name = "PLAN", conflicts_with = "file", value_parser = parse_plan)]
    pub plan: Option<TournamentPlan>,
    /// Read the stages from this TOML file
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// The puzzle of stages that name none
    #[arg(long, default_value = "slide:4x4", value_parser = PuzzleSpec::from_typed)]
    pub puzzle: PuzzleSpec,
    /// What lists show in place of the name
    #[arg(long)]
    pub title: Option<TournamentTitle>,
    /// Entries and times.
    #[command(flatten)]
    pub schedule: ScheduleArgs,
    /// Time limit of each board, in seconds [default: 600]
    #[arg(long, value_name = "SECONDS", hide_short_help = true)]
    pub time_limit: Option<u16>,
    /// Leave the tournament out of the server's list
    #[arg(long, hide_short_help = true)]
    pub private: bool,
    /// Let no bots enter
    #[arg(long, hide_short_help = true)]
    pub no_bots: bool,
}

/// Parses the notation of a plan; the error about a file's name names the option that reads it.
fn parse_plan(text: &str) -> Result<TournamentPlan, String> {
    let is_file = Path::new(text).extension().is_some_and(|extension| extension == "toml");
    text.parse().map_err(|error: NotationError| match is_file {
        true => format!("a plan's file is read by --file {text}"),
        false => error.to_string(),
    })
}

/// Entries of a tournament, and the times between its boards.
#[derive(Debug, Clone, Args)]
pub struct ScheduleArgs {
    /// Ask entrants to check in before the first draw
    #[arg(long, hide_short_help = true)]
    pub check_in: bool,
    /// Seconds between two boards of a round [default: 20]
    #[arg(long, value_name = "SECONDS", hide_short_help = true)]
    pub pause: Option<u16>,
    /// Seconds between the draw of a round and its first board [default: 60]
    #[arg(long = "break", value_name = "SECONDS", hide_short_help = true)]
    pub between_rounds: Option<u16>,
    /// How many may enter [default: as many as the plan takes]
    #[arg(long, value_name = "COUNT", hide_short_help = true)]
    pub max_entrants: Option<u16>,
}

impl ScheduleArgs {
    /// Returns the settings with what was chosen.
    pub fn choose(&self, settings: TournamentSettings) -> TournamentSettings {
        TournamentSettings {
            pause_seconds: self.pause.unwrap_or(settings.pause_seconds),
            break_seconds: self.between_rounds.unwrap_or(settings.break_seconds),
            max_entrants: self.max_entrants.unwrap_or(settings.max_entrants),
            check_in: self.check_in,
            ..settings
        }
    }

    /// Returns whether anything was chosen.
    pub const fn is_given(&self) -> bool {
        let Self { check_in, pause, between_rounds, max_entrants } = self;
        *check_in || pause.is_some() || between_rounds.is_some() || max_entrants.is_some()
    }
}

/// List the tournaments of a server
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  gridrace tournament list 192.168.1.5
  gridrace tournament list --past 192.168.1.5
  gridrace tournament list --json | jq -r .name")]
pub struct TournamentListArgs {
    /// The server's address, or your name for it [default: this machine]
    #[arg(value_name = "ADDRESS")]
    pub address: Option<String>,
    /// List those that are closed, the last one first: entrants, champion, and the link to the record
    #[arg(long)]
    pub past: bool,
    /// Print JSON, a line for each tournament
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub connection: ConnectionArgs,
}

/// Print a tournament: phase, standings, tables; or its log
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  gridrace tournament show friday 192.168.1.5
  gridrace tournament show friday --log
  gridrace tournament show friday --json | jq '.standings[0].name'")]
pub struct TournamentShowArgs {
    #[command(flatten)]
    pub place: TournamentPlaceArgs,
    /// Print the public log instead
    #[arg(long)]
    pub log: bool,
    /// Print JSON; with --log, a line for each line of it
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub connection: ConnectionArgs,
}

/// Enter a tournament, and play in it to the end
///
/// The screen leads you to your tables by itself. Run it again after a crash: your key finds your
/// seat. With --json, or without a terminal, you are entered and checked in, and nothing else.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  gridrace tournament enter friday
  gridrace tournament enter friday 192.168.1.5
  gridrace tournament enter friday@race.example --name Anna --team RED")]
pub struct TournamentEnterArgs {
    #[command(flatten)]
    pub place: TournamentPlaceArgs,
    /// Your team's tag: 1 to 6 letters or digits
    #[arg(long)]
    pub team: Option<TeamTag>,
    /// Enter, print JSON, and end
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub screen: ScreenArgs,
}

/// Watch a tournament: tables, standings, bracket; its organiser directs it here
///
/// With --json, or without a terminal, the public log is printed as it grows, to the end.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  gridrace tournament watch friday 192.168.1.5
  gridrace tournament watch friday --json | jq -r .what")]
pub struct TournamentWatchArgs {
    #[command(flatten)]
    pub place: TournamentPlaceArgs,
    /// Print JSON, a line for each line of the log
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub screen: ScreenArgs,
}

/// Give a command to a tournament, as its organiser
///
/// A command that would throw away results says which, and does nothing unless --yes is given.
/// Numbers count from 1; without a round, the latest is meant.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:
  gridrace tournament command friday begin
  gridrace tournament command friday 192.168.1.5 announce Pizza at nine
  gridrace tournament command friday replay table 3 board 2
  gridrace tournament command friday 'disqualify Max; two accounts'",
    after_long_help = after_organise()
)]
pub struct TournamentCommandArgs {
    /// The tournament's name, NAME@ADDRESS, or NAME ADDRESS [default address: this machine]
    #[arg(value_name = "NAME")]
    pub tournament: String,
    /// The command and its arguments; --help lists them
    #[arg(value_name = "COMMAND", required = true, num_args = 1..)]
    pub words: Vec<String>,
    /// Do it even if results are thrown away
    #[arg(long)]
    pub yes: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub connection: ConnectionArgs,
}

impl TournamentCommandArgs {
    /// Returns the tournament's name and address, and the words of the command.
    pub fn read(
        &self,
        servers: &ServerNames,
    ) -> Result<(TournamentName, String, &[String]), Failure> {
        let is_address = |word: &str| word.contains(['.', ':']) || servers.get(word).is_some();
        let (address, command) = match &self.words[..] {
            [first, rest @ ..]
                if !is_command(first)
                    && (is_address(first) || rest.first().is_some_and(|word| is_command(word))) =>
            {
                (Some(first.as_str()), rest)
            }
            all => (None, all),
        };
        if command.is_empty() {
            return Err(Failure::usage("a command is missing after the address"));
        }
        let (name, address) = read_place(&self.tournament, address, servers)?;
        Ok((name, address, command))
    }
}

/// Returns whether a word, or a text of several, begins with the name of a command.
fn is_command(text: &str) -> bool {
    let name = text.split([' ', ';']).next().unwrap_or_default();
    COMMANDS.iter().any(|form| form.name.eq_ignore_ascii_case(name))
}

/// Returns the list of commands for the long help.
fn after_organise() -> String {
    let mut text = "Commands:\n".to_owned();
    for form in COMMANDS {
        let line = format!("  {} {}", form.name, form.arguments);
        text.push_str(&format!("{}\n      {}\n", line.trim_end(), form.what));
    }
    text.push_str(
        "
Examples:
  gridrace tournament command friday begin
  gridrace tournament command friday 192.168.1.5 announce Pizza at nine
  gridrace tournament command friday replay table 3 board 2
  gridrace tournament command friday 'disqualify Max; two accounts'
  gridrace tournament command friday 'result table 2 board 1: Anna 31.48, Max dnf 620; the clock'",
    );
    text
}

/// Save a tournament that is over: its log and all replays as one file, or results as CSV and JSON
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  gridrace tournament export friday 192.168.1.5
  gridrace tournament export friday --standings > standings.csv
  gridrace tournament export friday.grt --results --json
  gridrace tournament export friday --to friday.grt
  gridrace tournament export friday --data /var/lib/gridrace
  gridrace tournament export --data /var/lib/gridrace
  gridrace tournament export friday~1 192.168.1.5")]
pub struct TournamentExportArgs {
    /// The tournament's name, NAME@ADDRESS, or a file that was exported; friday~1 is the first tournament
    /// of a name that was used again
    #[arg(value_name = "NAME|FILE", required_unless_present = "data")]
    pub tournament: Option<String>,
    /// The server's address, or your name for it [default: this machine]
    #[arg(value_name = "ADDRESS")]
    pub address: Option<String>,
    /// Read it from the data folder of a server on this machine, also if it has a PIN or still runs;
    /// without NAME, list the tournaments there
    #[arg(long, value_name = "DIR", conflicts_with = "address")]
    pub data: Option<PathBuf>,
    /// Write the file here, where there must be none [default: NAME.grt]
    #[arg(long, value_name = "FILE", conflicts_with_all = ["standings", "results"])]
    pub to: Option<PathBuf>,
    /// Print the standings as comma-separated values instead
    #[arg(long, conflicts_with = "results")]
    pub standings: bool,
    /// Print the result of every board as comma-separated values instead
    #[arg(long)]
    pub results: bool,
    /// Print JSON in place of comma-separated values, a line for each row
    #[arg(long)]
    pub json: bool,
    /// The tournament's PIN, if it has one
    #[arg(long, env = "GRIDRACE_PIN", hide_env_values = true, hide_short_help = true)]
    pub pin: Option<Pin>,
    #[command(flatten)]
    pub connection: ConnectionArgs,
}

/// Check exported tournaments: draws, results, standings and champion
///
/// Everything is computed anew from the log and the replays. What the rules can't check is vouched
/// for by the server that signed the file.
///
/// Exit codes: 0 if everything holds, 1 if anything doesn't.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  gridrace tournament verify friday.grt
  gridrace tournament verify friday.grt --server 4f1d2c3b4a5968778695a4b3c2d1e0f0 --json")]
pub struct TournamentVerifyArgs {
    /// Files that were exported
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Require the signature of the server with this fingerprint
    #[arg(long, value_name = "FINGERPRINT", value_parser = super::replay::parse_fingerprint)]
    pub server: Option<Fingerprint>,
    /// Print JSON, a line for each file
    #[arg(long)]
    pub json: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn tournament() -> clap::Command {
        let program = crate::cli::args::Cli::command();
        program.find_subcommand("tournament").unwrap().clone()
    }

    #[test]
    fn every_command_has_a_short_and_a_long_help_with_examples_and_prints_json() {
        for command in tournament().get_subcommands_mut() {
            let name = command.get_name().to_owned();
            let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(after.contains(&format!("  gridrace tournament {name}")), "{name}: {after}");
            let lines = |help: clap::builder::StyledStr| help.to_string().lines().count();
            let (short, long) = (lines(command.render_help()), lines(command.render_long_help()));
            assert!(short < long && short <= 36, "{name}: {short} of {long}");
            assert!(command.get_arguments().any(|option| option.get_long() == Some("json")));
        }
    }

    #[test]
    fn the_long_help_of_command_lists_all_that_an_organiser_may_do() {
        let mut tournament = tournament();
        let command = tournament.find_subcommand_mut("command").unwrap();
        let help = command.render_long_help().to_string();
        for form in COMMANDS {
            assert!(help.contains(form.name) && help.contains(form.what), "{}", form.name);
        }
    }

    #[test]
    fn a_command_may_follow_the_address_as_in_the_other_commands() {
        let mut servers = ServerNames::default();
        servers.insert("club", "wss://race.example".parse().unwrap());
        let read = |words: &str| {
            let mut words = words.split('|').map(str::to_owned);
            let args = TournamentCommandArgs {
                tournament: words.next().unwrap(),
                words: words.collect(),
                yes: false,
                json: false,
                connection: ConnectionArgs::default(),
            };
            let read = args.read(&servers).map_err(|failure| failure.why.to_string());
            read.map(|(name, address, words)| format!("{name} {address} {}", words.join(" ")))
        };
        for (words, expected) in [
            ("f|begin", "f 127.0.0.1:7415 begin"),
            ("f@10.0.0.7|end|now", "f 10.0.0.7:7415 end now"),
            ("f|10.0.0.7|announce|see x.y", "f 10.0.0.7:7415 announce see x.y"),
            ("f|box|disqualify Max; twice", "f box:7415 disqualify Max; twice"),
            ("f|club|bgin", "f wss://race.example bgin"),
            ("f|bgin|now", "f 127.0.0.1:7415 bgin now"),
        ] {
            assert_eq!(read(words).unwrap(), expected);
        }
        assert!(read("f|10.0.0.7").unwrap_err().contains("a command is missing"));
        assert!(read("f@10.0.0.7|10.0.0.8|begin").unwrap_err().contains("two addresses"));
    }

    #[test]
    fn a_tournament_is_named_with_its_server_in_one_word_or_two() {
        let servers = ServerNames::default();
        let read = |name, address| {
            read_place(name, address, &servers).map(|(name, address)| format!("{name} {address}"))
        };
        assert_eq!(read("Friday", None).unwrap(), "friday 127.0.0.1:7415");
        assert_eq!(read("friday@10.0.0.7", None).unwrap(), "friday 10.0.0.7:7415");
        assert_eq!(read("friday@wss://race.example", None).unwrap(), "friday wss://race.example");
        assert_eq!(read("friday", Some("10.0.0.7:80")).unwrap(), "friday 10.0.0.7:80");
        for (name, address) in [("a b", None), ("friday", Some("a b")), ("f@1.1.1.1", Some("2"))] {
            assert!(read(name, address).is_err(), "{name} {address:?}");
        }
    }
}
