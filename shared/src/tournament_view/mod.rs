//! A tournament as one follower knows it: the fold of the server's updates.
//!
//! Pure, like [`crate::heat_view`]. What follows from results is computed here from the public log,
//! by the rules that the server has, so that a follower needs no standings of the server's. A bot that
//! only races loads no pages at all.

mod command_text;
mod followed_log;

pub use command_text::{COMMANDS, CommandForm, CommandTextError, parse_command};
pub use followed_log::{EntrantSeat, FollowedLog, LoggedProfile};

use crate::heat::commitment::Commitment;
use crate::heat::identity::Fingerprint;
use crate::protocol::tournament::{
    AnnouncedLine, CommandQuestion, OwnEntry, PageOf, PageRows, TableCall, TableRow,
    TournamentError, TournamentHead, TournamentPage, TournamentPhase, TournamentRequest,
    TournamentSnapshot, TournamentUpdate,
};
use crate::tournament::ids::{ResultKey, RoundKey, TournamentName};
use crate::tournament::plan::Format;
use crate::tournament::settings::TournamentSettings;
use crate::util::time::{ClientInstant, ServerInstant};
use std::time::Duration;

/// The time between two requests for the tables of one round: each result changes them.
const TABLES_INTERVAL: Duration = Duration::from_secs(1);
/// Most pages that are asked for within [`PAGES_WINDOW`]: below what a server lets a client send.
const PAGES_PER_WINDOW: u8 = 12;
const PAGES_WINDOW: Duration = Duration::from_secs(1);
/// The time until a page that was refused is asked for again.
const RETRY_PAUSE: Duration = Duration::from_secs(1);

/// A tournament, and this client's own part in it.
#[derive(Debug, Clone)]
pub struct TournamentView {
    pub name: TournamentName,
    pub settings: TournamentSettings,
    /// The instant of the server's clock from which the tournament's times count.
    pub epoch: ServerInstant,
    /// The commitment to the secret that all draws and boards come from.
    pub commitment: Commitment,
    pub organiser: Fingerprint,
    pub head: TournamentHead,
    pub you: OwnEntry,
    /// The seat that waits for this client, or that it has.
    pub call: Option<TableCall>,
    pub log: FollowedLog,
    /// The tables of the latest round, as far as they were asked for.
    pub tables: Vec<TableRow>,
    /// Whether the tables are shown, so that they are loaded.
    pub wants_tables: bool,
    pages: Pages,
}

/// Which pages are asked for.
#[derive(Debug, Clone, Default)]
struct Pages {
    /// The page that was requested and hasn't come yet.
    asked: Option<PageOf>,
    /// Rows of tables that came, until all have.
    tables: Vec<TableRow>,
    /// The line of the log that the tables which came belong to.
    tables_at: Option<u32>,
    tables_asked_at: u32,
    /// Before that no tables are asked for.
    tables_due: ClientInstant,
    /// Before that nothing is asked for.
    due: ClientInstant,
    /// When the window began in which requests are counted, and how many there were.
    window: (ClientInstant, u8),
}

/// What an update changed in a [`TournamentView`].
#[must_use = "the change says what to react to"]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TournamentChange {
    /// Nothing: the update is out of place.
    None,
    /// Phase, round or instant of GO, or only counts.
    Head,
    /// What the client is in the tournament.
    You,
    /// Lines of the log came.
    Log,
    /// All tables of the round came.
    Tables,
    /// A seat waits for the client.
    Called(TableCall),
    Announced(AnnouncedLine),
    /// A result was corrected or taken back, for this reason.
    Corrected(ResultKey, String),
    /// A request was carried out.
    Done,
    Refused(TournamentError),
    /// A command would discard results, or end the tournament before its plan is raced.
    NeedsConfirmation(CommandQuestion),
}

impl TournamentView {
    /// Starts from the answer to `open` or `follow`.
    pub fn new(snapshot: TournamentSnapshot) -> Self {
        let TournamentSnapshot { name, plan, settings, epoch, commitment, organiser, head, you } =
            snapshot;
        Self {
            name,
            settings,
            epoch,
            commitment,
            organiser,
            head,
            you,
            call: None,
            log: FollowedLog::new(plan),
            tables: Vec::new(),
            wants_tables: false,
            pages: Pages::default(),
        }
    }

    /// Takes over the snapshot of another connection. The log that was loaded stays, as long as it
    /// is one of the same tournament.
    pub fn resume(&mut self, snapshot: TournamentSnapshot) {
        let is_same = snapshot.name == self.name
            && snapshot.commitment == self.commitment
            && snapshot.plan == *self.log.tournament().plan()
            && snapshot.head.log >= self.log.len();
        let mut resumed = Self::new(snapshot);
        resumed.wants_tables = self.wants_tables;
        if is_same {
            std::mem::swap(&mut resumed.log, &mut self.log);
            std::mem::swap(&mut resumed.tables, &mut self.tables);
        }
        *self = resumed;
    }

