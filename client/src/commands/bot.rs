//! `gridrace bot`: sends bots into a room.

use crate::bot::{BotConfig, BotError, BotPlayer, BotResources};
use crate::cli::args;
use crate::cli::exit_code::{Exit, Failure};
use crate::cli::report::HeatReport;
use crate::cli::signals;
use crate::commands::request::request;
use crate::commands::{find_server, tournament, write_json_line};
use crate::display::safe_text;
use crate::net::Tcp;
use crate::net::address::ServerNames;
use crate::net::clock;
use crate::session::{self, Entry};
use anyhow::anyhow;
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::heat::player_name::{NAME_GRAPHEMES, PlayerName};
use gridrace_shared::heat_view::FinishedHeat;
use gridrace_shared::protocol::client::{ClientMessage, Role};
use gridrace_shared::protocol::server::ServerMessage;
use gridrace_shared::protocol::snapshot::RoomSummary;
use gridrace_tables::{Cache, TableStore};
use std::io::Write;
use std::pin::pin;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;

/// Finished heats that wait to be printed: one from each bot of a full room.
const REPORTS: usize = 32;
/// How long a bot that is entering has to find its seat once the program is asked to end: one that has sent
/// its request may have a seat already, and keeps it for the grace period unless it leaves.
const LAST_ENTRY_TIMEOUT: Duration = Duration::from_secs(1);

/// Sends the bots, prints the standings of each heat, and ends when the bots have left.
pub async fn run(args: &args::bot::BotArgs, servers: &ServerNames) -> Result<(), Failure> {
    let tcp = &args.connection.tcp()?;
    let place = args.place.read(servers)?;
    if let Some(name) = &args.tournament {
        let mut names = Names::new(args.name.as_ref(), args.count());
        let names = |skill| names.next(skill);
        return tournament::run_bots(args, name, &place, servers, names).await;
    }
    let found = tokio::select! {
        found = find_server::find(&place, tcp, !args.discovery.no_mdns) => found?,
        interrupted = signals::asked() => return Err(interrupted),
    };
    let address = found.only_address()?;
    let code = match place.code {
        Some(code) => code,
        None => tokio::select! {
            code = only_room(tcp, &address) => code?,
            interrupted = signals::asked() => return Err(interrupted),
        },
    };
    let entry = Entry::Join { code, role: Role::Player, pin: place.pin.clone() };
    let (stop, stopped) = watch::channel(false);
    let entering = enter(args, tcp, &address, entry, stopped.clone());
    let bots = signals::or_stopped(entering, &stop).await?;
    announce(&bots, &address);
    let (over, reports) = mpsc::channel(REPORTS);
    let mut playing = JoinSet::new();
    let (count, stay) = (bots.len(), args.stay);
    for bot in bots {
        let (over, stopped, address) = (over.clone(), stopped.clone(), address.clone());
        playing.spawn(async move {
            let name = safe_text::text(&bot.name(), NAME_GRAPHEMES);
            let ended = bot.play(stay, over, stopped).await;
            ended.map_err(|error| report(&name, &address, error, count))
        });
    }
    drop(over);
    let outcome = tokio::select! {
        printed = print(reports, args.json) => printed,
        interrupted = signals::asked() => Err(interrupted),
    };
    // Bots that still play leave the room.
    stop.send_replace(true);
    let mut failures = Vec::new();
    while let Some(ended) = playing.join_next().await {
        let ended = ended.unwrap_or_else(|_| Err(BotError::Panicked.into()));
        failures.extend(ended.err());
    }
    outcome?;
    sum_up(failures, count)
}

/// Prints at once which of several bots failed, and why. A single bot's failure is the program's
/// own, printed at its end.
fn report(name: &str, address: &str, error: BotError, of: usize) -> Failure {
    if of > 1 {
        // stderr may be closed.
        writeln!(std::io::stderr(), "{name}: {error}").ok();
    }
    let Failure { exit, why } = failure(address, error);
    let why = why.context(name.to_owned());
    Failure { exit, why }
}

