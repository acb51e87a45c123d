//! One bot behind a connection of its own.

mod moving;
mod reports;
mod returning;

use super::racing::Racing;
use super::{BotError, Brain};
use crate::cli::report::Report;
use crate::net::{Connection, Network, Tcp};
use crate::session::ResumeTicket;
use crate::session::join::{self, Entry};
use gridrace_shared::heat::identity;
use gridrace_shared::heat::ids::{PlayerId, RoomCode};
use gridrace_shared::heat::standings::State;
use gridrace_shared::protocol::client::{ClientMessage, Role};
use gridrace_shared::protocol::server::{Refusal, ServerMessage};
use gridrace_shared::protocol::snapshot::{HeatResult, Member, Phase, Roster, Setup, Snapshot};
use gridrace_shared::puzzle::Board;
use reports::{asked, players};
use std::collections::VecDeque;
use std::pin::Pin;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::time::Sleep;

/// How long the people of a heat have to see how it ended, where a bot is its host.
const REMATCH_PAUSE: Duration = Duration::from_secs(3);

/// A bot that is in a heat.
#[derive(Debug)]
pub struct BotPlayer<N: Network = Tcp> {
    connection: Connection<N>,
    network: N,
    address: String,
    /// By what the seat is taken up again.
    key: Option<ResumeTicket>,
    /// Whether the next key is to be confirmed: another was shown for it.
    confirms: bool,
    brain: Brain,
    you: PlayerId,
    code: RoomCode,
    setup: Setup,
    roster: Roster,
    /// Who had a seat at GO.
    racers: Vec<Member>,
    /// How the last heat ended, as long as it isn't reported: what its board needs may
    /// still come.
    unreported: Option<HeatResult>,
    /// What was heard on the way in and isn't heeded yet.
    ahead: VecDeque<ServerMessage>,
    stage: Stage,
}

/// Where the heat is, as the bot sees it.
#[derive(Debug)]
enum Stage {
    /// Before the start; whether the bot has said that it is ready.
    Lobby { said_ready: bool },
    /// Between the start and GO.
    Countdown,
    /// The bot races.
    Racing(Box<Racing>),
    /// Others race.
    Waiting,
    /// The heat is over; how long the people have to see how it ended.
    Over(Pin<Box<Sleep>>),
}

/// Whether a bot goes on.
#[derive(Debug, PartialEq, Eq)]
enum Flow {
    Go,
    Done,
}

impl BotPlayer {
    /// Connects and gets into a heat under the first of these names that is free.
    ///
    /// # Errors
    /// [`BotError`], among them the refusal where no name is free or no seat left.
    pub async fn enter(
        tcp: &Tcp,
        address: &str,
        entry: &Entry,
        names: impl FnMut() -> String,
        brain: Brain,
        key: Option<&identity::Key>,
    ) -> Result<Self, BotError> {
        Self::enter_as(tcp, address, entry, names, brain, key).await
    }
}

impl<N: Network> BotPlayer<N> {
    /// Does the same over any network.
    ///
    /// # Errors
    /// [`BotError`], likewise.
    pub async fn enter_over(
        network: &N,
        address: &str,
        entry: &Entry,
        names: impl FnMut() -> String,
        brain: Brain,
    ) -> Result<Self, BotError> {
        Self::enter_as(network, address, entry, names, brain, None).await
    }

    async fn enter_as(
        network: &N,
        address: &str,
        entry: &Entry,
        names: impl FnMut() -> String,
        brain: Brain,
        key: Option<&identity::Key>,
    ) -> Result<Self, BotError> {
        let mut connection = join::dial(network, address).await?;
        if let Some(key) = key {
            connection.identify(key, true).await?;
        }
        let (you, snapshot) = entry.take(&mut connection, names).await?;
        let (network, address) = (network.clone(), address.to_owned());
        let mut bot = Self::new(connection, network, address, brain, you, snapshot);
        bot.wait_for_key().await?;
        Ok(bot)
    }

