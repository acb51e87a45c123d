//! Runs a plan: the real server and the real clients, on one thread, by a simulated clock.

use crate::calendar;
use crate::common::{Common, PAUSE, PORT, REFEREE, address, name};
use crate::counts::{Counts, Endings};
use crate::disk::{self, Records};
use crate::faults::Faults;
use crate::network::{Door, Way};
use crate::person::Person;
use crate::plan::{Plan, chance, named};
use gridrace_client::bot::{BotConfig, BotError, BotPlayer, BotResources};
use gridrace_client::cli::report::Report;
use gridrace_client::net::{self, NetError};
use gridrace_client::session::Entry;
use gridrace_server::platform::environment::{Environment, Simulated};
use gridrace_server::store::Data;
use gridrace_server::{Server, ServerConfig, StandingRoom};
use gridrace_shared::protocol::client::{ClientMessage, Entrant, Role};
use gridrace_shared::protocol::server::ServerMessage;
use gridrace_tables::TableStore;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::sync::{mpsc, watch};
use turmoil::Sim;

/// How long anything may take: two heats of a thousand moves at a quarter of a second, and all
/// the longest faults.
const LONGEST: Duration = Duration::from_secs(1_200);
/// How far all hosts go at a time: what a message takes at least.
pub const TICK: Duration = Duration::from_millis(10);
/// From how many milliseconds on a network is slow.
const SLOW: u64 = 200;
/// After how long without news the referee asks for the next heat.
const REMATCH: Duration = Duration::from_secs(5);
/// After how many times that it starts a heat for those who are left: longer than any fault lasts.
const START: u32 = 24;

pub struct Outcome {
    /// What each player sent and heard, and how the player ended.
    pub players: Vec<(Way, Option<String>)>,
    pub referee: Way,
    /// Why it came to no end.
    pub stuck: Option<String>,
    /// How long it took by the simulated clock.
    pub took: Duration,
    /// What the server has left, and where.
    pub data: Option<(TempDir, PathBuf)>,
    pub records: Records,
    pub counts: Counts,
}

/// Runs a plan to its end.
pub fn run(plan: &Plan, tables: &TableStore) -> Outcome {
    calendar::begin();
    disk::begin();
    let machine = Simulated { calendar: calendar::read, disk: disk::read };
    let environment = Environment::simulated(&named(plan.seed), machine);
    let endings = Endings::default();
    let reading = endings.read_along();
    let mut sim = turmoil::Builder::new()
        .simulation_duration(LONGEST)
        .tick_duration(TICK)
        .min_message_latency(Duration::ZERO)
        .max_message_latency(Duration::from_millis(plan.latency))
        .tcp_capacity(4_096)
        .rng_seed(plan.seed)
        .build();
    let common = Rc::new(Common::of(plan, tables));
    serve(&mut sim, plan, environment, &common);
    let ways: Vec<Way> =
        (0..=plan.players()).map(|n| Way::new(chance(plan.seed, &format!("way {n}")))).collect();
    let (referee, players) = ways.split_last().unwrap();
    let resources = BotResources::new(tables.clone());
    let (bots, people) = players.split_at(plan.bots.len());
    for (n, (way, (skill, pace))) in bots.iter().zip(&plan.bots).enumerate() {
        let bot = Bot {
            n,
            way: way.clone(),
            config: BotConfig::nth(*skill, *pace, &named(plan.seed), n as u32, &resources),
            heats: plan.heats,
            of: players.len(),
        };
        let playing = play_heats(bot, Rc::clone(&common));
        sim.client(name(n), play(n, playing, Rc::clone(&common)));
    }
    for (n, (way, &pace)) in (bots.len()..).zip(people.iter().zip(&plan.people)) {
        let person =
            Person { name: name(n), way: way.clone(), pace, heats: plan.heats, of: players.len() };
        let playing = person.play(Rc::clone(&common));
        sim.client(name(n), play(n, playing, Rc::clone(&common)));
    }
    let watching = watch_all(players.len(), plan.heats, referee.clone(), Rc::clone(&common));
    sim.client(REFEREE, watching);
    let (stuck, mut counts) = drive(&mut sim, plan, players, &common);
    let took = sim.elapsed();
    drop((sim, reading));
    endings.count(&mut counts);
    for way in players {
        way.notes(|notes| {
            let again = notes.entered.saturating_sub(1);
            counts.add("seats taken up again", again.into());
            let hints = notes.heats.values().map(|race| u64::from(race.taken));
            counts.add("hints", hints.sum());
            let told = |records| notes.told.iter().filter(|told| told.1 == records).count();
            counts.add("hosts told that nothing is recorded", told(false) as u64);
            counts.add("hosts told that it is again", told(true) as u64);
        });
    }
    if plan.latency >= SLOW {
        counts.add("slow networks", 1);
    }
    let records = disk::records();
    counts.add("times that heats were recorded again", records.again);
    counts.add("times that nothing was recorded", records.gaps.len() as u64);
    counts.add("heats that ended unrecorded", records.lost.len() as u64);
    let ends = common.ends.take();
    let unproven = || (common.unproven.get()).then(|| "a proof doesn't hold".to_owned());
    let folder = common.folder();
    Outcome {
        players: players.iter().cloned().zip(ends).collect(),
        referee: referee.clone(),
        stuck: stuck.or_else(unproven).or_else(|| endings.fault()),
        took,
        data: common.data.take().zip(folder),
        records,
        counts,
    }
}

