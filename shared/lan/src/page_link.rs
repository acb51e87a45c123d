//! Links to the page on which a room is played, or a tournament.

use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::tournament::ids::{RecordName, TournamentName};

/// Returns the link to a room, or to the server's rooms, at `authority`: a host with its port.
pub fn page_link(is_tls: bool, authority: &str, room: Option<RoomCode>) -> String {
    let code = room.map(|code| code.to_string()).unwrap_or_default();
    format!("{}://{authority}/{code}", scheme(is_tls))
}

/// Returns the link to a tournament at `authority`: a host with its port.
pub fn tournament_link(is_tls: bool, authority: &str, name: &TournamentName) -> String {
    format!("{}://{authority}/t/{name}", scheme(is_tls))
}

/// Returns the link to the record of a tournament at `authority`: a host with its port.
pub fn record_link(is_tls: bool, authority: &str, record: &RecordName) -> String {
    format!("{}://{authority}/t/{record}.grt", scheme(is_tls))
}

const fn scheme(is_tls: bool) -> &'static str {
    if is_tls { "https" } else { "http" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_leads_to_a_room_or_to_all() {
        let code = "KQZT".parse().ok();
        assert_eq!(page_link(false, "10.0.0.7:7415", code), "http://10.0.0.7:7415/KQZT");
        assert_eq!(page_link(true, "race.example", None), "https://race.example/");
    }

    #[test]
    fn a_link_leads_to_a_tournament() {
        let name = "friday".parse().unwrap();
        assert_eq!(tournament_link(true, "race.example", &name), "https://race.example/t/friday");
        let record = "friday~1".parse().unwrap();
        assert_eq!(record_link(false, "box:80", &record), "http://box:80/t/friday~1.grt");
    }
}
