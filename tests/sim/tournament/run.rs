//! Runs a plan: the real server, bots and people who enter, and an organiser who begins.

use super::plan::TournamentPlan;
use crate::calendar;
use crate::common::{Common, PORT, REFEREE, address, name};
use crate::counts::Counts;
use crate::disk;
use crate::faults::Faults;
use crate::network::{ClientNetwork, SimListener};
use crate::person::{Person, PersonGoal};
use crate::plan::{chance, named};
use crate::run::{TICK, play};
use gridrace_client::bot::{BotConfig, BotError, BotResources, TournamentBot};
use gridrace_client::session::{NewTournament, SessionError, TournamentSession};
use gridrace_server::platform::environment::{Environment, Simulated};
use gridrace_server::store::Data;
use gridrace_server::{Server, ServerConfig};
use gridrace_shared::heat::identity::Key;
use gridrace_shared::protocol::tournament::{
    TournamentCommand, TournamentPhase, TournamentRequest,
};
use gridrace_shared::tournament::ids::TournamentName;
use gridrace_shared::tournament::public_log::{LogLine, PublicEvent};
use gridrace_shared::tournament_view::TournamentView;
use gridrace_tables::TableStore;
use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::sync::watch;
use turmoil::Sim;

/// How long a simulation may take: some ten boards, and as many returns after a kill.
const LONGEST: Duration = Duration::from_secs(1_800);
/// The first byte of the organiser's key; those of the players are their numbers.
const ORGANISER: u8 = 255;

pub struct Outcome {
    /// Each player's network, and the error with which the player ended.
    pub players: Vec<(ClientNetwork, Option<String>)>,
    pub organiser: ClientNetwork,
    /// Why it didn't end.
    pub stuck: Option<String>,
    /// The whole log, as the organiser was told.
    pub log: Vec<LogLine>,
    /// How long it took by the simulated clock.
    pub took: Duration,
    /// The server's data folder.
    pub data: Option<(TempDir, PathBuf)>,
    pub counts: Counts,
}

/// Returns the name of the tournament.
pub fn title() -> TournamentName {
    "friday".parse().unwrap()
}

/// Runs a plan to its end.
pub fn run(plan: &TournamentPlan, tables: &TableStore) -> Outcome {
    calendar::begin();
    let reading = disk::begin();
    let machine = Simulated { calendar: calendar::read, disk: disk::read };
    let environment = Environment::simulated(&named(plan.seed), machine);
    let mut sim = turmoil::Builder::new()
        .simulation_duration(LONGEST)
        .tick_duration(TICK)
        .min_message_latency(Duration::ZERO)
        .max_message_latency(Duration::from_millis(plan.latency))
        .tcp_capacity(4_096)
        .rng_seed(plan.seed)
        .build();
    let common = Rc::new(Common::new(plan.players(), true, tables));
    serve(&mut sim, environment, &common);
    let networks: Vec<ClientNetwork> = (0..=plan.players())
        .map(|n| ClientNetwork::new(chance(plan.seed, &format!("way {n}"))))
        .collect();
    let (organiser, players) = networks.split_last().unwrap();
    let resources = BotResources::new(tables.clone());
    let (bots, people) = players.split_at(plan.bots.len());
    for (n, (network, (skill, pace))) in bots.iter().zip(&plan.bots).enumerate() {
        let config = BotConfig::nth(*skill, *pace, &named(plan.seed), n as u32, &resources);
        let playing = play_as_bot(n, network.clone(), config, Rc::clone(&common));
        sim.client(name(n), play(n, playing, Rc::clone(&common)));
    }
    for (n, (network, &pace)) in (bots.len()..).zip(people.iter().zip(&plan.people)) {
        let person = Person {
            name: name(n),
            network: network.clone(),
            pace,
            key: Some(key(n as u8)),
            goal: PersonGoal::Tournament(title()),
            of: players.len(),
        };
        let playing = person.play(Rc::clone(&common));
        sim.client(name(n), play(n, playing, Rc::clone(&common)));
    }
    let log = Rc::new(RefCell::new(Vec::new()));
    let new = NewTournament {
        name: title(),
        plan: plan.stages.clone(),
        settings: plan.settings.clone(),
        pin: None,
    };
    let (told, its_common) = (Rc::clone(&log), Rc::clone(&common));
    let (network, entrants) = (organiser.clone(), players.len());
    sim.client(REFEREE, async move {
        *told.borrow_mut() = organise(new, network, entrants, &its_common).await?;
        Ok(())
    });
    let mut faults = Faults::of(&plan.faults, players, &common);
    let mut began = None;
    let stuck = loop {
        match sim.step() {
            Ok(true) => break None,
            Ok(false) => {}
            Err(why) => break Some(why.to_string()),
        }
        if began.is_none() && common.entered.get() > players.len() {
            began = Some(sim.elapsed());
        }
        if let Some(began) = began {
            let now = sim.elapsed() - began;
            faults.apply_due(&mut sim, now);
        }
    };
    let counts = std::mem::take(&mut faults.counts);
    let took = sim.elapsed();
    drop((faults, sim, reading));
    let ends = common.ends.take();
    let folder = common.folder();
    Outcome {
        players: players.iter().cloned().zip(ends).collect(),
        organiser: organiser.clone(),
        stuck: stuck.or_else(|| disk::records().fault()),
        log: log.take(),
        took,
        data: common.data.take().zip(folder),
        counts,
    }
}

