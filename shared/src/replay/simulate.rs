//! Simulates a recorded heat by the rules alone.

use super::{EventLog, ExitReason, Racer, RacerEvent, Record, RecordKind};
use crate::heat::ids::{PlayerId, Seq};
use crate::heat::options::{HeatOptions, HintRule};
use crate::heat::player_kind::PlayerKind;
use crate::heat::standings::{RaceState, Ranked, Standing, rank};
use crate::puzzle::{Board, IllegalMove, Move, MoveCount, PieceProgress};
use crate::util::time::Millis;

/// The state of a heat after some of its records.
#[derive(Debug, Clone)]
pub struct Simulation {
    start: Board,
    hints: HintRule,
    limit: Millis,
    players: Vec<SimulatedPlayer>,
    at: Millis,
    /// How many records have been run: they rank equal times.
    order: u64,
    away: Millis,
}

/// The state of a player.
#[derive(Debug, Clone)]
pub struct SimulatedPlayer {
    pub player: PlayerId,
    pub board: Board,
    pub seq: Seq,
    pub moves: MoveCount,
    pub state: RaceState,
    pub hints: u16,
    /// What the hints add to their time.
    pub penalty: Millis,
    /// 0 to 1000.
    pub progress: u16,
    /// Links and cells, where the puzzle has any.
    pub tally: Option<PieceProgress>,
    pub connected: bool,
    pub cut: bool,
    pub last: Option<Move>,
    from_outside: bool,
    gone: bool,
    order: u64,
}

/// The rule that an event contradicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RuleViolation {
    #[error("no player with this number races")]
    Stranger,
    #[error("the move is illegal: {0}")]
    Illegal(#[from] IllegalMove),
    #[error("the player's race was over already")]
    NotRacing,
    #[error("the player was not connected")]
    NotConnected,
    #[error("the player was connected already")]
    Connected,
    #[error("the player was gone for good")]
    Gone,
    #[error("the player's record was cut already")]
    AfterCut,
    #[error("this heat has no hints")]
    NoHints,
    #[error("the time limit was over")]
    Late,
}

impl Simulation {
    /// Begins at GO.
    pub fn new(events: &EventLog, options: &HeatOptions) -> Self {
        let runner = |racer: &Racer| SimulatedPlayer::new(racer, events.start());
        Self {
            start: events.start().clone(),
            hints: options.hints,
            limit: options.time_limit(),
            players: events.racers().iter().map(runner).collect(),
            at: Millis(0),
            order: 0,
            away: Millis(0),
        }
    }

    /// Applies a record.
    /// On an error only the time has changed.
    pub fn run(&mut self, record: &Record) -> Result<(), RuleViolation> {
        self.at = self.at.max(record.at);
        self.order += 1;
        match &record.kind {
            RecordKind::Racer { player, event } => self.racer_event(*player, event),
            RecordKind::Outage { away } => {
                self.away = self.away + *away;
                Ok(())
            }
        }
    }

    /// Ends the heat: those who still race are out.
    pub fn end(&mut self) {
        self.players.iter_mut().for_each(SimulatedPlayer::drop_out);
    }

    pub fn players(&self) -> &[SimulatedPlayer] {
        &self.players
    }

    pub const fn away(&self) -> Millis {
        self.away
    }

    pub fn standings(&self) -> Vec<Standing> {
        rank(self.players.iter().map(SimulatedPlayer::ranked).collect())
    }

    /// Returns true if a player still races, connected or not.
    pub(super) fn is_raced(&self) -> bool {
        let races = |runner: &SimulatedPlayer| runner.state == RaceState::Racing;
        self.players.iter().any(races)
    }

    /// Returns true if a heat before its time limit can't be over: a player who is connected or
    /// may reconnect still races, and a player other than a house bot is present.
    pub(super) fn must_go_on(&self) -> bool {
        let races = |runner: &SimulatedPlayer| !runner.gone && runner.state == RaceState::Racing;
        let sees = |runner: &SimulatedPlayer| !runner.gone && runner.from_outside;
        self.players.iter().any(races) && self.players.iter().any(sees)
    }

    pub(super) fn player(&self, player: PlayerId) -> Option<&SimulatedPlayer> {
        self.players.iter().find(|runner| runner.player == player)
    }