/// Combines the failures of all bots; of several bots each has been printed.
fn sum_up(mut failures: Vec<Failure>, of: usize) -> Result<(), Failure> {
    let count = failures.len();
    match failures.drain(..).next() {
        None => Ok(()),
        Some(only) if of == 1 => Err(only),
        Some(first) => {
            let why = anyhow!("{count} of {of} bots didn't play to the end");
            Err(Failure::new(first.exit, why))
        }
    }
}

/// Enters the bots one after another, so that their numbers follow their names; all or none: those that
/// have entered leave if one can't, or once `stop` becomes true.
async fn enter(
    args: &args::bot::BotArgs,
    tcp: &Tcp,
    address: &str,
    entry: Entry,
    mut stop: watch::Receiver<bool>,
) -> Result<Vec<BotPlayer>, Failure> {
    let seed = args.seed.clone().unwrap_or_else(clock::random_seed);
    let resources = BotResources::new(TableStore::new(Cache::choose(None)));
    let mut names = Names::new(args.name.as_ref(), args.count());
    let key = args.connection.key()?;
    let mut bots = Vec::new();
    for (n, &skill) in (1..=args.count()).zip(args.skill.iter().cycle()) {
        let config = BotConfig::nth(skill, args.pace, &seed, n, &resources);
        let name = || names.next(skill);
        let mut entering = pin!(BotPlayer::enter(tcp, address, &entry, name, config, key.as_ref()));
        let entered = tokio::select! {
            entered = &mut entering => Some(entered),
            _ = stop.wait_for(|stop| *stop) => timeout(LAST_ENTRY_TIMEOUT, entering).await.ok(),
        };
        match entered {
            Some(Ok(bot)) => bots.push(bot),
            Some(Err(error)) => {
                return Err(leave(bots, args.count(), failure(address, error)).await);
            }
            None => {}
        }
        if *stop.borrow() {
            return Err(leave(bots, args.count(), Failure::interrupted()).await);
        }
    }
    Ok(bots)
}

/// Has the bots leave that have entered, as `failure` says: else their seats stay reserved for the grace
/// period.
async fn leave(bots: Vec<BotPlayer>, count: u32, failure: Failure) -> Failure {
    let Failure { exit, why } = failure;
    let entered = bots.len();
    for bot in bots {
        bot.leave().await;
    }
    match entered {
        0 => Failure { exit, why },
        _ => {
            let left = format!("{entered} of {count} bots had found a seat, and all have left");
            Failure { exit, why: why.context(left) }
        }
    }
}

/// Prints that the bots are in: the next output comes when a heat is over.
fn announce(bots: &[BotPlayer], address: &str) {
    let Some(first) = bots.first() else { return };
    let (code, several) = (first.code(), bots.len() > 1);
    let who = if several { format!("{} bots are", bots.len()) } else { "a bot is".to_owned() };
    // stderr may be closed.
    writeln!(
        std::io::stderr(),
        "{who} in room {code} on {address}; the standings follow when the heat is over"
    )
    .ok();
}

/// Prints each heat once, though each bot reports it, until all bots have left.
async fn print(mut finished: mpsc::Receiver<FinishedHeat>, json: bool) -> Result<(), Failure> {
    let mut printed = 0;
    while let Some(heat) = finished.recv().await {
        if heat.setup.number <= printed {
            continue;
        }
        printed = heat.setup.number;
        let report = HeatReport::checked(heat).await.ok_or(BotError::Panicked)?;
        let mut out = std::io::stdout().lock();
        if json {
            write_json_line(&mut out, &report)?;
        } else {
            writeln!(out, "{report}")?;
        }
    }
    Ok(())
}

/// Returns the server's only open room, or the only one in its lobby.
async fn only_room(tcp: &Tcp, address: &str) -> Result<RoomCode, Failure> {
    let rooms = request(tcp, address, None, async |connection| {
        session::request(connection, &ClientMessage::Rooms, |message| {
            if let ServerMessage::Rooms(rooms) = message { Some(rooms) } else { None }
        })
        .await
    });
    choose(&rooms.await?).map_err(|why| Failure::other(format!("{address}: {why}")))
}

