//! What the messages of a server add up to.

use gridrace_shared::heat::ids::{PlayerId, RoomCode, Seq};
use gridrace_shared::heat::resume_token::ResumeToken;
use gridrace_shared::heat::standings::Standing;
use gridrace_shared::protocol::codec::Frame;
use gridrace_shared::protocol::server::{Farewell, Refusal, Rejection, ServerMessage};
use gridrace_shared::protocol::snapshot::{HeatResult, HeatSummary, Member, Phase, Snapshot};
use gridrace_shared::puzzle::MoveBounds;
use gridrace_shared::puzzle::{Board, Move};
use gridrace_shared::util::time::ClientInstant;
use std::collections::BTreeMap;
use std::ops::Bound;

/// Picks values out of what a client has heard, in order.
macro_rules! pick {
    ($state:expr, $pattern:pat => $value:expr) => {
        $state.pick(|message| if let $pattern = message { Some($value) } else { None })
    };
}
pub(crate) use pick;

/// A client's picture of its heat, and the record of how it came about.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) welcomed: bool,
    pub(crate) frames: Vec<Frame>,
    /// Every message, in order.
    pub(crate) log: Vec<ServerMessage>,
    /// The moves that were sent, by number; the first one counts.
    pub(crate) sent: BTreeMap<Seq, Move>,
    pub(crate) acknowledged: Seq,
    /// The boards that a spectator sees.
    pub(crate) boards: BTreeMap<PlayerId, Board>,
    pub(crate) closed: Option<u16>,
    /// By what the seat is taken up again.
    pub(crate) key: Option<(RoomCode, PlayerId, ResumeToken)>,
    you: Option<PlayerId>,
    heat: Option<Snapshot>,
    board: Option<Board>,
}

impl State {
    /// Takes one more message in.
    pub(crate) fn fold(&mut self, frame: Frame, message: ServerMessage) {
        self.frames.push(frame);
        self.log.push(message.clone());
        if let ServerMessage::Welcome { .. } = message {
            self.welcomed = true;
        } else if let ServerMessage::Joined { you, heat } = message {
            self.enter(you, *heat);
        } else if let ServerMessage::Token { code, player, token } = message {
            self.key = Some((code, player, token));
        } else if let ServerMessage::Roster(roster) = message {
            self.heat_mut().roster = roster;
        } else if let ServerMessage::Setup(setup) = message {
            self.heat_mut().setup = setup;
        } else if let ServerMessage::Phase(phase) = message {
            self.pass_to(phase);
        } else if let ServerMessage::Accepted { seq, .. } = message {
            self.acknowledge(seq);
        } else if let ServerMessage::Standings(standings) = message {
            self.heat_mut().standings = Some(standings);
        } else if let ServerMessage::Moves(moves) = message {
            for moved in moves {
                self.boards.get_mut(&moved.player).unwrap().play(&moved.play).unwrap();
            }
        } else if let ServerMessage::Rated { number, best } = message {
            self.rate(number, best);
        }
    }

    /// Says whether the client is in a heat, and could come back to it.
    pub(crate) fn is_in_a_heat(&self) -> bool {
        self.heat.is_some() && self.key.is_some()
    }

    /// Forgets the latest message, which a test wouldn't expect.
    pub(crate) fn forget_latest(&mut self) {
        self.log.pop();
        self.frames.pop();
    }

    pub(crate) fn forget_heat(&mut self) {
        self.heat = None;
    }

    pub(crate) fn you(&self) -> PlayerId {
        self.you.expect("in a heat")
    }

    pub(crate) fn heat(&self) -> &Snapshot {
        self.heat.as_ref().expect("in a heat")
    }

    pub(crate) fn board(&self) -> &Board {
        self.board.as_ref().expect("a heat that runs")
    }

    pub(crate) fn member(&self, id: PlayerId) -> Option<&Member> {
        self.heat().roster.members.iter().find(|member| member.id == id)
    }

    /// Numbers and names of everybody.
    pub(crate) fn names(&self) -> Vec<(PlayerId, String)> {
        let members = &self.heat().roster.members;
        members.iter().map(|member| (member.id, member.name.to_string())).collect()
    }

