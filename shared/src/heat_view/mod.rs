//! A room as one of its members knows it: the fold of the server's messages.
//!
//! Pure: no clock, no socket, no screen. Each client keeps one [`HeatView`], starts it from the
//! snapshot in `joined`, and applies every later message to it. House bots use the part that
//! concerns their own race, [`OwnRace`].
//!
//! ```
//! use gridrace_shared::heat_view::{HeatChange, HeatView};
//! use gridrace_shared::protocol::server::ServerMessage;
//! use gridrace_shared::util::time::ClientInstant;
//!
//! /// Returns the number of players that have finished, whenever it may have changed.
//! fn finished(view: &mut HeatView, now: ClientInstant, message: &ServerMessage) -> Option<usize> {
//!     let changed = view.apply(now, message) == HeatChange::Standings;
//!     changed.then(|| view.standings.iter().filter(|row| row.progress == 1_000).count())
//! }
//! ```

mod optimistic;
mod own_race;
mod progress_history;
mod send_window;
mod spectated_boards;

pub use optimistic::{MAX_IN_FLIGHT, Optimistic};
pub use own_race::{HintState, OwnRace};
pub use progress_history::{PlayerProgress, ProgressHistory, SPLITS};
pub use send_window::{MAX_UNDER_WAY, SendWindow};
pub use spectated_boards::SpectatedBoards;

use crate::heat::ids::{PlayerId, RoomCode, Seq};
use crate::heat::pin::Pin;
use crate::heat::player_kind::PlayerKind;
use crate::heat::short_text::{Announcement, RoomName};
use crate::heat::standings::{Standing, Standings};
use crate::protocol::client::Role;
use crate::protocol::server::{RecordingStatus, Rejection, ServerMessage};
use crate::protocol::snapshot::{
    Ban, Closing, GivenHint, HeatResult, Member, Phase, PlayerBoard, Roster, Setup, Snapshot,
};
use crate::puzzle::picture::room_image::RoomImage;
use crate::puzzle::{Board, MoveBounds};
use crate::util::time::{ClientInstant, HeatInstant, Millis, ServerInstant};
use std::collections::BTreeMap;

/// The most names that are remembered, those of members who left included: several times the
/// largest room.
const MAX_NAMES: usize = 512;

/// A room, its current heat, and this client's own part in it.
#[derive(Debug, Clone)]
pub struct HeatView {
    pub you: PlayerId,
    pub code: RoomCode,
    pub room_name: Option<RoomName>,
    /// The instant of the server's clock from which the heat's times count.
    pub epoch: ServerInstant,
    pub setup: Setup,
    pub roster: Roster,
    /// The names of all members since the lobby opened, those who left included.
    pub names: BTreeMap<PlayerId, NameTag>,
    /// The latest standings, by place; empty before GO.
    pub standings: Vec<Standing>,
    /// The instant of the latest standings, on the heat's clock.
    pub standings_at: HeatInstant,
    /// How the standings of this heat came about.
    pub progress: ProgressHistory,
    /// The setup when the countdown started. Later changes don't count for this heat.
    pub promised: Option<Setup>,
    /// How long the heat stood still while its server was away.
    pub outage: Millis,
    /// What this client, as the host, was told of the recording.
    pub recording: RecordingStatus,
    /// Whether the running heat ends soon.
    pub closing: Option<Closing>,
    /// The latest line of a host's, and who said it.
    pub announcement: Option<(PlayerId, Announcement)>,
    /// The room's PIN, which those with the host's powers are told.
    pub pin: Option<Pin>,
    /// The keys that may not join, which those with the host's powers are told.
    pub banned: Vec<Ban>,
    /// The image of the host's that tiles show in heats with a picture.
    pub image: Option<RoomImage>,
    /// The heat's phase, with what only that phase needs.
    pub phase: HeatPhase,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameTag {
    /// The name; not yet safe to print.
    pub name: String,
    pub kind: PlayerKind,
}

/// The phase of a heat, as this client takes part in it.
#[derive(Debug, Clone)]
pub enum HeatPhase {
    Lobby,
    /// The server generates the board.
    Drawing {
        /// How many boards it generates before.
        ahead: u32,
    },
    Countdown {
        go: HeatInstant,
    },
    Racing(Box<OwnRace>),
    Watching(Box<SpectatedBoards>),
    Over(Box<EndedHeat>),
}

/// A heat that is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndedHeat {
    pub result: HeatResult,
    /// Whether the result's board is the one that this client saw at GO. True if it saw none.
    pub start_matches: bool,
}