/// Lets the server live on a host of its own.
fn serve(sim: &mut Sim<'_>, plan: &Plan, environment: Environment, common: &Rc<Common>) {
    let (common, options) = (Rc::clone(common), plan.options.clone());
    sim.host("server", move || {
        let (common, environment) = (Rc::clone(&common), environment.clone());
        let standing =
            StandingRoom { options: options.clone(), seed: None, bots: Vec::new(), pin: None };
        async move {
            let config = ServerConfig {
                standing: vec![standing],
                environment,
                tables: common.tables.clone(),
                data: common.folder().map_or(Data::Ephemeral, Data::At),
                ..ServerConfig::default()
            };
            let server = Server::new(Door::open(PORT).await?, config)?;
            common.code.set(server.standing().first().copied());
            let mut stop = common.stop.subscribe();
            stop.mark_unchanged();
            let stopped = async move {
                stop.changed().await.ok();
            };
            server.run(stopped).await;
            Ok(())
        }
    });
}

/// Lets somebody play, and notes how that ended.
async fn play<E: ToString>(
    n: usize,
    playing: impl Future<Output = Result<(), E>>,
    common: Rc<Common>,
) -> turmoil::Result {
    let end = playing.await.err();
    common.ends.borrow_mut()[n] = end.map(|end| end.to_string());
    common.left.set(common.left.get() + 1);
    Ok(())
}

/// One bot of a plan.
struct Bot {
    n: usize,
    way: Way,
    config: BotConfig,
    heats: u32,
    of: usize,
}

async fn play_heats(bot: Bot, common: Rc<Common>) -> Result<(), BotError> {
    let Bot { n, way, config, heats, of } = bot;
    let entry = Entry::join(common.code().await);
    let bot = BotPlayer::enter(&way, &address(), &entry, || name(n), config, None).await?;
    common.entered.set(common.entered.get() + 1);
    // And the referee.
    common.all_entered(of + 1).await;
    let (over, mut reports) = mpsc::channel(4);
    let (stop, stopped) = watch::channel(false);
    let listening = async move {
        while let Some(heat) = reports.recv().await {
            let report = Report::new(&heat);
            if !report.is_proven() {
                common.unproven.set(true);
            }
            if report.number >= heats {
                stop.send_replace(true);
            }
        }
    };
    tokio::join!(bot.play(true, over, stopped), listening).0
}

/// Watches until all players have left, on as many connections as that takes.
async fn watch_all(players: usize, heats: u32, way: Way, common: Rc<Common>) -> turmoil::Result {
    for attempt in 1.. {
        let watched = tokio::select! {
            biased;
            watched = watch_heats(&way, players, heats, attempt, &common) => watched,
            () = common.all_left(players) => return Ok(()),
        };
        if watched.is_err() {
            tokio::time::sleep(4 * PAUSE).await;
        }
    }
    Ok(())
}

async fn watch_heats(
    way: &Way,
    players: usize,
    heats: u32,
    attempt: u32,
    common: &Common,
) -> Result<(), NetError> {
    let code = common.code().await;
    // The first who comes is the host, and that is to be a player.
    common.all_entered(players).await;
    let mut connection = net::connect_over(way, &address()).await?;
    let entrant = Entrant { name: format!("referee-{attempt}"), bot: true };
    let mut quiet = 0;
    let role = Role::Spectator;
    connection.send(&ClientMessage::Join { code, entrant, role, pin: None }).await?;
    loop {
        tokio::select! {
            biased;
            message = connection.next() => {
                let message = message?;
                quiet = 0;
                if matches!(message, ServerMessage::Joined { .. })
                    && common.entered.get() == players
                {
                    common.entered.set(players + 1);
                }
                if matches!(message, ServerMessage::Goodbye(_)) {
                    return Ok(());
                }
            }
            // While all players are away, whoever watches is the host.
            () = tokio::time::sleep(REMATCH) => {
                quiet += 1;
                // All others who could start it may have lost their seats for good.
                if quiet >= START {
                    connection.send(&ClientMessage::Start).await?;
                }
                if way.notes(|notes| notes.number) < heats {
                    connection.send(&ClientMessage::Rematch).await?;
                }
            }
        }
    }
}

/// Runs to the end, and lets go wrong what is to go wrong.
fn drive(
    sim: &mut Sim<'_>,
    plan: &Plan,
    players: &[Way],
    common: &Common,
) -> (Option<String>, Counts) {
    let mut faults = Faults::of(plan, players, common);
    let mut began = None;
    loop {
        match sim.step() {
            Ok(true) => return (None, faults.counts),
            Ok(false) => {}
            Err(why) => return (Some(why.to_string()), faults.counts),
        }
        if began.is_none() && common.entered.get() > players.len() {
            began = Some(sim.elapsed());
        }
        if let Some(began) = began {
            faults.happen(sim, sim.elapsed() - began);
        }
    }
}
