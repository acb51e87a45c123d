//! The command line of `gridrace-server`.

use crate::log::LogFormat;
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use gridrace_server::race::MAX_PLAYERS;
use gridrace_server::store::{Data, StoreError};
use gridrace_server::{StandingRoom, TrustedProxy, read_name, read_origin};
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::options::{HeatOptions, HintRule};
use gridrace_shared::heat::pin::Pin;
use gridrace_shared::protocol::DEFAULT_PORT;
use gridrace_shared::puzzle::PuzzleSpec;
use gridrace_shared::util::seed::Seed;
use std::net::{Ipv4Addr, SocketAddr};
use std::num::NonZero;
use std::path::PathBuf;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

/// Serves heats of grid puzzles: WebSocket and plain HTTP on one port.
#[derive(Debug, Parser)]
#[command(name = "gridrace-server", version, after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Address and port to listen on; port 0 takes a free one
    #[arg(long, env = "GRIDRACE_LISTEN", default_value_t = SocketAddr::from((Ipv4Addr::UNSPECIFIED, DEFAULT_PORT)))]
    pub(crate) listen: SocketAddr,

    /// Open a heat of this puzzle that stands as long as the server does
    #[arg(long, value_name = "PUZZLE")]
    heat: Option<PuzzleSpec>,

    /// Seat these bots in it: beginner, casual, steady, expert, master
    #[arg(long, value_name = "SKILL,…", value_delimiter = ',', requires = "heat")]
    bots: Vec<Skill>,

    /// Seed of its first board; drawn otherwise
    #[arg(long, requires = "heat")]
    seed: Option<Seed>,

    /// Its hints: off, free, or the seconds that each costs
    #[arg(long, requires = "heat", value_parser = hints, value_name = "off|free|SECONDS")]
    hints: Option<HintRule>,

    /// Seconds of its countdown
    #[arg(long, requires = "heat", value_name = "SECONDS")]
    countdown: Option<u16>,

    /// Seconds of its time limit
    #[arg(long, requires = "heat", value_name = "SECONDS")]
    time_limit: Option<u16>,

    /// Seconds by which spectators see the boards late
    #[arg(long, requires = "heat", value_name = "SECONDS")]
    delay: Option<u16>,

    /// Seconds for which a lost connection keeps its seat
    #[arg(long, requires = "heat", value_name = "SECONDS")]
    grace: Option<u16>,

    /// Leave it out of the list: only its code leads to it
    #[arg(long, requires = "heat")]
    private: bool,

    /// Let in only who has this PIN, 4 to 8 digits
    #[arg(long, requires = "heat", env = "GRIDRACE_PIN", hide_env_values = true)]
    pin: Option<Pin>,

    /// Let no bots in
    #[arg(long, requires = "heat", conflicts_with = "bots")]
    no_bots: bool,

    /// Another origin whose pages may open a WebSocket, like https://race.example
    #[arg(long = "origin", value_name = "ORIGIN", value_parser = read_origin)]
    pub(crate) origins: Vec<String>,

    /// Another name under which browsers reach the server, like race.example; addresses,
    /// localhost and this machine's own name are known
    #[arg(long = "host", value_name = "NAME", value_parser = read_name)]
    pub(crate) hosts: Vec<String>,

    /// Speak TLS, with this chain of certificates in PEM
    #[arg(long, requires = "tls_key", value_name = "FILE")]
    pub(crate) tls_cert: Option<PathBuf>,

    /// Its private key, in PEM
    #[arg(long, requires = "tls_cert", value_name = "FILE")]
    pub(crate) tls_key: Option<PathBuf>,

    /// Where to keep the solvers' tables [default: $GRIDRACE_CACHE_DIR, or your caches]
    #[arg(long, value_name = "DIR")]
    pub(crate) cache_dir: Option<PathBuf>,

    /// Where to answer /metrics for Prometheus, or off [default: 127.0.0.1:7416 if it is free]
    #[arg(long, env = "GRIDRACE_METRICS", value_name = "ADDRESS|off", value_parser = metrics)]
    pub(crate) metrics: Option<MetricsAt>,

    /// Messages a second that the server takes from one client; raise it to measure
    #[arg(long, default_value_t = gridrace_server::CLIENT_RATE, value_name = "MESSAGES",
        value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) client_rate: u32,

    /// Threads on which heats are run [default: as many as there are cores]
    #[arg(long, env = "GRIDRACE_SHARDS", value_name = "NUMBER",
        value_parser = clap::value_parser!(u16).range(1..=MAX_SHARDS))]
    shards: Option<u16>,

    /// New connections, and attempts at codes, that it takes a second of everybody together;
    /// raise it to measure
    #[arg(long, default_value_t = gridrace_server::ARRIVAL_RATE, value_name = "ARRIVALS",
        value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) arrival_rate: u32,

    /// Believe a proxy at this address what it says in X-Forwarded-For, `here` one on this
    /// machine, so that bounds by address are its clients' own
    #[arg(long = "trust-proxy", value_name = "ADDRESS|here",
        num_args = 0..=1, require_equals = true, default_missing_value = "here")]
    pub(crate) proxies: Vec<TrustedProxy>,

    /// Where to keep heats [default: $GRIDRACE_DATA_DIR, or your programs' data]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,

    /// Keep nothing: heats end with the server
    #[arg(long, conflicts_with = "data")]
    ephemeral: bool,

    /// How log lines look
    #[arg(long, value_enum, default_value_t = LogFormat::Text)]
    pub(crate) log: LogFormat,

    /// Which log lines there are: error, warn, info, debug, trace, or a tracing filter
    #[arg(
        long,
        env = "GRIDRACE_LOG",
        default_value = "info", value_name = "FILTER", value_parser = filter)]
    pub(crate) log_level: String,
}