    pub(crate) fn row(&self, id: PlayerId) -> Option<&Standing> {
        self.heat().standings.as_ref()?.rows.iter().find(|row| row.player == id)
    }

    pub(crate) fn result(&self) -> &HeatResult {
        match &self.heat().phase {
            Phase::Over(result) => result,
            phase @ (Phase::Lobby
            | Phase::Drawing
            | Phase::Countdown { .. }
            | Phase::Running { .. }) => {
                panic!("not over: {phase:?}")
            }
        }
    }

    pub(crate) fn refusals(&self) -> Vec<Refusal> {
        pick!(self, ServerMessage::Refused(why) => *why)
    }

    pub(crate) fn rejections(&self) -> Vec<(Seq, Rejection)> {
        pick!(self, ServerMessage::Rejected { seq, why } => (*seq, *why))
    }

    pub(crate) fn farewell(&self) -> Option<Farewell> {
        pick!(self, ServerMessage::Goodbye(why) => *why).pop()
    }

    pub(crate) fn heats(&self) -> Vec<HeatSummary> {
        pick!(self, ServerMessage::Heats(heats) => heats.clone()).pop().unwrap_or_default()
    }

    pub(crate) fn last_pong(&self) -> Option<ClientInstant> {
        pick!(self, ServerMessage::Pong { sent, .. } => *sent).pop()
    }

    /// A reading that no ping has had yet.
    pub(crate) fn next_ping(&self) -> ClientInstant {
        ClientInstant(self.last_pong().map_or(1, |last| last.0 + 1))
    }

    /// Picks values out of the log; see [`pick!`].
    pub(crate) fn pick<'a, T>(&'a self, pick: impl Fn(&'a ServerMessage) -> Option<T>) -> Vec<T> {
        self.log.iter().filter_map(pick).collect()
    }

    fn enter(&mut self, you: PlayerId, heat: Snapshot) {
        // The token comes after the snapshot.
        self.key = None;
        self.you = Some(you);
        self.boards = heat.boards.iter().map(|shown| (shown.player, shown.board.clone())).collect();
        if let Some(seat) = &heat.seat {
            self.board = Some(seat.board.clone());
        }
        self.acknowledged = heat.seat.as_ref().map_or(Seq(0), |seat| seat.seq);
        self.sent.clear();
        self.heat = Some(heat);
    }

    fn pass_to(&mut self, phase: Phase) {
        if let Phase::Running { start, .. } = &phase {
            self.board = Some(start.clone());
            self.acknowledged = Seq(0);
            self.sent.clear();
            let members = &self.heat().roster.members;
            self.boards = members.iter().map(|member| (member.id, start.clone())).collect();
        }
        self.heat_mut().phase = phase;
    }

    fn rate(&mut self, number: u32, best: MoveBounds) {
        let Some(heat) = &mut self.heat else {
            return; // it was on its way as the client left
        };
        assert_eq!(number, heat.setup.number);
        match &mut heat.phase {
            Phase::Over(result) => result.best = Some(best),
            phase @ (Phase::Lobby
            | Phase::Drawing
            | Phase::Countdown { .. }
            | Phase::Running { .. }) => {
                panic!("a word about the board before the end: {phase:?}")
            }
        }
    }

    fn acknowledge(&mut self, seq: Seq) {
        // Cumulative: everything up to it is played, and what was before isn't played again.
        for (_, play) in self.sent.range((Bound::Excluded(self.acknowledged), Bound::Included(seq)))
        {
            self.board.as_mut().expect("a heat that runs").play(play).unwrap();
        }
        self.acknowledged = self.acknowledged.max(seq);
    }

    fn heat_mut(&mut self) -> &mut Snapshot {
        self.heat.as_mut().expect("in a heat")
    }
}

/// Shows the latest messages: what a test that waited in vain has to say.
impl std::fmt::Display for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let latest = self.log.len().saturating_sub(8);
        write!(f, "closed with {:?} after {} messages", self.closed, self.log.len())?;
        self.log[latest..].iter().try_for_each(|message| write!(f, "\n  {message:?}"))
    }
}
