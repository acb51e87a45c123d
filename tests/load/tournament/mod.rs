//! A tournament of real boards, from the first entry to the champion, and what it costs.
//!
//! The server is a process of its own; the entrants are the bots of `gridrace bot`, each with a key of
//! its own, on connections of this program. At the end the record of the tournament is verified, and its
//! log compared with what the organiser was told.
//!
//! With `--trouble`, what goes wrong at a real tournament goes wrong here as well
//! ([`trouble`]), and `--kills` kills the server in the middle of boards.

mod counting;
mod organiser;
mod record;
mod trouble;

use crate::server_process::{ServerProcess, Usage, free_address, own_nanos};
use anyhow::{Context, bail, ensure};
use counting::{Counters, Counting};
use gridrace_client::bot::{BotConfig, BotResources, Pace, TournamentBot};
use gridrace_client::net::clock::Clock;
use gridrace_client::session::TournamentSession;
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::identity::Key;
use gridrace_shared::puzzle::PuzzleSpec;
use gridrace_shared::tournament::ids::TournamentName;
use gridrace_shared::tournament::plan::TournamentPlan;
use gridrace_shared::tournament::settings::TournamentSettings;
use gridrace_tables::{Cache, TableStore};
use organiser::{Organiser, RoundTimes};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;

/// Bots that enter at the same time: more would only wait for each other.
const ENTERING: usize = 64;
/// The skills of the bots, in turn, so that the field isn't equal.
const SKILLS: [Skill; 3] = [Skill::Casual, Skill::Steady, Skill::Expert];
/// Seconds between two boards, and between the draw of a round and its GO: as short as all need to
/// come to their tables.
const PAUSES: (u16, u16) = (5, 10);
/// Seconds that a board may take.
const TIME_LIMIT: u16 = 120;

/// A tournament that is to be raced.
#[derive(Debug)]
pub(crate) struct TournamentLoad {
    pub(crate) entrants: u32,
    pub(crate) plan: TournamentPlan,
    pub(crate) puzzle: PuzzleSpec,
    /// How many times as fast as its skill says a bot plays.
    pub(crate) pace: Pace,
    /// How often the server is killed while boards are raced.
    pub(crate) kills: u32,
    pub(crate) trouble: bool,
    /// How long the whole may take.
    pub(crate) limit: Duration,
    /// Where the record is written.
    pub(crate) record: Option<PathBuf>,
}

/// The cost of a tournament.
#[derive(Debug)]
struct TournamentReport {
    entered: Duration,
    raced: Duration,
    boards: usize,
    server: Usage,
    own_nanos: u64,
}

/// Races a tournament, and checks its record.
pub(crate) async fn run(tournament: &TournamentLoad) -> anyhow::Result<()> {
    let raced = timeout(tournament.limit, race(tournament)).await;
    raced.with_context(|| format!("not over after {:?}", tournament.limit))?
}

async fn race(tournament: &TournamentLoad) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let data = folder.path().join("data");
    let address = free_address()?;
    let mut server = start(address, &data).await?;
    let name: TournamentName = "load".parse()?;
    let mut organiser =
        Organiser::open(address, &name, tournament.plan.clone(), settings(tournament)).await?;

    let network = Counting::default();
    let began = Clock::instant();
    let (stop, stopped) = watch::channel(false);
    // One doesn't come to its tables, and one enters late.
    let (absent, late) = (tournament.entrants - 2, tournament.entrants - 1);
    let punctual = if tournament.trouble { absent } else { tournament.entrants };
    let resources = BotResources::new(TableStore::new(Cache::choose(None)));
    let bot = |number| bot(tournament, &network, address, &name, number, resources.clone());
    let mut playing = enter(bot, punctual, &stopped).await?;
    let absentee = match tournament.trouble {
        true => Some(trouble::enter_absent(address, &name, absent).await?),
        false => None,
    };
    organiser.until_entered(punctual + u32::from(tournament.trouble)).await?;
    let entered = began.elapsed();
    println!(
        "{punctual} bots entered in {:.1} s; {}",
        entered.as_secs_f64(),
        network.counters.text()
    );

    let go = Clock::instant();
    organiser.begin().await?;
    let mut killed = Vec::new();
    let mut promotion = None;
    if tournament.trouble {
        let bot = bot(late).await?;
        playing.spawn(bot.play(stopped.clone()));
        promotion =
            Some(trouble::first_round(&mut organiser, address, &name, &bot_name(late)).await?);
    }
    let mut raced = None;
    // The first kill comes while what went wrong in the first round is raced again.
    for kill in 0..tournament.kills {
        let (round, board) = organiser.until_racing(raced).await?;
        raced = Some((round, board));
        killed.push(server.usage()?);
        server.kill().await?;
        server = start(address, &data).await?;
        let kills = tournament.kills;
        println!("kill {} of {kills}, {round}, board {}: the server is back", kill + 1, board + 1);
        if let Some(promotion) = promotion.take() {
            trouble::later_round(&mut organiser, promotion).await?;
        }
    }
    if let Some(promotion) = promotion.take() {
        trouble::later_round(&mut organiser, promotion).await?;
    }
    let rounds = organiser.until_over(&network.counters).await?;
    let raced = go.elapsed();
    organiser.end().await?;
    while let Some(ended) = playing.join_next().await {
        ended?.map_err(|error| anyhow::anyhow!("a bot failed: {error}"))?.close().await;
    }
    drop((stop, absentee));
    if tournament.trouble {
        trouble::after_the_end(&mut organiser).await?;
    }
    for RoundTimes { round, tables, go, known } in rounds {
        let drawn = organiser.drawn_at(round).unwrap_or(go);
        println!(
            "{round}: {tables} tables, GO {:.1} s after the draw, the last result known after {:.0?}",
            (go.0 - drawn.0) as f64 / 1e3,
            known.unwrap_or_default()
        );
    }
    let log = organiser.into_log().await?;
    let usage = killed.into_iter().try_fold(server.usage()?, |sum, usage| {
        anyhow::Ok(Usage {
            cpu_nanos: sum.cpu_nanos + usage.cpu_nanos,
            rating_nanos: sum.rating_nanos + usage.rating_nanos,
            resident: sum.resident.max(usage.resident),
            disk_bytes: sum.disk_bytes + usage.disk_bytes,
        })
    })?;
    server.kill().await?;
    let boards = record::check(&data, &name, tournament, &log)?;
    let report =
        TournamentReport { entered, raced, boards, server: usage, own_nanos: own_nanos()? };
    print(tournament, &report, &network.counters);
    Ok(())
}

