//! One bot and its session.

use super::schedule::Schedule;
use super::{BotConfig, BotError};
use crate::net::clock::{Clock, sleep_until};
use crate::net::{Network, Tcp};
use crate::session::{Entry, Session, SessionError, SessionEvent};
use gridrace_shared::heat::identity::Key;
use gridrace_shared::heat::ids::{PlayerId, RoomCode};
use gridrace_shared::heat_view::{FinishedHeat, HeatChange, HeatPhase, OwnRace};
use gridrace_shared::protocol::client::ClientMessage;
use gridrace_shared::protocol::server::{Refusal, Rejection};
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

/// How long the players may look at the results before a bot that is the host opens the next
/// heat. The report of a heat waits as long for the solver's rating.
const REMATCH_PAUSE: Duration = Duration::from_secs(3);

#[derive(Debug)]
pub struct BotPlayer<N: Network = Tcp> {
    session: Session<N>,
    config: BotConfig,
    /// The heat that the bot takes part in.
    number: u32,
    schedule: Option<Box<Schedule>>,
    /// In the lobby: whether the bot has said that it is ready, and whether the server knows.
    said_ready: bool,
    is_ready: bool,
    /// When the heat is over: when the bot asks for a rematch.
    rematch_at: Option<Instant>,
    /// The last heat, until it is reported: the solver's rating may still come.
    unreported: Option<FinishedHeat>,
}

/// Whether a bot goes on.
#[derive(Debug, PartialEq, Eq)]
enum Flow {
    Continue,
    Done,
}

/// Where finished heats go, if anywhere, and whether the bot stays after the first.
struct Reports {
    stay: bool,
    finished: Option<mpsc::Sender<FinishedHeat>>,
}

impl<N: Network> BotPlayer<N> {
    /// Connects and enters a room under the first of these names that is free. A key makes the
    /// server know the bot again.
    ///
    /// # Errors
    /// [`BotError`], among them the refusal if no name is free or no seat is left.
    pub async fn enter(
        network: &N,
        address: &str,
        entry: &Entry,
        names: impl FnMut() -> String,
        config: BotConfig,
        key: Option<&Key>,
    ) -> Result<Self, BotError> {
        Ok(Self::new(Session::enter(network, address, entry, names, key).await?, config))
    }

    /// Makes a bot of a session in a room.
    pub(super) const fn new(session: Session<N>, config: BotConfig) -> Self {
        Self {
            number: session.view().setup.number,
            session,
            config,
            schedule: None,
            said_ready: false,
            is_ready: false,
            rematch_at: None,
            unreported: None,
        }
    }

    pub const fn id(&self) -> PlayerId {
        self.session.view().you
    }

    pub const fn code(&self) -> RoomCode {
        self.session.view().code
    }

    /// Returns the bot's name; not yet safe to print.
    pub fn name(&self) -> String {
        self.session.view().name(self.id()).name
    }

    /// Plays one heat, or if it is to stay heat after heat, and leaves. Sends each heat that is
    /// over to `finished`. Leaves early when `stop` becomes true.
    ///
    /// # Errors
    /// [`BotError`] if the server or the connection ends the session.
    pub async fn play(
        mut self,
        stay: bool,
        finished: mpsc::Sender<FinishedHeat>,
        mut stop: watch::Receiver<bool>,
    ) -> Result<(), BotError> {
        let reports = Reports { stay, finished: Some(finished) };
        self.run(&reports, &mut stop).await?;
        self.report(&reports).await;
        self.leave().await;
        Ok(())
    }

    /// Leaves the room and closes the connection.
    pub async fn leave(self) {
        self.session.leave().await;
    }

    /// Plays heat after heat until the session ends, or `stop` becomes true. Returns the session
    /// and why it ended.
    pub(super) async fn play_table(
        mut self,
        stop: &mut watch::Receiver<bool>,
    ) -> (Session<N>, Result<(), BotError>) {
        let ended = self.run(&Reports { stay: true, finished: None }, stop).await;
        (self.session, ended)
    }

