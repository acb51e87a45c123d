//! Runs a plan: the real server and the real clients, on one thread with a simulated clock.

use crate::calendar;
use crate::common::{Common, PAUSE, PORT, REFEREE, address, name};
use crate::counts::{Counts, OVERTAKEN};
use crate::disk::{self, Records};
use crate::faults::Faults;
use crate::network::{ClientNetwork, SimListener};
use crate::person::{Person, PersonGoal};
use crate::plan::{Fault, Plan, chance, named};
use gridrace_client::bot::{BotConfig, BotError, BotPlayer, BotResources};
use gridrace_client::cli::report::HeatReport;
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

/// How long a simulation may take: two heats of a thousand moves at a quarter of a second, and the
/// longest faults.
const LONGEST: Duration = Duration::from_secs(1_200);
/// The step of the simulated clock: the least delay of a message.
pub const TICK: Duration = Duration::from_millis(10);
/// The delay from which a network is slow, in milliseconds.
const SLOW: u64 = 200;
/// After how long without a message the referee asks for the next heat.
const REMATCH: Duration = Duration::from_secs(5);
/// After how many of these it starts a heat for the remaining players: longer than any fault lasts.
const START: u32 = 24;

pub struct Outcome {
    /// Each player's network, and the error with which the player ended.
    pub players: Vec<(ClientNetwork, Option<String>)>,
    pub referee: ClientNetwork,
    /// The reason, if the simulation didn't end.
    pub stuck: Option<String>,
    /// How long it took by the simulated clock.
    pub took: Duration,
    /// The server's data folder.
    pub data: Option<(TempDir, PathBuf)>,
    pub records: Records,
    pub counts: Counts,
}