/// Runs the server on its own host.
fn serve(sim: &mut Sim<'_>, environment: Environment, common: &Rc<Common>) {
    let common = Rc::clone(common);
    sim.host("server", move || {
        let (common, environment) = (Rc::clone(&common), environment.clone());
        async move {
            let config = ServerConfig {
                environment,
                tables: common.tables.clone(),
                data: common.folder().map_or(Data::Ephemeral, Data::At),
                ..ServerConfig::default()
            };
            let server = Server::new(SimListener::open(PORT).await?, config)?;
            server.run(std::future::pending::<()>()).await;
            Ok(())
        }
    });
}

fn key(number: u8) -> Key {
    Key::from_bytes([number; 32])
}

/// Enters as a bot, and plays to the end.
async fn play_as_bot(
    n: usize,
    network: ClientNetwork,
    config: BotConfig,
    common: Rc<Common>,
) -> Result<(), BotError> {
    common.opened().await;
    let names = || name(n);
    let tournament = (title(), None);
    let key = key(n as u8);
    let bot =
        TournamentBot::enter(&network, &address(), tournament, None, names, config, key).await?;
    common.entered.set(common.entered.get() + 1);
    let (_stop, stopped) = watch::channel(false);
    bot.play(stopped).await?.close().await;
    Ok(())
}

/// Opens the tournament, begins once all have entered, ends it once all have left, and returns its
/// log.
async fn organise(
    new: NewTournament,
    network: ClientNetwork,
    entrants: usize,
    common: &Common,
) -> Result<Vec<LogLine>, SessionError> {
    let key = (key(ORGANISER), false);
    let mut session = TournamentSession::open(&network, &address(), new, key).await?;
    session.load_pages();
    common.is_open.set(true);
    let entered = |view: &TournamentView| usize::from(view.head.counts.entrants) == entrants;
    until(&mut session, entered).await?;
    common.all_entered(entrants).await;
    command(&mut session, TournamentCommand::Begin).await;
    until(&mut session, |view| view.log.lines().iter().any(|it| it.event == PublicEvent::Begun))
        .await?;
    // From now on the network fails.
    common.entered.set(entrants + 1);
    until(&mut session, |view| view.head.phase == TournamentPhase::Over).await?;
    common.all_left(entrants).await;
    let is_end = |line: &LogLine| matches!(line.event, PublicEvent::Ended { .. });
    let has_ended = |view: &TournamentView| view.log.lines().last().is_some_and(is_end);
    while !has_ended(session.view()) {
        // One that was lost with the connection is given again.
        if session.is_up() {
            command(&mut session, TournamentCommand::End { reason: None }).await;
        }
        session.next().await?;
    }
    let log = session.view().log.lines().to_vec();
    session.close().await;
    Ok(log)
}

async fn command(session: &mut TournamentSession<ClientNetwork>, command: TournamentCommand) {
    session.request(TournamentRequest::Command { command, confirmed: true });
}

async fn until(
    session: &mut TournamentSession<ClientNetwork>,
    holds: impl Fn(&TournamentView) -> bool,
) -> Result<(), SessionError> {
    while !holds(session.view()) {
        session.next().await?;
    }
    Ok(())
}
