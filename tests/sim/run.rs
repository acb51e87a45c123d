//! Runs a plan: the real server and the real clients, on one thread, by a simulated clock.

use crate::network::{Door, Way};
use crate::plan::{Fault, Plan, What, chance, named};
use gridrace_client::bot::aids::Aids;
use gridrace_client::bot::entry::Entry;
use gridrace_client::bot::player::BotPlayer;
use gridrace_client::bot::{BotError, Brain};
use gridrace_client::net::{self, NetError};
use gridrace_client::report::Report;
use gridrace_server::simulated::Simulated;
use gridrace_server::store::Data;
use gridrace_server::tables::TableStore;
use gridrace_server::{Server, ServerConfig, StandingHeat};
use gridrace_shared::name::HeatCode;
use gridrace_shared::protocol::client::{ClientMessage, Entrant, Role};
use gridrace_shared::protocol::server::ServerMessage;
use gridrace_shared::time::Millis;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::sync::{mpsc, watch};
use turmoil::Sim;

/// The port of the server.
const PORT: u16 = 7415;
/// How long anything may take: a heat of two minutes, and thrice the longest fault.
const LONGEST: Duration = Duration::from_secs(900);
/// How far all hosts go at a time: what a message takes at least.
const TICK: Duration = Duration::from_millis(10);
/// How long the last words may be on their way.
const LAST_WORDS: Duration = Duration::from_secs(2);
/// After how long without news the referee asks for the next heat.
const REMATCH: Duration = Duration::from_secs(5);
/// How long whoever waits for others waits at a time.
const PAUSE: Duration = Duration::from_millis(50);

/// What a run leaves.
pub struct Outcome {
    /// What each player sent and heard, and how the player ended.
    pub players: Vec<(Way, Option<BotError>)>,
    /// What somebody heard who watched.
    pub referee: Way,
    /// Why it came to no end.
    pub stuck: Option<String>,
    /// How long it took by the simulated clock.
    pub took: Duration,
}

/// What everybody on the thread knows.
struct Common {
    /// The heat's code, as soon as there is one.
    code: Cell<Option<HeatCode>>,
    /// Where the server keeps its heats, and which of its lives it is in.
    data: Option<TempDir>,
    life: Cell<u32>,
    /// Tells the server to shut down.
    stop: watch::Sender<bool>,
    /// How many players are in it.
    entered: Cell<usize>,
    /// How many players have left.
    left: Cell<usize>,
    ends: RefCell<Vec<Option<BotError>>>,
    /// Whether a heat's proof didn't hold.
    unproven: Cell<bool>,
    tables: TableStore,
}

/// Runs a plan to its end.
pub fn run(plan: &Plan, tables: &TableStore) -> Outcome {
    let _simulated = Simulated::begin(&named(plan.seed), calendar);
    let mut sim = turmoil::Builder::new()
        .simulation_duration(LONGEST)
        .tick_duration(TICK)
        .min_message_latency(Duration::ZERO)
        .max_message_latency(Duration::from_millis(plan.latency))
        .tcp_capacity(4_096)
        .rng_seed(plan.seed)
        .build();
    let common = Rc::new(Common {
        code: Cell::new(None),
        data: plan.stored.then(scratch),
        life: Cell::new(0),
        stop: watch::Sender::new(false),
        entered: Cell::new(0),
        left: Cell::new(0),
        ends: RefCell::new((0..plan.players.len()).map(|_| None).collect()),
        unproven: Cell::new(false),
        tables: tables.clone(),
    });
    serve(&mut sim, plan, &common);
    let ways: Vec<Way> = (0..=plan.players.len())
        .map(|n| Way::new(chance(plan.seed, &format!("way {n}"))))
        .collect();
    let (referee, players) = ways.split_last().unwrap();
    let aids = Aids::of(tables.clone());
    for (n, (way, (skill, pace))) in players.iter().zip(&plan.players).enumerate() {
        let player = Player {
            n,
            way: way.clone(),
            brain: Brain::of_many(*skill, *pace, &named(plan.seed), n as u32, &aids),
            heats: plan.heats,
            of: players.len(),
        };
        sim.client(name(n), play(player, Rc::clone(&common)));
    }
    let watching = watch_all(
        players.len(),
        plan.heats,
        referee.clone(),
        Rc::clone(&common),
    );
    sim.client("referee", watching);
    let stuck = drive(&mut sim, plan, players, &common);
    let took = sim.elapsed();
    drop(sim);
    let ends = common.ends.take();
    let stuck = stuck.or_else(|| (common.unproven.get()).then(|| "a proof doesn't hold".into()));
    Outcome {
        players: players.iter().cloned().zip(ends).collect(),
        referee: referee.clone(),
        stuck,
        took,
    }
}

