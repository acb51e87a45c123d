//! Links to the page on which a room is played.

use gridrace_shared::heat::ids::RoomCode;

/// Returns the link to a room, or to the server's rooms, at `authority`: a host with its port.
pub fn page_link(is_tls: bool, authority: &str, room: Option<RoomCode>) -> String {
    let scheme = if is_tls { "https" } else { "http" };
    let code = room.map(|code| code.to_string()).unwrap_or_default();
    format!("{scheme}://{authority}/{code}")
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
}
