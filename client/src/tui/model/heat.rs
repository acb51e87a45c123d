//! The heat on the screen: the client's view of it, and what the screen keeps beside that.

use crate::display::canvas::TilePicture;
use crate::display::graphics::tile_layer::BoardPicture;
use crate::display::own_image::OwnImage;
use crate::display::theme::Colors;
use crate::families::BoardInput;
use crate::practice::kept_races::KeptNote;
use crate::tui::model::feedback::Feedback;
use gridrace_shared::heat::commitment::Commitment;
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::heat::player_kind::PlayerKind;
use gridrace_shared::heat::standings::RaceState;
use gridrace_shared::heat_view::{EndedHeat, HeatChange, HeatPhase, HeatView, SpectatedBoards};
use gridrace_shared::protocol::client::Role;
use gridrace_shared::protocol::server::ServerMessage;
use gridrace_shared::protocol::snapshot::{HeatResult, OwnResult, Snapshot};
use gridrace_shared::puzzle::Board;
use gridrace_shared::puzzle::picture::Picture;
use gridrace_shared::solver::knowledge::GeneratedBoard;
use gridrace_shared::util::time::{ClientInstant, Millis};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

#[derive(Debug, Clone)]
pub struct HeatModel {
    /// The fold of the server's messages.
    pub view: HeatView,
    /// The state of the screen in the current phase; a new one in each phase.
    pub panel: Panel,
    pub picture: HeatPicture,
}

/// The picture on the tiles, in a heat that has one.
#[derive(Debug, Clone)]
pub struct HeatPicture {
    /// The last one that was drawn, and the commitment of its heat.
    drawn: Option<(Commitment, BoardPicture)>,
    /// What is shown instead of the picture that the commitment names.
    own: Option<OwnImage>,
    /// Whether tiles have their number in a corner, once the player has chosen.
    pub numbers: Option<bool>,
}

/// The state of the screen in one phase of a heat.
#[derive(Debug, Clone, Default)]
pub struct Panel {
    /// In the lobby: the index of the member under the cursor.
    pub chosen: usize,
    /// In a race: the input state between two moves.
    pub input: BoardInput,
    /// In a race that is over for this player: whether the others' boards are shown.
    pub views_others: bool,
    /// In a race: what is shown for a moment.
    pub feedback: Feedback,
    /// Watching: the page of boards that is shown, if they don't all fit; 0 first.
    pub page: usize,
    /// On the big screen: until when that page stands before the next one comes.
    pub page_until: Option<ClientInstant>,
    pub results: ResultsPage,
}

impl HeatModel {
    /// Enters a heat, where a picture on the tiles is the player's own image if there is one.
    pub fn new(you: PlayerId, snapshot: Snapshot, own: Option<OwnImage>) -> Self {
        Self::of(HeatView::new(you, snapshot), own)
    }

    pub fn of(view: HeatView, own: Option<OwnImage>) -> Self {
        let picture = HeatPicture { drawn: None, numbers: None, own };
        let mut heat = Self { panel: Panel::new(&view), view, picture };
        heat.draw_picture();
        heat
    }

    pub fn resume(&mut self, snapshot: Snapshot) {
        if self.view.image.is_some() && self.picture.own.is_none() {
            // It comes again, unless the host has taken it back.
            self.picture.drawn = None;
        }
        if !self.view.resume(snapshot) {
            self.panel = Panel::new(&self.view);
        }
        self.draw_picture();
        self.follow_board();
        self.keep_cursor();
    }

    pub fn apply(&mut self, now: ClientInstant, message: &ServerMessage) -> HeatChange {
        let change = self.view.apply(now, message);
        match change {
            HeatChange::Phase => {
                self.panel = Panel::new(&self.view);
                self.draw_picture();
            }
            HeatChange::Roster => self.keep_cursor(),
            HeatChange::Rejected(..) | HeatChange::Resynced => self.follow_board(),
            HeatChange::Hint => self.focus_hint(),
            HeatChange::Image => self.change_image(),
            HeatChange::None
            | HeatChange::Setup
            | HeatChange::BoardQueue
            | HeatChange::Standings
            | HeatChange::Boards
            | HeatChange::Closing
            | HeatChange::Announcement
            | HeatChange::HostInfo
            | HeatChange::Accepted
            | HeatChange::Rated
            | HeatChange::Recording(_) => {}
        }
        change
    }