const EXAMPLES: &str = "Examples:
  gridrace-server
  gridrace-server --heat slide:4x4 --bots casual,expert
  gridrace-server --listen 127.0.0.1:0 --log json
  gridrace-server --data /srv/gridrace

Heats that run when it stops, however it stops, go on with the next one on the same data.
Stops on Ctrl-C and SIGTERM, and at once on a second one. Exits 0 then, 130 if at once, 1 on
failure, 2 on a wrong command line.";

/// More threads than any machine for this has cores.
const MAX_SHARDS: i64 = 1_024;

impl Args {
    /// Returns on how many threads heats are run.
    pub(crate) fn shards(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, NonZero::get);
        self.shards.map_or_else(cores, usize::from)
    }

    /// Returns where heats are kept.
    ///
    /// # Errors
    /// [`StoreError::Unknown`].
    pub(crate) fn data(&self) -> Result<Data, StoreError> {
        if self.ephemeral {
            return Ok(Data::Ephemeral);
        }
        Data::choose(self.data.as_deref())
    }

    /// Returns the heat that is to stand, if there is one.
    ///
    /// # Errors
    /// What is wrong with its options, as the command line's own faults are told.
    pub(crate) fn standing(&self) -> Result<Option<StandingRoom>, clap::Error> {
        let Some(spec) = self.heat else {
            return Ok(None);
        };
        let default = HeatOptions::new(spec);
        let options = HeatOptions {
            hints: self.hints.unwrap_or(default.hints),
            countdown_seconds: self.countdown.unwrap_or(default.countdown_seconds),
            time_limit_seconds: self.time_limit.unwrap_or(default.time_limit_seconds),
            delay_seconds: self.delay.unwrap_or(default.delay_seconds),
            grace_seconds: self.grace.unwrap_or(default.grace_seconds),
            bots_allowed: !self.no_bots,
            private: self.private || self.pin.is_some(),
            spec,
        };
        options.check().map_err(wrong)?;
        if self.bots.len() > MAX_PLAYERS {
            return Err(wrong(format!("a heat has {MAX_PLAYERS} seats at most")));
        }
        let (seed, bots) = (self.seed.clone(), self.bots.clone());
        Ok(Some(StandingRoom { options, seed, bots, pin: self.pin.clone() }))
    }
}

