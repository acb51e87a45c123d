//! The TXT record of a server's mDNS service.
//!
//! | key | value |
//! |---|---|
//! | `v` | the version of the protocol |
//! | `room1`, `room2`, ... | a public room: code, puzzle and phase, with spaces between |
//! | `tournament1`, ... | a tournament that isn't private: name and phase |
//! | `tls` | the host name of the certificate, where the server speaks TLS; empty if it is unknown |
//!
//! Records come from any machine on the network, so reading one is bounded and believes nothing.

use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::protocol::VERSION;
use gridrace_shared::protocol::snapshot::{RoomPhase, RoomSummary};
use gridrace_shared::protocol::tournament::{TournamentPhase, TournamentSummary};
use gridrace_shared::puzzle::PuzzleSpec;
use gridrace_shared::tournament::ids::TournamentName;
use tracing::debug;

/// The type of the service: `_gridrace._tcp` (RFC 6763, section 7), in the domain of mDNS.
pub const SERVICE_TYPE: &str = "_gridrace._tcp.local.";
/// Rooms in a record at most: with the longest puzzles it stays below one Ethernet frame, as
/// RFC 6763 recommends in section 6.2.
pub const MAX_ROOMS: usize = 16;
/// Tournaments in a record at most.
pub const MAX_TOURNAMENTS: usize = 4;
/// Strings of a record that are read at most.
const MAX_STRINGS: usize = 64;

/// What a server announces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerRecord {
    /// The version of the protocol that the server speaks.
    pub version: u16,
    /// At most [`MAX_ROOMS`] public rooms without a PIN.
    pub rooms: Vec<AnnouncedRoom>,
    /// At most [`MAX_TOURNAMENTS`] without a PIN that are not over.
    pub tournaments: Vec<AnnouncedTournament>,
    /// The host name of the certificate, where the server speaks TLS.
    pub tls: Option<String>,
}

/// A room as a server announces it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnnouncedRoom {
    pub code: RoomCode,
    pub spec: PuzzleSpec,
    pub phase: RoomPhase,
}

/// A tournament as a server announces it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnnouncedTournament {
    pub name: TournamentName,
    pub phase: TournamentPhase,
}

impl ServerRecord {
    /// Makes the record of a server with these public rooms and tournaments: what can be joined comes
    /// first, and what needs a PIN is left out.
    pub fn new(
        rooms: &[RoomSummary],
        tournaments: &[TournamentSummary],
        tls: Option<String>,
    ) -> Self {
        let mut open: Vec<&RoomSummary> = rooms.iter().filter(|room| !room.needs_pin).collect();
        open.sort_by_key(|room| (!room.is_joinable(), room.code));
        let announced = |room: &RoomSummary| AnnouncedRoom {
            code: room.code,
            spec: room.spec,
            phase: room.phase,
        };
        let rooms = open.into_iter().take(MAX_ROOMS).map(announced).collect();
        let is_announced =
            |it: &&TournamentSummary| !it.needs_pin && it.phase != TournamentPhase::Over;
        let tournaments = tournaments.iter().filter(is_announced).take(MAX_TOURNAMENTS);
        let tournaments = tournaments
            .map(|it| AnnouncedTournament { name: it.name.clone(), phase: it.phase })
            .collect();
        Self { version: VERSION, rooms, tournaments, tls }
    }

    /// Returns the strings of the TXT record.
    pub fn properties(&self) -> Vec<(String, String)> {
        let mut properties = vec![("v".to_owned(), self.version.to_string())];
        for (number, room) in (1..).zip(&self.rooms) {
            let AnnouncedRoom { code, spec, phase } = room;
            let room = format!("{code} {spec} {}", phase_word(*phase));
            properties.push((format!("room{number}"), room));
        }
        for (number, tournament) in (1..).zip(&self.tournaments) {
            let AnnouncedTournament { name, phase } = tournament;
            let tournament = format!("{name} {}", tournament_phase_word(*phase));
            properties.push((format!("tournament{number}"), tournament));
        }
        properties.extend(self.tls.iter().map(|name| ("tls".to_owned(), name.clone())));
        properties
    }

