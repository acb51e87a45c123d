//! Messages about tournaments, of clients and of the server.
//!
//! A connection follows one tournament at a time, and may be in a room besides. Requests after
//! [`TournamentRequest::Follow`] concern that tournament; [`TournamentUpdate::Head`] says the latest and
//! may be skipped, all other updates come in order. Whatever is long comes in pages that a client
//! asks for.

use crate::heat::commitment::Commitment;
use crate::heat::identity::Fingerprint;
use crate::heat::ids::RoomCode;
use crate::heat::pin::Pin;
use crate::heat::player_kind::PlayerKind;
use crate::heat::player_name::{NameError, PlayerName};
use crate::heat::short_text::{Announcement, ShortTextError};
use crate::tournament::ids::{EntrantId, RecordName, ResultKey, RoundKey, TeamTag, TournamentName};
use crate::tournament::log::{LogEntryError, Presence};
use crate::tournament::plan::TournamentPlan;
use crate::tournament::public_log::LogLine;
use crate::tournament::rank::Ranked;
use crate::tournament::result::{BoardOutcome, BoardResult};
use crate::tournament::settings::{SettingsError, TournamentSettings, TournamentTitle};
use crate::tournament::teams::RankedTeam;
use crate::util::bounded_vec;
use crate::util::time::{ServerInstant, TournamentInstant, UnixMillis};
use serde::{Deserialize, Serialize};

/// Most entrants that one command puts in the order of seeds.
pub const MAX_SEEDED: usize = 256;
/// Latest GO that an organiser may set, in seconds from now: a day.
pub const MAX_GO_DELAY_SECONDS: u32 = 86_400;
/// Most results that [`TournamentUpdate::NeedsConfirmation`] names.
pub const MAX_NAMED_DISCARDS: usize = 8;
/// Most champions that [`TournamentOutcome`] names: what fits a line.
pub const MAX_NAMED_CHAMPIONS: usize = 4;

/// A request about tournaments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TournamentRequest {
    /// Asks for the tournaments that aren't private.
    List,
    /// Opens a tournament and follows it; the client's key is its organiser's.
    Open {
        name: TournamentName,
        plan: TournamentPlan,
        settings: TournamentSettings,
        /// The PIN that everybody else needs to follow it, if it is to have one.
        pin: Option<Pin>,
    },
    /// Follows a tournament, instead of the one before. Entrants and organisers need no PIN.
    Follow {
        name: TournamentName,
        pin: Option<Pin>,
    },
    Unfollow,
    /// Enters as a player; needs a proven key.
    Enter {
        /// A name, checked by the server as [`PlayerName`] says.
        name: String,
        bot: bool,
        team: Option<TeamTag>,
    },
    /// Says that one is there; takes a withdrawal back.
    CheckIn,
    /// Withdraws; a check-in takes it back.
    Withdraw,
    /// Asks for a part of what is too long for one message.
    Page {
        of: PageOf,
        /// The first row, from 0.
        from: u32,
    },
    /// A command of the organiser's. Without `confirmed`, one that would discard results, or end the
    /// tournament before its plan is raced, is answered by [`TournamentUpdate::NeedsConfirmation`] and changes nothing.
    Command {
        command: TournamentCommand,
        confirmed: bool,
    },
    /// Asks for tournaments that are closed and aren't private, those that ended last first.
    Past {
        /// Where the answer before ended; none for the latest.
        before: Option<PastCursor>,
    },
}