    /// Applies an update, and returns what it changed.
    pub fn apply(&mut self, now: ClientInstant, update: TournamentUpdate) -> TournamentChange {
        match update {
            TournamentUpdate::Head(head) => {
                if head.round != self.head.round {
                    self.tables.clear();
                }
                self.head = head;
                if self.head.phase == TournamentPhase::Over {
                    self.call = None;
                }
                TournamentChange::Head
            }
            TournamentUpdate::You(you) => {
                self.you = you;
                TournamentChange::You
            }
            TournamentUpdate::Page(page) => self.take_page(now, page),
            TournamentUpdate::Table(call) => {
                self.call = Some(call);
                TournamentChange::Called(call)
            }
            TournamentUpdate::Announcement(line) => TournamentChange::Announced(line),
            TournamentUpdate::Corrected { key, reason } => {
                TournamentChange::Corrected(key, reason.to_string())
            }
            TournamentUpdate::Done => TournamentChange::Done,
            TournamentUpdate::Refused(why) => self.refused(now, why),
            TournamentUpdate::NeedsConfirmation(question) => {
                TournamentChange::NeedsConfirmation(question)
            }
            TournamentUpdate::List(_)
            | TournamentUpdate::Snapshot(_)
            | TournamentUpdate::Past(_) => TournamentChange::None,
        }
    }

    /// Returns the request for a page that is wanted and due; one at a time.
    #[must_use = "the request must be sent"]
    pub fn next_request(&mut self, now: ClientInstant) -> Option<TournamentRequest> {
        if self.pages.asked.is_some() || now < self.pages.due {
            return None;
        }
        let (begun, count) = self.pages.window;
        let (begun, count) = if now < begun + PAGES_WINDOW { (begun, count) } else { (now, 0) };
        if count >= PAGES_PER_WINDOW {
            return None;
        }
        let request = self.wanted_page(now)?;
        self.pages.window = (begun, count + 1);
        Some(request)
    }

    fn wanted_page(&mut self, now: ClientInstant) -> Option<TournamentRequest> {
        if self.log.len() < self.head.log {
            let from = self.log.len();
            self.pages.asked = Some(PageOf::Log);
            return Some(TournamentRequest::Page { of: PageOf::Log, from });
        }
        let from = u32::try_from(self.pages.tables.len()).unwrap_or(u32::MAX);
        let is_old = self.pages.tables_at.is_none_or(|at| at < self.head.changed.tables);
        let is_wanted = self.wants_tables && self.head.round.is_some();
        if is_wanted && (from > 0 || (is_old && now >= self.pages.tables_due)) {
            if from == 0 {
                self.pages.tables_asked_at = self.head.changed.tables;
                self.pages.tables_due = now + TABLES_INTERVAL;
            }
            let of = PageOf::Tables { round: None };
            self.pages.asked = Some(of);
            return Some(TournamentRequest::Page { of, from });
        }
        None
    }

    /// Says whether all lines of the log are loaded that the server has told of.
    pub fn is_loaded(&self) -> bool {
        self.log.len() >= self.head.log
    }

    fn take_page(&mut self, now: ClientInstant, page: TournamentPage) -> TournamentChange {
        self.pages.asked = None;
        let TournamentPage { from, total, rows } = page;
        match rows {
            PageRows::Log(lines) => {
                if self.log.append(from, lines) {
                    return TournamentChange::Log;
                }
                // A page without what is missing is not asked for again at once.
                self.pages.due = now + RETRY_PAUSE;
                TournamentChange::None
            }
            PageRows::Tables(rows) => self.take_tables(from, total, rows),
            PageRows::Entrants(_)
            | PageRows::Standings(_)
            | PageRows::Teams(_)
            | PageRows::Bracket(_) => TournamentChange::None,
        }
    }

    fn take_tables(&mut self, from: u32, total: u32, rows: Vec<TableRow>) -> TournamentChange {
        let held = u32::try_from(self.pages.tables.len()).unwrap_or(u32::MAX);
        // The rounds of an arena go on at the same time.
        let is_arena = self.head.round.is_some_and(|round| {
            let stages = self.log.tournament().plan().stages();
            let stage = stages.get(usize::from(round.stage));
            stage.is_some_and(|stage| matches!(stage.format, Format::Arena { .. }))
        });
        let is_current = |round: Option<RoundKey>| {
            if is_arena { round <= self.head.round } else { round == self.head.round }
        };
        let is_stale = rows.iter().any(|row| !is_current(Some(row.round)));
        if from != held || is_stale {
            self.pages.tables.clear();
            return TournamentChange::None;
        }
        let is_last = rows.is_empty();
        self.pages.tables.extend(rows);
        if !is_last && self.pages.tables.len() < usize::try_from(total).unwrap_or(usize::MAX) {
            return TournamentChange::None;
        }
        self.tables = std::mem::take(&mut self.pages.tables);
        self.pages.tables_at = Some(self.pages.tables_asked_at);
        TournamentChange::Tables
    }

    fn refused(&mut self, now: ClientInstant, why: TournamentError) -> TournamentChange {
        let is_for_now = matches!(why, TournamentError::TooFast | TournamentError::Busy);
        if is_for_now && self.pages.asked.take().is_some() {
            self.pages.tables.clear();
            self.pages.due = now + RETRY_PAUSE;
            return TournamentChange::None;
        }
        TournamentChange::Refused(why)
    }
}

#[cfg(test)]
mod tests;