    /// Returns the boards of others while they are watched.
    pub fn watching(&self) -> Option<&SpectatedBoards> {
        let is_shown = self.panel.views_others || !matches!(self.view.phase, HeatPhase::Racing(_));
        self.view.watched().filter(|_| is_shown)
    }

    /// Says whether no other person plays here, or waits for a seat.
    pub fn plays_alone(&self) -> bool {
        let others = self.view.roster.members.iter().filter(|member| member.id != self.view.you);
        let mut people = others.filter(|member| member.kind == PlayerKind::Human);
        self.view.is_player()
            && !people.any(|member| member.role == Role::Player || member.next_seat)
    }

    /// Says whether this member has no seat, and is promised none.
    pub fn only_watches(&self) -> bool {
        self.view.me().is_some_and(|me| me.role == Role::Spectator && !me.next_seat)
    }

    /// Says whether a player whose own race is over watches the others.
    pub fn views_others(&self) -> bool {
        matches!(self.view.phase, HeatPhase::Racing(_)) && self.watching().is_some()
    }

    /// Returns whether tiles have their number in a corner: as the player has chosen, or where pieces
    /// may look alike, which are those of any image, and of few colours.
    pub fn shows_numbers(&self, colors: Colors) -> bool {
        let is_image = self.picture.own.is_some() || self.view.image.is_some();
        self.picture.numbers.unwrap_or(is_image || colors < Colors::True)
    }

    /// Returns what the tiles show on a terminal with these colours, if the heat has a picture.
    pub fn tile_picture(&self, colors: Colors) -> Option<TilePicture<'_>> {
        let numbers = self.shows_numbers(colors);
        self.board_picture().map(|board| TilePicture { board, numbers })
    }

    /// Returns the picture of the heat on the screen, if it has one.
    pub fn board_picture(&self) -> Option<&BoardPicture> {
        let setup = self.view.raced_setup();
        let (commitment, board) = self.picture.drawn.as_ref()?;
        (setup.options.picture && *commitment == setup.commitment).then_some(board)
    }

    /// Draws the picture of a heat that has begun, or the image that is shown instead: some hundredths of a second, before GO.
    fn draw_picture(&mut self) {
        let setup = self.view.raced_setup();
        let is_due = setup.options.picture && !matches!(self.view.phase, HeatPhase::Lobby);
        if let Some(size) = setup.options.spec.picture_size()
            && is_due
            && self.board_picture().is_none()
        {
            let commitment = setup.commitment;
            let picture = match (&self.picture.own, &self.view.image) {
                (Some(own), _) => own.picture(size),
                (None, Some(image)) => image.picture(size),
                (None, None) => Picture::named(&commitment.to_string(), size),
            };
            let board = BoardPicture { picture: Arc::new(picture), size };
            self.picture.drawn = Some((commitment, board));
        }
    }

    /// Shows the room's image, or again the heats' pictures, unless the player has an image of their
    /// own.
    fn change_image(&mut self) {
        if self.picture.own.is_none() {
            self.picture.drawn = None;
            self.picture.numbers = None;
            self.draw_picture();
        }
    }

    fn follow_board(&mut self) {
        if let Some(race) = self.view.race() {
            self.panel.input.sync(race.play.board());
        }
    }

    fn focus_hint(&mut self) {
        if let Some(race) = self.view.race()
            && let Some(given) = race.hint()
        {
            self.panel.input.focus_hint(race.play.board(), &given.hint);
        }
    }

    fn keep_cursor(&mut self) {
        let last = self.view.roster.members.len().saturating_sub(1);
        self.panel.chosen = self.panel.chosen.min(last);
    }
}

impl Panel {
    fn new(view: &HeatView) -> Self {
        let mut panel = Self::default();
        if let HeatPhase::Racing(race) = &view.phase {
            panel.input = BoardInput::new(race.play.board());
        } else if let HeatPhase::Over(ended) = &view.phase {
            panel.results = ResultsPage::new(ended, view);
        }
        panel
    }
}

