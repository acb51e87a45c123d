//! One player, from the first word to the last move: a walk of the blank that never goes
//! straight back, on the board that everybody of the heat has.

use crate::clock::Clock;
use crate::field::{Field, PLAYERS};
use crate::link::{Link, Way};
use crate::pending::Pending;
use crate::run::{Pace, Signal, Signals};
use crate::tally::Tally;
use crate::tempo::Tempo;
use anyhow::{Context, bail};
use futures_util::FutureExt;
use gridrace_shared::heat::ids::{PlayerId, Seq};
use gridrace_shared::heat::options::{HeatOptions, HintRule};
use gridrace_shared::heat::standings::Standings;
use gridrace_shared::protocol::client::{ClientMessage, Entrant, Role};
use gridrace_shared::protocol::server::{Rejection, ServerMessage};
use gridrace_shared::protocol::snapshot::Phase;
use gridrace_shared::puzzle::{Board, Move, PuzzleSpec};
use gridrace_shared::util::seed::{PortableRng, Seed};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep_until, timeout};

/// How long a player leaves a busy server in peace on average; people's clients take half a
/// second.
const BACK_OFF: Duration = Duration::from_millis(100);
/// How long a player waits for the last answers once the run is over.
const LAST_ANSWERS: Duration = Duration::from_secs(20);

/// What every player of a run has.
#[derive(Debug, Clone)]
pub(crate) struct Kit {
    pub(crate) address: SocketAddr,
    /// Everybody comes from an address of their own.
    pub(crate) scattered: bool,
    pub(crate) spec: PuzzleSpec,
    pub(crate) pace: Pace,
    pub(crate) clock: Clock,
    pub(crate) tempo: Tempo,
    pub(crate) tally: Arc<Tally>,
    pub(crate) signals: Signals,
}

#[derive(Debug)]
pub(crate) struct Racer {
    kit: Kit,
    field: Arc<Field>,
    link: Link,
    number: usize,
    seat: usize,
    you: PlayerId,
    chance: PortableRng,
    board: Option<Board>,
    last: Option<Move>,
    pending: Pending,
    next: Seq,
    /// Until when a player who doesn't move by a beat leaves a busy server in peace.
    rests: Option<Instant>,
    /// What was last heard of each rival's moves.
    heard: Vec<u32>,
}

impl Racer {
    /// Connects and takes a seat; the first of a heat opens it.
    pub(crate) async fn enter(
        kit: Kit,
        field: Arc<Field>,
        number: usize,
        seat: usize,
    ) -> anyhow::Result<Self> {
        let from = kit.scattered.then(|| address(number));
        let server = kit.address;
        let mut link = Link::greet(Way { server, from }).await?;
        let entrant = Entrant { name: format!("Racer {}", seat + 1), bot: false };
        let seed: Seed = format!("load-{number}").parse()?;
        let chance = seed.rng("load", "walk");
        if seat == 0 {
            let options = HeatOptions {
                countdown_seconds: 1,
                time_limit_seconds: 7200,
                hints: HintRule::Off,
                ..HeatOptions::new(kit.spec)
            };
            let seed = Some(seed);
            link.say(&ClientMessage::Open { entrant, options, seed, pin: None }).await?;
        } else {
            let mut code = field.code.subscribe();
            let code = code.wait_for(Option::is_some).await.map(|code| *code)?;
            link.say(&ClientMessage::Join {
                code: code.context("no code")?,
                entrant,
                role: Role::Player,
                pin: None,
            })
            .await?;
        }
        let you = loop {
            match link.hear().await? {
                ServerMessage::Joined { you, heat } => {
                    field.code.send_replace(Some(heat.code));
                    break you;
                }
                ServerMessage::Refused(why) => bail!("refused: {why}"),
                _ => {}
            }
        };
        let heard = vec![0; PLAYERS];
        Ok(Self {
            kit,
            field,
            link,
            number,
            seat,
            you,
            chance,
            board: None,
            last: None,
            pending: Pending::default(),
            next: Seq(1),
            rests: None,
            heard,
        })
    }

    /// Races until the run is over, and returns how many moves were never acknowledged.
    pub(crate) async fn race(mut self) -> anyhow::Result<usize> {
        let mut signals = self.kit.signals.clone();
        let part = self.chance.below(1_000);
        let mut beat = self.kit.tempo.beat(self.kit.clock, part);
        let by_the_beat = matches!(self.kit.pace, Pace::Every(_));
        loop {
            tokio::select! {
                message = self.link.hear() => {
                    self.take_in_all(message?)?;
                    self.fill().await?;
                }
                due = beat.tick(), if by_the_beat && self.board.is_some() => self.step(due).await?,
                () = until(self.rests), if self.rests.is_some() => {
                    self.rests = None;
                    self.fill().await?;
                }
                signal = signals.next() => match signal {
                    Signal::Start if self.seat == 0 => self.link.say(&ClientMessage::Start).await?,
                    Signal::Start => {}
                    Signal::Stop => break,
                },
            }
        }
        // Whoever loses patience has waited for this player's answers, too.
        timeout(LAST_ANSWERS, self.settle()).await.unwrap_or(Ok(()))?;
        Ok(self.pending.len())
    }

