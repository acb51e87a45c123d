//! Servers and rooms on the local network, as they announce themselves by mDNS.

use crate::net::address::Address;
use gridrace_lan::browser::NearbyServer;
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::protocol::VERSION;
use gridrace_shared::protocol::snapshot::RoomPhase;
use gridrace_shared::protocol::tournament::TournamentPhase;
use gridrace_shared::puzzle::PuzzleSpec;
use gridrace_shared::tournament::ids::TournamentName;

/// What a server nearby announces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NearbyEntry {
    pub offer: NearbyOffer,
    /// The server's preferred address.
    pub address: Address,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NearbyOffer {
    Room { code: RoomCode, spec: PuzzleSpec, phase: RoomPhase },
    Tournament { name: TournamentName, phase: TournamentPhase },
}

impl NearbyEntry {
    /// Returns whether it is the same room or tournament, in whatever phase.
    pub fn is_same(&self, other: &Self) -> bool {
        let is_same = match (&self.offer, &other.offer) {
            (NearbyOffer::Room { code, .. }, NearbyOffer::Room { code: other, .. }) => {
                code == other
            }
            (NearbyOffer::Tournament { name, .. }, NearbyOffer::Tournament { name: other, .. }) => {
                name == other
            }
            (NearbyOffer::Room { .. }, NearbyOffer::Tournament { .. })
            | (NearbyOffer::Tournament { .. }, NearbyOffer::Room { .. }) => false,
        };
        is_same && self.address == other.address
    }

    /// Returns the place in the list: tournaments, rooms in the lobby, other rooms.
    const fn rank(&self) -> u8 {
        match self.offer {
            NearbyOffer::Tournament { .. } => 0,
            NearbyOffer::Room { phase: RoomPhase::Lobby, .. } => 1,
            NearbyOffer::Room { phase: RoomPhase::Racing | RoomPhase::Results, .. } => 2,
        }
    }
}

/// Returns where a server is reached, the preferred address first. A certificate is for a name, so
/// a server with TLS has only the address by the name that it announces, if it does.
pub fn addresses(server: &NearbyServer) -> Vec<Address> {
    let port = server.addresses.first().map_or(0, std::net::SocketAddr::port);
    let texts: Vec<String> = match server.record.tls.as_deref() {
        None => server.addresses.iter().map(ToString::to_string).collect(),
        Some("") => server.addresses.iter().map(|address| format!("wss://{address}")).collect(),
        Some(name) => vec![format!("wss://{name}:{port}")],
    };
    texts.iter().filter_map(|text| text.parse().ok()).collect()
}

/// Returns what this program can join on all servers: tournaments, then rooms, those in the lobby
/// first.
pub fn entries(servers: &[NearbyServer]) -> Vec<NearbyEntry> {
    let mut entries = Vec::new();
    for server in servers.iter().filter(|server| server.record.version == VERSION) {
        let Some(address) = addresses(server).into_iter().next() else { continue };
        let tournaments = server.record.tournaments.iter().cloned();
        let tournaments =
            tournaments.map(|it| NearbyOffer::Tournament { name: it.name, phase: it.phase });
        let rooms = server.record.rooms.iter();
        let rooms =
            rooms.map(|it| NearbyOffer::Room { code: it.code, spec: it.spec, phase: it.phase });
        let offers = tournaments.chain(rooms);
        entries.extend(offers.map(|offer| NearbyEntry { offer, address: address.clone() }));
    }
    entries.sort_by_key(NearbyEntry::rank);
    entries
}

#[cfg(test)]
mod tests {
    use super::*;
    use gridrace_lan::record::{AnnouncedRoom, AnnouncedTournament, ServerRecord};

    fn server(tls: Option<&str>, version: u16) -> NearbyServer {
        let room = |code: &str, phase| AnnouncedRoom {
            code: code.parse().unwrap(),
            spec: "slide:4x4".parse().unwrap(),
            phase,
        };
        let name = "friday".parse().unwrap();
        let tournaments = vec![AnnouncedTournament { name, phase: TournamentPhase::Entries }];
        let rooms = vec![room("BCDF", RoomPhase::Racing), room("KQZT", RoomPhase::Lobby)];
        NearbyServer {
            name: "anna".to_owned(),
            addresses: ["192.168.1.5:7415", "[2001:db8::5]:7415"]
                .map(|it| it.parse().unwrap())
                .into(),
            record: ServerRecord { version, rooms, tournaments, tls: tls.map(str::to_owned) },
        }
    }

    #[test]
    fn a_server_with_tls_is_met_by_the_name_of_its_certificate() {
        let shown = |tls| -> Vec<String> {
            addresses(&server(tls, VERSION)).iter().map(ToString::to_string).collect()
        };
        assert_eq!(shown(None), ["192.168.1.5:7415", "[2001:db8::5]:7415"]);
        assert_eq!(shown(Some("")), ["wss://192.168.1.5:7415", "wss://[2001:db8::5]:7415"]);
        assert_eq!(shown(Some("race.example")), ["wss://race.example:7415"]);
        assert_eq!(shown(Some("a b\u{1b}[2J")), [""; 0]);
    }

    #[test]
    fn what_can_be_joined_comes_first_and_that_of_other_versions_not_at_all() {
        let servers =
            [server(None, VERSION), server(None, VERSION + 1), server(Some("/"), VERSION)];
        let shown = |entry: &NearbyEntry| match &entry.offer {
            NearbyOffer::Room { code, .. } => code.to_string(),
            NearbyOffer::Tournament { name, .. } => name.to_string(),
        };
        let entries: Vec<String> = entries(&servers).iter().map(shown).collect();
        assert_eq!(entries, ["friday", "KQZT", "BCDF"]);
    }
}