    fn new(
        connection: Connection<N>,
        network: N,
        address: String,
        brain: Brain,
        you: PlayerId,
        heat: Snapshot,
    ) -> Self {
        brain.prepare(&heat.setup.options.spec);
        let stage = match heat.phase {
            Phase::Lobby => Stage::Lobby { said_ready: false },
            Phase::Drawing | Phase::Countdown { .. } => Stage::Countdown,
            Phase::Running { start, .. } => match &heat.seat {
                // Its own, of which an earlier run of the program lost hold.
                Some(seat) if seat.state != State::Dnf => {
                    let mut racing = Racing::new(start, brain.mind(heat.setup.number));
                    racing.come_back(seat);
                    Stage::Racing(racing)
                }
                Some(_) | None => Stage::Waiting,
            },
            Phase::Over(_) => Stage::over(),
        };
        Self {
            connection,
            network,
            address,
            key: None,
            confirms: false,
            brain,
            you,
            code: heat.code,
            setup: heat.setup,
            racers: players(&heat.roster),
            roster: heat.roster,
            unreported: None,
            ahead: VecDeque::new(),
            stage,
        }
    }

    /// Returns the bot's number in the heat.
    #[must_use]
    pub const fn id(&self) -> PlayerId {
        self.you
    }

    /// Returns the heat's code.
    #[must_use]
    pub const fn code(&self) -> RoomCode {
        self.code
    }

    /// Plays one heat, or heat after heat, and leaves; each is reported when it is over.
    /// Leaves early when `stop` becomes true.
    ///
    /// # Errors
    /// [`BotError`] where the server, or the connection, ends it.
    pub async fn play(
        mut self,
        stay: bool,
        over: mpsc::Sender<Report>,
        mut stop: watch::Receiver<bool>,
    ) -> Result<(), BotError> {
        let mut step = self.begin().await.map(|()| Flow::Go);
        loop {
            let flow = match step {
                Ok(flow) => flow,
                Err(error) => self.come_back(error, stay, &over, &mut stop).await?,
            };
            if flow == Flow::Done {
                self.report(None, stay, &over).await;
                self.leave().await;
                return Ok(());
            }
            if let Some(message) = self.ahead.pop_front() {
                step = self.hear(message, stay, &over).await;
                continue;
            }
            step = tokio::select! {
                biased;
                () = asked(&mut stop) => Ok(Flow::Done),
                message = self.connection.next() => match message {
                    Ok(message) => self.hear(message, stay, &over).await,
                    Err(why) => Err(why.into()),
                },
                () = self.stage.due() => self.act(stay, &over).await,
            };
        }
    }

    async fn leave(mut self) {
        // Whether it is heard or not: the end of the connection says the same.
        self.connection.send(&ClientMessage::Leave).await.ok();
        self.connection.close().await;
    }

    async fn hear(
        &mut self,
        message: ServerMessage,
        stay: bool,
        over: &mpsc::Sender<Report>,
    ) -> Result<Flow, BotError> {
        match message {
            ServerMessage::Setup(setup) => self.set_up(setup),
            ServerMessage::Roster(roster) => self.meet(roster).await?,
            ServerMessage::Phase(phase) => return self.enter_phase(phase, stay, over).await,
            ServerMessage::Accepted { seq, .. } => self.acknowledge(seq),
            ServerMessage::Rejected { seq, why } => self.take_rejection(seq, why).await?,
            ServerMessage::Rated { number, best } if number == self.setup.number => {
                return Ok(self.report(Some(best), stay, over).await);
            }
            ServerMessage::Token { code, player, token } => {
                self.take_key(code, player, token).await?
            }
            ServerMessage::Resync(seat) => self.resync(&seat).await?,
            ServerMessage::Goodbye(farewell) => return Err(BotError::Dismissed(farewell)),
            // What was asked for was overtaken: by the countdown, by another host. Where no
            // board was drawn, the lobby is open again.
            ServerMessage::Refused(
                Refusal::WrongPhase | Refusal::NotSeated | Refusal::NotHost | Refusal::NotDrawn,
            ) => {}
            ServerMessage::Refused(refusal) => return Err(BotError::Refused(refusal)),
            ServerMessage::Welcome { .. }
            | ServerMessage::Pong { .. }
            | ServerMessage::Heats(_)
            | ServerMessage::Joined { .. }
            | ServerMessage::Results(_)
            | ServerMessage::Unrecorded
            | ServerMessage::Recorded
            | ServerMessage::Standings(_)
            | ServerMessage::Moves(_)
            | ServerMessage::Hint { .. }
            | ServerMessage::Rated { .. } => {}
        }
        Ok(Flow::Go)
    }

