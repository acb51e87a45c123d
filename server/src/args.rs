//! The command line of `gridrace-server`.

mod standing_rooms;

use crate::data_command::DataCommand;
use crate::log::LogFormat;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use clap::{ArgMatches, Command, CommandFactory, FromArgMatches, Parser};
use gridrace_lan::interfaces::parse_listen_address;
use gridrace_server::platform;
use gridrace_server::store::{Data, Durability, StoreError};
use gridrace_server::{Operators, StandingRoom, TrustedProxy, parse_host_name, parse_origin};
use gridrace_shared::heat::identity::Fingerprint;
use gridrace_tables::{Cache, CacheError};
use standing_rooms::StandingRoomsArgs;
use std::ffi::OsString;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

/// Serves heats of grid puzzles: WebSocket and plain HTTP on one port.
#[derive(Debug, Parser)]
#[command(name = "gridrace-server", version, after_help = EXAMPLES)]
#[command(args_conflicts_with_subcommands = true, disable_help_subcommand = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Option<DataCommand>,

    /// Address and port to listen on; port 0 picks a free one [default: port 7415 of all addresses,
    /// IPv6 and IPv4]
    #[arg(long, env = "GRIDRACE_LISTEN", value_name = "ADDRESS", value_parser = parse_listen_address)]
    pub(crate) listen: Option<SocketAddr>,

    /// Don't announce the server and its public rooms on the local network by mDNS
    #[arg(long, env = "GRIDRACE_NO_MDNS", value_parser = clap::builder::BoolishValueParser::new())]
    pub(crate) no_mdns: bool,

    /// Print no QR code of the first link, which a terminal is shown
    #[arg(long)]
    pub(crate) no_qr: bool,

    /// Fingerprint of an operator's key, who has the host's powers in every room; may be given
    /// several times [default: the key operator.key in the data folder, which is made at the first
    /// start]
    #[arg(long = "operator", value_name = "FINGERPRINT", value_parser = parse_fingerprint)]
    operators: Vec<Fingerprint>,

    /// Allow pages of this origin to open a WebSocket, like https://race.example
    #[arg(long = "origin", value_name = "ORIGIN", value_parser = parse_origin)]
    pub(crate) origins: Vec<String>,

    /// Host name by which browsers reach the server, like race.example; IP addresses, localhost
    /// and this machine's name are always accepted
    #[arg(long = "host", value_name = "NAME", value_parser = parse_host_name)]
    pub(crate) hosts: Vec<String>,

    /// Certificate chain in PEM; enables TLS
    #[arg(long, requires = "tls_key", value_name = "FILE")]
    pub(crate) tls_cert: Option<PathBuf>,

    /// Private key of the certificate, in PEM
    #[arg(long, requires = "tls_cert", value_name = "FILE")]
    pub(crate) tls_key: Option<PathBuf>,

    /// Folder of the solver tables [default: $GRIDRACE_CACHE_DIR, or your cache folder]
    #[arg(long, value_name = "DIR")]
    cache_dir: Option<PathBuf>,

    /// Address of /metrics for Prometheus, or off [default: 127.0.0.1:7416 if it is free]
    #[arg(long, env = "GRIDRACE_METRICS", value_name = "ADDRESS|off", value_parser = parse_metrics)]
    pub(crate) metrics: Option<MetricsAddress>,

    /// Messages a second that one client may send; raise it for load tests
    #[arg(long, default_value_t = gridrace_server::DEFAULT_CLIENT_RATE, value_name = "MESSAGES",
        value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) client_rate: u32,

    /// Threads that run the rooms [default: the number of cores]
    #[arg(long, env = "GRIDRACE_SHARDS", value_name = "NUMBER",
        value_parser = clap::value_parser!(u16).range(1..=MAX_SHARDS))]
    shards: Option<u16>,

    /// New connections a second of all clients, and attempts at codes; raise it for load tests
    #[arg(long, default_value_t = gridrace_server::DEFAULT_ARRIVAL_RATE, value_name = "ARRIVALS",
        value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) arrival_rate: u32,

    /// Trust X-Forwarded-For from this proxy (`here`: any on this machine), so that limits by
    /// address apply to its clients
    #[arg(long = "trust-proxy", value_name = "ADDRESS|here",
        num_args = 0..=1, default_missing_value = "here")]
    pub(crate) proxies: Vec<TrustedProxy>,

    /// Let clients watch the boards of a heat while a player with their address races: for players
    /// and spectators behind one router
    #[arg(long)]
    pub(crate) shared_addresses: bool,

    /// Folder of the recorded heats [default: $GRIDRACE_DATA_DIR, or your data folder]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,

    /// What acknowledged moves survive: a power cut (they wait for the disk), or a crash of the
    /// server (they wait for the system, and results for the disk)
    #[arg(
        long,
        env = "GRIDRACE_DURABILITY",
        value_enum,
        default_value_t,
        hide_possible_values = true,
        value_name = "power|crash"
    )]
    pub(crate) durability: Durability,

    /// Record nothing: heats end with the server
    #[arg(long, conflicts_with = "data")]
    ephemeral: bool,

    /// Serve the page's files from this folder, server/web of a working copy, instead of those in
    /// the program
    #[arg(long, value_name = "DIR")]
    pub(crate) web_dir: Option<PathBuf>,

    /// Format of log lines
    #[arg(long, value_enum, default_value_t = LogFormat::Text)]
    pub(crate) log: LogFormat,

    /// Log level (error, warn, info, debug, trace) or a tracing filter
    #[arg(
        long,
        env = "GRIDRACE_LOG",
        default_value = "info", value_name = "FILTER", value_parser = parse_filter)]
    pub(crate) log_level: String,

    // The last, so that its heading stands above its own options alone.
    #[command(flatten)]
    standing_rooms: StandingRoomsArgs,
}