/// A heat that is over, with what a report about it needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishedHeat {
    pub code: RoomCode,
    pub setup: Setup,
    pub names: BTreeMap<PlayerId, NameTag>,
    pub result: HeatResult,
}

/// What a message changed in a [`HeatView`].
#[must_use = "the change says what to react to"]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeatChange {
    /// Nothing: the message is about the connection, or out of place.
    None,
    Setup,
    Roster,
    /// The phase; [`HeatView::phase`] is a new one.
    Phase,
    /// How many boards are drawn before the heat's.
    BoardQueue,
    Standings,
    /// The players' boards, for one who watches.
    Boards,
    /// The server played moves of this client.
    Accepted,
    /// The server didn't play a move of this client, which is taken back with those behind it.
    /// If the server is too busy ([`Rejection::Busy`]), they stay and are sent again instead.
    Rejected(Seq, Rejection),
    /// The server said how far this client is; unanswered moves that don't follow are gone.
    Resynced,
    Hint,
    /// The solver's rating of the board came, after the heat's end.
    Rated,
    /// The server said how it records the heat.
    Recording(RecordingStatus),
    /// The heat ends soon, or no longer does.
    Closing,
    Announcement,
    /// The server said what only those with the host's powers know.
    HostInfo,
    /// The image on the tiles.
    Image,
}

impl HeatView {
    /// Starts from the snapshot in the answer to `open` or `join`.
    pub fn new(you: PlayerId, snapshot: Snapshot) -> Self {
        let (setup, roster) = (snapshot.setup.clone(), snapshot.roster.clone());
        let mut view = Self::empty(you, snapshot.code, snapshot.epoch, setup, roster);
        view.resume(snapshot);
        view
    }

    /// Returns the lobby of a room of which nothing else is known.
    pub fn empty(
        you: PlayerId,
        code: RoomCode,
        epoch: ServerInstant,
        setup: Setup,
        roster: Roster,
    ) -> Self {
        Self {
            you,
            code,
            room_name: None,
            epoch,
            setup,
            roster,
            names: BTreeMap::new(),
            standings: Vec::new(),
            standings_at: HeatInstant::default(),
            progress: ProgressHistory::default(),
            promised: None,
            outage: Millis(0),
            recording: RecordingStatus::Recorded,
            closing: None,
            announcement: None,
            pin: None,
            banned: Vec::new(),
            image: None,
            phase: HeatPhase::Lobby,
        }
    }

    /// Takes over the snapshot in the answer to `resume`. What only this client knows stays: the
    /// promised setup and the unanswered moves. Returns whether the phase goes on, or else is a
    /// new one.
    pub fn resume(&mut self, snapshot: Snapshot) -> bool {
        let Snapshot {
            code,
            name,
            epoch,
            setup,
            roster,
            phase,
            standings,
            boards,
            seat,
            outage,
            closing,
        } = snapshot;
        let same = self.setup.number == setup.number;
        if !same {
            self.phase = self.open_lobby();
        } else if matches!(self.phase, HeatPhase::Drawing { .. } | HeatPhase::Countdown { .. }) {
            // Meanwhile the start may have been cancelled, and other options set for the same heat.
            self.promised = None;
        }
        (self.code, self.room_name, self.epoch, self.setup) = (code, name, epoch, setup);
        // The server says them again, to those whom they concern.
        self.pin = None;
        self.banned.clear();
        self.image = None;
        self.set_roster(roster);
        let goes_on = match (&mut self.phase, phase) {
            (HeatPhase::Racing(race), Phase::Running { ends, .. }) if same => {
                race.ends = ends;
                race.watch(&boards);
                true
            }
            (HeatPhase::Over(ended), Phase::Over(result)) if same => {
                ended.result = result;
                true
            }
            (_, phase) => {
                self.enter(&phase, boards);
                false
            }
        };
        self.outage = outage;
        self.closing = closing;
        self.recording = RecordingStatus::Recorded;
        if let (HeatPhase::Racing(race), Some(seat)) = (&mut self.phase, seat) {
            race.resume(&seat);
        }
        self.take_standings(standings);
        goes_on
    }

