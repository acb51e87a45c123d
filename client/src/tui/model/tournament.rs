//! A tournament on the screen: the client's view of it, and what the screen keeps beside that.

use crate::tui::model::form::{Field, Form};
use crate::tui::model::heat::HeatModel;
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::protocol::server::RecordingStatus;
use gridrace_shared::protocol::tournament::{
    CommandQuestion, SeatRow, TableRow, TournamentPhase, TournamentSnapshot, TournamentSummary,
};
use gridrace_shared::tournament::draw::DrawnTable;
use gridrace_shared::tournament::ids::{EntrantId, RoundKey};
use gridrace_shared::tournament::plan::Format;
use gridrace_shared::tournament_view::{COMMANDS, CommandForm, TournamentView};
use gridrace_shared::util::time::ClientInstant;
use std::borrow::Cow;

/// The longest command that is typed, in graphemes: the result of a table of eight.
const COMMAND_LIMIT: usize = 400;

#[derive(Debug, Clone)]
pub struct TournamentModel {
    /// The fold of the server's messages.
    pub view: TournamentView,
    /// Whether the server has let the client follow it on the present connection.
    pub is_current: bool,
    /// When the server is asked again to let the client follow it, if it refused that for now.
    pub follow_at: Option<ClientInstant>,
    /// How often in a row that was refused.
    pub follow_refusals: u32,
    pub part: TournamentPart,
    /// Whether that is what the phase suggests, and not the player's choice.
    pub part_is_default: bool,
    /// The first row in sight, or the row under the cursor where there is one; there may be fewer
    /// rows since: see [`TournamentModel::row_of`].
    pub row: usize,
    /// How many rounds before the latest the tables that are shown are.
    pub rounds_back: usize,
    /// The first column of the bracket in sight.
    pub column: usize,
    /// The room of the player's table, or of one that is watched, while this screen is shown.
    pub heat: Option<Box<HeatModel>>,
    /// Whether the player has chosen to see the table, or not to, until its next phase.
    pub wants_table: Option<bool>,
    /// Until when the results of a board stay on the screen.
    pub results_until: ClientInstant,
    /// When the seat is asked for again, if it was refused.
    pub rejoin_at: Option<ClientInstant>,
    /// Whether a call to the own table came while another room was being joined.
    pub missed_call: bool,
    /// What the server's disk does, as an organiser is told.
    pub recording: RecordingStatus,
    /// Whether an entry waits for its answer.
    pub enters: bool,
    /// The organiser's command that waits for its answer, and what the server says is lost by it.
    pub asked: Option<CommandQuestion>,
}

/// What is shown of a tournament.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TournamentPart {
    Standings,
    Bracket,
    Tables,
    Entrants,
    Log,
}

impl TournamentPart {
    pub const fn title(self) -> &'static str {
        match self {
            Self::Standings => "Standings",
            Self::Bracket => "Bracket",
            Self::Tables => "Tables",
            Self::Entrants => "Entrants",
            Self::Log => "Log",
        }
    }
}

/// Returns what matters most in a phase.
fn default_part(view: &TournamentView) -> TournamentPart {
    let is_before = matches!(
        view.head.phase,
        TournamentPhase::Entries | TournamentPhase::CheckIn | TournamentPhase::Waiting
    );
    match (is_before, view.you.organiser && view.you.entrant.is_none()) {
        (true, _) => TournamentPart::Entrants,
        (false, true) => TournamentPart::Tables,
        (false, false) => TournamentPart::Standings,
    }
}

impl TournamentModel {
    pub fn new(snapshot: TournamentSnapshot) -> Self {
        let view = TournamentView::new(snapshot);
        let part = default_part(&view);
        let mut tournament = Self {
            view,
            is_current: true,
            follow_at: None,
            follow_refusals: 0,
            part,
            part_is_default: true,
            row: 0,
            rounds_back: 0,
            column: 0,
            heat: None,
            wants_table: None,
            results_until: ClientInstant(0),
            rejoin_at: None,
            missed_call: false,
            recording: RecordingStatus::Recorded,
            enters: false,
            asked: None,
        };
        tournament.show(part);
        tournament
    }

    /// Returns whether the server still takes entries, as far as the log is loaded.
    pub fn takes_entries(&self) -> bool {
        let head = &self.view.head;
        if head.phase == TournamentPhase::Over {
            return false;
        }
        let Some((running, before)) = self.view.log.tournament().stages().split_last() else {
            return true;
        };
        let is_uncut = before.iter().all(|stage| stage.rounds().is_empty());
        head.late_entries && is_uncut && running.takes_late_entries()
    }

    /// Returns the parts that there are: a bracket only where the plan has one.
    pub fn parts(&self) -> Vec<TournamentPart> {
        let stages = self.view.log.tournament().plan().stages();
        let is_bracket = |format| matches!(format, Format::Knockout | Format::Double);
        let has_bracket = stages.iter().any(|stage| is_bracket(stage.format));
        let bracket = has_bracket.then_some(TournamentPart::Bracket);
        [TournamentPart::Standings]
            .into_iter()
            .chain(bracket)
            .chain([TournamentPart::Tables, TournamentPart::Entrants, TournamentPart::Log])
            .collect()
    }

    /// Shows the part that the phase suggests, unless the player has chosen one.
    pub fn follow_phase(&mut self) {
        let part = default_part(&self.view);
        if self.part_is_default && part != self.part {
            self.show(part);
        }
    }

    /// Shows a part that the player chooses.
    pub fn choose(&mut self, part: TournamentPart) {
        self.part_is_default = false;
        self.show(part);
    }

