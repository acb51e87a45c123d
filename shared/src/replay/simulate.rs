//! Runs a recorded heat again, by the rules alone.

use super::{Act, Course, Exit, Record, What};
use crate::heat::name::{PlayerId, Seq};
use crate::heat::options::{HeatOptions, HintRule};
use crate::heat::standings::{Ranked, Standing, State, rank};
use crate::protocol::snapshot::Kind;
use crate::puzzle::{Board, IllegalMove, Move, MoveCount, Tally};
use crate::util::time::Millis;

/// A heat as it stood after some of its records.
#[derive(Debug, Clone)]
pub struct Rerun {
    start: Board,
    hints: HintRule,
    limit: Millis,
    runners: Vec<Runner>,
    at: Millis,
    /// How many records have been run: they rank equal times.
    order: u64,
    away: Millis,
}

/// A player as they stood.
#[derive(Debug, Clone)]
pub struct Runner {
    /// Who.
    pub player: PlayerId,
    /// Their board.
    pub board: Board,
    /// How many moves they have played.
    pub seq: Seq,
    /// What these count.
    pub moves: MoveCount,
    /// Where they stand.
    pub state: State,
    /// Hints that they were given.
    pub hints: u16,
    /// What the hints add to their time.
    pub penalty: Millis,
    /// 0 to 1000.
    pub progress: u16,
    /// Links and cells, where the puzzle has any.
    pub tally: Option<Tally>,
    /// Whether the connection stood.
    pub connected: bool,
    /// Whether nothing more of theirs is recorded.
    pub cut: bool,
    /// The last move.
    pub last: Option<Move>,
    from_outside: bool,
    gone: bool,
    order: u64,
}

/// Why something can't have happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Breach {
    /// Of somebody who doesn't race.
    #[error("nobody of this number races")]
    Stranger,
    /// A move against the rules.
    #[error("the move is illegal: {0}")]
    Illegal(#[from] IllegalMove),
    /// After the player's race was over.
    #[error("the player's race was over already")]
    NotRacing,
    /// While the player wasn't connected.
    #[error("the player was not connected")]
    NotConnected,
    /// A return of somebody who was connected.
    #[error("the player was connected already")]
    Connected,
    /// After the player had left for good.
    #[error("the player was gone for good")]
    Gone,
    /// After the player's record was cut.
    #[error("the player's record was cut already")]
    AfterCut,
    /// A hint in a heat without hints.
    #[error("this heat is without hints")]
    NoHints,
    /// A move at the time limit or later.
    #[error("the time limit was over")]
    Late,
}

impl Rerun {
    /// Begins at GO.
    #[must_use]
    pub fn new(course: &Course, options: &HeatOptions) -> Self {
        let runner = |racer: &super::Racer| Runner::new(racer, course.start());
        Self {
            start: course.start().clone(),
            hints: options.hints,
            limit: Millis::from_seconds(options.time_limit_seconds.into()),
            runners: course.racers().iter().map(runner).collect(),
            at: Millis(0),
            order: 0,
            away: Millis(0),
        }
    }

    /// Lets a record happen.
    ///
    /// # Errors
    /// Why it can't have happened; nothing has changed then but the time.
    pub fn run(&mut self, record: &Record) -> Result<(), Breach> {
        self.at = self.at.max(record.at);
        self.order += 1;
        match &record.what {
            What::Act { player, act } => self.act(*player, act),
            What::Outage { away } => {
                self.away = self.away + *away;
                Ok(())
            }
        }
    }

    /// Ends the heat: those who still race are out.
    pub fn end(&mut self) {
        self.runners.iter_mut().for_each(Runner::drop_out);
    }

    /// Returns the players, in the order of their numbers.
    #[must_use]
    pub fn runners(&self) -> &[Runner] {
        &self.runners
    }

    /// Returns how long the server was away so far.
    #[must_use]
    pub const fn away(&self) -> Millis {
        self.away
    }

    /// Returns the standings.
    #[must_use]
    pub fn standings(&self) -> Vec<Standing> {
        rank(self.runners.iter().map(Runner::ranked).collect())
    }

