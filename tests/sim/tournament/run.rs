//! Runs a plan: the real server, bots and people who enter, and an organiser who directs them.

use super::organiser::{Organised, organise};
use super::plan::TournamentPlan;
use crate::calendar;
use crate::common::{Common, PAUSE, PORT, REFEREE, address, name};
use crate::counts::Counts;
use crate::disk;
use crate::network::{ClientNetwork, SimListener};
use crate::person::{Person, PersonGoal};
use crate::plan::named;
use crate::run::{self, Driven, drive, play};
use gridrace_client::bot::{BotConfig, BotError, BotResources, TournamentBot};
use gridrace_client::session::{SessionError, TournamentSession};
use gridrace_server::platform::environment::Environment;
use gridrace_server::store::Data;
use gridrace_server::{Server, ServerConfig};
use gridrace_shared::heat::identity::Key;
use gridrace_shared::tournament::ids::{TeamTag, TournamentName};
use gridrace_tables::TableStore;
use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::sync::watch;
use turmoil::Sim;

/// How long a simulation may take: some twenty boards, and as many returns after a kill.
const LONGEST: Duration = Duration::from_secs(2_400);

pub struct Outcome {
    /// Each player's network, and the error with which the player ended.
    pub players: Vec<(ClientNetwork, Option<String>)>,
    pub organiser: ClientNetwork,
    /// The reason, if the simulation didn't end.
    pub stuck: Option<String>,
    pub organised: Organised,
    /// When the tournament began.
    pub began: Duration,
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
    let environment = run::environment(plan.seed);
    let mut sim = run::simulation(plan.seed, plan.latency, LONGEST);
    let common = Rc::new(Common::new(plan.players(), true, tables));
    serve(&mut sim, environment, &common);
    let networks = run::networks(plan.seed, plan.players() + 1);
    let (organiser, players) = networks.split_last().unwrap();
    let resources = BotResources::new(tables.clone());
    let (bots, people) = players.split_at(plan.bots.len());
    for (n, (network, (skill, pace))) in bots.iter().zip(&plan.bots).enumerate() {
        let config = BotConfig::nth(*skill, *pace, &named(plan.seed), n as u32, &resources);
        let late = plan.late.filter(|_| n == 0).map(|after| (plan.punctual(), after));
        let bot = Bot { n, network: network.clone(), config, team: plan.team(n), late };
        let playing = bot.play(Rc::clone(&common));
        sim.client(name(n), play(n, playing, Rc::clone(&common)));
    }
    for (n, (network, &pace)) in (bots.len()..).zip(people.iter().zip(&plan.people)) {
        let person = Person {
            name: name(n),
            network: network.clone(),
            pace,
            key: Some(key(n as u8)),
            goal: PersonGoal::Tournament(title(), plan.team(n)),
            of: plan.punctual(),
        };
        let playing = person.play(Rc::clone(&common));
        sim.client(name(n), play(n, playing, Rc::clone(&common)));
    }
    let organised = Rc::new(RefCell::new(Organised::default()));
    let (told, its_common) = (Rc::clone(&organised), Rc::clone(&common));
    let (network, its_plan) = (organiser.clone(), plan.clone());
    sim.client(REFEREE, async move {
        *told.borrow_mut() = organise(&its_plan, network, &its_common).await?;
        Ok(())
    });
    let driven = drive(&mut sim, &plan.faults, players, plan.punctual(), &common);
    let Driven { stuck, began, counts } = driven;
    let took = sim.elapsed();
    drop((sim, reading));
    let ends = common.ends.take();
    let folder = common.folder();
    Outcome {
        players: players.iter().cloned().zip(ends).collect(),
        organiser: organiser.clone(),
        stuck: stuck.or_else(|| disk::records().fault()),
        organised: organised.take(),
        began: began.unwrap_or_default(),
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

pub fn key(number: u8) -> Key {
    Key::from_bytes([number; 32])
}

/// One bot of a plan.
struct Bot {
    n: usize,
    network: ClientNetwork,
    config: BotConfig,
    team: Option<TeamTag>,
    /// After how many others it enters, and how long after the beginning, if it is late.
    late: Option<(usize, Duration)>,
}

impl Bot {
    /// Enters, and plays until the tournament is closed.
    async fn play(self, common: Rc<Common>) -> Result<(), BotError> {
        common.opened().await;
        if let Some((punctual, after)) = self.late {
            common.all_entered(punctual + 1).await;
            tokio::time::sleep(after).await;
        }
        let bot = loop {
            match self.enter().await {
                Ok(bot) => break bot,
                // A late bot may find the server down.
                Err(BotError::Session(error))
                    if self.late.is_some() && !matches!(error, SessionError::Tournament(_)) =>
                {
                    tokio::time::sleep(PAUSE).await;
                }
                Err(error) => return Err(error),
            }
        };
        if self.late.is_none() {
            common.entered.set(common.entered.get() + 1);
        }
        let (_stop, stopped) = watch::channel(false);
        bot.play(stopped).await?.close().await;
        Ok(())
    }

    async fn enter(&self) -> Result<TournamentBot<ClientNetwork>, BotError> {
        let Self { n, network, config, team, .. } = self;
        let key = Some((key(*n as u8), true));
        let session = TournamentSession::follow(network, &address(), title(), None, key).await?;
        TournamentBot::enter(session, team.clone(), || name(*n), config.clone()).await
    }
}