    async fn run(
        &mut self,
        reports: &Reports,
        stop: &mut watch::Receiver<bool>,
    ) -> Result<(), BotError> {
        self.config.prepare(&self.session.view().setup.options.spec);
        let mut flow = self.enter_phase(reports).await?;
        while flow == Flow::Continue {
            let due = self.due();
            flow = tokio::select! {
                biased;
                () = stopped(stop) => Flow::Done,
                event = self.session.next() => self.on_event(event?, reports).await?,
                () = sleep_until(due) => self.act(reports).await?,
            };
        }
        Ok(())
    }

    async fn on_event(&mut self, event: SessionEvent, reports: &Reports) -> Result<Flow, BotError> {
        match event {
            SessionEvent::Resumed => return self.resume(reports).await,
            SessionEvent::View(change) => return self.on_change(change, reports).await,
            // What the bot asked for was overtaken: by the countdown, by another host. If no
            // board was drawn, the lobby is open again.
            SessionEvent::Refused(
                Refusal::WrongPhase | Refusal::NotSeated | Refusal::NotHost | Refusal::NotDrawn,
            )
            | SessionEvent::Tournament => {}
            SessionEvent::Refused(refusal) => return Err(SessionError::Refused(refusal).into()),
        }
        Ok(Flow::Continue)
    }

    async fn on_change(&mut self, change: HeatChange, reports: &Reports) -> Result<Flow, BotError> {
        match change {
            HeatChange::Setup => self.config.prepare(&self.session.view().setup.options.spec),
            HeatChange::Roster => self.on_roster(),
            HeatChange::Phase => return self.enter_phase(reports).await,
            HeatChange::Rejected(_, why) => self.on_rejected(why)?,
            HeatChange::Resynced => self.restart_schedule(),
            HeatChange::Rated => {
                let rated = self.session.view().finished();
                self.unreported = self.unreported.take().and(rated);
                return Ok(self.report(reports).await);
            }
            HeatChange::None
            | HeatChange::BoardQueue
            | HeatChange::Standings
            | HeatChange::Boards
            | HeatChange::Accepted
            | HeatChange::Hint
            | HeatChange::Closing
            | HeatChange::Announcement
            | HeatChange::HostInfo
            | HeatChange::Image
            | HeatChange::Recording(_) => {}
        }
        self.think().await?;
        Ok(Flow::Continue)
    }

    /// Goes on with the room as it is after a lost connection.
    async fn resume(&mut self, reports: &Reports) -> Result<Flow, BotError> {
        let view = self.session.view();
        let same = self.number == view.setup.number;
        self.config.prepare(&view.setup.options.spec);
        let goes_on = match &view.phase {
            HeatPhase::Racing(_) => self.schedule.is_some(),
            HeatPhase::Over(_) => self.rematch_at.is_some(),
            HeatPhase::Lobby
            | HeatPhase::Drawing { .. }
            | HeatPhase::Countdown { .. }
            | HeatPhase::Watching(_) => false,
        };
        if !(same && goes_on) {
            return self.enter_phase(reports).await;
        }
        self.restart_schedule();
        self.think().await?;
        Ok(Flow::Continue)
    }

    async fn enter_phase(&mut self, reports: &Reports) -> Result<Flow, BotError> {
        self.schedule = None;
        self.rematch_at = None;
        let number = self.session.view().setup.number;
        if self.report(reports).await == Flow::Done {
            return Ok(Flow::Done);
        }
        self.number = number;
        match &self.session.view().phase {
            HeatPhase::Lobby => {
                self.said_ready = false;
                self.say_ready();
            }
            HeatPhase::Racing(_) => {
                self.schedule = Some(Schedule::new(self.config.policy(number)));
                self.think().await?;
            }
            HeatPhase::Over(ended) => {
                self.rematch_at = Some(Clock::instant() + REMATCH_PAUSE);
                let is_rated = ended.result.best.is_some();
                self.unreported = self.session.view().finished().filter(|_| self.has_raced());
                if is_rated {
                    return Ok(self.report(reports).await);
                }
            }
            HeatPhase::Drawing { .. } | HeatPhase::Countdown { .. } | HeatPhase::Watching(_) => {}
        }
        Ok(Flow::Continue)
    }