    /// Applies a message that arrived at an instant.
    pub fn apply(&mut self, now: ClientInstant, message: &ServerMessage) -> HeatChange {
        match message {
            ServerMessage::Roster(roster) => {
                self.set_roster(roster.clone());
                HeatChange::Roster
            }
            ServerMessage::Setup(setup) => {
                self.setup = setup.clone();
                HeatChange::Setup
            }
            ServerMessage::Phase(phase) => {
                self.enter(phase, Vec::new());
                HeatChange::Phase
            }
            ServerMessage::Accepted { seq, at, moves } => {
                self.change_race(|race| race.accepted(*seq, *at, *moves), HeatChange::Accepted)
            }
            ServerMessage::Rejected { seq, why } => {
                let change = HeatChange::Rejected(*seq, *why);
                self.change_race(|race| race.rejected(now, *seq, *why), change)
            }
            ServerMessage::Resync(seat) => {
                self.change_race(|race| race.resync(seat), HeatChange::Resynced)
            }
            ServerMessage::Hint { after, hint, distance_change, taken, penalty } => {
                let (hint, distance_change) = (hint.clone(), *distance_change);
                let given = GivenHint { after: *after, hint, distance_change };
                self.change_race(|race| race.hinted(given, *taken, *penalty), HeatChange::Hint)
            }
            ServerMessage::Standings(standings) => self.rank(standings),
            ServerMessage::Moves(moves) => {
                let Some(boards) = self.watched_mut() else {
                    return HeatChange::None;
                };
                boards.play(moves);
                HeatChange::Boards
            }
            ServerMessage::Boards(known) => {
                match &mut self.phase {
                    HeatPhase::Watching(boards) => boards.replace(known),
                    HeatPhase::Racing(race) => race.watch(known),
                    HeatPhase::Lobby
                    | HeatPhase::Drawing { .. }
                    | HeatPhase::Countdown { .. }
                    | HeatPhase::Over(_) => return HeatChange::None,
                }
                HeatChange::Boards
            }
            ServerMessage::Closing(closing) => {
                self.closing = *closing;
                HeatChange::Closing
            }
            ServerMessage::Announcement { by, text } => {
                self.announcement = Some((*by, text.clone()));
                HeatChange::Announcement
            }
            ServerMessage::HostInfo { pin, banned } => {
                self.pin.clone_from(pin);
                self.banned.clone_from(banned);
                HeatChange::HostInfo
            }
            ServerMessage::Image(image) => {
                self.image.clone_from(image);
                HeatChange::Image
            }
            ServerMessage::Rated { number, best } => self.rate(*number, *best),
            ServerMessage::BoardQueue { ahead } => {
                let HeatPhase::Drawing { ahead: shown } = &mut self.phase else {
                    return HeatChange::None;
                };
                *shown = *ahead;
                HeatChange::BoardQueue
            }
            ServerMessage::Recording(state) => self.set_recording(*state),
            // The request that it answers may be one for a hint.
            ServerMessage::Refused(_) => self.change_race(OwnRace::hint_refused, HeatChange::None),
            ServerMessage::Welcome { .. }
            | ServerMessage::Pong { .. }
            | ServerMessage::Rooms(_)
            | ServerMessage::Joined { .. }
            | ServerMessage::Token { .. }
            | ServerMessage::Results(_)
            | ServerMessage::Tournament(_)
            | ServerMessage::Replay(_)
            | ServerMessage::Goodbye(_) => HeatChange::None,
        }
    }

    pub fn me(&self) -> Option<&Member> {
        self.roster.members.iter().find(|member| member.id == self.you)
    }

    pub fn is_host(&self) -> bool {
        self.roster.host == Some(self.you)
    }

    /// Says whether this client may set options, start and kick: the host's and operators' powers.
    pub fn has_host_powers(&self) -> bool {
        self.is_host() || self.me().is_some_and(|me| me.operator)
    }

