//! `gridrace demo`: a server and four bots of different skill, racing on real sockets.

use crate::bot::{BotConfig, BotError, BotPlayer, BotResources};
use crate::cli::args::demo::DemoArgs;
use crate::cli::exit_code::{Exit, Failure};
use crate::cli::report::HeatReport;
use crate::cli::signals;
use crate::commands::write_json_line;
use crate::display::format;
use crate::host::embedded_server::{self, RunningServer};
use crate::net::Tcp;
use crate::net::clock;
use crate::session::{Entry, Session, SessionEvent};
use anyhow::anyhow;
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::ids::{PlayerId, RoomCode};
use gridrace_shared::heat::options::{HeatOptions, HintRule, TIME_LIMIT_SECONDS};
use gridrace_shared::heat::standings::{RaceState, Standing};
use gridrace_shared::heat_view::{HeatChange, HeatPhase, HeatView};
use gridrace_shared::protocol::client::Role;
use gridrace_shared::protocol::snapshot::HeatResult;
use gridrace_shared::util::time::{HeatInstant, Millis};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

/// The bots that race, the likely winner first.
const SKILLS: [Skill; 4] = [Skill::Master, Skill::Expert, Skill::Steady, Skill::Casual];
/// How long the results wait for what the board needs: the solver takes a second or two.
const RATING_TIMEOUT: Duration = Duration::from_secs(5);
/// The least time between two lines of progress.
const LINE_EVERY: Millis = Millis(1_000);

/// Runs the demo; it ends when all four are home.
pub async fn run(args: &DemoArgs) -> Result<(), Failure> {
    let hosted = embedded_server::host()?;
    let outcome = tokio::select! {
        outcome = race(args, &hosted) => outcome,
        interrupted = signals::asked() => Err(interrupted),
    };
    signals::or_interrupted(hosted.stop()).await;
    outcome
}

async fn race(args: &DemoArgs, hosted: &RunningServer) -> Result<(), Failure> {
    let address = hosted.address.as_str();
    let bots = enter(args, address, &BotResources::new(hosted.tables.clone())).await?;
    let [(first, _), ..] = &bots[..] else {
        return Err(Failure::other("there are no bots"));
    };
    let code = first.code();
    let skills = bots.iter().map(|(bot, skill)| (bot.id(), *skill)).collect();
    let mut narrator = Narrator::new(args.json, skills);
    narrator.say(&opening(args, address, code))?;
    let watching = watch_heat(address, code).await?;
    let (_stop, stopped) = watch::channel(false);
    // The bots' own reports are dropped: the spectator has the same.
    let (over, _reports) = mpsc::channel(SKILLS.len());
    let mut playing = JoinSet::new();
    for (bot, _) in bots {
        playing.spawn(bot.play(false, over.clone(), stopped.clone()));
    }
    let report = narrator.follow(watching).await?;
    while let Some(ended) = playing.join_next().await {
        ended.unwrap_or(Err(BotError::Panicked))?;
    }
    print(&report, args.json)?;
    verdict(&report)
}

fn opening(args: &DemoArgs, address: &str, code: RoomCode) -> String {
    let DemoArgs { puzzle, pace, .. } = args;
    format!(
        "a server on {address}, room {code}: four bots race {puzzle}\n\
         they play {pace} times as fast as their skills say (--pace 1 for the skills as they are)"
    )
}

/// Brings the bots in: the first opens the room, the others join it by its code.
async fn enter(
    args: &DemoArgs,
    address: &str,
    resources: &BotResources,
) -> Result<Vec<(BotPlayer, Skill)>, Failure> {
    let options = HeatOptions {
        countdown_seconds: 1,
        time_limit_seconds: *TIME_LIMIT_SECONDS.end(),
        hints: HintRule::Off,
        private: true,
        delay_seconds: 0,
        ..HeatOptions::new(args.puzzle)
    };
    let mut entry = Entry::Open { options, seed: args.seed.clone(), pin: None };
    let seed = args.seed.clone().unwrap_or_else(clock::random_seed);
    let (tcp, mut bots) = (Tcp::default(), Vec::new());
    for (n, skill) in (1..).zip(SKILLS) {
        let config = BotConfig::nth(skill, args.pace, &seed, n, resources);
        let bot =
            BotPlayer::enter(&tcp, address, &entry, || skill.to_string(), config, None).await?;
        entry = Entry::join(bot.code());
        bots.push((bot, skill));
    }
    Ok(bots)
}

async fn watch_heat(address: &str, code: RoomCode) -> Result<Session, Failure> {
    let entry = Entry::Join { code, role: Role::Spectator, pin: None };
    let name = || "narrator".to_owned();
    Ok(Session::enter(&Tcp::default(), address, &entry, name, None).await?)
}

/// Waits for the solver's rating of the board, up to a limit.
async fn wait_for_rating(session: &mut Session) {
    let rated = async {
        while session.view().result().is_some_and(|result| result.best.is_none()) {
            if session.next().await.is_err() {
                return;
            }
        }
    };
    tokio::time::timeout(RATING_TIMEOUT, rated).await.ok(); // the report goes without it
}