fn print(tournament: &TournamentLoad, report: &TournamentReport, counters: &Counters) {
    let TournamentReport { entered, raced, boards, server, own_nanos } = report;
    let seconds = |nanos: u64| nanos as f64 / 1e9;
    println!("plan              {}", tournament.plan);
    println!("entrants          {}", tournament.entrants);
    println!("arrival           {:.1} s", entered.as_secs_f64());
    println!("begin to champion {:.1} s", raced.as_secs_f64());
    println!("boards at tables  {boards}");
    println!("{}", counters.text());
    println!("bytes a follower  {}", counters.bytes_each(tournament.entrants));
    println!(
        "server CPU        {:.2} s, and {:.2} s to rate boards",
        seconds(server.cpu_nanos),
        seconds(server.rating_nanos)
    );
    println!("server resident   {} MiB", server.resident >> 20);
    println!("server wrote      {} MiB", server.disk_bytes >> 20);
    println!("this program CPU  {:.2} s", seconds(*own_nanos));
}

fn settings(tournament: &TournamentLoad) -> TournamentSettings {
    let mut settings = TournamentSettings::new(tournament.puzzle);
    (settings.pause_seconds, settings.break_seconds) = PAUSES;
    settings.options.time_limit_seconds = TIME_LIMIT;
    settings
}

async fn start(address: SocketAddr, data: &Path) -> anyhow::Result<ServerProcess> {
    let data = data.display().to_string();
    ServerProcess::gridrace_at(address, &["--data".to_owned(), data]).await
}

type Playing = JoinSet<Result<TournamentSession<Counting>, gridrace_client::bot::BotError>>;

/// Enters the first `count` bots, which then play until they are told to stop.
async fn enter<F>(
    bot: impl Fn(u32) -> F,
    count: u32,
    stopped: &watch::Receiver<bool>,
) -> anyhow::Result<Playing>
where
    F: Future<Output = anyhow::Result<TournamentBot<Counting>>> + Send + 'static,
{
    let mut playing = JoinSet::new();
    let gate = Arc::new(tokio::sync::Semaphore::new(ENTERING));
    let mut entering = JoinSet::new();
    for number in 0..count {
        let permit = Arc::clone(&gate).acquire_owned().await?;
        let bot = bot(number);
        entering.spawn(async move {
            let bot = bot.await;
            drop(permit);
            bot
        });
        while let Some(entered) = entering.try_join_next() {
            playing.spawn(entered??.play(stopped.clone()));
        }
    }
    while let Some(entered) = entering.join_next().await {
        playing.spawn(entered??.play(stopped.clone()));
    }
    ensure!(!playing.is_empty(), "no bot has entered");
    Ok(playing)
}

/// Returns the future of a bot's entry, which borrows nothing.
fn bot(
    tournament: &TournamentLoad,
    network: &Counting,
    address: SocketAddr,
    name: &TournamentName,
    number: u32,
    resources: BotResources,
) -> impl Future<Output = anyhow::Result<TournamentBot<Counting>>> + Send + 'static {
    let skill = SKILLS[number as usize % SKILLS.len()];
    let seed = "load".parse().map_err(anyhow::Error::from);
    let pace = tournament.pace;
    let (network, name) = (network.clone(), name.clone());
    async move {
        let config = BotConfig::nth(skill, pace, &seed?, number, &resources);
        let key = key(number);
        let names = || bot_name(number);
        let address = format!("ws://{address}");
        let following =
            TournamentSession::follow(&network, &address, name, None, Some((key, true)));
        let entered = async { TournamentBot::enter(following.await?, None, names, config).await };
        match entered.await {
            Ok(bot) => Ok(bot),
            Err(error) => bail!("bot {number} can't enter: {error}"),
        }
    }
}

fn bot_name(number: u32) -> String {
    format!("bot {number}")
}

/// The key of a bot.
fn key(number: u32) -> Key {
    let mut bytes = [7; 32];
    bytes[..4].copy_from_slice(&number.to_be_bytes());
    Key::from_bytes(bytes)
}