/// Runs a plan to its end.
pub fn run(plan: &Plan, tables: &TableStore) -> Outcome {
    calendar::begin();
    let reading = disk::begin();
    let mut sim = simulation(plan.seed, plan.latency, LONGEST);
    let common = Rc::new(Common::new(plan.players(), plan.stored, tables));
    serve(&mut sim, plan, environment(plan.seed), &common);
    let networks = networks(plan.seed, plan.players() + 1);
    let (referee, players) = networks.split_last().unwrap();
    let resources = BotResources::new(tables.clone());
    let (bots, people) = players.split_at(plan.bots.len());
    for (n, (network, (skill, pace))) in bots.iter().zip(&plan.bots).enumerate() {
        let bot = Bot {
            n,
            network: network.clone(),
            config: BotConfig::nth(*skill, *pace, &named(plan.seed), n as u32, &resources),
            heats: plan.heats,
            of: players.len(),
        };
        let playing = play_heats(bot, Rc::clone(&common));
        sim.client(name(n), play(n, playing, Rc::clone(&common)));
    }
    for (n, (network, &pace)) in (bots.len()..).zip(people.iter().zip(&plan.people)) {
        let person = Person {
            name: name(n),
            network: network.clone(),
            pace,
            key: None,
            goal: PersonGoal::Heats(plan.heats),
            of: players.len(),
        };
        let playing = person.play(Rc::clone(&common));
        sim.client(name(n), play(n, playing, Rc::clone(&common)));
    }
    let watching = watch_all(players.len(), plan.heats, referee.clone(), Rc::clone(&common));
    sim.client(REFEREE, watching);
    let driven = drive(&mut sim, &plan.faults, players, players.len(), &common);
    let Driven { stuck, mut counts, .. } = driven;
    let took = sim.elapsed();
    drop((sim, reading));
    for network in players {
        network.notes(|notes| {
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
    counts.add(OVERTAKEN, records.overtaken());
    counts.add("times that heats were recorded again", records.again);
    counts.add("times that nothing was recorded", records.gaps.len() as u64);
    counts.add("heats that ended unrecorded", records.lost.len() as u64);
    let ends = common.ends.take();
    let unproven = || (common.unproven.get()).then(|| "a proof doesn't hold".to_owned());
    let folder = common.folder();
    Outcome {
        players: players.iter().cloned().zip(ends).collect(),
        referee: referee.clone(),
        stuck: stuck.or_else(unproven).or_else(|| records.fault()),
        took,
        data: common.data.take().zip(folder),
        records,
        counts,
    }
}

/// Makes the clocks and the disk of a seed's server.
pub fn environment(seed: u64) -> Environment {
    let machine = Simulated { calendar: calendar::read, disk: disk::read };
    Environment::simulated(&named(seed), machine)
}

/// Makes the network of a seed; messages take up to `latency` milliseconds.
pub fn simulation<'a>(seed: u64, latency: u64, longest: Duration) -> Sim<'a> {
    turmoil::Builder::new()
        .simulation_duration(longest)
        .tick_duration(TICK)
        .min_message_latency(Duration::ZERO)
        .max_message_latency(Duration::from_millis(latency))
        .tcp_capacity(4_096)
        .rng_seed(seed)
        .build()
}

pub fn networks(seed: u64, count: usize) -> Vec<ClientNetwork> {
    (0..count).map(|n| ClientNetwork::new(chance(seed, &format!("way {n}")))).collect()
}

/// Runs the server on its own host.
fn serve(sim: &mut Sim<'_>, plan: &Plan, environment: Environment, common: &Rc<Common>) {
    let (common, options) = (Rc::clone(common), plan.options.clone());
    sim.host("server", move || {
        let (common, environment) = (Rc::clone(&common), environment.clone());
        let standing = StandingRoom {
            name: None,
            options: options.clone(),
            seed: None,
            bots: Vec::new(),
            pin: None,
        };
        async move {
            let config = ServerConfig {
                standing: vec![standing],
                environment,
                tables: common.tables.clone(),
                data: common.folder().map_or(Data::Ephemeral, Data::At),
                ..ServerConfig::default()
            };
            let server = Server::new(SimListener::open(PORT).await?, config)?;
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

/// Runs a player, and records how it ended.
pub async fn play<E: ToString>(
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
    network: ClientNetwork,
    config: BotConfig,
    heats: u32,
    of: usize,
}

async fn play_heats(bot: Bot, common: Rc<Common>) -> Result<(), BotError> {
    let Bot { n, network, config, heats, of } = bot;
    let entry = Entry::join(common.code().await);
    let bot = BotPlayer::enter(&network, &address(), &entry, || name(n), config, None).await?;
    common.entered.set(common.entered.get() + 1);
    // And the referee.
    common.all_entered(of + 1).await;
    let (over, mut reports) = mpsc::channel(4);
    let (stop, stopped) = watch::channel(false);
    let listening = async move {
        while let Some(heat) = reports.recv().await {
            let report = HeatReport::new(&heat);
            if !report.is_proven() {
                common.unproven.set(true);
            }
            if report.heat >= heats {
                stop.send_replace(true);
            }
        }
    };
    tokio::join!(bot.play(true, over, stopped), listening).0
}

/// Watches until all players have left, on as many connections as needed.
async fn watch_all(
    players: usize,
    heats: u32,
    network: ClientNetwork,
    common: Rc<Common>,
) -> turmoil::Result {
    for attempt in 1.. {
        let watched = tokio::select! {
            biased;
            watched = watch_heats(&network, players, heats, attempt, &common) => watched,
            () = common.all_left(players) => return Ok(()),
        };
        if watched.is_err() {
            tokio::time::sleep(4 * PAUSE).await;
        }
    }
    Ok(())
}

async fn watch_heats(
    network: &ClientNetwork,
    players: usize,
    heats: u32,
    attempt: u32,
    common: &Common,
) -> Result<(), NetError> {
    let code = common.code().await;
    // The first member is the host, who must be a player.
    common.all_entered(players).await;
    let mut connection = net::connect_over(network, &address()).await?;
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
            // While all players are away, the referee is the host.
            () = tokio::time::sleep(REMATCH) => {
                quiet += 1;
                // All others who could start it may have lost their seats for good.
                if quiet >= START {
                    connection.send(&ClientMessage::Start).await?;
                }
                if network.notes(|notes| notes.number) < heats {
                    connection.send(&ClientMessage::Rematch).await?;
                }
            }
        }
    }
}

/// The outcome of a simulation.
pub struct Driven {
    /// The reason, if the simulation didn't end.
    pub stuck: Option<String>,
    /// When all had entered, and the network began to fail.
    pub began: Option<Duration>,
    pub counts: Counts,
}

/// Runs the simulation to its end, and causes the faults once more than `entered` are in.
pub fn drive(
    sim: &mut Sim<'_>,
    faults: &[Fault],
    players: &[ClientNetwork],
    entered: usize,
    common: &Common,
) -> Driven {
    let mut faults = Faults::of(faults, players, common);
    let mut began = None;
    let stuck = loop {
        match sim.step() {
            Ok(true) => break None,
            Ok(false) => {}
            Err(why) => break Some(why.to_string()),
        }
        if began.is_none() && common.entered.get() > entered {
            began = Some(sim.elapsed());
        }
        if let Some(began) = began {
            faults.apply_due(sim, sim.elapsed() - began);
        }
    };
    Driven { stuck, began, counts: faults.counts }
}
