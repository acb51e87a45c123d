//! Writes down the player's own race while it is raced, as a replay with one player.
//!
//! The server keeps the replay of a heat for itself, so the client records what it knows: its own
//! moves with the instants that the server accepted them at. Times come from the server and don't
//! depend on the connection.

use crate::practice::kept_race::{EndedRace, RaceResult};
use gridrace_shared::heat::averages::Attempt;
use gridrace_shared::heat::ids::{PlayerId, RoomCode, Seq};
use gridrace_shared::heat::player_kind::PlayerKind;
use gridrace_shared::heat::standings::{RaceState, Standing};
use gridrace_shared::heat_view::{FinishedHeat, HeatView, OwnRace};
use gridrace_shared::protocol::server::ServerMessage;
use gridrace_shared::puzzle::{Move, MoveCount, PuzzleSpec};
use gridrace_shared::replay::{
    EventLogWriter, ExitReason, Outcome, Racer, RacerEvent, RecordKind, Replay, ReplayHeader,
    Simulation,
};
use gridrace_shared::util::time::{HeatInstant, Millis};

/// The name of the program that the replay states as its writer.
const WRITER: &str = concat!("gridrace ", env!("CARGO_PKG_VERSION"));

/// The record of one race in the making.
#[derive(Debug, Clone)]
pub struct RaceRecorder {
    you: PlayerId,
    room: RoomCode,
    heat: u32,
    puzzle: PuzzleSpec,
    go: HeatInstant,
    ends: HeatInstant,
    /// The number of the last move that is recorded.
    last: Seq,
    /// None once a move is missing: the program didn't see all of the race.
    events: Option<EventLogWriter>,
    /// When the player was out, since GO.
    out: Option<Millis>,
    /// Whether the player gave up, or asked to and has made no move since.
    gave_up: bool,
    /// The player's row as it was seen last, when, and among how many.
    row: Option<Standing>,
    seen: HeatInstant,
    of: usize,
    /// Whether the race goes on over another connection of the player's, which keeps it.
    superseded: bool,
}

impl RaceRecorder {
    /// Begins at GO, or later for a race that goes on, whose replay then isn't known.
    pub fn new(view: &HeatView, race: &OwnRace) -> Self {
        let name = view.me().map(|me| me.name.clone());
        let racers = name.map(|name| vec![Racer { id: view.you, name, kind: PlayerKind::Human }]);
        let untouched = race.play.last() == Seq(0);
        let events = racers
            .filter(|_| untouched)
            .and_then(|racers| EventLogWriter::new(race.start.clone(), racers).ok());
        let (go, ends, you) = (race.go, race.ends, view.you);
        let (room, setup) = (view.code, view.raced_setup());
        Self {
            you,
            room,
            heat: setup.number,
            puzzle: setup.options.spec,
            go,
            ends,
            last: Seq(0),
            events,
            out: None,
            gave_up: false,
            row: None,
            seen: go,
            of: 1,
            superseded: false,
        }
    }

    /// Says whether it records this heat of this room.
    pub fn is_of(&self, room: RoomCode, heat: u32) -> bool {
        (self.room, self.heat) == (room, heat)
    }

    /// Takes a message that the race is about to apply, at an instant of the heat's clock.
    pub fn observe(&mut self, race: &OwnRace, now: HeatInstant, message: &ServerMessage) {
        let now = now.since(self.go);
        if let ServerMessage::Accepted { seq, at, .. } = message {
            self.accepted(race, *seq, at.since(self.go));
        } else if let ServerMessage::Resync(seat) = message {
            self.accepted(race, seat.seq, now);
        } else if let ServerMessage::Hint { .. } = message {
            self.record(now, RacerEvent::Hint);
        } else if let ServerMessage::Standings(standings) = message {
            let mine = standings.rows.iter().find(|row| row.player == self.you);
            if mine.is_some_and(|mine| mine.state == RaceState::Dnf) {
                // Standings during a race show only who gave up; an end comes with its phase.
                self.out.get_or_insert(now);
                self.gave_up = true;
            }
        }
    }

    /// Notes that the player asks to give up. The heat may end before standings show it.
    pub const fn giving_up(&mut self) {
        self.gave_up = true;
    }

    /// Notes that another connection of the player's has taken up the seat.
    pub const fn supersede(&mut self) {
        self.superseded = true;
    }

