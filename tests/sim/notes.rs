//! The messages of one client, as far as the checks need them.

use gridrace_shared::heat::ids::{PlayerId, RoomCode, Seq};
use gridrace_shared::protocol::client::ClientMessage;
use gridrace_shared::protocol::server::{Moved, RecordingStatus, ServerMessage};
use gridrace_shared::protocol::snapshot::{HeatResult, OwnSeat, Phase, Snapshot};
use gridrace_shared::protocol::tournament::TournamentUpdate;
use gridrace_shared::puzzle::{Board, Move};
use gridrace_shared::tournament::ids::{ResultKey, RoundKey};
use gridrace_shared::util::time::Millis;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

#[derive(Debug, Default)]
pub struct Notes {
    /// The client's number in the heat.
    pub you: Option<PlayerId>,
    /// The number of the current heat, as the client knows it.
    pub number: u32,
    /// How often the client joined or resumed.
    pub entered: u32,
    /// The room, and the board of a tournament that is raced there.
    code: Option<RoomCode>,
    board: Option<ResultKey>,
    /// The round of the tournament, as the client knows it, and whether a board of it is raced.
    round: Option<RoundKey>,
    pub races: bool,
    /// When the client saw boards of a tournament raced first.
    pub raced: BTreeMap<ResultKey, Duration>,
    /// What the client was told of boards of a tournament that are over.
    pub boards: BTreeMap<ResultKey, HeatResult>,
    /// Whether a requested hint is not answered yet.
    pub awaits_hint: bool,
    pub heats: BTreeMap<u32, Race>,
    /// The host, as the client knows it.
    host: Option<PlayerId>,
    /// What the client was told of the recording, as the host.
    recording: RecordingStatus,
    /// How often it was told that the disk is slow.
    pub told_slow: u64,
    /// When the client was told that heats are recorded, or not.
    pub told: Vec<(Duration, bool)>,
    /// Messages that contradict earlier ones.
    pub contradictions: Vec<String>,
    /// A hash of all messages and their instants.
    hash: DefaultHasher,
    /// The latest messages, to find the cause of a violation.
    pub recent: Vec<String>,
}

/// One heat as a client knows it.
#[derive(Debug, Default)]
pub struct Race {
    /// Moves that were sent, by number. A number may have several, if earlier ones were not played.
    pub sent: BTreeMap<Seq, Vec<Move>>,
    /// The board with all of them played, if the client saw the start.
    ahead: Option<Board>,
    /// All moves up to this one are acknowledged.
    pub acknowledged: Seq,
    /// The moves of each player that a spectator was shown.
    pub seen: BTreeMap<PlayerId, Vec<Move>>,
    /// How many hints were requested.
    pub asked: u16,
    /// How many hints were taken, by what the client was told.
    pub taken: u16,
    pub result: Option<HeatResult>,
    /// When the client received the result first.
    pub heard: Option<Duration>,
}

impl Notes {
    pub fn on_send(&mut self, message: &ClientMessage) {
        self.record(&format!("> {message:?}"));
        if let ClientMessage::Hint { .. } = message {
            self.awaits_hint = true;
            self.race().asked += 1;
        }
        if let ClientMessage::Move { seq, play } = message {
            let race = self.race();
            let is_next = race.sent.keys().next_back().copied().unwrap_or_default().next() == *seq;
            if let Some(board) = race.ahead.as_mut().filter(|_| is_next) {
                board.play(play).ok(); // the server rejects an illegal move
            }
            let versions = race.sent.entry(*seq).or_default();
            if versions.last() != Some(play) {
                versions.push(play.clone());
            }
        }
    }

    pub fn on_receive(&mut self, message: &ServerMessage) {
        self.record(&timeless(message));
        if let ServerMessage::Joined { you, room } = message {
            if self.code.replace(room.code).is_some_and(|before| before != room.code) {
                self.heats.clear();
            }
            self.board = room.setup.table.as_ref().map(|table| table.board);
            self.you = Some(*you);
            self.number = room.setup.number;
            self.entered += 1;
            self.awaits_hint = false;
            self.host = room.roster.host;
            self.recording = RecordingStatus::Recorded;
            if let Some(seat) = &room.seat {
                self.apply_seat(seat);
            }
            self.enter(&room.phase);
        } else if let ServerMessage::Setup(setup) = message {
            self.number = setup.number;
            self.board = setup.table.as_ref().map(|table| table.board);
        } else if let ServerMessage::Tournament(update) = message {
            self.follow(update);
        } else if let ServerMessage::Goodbye(_) = message {
            self.races = false;
        } else if let ServerMessage::Phase(phase) = message {
            self.enter(phase);
        } else if let ServerMessage::Accepted { seq, .. } = message {
            self.acknowledge(*seq);
        } else if let ServerMessage::Resync(seat) = message {
            self.apply_seat(seat);
        } else if let ServerMessage::Hint { taken, .. } = message {
            self.awaits_hint = false;
            self.charge(*taken);
        } else if let ServerMessage::Refused(_) = message {
            self.awaits_hint = false;
        } else if let ServerMessage::Roster(roster) = message {
            self.host = roster.host;
            if !self.is_host() {
                self.recording = RecordingStatus::Recorded;
            }
        } else if let ServerMessage::Recording(state) = message {
            self.set_recording(*state);
        } else if let ServerMessage::Moves(moves) = message {
            self.add_seen(moves);
        }
    }