    /// Waits until all moves are acknowledged.
    async fn settle(&mut self) -> anyhow::Result<()> {
        self.rests.get_or_insert(self.kit.clock.after(BACK_OFF));
        while self.pending.len() > 0 {
            tokio::select! {
                message = self.link.hear() => self.take_in_all(message?)?,
                () = until(self.rests) => {
                    self.send_again().await?;
                    self.link.flush().await?;
                    self.rests = Some(self.kit.clock.after(BACK_OFF));
                }
            }
        }
        Ok(())
    }

    /// Makes as many moves as are due: first those that were refused.
    async fn step(&mut self, due: u32) -> anyhow::Result<()> {
        for _ in 0..due {
            if self.pending.is_held_up() {
                self.send_one_again().await?;
            } else {
                self.play().await?;
            }
        }
        self.link.flush().await
    }

    /// Takes in what is there already, so that all of it is answered with one write.
    fn take_in_all(&mut self, first: ServerMessage) -> anyhow::Result<()> {
        self.take_in(first)?;
        while let Some(message) = self.link.hear().now_or_never() {
            self.take_in(message?)?;
        }
        Ok(())
    }

    fn take_in(&mut self, message: ServerMessage) -> anyhow::Result<()> {
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
        for took in self.pending.acknowledge(seq, self.kit.clock.micros()) {
            self.kit.tally.acknowledge(self.number, took);
        }
    }

    /// Leaves the server in peace for a while, unlike others who do, and tries again.
    fn refuse(&mut self, seq: Seq) {
        self.pending.refuse(seq);
        if self.rests.is_none() && matches!(self.kit.pace, Pace::Saturated { .. }) {
            let jitter = BACK_OFF * self.chance.below(1_000) / 1_000;
            self.rests = Some(self.kit.clock.after(BACK_OFF / 2 + jitter));
        }
    }

    /// Plays until as many moves are on their way as the window holds.
    async fn fill(&mut self) -> anyhow::Result<()> {
        let Pace::Saturated { window } = self.kit.pace else {
            return Ok(());
        };
        let is_full = self.pending.len() >= window && !self.pending.is_held_up();
        if self.board.is_none() || self.rests.is_some() || is_full {
            return Ok(());
        }
        self.send_again().await?;
        while self.pending.len() < window {
            self.play().await?;
        }
        self.link.flush().await
    }

    async fn send_again(&mut self) -> anyhow::Result<()> {
        while self.pending.is_held_up() {
            self.send_one_again().await?;
        }
        Ok(())
    }

    async fn send_one_again(&mut self) -> anyhow::Result<()> {
        let Some((seq, play)) = self.pending.send_again(self.kit.clock.micros()) else {
            return Ok(());
        };
        self.kit.tally.send();
        self.link.write(&ClientMessage::Move { seq, play }).await
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
        let now = self.kit.clock.micros();
        let seq = self.next;
        self.next = seq.next();
        self.pending.send(seq, play.clone(), now);
        self.kit.tally.send();
        self.field.send(place(self.you), seq.0, now);
        self.link.write(&ClientMessage::Move { seq, play }).await
    }

    /// Sees how late the news of the rivals' moves are; one of each heat does.
    fn read(&mut self, standings: &Standings) {
        if self.seat != 0 {
            return;
        }
        let now = self.kit.clock.micros();
        for row in &standings.rows {
            let (place, acts) = (place(row.player), row.moves.acts);
            let is_news = self.heard.get(place).is_some_and(|&heard| heard < acts);
            if row.player == self.you || !is_news {
                continue;
            }
            self.heard[place] = acts;
            if let Some(sent) = self.field.sent(place, acts) {
                self.kit.tally.hear(self.number, now.saturating_sub(sent));
            }
        }
    }
}

/// Returns the address from which a player comes.
fn address(number: usize) -> Ipv4Addr {
    let [_, high, middle, low] = (number as u32).to_be_bytes();
    Ipv4Addr::new(10, high, middle, low)
}

/// Returns where a player stands in the heat's order of coming in.
fn place(player: PlayerId) -> usize {
    (player.0 as usize).saturating_sub(1) % PLAYERS
}

async fn until(instant: Option<Instant>) {
    match instant {
        Some(instant) => sleep_until(instant).await,
        None => std::future::pending().await,
    }
}