    /// Records the moves up to a number, which the server has played by an instant since GO. The
    /// race still holds them as unanswered.
    pub fn accepted(&mut self, race: &OwnRace, seq: Seq, at: Millis) {
        let played: Vec<(Seq, Move)> = race
            .play
            .unanswered()
            .filter(|(played, _)| *played > self.last && *played <= seq)
            .map(|(played, play)| (played, play.clone()))
            .collect();
        for (played, play) in played {
            if played == self.last.next() {
                self.record(at, RacerEvent::Move(play));
                self.last = played;
                // The request to give up was lost with a connection.
                self.gave_up &= self.out.is_some();
            }
        }
        if self.last < seq {
            self.events = None;
        }
    }

    /// Notes how the player stands at an instant of the heat's clock. A row that is final stays.
    pub fn note_standing(&mut self, view: &HeatView, now: HeatInstant) {
        self.seen = now;
        self.of = view.standings.len();
        if self.row.as_ref().is_none_or(|row| row.state == RaceState::Racing) {
            self.row = view.my_standing().cloned();
        }
    }

    /// Returns the race as it is kept if it ends here, before its heat: the player leaves, or lost the
    /// seat. A race that wasn't finished is a DNF; None for one without a move. Its seed isn't known, so
    /// it has no replay.
    pub fn left(&self) -> Option<EndedRace> {
        let row = self.row.as_ref().filter(|_| !self.superseded)?;
        if row.state == RaceState::Racing && row.moves == MoveCount::default() {
            return None;
        }
        let result = RaceResult {
            puzzle: self.puzzle,
            seed: None,
            room: self.room,
            heat: self.heat,
            time: time(row),
            moves: row.moves,
            hints: row.hints,
            penalty: row.penalty,
            progress: row.progress,
            best: None,
            place: row.place,
            of: u16::try_from(self.of).unwrap_or(u16::MAX),
        };
        Some(EndedRace { result, replay: None, lasted: self.seen.since(self.go) })
    }

    /// Ends with the heat. None if the player has no row in the result.
    pub fn end(self, heat: &FinishedHeat, now: HeatInstant) -> Option<EndedRace> {
        let rows = &heat.result.standings;
        let mine = rows.iter().find(|row| row.player == self.you)?;
        let options = &heat.setup.options;
        let result = RaceResult {
            puzzle: options.spec,
            seed: Some(heat.result.reveal.seed.clone()),
            room: heat.code,
            heat: heat.setup.number,
            time: time(mine),
            moves: mine.moves,
            hints: mine.hints,
            penalty: mine.penalty,
            progress: mine.progress,
            best: heat.result.best,
            place: mine.place,
            of: u16::try_from(rows.len()).unwrap_or(u16::MAX),
        };
        let lasted = now.since(self.go);
        Some(EndedRace { replay: self.replay(heat, mine, lasted), result, lasted })
    }

    /// Makes the replay, unless it doesn't give the row that the server made of the race.
    fn replay(mut self, heat: &FinishedHeat, mine: &Standing, lasted: Millis) -> Option<Replay> {
        let limit = self.ends.since(self.go);
        let ended = match mine.state {
            RaceState::Finished { time } => time.since(mine.penalty),
            RaceState::Racing | RaceState::Dnf if lasted >= limit => limit,
            RaceState::Racing | RaceState::Dnf => {
                let out = self.out.unwrap_or(lasted);
                let reason = if self.gave_up { ExitReason::GaveUp } else { ExitReason::HeatEnded };
                self.record(out, RacerEvent::Out(reason));
                out
            }
        };
        let events = self.events?.finish();
        let mut simulation = Simulation::new(&events, &heat.setup.options);
        for (_, record) in events.records() {
            simulation.run(&record).ok()?;
        }
        simulation.end();
        let standings = simulation.standings();
        let simulated = standings.first()?;
        let of = |row: &Standing| (row.state, row.moves, row.hints, row.penalty, row.progress);
        if of(simulated) != of(mine) {
            return None;
        }
        let header = ReplayHeader {
            writer: WRITER.to_owned(),
            code: heat.code,
            number: heat.setup.number,
            began: None,
            options: heat.setup.options.clone(),
            origin: heat.setup.seed,
            commitment: heat.setup.commitment,
            secret: heat.result.reveal.clone(),
        };
        // What the others found is no part of a replay with one player.
        let best = heat.result.best.map(|best| best.with(&standings));
        Some(Replay { header, events, outcome: Outcome { ended, standings, best } })
    }

    fn record(&mut self, at: Millis, event: RacerEvent) {
        let kind = RecordKind::Racer { player: self.you, event };
        if let Some(events) = &mut self.events
            && events.record(at, &kind).is_err()
        {
            self.events = None;
        }
    }
}

/// Returns the finish time of a row; none for a DNF.
const fn time(row: &Standing) -> Attempt {
    match row.state {
        RaceState::Finished { time } => Some(time),
        RaceState::Racing | RaceState::Dnf => None,
    }
}
