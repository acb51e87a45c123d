//! One player, from the first word to the last move: a walk of the blank that never goes
//! straight back, on the board that everybody of the heat has.

use crate::clock::Clock;
use crate::field::{Field, PLAYERS};
use crate::link::Link;
use crate::run::{Pace, Signal, Signals};
use crate::tally::Tally;
use anyhow::{Context, bail};
use futures_util::FutureExt;
use gridrace_shared::name::{PlayerId, Seq};
use gridrace_shared::options::{HeatOptions, HintRule};
use gridrace_shared::protocol::client::{ClientMessage, Entrant, Role};
use gridrace_shared::protocol::heat::Phase;
use gridrace_shared::protocol::server::ServerMessage;
use gridrace_shared::puzzle::{Board, Move, PuzzleSpec};
use gridrace_shared::seed::{PortableRng, Seed};
use gridrace_shared::standings::Standings;
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::time::{Interval, MissedTickBehavior, interval_at};

/// What every player of a run has.
#[derive(Debug, Clone)]
pub(crate) struct Kit {
    pub(crate) address: SocketAddr,
    pub(crate) spec: PuzzleSpec,
    pub(crate) pace: Pace,
    pub(crate) clock: Clock,
    pub(crate) tally: Arc<Tally>,
    pub(crate) signals: Signals,
}

/// One player.
#[derive(Debug)]
pub(crate) struct Racer {
    kit: Kit,
    field: Arc<Field>,
    link: Link,
    /// Which of all players.
    number: usize,
    /// Which of the heat's.
    seat: usize,
    you: PlayerId,
    chance: PortableRng,
    board: Option<Board>,
    last: Option<Move>,
    /// The moves that aren't acknowledged: their numbers, and when they were sent.
    open: VecDeque<(Seq, u64)>,
    next: Seq,
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
        let mut link = Link::greet(kit.address).await?;
        let entrant = Entrant {
            name: format!("Racer {}", seat + 1),
            bot: false,
        };
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
            link.say(&ClientMessage::Open {
                entrant,
                options,
                seed,
                pin: None,
            })
            .await?;
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
            open: VecDeque::new(),
            next: Seq(1),
            heard,
        })
    }

    /// Races until the run is over.
    pub(crate) async fn race(mut self) -> anyhow::Result<()> {
        let mut signals = self.kit.signals.clone();
        let mut beat = self.beat();
        loop {
            tokio::select! {
                message = self.link.hear() => self.take_in_all(message?).await?,
                () = tick(&mut beat), if self.board.is_some() => {
                    self.play().await?;
                    self.link.flush().await?;
                }
                signal = signals.next() => match signal {
                    Signal::Start if self.seat == 0 => self.link.say(&ClientMessage::Start).await?,
                    Signal::Start => {}
                    Signal::Stop => return Ok(()),
                },
            }
        }
    }

    /// Returns when the player moves by the clock: each at an instant of its own.
    fn beat(&mut self) -> Option<Interval> {
        let Pace::Every(pause) = self.kit.pace else {
            return None;
        };
        let first = pause * self.chance.below(1_000) / 1_000;
        let mut beat = interval_at(self.kit.clock.after(first), pause);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Some(beat)
    }

    /// Takes in what is there already, and answers all of it with one write.
    async fn take_in_all(&mut self, first: ServerMessage) -> anyhow::Result<()> {
        self.take_in(first)?;
        while let Some(message) = self.link.hear().now_or_never() {
            self.take_in(message?)?;
        }
        self.fill().await
    }

    fn take_in(&mut self, message: ServerMessage) -> anyhow::Result<()> {
        match message {
            ServerMessage::Phase(Phase::Running { start, .. }) => {
                self.board = Some(start);
                self.kit.signals.run();
            }
            ServerMessage::Accepted { seq, .. } => {
                let now = self.kit.clock.micros();
                while let Some(&(open, sent)) = self.open.front()
                    && open <= seq
                {
                    self.open.pop_front();
                    self.kit.tally.acknowledge(self.number, now - sent);
                }
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

    /// Plays until as many moves are on their way as the window holds.
    async fn fill(&mut self) -> anyhow::Result<()> {
        let Pace::Saturated { window } = self.kit.pace else {
            return Ok(());
        };
        if self.board.is_none() || self.open.len() == window {
            return Ok(());
        }
        while self.open.len() < window {
            self.play().await?;
        }
        self.link.flush().await
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
        self.open.push_back((seq, now));
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

/// Returns where a player stands in the heat's order of coming in.
fn place(player: PlayerId) -> usize {
    (player.0 as usize).saturating_sub(1) % PLAYERS
}

async fn tick(beat: &mut Option<Interval>) {
    match beat {
        Some(beat) => {
            beat.tick().await;
        }
        None => std::future::pending().await,
    }
}