    /// Reads the strings of a TXT record: keys without regard to case, each once. What can't be
    /// read is left out; `None` without a version.
    pub fn read<'a>(properties: impl Iterator<Item = (&'a str, Option<&'a [u8]>)>) -> Option<Self> {
        let (mut version, mut rooms, mut tournaments, mut tls) =
            (None, Vec::new(), Vec::new(), None);
        for (key, value) in properties.take(MAX_STRINGS) {
            let Some(value) = value.and_then(|value| std::str::from_utf8(value).ok()) else {
                debug!(key, "string of an mDNS record is no text; ignored");
                continue;
            };
            let key = key.to_ascii_lowercase();
            match key.as_str() {
                "v" => version = version.or_else(|| value.parse().ok()),
                "tls" => tls = tls.or_else(|| Some(value.to_owned())),
                key if key.starts_with("room") => match AnnouncedRoom::read(value) {
                    Some(room) if rooms.len() < MAX_ROOMS => rooms.push(room),
                    Some(_) | None => debug!(key, "room of an mDNS record ignored"),
                },
                key if key.starts_with("tournament") => match AnnouncedTournament::read(value) {
                    Some(it) if tournaments.len() < MAX_TOURNAMENTS => tournaments.push(it),
                    Some(_) | None => debug!(key, "tournament of an mDNS record ignored"),
                },
                key => debug!(key, "unknown string of an mDNS record"),
            }
        }
        rooms.sort_by_key(|room| room.code);
        rooms.dedup_by_key(|room| room.code);
        Some(Self { version: version?, rooms, tournaments, tls })
    }
}

impl AnnouncedRoom {
    fn read(text: &str) -> Option<Self> {
        let mut words = text.split(' ');
        let (code, spec, phase) = (words.next()?, words.next()?, words.next()?);
        let phase = PHASES.into_iter().find(|&known| phase_word(known) == phase)?;
        Some(Self { code: code.parse().ok()?, spec: spec.parse().ok()?, phase })
    }
}

impl AnnouncedTournament {
    fn read(text: &str) -> Option<Self> {
        let (name, phase) = text.split_once(' ')?;
        let mut phases = TOURNAMENT_PHASES.into_iter();
        let phase = phases.find(|&known| tournament_phase_word(known) == phase)?;
        Some(Self { name: name.parse().ok()?, phase })
    }
}

const TOURNAMENT_PHASES: [TournamentPhase; 7] = [
    TournamentPhase::Entries,
    TournamentPhase::CheckIn,
    TournamentPhase::Waiting,
    TournamentPhase::Break,
    TournamentPhase::Racing,
    TournamentPhase::Pause,
    TournamentPhase::Over,
];

const fn tournament_phase_word(phase: TournamentPhase) -> &'static str {
    match phase {
        TournamentPhase::Entries => "entries",
        TournamentPhase::CheckIn => "check-in",
        TournamentPhase::Waiting => "waiting",
        TournamentPhase::Break => "break",
        TournamentPhase::Racing => "racing",
        TournamentPhase::Pause => "pause",
        TournamentPhase::Over => "over",
    }
}

const PHASES: [RoomPhase; 3] = [RoomPhase::Lobby, RoomPhase::Racing, RoomPhase::Results];