const EXAMPLES: &str = "Examples:
  gridrace-server
  gridrace-server --room slide:4x4 --bots casual,expert
  gridrace-server --room evening=slide:4x4 --room 'hard=link:9x9:hard bots=expert hints=off'
  gridrace-server --listen 127.0.0.1:0 --log json
  gridrace-server --data /srv/gridrace
  gridrace-server backup /backups/friday --data /srv/gridrace
  gridrace-server prune --older-than 365 --dry-run

A server with the same data folder continues the heats that were running, also after a crash.
Ctrl-C and SIGTERM stop the server; a second one stops it at once. Exit codes: 0 stopped or
done, 130 stopped at once, 1 failure, 2 invalid command line.";

/// More threads than any machine has cores.
const MAX_SHARDS: i64 = 1_024;

impl Args {
    /// Reads the words of a command line and the environment. Help is an error, too:
    /// [`clap::Error::exit`] prints it.
    pub(crate) fn read(words: impl IntoIterator<Item = OsString>) -> Result<Self, clap::Error> {
        let mut command = Self::command();
        let words: Vec<OsString> = words.into_iter().collect();
        let matches = command.try_get_matches_from_mut(&words);
        let matches = matches.map_err(|error| name_variable(error, &command, &words))?;
        check_use(&mut command, &matches)?;
        Self::from_arg_matches(&matches)
    }

    /// Returns the number of threads that run the rooms.
    pub(crate) fn shards(&self) -> usize {
        self.shards.map_or_else(platform::cores, usize::from)
    }

    pub(crate) fn data(&self) -> Result<Data, StoreError> {
        if self.ephemeral {
            return Ok(Data::Ephemeral);
        }
        Data::choose(self.data.as_deref())
    }