    /// Returns the others' boards, if this client may see them.
    pub fn watched(&self) -> Option<&SpectatedBoards> {
        match &self.phase {
            HeatPhase::Watching(boards) => Some(boards),
            HeatPhase::Racing(race) => race.watched.as_ref(),
            HeatPhase::Lobby
            | HeatPhase::Drawing { .. }
            | HeatPhase::Countdown { .. }
            | HeatPhase::Over(_) => None,
        }
    }

    fn watched_mut(&mut self) -> Option<&mut SpectatedBoards> {
        match &mut self.phase {
            HeatPhase::Watching(boards) => Some(boards),
            HeatPhase::Racing(race) => race.watched.as_mut(),
            HeatPhase::Lobby
            | HeatPhase::Drawing { .. }
            | HeatPhase::Countdown { .. }
            | HeatPhase::Over(_) => None,
        }
    }

    pub fn is_player(&self) -> bool {
        self.me().is_some_and(|me| me.role == Role::Player)
    }

    pub fn my_standing(&self) -> Option<&Standing> {
        self.standings.iter().find(|standing| standing.player == self.you)
    }

    /// Says whether nothing can move a player to another place any more.
    pub fn is_place_final(&self, standing: &Standing) -> bool {
        let Some(go) = self.go() else {
            return true;
        };
        standing.is_place_final(&self.standings, self.standings_at.since(go))
    }

    /// Returns the name of a member; its number if the name isn't known.
    pub fn name(&self, player: PlayerId) -> NameTag {
        let unknown = || NameTag { name: player.to_string(), kind: PlayerKind::Human };
        self.names.get(&player).cloned().unwrap_or_else(unknown)
    }

    /// Returns the setup by which the heat is raced.
    pub fn raced_setup(&self) -> &Setup {
        self.promised.as_ref().unwrap_or(&self.setup)
    }

    pub fn race(&self) -> Option<&OwnRace> {
        if let HeatPhase::Racing(race) = &self.phase { Some(race) } else { None }
    }

    /// Returns this client's own race while it races, to play in.
    #[must_use]
    pub fn race_mut(&mut self) -> Option<&mut OwnRace> {
        if let HeatPhase::Racing(race) = &mut self.phase { Some(race) } else { None }
    }

    pub fn result(&self) -> Option<&HeatResult> {
        if let HeatPhase::Over(ended) = &self.phase { Some(&ended.result) } else { None }
    }

    /// Returns the heat for a report once it is over.
    pub fn finished(&self) -> Option<FinishedHeat> {
        Some(FinishedHeat {
            code: self.code,
            setup: self.raced_setup().clone(),
            names: self.names.clone(),
            result: self.result()?.clone(),
        })
    }

    fn enter(&mut self, phase: &Phase, boards: Vec<PlayerBoard>) {
        self.closing = None;
        if matches!(phase, Phase::Lobby | Phase::Drawing) {
            self.outage = Millis(0);
        }
        self.phase = match phase {
            Phase::Lobby => self.open_lobby(),
            Phase::Drawing => self.promise(HeatPhase::Drawing { ahead: 0 }),
            Phase::Countdown { go } => self.promise(HeatPhase::Countdown { go: *go }),
            Phase::Running { go, ends, start } => self.start(*go, *ends, start.clone(), boards),
            Phase::Over(result) => self.end(result.clone()),
        };
    }

    fn set_roster(&mut self, roster: Roster) {
        self.roster = roster;
        // The server tells the next host itself.
        if !self.is_host() {
            self.recording = RecordingStatus::Recorded;
        }
        if !self.has_host_powers() {
            self.pin = None;
            self.banned.clear();
        }
        self.remember_names();
    }

    /// Takes over the standings of a snapshot.
    fn take_standings(&mut self, standings: Option<Standings>) {
        let Some(standings) = standings else { return };
        if let Some(go) = self.go() {
            self.progress.record_after_gap(standings.at.since(go), &standings.rows);
        }
        (self.standings, self.standings_at) = (standings.rows, standings.at);
    }