impl Deref for HeatModel {
    type Target = HeatView;

    fn deref(&self) -> &HeatView {
        &self.view
    }
}

impl DerefMut for HeatModel {
    fn deref_mut(&mut self) -> &mut HeatView {
        &mut self.view
    }
}

/// What is shown of a heat that is over.
#[derive(Debug, Clone, Default)]
pub struct ResultsPage {
    pub check: SeedCheck,
    /// Which part of the results is shown.
    pub part: ResultsPart,
    /// How the race compares to those before, once it is kept.
    pub kept: Option<KeptNote>,
    /// The first row shown, if they don't all fit.
    pub scroll: usize,
    /// The page of columns that is shown, if they don't all fit; 0 first.
    pub columns: usize,
    /// Until when arrows and Enter do nothing: they are still pressed for the race as it ends.
    pub board_keys_rest_until: ClientInstant,
    /// The board with its solution, for families that show one, once it is drawn.
    pub solution: Option<Board>,
    /// The name under which the server keeps the heat, once it said so.
    pub kept_as: Option<String>,
    /// One's fastest earlier finish of the puzzle on this server, as far back as it told.
    pub earlier_best: Option<Millis>,
    /// One's own finish time in this heat.
    own_time: Option<Millis>,
}

/// What of the results is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ResultsPart {
    #[default]
    Places,
    Solution,
    /// What the check of the seed rests on.
    Checks,
    /// The line to share, in full.
    Share,
}

/// Whether the revealed seed is what was promised.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SeedCheck {
    /// Seed and salt give the commitment that was published before the start.
    pub commitment: bool,
    /// The seed gives the board that was played. None while the board is being made.
    pub board: Option<bool>,
}

impl ResultsPage {
    /// Checks a result against what was promised and what was played. Whether the seed gives
    /// the board is known once [`ResultsPage::compare`] has it.
    pub fn new(ended: &EndedHeat, view: &HeatView) -> Self {
        let promised = view.raced_setup();
        let spec = &promised.options.spec;
        let check = SeedCheck {
            commitment: ended.result.reveal.proves(spec, promised.commitment),
            board: (!ended.start_matches).then_some(false),
        };
        let own = ended.result.standings.iter().find(|row| row.player == view.you);
        let own_time = own.and_then(|own| match own.state {
            RaceState::Finished { time } => Some(time),
            RaceState::Racing | RaceState::Dnf => None,
        });
        Self { check, own_time, ..Self::default() }
    }

    /// Takes one's own results that the server keeps, the latest first: the name of this heat, and
    /// the best before it.
    pub fn take_own_results(&mut self, view: &HeatView, results: &[OwnResult]) {
        let spec = view.raced_setup().options.spec;
        let of_room =
            |kept: &OwnResult| kept.heat.split('-').next() == Some(view.code.to_string().as_str());
        // A server that recorded this heat lists it first.
        let latest = results.split_first().filter(|(latest, _)| {
            of_room(latest) && latest.spec == spec && latest.time == self.own_time
        });
        let earlier = match latest {
            Some((latest, earlier)) => {
                self.kept_as = Some(latest.heat.clone());
                earlier
            }
            None => results,
        };
        let counts = |kept: &&OwnResult| kept.spec == spec && !kept.inhuman_speed;
        self.earlier_best = earlier.iter().filter(counts).filter_map(|kept| kept.time).min();
    }

    /// Says whether one's time beats all earlier ones that are known; there must be one.
    pub fn is_personal_best(&self) -> bool {
        let best = match self.kept {
            // Races that are kept here are of all servers.
            Some(note) if note.counts => note.best_before,
            Some(_) => None,
            None => self.earlier_best,
        };
        self.own_time.zip(best).is_some_and(|(time, earlier)| time < earlier)
    }

    /// Takes the board that the revealed seed gives.
    pub fn compare(&mut self, result: &HeatResult, drawn: &GeneratedBoard) {
        let is_raced = drawn.board == result.start;
        self.check.board.get_or_insert(is_raced);
        if is_raced {
            self.solution = drawn.solved();
        }
    }
}