    fn racer_event(&mut self, player: PlayerId, event: &RacerEvent) -> Result<(), RuleViolation> {
        let runner = self.players.iter_mut().find(|runner| runner.player == player);
        let runner = runner.ok_or(RuleViolation::Stranger)?;
        if runner.cut {
            return Err(RuleViolation::AfterCut);
        }
        match event {
            RacerEvent::Move(play) => {
                if self.at >= self.limit {
                    return Err(RuleViolation::Late);
                }
                runner.play(play, &self.start, self.at, self.order)
            }
            RacerEvent::Hint => runner.take_hint(self.hints),
            RacerEvent::Out(exit) => runner.leave(*exit),
            RacerEvent::Lost => runner.lose(),
            RacerEvent::Back => runner.come_back(),
            RacerEvent::Cut => {
                runner.cut = true;
                Ok(())
            }
        }
    }
}

impl SimulatedPlayer {
    fn new(racer: &Racer, start: &Board) -> Self {
        Self {
            player: racer.id,
            tally: start.piece_progress(),
            board: start.clone(),
            seq: Seq(0),
            moves: MoveCount::default(),
            state: RaceState::Racing,
            hints: 0,
            penalty: Millis(0),
            progress: 0,
            connected: true,
            cut: false,
            last: None,
            from_outside: match racer.kind {
                PlayerKind::Human | PlayerKind::Bot => true,
                PlayerKind::HouseBot(_) => false,
            },
            gone: false,
            order: 0,
        }
    }

    fn check(&self) -> Result<(), RuleViolation> {
        if self.state != RaceState::Racing {
            return Err(RuleViolation::NotRacing);
        }
        if !self.connected {
            return Err(RuleViolation::NotConnected);
        }
        Ok(())
    }

    fn play(
        &mut self,
        play: &Move,
        start: &Board,
        at: Millis,
        order: u64,
    ) -> Result<(), RuleViolation> {
        self.check()?;
        self.moves += self.board.play(play)?;
        self.seq = self.seq.next();
        self.last = Some(play.clone());
        self.tally = self.board.piece_progress();
        if self.board.is_solved() {
            let time = at + self.penalty;
            self.state = RaceState::Finished { time };
        }
        let progress = self.board.progress(start);
        if progress != self.progress || self.state != RaceState::Racing {
            self.progress = progress;
            self.order = order;
        }
        Ok(())
    }

    fn take_hint(&mut self, rule: HintRule) -> Result<(), RuleViolation> {
        self.check()?;
        if rule == HintRule::Off {
            return Err(RuleViolation::NoHints);
        }
        self.hints = self.hints.saturating_add(1);
        self.penalty = self.penalty + rule.price();
        Ok(())
    }

    fn leave(&mut self, exit: ExitReason) -> Result<(), RuleViolation> {
        if self.gone {
            return Err(RuleViolation::Gone);
        }
        match exit {
            ExitReason::GaveUp => self.check()?,
            ExitReason::HeatEnded if self.state != RaceState::Racing => {
                return Err(RuleViolation::NotRacing);
            }
            ExitReason::HeatEnded => {}
            ExitReason::Left | ExitReason::SentAway => self.go(),
            ExitReason::Expired if self.connected => return Err(RuleViolation::Connected),
            ExitReason::Expired => self.go(),
        }
        self.drop_out();
        Ok(())
    }

    const fn go(&mut self) {
        self.gone = true;
        self.connected = false;
    }

    const fn lose(&mut self) -> Result<(), RuleViolation> {
        if !self.connected {
            return Err(RuleViolation::NotConnected);
        }
        self.connected = false;
        Ok(())
    }

    const fn come_back(&mut self) -> Result<(), RuleViolation> {
        if self.gone {
            return Err(RuleViolation::Gone);
        }
        if self.connected {
            return Err(RuleViolation::Connected);
        }
        self.connected = true;
        Ok(())
    }

    fn drop_out(&mut self) {
        if self.state == RaceState::Racing {
            self.state = RaceState::Dnf;
        }
    }

    pub(super) fn ranked(&self) -> Ranked {
        let standing = Standing {
            player: self.player,
            place: 0,
            state: self.state,
            progress: self.progress,
            tally: self.tally,
            moves: self.moves,
            hints: self.hints,
            penalty: self.penalty,
            connected: self.connected,
        };
        Ranked { standing, order: self.order }
    }
}