    /// Returns the cache of the solver tables, whose folder needn't exist.
    ///
    /// # Errors
    /// [`CacheError`] if it is a file. Where the folder can't be used for another reason, tables are
    /// built without it.
    pub(crate) fn cache(&self) -> Result<Cache, CacheError> {
        let cache = Cache::choose(self.cache_dir.as_deref());
        match cache.files() {
            Err(CacheError::Directory { directory, error })
                if error.kind() == io::ErrorKind::NotADirectory =>
            {
                Err(CacheError::Directory { directory, error })
            }
            Ok(_) | Err(_) => Ok(cache),
        }
    }

    pub(crate) fn standing(&self) -> Result<Vec<StandingRoom>, clap::Error> {
        let invalid = |error| Self::command().error(ErrorKind::ValueValidation, error);
        self.standing_rooms.rooms().map_err(invalid)
    }

    pub(crate) fn operators(&self) -> Operators {
        if self.operators.is_empty() {
            return Operators::KeyFile;
        }
        Operators::Keys(self.operators.iter().copied().collect())
    }
}

/// Names the variable in the error about a value that the environment gave to an option. Clap names the
/// option.
fn name_variable(mut error: clap::Error, command: &Command, words: &[OsString]) -> clap::Error {
    let without_variables = command.clone().mut_args(|option| option.env(None::<&str>));
    if error.use_stderr()
        && without_variables.try_get_matches_from(words).is_ok()
        && let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg)
        && let Some(option) = command.get_arguments().find(|it| it.to_string() == *option)
        && let Some(variable) = option.get_env()
    {
        let variable = variable.to_string_lossy().into_owned();
        error.insert(ContextKind::InvalidArg, ContextValue::String(variable));
    }
    error
}

/// Refuses options that apply to nothing, if the command line has them: a variable may be set for
/// all servers that are started in its environment.
fn check_use(command: &mut Command, matches: &ArgMatches) -> Result<(), clap::Error> {
    let is_given = |option| matches.value_source(option) == Some(ValueSource::CommandLine);
    if is_given("pin") && !is_given("rooms") {
        let why = "--pin is the PIN of standing rooms, and needs --room";
        return Err(command.error(ErrorKind::MissingRequiredArgument, why));
    }
    if is_given("durability") && is_given("ephemeral") {
        let why = "--durability is for what is recorded, and --ephemeral records nothing";
        return Err(command.error(ErrorKind::ArgumentConflict, why));
    }
    Ok(())
}

/// Parses a log filter; a bare level applies to the server, not to the libraries it uses.
fn parse_filter(text: &str) -> Result<String, String> {
    // An empty text is a level to the library: the one that logs most.
    if !text.is_empty() && text.parse::<LevelFilter>().is_ok() {
        return Ok(format!("warn,gridrace_server={text}"));
    }
    // A filter may be the name of a library alone, but then a misspelt level would log nothing.
    if !text.contains(['=', ',', '[']) {
        return Err("expected error, warn, info, debug, trace, off, or a filter like \
            gridrace_server=debug"
            .to_owned());
    }
    EnvFilter::try_new(text).map(|_| text.to_owned()).map_err(|error| error.to_string())
}

fn parse_fingerprint(text: &str) -> Result<Fingerprint, &'static str> {
    let fingerprint = Fingerprint::try_from(text.to_owned());
    fingerprint.map_err(|_| "expected 32 hexadecimal digits, as `gridrace config` shows yours")
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MetricsAddress {
    Off,
    Address(SocketAddr),
}