/// What an organiser, a helper or an operator of the server may do. Each stands in the log, with its
/// reason if it has one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TournamentCommand {
    OpenCheckIn,
    CloseCheckIn,
    /// Draws the first round.
    Begin,
    /// Starts no further board until [`TournamentCommand::Resume`]; boards that run go on.
    Pause,
    Resume,
    /// Sets the next GO to this number of seconds from now, at most [`MAX_GO_DELAY_SECONDS`].
    MoveGo {
        seconds: u32,
    },
    /// Has boards raced again: of one table or all, one board or all.
    Replay {
        round: RoundKey,
        table: Option<u16>,
        board: Option<u8>,
        reason: Option<String>,
    },
    /// Makes a board of a round void: it doesn't count.
    Void {
        round: RoundKey,
        board: u8,
        reason: Option<String>,
    },
    /// Sets or corrects a result; all see the reason.
    SetResult {
        key: ResultKey,
        result: BoardResult,
        reason: String,
    },
    /// Takes an entry of the log back: the number counts those that change the fold, from 0.
    TakeBack {
        entry: u32,
        reason: String,
    },
    /// Draws the latest round again, with another seed.
    Redraw {
        reason: Option<String>,
    },
    /// Puts these first in the order of seeds; before the first draw.
    Seed {
        #[serde(deserialize_with = "bounded_vec::read::<_, _, MAX_SEEDED>")]
        order: Vec<EntrantId>,
    },
    /// Says for an entrant that it is there.
    CheckIn {
        entrant: EntrantId,
    },
    /// Withdraws an entrant, who is drawn no more until a check-in.
    Withdraw {
        entrant: EntrantId,
        reason: Option<String>,
    },
    /// Gives an entrant of the stage a seat at a table of the latest round.
    Seat {
        table: u16,
        entrant: EntrantId,
        reason: Option<String>,
    },
    /// Takes an entrant's seat in the latest round away.
    Unseat {
        entrant: EntrantId,
        reason: Option<String>,
    },
    Disqualify {
        entrant: EntrantId,
        reason: String,
    },
    /// Lets players enter late, or no more.
    LateEntries {
        open: bool,
    },
    /// Says a line to all who follow.
    Announce {
        /// Checked by the server as [`Announcement`] says.
        text: String,
    },
    /// Makes another key the organiser's; the organiser's and operators' alone.
    HandOver {
        to: Fingerprint,
    },
    /// Gives a key the organiser's powers, but for the last four commands; the organiser's and
    /// operators' alone.
    AddHelper {
        key: Fingerprint,
    },
    RemoveHelper {
        key: Fingerprint,
    },
    /// Draws no further round of the stage that runs.
    EndStage,
    /// Closes the tournament with the standings as they are; the organiser's and operators' alone.
    End {
        reason: Option<String>,
    },
}

/// What comes in pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PageOf {
    Entrants,
    Standings,
    Teams,
    /// The tables of a round; without one, of the latest.
    Tables {
        round: Option<RoundKey>,
    },
    /// The matches of the latest bracket.
    Bracket,
    Log,
}

/// A message of the server about a tournament.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TournamentUpdate {
    /// The answer to `list`: those that run first, 64 at most.
    List(Vec<TournamentSummary>),
    /// The answer to `open` and `follow`.
    Snapshot(Box<TournamentSnapshot>),
    /// What all who follow see changed.
    Head(TournamentHead),
    /// What concerns this client alone changed.
    You(OwnEntry),
    /// The answer to `page`.
    Page(TournamentPage),
    /// To an entrant who has a seat: join this room as a player.
    Table(TableCall),
    Announcement(AnnouncedLine),
    /// A result was corrected or taken back.
    Corrected {
        key: ResultKey,
        reason: Announcement,
    },
    /// The request was carried out, and has no other answer.
    Done,
    Refused(TournamentError),
    /// The command would discard results, or end the tournament before its plan is raced: send it again
    /// with `confirmed` to have that.
    NeedsConfirmation(CommandQuestion),
    /// The answer to `past`.
    Past(PastTournaments),
}

/// A command that waits to be confirmed, and what would be lost by it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandQuestion {
    pub command: TournamentCommand,
    /// The number of results that the command would leave without effect.
    pub discards: u32,
    /// How many boards of the round are still to be raced, of `end`.
    pub unraced: u32,
    /// The first of these results or boards, at most [`MAX_NAMED_DISCARDS`].
    pub first: Vec<ResultKey>,
}

/// A tournament in the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TournamentSummary {
    pub name: TournamentName,
    pub title: Option<TournamentTitle>,
    /// The notation of the plan.
    pub plan: String,
    pub phase: TournamentPhase,
    pub entrants: u16,
    pub max_entrants: u16,
    pub needs_pin: bool,
}

/// Tournaments that are closed, those that ended last first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PastTournaments {
    pub rows: Vec<PastTournament>,
    /// Where earlier ones follow; none if there are none.
    pub next: Option<PastCursor>,
}