    /// Returns the instant of GO while the heat is raced.
    fn go(&self) -> Option<HeatInstant> {
        match &self.phase {
            HeatPhase::Racing(race) => Some(race.go),
            HeatPhase::Watching(boards) => Some(boards.go),
            HeatPhase::Lobby
            | HeatPhase::Drawing { .. }
            | HeatPhase::Countdown { .. }
            | HeatPhase::Over(_) => None,
        }
    }

    fn rank(&mut self, standings: &Standings) -> HeatChange {
        // Once the heat is over, the result has the final standings.
        if !matches!(self.phase, HeatPhase::Over(_)) {
            for row in &standings.rows {
                match self.standings.iter_mut().find(|held| held.player == row.player) {
                    Some(held) => held.clone_from(row),
                    None => self.standings.push(row.clone()),
                }
            }
            self.standings.sort_by_key(|row| row.place);
            self.standings_at = standings.at;
            if let Some(go) = self.go() {
                self.progress.record(standings.at.since(go), &standings.rows);
            }
        }
        if let (Some(mine), HeatPhase::Racing(_)) = (self.my_standing().cloned(), &self.phase) {
            return self.change_race(|race| race.follow_standing(&mine), HeatChange::Standings);
        }
        HeatChange::Standings
    }

    fn rate(&mut self, number: u32, best: MoveBounds) -> HeatChange {
        let of_this_heat = self.raced_setup().number == number;
        if let HeatPhase::Over(ended) = &mut self.phase
            && of_this_heat
        {
            ended.result.best = Some(best);
            return HeatChange::Rated;
        }
        HeatChange::None
    }

    fn set_recording(&mut self, state: RecordingStatus) -> HeatChange {
        // Damage is over, and its room is recorded.
        if state != RecordingStatus::Damaged {
            self.recording = state;
        }
        HeatChange::Recording(state)
    }

    fn change_race(&mut self, apply: impl FnOnce(&mut OwnRace), change: HeatChange) -> HeatChange {
        let Some(race) = self.race_mut() else {
            return HeatChange::None;
        };
        apply(race);
        change
    }

    fn open_lobby(&mut self) -> HeatPhase {
        self.standings.clear();
        self.progress = ProgressHistory::default();
        self.promised = None;
        self.names.clear();
        self.remember_names();
        HeatPhase::Lobby
    }

    fn promise(&mut self, phase: HeatPhase) -> HeatPhase {
        self.promised.get_or_insert_with(|| self.setup.clone());
        phase
    }

    fn start(
        &mut self,
        go: HeatInstant,
        ends: HeatInstant,
        start: Board,
        known: Vec<PlayerBoard>,
    ) -> HeatPhase {
        self.promised.get_or_insert_with(|| self.setup.clone());
        if self.is_player() {
            let mut race = OwnRace::new(go, ends, start);
            race.watch(&known);
            return HeatPhase::Racing(Box::new(race));
        }
        let players = self.roster.members.iter().filter(|member| member.role == Role::Player);
        let players = players.map(|member| member.id);
        HeatPhase::Watching(Box::new(SpectatedBoards::new(go, ends, start, players, known)))
    }

    fn end(&mut self, result: HeatResult) -> HeatPhase {
        let start = match &self.phase {
            HeatPhase::Racing(race) => Some(&race.start),
            HeatPhase::Watching(boards) => Some(&boards.start),
            HeatPhase::Lobby
            | HeatPhase::Drawing { .. }
            | HeatPhase::Countdown { .. }
            | HeatPhase::Over(_) => None,
        };
        let start_matches = start.is_none_or(|start| *start == result.start);
        if let Some(go) = self.go() {
            self.progress.record(self.standings_at.since(go), &result.standings);
        }
        self.standings.clone_from(&result.standings);
        HeatPhase::Over(Box::new(EndedHeat { result, start_matches }))
    }

    fn remember_names(&mut self) {
        for member in &self.roster.members {
            if self.names.len() >= MAX_NAMES && !self.names.contains_key(&member.id) {
                continue;
            }
            let tag = NameTag { name: member.name.to_string(), kind: member.kind };
            self.names.insert(member.id, tag);
        }
    }
}

impl NameTag {
    pub const fn is_bot(&self) -> bool {
        match self.kind {
            PlayerKind::Human => false,
            PlayerKind::Bot | PlayerKind::HouseBot(_) => true,
        }
    }
}