fn parse_metrics(text: &str) -> Result<MetricsAddress, String> {
    match text {
        "off" => Ok(MetricsAddress::Off),
        address => address
            .parse()
            .map(MetricsAddress::Address)
            .map_err(|_| "expected `off` or an address with a port".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    #[test]
    fn the_command_line_is_consistent() {
        Args::command().debug_assert();
    }

    fn parse(line: &str) -> Result<Args, clap::Error> {
        Args::read(line.split(' ').map(OsString::from))
    }

    #[test]
    fn operators_are_named_or_have_the_key_of_the_data_folder() {
        assert_eq!(parse("gridrace-server").unwrap().operators(), Operators::KeyFile);
        let (one, other) = ("ab".repeat(16), "cd".repeat(16));
        let line = format!("gridrace-server --operator {one} --operator {other}");
        let keys = [one, other].map(|key| Fingerprint::try_from(key).unwrap());
        assert_eq!(parse(&line).unwrap().operators(), Operators::Keys(keys.into()));
        assert!(parse("gridrace-server --operator me").is_err());
    }

    #[test]
    fn only_named_proxies_are_trusted() {
        let address = Ipv4Addr::new(10, 0, 0, 2).into();
        for (line, proxies) in [
            ("gridrace-server", vec![]),
            ("gridrace-server --trust-proxy", vec![TrustedProxy::Loopback]),
            (
                "gridrace-server --trust-proxy=10.0.0.2 --trust-proxy=here",
                vec![TrustedProxy::Address(address), TrustedProxy::Loopback],
            ),
            (
                "gridrace-server --trust-proxy 10.0.0.2 --trust-proxy --ephemeral",
                vec![TrustedProxy::Address(address), TrustedProxy::Loopback],
            ),
        ] {
            assert_eq!(parse(line).unwrap().proxies, proxies, "{line}");
        }
        for line in ["gridrace-server --trust-proxy=nginx", "gridrace-server --trust-proxy nginx"] {
            let error = parse(line).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::ValueValidation, "{line}");
        }
    }

    #[test]
    fn a_file_is_no_folder_of_the_solver_tables() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("tables");
        std::fs::write(&file, "").unwrap();
        for (path, is_usable) in [
            (folder.path(), true),
            (&folder.path().join("new/tables"), true),
            (&file, false),
            (&file.join("tables"), false),
        ] {
            let path = path.display();
            let args = parse(&format!("gridrace-server --cache-dir {path}")).unwrap();
            assert_eq!(args.cache().is_ok(), is_usable, "{path}");
        }
    }

    #[test]
    fn invalid_origins_and_host_names_are_refused() {
        let origins =
            |text| parse(&format!("gridrace-server --origin {text}")).map(|args| args.origins);
        let names = |text| parse(&format!("gridrace-server --host {text}")).map(|args| args.hosts);
        for text in ["https://race.example", "https://race.example/"] {
            assert_eq!(origins(text).unwrap(), ["https://race.example"]);
        }
        assert!(origins("http://10.0.0.2:8080").is_ok());
        for text in ["race.example", "wss://race.example", "https://", "https://a/b", "https://u@a"]
        {
            assert!(origins(text).is_err(), "{text}");
        }
        assert_eq!(names("Race.Example").unwrap(), ["race.example"]);
        for text in ["https://race.example", "race.example:443", "race.example/", "://"] {
            assert!(names(text).is_err(), "{text}");
        }
    }

    #[test]
    fn options_out_of_bounds_are_errors_of_the_command_line() {
        for options in ["--countdown 0", "--grace 601", "--idle 5"] {
            let args = parse(&format!("gridrace-server --room slide:3x3 {options}")).unwrap();
            assert_eq!(args.standing().unwrap_err().exit_code(), 2, "{options}");
        }
        for line in [
            "--shards 0",
            "--room slide:3x3 --hints 601",
            "--room slide:1x9",
            "--bots expert",
            "--pin 4711",
            "--ephemeral --durability crash",
            "--log-level a=b=c",
            "--log-level warning",
            "--log-level=",
        ] {
            let error = parse(&format!("gridrace-server {line}")).unwrap_err();
            assert_eq!(error.exit_code(), 2, "{line}");
        }
    }

    #[test]
    fn a_bare_log_level_applies_to_the_server_alone() {
        let level = |text| parse_filter(text).unwrap();
        assert_eq!(level("debug"), "warn,gridrace_server=debug");
        assert_eq!(level("hyper=trace"), "hyper=trace");
    }
}