    fn has_raced(&self) -> bool {
        let view = self.session.view();
        view.result()
            .is_some_and(|result| result.standings.iter().any(|row| row.player == view.you))
    }

    /// Reacts to a change of the members. A change by the host makes all players not ready.
    fn on_roster(&mut self) {
        let is_ready = self.session.view().me().is_some_and(|me| me.ready);
        if std::mem::replace(&mut self.is_ready, is_ready) {
            self.said_ready = false;
        }
        if !is_ready {
            self.say_ready();
        }
    }

    /// Says once that the bot is ready, if it has a seat in a lobby. A tournament asks for nothing.
    fn say_ready(&mut self) {
        let view = self.session.view();
        let decides = view.setup.table.is_none();
        let seated = matches!(view.phase, HeatPhase::Lobby) && view.is_player() && decides;
        if seated && self.session.is_up() && !self.said_ready {
            self.said_ready = true;
            self.session.send(ClientMessage::Ready { ready: true });
        }
    }

    fn on_rejected(&mut self, why: Rejection) -> Result<(), BotError> {
        match why {
            // The session sends the move again.
            Rejection::Busy => {}
            // The time limit, or the end of the heat, overtook the move.
            Rejection::Late | Rejection::Early | Rejection::NotSeated => self.schedule = None,
            Rejection::Illegal(_) => return Err(BotError::Rejected(why)),
        }
        Ok(())
    }

    fn restart_schedule(&mut self) {
        if let (Some(schedule), Some(race)) = (&mut self.schedule, self.session.view().race()) {
            schedule.restart(race.play.board());
        }
    }

    /// Decides on the next move, if that is still to be done.
    async fn think(&mut self) -> Result<(), BotError> {
        if let Some(race) = self.session.view().race().filter(|race| race.is_on())
            && let Some(schedule) = self.schedule.take()
        {
            self.schedule = Some(schedule.think(race.play.board(), &self.config).await?);
        }
        Ok(())
    }

    fn due(&self) -> Option<Instant> {
        // Without a connection the bot waits: nothing is played ahead in an outage.
        let race = self.session.view().race().filter(|race| race.is_on() && self.session.is_up());
        let plays = |race: &OwnRace| self.schedule.as_ref()?.due(race);
        race.and_then(plays).or(self.rematch_at)
    }

    /// Does what is due: the next move, or as the host the next heat.
    async fn act(&mut self, reports: &Reports) -> Result<Flow, BotError> {
        if self.rematch_at.is_some() {
            // A rating that has not come by now is left out.
            if self.report(reports).await == Flow::Done {
                return Ok(Flow::Done);
            }
            if self.session.view().is_host() {
                self.session.send(ClientMessage::Rematch);
            }
            // The host may leave later, and this bot become the host.
            self.rematch_at = Some(Clock::instant() + REMATCH_PAUSE);
        }
        if let (Some(schedule), Some(race)) = (&mut self.schedule, self.session.view().race())
            && let Some(play) = schedule.take_due(race)
        {
            // The server plays by the same rules, and rejects a move that isn't legal.
            self.session.play(play);
        }
        self.think().await?;
        Ok(Flow::Continue)
    }

    /// Sends the last heat to who reports it, if that is still to be done.
    async fn report(&mut self, reports: &Reports) -> Flow {
        let Some(heat) = self.unreported.take() else {
            return Flow::Continue;
        };
        let Some(finished) = &reports.finished else { return Flow::Continue };
        match finished.send(heat).await {
            Ok(()) if reports.stay => Flow::Continue,
            // The receiver is gone.
            Ok(()) | Err(_) => Flow::Done,
        }
    }
}

/// Waits until the bot is asked to leave; a dropped sender means the same.
pub(super) async fn stopped(stop: &mut watch::Receiver<bool>) {
    while !*stop.borrow_and_update() {
        if stop.changed().await.is_err() {
            return;
        }
    }
}

#[cfg(test)]
#[cfg(feature = "host")]
mod tests;