/// A position among the past tournaments, which a client returns as it was told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PastCursor {
    pub ended: UnixMillis,
    /// Parts tournaments that ended in one millisecond.
    pub id: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PastTournament {
    /// Names its record, `/t/RECORD.grt`; without a number unless the name was used again.
    pub record: RecordName,
    pub title: Option<TournamentTitle>,
    /// The notation of the plan.
    pub plan: String,
    pub ended: UnixMillis,
    /// None if an earlier version of the server closed it, which stored none.
    pub outcome: Option<TournamentOutcome>,
    /// Whether it can be followed by its name still.
    pub followable: bool,
}

/// What a closed tournament came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TournamentOutcome {
    pub entrants: u16,
    /// At most [`MAX_NAMED_CHAMPIONS`]; none if it was closed before its plan was raced.
    pub champions: Vec<PlayerName>,
    /// How many champions there are besides.
    pub more_champions: u16,
}

/// How far a tournament is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TournamentPhase {
    /// Players enter.
    Entries,
    /// Players enter, and say that they are there.
    CheckIn,
    /// Before a draw that waits: for entrants of an arena, or for the organiser.
    Waiting,
    /// A round is drawn; its first board starts at `go`.
    Break,
    /// A board is raced.
    Racing,
    /// Between two boards of a round; the next starts at `go`.
    Pause,
    Over,
}

/// What all who follow a tournament know of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TournamentHead {
    pub phase: TournamentPhase,
    /// Whether the organiser has paused it: no board starts.
    pub paused: bool,
    /// The round that was drawn last.
    pub round: Option<RoundKey>,
    /// The board that is raced, or is next.
    pub board: u8,
    /// When the next board starts, or the running one started; none if a restarted server doesn't know.
    pub go: Option<TournamentInstant>,
    pub counts: TournamentCounts,
    /// The lines of the log, and at which of them the pages changed last.
    pub log: u32,
    pub changed: PageChanges,
    pub late_entries: bool,
    /// Whether nothing follows any more: until then a correction may open a tournament again that is
    /// over.
    pub closed: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TournamentCounts {
    pub entrants: u16,
    /// Those who would be drawn now.
    pub present: u16,
    /// The tables of the round that was drawn last.
    pub tables: u16,
    /// Those that have a result of the board that is raced.
    pub tables_done: u16,
}

/// The number of lines that the log had when a page changed last: one that a client has from before
/// is old.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PageChanges {
    pub entrants: u32,
    /// Of the standings, teams and bracket.
    pub standings: u32,
    pub tables: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TournamentSnapshot {
    pub name: TournamentName,
    pub plan: TournamentPlan,
    pub settings: TournamentSettings,
    /// When the tournament was opened, on the server's clock: from then its instants count.
    pub epoch: ServerInstant,
    /// The commitment to the secret that all draws and boards come from.
    pub commitment: Commitment,
    pub organiser: Fingerprint,
    pub head: TournamentHead,
    pub you: OwnEntry,
}

/// What a client is in a tournament.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct OwnEntry {
    pub entrant: Option<EntrantId>,
    pub presence: Option<Presence>,
    /// Whether the client may give commands.
    pub organiser: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnnouncedLine {
    pub at: TournamentInstant,
    pub text: Announcement,
}

/// A seat that waits for its entrant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableCall {
    pub code: RoomCode,
    pub round: RoundKey,
    pub table: u16,
    pub go: Option<TournamentInstant>,
}

