//! One player: a random walk of the blank that never reverses its last move.
//!
//! Each move is a separate write, as players make one after the other. It enters by the client's
//! session, and then reads the few messages that it measures without a view of the heat: it shares
//! the machine with the server that is measured.

use crate::heat_players::{HeatPlayers, PLAYERS};
use crate::move_rate::MoveRate;
use crate::pending::Pending;
use crate::run::{Pace, Signal, Signals};
use crate::tally::Tally;
use anyhow::{Context, bail};
use futures_util::FutureExt;
use gridrace_client::net::clock::{Clock, sleep_until};
use gridrace_client::net::{Connection, Tcp, connect_over};
use gridrace_client::session::Entry;
use gridrace_shared::heat::ids::{PlayerId, Seq};
use gridrace_shared::heat::options::{HeatOptions, HintRule};
use gridrace_shared::heat::standings::Standings;
use gridrace_shared::protocol::client::ClientMessage;
use gridrace_shared::protocol::server::{Rejection, ServerMessage};
use gridrace_shared::protocol::snapshot::Phase;
use gridrace_shared::puzzle::{Board, Move, PuzzleSpec};
use gridrace_shared::util::seed::{PortableRng, Seed};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// How long a player pauses on average after a busy rejection; the client pauses for half a second.
const BACK_OFF: Duration = Duration::from_millis(100);
/// How long a player waits for the last answers once the run is over.
const LAST_ANSWERS: Duration = Duration::from_secs(20);

/// What the players of a run share.
#[derive(Debug, Clone)]
pub(crate) struct Kit {
    pub(crate) address: SocketAddr,
    pub(crate) spec: PuzzleSpec,
    pub(crate) pace: Pace,
    pub(crate) clock: Clock,
    pub(crate) move_rate: MoveRate,
    pub(crate) tally: Arc<Tally>,
    pub(crate) signals: Signals,
}

#[derive(Debug)]
pub(crate) struct Racer {
    kit: Kit,
    players: Arc<HeatPlayers>,
    connection: Connection,
    number: usize,
    seat: usize,
    you: PlayerId,
    chance: PortableRng,
    board: Option<Board>,
    last: Option<Move>,
    pending: Pending,
    next: Seq,
    /// Until when a saturating player pauses after a busy rejection.
    paused_until: Option<Instant>,
    /// The last known number of each rival's moves.
    heard: Vec<u32>,
}

impl Racer {
    /// Connects and takes a seat; the first of a heat opens it.
    pub(crate) async fn enter(
        kit: Kit,
        players: Arc<HeatPlayers>,
        number: usize,
        seat: usize,
    ) -> anyhow::Result<Self> {
        let mut connection =
            connect_over(&Tcp::default(), &format!("ws://{}", kit.address)).await?;
        let seed: Seed = format!("load-{number}").parse()?;
        let chance = seed.rng("load", "walk");
        let entry = if seat == 0 {
            let options = HeatOptions {
                countdown_seconds: 1,
                time_limit_seconds: 7200,
                hints: HintRule::Off,
                ..HeatOptions::new(kit.spec)
            };
            Entry::Open { options, seed: Some(seed), pin: None }
        } else {
            let mut code = players.code.subscribe();
            let code = code.wait_for(Option::is_some).await.map(|code| *code)?;
            Entry::join(code.context("no code")?)
        };
        let name = || format!("Racer {}", seat + 1);
        let joined = entry.enter(&mut connection, name).await?;
        players.code.send_replace(Some(joined.snapshot.code));
        let heard = vec![0; PLAYERS];
        Ok(Self {
            kit,
            players,
            connection,
            number,
            seat,
            you: joined.you,
            chance,
            board: None,
            last: None,
            pending: Pending::default(),
            next: Seq(1),
            paused_until: None,
            heard,
        })
    }

    /// Races until the run is over, and returns how many moves were never acknowledged.
    pub(crate) async fn race(mut self) -> anyhow::Result<usize> {
        let mut signals = self.kit.signals.clone();
        let part = self.chance.below(1_000);
        let mut timer = self.kit.move_rate.timer(part);
        let is_timed = matches!(self.kit.pace, Pace::Every(_));
        loop {
            tokio::select! {
                message = self.connection.next() => {
                    self.apply_all(message?)?;
                    self.fill().await?;
                }
                due = timer.tick(), if is_timed && self.board.is_some() => self.step(due).await?,
                () = sleep_until(self.paused_until), if self.paused_until.is_some() => {
                    self.paused_until = None;
                    self.fill().await?;
                }
                signal = signals.next() => match signal {
                    Signal::Start if self.seat == 0 => self.connection.send(&ClientMessage::Start).await?,
                    Signal::Start => {}
                    Signal::Stop => break,
                },
            }
        }
        // After the timeout, the unanswered moves are counted.
        timeout(LAST_ANSWERS, self.settle()).await.unwrap_or(Ok(()))?;
        Ok(self.pending.len())
    }

    /// Waits until all moves are acknowledged.
    async fn settle(&mut self) -> anyhow::Result<()> {
        self.paused_until.get_or_insert(Clock::instant() + BACK_OFF);
        while self.pending.len() > 0 {
            tokio::select! {
                message = self.connection.next() => self.apply_all(message?)?,
                () = sleep_until(self.paused_until) => {
                    self.send_again().await?;
                    self.paused_until = Some(Clock::instant() + BACK_OFF);
                }
            }
        }
        Ok(())
    }