fn choose(rooms: &[RoomSummary]) -> Result<RoomCode, String> {
    let in_lobby: Vec<_> = rooms.iter().filter(|room| room.is_joinable()).collect();
    match (rooms, &in_lobby[..]) {
        ([only], _) => Ok(only.code),
        (_, [only]) => Ok(only.code),
        ([], _) => Err("no room is open: gridrace host --on ADDRESS opens one; a private one is joined by its code"
            .to_owned()),
        (several, _) => {
            let codes: Vec<String> = several.iter().map(|room| room.code.to_string()).collect();
            Err(format!("several rooms are open, so give a code: {}", codes.join(", ")))
        }
    }
}

struct Names {
    prefix: Option<String>,
    /// A single bot goes by the plain name.
    alone: bool,
    given: u32,
}

impl Names {
    fn new(prefix: Option<&PlayerName>, count: u32) -> Self {
        Self { prefix: prefix.map(ToString::to_string), alone: count == 1, given: 0 }
    }

    fn next(&mut self, skill: Skill) -> String {
        self.given += 1;
        let prefix = self.prefix.as_deref().unwrap_or(skill.into_str());
        match self.given {
            1 if self.alone => prefix.to_owned(),
            n => format!("{prefix}-{n}"),
        }
    }
}

fn failure(address: &str, error: BotError) -> Failure {
    match error {
        BotError::Session(error) => Failure::of_session(address, error),
        BotError::Rejected(_) | BotError::Unsolved(_) | BotError::Panicked => error.into(),
    }
}

impl From<BotError> for Failure {
    fn from(error: BotError) -> Self {
        match error {
            BotError::Session(error) => error.into(),
            BotError::Rejected(_) => Self::new(Exit::Protocol, error),
            BotError::Unsolved(_) | BotError::Panicked => Self::new(Exit::Failure, error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::SessionError;
    use crate::test_support as fx;
    use gridrace_shared::protocol::server::Farewell;
    use gridrace_shared::protocol::snapshot::RoomPhase;

    fn heat(code: &str, in_lobby: bool) -> RoomSummary {
        let phase = if in_lobby { RoomPhase::Lobby } else { RoomPhase::Racing };
        fx::room_summary(code.parse().unwrap(), phase)
    }

    #[test]
    fn without_a_code_the_heat_must_be_clear() {
        let chosen = |heats: &[RoomSummary]| choose(heats).map(|code| code.to_string());
        assert!(chosen(&[]).unwrap_err().contains("gridrace host --on ADDRESS opens one"));
        assert_eq!(chosen(&[heat("KQZT", false)]), Ok("KQZT".to_owned()));
        assert_eq!(chosen(&[heat("KQZT", false), heat("BRMX", true)]), Ok("BRMX".to_owned()));
        let several = chosen(&[heat("KQZT", true), heat("BRMX", true)]).unwrap_err();
        assert!(several.contains("KQZT, BRMX"), "{several}");
    }

    #[test]
    fn a_bot_that_fails_is_named_and_many_are_counted() {
        let flooded = || SessionError::Dismissed(Farewell::Flooding).into();
        let alone = sum_up(vec![report("steady", "box:7415", flooded(), 1)], 1).unwrap_err();
        assert_eq!(format!("{:#}", alone.why), "steady: box:7415: too many messages");
        let two = ["steady-1", "steady-3"].map(|name| report(name, "box:7415", flooded(), 4));
        let of_four = sum_up(two.into(), 4).unwrap_err();
        assert_eq!(of_four.exit, Exit::Refused);
        assert_eq!(of_four.why.to_string(), "2 of 4 bots didn't play to the end");
        assert!(sum_up(Vec::new(), 4).is_ok());
    }

    #[test]
    fn a_single_bot_goes_by_the_plain_name() {
        let name: PlayerName = "Zoë".parse().unwrap();
        let mut alone = Names::new(Some(&name), 1);
        assert_eq!([alone.next(Skill::Expert), alone.next(Skill::Expert)], ["Zoë", "Zoë-2"]);
        let mut many = Names::new(None, 2);
        assert_eq!([many.next(Skill::Expert), many.next(Skill::Casual)], ["expert-1", "casual-2"]);
    }
}