    fn follow(&mut self, update: &TournamentUpdate) {
        if let TournamentUpdate::Snapshot(snapshot) = update {
            self.round = snapshot.head.round;
        } else if let TournamentUpdate::Head(head) = update {
            self.round = head.round;
        }
    }

    /// Returns the round of a tournament of which a board is raced.
    pub fn raced_round(&self) -> Option<RoundKey> {
        self.round.filter(|_| self.races)
    }

    /// Returns a hash of all messages.
    pub fn fingerprint(&self) -> u64 {
        self.hash.finish()
    }

    /// Says whether the client has sent what solves the board.
    pub fn has_sent_all(&self) -> bool {
        let race = self.heats.get(&self.number);
        race.is_some_and(|race| race.ahead.as_ref().is_some_and(Board::is_solved))
    }

    /// Applies how heats are recorded: only hosts are told, and only of changes.
    fn set_recording(&mut self, state: RecordingStatus) {
        let at = turmoil::sim_elapsed().unwrap_or_default();
        match (self.recording, state) {
            (_, RecordingStatus::Unrecorded) => self.told.push((at, false)),
            (RecordingStatus::Unrecorded, RecordingStatus::Recorded) => self.told.push((at, true)),
            (_, RecordingStatus::Slow) => self.told_slow += 1,
            (_, RecordingStatus::Recorded) => {}
            (_, RecordingStatus::Damaged) => {
                self.contradictions.push("told of damage that there is not".to_owned());
            }
        }
        if !self.is_host() {
            self.contradictions.push(format!("who isn't the host was told: {state:?}"));
        }
        if self.recording == state {
            self.contradictions.push(format!("told once more: {state:?}"));
        }
        self.recording = state;
    }

    fn is_host(&self) -> bool {
        self.host.is_some() && self.host == self.you
    }

    fn race(&mut self) -> &mut Race {
        self.heats.entry(self.number).or_default()
    }

    fn acknowledge(&mut self, seq: Seq) {
        let race = self.race();
        // A seat in a snapshot acknowledges moves as well, and nothing takes that back.
        if seq < race.acknowledged {
            let before = race.acknowledged;
            self.contradictions
                .push(format!("move {before} was acknowledged, and then only {seq}"));
        } else {
            race.acknowledged = seq;
        }
    }

    fn apply_seat(&mut self, seat: &OwnSeat) {
        self.acknowledge(seat.seq);
        self.charge(seat.hints);
        self.awaits_hint = seat.hint_pending;
    }

    fn charge(&mut self, taken: u16) {
        let race = self.race();
        if taken < race.taken {
            let before = race.taken;
            self.contradictions.push(format!("{before} hints were taken, and then only {taken}"));
        } else {
            race.taken = taken;
        }
    }

    fn add_seen(&mut self, moves: &[Moved]) {
        for Moved { player, play, .. } in moves {
            let seen = &mut self.race().seen;
            seen.entry(*player).or_default().push(play.clone());
        }
    }

    fn enter(&mut self, phase: &Phase) {
        self.races = matches!(phase, Phase::Running { .. });
        if let (true, Some(board)) = (self.races, self.board) {
            let now = turmoil::sim_elapsed().unwrap_or_default();
            self.raced.entry(board).or_insert(now);
        }
        if let Phase::Running { start, .. } = phase {
            let race = self.race();
            race.ahead.get_or_insert_with(|| start.clone());
        }
        let Phase::Over(result) = phase else { return };
        self.boards.extend(self.board.map(|board| (board, result.clone())));
        let number = self.number;
        let race = self.race();
        let told = race.result.replace(result.clone());
        race.heard.get_or_insert_with(|| turmoil::sim_elapsed().unwrap_or_default());
        if let Some(told) = told
            && let Some(difference) = difference(&told, result)
        {
            self.contradictions.push(format!("heat {number} ended twice: {difference}"));
        }
    }

    fn record(&mut self, line: &str) {
        let at = turmoil::sim_elapsed().unwrap_or_default();
        (at, line).hash(&mut self.hash);
        if self.recent.len() >= 400 {
            self.recent.drain(..200);
        }
        self.recent.push(format!("{:.3} {line}", at.as_secs_f64()));
    }
}

/// Formats a message without the only field that depends on the calendar: how long the server was
/// away.
fn timeless(message: &ServerMessage) -> String {
    if let ServerMessage::Joined { you, room } = message {
        let outage = Millis(0);
        let room = Box::new(Snapshot { outage, ..Snapshot::clone(room) });
        let you = *you;
        return format!("< {:?}", ServerMessage::Joined { you, room });
    }
    format!("< {message:?}")
}

/// Returns how two results of a heat differ. The rating may come later, and connections may
/// change.
pub fn difference(one: &HeatResult, other: &HeatResult) -> Option<String> {
    let plain = |result: &HeatResult| {
        let mut result = result.clone();
        result.best = None;
        for row in &mut result.standings {
            row.connected = false;
        }
        result
    };
    let (one, other) = (plain(one), plain(other));
    (one != other).then(|| format!("{one:?}\nand\n{other:?}"))
}