fn wrong(what: impl std::fmt::Display) -> clap::Error {
    Args::command().error(ErrorKind::ValueValidation, what)
}

/// Reads a filter; a bare level is meant for the server, not for the libraries under it.
fn filter(text: &str) -> Result<String, tracing_subscriber::filter::ParseError> {
    if text.parse::<LevelFilter>().is_ok() {
        return Ok(format!("warn,gridrace_server={text}"));
    }
    EnvFilter::try_new(text).map(|_| text.to_owned())
}

/// Where metrics are to be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MetricsAt {
    /// Nowhere.
    Off,
    /// On a listener of their own.
    Address(SocketAddr),
}

fn metrics(text: &str) -> Result<MetricsAt, String> {
    match text {
        "off" => Ok(MetricsAt::Off),
        address => address
            .parse()
            .map(MetricsAt::Address)
            .map_err(|_| "off, or an address with its port".to_owned()),
    }
}

fn hints(text: &str) -> Result<HintRule, String> {
    match text {
        "off" => Ok(HintRule::Off),
        "free" => Ok(HintRule::Free),
        seconds => seconds
            .parse()
            .map(|seconds| HintRule::Priced { seconds })
            .map_err(|_| "off, free, or a number of seconds".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Args::command().debug_assert();
    }

    fn parse(line: &str) -> Result<Args, clap::Error> {
        Args::try_parse_from(line.split(' '))
    }

    #[test]
    fn the_options_of_a_standing_heat_are_read() {
        let line = "gridrace-server --heat slide:3x3 --bots expert,master --hints free --delay 0 \
            --grace 5";
        let heat = parse(line).unwrap().standing().unwrap().unwrap();
        assert_eq!(heat.bots, [Skill::Expert, Skill::Master]);
        assert_eq!(heat.options.hints, HintRule::Free);
        assert_eq!(heat.options.delay_seconds, 0);
        assert_eq!(heat.options.grace_seconds, 5);
    }

    #[test]
    fn proxies_are_believed_only_where_they_are_named() {
        let here = Ipv4Addr::new(10, 0, 0, 2).into();
        for (line, proxies) in [
            ("gridrace-server", vec![]),
            ("gridrace-server --trust-proxy", vec![TrustedProxy::Loopback]),
            (
                "gridrace-server --trust-proxy=10.0.0.2 --trust-proxy=here",
                vec![TrustedProxy::Address(here), TrustedProxy::Loopback],
            ),
        ] {
            assert_eq!(parse(line).unwrap().proxies, proxies, "{line}");
        }
        assert!(parse("gridrace-server --trust-proxy=nginx").is_err());
    }

    #[test]
    fn origins_and_names_that_no_browser_ever_sends_are_refused() {
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
    fn options_out_of_bounds_are_faults_of_the_command_line() {
        let crowd = ["beginner"; MAX_PLAYERS + 1].join(",");
        for options in ["--countdown 0", "--hints 601", "--grace 601", &format!("--bots {crowd}")] {
            let args = parse(&format!("gridrace-server --heat slide:3x3 {options}")).unwrap();
            assert_eq!(args.standing().unwrap_err().exit_code(), 2, "{options}");
        }
        for line in ["--shards 0", "--heat slide:1x9", "--bots expert", "--log-level a=b=c"] {
            let fault = parse(&format!("gridrace-server {line}")).unwrap_err();
            assert_eq!(fault.exit_code(), 2, "{line}");
        }
    }

    #[test]
    fn a_bare_level_is_the_servers_own() {
        let level = |text| filter(text).unwrap();
        assert_eq!(level("debug"), "warn,gridrace_server=debug");
        assert_eq!(level("hyper=trace"), "hyper=trace");
    }
}
