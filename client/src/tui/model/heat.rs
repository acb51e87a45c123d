//! The heat on the screen: the client's view of it, and what the screen keeps beside that.

use crate::families::face::Face;
use crate::families::text::Advice;
use crate::families::{self, BoardInput};
use crate::tui::model::ResultsPage;
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::heat_view::{Change, HeatView, OwnRace, SpectatedBoards, Stage as ViewStage};
use gridrace_shared::protocol::server::ServerMessage;
use gridrace_shared::protocol::snapshot::{HeatResult, Snapshot};
use gridrace_shared::util::time::{ClientInstant, HeatInstant};
use std::ops::{Deref, DerefMut};

/// A heat on the screen.
#[derive(Debug, Clone)]
pub struct Heat {
    /// The fold of the server's messages.
    pub view: HeatView,
    /// The state of the screen in the current phase; a new one in each phase.
    pub panel: Panel,
}

/// The state of the screen in one phase of a heat.
#[derive(Debug, Clone, Default)]
pub struct Panel {
    pub lobby: Lobby,
    /// In a race: the input state between two moves.
    pub input: BoardInput,
    /// Watching: the page of boards that is shown, if they don't all fit; 0 first.
    pub page: usize,
    pub results: ResultsPage,
}

#[derive(Debug, Clone, Default)]
pub struct Lobby {
    /// The index of the member under the cursor.
    pub chosen: usize,
}

/// The phase of a heat, with what the screen shows in it.
#[derive(Debug, Clone, Copy)]
pub enum Stage<'a> {
    Lobby(&'a Lobby),
    Drawing,
    Countdown {
        /// The instant of GO.
        go: HeatInstant,
    },
    Racing(Racing<'a>),
    Watching(Watching<'a>),
    Results(Results<'a>),
}

#[derive(Debug, Clone, Copy)]
pub struct Racing<'a> {
    pub race: &'a OwnRace,
    /// The input state between two moves.
    pub input: &'a BoardInput,
}

/// The player's own race, to play in.
#[derive(Debug)]
pub struct RacingMut<'a> {
    pub race: &'a mut OwnRace,
    /// The input state between two moves.
    pub input: &'a mut BoardInput,
}

#[derive(Debug, Clone, Copy)]
pub struct Watching<'a> {
    pub all: &'a SpectatedBoards,
    /// The page that is shown; 0 first.
    pub page: usize,
}

/// The end of a heat.
#[derive(Debug, Clone, Copy)]
pub struct Results<'a> {
    /// The result that the server announced.
    pub result: &'a HeatResult,
    pub page: &'a ResultsPage,
}

impl Heat {
    pub fn new(you: PlayerId, snapshot: Snapshot) -> Self {
        let view = HeatView::new(you, snapshot);
        Self { panel: Panel::new(&view), view }
    }

    /// Takes over the snapshot that a resumed connection brings.
    pub fn resume(&mut self, snapshot: Snapshot) {
        if !self.view.resume(snapshot) {
            self.panel = Panel::new(&self.view);
        }
        self.follow_board();
        self.keep_cursor();
    }

    /// Applies a message of the server.
    pub fn apply(&mut self, now: ClientInstant, message: &ServerMessage) -> Change {
        let change = self.view.apply(now, message);
        match change {
            Change::Phase => self.panel = Panel::new(&self.view),
            Change::Roster => self.keep_cursor(),
            Change::Rejected(..) | Change::Resynced => self.follow_board(),
            Change::Hint => self.focus_hint(),
            Change::None
            | Change::Setup
            | Change::Standings
            | Change::Boards
            | Change::Accepted
            | Change::Rated
            | Change::Recording => {}
        }
        change
    }

    /// Returns the phase, with what the screen shows in it.
    pub fn stage(&self) -> Stage<'_> {
        match &self.view.stage {
            ViewStage::Lobby => Stage::Lobby(&self.panel.lobby),
            ViewStage::Drawing => Stage::Drawing,
            ViewStage::Countdown { go } => Stage::Countdown { go: *go },
            ViewStage::Racing(race) => Stage::Racing(Racing { race, input: &self.panel.input }),
            ViewStage::Watching(all) => Stage::Watching(Watching { all, page: self.panel.page }),
            ViewStage::Over(ended) => {
                Stage::Results(Results { result: &ended.result, page: &self.panel.results })
            }
        }
    }

    /// Returns the player's own race while they race.
    pub fn racing(&self) -> Option<Racing<'_>> {
        if let Stage::Racing(racing) = self.stage() { Some(racing) } else { None }
    }

    /// Returns the player's own race while they race, to play in.
    #[must_use]
    pub fn racing_mut(&mut self) -> Option<RacingMut<'_>> {
        let input = &mut self.panel.input;
        self.view.race_mut().map(|race| RacingMut { race, input })
    }

    /// Returns the boards of others while they are watched.
    pub fn watching(&self) -> Option<Watching<'_>> {
        if let Stage::Watching(watching) = self.stage() { Some(watching) } else { None }
    }

    /// Returns the results once the heat is over.
    pub fn results(&self) -> Option<Results<'_>> {
        if let Stage::Results(results) = self.stage() { Some(results) } else { None }
    }

    fn follow_board(&mut self) {
        if let Some(RacingMut { race, input }) = self.racing_mut() {
            input.sync(race.play.board());
        }
    }

    fn focus_hint(&mut self) {
        if let Some(RacingMut { race, input }) = self.racing_mut()
            && let Some(given) = race.hint()
        {
            input.focus_hint(race.play.board(), &given.hint);
        }
    }

    fn keep_cursor(&mut self) {
        let last = self.view.roster.members.len().saturating_sub(1);
        self.panel.lobby.chosen = self.panel.lobby.chosen.min(last);
    }
}

impl<'a> Racing<'a> {
    /// Returns the hint in words, while it applies to the board.
    pub fn advice(self) -> Option<Advice> {
        let given = self.race.hint()?;
        families::advice(self.race.play.board(), &given.hint, given.distance_change)
    }

    /// Returns the face of the board, with the hint and what the input holds.
    pub fn face(self) -> Box<dyn Face + 'a> {
        let hint = self.race.hint().map(|given| &given.hint);
        self.input.face(self.race.play.board(), hint, self.race.is_on())
    }
}

impl Panel {
    fn new(view: &HeatView) -> Self {
        match &view.stage {
            ViewStage::Racing(race) => {
                Self { input: BoardInput::new(race.play.board()), ..Self::default() }
            }
            ViewStage::Over(ended) => {
                Self { results: ResultsPage::new(ended, view.raced_setup()), ..Self::default() }
            }
            ViewStage::Lobby
            | ViewStage::Drawing
            | ViewStage::Countdown { .. }
            | ViewStage::Watching(_) => Self::default(),
        }
    }
}

impl Deref for Heat {
    type Target = HeatView;

    fn deref(&self) -> &HeatView {
        &self.view
    }
}

impl DerefMut for Heat {
    fn deref_mut(&mut self) -> &mut HeatView {
        &mut self.view
    }
}

impl Deref for Racing<'_> {
    type Target = OwnRace;

    fn deref(&self) -> &OwnRace {
        self.race
    }
}

impl Deref for Watching<'_> {
    type Target = SpectatedBoards;

    fn deref(&self) -> &SpectatedBoards {
        self.all
    }
}

impl Deref for Results<'_> {
    type Target = ResultsPage;

    fn deref(&self) -> &ResultsPage {
        self.page
    }
}
