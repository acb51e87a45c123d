//! A heat as one of its members knows it.

use crate::tui::model::{Racing, Results, Watching};
use gridrace_shared::heat::ids::{PlayerId, RoomCode};
use gridrace_shared::heat::player_kind::PlayerKind;
use gridrace_shared::heat::standings::{Standing, Standings};
use gridrace_shared::protocol::client::Role;
use gridrace_shared::protocol::snapshot::{
    HeatResult, Member, Phase, PlayerBoard, Roster, Setup, Snapshot,
};
use gridrace_shared::puzzle::Board;
use gridrace_shared::util::time::{Millis, ServerInstant};
use std::collections::BTreeMap;

/// The most names that are remembered of those who left: several times the largest heat.
const MAX_NAMES: usize = 512;

/// A heat and one's own part in it.
#[derive(Debug, Clone)]
pub struct Heat {
    /// One's own number.
    pub you: PlayerId,
    /// The code by which others join.
    pub code: RoomCode,
    /// The instant of the server's clock from which the heat's times count.
    pub epoch: ServerInstant,
    /// Options and commitment.
    pub setup: Setup,
    /// Who is here.
    pub roster: Roster,
    /// What everybody is called, also those who left.
    pub names: BTreeMap<PlayerId, NameTag>,
    /// The latest standings, by place; none before GO.
    pub standings: Vec<Standing>,
    /// What was promised when the countdown started: what is said later doesn't count.
    pub promised: Option<Setup>,
    /// For how long the heat stood still because its server was away.
    pub outage: Millis,
    /// Whether its host was told that the server keeps it nowhere, and nothing else since.
    pub unrecorded: bool,
    /// Where the heat is, with what only that needs.
    pub stage: Stage,
}

/// What somebody is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameTag {
    /// The name; to be sanitised where it is shown.
    pub name: String,
    /// Whether a program plays.
    pub bot: bool,
}

/// Where a heat is.
#[derive(Debug, Clone)]
pub enum Stage {
    /// People come in.
    Lobby(Lobby),
    /// The board is being drawn.
    Drawing,
    /// The start is announced.
    Countdown {
        /// The instant of GO.
        go: Millis,
    },
    /// One races.
    Racing(Box<Racing>),
    /// Others race.
    Watching(Box<Watching>),
    /// It is over.
    Results(Box<Results>),
}

/// The lobby.
#[derive(Debug, Clone, Default)]
pub struct Lobby {
    /// Which member has the cursor.
    pub chosen: usize,
}

impl Heat {
    /// Comes into a heat.
    #[must_use]
    pub fn new(you: PlayerId, snapshot: Snapshot) -> Self {
        let Snapshot { code, epoch, setup, roster, phase, standings, boards, seat, outage } =
            snapshot;
        let mut heat = Self {
            you,
            code,
            epoch,
            setup,
            roster,
            names: BTreeMap::new(),
            standings: Vec::new(),
            promised: None,
            outage,
            unrecorded: false,
            stage: Stage::Lobby(Lobby::default()),
        };
        heat.learn_names();
        heat.enter(phase, boards);
        if let (Stage::Racing(racing), Some(seat)) = (&mut heat.stage, seat) {
            racing.come_back(seat);
        }
        if let Some(standings) = standings {
            heat.rank(standings);
        }
        heat
    }

    /// Comes back into the heat as it is by now. What only this program knows of it stays: what
    /// was promised, the moves that aren't answered, what the hand is at.
    pub fn come_back(&mut self, snapshot: Snapshot) {
        let Snapshot { code, epoch, setup, roster, phase, standings, boards, seat, outage } =
            snapshot;
        let same = self.setup.number == setup.number;
        if !same {
            self.open_lobby();
        }
        (self.code, self.epoch, self.setup) = (code, epoch, setup);
        self.set_roster(roster);
        match (&mut self.stage, phase) {
            (Stage::Racing(racing), Phase::Running { ends, .. }) if same => racing.ends = ends,
            (Stage::Results(results), Phase::Over(result)) if same => results.result = result,
            (_, phase) => self.enter(phase, boards),
        }
        self.outage = outage;
        self.unrecorded = false;
        if let (Stage::Racing(racing), Some(seat)) = (&mut self.stage, seat) {
            racing.resync(seat);
        }
        if let Some(standings) = standings {
            self.rank(standings);
        }
    }

