//! The QR codes of links: of a room as `/KQZT.svg`, of a tournament as `/t/NAME.svg`.

use super::page::BaseUrl;
use axum::http::uri::Authority;
use gridrace_lan::interfaces;
use gridrace_lan::page_link::{page_link, tournament_link};
use gridrace_lan::qr_code::QrCode;
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::tournament::ids::TournamentName;
use std::net::{IpAddr, SocketAddr};

/// Renders the code of the file `KQZT.svg`, whether or not there is such a room: so it tells nothing
/// about rooms. `None` for any other file.
pub(super) fn room_svg(file: &str, base: BaseUrl<'_>, listening: SocketAddr) -> Option<String> {
    let code: RoomCode = file.strip_suffix(".svg")?.parse().ok()?;
    svg(&page_link(base.is_tls, &linked_host(base.host, listening), Some(code)))
}

/// Renders the code of the file `NAME.svg`, whether or not there is such a tournament.
pub(super) fn tournament_svg(
    file: &str,
    base: BaseUrl<'_>,
    listening: SocketAddr,
) -> Option<String> {
    let name: TournamentName = file.strip_suffix(".svg")?.parse().ok()?;
    svg(&tournament_link(base.is_tls, &linked_host(base.host, listening), &name))
}

fn svg(link: &str) -> Option<String> {
    QrCode::of_link(link).map(|qr_code| qr_code.svg())
}

/// Returns the host for a link that is read on other devices: that of the request, or else, if that
/// is a name of this machine alone, the first address on the network.
fn linked_host(host: &str, listening: SocketAddr) -> String {
    let authority = host.parse::<Authority>();
    let name = authority.as_ref().map_or(host, Authority::host);
    let name = name.trim_start_matches('[').trim_end_matches(']');
    let is_loopback = name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
    if !is_loopback && !name.eq_ignore_ascii_case("localhost") {
        return host.to_owned();
    }
    let addresses = interfaces::network_addresses(listening);
    addresses.first().map_or_else(|| host.to_owned(), ToString::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_for_others_has_a_host_that_they_reach() {
        let listening = "192.0.2.7:7415".parse().unwrap();
        for own in ["localhost:7415", "127.0.0.1:7415", "[::1]:7415", "[::1]", "LOCALHOST"] {
            assert_eq!(linked_host(own, listening), "192.0.2.7:7415", "{own}");
        }
        for host in ["192.168.1.5:7415", "race.example", "[2001:db8::1]:7415", "[2001:db8::1]"] {
            assert_eq!(linked_host(host, listening), host);
        }
        // A server of this machine alone has no other.
        assert_eq!(
            linked_host("localhost:7415", "127.0.0.1:7415".parse().unwrap()),
            "localhost:7415"
        );
    }
}