    /// Says whether somebody still races, there or not.
    pub(super) fn is_raced(&self) -> bool {
        let races = |runner: &Runner| runner.state == State::Racing;
        self.runners.iter().any(races)
    }

    /// Says that a heat before its time limit can't be over: somebody who is there, or may
    /// come back, still races, and somebody from outside is there as well.
    pub(super) fn must_go_on(&self) -> bool {
        let races = |runner: &Runner| !runner.gone && runner.state == State::Racing;
        let sees = |runner: &Runner| !runner.gone && runner.from_outside;
        self.runners.iter().any(races) && self.runners.iter().any(sees)
    }

    pub(super) fn runner(&self, player: PlayerId) -> Option<&Runner> {
        self.runners.iter().find(|runner| runner.player == player)
    }

    fn act(&mut self, player: PlayerId, act: &Act) -> Result<(), Breach> {
        let runner = self.runners.iter_mut().find(|runner| runner.player == player);
        let runner = runner.ok_or(Breach::Stranger)?;
        if runner.cut {
            return Err(Breach::AfterCut);
        }
        match act {
            Act::Move(play) => {
                if self.at >= self.limit {
                    return Err(Breach::Late);
                }
                runner.play(play, &self.start, self.at, self.order)
            }
            Act::Hint => runner.take_hint(self.hints),
            Act::Out(exit) => runner.leave(*exit),
            Act::Lost => runner.lose(),
            Act::Back => runner.come_back(),
            Act::Cut => {
                runner.cut = true;
                Ok(())
            }
        }
    }
}

impl Runner {
    fn new(racer: &super::Racer, start: &Board) -> Self {
        Self {
            player: racer.id,
            tally: start.tally(),
            board: start.clone(),
            seq: Seq(0),
            moves: MoveCount::default(),
            state: State::Racing,
            hints: 0,
            penalty: Millis(0),
            progress: 0,
            connected: true,
            cut: false,
            last: None,
            from_outside: match racer.kind {
                Kind::Human | Kind::Bot => true,
                Kind::HouseBot(_) => false,
            },
            gone: false,
            order: 0,
        }
    }

    /// Says whether the player is connected and still races.
    fn check(&self) -> Result<(), Breach> {
        if self.state != State::Racing {
            return Err(Breach::NotRacing);
        }
        if !self.connected {
            return Err(Breach::NotConnected);
        }
        Ok(())
    }

    fn play(&mut self, play: &Move, start: &Board, at: Millis, order: u64) -> Result<(), Breach> {
        self.check()?;
        self.moves += self.board.play(play)?;
        self.seq = self.seq.next();
        self.last = Some(play.clone());
        self.tally = self.board.tally();
        if self.board.is_solved() {
            let time = at + self.penalty;
            self.state = State::Finished { time };
        }
        let progress = self.board.progress(start);
        if progress != self.progress || self.state != State::Racing {
            self.progress = progress;
            self.order = order;
        }
        Ok(())
    }

    fn take_hint(&mut self, rule: HintRule) -> Result<(), Breach> {
        self.check()?;
        if rule == HintRule::Off {
            return Err(Breach::NoHints);
        }
        self.hints = self.hints.saturating_add(1);
        self.penalty = self.penalty + rule.price();
        Ok(())
    }

    fn leave(&mut self, exit: Exit) -> Result<(), Breach> {
        if self.gone {
            return Err(Breach::Gone);
        }
        match exit {
            Exit::GaveUp => self.check()?,
            Exit::Left | Exit::SentAway => self.go(),
            Exit::Expired if self.connected => return Err(Breach::Connected),
            Exit::Expired => self.go(),
        }
        self.drop_out();
        Ok(())
    }

    const fn go(&mut self) {
        self.gone = true;
        self.connected = false;
    }

    const fn lose(&mut self) -> Result<(), Breach> {
        if !self.connected {
            return Err(Breach::NotConnected);
        }
        self.connected = false;
        Ok(())
    }

    const fn come_back(&mut self) -> Result<(), Breach> {
        if self.gone {
            return Err(Breach::Gone);
        }
        if self.connected {
            return Err(Breach::Connected);
        }
        self.connected = true;
        Ok(())
    }

    fn drop_out(&mut self) {
        if self.state == State::Racing {
            self.state = State::Dnf;
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