fn print(report: &HeatReport, json: bool) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    if json {
        write_json_line(&mut out, report)?;
    } else {
        writeln!(out, "\n{report}")?;
    }
    Ok(())
}

fn verdict(report: &HeatReport) -> Result<(), Failure> {
    if !report.is_proven() {
        return Err(Failure::other("the board is not the one committed to"));
    }
    if report.standings.len() != SKILLS.len() || !report.standings.iter().all(|row| row.finished) {
        return Err(Failure::other("not all four bots came home"));
    }
    Ok(())
}

/// Tells what a spectator sees, in plain lines.
struct Narrator {
    /// Progress goes where the data doesn't.
    to_stderr: bool,
    skills: BTreeMap<PlayerId, Skill>,
    go: HeatInstant,
    /// When the last line of progress was said.
    said: Option<HeatInstant>,
    home: Vec<PlayerId>,
}

impl Narrator {
    fn new(to_stderr: bool, skills: BTreeMap<PlayerId, Skill>) -> Self {
        Self { to_stderr, skills, go: HeatInstant(0), said: None, home: Vec::new() }
    }

    fn say(&self, line: &str) -> io::Result<()> {
        if self.to_stderr {
            writeln!(io::stderr(), "{line}")
        } else {
            writeln!(io::stdout(), "{line}")
        }
    }

    async fn follow(&mut self, mut session: Session) -> Result<HeatReport, Failure> {
        self.say(&format!("commitment {}: published", session.view().setup.commitment))?;
        loop {
            match session.next().await? {
                SessionEvent::View(HeatChange::Phase) | SessionEvent::Resumed => {
                    match &session.view().phase {
                        HeatPhase::Countdown { .. } => self.say("ready ...")?,
                        HeatPhase::Watching(boards) => {
                            self.go = boards.go;
                            self.say("GO")?;
                        }
                        HeatPhase::Over(ended) => {
                            self.tell_arrivals(&ended.result.standings)?;
                            break;
                        }
                        HeatPhase::Lobby | HeatPhase::Drawing { .. } | HeatPhase::Racing(_) => {}
                    }
                }
                SessionEvent::View(HeatChange::Standings) => self.tell(session.view())?,
                SessionEvent::View(_) | SessionEvent::Refused(_) | SessionEvent::Tournament => {}
            }
        }
        wait_for_rating(&mut session).await;
        let heat = session.view().finished();
        session.leave().await;
        let heat =
            heat.ok_or_else(|| Failure::new(Exit::Protocol, anyhow!("the heat ended unseen")))?;
        let result = heat.result.clone();
        let report = HeatReport::checked(heat).await.ok_or(BotError::Panicked)?;
        Ok(self.report(report, &result))
    }

    /// Adds what only the demo knows: how well each of its bots plays.
    fn report(&self, mut report: HeatReport, result: &HeatResult) -> HeatReport {
        for (row, standing) in report.standings.iter_mut().zip(&result.standings) {
            row.skill = self.skills.get(&standing.player).copied();
        }
        report
    }

    fn tell(&mut self, view: &HeatView) -> io::Result<()> {
        self.tell_arrivals(&view.standings)?;
        let due = self.said.map_or(self.go, |said| said) + LINE_EVERY;
        if view.standings_at < due || view.standings.is_empty() {
            return Ok(());
        }
        self.said = Some(view.standings_at);
        let at = format::tenths(view.standings_at.since(self.go).0 / 100);
        let rows: Vec<String> = view.standings.iter().map(|row| self.progress(row)).collect();
        self.say(&format!("{at:>6} s  {}", rows.join("  ")))
    }

    fn tell_arrivals(&mut self, rows: &[Standing]) -> io::Result<()> {
        for row in rows {
            if let RaceState::Finished { time } = row.state
                && !self.home.contains(&row.player)
            {
                self.home.push(row.player);
                let (at, name, moves) =
                    (format::tenths(time.0 / 100), self.name(row.player), row.moves.moves);
                let noun = if moves == 1 { "move" } else { "moves" };
                let arrived = arrived(row);
                self.say(&format!("{at:>6} s  {name} is {arrived} after {moves} {noun}"))?;
            }
        }
        Ok(())
    }

    fn progress(&self, row: &Standing) -> String {
        let (place, name) = (row.place, self.name(row.player));
        match row.state {
            RaceState::Finished { .. } => format!("{place}. {name:<6}  {}", arrived(row)),
            RaceState::Racing => {
                let links = row.tally.map_or_else(String::new, |tally| format!(" {tally}"));
                format!("{place}. {name:<6} {:>3} %{links}", row.progress / 10)
            }
            RaceState::Dnf => format!("{place}. {name:<6}   out"),
        }
    }

    fn name(&self, player: PlayerId) -> String {
        self.skills.get(&player).map_or_else(|| player.to_string(), ToString::to_string)
    }
}

/// Returns the word for a player who has solved the board: "home" if its pieces have homes.
const fn arrived(row: &Standing) -> &'static str {
    if row.tally.is_some() { "done" } else { "home" }
}