/// Tells the time since 1970 of a world that began then.
fn calendar() -> Millis {
    let since = turmoil::sim_elapsed().unwrap_or_default();
    Millis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

/// Lets the server live on a host of its own.
fn serve(sim: &mut Sim<'_>, plan: &Plan, common: &Rc<Common>) {
    let (common, options) = (Rc::clone(common), plan.options.clone());
    sim.host("server", move || {
        let common = Rc::clone(&common);
        let standing = StandingHeat {
            options: options.clone(),
            seed: None,
            bots: Vec::new(),
            pin: None,
        };
        async move {
            let config = ServerConfig {
                standing: vec![standing],
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

/// One player of a plan.
struct Player {
    n: usize,
    way: Way,
    brain: Brain,
    heats: u32,
    of: usize,
}

/// Lets a bot play its heats, and notes how that ended.
async fn play(player: Player, common: Rc<Common>) -> turmoil::Result {
    let n = player.n;
    let end = play_heats(player, &common).await.err();
    common.ends.borrow_mut()[n] = end;
    common.left.set(common.left.get() + 1);
    Ok(())
}

async fn play_heats(player: Player, common: &Common) -> Result<(), BotError> {
    let Player {
        n,
        way,
        brain,
        heats,
        of,
    } = player;
    let entry = Entry::Join {
        code: common.code().await,
        pin: None,
    };
    let bot = BotPlayer::enter_over(&way, &address(), &entry, || name(n), brain).await?;
    common.entered.set(common.entered.get() + 1);
    // And the referee.
    common.all_entered(of + 1).await;
    let (over, mut reports) = mpsc::channel::<Report>(4);
    let (stop, stopped) = watch::channel(false);
    let listening = async move {
        while let Some(report) = reports.recv().await {
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
    let entrant = Entrant {
        name: format!("referee-{attempt}"),
        bot: true,
    };
    let role = Role::Spectator;
    connection
        .send(&ClientMessage::Join {
            code,
            entrant,
            role,
            pin: None,
        })
        .await?;
    loop {
        tokio::select! {
            biased;
            message = connection.next() => {
                let message = message?;
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
                if way.notes(|notes| notes.number) < heats {
                    connection.send(&ClientMessage::Rematch).await?;
                }
            }
        }
    }
}

/// Makes a folder that is gone with the simulation: in memory, where there is such a place.
fn scratch() -> TempDir {
    let memory = Path::new("/dev/shm");
    let made = match memory.is_dir() {
        true => TempDir::new_in(memory),
        false => TempDir::new(),
    };
    made.expect("a folder for the server's data")
}

impl Common {
    /// Returns where the server keeps its heats in this life.
    fn folder(&self) -> Option<PathBuf> {
        let data = self.data.as_ref()?;
        Some(data.path().join(self.life.get().to_string()))
    }

    /// Kills the server: what is on the disk by now is all that its next life has, whatever
    /// the end of this one still writes.
    fn kill(&self, sim: &mut Sim<'_>) {
        let before = self.folder();
        self.life.set(self.life.get() + 1);
        if let (Some(before), Some(after)) = (before, self.folder()) {
            fs::create_dir(&after).unwrap();
            for name in ["gridrace.db", "gridrace.db-wal"] {
                if before.join(name).exists() {
                    fs::copy(before.join(name), after.join(name)).unwrap();
                }
            }
        }
        sim.crash("server");
    }

    async fn code(&self) -> HeatCode {
        loop {
            if let Some(code) = self.code.get() {
                return code;
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    async fn all_entered(&self, members: usize) {
        while self.entered.get() < members {
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Waits until the players have left, and what was on its way is there.
    async fn all_left(&self, players: usize) {
        while self.left.get() < players {
            tokio::time::sleep(PAUSE).await;
        }
        tokio::time::sleep(LAST_WORDS).await;
    }
}

fn name(player: usize) -> String {
    format!("player-{player}")
}

fn address() -> String {
    format!("server:{PORT}")
}

/// Runs to the end, and lets go wrong what is to go wrong.
fn drive(sim: &mut Sim<'_>, plan: &Plan, players: &[Way], common: &Common) -> Option<String> {
    let mut coming = coming(plan);
    let mut began = None;
    loop {
        match sim.step() {
            Ok(true) => return None,
            Ok(false) => {}
            Err(why) => return Some(why.to_string()),
        }
        if began.is_none() && common.entered.get() > players.len() {
            began = Some(sim.elapsed());
        }
        let Some(began) = began else { continue };
        while let Some(&(at, turn)) = coming.front()
            && began + at <= sim.elapsed()
        {
            coming.pop_front();
            turn.take(sim, players, common);
        }
    }
}

/// A fault begins, or is over.
#[derive(Clone, Copy)]
enum Turn {
    Begins(What),
    Ends(What),
}

/// Returns when what begins and ends.
fn coming(plan: &Plan) -> VecDeque<(Duration, Turn)> {
    let of = |fault: &Fault| {
        let Fault { at, lasts, what } = *fault;
        [(at, Turn::Begins(what)), (at + lasts, Turn::Ends(what))]
    };
    let mut all: Vec<_> = plan.faults.iter().flat_map(of).collect();
    all.sort_by_key(|(at, _)| *at);
    all.into()
}

impl Turn {
    fn take(self, sim: &mut Sim<'_>, players: &[Way], common: &Common) {
        match self {
            Self::Begins(What::Cut(n)) => sim.partition(name(n), "server"),
            Self::Ends(What::Cut(n)) => sim.repair(name(n), "server"),
            Self::Begins(What::Stall(n)) => sim.hold(name(n), "server"),
            Self::Ends(What::Stall(n)) => sim.release(name(n), "server"),
            Self::Begins(What::Break(n)) => players[n].snap(),
            Self::Ends(What::Break(_)) => {}
            Self::Begins(What::Kill) => common.kill(sim),
            Self::Begins(What::Stop) => common.stop.send_modify(|stop| *stop = true),
            Self::Ends(What::Kill | What::Stop) => sim.bounce("server"),
        }
    }
}