    /// Plays as many moves as are due: first those that were refused.
    async fn step(&mut self, due: u32) -> anyhow::Result<()> {
        for _ in 0..due {
            if self.pending.is_held_up() {
                self.send_one_again().await?;
            } else {
                self.play().await?;
            }
        }
        Ok(())
    }

    /// Applies all messages that have arrived.
    fn apply_all(&mut self, first: ServerMessage) -> anyhow::Result<()> {
        self.apply(first)?;
        while let Some(message) = self.connection.next().now_or_never() {
            self.apply(message?)?;
        }
        Ok(())
    }

    fn apply(&mut self, message: ServerMessage) -> anyhow::Result<()> {
        match message {
            ServerMessage::Phase(Phase::Running { start, .. }) => {
                self.board = Some(start);
                self.kit.signals.run();
            }
            ServerMessage::Accepted { seq, .. } => self.acknowledge(seq),
            ServerMessage::Rejected { seq, why: Rejection::Busy } => {
                self.kit.tally.refuse();
                self.refuse(seq);
            }
            ServerMessage::Resync(seat) => {
                self.acknowledge(seat.seq);
                self.refuse(seat.seq.next());
            }
            ServerMessage::Rejected { seq, why } => bail!("move {seq} was rejected: {why}"),
            ServerMessage::Standings(standings) => {
                self.read(&standings);
            }
            ServerMessage::Phase(Phase::Over(_)) => bail!("the heat ended before its time"),
            ServerMessage::Goodbye(farewell) => bail!("{farewell}"),
            ServerMessage::Refused(why) => bail!("refused: {why}"),
            _ => {}
        }
        Ok(())
    }

    fn acknowledge(&mut self, seq: Seq) {
        for took in self.pending.acknowledge(seq, self.kit.clock.now().0) {
            self.kit.tally.acknowledge(self.number, took);
        }
    }

    /// Pauses for a random time before the refused moves are sent again.
    fn refuse(&mut self, seq: Seq) {
        self.pending.refuse(seq);
        if self.paused_until.is_none() && matches!(self.kit.pace, Pace::Saturated { .. }) {
            let jitter = BACK_OFF * self.chance.below(1_000) / 1_000;
            self.paused_until = Some(Clock::instant() + BACK_OFF / 2 + jitter);
        }
    }

    /// Plays until as many moves are in flight as the window holds.
    async fn fill(&mut self) -> anyhow::Result<()> {
        let Pace::Saturated { window } = self.kit.pace else {
            return Ok(());
        };
        let is_full = self.pending.len() >= window && !self.pending.is_held_up();
        if self.board.is_none() || self.paused_until.is_some() || is_full {
            return Ok(());
        }
        self.send_again().await?;
        while self.pending.len() < window {
            self.play().await?;
        }
        Ok(())
    }

    async fn send_again(&mut self) -> anyhow::Result<()> {
        while self.pending.is_held_up() {
            self.send_one_again().await?;
        }
        Ok(())
    }

    async fn send_one_again(&mut self) -> anyhow::Result<()> {
        let Some((seq, play)) = self.pending.send_again(self.kit.clock.now().0) else {
            return Ok(());
        };
        self.kit.tally.send();
        Ok(self.connection.send(&ClientMessage::Move { seq, play }).await?)
    }

    async fn play(&mut self) -> anyhow::Result<()> {
        let Some(board) = &mut self.board else {
            return Ok(());
        };
        let mut moves = board.legal_moves();
        if moves.len() > 1 {
            moves.retain(|play| Some(play) != self.last.as_ref());
        }
        let at = self.chance.below(u32::try_from(moves.len())?) as usize;
        let play = moves.swap_remove(at);
        let undo = match (&play, &*board) {
            (Move::Slide(_), Board::Slide(board)) => Some(Move::Slide(board.blank())),
            _ => None,
        };
        board.play(&play)?;
        self.last = undo;
        let now = self.kit.clock.now().0;
        let seq = self.next;
        self.next = seq.next();
        self.pending.send(seq, play.clone(), now);
        self.kit.tally.send();
        self.players.send(place(self.you), seq.0, now);
        Ok(self.connection.send(&ClientMessage::Move { seq, play }).await?)
    }

    /// Measures how late the rivals' moves are seen; one player of each heat does.
    fn read(&mut self, standings: &Standings) {
        if self.seat != 0 {
            return;
        }
        let now = self.kit.clock.now().0;
        for row in &standings.rows {
            let (place, acts) = (place(row.player), row.moves.acts);
            let is_news = self.heard.get(place).is_some_and(|&heard| heard < acts);
            if row.player == self.you || !is_news {
                continue;
            }
            let heard = std::mem::replace(&mut self.heard[place], acts);
            // All moves of a message are seen at once, however long they waited.
            for act in (heard + 1).max(HeatPlayers::first_known(acts))..=acts {
                if let Some(sent) = self.players.sent(place, act) {
                    self.kit.tally.hear(self.number, now.saturating_sub(sent));
                }
            }
        }
    }
}

/// Returns a player's place in the heat's order of joining.
fn place(player: PlayerId) -> usize {
    (player.0 as usize).saturating_sub(1) % PLAYERS
}
