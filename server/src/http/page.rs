//! The index as text, for curl and similar clients: the open rooms and how to join them.

use gridrace_lan::interfaces::shell_quoted;
use gridrace_shared::heat::identity::Fingerprint;
use gridrace_shared::heat::short_text::RoomName;
use gridrace_shared::protocol::PATH;
use gridrace_shared::protocol::snapshot::{RoomPhase, RoomSummary};

/// How the client reached the server.
#[derive(Debug, Clone, Copy)]
pub(super) struct BaseUrl<'a> {
    pub(super) host: &'a str,
    pub(super) is_tls: bool,
}

impl BaseUrl<'_> {
    /// Returns the address for the program's commands, quoted for a shell.
    fn address(self) -> String {
        let scheme = if self.is_tls { "wss://" } else { "" };
        shell_quoted(&format!("{scheme}{}", self.host))
    }

    fn socket(self) -> String {
        let scheme = if self.is_tls { "wss" } else { "ws" };
        format!("{scheme}://{}{PATH}", self.host)
    }
}

/// Renders the index; `signer` is the fingerprint of the key
/// that signs the replays, if heats are recorded.
pub(super) fn text(
    base: BaseUrl<'_>,
    rooms: &[RoomSummary],
    signer: Option<Fingerprint>,
) -> String {
    let (code, address, socket) = (example_code(rooms), base.address(), base.socket());
    let mut text = format!(
        "gridrace: race your friends on the identical puzzle, sliding or Numberlink.\n\n\
         Join from a terminal   gridrace join {code} {address}\n\
         Watch                  gridrace watch {code} {address}\n\
         Bring a bot            gridrace bot {code} {address} --skill expert\n\
         Write a bot            {socket} speaks JSON and bincode; see docs/bots.md\n\n"
    );
    if rooms.is_empty() {
        text += "No room is open.\n";
    } else {
        text += "CODE  PUZZLE         PLAYERS  WATCHING  STATE      NAME\n";
    }
    for room in rooms {
        let RoomSummary { code, spec, players, spectators, .. } = room;
        let (spec, state, name) = (spec.to_string(), state(room), name(room));
        let row = format!("{code}  {spec:<13}  {players:>7}  {spectators:>8}  {state:<9}  {name}");
        text += row.trim_end();
        text.push('\n');
    }
    if let Some(signer) = signer {
        text += &format!("\nReplays are signed     gridrace verify FILE --server {signer}\n");
    }
    text
}

/// Returns the code that the commands show: that of the first room that can be joined.
fn example_code(rooms: &[RoomSummary]) -> String {
    let open = rooms.iter().find(|room| room.is_joinable());
    open.map_or_else(|| "CODE".to_owned(), |room| room.code.to_string())
}

fn name(room: &RoomSummary) -> &str {
    room.name.as_ref().map_or("", RoomName::as_str)
}

const fn state(room: &RoomSummary) -> &'static str {
    match room.phase {
        RoomPhase::Lobby if room.full => "full",
        RoomPhase::Lobby => "lobby",
        RoomPhase::Racing => "racing",
        RoomPhase::Results => "results",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gridrace_shared::heat::ids::RoomCode;

    fn room(number: u32, phase: RoomPhase) -> RoomSummary {
        RoomSummary {
            code: RoomCode::from_number(number),
            name: None,
            host: None,
            spec: "slide:4x4".parse().unwrap(),
            phase,
            people: 15,
            players: 3,
            spectators: 12,
            full: false,
            needs_pin: false,
        }
    }

    const PLAIN: BaseUrl<'_> = BaseUrl { host: "10.0.0.1:7415", is_tls: false };

    #[test]
    fn every_address_of_a_server_with_tls_has_its_scheme() {
        let base = BaseUrl { host: "race.example", is_tls: true };
        let text = text(base, &[room(1, RoomPhase::Lobby)], None);
        let join = "gridrace join BBBC wss://race.example\n";
        assert!(text.contains(join), "{text}");
        assert!(text.contains("wss://race.example/ws speaks"), "{text}");
    }

    #[test]
    fn the_text_shows_how_to_join_an_open_room() {
        let named = RoomSummary { name: "evening".parse().ok(), ..room(2, RoomPhase::Results) };
        let widest =
            RoomSummary { spec: "link:9x9:hard".parse().unwrap(), ..room(3, RoomPhase::Lobby) };
        let rooms = [room(0, RoomPhase::Racing), room(1, RoomPhase::Lobby), named, widest];
        let text = text(PLAIN, &rooms, None);
        assert!(text.contains("  results    evening\n"), "{text}");
        assert!(text.contains("gridrace join BBBC 10.0.0.1:7415\n"), "{text}");
        assert!(text.contains("BBBB  slide:4x4            3        12  racing\n"), "{text}");
        assert!(text.contains("BBBC  slide:4x4            3        12  lobby\n"), "{text}");
        assert!(text.contains("BBBF  link:9x9:hard        3        12  lobby\n"), "{text}");
    }

    #[test]
    fn without_rooms_the_commands_show_a_placeholder() {
        let joins = |host, is_tls| {
            let text = text(BaseUrl { host, is_tls }, &[], None);
            text.lines().find_map(|line| Some(line.split_once("gridrace join ")?.1.to_owned()))
        };
        assert_eq!(joins("10.0.0.1:7415", false).unwrap(), "CODE 10.0.0.1:7415");
        assert_eq!(joins("[fd00::1]:7415", false).unwrap(), "CODE '[fd00::1]:7415'");
        assert_eq!(joins("[fd00::1]", true).unwrap(), "CODE 'wss://[fd00::1]'");
    }
}