    fn set_up(&mut self, setup: Setup) {
        self.brain.prepare(&setup.options.spec);
        self.setup = setup;
    }

    async fn enter_phase(
        &mut self,
        phase: Phase,
        stay: bool,
        over: &mpsc::Sender<Report>,
    ) -> Result<Flow, BotError> {
        match phase {
            Phase::Lobby => {
                if self.report(None, stay, over).await == Flow::Done {
                    return Ok(Flow::Done);
                }
                self.stage = Stage::Lobby { said_ready: false };
                self.be_ready().await?;
            }
            Phase::Drawing | Phase::Countdown { .. } => self.stage = Stage::Countdown,
            Phase::Running { start, .. } => self.go(start).await?,
            Phase::Over(result) => return Ok(self.end(result, stay, over).await),
        }
        Ok(Flow::Go)
    }

    /// Takes note of who is here. Whatever the host changes takes everybody's word back;
    /// a bot that came late has a seat when the next heat's lobby opens.
    async fn meet(&mut self, roster: Roster) -> Result<(), BotError> {
        let was_ready = self.is_ready();
        self.roster = roster;
        if let Stage::Lobby { said_ready } = &mut self.stage
            && was_ready
        {
            *said_ready = false;
        }
        if self.is_ready() {
            return Ok(());
        }
        self.be_ready().await
    }

    fn is_ready(&self) -> bool {
        self.roster.members.iter().any(|member| member.id == self.you && member.ready)
    }

    /// Says once that the bot is ready, where it has a seat in a lobby.
    async fn be_ready(&mut self) -> Result<(), BotError> {
        let Stage::Lobby { said_ready } = &mut self.stage else {
            return Ok(());
        };
        let seated = (self.roster.members.iter())
            .any(|member| member.id == self.you && member.role == Role::Player);
        if seated && !*said_ready {
            *said_ready = true;
            self.connection.send(&ClientMessage::Ready { ready: true }).await?;
        }
        Ok(())
    }

    async fn go(&mut self, start: Board) -> Result<(), BotError> {
        self.racers = players(&self.roster);
        self.stage = Stage::Waiting;
        if self.racers.iter().any(|member| member.id == self.you) {
            let racing = Racing::new(start, self.brain.mind(self.setup.number));
            self.stage = Stage::Racing(racing.think(&self.brain).await?);
        }
        Ok(())
    }

    /// Does what is due: the next move, or, as the host, the next heat.
    async fn act(&mut self, stay: bool, over: &mpsc::Sender<Report>) -> Result<Flow, BotError> {
        if matches!(self.stage, Stage::Over(_)) {
            // What is not known by now goes without.
            if self.report(None, stay, over).await == Flow::Done {
                return Ok(Flow::Done);
            }
        }
        match &mut self.stage {
            Stage::Racing(racing) => {
                racing.play();
                self.send_moves().await?;
                self.think().await?;
            }
            Stage::Over(_) => self.stage = self.open_next().await?,
            Stage::Lobby { .. } | Stage::Countdown | Stage::Waiting => {}
        }
        Ok(Flow::Go)
    }

    /// Asks for the next heat where that is up to this bot, or else nobody could.
    async fn open_next(&mut self) -> Result<Stage, BotError> {
        if self.roster.host == Some(self.you) {
            self.connection.send(&ClientMessage::Rematch).await?;
        }
        // The host may leave later, and this bot be the next.
        Ok(Stage::over())
    }
}

impl Stage {
    fn over() -> Self {
        Self::Over(Box::pin(tokio::time::sleep(REMATCH_PAUSE)))
    }

    /// Waits for what the bot does next to be due; for ever where that is nothing.
    async fn due(&mut self) {
        match self {
            Self::Racing(racing) => racing.due().await,
            Self::Over(pause) => pause.as_mut().await,
            Self::Lobby { .. } | Self::Countdown | Self::Waiting => {
                std::future::pending::<()>().await;
            }
        }
    }
}

#[cfg(test)]
mod tests;