    /// Goes over into another phase.
    pub fn enter(&mut self, phase: Phase, boards: Vec<PlayerBoard>) {
        if matches!(phase, Phase::Lobby | Phase::Drawing) {
            self.outage = Millis(0);
        }
        self.stage = match phase {
            Phase::Lobby => self.open_lobby(),
            Phase::Drawing => self.promise(Stage::Drawing),
            Phase::Countdown { go } => self.promise(Stage::Countdown { go }),
            Phase::Running { go, ends, start } => self.start(go, ends, start, boards),
            Phase::Over(result) => self.finish(result),
        };
    }

    /// Takes in who is here.
    pub fn set_roster(&mut self, roster: Roster) {
        self.roster = roster;
        // The next host is told.
        self.unrecorded &= self.is_host();
        self.learn_names();
        let last = self.roster.members.len().saturating_sub(1);
        if let Stage::Lobby(lobby) = &mut self.stage {
            lobby.chosen = lobby.chosen.min(last);
        }
    }

    /// Takes in the standings.
    pub fn rank(&mut self, standings: Standings) {
        self.standings = standings.rows;
    }

    /// Returns one's own line in the roster.
    #[must_use]
    pub fn me(&self) -> Option<&Member> {
        self.roster.members.iter().find(|member| member.id == self.you)
    }

    /// Says whether one may set options, start and kick.
    #[must_use]
    pub fn is_host(&self) -> bool {
        self.roster.host == Some(self.you)
    }

    /// Says whether one has a seat.
    #[must_use]
    pub fn is_player(&self) -> bool {
        self.me().is_some_and(|me| me.role == Role::Player)
    }

    /// Returns one's own line in the standings.
    #[must_use]
    pub fn my_standing(&self) -> Option<&Standing> {
        self.standings.iter().find(|standing| standing.player == self.you)
    }

    /// Returns what somebody is called.
    #[must_use]
    pub fn name(&self, player: PlayerId) -> NameTag {
        let unknown = || NameTag { name: player.to_string(), bot: false };
        self.names.get(&player).cloned().unwrap_or_else(unknown)
    }

    /// Returns the setup by which the heat is raced.
    #[must_use]
    pub fn raced_setup(&self) -> &Setup {
        self.promised.as_ref().unwrap_or(&self.setup)
    }

    fn open_lobby(&mut self) -> Stage {
        self.standings.clear();
        self.promised = None;
        self.names.clear();
        self.learn_names();
        Stage::Lobby(Lobby::default())
    }

    /// Goes on towards GO: what is promised by now counts.
    fn promise(&mut self, stage: Stage) -> Stage {
        self.promised.get_or_insert_with(|| self.setup.clone());
        stage
    }

    fn start(&mut self, go: Millis, ends: Millis, start: Board, known: Vec<PlayerBoard>) -> Stage {
        self.promised.get_or_insert_with(|| self.setup.clone());
        if self.is_player() {
            return Stage::Racing(Box::new(Racing::new(go, ends, start)));
        }
        let players = self.roster.members.iter().filter(|member| member.role == Role::Player);
        let players = players.map(|member| member.id);
        Stage::Watching(Box::new(Watching::new(go, ends, start, players, known)))
    }

    fn finish(&mut self, result: HeatResult) -> Stage {
        let played = match &self.stage {
            Stage::Racing(racing) => Some(&racing.start),
            Stage::Watching(watching) => Some(&watching.start),
            Stage::Lobby(_) | Stage::Drawing | Stage::Countdown { .. } | Stage::Results(_) => None,
        };
        let results = Results::new(result, self.raced_setup(), played);
        self.standings.clone_from(&results.result.standings);
        Stage::Results(Box::new(results))
    }

    fn learn_names(&mut self) {
        for member in &self.roster.members {
            if self.names.len() >= MAX_NAMES && !self.names.contains_key(&member.id) {
                continue;
            }
            let bot = match member.kind {
                PlayerKind::Human => false,
                PlayerKind::Bot | PlayerKind::HouseBot(_) => true,
            };
            self.names.insert(member.id, NameTag { name: member.name.to_string(), bot });
        }
    }
}
