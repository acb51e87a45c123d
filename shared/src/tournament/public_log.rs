//! The public log: each command and each event of a tournament, with its time and its author.
//!
//! The standings follow from the lines of [`PublicEvent::Entry`] alone; [`fold`] applies them in
//! their order. The other lines say who the entrants are, commit to draws before they are made,
//! and record what followers were told.

use crate::heat::commitment::Commitment;
use crate::heat::identity::Fingerprint;
use crate::heat::player_kind::PlayerKind;
use crate::heat::player_name::PlayerName;
use crate::heat::short_text::Announcement;
use crate::tournament::draw_commitment::{DrawKey, TournamentSecret};
use crate::tournament::ids::EntrantId;
use crate::tournament::log::{LogEntry, Tournament};
use crate::tournament::plan::TournamentPlan;
use crate::util::time::TournamentInstant;
use serde::{Deserialize, Serialize};

/// One line of the public log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogLine {
    pub at: TournamentInstant,
    pub by: LogAuthor,
    pub event: PublicEvent,
}

/// The author of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogAuthor {
    /// The server by itself: draws, results of heats, withdrawals of absent entrants.
    Server,
    /// An entrant, an organiser or an operator.
    Key(Fingerprint),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PublicEvent {
    /// An entry of the log that the standings follow from. [`LogEntry::TakeBack`] counts these
    /// lines only. A result by the server is that of a heat; a result by a key is a correction.
    Entry {
        entry: LogEntry,
        reason: Option<Announcement>,
    },
    /// An entrant's profile; before the entrant's first [`LogEntry::Enter`].
    Entrant {
        entrant: EntrantId,
        name: PlayerName,
        key: Fingerprint,
        kind: PlayerKind,
    },
    /// Published before the draw.
    DrawCommitted {
        key: DrawKey,
        commitment: Commitment,
    },
    /// The secret of all draws and boards, after the end.
    SecretRevealed {
        secret: TournamentSecret,
    },
    CheckInOpened,
    Paused,
    Resumed,
    /// An organiser moved the next GO.
    GoMoved {
        to: TournamentInstant,
    },
    Announced {
        text: Announcement,
    },
    HelperAdded {
        key: Fingerprint,
    },
    HandedOver {
        to: Fingerprint,
    },
    /// The organiser ended the tournament before its plan was carried out.
    Ended {
        reason: Option<Announcement>,
    },
    CheckInClosed,
    /// The organiser began the tournament: the first round is drawn next.
    Begun,
    HelperRemoved {
        key: Fingerprint,
    },
    /// Whether players may enter after the first draw.
    LateEntries {
        open: bool,
    },
}

impl LogLine {
    /// Returns the entry that the standings follow from, if the line has one.
    pub const fn entry(&self) -> Option<&LogEntry> {
        if let PublicEvent::Entry { entry, .. } = &self.event { Some(entry) } else { None }
    }
}

/// Returns the tournament that follows from a public log.
pub fn fold(plan: TournamentPlan, lines: &[LogLine]) -> Tournament {
    Tournament::fold(plan, lines.iter().filter_map(LogLine::entry).cloned().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::ids::RoundKey;

    fn line(at: u64, event: PublicEvent) -> LogLine {
        LogLine { at: TournamentInstant(at), by: LogAuthor::Server, event }
    }

    #[test]
    fn the_standings_follow_from_the_entries_and_nothing_else() {
        let entry = |entry| PublicEvent::Entry { entry, reason: None };
        let entrant = EntrantId(3);
        let lines = [
            line(0, PublicEvent::CheckInOpened),
            line(1, entry(LogEntry::Enter { entrant, team: None })),
            line(2, PublicEvent::Paused),
            line(3, entry(LogEntry::CheckIn { entrant })),
            line(4, PublicEvent::Announced { text: "Pizza".parse().unwrap() }),
            // Counts entries, not lines.
            line(5, entry(LogEntry::TakeBack { entry: 1 })),
        ];
        let plan: TournamentPlan = "series:1".parse().unwrap();
        let tournament = fold(plan, &lines);
        assert_eq!(tournament.log().len(), 3);
        assert!(!tournament.is_present(entrant));
    }

    #[test]
    fn a_line_is_the_same_in_json_and_after_it() {
        let key = DrawKey { round: RoundKey { stage: 0, round: 2 }, attempt: 1 };
        let secret = TournamentSecret::from_entropy([7; 32]);
        let events = [
            PublicEvent::DrawCommitted { key, commitment: secret.commit_to_draw(key) },
            PublicEvent::SecretRevealed { secret },
            PublicEvent::GoMoved { to: TournamentInstant(9) },
        ];
        for event in events {
            let line = line(7, event);
            let json = serde_json::to_string(&line).unwrap();
            assert_eq!(serde_json::from_str::<LogLine>(&json).unwrap(), line);
        }
    }
}