const fn phase_word(phase: RoomPhase) -> &'static str {
    match phase {
        RoomPhase::Lobby => "lobby",
        RoomPhase::Racing => "racing",
        RoomPhase::Results => "results",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn summary(number: u32, phase: RoomPhase) -> RoomSummary {
        RoomSummary {
            code: RoomCode::from_number(number),
            name: None,
            host: None,
            spec: "slide:4x4".parse().unwrap(),
            phase,
            people: 1,
            players: 1,
            spectators: 0,
            full: false,
            needs_pin: false,
        }
    }

    fn tournament(name: &str) -> TournamentSummary {
        TournamentSummary {
            name: name.parse().unwrap(),
            title: None,
            plan: String::new(),
            phase: TournamentPhase::CheckIn,
            entrants: 0,
            max_entrants: 32,
            needs_pin: false,
        }
    }

    fn read(strings: &[(&str, &[u8])]) -> Option<ServerRecord> {
        ServerRecord::read(strings.iter().map(|&(key, value)| (key, Some(value))))
    }

    fn reread(record: &ServerRecord) -> Option<ServerRecord> {
        let properties = record.properties();
        let strings = properties.iter().map(|(key, value)| (key.as_str(), Some(value.as_bytes())));
        ServerRecord::read(strings)
    }

    #[test]
    fn a_record_is_read_as_it_was_written() {
        let rooms = [summary(7, RoomPhase::Lobby), summary(9, RoomPhase::Results)];
        let record =
            ServerRecord::new(&rooms, &[tournament("friday")], Some("race.example".to_owned()));
        assert_eq!(reread(&record), Some(record));
        let record = ServerRecord::new(&[], &[], None);
        assert_eq!(record.properties(), [("v".to_owned(), VERSION.to_string())]);
        assert_eq!(reread(&record), Some(record));
    }

    #[test]
    fn rooms_with_a_pin_are_left_out_and_joinable_ones_come_first() {
        let mut locked = summary(1, RoomPhase::Lobby);
        locked.needs_pin = true;
        let rooms = [summary(2, RoomPhase::Racing), locked, summary(3, RoomPhase::Lobby)];
        let record = ServerRecord::new(&rooms, &[], None);
        let codes: Vec<u32> = vec![3, 2];
        let codes: Vec<RoomCode> = codes.into_iter().map(RoomCode::from_number).collect();
        assert_eq!(record.rooms.iter().map(|room| room.code).collect::<Vec<_>>(), codes);
    }

    #[test]
    fn tournaments_with_a_pin_or_over_are_left_out() {
        let mut locked = tournament("locked");
        locked.needs_pin = true;
        let mut over = tournament("over");
        over.phase = TournamentPhase::Over;
        let record = ServerRecord::new(&[], &[locked, over, tournament("friday")], None);
        let text = record.properties().iter().map(|(k, v)| format!("{k}={v}")).collect::<Vec<_>>();
        assert_eq!(text[1..], ["tournament1=friday check-in"]);
    }

    #[test]
    fn a_full_record_fits_one_frame() {
        let mut rooms: Vec<_> =
            (0..100).map(|number| summary(number, RoomPhase::Results)).collect();
        let longest = "link:20x20:classic".parse().unwrap();
        rooms.iter_mut().for_each(|room| room.spec = longest);
        let tournaments: Vec<_> =
            (0..9).map(|number| tournament(&format!("{}{number}", "a".repeat(31)))).collect();
        let record = ServerRecord::new(&rooms, &tournaments, Some("a".repeat(253)));
        let bytes: usize = record.properties().iter().map(|(k, v)| k.len() + v.len() + 2).sum();
        assert_eq!(record.rooms.len(), MAX_ROOMS);
        assert!(bytes < 1_300, "{bytes}");
    }

    #[test]
    fn what_is_wrong_is_left_out_and_nothing_else() {
        let record = read(&[
            ("V", b"5"),
            ("v", b"9"),
            ("room1", b"KQZT slide:4x4 lobby"),
            ("room2", b"KQZT slide:3x3 racing"),
            ("room3", b"\x1b[2J slide:4x4 lobby"),
            ("room4", b"BCDF \xff lobby"),
            ("room5", b"BCDF slide:4x4 gone"),
            ("room6", b"BCDG slide:4x4"),
            ("room7", b""),
            ("other", b"x"),
        ]);
        let record = record.unwrap();
        assert_eq!((record.version, record.rooms.len()), (5, 1));
        assert_eq!(record.rooms[0].spec.to_string(), "slide:4x4");
        for version in [&b""[..], b"-1", b"70000", b"5 ", b"\xff"] {
            assert_eq!(read(&[("v", version)]), None);
        }
        assert_eq!(ServerRecord::read([("v", None)].into_iter()), None);
    }

    #[test]
    fn a_record_without_end_is_read_to_its_bound() {
        let room = |number| {
            let code = RoomCode::from_number(number);
            (format!("room{number}"), format!("{code} slide:4x4 lobby"))
        };
        let strings: Vec<_> = (0..1_000).map(room).collect();
        let strings = strings.iter().map(|(key, room)| (key.as_str(), Some(room.as_bytes())));
        let record = ServerRecord::read([("v", Some(&b"5"[..]))].into_iter().chain(strings));
        assert_eq!(record.map(|record| record.rooms.len()), Some(MAX_ROOMS));
    }

    proptest! {
        #[test]
        fn any_strings_are_read(strings: Vec<(String, Option<Vec<u8>>)>) {
            let strings = strings.iter().map(|(key, value)| (key.as_str(), value.as_deref()));
            if let Some(record) = ServerRecord::read(strings) {
                prop_assert!(record.rooms.len() <= MAX_ROOMS);
            }
        }
    }
}
