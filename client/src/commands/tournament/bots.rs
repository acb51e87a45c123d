//! `gridrace bot --tournament`: bots that enter a tournament and play in it to the end.

use super::documents::TournamentDocument;
use super::following;
use super::show;
use crate::bot::{BotConfig, BotError, BotResources, TournamentBot};
use crate::cli::args::bot::BotArgs;
use crate::cli::args::place::RoomPlace;
use crate::cli::args::tournament::read_place;
use crate::cli::exit_code::Failure;
use crate::cli::signals;
use crate::commands::write_json_line;
use crate::display::safe_text;
use crate::net::address::ServerNames;
use crate::net::clock;
use crate::session::TournamentSession;
use gridrace_shared::heat::player_name::NAME_GRAPHEMES;
use gridrace_shared::tournament::ids::TournamentName;
use gridrace_tables::{Cache, TableStore};
use std::io::{self, Write};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// Sends the bots, waits until the tournament is over, and prints its standings.
pub(in crate::commands) async fn run(
    args: &BotArgs,
    tournament: &str,
    place: &RoomPlace,
    servers: &ServerNames,
    mut names: impl FnMut(gridrace_shared::bot::Skill) -> String,
) -> Result<(), Failure> {
    if place.code.is_some() {
        return Err(Failure::usage("a tournament has no code: give its server's address alone"));
    }
    let address = place.address.as_ref().map(ToString::to_string);
    let (tournament, address) = read_place(tournament, address.as_deref(), servers)?;
    let (stop, stopped) = watch::channel(false);
    let entering = enter(args, &tournament, place, &address, &mut names, stopped);
    let bots = signals::or_stopped(entering, &stop).await?;
    let count = bots.len();
    // stderr may be closed.
    let who = if count == 1 { "a bot is".to_owned() } else { format!("{count} bots are") };
    writeln!(io::stderr(), "{who} in tournament {tournament} on {address}").ok();
    let (last, failures) = play(bots).await?;
    for (name, error) in &failures {
        writeln!(io::stderr(), "{name}: {error}").ok();
    }
    if let Some(session) = last {
        print(session, args.json).await?;
    }
    let failed = failures.len();
    match failures.into_iter().next() {
        None => Ok(()),
        Some((_, error)) => {
            let exit = Failure::from(error).exit;
            let why = anyhow::anyhow!("{failed} of {count} bots didn't play to the end");
            Err(Failure::new(exit, why))
        }
    }
}

/// Has bots play until all have left. Returns the session of the last, and which failed and why.
async fn play(
    bots: Vec<TournamentBot>,
) -> Result<(Option<TournamentSession>, Vec<(String, BotError)>), Failure> {
    let (stop, stopped) = watch::channel(false);
    let mut playing = JoinSet::new();
    for bot in bots {
        let stopped = stopped.clone();
        playing.spawn(async move {
            let name = safe_text::text(bot.name(), NAME_GRAPHEMES);
            bot.play(stopped).await.map_err(|error| (name, error))
        });
    }
    let mut interrupted = None;
    let (mut last, mut failures) = (None, Vec::new());
    loop {
        let ended = tokio::select! {
            ended = playing.join_next() => ended,
            failure = signals::asked(), if interrupted.is_none() => {
                interrupted = Some(failure);
                stop.send_replace(true);
                continue;
            }
        };
        match ended {
            None => break,
            Some(Ok(Ok(session))) => last = Some(session),
            Some(Ok(Err(failure))) => failures.push(failure),
            Some(Err(_)) => failures.push(("a bot".to_owned(), BotError::Panicked)),
        }
    }
    match interrupted {
        None => Ok((last, failures)),
        Some(failure) => Err(failure),
    }
}

/// Enters the bots, all or none: withdraws those that have entered if one can't, or once `stop` becomes
/// true.
async fn enter(
    args: &BotArgs,
    tournament: &TournamentName,
    place: &RoomPlace,
    address: &str,
    names: &mut impl FnMut(gridrace_shared::bot::Skill) -> String,
    mut stop: watch::Receiver<bool>,
) -> Result<Vec<TournamentBot>, Failure> {
    let tcp = args.connection.tcp()?;
    let seed = args.seed.clone().unwrap_or_else(clock::random_seed);
    let resources = BotResources::new(TableStore::new(Cache::choose(None)));
    let key = following::needed_key(&args.connection)?;
    let mut bots = Vec::new();
    for (n, &skill) in (1..=args.count()).zip(args.skill.iter().cycle()) {
        let config = BotConfig::nth(skill, args.pace, &seed, n, &resources);
        let (name, pin) = (tournament.clone(), place.pin.clone());
        // Each bot is an entrant, so each has a key.
        let key = Some((key.of_bot(n), true));
        let followed = tokio::select! {
            biased;
            _ = stop.wait_for(|stop| *stop) => Err(Failure::interrupted()),
            followed = TournamentSession::follow(&tcp, address, name, pin, key) => {
                followed.map_err(|error| Failure::of_session(address, error))
            }
        };
        let entered = match followed {
            // Not cut short: the server may have the entry already.
            Ok(session) => {
                TournamentBot::enter(session, args.team.clone(), || names(skill), config)
                    .await
                    .map_err(|error| failure(address, error))
            }
            Err(failure) => Err(failure),
        };
        match entered {
            Ok(bot) => bots.push(bot),
            Err(failure) => return Err(take_back(bots, args.count(), failure).await),
        }
    }
    if *stop.borrow() {
        return Err(take_back(bots, args.count(), Failure::interrupted()).await);
    }
    Ok(bots)
}

/// Withdraws the bots that have entered: not all `count` are to play, as `failure` says.
async fn take_back(bots: Vec<TournamentBot>, count: u32, failure: Failure) -> Failure {
    let Failure { exit, why } = failure;
    let entered = bots.len();
    let mut remain = Vec::new();
    for bot in bots {
        let name = safe_text::text(bot.name(), NAME_GRAPHEMES);
        if bot.take_back_entry().await.is_err() {
            remain.push(name);
        }
    }
    let outcome = match (entered, &remain[..]) {
        (0, _) => return Failure { exit, why },
        (_, []) => "so all are withdrawn".to_owned(),
        (_, remain) => format!("and {} can't be withdrawn", remain.join(", ")),
    };
    Failure {
        exit,
        why: anyhow::anyhow!("{why}: {entered} of {count} bots had entered, {outcome}"),
    }
}

fn failure(address: &str, error: BotError) -> Failure {
    match error {
        BotError::Session(error) => Failure::of_session(address, error),
        error @ (BotError::Rejected(_) | BotError::Unsolved(_) | BotError::Panicked) => {
            error.into()
        }
    }
}

/// Prints the standings.
async fn print(mut session: TournamentSession, is_json: bool) -> Result<(), Failure> {
    following::load(&mut session).await?;
    let mut out = io::stdout().lock();
    if is_json {
        write_json_line(&mut out, &TournamentDocument::of(session.view()))?;
    } else {
        show::print(&mut out, session.view())?;
    }
    drop(out);
    session.close().await;
    Ok(())
}
