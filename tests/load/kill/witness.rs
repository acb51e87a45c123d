//! Somebody who races, loses the connection again and again, and remembers everything.

use crate::link::Link;
use anyhow::{Context, bail, ensure};
use gridrace_shared::heat::ids::{PlayerId, RoomCode, Seq};
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::heat::resume_token::ResumeToken;
use gridrace_shared::heat::standings::State;
use gridrace_shared::protocol::client::{ClientMessage, Entrant};
use gridrace_shared::protocol::server::ServerMessage;
use gridrace_shared::protocol::snapshot::{HeatResult, OwnSeat, Phase, Snapshot};
use gridrace_shared::puzzle::Board;
use gridrace_shared::solver::budget::Aim;
use gridrace_shared::solver::budget::HINT_BUDGET;
use gridrace_shared::solver::plan::{Plan, SolverResources};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Interval, MissedTickBehavior, interval, sleep};

/// How often the witness moves: slow enough to race for as long as the bots do.
const MOVE_EVERY: Duration = Duration::from_millis(120);
/// How long it waits between two attempts to come back, of which it makes so many.
const ATTEMPTS: (Duration, u32) = (Duration::from_millis(100), 200);

/// What the witness lets others know.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct News {
    pub(crate) races: bool,
    /// How often it has come back.
    pub(crate) came: u32,
}

/// The witness of one heat.
#[derive(Debug)]
pub(crate) struct Witness {
    address: SocketAddr,
    link: Link,
    code: RoomCode,
    you: PlayerId,
    token: ResumeToken,
    /// The boards after each move that was sent; the first is the start.
    boards: Vec<Board>,
    guide: Option<Plan>,
    /// The last move that was acknowledged.
    acknowledged: Seq,
    /// How many others must be there before it starts.
    others: usize,
    news: watch::Sender<News>,
}

impl Witness {
    /// Opens a heat that waits for so many others.
    pub(crate) async fn enter(
        address: SocketAddr,
        news: watch::Sender<News>,
        others: usize,
    ) -> anyhow::Result<Self> {
        let mut link = Link::greet(address).await?;
        let entrant = Entrant { name: "Witness".to_owned(), bot: false };
        let options = HeatOptions {
            countdown_seconds: 1,
            grace_seconds: 120,
            ..HeatOptions::new("slide:4x4".parse()?)
        };
        let (seed, pin) = (None, None);
        let open = ClientMessage::Open { entrant, options, seed, pin };
        link.say(&open).await?;
        loop {
            match link.hear().await? {
                ServerMessage::Token { code, player, token } => {
                    return Ok(Self {
                        address,
                        link,
                        code,
                        you: player,
                        token,
                        boards: Vec::new(),
                        guide: None,
                        acknowledged: Seq(0),
                        others,
                        news,
                    });
                }
                ServerMessage::Refused(why) => bail!("no heat: {why}"),
                _ => {}
            }
        }
    }

    pub(crate) const fn code(&self) -> RoomCode {
        self.code
    }