/// Rows from `from` on, as many as fit a message; none beyond the last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TournamentPage {
    pub from: u32,
    /// How many rows there are in all.
    pub total: u32,
    pub rows: PageRows,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PageRows {
    Entrants(Vec<EntrantRow>),
    Standings(Vec<Ranked>),
    Teams(Vec<RankedTeam>),
    Tables(Vec<TableRow>),
    Bracket(Vec<MatchRow>),
    Log(Vec<LogLine>),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntrantRow {
    pub entrant: EntrantId,
    pub name: PlayerName,
    pub kind: PlayerKind,
    pub key: Fingerprint,
    pub team: Option<TeamTag>,
    pub presence: Presence,
    /// Whether the entrant would be drawn now.
    pub drawn_next: bool,
    /// Whether a connection with the entrant's key follows the tournament.
    pub connected: bool,
}

/// A table of a round, or a walkover.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableRow {
    pub round: RoundKey,
    pub number: u16,
    /// The room, while it is open.
    pub room: Option<RoomCode>,
    pub seats: Vec<SeatRow>,
    /// Whether no board is raced here, so that the entrant who is seated goes on.
    pub walkover: bool,
    /// The attempt of each board that counts.
    pub attempts: Vec<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeatRow {
    pub entrant: EntrantId,
    /// By board; none while it is open.
    pub outcomes: Vec<Option<BoardOutcome>>,
}

/// A match of a bracket; its number is that of its table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchRow {
    pub number: u16,
    /// From 1. The matches of a level are raced at once.
    pub level: u16,
    /// Where each side comes from.
    pub sources: [MatchSource; 2],
    pub sides: [Option<EntrantId>; 2],
    pub decided: bool,
    pub winner: Option<EntrantId>,
}

/// Where a side of a match comes from; numbers are those of matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MatchSource {
    /// The seed of this number, from 0; a bye if the field is smaller.
    Seed(u16),
    Winner(u16),
    Loser(u16),
    /// The side of this number of the final, if the reset is raced.
    Reset(u16),
}

/// The reason to refuse a request about a tournament.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum TournamentError {
    #[error("this server runs no tournaments")]
    NotOffered,
    #[error("there is no tournament of this name")]
    NoSuchTournament,
    #[error("another tournament has this name")]
    NameTaken,
    #[error("the server runs as many tournaments as it can")]
    TooManyTournaments,
    #[error("follow a tournament first")]
    NotFollowing,
    #[error("as many clients follow the tournament as may")]
    TooManyFollowers,
    #[error("identify yourself by your key first")]
    NeedsKey,
    #[error("only the tournament's organiser may do this")]
    NotOrganiser,
    #[error("this tournament needs a PIN")]
    NeedsPin,
    #[error("wrong PIN")]
    WrongPin,
    #[error("too many attempts: wait a moment")]
    TooFast,
    #[error("the server is busy: try again in a moment")]
    Busy,
    #[error(transparent)]
    Settings(SettingsError),
    #[error(transparent)]
    PlayerName(NameError),
    #[error("another entrant has this name, or one that looks like it")]
    PlayerNameTaken,
    #[error("you have entered already")]
    AlreadyEntered,
    #[error("enter the tournament first")]
    NotEntered,
    #[error("no entries are taken any more")]
    EntriesClosed,
    #[error("as many players have entered as may")]
    Full,
    #[error("this tournament allows no bots")]
    NoBots,
    #[error("check-in is not open")]
    CheckInClosed,
    #[error("the tournament has begun already")]
    HasBegun,
    #[error("{0}")]
    Text(ShortTextError),
    #[error("a GO is at most {MAX_GO_DELAY_SECONDS} seconds away")]
    GoDelay,
    /// The log doesn't take the entry.
    #[error(transparent)]
    Log(LogEntryError),
    #[error("the tournament has as many helpers as it may")]
    TooManyHelpers,
    #[error("the tournament is over")]
    Over,
    #[error("one key runs as many tournaments as it may: end one of yours first")]
    TooManyOfKey,
    #[error("the tournament has not begun yet")]
    NotBegun,
    #[error("check-in is open already")]
    CheckInOpen,
    #[error("the tournament is paused already")]
    Paused,
    #[error("the tournament is not paused")]
    NotPaused,
    #[error("no GO is ahead: a board is raced, or none is left")]
    NoGo,
    #[error("no round is drawn yet")]
    NoRound,
    #[error("late entries are taken already")]
    TakesLateEntries,
    #[error("late entries are not taken already")]
    TakesNoLateEntries,
    #[error("this key is the organiser's already")]
    IsOrganiser,
    #[error("this key may give commands already")]
    IsHelper,
    #[error("this key is no helper's")]
    NotHelper,
    #[error("an entry to the tournament isn't taken back: withdraw the player, or disqualify")]
    KeepsEntries,
    #[error("this server keeps no past tournaments: it was started without a data folder")]
    NoPastTournaments,
    #[error("the server can't read its past tournaments now: try again in a moment")]
    UnreadablePastTournaments,
}