    /// Shows a part from its beginning; the log from its end, the bracket where the player is.
    fn show(&mut self, part: TournamentPart) {
        self.part = part;
        self.row = match part {
            TournamentPart::Log => usize::MAX,
            TournamentPart::Standings
            | TournamentPart::Bracket
            | TournamentPart::Tables
            | TournamentPart::Entrants => 0,
        };
        self.column = 0;
        self.rounds_back = 0;
        self.view.wants_tables = part == TournamentPart::Tables;
    }

    /// Returns the first row in sight, or the row under the cursor, of as many as there are now.
    pub fn row_of(&self, rows: usize) -> usize {
        self.row.min(rows.saturating_sub(1))
    }

    /// Returns the entrant under the cursor of the list.
    pub fn chosen_entrant(&self) -> Option<EntrantId> {
        let log = &self.view.log;
        let profile = log.profiles().nth(self.row_of(log.profiles().count()))?;
        (self.part == TournamentPart::Entrants).then_some(profile.entrant)
    }

    /// Returns the table under the cursor, unless those of an earlier round are shown.
    pub fn chosen_table(&self) -> Option<&TableRow> {
        let table = self.view.tables.get(self.row_of(self.view.tables.len()))?;
        let is_latest = self.part == TournamentPart::Tables && self.rounds_back == 0;
        is_latest.then_some(table)
    }

    /// Returns all rounds that were drawn, in order.
    pub fn rounds(&self) -> Vec<RoundKey> {
        let stages = (0u8..).zip(self.view.log.tournament().stages());
        let rounds = stages.flat_map(|(stage, state)| {
            (0u16..).zip(state.rounds()).map(move |(round, _)| RoundKey { stage, round })
        });
        rounds.collect()
    }

    /// Returns the round whose tables are shown, if one was drawn.
    pub fn shown_round(&self) -> Option<RoundKey> {
        self.rounds().iter().rev().nth(self.rounds_back).copied()
    }

    /// Goes to the tables of the round before or after.
    pub fn turn_rounds(&mut self, back: bool) {
        let most = self.rounds().len().saturating_sub(1);
        self.rounds_back = if back {
            (self.rounds_back + 1).min(most)
        } else {
            self.rounds_back.saturating_sub(1)
        };
        self.row = 0;
    }

    /// Returns the tables that are shown: of the latest round as the server sent them, of an earlier
    /// one as the log has them.
    pub fn tables(&self) -> Cow<'_, [TableRow]> {
        let earlier = self.shown_round().filter(|_| self.rounds_back > 0);
        let Some((round, (stage, state))) =
            earlier.and_then(|key| Some((key, self.view.log.round(key)?)))
        else {
            return Cow::Borrowed(&self.view.tables);
        };
        let boards = stage.stage().boards;
        let row = |table: &DrawnTable| {
            let outcomes = |entrant: EntrantId| {
                let result = |board| Some(state.result(table.number, board)?.outcome(entrant));
                SeatRow { entrant, outcomes: (0..boards).map(result).collect() }
            };
            TableRow {
                round,
                number: table.number,
                room: None,
                seats: table.seats.iter().copied().map(outcomes).collect(),
                walkover: table.seats.len() < 2,
                attempts: Vec::new(),
            }
        };
        Cow::Owned(state.draw.tables.iter().map(row).collect())
    }

    /// Returns the room that the client is in while this screen is shown.
    pub fn room(&self) -> Option<RoomCode> {
        self.heat.as_ref().map(|heat| heat.code)
    }
}

/// Which of a server's tournaments to look at. The list asks the server again by itself.
#[derive(Debug, Clone)]
pub struct ChooseTournament {
    pub tournaments: Vec<TournamentSummary>,
    pub chosen: usize,
    /// When the server is asked again.
    pub refresh: ClientInstant,
}

impl ChooseTournament {
    /// Takes in the latest list; the cursor stays at its tournament.
    pub fn update(&mut self, tournaments: Vec<TournamentSummary>) {
        let name = self.tournaments.get(self.chosen).map(|it| &it.name);
        let at = tournaments.iter().position(|it| Some(&it.name) == name);
        self.chosen = at.unwrap_or(self.chosen.min(tournaments.len().saturating_sub(1)));
        self.tournaments = tournaments;
    }
}

/// Returns the organiser's commands with their keys, in the order of [`COMMANDS`].
pub fn organiser_commands() -> impl Iterator<Item = (char, CommandForm)> {
    /// One letter for each command.
    const KEYS: [char; COMMANDS.len()] = [
        'i', 'b', 'a', 'p', 'u', 'g', 'r', 'v', 's', 't', 'y', 'o', 'c', 'w', 'e', 'x', 'd', 'l',
        'f', 'h', '+', '-', 'n', 'z',
    ];
    KEYS.into_iter().zip(COMMANDS)
}

/// Makes the form of a command's line, begun with what the cursor is on.
pub fn command_form(tournament: &TournamentModel, form: CommandForm) -> Form {
    let name = |entrant| tournament.view.log.name(entrant);
    let about = match (form.name, tournament.chosen_entrant(), tournament.chosen_table()) {
        (
            "check-in" | "withdraw" | "seat" | "unseat" | "disqualify" | "hand-over",
            Some(entrant),
            _,
        ) => name(entrant),
        ("replay" | "result", _, Some(table)) => {
            // Without a round the latest is meant; of an arena others go on as well.
            let is_latest = tournament.view.head.round == Some(table.round);
            let number = table.number + 1;
            if is_latest {
                format!("table {number}")
            } else {
                format!("round {} table {number}", table.round.round + 1)
            }
        }
        _ => String::new(),
    };
    let gap = if form.arguments.is_empty() { "" } else { " " };
    let text = format!("{}{gap}{about}", form.name);
    Form::prompt(Field::text("", form.arguments, &text, COMMAND_LIMIT))
}