    /// Races to the end of the heat, and returns how many moves were acknowledged.
    pub(crate) async fn race(&mut self) -> anyhow::Result<u32> {
        let mut beat = interval(MOVE_EVERY);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            match self.race_on(&mut beat).await {
                Ok(result) => {
                    self.judge(&result)?;
                    return Ok(self.acknowledged.0);
                }
                Err(Fate::Lost) => match self.come_back().await? {
                    Some(result) => {
                        self.judge(&result)?;
                        return Ok(self.acknowledged.0);
                    }
                    None => self.news.send_modify(|news| news.came += 1),
                },
                Err(Fate::Wrong(error)) => return Err(error),
            }
        }
    }

    pub(crate) async fn leave(mut self) -> anyhow::Result<()> {
        self.link.say(&ClientMessage::Leave).await
    }

    /// Races until the end, or until the connection is gone.
    async fn race_on(&mut self, beat: &mut Interval) -> Result<HeatResult, Fate> {
        loop {
            tokio::select! {
                heard = self.link.hear() => {
                    let message = heard.map_err(|_| Fate::Lost)?;
                    if let Some(result) = self.take_in(message).await? {
                        return Ok(result);
                    }
                }
                _ = beat.tick() => self.play().await?,
            }
        }
    }

    async fn take_in(&mut self, message: ServerMessage) -> Result<Option<HeatResult>, Fate> {
        match message {
            ServerMessage::Roster(roster) => {
                let all = roster.members.len() == self.others + 1;
                if all && self.boards.is_empty() {
                    self.say(&ClientMessage::Start).await?;
                }
            }
            ServerMessage::Phase(Phase::Running { start, .. }) => self.begin(start)?,
            ServerMessage::Phase(Phase::Over(result)) => return Ok(Some(result)),
            ServerMessage::Accepted { seq, .. } => {
                self.acknowledged = self.acknowledged.max(seq);
            }
            ServerMessage::Token { token, .. } => {
                self.token = token;
                self.say(&ClientMessage::Confirm).await?;
            }
            ServerMessage::Rejected { seq, why } => {
                return Err(Fate::Wrong(anyhow::anyhow!("move {seq}: {why}")));
            }
            ServerMessage::Resync(seat) => self.go_on(&seat)?,
            _ => {}
        }
        Ok(None)
    }

    fn begin(&mut self, start: Board) -> Result<(), Fate> {
        self.guide = Some(plan(&start)?);
        self.boards = vec![start];
        self.news.send_modify(|news| news.races = true);
        Ok(())
    }

    /// Plays the next move, ahead of the answers.
    async fn play(&mut self) -> Result<(), Fate> {
        let (Some(board), Some(guide)) = (self.boards.last(), &mut self.guide) else {
            return Ok(());
        };
        let Some(play) = guide.next(board).and_then(|hint| hint.play(board)) else {
            return Ok(());
        };
        let mut board = board.clone();
        let played = board.play(&play).context("a guide leads nowhere");
        played.map_err(Fate::Wrong)?;
        self.boards.push(board);
        let seq = Seq(u32::try_from(self.boards.len() - 1).unwrap_or(u32::MAX));
        self.say(&ClientMessage::Move { seq, play }).await
    }

    async fn say(&mut self, message: &ClientMessage) -> Result<(), Fate> {
        self.link.say(message).await.map_err(|_| Fate::Lost)
    }

    /// Comes back, and compares; returns the result if the heat is over.
    async fn come_back(&mut self) -> anyhow::Result<Option<HeatResult>> {
        for _ in 0..ATTEMPTS.1 {
            sleep(ATTEMPTS.0).await;
            let Ok(link) = Link::greet(self.address).await else {
                continue;
            };
            self.link = link;
            match self.resume().await {
                Ok(result) => return Ok(result),
                Err(Fate::Lost) => {}
                Err(Fate::Wrong(error)) => return Err(error),
            }
        }
        bail!("the server doesn't come back")
    }

    async fn resume(&mut self) -> Result<Option<HeatResult>, Fate> {
        let resume =
            ClientMessage::Resume { code: self.code, player: self.you, token: self.token.clone() };
        self.say(&resume).await?;
        loop {
            match self.link.hear().await.map_err(|_| Fate::Lost)? {
                ServerMessage::Joined { heat, .. } => return self.compare(*heat),
                ServerMessage::Refused(why) => {
                    return Err(Fate::Wrong(anyhow::anyhow!("the seat is gone: {why}")));
                }
                _ => {}
            }
        }
    }

    /// Whatever was acknowledged is still there.
    fn compare(&mut self, heat: Snapshot) -> Result<Option<HeatResult>, Fate> {
        match heat.phase {
            Phase::Running { start, .. } => {
                if self.boards.is_empty() {
                    self.begin(start)?;
                }
                let seat = heat.seat.context("no seat").map_err(Fate::Wrong)?;
                self.go_on(&seat)?;
                Ok(None)
            }
            Phase::Over(result) => Ok(Some(result)),
            Phase::Lobby | Phase::Drawing | Phase::Countdown { .. } if self.boards.is_empty() => {
                Ok(None)
            }
            phase => Err(Fate::Wrong(anyhow::anyhow!("back in {phase:?}"))),
        }
    }

    /// Goes on from where the server says that one is.
    fn go_on(&mut self, seat: &OwnSeat) -> Result<(), Fate> {
        let wrong = |what: &str| {
            let (seq, known) = (seat.seq, self.acknowledged);
            Fate::Wrong(anyhow::anyhow!("{what}: at move {seq}, {known} was acknowledged"))
        };
        if seat.seq < self.acknowledged {
            return Err(wrong("an acknowledged move is lost"));
        }
        let played = seat.seq.0 as usize;
        if self.boards.get(played) != Some(&seat.board) {
            return Err(wrong("another board"));
        }
        self.boards.truncate(played + 1);
        self.acknowledged = seat.seq;
        self.guide = Some(plan(&seat.board)?);
        Ok(())
    }

    /// All have finished, and this one with as many moves as were acknowledged.
    fn judge(&self, result: &HeatResult) -> anyhow::Result<()> {
        let finished = |state| matches!(state, State::Finished { .. });
        let all = result.standings.iter().all(|row| finished(row.state));
        ensure!(all, "not all have finished: {:?}", result.standings);
        let own = result.standings.iter().find(|row| row.player == self.you);
        let own = own.context("the witness is not in the standings")?;
        ensure!(own.moves.acts >= self.acknowledged.0, "moves are lost: {own:?}");
        Ok(())
    }
}

/// Why a race breaks off.
enum Fate {
    /// The connection is gone.
    Lost,
    /// Something isn't as it must be.
    Wrong(anyhow::Error),
}

fn plan(board: &Board) -> Result<Plan, Fate> {
    let guide = Plan::plan(board, Aim::Short, HINT_BUDGET, &SolverResources::none());
    guide.context("no way home").map_err(Fate::Wrong)
}
